"""Probe MiniLM on the treebank with several strengths of the penalty: which statements hang on C.

Recorded are the labels that each probe names, for the eight properties at every layer, and for four
tasks with the ways of combining layers of chapter 3; and what layer 3 adds to the embeddings for the
properties of chapter 6. `record.py` runs this.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

from whichlayer.activations import Activations, Features
from whichlayer.combination import concat_layers, mean_layers
from whichlayer.conditional import conditional_probing
from whichlayer.corpora import load_treebank, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import profile_over_C
from whichlayer.properties import word_properties
from whichlayer.splits import Split

GRID = (0.001, 0.01, 0.1)
# What chapter 4 draws.
WIDE = {"part of speech": (0.0001, *GRID, 1.0)}
CONDITIONAL = (
    "word length (long?)", "content or function", "part of speech", "dependency relation",
    "semantic role",
)  # fmt: skip
TASKS = {"part of speech": "upos", "relation": "udeprel", "role": "role", "named entity": "entity"}


def record(target: Path) -> None:
    treebank = load_treebank()
    split = Split.of(treebank)
    activations = extract(load_encoder("minilm"), treebank, progress=False)
    arrays: dict[str, np.ndarray] = {}
    for name, labels in word_properties(treebank).items():
        grid = WIDE.get(name, GRID)
        _keep(activations, labels, split, grid, f"layers/{name}", arrays)
    features = activations.features(ways_of_combining(activations.vectors, split))
    for task, labels in TASKS.items():
        _keep(features, word_labels(treebank, labels), split, GRID, f"ways/{task}", arrays)
    arrays["ways"] = np.array(features.names)
    for name in CONDITIONAL:
        labels = word_properties(treebank)[name]
        print(f"  added/{name} ...", flush=True)
        arrays[f"added/{name}"] = np.array(
            [_added(activations, labels, split, C) for C in GRID], dtype=np.float32
        )
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)


def ways_of_combining(vectors: np.ndarray, split: Split) -> dict[str, np.ndarray]:
    """The tables that chapter 3 compares: name -> (words, hidden)."""
    hidden = vectors.shape[2]

    def narrowed(table: np.ndarray) -> np.ndarray:
        pca = PCA(hidden, svd_solver="covariance_eigh")
        return pca.fit(table[split.train]).transform(table)

    last, middle = [-4, -3, -2, -1], (len(vectors) - 1) // 2
    return {
        "middle layer": vectors[middle],
        "middle layer, narrowed": narrowed(vectors[middle]),
        "last layer": vectors[-1],
        "mean of the last four": mean_layers(vectors, last),
        "mean of all": mean_layers(vectors),
        "last four, narrowed": narrowed(concat_layers(vectors, last)),
        "all, narrowed": narrowed(concat_layers(vectors, range(len(vectors)))),
    }


def _added(
    activations: Activations, labels: np.ndarray, split: Split, C: float
) -> tuple[float, ...]:
    """The bits that layer 3 adds, with their interval, and the shares of bits and errors missing."""
    found = conditional_probing(activations, labels, layers=[3], split=split, C=C, max_iter=2000)
    bits = found.added_bits
    share = bits.difference / found.surprise_alone.mean()
    return bits.difference, bits.low, bits.high, share, found.errors_removed[0]


def _keep(
    features: Activations | Features,
    labels: np.ndarray,
    split: Split,
    grid: tuple[float, ...],
    key: str,
    arrays: dict[str, np.ndarray],
) -> None:
    print(f"  {key} ...", flush=True)
    found = profile_over_C(features, labels, split=split, Cs=grid, max_iter=2000, n_jobs=2)
    classes = np.unique(labels[split.train])
    # By word, not by layer: neighbouring layers mostly name the same, which compresses well.
    arrays[key] = np.moveaxis(np.searchsorted(classes, found.predictions), 2, 0).astype(np.uint8)
    arrays[f"{key}/C"] = found.Cs
