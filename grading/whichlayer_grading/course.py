"""The course's checkout: which exercises an assignment has, and their hidden tests.

The tests aren't in the installed package. They are read from the exercise's source with the course's own
generator, build_tools/make_exercises.py, which is loaded by its path.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from whichlayer_grading import GradeError

GENERATOR = Path("build_tools") / "make_exercises.py"
SOURCES = Path("exercises") / "source"
PRIVATE_MARKER = re.compile(r"^\s*#\s*EXERCISE (\d+\.\d+)\b[^\n]*\n")


@dataclass
class Tests:
    """One tests cell: its id in nbgrader, points, and the only messages that a student may see."""

    grade_id: str
    points: float
    messages: list[str]


@dataclass
class Exercise:
    """One exercise as grading needs it.

    Attributes:
        cell: the id of its answer cell in the student notebook.
        starter: that cell's source, as handed out.
        names: what the tests use of the answer: functions, classes or values.
        tests: its tests cells; empty for an essay.
    """

    number: str
    name: str
    essay: bool
    points: float
    cell: str
    starter: str
    names: list[str] = field(default_factory=list)
    tests: list[Tests] = field(default_factory=list)

    @property
    def grade_ids(self) -> list[str]:
        """The ids of the cells that nbgrader scores."""
        return [self.cell.replace("-", "_")] if self.essay else [t.grade_id for t in self.tests]


@dataclass
class Assignment:
    """An assignment: its exercises, the notebook handed out, and nbgrader's source with the tests."""

    name: str
    exercises: list[Exercise]
    release: dict
    instructor: dict

    def as_dict(self) -> dict:
        """For the worker: without the tests' text, which it reads from the gradebook."""
        return {
            "name": self.name,
            "exercises": [asdict(exercise) for exercise in self.exercises],
            "release": self.release,
        }


def exercises_from(data: dict) -> list[Exercise]:
    """The exercises of `Assignment.as_dict`."""
    made = []
    for entry in data["exercises"]:
        entry = dict(entry)
        entry["tests"] = [Tests(**tests) for tests in entry["tests"]]
        made.append(Exercise(**entry))
    return made


def find_course(given: Path | None) -> Path:
    """The checkout: the one given, else the current folder, else the one the package runs from."""
    candidates = [given] if given else [Path.cwd(), Path(__file__).parents[2]]
    for folder in candidates:
        if (folder / GENERATOR).is_file() and (folder / SOURCES).is_dir():
            return folder.resolve()
    looked = " and ".join(str(folder) for folder in candidates)
    raise GradeError(
        f"There is no checkout of the course in {looked}. The hidden tests are only there: clone the "
        "course's repository and run this in it, or name it with --course."
    )


def assignment_names(course: Path) -> list[str]:
    """The assignments that a checkout has."""
    return sorted(path.stem for path in (course / SOURCES).glob("[0-9][0-9]_*.py"))


def load_generator(course: Path) -> ModuleType:
    """The checkout's make_exercises, as a module."""
    path = course / GENERATOR
    spec = importlib.util.spec_from_file_location("_whichlayer_make_exercises", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise GradeError(
            f"Grading needs {error.name}, which isn't installed: run `pip install {error.name}`."
        ) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def load_source(course: Path, name: str, private: Path | None = None) -> tuple[ModuleType, object]:
    """The generator, and an exercise's source with a private folder's tests instead of its own."""
    generator = load_generator(course)
    path = course / SOURCES / f"{name}.py"
    if not path.is_file():
        known = ", ".join(assignment_names(course))
        raise GradeError(f"There is no assignment {name!r}. There are: {known}.")
    try:
        notebook = generator.read(path)
        if private is not None:
            _put_in_private_tests(generator, notebook, path.name, private)
        generator.exercises_of(notebook, path.name)
    except generator.SourceError as error:
        raise GradeError(str(error)) from None
    return generator, notebook


def load_assignment(course: Path, name: str, private: Path | None = None) -> Assignment:
    """An assignment of the checkout, with the tests of a private folder in place of the public ones."""
    generator, notebook = load_source(course, name, private)
    path = course / SOURCES / f"{name}.py"
    release = generator.build(notebook, "student", path.name)
    instructor = generator.build(notebook, "instructor", path.name)
    exercises = []
    for exercise in generator.exercises_of(notebook, path.name):
        answer = notebook.cells[exercise.answer]
        tests, used = [], set()
        for place in exercise.tests:
            text = generator.tests_only(notebook.cells[place].source)
            settings = instructor.cells[place].metadata["nbgrader"]
            tests.append(Tests(settings["grade_id"], settings["points"], literal_messages(text)))
            used |= names_used(text)
        names = []
        if not exercise.essay:
            bound = names_bound(generator.solved(answer.source))
            names = [n for n in bound if n in used] or bound
        exercises.append(
            Exercise(
                exercise.number,
                exercise.name,
                exercise.essay,
                exercise.points,
                release.cells[exercise.answer].id,
                release.cells[exercise.answer].source,
                names,
                tests,
            )
        )
    return Assignment(path.stem, exercises, release, instructor)


def _put_in_private_tests(generator: ModuleType, notebook, name: str, folder: Path) -> None:
    """Replace the tests of those exercises that the private file has tests for."""
    import jupytext

    path = folder / name
    if not path.is_file():
        raise GradeError(f"The folder of private tests {folder} holds no {name}.")
    by_exercise: dict[str, list] = {}
    for place, cell in enumerate(jupytext.read(path, fmt="py:percent").cells):
        if cell.cell_type == "markdown" or not cell.source.strip():
            continue
        marker = PRIVATE_MARKER.match(cell.source + "\n")
        if cell.metadata.get("role") != "tests" or not marker:
            raise GradeError(
                f'{path}, cell {place + 1}: only cells with role="tests" may stand here, each beginning '
                "with the comment `# EXERCISE 2.1` that says whose tests they are."
            )
        cell.source = cell.source[marker.end() :].strip()
        if not generator.HIDDEN.search(cell.source):
            cell.source = f"### BEGIN HIDDEN TESTS\n{cell.source}\n### END HIDDEN TESTS"
        by_exercise.setdefault(marker[1], []).append(cell)
    known = {e.number: e for e in generator.exercises_of(notebook, name)}
    for number in by_exercise:
        if number not in known or known[number].essay:
            raise GradeError(f"{path}: there is no exercise {number} with tests.")
    # From the end, so that the places before stay what they are.
    for number in sorted(by_exercise, key=lambda n: -known[n].answer):
        places = known[number].tests
        for place in reversed(places):
            del notebook.cells[place]
        notebook.cells[places[0] : places[0]] = by_exercise[number]


def literal_messages(tests: str) -> list[str]:
    """The messages of the tests' assertions, which are all plain text."""
    return [
        node.msg.value
        for node in ast.walk(ast.parse(tests))
        if isinstance(node, ast.Assert) and isinstance(node.msg, ast.Constant)
    ]


def names_used(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def names_bound(code: str) -> list[str]:
    """The functions, classes and variables that code binds at its top level."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    found: list[str] = []
    for node in tree.body:
        found += [name for name in names_of(node) if name not in found]
    return found


def names_of(node: ast.stmt) -> list[str]:
    """The names that one statement binds, imports aside."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    else:
        return []
    return [
        part.id
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ]
