"""What must hold on each page: nothing from elsewhere, no error, no barrier, and little to load."""

import gzip
from pathlib import Path

import build_site
import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = [f"{page}.html" for page in build_site.pages_of_contents()]
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
OTHERS = ["search.html?q=layer", "genindex.html"]
FIRST_VIEW = 400_000
# Off by default in axe, and a real barrier for those who speak to their computer.
RULES = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
WITHOUT_CONTRAST = {"rules": RULES["rules"] | {"color-contrast": {"enabled": False}}}


def name(page):
    return page.split("?")[0].removesuffix(".html")


@pytest.mark.parametrize("path", PAGES + OTHERS, ids=name)
def test_a_page_asks_nobody_else_and_complains_of_nothing(open_page, path):
    page = open_page(path, until="networkidle")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(100)
    assert page.elsewhere == []
    assert page.complaints == []


# Contrast is measured for every bit of text, which takes most of the time. Code has thousands of bits in
# some twenty colours, the same on the whole page: a few of each colour are kept, the others become text.
THIN_OUT_CODE = """() => {
    const seen = {};
    for (const bit of document.querySelectorAll('.highlight pre span')) {
        const kind = bit.className;
        seen[kind] = (seen[kind] || 0) + 1;
        if (seen[kind] > 2) bit.replaceWith(bit.textContent);
    }
}"""


@pytest.mark.parametrize("path", PAGES + OTHERS, ids=name)
def test_axe_finds_no_barrier(open_page, path):
    found = []
    for width in (1280, 390):
        page = open_page(path, width=width, reduced_motion="reduce")
        page.evaluate(THIN_OUT_CODE)
        for theme in ("light", "dark"):
            page.evaluate(
                "theme => { document.documentElement.dataset.theme = theme;"
                " document.documentElement.dataset.mode = theme; }",
                theme,
            )
            page.wait_for_timeout(300)  # colours fade
            # Colours don't depend on the width.
            rules = RULES if width == 1280 else WITHOUT_CONTRAST
            for violation in Axe().run(page, options=rules).response["violations"]:
                found += [
                    f"{width} {theme} {violation['id']}: {node['html'][:200]}"
                    for node in violation["nodes"][:3]
                ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", PAGES + OTHERS, ids=name)
def test_nothing_sticks_out_on_a_phone(open_page, path):
    page = open_page(path, width=390, height=800)
    # What is wider scrolls inside itself.
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        """() => [...document.querySelectorAll('article *')].filter(element => {
            if (element.getBoundingClientRect().right <= 391 || element.closest('svg')) return false;
            for (let parent = element; parent && parent.tagName !== 'ARTICLE'; parent = parent.parentElement)
                if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(parent).overflowX)) return false;
            return getComputedStyle(element).position !== 'absolute';
        }).map(element => element.outerHTML.slice(0, 150))"""
    )
    assert wide == []


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_the_first_view_of_a_chapter_is_light(open_page, browser, address, path):
    """As a server sends it that compresses text, as GitHub Pages does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address + path, wait_until="networkidle")
    weights = {}
    for answer in answers:
        body = answer.body()
        packed = answer.url.endswith((".png", ".woff2"))
        weights[answer.url.removeprefix(address)] = len(body if packed else gzip.compress(body))
    context.close()
    total = sum(weights.values())
    heaviest = sorted(weights.items(), key=lambda row: -row[1])[:6]
    assert total <= FIRST_VIEW, f"{total:,} bytes: {heaviest}"


def test_the_first_page_is_the_introduction(open_page):
    page = open_page("index.html", until="commit")
    page.wait_for_url("**/book/intro.html")
    assert page.locator("h1").first.inner_text().startswith("Which Layer?")


def test_what_is_wrong_with_a_page_is_found(open_page, browser, address, site):
    """The checks above see what they look for: each is shown a page that breaks it."""
    page = open_page("book/setup.html")
    page.evaluate(
        """() => {
            new Image().src = 'http://127.0.0.1:9/elsewhere.png';
            console.error('a complaint');
            const wide = document.createElement('div');
            wide.style.width = '3000px';
            wide.textContent = 'wide';
            document.querySelector('article').append(wide);
            document.querySelector('article').insertAdjacentHTML('beforeend', '<img src="data:,"><p style="color:#777;background:#888">grey</p>');
        }"""
    )
    page.wait_for_timeout(200)
    assert page.elsewhere == ["http://127.0.0.1:9/elsewhere.png"]
    assert any("a complaint" in text for text in page.complaints)
    assert page.evaluate("document.documentElement.scrollWidth") > 1280
    violations = {v["id"] for v in Axe().run(page, options=RULES).response["violations"]}
    assert {"image-alt", "color-contrast"} <= violations


def test_sizes_are_measured_on_files_that_are_there(site):
    assert all((site / Path(page)).is_file() for page in PAGES)
