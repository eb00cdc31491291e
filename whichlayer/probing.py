"""What can a simple classifier read at each layer, and how sure may one be?

A probe is a logistic regression, or another classifier, trained on the vectors of one layer. Its
accuracy alone says little, so :func:`probe_layers` puts beside it what a reader must know: an
interval, the baselines, the accuracy on unseen words, a control task, and the set of layers that
can't be told from the best. :func:`profile_over_C` shows how much of a profile hangs on the
strength of the penalty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import joblib
import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from whichlayer.activations import Activations, Features
from whichlayer.classifier import (
    Probe,
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
    probe: object | Sequence[object] | None = None,
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
        probe: a scikit-learn classifier to be trained in place of the logistic regression, or
            several, of which each layer takes the one that does best on the dev part, the first
            among equals. It gets the vectors as they are: what needs them scaled brings its scaler,
            ``make_pipeline(StandardScaler(), MLPClassifier())``. C is then not used.
        control_labelings: how many control tasks to average; 0 leaves them out. They use the C, or
            the classifier, of their layer.
        baselines: name -> activations or features of the same words, such as those of
            ``random_twin(encoder)``; or a list of them (several seeds), whose mean and spread are
            reported; or one label per word, named by any other means. Each is probed like the
            features and chooses its own C. It needs the same layers or tables, or one table.
        n_bootstrap: draws of the test words, 100 or more.
        confidence: of the intervals.
        max_iter: the most iterations of the solver.
        n_jobs: layers fitted at the same time. The numbers are the same for any.
        seed: seeds the split, the control labels, the draws, and any classifier that draws and
            hasn't been seeded.

    Returns:
        A :class:`~whichlayer.profiles.ProbeResult`. Its intervals draw the coarsest unit that the split kept together
        (:class:`~whichlayer.resampling.Bootstrap`): they say how far the numbers would move on
        other test text, not with other training text.

    Raises:
        TypeError, ValueError: labels of another number than words, missing labels, a single class
            in training, NaN or infinite vectors, several values of C or several classifiers without
            a dev part, a probe that is no classifier, a baseline of other words, a split that
            doesn't fit, an option out of range. The message names what is wrong.

    Warns:
        ConvergenceWarning: once, naming the layers at which max_iter didn't suffice.
        UserWarning: the test words come from fewer than ten units, so that no interval can be
            trusted.

    Sources: control task and selectivity, Hewitt & Liang 2019, Sections 2 and 3; paired bootstrap,
    Berg-Kirkpatrick et al. 2012.
    """
    probes = _Logistic(checked_grid(C), max_iter) if probe is None else _Given.of(probe, seed)
    _check_options(n_bootstrap, confidence, max_iter, control_labelings)
    labels, split = _checked_study(features, labels, split, len(probes), seed)
    runs = _checked_baselines(features, labels, baselines or {})
    truth = labels[split.test]
    types = word_types(features.words)
    controls = [
        _control_labels(types, labels[split.train], seed + i) for i in range(control_labelings)
    ]
    tasks = [(features.layer(name), controls) for name in features.names]
    for given in runs.values():
        tasks += [(run.layer(name), []) for run in given for name in run.names]
    fits = _fit_all(tasks, labels, split, probes, n_jobs)
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
        chosen=None if probe is None else np.array([fit.chosen for fit in own]),
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
    labels, split = _checked_study(features, labels, split, 1, seed)
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
    chosen: int
    iterations: float
    converged: bool


@dataclass(frozen=True)
class _Fitted:
    names: Callable[[np.ndarray], np.ndarray]  # indices of words -> their labels
    C: float = np.nan
    iterations: float = np.nan
    converged: bool = True


@dataclass(frozen=True)
class _Logistic:
    """The course's own probe, once for each C."""

    Cs: np.ndarray
    max_iter: int

    def __len__(self) -> int:
        return len(self.Cs)

    def on(self, vectors: np.ndarray, train: np.ndarray) -> Callable[..., list[_Fitted]]:
        """What fits all of them, or the one that is wanted, to labels of the table's words."""
        table = prepare(vectors, train)

        def fit(labels: np.ndarray, only: int | None = None) -> list[_Fitted]:
            classes, targets = np.unique(labels[train], return_inverse=True)
            Cs = self.Cs if only is None else self.Cs[[only]]

            def fitted(probe: Probe) -> _Fitted:
                def names(words):
                    return classes[probe.scores(table.features[words]).argmax(axis=1)]

                return _Fitted(names, probe.C, probe.iterations, probe.converged)

            return [fitted(p) for p in fit_path(table, targets, len(classes), Cs, self.max_iter)]

        return fit


@dataclass(frozen=True)
class _Given:
    """Classifiers of scikit-learn, or of its kind."""

    classifiers: list[object]

    @classmethod
    def of(cls, probe: object | Sequence[object], seed: int) -> _Given:
        given = list(probe) if isinstance(probe, (list, tuple)) else [probe]
        for one in given:
            if isinstance(one, type) or not (hasattr(one, "fit") and is_classifier(one)):
                raise TypeError(
                    f"probe={one!r} is no classifier: give one of scikit-learn's, made with its "
                    "options, such as KNeighborsClassifier(10), or a list of them."
                )
        if not given:
            raise ValueError("probe=[]: there is no classifier to train.")
        return cls([_seeded(one, seed) for one in given])

    def __len__(self) -> int:
        return len(self.classifiers)

    def on(self, vectors: np.ndarray, train: np.ndarray) -> Callable[..., list[_Fitted]]:
        def fit(labels: np.ndarray, only: int | None = None) -> list[_Fitted]:
            fitted = []
            for one in self.classifiers if only is None else [self.classifiers[only]]:
                probe = clone(one).fit(vectors[train], labels[train])
                fitted.append(_Fitted(lambda words, probe=probe: probe.predict(vectors[words])))
            return fitted

        return fit


def _seeded(classifier: object, seed: int) -> object:
    """A copy in which everything that draws and has no seed has this one."""
    parameters = classifier.get_params(deep=True)
    unseeded = [
        name
        for name, value in parameters.items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return clone(classifier).set_params(**dict.fromkeys(unseeded, seed))


def _fit_all(
    tasks: Sequence[tuple[np.ndarray, list[np.ndarray]]],
    labels: np.ndarray,
    split: Split,
    probes: _Logistic | _Given,
    n_jobs: int,
) -> list[_Fit]:
    # One BLAS thread per fit, whatever n_jobs is: sums are then added up in the same order, and
    # the numbers don't depend on how many fits run side by side.
    with threadpool_limits(limits=1):
        return joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(_fit)(table, labels, controls, split, probes)
            for table, controls in tasks
        )


def _fit(
    vectors: np.ndarray,
    labels: np.ndarray,
    controls: list[np.ndarray],
    split: Split,
    probes: _Logistic | _Given,
) -> _Fit:
    """Fit each probe to one table, keep the one that does best on the dev part; then its controls."""
    fit = probes.on(vectors, split.train)
    fitted, chosen = fit(labels), 0
    if len(fitted) > 1:
        on_dev = [np.mean(probe.names(split.dev) == labels[split.dev]) for probe in fitted]
        chosen = int(np.argmax(on_dev))
    control_correct = np.zeros((len(controls), len(split.test)), dtype=bool)
    for i, control in enumerate(controls):
        (probe,) = fit(control, only=chosen)
        control_correct[i] = probe.names(split.test) == control[split.test]
    best = fitted[chosen]
    return _Fit(
        predictions=best.names(split.test),
        control_correct=control_correct,
        C=best.C,
        chosen=chosen,
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
    n_probes: int,
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
        split = split_by(features, split, dev=0.15 if n_probes > 1 else 0.0, seed=seed)
    split.check(len(labels))
    if n_probes > 1 and not len(split.dev):
        raise ValueError(
            "Several values of C, or several classifiers, need a dev part in the split to choose on."
        )
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
