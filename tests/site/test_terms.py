"""Terms: marked once a section and where they should be, and explained in every way one may ask."""

import re

import build_site
import pytest
import yaml
from parsed import soup

ROOT = build_site.ROOT
GLOSSARY = yaml.safe_load((ROOT / "book" / "glossary.yml").read_text(encoding="utf-8"))
CHAPTER = "notebooks/05_inter_layer_similarity.html"
PAGES = [page for page in build_site.pages_of_contents() if page != "book/glossary"]


def test_the_glossary_has_its_terms_with_their_levels(site):
    page = soup(site, "book/glossary")
    shown = {dt.get_text().rstrip("#").strip() for dt in page.select("dl.glossary dt")}
    assert shown == {entry["term"] for entry in GLOSSARY}
    assert len(shown) >= 60
    assert {entry["level"] for entry in GLOSSARY} == {"beginner", "intermediate", "expert"}


@pytest.mark.parametrize("path", PAGES)
def test_a_term_is_marked_at_its_first_place_in_a_section_only(site, path):
    page = soup(site, path)
    for section in page.select("article section"):
        own = [a for a in section.select("a.term") if a.find_parent("section") is section]
        terms = [a["data-term"] for a in own]
        assert len(terms) == len(set(terms)), (section.get("id"), terms)


@pytest.mark.parametrize("path", PAGES)
def test_no_term_is_marked_in_code_headings_links_formulas_captions_or_quizzes(site, path):
    page = soup(site, path)
    inside = "pre, code, h1, h2, h3, h4, figcaption, math, .quiz, .cell_input, .cell_output"
    assert not [a for place in page.select(inside) for a in place.select("a.term")]
    assert not [a for a in page.select("a.term") if a.find_parent("a")]


def test_the_first_place_is_marked_not_a_later_one(site):
    section = soup(site, "notebooks/05_inter_layer_similarity").select_one(
        "#what-a-cosine-of-nothing-is"
    )
    text = section.find("p")
    # "cosine" stands first in this paragraph
    before = text.select_one('a[data-term="term-cosine"]')
    assert before and "cosine" not in "".join(
        str(node) for node in before.previous_siblings if isinstance(node, str)
    )


def test_plurals_and_abbreviations_are_forms_of_their_term(site):
    marked = {
        (a["data-term"], a.get_text()) for path in PAGES for a in soup(site, path).select("a.term")
    }
    assert ("term-centred-kernel-alignment", "CKA") in marked
    assert {text for term, text in marked if term == "term-probe"} >= {"probe", "probes"}
    assert not {text for _, text in marked if text in {"C", "head"}}


def described(page, term):
    """What a screen reader says of a term beyond its text."""
    return page.evaluate(
        "term => { const id = term.getAttribute('aria-describedby');"
        " return id ? document.getElementById(id).textContent : null; }",
        term.element_handle(),
    )


BUBBLE = ".term-bubble.shown"


def test_hovering_shows_the_definition_and_leaving_closes_it(open_page):
    page = open_page(CHAPTER)
    term = page.locator("a.term[data-term=term-anisotropy]").first
    term.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    term.hover()
    page.wait_for_selector(BUBBLE)
    assert "similar directions" in page.locator(BUBBLE).inner_text()
    box, bubble = term.bounding_box(), page.locator(BUBBLE).bounding_box()
    assert abs(bubble["y"] - box["y"]) < 150 and bubble["x"] >= 0
    # onto the definition itself, to select a word of it
    page.locator(BUBBLE).hover()
    page.wait_for_timeout(300)
    assert page.locator(BUBBLE).is_visible()
    page.mouse.move(5, 5)
    page.wait_for_selector(BUBBLE, state="hidden")


def test_the_keyboard_shows_it_and_escape_closes_it(open_page):
    page = open_page(CHAPTER)
    term = page.locator("a.term[data-term=term-anisotropy]").first
    term.focus()
    page.wait_for_selector(BUBBLE)
    page.keyboard.press("Escape")
    page.wait_for_selector(BUBBLE, state="hidden")
    assert page.evaluate("document.activeElement.dataset.term") == "term-anisotropy"
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.wait_for_selector(BUBBLE)
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    text = page.locator(BUBBLE).inner_text() if page.locator(BUBBLE).count() else ""
    assert "similar directions" not in text
    assert "similar directions" in described(page, term)


def test_the_first_tap_explains_and_the_second_follows(open_page):
    page = open_page(CHAPTER, width=390, has_touch=True, is_mobile=True)
    term = page.locator("a.term[data-term=term-anisotropy]").first
    term.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    term.tap()
    page.wait_for_selector(BUBBLE)
    assert page.url.endswith(CHAPTER)
    bubble = page.locator(BUBBLE).bounding_box()
    assert bubble["x"] >= 0 and bubble["x"] + bubble["width"] <= 390
    page.touchscreen.tap(4, 700)  # the margin
    page.wait_for_selector(BUBBLE, state="hidden")
    term.tap()
    page.wait_for_selector(BUBBLE)
    term.tap()
    page.wait_for_url("**/book/glossary.html#term-anisotropy")


def test_without_javascript_a_term_is_a_link_to_the_glossary(open_page):
    page = open_page(CHAPTER, java_script_enabled=False)
    page.locator("a.term[data-term=term-anisotropy]").first.click()
    assert page.url.endswith("book/glossary.html#term-anisotropy")
    assert page.locator("#term-anisotropy").is_visible()


def choose(page, level):
    page.locator(".reading-settings summary").click()
    page.locator(f".reading-settings input[value={level}]").check()
    page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("level", "explained"),
    [
        ("beginner", {"beginner", "intermediate", "expert"}),
        ("intermediate", {"intermediate", "expert"}),
        ("expert", {"expert"}),
        ("off", set()),
    ],
)
def test_a_level_is_kept_across_pages(open_page, address, level, explained):
    page = open_page(CHAPTER)
    choose(page, level)
    for path in (CHAPTER, "notebooks/06_many_properties.html"):
        page.goto(address + path)
        page.wait_for_selector(".reading-settings")
        terms = page.evaluate(
            """() => [...document.querySelectorAll('a.term')].map(term => [term.dataset.level,
                term.hasAttribute('href') && term.hasAttribute('aria-describedby'), term.matches(':any-link')])"""
        )
        assert {level for level, active, _ in terms if active} == explained
        # What isn't explained is plain text, and no stop for the Tab key.
        assert all(active == link for _, active, link in terms)


def test_a_definition_stands_on_the_page_once(site):
    for path in PAGES:
        page = soup(site, path)
        terms = {a["data-term"] for a in page.select("a.term")}
        definitions = [div["id"] for div in page.select(".term-definitions > div")]
        assert sorted(definitions) == sorted(f"explain-{term}" for term in terms)
        assert not re.search(
            r"[*`]", " ".join(d.get_text() for d in page.select(".term-definitions"))
        )
