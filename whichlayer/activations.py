"""The hidden states of a corpus, each word with its own vector at every layer; and tables of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType

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
        if not isinstance(self.vectors, np.ndarray):
            raise TypeError(
                f"vectors must be a NumPy array, not {type(self.vectors).__name__}. From a tensor: "
                "tensor.float().cpu().numpy()."
            )
        if self.vectors.dtype != np.float32:
            if self.vectors.dtype.kind not in "fiu":
                raise TypeError(f"vectors must be float32 numbers, got {self.vectors.dtype}.")
            object.__setattr__(self, "vectors", self.vectors.astype(np.float32))
        if self.vectors.ndim != 3:
            raise ValueError(f"vectors must be (L+1, words, hidden), got {self.vectors.shape}.")
        _take_units(self, self.vectors.shape[1], "vectors")

    @property
    def names(self) -> tuple[int, ...]:
        """The layers, 0..L: what the rows of a result are called."""
        return tuple(range(self.num_states))

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

    def layer(self, k: int) -> np.ndarray:
        """The vectors at layer k, of shape (words, hidden), without copying; -1 is the last layer.

        Raises:
            IndexError: there is no such layer.
        """
        if not -self.num_states <= k < self.num_states:
            raise IndexError(f"There is no layer {k}: the layers are 0 to {self.num_states - 1}.")
        return self.vectors[k]

    def select(self, words: np.ndarray | Sequence[int] | Sequence[bool]) -> Activations:
        """The activations of some of the words, in the order given.

        Args:
            words: a mask with one value per word, or indices of words (from 0; none twice).

        Raises:
            ValueError, TypeError: a mask of another length, indices that aren't whole numbers of
                words that there are, or no words at all.
        """
        rows = indices_of_words(words, len(self), "select")
        return Activations(
            self.vectors[:, rows], *_units_at(self, rows), self.encoder, self.pooling
        )

    @classmethod
    def concat(cls, *parts: Activations) -> Activations:
        """The words of several, one after another. Sentences and documents of one id count as one.

        Raises:
            ValueError: nothing given, or activations that differ in encoder, pooling, number of
                states or width: their vectors don't live in one space.
        """
        if not parts:
            raise ValueError("There are no activations to put one after another.")
        first = parts[0]
        for other in parts[1:]:
            for what in ("encoder", "pooling", "num_states", "hidden_size"):
                if getattr(first, what) != getattr(other, what):
                    raise ValueError(
                        f"Activations of one {what.replace('_', ' ')} only can be put one after "
                        f"another: {getattr(first, what)!r} and {getattr(other, what)!r} differ."
                    )
        units = (tuple(chain.from_iterable(getattr(p, name) for p in parts)) for name in _UNITS)
        vectors = np.concatenate([part.vectors for part in parts], axis=1)
        return cls(vectors, *units, first.encoder, first.pooling)

    def features(self, tables: Mapping[str, np.ndarray]) -> Features:
        """Tables made from these activations (mixed, narrowed, projected), with the same words.

        Args:
            tables: name -> (words, any width), one row for each word of these activations, as an
                array or a tensor.

        Raises:
            ValueError, TypeError: as for :class:`Features`.
        """
        return Features(tables, self.words, self.sentence_ids, self.document_ids)

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
            ValueError: a word or an id can't be written as JSON.
        """
        store = FolderStore(Path(folder), self.vectors.shape, self.about())
        try:
            for layer, vectors in enumerate(self.vectors):
                store.write(layer, 0, vectors)
            store.finish()
        except BaseException:
            store.suspend()
            raise

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, memory_map: bool = False) -> Activations:
        """Read what :meth:`save` or ``extract(..., to=folder)`` wrote.

        Args:
            folder: the folder.
            memory_map: leave the vectors on disk and read only what is used.

        Raises:
            FileNotFoundError: the folder holds no activations.
            ActivationsDamagedError: it holds them, but not whole.
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


@dataclass(frozen=True)
class Features:
    """Named tables of features of any widths, with the words that their rows belong to.

    Whatever takes activations to probe takes features too; what it finds is then told by name
    where it would be told by layer.

    Attributes:
        tables: name -> float32, (words, any width). Tensors and arrays of other types are
            converted.
        words, sentence_ids, document_ids: as in :class:`Activations`.

    Raises:
        ValueError, TypeError: no table, a name that isn't text, a table that isn't two-dimensional,
            isn't of numbers or hasn't one row per word.
    """

    tables: Mapping[str, np.ndarray]
    words: tuple[str, ...]
    sentence_ids: tuple[str, ...]
    document_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.tables, Mapping) or not self.tables:
            raise ValueError("Features are a mapping of names to tables, with at least one table.")
        _take_units(self, len(self.words), "words")
        tables = {name: self._checked(name, table) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", MappingProxyType(tables))

    def _checked(self, name: str, table) -> np.ndarray:
        if not isinstance(name, str):
            raise TypeError(f"The name of a table is text, not {name!r}.")
        if hasattr(table, "detach"):  # a tensor, which may be on another device or need a gradient
            table = table.detach().cpu().float()
        try:
            table = np.asarray(table, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise TypeError(f"The table {name!r} doesn't hold numbers: {error}") from error
        if table.ndim != 2 or len(table) != len(self.words) or not table.shape[1]:
            raise ValueError(
                f"The table {name!r} has the shape {table.shape}; ({len(self.words)}, width) is "
                "needed, one row for each word."
            )
        return table

    @property
    def names(self) -> tuple[str, ...]:
        """The tables' names: what the rows of a result are called."""
        return tuple(self.tables)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({table.shape[1]})" for name, table in self.tables.items())
        return f"Features of {len(self)} words: {tables}"

    def __reduce__(self):
        # The read-only view of the tables can't be pickled or copied; a plain dict can.
        return Features, (dict(self.tables), self.words, self.sentence_ids, self.document_ids)

    def layer(self, name: str) -> np.ndarray:
        """The table of that name, (words, width).

        Raises:
            KeyError: there is no such table.
        """
        if name not in self.tables:
            raise KeyError(f"There is no table {name!r}; there is {', '.join(self.tables)}.")
        return self.tables[name]

    def select(self, words: np.ndarray | Sequence[int] | Sequence[bool]) -> Features:
        """The features of some of the words, as :meth:`Activations.select` does it."""
        rows = indices_of_words(words, len(self), "select")
        tables = {name: table[rows] for name, table in self.tables.items()}
        return Features(tables, *_units_at(self, rows))


def indices_of_words(
    words: np.ndarray | Sequence[int] | Sequence[bool], n: int | None, what: str
) -> np.ndarray:
    """Words given as a mask or as indices, as indices.

    Args:
        words: a mask or indices, one-dimensional.
        n: how many words there are, or None where that isn't known.
        what: who asked, for the message.

    Returns:
        int64, in the order given.

    Raises:
        TypeError: neither a mask nor whole numbers.
        ValueError: a mask of another length, an index out of range, an index given twice.
    """
    given = np.asarray(words)
    if given.ndim != 1:
        raise ValueError(f"{what}: a mask or indices are one row of values, got {given.shape}.")
    if given.dtype == bool:
        if n is not None and len(given) != n:
            raise ValueError(f"{what}: a mask of {len(given)} values for {n} words.")
        return np.flatnonzero(given)
    if not given.size:
        return np.zeros(0, dtype=np.int64)
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(
            f"{what}: words are named by a mask of True and False or by whole numbers, not by "
            f"values such as {given[0]!r} ({given.dtype})."
        )
    given = given.astype(np.int64)
    if given.min() < 0:
        raise ValueError(f"{what}: word {given.min()} is negative; words are counted from 0.")
    if n is not None and given.max() >= n:
        raise ValueError(f"{what}: word {given.max()} is beyond the {n} that there are.")
    if len(np.unique(given)) != len(given):
        raise ValueError(f"{what}: a word is named twice.")
    return given


_UNITS = ("words", "sentence_ids", "document_ids")


def _take_units(holder: Activations | Features, n: int, rows: str) -> None:
    for name in _UNITS:
        values = tuple(getattr(holder, name))
        if len(values) != n:
            raise ValueError(f"{len(values)} {name} for {n} {rows}.")
        object.__setattr__(holder, name, values)


def _units_at(holder: Activations | Features, rows: np.ndarray) -> tuple[tuple[str, ...], ...]:
    if not len(rows):
        raise ValueError("No word is selected.")
    return tuple(tuple(getattr(holder, name)[i] for i in rows) for name in _UNITS)
