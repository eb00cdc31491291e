"""Sentences with their labels: toy corpus, treebank, word senses, CoNLL-U files, UD English EWT."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pooch
import requests

from whichlayer.conllu_format import CorpusFormatError, free_name, sentences_of

__all__ = [
    "CorpusFormatError",
    "CorpusUnavailableError",
    "Sentence",
    "load_senses",
    "load_toy_corpus",
    "load_treebank",
    "load_ud_english_ewt",
    "read_conllu",
    "with_ids",
    "word_labels",
]

PARTS = ("train", "dev", "test")

EWT_COMMIT = "15d613d8447b3478787d4c278730a1e48a945efb"  # release 2.16, May 2025
EWT_URL = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT"
EWT_SHA256 = {
    "train": "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "dev": "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    "test": "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
}


class CorpusUnavailableError(OSError):
    """A corpus cannot be had, or is not the one it should be; the message says what to do."""


@dataclass(frozen=True)
class Sentence:
    """One annotated sentence. It can't be changed.

    Attributes:
        words: the words that the corpus annotates.
        labels: for each layer of annotation (``"upos"``, ``"deprel"``, ...) one label per word.
        id: unique within its corpus.
        document_id: the document it comes from; sentences of one document resemble each other,
            so an honest split keeps them together.
        text: the sentence as it was written, with its own spacing.
        part: ``"train"``, ``"dev"`` or ``"test"`` where the corpus has a fixed split, else ``""``.
    """

    words: tuple[str, ...]
    labels: Mapping[str, tuple] = field(default_factory=dict)
    id: str = ""
    document_id: str = ""
    text: str = ""
    part: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self._checked_words())
        object.__setattr__(self, "labels", MappingProxyType(self._checked_labels()))
        for name in ("id", "document_id", "text", "part"):
            if not isinstance(value := getattr(self, name), str):
                raise TypeError(f"Sentence.{name} must be text, not {_kind(value)}.")
        object.__setattr__(self, "text", self.text or " ".join(self.words))

    def _checked_words(self) -> tuple[str, ...]:
        if isinstance(self.words, str) or not isinstance(self.words, Iterable):
            what = "one string" if isinstance(self.words, str) else _kind(self.words)
            raise TypeError(f"Sentence.words must be a sequence of words, not {what}.")
        words = tuple(self.words)
        for i, word in enumerate(words):
            if not isinstance(word, str):
                raise TypeError(
                    f"Word {i} of sentence {self.id!r} is {_kind(word)}. A word is text; its "
                    "labels go into Sentence.labels."
                )
        return words

    def _checked_labels(self) -> dict[str, tuple]:
        if not isinstance(self.labels, Mapping):
            raise TypeError(
                "Sentence.labels must map the name of a layer to its labels, such as "
                f"{{'upos': [...]}}, not be {_kind(self.labels)}."
            )
        labels = {}
        for layer, values in self.labels.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TypeError(
                    f"The labels {layer!r} of sentence {self.id!r} must be a sequence, one label a "
                    f"word, not {_kind(values)}."
                )
            labels[layer] = tuple(values)
            if len(labels[layer]) != len(self.words):
                raise ValueError(
                    f"Sentence {self.id!r} has {len(self.words)} words but {len(labels[layer])} "
                    f"labels in {layer!r}."
                )
        return labels

    def __len__(self) -> int:
        return len(self.words)

    def __hash__(self) -> int:
        return hash((self.id, self.document_id, self.words))

    def __reduce__(self):
        # The read-only view of the labels can't be pickled or copied; a plain dict can.
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return Sentence, tuple({**values, "labels": dict(self.labels)}.values())


def with_ids(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences, each with an id of its own, so that units can be told apart.

    Args:
        sentences: any sentences.

    Returns:
        The same sentences, in order. One without an id is named after its place (``"s0"`` for the
        first); one without a document is a document by itself.

    Raises:
        ValueError: two different sentences have one id. The same sentence may stand twice.
    """
    sentences = list(sentences)
    known: dict[str, Sentence] = {}
    for sentence in sentences:
        if sentence.id and known.setdefault(sentence.id, sentence) != sentence:
            raise ValueError(
                f"Two different sentences have the id {sentence.id!r}, so they would count as one "
                f"unit: {known[sentence.id].text[:40]!r} and {sentence.text[:40]!r}. Give each an "
                "id of its own: dataclasses.replace(sentence, id=...)."
            )
    named = []
    for place, sentence in enumerate(sentences):
        name = sentence.id or free_name(f"s{place}", known)
        document = sentence.document_id or name
        if (name, document) != (sentence.id, sentence.document_id):
            sentence = dataclasses.replace(sentence, id=name, document_id=document)
        named.append(sentence)
    return named


def word_labels(sentences: Iterable[Sentence], layer: str) -> np.ndarray:
    """The labels of every word of every sentence, in order.

    Args:
        sentences: annotated sentences.
        layer: the layer of annotation, such as ``"upos"``.

    Returns:
        An array of shape (words,), aligned with ``extract(encoder, sentences).vectors[k]``.

    Raises:
        KeyError: a sentence lacks that layer; the message names it and what it has.
        ValueError: a word has no label (None, NaN, ``pd.NA``) or several.
        TypeError: some labels are text and others numbers.
    """
    labels: list = []
    for sentence in sentences:
        if layer not in sentence.labels:
            raise KeyError(
                f"Sentence {sentence.id!r} has no labels {layer!r}; it has "
                f"{', '.join(sorted(sentence.labels)) or 'none'}."
            )
        values = sentence.labels[layer]
        for i, value in enumerate(values):
            if not isinstance(value, (str, int)):
                _require_one_label(value, f"{i} ({sentence.words[i]!r}) of {sentence.id!r}", layer)
        labels.extend(values)
    is_text = {isinstance(label, str) for label in labels}
    if len(is_text) > 1:
        raise TypeError(f"Some labels {layer!r} are text and others numbers: make them alike.")
    return np.asarray(labels)


def _require_one_label(value, word: str, layer: str) -> None:
    if np.ndim(value) > 0:
        raise ValueError(
            f"Word {word} has several labels {layer!r}: {_kind(value)}. A word has one label a "
            "layer: make a layer of each."
        )
    try:
        missing = value is None or bool(value != value)
    except TypeError:  # pd.NA is neither equal to itself nor unequal
        missing = True
    if missing:
        raise ValueError(
            f"Word {word} has no label {layer!r}, but {value!r}. Leave the sentence out, or give "
            "the word a label that says so."
        )


def load_toy_corpus() -> list[Sentence]:
    """20 short sentences with 8 coarse tags (layer ``"tag"``), written for this course.

    The tags are NOUN VERB ADJ DET PREP ADV CONJ PRON. It shows how a probe works, and is far too
    small to decide anything.
    """
    file = resources.files("whichlayer") / "data" / "toy_corpus.tsv"
    sentences = []
    for block in file.read_text(encoding="utf-8").strip().split("\n\n"):
        words, tags = zip(*(line.split("\t") for line in block.splitlines()), strict=True)
        sentence_id = f"toy-{len(sentences) + 1:02d}"
        sentences.append(Sentence(words, {"tag": tags}, sentence_id, sentence_id))
    return sentences


def read_conllu(path: str | os.PathLike[str]) -> list[Sentence]:
    """Read a CoNLL-U file.

    Args:
        path: the file, UTF-8 with or without a byte-order mark, line ends of any system.

    Returns:
        One :class:`Sentence` per annotated sentence, with the layers ``lemma``, ``upos``,
        ``xpos``, ``feats``, ``head`` (integers, 0 for the root, words counted from 1), ``deprel``
        and ``udeprel`` (the relation without its subtype). The words are the syntactic words:
        a multiword token such as *don't* counts as its parts, and empty nodes are left out.
        The text is that of ``# text``; where that is missing it is put together from the words
        and ``SpaceAfter``. Sentences without ``# sent_id`` are named after the file and their
        place. Each ``# newdoc`` begins a document; one without an id is named after the file and
        its place, and a file without any is one document, named after the file.

        Where MISC holds ``Entity`` in brackets (as in CorefUD and GUM) there is a layer
        ``mention``: the type of the innermost mention that a word stands in, or ``"O"``. Where
        mentions are also marked as named (``named`` among their attributes, as in the course's
        treebank) there is a layer ``entity``: the same for named mentions only. A corpus that
        doesn't mark names has no such layer. Where MISC holds ``Role`` as *predicate:role* there
        is a layer ``role``: the word's semantic role for the predicate nearest to it, or ``"O"``.
        A layer that one sentence of the file has, all have.

    Raises:
        CorpusFormatError: a line is malformed, or two sentences have one id; the message names
            the file and the line.

    Source: https://universaldependencies.org/format.html; for ``Entity`` and ``global.Entity``
    https://ufal.mff.cuni.cz/corefud.
    """
    return [Sentence(**found) for found in sentences_of(Path(path))]


def load_treebank(part: str | None = None) -> list[Sentence]:
    """The course's own treebank: 51 documents of 18 genres, split by document.

    Args:
        part: ``"train"``, ``"dev"`` or ``"test"``; by default all three, in this order.

    Returns:
        The sentences, each knowing its part (``sentence.part``), with all the layers that
        :func:`read_conllu` describes.

    Raises:
        ValueError: there is no such part.

    The course's page on the treebank says how it was written and annotated. CC BY-SA 4.0.
    """
    with resources.as_file(resources.files("whichlayer") / "data" / "treebank") as folder:
        paths = {name: folder / f"{name}.conllu" for name in _parts(part)}
        return [s for name, path in paths.items() for s in _of_part(name, read_conllu(path))]


def _parts(part: str | None) -> tuple[str, ...]:
    if part is None:
        return PARTS
    if part not in PARTS:
        raise ValueError(f"There is no part {part!r}: choose 'train', 'dev' or 'test'.")
    return (part,)


def _of_part(part: str, sentences: Iterable[Sentence]) -> list[Sentence]:
    return [dataclasses.replace(sentence, part=part) for sentence in sentences]


def load_senses() -> list[Sentence]:
    """Sentences with one ambiguous word each, two senses a word, written for this course.

    Returns:
        Sentences with the layers ``lemma`` and ``sense``. Both are ``"O"`` but for the ambiguous
        word, where they hold its lemma (``"bank"``) and its sense (``"bank.river"``).
    """
    file = resources.files("whichlayer") / "data" / "senses.tsv"
    sentences = []
    _, *rows = file.read_text(encoding="utf-8").splitlines()
    for row in rows:
        sentence_id, sense, target, words = row.split("\t")
        words, at = tuple(words.split(" ")), int(target)
        lemma = sense.split(".")[0]
        labels = {
            layer: tuple(label if i == at else "O" for i in range(len(words)))
            for layer, label in (("lemma", lemma), ("sense", sense))
        }
        sentences.append(Sentence(words, labels, sentence_id, sentence_id))
    return sentences


def load_ud_english_ewt(part: str | None = None) -> list[Sentence]:
    """Universal Dependencies English Web Treebank, release 2.16 (Silveira et al. 2014).

    Args:
        part: ``"train"`` (12,544 sentences), ``"dev"`` (2,001) or ``"test"`` (2,077); by default
            all three, in this order.

    Returns:
        The sentences, as :func:`read_conllu` gives them, each knowing its part
        (``sentence.part``).

    Raises:
        ValueError: there is no such part.
        CorpusUnavailableError: a file can't be downloaded or found, or its sum differs.

    The files are read from the folder that the environment variable ``WHICHLAYER_DATA`` names, or
    downloaded once from the treebank's public repository and kept in the user's cache. Licence of
    the data: CC BY-SA 4.0.
    """
    paths = {name: _ewt_file(name) for name in _parts(part)}
    return [s for name, path in paths.items() for s in _of_part(name, read_conllu(path))]


def _ewt_file(part: str) -> Path:
    name = f"en_ewt-ud-{part}.conllu"
    folder = os.environ.get("WHICHLAYER_DATA")
    if not folder:
        return Path(_download(name, EWT_SHA256[part]))
    path = Path(folder).expanduser() / name
    if not path.is_file():
        raise CorpusUnavailableError(
            f"WHICHLAYER_DATA is {folder!r}, but there is no {name} in it. Put the file there, or "
            "unset WHICHLAYER_DATA to have it downloaded."
        )
    data = path.read_bytes()
    # Git on Windows and some editors change the line ends and put a mark first; the corpus is same.
    unix = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if EWT_SHA256[part] not in {hashlib.sha256(d).hexdigest() for d in (data, unix)}:
        raise CorpusUnavailableError(
            f"{path} is damaged or of another release: its sha256 isn't that of release 2.16. "
            f"Fetch it again from {EWT_URL}/{EWT_COMMIT}/{name}"
        )
    return path


def _download(name: str, sha256: str) -> str:
    url = f"{EWT_URL}/{EWT_COMMIT}/{name}"
    try:
        return pooch.retrieve(
            url,
            known_hash=f"sha256:{sha256}",
            fname=name,
            path=pooch.os_cache("whichlayer"),
            progressbar=True,
        )
    except Exception as error:  # of many kinds: requests', the file system's, a wrong sum
        raise CorpusUnavailableError(
            f"UD English EWT could not be downloaded: {_cause(error)}. On a machine without "
            f"internet, put {name} in a folder and name the folder in WHICHLAYER_DATA. It is at "
            f"{url}"
        ) from error


def _cause(error: Exception) -> str:
    if isinstance(error, ValueError):  # pooch's word for a wrong sum
        return "what came is damaged (its sha256 isn't the expected one)"
    if isinstance(error, (ConnectionError, requests.exceptions.ConnectionError)):
        return "there is no connection to it"
    return f"{type(error).__name__}: {str(error)[:120]}"


def _kind(value) -> str:
    """A value in a few words, for a message."""
    text = repr(value)
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"
