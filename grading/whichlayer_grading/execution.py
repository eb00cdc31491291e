"""nbgrader's step that runs a notebook, made to survive what a submission does.

It notes for every cell how it ended, goes on after a cell that was too slow, gives up quietly when the
kernel is gone, and in the end runs the tests once more on an answer that can't be right: if they pass
then, the submission has changed how tests run.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import re
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import Execute

ANSI = re.compile(r"\x1b\[[0-9;]*m")
FRAME = re.compile(r"(?:Cell In\s?|Input In )\[(\d+)\](?:, line |, in .*?line )(\d+)")
TIMED_OUT = "CellTimeoutError"
OK, ERROR, SLOW, DEAD, NOT_RUN, FLOOD = "ok", "error", "timed out", "died", "not run", "flood"
# What a cell may print before the rest is thrown away, and before the kernel is stopped.
KEPT_OUTPUT, MOST_OUTPUT = 20_000, 50_000_000
MEGABYTE = 1_000_000
# Seconds for running the tests on the starters. They fail at once.
CONTROL_TIME = 30


@dataclass
class Outcome:
    """How a cell ended. `error` and `value` are what the kernel says, so the student's words."""

    status: str
    error: str = ""
    value: str = ""
    frames: tuple[tuple[int, int], ...] = ()
    count: int | None = None


class CarefulExecute(Execute):
    """Runs a rebuilt notebook; `CarefulExecute.job` says how, and `outcomes` what became of it."""

    # nbgrader makes the object, so what it needs is set on the class. One worker grades one student.
    job: dict = {}  # noqa: RUF012
    outcomes: dict[str, Outcome] = {}  # noqa: RUF012
    tampered: set[str] = set()  # noqa: RUF012
    controlled: set[str] = set()  # noqa: RUF012
    reason = ""

    def preprocess(self, nb, resources, km=None):
        """Run every cell that grading needs."""
        from nbclient import NotebookClient

        NotebookClient.__init__(self, nb, km)
        self.reset_execution_trackers()
        self._check_assign_resources(resources)
        self.printed = 0
        self.helped: set[int] = set()
        self.deadline = float("inf")
        stop = threading.Event()
        try:
            with self.setup_kernel():
                self.deadline = time.monotonic() + self.job["time_limit"]
                threading.Thread(target=self._watch, args=[stop], daemon=True).start()
                self.wait_for_reply(self.kc.kernel_info(), None)
                for index, cell in enumerate(nb.cells):
                    self._run(cell, index)
                self._control(nb)
                # Nothing of the student's is worth waiting for a polite goodbye.
                stop.set()
                self._end_kernel()
        except Exception as error:
            self._note_end(error)
        finally:
            stop.set()
        for cell in nb.cells:
            if cell.cell_type == "code":
                self._tidy(cell)
        return nb, self.resources

    def create_kernel_manager(self):
        """The student's kernel: its sockets are files, as it has no network."""
        self.startup_timeout = 60
        self.shutdown_kernel = "immediate"
        self.km = AsyncKernelManager(
            kernel_name=self.job["kernel"],
            connection_file=f"{self.job['link']}/kernel.json",
            transport="ipc",
            ip=f"{self.job['link']}/k",
            shutdown_wait_time=0.2,
        )
        return self.km

    # -- one cell ----------------------------------------------------------------------------------

    def _run(self, cell: NotebookNode, index: int) -> None:
        if cell.cell_type != "code" or cell.id.startswith("check-"):
            return  # the self-check is the student's, who could have changed it
        helper = cell.metadata.get("whichlayer")
        if helper and helper["helper"] in self.helped and not helper["again"]:
            return
        cell.outputs = []
        if self.reason:
            self.outcomes[cell.id] = Outcome(NOT_RUN)
            return
        outcome = self._execute(cell, index)
        self.outcomes[cell.id] = outcome
        if helper and outcome.status == OK:
            self.helped.add(helper["helper"])

    def _execute(self, cell: NotebookNode, index: int) -> Outcome:
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.reason = self.reason or SLOW
            return Outcome(NOT_RUN)
        # Set-up cells may use all the time there is: they load models. What a student wrote may not.
        given = cell.id.startswith("given-")
        self.timeout = max(1, round(left if given else min(left, self.job["cell_limit"])))
        try:
            self.execute_cell(cell, index, store_history=True)
        except CellTimeoutError:
            self.reason = SLOW  # it didn't react to being interrupted
            return Outcome(SLOW)
        except DeadKernelError:
            self.reason = self.reason or DEAD
            return Outcome(self.reason)
        except Exception as error:
            self._note_end(error)
            return Outcome(self.reason)
        return self._outcome(cell)

    def _outcome(self, cell: NotebookNode) -> Outcome:
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if not errors:
            return Outcome(OK, count=cell.execution_count)
        names = [str(output.ename) for output in errors]
        last = errors[-1]
        status = SLOW if TIMED_OUT in names else ERROR
        text = ANSI.sub("", "\n".join(str(line) for line in last.traceback)[-20_000:])
        frames = tuple((int(m[1]), int(m[2])) for m in FRAME.finditer(text))
        return Outcome(status, names[-1], str(last.evalue)[:2000], frames, cell.execution_count)

    def output(self, outs, msg, display_id, cell_index):
        """Take an output, unless the cell has printed enough."""
        content = msg["content"]
        size = len(content.get("text", "")) or len(str(content.get("data", "")))
        self.printed += size
        if self.printed > MOST_OUTPUT and not self.reason:
            self.reason = FLOOD
            self._end_kernel()
        kept = sum(len(o.get("text", "")) for o in outs)
        if msg["msg_type"] != "error" and (size > KEPT_OUTPUT or kept > KEPT_OUTPUT):
            return None
        return super().output(outs, msg, display_id, cell_index)

    def _tidy(self, cell: NotebookNode) -> None:
        """Leave plain outputs, and in tests cells only an error, also where the cell didn't run.

        nbgrader gives full marks to a tests cell without output, none to one with a warning, and part
        of them to one that ends in a number.
        """
        for output in cell.outputs:
            # Whoever opens the graded notebook would run what a student put into HTML or JavaScript.
            data = output.get("data", {})
            for kind in set(data) - {"text/plain", "image/png"}:
                del data[kind]
        nbgrader = cell.metadata.get("nbgrader", {})
        if not nbgrader.get("grade"):
            return
        outcome = self.outcomes.get(cell.id, Outcome(NOT_RUN))
        cell.outputs = []
        if outcome.status != OK:
            cell.outputs.append(
                NotebookNode(
                    output_type="error",
                    ename=outcome.error or outcome.status,
                    evalue="",
                    traceback=[],
                )
            )

    # -- the whole ---------------------------------------------------------------------------------

    def _control(self, nb) -> None:
        """Run the tests of every passed exercise on its starter, without what the answer defined.

        An exercise whose tests pass then too, or in which this ends Python, is for a person to look at.
        """
        if self.reason:
            return
        self.deadline = max(self.deadline, time.monotonic() + CONTROL_TIME)
        by_id = {cell.id: cell for cell in nb.cells}
        for exercise in self.job["exercises"]:
            tests = [test["grade_id"].replace("_", "-") for test in exercise["tests"]]
            if not any(self.outcomes[test].status == OK for test in tests):
                continue
            self._try("".join(f"{name} = None\n" for name in exercise["names"]))
            self._try(exercise["starter"])
            passed = [self._try(by_id[test].source).status == OK for test in tests]
            self.controlled.add(exercise["number"])
            if all(passed) or self.reason:
                self.tampered.add(exercise["number"])

    def _try(self, source: str) -> Outcome:
        cell = NotebookNode(
            cell_type="code",
            source=source,
            metadata={},
            outputs=[],
            id="control",
            execution_count=None,
        )
        self.nb.cells.append(cell)
        try:
            return self._execute(cell, len(self.nb.cells) - 1)
        finally:
            self.nb.cells.pop()

    def _note_end(self, error: Exception) -> None:
        late = time.monotonic() > self.deadline
        self.reason = self.reason or (SLOW if late else DEAD)
        self.log.info("The kernel is gone: %r", error)

    def _watch(self, stop: threading.Event) -> None:
        """End the kernel when its time or memory is used up. Runs in a thread of its own."""
        while not stop.wait(0.2):
            if time.monotonic() > self.deadline + 5:
                self.reason = self.reason or SLOW
            elif memory_of_others(self.job["keeper"]) > self.job["memory"] * MEGABYTE:
                self.reason = self.reason or "memory"
            else:
                continue
            self._end_kernel()
            return

    def _end_kernel(self) -> None:
        if self.job["isolated"] and os.getpid() == 1:
            # In our own namespace of processes this is everything but us.
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            return
        provisioner = getattr(self.km, "provisioner", None)
        group = getattr(provisioner, "pgid", None)
        if group and group != os.getpgrp():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)


def memory_of_others(keeper: int | None = None) -> int:
    """Bytes in the memory of all processes in sight but ours: in the sandbox, the student's."""
    if os.getpid() != 1:
        return 0
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name not in ("1", str(keeper)):
            with contextlib.suppress(OSError, IndexError, ValueError):
                resident, shared = (int(n) for n in (entry / "statm").read_text().split()[1:3])
                # What is shared counts once, in the first process: as a part of the environment's files.
                total += resident - shared
    return total * os.sysconf("SC_PAGE_SIZE")


BUILTIN_ERRORS = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
