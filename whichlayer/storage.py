"""The folder in which activations are kept: ``vectors.npy``, and ``words.json`` beside it.

While it is written it has another name, ``<folder>.partial``, so that a folder of the right name
is always whole. What an interruption leaves is taken up by the next run that asks for the same.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

# How much work may be lost if a process is killed outright, in seconds; on any other end, none is.
_SYNC_EVERY = 2.0


class ActivationsDamagedError(ValueError):
    """A folder of activations is not what it should be; the message says what is wrong."""


def read_folder(folder: Path, *, memory_map: bool = False) -> tuple[np.ndarray, dict]:
    """The vectors (L + 1, words, hidden) of a folder, and what stands beside them.

    Raises:
        FileNotFoundError: the folder holds no activations.
        ActivationsDamagedError: it does, but not whole.
    """
    if not (folder / "words.json").is_file() or not (folder / "vectors.npy").is_file():
        raise FileNotFoundError(
            f"{folder} holds no activations (vectors.npy and words.json). Make them with "
            "extract(encoder, sentences, to=folder) or Activations.save(folder)."
        )

    def damaged(what: str) -> ActivationsDamagedError:
        return ActivationsDamagedError(f"{folder} is damaged: {what}. Remove it and make it again.")

    try:
        about = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise damaged("words.json can't be read as JSON") from error
    needed = ("words", "sentence_ids", "document_ids", "encoder", "pooling")
    if not isinstance(about, dict) or any(key not in about for key in needed):
        raise damaged(f"words.json must hold {', '.join(needed)}")
    try:
        mode = "r" if memory_map else None
        vectors = np.load(folder / "vectors.npy", mmap_mode=mode, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise damaged("vectors.npy can't be read, or is shorter than it says") from error
    if not isinstance(vectors, np.ndarray) or vectors.dtype != np.float32 or vectors.ndim != 3:
        raise damaged("vectors.npy doesn't hold float32 numbers of shape (L + 1, words, hidden)")
    for key in needed[:3]:
        if not isinstance(about[key], list) or len(about[key]) != vectors.shape[1]:
            raise damaged(f"words.json must hold {key} for {vectors.shape[1]} vectors")
    return vectors, about


class MemoryStore:
    """Collects the vectors in memory."""

    done = 0

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.vectors = np.empty(shape, dtype=np.float32)

    def write(self, layer: int, row: int, vectors: np.ndarray) -> None:
        self.vectors[layer, row : row + len(vectors)] = vectors

    def commit(self, done: int) -> None:
        pass

    def finish(self) -> np.ndarray:
        return self.vectors

    def suspend(self) -> None:
        pass


class FolderStore:
    """Writes the vectors to a .npy file as they come, in a folder that appears when it is whole.

    Plain writes, not a writable memory map: dirty pages of a map count as the process's memory
    and would grow with the corpus.

    Args:
        folder: the folder to be; its parents are made.
        shape: (L + 1, words, hidden).
        about: what goes into ``words.json``.
        fingerprint: a name for exactly this work. If a run with the same was interrupted, what it
            has done is kept and ``done`` says how much; None keeps nothing.

    Raises:
        FileExistsError: the folder is there already, or another process is writing it.
        ValueError: ``about`` can't be written as JSON in UTF-8.
        OSError: there is no room for it on the disk, or no leave to write there.
    """

    def __init__(
        self,
        folder: Path,
        shape: tuple[int, int, int],
        about: Mapping,
        fingerprint: str | None = None,
    ) -> None:
        from filelock import FileLock, Timeout

        text = _as_json(about)
        self._refuse_existing(folder)
        self.folder, self.shape, self.fingerprint = folder, shape, fingerprint
        self.done, self.file, self.synced = 0, None, time.monotonic()
        self.pending = 0
        self.partial = folder.with_name(f"{folder.name}.partial")
        folder.parent.mkdir(parents=True, exist_ok=True)
        self.lock = FileLock(f"{self.partial}.lock")
        try:
            self.lock.acquire(timeout=0)
        except Timeout:
            raise FileExistsError(
                f"Another process is writing {folder} just now. Wait for it, or give another folder."
            ) from None
        try:
            self._refuse_existing(folder)  # it may have appeared before the lock was had
            header = {"descr": "<f4", "fortran_order": False, "shape": tuple(map(int, shape))}
            size = 4 * int(np.prod(shape, dtype=np.int64))
            if not self._take_up(size):
                self._start(header, size, text)
        except BaseException:
            self.suspend()
            raise

    @staticmethod
    def _refuse_existing(folder: Path) -> None:
        if folder.exists():
            raise FileExistsError(
                f"{folder} exists already and is not overwritten. Remove it, give another folder, "
                "or read it with Activations.load(folder)."
            )

    def _take_up(self, size: int) -> bool:
        """Go on with what an interrupted run of the same work has left."""
        try:
            left = json.loads((self.partial / "progress.json").read_text(encoding="utf-8"))
            same = self.fingerprint is not None and left["fingerprint"] == self.fingerprint
            done, data_from = int(left["done"]), int(left["data_from"])
            whole = (self.partial / "vectors.npy").stat().st_size == data_from + size
        except (OSError, ValueError, KeyError, TypeError):
            return False
        if not same or not whole:
            if done:
                warnings.warn(
                    f"{self.partial} holds unfinished work of another encoder, corpus or option; "
                    "it is thrown away.",
                    stacklevel=4,
                )
            return False
        self.done = self.pending = done
        self.data_from = data_from
        self.file = (self.partial / "vectors.npy").open("r+b")
        return True

    def _start(self, header: dict, size: int, text: bytes) -> None:
        shutil.rmtree(self.partial, ignore_errors=True)
        self.partial.mkdir()
        free = shutil.disk_usage(self.partial).free
        if free < size + len(text):
            raise OSError(
                errno.ENOSPC,
                f"{self.folder} needs {(size + len(text)) / 1e9:,.2f} GB, and {free / 1e9:,.2f} GB "
                "are free there. Make room, give a folder on another disk, or take fewer sentences",
            )
        (self.partial / "words.json").write_bytes(text)
        self.file = (self.partial / "vectors.npy").open("w+b")
        np.lib.format.write_array_header_1_0(self.file, header)
        self.data_from = self.file.tell()
        self.file.truncate(self.data_from + size)
        self._note(0)

    def write(self, layer: int, row: int, vectors: np.ndarray) -> None:
        _, rows, width = self.shape
        self.file.seek(self.data_from + 4 * width * (layer * rows + row))
        self.file.write(np.ascontiguousarray(vectors, dtype="<f4").data)

    def commit(self, done: int) -> None:
        """Note that so many batches are written; on disk it is noted every few seconds."""
        self.pending = done
        if time.monotonic() - self.synced >= _SYNC_EVERY:
            self._sync()

    def _sync(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        if self.pending != self.done:
            self._note(self.pending)
        self.synced = time.monotonic()

    def _note(self, done: int) -> None:
        """Say in progress.json how much is done; only after the vectors are on the disk."""
        progress = {"fingerprint": self.fingerprint, "done": done, "data_from": self.data_from}
        new = self.partial / "progress.json.new"
        new.write_text(json.dumps(progress), encoding="utf-8")
        os.replace(new, self.partial / "progress.json")
        self.done = done

    def finish(self) -> np.ndarray:
        """Let the folder appear, and give back its vectors."""
        self._sync()
        self.file.close()
        self.partial.rename(self.folder)
        self.done = 0  # nothing is left to be taken up
        with contextlib.suppress(OSError):
            (self.folder / "progress.json").unlink()
        self._unlock()
        return read_folder(self.folder, memory_map=True)[0]

    def suspend(self) -> None:
        """Stop here. What is done is kept for the next run; if that is nothing, nothing is left."""
        if self.file is not None and not self.file.closed:
            with contextlib.suppress(OSError):  # a full disk: what was noted before still holds
                self._sync()
            with contextlib.suppress(OSError):
                self.file.close()
        noted = (self.partial / "progress.json").is_file()
        if self.fingerprint is None or not noted or (self.file is not None and not self.done):
            shutil.rmtree(self.partial, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        # Removed while still held: whoever comes later makes a new one.
        with contextlib.suppress(OSError):
            os.unlink(self.lock.lock_file)
        self.lock.release()


def _as_json(about: Mapping) -> bytes:
    """``about`` as it is written, or one sentence about what in it can't be."""
    try:
        return json.dumps(about, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        for key, values in about.items():
            for value in values if isinstance(values, (tuple, list)) else [values]:
                try:
                    json.dumps(value, ensure_ascii=False).encode("utf-8")
                except (TypeError, ValueError):
                    raise ValueError(
                        f"{key} holds {value!r} ({type(value).__name__}), which can't be written "
                        "to words.json. Make it a string of valid characters."
                    ) from error
        raise
