"""Each notebook file is whole: paired, executed in order, described, free of what doesn't travel."""

import ast
import json
import re
from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
by_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


# --- The checks, as functions, so that the tests below can show that each of them bites.


def faults_of_pair(notebook, twin):
    """Cells that differ in kind, source or kept metadata between a notebook and its text twin."""
    faults = []
    if len(notebook.cells) != len(twin.cells):
        return [f"{len(notebook.cells)} cells in the notebook, {len(twin.cells)} in the text"]
    for number, (a, b) in enumerate(zip(notebook.cells, twin.cells, strict=True), 1):
        if (a.cell_type, a.source.strip()) != (b.cell_type, b.source.strip()):
            faults.append(f"cell {number} differs")
        for key in ("tags", "mystnb", "tolerance"):
            if a.metadata.get(key) != b.metadata.get(key):
                faults.append(f"cell {number} differs in its {key}")
    return faults


def faults_of_execution(notebook):
    faults = []
    for expected, cell in enumerate(code_cells(notebook), 1):
        if cell.execution_count != expected:
            faults.append(f"code cell {expected} has the execution count {cell.execution_count}")
        if any(output.output_type == "error" for output in cell.outputs):
            faults.append(f"code cell {expected} holds an error")
        if any(output.get("name") == "stderr" for output in cell.outputs):
            faults.append(f"code cell {expected} wrote to stderr")
    if not any(cell.outputs for cell in code_cells(notebook)):
        faults.append("the notebook has no outputs")
    return faults


def faults_of_images(notebook):
    faults = []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            images = [
                o for o in cell.outputs if any(k.startswith("image/") for k in o.get("data", {}))
            ]
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            if images and len(alt) < 30:
                faults.append(f"cell {number}: a figure without alternative text in its metadata")
        elif cell.cell_type == "markdown":
            faults += [
                f"cell {number}: an image without alternative text"
                for alt in re.findall(r"!\[(.*?)\]\(", cell.source)
                if not alt.strip()
            ]
            faults += [
                f"cell {number}: an <img> without alt"
                for tag in re.findall(r"<img\b[^>]*>", cell.source)
                if "alt=" not in tag
            ]
    return faults


def faults_of_magics(notebook):
    """Magics and shell lines: none is used, and nbval lets an unknown one pass in silence."""
    return [
        f"code cell {number}: {line.strip()!r}"
        for number, cell in enumerate(code_cells(notebook), 1)
        for line in cell.source.splitlines()
        if re.match(r"\s*[%!?]|\s*[\w.]+\?{1,2}\s*$", line)
    ]


def faults_of_metadata(notebook):
    faults = []
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        faults.append("the kernel is not python3, which Colab's button needs")
    if "language_info" in notebook.metadata or "widgets" in notebook.metadata:
        faults.append("the metadata hold the version or the widgets of whoever ran it")
    text = json.dumps([cell.get("outputs", "") for cell in notebook.cells])
    faults += [
        f"an output holds {found!r}"
        for found in re.findall(r"/(?:home|root|Users|tmp|work)/\w+", text)
    ]
    return faults


def faults_of_markdown(notebook):
    """Markup that Colab would show raw."""
    wrong = re.compile(
        r"^\s*(:::|```\{|\(\w[\w-]*\)=)|\{(cite|term|ref|doc|numref)[:}\w]*`|^> \[!", re.M
    )
    return [
        f"cell {number}: {match.group(0)!r} isn't understood outside the book"
        for number, cell in enumerate(notebook.cells, 1)
        if cell.cell_type == "markdown"
        for match in [wrong.search(cell.source)]
        if match
    ]


# --- The notebooks of the course.


def test_there_are_notebooks_and_the_contents_name_each():
    contents = (ROOT / "_toc.yml").read_text()
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        assert f"notebooks/{path.stem}" in contents
    assert {p.stem for p in NOTEBOOKS} == {p.stem for p in (ROOT / "notebooks").glob("*.py")}


@by_notebook
def test_notebook_and_text_twin_agree(path):
    assert not faults_of_pair(read(path), jupytext.read(path.with_suffix(".py")))


@by_notebook
def test_twin_is_what_jupytext_writes(path):
    """In the other direction: the text made from the notebook is the file that is there."""
    notebook = read(path)
    notebook.metadata.setdefault("jupytext", {"formats": "ipynb,py:percent"})
    written = jupytext.writes(notebook, fmt="py:percent")
    body = written.split("# ---\n", 2)[-1].strip()
    assert body == path.with_suffix(".py").read_text().split("# ---\n", 2)[-1].strip()


@by_notebook
def test_every_cell_was_executed_in_order_without_error(path):
    assert not faults_of_execution(read(path))


@by_notebook
def test_every_figure_has_alternative_text(path):
    assert not faults_of_images(read(path))


@by_notebook
def test_there_are_no_magics(path):
    assert not faults_of_magics(read(path))


@by_notebook
def test_metadata_and_outputs_hold_nothing_of_one_machine(path):
    assert not faults_of_metadata(read(path))


@by_notebook
def test_markdown_reads_outside_the_book(path):
    assert not faults_of_markdown(read(path))


@by_notebook
def test_cell_ids_are_stable(path):
    ids = [cell.id for cell in read(path).cells]
    assert ids == [f"{path.stem[:2]}-{number:03d}" for number in range(len(ids))]


@by_notebook
def test_it_opens_with_title_objectives_and_time_and_ends_with_take_aways(path):
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    assert cells[0].startswith("# ") and "**After this chapter you can**" in cells[0]
    assert re.search(r"\*\*Time:\*\* \d+ minutes", cells[0])
    text = "\n".join(cells)
    for heading in ("## Take-aways", "## Further reading", "## Another encoder"):
        assert heading in text, heading


@by_notebook
def test_the_colab_cell_installs_the_package_and_nothing_that_colab_has(path):
    cell = code_cells(read(path))[0]
    assert cell.metadata["tags"] == ["colab", "hide-cell"]
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert f"git+{config['repository']['url']}" in cell.source
    assert "--no-deps" in cell.source
    assert not re.search(
        r"\b(torch|numpy|transformers|scikit-learn|matplotlib|pandas)\b", cell.source
    )
    first_cells = {code_cells(read(other))[0].source for other in NOTEBOOKS}
    assert len(first_cells) == 1, "the notebooks' first cells differ"


@by_notebook
def test_claims_assert_and_are_folded(path):
    claims = [c for c in code_cells(read(path)) if "claim" in c.metadata.get("tags", [])]
    assert len(claims) >= 3
    for cell in claims:
        assert "hide-cell" in cell.metadata.tags and not cell.outputs
        asserts = [n for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Assert)]
        assert asserts
        # an assertion of constants would hold whatever was measured
        assert all(any(isinstance(n, ast.Name) for n in ast.walk(a.test)) for a in asserts)


@by_notebook
def test_cited_works_are_in_the_bibliography(path):
    known = set(re.findall(r"url = \{(.+?)\}", (ROOT / "book" / "references.bib").read_text()))
    cited = {
        url
        for cell in read(path).cells
        if cell.cell_type == "markdown"
        for url in re.findall(r"\]\((https?://[^)]+)\)", cell.source)
        if re.search(r"aclanthology|arxiv|jmlr|openreview", url)
    }
    assert cited and cited <= known, cited - known


# --- Each check bites.


@pytest.fixture
def sample():
    notebook = read(NOTEBOOKS[0])
    return nbformat.from_dict(json.loads(json.dumps(notebook)))


def first_with_image(notebook):
    return next(
        c for p in NOTEBOOKS for c in code_cells(read(p)) if any("image/png" in o.get("data", {}) for o in c.outputs)
    )  # fmt: skip


def test_a_changed_word_or_tag_in_a_pair_is_found(sample):
    twin = nbformat.from_dict(json.loads(json.dumps(sample)))
    assert not faults_of_pair(sample, twin)
    twin.cells[3].source += " "
    assert not faults_of_pair(sample, twin)
    twin.cells[3].source += "another word"
    assert faults_of_pair(sample, twin) == ["cell 4 differs"]
    del twin.cells[-1]
    assert faults_of_pair(sample, twin)
    twin = nbformat.from_dict(json.loads(json.dumps(sample)))
    next(c for c in twin.cells if "claim" in c.metadata.get("tags", [])).metadata.tags = []
    assert any("tags" in fault for fault in faults_of_pair(sample, twin))


def test_missing_outputs_wrong_order_errors_and_stderr_are_found(sample):
    for change, word in [
        (lambda c: c.update(execution_count=None), "None"),
        (lambda c: c.update(execution_count=99), "99"),
        (lambda c: c.outputs.append(nbformat.from_dict({"output_type": "error"})), "error"),
        (lambda c: c.outputs.append(nbformat.from_dict({"output_type": "stream", "name": "stderr"})), "stderr"),
    ]:  # fmt: skip
        notebook = nbformat.from_dict(json.loads(json.dumps(sample)))
        change(code_cells(notebook)[2])
        assert word in " ".join(faults_of_execution(notebook))
    for cell in code_cells(sample):
        cell.outputs = []
    assert "the notebook has no outputs" in faults_of_execution(sample)


def test_a_figure_without_alternative_text_is_found(sample):
    cell = first_with_image(sample)
    sample.cells.append(cell)
    assert not faults_of_images(sample)
    cell.metadata.pop("mystnb")
    assert faults_of_images(sample)
    sample.cells = [nbformat.v4.new_markdown_cell("![](a.png)")]
    assert faults_of_images(sample)


@pytest.mark.parametrize(
    "line", ["%no_such_magic", "!pip install x", "  %pip install x", "len?", "%%bash"]
)
def test_a_magic_is_found(sample, line):
    assert not faults_of_magics(sample)
    code_cells(sample)[1].source += f"\n{line}"
    assert faults_of_magics(sample)


def test_traces_of_one_machine_and_foreign_markup_are_found(sample):
    sample.metadata["language_info"] = {"version": "3.11.7"}
    code_cells(sample)[1].outputs = [
        {"output_type": "stream", "name": "stdout", "text": "/" + "home/me/x"}
    ]
    assert len(faults_of_metadata(sample)) == 2
    for markup in (":::{note}", "see {cite}`devlin2019bert`", "> [!NOTE]", "```{figure} x"):
        sample.cells = [nbformat.v4.new_markdown_cell(markup)]
        assert faults_of_markdown(sample), markup
