"""Erase a property, patch a sense: what chapter 9 tells of reading and using.

Recorded, for MiniLM on the treebank: what probes name before and after part of speech is erased at a
layer, with erasers fitted on their own words and on others, and with controls; what comes back in the
layers above, and from where; what becomes of sentences' neighbours; and which sense a patched noun
has in the end. `record.py` runs this.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from concept_erasure import LeaceEraser
from record_instruments import network
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from whichlayer.activations import Activations, Features
from whichlayer.corpora import Sentence, load_senses, load_treebank
from whichlayer.erasure import Eraser, fit_eraser, random_eraser
from whichlayer.extraction import extract, extract_sentences
from whichlayer.intervention import erased, patch_words
from whichlayer.models import Encoder, load_encoder
from whichlayer.probing import probe_layers
from whichlayer.properties import sense_words, word_properties
from whichlayer.splits import Split

ERASED = "part of speech"
BESIDE = "dependency relation"
SEEDS = (0, 1, 2)
PROBES = {
    "linear": {"C": 0.01},
    "MLP 32": {"probe": network(32, 1.0)},
    "nearest neighbours": {"probe": KNeighborsClassifier(5, metric="cosine")},
}
FITTED_ON = (500, 1000, 2000, 3500)
HIDDEN_AT = (0, 2, 4)


def record(target: Path) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)  # the network stops after 20 rounds
    treebank = load_treebank()
    split = Split.of(treebank)
    properties = word_properties(treebank)
    arrays: dict[str, np.ndarray] = {}
    encoder = load_encoder("minilm")
    activations = extract(encoder, treebank, progress=False)
    print("  at one layer ...", flush=True)
    _keep_read(activations, properties, split, arrays)
    print("  eraser and probe on different words ...", flush=True)
    _keep_on_others(activations, properties[ERASED], split, arrays)
    print("  in the forward pass ...", flush=True)
    _keep_pass(encoder, treebank, activations, properties, split, arrays)
    print("  where it comes back from ...", flush=True)
    _keep_hidden(encoder, treebank, activations, properties[ERASED], split, arrays)
    print("  neighbours and senses ...", flush=True)
    _keep_neighbours(encoder, treebank, activations, properties[ERASED], split, arrays)
    print("  patched senses ...", flush=True)
    _keep_patched(encoder, arrays)
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)


def controls(
    train: Activations, labels: np.ndarray, layer: int, rank: int, variance: float
) -> Iterator[tuple[str, Eraser]]:
    """What else could be taken out of a layer; the eraser's rank and share of variance are given."""
    for seed in SEEDS:
        yield f"random/{seed}", random_eraser(train, rank, layer, seed=seed)
        yield (
            f"equal variance/{seed}",
            random_eraser(train, rank, layer, variance=variance, seed=seed),
        )
    shuffled = np.random.default_rng(0).permutation(labels)
    yield "shuffled labels", fit_eraser(train, shuffled, layer)


def _keep_read(
    activations: Activations,
    properties: dict[str, np.ndarray],
    split: Split,
    arrays: dict[str, np.ndarray],
) -> None:
    """Every layer as it was and erased, with an eraser fitted on the probe's own words."""
    train, labels = activations.select(split.train), properties[ERASED][split.train]
    made: dict[str, dict[str, np.ndarray]] = {}
    removed = {}
    for k in activations.names:
        eraser = fit_eraser(train, labels, k)
        removed[k] = eraser.removed_variance(train.layer(k))
        kinds = [("erased", eraser), *controls(train, labels, k, eraser.rank, removed[k])]
        for kind, one in kinds:
            vectors = activations.layer(k).astype(float)
            made.setdefault(kind, {})[str(k)] = one(vectors).astype(np.float32)
    arrays["read/removed variance"] = np.array(list(removed.values()))
    made["as it was"] = {str(k): activations.layer(k) for k in activations.names}
    for kind, tables in made.items():
        features = activations.features(tables)
        for probe, options in PROBES.items():
            if probe == "linear" or kind in ("erased", "as it was"):
                key = f"read/{ERASED}/{kind}/{probe}"
                arrays[key] = named(features, properties[ERASED], split, **options)
        arrays[f"read/{BESIDE}/{kind}/linear"] = named(
            features, properties[BESIDE], split, **PROBES["linear"]
        )


def _keep_on_others(
    activations: Activations, labels: np.ndarray, split: Split, arrays: dict[str, np.ndarray]
) -> None:
    """The eraser is fitted on documents that the probe isn't trained on, few words or many."""
    documents = np.asarray(activations.document_ids)
    names = np.unique(documents[split.train])
    half = np.isin(documents[split.train], np.random.default_rng(0).permutation(names)[::2])
    fit_on, rest = split.train[half], split.train[~half]
    parts = Split(rest, np.zeros(0, dtype=int), split.test)
    arrays["others/sizes"] = np.array([len(fit_on), len(rest)])
    arrays["others/as it was"] = named(activations, labels, parts, **PROBES["linear"])
    for n in FITTED_ON:
        words = fit_on[:n]
        few = activations.select(words)
        tables = {"plain": {}, "shrunken": {}}
        for k in activations.names:
            vectors = activations.layer(k).astype(float)
            tables["plain"][str(k)] = fit_eraser(few, labels[words], k)(vectors)
            at = torch.from_numpy(np.unique(labels[words], return_inverse=True)[1])
            theirs = LeaceEraser.fit(
                torch.from_numpy(vectors[words]), torch.nn.functional.one_hot(at).double()
            )
            tables["shrunken"][str(k)] = theirs(torch.from_numpy(vectors)).numpy()
        for kind, by_layer in tables.items():
            features = activations.features(
                {name: table.astype(np.float32) for name, table in by_layer.items()}
            )
            arrays[f"others/{kind}/{n}"] = named(features, labels, parts, **PROBES["linear"])
    # On its own words, but half as many: what the other half is to be compared with.
    own = {
        str(k): fit_eraser(activations.select(rest), labels[rest], k)(activations.layer(k))
        for k in activations.names
    }
    arrays["others/own"] = named(activations.features(own), labels, parts, **PROBES["linear"])


def _keep_pass(
    encoder: Encoder,
    treebank: list[Sentence],
    activations: Activations,
    properties: dict[str, np.ndarray],
    split: Split,
    arrays: dict[str, np.ndarray],
) -> None:
    train, labels = activations.select(split.train), properties[ERASED][split.train]
    for k in range(encoder.num_layers):
        eraser = fit_eraser(train, labels, k)
        variance = eraser.removed_variance(train.layer(k))
        for kind, one in (
            ("erased", eraser),
            ("equal variance", random_eraser(train, eraser.rank, k, variance=variance)),
        ):
            with erased(encoder, k, one):
                above = extract(encoder, treebank, progress=False)
            for name in (ERASED, BESIDE):
                arrays[f"pass/{kind}/{k}/{name}"] = named(
                    above, properties[name], split, **PROBES["linear"]
                )


def _keep_hidden(
    encoder: Encoder,
    treebank: list[Sentence],
    activations: Activations,
    labels: np.ndarray,
    split: Split,
    arrays: dict[str, np.ndarray],
) -> None:
    """The word's own state erased, or replaced by the mean state, and its context erased or not."""
    draw = np.random.default_rng(0)
    train = np.sort(draw.choice(split.train, 1600, replace=False))
    test = np.sort(draw.choice(split.test, 1200, replace=False))
    words = np.concatenate([train, test])
    sizes = np.array(list(map(len, treebank)))
    sentence = np.repeat(np.arange(len(sizes)), sizes)[words]
    position = words - (np.cumsum(sizes) - sizes)[sentence]
    of = [treebank[i] for i in sentence]
    parts = Split(np.arange(len(train)), np.zeros(0, dtype=int), np.arange(len(train), len(words)))
    chosen = activations.select(words)
    arrays["hidden/words"] = words
    plain = patch_words(encoder, of, position)
    arrays["hidden/as it was"] = _named_states(chosen, plain, labels[words], parts)
    fitted = activations.select(split.train)
    for k in HIDDEN_AT:
        eraser = fit_eraser(fitted, labels[split.train], k)
        mean = np.broadcast_to(fitted.layer(k).mean(axis=0), plain[k].shape)
        own_erased = eraser(plain[k].astype(float)).astype(np.float32)
        for kind, states, context_too in (
            ("word erased, context as it was", own_erased, False),
            ("word erased, context erased", own_erased, True),
            ("word hidden, context as it was", mean, False),
            ("word hidden, context erased", mean, True),
        ):
            around = erased(encoder, k, eraser) if context_too else contextlib.nullcontext()
            with around:
                found = patch_words(encoder, of, position, k, states)
            key = f"hidden/{kind}/{k}"
            arrays[key] = _named_states(chosen, found, labels[words], parts)


def _keep_neighbours(
    encoder: Encoder,
    treebank: list[Sentence],
    activations: Activations,
    labels: np.ndarray,
    split: Split,
    arrays: dict[str, np.ndarray],
) -> None:
    train = activations.select(split.train)
    senses = load_senses()
    at, sense, nouns = sense_words(senses)

    def nearest() -> np.ndarray:
        vectors = extract_sentences(encoder, treebank, pooling="mean", progress=False)[-1]
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        alike = vectors @ vectors.T
        np.fill_diagonal(alike, -np.inf)
        return np.argsort(-alike, axis=1, kind="stable")[:, :10]

    def same_sense() -> np.ndarray:
        vectors = extract(encoder, senses, progress=False).select(at).layer(-1)
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        alike = np.where(np.equal.outer(nouns, nouns), vectors @ vectors.T, -np.inf)
        np.fill_diagonal(alike, -np.inf)
        return sense[alike.argmax(axis=1)] == sense

    plain = nearest()
    arrays["sense/as it was"] = same_sense()
    for k in range(1, encoder.num_layers):
        eraser = fit_eraser(train, labels[split.train], k)
        variance = eraser.removed_variance(train.layer(k))
        others = controls(train, labels[split.train], k, eraser.rank, variance)
        for kind, one in [("erased", eraser), *others]:
            with erased(encoder, k, one):
                kept = [len(set(a) & set(b)) for a, b in zip(plain, nearest(), strict=True)]
                arrays[f"neighbours/{kind}/{k}"] = np.array(kept, dtype=np.uint8)
                if kind in ("erased", "equal variance/0"):
                    arrays[f"sense/{kind}/{k}"] = same_sense()


def _keep_patched(encoder: Encoder, arrays: dict[str, np.ndarray]) -> None:
    """A noun's state from a sentence with another sense, put in at each layer; and the controls."""
    senses = load_senses()
    at, sense, nouns = sense_words(senses)
    sizes = np.array(list(map(len, senses)))
    sentence = np.repeat(np.arange(len(sizes)), sizes)[at]
    position = at - (np.cumsum(sizes) - sizes)[sentence]
    of = [senses[i] for i in sentence]
    plain = patch_words(encoder, of, position)
    end = plain[-1] / np.linalg.norm(plain[-1], axis=1, keepdims=True)
    draw = np.random.default_rng(0)
    donors = {"another sense": [], "the same sense": []}
    for i in range(len(at)):
        same_noun = nouns == nouns[i]
        for kind, wanted in (
            ("another sense", sense != sense[i]),
            ("the same sense", sense == sense[i]),
        ):
            possible = np.flatnonzero(same_noun & wanted & (sentence != sentence[i]))
            donors[kind].append(draw.choice(possible))
    donors = {kind: np.array(chosen) for kind, chosen in donors.items()}
    elsewhere = np.array(
        [
            draw.choice([p for p in range(len(s)) if p != here])
            for s, here in zip(of, position, strict=True)
        ]
    )

    def named_as_donor(final: np.ndarray) -> np.ndarray:
        """Whether it is nearer to the other sense's mean than to its own, by cosine."""
        nearer = np.zeros(len(final), dtype=bool)
        for i, vector in enumerate(final / np.linalg.norm(final, axis=1, keepdims=True)):
            # Neither the sentence itself nor the two donors' have a part in the means.
            used = [i, donors["another sense"][i], donors["the same sense"][i]]
            free = ~np.isin(sentence, sentence[used])
            other = sense[donors["another sense"][i]]
            means = [end[free & (sense == name)].mean(axis=0) for name in (sense[i], other)]
            own, others = (vector @ mean / np.linalg.norm(mean) for mean in means)
            nearer[i] = others > own
        return nearer

    arrays["patched/nouns"] = np.array(nouns)
    arrays["patched/nothing"] = named_as_donor(plain[-1])
    for k in range(encoder.num_states):
        given = plain[k]
        for kind, words, states in (
            ("another sense", position, given[donors["another sense"]]),
            ("the same sense", position, given[donors["the same sense"]]),
            ("another place", elsewhere, given[donors["another sense"]]),
            ("itself", position, given),
        ):
            found = patch_words(encoder, of, words, k, states, read=position)[-1]
            if kind == "itself" and not (found == plain[-1]).all():
                raise RuntimeError("Putting back what was read changed a bit.")
            arrays[f"patched/{kind}/{k}"] = named_as_donor(found)


def named(
    features: Activations | Features, labels: np.ndarray, split: Split, **options
) -> np.ndarray:
    """(rows, test words), the number of the label that each row's probe names."""
    result = probe_layers(features, labels, split=split, control_labelings=0, n_jobs=2, **options)
    if not result.converged.all():
        raise RuntimeError("Not every probe converged, so nothing is recorded.")
    return np.searchsorted(result.classes, result.predictions).astype(np.uint8)


def _named_states(
    words: Activations, states: np.ndarray, labels: np.ndarray, split: Split
) -> np.ndarray:
    tables = {str(k): table for k, table in enumerate(states)}
    return named(words.features(tables), labels, split, **PROBES["linear"])
