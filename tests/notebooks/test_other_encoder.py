"""Every chapter runs unchanged with another encoder: no number of layers or width is written down."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_runs_with_three_layers_of_width_16(path, long_bert_folder, kernel, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    # What the claims state is true of MiniLM only.
    notebook.cells = [c for c in notebook.cells if "claim" not in c.metadata.get("tags", [])]
    changed = 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and 'load_encoder("minilm")' in cell.source:
            cell.source = cell.source.replace('"minilm"', repr(str(long_bert_folder)))
            changed += 1
    assert changed == 1, "the encoder is named in one line"
    folder = tmp_path / f"other_encoder_{path.stem}"
    folder.mkdir()
    client = NotebookClient(
        notebook, timeout=300, kernel_name=kernel, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    printed = "".join(
        output.get("text", "") + output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )
    assert "16 dimensions" in printed
