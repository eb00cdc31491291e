"""Rebuild what a student handed in on the notebook that was handed out.

Nothing in the submission but its code and its essays counts: not metadata, not the cells' order, ids,
number or type. An answer is found

1. by its marker (`# EXERCISE 2.1`, `**EXERCISE 2.5`), also in the middle of a merged cell,
2. else by the cell's id, where an editor kept it,
3. else by the names it defines, wherever they stand,

and of several the last that isn't the untouched starter. Of everything else the student wrote, imports,
definitions and plain assignments are kept. They run twice at most: all of them once before the first
answer, so that a helper defined below its use is there; and those that didn't work yet, or that define a
name anew, once more at the place where the student had them.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections import Counter
from dataclasses import dataclass, field

from whichlayer_grading.course import Exercise, names_of

CODE_MARKER = re.compile(r"^[ \t]*#+[ \t]*EXERCISE[ \t]+(\d+\.\d+)\b[^\n]*$", re.M)
ESSAY_MARKER = re.compile(r"^[\s#>*_]*EXERCISE[ \t]+(\d+\.\d+)\b[^\n]*$", re.M)
MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2})$", re.M)
CELL_MAGIC = re.compile(r"\A\s*%%(\w+)[^\n]*(?:\n|\Z)")
NOT_PYTHON = {
    "bash",
    "sh",
    "html",
    "javascript",
    "js",
    "latex",
    "markdown",
    "svg",
    "writefile",
    "script",
}
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
STUB_OF_ESSAY = "YOUR ANSWER HERE"


class NotANotebook(Exception):
    """The file can't be read as a notebook; the message says why."""


@dataclass
class Cell:
    """A cell of a submission, as far as it counts."""

    kind: str
    source: str
    ids: frozenset[str] = frozenset()


@dataclass
class Segment:
    """A part of a code cell: from one marker to the next, or what stands before the first."""

    number: str | None
    text: str
    ids: frozenset[str] = frozenset()
    chosen: bool = False
    body: list[ast.stmt] = field(default_factory=list)
    parsed: bool = True

    def __post_init__(self):
        try:
            self.body = ast.parse(plain_python(self.text)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.parsed = False


@dataclass
class Rebuilt:
    """The rebuilt notebook, and what was found.

    Attributes:
        notebook: as nbformat 4 has it, a plain dict.
        found: by exercise: "answer", "untouched" or "nothing".
        answers: by exercise, the student's text.
        dropped: names that the student's other cells bind in a way that grading doesn't run.
    """

    notebook: dict
    found: dict[str, str]
    answers: dict[str, str]
    dropped: set[str]


def read_cells(content: bytes) -> list[Cell]:
    """The cells of a notebook file of any version, however its metadata look.

    Raises:
        NotANotebook: the file isn't JSON, or holds no cells.
    """
    if not content.strip():
        raise NotANotebook("the file is empty")
    try:
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        data = json.loads(content.decode(encoding))
    except UnicodeDecodeError:
        raise NotANotebook("the file isn't text, so it can't be a notebook") from None
    except RecursionError:
        raise NotANotebook("its JSON is nested too deeply") from None
    except ValueError as error:
        head = content.lstrip()[:15].lower()
        if head.startswith((b"<!doctype", b"<html")):
            raise NotANotebook("this is a web page, not the notebook itself") from None
        raise NotANotebook(f"its JSON is broken ({error})") from None
    if not isinstance(data, dict):
        raise NotANotebook("this JSON isn't a notebook")
    cells = data.get("cells")
    if cells is None and isinstance(data.get("worksheets"), list):  # before 2015
        cells = [c for sheet in data["worksheets"] for c in sheet.get("cells", [])]
    if not isinstance(cells, list):
        raise NotANotebook("this JSON isn't a notebook: it has no cells")
    return [_cell(entry) for entry in cells if isinstance(entry, dict)]


def _cell(entry: dict) -> Cell:
    source = entry.get("source", entry.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = entry.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    nbgrader = metadata.get("nbgrader")
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    ids = {i for i in (entry.get("id"), metadata.get("id"), grade_id) if isinstance(i, str)}
    kind = entry.get("cell_type")
    source = source if isinstance(source, str) else ""
    source = source.replace("\r\n", "\n").replace("\xa0", " ")
    return Cell(kind if isinstance(kind, str) else "code", source, frozenset(ids))


def plain_python(text: str) -> str:
    """Code without IPython's magics, line for line."""
    text = CELL_MAGIC.sub(_without_cell_magic, text)
    try:
        ast.parse(text)
        return text  # a line may begin with % inside an expression
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return MAGIC.sub(r"\1pass", text)


def _without_cell_magic(match: re.Match) -> str:
    return "raise SyntaxError(\n" if match[1] in NOT_PYTHON else "\n"


def rebuild(cells: list[Cell], release: dict, exercises: list[Exercise]) -> Rebuilt:
    """The submission on the release notebook."""
    repair = _Repair(cells, release, exercises)
    return repair.run()


class _Repair:
    def __init__(self, cells: list[Cell], release: dict, exercises: list[Exercise]):
        self.release = release
        self.exercises = exercises
        self.code_exercises = [e for e in exercises if not e.essay]
        self.answer_cells = {e.cell for e in exercises}
        # What the handed-out notebook runs anyway, statement by statement.
        self.given = Counter()
        self.checks = set()
        for cell in release["cells"]:
            if cell["cell_type"] == "code" and cell["id"] not in self.answer_cells:
                dumps = [ast.dump(node) for node in Segment(None, _text(cell)).body]
                self.given.update(dumps)
                if cell["id"].startswith("check-"):
                    self.checks.update(dumps)
        self.starters = {e.number: _normal(Segment(e.number, e.starter)) for e in exercises}
        self.cells = cells
        self.segments = self._segments()

    def _segments(self) -> list[Segment]:
        segments = []
        for cell in self.cells:
            marked = CODE_MARKER.search(cell.source)
            # An answer whose cell has become text counts if it is code.
            if cell.kind != "code" and not marked:
                continue
            source = CELL_MAGIC.sub(_keep_if_not_python, cell.source)
            starts = [match.start() for match in CODE_MARKER.finditer(source)]
            ids = cell.ids if not starts else frozenset()
            before = source[: starts[0]] if starts else source
            if before.strip():
                segments.append(Segment(None, before, ids))
            for start, end in zip(starts, [*starts[1:], None], strict=False):
                number = CODE_MARKER.match(source, start)[1]
                segment = Segment(number, source[start:end].rstrip())
                if cell.kind != "code" and not segment.parsed:
                    continue
                segments.append(self._without_checks(segment))
        return segments

    def _without_checks(self, segment: Segment) -> Segment:
        """A merged cell holds the self-check too; it is no part of the answer."""
        drop = [node for node in segment.body if ast.dump(node) in self.checks]
        drop = [node for node in drop if isinstance(node, ast.Expr)]
        if not drop:
            return segment
        lines = segment.text.split("\n")
        for node in drop:
            for line in range(node.lineno - 1, node.end_lineno):
                lines[line] = ""
        return Segment(segment.number, "\n".join(lines).rstrip(), segment.ids)

    def run(self) -> Rebuilt:
        found, answers = {}, {}
        for exercise in self.exercises:
            find = self._find_essay if exercise.essay else self._find_code
            found[exercise.number], answers[exercise.number] = find(exercise)
        early, placed, dropped = self._helpers()
        cells, first = [], True
        for cell in self.release["cells"]:
            exercise = next((e for e in self.exercises if e.cell == cell["id"]), None)
            if exercise and not exercise.essay:
                if first:
                    cells += early
                    first = False
                cells += placed.get(exercise.number, [])
            cell = copy.deepcopy(cell)
            if exercise and found[exercise.number] == "answer":
                cell["source"] = answers[exercise.number]
            cells.append(cell)
        return Rebuilt({**self.release, "cells": cells}, found, answers, dropped)

    # -- answers ---------------------------------------------------------------------------------

    def _find_code(self, exercise: Exercise) -> tuple[str, str]:
        wanted = set(exercise.names)
        id = {exercise.cell, exercise.cell.replace("-", "_")}
        marked = [s for s in self.segments if s.number == exercise.number]
        by_id = [s for s in self.segments if s.number is None and s.ids & id]
        done = [s for s in marked if not self._untouched(s, exercise)]
        done = done or [s for s in by_id if not self._untouched(s, exercise)]
        whole = [s for s in done if not s.parsed or wanted <= _names(s)]
        if whole:
            return self._take(whole[-1])
        text = self._by_names(exercise)
        if text is not None:
            return "answer", text
        if done:
            return self._take(done[-1])
        for segment in marked:
            segment.chosen = True
        touched = bool(marked or by_id) or any(wanted & _names(s) for s in self.segments)
        return ("untouched" if touched else "nothing"), exercise.starter

    def _take(self, segment: Segment) -> tuple[str, str]:
        segment.chosen = True
        return "answer", segment.text

    def _untouched(self, segment: Segment, exercise: Exercise) -> bool:
        code = [node for node in segment.body if not isinstance(node, ast.Pass)]
        if segment.parsed and all(_is_stub(node) for node in code):
            return True  # only the marker, comments, or functions without a body
        return _normal(segment) == self.starters[exercise.number]

    def _by_names(self, exercise: Exercise) -> str | None:
        """The answer put together from where its names are bound last."""
        starter = {ast.dump(node) for node in Segment(None, exercise.starter).body}
        parts: dict[str, tuple[Segment, ast.stmt]] = {}
        for segment in self.segments:
            for node in segment.body:
                for name in names_of(node):
                    if name in exercise.names and ast.dump(node) not in starter:
                        parts[name] = (segment, node)
        if not parts:
            return None
        pieces: list[str] = []
        for segment, node in parts.values():
            # What a value is computed from stands around it, so its cell counts as a whole.
            whole = not isinstance(node, DEFINITIONS) and segment.number is None
            if whole:
                segment.chosen = True
            piece = segment.text if whole else _source(segment, node)
            if piece not in pieces:
                pieces.append(piece)
        return "\n\n".join(pieces)

    def _find_essay(self, exercise: Exercise) -> tuple[str, str]:
        heading = exercise.starter.partition("\n")[0]
        given = {_squeezed(_text(cell)) for cell in self.release["cells"]}
        id = {exercise.cell, exercise.cell.replace("-", "_")}
        texts, seen = [], False
        for place, cell in enumerate(self.cells):
            own = [m for m in ESSAY_MARKER.finditer(cell.source) if m[1] == exercise.number]
            if own:
                start = own[0].end()
                others = (m.start() for m in ESSAY_MARKER.finditer(cell.source, start))
                text = cell.source[start : next(others, None)]
            elif cell.ids & id and cell.kind != "code":
                text = cell.source
            else:
                continue
            seen = True
            if not _essay_text(text):
                # The text may stand in cells of its own below the untouched one.
                text = "\n\n".join(self._own_text_after(place, given))
            if _essay_text(text):
                texts.append(_essay_text(text))
        if texts:
            return "answer", f"{heading}\n\n{texts[-1]}"
        return ("untouched" if seen else "nothing"), exercise.starter

    def _own_text_after(self, place: int, given: set[str]):
        for cell in self.cells[place + 1 :]:
            if cell.kind == "code" or _squeezed(cell.source) in given or "EXERCISE" in cell.source:
                return
            yield cell.source

    # -- everything else -------------------------------------------------------------------------

    def _helpers(self) -> tuple[list[dict], dict[str, list[dict]], set[str]]:
        answers = {name for e in self.code_exercises for name in e.names}
        kept: list[tuple[str | None, Segment, ast.stmt]] = []
        dropped: set[str] = set()
        upcoming = self._next_answers()
        for segment, before in zip(self.segments, upcoming, strict=True):
            if segment.chosen:
                continue
            for node in segment.body:
                if self.given[ast.dump(node)]:
                    continue
                if _is_kept(node) and not answers & set(names_of(node)):
                    kept.append((before, segment, node))
                else:
                    dropped |= _stored(node) - answers
        bound = Counter(name for _, _, node in kept for name in _binds(node))
        dropped -= set(bound)
        early: list[dict] = []
        placed: dict[str, list[dict]] = {}
        for count, (before, segment, node) in enumerate(kept):
            source = _source(segment, node)
            anew = any(bound[name] > 1 for name in _binds(node))
            early.append(_helper(source, count, "early", again=False))
            if before is not None:
                placed.setdefault(before, []).append(_helper(source, count, "there", again=anew))
        return early, placed, dropped

    def _next_answers(self) -> list[str | None]:
        """For each segment, the exercise whose answer comes next in the submission."""
        numbers = {e.number for e in self.code_exercises}
        upcoming, result = None, []
        for segment in reversed(self.segments):
            result.append(upcoming)
            if segment.number in numbers:
                upcoming = segment.number
        return result[::-1]


def _keep_if_not_python(match: re.Match) -> str:
    return match[0] if match[1] in NOT_PYTHON else ""


def _text(cell: dict) -> str:
    source = cell["source"]
    return "".join(source) if isinstance(source, list) else source


def _normal(segment: Segment) -> str:
    """Code apart from comments and white space; as it stands if it can't be parsed."""
    if not segment.parsed:
        return _squeezed(CODE_MARKER.sub("", segment.text))
    try:
        return "\n".join(ast.dump(_without_docstring(node)) for node in segment.body)
    except RecursionError:
        return _squeezed(segment.text)


def _without_docstring(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, DEFINITIONS) or not isinstance(node.body[0], ast.Expr):
        return node
    first = node.body[0].value
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return node
    bare = copy.copy(node)
    bare.body = node.body[1:]
    return bare


def _is_stub(node: ast.stmt) -> bool:
    """A function that only raises NotImplementedError, or that raise by itself."""
    if isinstance(node, ast.FunctionDef):
        body = _without_docstring(node).body
        return all(isinstance(part, ast.Pass) or _is_stub(part) for part in body)
    return isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _essay_text(text: str) -> str:
    """The essay without the stub's line."""
    lines = [line for line in text.split("\n") if line.strip(" *_") != STUB_OF_ESSAY]
    text = "\n".join(lines).strip()
    return ESSAY_MARKER.sub("", text).strip()


def _names(segment: Segment) -> set[str]:
    return {name for node in segment.body for name in names_of(node)}


def _source(segment: Segment, node: ast.stmt) -> str:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    lines = plain_python(segment.text).split("\n")[first - 1 : node.end_lineno]
    if first == node.lineno:
        # Another statement may stand before it on its line, or after it on its last.
        return ast.get_source_segment(plain_python(segment.text), node) or "\n".join(lines)
    return "\n".join(lines)


def _is_kept(node: ast.stmt) -> bool:
    """Imports, definitions and plain assignments, also where they stand in a `try`."""
    if isinstance(node, IMPORTS + DEFINITIONS):
        return True
    if isinstance(node, ast.Assign):
        return all(_is_plain(target) for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return node.value is not None and _is_plain(node.target)
    if isinstance(node, ast.Try):
        inner = [*node.body, *node.orelse, *(n for h in node.handlers for n in h.body)]
        return not node.finalbody and all(_is_kept(n) or isinstance(n, ast.Pass) for n in inner)
    return False


def _is_plain(target: ast.expr) -> bool:
    """A name or names: `torch.equal = ...` and `table[0] = ...` change something that exists."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain(part) for part in target.elts)
    if isinstance(target, ast.Starred):
        return _is_plain(target.value)
    return isinstance(target, ast.Name)


def _binds(node: ast.stmt) -> set[str]:
    if isinstance(node, IMPORTS):
        return {(a.asname or a.name).partition(".")[0] for a in node.names}
    return set(names_of(node))


def names_in(source: str) -> set[str]:
    """The names that statements bind, imports among them."""
    try:
        return {name for node in ast.parse(source).body for name in _binds(node)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def _stored(node: ast.stmt) -> set[str]:
    """Every name that a statement that isn't kept would bind or change."""
    stored = set(names_of(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            stored.add(part.id)
    return stored


def _helper(source: str, number: int, place: str, *, again: bool) -> dict:
    """A cell with a student's statement; `again`: run it even if it worked before."""
    return {
        "cell_type": "code", "execution_count": None, "outputs": [], "source": source,
        "id": f"helper-{place}-{number:03d}",
        "metadata": {"whichlayer": {"helper": number, "again": again}},
    }  # fmt: skip
