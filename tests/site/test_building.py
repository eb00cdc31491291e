"""The built site: its pages are there with their figures, and what is wrong is refused."""

import json
import shutil
from pathlib import Path

import build_site
import pytest
import yaml
from parsed import soup

ROOT = Path(__file__).parents[2]

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="session", autouse=True)
def built():
    """`make test` builds the site first; on its own, this file builds it."""
    if not (build_site.SITE / "index.html").is_file():
        build_site.main(fresh=False)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_chapter_shows_its_figures_and_outputs(path):
    page = soup(build_site.SITE, f"notebooks/{path.stem}")
    cells = json.loads(path.read_text())["cells"]
    figures = sum(
        "image/png" in output.get("data", {})
        for cell in cells
        for output in cell.get("outputs", [])
    )
    shown = page.select("div.cell_output img")
    assert len(shown) == figures
    assert all(len(image["alt"]) >= 30 for image in shown)
    for image in shown:
        assert (build_site.SITE / "notebooks" / image["src"]).resolve().is_file()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_claims_are_folded_and_colab_opens_the_notebook(path):
    page = soup(build_site.SITE, f"notebooks/{path.stem}")
    claims = page.select("div.cell.tag_claim")
    assert claims and all(claim.find("details") for claim in claims)
    links = {
        a["href"].partition("/blob/main/")[2]
        for a in page.find_all("a", href=True)
        if "colab.research.google.com" in a["href"]
    }
    assert links == {f"notebooks/{path.stem}.ipynb", f"exercises/student/{path.stem}.ipynb"}


def test_the_first_page_links_every_chapter():
    links = {
        a["href"].split("#")[0]
        for a in soup(build_site.SITE, "book/intro").find_all("a", href=True)
    }
    for path in NOTEBOOKS:
        assert f"../notebooks/{path.stem}.html" in links


PAGE = "<html><body><h1 id='top'>x</h1>{}</body></html>"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("<a href='missing.html'>x</a>", "leads nowhere"),
        ("<a href='#nothing'>x</a>", "an anchor that isn't there"),
        ("<a href='other.html#nothing'>x</a>", "an anchor that isn't there"),
        ("<img src='a.png'>", "no alternative text"),
        ("<img src='a.png' alt='a.png'>", "no alternative text"),
        ("<img src='https://example.org/a.png' alt='a picture'>", "on another host"),
        (
            "<a href='#top'>x</a><a href='other.html#top'>x</a><a href='https://example.org/'>x</a>",
            None,
        ),
    ],
)
def test_dead_links_and_undescribed_images_are_refused(tmp_path, body, says):
    (tmp_path / "page.html").write_text(PAGE.format(body))
    (tmp_path / "other.html").write_text(PAGE.format(""))
    faults = build_site.faults_of_pages(tmp_path.resolve())
    assert (says is None and not faults) or says in " ".join(faults)


def test_a_notebook_never_run_or_with_an_error_is_refused(tmp_path):
    path = tmp_path / "x.ipynb"
    cell = {"cell_type": "code", "source": "1/0", "execution_count": None, "outputs": []}
    path.write_text(json.dumps({"cells": [cell]}))
    assert "was never run" in build_site.faults_of_notebook(path)[0]
    cell.update(execution_count=1, outputs=[{"output_type": "error"}])
    path.write_text(json.dumps({"cells": [cell]}))
    assert "holds an error" in build_site.faults_of_notebook(path)[0]


def test_a_page_that_left_the_contents_leaves_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(build_site, "SITE", tmp_path)
    (tmp_path / "book").mkdir()
    for name in ("intro", "former"):
        (tmp_path / "book" / f"{name}.html").write_text("")
    build_site.remove_pages_of_former_builds(["book/intro"])
    assert [path.name for path in tmp_path.rglob("*.html")] == ["intro.html"]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Three pages of the site with all that builds them, to break: other pages would only take time."""
    (tmp_path / "whichlayer").symlink_to(ROOT / "whichlayer")  # the extensions look at it
    shutil.copy(ROOT / "_config.yml", tmp_path)
    pages = {"setup.md", "glossary.md", "references.md"}
    others = [path.name for path in (ROOT / "book").glob("*.md") if path.name not in pages]
    skip = shutil.ignore_patterns(*others, "live", "quizzes")
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=skip)
    described = tmp_path / "book" / "pages.yml"
    about = yaml.safe_load(described.read_text(encoding="utf-8"))
    kept = {page: text for page, text in about.items() if f"{page[5:]}.md" in pages}
    described.write_text(yaml.safe_dump(kept, allow_unicode=True), encoding="utf-8")
    contents = {"format": "jb-book", "root": "book/setup"}
    contents["chapters"] = [{"file": "book/glossary"}, {"file": "book/references"}]
    (tmp_path / "_toc.yml").write_text(json.dumps(contents))  # which is YAML, too
    monkeypatch.setattr(build_site, "ROOT", tmp_path)
    monkeypatch.setattr(build_site, "SITE", tmp_path / "_build" / "html")
    monkeypatch.setattr(build_site, "build_live", lambda site: None)
    return tmp_path


def test_the_copy_is_built_if_nothing_is_broken(copy):
    build_site.main(fresh=False)


def test_a_warning_fails_the_build(copy):
    page = copy / "book" / "setup.md"
    page.write_text(page.read_text() + "\n{cite}`nobody0000`\n")
    # the second time, too: what was read before isn't read again
    for _ in range(2):
        with pytest.raises(SystemExit, match=r"could not be built(.|\n)*nobody0000"):
            build_site.main(fresh=False)


def test_a_page_in_no_contents_fails_the_build(copy):
    (copy / "book" / "forgotten.md").write_text("# Forgotten\n")
    with pytest.raises(SystemExit, match="book/forgotten is in no table of contents"):
        build_site.main(fresh=False)
