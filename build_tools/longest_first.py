"""A pytest plugin that gives a run's processes the longest work first, so that all end together.

Load it with `-p build_tools.longest_first` beside `--dist loadscope`. Work is given out in pieces that share what
they prepare: a file of tests; one parameter of a file in PIECEWISE, for which it prepares something; a
notebook. Where the long pieces come last, one process runs them while the others have nothing to do.
COSTS says which are long. At the end of a run each that is missing there is named, as is each that no
longer is, so that the table can't fall behind.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

# CPU seconds, roughly; what isn't here takes less than SHORT.
SHORT = 15
COSTS = {
    "tests/live/test_page.py": 110,
    "notebooks_04_probing_code": 90,
    "tests/grading/test_command.py": 60,
    "tests/project/test_bootstrap.py": 60,
    "notebooks_06_many_properties": 50,
    "tests/grading/test_hostile.py": 50,
    "tests/package/test_extraction.py": 45,
    "notebooks_05_inter_layer_similarity": 40,
    "notebooks_03_combining_layers": 40,
    "tests/site/test_building.py": 40,
    "tests/package/test_treebank.py": 40,
    "tests/project/test_house.py": 30,
    "tests/package/test_bundled.py": 30,
    "tests/live/test_modules.py": 30,
    "tests/package/test_results.py": 25,
    "tests/notebooks/test_comparison.py": 25,
    "tests/grading/test_warm_parent.py": 20,
    "tests/site/test_terms.py": 20,
    "notebooks_07_carry_over": 20,
    "notebooks_08_probe_or_encoder": 30,
    "notebooks_09_read_is_not_used": 40,
    "tests/exercises/test_bank.py[03_combining_layers]": 20,
}
# Files whose tests share something costly for each of their parameters, and nothing else.
PIECEWISE = {
    "tests/exercises/test_bank.py", "tests/notebooks/test_other_encoder.py",
    "tests/notebooks/test_students.py", "tests/site/test_every_page.py",
}  # fmt: skip
# A busy machine counts seconds more; what took this much longer than SHORT is no accident.
SURELY = 3


def piece_of(nodeid: str) -> str:
    """The piece of work that a test belongs to."""
    path, _, name = nodeid.partition("::")
    if path.endswith(".ipynb"):
        return path.split("/")[-2]
    if path in PIECEWISE and "[" in name:
        return f"{path}[{name.partition('[')[2]}"
    return path


def remarks(seconds: dict[str, float]) -> list[str]:
    """What is wrong with COSTS, in words, given how long each piece of a run took."""
    found = [
        f"{piece} took {spent:.0f} s and should stand in COSTS"
        for piece, spent in sorted(seconds.items())
        if spent > SURELY * SHORT and piece not in COSTS
    ]
    return found + [
        f"{piece} took {seconds[piece]:.0f} s and needn't stand in COSTS"
        for piece in COSTS
        if piece in seconds and seconds[piece] < SHORT / SURELY
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    # Stable: within a piece the order stays, so that what a module prepares is prepared once.
    items.sort(key=lambda item: (-COSTS.get(piece_of(item.nodeid), 0), piece_of(item.nodeid)))


def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class LongestFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return piece_of(nodeid)

    # By default the pieces with the most tests come first, which says little of how long they take.
    config.option.loadscopereorder = False
    return LongestFirst(config, log)


class Times:
    """How long each piece took; kept by the process that gives out the work."""

    def __init__(self):
        self.seconds = defaultdict(float)

    def pytest_runtest_logreport(self, report):
        self.seconds[piece_of(report.nodeid)] += report.duration

    def pytest_terminal_summary(self, terminalreporter):
        for remark in remarks(self.seconds):
            terminalreporter.write_line(f"build_tools/longest_first.py: {remark}")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(), "longest-first-times")
