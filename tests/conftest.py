"""Encoders, corpora and the browser that the tests share. Nothing here needs a download.

torch, transformers and the package are loaded by the fixtures that need them: not every process of a
run does.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from browsing import a_browser
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

EWT = Path(__file__).parents[2] / "shared" / "ud_english_ewt"
TEXT = [
    "the quick brown fox jumps over the lazy dog 's back .",
    "unbelievable stories about re-opened harbours , e-mails and naïve cafés",
    "She said : do n't !",
] * 20


@pytest.fixture(scope="session")
def browser():
    with a_browser() as found:
        yield found


@pytest.fixture(scope="session")
def minilm():
    from whichlayer.models import load_encoder

    return load_encoder("minilm")


@pytest.fixture(scope="session")
def toy_corpus():
    from whichlayer.corpora import load_toy_corpus

    return load_toy_corpus()


@pytest.fixture(scope="session")
def ewt_folder():
    """The folder with UD English EWT, beside the checkout or where WHICHLAYER_DATA says."""
    folder = Path(os.environ.get("WHICHLAYER_DATA", EWT))
    if not (folder / "en_ewt-ud-dev.conllu").is_file():
        pytest.skip(f"UD English EWT is not at hand (looked in {folder}; set WHICHLAYER_DATA)")
    return folder


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory):
    """A randomly initialised BERT of 3 layers and width 64 that takes 64 subwords."""
    return _save_bert(tmp_path_factory.mktemp("bert"), positions=64, width=64)


@pytest.fixture(scope="session")
def long_bert_folder(tmp_path_factory):
    """The same, but with room for 512 subwords, and a width of 16, on which probes are fitted fast."""
    return _save_bert(tmp_path_factory.mktemp("long-bert"), positions=512, width=16)


def _save_bert(folder, positions, width):
    """Lower-casing WordPiece with a vocabulary of 200, and random weights."""
    import transformers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        TEXT, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", model_max_length=positions,
    )  # fmt: skip
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=width, num_hidden_layers=3,
        num_attention_heads=4, intermediate_size=2 * width, max_position_embeddings=positions,
    )  # fmt: skip
    return _save(folder, transformers.BertModel, config, fast)


@pytest.fixture(scope="session")
def roberta_folder(tmp_path_factory):
    """A randomly initialised RoBERTa of 2 layers: byte-level BPE, positions from padding_idx + 1."""
    import transformers

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        TEXT,
        trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )  # fmt: skip
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    folder = tmp_path_factory.mktemp("roberta")
    # The files of a RoBERTa on the hub, so that transformers' own class for it is what is tested.
    tokenizer.save(str(folder / "tokenizer.json"))
    tokenizer.model.save(str(folder))
    about = {"tokenizer_class": "RobertaTokenizer", "model_max_length": 64}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    config = transformers.RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=64, max_position_embeddings=66, type_vocab_size=1,
        pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    return _save(folder, transformers.RobertaModel, config)


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory):
    """A randomly initialised Llama of 2 layers: metaspace BPE, no padding token, causal."""
    import transformers

    special = ["<unk>", "<s>", "</s>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(
        TEXT, trainers.BpeTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        model_max_length=64,
    )  # fmt: skip
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, intermediate_size=64,
        max_position_embeddings=64, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    return _save(tmp_path_factory.mktemp("llama"), transformers.LlamaModel, config, fast)


def _save(folder, model_class, config, tokenizer=None) -> Path:
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model_class(config).save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def pytest_terminal_summary(terminalreporter):
    """Say whether students' code ran in a sandbox: where there is none, refusals were tested instead."""
    from whichlayer_grading import sandbox

    missing = sandbox.what_is_missing()
    terminalreporter.write_line(
        f"no sandbox here, so only its refusal was tested: {missing}"
        if missing
        else "students' code was run in the sandbox"
    )
