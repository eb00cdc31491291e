"""The folder in which activations are kept: ``vectors.npy``, and ``words.json`` beside it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def read_folder(folder: Path, *, memory_map: bool = False) -> tuple[np.ndarray, dict]:
    """The vectors (L + 1, words, hidden) of a folder, and what stands beside them.

    Raises:
        FileNotFoundError: the folder holds no activations.
    """
    if not (folder / "words.json").is_file() or not (folder / "vectors.npy").is_file():
        raise FileNotFoundError(
            f"{folder} holds no activations (vectors.npy and words.json). Make them with "
            "extract(encoder, sentences, to=folder) or Activations.save(folder)."
        )
    about = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    mode = "r" if memory_map else None
    return np.load(folder / "vectors.npy", mmap_mode=mode, allow_pickle=False), about


class MemoryStore:
    """Collects the vectors in memory."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.vectors = np.empty(shape, dtype=np.float32)

    def write(self, layer: int, row: int, vectors: np.ndarray) -> None:
        self.vectors[layer, row : row + len(vectors)] = vectors

    def finish(self, about: Mapping) -> np.ndarray:
        """The vectors; ``about`` is kept by who asked for them."""
        return self.vectors

    def discard(self) -> None:
        pass


class FolderStore:
    """Writes the vectors to a .npy file as they come, in a folder that appears when it is whole.

    Plain writes, not a writable memory map: dirty pages of a map count as the process's memory
    and would grow with the corpus.
    """

    def __init__(self, folder: Path, shape: tuple[int, int, int]) -> None:
        if folder.exists():
            raise FileExistsError(
                f"{folder} exists already and is not overwritten. Remove it, give another folder, "
                "or read it with Activations.load(folder)."
            )
        self.folder, self.shape = folder, shape
        self.partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
        self.partial.mkdir(parents=True)
        self.file = (self.partial / "vectors.npy").open("wb")
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self.file, header)
        self.data_from = self.file.tell()
        self.file.truncate(self.data_from + 4 * int(np.prod(shape, dtype=np.int64)))

    def write(self, layer: int, row: int, vectors: np.ndarray) -> None:
        _, rows, width = self.shape
        self.file.seek(self.data_from + 4 * width * (layer * rows + row))
        self.file.write(np.ascontiguousarray(vectors, dtype="<f4").data)

    def finish(self, about: Mapping) -> np.ndarray:
        """Write ``about`` beside the vectors, let the folder appear, and give back its vectors."""
        self.file.close()
        text = json.dumps(about, ensure_ascii=False)
        (self.partial / "words.json").write_text(text, encoding="utf-8")
        self.partial.rename(self.folder)
        return read_folder(self.folder, memory_map=True)[0]

    def discard(self) -> None:
        self.file.close()
        shutil.rmtree(self.partial, ignore_errors=True)
