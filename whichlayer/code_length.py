"""How easily can a property be read? The bits it takes to send its labels to who has the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations, Features
from whichlayer.classifier import check_finite, checked_grid, checked_labels, fit_path, prepare

# Shares of the words after which Voita & Titov train a new probe.
_BLOCKS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1)


@dataclass(frozen=True)
class CodeLength:
    """What :func:`online_code_length` found. Rows are ``names``.

    Attributes:
        names: the layers 0..L, or the names of the tables.
        bits: (rows,), the mean over the orders.
        by_order: (orders, rows), the bits for each order of sending.
        uniform: the bits that guessing costs: words times log2 of the number of labels.
        unit: what is sent as a whole: ``"document"``, ``"sentence"`` or ``"word"``.
    """

    names: tuple[int | str, ...]
    bits: np.ndarray
    by_order: np.ndarray
    uniform: float
    unit: str

    @property
    def spread(self) -> np.ndarray:
        """(rows,), standard deviation over the orders; NaN for a single one."""
        if len(self.by_order) == 1:
            return np.full(len(self.bits), np.nan)
        return self.by_order.std(axis=0, ddof=1)

    @property
    def range(self) -> np.ndarray:
        """(rows, 2), the shortest and the longest code over the orders."""
        return np.stack([self.by_order.min(axis=0), self.by_order.max(axis=0)], axis=1)

    @property
    def compression(self) -> np.ndarray:
        """(rows,), how many times shorter than guessing."""
        return self.uniform / self.bits

    def table(self) -> pd.DataFrame:
        """One row per layer or table: ``kilobits``, ``low`` and ``high`` over orders, ``compression``."""
        low, high = self.range.T / 1000
        index = pd.Index(self.names, name="features" if isinstance(self.names[0], str) else "layer")
        columns = {"kilobits": self.bits / 1000, "low": low, "high": high}
        return pd.DataFrame({**columns, "compression": self.compression}, index=index)


def online_code_length(
    features: Activations | Features,
    labels: Sequence | np.ndarray,
    *,
    C: float | Sequence[float] = 0.01,
    probe: object | None = None,
    orders: int = 3,
    n_jobs: int = 1,
    seed: int = 0,
) -> CodeLength:
    """Bits needed to send the labels to somebody who has the vectors, layer by layer.

    The words come in blocks of growing size, whole documents in random order (whole sentences
    where there are no documents). Each block's labels cost minus log2 of the probability that a
    probe trained on all blocks before gives them; the first block costs log2(number of classes) a
    word. A layer whose labels are easy to learn, from few words and with certainty, has a short
    code.

    A block ends with the sentence in which its share of the words is reached, so none is cut. A
    document may go on in the next block: it is then sent by a probe that has read its beginning.

    Args:
        features: activations, vectors of shape (L + 1, words, hidden), or named tables.
        labels: one per word.
        C: inverse regularisation strength of the probes; of several, each block uses the one
            that would have sent the block before it most cheaply.
        probe: a scikit-learn classifier that gives probabilities, to be trained in place of the
            logistic regression, as for :func:`~whichlayer.probing.probe_layers`; seed it if it
            draws. C is then not used.
        orders: how many random orders to average.
        n_jobs: layers at the same time; the numbers are the same for any.
        seed: seeds the orders.

    Returns:
        A :class:`CodeLength`. A probability is mixed with one hundredth of the uniform
        distribution, so that a class that a probe hasn't met yet has a finite price.

    Raises:
        TypeError, ValueError: as for :func:`~whichlayer.probing.probe_layers`; orders below 1, or a
            probe that gives no probabilities.

    Source: Voita & Titov 2020, Section 2.2 (online code), with their block sizes.
    """
    labels = checked_labels(features, labels)
    check_finite(features)
    grid = checked_grid(C)
    if not isinstance(orders, (int, np.integer)) or orders < 1:
        raise ValueError(f"orders={orders!r}: a whole number from 1 on is needed.")
    classes, targets = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"All words have the label {str(classes[0])!r}: there is nothing to send.")
    if probe is not None and not (is_classifier(probe) and hasattr(probe, "predict_proba")):
        raise TypeError(
            f"probe={probe!r} gives no probabilities, and a code length is made of them: give a "
            "classifier of scikit-learn's with predict_proba, made with its options."
        )
    unit, sent = _orders_of_sending(features, orders, seed)
    tasks = [(features.layer(name), *one) for one in sent for name in features.names]
    with threadpool_limits(limits=1):
        bits = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_code_bits)(
                table[order], targets[order], len(classes), ends, grid, probe
            )
            for table, order, ends in tasks
        )
    by_order = np.array(bits).reshape(orders, len(features.names))
    uniform = len(labels) * np.log2(len(classes))
    return CodeLength(features.names, by_order.mean(axis=0), by_order, float(uniform), unit)


def _orders_of_sending(
    features: Activations | Features, orders: int, seed: int
) -> tuple[str, list[tuple[np.ndarray, list[int]]]]:
    """What is sent as a whole; and for each order the words, and where the blocks end."""
    documents, sentences = np.asarray(features.document_ids), np.asarray(features.sentence_ids)
    n_sentences = len(set(zip(features.document_ids, features.sentence_ids, strict=True)))
    if 1 < len(np.unique(documents)) < n_sentences:
        unit, ids = "document", documents
    elif len(np.unique(sentences)) > 1:
        unit, ids = "sentence", sentences
    else:
        unit, ids = "word", np.arange(len(features))
    units, of_word = np.unique(ids, return_inverse=True)
    sent = []
    for i in range(orders):
        rank = np.random.default_rng(seed + i).permutation(len(units))
        order = np.argsort(rank[of_word], kind="stable")
        follows = (documents[order][1:] == documents[order][:-1]) & (
            sentences[order][1:] == sentences[order][:-1]
        )
        if unit == "word":
            follows[:] = False
        may_end = np.append(np.flatnonzero(~follows) + 1, len(order))
        wanted = [max(1, round(share * len(order))) for share in _BLOCKS]
        sent.append((order, sorted({int(may_end[may_end >= end][0]) for end in wanted})))
    return unit, sent


def _code_bits(
    vectors: np.ndarray,
    targets: np.ndarray,
    n_classes: int,
    ends: list[int],
    grid: np.ndarray,
    given: object | None,
) -> float:
    """Bits for all words, which stand in the order of sending; blocks end where ``ends`` says."""
    bits = ends[0] * np.log2(n_classes)
    cheapest = 0  # of the grid; nothing is known before the second block
    for start, end in pairwise(ends):
        rows = np.arange(end - start)
        met, known = np.unique(targets[:start], return_inverse=True)
        costs = np.full(len(grid), (end - start) * np.log2(n_classes))
        if len(met) > 1:
            for i, named in enumerate(_chances(vectors[:end], start, known, len(met), grid, given)):
                chances = np.full((end - start, n_classes), 0.01 / n_classes)
                chances[:, met] += 0.99 * named
                costs[i] = -np.log2(chances[rows, targets[start:end]]).sum()
        bits += costs[cheapest]
        cheapest = int(costs.argmin())
    return float(bits)


def _chances(
    vectors: np.ndarray,
    start: int,
    known: np.ndarray,
    n_met: int,
    grid: np.ndarray,
    given: object | None,
) -> list[np.ndarray]:
    """For each probe trained on the words before start: the chances of each label for those after."""
    if given is not None:
        probe = clone(given).fit(vectors[:start], known)
        return [probe.predict_proba(vectors[start:])]
    table = prepare(vectors, np.arange(start))
    return [probe.chances(table.features[start:]) for probe in fit_path(table, known, n_met, grid)]
