"""A class in which half the submissions mean harm: nobody else's grade changes, and nothing leaks.

Where the system allows no namespaces, the command must refuse, and that is what is tested instead.
"""

import csv
import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from small_course import NAME, SOURCE

LIMITS = ["--time-limit", 10, "--memory-limit", 1500, "--jobs", 2]

# In place of the answer 1.2. What it finds out it can't tell but by its points: 1.3 is right if it did.
HOSTILE = {
    "loop": "def spread(values):\n    while True: pass",
    "stubborn_loop": """
def spread(values):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "exit": "import os\ndef spread(values):\n    os._exit(0)",
    "kill": """
import os, signal
for pid in (os.getppid(), 1, -1, *range(2, 3000)):
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
""",
    "delete": """
import shutil, os
for folder in (VICTIM, COURSE, os.path.expanduser("~"), "/tmp", "/home", "/root", "/"):
    shutil.rmtree(folder, ignore_errors=True)
    try: open(os.path.join(folder, "mark"), "w").write("x")
    except OSError: pass
""",
    "flood": "def spread(values):\n    while True: print('x' * 1_000_000)",
    "reader": """
import os, sys, whichlayer
found = []
environment = (sys.prefix, sys.base_prefix, os.path.dirname(whichlayer.__file__))
skipped = ("/proc", "/sys", "/usr", *environment)
for folder, inner, files in os.walk("/"):
    inner[:] = [name for name in inner if not os.path.join(folder, name).startswith(skipped)]
    for name in files:
        if name.endswith((".db", ".csv")) or "01_small" in name or "answers.json" in name:
            found.append(os.path.join(folder, name))
        elif name in ("job.json", "submission") or folder.startswith((VICTIM, COURSE)):
            found.append(os.path.join(folder, name))
for path in (VICTIM, COURSE, "/proc/1/root" + "/etc/shadow", "/etc/shadow"):
    try: found.append(os.listdir(path) if os.path.isdir(path) else open(path).read())
    except OSError: pass
print(found)
spy = found
""",
    "hooks": """
import sys, IPython
shell = get_ipython()
def tell(*anything):
    text = "LEAK " + str(In[-1]) + str(shell.user_ns.get("_i"))
    print(text); print(text, file=sys.stderr)
    raise type(text[:2000], (Exception,), {})(text)
def spread(values):
    tell()
def mean(values):
    raise AssertionError("LEAK " + str(In[-1]))
class _Hook:
    def write(self, *a): pass
shell.set_custom_exc((Exception,), lambda s, *a, **k: print("LEAK", In[-1]))
""",
    "network": """
import socket
spy = []
for family, address in ((socket.AF_INET, ("127.0.0.1", PORT)), (socket.AF_INET, ("8.8.8.8", 53))):
    try:
        with socket.create_connection(address, timeout=1): spy.append(address)
    except OSError: pass
try:
    with socket.create_connection(("localhost", PORT), timeout=1): spy.append("localhost")
except OSError: pass
""",
    "fork_bomb": """
import os
def spread(values):
    while True:
        try: os.fork()
        except OSError: pass
""",
    "memory": """
def spread(values):
    hog = []
    while True: hog.append(bytearray(50_000_000))
""",
    "memory_of_children": """
import os, time
def spread(values):
    for k in range(20):
        if os.fork() == 0:
            hog = bytearray(b"x") * 400_000_000
            time.sleep(60)
    time.sleep(60)
""",
    "disk": """
import os
def spread(values):
    for folder in ("/tmp", "/dev/shm", os.path.dirname(os.environ.get("NOTHING", "/tmp/x"))):
        for k in range(10):
            try: open(f"{folder}/{k}", "wb").write(bytes(30_000_000))
            except OSError: pass
    return 1
""",
    "daemon": """
import os, sys, time, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sleep", ["sleep", "98765"])
    os._exit(0)
""",
    "patches_asserts": """
import ast
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
get_ipython().ast_transformers.append(Strip())
def spread(values): return "anything"
choice = "anything"
""",
    "patches_builtins": """
import builtins
class Equal:
    def __eq__(self, other): return True
    def __getattr__(self, name): return self
class Quiet(BaseException): pass
get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)
get_ipython().showtraceback = lambda *a, **k: None
get_ipython().run_cell_async_ = None
_run = get_ipython().run_code
async def run_code(code, result=None, **k):
    await _run(code, result=None, **k)
    return False
get_ipython().run_code = run_code
def spread(values): return "anything"
""",
    "unmount": """
import ctypes, os
libc = ctypes.CDLL(None)
for path in (b"/usr", b"/proc", b"/tmp", b"/"):
    libc.umount2(path, 2)
libc.mount(b"none", b"/usr", None, 32 | 4096, None)
libc.unshare(0x10000000 | 0x20000)
for path in (b"/usr", b"/proc", b"/"):
    libc.mount(None, path, None, 32 | 4096, None)
spy = []
for path in ("/usr/mark", "/mark", os.path.dirname(os.__file__) + "/mark"):
    try: open(path, "w").close(); spy.append(path)
    except OSError: pass
""",
}
HONEST = ("ada", "bea", "zoe")
SPIES = ("reader", "network", "unmount")


@pytest.fixture(scope="module")
def scene(tmp_path_factory, checkout):
    """What the hostile ones are after: a folder of others' files, and a server."""
    victim = tmp_path_factory.mktemp("victim")
    (victim / "grades.csv").write_text("ada,100")
    server = socket.create_server(("127.0.0.1", 0))
    visits = []

    def listen():
        while True:
            try:
                visits.append(server.accept())
            except OSError:
                return

    threading.Thread(target=listen, daemon=True).start()
    yield {"victim": victim, "port": server.getsockname()[1], "visits": visits}
    server.close()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, make_handed, checkout, scene, sandboxed):
    """The class, graded: rows by student and exercise, and the folder of results."""
    import contextlib
    import io

    from whichlayer_grading.__main__ import main

    folder = tmp_path_factory.mktemp("class")
    submissions = folder / "submissions"
    submissions.mkdir()
    for name in HONEST:
        (submissions / f"{name}.ipynb").write_bytes(make_handed().content())
    for name, source in HOSTILE.items():
        handed = make_handed()
        for word, value in (
            ("VICTIM", scene["victim"]),
            ("COURSE", checkout),
            ("PORT", scene["port"]),
        ):
            source = source.replace(word, repr(str(value)) if word != "PORT" else str(value))
        handed.answer("1.2", f"# EXERCISE 1.2: spread\n{source}")
        if name in SPIES:
            handed.answer("1.3", "# EXERCISE 1.3: choice\nchoice = 42 if spy else 0")
        (submissions / f"{name}.ipynb").write_bytes(handed.content())
    out = io.StringIO()
    arguments = [
        submissions,
        "--course",
        checkout,
        "--assignment",
        NAME,
        "--out",
        folder / "grades.csv",
    ]
    try:
        with contextlib.redirect_stdout(out):
            main([str(a) for a in [*arguments, *LIMITS, "--keep", folder / "kept"]])
    except SystemExit as error:
        assert not sandboxed, error
        return {"refused": str(error.code), "folder": folder}
    with (folder / "grades.csv").open() as file:
        rows = {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}
    return {"rows": rows, "folder": folder, "printed": out.getvalue()}


@pytest.fixture
def rows(graded):
    """The rows, where there is a sandbox; else the refusal is what counts."""
    if "refused" in graded:
        assert "no sandbox" in graded["refused"] and "--unsafe" in graded["refused"]
        assert not (graded["folder"] / "grades.csv").exists()
        return None
    return graded["rows"]


def status(rows, student, exercise):
    row = rows[student, exercise]
    return row["status"], row["points"]


def test_there_are_enough_of_both(rows):
    assert len(HOSTILE) >= 6 and len(HOSTILE) + len(HONEST) >= 12


def test_honest_submissions_get_full_marks_beside_them(rows):
    for student in HONEST if rows else ():
        assert status(rows, student, "1.1") == ("graded", "3")
        assert status(rows, student, "1.2") == ("graded", "2")
        assert status(rows, student, "1.3") == ("graded", "3")
        assert status(rows, student, "1.4") == ("needs a person", "")


def test_every_student_has_a_row_for_every_exercise(rows):
    if rows:
        students = {*HONEST, *HOSTILE}
        assert set(rows) == {(s, e) for s in students for e in ("1.1", "1.2", "1.3", "1.4")}


def test_points_stand_only_where_something_was_graded(rows):
    for row in rows.values() if rows else ():
        assert (row["points"] != "") == (row["status"] == "graded"), row
        assert row["message"] or row["status"] == "graded" or row["exercise"] == "1.4", row


@pytest.mark.parametrize(
    ("student", "exercise", "wanted"),
    [
        ("loop", "1.1", [("graded", "3")]),
        ("loop", "1.2", [("timed out", "")]),
        ("loop", "1.3", [("graded", "3")]),
        ("stubborn_loop", "1.1", [("graded", "3")]),
        ("stubborn_loop", "1.2", [("timed out", "")]),
        ("exit", "1.1", [("graded", "3")]),
        ("exit", "1.2", [("failed to run", "")]),
        ("exit", "1.3", [("failed to run", "")]),
        ("kill", "1.1", [("graded", "3")]),
        ("flood", "1.1", [("graded", "3")]),
        # What it prints waits in its own memory, which may be full before the limit is reached.
        ("flood", "1.2", [("graded", "0"), ("failed to run", ""), ("timed out", "")]),
        ("fork_bomb", "1.1", [("graded", "3")]),
        ("fork_bomb", "1.2", [("failed to run", ""), ("timed out", "")]),
        ("memory", "1.1", [("graded", "3")]),
        ("memory", "1.2", [("graded", "0"), ("failed to run", ""), ("timed out", "")]),
        ("memory_of_children", "1.1", [("graded", "3")]),
        ("memory_of_children", "1.2", [("failed to run", ""), ("timed out", "")]),
        ("disk", "1.2", [("graded", "2"), ("failed to run", ""), ("timed out", "")]),
        ("reader", "1.3", [("graded", "0")]),
        ("network", "1.3", [("graded", "0")]),
        ("unmount", "1.3", [("graded", "0")]),
        ("patches_asserts", "1.2", [("needs a person", "")]),
        (
            "patches_builtins",
            "1.2",
            [("needs a person", ""), ("failed to run", ""), ("graded", "0")],
        ),
    ],
)
def test_each_hostile_submission_ends_as_it_should(rows, student, exercise, wanted):
    if rows:
        assert status(rows, student, exercise) in wanted, rows[student, exercise]


def test_points_that_could_not_be_checked_for_meddling_say_so(rows):
    if rows:
        assert "meddles" in rows["exit", "1.1"]["message"]
        assert rows["ada", "1.1"]["message"] == rows["loop", "1.1"]["message"] == ""


def test_nothing_outside_was_touched(graded, scene, checkout):
    assert (scene["victim"] / "grades.csv").read_text() == "ada,100"
    assert not scene["visits"]
    assert (checkout / "exercises" / "source" / f"{NAME}.py").read_text() == SOURCE
    for folder in (scene["victim"], checkout, Path.home(), Path("/"), Path("/tmp"), Path("/usr")):
        assert not (folder / "mark").exists()
    assert len(list((graded["folder"] / "submissions").glob("*.ipynb"))) == len(HOSTILE) + len(
        HONEST
    )


def test_no_process_is_left():
    left = []
    for folder in Path("/proc").glob("[0-9]*") if Path("/proc/self").exists() else ():
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"98765" in line:
            left.append(folder.name)
    assert not left


def test_nothing_of_the_hidden_tests_is_in_what_is_given_back(graded, rows):
    if rows is None:
        return
    pages = list((graded["folder"] / "feedback").glob("*.html"))
    assert len(pages) == len(HOSTILE) + len(HONEST)
    csv_text = (graded["folder"] / "grades.csv").read_text()
    for text in [csv_text, graded["printed"], *(page.read_text() for page in pages)]:
        assert not re.search(r"_secret_\d+|4711|BEGIN HIDDEN", text)
    leaks = [row for row in rows.values() if "LEAK" in row["message"]]
    assert not leaks


def test_the_gradebook_holds_no_zero_for_what_failed(graded, rows):
    """Who opens the kept course in nbgrader's formgrader sees these as ungraded."""
    if rows is None:
        return
    from whichlayer_grading import gradebook

    with gradebook.opened(graded["folder"] / "kept") as book:
        grade = book.find_grade("tests_1_2", NAME, NAME, "exit")
        assert grade.auto_score is None and grade.needs_manual_grade
        assert book.find_grade("tests_1_2", NAME, NAME, "ada").auto_score == 2
        assert len(book.assignment_submissions(NAME)) == len(HOSTILE) + len(HONEST)


def test_where_there_is_no_sandbox_the_command_refuses(
    grade, monkeypatch, tmp_path, checkout, handed
):
    from whichlayer_grading import sandbox

    monkeypatch.setattr(sandbox, "what_is_missing", lambda: "this is a test")
    (tmp_path / "ada.ipynb").write_bytes(handed.content())
    options = ["--course", checkout, "--assignment", NAME, "--out", tmp_path / "grades.csv"]
    message, _ = grade(tmp_path, *options)
    assert "this is a test" in message and "--unsafe" in message
    assert not (tmp_path / "grades.csv").exists()


def test_a_missing_unshare_is_named(monkeypatch):
    from whichlayer_grading import sandbox

    monkeypatch.setenv("PATH", os.devnull)
    assert "unshare" in sandbox.what_is_missing() or "Linux" in sandbox.what_is_missing()


def test_an_environment_below_tmp_is_in_sight_and_read_only(tmp_path, sandboxed):
    """The sandbox has a /tmp of its own, which must not hide a checkout that lies there."""
    from whichlayer_grading import sandbox

    shown = tmp_path / "environment"
    for folder in (shown, tmp_path / "root", tmp_path / "link"):
        folder.mkdir()
    shown.chmod(0o755)
    (shown / "library.py").write_text("found")
    (shown / "library.py").chmod(0o644)
    config = sandbox.configuration(
        link=tmp_path / "link", isolated=True, slot=0, memory=4000, environment={},
        scratch=tmp_path / "root",
    )  # fmt: skip
    config["readable"].append(str(shown))
    code = (
        f"import os; path = {str(shown / 'library.py')!r}; "
        "print(open(path).read(), os.statvfs(path).f_flag & os.ST_RDONLY)"
    )
    config["command"] = [sys.executable, "-c", code]
    (tmp_path / "config.json").write_text(json.dumps(config))
    command = [*sandbox.worker_prefix(), *sandbox.kernel_command(tmp_path / "config.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout.split() == ["found", "1"]) == sandboxed, done.stderr
