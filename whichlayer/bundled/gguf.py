"""A reader for GGUF files: what llama.cpp stores of a model, as Python values and numpy arrays.

It reads version 3 in little-endian order, and the tensor types F32, Q4_1 and Q8_0. The `gguf`
package reads every type, but takes seconds for a vocabulary of 50,000 pieces, one array a piece.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

_SCALARS = dict(enumerate("BbHhIif?", 0)) | {10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_F32, _Q4_1, _Q8_0 = 0, 3, 8
_BLOCK_Q4_1 = np.dtype([("scale", "<f2"), ("least", "<f2"), ("pairs", "u1", 16)])
_BLOCK_Q8_0 = np.dtype([("scale", "<f2"), ("numbers", "i1", 32)])


class Gguf:
    """A GGUF file.

    Attributes:
        meta: the metadata: numbers, strings and lists of them.
        names: the tensors' names.
    """

    def __init__(self, path: Path):
        self._data = np.memmap(path, dtype=np.uint8, mode="r")
        self._raw = memoryview(self._data)
        self._at = 0
        if bytes(self._raw[:4]) != b"GGUF":
            raise ValueError(f"{path} is no GGUF file: it begins with {bytes(self._raw[:4])!r}.")
        self._at = 4
        version, n_tensors, n_meta = self._numbers("IQQ")
        if version != 3:
            raise ValueError(f"{path} is a GGUF file of version {version}; 3 is read here.")
        self.meta = {}
        for _ in range(n_meta):
            key = self._string()
            self.meta[key] = self._value(*self._numbers("I"))
        self._where = {}
        for _ in range(n_tensors):
            name = self._string()
            shape = self._numbers(f"{self._numbers('I')[0]}Q")[::-1]
            self._where[name] = (shape, *self._numbers("IQ"))
        self.names = tuple(self._where)
        step = self.meta.get("general.alignment", 32)
        self._tensors_begin = -(-self._at // step) * step

    def tensor(self, name: str) -> np.ndarray:
        """A tensor in its shape, as float32."""
        shape, kind, offset = self._where[name]
        data = self._data[self._tensors_begin + offset :]
        size = int(np.prod(shape))
        if kind == _F32:
            return data[: 4 * size].view("<f4").reshape(shape).copy()
        block, unpack = {
            _Q4_1: (_BLOCK_Q4_1, _unpack_q4_1),
            _Q8_0: (_BLOCK_Q8_0, _unpack_q8_0),
        }.get(kind, (None, None))
        if block is None:
            raise ValueError(f"{name}: tensors of GGUF type {kind} are not read here.")
        return unpack(data[: size // 32 * block.itemsize].view(block)).reshape(shape)

    def _numbers(self, form: str) -> tuple:
        begin, self._at = self._at, self._at + struct.calcsize("<" + form)
        return struct.unpack_from("<" + form, self._raw, begin)

    def _string(self) -> str:
        (size,) = self._numbers("Q")
        self._at += size
        return str(self._raw[self._at - size : self._at], "utf-8")

    def _value(self, kind: int):
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            item, n = self._numbers("IQ")
            if item == _STRING:
                return [self._string() for _ in range(n)]
            return list(self._numbers(f"{n}{_SCALARS[item]}"))
        return self._numbers(_SCALARS[kind])[0]


def _unpack_q4_1(blocks: np.ndarray) -> np.ndarray:
    """Blocks of 32 four-bit numbers: scale x number + least, the low halves of the bytes first."""
    pairs = np.ascontiguousarray(blocks["pairs"])
    values = np.concatenate([pairs & 15, pairs >> 4], axis=1).astype(np.float32)
    values *= blocks["scale"].astype(np.float32)[:, None]
    values += blocks["least"].astype(np.float32)[:, None]
    return values


def _unpack_q8_0(blocks: np.ndarray) -> np.ndarray:
    """Blocks of 32 eight-bit numbers: scale x number."""
    return blocks["numbers"] * blocks["scale"].astype(np.float32)[:, None]
