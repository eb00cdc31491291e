"""Lock the door behind oneself, then become the student's kernel.

Started inside new namespaces by `sandbox.kernel_command`, with a configuration file and Jupyter's
connection file. Builds a root directory of the folders the configuration names, gives up every privilege,
sets limits and runs the kernel. Uses the standard library alone, as it is run by its path.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import resource
import signal
import sys

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
# The numbers of these calls in the kernel. The newer call has one number everywhere.
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
MOUNT_SETATTR = 442
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
DEVICES = ["null", "zero", "full", "random", "urandom"]

libc = ctypes.CDLL(None, use_errno=True)


def call(result: int, what: str) -> None:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source, target, kind, flags=0, data="") -> None:
    arguments = [os.fsencode(part) if part else None for part in (source, target, kind)]
    call(libc.mount(*arguments, ctypes.c_ulong(flags), data.encode()), f"mount {target}")


class MountAttributes(ctypes.Structure):
    _fields_ = [
        ("set", ctypes.c_uint64), ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64), ("user", ctypes.c_uint64),
    ]  # fmt: skip


def make_read_only(target: str) -> None:
    """A mount and everything mounted below it."""
    wanted = MountAttributes(set=MS_RDONLY | MS_NOSUID | MS_NODEV)
    done = libc.syscall(
        MOUNT_SETATTR, AT_FDCWD, os.fsencode(target), AT_RECURSIVE,
        ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)),
    )  # fmt: skip
    if done == -1:
        # Linux before 5.12: flags that the mount has must be repeated.
        has = os.statvfs(target).f_flag
        kept = has & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | 1024 | 2048)
        kept |= (1 << 21) if has & 4096 else 0  # relatime has another bit there
        flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept
        mount(None, target, None, flags)


def bind(path: str, root: str, *, writable: bool = False) -> None:
    """Show a file or folder of the machine at the same path below the new root."""
    target = root + path
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "a"):
            pass
    mount(path, target, None, MS_BIND | MS_REC)
    if not writable:
        make_read_only(target)


def build_root(config: dict) -> None:
    """Make the new root, and make it the root."""
    root = config["root"]
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("root", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,nr_inodes=4096,mode=755")
    for folder in ("proc", "dev", "dev/shm", "tmp", "etc", "old"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    for path, target in config["links"]:
        os.symlink(target, root + path)
    for device in DEVICES:
        bind(f"/dev/{device}", root, writable=True)
    os.symlink("/proc/self/fd", root + "/dev/fd")
    mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount("tmp", f"{root}/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=256m,nr_inodes=8192,mode=1777")
    mount(
        "shm", f"{root}/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,nr_inodes=256,mode=1777"
    )
    # After /tmp: the course's environment may lie there, and would be hidden below it.
    for path in config["readable"]:
        bind(path, root)
    bind(config["link"], root, writable=True)
    with open(f"{root}/etc/passwd", "w") as file:
        user = config["user"] or 0
        file.write(f"student:x:{user}:{user}::{config['home']}:/bin/sh\n")
    os.chdir(root)
    call(
        libc.syscall(PIVOT_ROOT[platform.machine()], os.fsencode(root), os.fsencode(f"{root}/old")),
        "pivot_root",
    )
    os.chdir("/")
    call(libc.umount2(b"/old", MNT_DETACH), "umount the old root")
    os.rmdir("/old")
    mount(None, "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


class CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def drop_privileges(user: int | None) -> None:
    """Become nobody in particular, for good."""
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    header = CapabilityHeader(0x20080522, 0)
    call(libc.capset(ctypes.byref(header), (ctypes.c_uint32 * 6)()), "give up capabilities")
    call(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    # Changing the user has cancelled this: end when the command that made the namespaces ends.
    end_with_parent()


def set_limits(config: dict) -> None:
    limits = [("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 200_000_000), ("RLIMIT_AS", config["memory"])]
    if config["isolated"]:
        # Counted by user: without a user of one's own it would count everything that runs here.
        limits.append(("RLIMIT_NPROC", config["processes"]))
    for name, value in limits:
        kind = getattr(resource, name, None)
        if kind is not None:
            with contextlib.suppress(ValueError, OSError):  # macOS has no limit of address space
                resource.setrlimit(kind, (value, value))


def end_with_parent() -> None:
    """Have the system end this process when the one that made it ends."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def seal(config: dict) -> None:
    """Make all that students' code may read read-only, and run a command in that view."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    for path in config["readable"]:
        mount(path, path, None, MS_BIND | MS_REC)
        make_read_only(path)
    os.execve(config["command"][0], config["command"], os.environ)


def enter(config: dict, connection_file: str) -> dict[str, str]:
    """Lock the door behind this process. Returns the environment that it shall have."""
    os.umask(0o022)  # folders on the way to what is shown must be open to the kernel's user
    if config["isolated"]:
        build_root(config)
        if config["user"] is not None and os.path.exists(connection_file):
            os.chown(connection_file, config["user"], config["user"])
        drop_privileges(config["user"])
        home, work = config["home"], "/tmp/work"
    else:
        home = work = config["root"]
    for folder in (home, work):
        os.makedirs(folder, exist_ok=True)
    os.chdir(work)
    set_limits(config)
    if config.get("log"):
        # A small file in memory: what the student's processes write can't fill a disk.
        log = os.open(config["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
    return {
        **config["environment"],
        "HOME": home,
        "TMPDIR": home,
        "IPYTHONDIR": f"{home}/.ipython",
    }


def main() -> None:
    with open(sys.argv[1]) as file:
        config = json.load(file)
    if sys.argv[2:] == ["seal"]:
        seal(config)
    command = config.get("command") or [
        config["python"], "-m", "ipykernel_launcher", "-f", sys.argv[2],
        "--HistoryManager.enabled=False",
    ]  # fmt: skip
    environment = enter(config, sys.argv[2])
    if not config["isolated"]:
        environment.setdefault("PATH", os.environ.get("PATH", ""))
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    main()
