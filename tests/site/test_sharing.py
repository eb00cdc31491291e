"""Being found and shared: descriptions, cards, sitemap, citation, search, and where buttons lead."""

import re
import struct
import xml.etree.ElementTree as ElementTree

import address as repository
import build_site
import draw_cards
import pytest
import yaml
from parsed import soup

ROOT = build_site.ROOT
PAGES = build_site.pages_of_contents()
BASE = "https://{}.github.io/{}/".format(*repository.own()[0].split("/"))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_describes_itself_and_has_a_card(site, path):
    head = soup(site, path).head
    description = head.find("meta", {"name": "description"})["content"]
    assert 40 <= len(description) <= 250
    assert head.find("meta", {"property": "og:description"})["content"] == description
    assert head.find("meta", {"property": "og:url"})["content"] == f"{BASE}{path}.html"
    assert head.find("link", {"rel": "canonical"})["href"] == f"{BASE}{path}.html"
    card = head.find("meta", {"property": "og:image"})["content"]
    assert card.startswith(BASE)
    file = site / card.removeprefix(BASE)
    assert struct.unpack(">II", file.read_bytes()[16:24]) == (1200, 630)
    name = path.split("/")[1]
    # a page without a figure shows the course's
    assert card.endswith(f"/{name}.png" if name in draw_cards.contents() else "/intro.png")


def test_descriptions_differ(site):
    descriptions = [
        soup(site, page).find("meta", {"name": "description"})["content"] for page in PAGES
    ]
    assert len(set(descriptions)) == len(PAGES)


def test_the_cards_show_the_figures_that_the_pages_show():
    cards = draw_cards.contents()
    assert {path.stem for path in draw_cards.CARDS.glob("*.png")} == set(cards)
    for name, card in cards.items():
        made_of = draw_cards.digest(card).encode()
        text = (draw_cards.CARDS / f"{name}.png").read_bytes()
        assert made_of in text, f"{name}: run build_tools/draw_cards.py"


def test_the_sitemap_holds_every_page(site):
    tree = ElementTree.parse(site / "sitemap.xml")
    found = {node.text for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")}
    assert found == {f"{BASE}{page}.html" for page in PAGES}


def test_the_citation_file_agrees_with_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{citation["version"]}"' in project
    assert citation["repository-code"] == f"https://github.com/{repository.own()[0]}"
    assert citation["url"] == BASE
    assert {"cff-version", "message", "title", "authors"} <= set(citation)


def test_searching_which_layer_for_ner_finds_the_page_that_answers(open_page):
    page = open_page("search.html?q=which+layer+for+NER")
    page.wait_for_selector("ul.search li a")
    page.wait_for_function(
        "() => /finished|found/i.test(document.querySelector('#search-results p, .search-summary')?.textContent)"
    )
    titles = page.locator("ul.search li > a").all_inner_texts()
    assert any("Which layer should I use" in title for title in titles[:3]), titles


@pytest.mark.parametrize("path", [page for page in PAGES if page.startswith("notebooks/")])
def test_buttons_lead_to_this_notebook_at_the_right_branch(open_page, path):
    name, branch = repository.own()
    page = open_page(f"{path}.html")
    links = {
        link.inner_text(): link.get_attribute("href")
        for link in page.locator(".reading-launch a").all()
    }
    assert links["Open in Colab"] == (
        f"https://colab.research.google.com/github/{name}/blob/{branch}/{path}.ipynb"
    )
    assert links["Open in Binder"] == (
        f"https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{path}.ipynb"
    )
    with page.expect_download() as download:
        page.locator(".reading-launch a[download]").click()
    committed = (ROOT / f"{path}.ipynb").read_bytes()
    assert download.value.path().read_bytes() == committed


def test_no_button_needs_a_script_from_elsewhere(site):
    for page in PAGES:
        for script in soup(site, page).find_all("script"):
            assert not re.match("https?:", script.get("src", "")), script
            assert "https://" not in (script.string or ""), script.string[:200]
