"""Students' notebooks run as a student finds them: the first check asks for the answer, the rest holds."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

STUDENTS = sorted((Path(__file__).parents[2] / "exercises" / "student").glob("*.ipynb"))
NOT_GIVEN = ("answer", "tests")


def faults_of(path, kernel):
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
        kernel_name=kernel,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    faults = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if cell.id == first_check:
            shown = [error.ename for error in errors]
            if shown not in (["CheckFailed"], ["NotImplementedError"]):
                faults.append(f"{cell.id}: the first check gives {shown or 'no error'}")
            continue
        faults += [f"{cell.id}: {error.ename}: {error.evalue}" for error in errors]
        if any(output.get("name") == "stderr" for output in cell.outputs):
            faults.append(f"{cell.id}: writes to stderr")
    return faults


@pytest.mark.parametrize("path", STUDENTS, ids=lambda path: path.stem)
def test_it_runs_up_to_its_first_stub(path, kernel, tmp_path):
    folder = tmp_path / f"student_{path.stem}"
    folder.mkdir()
    assert faults_of(Path(shutil.copy(path, folder)), kernel) == []


def test_what_is_wrong_with_a_students_notebook_is_found(kernel, tmp_path):
    new = nbformat.v4
    cells = [
        ("given-1", "import sys; print('a remark', file=sys.stderr)"),
        ("answer-1", "answer = 1"),
        ("check-1", "assert answer == 1"),
        ("answer-2", "second = 2"),
        ("given-2", "print(second)"),
    ]
    notebook = new.new_notebook(cells=[new.new_code_cell(code, id=name) for name, code in cells])
    path = tmp_path / "student.ipynb"
    nbformat.write(notebook, path)
    assert faults_of(path, kernel) == [
        "given-1: writes to stderr",
        "check-1: the first check gives no error",
        "given-2: NameError: name 'second' is not defined",
    ]
