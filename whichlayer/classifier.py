"""The probe itself: one table of vectors in, labels named out, for several strengths of penalty.

It is the logistic regression with an L2 penalty that scikit-learn calls
``LogisticRegression(C=C)`` on features scaled to mean 0 and variance 1, and a test holds the two
together. Probing asks for hundreds of fits on one table (labels, control tasks, values of C), so
what these share is done once, and the fits take a third of the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.optimize

from whichlayer.activations import Activations, Features

# A dimension that varies by less than this share of the typical one varies by rounding only:
# scaled to variance 1, its noise would weigh as much as a dimension that says something.
LEAST_SPREAD = 1e-4

# The solver stops when no part of the (rescaled) gradient is larger: the predictions are then
# those of the optimum, but for a word in a few thousand that lies on the border of two labels.
_TOLERANCE = 2e-4


@dataclass(frozen=True)
class PreparedTable:
    """A table ready for any number of fits.

    Attributes:
        features: float32, (words, directions): scaled by the training words, then turned to their
            principal directions. A rotation changes nothing for an L2 penalty, but the solver
            needs fewer steps where the directions don't covary.
        train: indices of the training words.
        variance: (directions,), of the training words.
    """

    features: np.ndarray
    train: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class Probe:
    """A fitted probe on a :class:`PreparedTable`.

    Attributes:
        weights: (directions, classes). offset: (classes,).
        C: inverse regularisation strength.
        iterations: steps of the solver. converged: whether they sufficed.
    """

    weights: np.ndarray
    offset: np.ndarray
    C: float
    iterations: int
    converged: bool

    def scores(self, features: np.ndarray) -> np.ndarray:
        """(words, directions) -> (words, classes), before the softmax."""
        return features @ self.weights.astype(np.float32) + self.offset.astype(np.float32)

    def chances(self, features: np.ndarray) -> np.ndarray:
        """(words, directions) -> (words, classes), summing to 1."""
        scores = self.scores(features).astype(float)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)


def centre_and_spread(known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is taken off each dimension, and what it is then divided by.

    Args:
        known: (training words, width).

    Returns:
        The mean and the standard deviation, (width,) each. A dimension whose standard deviation
        lies below 1/10,000 of the median one gets that floor instead, so that rounding noise
        stays small.
    """
    known = np.asarray(known, dtype=float)
    spread = known.std(axis=0)
    floor = LEAST_SPREAD * np.median(spread[spread > 0]) if (spread > 0).any() else 1.0
    return known.mean(axis=0), np.maximum(spread, floor)


def scaled(table: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1 on the training words, with a floor under the spread.

    Args:
        table: (words, width).
        train: indices of the training words.

    Returns:
        float32, (words, width).
    """
    centre, spread = centre_and_spread(table[train])
    return ((table - centre) / spread).astype(np.float32)


def prepare(table: np.ndarray, train: np.ndarray) -> PreparedTable:
    """Scale a table (words, width) and turn it to its principal directions.

    Where there are fewer training words than dimensions, directions in which they don't vary are
    left out: a penalised probe has no weight there.
    """
    x = scaled(table, train)
    known = x[train]
    n, width = known.shape
    if n < width:
        products = known.astype(float) @ known.T.astype(float) / n
        variance, directions = scipy.linalg.eigh(products)
        kept = variance > 1e-9 * variance.max(initial=1e-9)
        variance = variance[kept]
        directions = known.T @ (directions[:, kept] / np.sqrt(n * variance))
    else:
        variance, directions = scipy.linalg.eigh(known.T @ known / n, driver="evd")
    features = x @ directions.astype(np.float32)
    return PreparedTable(features, train, np.maximum(variance, 0).astype(float))


def fit_path(
    table: PreparedTable,
    targets: np.ndarray,
    n_classes: int,
    Cs: Sequence[float],
    max_iter: int = 1000,
) -> list[Probe]:
    """One probe for each C, from the strongest penalty on, each starting where the last ended.

    Args:
        table: the prepared features.
        targets: (training words,), integers below n_classes, each class occurring.
        n_classes: how many.
        Cs: inverse regularisation strengths, as scikit-learn defines them.
        max_iter: the most steps for each C.

    Returns:
        The probes, in ascending order of C.
    """
    x = table.features[table.train]
    n, width = x.shape
    rows = np.arange(n)
    share = np.bincount(targets, minlength=n_classes) / n
    # An intercept is one more feature, always 1, without a penalty.
    weights = np.zeros((width + 1, n_classes))
    weights[-1] = np.log(share)
    variance = np.append(table.variance, 1.0)[:, None]
    curvature = 0.3 * share * (1 - share)
    probes = []
    for C in sorted(map(float, Cs)):
        # Of two classes scikit-learn fits one row of weights, the difference of the two here, whose
        # squares add up to half of its own.
        penalty = np.full((width + 1, 1), (2 if n_classes == 2 else 1) / (C * n))
        penalty[-1] = 0
        # The loss is about this steep in each weight. Steps in weights divided by its root are
        # steps in a bowl that is nearly round.
        steepness = np.sqrt(variance * curvature + penalty)

        def loss(step, steepness=steepness, penalty=penalty):
            w = step.reshape(width + 1, n_classes) / steepness
            scores = x @ w[:-1].astype(np.float32)
            scores += w[-1].astype(np.float32)
            scores -= scores.max(axis=1, keepdims=True)
            gold = scores[rows, targets]
            np.exp(scores, out=scores)
            total = scores.sum(axis=1, keepdims=True)
            value = np.mean(np.log(total[:, 0], dtype=float) - gold) + 0.5 * np.sum(penalty * w * w)
            scores /= total  # now the chances
            scores[rows, targets] -= 1
            gradient = penalty * w
            gradient[:-1] += x.T @ scores / n
            gradient[-1] += scores.mean(axis=0, dtype=float)
            return value, (gradient / steepness).ravel()

        found = scipy.optimize.minimize(
            loss, (weights * steepness).ravel(), jac=True, method="L-BFGS-B",
            options={"maxiter": max_iter, "maxfun": 10 * max_iter, "gtol": _TOLERANCE, "ftol": 1e-11},
        )  # fmt: skip
        weights = found.x.reshape(width + 1, n_classes) / steepness
        probes.append(Probe(weights[:-1], weights[-1], C, found.nit, found.nit < max_iter))
    return probes


def checked_labels(features: Activations | Features, labels: Sequence | np.ndarray) -> np.ndarray:
    """The labels as text, one per word.

    Raises:
        TypeError: not a sequence of single labels.
        ValueError: another number of labels than words, or missing ones; the message names a word.
    """
    if isinstance(labels, (str, bytes, Mapping, set, frozenset)):
        raise TypeError(
            f"labels must be a sequence with one label per word, not a {type(labels).__name__}."
        )
    if np.ndim(labels) > 1 if isinstance(labels, (np.ndarray, pd.DataFrame)) else False:
        raise TypeError(f"labels must be one row of labels, got the shape {np.shape(labels)}.")
    labels = list(labels)
    if len(labels) != len(features):
        raise ValueError(f"{len(labels)} labels for {len(features)} words.")
    for i, label in enumerate(labels):
        if isinstance(label, (list, tuple, set, Mapping)) or np.ndim(label):
            raise TypeError(f"Word {i} ({features.words[i]!r}) has several labels: {label!r}.")
    missing = [i for i, label in enumerate(labels) if pd.isna(label)]
    if missing:
        raise ValueError(
            f"Word {missing[0]} ({features.words[missing[0]]!r}) has no label; {len(missing)} "
            "words have none. Leave them out: activations.select(...), and of the labels too."
        )
    return np.array([str(label) for label in labels])


def check_finite(features: Activations | Features) -> None:
    """Raise a ValueError that names a word whose vector holds NaN or infinite values."""
    for name in features.names:
        finite = np.isfinite(features.layer(name)).all(axis=1)
        if not finite.all():
            word = int(np.flatnonzero(~finite)[0])
            where = f"layer {name}" if isinstance(name, int) else f"table {name!r}"
            raise ValueError(
                f"The vector of word {word} ({features.words[word]!r}) at {where} holds "
                "NaN or infinite values. Half-precision weights can overflow: load the encoder in "
                "float32 or bfloat16."
            )


def checked_grid(C: float | Sequence[float]) -> np.ndarray:
    """Values of C, ascending, each once.

    Raises:
        ValueError: none, or one that isn't a positive, finite number.
    """
    try:
        grid = np.unique(np.atleast_1d(np.asarray(C, dtype=float)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"C={C!r} isn't a number or a list of numbers.") from error
    if not grid.size or not np.isfinite(grid).all() or grid.min() <= 0:
        raise ValueError(f"C={C!r}: give one or more positive numbers, such as 0.01.")
    return grid
