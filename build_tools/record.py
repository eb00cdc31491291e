"""Measure what takes too long for a notebook, and record it with the sums of what made it.

    python build_tools/record.py              what is recorded, and whether it is up to date
    python build_tools/record.py NAME ...     measure these anew and record them

A record is a file that a chapter or a page reads. Beside it, in `whichlayer/data/records.json`, stand
the sums of the file, of the data and the encoders' weights that went in, and of the code: the recorder
and every module of the package that it imports, without comments and docstrings. A test refuses a
record of which any of these has changed, so nothing that was measured with other code or typed in by
hand can stay. To add one, write a recorder and enter it in RECORDS.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import io
import json
import os
import sys
import time
import tokenize
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "whichlayer" / "data"
MANIFEST = DATA / "records.json"


@dataclass(frozen=True)
class Record:
    """One file that is measured beforehand.

    Attributes:
        what: what it holds, for the list.
        recorder: the module in build_tools whose `record(target)` writes it.
        target: the file.
        encoders: the bundled encoders that are measured.
        data: files of the project that go in; what is fetched from elsewhere is checked by the
            package itself, whose code holds its sums.
        minutes: about how long it takes on two cores.
    """

    what: str
    recorder: str
    target: Path
    encoders: tuple[str, ...]
    data: tuple[Path, ...]
    minutes: int


TREEBANK = tuple(DATA / "treebank" / f"{part}.conllu" for part in ("train", "dev", "test"))
RECORDS = {
    "ewt_profiles": Record(
        "layer profiles of MiniLM on UD English EWT",
        "record_ewt_profiles", DATA / "ewt_profiles.csv", ("minilm",), (), 3,
    ),
    "encoder_profiles": Record(
        "nine properties probed in three encoders and their random twins",
        "record_encoder_profiles", DATA / "encoder_profiles.npz", ("minilm", "e5", "smollm2"),
        (*TREEBANK, DATA / "senses.tsv"), 45,
    ),
    "profiles_over_C": Record(
        "MiniLM's profiles, and ways of combining its layers, with several C",
        "record_profiles_over_C", DATA / "profiles_over_C.npz", ("minilm",), TREEBANK, 2,
    ),
    "ewt_over_C": Record(
        "layer profiles of MiniLM on UD English EWT with several C",
        "record_ewt_over_C", DATA / "ewt_over_C.csv", ("minilm",), (), 3,
    ),
    "instruments": Record(
        "two properties of MiniLM's layers through every instrument",
        "record_instruments", DATA / "instruments.npz", ("minilm",), TREEBANK, 20,
    ),
    "erasure": Record(
        "what is left after erasing part of speech in MiniLM, and patched senses",
        "record_erasure", DATA / "erasure.npz", ("minilm",), (*TREEBANK, DATA / "senses.tsv"), 15,
    ),
    "decoder_erasure": Record(
        "how much worse SmolLM2 foretells with part of speech erased",
        "record_decoder_erasure", DATA / "decoder_erasure.npz", ("smollm2",), TREEBANK, 15,
    ),
}  # fmt: skip


def code_of(path: Path) -> str:
    """A file's code without comments, docstrings and white space: what decides the numbers."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    drop = []  # ((row, column), (row, column)), rows from 1, columns in characters
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            drop.append(tuple(_position(lines, first, which) for which in ("", "end_")))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            drop.append((token.start, token.end))
    for (row, column), (end_row, end_column) in sorted(drop, reverse=True):
        kept = lines[row - 1][:column] + lines[end_row - 1][end_column:]
        lines[row - 1 : end_row] = [kept]
    return "".join("".join(lines).split())


def _position(lines: list[str], node: ast.AST, which: str) -> tuple[int, int]:
    row, column = getattr(node, f"{which}lineno"), getattr(node, f"{which}col_offset")
    # The syntax tree counts bytes.
    return row, len(lines[row - 1].encode()[:column].decode())


def makers(recorder: Path) -> list[Path]:
    """The recorder, and the modules of the project that it imports, directly or through others."""
    found, waiting = [], [recorder]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                relative = Path(*name.split("."))
                for folder in (ROOT, ROOT / "build_tools"):
                    for candidate in (f"{relative}.py", relative / "__init__.py"):
                        if (folder / candidate).is_file():
                            waiting.append(folder / candidate)
    return sorted(found)


def sums(record: Record) -> dict[str, str]:
    """The sums of everything that decides what is recorded, and of what stands recorded."""
    code = [code_of(p) for p in makers(ROOT / "build_tools" / f"{record.recorder}.py")]
    return {
        "code": _sum("\n".join(code).encode()),
        "data": _sum(b"".join(path.read_bytes() for path in record.data)),
        "file": _sum(record.target.read_bytes()) if record.target.is_file() else "",
    }


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def recorded() -> dict[str, dict]:
    return json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.is_file() else {}


def faults(name: str) -> list[str]:
    """What has changed since a record was made, in words; nothing if it is up to date."""
    entry = recorded().get(name)
    if entry is None:
        return ["it was never made"]
    now = sums(RECORDS[name])
    said = {
        "code": "the code that made it has changed",
        "data": "the data that it was measured on has changed",
        "file": "the file isn't the one that was recorded",
    }
    return [words for key, words in said.items() if entry[key] != now[key]]


def make(name: str) -> None:
    record = RECORDS[name]
    print(f"{name}: {record.what}, about {record.minutes} minutes on two cores ...", flush=True)
    started, used = time.monotonic(), os.times()
    before = sums(record)
    importlib.import_module(record.recorder).record(record.target)
    after = sums(record)
    if (before["code"], before["data"]) != (after["code"], after["data"]):
        sys.exit(f"{name}: code or data changed while it was measured; nothing was recorded.")
    now = os.times()
    cpu = sum(now[:4]) - sum(used[:4])
    entry = {**after, "encoders": list(record.encoders), "cpu_seconds": round(cpu)}
    # Read again: another record may have been made meanwhile.
    text = json.dumps({**recorded(), name: entry}, indent=1, sort_keys=True) + "\n"
    MANIFEST.write_text(text, encoding="utf-8")
    print(f"{name}: {cpu:.0f} CPU seconds, {time.monotonic() - started:.0f} s -> {record.target}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to measure anew")
    names = parser.parse_args().names
    if unknown := set(names) - set(RECORDS):
        sys.exit(f"There is no record {unknown.pop()!r}: choose from {', '.join(RECORDS)}.")
    for name in names:
        make(name)
    if not names:
        for name, record in RECORDS.items():
            state = "; ".join(faults(name)) or "up to date"
            print(f"{name}: {record.what} ({record.minutes} min): {state}")


if __name__ == "__main__":
    main()
