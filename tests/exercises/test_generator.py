"""The generator of student, solution and nbgrader notebooks, on small sources and on the real ones."""

import json
import re
import textwrap

import jupytext
import make_exercises
import nbformat
import pytest

SOURCES = sorted(make_exercises.SOURCE.glob("[0-9][0-9]_*.py"))
HEAD = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercises

# %%
import numpy as np
"""
ANSWER = '''
# %% role="answer"
# EXERCISE 1.1: double
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    twice = 2 * x
    return twice
    ### END SOLUTION
'''
CHECK = """
# %% role="check"
assert double(1) == 2
"""
TESTS = """
# %% role="tests" points=2
### BEGIN HIDDEN TESTS
assert double(21) == 42, "What is twice 21?"
### END HIDDEN TESTS
"""
ESSAY = """
# %% [markdown] role="essay" points=3
# **EXERCISE 1.2: why**
#
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
"""
CODE_ESSAY = """
# %% role="essay" points=3
# EXERCISE 1.2: why
### BEGIN SOLUTION
because = 1
### END SOLUTION
"""


def source(*parts):
    return jupytext.reads(HEAD + "".join(parts), fmt="py:percent")


def made(version, *parts):
    return make_exercises.build(source(*parts), version, "01_example.py")


def texts(notebook):
    return {cell.id: cell.source for cell in notebook.cells}


def test_the_student_finds_a_stub_and_no_test():
    cells = texts(made("student", ANSWER, CHECK, TESTS, ESSAY))
    assert cells["answer-1-1"] == textwrap.dedent('''\
        # EXERCISE 1.1: double
        def double(x):
            """Twice x."""
            # YOUR CODE HERE
            raise NotImplementedError()''')
    assert cells["check-1-1"] == "assert double(1) == 2"
    assert "42" not in " ".join(cells.values()) and "Because" not in " ".join(cells.values())
    assert cells["answer-1-2"] == "**EXERCISE 1.2: why**\n\nYOUR ANSWER HERE"
    assert cells["given-001"] == "import numpy as np"


def test_the_solution_has_the_answer_and_no_test_and_no_marks():
    notebook = made("solution", ANSWER, CHECK, TESTS, ESSAY)
    cells = texts(notebook)
    assert cells["answer-1-1"].endswith("    twice = 2 * x\n    return twice")
    assert cells["answer-1-2"].endswith("Because.")
    assert "tests-1-1" not in cells
    assert not re.search("###|42", " ".join(cells.values()))
    assert not any("nbgrader" in cell.metadata for cell in notebook.cells)


def test_the_instructor_has_everything_in_nbgraders_form():
    cells = {cell.id: cell for cell in made("instructor", ANSWER, CHECK, TESTS, ESSAY).cells}
    assert "### BEGIN SOLUTION" in cells["answer-1-1"].source
    assert "double(21) == 42" in cells["tests-1-1"].source
    tests, essay = (cells[name].metadata["nbgrader"] for name in ("tests-1-1", "answer-1-2"))
    assert tests == {
        "grade": True, "grade_id": "tests_1_1", "locked": True, "points": 2, "schema_version": 3,
        "solution": False, "task": False,
    }  # fmt: skip
    assert essay["grade"] and essay["solution"] and essay["points"] == 3
    assert cells["answer-1-1"].metadata["nbgrader"]["solution"]
    assert "nbgrader" not in cells["check-1-1"].metadata


def test_a_planted_fault_is_what_the_student_finds_instead():
    faulty = ANSWER.replace(
        "    ### END SOLUTION",
        "    ### STARTER\n    # twice = x + 2\n    # return twice\n    ### END SOLUTION",
    )
    student = texts(made("student", faulty, CHECK, TESTS))["answer-1-1"]
    assert student.endswith('"""Twice x."""\n    twice = x + 2\n    return twice')
    solution = texts(made("solution", faulty, CHECK, TESTS))["answer-1-1"]
    assert solution.endswith("    twice = 2 * x\n    return twice")
    instructor = texts(made("instructor", faulty, CHECK, TESTS))["answer-1-1"]
    assert "x + 2" not in instructor and "STARTER" not in instructor


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([ANSWER.replace("# EXERCISE 1.1: double\n", ""), CHECK, TESTS], "must be the marker"),
        ([ANSWER.replace("1.1", "1.2"), CHECK, TESTS], "number must be 1.1"),
        ([ANSWER.replace("    ### END SOLUTION\n", ""), CHECK, TESTS], "must be one solution"),
        ([ANSWER, TESTS], "needs a check and hidden tests"),
        ([ANSWER, CHECK], "needs a check and hidden tests"),
        ([CHECK, ANSWER, TESTS], "must follow an answer"),
        ([ANSWER, CHECK, TESTS.replace("points=2", "points=0")], "above 0"),
        ([ANSWER, CHECK, TESTS.replace(" points=2", "")], "above 0"),
        ([ANSWER, CHECK, TESTS.replace(', "What is twice 21?"', "")], "plain text as message"),
        ([ANSWER, CHECK, TESTS.replace('"What is', 'f"What is {1}')], "plain text as message"),
        ([ANSWER, CHECK, TESTS.replace("### END", "double(3)\n### END")], "must not end with"),
        ([ANSWER, CHECK, TESTS.replace("assert", "x = 1\n### END HIDDEN TESTS\nassert", 1)], "all that may stand"),
        ([ANSWER, CHECK, TESTS.replace("assert", "from whichlayer import checks\nassert", 1)], "must not use"),
        ([ANSWER, CHECK, TESTS, ANSWER.replace("1.1", "1.2"), CHECK, TESTS], "two exercises named"),
        ([ANSWER.replace('"answer"', '"anwser"'), CHECK, TESTS], "'anwser' is not one of"),
        ([ANSWER.replace(' role="answer"', ""), CHECK, TESTS], "cell without a role"),
        ([ANSWER, CHECK, TESTS, CODE_ESSAY], "an essay is a Markdown cell"),
    ],
)  # fmt: skip
def test_a_source_that_is_not_whole_is_refused(parts, says):
    with pytest.raises(make_exercises.SourceError, match=says):
        made("student", *parts)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_the_stored_notebooks_follow_from_the_source(path):
    assert make_exercises.out_of_date(path) == [], "run `make exercises`"


def test_a_stored_notebook_that_was_changed_by_hand_is_found(tmp_path, monkeypatch):
    path = SOURCES[1]
    copies = {}
    for version, target in make_exercises.targets(path.stem).items():
        if version != "instructor":
            copies[version] = tmp_path / f"{version}.ipynb"
            copies[version].write_bytes(target.read_bytes())
    monkeypatch.setattr(make_exercises, "targets", lambda name: copies)
    assert make_exercises.out_of_date(path) == []
    notebook = json.loads(copies["student"].read_text())
    notebook["cells"][-1]["source"] = ["something else"]
    copies["student"].write_text(json.dumps(notebook))
    assert make_exercises.out_of_date(path) == [copies["student"]]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_a_chapters_exercises_are_what_the_course_promises(path):
    notebook = make_exercises.read(path)
    exercises = make_exercises.exercises_of(notebook, path.name)
    assert len(exercises) >= 4
    assert [exercise.essay for exercise in exercises].count(True) == 1
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    parts = re.split(r"^## Exercise ", text, flags=re.M)[1:]
    assert len(parts) == len(exercises)
    for exercise, part in zip(exercises, parts, strict=True):
        facts = re.search(
            r"\*Difficulty [123] of 3 · \d+ minutes · ([\d.]+) points · trains: ", part
        )
        assert facts, exercise.number
        assert float(facts[1]) == exercise.points, (
            f"{exercise.number}: the text states other points"
        )
        assert part.count("<details>") == part.count("</details>")
        assert exercise.essay or part.count("<details>") >= 2, exercise.number
    starters = [
        make_exercises.STARTER.search(notebook.cells[e.answer].source)
        for e in exercises
        if not e.essay
    ]
    assert any(starters), "one exercise plants a fault"


def test_there_are_enough_exercises_and_one_set_up_for_colab():
    count, first = 0, set()
    for path in SOURCES:
        notebook = make_exercises.read(path)
        count += len(make_exercises.exercises_of(notebook, path.name))
        first.add(next(cell.source for cell in notebook.cells if cell.cell_type == "code"))
    chapters = sorted(make_exercises.ROOT.glob("notebooks/*.ipynb"))
    assert [path.stem for path in SOURCES] == [path.stem for path in chapters]
    assert count == 45  # as the README and the guide for instructors say
    chapter = nbformat.read(chapters[0], 4)
    assert first == {next(cell.source for cell in chapter.cells if cell.cell_type == "code")}


def test_making_again_changes_nothing(tmp_path):
    path = SOURCES[1]
    notebook = make_exercises.read(path)
    versions = ("student", "solution", "instructor")
    once = [nbformat.writes(make_exercises.build(notebook, v, path.name)) for v in versions]
    again = [
        nbformat.writes(make_exercises.build(make_exercises.read(path), v, path.name))
        for v in versions
    ]
    assert once == again
