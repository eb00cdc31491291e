"""Measure the layer profiles on UD English EWT that chapter 4 shows.

The treebank can't ship with the course, so the notebook reads recorded figures. A test measures
them again where the treebank is at hand. `record.py` runs this.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from whichlayer.corpora import load_ud_english_ewt, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder, random_twin
from whichlayer.probing import Split, probe_layers

PROPERTIES = {"part of speech": "upos", "dependency relation": "udeprel"}


def measure(*, baselines: bool = True) -> pd.DataFrame:
    """Probe MiniLM trained on the first 1,000 sentences of EWT-dev and tested on all of EWT-test.

    Args:
        baselines: also the control tasks and the random twin (three times as long).
    """
    train, test = load_ud_english_ewt("dev")[:1000], load_ud_english_ewt("test")
    encoder = load_encoder()
    activations = extract(encoder, train + test)
    twin = random_twin(encoder, seed=0)
    more = {"random_twin": extract(twin, train + test)} if baselines else {}
    in_train = np.arange(len(activations)) < sum(map(len, train))
    split = Split(train=in_train, dev=np.zeros_like(in_train), test=~in_train)
    tables = []
    for name, layer in PROPERTIES.items():
        result = probe_layers(
            activations,
            word_labels(train + test, layer),
            split=split,
            C=0.01,
            control_labelings=3 if baselines else 0,
            baselines=more,
            n_jobs=2,
        )
        table = result.table().reset_index()
        table.insert(0, "property", name)
        table.insert(2, "n_train", result.n_train)
        table.insert(3, "n_test", result.n_test)
        table.insert(4, "n_unseen", result.n_unseen)
        tables.append(table.drop(columns=["C", "iterations"]))
    return pd.concat(tables, ignore_index=True)


def record(target: Path) -> None:
    measure().to_csv(target, index=False, float_format="%.4f")
