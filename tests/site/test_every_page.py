"""What must hold on each page: nothing from elsewhere, no error, no barrier, and little to load."""

import gzip
import re
from pathlib import Path

import barriers
import build_site
import pytest

PAGES = [f"{page}.html" for page in build_site.pages_of_contents()]
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
OTHERS = ["search.html?q=layer", "genindex.html"]
FIRST_VIEW = 400_000


def name(page):
    return page.split("?")[0].removesuffix(".html")


@pytest.fixture(scope="module")
def seen():
    """By theme, the kinds of text whose contrast was measured; see `barriers`."""
    return {"light": set(), "dark": set()}


STICKING_OUT = """() => [...document.querySelectorAll('article *')].filter(element => {
    if (element.getBoundingClientRect().right <= 391 || element.closest('svg')) return false;
    for (let parent = element; parent && parent.tagName !== 'ARTICLE'; parent = parent.parentElement)
        if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(parent).overflowX)) return false;
    return getComputedStyle(element).position !== 'absolute';
}).map(element => element.outerHTML.slice(0, 150))"""


class Visit:
    """A page as it is found by who comes for the first time, then in the dark, then on a phone."""

    def __init__(self, page, address, path, seen):
        answers = []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(address + path, wait_until="networkidle")
        self.weights = _weights(tuple(answers), address) if path in CHAPTERS else {}
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(100)
        page.emulate_media(reduced_motion="reduce")
        self.barriers = []
        for theme in ("light", "dark"):
            page.evaluate(
                "theme => { document.documentElement.dataset.theme = theme;"
                " document.documentElement.dataset.mode = theme; }",
                theme,
            )
            page.wait_for_timeout(300)  # colours fade
            if theme == "light":
                found = barriers.of_everything(page, seen[theme])
                self.shown = barriers.remember(page)
            else:
                found = barriers.of_colours(page, seen[theme])
                found += barriers.of_structure_of_what_is_new(page)
            self.barriers += [f"{theme} {barrier}" for barrier in found]
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(address + path)
        self.width = page.evaluate("document.documentElement.scrollWidth")
        self.sticking_out = page.evaluate(STICKING_OUT)
        self.barriers += [f"on a phone {barrier}" for barrier in barriers.of_structure(page)]
        self.elsewhere, self.complaints = page.elsewhere, page.complaints


def _weights(answers, address):
    """By file, its weight as a server sends it that compresses text, as GitHub Pages does."""
    found = {}
    for answer in answers:
        body = answer.body()
        packed = answer.url.endswith((".png", ".woff2"))
        found[answer.url.removeprefix(address)] = len(body if packed else gzip.compress(body))
    return found


@pytest.fixture(scope="module", params=PAGES + OTHERS, ids=name)
def visit(request, watched, address, seen):
    with watched(fresh=True, service_workers="allow") as page:
        yield Visit(page, address, request.param, seen)


def test_a_page_asks_nobody_else_and_complains_of_nothing(visit):
    assert visit.elsewhere == []
    assert visit.complaints == []


def test_axe_finds_no_barrier(visit):
    assert not visit.barriers, "\n".join(visit.barriers)
    assert visit.shown > 50


def test_nothing_sticks_out_on_a_phone(visit):
    # What is wider scrolls inside itself.
    assert visit.width <= 390
    assert visit.sticking_out == []


@pytest.mark.parametrize("visit", CHAPTERS, ids=name, indirect=True)
def test_the_first_view_of_a_chapter_is_light(visit):
    total = sum(visit.weights.values())
    heaviest = sorted(visit.weights.items(), key=lambda row: -row[1])[:6]
    assert 100_000 < total <= FIRST_VIEW, f"{total:,} bytes: {heaviest}"


def test_the_first_page_is_the_introduction(open_page):
    page = open_page("index.html", until="commit")
    page.wait_for_url("**/book/intro.html")
    assert page.locator("h1").first.inner_text().startswith("Which Layer?")


WRONG = """() => {
    new Image().src = 'http://127.0.0.1:9/elsewhere.png';
    console.error('a complaint');
    const article = document.querySelector('article');
    const wide = document.createElement('div');
    wide.style.width = '3000px';
    wide.textContent = 'wide';
    article.append(wide);
    article.insertAdjacentHTML('beforeend', '<img src="data:,">');
}"""


def test_what_is_wrong_with_a_page_is_found(watched, address):
    """The checks above see what they look for: each is shown a page that breaks it."""
    with watched(fresh=True, service_workers="allow") as page:
        page.add_init_script(f"addEventListener('DOMContentLoaded', {WRONG})")
        visit = Visit(page, address, "book/setup.html", {"light": set(), "dark": set()})
    assert set(visit.elsewhere) == {"http://127.0.0.1:9/elsewhere.png"}
    assert any("a complaint" in text for text in visit.complaints)
    assert visit.width > 390 and any("wide" in html for html in visit.sticking_out)
    found = " ".join(visit.barriers)
    assert "light image-alt" in found and "on a phone image-alt" in found


# What decides may stand far away: the background on a box around it, the size or weight in a class.
TEXTS = """
<p id=grey style="color:#777;background:#888">in both</p>
<div style="background:#333"><div><p id=boxed style="color:#222">in both, for what is behind it</p></div></div>
<div style="opacity:.2"><p id=faded>in both</p></div>
<div style="background:#222"><p id=black>as on the page, where it isn't dark</p></div>
<p id=light style="color:#eee">in light</p>
<p id=dark style="color:#222">in the dark</p>
<p>Text with <a id=link style="color:color-mix(in srgb,currentColor 85%,#808080);text-decoration:none" href="#x">a link like it</a> inside.</p>
<p id=usual>as everywhere</p>
"""
UNREADABLE = {
    "light": {"grey", "boxed", "faded", "black", "light"},
    "dark": {"grey", "boxed", "faded", "dark"},
}


def test_text_that_does_not_stand_out_is_found_on_a_page_whose_own_was_measured(open_page):
    page = open_page("book/setup.html", reduced_motion="reduce")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        page.wait_for_timeout(300)
        seen = set()
        assert barriers.of_colours(page, seen) == [] and len(seen) > 20
        assert barriers.of_colours(page, seen) == []
        add = "html => { const all = document.createElement('div'); all.innerHTML = html;"
        page.evaluate(add + " document.querySelector('article').append(all); }", TEXTS)
        found = barriers.of_colours(page, set(seen))
        page.evaluate("document.querySelector('article').lastElementChild.remove()")
        named = {rule: set() for rule in barriers.OF_COLOURS}
        for barrier in found:
            rule, _, html = barrier.partition(": ")
            named[rule].add(re.search(r'id="(\w+)"', html)[1])
        assert named == {"color-contrast": UNREADABLE[theme], "link-in-text-block": {"link"}}


def test_a_barrier_that_one_theme_alone_shows_is_found(open_page):
    page = open_page("book/setup.html")
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', "
        "'<img id=new style=display:none src=data:,><p id=old>text</p>')"
    )
    assert barriers.of_structure(page) == [] and barriers.remember(page) > 50
    assert barriers.of_structure_of_what_is_new(page) == []
    page.evaluate("document.getElementById('new').style.display = 'block'")
    assert "image-alt" in barriers.of_structure_of_what_is_new(page)[0]


def test_sizes_are_measured_on_files_that_are_there(site):
    assert all((site / Path(page)).is_file() for page in PAGES)
