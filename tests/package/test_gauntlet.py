"""More kinds of tiny folders, as transformers and others write them: each is read as by hand.

By hand means: the sentence as running text, alone and unpadded, through transformers itself, and of
each word the first subword that covers one of its characters.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny_encoders
import torch
import transformers
from safetensors.torch import load_file, save_file
from tiny_encoders import by_hand, save

from whichlayer.extraction import extract
from whichlayer.models import load_encoder

SENTENCES = [
    ["The", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "."],
    ["the", "quick"],
    ["Unbelievable", "e-mails", ",", "naïve", "cafés", "(", "1999", ")"],
    ["A"],
    [
        "She",
        "said",
        ":",
        "do",
        "n't",
        "!",
        "stories",
        "about",
        "the",
        "fox",
        ",",
        "the",
        "dog",
        "and",
        "42",
        "ships",
    ],
]

LLAMA3, DIGITS = "byte level, cut as by Llama 3", "byte level, digit by digit"
DISENTANGLED = {
    "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 4,
    "position_biased_input": False,
}  # fmt: skip

# Tokenizer and settings of architectures beside those that test_audition looks at more closely.
ARCHITECTURES = {
    "electra": ("wordpiece", {"embedding_size": 16}),
    "xmod": ("unigram", {"languages": ["en_XX"], "default_language": "en_XX"}),
    "deberta": ("byte level", {}),
    "deberta-v2": ("unigram", DISENTANGLED),
    "nystromformer": ("unigram", {}),
    "yoso": ("unigram", {}),
    "convbert": ("wordpiece", {}),
    "squeezebert": ("wordpiece", {}),
    "clip_text_model": ("a mark at a word's end", {}),
    "longt5": ("unigram", {"local_radius": 4}),
    "led": ("byte level", {"attention_window": [8, 8]}),
    "pegasus": ("unigram", {}),
    "m2m_100": ("unigram", {}),
    "gpt_neo": ("byte level", {"attention_types": [[["global", "local"], 1]], "window_size": 4}),
    "mixtral": ("blanks as letters", {"num_local_experts": 4}),
    "gemma2": ("blanks as letters, none before", {}),
    "qwen2": (LLAMA3, {}),
    "falcon": (DIGITS, {}),
    "bloom": (LLAMA3, {}),
    "opt": ("byte level", {"ffn_dim": 64, "word_embed_proj_dim": 32, "layerdrop": 0.9}),
}


def read_and_compare(folder, **options):
    """Against states read by hand: together, in another order, and while the model is in training."""
    expected = []
    for words in SENTENCES:
        ends = np.cumsum([len(word) + 1 for word in words])
        spans = [(end - 1 - len(word), end - 1) for end, word in zip(ends, words, strict=True)]
        expected.append(by_hand(folder, [" ".join(words)], [spans], **options))
    expected = np.concatenate(expected, axis=1)
    apart = np.abs(expected - np.roll(expected, 1, axis=1)).max(axis=2)
    assert np.median(apart, axis=1).min() > 0.05, "these weights would tell no words apart"
    encoder = load_encoder(folder)
    found = extract(encoder, SENTENCES).vectors
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    encoder.model.train()
    backwards = extract(encoder, SENTENCES[::-1], batch_size=2).vectors
    cuts = np.cumsum([len(words) for words in SENTENCES[::-1]])[:-1]
    found = np.concatenate(np.split(backwards, cuts, axis=1)[::-1], axis=1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("model_type", ARCHITECTURES)
def test_states_are_those_of_running_text(model_type, tmp_path):
    tokenizer, settings = ARCHITECTURES[model_type]
    read_and_compare(save(tmp_path, model_type, tiny_encoders.TOKENIZERS[tokenizer](), **settings))


def test_a_tokenizer_that_knows_letters_only(tmp_path):
    read_and_compare(save(tmp_path, "bert", tiny_encoders.letters()))


def test_the_text_side_of_a_model_of_text_and_images(tmp_path):
    folder = save(tmp_path / "text", "clip_text_model", tiny_encoders.clip())
    text = json.loads((folder / "config.json").read_text())
    image = {
        "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 1, "image_size": 4, "patch_size": 2,
    }  # fmt: skip
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    both = save(tmp_path / "both", "clip", tokenizer, text_config=text, vision_config=image)
    read_and_compare(both, model=transformers.AutoModel.from_pretrained(both).text_model)


def test_padding_that_has_no_row_of_its_own(tmp_path):
    """As in GPT-NeoX: its class adds a padding token that the model has no embedding for."""
    tokenizer = tiny_encoders.byte_level({"eos": "<|endoftext|>"}, single="")
    folder = save(tmp_path, "gpt_neox", tokenizer)
    edit(folder / "tokenizer_config.json", tokenizer_class="GPTNeoXTokenizer", pad_token="<|pad|>")
    assert len(transformers.AutoTokenizer.from_pretrained(folder)) > len(tokenizer)
    read_and_compare(folder)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save(tmp_path_factory.mktemp("bert"), "bert", tiny_encoders.wordpiece())


@pytest.fixture
def folder(bert, tmp_path):
    """A copy of a BERT's folder, to be changed."""
    return Path(shutil.copytree(bert, tmp_path / "Ein Ordner für 日本語"))


def edit(file, **changes):
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def edit_weights(folder, change):
    file = folder / "model.safetensors"
    save_file(change(load_file(file)), file, metadata={"format": "pt"})


def test_blanks_and_other_scripts_in_the_folders_name(folder):
    read_and_compare(folder)


def test_a_folder_of_links(folder):
    blobs = folder / "blobs"
    blobs.mkdir()
    for file in [file for file in folder.iterdir() if file.is_file()]:
        shutil.move(file, blobs / file.name)
        file.symlink_to(blobs / file.name)
    read_and_compare(folder)


def test_a_tokenizer_that_names_no_special_token(folder):
    config = folder / "tokenizer_config.json"
    names = [key for key in json.loads(config.read_text()) if key.endswith("_token")]
    edit(config, **dict.fromkeys(names))
    (folder / "special_tokens_map.json").unlink(missing_ok=True)
    assert load_encoder(folder).tokenizer.pad_token is None
    read_and_compare(folder)


def test_a_tokenizer_that_was_saved_cutting_and_padding(folder):
    cut = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    pad = {
        "strategy": {"Fixed": 32}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }  # fmt: skip
    edit(folder / "tokenizer.json", truncation=cut, padding=pad)
    edit(folder / "tokenizer_config.json", padding_side="left", truncation_side="left")
    read_and_compare(folder)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_of_another_precision_are_read_in_float32(folder, dtype):
    edit_weights(folder, lambda state: {key: value.to(dtype) for key, value in state.items()})
    edit(folder / "config.json", torch_dtype=str(dtype).removeprefix("torch."), dtype=None)
    read_and_compare(folder, model=transformers.AutoModel.from_pretrained(folder).float())


def test_weights_in_several_files(folder):
    model = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="30KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    read_and_compare(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: {f"bert.{key}": value for key, value in state.items()},
        lambda state: {**state, "cls.predictions.bias": torch.ones(3)},
        lambda state: {
            key.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): value
            for key, value in state.items()
        },
    ],
    ids=["a prefix of its own", "a head's weights besides", "the names of early models"],
)
def test_weights_under_usual_names(folder, change):
    edit_weights(folder, change)
    read_and_compare(folder)


@pytest.mark.parametrize(
    "model_type, model_class", [("bert", "BertForMaskedLM"), ("gpt2", "GPT2LMHeadModel")]
)
def test_a_model_saved_with_its_head(tmp_path, model_type, model_class):
    tokenizer = tiny_encoders.byte_level()
    read_and_compare(save(tmp_path, model_type, tokenizer, getattr(transformers, model_class)))


def test_a_folder_of_sentence_transformers(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (folder / "modules.json").write_text("[]")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    read_and_compare(folder)
