"""The command from end to end: rows, statuses, feedback, regrades, private tests, wrong arguments."""

import csv
import shutil
import subprocess
import sys

import nbformat
import pytest
from small_course import NAME, ROOT, code, content

from whichlayer_grading import gradebook, report, results, sandbox

ESSAY = "**EXERCISE 1.4: why**\n\nBecause I measured it."
MISSING = "# EXERCISE 1.2: spread\ndef spread(values):\n    return nsp.std(values)"
TINY_TESTS = '# %% role="tests" points=5\n# EXERCISE 1.1\nassert mean([8, 8]) == 8, "private 1"\n'


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}


@pytest.fixture
def options(checkout, tmp_path, sandboxed):
    """Arguments that grade the small assignment; without a sandbox where there can't be one."""
    made = [
        "--course",
        checkout,
        "--assignment",
        NAME,
        "--out",
        tmp_path / "grades.csv",
        "--jobs",
        2,
    ]
    return made if sandboxed else [*made, "--unsafe"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def test_every_status_has_its_row(grade, options, folder, tmp_path, make_handed, versions):
    wrong = make_handed().answer(
        "1.1", "# EXERCISE 1.1: mean\ndef mean(values):\n    return sum(values) / 4"
    )
    error = make_handed().answer(
        "1.1", "# EXERCISE 1.1: mean\ndef mean(values):\n    return values.mean()"
    )
    broken = make_handed().answer("1.1", "# EXERCISE 1.1: mean\ndef mean(values) return 3")
    lost = make_handed().answer(
        "1.1", "# EXERCISE 1.1: mean\ndef mean(v):\n    return sum(v) / len(v) * last"
    )
    lost.cells.insert(1, code("for last in [1]:\n    pass"))
    missing = make_handed().answer("1.2", MISSING)
    missing.cells.insert(1, code("import no_such_package as nsp"))
    partly = make_handed()
    partly.cells.pop(partly.place("answer-1-3"))
    partly.cells.pop(partly.place("answer-1-4"))
    for name, data in {
        "wrong": wrong.content(), "error": error.content(), "broken": broken.content(),
        "lost": lost.content(), "partly": partly.content(), "missing": missing.content(), "other": content([code("x = 1")]),
        "starter": content([dict(cell) for cell in versions[0].cells]),
        "solved (1)": make_handed().content(), "damaged": b'{"cells": [', "empty": b"",
    }.items():  # fmt: skip
        (folder / f"{name}.ipynb").write_bytes(data)
    (folder / "paper.pdf").write_bytes(b"%PDF")
    message, printed = grade(folder, *options)
    assert message is None
    rows = read(tmp_path / "grades.csv")
    assert len(rows) == 12 * 4

    def of(student, exercise):
        row = rows[student, exercise]
        return row["status"], row["points"], row["message"]

    assert of("solved", "1.1") == ("graded", "3", "")
    assert of("solved", "1.4")[:2] == ("needs a person", "")
    status, points, said = of("wrong", "1.1")
    # Two cells of tests: both messages are the tests' own.
    assert (status, points) == ("graded", "0")
    assert said == (
        "The mean of three numbers is a third of their sum. Anything with a length is allowed."
    )
    assert of("error", "1.1")[:2] == ("graded", "0")
    assert (
        "AttributeError" in of("error", "1.1")[2]
        and "`return values.mean()`" in of("error", "1.1")[2]
    )
    assert (
        of("broken", "1.1")[:2] == ("failed to run", "") and "SyntaxError" in of("broken", "1.1")[2]
    )
    assert of("lost", "1.1")[:2] == ("failed to run", "") and "last" in of("lost", "1.1")[2]
    assert of("missing", "1.2")[:2] == ("failed to run", "")
    assert "`import no_such_package as nsp`" in of("missing", "1.2")[2]
    assert of("partly", "1.1")[:2] == ("graded", "3")
    assert of("partly", "1.3")[:2] == ("not found", "")
    assert of("partly", "1.4")[0] == "needs a person" and "No essay" in of("partly", "1.4")[2]
    assert of("starter", "1.1") == ("graded", "0", "The starter is untouched.")
    assert of("other", "1.2")[:2] == ("not found", "")
    for student in ("damaged", "empty"):
        assert of(student, "1.1")[:2] == ("failed to run", "") and of(student, "1.1")[2]
    assert of("paper", "1.1")[:2] == ("not found", "") and "paper.pdf" in of("paper", "1.1")[2]
    for row in rows.values():
        assert (row["points"] != "") == (row["status"] == "graded"), row
        assert float(row["max_points"]) == {"1.1": 3, "1.2": 2, "1.3": 3, "1.4": 4}[row["exercise"]]
    pages = {page.stem: page.read_text() for page in (tmp_path / "feedback").glob("*.html")}
    assert len(pages) == 12
    assert "8 of 12 points" in pages["solved"] and "return sum(values)" in pages["solved"]
    assert "_secret" not in "".join(pages.values()) and "4711" not in "".join(pages.values())
    assert "grades.csv" in printed


def row_of(student, answer):
    row = results.Row(student, "1.4", "why", 4, "needs a person", answer=answer, file="a.ipynb")
    row.fingerprint = results.fingerprint(answer.encode())
    return row


def test_points_given_by_a_person_are_kept_as_long_as_the_answer_is(tmp_path):
    out = tmp_path / "grades.csv"
    report.write_csv(out, [row_of("ada", ESSAY), row_of("bea", ESSAY)])
    write_manual(out, "ada", "1.4", "3,5")
    manual = report.read_manual(out)
    same, other = row_of("ada", ESSAY), row_of("ada", ESSAY + " Twice.")
    assert report.apply_manual([same], manual) == []
    assert (same.status, same.points, same.manual) == ("graded", 3.5, 3.5)
    # Another essay: the points were for the earlier one.
    assert report.apply_manual([other], manual) == []
    assert (other.status, other.points) == ("needs a person", None) and "3.5" in other.message
    # Nobody's points are lost without a word.
    assert report.apply_manual([row_of("bea", ESSAY)], manual) == [
        "ada, exercise 1.4: 3.5 points given by a person"
    ]
    earlier = report.write_csv(out, [row_of("bea", ESSAY)], keep_earlier=True)
    assert read(earlier)["ada", "1.4"]["manual_points"] == "3,5"


def write_manual(path, student, exercise, points):
    """As a person does in a spreadsheet."""
    rows = list(read(path).values())
    for row in rows:
        if (row["student"], row["exercise"]) == (student, exercise):
            row["manual_points"] = points
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_a_kept_course_keeps_what_formgrader_gave_and_no_stale_score(
    grade, options, folder, tmp_path, make_handed
):
    kept = tmp_path / "kept"
    handed = make_handed()
    handed["answer-1-4"]["source"] = ESSAY
    (folder / "ada.ipynb").write_bytes(handed.content())
    options = [*options, "--keep", kept]
    assert grade(folder, *options)[0] is None
    with gradebook.opened(kept) as book:
        book.find_grade("answer_1_4", NAME, NAME, "ada").manual_score = 3
        book.db.commit()
    write_manual(tmp_path / "grades.csv", "ada", "1.3", "1")
    handed.answer("1.2", "# EXERCISE 1.2: spread\ndef spread(values):\n    return 0")
    (folder / "ada.ipynb").write_bytes(handed.content())
    assert grade(folder, *options)[0] is None
    rows = read(tmp_path / "grades.csv")
    assert rows["ada", "1.4"]["points"] == "3" and rows["ada", "1.4"]["status"] == "graded"
    assert rows["ada", "1.2"]["points"] == "0"
    assert rows["ada", "1.3"]["points"] == "1" == rows["ada", "1.3"]["manual_points"]
    assert read(tmp_path / "grades.csv")["ada", "1.1"]["points"] == "3"
    (folder / "ada.ipynb").write_bytes(b"broken")
    assert grade(folder, *options)[0] is None
    rows = read(tmp_path / "grades.csv")
    assert {row["points"] for row in rows.values()} == {""}
    with gradebook.opened(kept) as book:
        assert not book.assignment_submissions(NAME)


def test_private_tests_and_seeds_replace_the_public_ones(
    grade, options, folder, tmp_path, make_handed
):
    private = tmp_path / "private"
    private.mkdir()
    (private / f"{NAME}.py").write_text(
        TINY_TESTS
        + '\n# %% role="tests" points=1\n# EXERCISE 1.3\n### BEGIN HIDDEN TESTS\nimport os\n'
        'assert os.environ["WHICHLAYER_SEED"] == "977", "private 2"\n### END HIDDEN TESTS\n'
    )
    (folder / "ada.ipynb").write_bytes(make_handed().content())
    wrong = "# EXERCISE 1.1: mean\ndef mean(values):\n    return 3"
    (folder / "bea.ipynb").write_bytes(make_handed().answer("1.1", wrong).content())
    assert grade(folder, *options, "--tests", private, "--seed", 977)[0] is None
    rows = read(tmp_path / "grades.csv")
    # Tests that pass whatever the answer is say nothing about it.
    assert rows["ada", "1.3"]["status"] == "needs a person"
    assert [rows["ada", e]["points"] for e in ("1.1", "1.2")] == ["5", "2"]
    assert rows["bea", "1.1"]["message"] == "private 1"
    assert rows["bea", "1.1"]["max_points"] == "5"


def test_an_environment_that_lacks_something_is_no_zero(
    grade, options, folder, tmp_path, checkout, make_handed
):
    course = tmp_path / "course"
    shutil.copytree(checkout, course)
    source = course / "exercises" / "source" / f"{NAME}.py"
    source.write_text(source.read_text().replace("import math\n", "import no_such_package, math\n"))
    handed = make_handed()
    handed["given-001"]["source"] = ""
    (folder / "ada.ipynb").write_bytes(handed.content())
    assert grade(folder, *options, "--course", course)[0] is None
    row = read(tmp_path / "grades.csv")["ada", "1.2"]
    assert (row["status"], row["points"]) == ("failed to run", "")
    assert "set-up" in row["message"] and "ModuleNotFoundError" in row["message"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('# %% role="tests" points=5\nassert mean([8]) == 8, "x"\n', "begin"),
        (TINY_TESTS.replace("1.1", "1.9"), "no exercise 1.9"),
        (TINY_TESTS.replace('"private 1"', "str(mean)"), "plain text"),
        ("# %%\nprint(1)\n", "only cells with role"),
    ],
)
def test_private_tests_keep_the_rules(grade, options, folder, tmp_path, handed, text, says):
    (tmp_path / f"{NAME}.py").write_text(text)
    (folder / "ada.ipynb").write_bytes(handed.content())
    message, _ = grade(folder, *options, "--tests", tmp_path)
    assert says in message


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (["--assignment", "9_none"], f"There are: {NAME}"),
        (["--course", "/"], "clone the course's repository"),
        (["--time-limit", "0"], "--time-limit must be above 0"),
        (["--jobs", "0"], "--jobs must be above 0"),
        (["--tests", "nowhere"], "holds no"),
        (["--names", "nowhere.csv"], "can't be read"),
    ],
)
def test_wrong_arguments_get_one_clear_message(grade, options, folder, handed, change, says):
    (folder / "ada.ipynb").write_bytes(handed.content())
    message, printed = grade(folder, *options, *change)
    assert says in message and message.count("\n") == 0
    assert "Traceback" not in printed


def test_what_the_sandbox_would_show_is_refused(grade, options, folder, handed, monkeypatch):
    (folder / "ada.ipynb").write_bytes(handed.content())
    monkeypatch.setattr(sandbox, "what_is_missing", lambda: "")
    monkeypatch.setattr(sandbox, "readable", lambda: [str(folder)])
    message, _ = grade(folder, *[o for o in options if o != "--unsafe"])
    assert str(folder) in message and "Move it" in message


def test_without_a_sandbox_there_are_limits_all_the_same(
    grade, options, folder, tmp_path, make_handed, monkeypatch
):
    monkeypatch.setattr(sandbox, "what_is_missing", lambda: "this is a test")
    loop = "# EXERCISE 1.2: spread\ndef spread(values):\n    while True: pass"
    leave = "# EXERCISE 1.2: spread\nimport os\nos._exit(0)"
    (folder / "ada.ipynb").write_bytes(make_handed().answer("1.2", loop).content())
    (folder / "bea.ipynb").write_bytes(make_handed().answer("1.2", leave).content())
    message, printed = grade(folder, *options, "--unsafe", "--time-limit", 8)
    assert message is None and "WITHOUT A SANDBOX" in printed and "this is a test" in printed
    rows = read(tmp_path / "grades.csv")
    assert [rows["ada", e]["status"] for e in ("1.1", "1.2", "1.3")] == [
        "graded", "timed out", "graded"
    ]  # fmt: skip
    assert [rows["bea", e]["status"] for e in ("1.1", "1.2")] == ["graded", "failed to run"]


def test_an_empty_folder_gets_one_clear_message(grade, options, folder):
    assert "no notebook" in grade(folder, *options)[0]


def test_an_earlier_csv_that_cannot_be_read_is_not_overwritten(
    grade, options, folder, tmp_path, handed
):
    (tmp_path / "grades.csv").write_text("student,exercise,manual_points\nada,1.1,many\n")
    (folder / "ada.ipynb").write_bytes(handed.content())
    assert "manual_points" in grade(folder, *options)[0]
    assert "many" in (tmp_path / "grades.csv").read_text()


def test_without_nbgrader_the_message_names_it(grade, options, folder, handed, monkeypatch):
    (folder / "ada.ipynb").write_bytes(handed.content())
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    assert "pip install nbgrader" in grade(folder, *options)[0]


def test_the_package_does_not_import_nbgrader_or_torch():
    script = (
        "import whichlayer_grading.__main__, sys;"
        "print([m for m in ('nbgrader', 'torch', 'nbformat') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_spreadsheets_take_nothing_for_a_formula(tmp_path):
    row = results.Row("=cmd()", "1.1", "mean", 3, "graded", 3, "+1\n2", "", "@x.ipynb")
    report.write_csv(tmp_path / "g.csv", [row])
    line = (tmp_path / "g.csv").read_text().splitlines()[1]
    assert line == "'=cmd(),1.1,mean,3,3,graded,'+1 2,,,'@x.ipynb"


CHAPTER = "02_extracting_hidden_states"


@pytest.mark.skipif(
    not (ROOT / "exercises" / "solutions" / f"{CHAPTER}.ipynb").is_file(), reason="no chapter 2"
)
def test_chapter_2_is_graded_with_its_encoder(grade, sandboxed, tmp_path):
    """The real exercises, in the sandbox, with torch and MiniLM's weights: full marks, or none."""
    from whichlayer_grading import course

    assignment = course.load_assignment(ROOT, CHAPTER)
    solution = nbformat.read(ROOT / "exercises" / "solutions" / f"{CHAPTER}.ipynb", 4)
    student = nbformat.read(ROOT / "exercises" / "student" / f"{CHAPTER}.ipynb", 4)
    merged = "\n\n".join(c.source for c in solution.cells if c.cell_type == "code")
    essays = [dict(c) for c in solution.cells if c.cell_type == "markdown"]
    folder = tmp_path / "in"
    folder.mkdir()
    nbformat.write(student, folder / "starter.ipynb")
    (folder / "merged.ipynb").write_bytes(content([code(merged), *essays]))
    options = [
        "--course",
        ROOT,
        "--assignment",
        CHAPTER,
        "--out",
        tmp_path / "grades.csv",
        "--jobs",
        2,
    ]
    message, _ = grade(folder, *options, *([] if sandboxed else ["--unsafe"]))
    assert message is None
    rows = read(tmp_path / "grades.csv")
    for exercise in assignment.exercises:
        wanted = ("needs a person", "") if exercise.essay else ("graded", f"{exercise.points:g}")
        row = rows["merged", exercise.number]
        assert (row["status"], row["points"]) == wanted, row
        if not exercise.essay:
            row = rows["starter", exercise.number]
            assert (row["status"], row["points"]) == ("graded", "0"), row
