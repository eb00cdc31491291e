"""Run every notebook alone: the built wheel, an empty folder, and nothing of the checkout.

Chapters and solutions of exercises are compared with their stored outputs; students' notebooks run up
to their first stub.

A reader in Colab has the package and one notebook, so that is what is tested: each notebook is
copied to an empty folder and run, in an environment that sees the installed packages and the wheel
but not the source tree, and nbval compares its outputs with those that are stored.

    python build_tools/check_notebooks.py [NAME ...]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build_wheel(folder: Path) -> Path:
    """The package's wheel, built from a copy so that nothing is left in the source tree."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-CONTENT"):
        shutil.copy(ROOT / name, source / name)
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "whichlayer", source / "whichlayer", ignore=skip)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("whichlayer-*.whl")
    return wheel


def environment_with(wheel: Path, folder: Path) -> Path:
    """A Python that sees this environment's packages and the wheel, and no editable install."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    site = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()
    )  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A path line makes the packages importable; the .pth files in there, which an editable install
    # works through, are read for site directories only and so stay without effect.
    (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def copy_alone(notebooks: list[Path], folder: Path) -> list[Path]:
    """Each notebook in an empty folder of its own."""
    copies = []
    for notebook in notebooks:
        place = folder / "alone" / f"{notebook.parent.name}_{notebook.stem}"
        place.mkdir(parents=True)
        copies.append(Path(shutil.copy(notebook, place)))
    return copies


def environment_variables(**more: str) -> dict[str, str]:
    env = {**os.environ, "HF_HUB_OFFLINE": "1", **more}
    for name in ("WHICHLAYER_DATA", "PYTHONPATH"):
        if name not in more:
            env.pop(name, None)
    return env


def run_students(python: Path, notebooks: list[Path], folder: Path) -> int:
    """Run students' notebooks up to their first stub; returns an exit code."""
    script = shutil.copy(ROOT / "build_tools" / "run_student_notebooks.py", folder)
    command = [python, script, *copy_alone(notebooks, folder)]
    return subprocess.run(command, cwd=folder, env=environment_variables()).returncode


def run_alone(python: Path, notebooks: list[Path], folder: Path) -> int:
    """Run copies of the notebooks; returns pytest's exit code."""
    plugin = folder / "plugin"
    plugin.mkdir()
    shutil.copy(ROOT / "build_tools" / "notebook_comparison.py", plugin)
    copies = copy_alone(notebooks, folder)
    # Two at a time, each with one thread: threads that wait for each other cost more than they bring.
    env = environment_variables(PYTHONPATH=str(plugin), OMP_NUM_THREADS="1")
    command = [
        python, "-m", "pytest", "--quiet", "-p", "notebook_comparison", "-p", "no:cacheprovider",
        "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "120", "--durations", "3",
        "--numprocesses", "2", "--dist", "loadfile",
        "--rootdir", folder / "alone", "-c", os.devnull, *copies,
    ]  # fmt: skip
    return subprocess.run(command, cwd=folder / "alone", env=env).returncode


def main(names: list[str]) -> int:
    folders = [ROOT / "notebooks", ROOT / "exercises" / "solutions"]
    notebooks = [path for place in folders for path in sorted(place.glob("*.ipynb"))]
    students = sorted((ROOT / "exercises" / "student").glob("*.ipynb"))
    if names:
        notebooks, students = (
            [path for path in paths if path.stem in names] for paths in (notebooks, students)
        )
    if not notebooks:
        sys.exit("There are no notebooks of that name: run `make execute` first.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = environment_with(build_wheel(folder), folder / "environment")
        where = subprocess.run(
            [python, "-c", "import whichlayer; print(whichlayer.__file__)"],
            cwd=folder, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        if not where.startswith(str(folder.resolve())) and not where.startswith(str(folder)):
            sys.exit(f"The package would be taken from {where.strip()}, not from the wheel.")
        return run_alone(python, notebooks, folder) or run_students(python, students, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
