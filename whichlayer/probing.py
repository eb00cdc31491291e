"""What can a simple classifier read at each layer, and how sure may one be?

A probe is a logistic regression trained on the vectors of one layer. Its accuracy alone says
little, so :func:`probe_layers` puts beside it what a reader must know: an interval, the baselines,
the accuracy on unseen words, a control task, and the set of layers that can't be told from the
best.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations


@dataclass(frozen=True)
class Split:
    """Which words train a probe, which choose its C, and which test it.

    Attributes:
        train, dev, test: indices of words. ``dev`` may be empty.
    """

    train: np.ndarray
    dev: np.ndarray
    test: np.ndarray

    def __post_init__(self) -> None:
        for name in ("train", "dev", "test"):
            part = np.asarray(getattr(self, name))
            indices = np.flatnonzero(part) if part.dtype == bool else part.astype(np.int64)
            object.__setattr__(self, name, indices)
        for name in ("train", "test"):
            if not len(getattr(self, name)):
                raise ValueError(f"The split's {name} part is empty.")
        everything = np.concatenate([self.train, self.dev, self.test])
        if len(np.unique(everything)) != len(everything):
            raise ValueError("A word stands in two parts of the split, or twice in one.")


def split_by(
    activations: Activations,
    unit: str = "document",
    *,
    test: float = 0.25,
    dev: float = 0.0,
    seed: int = 0,
) -> Split:
    """A random split that keeps whole sentences or whole documents together.

    Words of one sentence share its context and often repeat, so a split by word lets a probe see
    its test data.

    Args:
        activations: what will be probed.
        unit: ``"document"`` or ``"sentence"``.
        test: the share of units that test; at least one unit.
        dev: the share of units set aside for choosing C.
        seed: seeds the draw.

    Raises:
        ValueError: an unknown unit, or too few units to fill the parts.
    """
    if unit not in ("document", "sentence"):
        raise ValueError(f"unit={unit!r} is unknown: choose 'document' or 'sentence'.")
    ids = activations.document_ids if unit == "document" else activations.sentence_ids
    units, of_word = np.unique(np.asarray(ids), return_inverse=True)
    n_test = max(1, round(test * len(units)))
    n_dev = max(1, round(dev * len(units))) if dev else 0
    if n_test + n_dev >= len(units):
        raise ValueError(
            f"{len(units)} {unit}s can't be split into {n_test} for testing, {n_dev} for choosing "
            "C and at least one for training."
        )
    order = np.random.default_rng(seed).permutation(len(units))
    part = np.zeros(len(units), dtype=int)
    part[order[:n_test]] = 2
    part[order[n_test : n_test + n_dev]] = 1
    return Split(*(np.flatnonzero(part[of_word] == p) for p in range(3)))


@dataclass(frozen=True)
class ProbeResult:
    """What :func:`probe_layers` found. Rows of every array are layers 0..L.

    Attributes:
        accuracy: (L+1,), share of test words whose label the probe names.
        accuracy_interval: (L+1, 2), bootstrap interval over sentences.
        macro_f1: (L+1,), the F1 of each class, averaged over the classes that occur in the test
            words. Low where rare classes fail, even if the accuracy is high.
        macro_f1_interval: (L+1, 2).
        seen_accuracy, unseen_accuracy: (L+1,), on test words whose type (lower-cased form) does
            or doesn't occur in training; NaN where there is no such word.
        control_accuracy: (control labelings, L+1), the same probe on random labels of word types.
        twin_accuracy: (L+1,) for the randomly initialised twin, or None.
        majority: the accuracy of always naming the commonest label of the training words.
        lookup: the accuracy of naming each word type's commonest label in training (the majority
            label for unseen types): what can be had without any context.
        best: the layer of highest accuracy.
        not_worse_than_best: the layers that can't be told from it: the paired bootstrap interval
            of (best minus layer) reaches 0.
        predictions: (L+1, test words), the labels named.
        truth: (test words,), the labels that stand in the corpus.
        classes: the labels of the training words, sorted.
        C: (L+1,), inverse regularisation strength used at each layer.
        iterations: (L+1,), iterations of the solver; ``converged`` says whether they sufficed.
        n_train, n_dev, n_test: words in each part. n_unseen: test words of unseen type.
        n_new_labels: test words whose label training never saw; they count as errors.
        confidence: of all intervals.
    """

    accuracy: np.ndarray
    accuracy_interval: np.ndarray
    macro_f1: np.ndarray
    macro_f1_interval: np.ndarray
    seen_accuracy: np.ndarray
    unseen_accuracy: np.ndarray
    control_accuracy: np.ndarray
    twin_accuracy: np.ndarray | None
    majority: float
    lookup: float
    best: int
    not_worse_than_best: tuple[int, ...]
    predictions: np.ndarray
    truth: np.ndarray
    classes: np.ndarray
    C: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray
    n_train: int
    n_dev: int
    n_test: int
    n_unseen: int
    n_new_labels: int
    confidence: float

    @property
    def selectivity(self) -> np.ndarray:
        """(L+1,), accuracy minus mean control accuracy (Hewitt & Liang 2019); NaN without it."""
        if not len(self.control_accuracy):
            return np.full_like(self.accuracy, np.nan)
        return self.accuracy - self.control_accuracy.mean(axis=0)

    def table(self) -> pd.DataFrame:
        """One row per layer, with everything that belongs beside its accuracy."""
        columns = {
            "accuracy": self.accuracy,
            "low": self.accuracy_interval[:, 0],
            "high": self.accuracy_interval[:, 1],
            "macro_f1": self.macro_f1,
            "seen": self.seen_accuracy,
            "unseen": self.unseen_accuracy,
        }
        if len(self.control_accuracy):
            columns["control"] = self.control_accuracy.mean(axis=0)
            columns["selectivity"] = self.selectivity
        if self.twin_accuracy is not None:
            columns["random_twin"] = self.twin_accuracy
        columns["majority"], columns["lookup"] = self.majority, self.lookup
        columns["like_best"] = [k in self.not_worse_than_best for k in range(len(self.accuracy))]
        columns["C"], columns["iterations"] = self.C, self.iterations
        index = pd.RangeIndex(len(self.accuracy), name="layer")
        return pd.DataFrame(columns, index=index)

    def by_class(self, layer: int) -> pd.DataFrame:
        """F1 and number of test words for each label at one layer, commonest first."""
        labels, n = np.unique(self.truth, return_counts=True)
        f1 = f1_score(
            self.truth, self.predictions[layer], labels=labels, average=None, zero_division=0
        )
        frame = pd.DataFrame({"f1": f1, "n": n}, index=pd.Index(labels, name="label"))
        return frame.sort_values("n", ascending=False, kind="stable")


def probe_layers(
    activations: Activations,
    labels: Sequence | np.ndarray,
    *,
    split: Split | str = "sentence",
    C: float | Sequence[float] = 0.01,
    control_labelings: int = 3,
    twin: Activations | None = None,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    max_iter: int = 1000,
    n_jobs: int = 1,
    seed: int = 0,
) -> ProbeResult:
    """Train and test a probe at every layer, each on its own.

    The probe is scikit-learn's logistic regression (L2, lbfgs) on features scaled to mean 0 and
    variance 1 on the training words. It is convex: its own seed changes nothing, so the spread
    that is reported is that of the data.

    Args:
        activations: vectors of shape (L + 1, words, hidden).
        labels: one per word. Labels are compared as text.
        split: a :class:`Split`, or ``"sentence"`` or ``"document"`` for a random one (a quarter
            tests; where C is to be chosen, 15% are set aside for that).
        C: inverse regularisation strength; several values are tried on the dev part, at each
            layer for itself, and the smallest of the best is taken.
        control_labelings: how many control tasks to average; 0 leaves them out.
        twin: the activations of ``random_twin(encoder)`` for the same words, for the baseline.
        n_bootstrap: resamples of the test sentences.
        confidence: of the intervals.
        max_iter: the most iterations of the solver.
        n_jobs: layers fitted at the same time. The numbers are the same for any.
        seed: seeds the split, the control labels and the resamples.

    Returns:
        A :class:`ProbeResult`.

    Raises:
        ValueError: labels of another number than words, missing labels, a single class in
            training, NaN or infinite vectors, several values of C without a dev part, a twin of
            other words, an unknown split. The message names what is wrong.

    Warns:
        ConvergenceWarning: once, naming the layers at which max_iter didn't suffice.

    Sources: control task and selectivity, Hewitt & Liang 2019, Sections 2 and 3; paired bootstrap,
    Berg-Kirkpatrick et al. 2012.
    """
    labels = _checked_labels(activations, labels)
    _check_finite(activations)
    grid = np.atleast_1d(np.asarray(C, dtype=float))
    if isinstance(split, str):
        split = split_by(activations, split, dev=0.15 if len(grid) > 1 else 0.0, seed=seed)
    if max(part.max(initial=-1) for part in (split.train, split.dev, split.test)) >= len(labels):
        raise ValueError(f"The split names words beyond the {len(labels)} that there are.")
    if len(grid) > 1 and not len(split.dev):
        raise ValueError("Several values of C need a dev part in the split to choose on.")
    if twin is not None and twin.words != activations.words:
        raise ValueError("The twin's activations are not of the same words in the same order.")
    classes = np.unique(labels[split.train])
    if len(classes) < 2:
        raise ValueError(
            f"The training words all have the label {str(classes[0])!r}: a probe needs two or more."
        )
    types = np.array([word.lower() for word in activations.words])
    controls = [
        _control_labels(types, labels[split.train], seed + i) for i in range(control_labelings)
    ]

    tasks = [(activations.vectors[k], labels, grid) for k in range(activations.num_states)]
    # The control task and the twin use each layer's own C, so they come in a second round.
    fits = _fit_all(tasks, split, max_iter, n_jobs)
    chosen = np.array([fit.C for fit in fits])
    layers = range(activations.num_states)
    second = [
        (activations.vectors[k], control, chosen[k : k + 1]) for control in controls for k in layers
    ]
    if twin is not None:
        second += [(twin.vectors[k], labels, chosen[k : k + 1]) for k in layers]
    extra = _fit_all(second, split, max_iter, n_jobs)
    extra_accuracy = np.array(
        [
            np.mean(fit.predictions == task[1][split.test])
            for fit, task in zip(extra, second, strict=True)
        ]
    ).reshape(-1, activations.num_states)
    _warn_of_convergence(fits)

    truth = labels[split.test]
    predictions = np.array([fit.predictions for fit in fits])
    correct = predictions == truth
    seen = np.isin(types[split.test], types[split.train])
    resamples = _Resamples(np.asarray(activations.sentence_ids)[split.test], n_bootstrap, seed)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    resampled = resamples.mean(correct)  # (L+1, resamples), the same resamples at each layer
    f1 = resamples.macro_f1(truth, predictions)
    accuracy = correct.mean(axis=1)
    best = int(accuracy.argmax())
    least_difference = np.quantile(resampled[best] - resampled, tails[0], axis=1)
    return ProbeResult(
        accuracy=accuracy,
        accuracy_interval=np.quantile(resampled, tails, axis=1).T,
        macro_f1=np.array([_macro_f1(truth, named) for named in predictions]),
        macro_f1_interval=np.quantile(f1, tails, axis=1).T,
        seen_accuracy=_mean_where(correct, seen),
        unseen_accuracy=_mean_where(correct, ~seen),
        control_accuracy=extra_accuracy[:control_labelings],
        twin_accuracy=extra_accuracy[-1] if twin is not None else None,
        majority=float(np.mean(truth == _commonest(labels[split.train]))),
        lookup=float(np.mean(truth == _look_up(types, labels, split))),
        best=best,
        not_worse_than_best=tuple(int(k) for k in np.flatnonzero(least_difference <= 0)),
        predictions=predictions,
        truth=truth,
        classes=classes,
        C=chosen,
        iterations=np.array([fit.iterations for fit in fits]),
        converged=np.array([fit.converged for fit in fits]),
        n_train=len(split.train),
        n_dev=len(split.dev),
        n_test=len(split.test),
        n_unseen=int((~seen).sum()),
        n_new_labels=int((~np.isin(truth, classes)).sum()),
        confidence=confidence,
    )


def online_code_length(
    activations: Activations,
    labels: Sequence | np.ndarray,
    *,
    C: float = 0.01,
    n_jobs: int = 1,
    seed: int = 0,
) -> np.ndarray:
    """Bits needed to send the labels to somebody who has the vectors, layer by layer.

    The words come in blocks of growing size, whole sentences in random order. Each block's labels
    cost minus log2 of the probability that a probe trained on all blocks before gives them; the
    first block costs log2(number of classes) a word. A layer whose labels are easy to learn, from
    few words and with certainty, has a short code. Divide ``words * log2(classes)`` by it for the
    compression.

    Args:
        activations: vectors of shape (L + 1, words, hidden).
        labels: one per word.
        C: inverse regularisation strength of the probes.
        n_jobs: layers at the same time; the numbers are the same for any.
        seed: seeds the order of the sentences.

    Returns:
        (L + 1,), in bits. A probability is mixed with one hundredth of the uniform distribution,
        so that a class that a probe hasn't met yet has a finite price.

    Raises:
        ValueError: as for :func:`probe_layers`.

    Source: Voita & Titov 2020, Section 2.2 (online code), with their block sizes.
    """
    labels = _checked_labels(activations, labels)
    _check_finite(activations)
    classes, targets = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"All words have the label {str(classes[0])!r}: there is nothing to send.")
    units, of_word = np.unique(np.asarray(activations.sentence_ids), return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(units))
    order = np.argsort(rank[of_word], kind="stable")
    ends = sorted({max(1, round(share * len(labels))) for share in _CODE_BLOCKS})
    blocks = list(pairwise(ends))
    first = ends[0] * np.log2(len(classes))
    with threadpool_limits(limits=1):
        bits = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_code_bits)(vectors[order], targets[order], len(classes), blocks, C)
            for vectors in activations.vectors
        )
    return first + np.array(bits)


# Shares of the words after which Voita & Titov train a new probe.
_CODE_BLOCKS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1)


def _code_bits(
    vectors: np.ndarray,
    targets: np.ndarray,
    n_classes: int,
    blocks: list[tuple[int, int]],
    C: float,
) -> float:
    """Bits for all blocks but the first; ``blocks`` are (start, end) in the order of sending."""
    bits = 0.0
    for start, end in blocks:
        chances = np.full((end - start, n_classes), 1 / n_classes)
        met = np.unique(targets[:start])
        if len(met) > 1:
            scaler = StandardScaler().fit(vectors[:start])
            probe = LogisticRegression(C=C, max_iter=1000)
            probe.fit(scaler.transform(vectors[:start]), targets[:start])
            chances *= 0.01
            chances[:, met] += 0.99 * probe.predict_proba(scaler.transform(vectors[start:end]))
        bits -= np.log2(chances[np.arange(end - start), targets[start:end]]).sum()
    return float(bits)


@dataclass(frozen=True)
class _Fit:
    predictions: np.ndarray
    C: float
    iterations: int
    converged: bool


def _fit_all(tasks: Sequence[tuple], split: Split, max_iter: int, n_jobs: int) -> list[_Fit]:
    # One BLAS thread per fit, whatever n_jobs is: sums are then added up in the same order, and
    # the numbers don't depend on how many fits run side by side.
    with threadpool_limits(limits=1):
        return joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_fit)(vectors, labels, grid, split, max_iter)
            for vectors, labels, grid in tasks
        )


def _fit(
    vectors: np.ndarray, labels: np.ndarray, grid: np.ndarray, split: Split, max_iter: int
) -> _Fit:
    """Fit one layer with each C, and keep the one that does best on the dev part."""
    scaler = StandardScaler().fit(vectors[split.train])
    train = scaler.transform(vectors[split.train])
    best, best_score = None, -1.0
    for C in np.sort(grid):
        probe = LogisticRegression(C=float(C), max_iter=max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # reported once, for all layers
            probe.fit(train, labels[split.train])
        score = 0.0
        if len(grid) > 1:
            named = probe.predict(scaler.transform(vectors[split.dev]))
            score = float(np.mean(named == labels[split.dev]))
        if score > best_score:
            best, best_score = probe, score
    iterations = int(np.max(best.n_iter_))
    return _Fit(
        predictions=best.predict(scaler.transform(vectors[split.test])),
        C=float(best.C),
        iterations=iterations,
        converged=iterations < max_iter,
    )


class _Resamples:
    """Bootstrap resamples of test sentences, each drawn once and used for every layer.

    Whole sentences are drawn, since the words of one sentence are not independent.
    """

    def __init__(self, sentence_ids: np.ndarray, n: int, seed: int) -> None:
        units, self.unit = np.unique(sentence_ids, return_inverse=True)
        draw = np.random.default_rng(seed)
        # times[r, s]: how often sentence s stands in resample r
        self.times = draw.multinomial(len(units), np.full(len(units), 1 / len(units)), size=n)

    def _per_unit(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.unit, weights=values, minlength=self.times.shape[1])

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(rows, words) -> (rows, resamples)."""
        words = self.times @ self._per_unit(np.ones(len(self.unit)))
        return np.array([self.times @ self._per_unit(row) / words for row in values])

    def macro_f1(self, truth: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """(words,), (rows, words) -> (rows, resamples)."""
        labels = np.unique(truth)
        times = self.times.astype(float)
        is_label = [truth == label for label in labels]
        gold = np.array([times @ self._per_unit(is_) for is_ in is_label])
        out = []
        for named in predictions:
            said = [named == label for label in labels]
            hits = np.array(
                [times @ self._per_unit(s & is_) for s, is_ in zip(said, is_label, strict=True)]
            )
            total = gold + np.array([times @ self._per_unit(s) for s in said])
            f1 = np.divide(2 * hits, total, out=np.zeros_like(hits), where=total > 0)
            present = gold > 0
            out.append((f1 * present).sum(axis=0) / present.sum(axis=0))
        return np.array(out)


def _macro_f1(truth: np.ndarray, named: np.ndarray) -> float:
    return float(f1_score(truth, named, labels=np.unique(truth), average="macro", zero_division=0))


def _checked_labels(activations: Activations, labels: Sequence | np.ndarray) -> np.ndarray:
    labels = list(labels)
    if len(labels) != len(activations):
        raise ValueError(f"{len(labels)} labels for {len(activations)} words.")
    missing = [i for i, label in enumerate(labels) if label is None or label != label]
    if missing:
        raise ValueError(
            f"Word {missing[0]} ({activations.words[missing[0]]!r}) has no label; {len(missing)} "
            "words have none. Leave them out of the activations and of the labels."
        )
    return np.array([str(label) for label in labels])


def _check_finite(activations: Activations) -> None:
    for layer, vectors in enumerate(activations.vectors):
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            word = int(np.flatnonzero(~finite)[0])
            raise ValueError(
                f"The vector of word {word} ({activations.words[word]!r}) at layer {layer} holds "
                "NaN or infinite values. Half-precision weights can overflow: load the encoder in "
                "float32 or bfloat16."
            )


def _control_labels(types: np.ndarray, train_labels: np.ndarray, seed: int) -> np.ndarray:
    """A random label for each word type, drawn as often as the real labels occur in training."""
    unique, of_word = np.unique(types, return_inverse=True)
    draw = np.random.default_rng(seed)
    return draw.choice(train_labels, size=len(unique))[of_word]


def _commonest(labels: np.ndarray) -> str:
    values, counts = np.unique(labels, return_counts=True)
    return values[counts.argmax()]


def _look_up(types: np.ndarray, labels: np.ndarray, split: Split) -> np.ndarray:
    by_type: dict[str, list[str]] = {}
    for word, label in zip(types[split.train], labels[split.train], strict=True):
        by_type.setdefault(word, []).append(label)
    table = {word: _commonest(np.array(found)) for word, found in by_type.items()}
    fallback = _commonest(labels[split.train])
    return np.array([table.get(word, fallback) for word in types[split.test]])


def _mean_where(correct: np.ndarray, where: np.ndarray) -> np.ndarray:
    return correct[:, where].mean(axis=1) if where.any() else np.full(len(correct), np.nan)


def _warn_of_convergence(fits: Sequence[_Fit]) -> None:
    late = [str(k) for k, fit in enumerate(fits) if not fit.converged]
    if late:
        warnings.warn(
            f"The probe did not converge at layer {', '.join(late)}. Raise max_iter, or lower C; "
            "the features are scaled already. The accuracies are those of the last iteration.",
            ConvergenceWarning,
            stacklevel=3,
        )
