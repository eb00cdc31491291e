"""The small assignment's checkout, and the command that grades."""

import shutil

import make_exercises
import pytest
from small_course import NAME, ROOT, SOURCE, Handed

from whichlayer_grading import course, sandbox


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A checkout of a course that has only the small assignment."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "exercises" / "source").mkdir(parents=True)
    (folder / "exercises" / "source" / f"{NAME}.py").write_text(SOURCE)
    (folder / "build_tools").mkdir()
    for name in ("make_exercises.py", "execute_notebooks.py"):
        shutil.copy(ROOT / "build_tools" / name, folder / "build_tools")
    return folder


@pytest.fixture(scope="session")
def assignment(checkout):
    return course.load_assignment(checkout, NAME)


@pytest.fixture(scope="session")
def versions(checkout):
    """The student's notebook and the solution of the small assignment."""
    path = checkout / "exercises" / "source" / f"{NAME}.py"
    notebook = make_exercises.read(path)
    return [make_exercises.build(notebook, v, path.name) for v in ("student", "solution")]


@pytest.fixture
def handed(versions):
    return Handed(*versions)


@pytest.fixture(scope="session")
def make_handed(versions):
    return lambda: Handed(*versions)


@pytest.fixture(scope="session")
def sandboxed():
    """Whether this system has what the sandbox needs."""
    return not sandbox.what_is_missing()


@pytest.fixture
def grade(capsys):
    """Run the command; its result is (exit message or None, what it printed)."""
    from whichlayer_grading.__main__ import main

    def run(*arguments):
        try:
            main([str(argument) for argument in arguments])
            return None, capsys.readouterr().out
        except SystemExit as error:
            return str(error.code), capsys.readouterr().out

    return run
