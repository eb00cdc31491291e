"""What a CoNLL-U file says: its sentences' words, layers, ids, documents and text.

:func:`whichlayer.corpora.read_conllu` says what the layers are.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value, parse_int_value


class CorpusFormatError(ValueError):
    """A corpus file is malformed; the message names the file and the line."""


@dataclass(frozen=True)
class Row:
    """One line of CoNLL-U that isn't a comment."""

    line: int
    id: int | tuple[int, str, int]
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str
    misc: Mapping[str, str]


@dataclass(frozen=True)
class Tree:
    """One sentence of CoNLL-U."""

    line: int
    comments: Mapping[str, str]
    rows: Sequence[Row]

    @property
    def words(self) -> list[Row]:
        return [row for row in self.rows if isinstance(row.id, int)]


def sentences_of(path: Path) -> list[dict]:
    """For each sentence of a file what :class:`whichlayer.corpora.Sentence` takes.

    Raises:
        CorpusFormatError: the file is malformed; the message names the line.
    """
    trees = [_tree(path, first_line, block) for first_line, block in _blocks(path)]
    if not trees:
        raise CorpusFormatError(f"{path} holds no sentence.")
    more_layers = {**_entity_layers(path, trees), **_role_layer(trees)}
    sentence_ids, document_ids = _sentence_ids(path, trees), _document_ids(path, trees)
    return [
        {
            "words": tuple(row.form for row in tree.words),
            "labels": {**_columns(tree), **{name: of[i] for name, of in more_layers.items()}},
            "id": sentence_ids[i],
            "document_id": document_ids[i],
            "text": tree.comments.get("text") or _written(tree),
        }
        for i, tree in enumerate(trees)
    ]


_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The file's sentences as lists of lines, each with the number of its first line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise CorpusFormatError(f"{path}, line {line}: not UTF-8.") from error
    block: list[str] = []
    # split("\n"), not splitlines(): the latter also cuts at characters that words may contain.
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.rstrip("\r")
        if line.strip(" \t"):
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _tree(path: Path, first_line: int, block: Sequence[str]) -> Tree:
    comments: dict[str, str] = {}
    rows = []
    for number, line in enumerate(block, first_line):
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            comments[name.strip()] = value.strip()
        else:
            rows.append(_row(f"{path}, line {number}", number, line))
    tree = Tree(first_line, comments, rows)
    words = tree.words
    if not words:
        raise CorpusFormatError(f"{path}, line {first_line}: a sentence without words.")
    for expected, row in enumerate(words, 1):
        where = f"{path}, line {row.line}"
        if row.id != expected:
            raise CorpusFormatError(f"{where}: word {row.id} where {expected} was expected.")
        if row.head is None:
            raise CorpusFormatError(f"{where}: the word has no HEAD, as if it weren't annotated.")
        if not 0 <= row.head <= len(words):
            raise CorpusFormatError(
                f"{where}: the head is {row.head}, but the sentence has {len(words)} words."
            )
    return tree


def _row(where: str, number: int, line: str) -> Row:
    # Not conllu.parse: it also splits columns at two blanks, and cuts MISC at a second "=".
    columns = [column.strip(" ") for column in line.split("\t")]
    if len(columns) != len(_COLUMNS):
        raise CorpusFormatError(
            f"{where}: {len(columns)} tab-separated columns, CoNLL-U has 10: {line[:60]!r}"
        )
    for name, column in zip(_COLUMNS, columns, strict=True):
        if not column:
            raise CorpusFormatError(f"{where}: the column {name} is empty; CoNLL-U has _ there.")
    row_id, form, lemma, upos, xpos, feats, head, deprel, _, misc = columns
    try:
        parsed_id, parsed_head = parse_id_value(row_id), parse_int_value(head)
    except (ParseException, ValueError) as error:  # ValueError: a number of thousands of digits
        raise CorpusFormatError(
            f"{where}: the ID {row_id[:20]!r} or the HEAD {head[:20]!r} isn't a number of a word."
        ) from error
    if parsed_id is None:
        raise CorpusFormatError(f"{where}: the column ID is {row_id!r}, not the number of a word.")
    pairs = [pair.partition("=") for pair in misc.split("|") if misc != "_"]
    return Row(
        number, parsed_id, form, lemma, upos, xpos, feats, parsed_head, deprel,
        {name: value for name, _, value in pairs},
    )  # fmt: skip


def _columns(tree: Tree) -> dict[str, list]:
    """The layers that every CoNLL-U file has."""
    names = ("lemma", "upos", "xpos", "feats", "head", "deprel")
    layers = {name: [getattr(row, name) for row in tree.words] for name in names}
    return {**layers, "udeprel": [deprel.split(":")[0] for deprel in layers["deprel"]]}


def _written(tree: Tree) -> str:
    """The text of a sentence, from its words and SpaceAfter; a multiword token as it is written."""
    text, inside = "", 0
    for row in tree.rows:
        if isinstance(row.id, tuple) and row.id[1] == "-":
            inside = row.id[2]
        elif isinstance(row.id, tuple) or row.id <= inside:
            continue
        text += row.form + ("" if row.misc.get("SpaceAfter") == "No" else " ")
    return text.strip(" ")


def _sentence_ids(path: Path, trees: Sequence[Tree]) -> list[str]:
    lines: dict[str, int] = {}
    for tree in trees:
        name = tree.comments.get("sent_id")
        if name and lines.setdefault(name, tree.line) != tree.line:
            raise CorpusFormatError(
                f"{path}, line {tree.line}: the sent_id {name!r} is that of the sentence at line "
                f"{lines[name]} too; each sentence needs one of its own."
            )
    return [
        tree.comments.get("sent_id") or free_name(f"{path.stem}-{i}", lines)
        for i, tree in enumerate(trees, 1)
    ]


def _document_ids(path: Path, trees: Sequence[Tree]) -> list[str]:
    declared = {tree.comments.get("newdoc id") for tree in trees}
    ids, documents = [], 0
    current = free_name(path.stem, declared)
    for tree in trees:
        if tree.comments.keys() & {"newdoc", "newdoc id"}:
            documents += 1
            named = tree.comments.get("newdoc id")
            current = named or free_name(f"{path.stem}-{documents}", declared)
        ids.append(current)
    return ids


def free_name(name: str, taken: Container[str | None]) -> str:
    """The name, with a prime or more behind it while it is taken."""
    while name in taken:
        name += "'"
    return name


_BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")


def _entity_layers(path: Path, trees: Sequence[Tree]) -> dict[str, list[list[str]]]:
    """The layers mention and entity, sentence by sentence, read from CorefUD's brackets."""
    order: list[str] = []  # of a mention's attributes; each declaration holds until the next
    mention, entity = [], []
    for tree in trees:
        if declared := tree.comments.get("global.Entity"):
            # GUM's older names of the same two attributes
            order = [{"GRP": "eid", "entity": "etype"}.get(n, n) for n in declared.split("-")]
        innermost = _innermost(path, tree, order)
        mention.append([found[-1].type if found else "O" for found in innermost])
        named = [[m for m in found if m.named] for found in innermost]
        entity.append([found[-1].type if found else "O" for found in named])
    layers = {"mention": mention, "entity": entity}
    return {
        name: of_trees
        for name, of_trees in layers.items()
        if any(label != "O" for labels in of_trees for label in labels)
    }


@dataclass(frozen=True)
class Mention:
    name: str
    type: str
    named: bool


def _innermost(path: Path, tree: Tree, order: Sequence[str]) -> list[list[Mention]]:
    """For each word the mentions that it stands in, outermost first."""
    of_words: list[list[Mention]] = []
    open_: list[Mention] = []
    for row in tree.rows:
        value = row.misc.get("Entity", "")
        # Without brackets it is another corpus's own Entity.
        bracketed = bool({"(", ")"} & set(value))
        brackets = _BRACKET.findall(value) if bracketed else []
        where = f"{path}, line {row.line}: Entity={value[:60]}"
        if bracketed and "".join(brackets) != value:
            raise CorpusFormatError(f"{where}: the brackets don't match.")
        if brackets and "eid" not in order:
            raise CorpusFormatError(
                f"{where}: no line before it declares the order of a mention's attributes, such "
                "as '# global.Entity = eid-etype-head-other'."
            )
        closing = []
        for bracket in brackets:
            if bracket.startswith("("):
                open_.append(_mention(bracket.strip("()"), order))
            if bracket.endswith(")"):
                closing.append(_mention(bracket.strip("()"), order).name)
        if isinstance(row.id, int):
            of_words.append(list(open_))
        for name in closing:
            at = [i for i, mention in enumerate(open_) if mention.name == name]
            if not at:
                raise CorpusFormatError(f"{where}: {name!r} is closed but wasn't opened.")
            del open_[at[-1]]
    if open_:
        raise CorpusFormatError(
            f"{path}, line {tree.line}: the mention {open_[-1].name!r} isn't closed in its sentence."
        )
    return of_words


def _mention(bracket: str, order: Sequence[str]) -> Mention:
    # A last attribute such as a title may hold hyphens; empty ones at the end may be left out.
    parts = bracket.split("-", len(order) - 1)
    values = dict(zip(order, parts, strict=False))
    marks = {f"{name}:{value}" for name, value in values.items() if name not in ("eid", "etype")}
    marks |= set(re.split(r"[,;|]", values.get("other", "")))
    named = any(re.fullmatch(r"(\w+:)?named|named:(?!no|false|0).+", mark, re.I) for mark in marks)
    # What closes a mention is the entity's id alone, wherever that stands in the order.
    return Mention(
        values.get("eid", parts[0]) if len(parts) > 1 else bracket,
        values.get("etype") or "_",
        named,
    )


def _role_layer(trees: Sequence[Tree]) -> dict[str, list[list[str]]]:
    values = {row.misc["Role"] for tree in trees for row in tree.words if "Role" in row.misc}
    # In another form it is another corpus's own Role.
    if not values or not all(re.fullmatch(r"\d+:[^,:]+(,\d+:[^,:]+)*", v) for v in values):
        return {}
    return {"role": [[_role(row) for row in tree.words] for tree in trees]}


def _role(row: Row) -> str:
    if "Role" not in row.misc:
        return "O"
    pairs = [pair.split(":") for pair in row.misc["Role"].split(",")]
    return min(pairs, key=lambda pair: abs(int(pair[0]) - row.id))[1]
