"""What can a simple classifier read at each layer, and how sure may one be?

A probe is a logistic regression trained on the vectors of one layer. Its accuracy alone says
little, so :func:`probe_layers` puts beside it what a reader must know: an interval, the baselines,
the accuracy on unseen words, a control task, and the set of layers that can't be told from the
best. :func:`compare` sets two results side by side, and :func:`profile_over_C` shows how much of
a profile hangs on the strength of the penalty.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import joblib
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations, Features
from whichlayer.classifier import (
    check_finite,
    checked_grid,
    checked_labels,
    fit_path,
    prepare,
)
from whichlayer.resampling import (
    Bootstrap,
    Comparison,
    check_confidence,
    interval,
    not_worse_than_best,
)
from whichlayer.splits import Split, split_by

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
    """What :func:`probe_layers` found. Rows of every array are ``names``, in order.

    Attributes:
        names: the layers 0..L, or the names of the tables. Methods take these.
        accuracy: (rows,), share of test words whose label the probe names.
        accuracy_interval: (rows, 2), bootstrap interval over the units that ``bootstrap`` draws.
        macro_f1: (rows,), the F1 of each class, averaged over the classes that occur in the test
            words. Low where rare classes fail, even if the accuracy is high.
        macro_f1_interval: (rows, 2).
        seen_accuracy, unseen_accuracy: (rows,), on test words whose type (lower-cased form) does
            or doesn't occur in training; NaN where there is no such word.
        control_accuracy: (control labelings, rows), the same probe on random labels of word types.
        control_seen_accuracy: the same, on test words of seen types only: on the others nobody
            can know the control label.
        baselines: name -> :class:`Baseline`. Always there: ``"majority"``, the commonest label of
            the training words; ``"lookup"``, each word type's commonest label in training (the
            majority label for unseen types), which is what can be had without any context.
        best: the name of highest accuracy.
        not_worse_than_best: the names that can't be told from it, allowing for its having been
            chosen (:func:`~whichlayer.resampling.not_worse_than_best`).
        predictions: (rows, test words), the labels named.
        truth: (test words,), the labels that stand in the corpus.
        test_words: (test words,), the words.
        classes: the labels of the training words, sorted.
        C: (rows,), inverse regularisation strength used for each.
        iterations: (rows,), iterations of the solver; ``converged`` says whether they sufficed.
        n_train, n_dev, n_test: words in each part. n_unseen: test words of unseen type.
        n_new_labels: test words whose label training never saw; they count as errors.
        bootstrap: the draws of the test words that all intervals come from.
        confidence: of all intervals.
    """

    names: tuple[Name, ...]
    accuracy: np.ndarray
    accuracy_interval: np.ndarray
    macro_f1: np.ndarray
    macro_f1_interval: np.ndarray
    seen_accuracy: np.ndarray
    unseen_accuracy: np.ndarray
    control_accuracy: np.ndarray
    control_seen_accuracy: np.ndarray
    baselines: Mapping[str, Baseline]
    best: Name
    not_worse_than_best: tuple[Name, ...]
    predictions: np.ndarray
    truth: np.ndarray
    test_words: np.ndarray
    classes: np.ndarray
    C: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray
    n_train: int
    n_dev: int
    n_test: int
    n_unseen: int
    n_new_labels: int
    bootstrap: Bootstrap
    confidence: float

    def __repr__(self) -> str:
        row = self.row(self.best)
        low, high = self.accuracy_interval[row]
        like = ", ".join(str(name) for name in self.not_worse_than_best)
        return (
            f"ProbeResult: best {_called(self.best)}, accuracy {self.accuracy[row]:.3f} "
            f"[{low:.3f}, {high:.3f}]; like the best: {like}. {self.n_train:,} words train, "
            f"{self.n_test:,} test; intervals from {self.bootstrap}."
        )

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

    @property
    def draws(self) -> np.ndarray:
        """(rows, draws), the accuracy on each draw of the test words, the same draws in each row."""
        return self.bootstrap.mean(self.predictions == self.truth)

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
            return (self.predictions[self.row(name)] == self.truth).astype(float)
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
        if len(self.control_accuracy):
            columns["control"] = self.control_accuracy.mean(axis=0)
            columns["selectivity"] = self.selectivity
            columns["seen_selectivity"] = self.seen_selectivity
        for name, baseline in self.baselines.items():
            columns[name] = np.broadcast_to(baseline.accuracy, len(self.names))
            if len(baseline.predictions) > 1:
                columns[f"{name}_sd"] = np.broadcast_to(baseline.spread, len(self.names))
        columns["like_best"] = [name in self.not_worse_than_best for name in self.names]
        columns["C"], columns["iterations"] = self.C, self.iterations
        return pd.DataFrame(columns, index=_index(self.names))

    def by_class(self, name: Name) -> pd.DataFrame:
        """F1 and number of test words for each label at one layer or table, commonest first."""
        labels, n = np.unique(self.truth, return_counts=True)
        named = self.predictions[self.row(name)]
        f1 = f1_score(self.truth, named, labels=labels, average=None, zero_division=0)
        frame = pd.DataFrame({"f1": f1, "n": n}, index=pd.Index(labels, name="label"))
        return frame.sort_values("n", ascending=False, kind="stable")


def probe_layers(
    features: Activations | Features,
    labels: Sequence | np.ndarray,
    *,
    split: Split | str | None = None,
    C: float | Sequence[float] = 0.01,
    control_labelings: int = 3,
    baselines: Mapping[str, object] | None = None,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    max_iter: int = 1000,
    n_jobs: int = 1,
    seed: int = 0,
) -> ProbeResult:
    """Train and test a probe at every layer, or on every table of features, each on its own.

    The probe is a logistic regression (L2, lbfgs; that of scikit-learn) on features scaled to
    mean 0 and variance 1 on the training words. It is convex: its own seed changes nothing, so the
    spread that is reported is that of the data.

    Args:
        features: activations, vectors of shape (L + 1, words, hidden); or
            :class:`~whichlayer.activations.Features`, named tables of any widths.
        labels: one per word. Labels are compared as text.
        split: a :class:`Split` (``Split.of(sentences)`` for a corpus that comes with one), or
            ``"document"`` or ``"sentence"`` for a random one (a quarter tests; where C is to be
            chosen, 15% are set aside for that); by default by document where there are several.
        C: inverse regularisation strength; several values are tried on the dev part, for each
            layer by itself, and the smallest of the best is taken.
        control_labelings: how many control tasks to average; 0 leaves them out. They use the C of
            their layer.
        baselines: name -> activations or features of the same words, such as those of
            ``random_twin(encoder)``; or a list of them (several seeds), whose mean and spread are
            reported; or one label per word, named by any other means. Each is probed like the
            features and chooses its own C. It needs the same layers or tables, or one table.
        n_bootstrap: draws of the test words, 100 or more.
        confidence: of the intervals.
        max_iter: the most iterations of the solver.
        n_jobs: layers fitted at the same time. The numbers are the same for any.
        seed: seeds the split, the control labels and the draws.

    Returns:
        A :class:`ProbeResult`. Its intervals draw the coarsest unit that the split kept together
        (:class:`~whichlayer.resampling.Bootstrap`): they say how far the numbers would move on
        other test text, not with other training text.

    Raises:
        TypeError, ValueError: labels of another number than words, missing labels, a single class
            in training, NaN or infinite vectors, several values of C without a dev part, a
            baseline of other words, a split that doesn't fit, an option out of range. The message
            names what is wrong.

    Warns:
        ConvergenceWarning: once, naming the layers at which max_iter didn't suffice.
        UserWarning: the test words come from fewer than ten units, so that no interval can be
            trusted.

    Sources: control task and selectivity, Hewitt & Liang 2019, Sections 2 and 3; paired bootstrap,
    Berg-Kirkpatrick et al. 2012.
    """
    grid = checked_grid(C)
    _check_options(n_bootstrap, confidence, max_iter, control_labelings)
    labels, split = _checked_study(features, labels, split, grid, seed)
    runs = _checked_baselines(features, labels, baselines or {})
    truth = labels[split.test]
    types = np.array([word.lower() for word in features.words])
    controls = [
        _control_labels(types, labels[split.train], seed + i) for i in range(control_labelings)
    ]
    tasks = [(features.layer(name), controls) for name in features.names]
    for given in runs.values():
        tasks += [(run.layer(name), []) for run in given for name in run.names]
    fits = _fit_all(tasks, labels, split, grid, max_iter, n_jobs)
    own, others = fits[: len(features.names)], iter(fits[len(features.names) :])
    _warn_of_convergence(features.names, own)

    found = {}
    for name, given in runs.items():
        rows = [[next(others) for _ in run.names] for run in given]
        predictions = np.array([[fit.predictions for fit in run] for run in rows])
        chosen = np.array([[fit.C for fit in run] for run in rows])
        found[name] = Baseline.of(predictions, truth, chosen)
    named = {name: given for name, given in (baselines or {}).items() if name not in runs}
    named = {name: _as_labels(given)[split.test] for name, given in named.items()}
    named["majority"] = np.full(len(truth), _commonest(labels[split.train]))
    named["lookup"] = _look_up(types, labels, split)
    found |= {name: Baseline.of(given[None, None], truth) for name, given in named.items()}

    predictions = np.array([fit.predictions for fit in own])
    correct = predictions == truth
    seen = np.isin(types[split.test], types[split.train])
    control = np.array([fit.control_correct for fit in own]).transpose(1, 0, 2)
    bootstrap = _bootstrap(features, split, n_bootstrap, seed)
    draws = bootstrap.mean(correct)
    f1_draws = _macro_f1_draws(bootstrap, truth, predictions)
    accuracy = correct.mean(axis=1)
    classes = np.unique(labels[split.train])
    n_units = bootstrap.n_units
    like_best = not_worse_than_best(accuracy, draws, confidence, n_units)
    if not bootstrap.trustworthy:
        warnings.warn(
            f"The test words come from {bootstrap}. An interval from fewer than ten units says "
            "more about these than about other text.",
            UserWarning,
            stacklevel=2,
        )
    return ProbeResult(
        names=features.names,
        accuracy=accuracy,
        accuracy_interval=interval(draws, confidence, n_units),
        macro_f1=np.array([_macro_f1(truth, row) for row in predictions]),
        macro_f1_interval=interval(f1_draws, confidence, n_units),
        seen_accuracy=_mean_where(correct, seen),
        unseen_accuracy=_mean_where(correct, ~seen),
        control_accuracy=control.mean(axis=2),
        control_seen_accuracy=_mean_where(control, seen),
        baselines=found,
        best=features.names[int(accuracy.argmax())],
        not_worse_than_best=_chosen(features.names, like_best),
        predictions=predictions,
        truth=truth,
        test_words=np.asarray(features.words)[split.test],
        classes=classes,
        C=np.array([fit.C for fit in own]),
        iterations=np.array([fit.iterations for fit in own]),
        converged=np.array([fit.converged for fit in own]),
        n_train=len(split.train),
        n_dev=len(split.dev),
        n_test=len(split.test),
        n_unseen=int((~seen).sum()),
        n_new_labels=int((~np.isin(truth, classes)).sum()),
        bootstrap=bootstrap,
        confidence=confidence,
    )


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
    one, other = (result.predictions == result.truth for result in (first, second))
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
        accuracy: (Cs, rows). accuracy_interval: (Cs, rows, 2).
        best: for each C the name of highest accuracy.
        not_worse_than_best: for each C the names that can't be told from its best.
        predictions: (Cs, rows, test words). truth: (test words,).
        bootstrap: the draws of the test words; they are the same for all C.
        confidence: of the intervals.
    """

    Cs: np.ndarray
    names: tuple[Name, ...]
    accuracy: np.ndarray
    accuracy_interval: np.ndarray
    best: tuple[Name, ...]
    not_worse_than_best: tuple[tuple[Name, ...], ...]
    predictions: np.ndarray
    truth: np.ndarray
    bootstrap: Bootstrap
    confidence: float

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


def profile_over_C(
    features: Activations | Features,
    labels: Sequence | np.ndarray,
    *,
    split: Split | str | None = None,
    Cs: Sequence[float] = (0.0001, 0.001, 0.01, 0.1, 1.0),
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    max_iter: int = 1000,
    n_jobs: int = 1,
    seed: int = 0,
) -> ProfileOverC:
    """Probe every layer with each of several C, on the same words.

    A profile's shape can hang on C: a layer whose vectors need fine weights gains from a weak
    penalty. Nothing is chosen here, so no dev part is needed; and nothing may be chosen by it,
    since it looks at the test words.

    Args:
        features, labels, split, n_bootstrap, confidence, max_iter, n_jobs, seed: as for
            :func:`probe_layers`.
        Cs: inverse regularisation strengths. Each fit starts where that of the next smaller C
            ended, so a grid costs little more than its largest value.

    Returns:
        A :class:`ProfileOverC`.

    Raises:
        TypeError, ValueError: as for :func:`probe_layers`.
    """
    grid = checked_grid(Cs)
    _check_options(n_bootstrap, confidence, max_iter, 0)
    labels, split = _checked_study(features, labels, split, grid[:1], seed)
    classes, targets = np.unique(labels[split.train], return_inverse=True)

    def row(name: Name) -> np.ndarray:
        table = prepare(features.layer(name), split.train)
        probes = fit_path(table, targets, len(classes), grid, max_iter)
        return np.array([p.scores(table.features[split.test]).argmax(axis=1) for p in probes])

    with threadpool_limits(limits=1):
        rows = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(row)(name) for name in features.names
        )
    predictions = classes[np.stack(rows, axis=1)]  # (Cs, rows, test words)
    truth = labels[split.test]
    bootstrap = _bootstrap(features, split, n_bootstrap, seed)
    correct = predictions == truth
    accuracy, draws = correct.mean(axis=2), bootstrap.mean(correct)
    return ProfileOverC(
        Cs=grid,
        names=features.names,
        accuracy=accuracy,
        accuracy_interval=interval(draws, confidence, bootstrap.n_units),
        best=tuple(features.names[int(k)] for k in accuracy.argmax(axis=1)),
        not_worse_than_best=tuple(
            _chosen(
                features.names, not_worse_than_best(values, drawn, confidence, bootstrap.n_units)
            )
            for values, drawn in zip(accuracy, draws, strict=True)
        ),
        predictions=predictions,
        truth=truth,
        bootstrap=bootstrap,
        confidence=confidence,
    )


@dataclass(frozen=True)
class _Fit:
    predictions: np.ndarray  # (test words,)
    control_correct: np.ndarray  # (control labelings, test words)
    C: float
    iterations: int
    converged: bool


def _fit_all(
    tasks: Sequence[tuple[np.ndarray, list[np.ndarray]]],
    labels: np.ndarray,
    split: Split,
    grid: np.ndarray,
    max_iter: int,
    n_jobs: int,
) -> list[_Fit]:
    # One BLAS thread per fit, whatever n_jobs is: sums are then added up in the same order, and
    # the numbers don't depend on how many fits run side by side.
    with threadpool_limits(limits=1):
        return joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_fit)(table, labels, controls, split, grid, max_iter)
            for table, controls in tasks
        )


def _fit(
    vectors: np.ndarray,
    labels: np.ndarray,
    controls: list[np.ndarray],
    split: Split,
    grid: np.ndarray,
    max_iter: int,
) -> _Fit:
    """Fit one table with each C, keep the one that does best on the dev part; then its controls."""
    table = prepare(vectors, split.train)
    classes, targets = np.unique(labels[split.train], return_inverse=True)
    best, best_score = None, -1.0
    for probe in fit_path(table, targets, len(classes), grid, max_iter):
        score = 0.0
        if len(grid) > 1:
            named = classes[probe.scores(table.features[split.dev]).argmax(axis=1)]
            score = float(np.mean(named == labels[split.dev]))
        if score > best_score:
            best, best_score = probe, score
    test = table.features[split.test]
    control_correct = np.zeros((len(controls), len(test)), dtype=bool)
    for i, control in enumerate(controls):
        known, drawn = np.unique(control[split.train], return_inverse=True)
        (probe,) = fit_path(table, drawn, len(known), [best.C], max_iter)
        control_correct[i] = known[probe.scores(test).argmax(axis=1)] == control[split.test]
    return _Fit(
        predictions=classes[best.scores(test).argmax(axis=1)],
        control_correct=control_correct,
        C=best.C,
        iterations=best.iterations,
        converged=best.converged,
    )


def _check_options(
    n_bootstrap: int, confidence: float, max_iter: int, control_labelings: int
) -> None:
    check_confidence(confidence)
    least = {"n_bootstrap": 100, "max_iter": 1, "control_labelings": 0}
    given = {
        "n_bootstrap": n_bootstrap,
        "max_iter": max_iter,
        "control_labelings": control_labelings,
    }
    for name, value in given.items():
        if not isinstance(value, (int, np.integer)) or value < least[name]:
            raise ValueError(f"{name}={value!r}: a whole number from {least[name]} on is needed.")


def _checked_study(
    features: Activations | Features,
    labels: Sequence | np.ndarray,
    split: Split | str | None,
    grid: np.ndarray,
    seed: int,
) -> tuple[np.ndarray, Split]:
    """The labels as text, and the split; or an error that names what is wrong with the study."""
    if not isinstance(features, (Activations, Features)):
        raise TypeError(
            f"Activations or Features are probed, not {type(features).__name__}. Tables of your "
            "own: activations.features({name: table})."
        )
    labels = checked_labels(features, labels)
    check_finite(features)
    if split is None or isinstance(split, str):
        split = split_by(features, split, dev=0.15 if len(grid) > 1 else 0.0, seed=seed)
    split.check(len(labels))
    if len(grid) > 1 and not len(split.dev):
        raise ValueError("Several values of C need a dev part in the split to choose on.")
    classes = np.unique(labels[split.train])
    if len(classes) < 2:
        raise ValueError(
            f"The training words all have the label {str(classes[0])!r}: a probe needs two or more."
        )
    return labels, split


def _checked_baselines(
    features: Activations | Features, labels: np.ndarray, baselines: Mapping[str, object]
) -> dict[str, list[Activations | Features]]:
    """Those that are to be probed, each as a list of runs."""
    runs = {}
    for name, given in baselines.items():
        if name in ("majority", "lookup") or name in features.names or not isinstance(name, str):
            raise ValueError(
                f"A baseline can't be called {name!r}: that name is taken, or no text."
            )
        listed = [given] if isinstance(given, (Activations, Features)) else given
        probed = [isinstance(run, (Activations, Features)) for run in listed]
        if not any(probed):
            if len(_as_labels(given)) != len(labels):
                raise ValueError(
                    f"The baseline {name!r} names {len(_as_labels(given))} labels for "
                    f"{len(labels)} words."
                )
            continue
        if not all(probed):
            raise TypeError(f"The baseline {name!r} mixes activations with something else.")
        for run in listed:
            if run.words != features.words:
                raise ValueError(
                    f"The baseline {name!r} is not of the same words in the same order."
                )
            if len(run.names) not in (1, len(features.names)):
                raise ValueError(
                    f"The baseline {name!r} has {len(run.names)} layers or tables, but "
                    f"{len(features.names)} are probed."
                )
            check_finite(run)
        if len({len(run.names) for run in listed}) > 1:
            raise ValueError(f"The runs of the baseline {name!r} differ in their number of layers.")
        runs[name] = list(listed)
    return runs


def _as_labels(given: Sequence | np.ndarray) -> np.ndarray:
    return np.array([str(label) for label in given])


def _bootstrap(features: Activations | Features, split: Split, n: int, seed: int) -> Bootstrap:
    return Bootstrap.of(
        features.sentence_ids,
        features.document_ids,
        test=split.test,
        others=np.concatenate([split.train, split.dev]),
        n=n,
        seed=seed,
    )


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
    """The mean over the words where that holds, (..., words) -> (...); NaN where it nowhere does."""
    if not where.any():
        return np.full(correct.shape[:-1], np.nan)
    return correct[..., where].mean(axis=-1)


def _mean_of_runs(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)


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


def _warn_of_convergence(names: Sequence[Name], fits: Sequence[_Fit]) -> None:
    late = [str(name) for name, fit in zip(names, fits, strict=True) if not fit.converged]
    if late:
        warnings.warn(
            f"The probe did not converge at layer {', '.join(late)}. Raise max_iter, or lower C; "
            "the features are scaled already. The accuracies are those of the last iteration.",
            ConvergenceWarning,
            stacklevel=3,
        )
