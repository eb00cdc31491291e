"""Grade one student: `python -m whichlayer_grading.worker FOLDER`, started by `engine`, or forked by
`warm_parent`.

Rebuilds the submission, lets nbgrader grade it with the student's code in the sandbox, and writes
result.json beside the job. This process is ours; only its kernel runs what the student wrote.
"""

from __future__ import annotations

import json
import logging
import os
import re
import resource
import sys
from pathlib import Path

from whichlayer_grading import gradebook, repair, sandbox
from whichlayer_grading.course import Exercise, exercises_from
from whichlayer_grading.results import FAILED, GRADED, NOT_FOUND, PERSON, TIMED_OUT

NAME_ERROR = re.compile(r"name '(\w+)' is not defined")
# nbgrader itself takes 0.2 GB; a flood of messages must not take the machine's.
OWN_MEMORY = 4_000_000_000
KERNEL = "whichlayer-student"


def main() -> None:
    """Grade the job in the folder named on the command line."""
    grade_job(Path(sys.argv[1]))


def grade_job(folder: Path, keeper: int | None = None) -> None:
    """Grade one student.

    Args:
        folder: the job; result.json is written into it.
        keeper: the process that makes the kernel, if `warm_parent` has one ready.
    """
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    job["keeper"] = keeper
    os.environ.update(job["own_environment"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]  # the kernel sets its own
        resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, hard))
    gradebook.skip_slow_import()
    exercises = exercises_from(job)
    try:
        cells = repair.read_cells((folder / "submission").read_bytes())
    except repair.NotANotebook as error:
        result = {"problem": str(error)}
    else:
        rebuilt = repair.rebuild(cells, job["release"], exercises)
        run_nbgrader(folder, job, rebuilt.notebook)
        result = {"exercises": judge(exercises, rebuilt)}
    part = folder / "result.part"
    part.write_text(json.dumps(result), encoding="utf-8")
    part.replace(folder / "result.json")


def run_nbgrader(folder: Path, job: dict, notebook: dict) -> None:
    """Put the rebuilt notebook among the submitted ones and autograde it."""
    import nbformat
    from nbgrader.converters import Autograde
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import CheckCellMetadata, LimitOutput, SaveAutoGrades
    from traitlets.config import Config

    from whichlayer_grading.execution import CarefulExecute

    course = Path(job["course"])
    target = course / "submitted" / job["student"] / job["name"] / f"{job['name']}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.from_dict(notebook), target)
    make_kernel(folder, job)
    CarefulExecute.job = {**job, "kernel": KERNEL, "link": str(folder / "link")}
    config = Config()
    config.CourseDirectory.course_id = gradebook.COURSE_ID
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.assignment_id = job["name"]
    config.CourseDirectory.student_id = job["student"]
    config.CourseDirectory.db_url = gradebook.address(course)
    config.Autograde.force = True
    config.Autograde.autograde_preprocessors = [
        CarefulExecute, LimitOutput, SaveAutoGrades, CheckCellMetadata,
    ]  # fmt: skip
    log = logging.getLogger("nbgrader")
    log.addHandler(logging.StreamHandler(sys.stderr))
    converter = Autograde(coursedir=CourseDirectory(config=config), config=config)
    converter.log = log
    try:
        converter.start()
    finally:
        said = folder / "link" / "kernel.log"
        if said.is_file() and not said.is_symlink():
            print("The kernel said:", said.read_text("utf-8", "replace")[:4000], file=sys.stderr)


def make_kernel(folder: Path, job: dict) -> None:
    """Tell Jupyter how the student's kernel starts: through the sandbox."""
    config = folder / "sandbox.json"
    log = str(folder / "link" / "kernel.log") if job["isolated"] else None
    config.write_text(json.dumps({**job["sandbox"], "log": log}), encoding="utf-8")
    if job["keeper"] is not None:
        command = sandbox.start_command(folder / "kernel", config)
    else:
        command = (
            sandbox.kernel_command(config) if job["isolated"] else sandbox.init_command(config)
        )
    kernel = folder / "jupyter" / "kernels" / KERNEL
    kernel.mkdir(parents=True)
    spec = {"argv": command, "display_name": KERNEL, "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    os.environ["JUPYTER_PATH"] = str(folder / "jupyter")
    if job["isolated"]:
        mount_link(folder / "link", job["sandbox"]["user"])


def mount_link(link: Path, user: int | None) -> None:
    """Make the folder that the kernel may write into a small one that lives in memory."""
    from whichlayer_grading import sandbox_init

    sandbox_init.mount("link", str(link), "tmpfs", 14, "size=2m,nr_inodes=64,mode=700")
    if user is not None:
        os.chown(link, user, user)


def judge(exercises: list[Exercise], rebuilt: repair.Rebuilt) -> dict[str, dict]:
    """By exercise: status, message and the student's answer. The points are in the gradebook."""
    judged = {}
    for exercise in exercises:
        status, message = _judge_one(exercise, rebuilt)
        found = rebuilt.found[exercise.number] != "nothing"
        judged[exercise.number] = {
            "status": status, "message": message, "answer": rebuilt.answers[exercise.number] if found else "",
        }  # fmt: skip
    return judged


def _judge_one(exercise: Exercise, rebuilt: repair.Rebuilt) -> tuple[str, str]:
    from whichlayer_grading import execution
    from whichlayer_grading.execution import CarefulExecute, Outcome

    found = rebuilt.found[exercise.number]
    if exercise.essay:
        return PERSON, {
            "answer": "",
            "untouched": "Nothing is written in its cell.",
            "nothing": "No essay was found: look into the notebook.",
        }[found]
    if found == "nothing":
        return NOT_FOUND, f"No answer with the marker or the name of {exercise.name} was found."
    if found == "untouched":
        return GRADED, "The starter is untouched."
    missing = Outcome(execution.NOT_RUN)
    answer = CarefulExecute.outcomes.get(exercise.cell, missing)
    tests = [(t, CarefulExecute.outcomes.get(_cell_of(t), missing)) for t in exercise.tests]
    ended = {outcome.status for _, outcome in tests} | {answer.status}
    reason = CarefulExecute.reason
    if execution.SLOW in ended or (execution.NOT_RUN in ended and reason == execution.SLOW):
        return TIMED_OUT, "It took longer than it may: is there a loop that doesn't end?"
    if not ended <= {execution.OK, execution.ERROR}:
        return FAILED, _why_ended(reason)
    if exercise.number in CarefulExecute.tampered:
        return (
            PERSON,
            "The tests pass without this answer too: something in the notebook changes how tests run.",
        )
    failed = [(tests, outcome) for tests, outcome in tests if outcome.status == execution.ERROR]
    if not failed:
        if exercise.number in CarefulExecute.controlled:
            return GRADED, ""
        return GRADED, (
            "Python ended in a later exercise, so nobody knows whether this notebook meddles with tests."
        )
    messages = [_message(t, outcome, exercise, rebuilt) for t, outcome in failed]
    known = any(outcome.value in t.messages for t, outcome in failed)
    if answer.status == execution.ERROR and not known:
        return FAILED, _describe(answer, exercise, rebuilt, "The answer's cell fails")
    if broken := _broken_set_up(rebuilt):
        return FAILED, broken
    if lost := _lost_name([outcome for _, outcome in failed], rebuilt):
        return FAILED, lost
    return GRADED, " ".join(dict.fromkeys(messages))


def _cell_of(tests) -> str:
    return tests.grade_id.replace("_", "-")


def _why_ended(reason: str) -> str:
    return {
        "memory": "It used more memory than it may.",
        "flood": "It printed without end.",
    }.get(reason, "Python ended before the answer was tested: it was made to exit, or it crashed.")


def _message(tests, outcome, exercise: Exercise, rebuilt: repair.Rebuilt) -> str:
    """What a student may see of a failed test: one of its known messages, or the kind of error."""
    if outcome.value in tests.messages:
        return outcome.value
    return _describe(outcome, exercise, rebuilt, "The tests couldn't use the answer")


def _describe(outcome, exercise: Exercise, rebuilt: repair.Rebuilt, what: str) -> str:
    """The error's kind and the student's own line. Never the error's text: a student writes that."""
    from whichlayer_grading.execution import BUILTIN_ERRORS, CarefulExecute

    kind = outcome.error if outcome.error in BUILTIN_ERRORS else "an error of its own kind"
    text = f"{what}: {kind}"
    unknown = NAME_ERROR.match(outcome.value)
    if unknown and unknown[1] in re.findall(r"\w+", rebuilt.answers[exercise.number]):
        text += f" ({unknown[1]} is not defined)"
    count = getattr(CarefulExecute.outcomes.get(exercise.cell), "count", None)
    lines = rebuilt.answers[exercise.number].split("\n")
    own = [line for cell, line in outcome.frames if cell == count and 0 < line <= len(lines)]
    if own and lines[own[-1] - 1].strip():
        text += f", at the line `{lines[own[-1] - 1].strip()[:120]}`"
    return text + "."


def _broken_set_up(rebuilt: repair.Rebuilt) -> str:
    """What to say if the handed-out notebook's own first cells don't run where it is graded."""
    from whichlayer_grading.execution import ERROR, CarefulExecute

    for cell in rebuilt.notebook["cells"]:
        if cell["id"].startswith(("answer", "helper")):
            break
        outcome = CarefulExecute.outcomes.get(cell["id"])
        if outcome and outcome.status == ERROR:
            return f"The notebook's own set-up fails where it is graded: {outcome.error}."
    return ""


def _lost_name(outcomes, rebuilt: repair.Rebuilt) -> str:
    """What to say if an answer failed because of something else that the student wrote."""
    failed = _failed_helpers(rebuilt)
    for outcome in outcomes:
        match = NAME_ERROR.match(outcome.value) if outcome.error == "NameError" else None
        if match and match[1] in failed:
            line = failed[match[1]].strip().partition("\n")[0]
            return f"It uses {match[1]}, and `{line[:120]}` fails where it is graded."
        if match and match[1] in rebuilt.dropped:
            return (
                f"It uses {match[1]}, which the notebook makes in a way that grading doesn't run: only "
                "imports, definitions and plain assignments are kept from other cells."
            )
    return ""


def _failed_helpers(rebuilt: repair.Rebuilt) -> dict[str, str]:
    """By name, the student's statements outside the answers that never ran to their end."""
    from whichlayer_grading.execution import OK, CarefulExecute

    sources, worked = {}, set()
    for cell in rebuilt.notebook["cells"]:
        helper = cell["metadata"].get("whichlayer")
        if helper:
            sources[helper["helper"]] = cell["source"]
            outcome = CarefulExecute.outcomes.get(cell["id"])
            if outcome and outcome.status == OK:
                worked.add(helper["helper"])
    return {
        name: source
        for number, source in sources.items()
        if number not in worked
        for name in repair.names_in(source)
    }


if __name__ == "__main__":
    main()
