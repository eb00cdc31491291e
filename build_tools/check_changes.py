"""Check what your changes could have broken, in about two minutes: what `make check` runs.

    python build_tools/check_changes.py [--list]

A change is whatever differs from where your branch left `main`, committed or not. Each changed file
selects, by the first rule of RULES whose pattern fits its path, the tests that look at it most closely.
What stands further off (other chapters and their solutions with a changed package, hostile students,
the browser on pages that you didn't touch) is left to `make test`, and the last line says so.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import check_notebooks

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/project/test_house.py", "tests/notebooks/test_notebook_files.py", "tests/notebooks/test_imports.py")  # fmt: skip
SITE = "the site"  # builds it, only what has changed
NOTEBOOK = "the notebook"  # runs it alone and compares its outputs
PAGES = ("tests/site/test_every_page.py", "tests/site/test_building.py", "tests/site/test_sharing.py")  # fmt: skip
# (what a path must match, what is run); the first that matches counts.
RULES = (
    (r"tests/.*/test_\w+\.py", ("{path}",)),
    (r"tests/exercises/bank/.*", ("tests/exercises",)),
    (r"tests/(\w+)/.*", ("tests/{1}",)),
    (r"tests/.*", ("tests/package",)),
    (r"whichlayer/checks/.*", ("tests/exercises", "tests/package/test_checks.py")),
    (r"whichlayer/data/.*", ("tests/package/test_treebank.py", "tests/package/test_corpora.py", "tests/package/test_results.py", "tests/project/test_records.py")),
    (r"whichlayer/.*", (SITE, "tests/package", "tests/site/test_api.py", "tests/notebooks/test_topics.py")),
    (r"grading/.*", ("tests/grading/test_repair.py", "tests/grading/test_submissions.py", "tests/grading/test_command.py")),
    (r"notebooks/(\w+)\.(ipynb|py)", (NOTEBOOK, SITE, "tests/notebooks/test_topics.py", "tests/site/test_building.py")),
    (r"exercises/(source|student|solutions)/(\w+)\..*", ("tests/exercises",)),
    (r"book/live/.*", (SITE, "tests/live")),
    (r"book/quizzes/.*", (SITE, "tests/site/test_quizzes.py", *PAGES)),
    (r"book/(glossary\.yml|_ext/.*|_static/.*)", (SITE, "tests/site/test_making.py", "tests/site/test_terms.py", *PAGES)),
    (r"(book/.*|_toc\.yml|_config\.yml|CITATION\.cff)", (SITE, *PAGES)),
    (r"build_tools/(alone|warm_kernels|notebook_comparison|check_notebooks)\.py", ("tests/notebooks/test_warm_kernels.py", "tests/notebooks/test_comparison.py", "tests/project/test_running.py")),
    (r"build_tools/(.*live.*|pack_encoder\.py)", (SITE, "tests/live/test_build.py", "tests/live/test_modules.py")),
    (r"build_tools/(build_site|compress_figures|subset_icons|draw_\w+)\.py", (SITE, "tests/site/test_making.py", *PAGES)),
    (r"build_tools/make_exercises\.py", ("tests/exercises/test_generator.py",)),
    # Everything else is set-up, form or prose, which the house rules and these look at.
    (r".*", ("tests/project",)),
)  # fmt: skip


def changed() -> list[str]:
    """The paths that differ from where this branch left main, new ones among them."""
    for base in ("origin/main", "main"):
        found = _git("merge-base", "HEAD", base, check=False)
        if found.returncode == 0:
            differing = _git("diff", "--name-only", found.stdout.strip()).stdout
            new = _git("ls-files", "--others", "--exclude-standard").stdout
            return sorted({*differing.splitlines(), *new.splitlines()})
    sys.exit("There is no branch main to compare with: run `make test`.")


def _git(*arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=check, capture_output=True, text=True
    )


def selected(paths: list[str]) -> tuple[list[str], list[str], bool]:
    """What changed paths ask for: the tests, the notebooks by name, and whether to build the site."""
    tests, notebooks, site = set(ALWAYS), set(), False
    for path in paths:
        match, wanted = next(
            (match, wanted) for pattern, wanted in RULES if (match := re.fullmatch(pattern, path))
        )
        for one in wanted:
            if one == SITE:
                site = True
            elif one == NOTEBOOK:
                notebooks.add(match[1])
            else:
                test = one.replace("{path}", path).replace(
                    "{1}", match[1] if match.re.groups else ""
                )
                tests |= {test} if (ROOT / test).exists() else set()  # one that was deleted
    # A file of a folder that is run anyway.
    tests = {test for test in tests if str(Path(test).parent) not in tests}
    there = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    return sorted(tests), sorted(notebooks & there), site


def main(only_list: bool = False) -> int:
    paths = changed()
    tests, notebooks, site = selected(paths)
    print(f"{len(paths)} changed files; checking", *tests, *notebooks, *([SITE] if site else []))
    if only_list:
        return 0
    python = sys.executable
    if site:
        subprocess.run([python, "build_tools/build_site.py"], cwd=ROOT, check=True)
    if notebooks:
        chosen = check_notebooks.stored(notebooks)
        code = check_notebooks.check(chosen, [*tests, *check_notebooks.of_students(chosen)])
    else:
        code = check_notebooks.run(tests)
    if not code:
        print("What could be broken nearby is whole. `make test` checks everything.")
    return code


if __name__ == "__main__":
    sys.exit(main(only_list="--list" in sys.argv[1:]))
