"""Sentences with their labels: toy corpus, treebank, word senses, CoNLL-U files, UD English EWT."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import conllu
import numpy as np
import pooch
import requests

PARTS = ("train", "dev", "test")

EWT_COMMIT = "15d613d8447b3478787d4c278730a1e48a945efb"  # release 2.16, May 2025
EWT_URL = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT"
EWT_SHA256 = {
    "train": "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "dev": "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    "test": "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
}


class CorpusFormatError(ValueError):
    """A corpus file is malformed; the message names the file and the line."""


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
        if isinstance(self.words, str):
            raise TypeError("Sentence.words must be a sequence of words, not one string.")
        labels = {layer: tuple(values) for layer, values in dict(self.labels).items()}
        for layer, values in labels.items():
            if len(values) != len(self.words):
                raise ValueError(
                    f"Sentence {self.id!r} has {len(self.words)} words but {len(values)} labels "
                    f"in {layer!r}."
                )
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "labels", MappingProxyType(labels))
        object.__setattr__(self, "text", self.text or " ".join(self.words))

    def __len__(self) -> int:
        return len(self.words)

    def __hash__(self) -> int:
        return hash((self.id, self.document_id, self.words))

    def __reduce__(self):
        # The read-only view of the labels can't be pickled or copied; a plain dict can.
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return Sentence, tuple({**values, "labels": dict(self.labels)}.values())


def word_labels(sentences: Iterable[Sentence], layer: str) -> np.ndarray:
    """The labels of every word of every sentence, in order.

    Args:
        sentences: annotated sentences.
        layer: the layer of annotation, such as ``"upos"``.

    Returns:
        An array of shape (words,), aligned with ``extract(encoder, sentences).vectors[k]``.

    Raises:
        KeyError: a sentence lacks that layer; the message names it and what it has.
    """
    labels = []
    for sentence in sentences:
        if layer not in sentence.labels:
            raise KeyError(
                f"Sentence {sentence.id!r} has no labels {layer!r}; it has "
                f"{', '.join(sorted(sentence.labels)) or 'none'}."
            )
        labels.extend(sentence.labels[layer])
    return np.asarray(labels)


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
        path: the file, UTF-8.

    Returns:
        One :class:`Sentence` per annotated sentence, with the layers ``lemma``, ``upos``,
        ``xpos``, ``feats``, ``head`` (integers, 0 for the root, words counted from 1), ``deprel``
        and ``udeprel`` (the relation without its subtype). The words are the syntactic words:
        a multiword token such as *don't* counts as its parts, and empty nodes are left out.
        A file without ``# newdoc`` is one document, named after the file. Where MISC holds
        ``Entity`` (as in CorefUD) there is a layer ``entity``: the type of the innermost named
        mention that a word stands in, or ``"O"``. Where it holds ``Role`` there is a layer
        ``role``: the word's semantic role for the predicate nearest to it, or ``"O"``.

    Raises:
        CorpusFormatError: a line is malformed; the message names the file and the line.
    """
    path = Path(path)
    sentences: list[Sentence] = []
    document_id = path.stem
    for first_line, block in _blocks(path):
        parsed = _parse_block(path, first_line, block)
        document_id = parsed.metadata.get("newdoc id", document_id)
        words = [token for token in parsed if isinstance(token["id"], int)]
        if not words:
            raise CorpusFormatError(f"{path}, line {first_line}: a sentence without words.")
        labels = {
            "lemma": [token["lemma"] for token in words],
            "upos": [token["upos"] for token in words],
            "xpos": [token["xpos"] or "_" for token in words],
            "feats": [_feats(token["feats"]) for token in words],
            "head": [token["head"] for token in words],
            "deprel": [token["deprel"] for token in words],
            "udeprel": [token["deprel"].split(":")[0] for token in words],
        }
        if any("Entity" in (token["misc"] or {}) for token in parsed):
            labels["entity"] = _named_entities(words)
        if any("Role" in (token["misc"] or {}) for token in words):
            labels["role"] = [_role(token) for token in words]
        sentences.append(
            Sentence(
                words=tuple(token["form"] for token in words),
                labels=labels,
                id=parsed.metadata.get("sent_id", f"{path.stem}-{len(sentences) + 1}"),
                document_id=document_id,
                text=parsed.metadata.get("text", ""),
            )
        )
    if not sentences:
        raise CorpusFormatError(f"{path} holds no sentence.")
    return sentences


def load_treebank(part: str | None = None) -> list[Sentence]:
    """The course's own treebank: 51 documents of 18 genres, split by document.

    Args:
        part: ``"train"``, ``"dev"`` or ``"test"``; by default all three, in this order.

    Returns:
        The sentences, each knowing its part (``sentence.part``), with all the layers that
        :func:`read_conllu` describes; a sentence without any entity or role has ``"O"``
        throughout.

    Raises:
        ValueError: there is no such part.

    The course's page on the treebank says how it was written and annotated. CC BY-SA 4.0.
    """
    sentences = []
    with resources.as_file(resources.files("whichlayer") / "data" / "treebank") as folder:
        for name in _parts(part):
            sentences += _of_part(name, read_conllu(folder / f"{name}.conllu"))
    nothing = {layer: ("O",) for layer in ("entity", "role")}
    return [
        dataclasses.replace(
            s, labels={**{layer: o * len(s) for layer, o in nothing.items()}, **s.labels}
        )
        for s in sentences
    ]


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
    if hashlib.sha256(path.read_bytes()).hexdigest() != EWT_SHA256[part]:
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


def _blocks(path: Path) -> Iterable[tuple[int, list[str]]]:
    """The file's sentences as lists of lines, each with the number of its first line."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise CorpusFormatError(f"{path}, line {line}: not UTF-8.") from error
    block: list[str] = []
    # split("\n"), not splitlines(): the latter also cuts at characters that words may contain.
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


def _parse_block(path: Path, first_line: int, block: Sequence[str]) -> conllu.TokenList:
    rows = [(first_line + i, line) for i, line in enumerate(block) if not line.startswith("#")]
    for number, line in rows:
        if (columns := line.count("\t") + 1) != 10:
            raise CorpusFormatError(
                f"{path}, line {number}: {columns} tab-separated columns, CoNLL-U has 10: "
                f"{line[:60]!r}"
            )
    if not rows:
        raise CorpusFormatError(f"{path}, line {first_line}: a sentence without words.")
    try:
        (sentence,) = conllu.parse("\n".join(block))
    except Exception as error:  # conllu raises several kinds, none with a line number
        raise _name_the_line(path, rows, error) from error
    numbers = [number for number, _ in rows]
    words = [
        (n, token)
        for n, token in zip(numbers, sentence, strict=True)
        if isinstance(token["id"], int)
    ]
    for expected, (number, token) in enumerate(words, 1):
        where = f"{path}, line {number}"
        if token["id"] != expected:
            raise CorpusFormatError(f"{where}: word {token['id']} where {expected} was expected.")
        if token["head"] is None or not token["deprel"] or not token["upos"]:
            raise CorpusFormatError(f"{where}: UPOS, HEAD and DEPREL are needed.")
        if not 0 <= token["head"] <= len(words):
            raise CorpusFormatError(
                f"{where}: the head is {token['head']}, but the sentence has {len(words)} words."
            )
    return sentence


def _name_the_line(path: Path, rows: Sequence[tuple[int, str]], error: Exception):
    for number, line in rows:
        try:
            conllu.parse(line)
        except Exception as line_error:
            return CorpusFormatError(f"{path}, line {number}: {line_error}")
    return CorpusFormatError(f"{path}, line {rows[0][0]}: {error}")


def _named_entities(words: Sequence[Mapping]) -> list[str]:
    """The type of the innermost named mention of each word, read from CorefUD's brackets."""
    types, open_mentions = [], []
    for token in words:
        entity = (token["misc"] or {}).get("Entity") or ""
        closing = []
        for bracket in re.findall(r"\([^()]+\)?|[^()]+\)", entity):
            if bracket.startswith("("):
                name, kind, _, form = bracket.strip("()").split("-")
                open_mentions.append((name, kind if form == "named" else None))
            if bracket.endswith(")"):
                closing.append(bracket.strip("()").split("-")[0])
        named = [kind for _, kind in open_mentions if kind]
        types.append(named[-1] if named else "O")
        for name in closing:
            last = max(i for i, (opened, _) in enumerate(open_mentions) if opened == name)
            del open_mentions[last]
    return types


def _role(token: Mapping) -> str:
    roles = (token["misc"] or {}).get("Role")
    if not roles:
        return "O"
    pairs = [pair.split(":") for pair in roles.split(",")]
    return min(pairs, key=lambda pair: abs(int(pair[0]) - token["id"]))[1]


def _feats(feats: Mapping[str, str] | None) -> str:
    return "|".join(f"{name}={value}" for name, value in feats.items()) if feats else "_"
