"""The bundled encoders: how long they take to load, how fast they read, and the memory they take.

python -m benchmarks.encoders [--sentences 600] [--rounds 3] [--json FILE]

Times are processor seconds, which other work on the machine disturbs less than those of the clock.
Each encoder is loaded and run in a process of its own, with one thread.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import statistics
import sys
import time

import torch

from benchmarks import measure
from whichlayer.bundled import BUNDLED, OWN_FORMAT
from whichlayer.corpora import load_treebank
from whichlayer.extraction import extract
from whichlayer.models import load_encoder


def figures(name: str, sentences: int) -> dict[str, float]:
    torch.set_num_threads(1)
    # What transformers imports for an architecture is not the encoder's doing.
    reader = f"whichlayer.bundled.{name}" if name in OWN_FORMAT else "transformers.models.bert"
    importlib.import_module(reader)
    begin = time.process_time()
    encoder = load_encoder(name)
    loading = time.process_time() - begin
    chosen = load_treebank("test")[:sentences]
    extract(encoder, chosen[:8])  # warm up
    begin = time.process_time()
    words = len(extract(encoder, chosen).words)
    reading = time.process_time() - begin
    return {"loading": loading, "words a second": words / reading, "peak MB": measure.peak_mb()}


def main() -> int:
    arguments: argparse.Namespace = measure.parse_arguments(__doc__)
    arguments.threads = 1
    spawn = multiprocessing.get_context("spawn")
    rows = []
    for name in BUNDLED:
        found = []
        for _ in range(arguments.rounds):
            pool = spawn.Pool(1)
            found.append(pool.apply(figures, (name, arguments.sentences)))
            pool.close()  # not terminate(): the process would leave its semaphores behind
            pool.join()
        medians = {key: statistics.median(each[key] for each in found) for key in found[0]}
        rows.append({"encoder": name, **medians})
    measure.report("Bundled encoders, in processor seconds", rows, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
