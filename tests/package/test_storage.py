"""The folder of activations: whole or not there, and taken up where an interruption left it."""

import errno
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from whichlayer import extraction, storage
from whichlayer.activations import Activations
from whichlayer.corpora import Sentence
from whichlayer.extraction import extract
from whichlayer.models import load_encoder
from whichlayer.storage import ActivationsDamagedError, FolderStore

ABOUT = {
    "words": ("a", "b"),
    "sentence_ids": ("s", "s"),
    "document_ids": ("d", "d"),
    "encoder": "e",
    "pooling": "first",
}
SENTENCES = [["the"] * n for n in range(1, 13)]


@pytest.fixture
def encoder(bert_folder):
    return load_encoder(bert_folder)


def interrupt_after(monkeypatch, batches, error=KeyboardInterrupt):
    """Let the encoder read so many batches and then stop; count what it reads."""
    calls = []
    original = extraction._Reader.hidden_states

    def reading(self, batch):
        if len(calls) == batches:
            raise error
        calls.append(len(batch))
        return original(self, batch)

    monkeypatch.setattr(extraction._Reader, "hidden_states", reading)
    return calls


@pytest.mark.parametrize("batches", [1, 3, 7, 8])
def test_a_run_after_an_interruption_goes_on_where_it_stopped(
    encoder, tmp_path, monkeypatch, batches
):
    expected = extract(encoder, SENTENCES, batch_size=2).vectors
    with monkeypatch.context() as context:
        interrupt_after(context, batches)
        if batches == 8:  # all are read, and the end is what fails
            context.setattr(FolderStore, "finish", lambda self: 1 / 0)
        with pytest.raises((KeyboardInterrupt, ZeroDivisionError)):
            extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
        assert [p.name for p in tmp_path.iterdir()] == ["a.partial"]
    with monkeypatch.context() as context:
        calls = interrupt_after(context, 100)
        found = extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
    assert len(calls) == 8 - batches
    assert (found.vectors == expected).all()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["vectors.npy", "words.json"]


def test_an_interruption_before_anything_is_done_leaves_nothing(encoder, tmp_path, monkeypatch):
    interrupt_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change", ["words", "pooling", "batch_size", "weights", "ids", "last_state"]
)
def test_what_another_run_has_left_is_not_taken_up(encoder, tmp_path, monkeypatch, change):
    with monkeypatch.context() as context:
        interrupt_after(context, 3)
        with pytest.raises(KeyboardInterrupt):
            extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
    sentences, options = SENTENCES, {"batch_size": 2}
    if change == "words":
        sentences = [["fox"] * len(s) for s in SENTENCES]
    elif change == "ids":
        sentences = [Sentence(tuple(s), id=f"x{i}") for i, s in enumerate(SENTENCES)]
    elif change == "weights":
        with torch.no_grad():
            next(encoder.model.encoder.parameters()).add_(0.01)
    elif change == "last_state":
        monkeypatch.setattr(extraction, "_last_block", lambda encoder: None)
        options["last_state"] = "block"
    else:
        options[change] = {"pooling": "mean", "batch_size": 3}[change]
    with pytest.warns(UserWarning, match="unfinished work of another encoder, corpus or option"):
        found = extract(encoder, sentences, to=tmp_path / "a", **options)
    assert (found.vectors == extract(encoder, sentences, **options).vectors).all()


def test_a_process_that_is_killed_leaves_nothing_that_blocks(bert_folder, tmp_path):
    script = (
        "import os, sys; from whichlayer import extraction, storage;"
        "from whichlayer.models import load_encoder; storage._SYNC_EVERY = 0; n = 0\n"
        "def reading(self, batch, original=extraction._Reader.hidden_states):\n"
        "    global n; n += 1\n"
        "    if n == 4: os._exit(9)\n"
        "    return original(self, batch)\n"
        "extraction._Reader.hidden_states = reading\n"
        "s = [['the'] * n for n in range(1, 13)]\n"
        "extraction.extract(load_encoder(sys.argv[1]), s, to=sys.argv[2], batch_size=2)"
    )
    command = [sys.executable, "-c", script, str(bert_folder), str(tmp_path / "a")]
    assert subprocess.run(command, env=os.environ).returncode == 9
    assert not (tmp_path / "a").exists()
    assert json.loads((tmp_path / "a.partial" / "progress.json").read_text())["done"] == 3
    encoder = load_encoder(bert_folder)
    found = extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
    assert (found.vectors == extract(encoder, SENTENCES, batch_size=2).vectors).all()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


class FullDisk:
    """A file on a disk that takes so many more bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        self.room -= memoryview(data).nbytes
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 5_000, 40_000])
def test_a_full_disk_loses_nothing_and_blocks_nothing(encoder, tmp_path, monkeypatch, room):
    start = FolderStore._start

    def start_on_a_small_disk(self, *arguments):
        start(self, *arguments)
        self.file = FullDisk(self.file, room)

    with monkeypatch.context() as context:
        context.setattr(FolderStore, "_start", start_on_a_small_disk)
        with pytest.raises(OSError, match="disk that holds .* is full. Make room") as caught:
            extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
        assert caught.value.errno == errno.ENOSPC
    assert not (tmp_path / "a").exists()
    found = extract(encoder, SENTENCES, to=tmp_path / "a", batch_size=2)
    assert (found.vectors == extract(encoder, SENTENCES, batch_size=2).vectors).all()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_too_little_room_is_said_before_the_work(encoder, tmp_path, monkeypatch):
    calls = interrupt_after(monkeypatch, 100)
    monkeypatch.setattr(storage.shutil, "disk_usage", lambda path: SimpleNamespace(free=100))
    with pytest.raises(OSError, match="needs .* GB"):
        extract(encoder, SENTENCES, to=tmp_path / "a")
    assert calls == [] and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sentence, match",
    [
        (Sentence(("a",), id="\udcff"), "sentence_ids holds .*can't be written"),
        (Sentence(("a",), id="x", document_id="\ud800"), "document_ids holds .*can't be written"),
        (["a", "\ud800"], "half a character"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(
    encoder, tmp_path, monkeypatch, sentence, match
):
    calls = interrupt_after(monkeypatch, 100)
    with pytest.raises(ValueError, match=match):
        extract(encoder, [["the"], sentence], to=tmp_path / "a")
    assert calls == [] and list(tmp_path.iterdir()) == []


def test_two_at_once_do_not_write_into_each_other(tmp_path):
    shape = (1, 2, 3)
    first = FolderStore(tmp_path / "a", shape, ABOUT, "work")
    script = (
        "import sys; from pathlib import Path; from whichlayer.storage import FolderStore\n"
        "try: FolderStore(Path(sys.argv[1]), (1, 2, 3), {}, 'work')\n"
        "except FileExistsError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a")], capture_output=True, text=True
    )
    assert "Another process is writing" in done.stdout, done.stderr
    first.write(0, 0, np.ones((2, 3), np.float32))
    assert (first.finish() == 1).all()
    with pytest.raises(FileExistsError, match="not overwritten"):
        FolderStore(tmp_path / "a", shape, ABOUT, "work")


@pytest.mark.parametrize(
    "file, content, match",
    [
        ("words.json", b"{", "words.json can't be read as JSON"),
        ("words.json", b"\xff\xfe", "words.json can't be read as JSON"),
        ("words.json", b"[]", "words.json must hold words, sentence_ids"),
        ("words.json", b'{"words": ["a"]}', "words.json must hold words, sentence_ids"),
        ("words.json", json.dumps({**ABOUT, "words": ["a"]}).encode(), "must hold words for 2"),
        ("words.json", json.dumps({**ABOUT, "sentence_ids": "ss"}).encode(), "must hold sentence_"),
        ("vectors.npy", b"", "vectors.npy can't be read"),
        ("vectors.npy", b"\x93NUMPY\x01\x00", "vectors.npy can't be read"),
        ("vectors.npy", 100, "vectors.npy can't be read"),
        ("vectors.npy", np.zeros((2, 2)), "doesn't hold float32"),
        ("vectors.npy", np.zeros((1, 2, 3)), "doesn't hold float32"),
        ("vectors.npy", np.array([[[None]]]), "vectors.npy can't be read"),
    ],
)
@pytest.mark.parametrize("memory_map", [False, True])
def test_a_damaged_folder_says_so(tmp_path, file, content, match, memory_map):
    folder = tmp_path / "a"
    Activations(vectors=np.zeros((1, 2, 3), np.float32), **ABOUT).save(folder)
    if isinstance(content, np.ndarray):
        np.save(folder / file, content, allow_pickle=True)
    elif isinstance(content, int):
        (folder / file).write_bytes((folder / file).read_bytes()[:-1])
    else:
        (folder / file).write_bytes(content)
    with pytest.raises(ActivationsDamagedError, match=f"is damaged: .*{match}.*make it again"):
        Activations.load(folder, memory_map=memory_map)


def test_activations_take_arrays_of_numbers_only(tmp_path):
    with pytest.raises(TypeError, match="must be a NumPy array, not Tensor"):
        Activations(vectors=torch.zeros(1, 2, 3), **ABOUT)
    with pytest.raises(TypeError, match="must be float32 numbers, got object"):
        Activations(vectors=np.array([[["a"] * 3] * 2], dtype=object), **ABOUT)
    doubled = Activations(vectors=np.full((1, 2, 3), 0.1), **ABOUT)
    assert doubled.vectors.dtype == np.float32
    doubled.save(tmp_path / "a")
    assert (Activations.load(tmp_path / "a").vectors == doubled.vectors).all()


def test_saving_what_cannot_be_written_leaves_nothing(tmp_path):
    odd = Activations(
        vectors=np.zeros((1, 2, 3), np.float32), **{**ABOUT, "words": ("a", object())}
    )
    with pytest.raises(ValueError, match="words holds <object"):
        odd.save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
