"""Measure the profiles on UD English EWT with several strengths of the penalty, as chapter 4 tells them.

`record.py` runs this.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from record_ewt_profiles import PROPERTIES

from whichlayer.corpora import load_ud_english_ewt, word_labels
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.probing import Split, profile_over_C

CS = (0.0001, 0.001, 0.01, 0.1, 1.0)


def record(target: Path) -> None:
    train, test = load_ud_english_ewt("dev")[:1000], load_ud_english_ewt("test")
    activations = extract(load_encoder("minilm"), train + test, progress=False)
    in_train = np.arange(len(activations)) < sum(map(len, train))
    split = Split(train=in_train, dev=np.zeros_like(in_train), test=~in_train)
    rows = []
    for name, layer in PROPERTIES.items():
        labels = word_labels(train + test, layer)
        found = profile_over_C(activations, labels, split=split, Cs=CS, max_iter=2000, n_jobs=2)
        last = found.compare(-1, 0)
        for i, C in enumerate(CS):
            for k in found.names:
                low, high = found.accuracy_interval[i, k]
                rows.append(
                    {
                        "property": name, "C": C, "layer": k,
                        "accuracy": found.accuracy[i, k], "low": low, "high": high,
                        "like_best": k in found.not_worse_than_best[i],
                        "last_minus_first": last.difference[i],
                        "last_minus_first_low": last.low[i],
                        "last_minus_first_high": last.high[i],
                    }
                )  # fmt: skip
    pd.DataFrame(rows).to_csv(target, index=False, float_format="%.4f")
