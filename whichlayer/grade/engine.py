"""nbgrader's course for one assignment, and a worker for each student.

The course is made in a temporary folder, or in one that is kept for nbgrader's formgrader. Points come
from nbgrader's gradebook, statuses and messages from the workers.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import whichlayer
from whichlayer.grade import GradeError, sandbox
from whichlayer.grade.course import Assignment, Exercise
from whichlayer.grade.submissions import Submission

COURSE_ID = "which_layer"
GRADED, FAILED, TIMED_OUT = "graded", "failed to run", "timed out"
NOT_FOUND, PERSON = "not found", "needs a person"
# Starting Python, nbgrader and the kernel, and writing the results.
OVERHEAD = 60
CONFIG = """# Made by `python -m whichlayer.grade`.
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "{course}"
"""


# The workers at work, to be ended if we are interrupted.
_running: set[subprocess.Popen] = set()


@dataclass
class Limits:
    """What each student's code may use, and how many students are graded at a time."""

    time: float = 180
    memory: int = 6000
    jobs: int = 1
    isolated: bool = True
    seed: int | None = None


@dataclass
class Row:
    """The result of one student in one exercise.

    Attributes:
        points: None where there are no points to speak of.
        answer: the student's text, for the feedback.
        manual: points that a person has given.
        fingerprint: changes when the answer does; without one, when the file does.
    """

    student: str
    number: str
    name: str
    max_points: float
    status: str
    points: float | None = None
    message: str = ""
    answer: str = ""
    file: str = ""
    manual: float | None = None
    fingerprint: str = ""


def fingerprint(content: bytes) -> str:
    """A few letters that tell one answer from another."""
    return sha256(content).hexdigest()[:8]


@dataclass
class Graded:
    """All rows of one student."""

    submission: Submission
    rows: list[Row] = field(default_factory=list)


def require_nbgrader() -> None:
    """Raise GradeError if nbgrader isn't installed."""
    skip_slow_import()
    try:
        import nbgrader  # noqa: F401
    except ModuleNotFoundError:
        raise GradeError(
            'Grading needs nbgrader: run `pip install "whichlayer[grade]"` (in the checkout: '
            "`pip install -e .[grade]`)."
        ) from None


def skip_slow_import() -> None:
    """Save half of the time that importing nbgrader takes.

    jsonschema, if it finds this package, has it compile a grammar to check addresses with. Notebooks
    have none to check, and jsonschema does without the package where it isn't installed.
    """
    if "jsonschema" not in sys.modules:
        sys.modules.setdefault("rfc3987_syntax", None)


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

    from whichlayer.grade.worker import database

    # nbgrader calls the command `alembic`, which stands beside this Python, active or not.
    path = os.environ.get("PATH", "")
    if str(Path(sys.executable).parent) not in path.split(os.pathsep):
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    config = Config()
    config.CourseDirectory.course_id = COURSE_ID
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.assignment_id = name
    config.CourseDirectory.db_url = database(folder)
    config.GenerateAssignment.force = True
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    converter.log = logging.getLogger("whichlayer.grade.nbgrader")
    converter.log.setLevel(logging.ERROR)
    try:
        converter.start()
    except NbGraderException as error:
        raise GradeError(
            f"nbgrader can't make the assignment {name} in {folder}: {error}"
        ) from None


def grade(
    assignment: Assignment,
    submissions: list[Submission],
    limits: Limits,
    course: Path,
    progress: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Grade every submission.

    Args:
        course: the folder of nbgrader's course; written, or brought up to date.
        progress: called with each student's rows as they come.
    """
    require_nbgrader()
    write_course(course, assignment)
    earlier = _earlier_answers(course)
    jobs = max(1, limits.jobs)
    free = list(range(jobs))
    results: dict[str, Graded] = {}

    def one(submission: Submission) -> Graded:
        slot = free.pop()
        try:
            return _grade_one(assignment, submission, limits, course, slot, earlier)
        except Exception as error:
            # One student's notebook must not cost the others their grades.
            problem = f"grading this notebook ended with an error of ours ({type(error).__name__})"
            return Graded(submission, _rows(assignment, submission, {"problem": problem}))
        finally:
            free.append(slot)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, submission) for submission in submissions]
        try:
            for future in as_completed(futures):
                graded = future.result()
                results[graded.submission.id] = graded
                progress(graded)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(_running):
                _end(process)
            raise
    ordered = [results[submission.id] for submission in submissions]
    _note_answers(course, ordered)
    return ordered


def _grade_one(assignment, submission, limits, course, slot, earlier) -> Graded:
    if submission.content is None:
        status = FAILED if submission.file.lower().endswith(".ipynb") else NOT_FOUND
        if submission.problem.endswith("isn't there"):
            status = NOT_FOUND
        result = {"problem": submission.problem, "status": status}
    else:
        result = _run_worker(assignment, submission, limits, course, slot)
    rows = _rows(assignment, submission, result)
    _read_points(assignment, submission, rows, course, earlier.get(submission.id, {}))
    return Graded(submission, rows)


def _rows(assignment: Assignment, submission: Submission, result: dict) -> list[Row]:
    """The rows of a worker's result, still without points."""
    rows = []
    notes = " ".join(map(_sentence, submission.notes))
    for exercise in assignment.exercises:
        if "exercises" in result:
            entry = result["exercises"][exercise.number]
        else:
            status = PERSON if exercise.essay else result.get("status", FAILED)
            entry = {"status": status, "message": _sentence(result["problem"]), "answer": ""}
        message = f"{entry['message']} {notes}".strip()
        notes = ""  # once a student
        row = Row(
            student=submission.student, number=exercise.number, name=exercise.name,
            max_points=exercise.points, status=entry["status"], message=message,
            answer=entry["answer"], file=submission.file,
        )  # fmt: skip
        row.fingerprint = fingerprint(row.answer.strip().encode() or submission.content or b"")
        rows.append(row)
    return rows


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else ""


def _run_worker(assignment, submission, limits: Limits, course: Path, slot: int) -> dict:
    """Start a worker for one student, and see to it that it ends."""
    folder = sandbox.short_folder()
    try:
        for name in ("link", "root"):
            (folder / name).mkdir()
        (folder / "submission").write_bytes(submission.content)
        job = {
            **assignment.as_dict(),
            "student": submission.id,
            "course": str(course),
            "course_id": COURSE_ID,
            "isolated": limits.isolated,
            "time_limit": limits.time,
            "cell_limit": max(2.0, limits.time / 4),
            "memory": limits.memory,
            "sandbox": sandbox.configuration(
                link=folder / "link", isolated=limits.isolated, slot=slot, memory=limits.memory,
                environment=_environment(limits), scratch=folder / "root",
            ),
        }  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        ended_in_time = _wait(folder, limits)
        result = folder / "result.json"
        if result.is_file():
            return json.loads(result.read_text(encoding="utf-8"))
        if not ended_in_time:
            return {"problem": "grading it took longer than it may", "status": TIMED_OUT}
        # Not the log's words: the student's code can have written them.
        return {
            "problem": "grading this notebook ended with an error of ours: keep the course with --keep, "
            f"and look at its logs/{submission.id}.txt"
        }
    finally:
        if (folder / "log").is_file():
            (course / "logs").mkdir(exist_ok=True)
            shutil.copyfile(folder / "log", course / "logs" / f"{submission.id}.txt")
        shutil.rmtree(folder, ignore_errors=True)


def _environment(limits: Limits) -> dict[str, str]:
    """The whole environment of the student's code."""
    environment = {
        "LANG": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        # nbgrader takes any warning in a test for a failure.
        "PYTHONWARNINGS": "ignore",
        "TQDM_DISABLE": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(Path(whichlayer.__file__).parents[1]),
        "NBGRADER_EXECUTION": "autograde",
    }
    if limits.seed is not None:
        environment["WHICHLAYER_SEED"] = str(limits.seed)
    return environment


def _wait(folder: Path, limits: Limits) -> bool:
    """Run the worker of a job's folder; False if it had to be ended."""
    command = [sys.executable, "-m", "whichlayer.grade.worker", str(folder / "job.json")]
    prefix = sandbox.worker_prefix() if limits.isolated else []
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(whichlayer.__file__).parents[1]),
        "PYTHONWARNINGS": "ignore",
        "JUPYTER_PLATFORM_DIRS": "1",
        # No settings of whoever grades may change how a student is graded.
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            prefix + command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env=environment, cwd=folder, start_new_session=True,
        )  # fmt: skip
        _running.add(process)
        try:
            process.wait(limits.time + OVERHEAD)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            _running.discard(process)
            _end(process)


def _end(process: subprocess.Popen) -> None:
    """End a worker and, with it, everything in its namespace of processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# -- the gradebook ---------------------------------------------------------------------------------


@contextmanager
def _gradebook(course: Path) -> Iterator:
    from nbgrader.api import Gradebook

    from whichlayer.grade.worker import database

    with Gradebook(database(course), COURSE_ID) as gradebook:
        yield gradebook


def _read_points(
    assignment: Assignment, submission, rows: list[Row], course: Path, earlier
) -> None:
    """Take each exercise's points from the gradebook, and leave no score in it that isn't one."""
    from nbgrader.api import MissingEntry

    with _gradebook(course) as gradebook:
        if not any(row.answer for row in rows):
            # Nothing was run: what an earlier run left is stale.
            with suppress(MissingEntry):
                gradebook.remove_submission(assignment.name, submission.id)
            for part in ("submitted", "autograded", "feedback"):
                shutil.rmtree(course / part / submission.id / assignment.name, ignore_errors=True)
            return
        for exercise, row in zip(assignment.exercises, rows, strict=True):
            grades = [
                gradebook.find_grade(id, assignment.name, assignment.name, submission.id)
                for id in exercise.grade_ids
            ]
            same = earlier.get(exercise.number) == row.fingerprint
            _read_one(exercise, row, grades, same)
        gradebook.db.commit()


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


def _earlier_answers(course: Path) -> dict[str, dict[str, str]]:
    """By student and exercise: the fingerprint of what was graded in this course before."""
    path = course / "answers.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _note_answers(course: Path, graded: list[Graded]) -> None:
    noted = _earlier_answers(course)
    for one in graded:
        noted[one.submission.id] = {row.number: row.fingerprint for row in one.rows}
    (course / "answers.json").write_text(json.dumps(noted, indent=1), encoding="utf-8")
