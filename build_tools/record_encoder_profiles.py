"""Probe three encoders for the nine properties, word by word: what several chapters compare.

Recorded are the labels that each probe names for each test word, not accuracies, so that a notebook
computes intervals and comparisons for itself; and beside them how alike the layers are. `record.py`
runs this.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from whichlayer.activations import Activations, Features
from whichlayer.bundled import BUNDLED
from whichlayer.corpora import load_senses, load_treebank
from whichlayer.extraction import extract, extract_sentences
from whichlayer.models import Encoder, load_encoder, random_twin
from whichlayer.probing import probe_layers
from whichlayer.properties import SENSE, sense_words, word_properties
from whichlayer.similarity import anisotropy, cosine_matrix
from whichlayer.splits import Split, stratified_folds

# What is read from a decoder's words at other places, too.
ELSEWHERE = ("part of speech", "dependency relation", "where the head is")
GRID = (0.001, 0.01, 0.1)
# The sentence whose [CLS] vector chapter 1 follows.
SENTENCE = "The orchard survived the frost because nobody pruned it ."


def record(target: Path) -> None:
    arrays: dict[str, np.ndarray] = {}
    for name, bundled in BUNDLED.items():
        encoder, reading = load_encoder(name), bundled.reading
        for kind, one in (("trained", encoder), ("twin", random_twin(encoder, seed=0))):
            print(f"  {name}, {kind} ...", flush=True)
            activations = extract(one, load_treebank(), progress=False, **reading)
            for property_, labels in word_properties(load_treebank()).items():
                _keep(activations, labels, f"{name}/{kind}/{property_}", arrays)
            arrays[f"{name}/{kind}/{SENSE}"] = _named_senses(one, reading)
            if kind == "trained":
                arrays[f"{name}/cosine"] = cosine_matrix(activations)
                arrays[f"{name}/anisotropy"] = anisotropy(activations)
        if encoder.tokenizer.cls_token is not None:
            cls = extract_sentences(encoder, [SENTENCE.split()], pooling="cls")
            arrays[f"{name}/cls cosine"] = cosine_matrix(cls)
        if encoder.audition.causal:
            print(f"  {name}, read elsewhere ...", flush=True)
            _read_elsewhere(encoder, reading, name, arrays)
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _keep(
    features: Activations | Features, labels: np.ndarray, key: str, arrays: dict[str, np.ndarray]
) -> None:
    """Probe every layer; add what each named to the arrays, and under `key/C` the C chosen."""
    split = Split.of(load_treebank())
    result = probe_layers(
        features, labels, split=split, C=GRID, control_labelings=0, max_iter=2000, n_jobs=2
    )
    if not result.converged.all():
        raise RuntimeError(f"{key}: not every probe converged, so nothing is recorded.")
    # By word, not by layer: neighbouring layers mostly name the same, which compresses well.
    arrays[key] = np.searchsorted(result.classes, result.predictions).T.astype(np.uint8)
    arrays[f"{key}/C"] = result.C


def _named_senses(encoder: Encoder, reading: dict) -> np.ndarray:
    """(sense words, rows): each named by a probe trained on the other four fifths of the sentences."""
    senses = load_senses()
    at, labels, _ = sense_words(senses)
    # A sense sentence has no document around it.
    alone = {key: value for key, value in reading.items() if key != "context"}
    activations = extract(encoder, senses, progress=False, **alone).select(at)
    named = np.zeros((len(at), activations.num_states), dtype=np.uint8)
    for split in stratified_folds(labels):
        result = probe_layers(activations, labels, split=split, C=0.01, control_labelings=0)
        named[split.test] = np.searchsorted(result.classes, result.predictions).T
    return named


def _read_elsewhere(
    encoder: Encoder, reading: dict, name: str, arrays: dict[str, np.ndarray]
) -> None:
    """A word read from its first subword, and from the last subword of the word after it."""
    treebank = load_treebank()
    properties = word_properties(treebank)
    first = extract(encoder, treebank, progress=False, **{**reading, "pooling": "first"})
    last = extract(encoder, treebank, progress=False, **reading)
    ids = np.array(last.sentence_ids)
    # The last word of a sentence has none after it and is read itself.
    follower = np.arange(len(last)) + np.append(ids[1:] == ids[:-1], False)
    after = last.features({f"{k}": last.layer(k)[follower] for k in last.names})
    for place, features in (("first subword", first), ("next word", after)):
        for property_ in ELSEWHERE:
            _keep(features, properties[property_], f"{name}/{place}/{property_}", arrays)
