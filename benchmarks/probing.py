"""Our probing beside the plain loop over layers.

python -m benchmarks.probing [--sentences 600] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import measure
from whichlayer.corpora import word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import probe_layers, split_by


def _prepare(arguments: argparse.Namespace):
    _, sentences = measure.corpus(arguments.sentences)
    activations = extract(load_encoder(), sentences)
    layer = "upos" if "upos" in sentences[0].labels else "tag"
    split = split_by(activations, "sentence", seed=0)
    return activations, word_labels(sentences, layer), split


def ours(arguments: argparse.Namespace) -> Callable[[], np.ndarray]:
    """Accuracy, intervals, macro-F1, baselines and significance; without control tasks."""
    activations, labels, split = _prepare(arguments)

    def task() -> np.ndarray:
        result = probe_layers(
            activations, labels, split=split, control_labelings=0, n_jobs=arguments.threads
        )
        return result.accuracy

    return task


def ours_with_controls(arguments: argparse.Namespace) -> Callable[[], np.ndarray]:
    """The same with three control labelings: four times as many fits."""
    activations, labels, split = _prepare(arguments)
    return lambda: probe_layers(activations, labels, split=split, n_jobs=arguments.threads).accuracy


def plain_loop(arguments: argparse.Namespace) -> Callable[[], np.ndarray]:
    """Accuracy alone, one layer after the other, by scikit-learn's own pipeline."""
    activations, labels, split = _prepare(arguments)

    def task() -> np.ndarray:
        accuracies = []
        for vectors in activations.vectors:
            probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
            probe.fit(vectors[split.train], labels[split.train])
            accuracies.append(probe.score(vectors[split.test], labels[split.test]))
        return np.array(accuracies)

    return task


def main() -> int:
    arguments = measure.parse_arguments(__doc__)
    name, sentences = measure.corpus(arguments.sentences)
    variants = {
        "ours, no controls": ours,
        "ours, three controls": ours_with_controls,
        "plain loop": plain_loop,
    }
    figures = measure.compare(variants, arguments)
    loop = figures["plain loop"]
    rows = [
        {
            "variant": variant,
            "seconds": figure["seconds"],
            "CPU seconds": figure["cpu_seconds"],  # holds on a busy machine too
            "times the loop": figure["cpu_seconds"] / loop["cpu_seconds"],
            "peak MB": figure["peak_mb"],
        }
        for variant, figure in figures.items()
    ]
    words = sum(map(len, sentences))
    measure.report(f"Probing every layer: {name}, {words:,} words", rows, arguments)
    difference = np.abs(figures["ours, no controls"]["result"] - loop["result"]).max()
    print(f"largest difference between our accuracies and the loop's: {difference:.4f}")
    # One test word more or less may flip with the order in which sums are added up.
    if difference > 0.002:
        print("The accuracies differ.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
