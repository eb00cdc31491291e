"""The hidden states of a corpus, each word with its own vector at every layer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from whichlayer.storage import FolderStore, read_folder


@dataclass(frozen=True)
class Activations:
    """The hidden states of a corpus, aligned to its words.

    Attributes:
        vectors: float32, shape (L + 1, words, hidden): ``vectors[k, i]`` is word i at layer k,
            layer 0 being the output of the embeddings.
        words: the words, in corpus order; length words.
        sentence_ids: for each word the id of its sentence.
        document_ids: for each word the id of its document.
        encoder: the name of the encoder.
        pooling: which subwords stand for a word: ``"first"``, ``"last"`` or ``"mean"``.
    """

    vectors: np.ndarray
    words: tuple[str, ...]
    sentence_ids: tuple[str, ...]
    document_ids: tuple[str, ...]
    encoder: str
    pooling: str

    def __post_init__(self) -> None:
        if self.vectors.ndim != 3:
            raise ValueError(f"vectors must be (L+1, words, hidden), got {self.vectors.shape}.")
        for name in ("words", "sentence_ids", "document_ids"):
            if len(getattr(self, name)) != self.vectors.shape[1]:
                raise ValueError(
                    f"{len(getattr(self, name))} {name} for {self.vectors.shape[1]} vectors."
                )

    @property
    def num_states(self) -> int:
        """L + 1."""
        return self.vectors.shape[0]

    @property
    def hidden_size(self) -> int:
        """Width of a vector, in dimensions."""
        return self.vectors.shape[2]

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return (
            f"Activations({self.num_states} states x {len(self)} words x {self.hidden_size} "
            f"dimensions, {self.encoder}, {self.pooling} subword)"
        )

    def about(self) -> dict:
        """Everything but the vectors, as it stands in ``words.json``."""
        return {
            "words": self.words,
            "sentence_ids": self.sentence_ids,
            "document_ids": self.document_ids,
            "encoder": self.encoder,
            "pooling": self.pooling,
        }

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write ``vectors.npy`` and ``words.json`` into a new folder, without pickle.

        Raises:
            FileExistsError: the folder is there already; nothing is overwritten.
        """
        store = FolderStore(Path(folder), self.vectors.shape)
        try:
            for layer, vectors in enumerate(self.vectors):
                store.write(layer, 0, vectors)
            store.finish(self.about())
        except BaseException:
            store.discard()
            raise

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, memory_map: bool = False) -> Activations:
        """Read what :meth:`save` or ``extract(..., to=folder)`` wrote.

        Args:
            folder: the folder.
            memory_map: leave the vectors on disk and read only what is used.

        Raises:
            FileNotFoundError: the folder holds no activations.
        """
        vectors, about = read_folder(Path(folder), memory_map=memory_map)
        return cls(
            vectors=vectors,
            words=tuple(about["words"]),
            sentence_ids=tuple(about["sentence_ids"]),
            document_ids=tuple(about["document_ids"]),
            encoder=about["encoder"],
            pooling=about["pooling"],
        )
