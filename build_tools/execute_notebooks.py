"""Run notebooks from their text twins and store them with their outputs.

    python build_tools/execute_notebooks.py [NAME ...]     all, or those named (04_probing_code)

Cell ids stay what they are, or are made from the cell's place, so that running a notebook again
changes nothing but outputs. On an error nothing is stored.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[1]


def execute(source: Path) -> nbformat.NotebookNode:
    """The notebook of a py:percent file, executed."""
    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem[:2]}-{number:03d}"
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    run(notebook, source.parent)
    return notebook


def run(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run the notebook in place, and leave nothing in it that depends on who ran it or when."""
    os.environ.update({"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)})
    os.environ.pop("WHICHLAYER_DATA", None)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks aren't the notebook's
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # time stamps
    notebook.metadata.pop("language_info", None)  # the Python version of whoever ran it


def main(names: list[str]) -> None:
    sources = sorted((ROOT / "notebooks").glob("*.py"))
    if names:
        sources = [path for path in sources if path.stem in names]
    if not sources:
        sys.exit(f"There is no notebook named {' or '.join(names)} in notebooks/.")
    for source in sources:
        print(f"{source.stem} ...", flush=True)
        try:
            notebook = execute(source)
        except CellExecutionError as error:
            sys.exit(f"{source.name} failed, nothing was stored:\n{error}")
        jupytext.write(notebook, source.with_suffix(".ipynb"))


if __name__ == "__main__":
    main(sys.argv[1:])
