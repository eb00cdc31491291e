"""Run every notebook alone, the built wheel and an empty folder, nothing of the checkout; and the tests.

    python build_tools/check_notebooks.py [NAME ...]      these notebooks, or all
    python build_tools/check_notebooks.py --and-tests     all, and everything in tests/

A reader in Colab has the package and one notebook, so that is what is tested: each notebook is
copied to an empty folder and run, in an environment that sees the installed packages and the wheel
but not the source tree, and nbval compares its outputs with those that are stored. Students'
notebooks have no outputs; tests/notebooks/test_students.py runs them in the same way.

Notebooks and tests share three processes, the longest first (see `longest_first`): one more than two
cores could use, since a test in a browser waits for a third of its time. At the end stands what each
notebook has cost, in seconds of CPU time; a chapter may cost BUDGET.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import alone

ROOT = Path(__file__).parents[1]
FOLDERS = ("notebooks", "exercises/solutions")
# CPU seconds that a chapter or its solutions may cost on the machine that the budget was set on. Another
# processor may be half as fast, and one whose cores are shared counts half as many seconds more: what
# takes longer than both together is no slow machine but a slow notebook.
BUDGET, SLOWER = 45, 3


def run(what: list[Path | str]) -> int:
    """Run notebooks and tests, three at a time; returns pytest's exit code."""
    command = [
        sys.executable, "-m", "pytest", "--quiet", "--durations", "5",
        "-p", "build_tools.notebook_comparison", "--nbval", "--nbval-kernel-name", alone.KERNEL,
        "--nbval-cell-timeout", "120",
        "-p", "build_tools.longest_first", "--numprocesses", "3", "--dist", "loadscope",
    ]  # fmt: skip
    # A library that starts threads in each of three processes has six of them wait for two cores.
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([*command, *what], cwd=ROOT, env=env).returncode


def over_budget(costs: str) -> list[str]:
    """Print the lines of a record of costs, the dearest first; returns the notebooks that cost too much."""
    rows = [line.split("\t") for line in costs.splitlines()]
    spent = sorted(((float(seconds), Path(folder).name) for seconds, folder in rows), reverse=True)
    print(
        f"CPU seconds of {len(spent)} kernels, {sum(seconds for seconds, _ in spent):.0f} in all:"
    )
    for seconds, name in spent:
        print(f"{seconds:7.1f}  {name}")
    return [
        f"{name} took {seconds:.0f} CPU seconds, and a notebook may take {BUDGET}"
        for seconds, name in spent
        if seconds > BUDGET * SLOWER
    ]


def stored(names: list[str]) -> list[Path]:
    """The notebooks with stored outputs: a chapter's and its solutions', of these names or all."""
    paths = [path for place in FOLDERS for path in sorted((ROOT / place).glob("*.ipynb"))]
    return [path for path in paths if not names or path.stem in names]


def of_students(paths: list[Path]) -> list[str]:
    """The tests that run the students' notebooks of the same chapters."""
    test = "tests/notebooks/test_students.py::test_it_runs_up_to_its_first_stub"
    return sorted({f"{test}[{path.stem}]" for path in paths})


def check(paths: list[Path], tests: list[str]) -> int:
    """Run notebooks, each alone, and tests; returns 0 if all is well."""
    with alone.kernels() as folder:
        alone.copy(paths, folder / "notebooks")
        code = run([folder / "notebooks", *tests])
        faults = over_budget((folder / "costs").read_text())
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
    return code or bool(faults)


def main(names: list[str]) -> int:
    with_tests = names == ["--and-tests"]
    paths = stored([] if with_tests else names)
    if not paths:
        sys.exit("There are no notebooks of that name: run `make execute` first.")
    return check(paths, ["tests"] if with_tests else of_students(paths))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
