"""A notebook imports each module that it reaches, as a reader's fresh Python has loaded nothing yet.

The kernels of these tests are forked from a process that has the large libraries loaded (see
build_tools/warm_kernels.py). In them `import sklearn` would make do for `sklearn.linear_model`, which
may be an error elsewhere. So this is looked up in the code.
"""

import ast
import functools
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
PATHS = [
    path
    for folder in ("notebooks", "exercises/student", "exercises/solutions")
    for path in sorted((ROOT / folder).glob("*.ipynb"))
]


@functools.cache
def is_module(name):
    try:
        return find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):  # what comes before isn't a package
        return False


def reached(code):
    """The modules that code reaches as attributes of one that it imports, and doesn't import."""
    tree = ast.parse(code)
    imported, bound = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported.add(alias.name)
                top = alias.name.partition(".")[0]
                bound[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add(node.module)
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if is_module(name):
                    imported.add(name)
                    bound[alias.asname or alias.name] = name
    # Whoever imports a module has imported the packages that it is in.
    imported |= {name[:place] for name in imported for place, c in enumerate(name) if c == "."}
    found = set()
    for node in ast.walk(tree):
        chain = []
        while isinstance(node, ast.Attribute):
            chain.append(node.attr)
            node = node.value
        if not (isinstance(node, ast.Name) and node.id in bound):
            continue
        name = bound[node.id]
        for attribute in reversed(chain):
            name = f"{name}.{attribute}"
            if not is_module(name):
                break
            found.add(name)
    return found - imported


def code_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


@functools.cache
def brought(package, names):
    """Those of some modules that are there once their package is imported, and nothing else.

    Python is asked, afresh: many packages load some of their modules themselves, when imported or
    when first asked for, as NumPy does `numpy.random`.
    """
    ask = (
        "import contextlib\n"
        f"import {package}\n"
        f"for name in {sorted(names)}:\n"
        "    with contextlib.suppress(AttributeError):\n"
        "        eval(name)\n"
        "        print(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@functools.cache
def reached_by_any():
    return set().union(*(reached(code_of(path)) for path in PATHS))


def faults_of_imports(code):
    wanted = reached(code)
    faults = []
    for package in sorted({name.partition(".")[0] for name in wanted}):
        # Asked for all notebooks at once: loading PyTorch takes seconds.
        all_of_it = {n for n in wanted | reached_by_any() if n.partition(".")[0] == package}
        missing = (wanted & all_of_it) - brought(package, frozenset(all_of_it))
        faults += [f"{name} is used and not imported" for name in sorted(missing)]
    return faults


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}_{path.stem}")
def test_a_notebook_imports_what_it_reaches(path):
    assert faults_of_imports(code_of(path)) == []


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("import xml\nxml.etree.ElementTree.parse", ["xml.etree", "xml.etree.ElementTree"]),
        ("import xml.etree\nxml.etree.ElementTree.parse", ["xml.etree.ElementTree"]),
        ("import xml.etree.ElementTree\nxml.etree.ElementTree.parse", []),
        ("import xml as x\ndef f():\n    return x.dom.Node", ["xml.dom"]),
        ("from xml import etree\netree.ElementTree", ["xml.etree.ElementTree"]),
        ("import concurrent.futures as cf\ncf.thread", ["concurrent.futures.thread"]),
        ("from xml.etree import ElementTree as E\nE.parse\nE.nothing.at_all", []),
        ("import os\nos.path.join", ["os.path"]),
        ("x = 1\nx.dom", []),
    ],
)
def test_what_is_reached_without_an_import_is_found(code, missing):
    assert sorted(reached(code)) == missing


def test_what_a_package_brings_itself_need_not_be_imported():
    assert (
        faults_of_imports("import numpy as np\nnp.random.default_rng(0)\nimport os\nos.path") == []
    )
    assert faults_of_imports("import xml\nxml.dom.Node") == ["xml.dom is used and not imported"]
