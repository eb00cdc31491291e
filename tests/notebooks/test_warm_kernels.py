"""A kernel forked from the server is one that was started afresh, and goes when it is told to go."""

import os
import time
from pathlib import Path

import alone
import nbformat
import pytest
from jupyter_client import KernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(kernel, tmp_path):
    """Runs code as a notebook's only cell; gives its outputs."""

    def run(code):
        cell = nbformat.v4.new_code_cell(code)
        notebook = nbformat.v4.new_notebook(cells=[cell])
        where = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(
            notebook, kernel_name=kernel, allow_errors=True, resources=where, timeout=60
        ).execute()
        return notebook.cells[0].outputs

    return run


def test_no_name_and_no_module_of_another_kernel_is_there(run):
    run("import math, sys; left = 1; math.pi = 3; sys.modules['left'] = math")
    (output,) = run("import math; print('left' in globals(), math.pi > 3, 'torch' in globals())")
    assert output.text == "False True False\n"
    (output,) = run("import left")
    assert output.ename == "ModuleNotFoundError"
    (output,) = run("np")
    assert output.ename == "NameError"


def test_it_sees_its_own_folder_and_nothing_of_the_checkout(run, tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("found = True\n")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (output,) = run(
        "import beside, os, sys, whichlayer\n"
        "print(os.getcwd(), whichlayer.__file__, *map(os.path.abspath, sys.path), sep='\\n')"
    )
    folder, package, *places = output.text.splitlines()
    assert Path(folder) == tmp_path and not Path(package).is_relative_to(ROOT / "whichlayer")
    for place in map(Path, places):
        assert not (place / "alone.py").exists() and not (place / "tests").is_dir(), place
        assert place != ROOT


def test_figures_and_tables_show_as_in_a_notebook(run):
    figure = run("import matplotlib.pyplot as plt; _ = plt.plot([1, 2])")
    assert ["image/png" in output.data for output in figure] == [True]
    # A terminal's width would cut the columns.
    (table,) = run("import pandas as pd; pd.DataFrame([range(10**6, 10**6 + 15)] * 2)")
    assert "..." not in table.data["text/plain"] and "<table" in table.data["text/html"]


def test_what_it_has_cost_is_recorded(run, tmp_path):
    run("import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass")
    costs = Path(os.environ[alone.FOLDER]) / "costs"
    deadline = time.monotonic() + 20
    while str(tmp_path) not in costs.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    rows = [line.split("\t") for line in costs.read_text().splitlines()]
    (seconds,) = [float(seconds) for seconds, folder in rows if folder == str(tmp_path)]
    assert 0.5 <= seconds < 10


@pytest.mark.parametrize("how", ["interrupt", "kill"])
def test_jupyter_interrupts_and_ends_it(kernel, tmp_path, how):
    manager = KernelManager(kernel_name=kernel)
    manager.start_kernel(cwd=str(tmp_path))
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        client.execute("import os, time; open('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)")
        pid = tmp_path / "pid"
        _until(lambda: pid.is_file() and pid.read_text())
        if how == "interrupt":
            manager.interrupt_kernel()
            while (answer := client.get_shell_msg(timeout=20))["msg_type"] != "execute_reply":
                pass
            assert answer["content"]["ename"] == "KeyboardInterrupt"
        manager.shutdown_kernel(now=how == "kill")
        _until(lambda: _is_gone(int(pid.read_text())))
    finally:
        client.stop_channels()
        if manager.is_alive():
            manager.shutdown_kernel(now=True)


def _until(true):
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.05)


def _is_gone(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False
