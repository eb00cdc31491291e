"""The checks and hidden tests against a bank of right and wrong answers.

tests/exercises/bank/NN_topic.py holds answers to the exercises of exercises/source/NN_topic.py, as a
student would put them into the answer cell:

    # %% exercise="2.1" right="a loop"
    # %% exercise="2.1" wrong="counts from the first block" says="layer 0|embedding"

A right one must pass the self-check and the hidden tests. A wrong one must fail both, and the
self-check's message must hold what `says` asks for (a regular expression).
"""

import ast
import contextlib
import io
import os
import re
import warnings
from pathlib import Path

import jupytext
import make_exercises
import pytest

from whichlayer.checks import CheckFailed

BANK = Path(__file__).parent / "bank"
SOURCES = sorted(make_exercises.SOURCE.glob("[0-9][0-9]_*.py"))
RIGHT, WRONG = 3, 5
OTHER_SEED = "977"


def run(code, namespace):
    # As in a notebook: dataclasses and pickles look their module up by name.
    namespace.setdefault("__name__", "__main__")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(code, "<cell>", "exec"), namespace)


def outcome(code, namespace):
    """None if the code runs through, else the exception."""
    try:
        run(code, namespace)
    except Exception as error:
        return error
    return None


def answers(path):
    """The bank's answers by exercise: (kind, name, says, code)."""
    found = {}
    for cell in jupytext.read(BANK / path.name, fmt="py:percent").cells:
        if cell.cell_type == "code" and "exercise" in cell.metadata:
            kind = "right" if "right" in cell.metadata else "wrong"
            entry = (kind, cell.metadata[kind], cell.metadata.get("says"), cell.source)
            found.setdefault(str(cell.metadata["exercise"]), []).append(entry)
    return found


def one_line(error):
    return " ".join(str(error).split())


@contextlib.contextmanager
def seed(value):
    """Give the hidden tests another seed than their own, as may be done when grading."""
    assert "WHICHLAYER_SEED" not in os.environ
    if value is not None:
        os.environ["WHICHLAYER_SEED"] = value
    try:
        yield
    finally:
        os.environ.pop("WHICHLAYER_SEED", None)


class Judged:
    """Everything that happened when a chapter's bank was run through its checks and tests.

    What a chapter gives, the treebank's activations above all, is computed once for all its answers.
    """

    def __init__(self, path):
        self.path = path
        self.results = []  # (exercise, kind, name, says, error of the check, error of the tests)
        self.reseeded = {}  # exercise: error of the tests, with another seed, on the solution
        notebook = make_exercises.read(path)
        self.exercises = [e for e in make_exercises.exercises_of(notebook, path.name)]
        bank = answers(path)
        by_place = {e.answer: e for e in self.exercises if not e.essay}
        namespace = {}
        for place, cell in enumerate(notebook.cells):
            role = cell.metadata.get("role")
            if cell.cell_type != "code" or role in ("check", "tests"):
                continue
            if role is None:
                run(cell.source, namespace)
                continue
            exercise = by_place[place]
            solved = make_exercises.solved(cell.source)
            entries = [
                ("solution", "the solution", None, solved),
                ("starter", "the untouched starter", None, make_exercises.starter(cell.source)),
                *bank.get(exercise.number, []),
            ]
            for kind, name, says, code in entries:
                self.judge(notebook, exercise, namespace, kind, name, says, code)
            run(solved, namespace)

    def judge(self, notebook, exercise, namespace, kind, name, says, code):
        answered = dict(namespace)
        failed = outcome(code, answered)

        def error_in(cells, value=None):
            own = dict(answered)
            # A notebook goes on after a cell that failed, and so does grading.
            error = failed if kind in ("right", "solution") else None
            with seed(value):
                for cell in cells:
                    error = error or outcome(cell, own)
            return error

        checks = [notebook.cells[place].source for place in exercise.checks]
        tests = [
            make_exercises.tests_only(notebook.cells[place].source) for place in exercise.tests
        ]
        self.results.append((exercise.number, kind, name, says, error_in(checks), error_in(tests)))
        if kind == "solution":
            self.reseeded[exercise.number] = error_in(tests, OTHER_SEED)


@pytest.fixture(scope="module", params=SOURCES, ids=lambda path: path.stem)
def judged(request):
    return Judged(request.param)


def test_every_exercise_has_enough_answers_in_the_bank(judged):
    for exercise in judged.exercises:
        if not exercise.essay:
            kinds = [r[1] for r in judged.results if r[0] == exercise.number]
            assert kinds.count("right") >= RIGHT, f"{exercise.number}: too few right answers"
            assert kinds.count("wrong") >= WRONG, f"{exercise.number}: too few wrong answers"


def test_right_answers_pass(judged):
    failed = [r for r in judged.results if r[1] in ("right", "solution") and (r[4] or r[5])]
    assert not failed, "\n".join(f"{r[0]} {r[2]}: check {r[4]!r}, tests {r[5]!r}" for r in failed)


def test_wrong_answers_and_starters_fail_the_check_with_a_message_that_fits(judged):
    faults = []
    for number, kind, name, says, check, _ in judged.results:
        if kind == "wrong" and not isinstance(check, CheckFailed):
            faults.append(f"{number} {name}: the check gave {check!r}")
        elif kind == "wrong" and not (says and re.search(says, one_line(check), re.I)):
            faults.append(f"{number} {name}: no {says!r} in {check}")
        elif kind == "starter" and check is None:
            faults.append(f"{number}: the starter passes the check")
    assert not faults, "\n".join(faults)


def test_wrong_answers_and_starters_fail_the_hidden_tests(judged):
    passed = [r for r in judged.results if r[1] in ("wrong", "starter") and r[5] is None]
    assert not passed, "\n".join(f"{r[0]} {r[2]}" for r in passed)


def test_hidden_tests_hold_with_other_seeds(judged):
    assert "WHICHLAYER_SEED" in judged.path.read_text(), (
        "no hidden test takes its seed from outside"
    )
    assert list(judged.reseeded) == [e.number for e in judged.exercises if not e.essay]
    assert not [error for error in judged.reseeded.values() if error]


@pytest.mark.parametrize("value", [None, OTHER_SEED])
def test_a_test_sees_the_seed_that_it_is_given(value):
    namespace = {}
    with seed(value):
        run("import os; seen = os.environ.get('WHICHLAYER_SEED')", namespace)
    assert namespace["seen"] == value and "WHICHLAYER_SEED" not in os.environ


def test_no_two_checks_have_one_name():
    """A second one would hide the first."""
    import whichlayer.checks as package

    modules = sorted(Path(package.__file__).parent.glob("[!_]*.py"))
    names = [
        node.name
        for module in modules
        for node in ast.parse(module.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
    ]
    assert len(names) == len(set(names))
    assert set(names) == {name for name in dir(package) if name.startswith("check_")}


def test_a_message_never_holds_the_answer(judged):
    """No line of code of the solution stands in what a check says."""
    notebook = make_exercises.read(judged.path)
    for exercise in judged.exercises:
        if exercise.essay:
            continue
        solution = make_exercises.SOLUTION.search(notebook.cells[exercise.answer].source)[2]
        solution = make_exercises.STARTER.split(solution)[0]
        lines = {line.strip() for line in solution.splitlines() if len(line.strip()) > 25}
        ast.parse(make_exercises.solved(notebook.cells[exercise.answer].source))
        for result in judged.results:
            if result[0] == exercise.number and result[4] is not None:
                assert not [line for line in lines if line in str(result[4])], result[2]
