"""A pytest plugin that lets nbval compare numbers within a tolerance, and everything else exactly.

Processors differ in the last digits, so a number counts as equal if it differs by at most

- two units in the last place that the stored output prints (0.870 and 0.872, but not 0.873), or
- the cell's own tolerance, where its metadata state one: {"tolerance": 0.05}; it then holds for
  all numbers of the cell, and the cell's comment says why.

A whole number, having no decimal places, must be equal unless the cell states a tolerance. Runs
of spaces count as one, since a table's columns widen with their numbers. Load it with
`-p notebook_comparison` beside `--nbval`.
"""

from __future__ import annotations

import copy
import re

from nbval.plugin import IPyNbCell

UNITS_IN_LAST_PLACE = 2

# A number that isn't part of a name (layer_0, toy-01, v2.1.0) or of a version or time.
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")


def close(stored: str, computed: str, tolerance: float | None) -> bool:
    """True if two outputs differ at most in numbers, each within its tolerance."""
    if stored == computed:
        return True
    if _words(stored) != _words(computed):
        return False
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(computed), strict=True)
    return all(_numbers_close(a, b, tolerance) for a, b in pairs)


def _words(text: str) -> list[str]:
    """The text with each number replaced by a mark, cut at white space and at rules of dashes."""
    return re.sub(r"[-─]{3,}", "---", NUMBER.sub(" # ", text)).split()


def _numbers_close(stored: str, computed: str, tolerance: float | None) -> bool:
    a, b = (float(text.replace(",", "")) for text in (stored, computed))
    if tolerance is None:
        mantissa, _, exponent = stored.partition("e")
        places = len(mantissa.partition(".")[2])
        if not places and not exponent:
            return a == b
        tolerance = UNITS_IN_LAST_PLACE * 10.0 ** (int(exponent or 0) - places)
    return abs(a - b) <= tolerance * (1 + 1e-9)


def adopt_close_outputs(computed: list, stored: list, tolerance: float | None) -> list:
    """The computed outputs, each text that is close to the stored one replaced by it."""
    adopted = copy.deepcopy(computed)
    for mine, theirs in zip(adopted, stored, strict=False):
        same_stream = "text" in mine and mine.get("name") == theirs.get("name")
        if same_stream and close(theirs["text"], mine["text"], tolerance):
            mine["text"] = theirs["text"]
        data, reference = mine.get("data", {}), theirs.get("data", {})
        for kind in ("text/plain", "text/html"):
            if kind in data and kind in reference and close(reference[kind], data[kind], tolerance):
                data[kind] = reference[kind]
    return adopted


_compare_exactly = IPyNbCell.compare_outputs


def _compare(self, test, ref, skip_compare=None):
    test = adopt_close_outputs(test, ref, self.cell.metadata.get("tolerance"))
    # Images differ by a few bytes between font and library builds; what they show is claimed and
    # checked in the cells around them.
    skip = (*(skip_compare or self.parent.skip_compare), "image/png")
    return _compare_exactly(self, test, ref, skip)


def pytest_configure(config):
    IPyNbCell.compare_outputs = _compare


def pytest_unconfigure(config):
    IPyNbCell.compare_outputs = _compare_exactly
