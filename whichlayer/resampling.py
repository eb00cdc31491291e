"""How far would the numbers move on other text? The bootstrap that the course teaches and uses.

Words of one sentence aren't independent, nor are sentences of one document. So the test words are
drawn anew in whole *units*, the coarsest that the split kept together, and everything that is
compared is computed on the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtrit

# An interval from fewer units says more about these units than about text.
FEWEST_UNITS = 10


@dataclass(frozen=True)
class Bootstrap:
    """Draws of the test words, in whole units, the same draws for whatever is measured on them.

    Units are drawn whole, as many as there are, with replacement. Drawing sentences anew within
    the documents drawn doesn't mend a small number of documents: in simulated studies with 13 the
    intervals were then far too wide where documents don't differ, and still too narrow where they
    differ much. :func:`interval` allows for few units instead, and holds in both.

    Attributes:
        unit: what is drawn: ``"document"``, ``"sentence"`` or ``"word"``.
        unit_ids: (words,), the unit of each test word.
        n: how many draws. seed: seeds them.

    Sources: Davison & Hinkley 1997, Section 3.8 (nested data, drawn whole or in stages); Field &
    Welsh 2007 (drawing whole clusters gives consistent variances).
    """

    unit: str
    unit_ids: np.ndarray
    n: int = 1000
    seed: int = 0

    @classmethod
    def of(
        cls,
        sentence_ids: Sequence[str],
        document_ids: Sequence[str],
        *,
        test: np.ndarray | None = None,
        others: np.ndarray | None = None,
        n: int = 1000,
        seed: int = 0,
    ) -> Bootstrap:
        """The draws for the test words of a corpus.

        The unit is the document where no document has words both in the test part and in another;
        else the sentence, under the same condition; else the word. A corpus in which every
        sentence is a document of its own is drawn by sentence. Words without an id have no unit.

        Args:
            sentence_ids, document_ids: for each word of the corpus.
            test: indices of the words tested; all of them if not given.
            others: indices of the words that trained the probe or chose its C.
            n: how many draws.
            seed: seeds the draws.
        """
        sentences, documents = np.asarray(sentence_ids), np.asarray(document_ids)
        test = np.arange(len(sentences)) if test is None else np.asarray(test)
        others = np.zeros(0, dtype=int) if others is None else np.asarray(others)
        if _kept_together(documents, test, others):
            unit_ids = _codes(documents[test])
            # Sentences are told apart within their document: two may have sentences "1".
            if unit_ids.max() < _codes(documents[test], sentences[test]).max():
                return cls("document", unit_ids, n, seed)
        if _kept_together(sentences, test, others):
            return cls("sentence", _codes(sentences[test]), n, seed)
        return cls("word", np.arange(len(test)), n, seed)

    @property
    def n_units(self) -> int:
        """How many units there are to draw from."""
        return len(np.unique(self.unit_ids))

    @property
    def trustworthy(self) -> bool:
        """Whether there are ten units or more. With fewer, don't rely on any interval."""
        return self.n_units >= FEWEST_UNITS

    def __str__(self) -> str:
        return _counted(self.unit, self.n_units)

    @cached_property
    def _unit_of_word(self) -> np.ndarray:
        """(words,), the unit of each word, counted from 0."""
        return _codes(self.unit_ids)

    @cached_property
    def times(self) -> np.ndarray:
        """(draws, units): how often each unit stands in each draw; NaN where there is one only."""
        n_units = self.n_units
        if n_units == 1:  # drawn again and again it never differs, which would look like certainty
            return np.full((self.n, 1), np.nan)
        draw = np.random.default_rng(self.seed)
        share = np.full(n_units, 1 / n_units)
        return draw.multinomial(n_units, share, size=self.n).astype(float)

    def total(self, values: np.ndarray) -> np.ndarray:
        """The sum over the words of each draw: (words,) -> (draws,)."""
        per_unit = np.bincount(self._unit_of_word, weights=values, minlength=self.times.shape[1])
        return self.times @ per_unit

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean over the words of each draw: (words,) -> (draws,), (rows, words) -> (rows, draws).

        Raises:
            ValueError: values of another number of words.
        """
        values = np.asarray(values, dtype=float)
        if values.shape[-1] != len(self.unit_ids):
            raise ValueError(
                f"Values for {values.shape[-1]} words; {len(self.unit_ids)} are drawn."
            )
        words = self.total(np.ones(len(self.unit_ids)))
        rows = np.array([self.total(row) / words for row in values.reshape(-1, values.shape[-1])])
        return rows.reshape(*values.shape[:-1], self.n)


def interval(draws: np.ndarray, confidence: float = 0.95, n_units: int | None = None) -> np.ndarray:
    """The percentile interval of what was measured on each draw.

    Args:
        draws: (..., draws).
        confidence: the share of studies in which it should hold, between 0 and 1.
        n_units: how many units were drawn from. Draws from few units vary too little, so the
            interval then goes further into their tails: from 13 units, the 95% interval spans
            97.7% of the draws. Without it, the interval spans the share ``confidence``.

    Returns:
        (..., 2), low and high.

    Raises:
        ValueError: a confidence that isn't between 0 and 1.

    Source: the expanded percentile interval of Hesterberg 2015.
    """
    check_confidence(confidence)
    tail = _expanded((1 - confidence) / 2, n_units)
    return np.moveaxis(np.quantile(draws, [tail, 1 - tail], axis=-1), 0, -1)


def simultaneous_intervals(
    estimates: np.ndarray,
    draws: np.ndarray,
    confidence: float = 0.95,
    n_units: int | None = None,
) -> np.ndarray:
    """Intervals of which *all* hold at once with the confidence given.

    Each is the estimate plus or minus c standard deviations of its draws, where c is the quantile
    of the largest of the draws' distances from their estimates, in standard deviations. What is
    measured on the same words moves together, so c is smaller than Bonferroni's or Holm's, and
    unlike Holm's steps it gives intervals.

    Args:
        estimates: (n,), each on the words as they are.
        draws: (n, draws), the same on each draw.
        confidence: that none of the n intervals misses.
        n_units: how many units were drawn from, as in :func:`interval`.

    Returns:
        (n, 2), low and high.

    Source: the max-t method, Westfall & Young 1993.
    """
    check_confidence(confidence)
    estimates, draws = np.asarray(estimates, dtype=float), np.asarray(draws, dtype=float)
    spread = draws.std(axis=1)
    distance = _in_spreads(np.abs(draws - estimates[:, None]), spread[:, None])
    reach = _widened(np.quantile(distance.max(axis=0), confidence), n_units) * spread
    return np.stack([estimates - reach, estimates + reach], axis=1)


def not_worse_than_best(
    estimates: np.ndarray,
    draws: np.ndarray,
    confidence: float = 0.95,
    n_units: int | None = None,
) -> np.ndarray:
    """Which of several can't be told from the best, allowing for the best having been chosen.

    Row k is in unless some row lies further above it, in standard deviations of their difference,
    than the largest of all rows' deviations above k would lie by chance in a share of
    ``1 - confidence`` of studies. So the truly best row is in with the confidence given, whichever
    it is and however many there are. (The row that scores highest here is always in.)

    Args:
        estimates: (n,), larger is better.
        draws: (n, draws), the same on each draw.
        confidence: that the truly best is among those named.
        n_units: how many units were drawn from, as in :func:`interval`.

    Returns:
        (n,), True for those that can't be told from the best; all of them where the draws hold
        NaN.

    Source: multiple comparisons with the best, Hsu 1981, with the bootstrap's distribution of the
    largest studentised difference in the place of the normal one.
    """
    check_confidence(confidence)
    estimates, draws = np.asarray(estimates, dtype=float), np.asarray(draws, dtype=float)
    if np.isnan(draws).any():
        return np.ones(len(estimates), dtype=bool)
    kept = []
    for k in range(len(estimates)):
        above = estimates - estimates[k]
        moved = draws - draws[k] - above[:, None]
        spread = moved.std(axis=1)
        by_chance = np.quantile(_in_spreads(moved, spread[:, None]).max(axis=0), confidence)
        kept.append(_in_spreads(above, spread).max() <= _widened(by_chance, n_units))
    return np.array(kept)


@dataclass(frozen=True)
class Comparison:
    """Differences on the same words, each with its interval. ``print`` shows it as a sentence.

    Attributes:
        what: what was compared, one text each, such as ``"2 - 3"``.
        difference, low, high: a number where one pair was compared, else (n_compared,).
        unit, n_units: what was drawn anew for the interval, and how many there are.
        n_compared: how many differences the confidence covers together. One has its percentile
            interval; several have :func:`simultaneous_intervals`.
        confidence: that no interval misses.
    """

    what: tuple[str, ...]
    difference: float | np.ndarray
    low: float | np.ndarray
    high: float | np.ndarray
    unit: str
    n_units: int
    n_compared: int
    confidence: float

    @classmethod
    def of(
        cls,
        what: Sequence[str],
        estimates: np.ndarray,
        draws: np.ndarray,
        bootstrap: Bootstrap,
        confidence: float = 0.95,
    ) -> Comparison:
        """From differences (n,) and the same on each draw (n, draws); of any number of your own."""
        estimates = np.asarray(estimates, dtype=float)
        if len(estimates) == 1:
            low, high = interval(draws, confidence, bootstrap.n_units).T
            numbers = (float(estimates[0]), float(low[0]), float(high[0]))
        else:
            intervals = simultaneous_intervals(estimates, draws, confidence, bootstrap.n_units)
            numbers = (estimates, *intervals.T)
        units = (bootstrap.unit, bootstrap.n_units)
        return cls(tuple(map(str, what)), *numbers, *units, len(estimates), confidence)

    @property
    def settled(self) -> bool | np.ndarray:
        """Whether the interval leaves out 0: a bool, or (n_compared,)."""
        settled = (np.asarray(self.low) > 0) | (np.asarray(self.high) < 0)
        return bool(settled) if settled.ndim == 0 else settled

    @property
    def trustworthy(self) -> bool:
        """Whether there are ten units or more. With fewer, don't rely on the interval."""
        return self.n_units >= FEWEST_UNITS

    def __len__(self) -> int:
        return self.n_compared

    def _rows(self) -> Iterator[tuple]:
        columns = (self.difference, self.low, self.high, self.settled)
        return zip(self.what, *map(np.atleast_1d, columns), strict=True)

    def table(self) -> pd.DataFrame:
        """One row per difference: ``difference``, ``low``, ``high``, ``settled``."""
        columns = ["compared", "difference", "low", "high", "settled"]
        return pd.DataFrame(list(self._rows()), columns=columns).set_index("compared")

    def __str__(self) -> str:
        lines = [
            f"{what}: {difference:+.3f} [{low:+.3f}, {high:+.3f}], "
            + ("settled" if settled else "not settled")
            for what, difference, low, high, settled in self._rows()
        ]
        each = (
            "interval" if self.n_compared == 1 else f"intervals for all {self.n_compared} at once"
        )
        lines.append(f"({self.confidence:.0%} {each}, from {_counted(self.unit, self.n_units)})")
        return "\n".join(lines)

    __repr__ = __str__


def check_confidence(confidence: float) -> None:
    """Raise a ValueError unless the confidence lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence} isn't between 0 and 1; 0.95 is usual.")


def _expanded(tail: float, n_units: int | None) -> float:
    """The tail of the draws that holds a share of ``tail`` of the studies.

    The draws' variance lacks a share of 1/n, and where a t distribution is due they have a
    normal's tails: both are made good by looking further out.
    """
    if n_units is None:
        return tail
    if n_units < 2:
        return 0.0
    return float(ndtr(np.sqrt(n_units / (n_units - 1)) * stdtrit(n_units - 1, tail)))


def _widened(reach: float, n_units: int | None) -> float:
    """The same for a number of standard deviations of the draws: further, with t's tails."""
    if n_units is None or n_units < 2:
        return reach
    return float(np.sqrt(n_units / (n_units - 1)) * stdtrit(n_units - 1, ndtr(reach)))


def _counted(unit: str, n: int) -> str:
    doubt = "" if n >= FEWEST_UNITS else ": too few to be trusted"
    return f"{n} {unit}{'' if n == 1 else 's'}{doubt}"


def _in_spreads(distance: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Distances in units of their spread; infinite where there is a distance and no spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = distance / spread
    return np.where((spread == 0) & (np.abs(distance) < 1e-12), 0.0, ratio)


def _kept_together(ids: np.ndarray, test: np.ndarray, others: np.ndarray) -> bool:
    """Whether every test word has an id that no other part's word has."""
    return not (ids[test] == "").any() and not np.isin(ids[test], ids[others]).any()


def _codes(*ids: np.ndarray) -> np.ndarray:
    """A number from 0 for each distinct combination of ids, in sorted order."""
    codes = np.zeros(len(ids[0]), dtype=np.int64)
    for column in ids:
        values, inverse = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + inverse, return_inverse=True)[1]
    return codes
