"""What probes named at each layer, and all that follows from it: accuracies, intervals, comparisons.

A :class:`ProbeResult` keeps the label that each probe named for each test word. Everything else is
computed from these when it is asked for, so a result that was recorded says as much as one that
was just measured. :func:`compare` sets two results side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from whichlayer.resampling import Bootstrap, Comparison, interval, not_worse_than_best
from whichlayer.splits import Split

Name = int | str  # of a row: the layer, or the table of features


@dataclass(frozen=True)
class Baseline:
    """What something other than the encoder in question gets right on the same test words.

    Attributes:
        accuracy: (rows,), one row for each layer or table, the mean over the runs; one row only
            where the baseline knows no layers (majority, look-up, labels named otherwise).
        spread: (rows,), standard deviation over the runs (several seeds, say); NaN for one run.
        correct: (rows, test words), the share of the runs that name the word's label.
        predictions: (runs, rows, test words), the labels named.
        C: (runs, rows), chosen for each by itself; None where nothing was trained.
    """

    accuracy: np.ndarray
    spread: np.ndarray
    correct: np.ndarray
    predictions: np.ndarray
    C: np.ndarray | None

    @classmethod
    def of(
        cls, predictions: np.ndarray, truth: np.ndarray, C: np.ndarray | None = None
    ) -> Baseline:
        """From predictions of shape (runs, rows, test words)."""
        right = predictions == truth
        by_run = right.mean(axis=2)
        spread = by_run.std(axis=0, ddof=1) if len(by_run) > 1 else np.full(by_run.shape[1], np.nan)
        return cls(by_run.mean(axis=0), spread, right.mean(axis=0), predictions, C)


@dataclass(frozen=True)
class ProbeResult:
    """What probes named, and what follows. Rows of every array are ``names``, in order.

    Attributes:
        names: the layers 0..L, or the names of the tables. Methods take these.
        predictions: (rows, test words), the labels named.
        truth: (test words,), the labels that stand in the corpus.
        test_words: (test words,), the words.
        seen: (test words,), whether the word's type (its lower-cased form) occurs in training.
        classes: the labels of the training words, sorted.
        baselines: name -> :class:`Baseline`. Always there: ``"majority"``, the commonest label of
            the training words; ``"lookup"``, each word type's commonest label in training (the
            majority label for unseen types), which is what can be had without any context.
        control_correct: (control labelings, rows, test words), whether the same probe named random
            labels of word types.
        C: (rows,), inverse regularisation strength used for each; NaN for a classifier that was
            given.
        iterations: (rows,), iterations of the solver; ``converged`` says whether they sufficed.
        n_train, n_dev: words in these parts.
        bootstrap: the draws of the test words that all intervals come from.
        confidence: of all intervals.
        chosen: (rows,), which of the given classifiers each took, by its place in the list; None
            for logistic regression.
    """

    names: tuple[Name, ...]
    predictions: np.ndarray
    truth: np.ndarray
    test_words: np.ndarray
    seen: np.ndarray
    classes: np.ndarray
    baselines: Mapping[str, Baseline]
    control_correct: np.ndarray
    C: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray
    n_train: int
    n_dev: int
    bootstrap: Bootstrap
    confidence: float
    chosen: np.ndarray | None = None

    def __repr__(self) -> str:
        row = self.row(self.best)
        low, high = self.accuracy_interval[row]
        like = ", ".join(str(name) for name in self.not_worse_than_best)
        return (
            f"ProbeResult: best {_called(self.best)}, accuracy {self.accuracy[row]:.3f} "
            f"[{low:.3f}, {high:.3f}]; like the best: {like}. {self.n_train:,} words train, "
            f"{self.n_test:,} test; intervals from {self.bootstrap}."
        )

    @cached_property
    def accuracy(self) -> np.ndarray:
        """(rows,), share of test words whose label the probe names."""
        return self._named_right.mean(axis=1)

    @cached_property
    def accuracy_interval(self) -> np.ndarray:
        """(rows, 2), bootstrap interval over the units that ``bootstrap`` draws."""
        return interval(self.draws, self.confidence, self.n_units)

    @cached_property
    def macro_f1(self) -> np.ndarray:
        """(rows,), the F1 of each class, averaged over the classes that occur in the test words.

        Low where rare classes fail, even if the accuracy is high.
        """
        return np.array([_macro_f1(self.truth, row) for row in self.predictions])

    @cached_property
    def macro_f1_interval(self) -> np.ndarray:
        """(rows, 2), on the same draws."""
        draws = _macro_f1_draws(self.bootstrap, self.truth, self.predictions)
        return interval(draws, self.confidence, self.n_units)

    @property
    def seen_accuracy(self) -> np.ndarray:
        """(rows,), on test words whose type occurs in training; NaN where there is none."""
        return _mean_where(self._named_right, self.seen)

    @property
    def unseen_accuracy(self) -> np.ndarray:
        """(rows,), on test words whose type doesn't occur in training; NaN where there is none."""
        return _mean_where(self._named_right, ~self.seen)

    @property
    def control_accuracy(self) -> np.ndarray:
        """(control labelings, rows), the same probe on random labels of word types."""
        return self.control_correct.mean(axis=2)

    @property
    def control_seen_accuracy(self) -> np.ndarray:
        """(control labelings, rows), the same on test words of seen types only.

        On the others nobody can know the control label.
        """
        return _mean_where(self.control_correct, self.seen)

    @property
    def best(self) -> Name:
        """The name of highest accuracy."""
        return self.names[int(self.accuracy.argmax())]

    @cached_property
    def not_worse_than_best(self) -> tuple[Name, ...]:
        """The names that can't be told from the best, allowing for its having been chosen.

        See :func:`~whichlayer.resampling.not_worse_than_best`.
        """
        return _chosen(
            self.names,
            not_worse_than_best(self.accuracy, self.draws, self.confidence, self.n_units),
        )

    @property
    def n_test(self) -> int:
        """How many words were tested."""
        return len(self.truth)

    @property
    def n_unseen(self) -> int:
        """Test words of unseen type."""
        return int((~self.seen).sum())

    @property
    def n_new_labels(self) -> int:
        """Test words whose label training never saw; they count as errors."""
        return int((~np.isin(self.truth, self.classes)).sum())

    @property
    def unit(self) -> str:
        """What the intervals draw anew: ``"document"``, ``"sentence"`` or ``"word"``."""
        return self.bootstrap.unit

    @property
    def n_units(self) -> int:
        """How many such units the test words come from."""
        return self.bootstrap.n_units

    @property
    def trustworthy(self) -> bool:
        """Whether there are ten units or more. With fewer, don't rely on any interval."""
        return self.bootstrap.trustworthy

    @property
    def majority(self) -> float:
        """The accuracy of always naming the commonest label of the training words."""
        return float(self.baselines["majority"].accuracy[0])

    @property
    def lookup(self) -> float:
        """The accuracy of naming each word type's commonest label in training."""
        return float(self.baselines["lookup"].accuracy[0])

    @property
    def selectivity(self) -> np.ndarray:
        """(rows,), accuracy minus mean control accuracy (Hewitt & Liang 2019); NaN without it."""
        return self.accuracy - _mean_of_runs(self.control_accuracy)

    @property
    def seen_selectivity(self) -> np.ndarray:
        """(rows,), the same on test words of seen types only, where the control can be known."""
        return self.seen_accuracy - _mean_of_runs(self.control_seen_accuracy)

    @cached_property
    def selectivity_draws(self) -> np.ndarray:
        """(rows, draws), the selectivity on each draw of the test words; NaN without control."""
        return self.bootstrap.mean(self._named_right - _mean_of_runs(self.control_correct))

    @cached_property
    def seen_selectivity_draws(self) -> np.ndarray:
        """(rows, draws), the same on test words of seen types."""
        above = (self._named_right - _mean_of_runs(self.control_correct)) * self.seen
        # A draw of documents may hold no such word.
        with np.errstate(invalid="ignore"):
            return self.bootstrap.mean(above) / self.bootstrap.mean(self.seen)

    @cached_property
    def selectivity_interval(self) -> np.ndarray:
        """(rows, 2). The control labels are as they were drawn: only the test words vary."""
        return interval(self.selectivity_draws, self.confidence, self.n_units)

    @cached_property
    def seen_selectivity_interval(self) -> np.ndarray:
        """(rows, 2), the same on test words of seen types."""
        return interval(self.seen_selectivity_draws, self.confidence, self.n_units)

    @cached_property
    def draws(self) -> np.ndarray:
        """(rows, draws), the accuracy on each draw of the test words, the same draws in each row."""
        return self.bootstrap.mean(self._named_right)

    @property
    def _named_right(self) -> np.ndarray:
        """(rows, test words)."""
        return self.predictions == self.truth

    def row(self, name: Name) -> int:
        """The row of a layer or table. Layers may be counted from the end: -1 is the last.

        Raises:
            KeyError: there is no such row.
        """
        return _row(self.names, name)

    def compare(
        self, first: Name | Sequence[Name], second: Name | Sequence[Name] | None = None
    ) -> Comparison:
        """The accuracy of the first minus that of the second, on the same draws.

        ``compare(2, 3)`` compares two layers; ``compare(2)`` layer 2 with each of the others;
        ``compare([1, 2], [2, 3])`` pair by pair; ``compare(2, "lookup")`` with a baseline (at its
        own layer 2, where it has layers).

        Args:
            first, second: layers, tables or baselines: one each, or several to be paired.

        Returns:
            A :class:`~whichlayer.resampling.Comparison`. Where several are compared its intervals
            hold all at once.

        Raises:
            KeyError: there is no row or baseline of that name.
            ValueError: lists of different lengths, or nothing to compare.
        """
        firsts = [first] if isinstance(first, (str, int, np.integer)) else list(first)
        if second is None:
            if len(firsts) != 1:
                raise ValueError("Several are compared with something: name what, too.")
            own = self.row(firsts[0])
            second = [name for row, name in enumerate(self.names) if row != own]
        seconds = [second] if isinstance(second, (str, int, np.integer)) else list(second)
        n = max(len(firsts), len(seconds))
        firsts, seconds = (x * n if len(x) == 1 else x for x in (firsts, seconds))
        if len(firsts) != len(seconds) or not firsts:
            raise ValueError(f"{len(firsts)} can't be compared with {len(seconds)} pair by pair.")
        differences = np.array(
            [
                self._correct(one, beside=other) - self._correct(other, beside=one)
                for one, other in zip(firsts, seconds, strict=True)
            ]
        )
        what = [
            f"{self._called(one)} - {self._called(other)}"
            for one, other in zip(firsts, seconds, strict=True)
        ]
        return _compared(what, differences, self.bootstrap, self.confidence)

    def _called(self, name: Name) -> str:
        if name in self.baselines:
            return str(name)
        return _called(self.names[self.row(name)])

    def _correct(self, name: Name, beside: Name) -> np.ndarray:
        """(test words,), whether the row or baseline names the label."""
        if name not in self.baselines:
            return self._named_right[self.row(name)].astype(float)
        correct = self.baselines[name].correct
        return correct[0] if len(correct) == 1 else correct[self.row(beside)]

    def table(self) -> pd.DataFrame:
        """One row per layer or table, with everything that belongs beside its accuracy."""
        columns = {
            "accuracy": self.accuracy,
            "low": self.accuracy_interval[:, 0],
            "high": self.accuracy_interval[:, 1],
            "macro_f1": self.macro_f1,
            "seen": self.seen_accuracy,
            "unseen": self.unseen_accuracy,
        }
        if len(self.control_correct):
            columns["control"] = self.control_accuracy.mean(axis=0)
            columns["selectivity"] = self.selectivity
            columns["seen_selectivity"] = self.seen_selectivity
        for name, baseline in self.baselines.items():
            columns[name] = np.broadcast_to(baseline.accuracy, len(self.names))
            if len(baseline.predictions) > 1:
                columns[f"{name}_sd"] = np.broadcast_to(baseline.spread, len(self.names))
        columns["like_best"] = [name in self.not_worse_than_best for name in self.names]
        if self.chosen is None:
            columns["C"], columns["iterations"] = self.C, self.iterations
        else:
            columns["chosen"] = self.chosen
        return pd.DataFrame(columns, index=_index(self.names))

    def by_class(self, name: Name) -> pd.DataFrame:
        """F1 and number of test words for each label at one layer or table, commonest first."""
        labels, n = np.unique(self.truth, return_counts=True)
        named = self.predictions[self.row(name)]
        f1 = f1_score(self.truth, named, labels=labels, average=None, zero_division=0)
        frame = pd.DataFrame({"f1": f1, "n": n}, index=pd.Index(labels, name="label"))
        return frame.sort_values("n", ascending=False, kind="stable")


def compare(
    first: ProbeResult, second: ProbeResult, names: Name | Sequence[Name] | None = None
) -> Comparison:
    """The accuracies of one result minus those of another, on the same test words, row by row.

    The labels may differ (two properties of the same words), and so may what was probed (two
    encoders, two ways of mixing).

    Args:
        first, second: two results with the same names, or of which one has a single row, which is
            then compared with every row of the other.
        names: the layers or tables to compare; all of them by default.

    Returns:
        A :class:`~whichlayer.resampling.Comparison`; the intervals of several rows hold all at
        once.

    Raises:
        ValueError: results on other test words, or with other names.
    """
    same = np.array_equal(first.test_words, second.test_words)
    if not same or not np.array_equal(first.bootstrap.unit_ids, second.bootstrap.unit_ids):
        raise ValueError("The two results aren't on the same test words: give them one split.")
    one, other = (result._named_right for result in (first, second))
    if first.names == second.names or len(second.names) == 1:
        known = first.names
    elif len(first.names) == 1:
        known = second.names
    else:
        raise ValueError(
            "The two results have different rows "
            f"({', '.join(map(str, first.names))}; {', '.join(map(str, second.names))}), and "
            "neither has a single one."
        )
    differences = one.astype(float) - other
    if names is None:
        rows = list(range(len(known)))
    else:
        listed = [names] if isinstance(names, (str, int, np.integer)) else list(names)
        rows = [_row(known, name) for name in listed]
    what = [f"{_called(known[row])}: first - second" for row in rows]
    return _compared(what, differences[rows], first.bootstrap, first.confidence)


@dataclass(frozen=True)
class ProfileOverC:
    """Profiles for several strengths of the penalty. What holds in all of them, may be said.

    Attributes:
        Cs: (Cs,), inverse regularisation strengths, ascending.
        names: the layers 0..L, or the names of the tables.
        predictions: (Cs, rows, test words). truth: (test words,).
        bootstrap: the draws of the test words; they are the same for all C.
        confidence: of the intervals.
    """

    Cs: np.ndarray
    names: tuple[Name, ...]
    predictions: np.ndarray
    truth: np.ndarray
    bootstrap: Bootstrap
    confidence: float

    @cached_property
    def accuracy(self) -> np.ndarray:
        """(Cs, rows)."""
        return (self.predictions == self.truth).mean(axis=2)

    @cached_property
    def accuracy_interval(self) -> np.ndarray:
        """(Cs, rows, 2)."""
        return interval(self._draws, self.confidence, self.bootstrap.n_units)

    @property
    def best(self) -> tuple[Name, ...]:
        """For each C the name of highest accuracy."""
        return tuple(self.names[int(k)] for k in self.accuracy.argmax(axis=1))

    @cached_property
    def not_worse_than_best(self) -> tuple[tuple[Name, ...], ...]:
        """For each C the names that can't be told from its best."""
        n_units = self.bootstrap.n_units
        return tuple(
            _chosen(self.names, not_worse_than_best(values, drawn, self.confidence, n_units))
            for values, drawn in zip(self.accuracy, self._draws, strict=True)
        )

    @cached_property
    def _draws(self) -> np.ndarray:
        """(Cs, rows, draws)."""
        return self.bootstrap.mean(self.predictions == self.truth)

    def compare(self, first: Name, second: Name) -> Comparison:
        """The accuracy of one row minus another's at every C; the intervals hold all at once.

        ``profile.compare(-1, 0)`` says for which C the last layer lies below the first.
        """
        one, other = (_row(self.names, name) for name in (first, second))
        correct = self.predictions == self.truth
        what = [
            f"{_called(self.names[one])} - {_called(self.names[other])}, C = {C:g}" for C in self.Cs
        ]
        differences = correct[:, one].astype(float) - correct[:, other]
        return _compared(what, differences, self.bootstrap, self.confidence)

    def table(self) -> pd.DataFrame:
        """One row per C: the accuracy of every layer or table, the best, and those like it."""
        frame = pd.DataFrame(
            self.accuracy, columns=list(self.names), index=pd.Index(self.Cs, name="C")
        )
        frame["best"] = self.best
        frame["like_best"] = [", ".join(map(str, names)) for names in self.not_worse_than_best]
        return frame


def from_the_words(words: Sequence[str], labels: np.ndarray, split: Split) -> dict[str, Baseline]:
    """The baselines that every result has: ``"majority"`` and ``"lookup"``.

    Args:
        words: the corpus's words. labels: (words,), text. split: which of them train and test.
    """
    types = word_types(words)
    fallback = _commonest(labels[split.train])
    by_type: dict[str, list[str]] = {}
    for word, label in zip(types[split.train], labels[split.train], strict=True):
        by_type.setdefault(word, []).append(label)
    table = {word: _commonest(np.array(found)) for word, found in by_type.items()}
    named = {
        "majority": np.full(len(split.test), fallback),
        "lookup": np.array([table.get(word, fallback) for word in types[split.test]]),
    }
    truth = labels[split.test]
    return {name: Baseline.of(given[None, None], truth) for name, given in named.items()}


def word_types(words: Sequence[str]) -> np.ndarray:
    """What counts as the same word: its lower-cased form, (words,)."""
    return np.array([word.lower() for word in words])


def _commonest(labels: np.ndarray) -> str:
    values, counts = np.unique(labels, return_counts=True)
    return values[counts.argmax()]


def _compared(
    what: Sequence[str], differences: np.ndarray, bootstrap: Bootstrap, confidence: float
) -> Comparison:
    """From differences word by word, (n, test words)."""
    draws = bootstrap.mean(differences)
    return Comparison.of(what, differences.mean(axis=1), draws, bootstrap, confidence)


def _macro_f1_draws(bootstrap: Bootstrap, truth: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """(words,), (rows, words) -> (rows, draws)."""
    labels = np.unique(truth)
    is_label = [truth == label for label in labels]
    gold = np.array([bootstrap.total(is_) for is_ in is_label])
    out = []
    for named in predictions:
        said = [named == label for label in labels]
        hits = np.array([bootstrap.total(s & is_) for s, is_ in zip(said, is_label, strict=True)])
        total = gold + np.array([bootstrap.total(s) for s in said])
        f1 = np.divide(2 * hits, total, out=np.zeros_like(hits), where=total > 0)
        present = gold > 0
        with np.errstate(invalid="ignore"):  # a single unit has no draws
            out.append((f1 * present).sum(axis=0) / present.sum(axis=0))
    return np.array(out)


def _macro_f1(truth: np.ndarray, named: np.ndarray) -> float:
    return float(f1_score(truth, named, labels=np.unique(truth), average="macro", zero_division=0))


def _mean_where(correct: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The mean over the words where that holds, (..., words) -> (...); NaN where it nowhere does."""
    if not where.any():
        return np.full(correct.shape[:-1], np.nan)
    return correct[..., where].mean(axis=-1)


def _mean_of_runs(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=0) if len(values) else np.full(values.shape[1:], np.nan)


def _row(names: Sequence[Name], name: Name) -> int:
    if name in names:
        return names.index(name)
    by_number = all(isinstance(known, int) for known in names)
    if by_number and isinstance(name, (int, np.integer)) and -len(names) <= name < 0:
        return len(names) + int(name)
    raise KeyError(f"There is no {_called(name)}; there is {', '.join(map(str, names))}.")


def _called(name: Name) -> str:
    return f"layer {name}" if isinstance(name, (int, np.integer)) else str(name)


def _chosen(names: Sequence[Name], which: np.ndarray) -> tuple[Name, ...]:
    return tuple(name for name, chosen in zip(names, which, strict=True) if chosen)


def _index(names: Sequence[Name]) -> pd.Index:
    if names == tuple(range(len(names))):
        return pd.RangeIndex(len(names), name="layer")
    return pd.Index(names, name="features")
