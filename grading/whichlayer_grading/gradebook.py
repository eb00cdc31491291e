"""nbgrader's course of an assignment: its files, and the gradebook that holds the points.

The course is made in a temporary folder, or in one that is kept for nbgrader's formgrader. The worker of
each student writes into the gradebook, and what it wrote is read here.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from whichlayer_grading import GradeError
from whichlayer_grading.course import Assignment, Exercise
from whichlayer_grading.results import GRADED, Graded, Row

COURSE_ID = "which_layer"
CONFIG = """# Made by `whichlayer-grade`.
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "{course}"
"""


def require_nbgrader() -> None:
    """Raise GradeError if nbgrader isn't installed."""
    skip_slow_import()
    try:
        import nbgrader  # noqa: F401
    except ModuleNotFoundError:
        raise GradeError(
            "Grading needs nbgrader, which isn't installed: run `pip install nbgrader`."
        ) from None


def skip_slow_import() -> None:
    """Save half of the time that importing nbgrader takes.

    jsonschema, if it finds this package, has it compile a grammar to check addresses with. Notebooks
    have none to check, and jsonschema does without the package where it isn't installed.
    """
    if "jsonschema" not in sys.modules:
        sys.modules.setdefault("rfc3987_syntax", None)


def address(course: Path) -> str:
    """The address of a course's gradebook. Several workers write into it: each waits for its turn."""
    return f"sqlite:///{course / 'gradebook.db'}?timeout=120"


def write_course(folder: Path, assignment: Assignment) -> None:
    """Write nbgrader's course: its settings, the source with the tests, and what students get."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "nbgrader_config.py"
    if not config.exists():
        config.write_text(CONFIG.format(course=COURSE_ID), encoding="utf-8")
    name = assignment.name
    source = folder / "source" / name / f"{name}.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(assignment.instructor, source)
    _generate(folder, name)
    # nbgrader makes a bare stub of every answer. Some of ours begin with a fault to be found.
    release = folder / "release" / name / f"{name}.ipynb"
    release.unlink(missing_ok=True)
    nbformat.write(assignment.release, release)


def _generate(folder: Path, name: str) -> None:
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    # nbgrader calls the command `alembic`, which stands beside this Python, active or not.
    path = os.environ.get("PATH", "")
    if str(Path(sys.executable).parent) not in path.split(os.pathsep):
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    config = Config()
    config.CourseDirectory.course_id = COURSE_ID
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.assignment_id = name
    config.CourseDirectory.db_url = address(folder)
    config.GenerateAssignment.force = True
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    converter.log = logging.getLogger("whichlayer_grading.nbgrader")
    converter.log.setLevel(logging.ERROR)
    try:
        converter.start()
    except NbGraderException as error:
        raise GradeError(
            f"nbgrader can't make the assignment {name} in {folder}: {error}"
        ) from None


@contextmanager
def opened(course: Path) -> Iterator:
    """A course's gradebook, as nbgrader's `Gradebook`."""
    from nbgrader.api import Gradebook

    with Gradebook(address(course), COURSE_ID) as gradebook:
        yield gradebook


def read_points(assignment: Assignment, submission, rows: list[Row], course: Path, earlier) -> None:
    """Take each exercise's points from the gradebook, and leave no score in it that isn't one."""
    from nbgrader.api import MissingEntry

    with opened(course) as book:
        if not any(row.answer for row in rows):
            # Nothing was run: what an earlier run left is stale.
            with suppress(MissingEntry):
                book.remove_submission(assignment.name, submission.id)
            for part in ("submitted", "autograded", "feedback"):
                shutil.rmtree(course / part / submission.id / assignment.name, ignore_errors=True)
            return
        for exercise, row in zip(assignment.exercises, rows, strict=True):
            grades = [
                book.find_grade(id, assignment.name, assignment.name, submission.id)
                for id in exercise.grade_ids
            ]
            same = earlier.get(exercise.number) == row.fingerprint
            _read_one(exercise, row, grades, same)
        book.db.commit()


def _read_one(exercise: Exercise, row: Row, grades: list, same: bool) -> None:
    by_hand = any(grade.manual_score is not None for grade in grades)
    if by_hand and not same:
        # A person gave these points to another answer than this.
        for grade in grades:
            grade.manual_score = None
        by_hand = False
    if by_hand:
        row.status = GRADED
        row.points = sum(grade.score for grade in grades)
        row.message = f"Points given by a person. {row.message}".strip()
        for grade in grades:
            grade.needs_manual_grade = False
    elif row.status == GRADED:
        row.points = sum(grade.auto_score or 0 for grade in grades)
    else:
        for grade in grades:
            grade.auto_score = None
            grade.needs_manual_grade = True


def earlier_answers(course: Path) -> dict[str, dict[str, str]]:
    """By student and exercise: the fingerprint of what was graded in this course before."""
    path = course / "answers.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def note_answers(course: Path, graded: list[Graded]) -> None:
    """Keep what `earlier_answers` gives the next time."""
    noted = earlier_answers(course)
    for one in graded:
        noted[one.submission.id] = {row.number: row.fingerprint for row in one.rows}
    (course / "answers.json").write_text(json.dumps(noted, indent=1), encoding="utf-8")
