"""Kernels for notebooks that are forked from one process, which has the large libraries loaded.

Loading torch, transformers and scikit-learn takes longer than many a notebook. Here a server loads
them once; each kernel is a fork of it and differs from one started afresh in nothing else: memory,
names, working folder and output are its own, and what one notebook does no other can see.

    python warm_kernels.py serve SOCKET COSTS          loads, says from where it took the package and
                                                       "ready", forks until its input ends
    python warm_kernels.py start SOCKET CONNECTION     what Jupyter starts and signals as the kernel

COSTS is a file to which each kernel's CPU seconds and folder are appended when it ends. Standard
library only outside the server: `start` must be quick, and the server's Python is the one that the
notebooks are to run in.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import types
from collections.abc import Iterator
from pathlib import Path

# What a chapter's first cells load. A name must still be imported in the notebook to be known there.
PRELOADED = (
    "ipykernel.kernelapp", "pandas", "sklearn.linear_model", "sklearn.metrics", "torch",
    "transformers.models.auto.modeling_auto", "transformers.models.bert.modeling_bert",
    "whichlayer.models",
)  # fmt: skip
# As a kernel sets it for itself; matplotlib reads it when it is loaded.
BACKEND = "module://matplotlib_inline.backend_inline"


def specification(python: str, server: str) -> dict:
    """The kernel.json of the kernels that a server gives."""
    script = str(Path(__file__).resolve())
    return {
        "argv": [python, "-I", "-S", script, "start", server, "{connection_file}"],
        "display_name": "Python, loaded once",
        "language": "python",
    }


def serve(address: str, costs: str) -> None:
    """Fork a kernel for each request; ends, and ends its kernels, when standard input does."""
    # The folder of this script is no place to import from.
    sys.path = [place for place in sys.path if place != str(Path(__file__).resolve().parent)]
    os.environ["MPLBACKEND"] = BACKEND
    # Ties itself to the IPython that there is, so it must see none yet.
    importlib.import_module("matplotlib.pyplot")
    with _as_in_a_kernel():
        for name in PRELOADED:
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is never collected stays shared
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake)
    print(sys.modules["whichlayer"].__file__, "ready", sep="\n", flush=True)
    kernels: dict[int, tuple[socket.socket, str]] = {}
    while True:
        watched = [listener, woken, sys.stdin, *(client for client, _ in kernels.values())]
        ready, _, _ = select.select(watched, [], [])
        if sys.stdin in ready:
            for process in kernels:
                _end(process)
            return
        if listener in ready:
            client, _ = listener.accept()
            message, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
            request = json.loads(message)
            process = os.fork()
            if process == 0:
                for other in (listener, client, *(other for other, _ in kernels.values())):
                    other.close()
                os.close(woken)
                os.close(wake)
                _become_kernel(request, streams)
                return
            for stream in streams:
                os.close(stream)
            kernels[process] = (client, request["folder"])
            client.sendall(b"%d\n" % process)
        if woken in ready:
            os.read(woken, 1 << 12)
            for process in list(kernels):
                done, status, usage = os.wait4(process, os.WNOHANG)
                if done:
                    client, folder = kernels.pop(process)
                    with open(costs, "a") as record:
                        record.write(f"{usage.ru_utime + usage.ru_stime:.2f}\t{folder}\n")
                    with contextlib.suppress(OSError):
                        client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
                    client.close()
        for process, (client, _) in kernels.items():
            # A client says nothing more: it can only have gone.
            if client in ready and client.fileno() >= 0:
                _end(process)


@contextlib.contextmanager
def _as_in_a_kernel() -> Iterator[None]:
    """Libraries ask as they are loaded whether a notebook loads them, and print wider or narrower."""
    import IPython

    kernel = types.SimpleNamespace(kernel=True, config={"IPKernelApp": {}})
    of_ipython = IPython.get_ipython
    builtins.get_ipython = IPython.get_ipython = lambda: kernel
    try:
        yield
    finally:
        del builtins.get_ipython
        IPython.get_ipython = of_ipython


def _end(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _become_kernel(request: dict, streams: list[int]) -> None:
    """What a fork does: take the place of a process that Jupyter started for one notebook."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    # Drawing is tied to the kernel when this is loaded, so it must be loaded by the kernel.
    sys.modules.pop("matplotlib_inline.backend_inline", None)
    # A kernel ends itself when the handle is no longer its parent.
    sys.argv = [
        "ipykernel_launcher", "-f", request["connection"],
        f"--IPKernelApp.parent_handle={os.getppid()}", "--log-level=ERROR",
    ]  # fmt: skip
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def start(address: str, connection: str) -> int:
    """Stand for a kernel: hand on what Jupyter gives and the signals that it sends."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        request = {"folder": os.getcwd(), "connection": connection}
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        answers = server.makefile()
        process = int(answers.readline())

        def hand_on(number, frame):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, hand_on)
        return int(answers.readline() or 1)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    else:
        sys.exit(start(*sys.argv[2:]) % 256)
