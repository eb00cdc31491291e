"""Folders of tiny encoders with random weights, of any architecture and with any kind of tokenizer."""

from __future__ import annotations

import json

import torch
import transformers
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

TEXT = [
    "The quick brown fox jumps over the lazy dog 's back .",
    "unbelievable stories about re-opened harbours , e-mails and naïve cafés",
    "She said : do n't ! In 1999 , 42 ships left the harbour (for 3.14 days).",
] * 20
BERT = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
ROBERTA = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"}
LLAMA = {"unk": "<unk>", "bos": "<s>", "eos": "</s>"}


def _trained(tokenizer, trainer, specials, single, **options):
    tokenizer.train_from_iterator(
        TEXT, trainer(special_tokens=list(specials.values()), show_progress=False, **options)
    )
    if single:
        names = {part.split(":")[0] for part in single.split()} - {"$A"}
        tokenizer.post_processor = processors.TemplateProcessing(
            single=single, special_tokens=[(name, tokenizer.token_to_id(name)) for name in names]
        )
    names = {f"{kind}_token": token for kind, token in specials.items()}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=100, **names
    )


def wordpiece(specials=BERT, single="[CLS] $A [SEP]", lowercase=True):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _trained(tokenizer, trainers.WordPieceTrainer, specials, single, vocab_size=250)


def byte_level(specials=ROBERTA, single="<s> $A </s>", prefix=False, before=None):
    """Args: before: what cuts the text first; then the blanks are left to it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    if before is not None:
        last = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([before, last])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _trained(
        tokenizer, trainers.BpeTrainer, specials, single, vocab_size=400, initial_alphabet=alphabet
    )


def metaspace(specials=LLAMA, single="<s> $A", scheme="always", fallback=True):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=fallback))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    if fallback:
        specials = {**specials, **{f"byte{i}": f"<0x{i:02X}>" for i in range(256)}}
    made = _trained(tokenizer, trainers.BpeTrainer, specials, single, vocab_size=500)
    # The bytes are vocabulary, not special: only the three names are.
    names = {f"{kind}_token": token for kind, token in LLAMA.items()}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made.backend_tokenizer, model_max_length=100, **names
    )


def unigram(specials=ROBERTA, single="<s> $A </s>"):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return _trained(
        tokenizer, trainers.UnigramTrainer, specials, single, vocab_size=120, unk_token="<unk>"
    )


def whole_words(specials=BERT, single="[CLS] $A [SEP]"):
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return _trained(tokenizer, trainers.WordLevelTrainer, specials, single)


def _with_parts(tokenizer, **parts):
    """With another way of cutting: merges learnt word by word, but used on the whole text."""
    raw = json.loads(tokenizer.backend_tokenizer.to_str())
    names = {f"{kind}_token": token for kind, token in LLAMA.items()}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps({**raw, **parts})),
        model_max_length=100, **names,
    )  # fmt: skip


def _replace(before, after):
    return {"type": "Replace", "pattern": {"String": before}, "content": after}


def llama2():
    """A blank is put before the text and becomes a letter; nothing is cut."""
    steps = [{"type": "Prepend", "prepend": "\u2581"}, _replace(" ", "\u2581")]
    norm = {"type": "Sequence", "normalizers": steps}
    return _with_parts(metaspace(), normalizer=norm, pre_tokenizer=None)


def gemma():
    """Blanks become letters, none is put before the text, and all is cut after each blank."""
    cut = {
        "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
        "invert": False,
    }  # fmt: skip
    return _with_parts(
        metaspace(scheme="never"), normalizer=_replace(" ", "\u2581"), pre_tokenizer=cut
    )


def clip():
    """Lower-cased; a word's end is marked, and its beginning isn't."""
    specials = {"bos": "<|start|>", "eos": "<|end|>", "unk": "<|end|>", "pad": "<|end|>"}
    tokenizer = Tokenizer(models.BPE(unk_token="<|end|>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Lowercase()
    parts = Regex(r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(parts, "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    return _trained(
        tokenizer, trainers.BpeTrainer, specials, "<|start|> $A <|end|>", vocab_size=400,
        end_of_word_suffix="</w>", initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip


def letters():
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("."), "isolated")]
    )
    return _trained(tokenizer, trainers.WordLevelTrainer, BERT, "[CLS] $A [SEP]")


# How Llama 3 and others cut a text: a blank or a bracket stays with the word after it.
_LLAMA3 = Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

TOKENIZERS = {
    "wordpiece": wordpiece,
    "wordpiece, cased": lambda: wordpiece(lowercase=False),
    "byte level": byte_level,
    "byte level with prefix": lambda: byte_level(prefix=True),
    "metaspace": metaspace,
    "metaspace first": lambda: metaspace(scheme="first"),
    "metaspace never": lambda: metaspace(scheme="never"),
    "unigram": unigram,
    "whole words": whole_words,
    "byte level, cut as by Llama 3": lambda: byte_level(
        before=pre_tokenizers.Split(_LLAMA3, "isolated")
    ),
    "byte level, digit by digit": lambda: byte_level(
        before=pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.Split(_LLAMA3, "isolated"),
            ]
        )
    ),
    "blanks as letters": llama2,
    "blanks as letters, none before": gemma,
    "a mark at a word's end": clip,
}


def save(folder, model_type, tokenizer, model_class=None, **settings):
    """Save an encoder of two blocks and width 32 with weights that let each subword show."""
    numbers = {
        "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "embedding_size": 32,
        "intermediate_size": 64, "d_ff": 64, "d_inner": 64, "hidden_dim": 64, "d_kv": 16,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
        "num_hidden_layers": 2, "num_layers": 2, "n_layer": 2, "n_layers": 2, "encoder_layers": 2,
        "decoder_layers": 2, "num_attention_heads": 2, "num_heads": 2, "n_head": 2, "n_heads": 2,
        "encoder_attention_heads": 2, "decoder_attention_heads": 2, "num_key_value_heads": 2,
        "head_dim": 16, "max_position_embeddings": 120, "n_positions": 120,
        "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id or 0,
        "bos_token_id": 0, "eos_token_id": 0, "decoder_start_token_id": 0,
    }  # fmt: skip
    kind = type(transformers.AutoConfig.for_model(model_type))
    known = kind()
    numbers = {
        name: value
        for name, value in numbers.items()
        if hasattr(known, name) and not isinstance(getattr(kind, name, None), property)
    }
    config = kind(**{**numbers, **settings})
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        model = (model_class or transformers.AutoModel.from_config)(config)
        for weight in model.parameters():
            if weight.is_floating_point():
                weight.add_(torch.randn_like(weight) * (0.3 if weight.ndim > 1 else 0.1))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def by_hand(folder, texts, words, model=None):
    """First-subword states of each text alone, read with transformers and nothing else.

    Args:
        words: for each text the (first character, character after the last) of its words.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if model is None:
        model = transformers.AutoModel.from_pretrained(folder)
        model = model.get_encoder() if model.config.is_encoder_decoder else model
    model = model.eval()
    out = []
    for text, spans in zip(texts, words, strict=True):
        inputs = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        if "token_type_ids" in inputs and not hasattr(model.config, "type_vocab_size"):
            del inputs["token_type_ids"]
        with torch.no_grad():
            output = model(**inputs, output_hidden_states=True, return_dict=True)
        first = [next(i for i, (a, b) in enumerate(offsets) if a < q and b > p) for p, q in spans]
        out.append(torch.stack([state[0, first] for state in output.hidden_states]))
    return torch.cat(out, dim=1).numpy()
