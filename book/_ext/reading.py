"""The bar under a page's title: where the reader is, what remains, where to run it, reading settings.

What the bar says without JavaScript is written here: the number of sections and the minutes, and plain
links that open or download the notebook. book/_static/reading.mjs keeps it up to date while one
scrolls. Previous and next get the question that they answer, from book/pages.yml.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

STATED = re.compile(r"Time:\s+(\d+) minutes")
# A chapter's notebook holds its code, so the code takes part of the stated time.
WORDS_PER_MINUTE = 200
TITLE_END = "</h1>"


def read_pages(app: Sphinx) -> None:
    """pages.yml: each page's question and description."""
    path = Path(app.srcdir) / "book" / "pages.yml"
    app.course_pages = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not hasattr(app.env, "minutes_of_page"):
        app.env.minutes_of_page = {}


def check_pages(app: Sphinx, env) -> None:
    for page in env.found_docs - set(app.course_pages):
        raise ExtensionError(f"book/pages.yml has no entry for {page}: give it a description")
    for page in set(app.course_pages) - env.found_docs:
        raise ExtensionError(f"book/pages.yml describes {page}, which is not a page")


def measure(app: Sphinx, doctree: nodes.document) -> None:
    """Minutes of each section, and of what stands before the first."""
    page = app.env.docname
    top = next(iter(doctree.findall(nodes.section)), None)
    if top is None:
        return
    sections = [node for node in top.children if isinstance(node, nodes.section)]
    words = [count_words(section) for section in sections]
    before = count_words(top) - sum(words)
    total = sum(words) + before
    stated = STATED.search(top.astext())
    minutes = int(stated[1]) if stated else max(1, round(total / WORDS_PER_MINUTE))
    app.env.minutes_of_page[page] = {
        "total": minutes,
        "before": round(minutes * before / total, 2),
        "sections": [round(minutes * count / total, 2) for count in words],
    }


def count_words(node: nodes.Element) -> int:
    """Words and code that are read; not raw HTML, which is mostly marks."""
    return sum(
        len(text.astext().split())
        for text in node.findall(nodes.Text)
        if not isinstance(text.parent, nodes.raw)
    )


def add_bar(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    minutes = app.env.minutes_of_page.get(pagename)
    if doctree is None or not minutes or TITLE_END not in context.get("body", ""):
        return
    chapter = pagename.startswith("notebooks/")
    bar = [_launch(app, pagename, context)] if chapter else []
    bar.append(f'<div class="reading-bar" data-minutes="{html.escape(json.dumps(minutes))}"')
    bar.append(f' data-page="{pagename}"' + (" data-chapter" if chapter else "") + ">")
    count = len(minutes["sections"])
    place = f"{count} sections · about {minutes['total']} minutes" if count > 1 else ""
    bar.append(f'<p class="reading-place">{place}</p>')
    bar.append('<div class="reading-settings-place"></div></div>')
    context["body"] = context["body"].replace(TITLE_END, TITLE_END + "".join(bar), 1)
    app.add_js_file("reading.mjs", type="module")
    for side in ("prev", "next"):
        _add_question(app, context, side)


def _launch(app: Sphinx, pagename: str, context: dict) -> str:
    options = app.config.html_theme_options
    repository = options["repository_url"].removeprefix("https://github.com/").strip("/")
    branch, path = options["repository_branch"], f"{pagename}.ipynb"
    colab, binder = (options["launch_buttons"][key] for key in ("colab_url", "binderhub_url"))
    download = context["pathto"](f"_sources/{path}", 1)
    links = [
        (f"{colab}/github/{repository}/blob/{branch}/{path}", "Open in Colab", ""),
        (f"{binder}/v2/gh/{repository}/{branch}?urlpath=lab/tree/{path}", "Open in Binder", ""),
        (download, "Download the notebook", " download"),
    ]
    listed = "".join(
        f'<li><a href="{html.escape(url)}"{more}>{text}</a></li>' for url, text, more in links
    )
    return f'<ul class="reading-launch">{listed}</ul>'


def _add_question(app: Sphinx, context: dict, side: str) -> None:
    """Say in the previous and next link which question that page answers."""
    neighbour = context.get(side)
    if not neighbour:
        return
    for page, entry in app.course_pages.items():
        # The link is relative, so its last parts are the page's.
        if neighbour["link"].removesuffix(".html").split("/")[-1] == page.split("/")[-1]:
            question = entry.get("question")
            if question:
                title = f"{neighbour['title']}<span class='question'>{html.escape(question)}</span>"
                context[f"{side}_title"] = title


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", read_pages)
    app.connect("env-check-consistency", check_pages)
    app.connect("doctree-read", measure)
    app.connect("html-page-context", add_bar)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
