"""What students' code inherits from the process it was forked from: no test, no file, no variable."""

import csv
import os
import signal
import subprocess
import sys

import pytest
from small_course import NAME

# Looks at the process that it runs in, before the tests of 1.2 and 1.3 have come to it.
SPY = """
import os, re, sys
mapped = [line.split() for line in open("/proc/self/maps")]
wanted = re.compile(rb"_secret_471([1-4])")
seen = set()
with open("/proc/self/mem", "rb", 0) as memory:
    for span, rights, *_ in mapped:
        start, end = (int(n, 16) for n in span.split("-"))
        if rights.startswith("rw"):
            try:
                memory.seek(start)
                seen |= {m[1].decode() for m in wanted.finditer(memory.read(end - start))}
            except (OSError, ValueError, OverflowError): pass
def writes(path):
    try: os.close(os.open(path, os.O_WRONLY))
    except OSError: return False
    return True
def fault():
    if not {"1", "2"} <= seen: return "the search doesn't find what is there"
    if seen & {"3", "4"}: return "tests to come are in memory"
    if "WHICHLAYER_TEST_SECRET" in open("/proc/self/environ").read(): return "environment of the grader"
    if set(os.environ) - ALLOWED: return "variables " + str(set(os.environ) - ALLOWED)
    if writes("/proc/self/exe"): return "python can be written to"
    files = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if n != "0"
             and os.path.exists(f"/proc/self/fd/{n}") and os.path.isfile(f"/proc/self/fd/{n}")]
    if [f for f in files if not f.endswith("kernel.log")]: return "files " + str(files)
    if [n for n in os.listdir("/proc") if n.isdigit() and n != str(os.getpid())]: return "processes"
    if "whichlayer_grading" in sys.modules: return "the grader's modules"
    if hasattr(sys.modules["__main__"], "WarmParent"): return "the parent's names"
    if "nbgrader.converters" not in sys.modules: return "not forked, so nothing was tested"
    return ""
said = fault()
def spread(values): return said
choice_of_spy = said
"""
ALLOWED = {
    "LANG", "PATH", "PYTHONWARNINGS", "TQDM_DISABLE", "HF_HUB_OFFLINE", "TOKENIZERS_PARALLELISM",
    "HF_HUB_DISABLE_PROGRESS_BARS", "TRANSFORMERS_VERBOSITY", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS", "MPLBACKEND", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "HOME", "TMPDIR",
    "NBGRADER_EXECUTION", "IPYTHONDIR",
    # what IPython and the debugger set in any kernel
    "PYDEVD_USE_FRAME_EVAL", "JPY_SESSION_NAME", "JPY_PARENT_PID", "TERM", "CLICOLOR",
    "FORCE_COLOR", "CLICOLOR_FORCE", "PAGER", "GIT_PAGER", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK",
    "PYDEVD_DISABLE_FILE_VALIDATION", "LINES", "COLUMNS",
}  # fmt: skip


def grade_two(grade, checkout, folder, make_handed, source):
    """Grade ada, who is honest, and eve; rows by student and exercise."""
    (folder / "in").mkdir()
    (folder / "in" / "ada.ipynb").write_bytes(make_handed().content())
    eve = make_handed().answer("1.2", f"# EXERCISE 1.2: spread\n{source}")
    (folder / "in" / "eve.ipynb").write_bytes(eve.content())
    options = ["--course", checkout, "--assignment", NAME, "--out", folder / "grades.csv"]
    message, _ = grade(folder / "in", *options, "--keep", folder / "kept")
    assert message is None
    with (folder / "grades.csv").open() as file:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}


def test_a_forked_kernel_holds_nothing_that_students_must_not_have(
    grade, checkout, tmp_path, make_handed, monkeypatch, sandboxed
):
    if not sandboxed:
        pytest.skip("there is no sandbox here")
    monkeypatch.setenv("WHICHLAYER_TEST_SECRET", "of the grader")
    source = f"ALLOWED = {ALLOWED!r}\n{SPY}\nassert not said, said\nprint('clean')"
    rows = grade_two(grade, checkout, tmp_path, make_handed, source)
    kept = tmp_path / "kept" / "autograded" / "eve" / NAME / f"{NAME}.ipynb"
    assert "clean\\n" in kept.read_text(), kept.read_text()
    # And 1.2 is wrong, so the search was made in the kernel that was graded.
    assert rows["eve", "1.2"]["points"] == "0" and rows["ada", "1.2"]["points"] == "2"


def test_the_parent_is_ready_knows_imports_and_leaves_nothing(assignment, sandboxed, tmp_path):
    from whichlayer_grading import warm_parent

    if not sandboxed:
        pytest.skip("there is no sandbox here")
    # A list in a heap of its own: what a cell did is gone, what it imported is named.
    found = warm_parent.modules_of(
        ["import this_is_none", "%pip x", "import wave as w\nw.gone = 1"]
    )
    assert "wave" in found and "wave" not in sys.modules
    with warm_parent.WarmParent(assignment, {"PATH": os.environ["PATH"]}) as parent:
        assert parent.is_ready, (parent.folder / "log").read_text()
        child = parent.process.pid
    assert not parent.folder.exists() and not parent.home.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_parent_whose_grader_has_ended_meanwhile_ends(tmp_path):
    (tmp_path / "cells.json").write_text("[]")
    command = [sys.executable, "-m", "whichlayer_grading.warm_parent", str(tmp_path), "999999999"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "had ended" in done.stderr


def test_a_class_is_graded_without_the_parent_if_it_ends(
    grade, checkout, tmp_path, make_handed, monkeypatch, sandboxed
):
    from whichlayer_grading import warm_parent

    if not sandboxed:
        pytest.skip("there is no sandbox here")
    ready = warm_parent.WarmParent.__enter__

    def killed(self):
        ready(self)
        os.kill(self.process.pid, signal.SIGKILL)
        return self

    monkeypatch.setattr(warm_parent.WarmParent, "__enter__", killed)
    rows = grade_two(grade, checkout, tmp_path, make_handed, "def spread(values): return 1")
    assert [rows["ada", e]["points"] for e in ("1.1", "1.2", "1.3")] == ["3", "2", "3"]
    assert rows["eve", "1.2"]["points"] == "2"
