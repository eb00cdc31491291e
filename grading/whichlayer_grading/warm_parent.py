"""A process that has imported what an assignment needs, and is forked for each student.

Importing torch, an encoder's classes and nbgrader takes most of the time that a notebook needs; this way
it's done once a class. What keeps the sandbox's promises:

- The parent knows nothing worth reading: it is started with the environment of students' code and the cells
  of the handed-out notebook, and never holds a test, a submission or a grade. A child learns its job after
  it was forked, and the kernel's process is forked off before it does.
- It runs in a view of the machine in which all that students' code may read is read-only. So are, then,
  the files that are open or mapped in what it forks.
- It has one thread and has run no cell: which modules the cells import is found out in a child that ends.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import whichlayer
import whichlayer_grading
from whichlayer_grading import sandbox, sandbox_init
from whichlayer_grading.course import Assignment

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
PR_SET_DUMPABLE = 4
# Seconds for the imports.
PATIENCE = 180
OURS = [
    "ipykernel.debugger", "ipykernel.ipkernel", "ipykernel.kernelapp", "IPython.core.completerlib",
    "IPython.core.oinspect", "IPython.extensions.storemagic", "nbgrader.api", "nbgrader.converters",
    "sqlalchemy.dialects.sqlite", "whichlayer_grading.execution", "whichlayer_grading.worker",
]  # fmt: skip
INTERRUPT = b"i"


class WarmParent:
    """The parent, as the one who grades sees it. Made with `with`; `run` may be called by threads."""

    def __init__(self, assignment: Assignment, environment: dict[str, str]):
        self.assignment, self.environment = assignment, environment

    def __enter__(self) -> WarmParent:
        """Start it. What can't be made ready says so by `is_ready`: then nothing is lost but time."""
        self.folder = sandbox.short_folder("wl-warm-")
        # The same path is the home of students' code, where it is another folder, in memory.
        self.home = Path(tempfile.mkdtemp(prefix="wl-home-", dir="/tmp"))
        cells = [
            c["source"] for c in self.assignment.release["cells"] if c["id"].startswith("given-")
        ]
        (self.folder / "cells.json").write_text(json.dumps(cells), encoding="utf-8")
        config = {"readable": sandbox.readable(), "command": [
            sys.executable, "-s", "-m", "whichlayer_grading.warm_parent", str(self.folder),
            str(os.getpid()),
        ]}  # fmt: skip
        (self.folder / "seal.json").write_text(json.dumps(config), encoding="utf-8")
        roots = [str(Path(p.__file__).parents[1]) for p in (whichlayer, whichlayer_grading)]
        environment = {
            **self.environment, "HOME": str(self.home), "TMPDIR": str(self.home),
            "PYTHONPATH": os.pathsep.join(roots), "JUPYTER_PLATFORM_DIRS": "1",
            "IPYTHONDIR": str(self.home / ".ipython"),
        }  # fmt: skip
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                sandbox.sealed_command(self.folder / "seal.json"), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, env=environment, cwd="/", start_new_session=True,
            )  # fmt: skip
        try:
            self.is_ready = self.process.stdout.read(5) == b"ready"
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *problem) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        for folder in (self.folder, self.home):
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, folder: Path, seconds: float) -> bool:
        """Grade the job in a folder, in a child. False if it had to be ended after so many seconds.

        Raises:
            OSError: the parent is gone; the job wasn't begun.
        """
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.folder / "line"))
            line.sendall(f"{folder}\n".encode())
            child = int(line.makefile().readline() or 0)
            if not child:
                raise ConnectionError("the warm parent doesn't answer")
            line.settimeout(seconds)
            try:
                line.recv(1)  # nothing comes but the end
                return True
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                line.settimeout(10)
                with suppress(TimeoutError):
                    line.recv(1)
                return False


# -- the parent itself -----------------------------------------------------------------------------


def main() -> None:
    """Import, say "ready", then fork a child for each line that comes in."""
    folder = Path(sys.argv[1])
    sandbox_init.end_with_parent()
    if os.getppid() != int(sys.argv[2]):
        sys.exit("whoever grades had ended before this was asked for")
    from whichlayer_grading import gradebook

    gradebook.skip_slow_import()
    signal.alarm(PATIENCE)
    for name in [*OURS, *modules_of(json.loads((folder / "cells.json").read_text("utf-8")))]:
        # Some modules are made by others and can't be imported by their name.
        with suppress(Exception):
            importlib.import_module(name)
    if len(os.listdir("/proc/self/task")) != 1:
        sys.exit("an import has started a thread, which wouldn't live on in a child")
    signal.alarm(0)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / "line"))
        door.listen(64)
        door.settimeout(0.5)
        os.write(1, b"ready")
        os.dup2(2, 1)
        while True:
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            try:
                line, _ = door.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                door.close()
                _forked(line)
            line.close()


def modules_of(cells: list[str]) -> list[str]:
    """The modules that a notebook's given cells import, on whatever way, found out in a child."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        signal.alarm(PATIENCE)
        before = set(sys.modules)
        namespace = {"__name__": "__main__"}
        with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
            os.chdir(os.environ["HOME"])
            for cell in cells:
                # What needs an answer fails at once, as there is none.
                with suppress(BaseException):
                    exec(compile(cell, "<cell>", "exec"), namespace)
            names = [
                name
                for name, module in list(sys.modules.items())
                if name not in before and getattr(module, "__spec__", None) is not None
            ]
        with os.fdopen(writing, "w") as pipe:
            json.dump(names, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    os.wait()
    return json.loads(found or "[]")


def _forked(line: socket.socket) -> None:
    """In a child: make the worker's namespaces and wait for its end. Doesn't return."""
    try:
        sandbox_init.end_with_parent()
        folder = Path(line.makefile().readline().rstrip("\n"))
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        unshare(CLONE_NEWNS | CLONE_NEWPID)
        line.sendall(f"{os.getpid()}\n".encode())
        worker = os.fork()
        if worker == 0:
            sandbox_init.end_with_parent()
            line.close()
            os.closerange(3, 1 << 16)
            _work(folder)
        os.waitpid(worker, 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _work(folder: Path) -> None:
    """As the first process of the worker's namespaces: prepare the kernel, then grade."""
    try:
        os.setsid()
        sandbox_init.mount(None, "/", None, sandbox_init.MS_REC | sandbox_init.MS_PRIVATE)
        sandbox_init.mount("proc", "/proc", "proc", 14)
        door = socket.socket(socket.AF_UNIX)
        door.bind(str(folder / "kernel"))
        door.listen(1)
        keeper = os.fork()
        if keeper == 0:
            _keep(door)
        door.close()
        # From here on this process knows things that the kernel must not.
        from whichlayer_grading import worker

        os.chdir(folder)
        worker.grade_job(folder, keeper)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


# -- the kernel ------------------------------------------------------------------------------------


def _keep(door: socket.socket) -> None:
    """Become a kernel's parent when `kernel_start` asks for one. Doesn't return."""
    try:
        sandbox_init.end_with_parent()
        line, _ = door.accept()
        config, connection = line.makefile().readline().rstrip("\n").split("\0")
        unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)
        kernel = os.fork()
        if kernel == 0:
            _become_kernel(config, connection)
        line.settimeout(0.1)
        while os.waitpid(kernel, os.WNOHANG)[0] == 0:
            try:
                said = line.recv(1)
            except TimeoutError:
                continue
            if said == INTERRUPT:
                os.kill(kernel, signal.SIGINT)
            else:
                os.kill(kernel, signal.SIGKILL)
                os.waitpid(kernel, 0)
                break
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _become_kernel(config: str, connection: str) -> None:
    try:
        with open(config) as file:
            settings = json.load(file)
        environment = sandbox_init.enter(settings, connection)
        # Changing the user has made this process unreadable to itself.
        sandbox_init.libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.closerange(3, 1 << 16)
        os.environ.clear()
        os.environ.update(environment)
        for name in [name for name in sys.modules if name.startswith("whichlayer_grading")]:
            del sys.modules[name]
        places = environment["PYTHONPATH"].split(os.pathsep)
        ours = str(Path(whichlayer_grading.__file__).parents[1])
        sys.path[:] = [place for place in sys.path if place and (place != ours or ours in places)]
        sys.argv = ["ipykernel_launcher", "-f", connection]
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()  # as in a fresh process, no two alike
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(argv=["-f", connection, "--HistoryManager.enabled=False"])
    except SystemExit:
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def unshare(flags: int) -> None:
    """Leave namespaces for new ones; with CLONE_NEWPID, for the children."""
    sandbox_init.call(sandbox_init.libc.unshare(ctypes.c_int(flags)), "unshare")


if __name__ == "__main__":
    main()
