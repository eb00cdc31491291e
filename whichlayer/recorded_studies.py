"""Chapters 8 and 9's recorded studies: two properties through every instrument, and erasure.

`build_tools/record.py` makes them, with the sums of what made them. They keep what each probe named,
so whatever follows is computed here as for a study that was just made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from whichlayer.code_length import CodeLength
from whichlayer.conditional import ConditionalResult
from whichlayer.corpora import Sentence, load_senses, load_treebank
from whichlayer.learning_curve import LearningCurve
from whichlayer.profiles import Baseline, ProbeResult, from_the_words, word_types
from whichlayer.properties import sense_words, word_properties
from whichlayer.resampling import Bootstrap
from whichlayer.results import bootstrap_of, from_recorded, recorded_arrays
from whichlayer.splits import Split

# The properties that were taken through every instrument.
STUDIED = ("part of speech", "dependency relation")


def load_capacity(property_: str) -> dict[str, ProbeResult]:
    """Probes of several kinds on every layer of MiniLM, on the course's treebank.

    From the nearest mean to a network with 256 hidden units; the number of neighbours, the penalty
    of a network (0.1, 1 or 10; trained for 20 rounds) and C (0.001, 0.01 or 0.1) were chosen on the
    dev part, for each layer by itself. Neighbours are the nearest by cosine. A probe of rank 2 or 8
    is a network of that width without a bend, so it is linear and has that many numbers to pass on.

    Args:
        property_: ``"part of speech"`` or ``"dependency relation"``.

    Returns:
        The name of each kind of probe, and its result, with three control tasks each.

    Raises:
        ValueError: another property.
    """
    study = _Study.of(property_)
    kinds = [k.split("/")[1] for k in study.arrays if k.startswith(f"{property_}/")]
    return {
        kind: study.result(
            f"{property_}/{kind}",
            C=study.arrays[f"{property_}/{kind}/chosen"] if kind == "linear" else None,
            chosen=None if kind == "linear" else study.arrays[f"{property_}/{kind}/chosen"],
        )
        for kind in dict.fromkeys(kinds)
    }


def load_learning_curves(property_: str) -> dict[str, LearningCurve]:
    """How MiniLM's profile on the treebank grows with the number of training words.

    Args:
        property_: as for :func:`load_capacity`.

    Returns:
        ``"linear"`` (C = 0.01), ``"nearest neighbours"`` (5, by cosine) and ``"MLP 32"``, each for 20
        draws of documents without replacement; and ``"drawn anew"``, linear, for 40 draws with
        replacement (:func:`~whichlayer.learning_curve.learning_curve`).

    Raises:
        ValueError: another property.
    """
    study = _Study.of(property_)
    prefix = f"curve/{property_}/"
    kinds = dict.fromkeys(k.split("/")[2] for k in study.arrays if k.startswith(prefix))
    return {
        kind: LearningCurve(
            sizes=tuple(study.arrays[f"{prefix}{kind}/sizes"].tolist()),
            names=tuple(range(study.arrays[prefix + kind].shape[2])),
            right=study.arrays[prefix + kind].astype(np.int32),
            documents=study.arrays[f"{prefix}{kind}/documents"],
            bootstrap=bootstrap_of(study.treebank, study.split),
            confidence=0.95,
        )
        for kind in kinds
    }


def load_code_lengths(property_: str) -> dict[str, CodeLength]:
    """Bits to send the training words' labels to somebody who has MiniLM's vectors, in five orders.

    Args:
        property_: as for :func:`load_capacity`.

    Returns:
        ``"linear"`` (C = 0.01) and ``"MLP 32"`` (penalty 1), which send the property; and ``"control
        task"``, linear, which sends random labels of word types.

    Raises:
        ValueError: another property.
    """
    study = _Study.of(property_)
    prefix = f"bits/{property_}/"
    found = {}
    for key, by_order in study.arrays.items():
        if key.startswith(prefix) and not key.endswith("/uniform"):
            names, uniform = tuple(range(by_order.shape[1])), float(study.arrays[f"{key}/uniform"])
            found[key.removeprefix(prefix)] = CodeLength(
                names, by_order.mean(axis=0), by_order, uniform, "document"
            )
    return found


def load_added(property_: str) -> ConditionalResult:
    """What each layer of MiniLM adds to its embeddings, with C chosen on the dev part.

    Args:
        property_: as for :func:`load_capacity`.

    Raises:
        ValueError: another property.
    """
    study = _Study.of(property_)
    kept = {
        what: study.arrays[f"added/{property_}/{what}"]
        for what in ("correct", "correct_alone", "surprise", "surprise_alone", "C")
    }
    return ConditionalResult(
        layers=tuple(range(1, len(kept["correct"]) + 1)),
        given=0,
        C_alone=float(study.arrays[f"added/{property_}/C_alone"]),
        bootstrap=bootstrap_of(study.treebank, study.split),
        confidence=0.95,
        **kept,
    )


def load_spoilt(property_: str) -> dict[str, list[ProbeResult]]:
    """What can be read where the weights of MiniLM or the order of the words are spoilt (C = 0.01).

    Args:
        property_: as for :func:`load_capacity`.

    Returns:
        ``"all weights random"``, ``"embeddings kept"`` (only the blocks are random), ``"weights
        shuffled"`` (each tensor keeps its values, in random places) and ``"words shuffled"`` (the
        trained encoder reads each sentence with its words in random order), three seeds each.

    Raises:
        ValueError: another property.
    """
    study = _Study.of(property_)
    prefix = f"spoilt/{property_}/"
    found: dict[str, list[ProbeResult]] = {}
    for key in study.arrays:
        if key.startswith(prefix) and not key.endswith("/chosen"):
            result = study.result(key, C=study.arrays[f"{key}/chosen"])
            found.setdefault(key.split("/")[2], []).append(result)
    return found


def load_erasure(of: str) -> dict[str, ProbeResult]:
    """What probes name after part of speech was erased linearly, at one layer or in the pass.

    All are linear with C = 0.01, unless the name says ``MLP 32`` (penalty 1) or ``nearest
    neighbours`` (5, by cosine).

    Args:
        of: which of the recorded studies.

            - ``"layer"``: each layer of MiniLM by itself, the eraser fitted on the probe's own
              words: ``"part of speech/erased/linear"``, and so on for ``dependency relation``, for
              other probes, and for ``as it was``, ``random/0`` to ``2`` (as many directions drawn
              evenly), ``equal variance/0`` to ``2`` and ``shuffled labels``.
            - ``"other words"``: the probe is trained on one half of the training documents, the
              eraser on words of the other: ``"plain/500"`` words and more, ``"shrunken/500"`` with
              the reference implementation's shrunken covariance; ``"own"`` where the eraser was
              fitted on the probe's half, and ``"as it was"``.
            - ``"pass"``: erased in MiniLM's forward pass at a layer:
              ``"erased/2/part of speech"``, and ``equal variance``.
            - ``"hidden"``: at layers 0, 2 and 4 the word's own state is erased, or hidden by the
              mean state, and its context erased, or left as it was:
              ``"word hidden, context as it was/2"``; fewer words than in the others.
            - ``"decoder"``: SmolLM2, ``"part of speech/as it was"`` and ``"part of speech/10"``, erased
              at layer 10 in the pass.

    Returns:
        Names, and results at every layer.

    Raises:
        ValueError: no such study.
    """
    prefixes = {
        "layer": "read/", "other words": "others/", "pass": "pass/", "hidden": "hidden/",
        "decoder": "read/",
    }  # fmt: skip
    if of not in prefixes:
        raise ValueError(f"Nothing is recorded of {of!r}; there is {', '.join(prefixes)}.")
    prefix, beside = prefixes[of], ("removed variance", "sizes", "words")
    file = "decoder_erasure.npz" if of == "decoder" else "erasure.npz"
    found = {}
    for key in recorded_arrays(file):
        name = key.removeprefix(prefix)
        if key.startswith(prefix) and name not in beside:
            property_ = next((p for p in STUDIED if p in name), STUDIED[0])
            study = _Study.of(property_, file)
            if of == "hidden":
                study = study.among(study.arrays["hidden/words"])
            elif of == "other words":
                study = replace(study, n_train=int(study.arrays["others/sizes"][1]))
            found[name] = study.result(key)
    return found


def load_effects(of: str) -> tuple[dict[str, np.ndarray], Bootstrap]:
    """What erasing or patching does to what an encoder is for, case by case.

    Args:
        of: which of the recorded studies.

            - ``"neighbours"``: of each sentence's ten nearest by MiniLM's own vector, how many stay
              when part of speech is erased at a layer (``"erased/3"``), and with the controls.
            - ``"sense"``: whether the nearest occurrence of a noun, at the last layer, has its sense.
            - ``"patched"``: whether a noun's vector at the last layer lies nearer to another sense
              than to its own, after the noun's state at a layer was replaced by one from a sentence
              with ``"another sense/3"`` or ``"the same sense/3"``, or the former was put in
              ``"another place/3"``; and with ``"nothing"`` replaced.
            - ``"decoder"``: SmolLM2's loss in nats on the test documents, a document's mean at each
              of its subwords; ``"erased/10"``, the controls, ``"next word's/10"`` and ``"leading
              directions/10"`` (those in which the states vary most).

    Returns:
        Names, and one value a case; and the draws: of documents, for senses of nouns.

    Raises:
        ValueError: no such study.
    """
    arrays = recorded_arrays("decoder_erasure.npz" if of == "decoder" else "erasure.npz")
    if of == "neighbours":
        sentences = load_treebank()
        draws = Bootstrap(
            "document", np.unique([s.document_id for s in sentences], return_inverse=True)[1]
        )
    elif of in ("sense", "patched"):
        draws = Bootstrap("noun", sense_words(load_senses())[2])
    elif of == "decoder":
        counts = arrays["subwords"]
        draws = Bootstrap("document", np.repeat(np.arange(len(counts)), counts))
    else:
        raise ValueError(
            f"Nothing is recorded of {of!r}; there is neighbours, sense, patched, decoder."
        )
    prefix = "loss/" if of == "decoder" else f"{of}/"
    found = {}
    for key, values in arrays.items():
        name = key.removeprefix(prefix)
        if name != key and name != "nouns":
            each = np.repeat(values / counts, counts) if of == "decoder" else values.astype(float)
            found[name] = each
    return found, draws


def load_removed_variance(encoder: str) -> dict[int, float]:
    """The share of the variance that erasing part of speech removes at each layer.

    Args:
        encoder: ``"minilm"``, or ``"smollm2"`` for the layers that were erased.

    Raises:
        ValueError: another encoder.
    """
    if encoder == "minilm":
        shares = recorded_arrays("erasure.npz")["read/removed variance"]
        return dict(enumerate(shares.tolist()))
    if encoder == "smollm2":
        prefix, arrays = "removed variance/", recorded_arrays("decoder_erasure.npz")
        return {
            int(key.removeprefix(prefix)): float(share)
            for key, share in arrays.items()
            if key.startswith(prefix)
        }
    raise ValueError(f"Nothing is recorded of {encoder!r}; there is minilm, smollm2.")


@dataclass(frozen=True)
class _Study:
    """What recorded numbers of labels are turned into results with."""

    arrays: dict[str, np.ndarray]
    treebank: list[Sentence]
    split: Split
    truth: np.ndarray
    classes: np.ndarray
    baselines: dict[str, Baseline]
    test_words: np.ndarray
    seen: np.ndarray
    bootstrap: Bootstrap
    n_train: int

    @classmethod
    def of(cls, property_: str, file: str = "instruments.npz") -> _Study:
        if property_ not in STUDIED:
            raise ValueError(
                f"Nothing is recorded of {property_!r}; there is {', '.join(STUDIED)}."
            )
        return _study(property_, file)

    def among(self, words: np.ndarray) -> _Study:
        """The same on some of the words: those of the test part are tested."""
        kept = np.isin(self.split.test, words)
        baselines = {
            name: Baseline.of(b.predictions[..., kept], self.truth[kept])
            for name, b in self.baselines.items()
        }
        return replace(
            self, truth=self.truth[kept], baselines=baselines, seen=self.seen[kept],
            test_words=self.test_words[kept], n_train=int(np.isin(self.split.train, words).sum()),
            bootstrap=replace(self.bootstrap, unit_ids=self.bootstrap.unit_ids[kept]),
        )  # fmt: skip

    def result(
        self, key: str, C: np.ndarray | None = None, chosen: np.ndarray | None = None
    ) -> ProbeResult:
        named = self.arrays[key]
        given = chosen is not None or key.endswith(("MLP 32", "neighbours"))
        C = np.full(len(named), np.nan if given else 0.01) if C is None else C
        control = self.arrays.get(f"{key}/control")
        found = from_recorded(
            self.classes[named], self.truth, C,
            test_words=self.test_words, seen=self.seen, classes=self.classes,
            baselines=self.baselines, n_train=self.n_train, n_dev=len(self.split.dev),
            bootstrap=self.bootstrap, chosen=chosen,
        )  # fmt: skip
        if control is not None:
            right = np.unpackbits(control, axis=-1, count=len(self.truth)).astype(bool)
            found = replace(found, control_correct=right)
        return found


@cache
def _study(property_: str, file: str) -> _Study:
    treebank = load_treebank()
    labels = word_properties(treebank)[property_]
    split = Split.of(treebank)
    words = [word for sentence in treebank for word in sentence.words]
    types = word_types(words)
    return _Study(
        arrays=recorded_arrays(file), treebank=treebank, split=split, truth=labels[split.test],
        classes=np.unique(labels[split.train]), baselines=from_the_words(words, labels, split),
        test_words=np.array(words)[split.test],
        seen=np.isin(types[split.test], types[split.train]),
        bootstrap=bootstrap_of(treebank, split), n_train=len(split.train),
    )  # fmt: skip
