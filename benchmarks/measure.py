"""Run variants of a task in fresh processes, in turn, and report time and peak memory."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from whichlayer.corpora import (
    CorpusUnavailableError,
    Sentence,
    load_toy_corpus,
    load_ud_english_ewt,
)


def parse_arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sentences", type=int, default=600, help="how many (default 600)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each variant (default 3)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def corpus(n: int) -> tuple[str, list[Sentence]]:
    """The first n sentences of EWT-dev, or the toy corpus where EWT can't be had."""
    try:
        return f"EWT-dev, first {n} sentences", load_ud_english_ewt("dev")[:n]
    except CorpusUnavailableError as error:
        print(f"EWT is not at hand, so the toy corpus is measured. ({error})", file=sys.stderr)
        return "toy corpus", load_toy_corpus()


def compare(
    variants: dict[str, Callable[[argparse.Namespace], Callable[[], object]]],
    arguments: argparse.Namespace,
) -> dict[str, dict]:
    """Time each variant ``rounds`` times, in turn (A B C A B C), each in a process of its own.

    A variant prepares (loads the model and the corpus, untimed) and returns the function to time.

    Returns:
        For each variant the median ``seconds`` and ``cpu_seconds``, all of both, ``peak_mb`` (the process's
        largest resident memory, the loaded libraries and model included) and ``result``.
    """
    spawn = multiprocessing.get_context("spawn")
    figures = {name: {"all_seconds": [], "all_cpu": []} for name in variants}
    for _ in range(arguments.rounds):
        for name, variant in variants.items():
            # A fresh process each time: peak memory can't be reset, and caches would be shared.
            pool = spawn.Pool(1)
            seconds, cpu, peak, result = pool.apply(_run, (variant, arguments))
            pool.close()  # not terminate(): the process would leave its semaphores behind
            pool.join()
            figures[name]["all_seconds"].append(seconds)
            figures[name]["all_cpu"].append(cpu)
            figures[name]["peak_mb"] = max(peak, figures[name].get("peak_mb", 0))
            figures[name]["result"] = result
    for figure in figures.values():
        figure["seconds"] = statistics.median(figure["all_seconds"])
        figure["cpu_seconds"] = statistics.median(figure["all_cpu"])
    return figures


def report(title: str, rows: Sequence[dict], arguments: argparse.Namespace) -> None:
    """Print the rows as a table, and write them as JSON where that was asked for."""
    print(
        f"\n{title}\n{platform.machine()}, {arguments.threads} threads, torch {torch.__version__}"
    )
    names = list(rows[0])
    cells = [
        [f"{row[n]:,.4g}" if isinstance(row[n], float) else str(row[n]) for n in names]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    for line in [names, ["-" * width for width in widths], *cells]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
    if arguments.json:
        about = {"title": title, "machine": platform.machine(), "threads": arguments.threads}
        arguments.json.write_text(json.dumps({**about, "rows": rows}, indent=2) + "\n")
        print(f"written to {arguments.json}")


def _run(variant: Callable, arguments: argparse.Namespace) -> tuple[float, float, float, object]:
    torch.set_num_threads(arguments.threads)
    task = variant(arguments)
    task()  # warm up: the first run also starts threads and prepares kernels
    start, cpu = time.perf_counter(), time.process_time()
    result = task()
    return time.perf_counter() - start, time.process_time() - cpu, peak_mb(), result


def peak_mb() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such count
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
