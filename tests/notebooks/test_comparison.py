"""The comparison of notebook outputs fails when it must, and only then."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import notebook_comparison
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

BUILD_TOOLS = Path(__file__).parents[2] / "build_tools"

CODE = """import pandas as pd
print("layer 3: 0.870 of 25,094 words, 27 right")
pd.DataFrame({"accuracy": [0.8701, 0.9312]}, index=["layer_0", "layer_1"])"""


@pytest.fixture(scope="module")
def executed():
    notebook = new_notebook(cells=[new_code_cell(CODE)])
    NotebookClient(notebook, kernel_name="python3").execute()
    return notebook


def run(notebook, folder):
    path = folder / "sample.ipynb"
    nbformat.write(notebook, path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "notebook_comparison", "-p", "no:cacheprovider",
         "-c", os.devnull, "--rootdir", str(folder), "--nbval", "--nbval-current-env", str(path)],
        capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(BUILD_TOOLS)},
    )  # fmt: skip
    return done.returncode, done.stdout


def changed(executed, old, new, **metadata):
    """The executed notebook with one piece of its stored outputs replaced everywhere."""
    notebook = nbformat.from_dict(executed)
    text = nbformat.writes(notebook)
    notebook = nbformat.reads(text, as_version=4)
    found = False
    for output in notebook.cells[0].outputs:
        if "text" in output:
            found |= old in output.text
            output.text = output.text.replace(old, new)
        for kind in output.get("data", {}):
            found |= old in output.data[kind]
            output.data[kind] = output.data[kind].replace(old, new)
    assert found, f"{old!r} isn't in the outputs"
    notebook.cells[0].metadata.update(metadata)
    return notebook


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.870 of", "0.870 of"),
        ("0.870 of", "0.872 of"),
        ("0.8701", "0.8703"),
        ("0.9312", "0.9310"),
    ],
)
def test_passes_for_the_same_and_for_last_digits(executed, tmp_path, old, new):
    code, output = run(changed(executed, old, new), tmp_path)
    assert code == 0, output


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.870 of", "0.873 of"),  # a number beyond the tolerance
        ("0.8701", "0.8704"),  # the same, in a table
        ("27 right", "28 right"),  # a whole number
        ("25,094", "25,095"),
        ("right", "wrong"),  # a word
        ("layer 3", "layer 4"),
        ("layer_1", "layer_2"),  # a name with a number in it
    ],
)
def test_fails_for_anything_else(executed, tmp_path, old, new):
    code, output = run(changed(executed, old, new), tmp_path)
    assert code == 1 and "Cell outputs differ" in output


def test_a_cell_may_state_its_own_tolerance(executed, tmp_path):
    assert run(changed(executed, "27 right", "29 right", tolerance=2), tmp_path)[0] == 0
    assert run(changed(executed, "27 right", "30 right", tolerance=2), tmp_path)[0] == 1


def test_fails_when_a_cell_raises(executed, tmp_path):
    notebook = changed(executed, "0.870", "0.870")
    notebook.cells[0].source += "\nassert 1 == 2, 'a claim that does not hold'"
    code, output = run(notebook, tmp_path)
    assert code == 1 and "a claim that does not hold" in output


@pytest.mark.parametrize("where", ["before", "after"])
def test_fails_for_an_unknown_magic(executed, tmp_path, where):
    notebook = changed(executed, "0.870", "0.870")
    source = notebook.cells[0].source
    notebook.cells[0].source = (
        f"%no_such_magic\n{source}" if where == "before" else f"{source}\n%no_such_magic"
    )
    assert run(notebook, tmp_path)[0] == 1


def test_fails_for_an_output_that_is_missing_or_new(executed, tmp_path):
    notebook = changed(executed, "0.870", "0.870")
    outputs = notebook.cells[0].outputs
    notebook.cells[0].outputs = outputs[:1]
    assert run(notebook, tmp_path)[0] == 1
    notebook.cells[0].outputs = [*outputs, new_output("stream", name="stderr", text="a warning\n")]
    assert run(notebook, tmp_path)[0] == 1


def test_an_image_is_not_compared_but_must_be_there(tmp_path):
    notebook = new_notebook(
        cells=[
            new_code_cell(
                "from IPython.display import Image, display\n"
                "import base64\n"
                "png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')\n"
                "display(Image(png))"
            )
        ]
    )
    NotebookClient(notebook, kernel_name="python3").execute()
    notebook.cells[0].outputs[0].data["image/png"] = "AAAA"
    assert run(notebook, tmp_path)[0] == 0
    notebook.cells[0].outputs = []
    assert run(notebook, tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("stored", "computed", "tolerance", "expected"),
    [
        ("a  0.5", "a 0.5", None, True),  # columns widen
        ("1.0e-05", "3.0e-05", None, False),
        ("1.0e-05", "1.1e-05", None, True),
        ("-0.02", "0.02", None, False),
        ("-0.01", "0.01", None, True),
        ("1.2.3", "1.2.4", None, False),  # a version is a name
        ("nan", "0.5", None, False),
        ("1,000", "1,001", 1, True),
        ("toy-01", "toy-02", None, False),
        ("x 1", "x 1 2", 5, False),
    ],
)
def test_what_counts_as_close(stored, computed, tolerance, expected):
    assert notebook_comparison.close(stored, computed, tolerance) is expected
