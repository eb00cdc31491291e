"""Every damage that a notebook takes on its way, and what is left of the answers."""

import contextlib
import io
import json
import math
import random

import pytest
from small_course import code, content, text

from whichlayer_grading import course, repair


def rebuild(submission, assignment):
    return repair.rebuild(repair.read_cells(submission), assignment.release, assignment.exercises)


def scores(rebuilt, assignment):
    """Points by exercise: the rebuilt notebook's code, run here, with the hidden tests."""
    tests = {cell["id"]: cell["source"] for cell in assignment.instructor["cells"]}
    points = {test.grade_id: test.points for e in assignment.exercises for test in e.tests}
    namespace, won, worked = {"__name__": "__main__"}, {}, set()
    for cell in rebuilt.notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        helper = cell["metadata"].get("whichlayer")
        if helper and helper["helper"] in worked and not helper["again"]:
            continue
        id = cell["id"]
        source = tests[id] if id.startswith("tests") else cell["source"]
        try:
            for part in course.ast.parse(repair.plain_python(source)).body:
                module = course.ast.Module([part], [])
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(module, "<cell>", "exec"), namespace)
        except Exception:
            continue
        if helper:
            worked.add(helper["helper"])
        if id.startswith("tests"):
            number = ".".join(id.split("-")[1:3])
            won[number] = won.get(number, 0) + points[id.replace("-", "_")]
    return won


FULL = {"1.1": 3, "1.2": 2, "1.3": 3}
MEAN = "# EXERCISE 1.1: mean\ndef mean(values):\n    return sum(values) / len(values)\n"
STUB = "# EXERCISE 1.1: mean\ndef mean(values):\n    raise NotImplementedError()\n"


def nothing(h):
    pass


def stripped_metadata(h):
    for cell in h.cells:
        cell["metadata"] = {}
        cell.pop("id")


def colab_metadata(h):
    for k, cell in enumerate(h.cells):
        cell["metadata"] = {"id": f"aB{k}", "colab": {"base_uri": "x"}, "outputId": "y"}
        cell["id"] = f"aB{k}"


def vs_code_metadata(h):
    for k, cell in enumerate(h.cells):
        cell["metadata"] = {"vscode": {"languageId": "python"}}
        cell["id"] = f"#VSC-{k}"


def sources_as_lists(h):
    for cell in h.cells:
        cell["source"] = cell["source"].splitlines(keepends=True)


def windows_line_ends(h):
    for cell in h.cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")


def reversed_order(h):
    h.cells.reverse()


def shuffled(h):
    random.Random(0).shuffle(h.cells)


def merged_all(h):
    source = "\n\n".join(c["source"] for c in h.cells if c["cell_type"] == "code")
    essay = [c for c in h.cells if c["cell_type"] != "code"]
    h.cells[:] = [code(source), *essay]


def merged_with_the_check(h):
    for number in ("1-1", "1-2", "1-3"):
        h[f"answer-{number}"]["source"] += "\n" + h[f"check-{number}"]["source"]


def merged_without_markers(h):
    merged_all(h)
    h.cells[0]["source"] = h.cells[0]["source"].replace("# EXERCISE", "# part")


def duplicated_cells(h):
    h.cells[:] = [c for cell in h.cells for c in (cell, dict(cell))]


def stub_left_above(h):
    h.cells.insert(h.place("answer-1-1"), code(STUB))


def stub_left_below(h):
    h.cells.append(code(STUB))


def wrong_draft_above(h):
    h.cells.insert(0, code(MEAN.replace("/ len(values)", "")))


def deleted_tests_and_checks(h):
    h.cells[:] = [c for c in h.cells if c["id"].startswith(("answer", "given"))]


def deleted_everything_but_answers(h):
    h.cells[:] = [c for c in h.cells if c["id"].startswith("answer")]


def markers_deleted(h):
    for cell in h.cells:
        cell["source"] = cell["source"].replace("# EXERCISE", "#")
        cell["id"] += "-x"
        cell["metadata"] = {}


def marker_written_otherwise(h):
    for cell in h.cells:
        cell["source"] = cell["source"].replace(
            "# EXERCISE 1.1: mean", "  #EXERCISE  1.1 my answer"
        )


def marker_in_a_cell_of_its_own(h):
    source = h["answer-1-1"]["source"]
    marker, _, rest = source.partition("\n")
    place = h.place("answer-1-1")
    h.cells[place : place + 1] = [code(marker), code(rest)]


def extra_cells(h):
    h.cells.insert(1, code("print(mean([1, 2]))\nundefined_thing"))
    h.cells.append(code("for i in range(3):\n    print(i)\n1 / 0"))
    h.cells.append(text("Some thoughts."))


def cell_with_a_syntax_error(h):
    h.cells.insert(2, code("def broken(:\n  pass"))


def magics(h):
    h.cells.insert(1, code("%pip install nothing\n!ls\nimport json\nmean?"))
    h["answer-1-1"]["source"] = "%%time\n" + h["answer-1-1"]["source"]
    h["answer-1-2"]["source"] = "%matplotlib inline\n" + h["answer-1-2"]["source"]


def answer_as_text_cell(h):
    h["answer-1-1"]["cell_type"] = "markdown"


def answer_as_raw_cell(h):
    h["answer-1-2"]["cell_type"] = "raw"


def helper_in_an_extra_cell(h):
    h.cells.insert(h.place("answer-1-1"), code("def total(values):\n    return sum(values)"))
    h.answer("1.1", MEAN.replace("sum(", "total("))


def helper_between_exercises(h):
    h.cells.insert(h.place("answer-1-2"), code("def square(x):\n    return mean([x * x])"))
    h.answer(
        "1.2",
        "# EXERCISE 1.2: spread\ndef spread(v):\n    return math.sqrt(mean([square(x - mean(v)) for x in v]))",
    )


def helper_below_its_use(h):
    h.answer("1.1", MEAN.replace("sum(", "total("))
    h.cells.append(
        code(
            "import math as m\nROUND = m.sqrt(4)\ndef total(values):\n    return sum(values) * ROUND / 2"
        )
    )


def helper_that_needs_an_answer(h):
    h.cells.insert(h.place("answer-1-3"), code("SIX = mean([5, 7])"))
    h.answer("1.3", "# EXERCISE 1.3: choice\nchoice = int(SIX) * GIVEN")


def helper_defined_anew(h):
    h.cells.insert(h.place("answer-1-1"), code("def f(values):\n    return sum(values)"))
    h.answer("1.1", MEAN.replace("sum(", "f("))
    h.cells.insert(h.place("answer-1-3"), code("def f(value):\n    return value * 6"))
    h.answer("1.3", "# EXERCISE 1.3: choice\nchoice = f(GIVEN)")


def import_in_try(h):
    h.cells.insert(
        0, code("try:\n    import google.colab\nexcept ImportError:\n    import math as mm")
    )
    h.answer("1.2", h["answer-1-2"]["source"].replace("math.sqrt", "mm.sqrt"))


def helper_in_the_draft(h):
    h.cells.insert(
        h.place("answer-1-1"),
        code(
            "# EXERCISE 1.1: mean\ndef total(v):\n    return sum(v)\ndef mean(values):\n    return total(values)"
        ),
    )
    h.answer("1.1", MEAN.replace("sum(", "total("))


def async_and_decorated_helpers(h):
    h.cells.insert(
        1,
        code(
            "import functools\n\n@functools.lru_cache\ndef one():\n    return 1\nclass Two:\n    value = 2"
        ),
    )
    h.answer("1.1", MEAN.replace("sum(values)", "sum(values) * one() * Two.value / 2"))


def trial_call_in_the_answer(h):
    h["answer-1-1"]["source"] += "\nprint(mean(never_defined))"


def several_on_one_line(h):
    h.cells.insert(0, code("a = 1; b = 2; print(a)"))
    h.answer("1.1", MEAN.replace("sum(values)", "sum(values) * a * b / 2"))


def percent_at_a_line_start(h):
    h.answer("1.3", "# EXERCISE 1.3: choice\nchoice = (142\n    % 100)")


def value_with_work_before_it(h):
    h.cells.pop(h.place("answer-1-3"))
    h.cells.append(code("best = 0\nfor k in range(GIVEN):\n    best += 6\nchoice = best"))


def changed_set_up(h):
    h["given-001"]["source"] = "import math, json\nprint('changed')"


DAMAGES = [
    value for value in list(globals().values()) if callable(value) and value.__module__ == __name__
]
DAMAGES = [d for d in DAMAGES if d.__code__.co_varnames[:1] == ("h",)]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_notebook_costs_nothing(damage, handed, assignment):
    damage(handed)
    rebuilt = rebuild(handed.content(), assignment)
    assert scores(rebuilt, assignment) == FULL


def test_there_are_at_least_nineteen_damages():
    assert len(DAMAGES) > 30


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_the_rebuilt_notebook_has_the_release_cells_in_their_order(damage, handed, assignment):
    damage(handed)
    cells = rebuild(handed.content(), assignment).notebook["cells"]
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)
    assert [id for id in ids if not id.startswith("helper")] == [
        cell["id"] for cell in assignment.release["cells"]
    ]
    assert all(
        cell["metadata"].get("nbgrader") == given["metadata"].get("nbgrader")
        for given in assignment.release["cells"]
        for cell in cells
        if cell["id"] == given["id"]
    )


def test_the_last_answer_that_is_not_the_stub_counts(handed, assignment):
    handed.cells.append(code(MEAN.replace("values)\n", "values) + 1\n")))
    handed.cells.append(code(STUB))
    assert "1.1" not in scores(rebuild(handed.content(), assignment), assignment)


def test_the_starter_scores_nothing_and_is_called_untouched(versions, assignment):
    rebuilt = rebuild(content([dict(c) for c in versions[0].cells]), assignment)
    assert not scores(rebuilt, assignment)
    assert set(rebuilt.found.values()) == {"untouched"}


def test_an_empty_notebook_holds_nothing(assignment):
    rebuilt = rebuild(content([]), assignment)
    assert set(rebuilt.found.values()) == {"nothing"}


def test_a_changed_fault_is_an_answer(handed, assignment):
    starter = next(e.starter for e in assignment.exercises if e.number == "1.2")
    handed.answer("1.2", starter.replace("centre = sum(values)", "centre = mean(values)"))
    rebuilt = rebuild(handed.content(), assignment)
    assert rebuilt.found["1.2"] == "answer"
    handed.answer("1.2", starter + "\n\n# a comment of mine\n")
    assert rebuild(handed.content(), assignment).found["1.2"] == "untouched"


def test_what_a_loop_leaves_behind_is_not_kept_and_is_known(handed, assignment):
    handed.cells.insert(
        1, code("state = []\nfor k in range(2):\n    state.append(k)\n    last = k")
    )
    handed.answer("1.1", MEAN.replace("sum(values)", "sum(values) * last"))
    rebuilt = rebuild(handed.content(), assignment)
    assert "1.1" not in scores(rebuilt, assignment)
    assert "last" in rebuilt.dropped


def test_attributes_of_other_things_are_not_assigned(handed, assignment):
    handed.cells.insert(1, code("math.sqrt = lambda x: 1"))
    rebuilt = rebuild(handed.content(), assignment)
    assert not [c for c in rebuilt.notebook["cells"] if "lambda x: 1" in c["source"]]
    assert math.sqrt(4) == 2


ESSAY = "Because the mean hides the spread."


@pytest.mark.parametrize(
    "cells",
    [
        [text(f"**EXERCISE 1.4: why**\n\n{ESSAY}")],
        [text(f"**EXERCISE 1.4: why**\n{ESSAY}\n\nYOUR ANSWER HERE")],
        [text(f"EXERCISE 1.4\n\n{ESSAY}", id="other")],
        [text(f"## **EXERCISE 1.4: why**\n\n{ESSAY}")],
        [text("**EXERCISE 1.4: why**\n\nYOUR ANSWER HERE"), text(ESSAY)],
        [
            text(f"**EXERCISE 1.4: why**\n\n{ESSAY}"),
            text("**EXERCISE 1.4: why**\n\nYOUR ANSWER HERE"),
        ],
        [text(ESSAY, id="answer-1-4")],
        [text(ESSAY, metadata={"nbgrader": {"grade_id": "answer_1_4"}})],
        [{**text(f"**EXERCISE 1.4: why**\n\n{ESSAY}"), "cell_type": "raw"}],
    ],
)
def test_essays_are_found(cells, assignment):
    rebuilt = rebuild(content(cells), assignment)
    assert rebuilt.found["1.4"] == "answer"
    assert rebuilt.answers["1.4"] == f"**EXERCISE 1.4: why**\n\n{ESSAY}"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b'{"cells": [', "broken"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe\x00", "isn't text"),
        (b"[1, 2]", "isn't a notebook"),
        (b'{"a": 1}', "no cells"),
        (b"[" * 100_000, "deep|broken"),
        (b'{"cells": 3}', "no cells"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(data, says):
    with pytest.raises(repair.NotANotebook, match=says):
        repair.read_cells(data)


def test_odd_files_are_read(handed, assignment):
    data = json.loads(handed.content())
    encodings = [json.dumps(data).encode(e) for e in ("utf-8-sig", "utf-16")]
    older = {"worksheets": [{"cells": data["cells"]}], "nbformat": 3}
    odd = {"cells": [None, {"source": None}, {"cell_type": 3, "metadata": [1]}, *data["cells"]]}
    for submission in [*encodings, json.dumps(older).encode(), json.dumps(odd).encode()]:
        assert scores(rebuild(submission, assignment), assignment) == FULL


def test_code_that_breaks_parsers_breaks_nothing(handed, assignment):
    for bad in ("(" * 5000, "x = " + "-" * 50_000 + "1", "\0", "x = 1" + "+1" * 20_000):
        handed.cells.insert(0, code(bad))
    assert scores(rebuild(handed.content(), assignment), assignment) == FULL
