"""Our extraction beside a sentence-by-sentence loop and beside the encoder's bare forward pass.

python -m benchmarks.extraction [--sentences 600] [--json FILE]
python -m benchmarks.extraction --to-disk train     all of a split of EWT, to disk
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from benchmarks import measure
from whichlayer.corpora import load_ud_english_ewt
from whichlayer.extraction import extract
from whichlayer.models import load_encoder

BATCH_SIZE = 32


def ours(arguments: argparse.Namespace) -> Callable[[], np.ndarray]:
    encoder, (_, sentences) = load_encoder(), measure.corpus(arguments.sentences)
    return lambda: extract(encoder, sentences, batch_size=BATCH_SIZE).vectors


def sentence_by_sentence(arguments: argparse.Namespace) -> Callable[[], np.ndarray]:
    """One sentence at a time, as most tutorials do it (but with the words passed as words)."""
    encoder, (_, sentences) = load_encoder(), measure.corpus(arguments.sentences)

    def task() -> np.ndarray:
        vectors = []
        for sentence in sentences:
            inputs = encoder.tokenizer(
                list(sentence.words), is_split_into_words=True, return_tensors="pt"
            )
            with torch.no_grad():
                states = encoder.model(**inputs, output_hidden_states=True).hidden_states
            words = inputs.word_ids()
            first = [words.index(i) for i in range(len(sentence.words))]
            vectors.append(np.stack([state[0, first].numpy() for state in states]))
        return np.concatenate(vectors, axis=1)

    return task


def bare_forward(arguments: argparse.Namespace) -> Callable[[], None]:
    """The encoder alone on the same batches, tokenized beforehand: the least that can be had."""
    encoder, (_, sentences) = load_encoder(), measure.corpus(arguments.sentences)
    rows = [
        encoder.tokenizer(list(s.words), is_split_into_words=True)["input_ids"] for s in sentences
    ]
    rows.sort(key=len, reverse=True)
    batches = [
        encoder.tokenizer.pad({"input_ids": rows[at : at + BATCH_SIZE]}, return_tensors="pt")
        for at in range(0, len(rows), BATCH_SIZE)
    ]

    def task() -> None:
        with torch.inference_mode():
            for batch in batches:
                encoder.model(**batch, output_hidden_states=True)

    return task


def to_disk(split: str, threads: int) -> None:
    torch.set_num_threads(threads)
    encoder, sentences = load_encoder(), load_ud_english_ewt(split)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        activations = extract(encoder, sentences, to=Path(folder) / split, progress=False)
        seconds = time.perf_counter() - start
        size = (Path(folder) / split / "vectors.npy").stat().st_size / 1e6
        print(
            f"EWT-{split}: {len(activations):,} words in {seconds:.1f} s "
            f"({len(activations) / seconds:,.0f} words a second), {size:,.0f} MB on disk, "
            f"peak memory {measure.peak_mb():,.0f} MB"
        )


def main() -> int:
    if "--to-disk" in sys.argv:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--to-disk", choices=["train", "dev", "test"])
        parser.add_argument("--threads", type=int, default=torch.get_num_threads())
        arguments = parser.parse_args()
        to_disk(arguments.to_disk, arguments.threads)
        return 0
    arguments = measure.parse_arguments(__doc__)
    name, sentences = measure.corpus(arguments.sentences)
    words = sum(map(len, sentences))
    variants = {
        "ours": ours,
        "sentence by sentence": sentence_by_sentence,
        "bare forward pass": bare_forward,
    }
    figures = measure.compare(variants, arguments)
    our_vectors, loop_vectors = (figures[v]["result"] for v in ("ours", "sentence by sentence"))
    difference = np.abs(our_vectors - loop_vectors).max()
    rows = [
        {
            "variant": variant,
            "words/s": words / figure["seconds"],
            "seconds": figure["seconds"],
            "times ours": figure["seconds"] / figures["ours"]["seconds"],
            "peak MB": figure["peak_mb"],
        }
        for variant, figure in figures.items()
    ]
    measure.report(f"Extraction: {name}, {words:,} words, batches of {BATCH_SIZE}", rows, arguments)
    print(f"largest difference between our vectors and the loop's: {difference:.1e}")
    if not np.allclose(our_vectors, loop_vectors, rtol=1e-5, atol=1e-5):
        print("The vectors differ by more than 1e-5.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
