"""What a student's code runs in: which namespaces the system allows, and the commands that use them.

Two layers of Linux namespaces:

- the worker, which is ours and grades one student, has a view of processes and mounts of its own, so that
  it can end everything the student started, and so that what the student leaves goes with it;
- the student's kernel inside it has no network, sees no process but its own, and has a root directory
  that holds the Python environment and the system's libraries, read-only, and an empty /tmp. The course,
  the gradebook and other students' files aren't hidden there: they were never put in.

For a class, `warm_parent` forks both instead of starting them, and makes the same namespaces.

`sandbox_init` makes the second layer. As root both layers are made directly and the kernel runs as a user
that exists nowhere else; otherwise both are made in a user namespace.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
from pathlib import Path

import whichlayer

# A path to a socket has at most 107 characters.
LONGEST_LINK = 80
SYSTEM = ["/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/localtime"]
PROCESSES = 256
MEGABYTE = 1_000_000


def is_root() -> bool:
    return os.geteuid() == 0


def worker_prefix() -> list[str]:
    """The command that the worker is started with: mounts and processes of its own."""
    user = [] if is_root() else ["--user", "--map-root-user"]
    return [
        "unshare", *user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
        "--propagation", "private", "--",
    ]  # fmt: skip


def kernel_command(config: Path) -> list[str]:
    """The command of the student's kernel; Jupyter puts the connection file in the last place."""
    namespaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    return [
        "unshare", *namespaces, "--propagation", "private", "--",
        *init_command(config),
    ]  # fmt: skip


def sealed_command(config: Path) -> list[str]:
    """The command that `warm_parent` is started with: all that students may read is read-only there."""
    user = [] if is_root() else ["--user", "--map-root-user"]
    script = Path(__file__).with_name("sandbox_init.py")
    return [
        "unshare", *user, "--mount", "--propagation", "private", "--",
        sys.executable, "-I", str(script), str(config), "seal",
    ]  # fmt: skip


def start_command(place: Path, config: Path) -> list[str]:
    """The command that stands for a kernel which `warm_parent` forks."""
    script = Path(__file__).with_name("kernel_start.py")
    return [sys.executable, "-I", "-S", str(script), str(place), str(config), "{connection_file}"]


def init_command(config: Path) -> list[str]:
    script = Path(__file__).with_name("sandbox_init.py")
    return [sys.executable, "-I", str(script), str(config), "{connection_file}"]


def configuration(
    *,
    link: Path,
    isolated: bool,
    slot: int,
    memory: int,
    environment: dict,
    scratch: Path,
    home: str = "/tmp/home",
) -> dict:
    """What sandbox_init needs to know.

    Args:
        link: the folder in which kernel and worker meet (connection file and sockets).
        isolated: False makes limits only.
        slot: a number that no other student graded at the same time has.
        memory: megabytes.
        environment: the kernel's environment variables; it has no others.
        scratch: an empty folder: the new root is mounted on it.
        home: the home of the student's code, below /tmp, which is empty and in memory there.
    """
    return {
        "isolated": isolated,
        "root": str(scratch),
        "link": str(link),
        "readable": readable(),
        "links": [[path, os.readlink(path)] for path in SYSTEM if os.path.islink(path)],
        "user": 64_000 + slot % 1000 if is_root() else None,
        "memory": memory * MEGABYTE,
        "processes": PROCESSES,
        "environment": environment,
        "python": sys.executable,
        "home": home,
    }


def readable() -> list[str]:
    """The folders and files that the kernel may read: the system's, Python's, and this package."""
    wanted = [path for path in SYSTEM if os.path.exists(path) and not os.path.islink(path)]
    wanted += [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    wanted += [str(Path(sys.executable).resolve().parents[1])]
    wanted += site.getsitepackages()
    if site.ENABLE_USER_SITE:
        wanted.append(site.getusersitepackages())
    wanted.append(str(Path(whichlayer.__file__).parent))
    found: list[str] = []
    for path in sorted({os.path.abspath(path) for path in wanted if os.path.exists(path)}):
        if path != "/" and not any(path.startswith(other.rstrip("/") + "/") for other in found):
            found.append(path)
    return found


def in_sight(paths: list[Path]) -> str:
    """Say which of these files and folders the sandbox would show to a student's code, if any."""
    for path in paths:
        for shown in map(Path, readable()):
            if shown.resolve() == path.resolve() or shown.resolve() in path.resolve().parents:
                return f"{path} lies in {shown}, which the sandbox shows to the students' code"
    return ""


def what_is_missing() -> str:
    """Why there is no sandbox here, or an empty text if there is one. Tries it out."""
    if not sys.platform.startswith("linux"):
        return f"sandboxing needs Linux namespaces, and this is {sys.platform}"
    if not shutil.which("unshare"):
        return "the command `unshare` (package util-linux) isn't installed"
    done = _run([*worker_prefix(), "true"])
    if done is None or done.returncode:
        return (
            "this system doesn't let "
            + ("root" if is_root() else "an ordinary user")
            + f" make namespaces ({_reason(done)}). "
            + (
                "In a container, allow it: `docker run --cap-add SYS_ADMIN --security-opt seccomp=unconfined "
                "--security-opt apparmor=unconfined ...`"
                if is_root()
                else "Run the command as root (`sudo -E ...`), or allow user namespaces: "
                "`sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu "
                "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "root").mkdir()
        (folder / "link").mkdir()
        config = configuration(
            link=folder / "link", isolated=True, slot=0, memory=4000, environment={},
            scratch=folder / "root",
        )  # fmt: skip
        config["command"] = [sys.executable, "-c", "print('sandboxed')"]
        (folder / "config.json").write_text(json.dumps(config))
        done = _run([*worker_prefix(), *kernel_command(folder / "config.json")])
        if done is None or done.stdout.strip() != "sandboxed":
            return f"the sandbox can't be set up here ({_reason(done)})"
    return ""


def _run(command: list[str]) -> subprocess.CompletedProcess | None:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _reason(done: subprocess.CompletedProcess | None) -> str:
    if done is None:
        return "it didn't start"
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"it ended with {done.returncode}"


def short_folder(prefix: str = "wl-") -> Path:
    """A new folder of ours alone whose path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    if len(str(folder)) > LONGEST_LINK and os.path.isdir("/tmp"):
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    return folder
