"""Take two properties through every instrument: what chapter 8 compares.

Recorded, for MiniLM on the treebank: the labels that probes of several capacities name, and whether
they name control labels; how many words they name right after training on ever more words, and on
training documents drawn anew; the bits of the code length and of conditional probing; and what can be
read where the order of the words or the weights of the encoder are spoilt. `record.py` runs this.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from whichlayer.activations import Activations
from whichlayer.code_length import online_code_length
from whichlayer.conditional import conditional_probing
from whichlayer.corpora import Sentence, load_treebank
from whichlayer.extraction import extract
from whichlayer.learning_curve import learning_curve
from whichlayer.models import Encoder, load_encoder, random_twin
from whichlayer.probing import probe_layers
from whichlayer.profiles import word_types
from whichlayer.properties import word_properties
from whichlayer.splits import Split

PROPERTIES = ("part of speech", "dependency relation")
SEEDS = (0, 1, 2)


def network(width: int, alpha: float, **options):
    """A network with one hidden layer; with ``activation="identity"`` a linear probe of that rank."""
    probe = MLPClassifier((width,), alpha=alpha, max_iter=20, random_state=0, **options)
    return make_pipeline(StandardScaler(), probe)


ALPHAS = (0.1, 1.0, 10.0)
PROBES = {
    "nearest centroid": NearestCentroid(),
    "nearest neighbours": [KNeighborsClassifier(k, metric="cosine") for k in (1, 5, 10, 20)],
    "rank 2": [network(2, alpha, activation="identity") for alpha in ALPHAS],
    "rank 8": [network(8, alpha, activation="identity") for alpha in ALPHAS],
    "linear": None,
    "MLP 32": [network(32, alpha) for alpha in ALPHAS],
    "MLP 256": [network(256, alpha) for alpha in ALPHAS],
}
SIZES = (100, 200, 400, 800, 1600, 3200, 6400)
CURVES = {
    "linear": {"C": 0.01},
    "nearest neighbours": {"probe": KNeighborsClassifier(5, metric="cosine")},
    "MLP 32": {"probe": network(32, 1.0)},
}


def record(target: Path) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)  # the networks stop after 20 rounds
    treebank = load_treebank()
    split = Split.of(treebank)
    encoder = load_encoder("minilm")
    activations = extract(encoder, treebank, progress=False)
    arrays: dict[str, np.ndarray] = {}
    for name in PROPERTIES:
        labels = word_properties(treebank)[name]
        print(f"  {name}: capacity ...", flush=True)
        for kind, probe in PROBES.items():
            options = {"C": (0.001, 0.01, 0.1)} if probe is None else {"probe": probe}
            _keep(activations, labels, split, f"{name}/{kind}", arrays, controls=3, **options)
        print(f"  {name}: amount ...", flush=True)
        _keep_curves(activations, labels, split, name, arrays)
        print(f"  {name}: bits ...", flush=True)
        _keep_bits(activations, labels, split, name, arrays)
    print("  spoilt ...", flush=True)
    _keep_spoilt(encoder, treebank, split, arrays)
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _keep(
    activations: Activations,
    labels: np.ndarray,
    split: Split,
    key: str,
    arrays: dict[str, np.ndarray],
    controls: int = 0,
    **options,
) -> None:
    result = probe_layers(activations, labels, split=split, control_labelings=controls, **options)
    arrays[key] = np.searchsorted(result.classes, result.predictions).astype(np.uint8)
    if controls:
        arrays[f"{key}/control"] = np.packbits(result.control_correct, axis=-1)
    arrays[f"{key}/chosen"] = result.C if result.chosen is None else result.chosen


def _keep_curves(
    activations: Activations,
    labels: np.ndarray,
    split: Split,
    name: str,
    arrays: dict[str, np.ndarray],
) -> None:
    studies = {kind: (SIZES, {"draws": 20, **options}) for kind, options in CURVES.items()}
    anew = {"draws": 40, "with_replacement": True, "C": 0.01}
    studies["drawn anew"] = ((1600, len(split.train)), anew)
    for kind, (sizes, options) in studies.items():
        found = learning_curve(activations, labels, split=split, sizes=sizes, n_jobs=2, **options)
        key = f"curve/{name}/{kind}"
        arrays[key], arrays[f"{key}/sizes"] = found.right.astype(np.int16), np.array(found.sizes)
        arrays[f"{key}/documents"] = found.documents.astype(np.int16)


def _keep_bits(
    activations: Activations,
    labels: np.ndarray,
    split: Split,
    name: str,
    arrays: dict[str, np.ndarray],
) -> None:
    train, own = activations.select(split.train), labels[split.train]
    types, of_word = np.unique(word_types(train.words), return_inverse=True)
    control = np.random.default_rng(0).choice(own, size=len(types))[of_word]
    for kind, sent, options in (
        ("linear", own, {"C": 0.01}),
        ("MLP 32", own, {"probe": network(32, 1.0)}),
        ("control task", control, {"C": 0.01}),
    ):
        found = online_code_length(train, sent, orders=5, n_jobs=2, **options)
        arrays[f"bits/{name}/{kind}"] = found.by_order
        arrays[f"bits/{name}/{kind}/uniform"] = np.array(found.uniform)
    added = conditional_probing(activations, labels, split=split, C=(0.001, 0.01, 0.1), n_jobs=2)
    for what in ("correct", "correct_alone", "surprise", "surprise_alone", "C", "C_alone"):
        value = np.asarray(getattr(added, what))
        arrays[f"added/{name}/{what}"] = (
            value.astype(np.float32) if what.startswith("surprise") else value
        )


def _keep_spoilt(
    encoder: Encoder, treebank: list[Sentence], split: Split, arrays: dict[str, np.ndarray]
) -> None:
    """The same words with the weights drawn anew, or shuffled, or in another order."""
    for seed in SEEDS:
        for kind, one in (
            ("all weights random", random_twin(encoder, seed)),
            ("embeddings kept", random_twin(encoder, seed, keep_embeddings=True)),
            ("weights shuffled", _weights_shuffled(encoder, seed)),
        ):
            activations = extract(one, treebank, progress=False)
            _keep_both(activations, treebank, split, f"{kind}/{seed}", arrays)
        activations = _extract_shuffled(encoder, treebank, seed)
        _keep_both(activations, treebank, split, f"words shuffled/{seed}", arrays)


def _keep_both(
    activations: Activations,
    treebank: list[Sentence],
    split: Split,
    kind: str,
    arrays: dict[str, np.ndarray],
) -> None:
    for name in PROPERTIES:
        labels = word_properties(treebank)[name]
        _keep(activations, labels, split, f"spoilt/{name}/{kind}", arrays, C=0.01)


def _weights_shuffled(encoder: Encoder, seed: int) -> Encoder:
    """Every tensor keeps its values, in random places."""
    draw = torch.Generator().manual_seed(seed)
    model = copy.deepcopy(encoder.model)
    with torch.no_grad():
        for weight in model.parameters():
            mixed = weight.flatten()[torch.randperm(weight.numel(), generator=draw)]
            weight.copy_(mixed.reshape(weight.shape))
    return Encoder(model, encoder.tokenizer, f"{encoder.name} (shuffled {seed})")


def _extract_shuffled(encoder: Encoder, sentences: list[Sentence], seed: int) -> Activations:
    """Each sentence read with its words in random order; rows are in the order as written."""
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(len(sentence)) for sentence in sentences]
    shuffled = [
        replace(sentence, words=tuple(sentence.words[i] for i in order), labels={}, text="")
        for sentence, order in zip(sentences, orders, strict=True)
    ]
    activations = extract(encoder, shuffled, feed="words", progress=False)
    starts = np.cumsum([0, *map(len, sentences)])[:-1]
    rows = np.concatenate(
        [start + np.argsort(order) for start, order in zip(starts, orders, strict=True)]
    )
    return activations.select(rows)
