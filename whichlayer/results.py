"""Figures that the chapters show but can't measure on the spot: recorded by us, or published."""

from __future__ import annotations

from importlib import resources

import pandas as pd


def load_ewt_profiles() -> pd.DataFrame:
    """The course's recorded layer profiles of MiniLM on UD English EWT.

    Trained on the first 1,000 sentences of EWT-dev, tested on EWT-test, C = 0.01, first subword,
    three control labelings, seed 0; intervals draw whole documents. ``build_tools/record.py`` makes
    them, with the sums of what made them; where the treebank is at hand, a test measures one layer
    again.

    Returns:
        One row per property (``"part of speech"``, ``"dependency relation"``) and layer, with the
        columns of :meth:`~whichlayer.probing.ProbeResult.table` and the numbers of words.
    """
    return _read("ewt_profiles.csv")


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
