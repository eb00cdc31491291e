"""Kernels that see what a reader in Colab has: the package's wheel, its dependencies, no checkout."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import warm_kernels

ROOT = Path(__file__).parents[1]
KERNEL = "alone"
# Where a run's kernels and notebooks lie; whoever starts a run of several processes sets it once.
FOLDER = "WHICHLAYER_ALONE"


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


def environment_variables() -> dict[str, str]:
    """One thread each: threads that wait for each other cost more than they bring."""
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    for name in ("WHICHLAYER_DATA", "PYTHONPATH"):
        env.pop(name, None)
    return env


def copy(notebooks: list[Path], folder: Path) -> None:
    """Put each notebook into a folder of its own."""
    for notebook in notebooks:
        place = folder / f"{notebook.parent.name}_{notebook.stem}"
        place.mkdir(parents=True)
        shutil.copy(notebook, place)


@contextlib.contextmanager
def kernels() -> Iterator[Path]:
    """Make Jupyter's kernel KERNEL one that runs alone; gives the folder of the run.

    The folder's `costs` says what each kernel has cost, see `warm_kernels`.
    """
    if FOLDER in os.environ:
        yield Path(os.environ[FOLDER])
        return
    with tempfile.TemporaryDirectory(prefix="wl-") as temporary:
        folder = Path(temporary).resolve()
        python = environment_with(build_wheel(folder), folder / "environment")
        server = [
            python, shutil.copy(warm_kernels.__file__, folder), "serve",
            folder / "socket", folder / "costs",
        ]  # fmt: skip
        (folder / "costs").touch()
        with subprocess.Popen(
            server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=folder, env=environment_variables(),
        ) as process:  # fmt: skip
            where, ready = process.stdout.readline().strip(), process.stdout.readline().strip()
            if ready != "ready":
                raise SystemExit("The notebooks' libraries can't be loaded: see the error above.")
            if not where.startswith(str(folder)):
                raise SystemExit(f"The package would be taken from {where}, not from the wheel.")
            place = folder / "jupyter" / "kernels" / KERNEL
            place.mkdir(parents=True)
            specification = warm_kernels.specification(sys.executable, str(folder / "socket"))
            (place / "kernel.json").write_text(json.dumps(specification))
            before = {name: os.environ.get(name) for name in (FOLDER, "JUPYTER_PATH")}
            os.environ[FOLDER] = str(folder)
            os.environ["JUPYTER_PATH"] = str(folder / "jupyter")
            try:
                yield folder
            finally:
                for name, value in before.items():
                    if value is None:
                        del os.environ[name]
                    else:
                        os.environ[name] = value
                process.stdin.close()
