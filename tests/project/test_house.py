"""House rules: what stands where, one address, nothing of one machine, locks that match."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import address
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def tracked():
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        pytest.fail("this test needs the git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def texts():
    for path in tracked():
        if path.suffix not in {".npz", ".png", ".woff2"}:
            yield path, path.read_text(encoding="utf-8")


def test_the_top_level_is_what_a_reader_expects():
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert top <= {
        ".ci", ".gitattributes", ".github", ".gitignore", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "LICENSE-CONTENT",
        "Makefile", "README.md", "_config.yml", "_toc.yml", "benchmarks", "book", "build_tools",
        "exercises", "grading", "notebooks", "pyproject.toml", "requirements-book.lock", "requirements-encoders.lock", "requirements.lock",
        "tests", "whichlayer",
    }  # fmt: skip


def test_no_file_is_named_for_nothing():
    for path in tracked():
        assert path.stem not in {"utils", "common", "misc", "helpers"}, path


def test_no_file_holds_a_path_of_one_machine_or_a_registrys_host():
    wrong = re.compile(
        r"/(?:home|Users)/\w+/|/roo[t]/|/wor[k]/|pypi\.or[g]|pythonhosted\.or[g]|registry\.npmj[s]|deb\.debia[n]"
    )
    found = [
        f"{p.relative_to(ROOT)}: {m.group(0)}" for p, text in texts() for m in wrong.finditer(text)
    ]
    assert not found


def test_the_repositorys_address_is_the_same_everywhere():
    assert not address.differing()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"x @ git+https://github.com/old/one"', '"x @ git+https://github.com/new/two"'),
        (
            '"x @ git+https://github.com/copied/from#subdirectory=y"',
            '"x @ git+https://github.com/new/two#subdirectory=y"',
        ),
        ('"x @ git+https://github.com/old/one@v1"', '"x @ git+https://github.com/new/two@v1"'),
        # as a notebook's JSON has it
        (r"git+https://github.com/old/one\"", r"git+https://github.com/new/two\""),
        ("git clone https://github.com/old/one.git", "git clone https://github.com/new/two.git"),
        ("(https://github.com/old/one)", "(https://github.com/new/two)"),
        ("https://github.com/old/one/blob/main/x", "https://github.com/new/two/blob/trunk/x"),
        ("https://old.github.io/one/", "https://new.github.io/two/"),
        # a form that is always ours, whatever stands there
        (
            "colab.research.google.com/github/copied/from/blob/main/n.ipynb",
            "colab.research.google.com/github/new/two/blob/trunk/n.ipynb",
        ),
        ("    branches: [main]", "    branches: [trunk]"),
        # other people's, and names that only begin like ours
        ("https://github.com/other/one/blob/main/x", None),
        ("https://github.com/old/one-more/blob/main/x", None),
        ("https://github.com/old/one.js", None),
    ],
)
def test_a_changed_address_reaches_every_form_of_ours_and_no_other(before, after):
    changed = address.rewrite(before, former="old/one", name="new/two", branch="trunk")
    assert changed == (after or before)


def test_make_address_changes_both_files_of_every_notebook(tmp_path, monkeypatch):
    for path in address.places():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    config = (ROOT / "_config.yml").read_text()
    name, _ = address.own()
    (tmp_path / "_config.yml").write_text(config.replace(name, "some.one/a-course"))
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.setattr(address, "ROOT", tmp_path)
    address.main(write=True)
    assert not address.differing()
    for path in [*tmp_path.glob("notebooks/*.*"), tmp_path / "README.md"]:
        if path.suffix != ".toml":
            assert "github.com/some.one/a-course" in path.read_text(), path
            assert name not in path.read_text(), path


def test_the_locks_hold_the_same_versions_and_no_cuda():
    lines = {
        name: (ROOT / name).read_text().splitlines()
        for name in ("requirements.lock", "requirements-book.lock")
    }
    pinned = {
        name: [line for line in rows if line and line[0] != "#"] for name, rows in lines.items()
    }
    everything = {line.split(" ;")[0] for line in pinned["requirements.lock"]}
    for line in pinned["requirements-book.lock"]:
        assert line.split(" ;")[0] in everything, line
    for rows in pinned.values():
        assert all(re.match(r"[A-Za-z0-9_.-]+(\[\w+\])?==\S+( ; .+)?$", line) for line in rows)
        assert not [line for line in rows if re.match(r"nvidia|cuda|triton", line)]
    assert not [
        line
        for line in pinned["requirements-book.lock"]
        if line.startswith(("torch", "transformers"))
    ]


def imports_of(folder, package):
    """By module of a package: the modules of it that one imports, wherever in the file it does."""
    paths = {
        ".".join(path.relative_to(folder).with_suffix("").parts): path
        for path in (folder / package).rglob("*.py")
    }
    found = {}
    for name, path in paths.items():
        taken = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                taken |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                taken |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found[name] = taken & set(paths)
    return found


@pytest.mark.parametrize(
    ("folder", "package"), [(".", "whichlayer"), ("grading", "whichlayer_grading")]
)
def test_no_module_imports_one_that_imports_it(folder, package):
    left = imports_of(ROOT / folder, package)
    assert sum(map(len, left.values())) > 10
    # Modules that import none of those left can be taken away, until none is left or all go round.
    while free := {name for name, taken in left.items() if not taken & set(left)}:
        left = {name: taken for name, taken in left.items() if name not in free}
    assert not left, f"these import each other, in a circle: {sorted(left)}"


def test_the_learners_package_imports_nothing_of_the_grader():
    for path in (ROOT / "whichlayer").rglob("*.py"):
        assert "whichlayer_grading" not in path.read_text(), path


def requirements_of(package):
    """What a package of this checkout requires, by name."""
    settings = (ROOT / package / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[\n(.+?)^\]", settings, re.M | re.S).group(1)
    found = [Requirement(line) for line in re.findall(r'^    "(.+)",$', listed, re.M)]
    return {requirement.name: requirement.specifier for requirement in found}


def test_the_lock_holds_what_both_packages_require():
    pinned = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        if line and line[0] != "#":
            requirement = Requirement(line)
            (pin,) = requirement.specifier
            pinned.setdefault(canonicalize_name(requirement.name), []).append(pin.version)
    own = requirements_of("grading").pop("whichlayer")
    wanted = [*requirements_of(".").items(), *requirements_of("grading").items()]
    assert len(wanted) > 15
    for name, specifier in wanted:
        if name != "whichlayer":
            assert all(version in specifier for version in pinned[canonicalize_name(name)]), name
    # The grader goes with one version of the course's package, and both are released together.
    versions = [
        re.search(r'^version = "(.+)"', (ROOT / folder / "pyproject.toml").read_text(), re.M)[1]
        for folder in (".", "grading")
    ]
    assert versions[0] == versions[1] and str(own) == f"=={versions[0]}"
    assert (ROOT / "grading" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_wheel_is_small(tmp_path):
    import zipfile

    import alone

    wheel = alone.build_wheel(tmp_path)
    # Half of it is what was recorded for chapters 7 to 9.
    assert wheel.stat().st_size < 3_000_000
    names = zipfile.ZipFile(wheel).namelist()
    assert "whichlayer/data/toy_corpus.tsv" in names and "whichlayer/data/ewt_profiles.csv" in names
    assert all(name.startswith(("whichlayer/", "whichlayer-")) for name in names)
    assert not [name for name in names if "grad" in name]


def test_readme_code_runs_as_it_stands():
    code = re.search(r"```python\n(.+?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("layer 2 - layer 3: ") and "not settled" in done.stdout
    assert done.stderr == ""


def test_the_lines_that_settle_which_layer_run_on_a_corpus_of_ones_own():
    page = (ROOT / "book" / "which_layer.md").read_text()
    code = re.search(r"```python\n(.+?)```", page, re.S).group(1)
    corpus = ROOT / "whichlayer" / "data" / "treebank" / "test.conllu"
    for yours, ours in [("my_corpus.conllu", str(corpus)), ("bert-base-uncased", "minilm")]:
        assert yours in code
        code = code.replace(yours, ours)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "can't be told from the best:" in done.stdout and "chosen" in done.stdout
