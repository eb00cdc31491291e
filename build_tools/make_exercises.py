"""Make the student and solution notebooks, and nbgrader's source, from exercises/source/.

    python build_tools/make_exercises.py            write all of them, running the solutions
    python build_tools/make_exercises.py NAME ...   only those named (02_extracting_hidden_states)
    python build_tools/make_exercises.py --check    write nothing; exit with 1 if a file is out of date

An exercise is written once, as py:percent. A cell says in its header what it is for:

    # %% role="answer"              code that the student writes; its first line is the marker
                                    `# EXERCISE 2.1: concat_layers`, its solution stands between
                                    `### BEGIN SOLUTION` and `### END SOLUTION`. Lines after
                                    `### STARTER` are what the student finds in its place, as
                                    comments; without them it is a stub that raises.
    # %% role="check"               the public self-check
    # %% role="tests" points=2      hidden tests, between `### BEGIN HIDDEN TESTS` and
                                    `### END HIDDEN TESTS`. Each assertion's message is plain text
                                    that may be shown to the student: it says what to look at.
    # %% [markdown] role="essay" points=3    an answer that a person grades; first line
                                    `**EXERCISE 2.5: which_layer_to_use**`, then a model answer
                                    between the solution marks

Any other cell is given to the student as it is. nbgrader's metadata and the cells' ids are made from
the markers, so they never change by themselves.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import execute_notebooks
import jupytext
import nbformat
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "exercises" / "source"
NBGRADER = ROOT / "_build" / "nbgrader"

MARKER = re.compile(r"^(?:# |\*\*)EXERCISE (\d+\.\d+): (\w+)(?:\*\*)?$")
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION$", re.M | re.S)
HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n(.*?)^### END HIDDEN TESTS$", re.M | re.S)
STARTER = re.compile(r"^ *### STARTER$\n?", re.M)
STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
ESSAY_STUB = "YOUR ANSWER HERE"
ROLES = {"answer", "check", "tests", "essay", None}


class SourceError(Exception):
    """An exercise source breaks a rule; the message names the file, the cell and the rule."""


@dataclass
class Exercise:
    """One exercise: its number ("2.1"), name, and cells' places in the notebook."""

    number: str
    name: str
    answer: int
    essay: bool = False
    checks: list[int] = field(default_factory=list)
    tests: list[int] = field(default_factory=list)
    points: float = 0


def read(path: Path) -> nbformat.NotebookNode:
    """The source notebook, checked."""
    notebook = jupytext.read(path, fmt="py:percent")
    exercises_of(notebook, path.name)
    return notebook


def exercises_of(notebook: nbformat.NotebookNode, where: str = "the source") -> list[Exercise]:
    """The exercises in their order. Raises SourceError where one isn't whole."""
    found: list[Exercise] = []
    for place, cell in enumerate(notebook.cells):
        role = cell.metadata.get("role")

        def refuse(rule: str, place=place, cell=cell):
            first = cell.source.strip().partition("\n")[0]
            raise SourceError(f"{where}, cell {place + 1} ({first[:60]!r}): {rule}")

        if role not in ROLES:
            refuse(f"the role {role!r} is not one of answer, check, tests, essay")
        if role in ("answer", "essay"):
            marker = MARKER.match(cell.source.partition("\n")[0])
            if not marker:
                refuse("the first line must be the marker, as in '# EXERCISE 2.1: concat_layers'")
            if len(SOLUTION.findall(cell.source)) != 1:
                refuse(
                    "there must be one solution, between ### BEGIN SOLUTION and ### END SOLUTION"
                )
            expected = f"{int(where[:2]) if where[:2].isdigit() else 1}.{len(found) + 1}"
            if marker[1] != expected:
                refuse(f"this exercise's number must be {expected}")
            if any(other.name == marker[2] for other in found):
                refuse(f"there are two exercises named {marker[2]}")
            found.append(Exercise(marker[1], marker[2], place, essay=role == "essay"))
            if role == "essay":
                if cell.cell_type != "markdown":
                    refuse("an essay is a Markdown cell")
                found[-1].points = _points(cell, refuse)
        elif role in ("check", "tests"):
            if not found or found[-1].essay:
                refuse(f"a {role} cell must follow an answer cell")
            (found[-1].checks if role == "check" else found[-1].tests).append(place)
            if role == "tests":
                found[-1].points += _points(cell, refuse)
                _check_tests(cell, refuse)
        elif "### BEGIN" in cell.source:
            refuse("marks of solutions or tests stand in a cell without a role")
    for exercise in found:
        if not exercise.essay and not (exercise.checks and exercise.tests):
            raise SourceError(f"{where}: exercise {exercise.number} needs a check and hidden tests")
    return found


def _points(cell, refuse) -> float:
    points = cell.metadata.get("points")
    if not isinstance(points, int | float) or points <= 0:
        refuse("points= must be a number above 0")
    return points


def _check_tests(cell, refuse) -> None:
    hidden = HIDDEN.search(cell.source)
    if not hidden or HIDDEN.sub("", cell.source).strip():
        refuse("hidden tests are all that may stand in a tests cell, between their two marks")
    tree = ast.parse(hidden[1])
    for node in ast.walk(tree):
        # Feedback may show a message only if it is known beforehand: an expression in it could be
        # made to hold the tests themselves.
        if isinstance(node, ast.Assert) and not (
            isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str)
        ):
            refuse(f"line {node.lineno} of the tests: an assertion needs a plain text as message")
        if isinstance(node, ast.Import | ast.ImportFrom) and "checks" in ast.unparse(node):
            refuse("hidden tests must not use whichlayer.checks, which a student can change")
    if isinstance(tree.body[-1], ast.Expr):
        # nbgrader reads a number at the end as partial credit.
        refuse(
            "the tests must not end with an expression, only with an assertion or a loop of them"
        )


def starter(source: str) -> str:
    """An answer cell as the student finds it."""

    def replace(match: re.Match) -> str:
        indent, body = match[1], match[2]
        mark = STARTER.search(body)
        if mark:
            lines = body[mark.end() :].rstrip("\n").split("\n")
            return "\n".join(re.sub(r"^( *)# ?", r"\1", line) for line in lines)
        return "\n".join(indent + line for line in STUB.split("\n"))

    return SOLUTION.sub(replace, source)


def solved(source: str) -> str:
    """An answer cell with its solution and without marks."""

    def replace(match: re.Match) -> str:
        mark = STARTER.search(match[2])
        return (match[2][: mark.start()] if mark else match[2]).rstrip("\n")

    return SOLUTION.sub(replace, source)


def tests_only(source: str) -> str:
    return HIDDEN.search(source)[1].rstrip("\n")


def _bare() -> nbformat.NotebookNode:
    bare = nbformat.v4.new_notebook()
    bare.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3",
    }  # fmt: skip
    return bare


def _cell(kind: str, source: str, id: str, **metadata) -> nbformat.NotebookNode:
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
    cell = make(source, metadata=metadata)
    cell.id = id
    return cell


def _nbgrader(grade_id: str, *, grade=False, solution=False, points=None) -> dict:
    settings = {
        "grade": grade, "grade_id": grade_id, "locked": not solution, "schema_version": 3,
        "solution": solution, "task": False,
    }  # fmt: skip
    return settings | ({"points": points} if grade else {})


def names_of_cells(notebook: nbformat.NotebookNode, exercises: list[Exercise]) -> dict[int, str]:
    """The id of each cell, by its place: `answer-2-1`, `tests-2-1`, `text-003`."""
    names = {}
    for exercise in exercises:
        number = exercise.number.replace(".", "-")
        names[exercise.answer] = f"answer-{number}"
        for kind, places in (("check", exercise.checks), ("tests", exercise.tests)):
            for count, place in enumerate(places):
                names[place] = f"{kind}-{number}" + (f"-{count + 1}" if count else "")
    given = [place for place in range(len(notebook.cells)) if place not in names]
    return names | {place: f"given-{count:03d}" for count, place in enumerate(given)}


def build(notebook: nbformat.NotebookNode, version: str, where: str) -> nbformat.NotebookNode:
    """One version of the notebook: "student", "solution" or "instructor" (nbgrader's source)."""
    exercises = exercises_of(notebook, where)
    names = names_of_cells(notebook, exercises)
    by_place = {e.answer: e for e in exercises}
    made = _bare()
    for place, cell in enumerate(notebook.cells):
        role, id = cell.metadata.get("role"), names[place]
        metadata = {k: v for k, v in cell.metadata.items() if k in ("tags", "mystnb")}
        grade_id = id.replace("-", "_")
        source = cell.source
        if role in ("answer", "essay"):
            essay = by_place[place].essay
            if version == "student":
                source = SOLUTION.sub(ESSAY_STUB, source) if essay else starter(source)
            elif version == "solution":
                source = solved(source)
            else:
                source = re.sub(r"^ *### STARTER$.*?(?=^ *### END)", "", source, flags=re.M | re.S)
            points = by_place[place].points if essay else None
            metadata["nbgrader"] = _nbgrader(grade_id, grade=essay, solution=True, points=points)
        elif role == "tests":
            if version == "solution":
                continue
            if version == "student":
                source = (
                    "# Hidden tests run here when this notebook is graded. Leave the cell as it is."
                )
            points = cell.metadata["points"]
            metadata["nbgrader"] = _nbgrader(grade_id, grade=True, points=points)
        if version == "solution":
            metadata.pop("nbgrader", None)
        made.cells.append(_cell(cell.cell_type, source, id, **metadata))
    return made


def targets(name: str) -> dict[str, Path]:
    return {
        "student": ROOT / "exercises" / "student" / f"{name}.ipynb",
        "solution": ROOT / "exercises" / "solutions" / f"{name}.ipynb",
        "instructor": NBGRADER / "source" / name / f"{name}.ipynb",
    }


def out_of_date(path: Path) -> list[Path]:
    """The committed notebooks that don't follow from this source, outputs aside."""
    notebook = read(path)
    stale = []
    for version in ("student", "solution"):
        target = targets(path.stem)[version]
        made = build(notebook, version, path.name)
        if not target.is_file() or _content(nbformat.read(target, 4)) != _content(made):
            stale.append(target)
    return stale


def _content(notebook: nbformat.NotebookNode) -> list[tuple]:
    return [
        (cell.cell_type, cell.id, cell.source, dict(cell.metadata)) for cell in notebook.cells
    ] + [dict(notebook.metadata)]


def write(path: Path) -> None:
    """Write the three notebooks of one source."""
    notebook = read(path)
    for version, target in targets(path.stem).items():
        made = build(notebook, version, path.name)
        if version == "solution":
            execute_notebooks.run(made, SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, target)


def main(arguments: list[str]) -> None:
    names = [argument for argument in arguments if not argument.startswith("--")]
    sources = sorted(SOURCE.glob("[0-9][0-9]_*.py"))
    sources = [path for path in sources if not names or path.stem in names]
    if not sources:
        sys.exit(f"There is no exercise source named {' or '.join(names)} in exercises/source/.")
    try:
        if "--check" in arguments:
            stale = [target for path in sources for target in out_of_date(path)]
            if stale:
                listed = ", ".join(str(target.relative_to(ROOT)) for target in stale)
                sys.exit(f"Out of date: {listed}. Run `make exercises`.")
            return
        for path in sources:
            print(f"{path.stem} ...", flush=True)
            try:
                write(path)
            except CellExecutionError as error:
                sys.exit(f"The solution of {path.name} failed:\n{error}")
    except SourceError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
