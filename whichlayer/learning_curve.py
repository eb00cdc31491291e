"""How much does a profile hang on the text that the probe was trained on, and on how much of it?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from whichlayer.activations import Activations, Features
from whichlayer.classifier import checked_labels
from whichlayer.probing import probe_layers
from whichlayer.profiles import Name
from whichlayer.resampling import Bootstrap, interval
from whichlayer.splits import Split


@dataclass(frozen=True)
class LearningCurve:
    """What :func:`learning_curve` found. Accuracies are on the same test words throughout.

    Attributes:
        sizes: (sizes,), training words, ascending.
        names: the layers 0..L, or the names of the tables.
        right: (sizes, draws, rows, units), how many test words of each unit each probe named right.
        documents: (sizes, draws), how many training documents the words come from.
        bootstrap: the draws of the test words.
        confidence: of the intervals.
    """

    sizes: tuple[int, ...]
    names: tuple[Name, ...]
    right: np.ndarray
    documents: np.ndarray
    bootstrap: Bootstrap
    confidence: float

    @property
    def by_draw(self) -> np.ndarray:
        """(sizes, draws, rows), the accuracy after each draw of training documents."""
        return self.right.sum(axis=-1) / len(self.bootstrap.unit_ids)

    @property
    def accuracy(self) -> np.ndarray:
        """(sizes, rows), the mean over the draws."""
        return self.by_draw.mean(axis=1)

    @property
    def spread(self) -> np.ndarray:
        """(sizes, rows), the standard deviation over the draws of training documents."""
        return self.by_draw.std(axis=1, ddof=1)

    @cached_property
    def _on_test_draws(self) -> np.ndarray:
        """(sizes, draws, rows, test draws), the accuracy on each draw of the test units."""
        units = np.unique(self.bootstrap.unit_ids, return_inverse=True)[1]
        words = np.bincount(units).astype(float)
        times = self.bootstrap.times
        return self.right @ times.T / (times @ words)

    def sources(self, first: Name, second: Name | None = None) -> pd.DataFrame:
        """Where the uncertainty of an accuracy comes from, or of a difference of two.

        Args:
            first, second: a layer or table; or two, of which the difference is taken.

        Returns:
            For each size: ``mean``; the standard deviation over other ``test`` text with the
            training text as it is, over other ``training`` text with the test text as it is, and
            over ``both`` at once.
        """
        values = self._on_test_draws[:, :, self._row(first)]
        plain = self.by_draw[:, :, self._row(first)]
        if second is not None:
            values = values - self._on_test_draws[:, :, self._row(second)]
            plain = plain - self.by_draw[:, :, self._row(second)]
        columns = {
            "mean": plain.mean(axis=1),
            "test": np.sqrt(values.var(axis=2, ddof=1).mean(axis=1)),
            "training": plain.std(axis=1, ddof=1),
            "both": values.reshape(len(values), -1).std(axis=1, ddof=1),
        }
        return pd.DataFrame(columns, index=pd.Index(self.sizes, name="training words"))

    def told_apart(self, first: Name, second: Name) -> pd.DataFrame:
        """Of the studies of each size, how many find one row ahead of another.

        Each draw of training documents is one study; like any, it has one training set, and takes
        its interval for the difference from the test units.

        Returns:
            For each size the shares of the draws whose interval puts the ``first`` ahead, or the
            ``second``; the others leave it ``open``.
        """
        values = self._on_test_draws
        difference = values[:, :, self._row(first)] - values[:, :, self._row(second)]
        bounds = interval(difference, self.confidence, self.bootstrap.n_units)
        ahead, behind = (bounds[..., 0] > 0).mean(axis=1), (bounds[..., 1] < 0).mean(axis=1)
        columns = {"first": ahead, "second": behind, "open": 1 - ahead - behind}
        return pd.DataFrame(columns, index=pd.Index(self.sizes, name="training words"))

    def _row(self, name: Name) -> int:
        if name not in self.names:
            known = ", ".join(map(str, self.names))
            raise KeyError(f"There is no row {name!r}; there is {known}.")
        return self.names.index(name)


def learning_curve(
    features: Activations | Features,
    labels: Sequence | np.ndarray,
    *,
    split: Split,
    sizes: Sequence[int],
    draws: int = 10,
    with_replacement: bool = False,
    n_jobs: int = 1,
    seed: int = 0,
    **options,
) -> LearningCurve:
    """Train probes on ever more words, several times over, each time from other documents.

    What is drawn is documents, in random order, until there are enough words; of the last, its
    first words are taken. Drawing single words would look steadier than annotating is: whoever
    annotates a hundred words has a hundred words of one text.

    Args:
        features: activations, or named tables.
        labels: one per word.
        split: its training words are drawn from; its test words are the same for all.
        sizes: how many training words, none more than there are.
        draws: how many times, 2 or more.
        with_replacement: a document may be drawn twice, as in a bootstrap: for sizes near all the
            training words, which could be drawn in one way only without it.
        n_jobs, options: as for :func:`~whichlayer.probing.probe_layers` (``C``, ``probe``,
            ``n_bootstrap``, ``confidence``, ``max_iter``).
        seed: seeds the draws of documents and of test units.

    Returns:
        A :class:`LearningCurve`.

    Raises:
        TypeError, ValueError: as for :func:`~whichlayer.probing.probe_layers`; a size that isn't to
            be had, fewer than two draws, or a draw that holds a single label.
    """
    labels = checked_labels(features, labels)
    split.check(len(labels))
    sizes = sorted(dict.fromkeys(map(int, sizes)))
    if not sizes or not 2 <= sizes[0] <= sizes[-1] <= len(split.train):
        raise ValueError(
            f"sizes={sizes}: give whole numbers from 2 to {len(split.train)}, the training words "
            "that there are."
        )
    if not isinstance(draws, (int, np.integer)) or draws < 2:
        raise ValueError(f"draws={draws!r}: two or more are needed to see a spread.")
    documents = np.asarray(features.document_ids)
    kept = np.concatenate([split.dev, split.test])
    random = np.random.default_rng(seed)
    right = documents_used = bootstrap = None
    for draw in range(draws):
        order = _documents_in_order(documents, split.train, with_replacement, random)
        for at, size in enumerate(sizes):
            train = order[:size]
            if len(np.unique(labels[train])) < 2:
                raise ValueError(
                    f"The first {size} words of a draw of documents all have the label "
                    f"{str(labels[train[0]])!r}: raise the smallest of sizes."
                )
            rows = np.concatenate([train, kept])
            cut = np.cumsum([len(train), len(split.dev), len(split.test)])
            with warnings.catch_warnings():
                # Not once a probe: `bootstrap.trustworthy` says it of the whole study.
                warnings.filterwarnings("ignore", "The test words come from", UserWarning)
                result = probe_layers(
                    _stacked(features, rows),
                    labels[rows],
                    split=Split(*np.split(np.arange(cut[-1]), cut[:-1])),
                    control_labelings=0,
                    n_jobs=n_jobs,
                    seed=seed,
                    **options,
                )
            if right is None:
                bootstrap = result.bootstrap
                units = np.unique(bootstrap.unit_ids, return_inverse=True)[1]
                is_unit = np.eye(units.max() + 1)[units]
                shape = (len(sizes), draws, len(features.names), is_unit.shape[1])
                right = np.zeros(shape, dtype=np.int32)
                documents_used = np.zeros(shape[:2], dtype=int)
            right[at, draw] = (result.predictions == result.truth) @ is_unit
            documents_used[at, draw] = len(np.unique(documents[train]))
    return LearningCurve(
        sizes=tuple(sizes),
        names=features.names,
        right=right,
        documents=documents_used,
        bootstrap=bootstrap,
        confidence=result.confidence,
    )


def _documents_in_order(
    documents: np.ndarray, train: np.ndarray, with_replacement: bool, random: np.random.Generator
) -> np.ndarray:
    """Training words, document by document in random order, as many as there are."""
    names = np.unique(documents[train])
    words = {name: train[documents[train] == name] for name in names}
    if not with_replacement:
        return np.concatenate([words[name] for name in random.permutation(names)])
    drawn, n = [], 0
    while n < len(train):
        drawn.append(words[random.choice(names)])
        n += len(drawn[-1])
    return np.concatenate(drawn)[: len(train)]


def _stacked(features: Activations | Features, rows: np.ndarray) -> Features:
    """Some of the words, any of them several times."""
    return Features(
        {str(name): features.layer(name)[rows] for name in features.names},
        *(
            tuple(np.asarray(of)[rows].tolist())
            for of in (features.words, features.sentence_ids, features.document_ids)
        ),
    )
