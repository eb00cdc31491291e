"""Figures that the chapters show but can't measure on the spot: recorded by us, or published."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
import pandas as pd

from whichlayer.corpora import Sentence, load_senses, load_treebank
from whichlayer.profiles import Baseline, ProbeResult, ProfileOverC, from_the_words, word_types
from whichlayer.properties import SENSE, sense_words, word_properties
from whichlayer.resampling import Bootstrap
from whichlayer.splits import Split, stratified_folds

# The three encoders of which profiles are recorded.
RECORDED = ("minilm", "e5", "smollm2")


def load_ewt_profiles() -> pd.DataFrame:
    """The course's recorded layer profiles of MiniLM on UD English EWT.

    Trained on the first 1,000 sentences of EWT-dev, tested on EWT-test, C = 0.01, first subword,
    three control labelings, seed 0; intervals draw whole documents. ``build_tools/record.py`` makes
    them, with the sums of what made them; where the treebank is at hand, a test measures one layer
    again.

    Returns:
        One row per property (``"part of speech"``, ``"dependency relation"``) and layer, with the
        columns of :meth:`~whichlayer.profiles.ProbeResult.table` and the numbers of words.
    """
    return _read("ewt_profiles.csv")


def load_encoder_profiles(encoder: str, where: str = "") -> dict[str, ProbeResult]:
    """The course's recorded probes of one of three encoders, on its own treebank and senses.

    C was chosen on the dev part from 0.001, 0.01 and 0.1, for each layer by itself; words are read
    as the encoder's entry in ``whichlayer.bundled`` says. ``build_tools/record.py`` makes them. E5 and SmolLM2 are the 4-bit
    versions that the course reads.

    Args:
        encoder: ``"minilm"``, ``"e5"`` or ``"smollm2"``.
        where: read a decoder's words at another place: from their ``"first subword"``, or from
            the last subword of the ``"next word"``; for three properties only.

    Returns:
        The name of each property (:func:`~whichlayer.properties.word_properties`, and
        ``"word sense"``), and its result, with the baseline ``"random twin"`` (all weights drawn
        anew), which chose its own C. For the sense, each word is named by a probe that was trained
        on four fifths of the sentences and not on its own, with C = 0.01, and the intervals draw
        the ambiguous nouns. Results of one property are on the same words for all encoders, so
        :func:`~whichlayer.profiles.compare` compares them.

    Raises:
        ValueError: an encoder or a place of which nothing is recorded; the message lists what
            there is.
    """
    _check_recorded(encoder)
    arrays = recorded_arrays()
    recorded = [key.split("/")[1:] for key in arrays if key.startswith(f"{encoder}/")]
    places = {
        key[0]: None for key in recorded if len(key) > 1 and key[0] not in ("trained", "twin")
    }
    if where and where not in places:
        raise ValueError(
            f"Of {encoder!r} nothing is recorded at the {where!r}; "
            f"there is {', '.join(places) or 'no other place'}."
        )
    treebank = load_treebank()
    properties = word_properties(treebank)
    names = [name for name in properties if [where or "trained", name] in recorded]
    found = {
        name: _result(
            treebank, properties[name], arrays, f"{encoder}/{where or 'trained'}/{name}",
            None if where else f"{encoder}/twin/{name}",
        )
        for name in names
    }  # fmt: skip
    if not where:
        found[SENSE] = _senses(arrays, encoder)
    return found


def _result(
    sentences: list[Sentence],
    labels: np.ndarray,
    arrays: dict[str, np.ndarray],
    key: str,
    twin: str | None,
) -> ProbeResult:
    words = [word for sentence in sentences for word in sentence.words]
    split, types = Split.of(sentences), word_types(words)
    truth, classes = labels[split.test], np.unique(labels[split.train])
    baselines = from_the_words(words, labels, split)
    if twin:
        named = classes[arrays[twin].T]
        baselines["random twin"] = Baseline.of(named[None], truth, arrays[f"{twin}/C"][None])
    return from_recorded(
        classes[arrays[key].T],
        truth,
        arrays[f"{key}/C"],
        test_words=np.array(words)[split.test],
        seen=np.isin(types[split.test], types[split.train]),
        classes=classes,
        baselines=baselines,
        n_train=len(split.train),
        n_dev=len(split.dev),
        bootstrap=bootstrap_of(sentences, split),
    )


def bootstrap_of(sentences: list[Sentence], split: Split) -> Bootstrap:
    """The draws of a corpus's test words, as a probe on them would make them."""
    sizes = list(map(len, sentences))
    return Bootstrap.of(
        np.repeat([s.id for s in sentences], sizes),
        np.repeat([s.document_id for s in sentences], sizes),
        test=split.test,
        others=np.concatenate([split.train, split.dev]),
    )


def _senses(arrays: dict[str, np.ndarray], encoder: str) -> ProbeResult:
    senses = load_senses()
    at, labels, nouns = sense_words(senses)
    words = np.array([word for sentence in senses for word in sentence.words])[at]
    classes, folds = np.unique(labels), stratified_folds(labels)
    types = word_types(words)
    seen = np.zeros(len(at), dtype=bool)
    named = {"majority": np.empty_like(labels), "lookup": np.empty_like(labels)}
    for split in folds:
        seen[split.test] = np.isin(types[split.test], types[split.train])
        for name, baseline in from_the_words(words, labels, split).items():
            named[name][split.test] = baseline.predictions[0, 0]
    named["random twin"] = classes[arrays[f"{encoder}/twin/{SENSE}"].T]
    predictions = classes[arrays[f"{encoder}/trained/{SENSE}"].T]
    return from_recorded(
        predictions,
        labels,
        np.full(len(predictions), 0.01),
        test_words=words,
        seen=seen,
        classes=classes,
        baselines={
            name: Baseline.of(np.atleast_2d(given)[None], labels) for name, given in named.items()
        },
        n_train=len(folds[0].train),
        n_dev=0,
        bootstrap=Bootstrap("noun", nouns),
    )


def from_recorded(predictions: np.ndarray, truth: np.ndarray, C: np.ndarray, **more) -> ProbeResult:
    """A result from the labels that were named: (rows, test words), with what else is known of it.

    No control tasks; and a recorder keeps no probe that didn't converge.
    """
    rows = len(predictions)
    return ProbeResult(
        names=tuple(range(rows)),
        predictions=predictions,
        truth=truth,
        C=C,
        iterations=np.full(rows, np.nan),
        converged=np.ones(rows, dtype=bool),
        control_correct=np.zeros((0, rows, len(truth)), dtype=bool),
        confidence=0.95,
        **more,
    )


def load_profiles_over_C(of: str = "layers") -> dict[str, ProfileOverC]:
    """The course's recorded probes of MiniLM on its treebank with several strengths of the penalty.

    Args:
        of: ``"layers"``, the eight properties at each layer; or ``"ways"``, four tasks with the
            ways of combining layers that chapter 3 compares.

    Returns:
        The name of each property or task, and what
        :func:`~whichlayer.probing.profile_over_C` found: for C of 0.001, 0.01 and 0.1, for part of
        speech at each layer from 0.0001 to 1.

    Raises:
        ValueError: there is no such record.
    """
    if of not in ("layers", "ways"):
        raise ValueError(f"Nothing is recorded of {of!r}; there is layers, ways.")
    treebank, arrays = load_treebank(), recorded_arrays("profiles_over_C.npz")
    labels = word_properties(treebank)
    if of == "ways":
        tasks = {"relation": "dependency relation", "role": "semantic role"}
        recorded = [key.split("/")[1] for key in arrays if key.startswith("ways/")]
        labels = {task: labels[tasks.get(task, task)] for task in dict.fromkeys(recorded)}
    split = Split.of(treebank)
    bootstrap = bootstrap_of(treebank, split)
    found = {}
    for name, values in labels.items():
        named = np.moveaxis(arrays[f"{of}/{name}"], 0, 2)  # (Cs, rows, test words)
        found[name] = ProfileOverC(
            Cs=arrays[f"{of}/{name}/C"],
            names=tuple(arrays["ways"].tolist()) if of == "ways" else tuple(range(named.shape[1])),
            predictions=np.unique(values[split.train])[named],
            truth=values[split.test],
            bootstrap=bootstrap,
            confidence=0.95,
        )
    return found


def load_added_over_C() -> pd.DataFrame:
    """What layer 3 of MiniLM adds to the embeddings, with three strengths of the penalty.

    Returns:
        One row per property of chapter 6 and C (0.001, 0.01, 0.1): ``bits added`` a word, with an
        interval ``low`` to ``high``; and their share ``of the bits missing``, and that ``of the
        errors`` (:func:`~whichlayer.conditional.conditional_probing`).
    """
    arrays = recorded_arrays("profiles_over_C.npz")
    columns = ("bits added", "low", "high", "of the bits missing", "of the errors")
    rows = [
        {"property": key.split("/")[1], "C": C, **dict(zip(columns, map(float, row), strict=True))}
        for key in arrays
        if key.startswith("added/")
        for C, row in zip((0.001, 0.01, 0.1), arrays[key], strict=True)
    ]
    return pd.DataFrame(rows)


def load_ewt_over_C() -> pd.DataFrame:
    """The recorded profiles of MiniLM on UD English EWT for C from 0.0001 to 1.

    Returns:
        One row per property, C and layer, with ``accuracy``, its interval ``low`` and ``high``,
        ``like_best``, and for each C how far the last layer lies above the embeddings:
        ``last_minus_first``, with an interval that holds for all C at once.
    """
    return _read("ewt_over_C.csv")


def load_encoder_similarity(encoder: str) -> dict[str, np.ndarray]:
    """How alike the layers of one of three encoders are, on the words of the treebank.

    Args:
        encoder: as for :func:`load_encoder_profiles`.

    Returns:
        ``"cosine"``: (L + 1, L + 1), of a word's vectors at two layers, on average;
        ``"anisotropy"``: (L + 1,), of different words at one layer; ``"cls cosine"``: (L + 1,
        L + 1), of the [CLS] vector of one sentence, where the encoder has one.

    Raises:
        ValueError: as there.
    """
    _check_recorded(encoder)
    kinds = ("cosine", "anisotropy", "cls cosine")
    arrays = recorded_arrays()
    return {kind: arrays[f"{encoder}/{kind}"] for kind in kinds if f"{encoder}/{kind}" in arrays}


def _check_recorded(encoder: str) -> None:
    if encoder not in RECORDED:
        raise ValueError(
            f"Nothing is recorded of {encoder!r}; there is {', '.join(RECORDED)}. Of others, "
            "probe_layers measures the same."
        )


def load_published(work: str) -> pd.DataFrame:
    """Numbers that others published, as they stand in their papers or notebooks.

    Args:
        work: the key of the work in the bibliography, such as ``"tenney2019pipeline"``.

    Returns:
        Columns ``model``, ``item`` (a task or a set-up), ``measure`` and ``value``.

    Raises:
        ValueError: there is nothing recorded from that work; the message lists what there is.
    """
    results = _read("published_results.csv")
    chosen = results[results["work"] == work]
    if chosen.empty:
        known = ", ".join(sorted(set(results["work"])))
        raise ValueError(f"Nothing is recorded from {work!r}; there is {known}.")
    return chosen.drop(columns="work").reset_index(drop=True)


def _read(name: str) -> pd.DataFrame:
    with resources.as_file(resources.files("whichlayer") / "data" / name) as path:
        return pd.read_csv(path)


@cache
def recorded_arrays(file: str = "encoder_profiles.npz") -> dict[str, np.ndarray]:
    """All arrays of a recorded file."""
    packed = resources.files("whichlayer") / "data" / file
    with resources.as_file(packed) as path, np.load(path) as kept:
        return dict(kept)
