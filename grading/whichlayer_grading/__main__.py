"""The command `whichlayer-grade`, or `python -m whichlayer_grading`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from whichlayer_grading import (
    GradeError,
    course,
    engine,
    gradebook,
    otter,
    report,
    sandbox,
    submissions,
)
from whichlayer_grading.results import GRADED


def parser() -> argparse.ArgumentParser:
    """The options of grading."""
    made = argparse.ArgumentParser(
        prog="whichlayer-grade",
        description="Grade a folder or zip of notebooks. Each is rebuilt on the notebook that was handed "
        "out and run in a sandbox of its own.",
        epilog="Also: `release --out DIR` writes nbgrader's course for all assignments, and `export-otter "
        "--assignment NAME --out DIR` an assignment for Otter and Gradescope.",
    )
    made.add_argument("submissions", type=Path, help="a folder, a zip or one notebook")
    made.add_argument("--assignment", required=True, help="as in 02_extracting_hidden_states")
    made.add_argument("--out", type=Path, default=Path("grades.csv"), help="default: grades.csv")
    made.add_argument("--course", type=Path, help="a checkout of the course; default: this folder")
    made.add_argument("--names", type=Path, help="a CSV with the columns file and student")
    made.add_argument("--feedback", type=Path, help="folder; default: feedback, beside the CSV")
    made.add_argument("--tests", type=Path, help="a folder of private tests: NN_topic.py")
    made.add_argument("--seed", type=int, help="given to the tests as WHICHLAYER_SEED")
    made.add_argument(
        "--time-limit", type=float, default=180, metavar="SECONDS", help="per student"
    )
    made.add_argument("--memory-limit", type=int, default=6000, metavar="MB", help="per student")
    made.add_argument("--jobs", type=int, default=1, help="students graded at a time; default: 1")
    made.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep nbgrader's course, for formgrader"
    )
    made.add_argument(
        "--unsafe", action="store_true", help="go on where there is no sandbox: the code that students "
        "wrote can then read, change and send whatever you can",
    )  # fmt: skip
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exits with a message where it can't go on."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["export-otter"]:
            otter.main(arguments[1:])
        elif arguments[:1] == ["release"]:
            release(arguments[1:])
        else:
            run(parser().parse_args(arguments))
    except GradeError as error:
        sys.exit(f"whichlayer-grade: {error}")
    except KeyboardInterrupt:
        sys.exit("whichlayer-grade: interrupted; no grades were written.")


def release(arguments: list[str]) -> None:
    """The command `release`: nbgrader's course, for those who run nbgrader themselves."""
    made = argparse.ArgumentParser(
        prog="whichlayer-grade release",
        description="Write nbgrader's course: its settings, source/, release/ and the gradebook.",
    )
    made.add_argument("--out", type=Path, required=True, help="the folder to write into")
    made.add_argument("--assignment", action="append", help="default: all there are")
    made.add_argument("--course", type=Path, help="a checkout of the course; default: this folder")
    made.add_argument("--tests", type=Path, help="a folder of private tests")
    options = made.parse_args(arguments)
    gradebook.require_nbgrader()
    checkout = course.find_course(options.course)
    names = options.assignment or course.assignment_names(checkout)
    for name in names:
        gradebook.write_course(
            options.out.resolve(), course.load_assignment(checkout, name, options.tests)
        )
    print(f"{options.out}: nbgrader's course with {', '.join(names)}.")


def run(options: argparse.Namespace) -> None:
    """Grade, and write the CSV and the feedback."""
    for name in ("time_limit", "memory_limit", "jobs"):
        if getattr(options, name) <= 0:
            raise GradeError(f"--{name.replace('_', '-')} must be above 0.")
    gradebook.require_nbgrader()
    checkout = course.find_course(options.course)
    assignment = course.load_assignment(checkout, options.assignment, options.tests)
    handed_in = submissions.collect(options.submissions, assignment.name, options.names)
    manual = report.read_manual(options.out)
    isolated = _isolated(options.unsafe)
    ours = [
        checkout / course.SOURCES,
        options.submissions,
        options.out,
        options.keep,
        options.tests,
    ]
    seen = sandbox.in_sight([path for path in ours if path]) if isolated else ""
    if seen:
        raise GradeError(f"{seen}. Move it elsewhere, or grade with another Python environment.")
    limits = engine.Limits(
        options.time_limit, options.memory_limit, options.jobs, isolated, options.seed
    )
    print(f"{assignment.name}: {len(handed_in)} submissions", flush=True)
    with tempfile.TemporaryDirectory(prefix="wl-course-") as temporary:
        folder = options.keep.resolve() if options.keep else Path(temporary)
        graded = engine.grade(
            assignment, handed_in, limits, folder,
            progress=lambda one: print(f"  {report.summary(one)}", flush=True),
        )  # fmt: skip
    _write(options, assignment, graded, manual)


def _isolated(unsafe: bool) -> bool:
    missing = sandbox.what_is_missing()
    if not missing:
        return True
    if os.name == "nt":
        raise GradeError("Grading runs on Linux or macOS; on Windows use WSL.")
    if not unsafe:
        raise GradeError(
            f"There is no sandbox for the students' code here: {missing}. With --unsafe it goes on "
            "without one: do that only with code you trust, or on a machine that holds nothing else."
        )
    print(f"WITHOUT A SANDBOX (--unsafe): {missing}.", flush=True)
    return False


def _write(options, assignment, graded, manual) -> None:
    rows = [row for one in graded for row in one.rows]
    lost = report.apply_manual(rows, manual)
    earlier = report.write_csv(options.out, rows, keep_earlier=bool(lost))
    feedback = options.feedback or options.out.parent / "feedback"
    for one in graded:
        report.write_feedback(feedback, one, assignment)
    for note in dict.fromkeys(note for one in graded for note in one.submission.notes):
        print(f"Note: {note}.")
    if lost:
        print(f"Not among these submissions (the earlier file is kept as {earlier}):")
        print("\n".join(f"  {line}" for line in lost))
    left = sum(row.status != GRADED for row in rows)
    print(f"{options.out}: {len(rows)} rows, {left} without points yet. Feedback: {feedback}/")


if __name__ == "__main__":
    main()
