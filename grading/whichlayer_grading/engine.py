"""A worker for each student: started, watched and ended.

Statuses and messages come from the workers, points from nbgrader's gradebook.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import whichlayer
import whichlayer_grading
from whichlayer_grading import gradebook, sandbox
from whichlayer_grading.course import Assignment
from whichlayer_grading.results import (
    FAILED,
    NOT_FOUND,
    PERSON,
    TIMED_OUT,
    Graded,
    Row,
    fingerprint,
)
from whichlayer_grading.submissions import Submission
from whichlayer_grading.warm_parent import WarmParent

# Starting Python, nbgrader and the kernel, and writing the results.
OVERHEAD = 60

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
    gradebook.require_nbgrader()
    gradebook.write_course(course, assignment)
    earlier = gradebook.earlier_answers(course)
    jobs = max(1, limits.jobs)
    free = list(range(jobs))
    results: dict[str, Graded] = {}

    def one(submission: Submission) -> Graded:
        slot = free.pop()
        try:
            return _grade_one(assignment, submission, limits, course, slot, earlier, parent)
        except Exception as error:
            # One student's notebook must not cost the others their grades.
            problem = f"grading this notebook ended with an error of ours ({type(error).__name__})"
            return Graded(submission, _rows(assignment, submission, {"problem": problem}))
        finally:
            free.append(slot)

    several = sum(submission.content is not None for submission in submissions) > 1
    # A parent takes about as long to make as one student without it.
    with (
        (
            WarmParent(assignment, _environment(limits))
            if limits.isolated and several
            else nullcontext()
        ) as parent,
        ThreadPoolExecutor(jobs) as pool,
    ):
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
    gradebook.note_answers(course, ordered)
    return ordered


def _grade_one(assignment, submission, limits, course, slot, earlier, parent) -> Graded:
    if submission.content is None:
        status = FAILED if submission.file.lower().endswith(".ipynb") else NOT_FOUND
        if submission.problem.endswith("isn't there"):
            status = NOT_FOUND
        result = {"problem": submission.problem, "status": status}
    else:
        result = _run_worker(assignment, submission, limits, course, slot, parent)
    rows = _rows(assignment, submission, result)
    gradebook.read_points(assignment, submission, rows, course, earlier.get(submission.id, {}))
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


def _run_worker(
    assignment, submission, limits: Limits, course: Path, slot: int, parent: WarmParent | None
) -> dict:
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
            "isolated": limits.isolated,
            "time_limit": limits.time,
            "cell_limit": max(2.0, limits.time / 4),
            "memory": limits.memory,
            "own_environment": _own_environment(folder),
            "sandbox": sandbox.configuration(
                link=folder / "link", isolated=limits.isolated, slot=slot, memory=limits.memory,
                environment=_environment(limits), scratch=folder / "root",
                **({"home": str(parent.home)} if parent else {}),
            ),
        }  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        ended_in_time = _wait(folder, limits, parent)
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


def _own_environment(folder: Path) -> dict[str, str]:
    """The environment of a worker."""
    return {
        **os.environ,
        # In a checkout they stand in two places, and whoever grades may be in a third.
        "PYTHONPATH": os.pathsep.join(
            str(Path(p.__file__).parents[1]) for p in (whichlayer_grading, whichlayer)
        ),
        "PYTHONWARNINGS": "ignore",
        "JUPYTER_PLATFORM_DIRS": "1",
        # No settings of whoever grades may change how a student is graded.
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


def _wait(folder: Path, limits: Limits, parent: WarmParent | None) -> bool:
    """Run the worker of a job's folder; False if it had to be ended."""
    if parent and parent.is_ready:
        with suppress(OSError):
            ended = parent.run(folder, limits.time + OVERHEAD)
            if parent.process.poll() is None:
                return ended
    command = [sys.executable, "-m", "whichlayer_grading.worker", str(folder)]
    prefix = sandbox.worker_prefix() if limits.isolated else []
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            prefix + command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env=_own_environment(folder), cwd=folder, start_new_session=True,
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
