"""Which words train a probe, which choose its C, and which test it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from whichlayer.activations import Activations, Features, indices_of_words
from whichlayer.corpora import Sentence


@dataclass(frozen=True)
class Split:
    """Which words train a probe, which choose its C, and which test it.

    Attributes:
        train, dev, test: words, as indices (from 0) or as masks over all words; kept as indices.
            ``dev`` may be empty.
        n_words: how many words there are in all, where masks or sentences said so; else None.

    Raises:
        TypeError: floats or text where words should be named.
        ValueError: an empty train or test part, masks of different lengths, negative indices, a
            word in two parts or twice in one.
    """

    train: np.ndarray
    dev: np.ndarray
    test: np.ndarray
    n_words: int | None = None

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("train", "dev", "test")}
        sizes = {len(p) for p in map(np.asarray, given.values()) if p.dtype == bool and p.ndim == 1}
        if self.n_words is not None:
            sizes.add(self.n_words)
        if len(sizes) > 1:
            raise ValueError(
                f"The split's masks are of different lengths: {', '.join(map(str, sorted(sizes)))}."
            )
        object.__setattr__(self, "n_words", sizes.pop() if sizes else None)
        for name, part in given.items():
            indices = indices_of_words(part, self.n_words, f"The split's {name} part")
            object.__setattr__(self, name, indices)
        for name in ("train", "test"):
            if not len(getattr(self, name)):
                raise ValueError(f"The split's {name} part is empty.")
        everything = np.concatenate([self.train, self.dev, self.test])
        if len(np.unique(everything)) != len(everything):
            raise ValueError("A word stands in two parts of the split.")

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Split:
        """The split that a corpus comes with, from the ``part`` of each sentence.

        Args:
            sentences: the sentences that the activations were made of, in the same order.

        Raises:
            ValueError: a sentence that is of none of the parts train, dev and test, or a corpus
                without training or test sentences.
        """
        parts = [
            (getattr(sentence, "part", ""), len(sentence), sentence.id) for sentence in sentences
        ]
        for part, _, sentence_id in parts:
            if part not in ("train", "dev", "test"):
                raise ValueError(
                    f"Sentence {sentence_id!r} is of no part (train, dev or test): its part is "
                    f"{part!r}. Load a corpus that comes with a split, or make one with "
                    "split_by(activations)."
                )
        of_word = np.repeat([p for p, _, _ in parts], [n for _, n, _ in parts])
        return cls(*(of_word == part for part in ("train", "dev", "test")))

    def check(self, n_words: int) -> None:
        """Raise a ValueError unless the split fits that many words."""
        if self.n_words not in (None, n_words):
            raise ValueError(f"The split is of {self.n_words} words, but there are {n_words}.")
        if max(part.max(initial=-1) for part in (self.train, self.dev, self.test)) >= n_words:
            raise ValueError(f"The split names words beyond the {n_words} that there are.")


def split_by(
    features: Activations | Features,
    unit: str | None = None,
    *,
    test: float = 0.25,
    dev: float = 0.0,
    seed: int = 0,
) -> Split:
    """A random split that keeps whole sentences or whole documents together.

    Words of one sentence share its context and often repeat, so a split by word lets a probe see
    its test data; sentences of one document share its topic and its names.

    Args:
        features: what will be probed.
        unit: ``"document"`` or ``"sentence"``; by default the document, or where there are too few
            documents to fill the parts, the sentence.
        test: the share of units that test, between 0 and 1; at least one unit.
        dev: the share of units set aside for choosing C, from 0 to below 1.
        seed: seeds the draw.

    Raises:
        ValueError: an unknown unit, a share out of range, or too few units to fill the parts.
    """
    if unit not in ("document", "sentence", None):
        raise ValueError(f"unit={unit!r} is unknown: choose 'document' or 'sentence'.")
    if not 0 < test < 1 or not 0 <= dev < 1:
        raise ValueError(
            f"test={test} and dev={dev} are shares of the units: test lies between 0 and 1, dev "
            "from 0 to below 1."
        )
    if unit is None:
        needed = 3 if dev else 2
        unit = "document" if len(set(features.document_ids)) >= needed else "sentence"
    ids = features.document_ids if unit == "document" else features.sentence_ids
    units, of_word = np.unique(np.asarray(ids), return_inverse=True)
    n_test = max(1, round(test * len(units)))
    n_dev = max(1, round(dev * len(units))) if dev else 0
    if n_test + n_dev >= len(units):
        s, hint = ("", f" Each {unit} needs an id of its own.") if len(units) == 1 else ("s", "")
        raise ValueError(
            f"{len(units)} {unit}{s} can't be split into {n_test} for testing, {n_dev} for choosing "
            f"C and at least one for training.{hint}"
        )
    order = np.random.default_rng(seed).permutation(len(units))
    part = np.zeros(len(units), dtype=int)
    part[order[:n_test]] = 2
    part[order[n_test : n_test + n_dev]] = 1
    return Split(*(part[of_word] == p for p in range(3)))


def stratified_folds(labels: np.ndarray, n_folds: int = 5, *, seed: int = 0) -> list[Split]:
    """Splits in which every word tests once, and each label has its share in every fold.

    For collections of single examples, such as a sense's sentences, that are too few to set a
    part aside.

    Args:
        labels: (words,), one a word.
        n_folds: how many parts; each tests once while the others train.
        seed: seeds the draw.

    Returns:
        The splits, without dev parts, in the order of the folds.

    Raises:
        ValueError: fewer than two folds, or more than some label has words.
    """
    labels = np.asarray(labels)
    values, counts = np.unique(labels, return_counts=True)
    if not 2 <= n_folds <= counts.min(initial=len(labels)):
        rarest = values[counts.argmin()] if len(values) else ""
        raise ValueError(
            f"n_folds={n_folds}: there must be two or more, and each label needs a word in each; "
            f"{rarest!r} has {counts.min(initial=len(labels))}."
        )
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    nobody = np.zeros(0, dtype=int)
    return [
        Split(train, nobody, test, n_words=len(labels))
        for train, test in folds.split(labels, labels)
    ]
