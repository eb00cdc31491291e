"""Repairs to the theme's pages, made where a page is written.

Each names what it looks for and on which pages it must be there. One that no longer matches stops the
build: the theme has changed, and somebody should look.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

Repair = tuple[str, re.Pattern, str, Callable[[str], bool]]


def everywhere(page: str) -> bool:
    return True


def chapters(page: str) -> bool:
    return page.startswith("notebooks/")


def references(page: str) -> bool:
    return page == "book/references"


REPAIRS: list[Repair] = [
    (
        "the icons' script weighs half a megabyte, and the icons' font does without it",
        re.compile(
            r"\s*(?:<!-- So that users can add custom icons -->\s*)?"
            r"<script [^>]*?(?:fontawesome\.js|fontawesome/[^\">]*/all\.min\.js)[^>]*></script>"
        ),
        "",
        everywhere,
    ),
    (
        "the sidebar's title is in no landmark",
        # The theme for Python 3.10 is older and has no id there.
        re.compile(
            r'(<div (?:id="pst-primary-sidebar" )?class="bd-sidebar-primary bd-sidebar[^"]*")>'
        ),
        r'\1 role="complementary" aria-label="The book">',
        everywhere,
    ),
    (
        "the search button's name is another than the text that it shows",
        re.compile(
            r'(<button class="btn search-button-field[^>]*?) title="Search" aria-label="Search"'
        ),
        r"\1",
        everywhere,
    ),
    (
        "a folded cell's name is another than the text that it shows",
        re.compile(r'<summary aria-label="Toggle hidden content">'),
        "<summary>",
        chapters,
    ),
    (
        "a table's empty corner is called a header",
        re.compile(r"<th></th>"),
        "<td></td>",
        chapters,
    ),
    (
        "the bibliography's entries have a role that no longer exists",
        re.compile(r' role="doc-biblioentry"'),
        "",
        references,
    ),
    (
        "the bibliography is called a list and holds no list items",
        re.compile(r'<div role="list" class="citation-list">'),
        '<div class="citation-list">',
        references,
    ),
]


def repaired(page: str, text: str) -> str:
    for reason, pattern, replacement, belongs in REPAIRS:
        if belongs(page):
            text, count = pattern.subn(replacement, text)
            if not count:
                raise ExtensionError(f"{page}: nothing left to repair where {reason}")
    return text


def install(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    render = app.builder.templates.render

    def render_and_repair(template: str, context: dict) -> str:
        text = render(template, context)
        # The parts of a page are rendered on their own, too.
        return repaired(context["pagename"], text) if "</html>" in text else text

    app.builder.templates.render = render_and_repair


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", install, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
