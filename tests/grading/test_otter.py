"""The export for Otter: its marks, points and starters. That Otter grades it was tried by hand."""

import ast

import nbformat
import pytest
from small_course import NAME, ROOT

from whichlayer_grading import otter


@pytest.fixture
def exported(checkout, tmp_path):
    (tmp_path / "out").mkdir()
    return nbformat.read(otter.export(checkout, NAME, tmp_path / "out"), 4)


def test_every_exercise_is_a_question_with_its_parts_in_order(exported):
    marks = [c.source.partition("\n")[0] for c in exported.cells if c.cell_type == "raw"]
    question = ["# BEGIN QUESTION", "# BEGIN SOLUTION", "# END SOLUTION"]
    tests = ["# BEGIN TESTS", "# END TESTS"]
    auto, essay = [*question, *tests, "# END QUESTION"], [*question, "# END QUESTION"]
    assert marks[0].startswith("#") and marks[1:] == [*auto, *auto, *auto, *essay]


def test_points_are_those_of_the_source(exported):
    points = [
        line.partition(": ")[2]
        for cell in exported.cells
        for line in cell.source.splitlines()
        if line.startswith("points:")
    ]
    assert points == ["2", "1", "2", "3", "4"]


def test_tests_are_hidden_and_valid(exported):
    tests = [c for c in exported.cells if "BEGIN TEST CONFIG" in c.source]
    assert len(tests) == 4
    for cell in tests:
        assert "hidden: true" in cell.source
        ast.parse(cell.source)


def test_the_starter_stands_in_the_prompt(exported):
    (cell,) = [c for c in exported.cells if "def spread" in c.source]
    prompt = cell.source.partition("# BEGIN PROMPT")[2].partition('""" # END PROMPT')[0]
    assert prompt.strip().startswith("centre = sum(values)")
    ast.parse(cell.source)
    assert "### " not in cell.source


def test_requirements_name_the_repository(tmp_path, checkout, grade):
    assert (
        grade("export-otter", "--assignment", NAME, "--course", checkout, "--out", tmp_path)[0]
        is None
    )
    assert (tmp_path / "requirements.txt").read_text().startswith("whichlayer\n")
    address = otter._requirements(ROOT)[0]
    assert address.startswith("whichlayer @ git+https://") and not address.endswith("/")


def test_the_release_is_nbgraders_course(tmp_path, checkout, grade, versions):
    out = tmp_path / "course"
    assert grade("release", "--course", checkout, "--out", out)[0] is None
    assert {p.name for p in out.iterdir()} == {
        "gradebook.db", "nbgrader_config.py", "release", "source"
    }  # fmt: skip
    released = nbformat.read(out / "release" / NAME / f"{NAME}.ipynb", 4)
    assert [c.source for c in released.cells] == [c.source for c in versions[0].cells]
    source = (out / "source" / NAME / f"{NAME}.ipynb").read_text()
    assert "BEGIN HIDDEN TESTS" in source
