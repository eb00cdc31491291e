"""Hidden tests stand in the sources and in what an instructor makes of them, nowhere else."""

import ast
import shutil
import subprocess
import sys
import zipfile

import make_exercises
import nbformat
import pytest
from small_course import ROOT

SOURCES = sorted(make_exercises.SOURCE.glob("[0-9][0-9]_*.py"))


def telling_lines(path):
    """Lines of the hidden tests that stand nowhere else in the source."""
    notebook = make_exercises.read(path)
    hidden, other = set(), ""
    for cell in notebook.cells:
        if cell.metadata.get("role") == "tests":
            lines = make_exercises.tests_only(cell.source).splitlines()
            hidden |= {line.strip() for line in lines if len(line.strip()) > 25}
        else:
            other += cell.source
    return {line for line in hidden if line not in other}


def asserted_in_tests(path):
    """What the hidden tests assert, where it is long enough to be telling."""
    for cell in make_exercises.read(path).cells:
        if cell.metadata.get("role") == "tests":
            for node in ast.walk(ast.parse(make_exercises.tests_only(cell.source))):
                if isinstance(node, ast.Assert) and len(ast.unparse(node.test)) > 25:
                    yield ast.unparse(node.test)


def leaks(lines, text):
    return [line for line in lines if line in text]


@pytest.fixture(params=SOURCES, ids=lambda path: path.stem)
def source(request):
    return request.param


def test_there_are_hidden_tests_to_look_for(source):
    assert len(telling_lines(source)) >= 5


@pytest.mark.parametrize("version", ["student", "solution"])
def test_notebooks_for_students_hold_none(source, version):
    lines = telling_lines(source)
    made = make_exercises.build(make_exercises.read(source), version, source.name)
    assert not leaks(lines, "\n".join(cell.source for cell in made.cells))
    committed = make_exercises.targets(source.stem)[version]
    if committed.is_file():
        # Outputs too: a traceback would show the tests.
        text = committed.read_text(encoding="utf-8")
        assert not leaks(lines, text.replace('\\"', '"'))
        assert "HIDDEN TESTS" not in text
        sources = [cell.source for cell in nbformat.read(committed, 4).cells]
        assert not leaks(lines, "\n".join(sources))


PACKAGES = {"whichlayer": ".", "whichlayer_grading": "grading"}


@pytest.fixture(scope="module", params=PACKAGES)
def package(request):
    return request.param


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, package):
    """A package's wheel, built from a copy so that nothing is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    project, copied = ROOT / PACKAGES[package], folder / "project"
    copied.mkdir()
    for path in project.iterdir():
        if path.is_file() and path.name[0] != ".":
            shutil.copy(path, copied)
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(project / package, copied / package, ignore=left_out)
    script = "from setuptools import build_meta; build_meta.build_wheel('..')"
    subprocess.run(
        [sys.executable, "-c", script], cwd=copied, check=True, capture_output=True, timeout=120
    )
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheels_hold_none_and_nothing_of_the_exercises(wheel, package):
    names = wheel.namelist()
    # The grading system is in its own package, and in no learner's.
    assert {name.split("/")[0].split("-")[0] for name in names} == {package}
    assert ("whichlayer_grading/worker.py" in names) == (package == "whichlayer_grading")
    assert not [n for n in names if n.endswith(".ipynb") or "exercises/" in n]
    asserted = {text for path in SOURCES for text in asserted_in_tests(path)}
    assert asserted
    for name in names:
        if name.endswith(".py"):
            # Set-up may be alike in self-checks and tests; what is asserted may not.
            assert not leaks(asserted, ast.unparse(ast.parse(wheel.read(name)))), name
