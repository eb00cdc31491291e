"""What does a layer add to what another already gives? Conditional probing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import joblib
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations
from whichlayer.classifier import check_finite, checked_grid, checked_labels, fit_path, prepare
from whichlayer.resampling import Bootstrap, Comparison, check_confidence
from whichlayer.splits import Split, split_by

# A probability is mixed with this much of the uniform distribution, so that a label that training
# never showed has a finite price.
_MIXED = 0.01


@dataclass(frozen=True)
class ConditionalResult:
    """What :func:`conditional_probing` found. Rows are ``layers``.

    Attributes:
        layers: the layers that were set beside the given one, each once.
        given: the layer that is given.
        correct: bool, (rows, test words): did the probe on both layers name the label?
        correct_alone: bool, (test words,): did the probe on the given layer twice?
        surprise: (rows, test words), bits: minus log2 of the chance that the probe on both layers
            gave the label.
        surprise_alone: (test words,), bits, of the probe on the given layer twice.
        C: (rows,), the inverse regularisation strength that each probe used.
        C_alone: that of the probe on the given layer twice.
        bootstrap: the draws of test words.
        confidence: of the intervals.
    """

    layers: tuple[int, ...]
    given: int
    correct: np.ndarray
    correct_alone: np.ndarray
    surprise: np.ndarray
    surprise_alone: np.ndarray
    C: np.ndarray
    C_alone: float
    bootstrap: Bootstrap
    confidence: float

    @property
    def accuracy(self) -> np.ndarray:
        """(rows,), of the probes on both layers."""
        return self.correct.mean(axis=1)

    @property
    def accuracy_alone(self) -> float:
        """Accuracy of the probe on the given layer twice."""
        return float(self.correct_alone.mean())

    @property
    def errors_removed(self) -> np.ndarray:
        """(rows,), of the errors made with the given layer alone, the share that is gone."""
        return (self.accuracy - self.accuracy_alone) / (1 - self.accuracy_alone)

    @cached_property
    def added_accuracy(self) -> Comparison:
        """Accuracy with both layers less that with the given one, with intervals."""
        return self._added(self.correct.astype(float) - self.correct_alone)

    @cached_property
    def added_bits(self) -> Comparison:
        """Bits a word that the layer adds (conditional usable information), with intervals."""
        return self._added(self.surprise_alone - self.surprise)

    def _added(self, by_word: np.ndarray) -> Comparison:
        return Comparison.of(
            [f"[{self.given}; {k}] - [{self.given}; {self.given}]" for k in self.layers],
            by_word.mean(axis=1),
            self.bootstrap.mean(by_word),
            self.bootstrap,
            self.confidence,
        )

    def table(self) -> pd.DataFrame:
        """One row per layer: accuracy, what it adds in accuracy and in bits, each with its interval."""
        columns = {"accuracy": self.accuracy}
        for name, added in (("added", self.added_accuracy), ("bits", self.added_bits)):
            columns[name] = np.atleast_1d(added.difference)
            columns[f"{name}, low"] = np.atleast_1d(added.low)
            columns[f"{name}, high"] = np.atleast_1d(added.high)
        return pd.DataFrame(columns, index=pd.Index(self.layers, name="layer"))


def conditional_probing(
    activations: Activations,
    labels: Sequence | np.ndarray,
    *,
    given: int = 0,
    layers: Sequence[int] | None = None,
    split: Split | str | None = None,
    C: float | Sequence[float] = 0.01,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    max_iter: int = 1000,
    n_jobs: int = 1,
    seed: int = 0,
) -> ConditionalResult:
    """Probe [given; layer k] for each layer k, and set it against [given; given].

    Both probes get as many features, so neither has the advantage of more weights; what is left
    is what layer k says that the given layer doesn't. Unlike the difference of two layers' own
    accuracies, it counts what layer k *lost* of the given layer as no loss.

    Args:
        activations: vectors of shape (L + 1, words, hidden).
        labels: one per word. Labels are compared as text.
        given: the layer whose part is taken off; 0 is the embeddings.
        layers: the layers to set beside it; by default all others.
        split: as for :func:`~whichlayer.probing.probe_layers`.
        C: inverse regularisation strength; of several, each probe uses the one that is least
            surprised by the dev part.
        n_bootstrap: draws of the test words, 100 or more.
        confidence: that none of the intervals of a column misses.
        max_iter: the most iterations of the solver.
        n_jobs: probes fitted at the same time. The numbers are the same for any.
        seed: seeds the split and the draws.

    Returns:
        A :class:`ConditionalResult`. A probability is mixed with one hundredth of the uniform
        distribution.

    Raises:
        TypeError, ValueError: as for :func:`~whichlayer.probing.probe_layers`; or a layer that
            isn't there, or none.

    Source: Hewitt et al. 2021, who set [given; layer k] against the given layer; here that is taken
    twice, for the same number of features. The bits are their conditional usable information.
    """
    grid = checked_grid(C)
    check_confidence(confidence)
    if not isinstance(activations, Activations):
        raise TypeError(f"Activations are probed, not {type(activations).__name__}.")
    labels = checked_labels(activations, labels)
    check_finite(activations)
    layers = [k for k in activations.names if k != given] if layers is None else list(layers)
    unknown = [k for k in (given, *layers) if k not in activations.names]
    if unknown or not layers:
        raise ValueError(
            f"There is no layer {unknown[0]}: they run from 0 to {activations.num_states - 1}."
            if unknown
            else "No layer to set beside the given one."
        )
    if split is None or isinstance(split, str):
        split = split_by(activations, split, dev=0.15 if len(grid) > 1 else 0.0, seed=seed)
    split.check(len(labels))
    if len(grid) > 1 and not len(split.dev):
        raise ValueError("Several values of C need a dev part in the split to choose on.")
    classes, targets = np.unique(labels, return_inverse=True)
    if len(np.unique(targets[split.train])) < 2:
        raise ValueError("The training words all have one label: a probe needs two or more.")
    bootstrap = Bootstrap.of(
        activations.sentence_ids,
        activations.document_ids,
        test=split.test,
        others=np.concatenate([split.train, split.dev]),
        n=n_bootstrap,
        seed=seed,
    )

    base = activations.layer(given)
    with threadpool_limits(limits=1):  # as for probe_layers: the same sums for any n_jobs
        fits = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_fit)(
                np.hstack([base, activations.layer(k)]),
                targets,
                len(classes),
                split,
                grid,
                max_iter,
            )
            for k in (given, *layers)
        )
    correct, surprise, chosen = map(np.array, zip(*fits, strict=True))
    return ConditionalResult(
        layers=tuple(layers),
        given=given,
        correct=correct[1:],
        correct_alone=correct[0],
        surprise=surprise[1:],
        surprise_alone=surprise[0],
        C=chosen[1:],
        C_alone=float(chosen[0]),
        bootstrap=bootstrap,
        confidence=confidence,
    )


def _fit(
    vectors: np.ndarray,
    targets: np.ndarray,
    n_classes: int,
    split: Split,
    grid: np.ndarray,
    max_iter: int,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Whether the least surprised probe names each test word's label, its surprise, and its C."""
    table = prepare(vectors, split.train)
    met, known = np.unique(targets[split.train], return_inverse=True)

    def chances(probe, words):
        mixed = np.full((len(words), n_classes), _MIXED / n_classes)
        mixed[:, met] += (1 - _MIXED) * probe.chances(table.features[words])
        return mixed

    def surprise(probe, words):
        return -np.log2(chances(probe, words)[np.arange(len(words)), targets[words]])

    probes = fit_path(table, known, len(met), grid, max_iter)
    best = probes[0]
    if len(probes) > 1:
        best = min(probes, key=lambda probe: surprise(probe, split.dev).mean())
    named = chances(best, split.test).argmax(axis=1)
    return named == targets[split.test], surprise(best, split.test), best.C
