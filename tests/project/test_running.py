"""What runs the tests: longest first, within a budget, and for a change those that it concerns."""

import contextlib

import check_changes
import check_notebooks
import longest_first
import pytest

ROOT = check_notebooks.ROOT


def test_work_is_given_out_in_pieces_that_share_what_they_prepare():
    pieces = {
        "tests/package/test_models.py::test_x[a]": "tests/package/test_models.py",
        "tests/exercises/test_bank.py::test_right[04_probing_code]": "tests/exercises/test_bank.py[04_probing_code]",
        "tests/exercises/test_bank.py::test_wrong[04_probing_code]": "tests/exercises/test_bank.py[04_probing_code]",
        "tests/exercises/test_bank.py::test_no_two": "tests/exercises/test_bank.py",
        "../../x/notebooks/solutions_01_y/01_y.ipynb::Cell 3": "solutions_01_y",
    }
    assert {test: longest_first.piece_of(test) for test in pieces} == pieces


def test_the_longest_pieces_come_first_and_keep_their_own_order():
    class Item:
        def __init__(self, nodeid):
            self.nodeid = nodeid

    by_cost = sorted(longest_first.COSTS, key=lambda piece: -longest_first.COSTS[piece])
    notebook = next(piece for piece in by_cost if not piece.startswith("tests/"))
    file = next(piece for piece in reversed(by_cost) if piece.endswith(".py"))
    assert longest_first.COSTS[notebook] > longest_first.COSTS[file]
    cells = [f"x/{notebook}/n.ipynb::Cell {k}" for k in (2, 10, 3)]
    others = ["tests/a.py::b", "tests/a.py::a"]
    items = [Item(name) for name in (others[0], f"{file}::test", *cells, others[1])]
    longest_first.pytest_collection_modifyitems(items)
    assert [item.nodeid for item in items] == [*cells, f"{file}::test", *others]


def test_every_piece_that_is_named_is_there():
    for piece in (*longest_first.COSTS, *longest_first.PIECEWISE):
        path, _, chapter = piece.partition("[")
        assert not chapter or (ROOT / "notebooks" / f"{chapter[:-1]}.ipynb").is_file(), piece
        if not path.startswith("tests/"):
            folder, _, name = path.partition("_")
            path = f"{'exercises/' * (folder == 'solutions')}{folder}/{name}.ipynb"
        assert (ROOT / path).is_file(), piece


def test_a_piece_that_the_table_misses_or_needs_no_more_is_named():
    known = next(iter(longest_first.COSTS))
    new, brief = longest_first.SURELY * longest_first.SHORT + 1, 0.5
    assert longest_first.remarks({"tests/new.py": new, known: 100}) == [
        f"tests/new.py took {new} s and should stand in COSTS"
    ]
    assert longest_first.remarks({"tests/new.py": brief, known: brief}) == [
        f"{known} took 0 s and needn't stand in COSTS"
    ]


def test_a_notebook_over_the_budget_is_named(capsys):
    most = check_notebooks.BUDGET * check_notebooks.SLOWER
    costs = f"1.50\t/x/notebooks_01_a\n{most + 1:.2f}\t/x/notebooks_02_b\n{most:.2f}\t/x/solutions_03_c\n"
    assert check_notebooks.over_budget(costs) == [
        f"notebooks_02_b took {most + 1} CPU seconds, and a notebook may take {check_notebooks.BUDGET}"
    ]
    said = capsys.readouterr().out
    assert said.startswith(f"CPU seconds of 3 kernels, {2 * most + 2.5:.0f} in all:")
    assert said.index("02_b") < said.index("03_c") < said.index("01_a")


@pytest.mark.parametrize(
    ("tests", "seconds", "expected"), [(0, 1, 0), (1, 1, 1), (0, 1000, 1), (1, 1000, 1)]
)
def test_a_run_fails_for_a_test_and_for_the_budget(
    tmp_path, monkeypatch, capsys, tests, seconds, expected
):
    (tmp_path / "costs").write_text(f"{seconds}\tnotebooks_01_layer_hierarchy\n")
    monkeypatch.setattr(check_notebooks.alone, "kernels", lambda: contextlib.nullcontext(tmp_path))
    asked = []
    monkeypatch.setattr(check_notebooks, "run", lambda what: asked.append(what) or tests)
    assert check_notebooks.main(["01_layer_hierarchy"]) == expected
    assert ("may take" in capsys.readouterr().err) == (seconds > 100)
    assert {path.name for path in (tmp_path / "notebooks").iterdir()} == {
        "notebooks_01_layer_hierarchy", "solutions_01_layer_hierarchy",
    }  # fmt: skip
    student = (
        "tests/notebooks/test_students.py::test_it_runs_up_to_its_first_stub[01_layer_hierarchy]"
    )
    assert asked == [[tmp_path / "notebooks", student]]


def test_an_unknown_notebook_is_refused():
    with pytest.raises(SystemExit, match="no notebooks of that name"):
        check_notebooks.main(["99_nothing"])


def test_every_file_selects_what_looks_at_it():
    tracked = check_changes._git("ls-files").stdout.splitlines()
    assert len(tracked) > 100
    for path in tracked:
        tests, notebooks, site = check_changes.selected([path])
        assert tests != sorted(check_changes.ALWAYS) or path in tests, path
        assert all((ROOT / test).exists() for test in tests), (path, tests)
        # What a page is made from has the site built.
        pages = ("book/", "notebooks/0", "_toc", "_config")
        assert site or not path.startswith(pages), path
        assert bool(notebooks) == path.startswith("notebooks/0"), path


@pytest.mark.parametrize(
    ("paths", "tests", "notebooks", "site"),
    [
        ([], [], [], False),
        (["whichlayer/probing.py"], ["tests/package", "tests/site/test_api.py"], [], True),
        (["notebooks/04_probing_code.py"], ["tests/notebooks/test_topics.py"], ["04_probing_code"], True),
        (["notebooks/04_a_former_name.py"], ["tests/notebooks/test_topics.py"], [], True),
        (["tests/package/test_models.py"], ["tests/package/test_models.py"], [], False),
        (["tests/package/test_models.py", "tests/package/tiny_encoders.py"], ["tests/package"], [], False),
        (["tests/site/browsing.py"], ["tests/site"], [], False),
        (["tests/conftest.py"], ["tests/package"], [], False),
        (["exercises/source/02_extracting_hidden_states.py"], ["tests/exercises"], [], False),
        (["Makefile"], ["tests/project"], [], False),
        (["a/new/folder.txt"], ["tests/project"], [], False),
    ],
)  # fmt: skip
def test_what_a_change_selects(paths, tests, notebooks, site):
    found = check_changes.selected(paths)
    assert set(tests) <= set(found[0]) and found[1:] == (notebooks, site)
    assert not {"tests/package", "tests/package/test_models.py"} <= set(found[0])
    if not paths:
        assert found[0] == sorted(check_changes.ALWAYS)


def test_changes_are_found_committed_or_not(tmp_path, monkeypatch):
    monkeypatch.setattr(check_changes, "ROOT", tmp_path)

    def git(*arguments):
        options = [
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "-c",
            "commit.gpgsign=false",
        ]
        return check_changes._git(*options, *arguments)

    git("init", "--quiet", "--initial-branch", "trunk")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "--quiet", "--message", "x")
    with pytest.raises(SystemExit, match="no branch main"):
        check_changes.changed()
    git("branch", "main")
    assert check_changes.changed() == []
    (tmp_path / "b").write_text("1")
    assert check_changes.changed() == ["b"]
    git("add", "b")
    git("commit", "--quiet", "--message", "y")
    (tmp_path / "a").write_text("2")
    (tmp_path / "c").write_text("1")
    assert check_changes.changed() == ["a", "b", "c"]
