"""What can a simple classifier read at each layer, and how sure may one be?

A probe is a logistic regression trained on the vectors of one layer. Its accuracy alone says
little, so :func:`probe_layers` puts beside it what a reader must know: an interval, the baselines,
the accuracy on unseen words, a control task, and the set of layers that can't be told from the
best. :func:`profile_over_C` shows how much of a profile hangs on the strength of the penalty.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations, Features
from whichlayer.classifier import (
    check_finite,
    checked_grid,
    checked_labels,
    fit_path,
    prepare,
)
from whichlayer.profiles import (
    Baseline,
    Name,
    ProbeResult,
    ProfileOverC,
    from_the_words,
    word_types,
)
from whichlayer.resampling import Bootstrap, check_confidence
from whichlayer.splits import Split, split_by


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
        A :class:`~whichlayer.profiles.ProbeResult`. Its intervals draw the coarsest unit that the split kept together
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
    types = word_types(features.words)
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
    for name, given in (baselines or {}).items():
        if name not in runs:
            found[name] = Baseline.of(_as_labels(given)[split.test][None, None], truth)

    bootstrap = _bootstrap(features, split, n_bootstrap, seed)
    if not bootstrap.trustworthy:
        warnings.warn(
            f"The test words come from {bootstrap}. An interval from fewer than ten units says "
            "more about these than about other text.",
            UserWarning,
            stacklevel=2,
        )
    return ProbeResult(
        names=features.names,
        predictions=np.array([fit.predictions for fit in own]),
        truth=truth,
        test_words=np.asarray(features.words)[split.test],
        seen=np.isin(types[split.test], types[split.train]),
        classes=np.unique(labels[split.train]),
        baselines=found | from_the_words(features.words, labels, split),
        control_correct=np.array([fit.control_correct for fit in own]).transpose(1, 0, 2),
        C=np.array([fit.C for fit in own]),
        iterations=np.array([fit.iterations for fit in own]),
        converged=np.array([fit.converged for fit in own]),
        n_train=len(split.train),
        n_dev=len(split.dev),
        bootstrap=bootstrap,
        confidence=confidence,
    )


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
        A :class:`~whichlayer.profiles.ProfileOverC`.

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
    return ProfileOverC(
        Cs=grid,
        names=features.names,
        predictions=predictions,
        truth=labels[split.test],
        bootstrap=_bootstrap(features, split, n_bootstrap, seed),
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


def _control_labels(types: np.ndarray, train_labels: np.ndarray, seed: int) -> np.ndarray:
    """A random label for each word type, drawn as often as the real labels occur in training."""
    unique, of_word = np.unique(types, return_inverse=True)
    draw = np.random.default_rng(seed)
    return draw.choice(train_labels, size=len(unique))[of_word]


def _warn_of_convergence(names: Sequence[Name], fits: Sequence[_Fit]) -> None:
    late = [str(name) for name, fit in zip(names, fits, strict=True) if not fit.converged]
    if late:
        warnings.warn(
            f"The probe did not converge at layer {', '.join(late)}. Raise max_iter, or lower C; "
            "the features are scaled already. The accuracies are those of the last iteration.",
            ConvergenceWarning,
            stacklevel=3,
        )
