"""The comparison of notebook outputs fails when it must, and only then."""

import copy
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import notebook_comparison
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

BUILD_TOOLS = Path(__file__).parents[2] / "build_tools"

CODE = """import pandas as pd
print("layer 3: 0.870 of 25,094 words, 27 right")
pd.DataFrame({"accuracy": [0.8701, 0.9312]}, index=["layer_0", "layer_1"])"""


IMAGE = """import base64
from IPython.display import Image, display
png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')
display(Image(png))"""

# One piece of the stored outputs replaced everywhere, and what the comparison says.
CLOSE = {
    "same": ("0.870 of", "0.870 of"),
    "last digits": ("0.870 of", "0.872 of"),
    "last digits up": ("0.8701", "0.8703"),
    "last digits down": ("0.9312", "0.9310"),
}
APART = {
    "beyond the tolerance": ("0.870 of", "0.873 of"),
    "the same in a table": ("0.8701", "0.8704"),
    "a whole number": ("27 right", "28 right"),
    "a whole number with a comma": ("25,094", "25,095"),
    "a word": ("right", "wrong"),
    "a number in the text": ("layer 3", "layer 4"),
    "a name with a number in it": ("layer_1", "layer_2"),
}
WARNING = new_output("stream", name="stderr", text="a warning\n")


def changed(executed, old, new, **metadata):
    """The executed notebook with one piece of its stored outputs replaced everywhere."""
    notebook = copy.deepcopy(executed)
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


def with_code(executed, source):
    notebook = copy.deepcopy(executed)
    notebook.cells[0].source = source
    return notebook


def with_outputs(executed, *outputs):
    notebook = copy.deepcopy(executed)
    notebook.cells[0].outputs = list(outputs)
    return notebook


def samples(executed, image):
    """Notebooks by name, each of one cell."""
    outputs = executed.cells[0].outputs
    other_image = copy.deepcopy(image)
    other_image.cells[0].outputs[0].data["image/png"] = "AAAA"
    return {
        **{name: changed(executed, *pieces) for name, pieces in (CLOSE | APART).items()},
        "within its own tolerance": changed(executed, "27 right", "29 right", tolerance=2),
        "beyond its own tolerance": changed(executed, "27 right", "30 right", tolerance=2),
        "raises": with_code(executed, f"{CODE}\nassert 1 == 2, 'a claim that does not hold'"),
        "magic before": with_code(executed, f"%no_such_magic\n{CODE}"),
        "magic after": with_code(executed, f"{CODE}\n%no_such_magic"),
        "an output is missing": with_outputs(executed, *outputs[:1]),
        "an output is new": with_outputs(executed, *outputs, WARNING),
        "another image": other_image,
        "no image": with_outputs(image),
    }


@pytest.fixture(scope="module")
def judged(kernel, tmp_path_factory):
    """What nbval says of each sample: None, or the text of the failure. All are run in one go."""
    executed, image = (new_notebook(cells=[new_code_cell(code)]) for code in (CODE, IMAGE))
    for notebook in (executed, image):
        NotebookClient(notebook, kernel_name=kernel).execute()
    folder = tmp_path_factory.mktemp("samples")
    for name, notebook in samples(executed, image).items():
        nbformat.write(notebook, folder / f"{name}.ipynb")
    report = folder / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "notebook_comparison", "-p", "no:cacheprovider",
         "-c", os.devnull, "--rootdir", str(folder), "--nbval", "--nbval-kernel-name", kernel,
         f"--junit-xml={report}", str(folder)],
        capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(BUILD_TOOLS)},
    )  # fmt: skip
    assert done.returncode == 1, done.stdout  # some fail
    cases = ElementTree.parse(report).getroot().findall(".//testcase")
    found = {case.get("classname"): case.find("failure") for case in cases}
    return {
        name.removesuffix(".ipynb"): None if failure is None else failure.text
        for name, failure in found.items()
    }


@pytest.mark.parametrize("name", CLOSE)
def test_passes_for_the_same_and_for_last_digits(judged, name):
    assert judged[name] is None


@pytest.mark.parametrize("name", APART)
def test_fails_for_anything_else(judged, name):
    assert "Cell outputs differ" in judged[name]


def test_a_cell_may_state_its_own_tolerance(judged):
    assert judged["within its own tolerance"] is None
    assert "Cell outputs differ" in judged["beyond its own tolerance"]


def test_fails_when_a_cell_raises(judged):
    assert "a claim that does not hold" in judged["raises"]


@pytest.mark.parametrize("where", ["before", "after"])
def test_fails_for_an_unknown_magic(judged, where):
    assert judged[f"magic {where}"] is not None


@pytest.mark.parametrize("how", ["missing", "new"])
def test_fails_for_an_output_that_is_missing_or_new(judged, how):
    assert judged[f"an output is {how}"] is not None


def test_an_image_is_not_compared_but_must_be_there(judged):
    assert judged["another image"] is None
    assert judged["no image"] is not None


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
