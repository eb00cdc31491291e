"""Run students' notebooks as a student finds them: given cells run, the first check asks for the answer.

    python run_student_notebooks.py NOTEBOOK ...      in the folders in which they lie

Imports nothing of the checkout, so that it can run in an environment that has only the wheel.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOT_GIVEN = ("answer", "tests")


def faults_of(path: Path) -> list[str]:
    """What goes wrong in a notebook that nobody has worked on."""
    notebook = nbformat.read(path, 4)
    first_check = next(cell.id for cell in notebook.cells if cell.id.startswith("check-"))
    # Everything up to the first check as it is; after that the given cells only, which must not
    # depend on an answer that isn't there yet.
    past = False
    kept = []
    for cell in notebook.cells:
        if not past or not cell.id.startswith((*NOT_GIVEN, "check-")):
            kept.append(cell)
        past = past or cell.id == first_check
    notebook.cells = kept
    NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks aren't the notebook's
    ).execute()
    faults = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if cell.id == first_check:
            shown = [error.ename for error in errors]
            if shown not in (["CheckFailed"], ["NotImplementedError"]):
                faults.append(
                    f"{path.name}, {cell.id}: the first check gives {shown or 'no error'}"
                )
            continue
        faults += [f"{path.name}, {cell.id}: {error.ename}: {error.evalue}" for error in errors]
        if any(output.get("name") == "stderr" for output in cell.outputs):
            faults.append(f"{path.name}, {cell.id}: writes to stderr")
    return faults


if __name__ == "__main__":
    found = [fault for name in sys.argv[1:] for fault in faults_of(Path(name))]
    if found:
        sys.exit("Students' notebooks don't run:\n" + "\n".join(f"  {fault}" for fault in found))
    print(f"{len(sys.argv) - 1} students' notebooks run up to their first stub")
