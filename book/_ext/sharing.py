"""What others see of a page: its description, the card of a shared link, and the sitemap."""

from __future__ import annotations

import html
from pathlib import Path
from xml.sax.saxutils import escape

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def set_address(app: Sphinx, config) -> None:
    """The site's own address follows from the repository's, as GitHub Pages has it."""
    url = config.html_theme_options["repository_url"].removeprefix("https://github.com/").strip("/")
    owner, name = url.split("/")
    config.html_baseurl = f"https://{owner}.github.io/{name}/"


def card_of(app: Sphinx, pagename: str) -> str:
    """The page's card, as a path in the site; the course's own where it has none."""
    name = f"{pagename.split('/')[-1]}.png"
    folder = Path(app.srcdir) / "book" / "_static" / "cards"
    card = name if (folder / name).is_file() else "intro.png"
    if not (folder / card).is_file():
        raise ExtensionError(f"there is no card {folder / card}: make cards")
    return f"_static/cards/{card}"


def describe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    entry = app.course_pages.get(pagename)
    if entry is None:
        return
    base = app.config.html_baseurl
    title = html.escape(f"{context['title']} · {app.config.html_title}")
    description = html.escape(" ".join(entry["description"].split()))
    card = base + card_of(app, pagename)
    tags = [
        ("name", "description", description),
        ("property", "og:type", "article"),
        ("property", "og:site_name", html.escape(app.config.html_title)),
        ("property", "og:title", title),
        ("property", "og:description", description),
        ("property", "og:url", f"{base}{pagename}.html"),
        ("property", "og:image", card),
        ("property", "og:image:width", "1200"),
        ("property", "og:image:height", "630"),
        ("property", "og:image:alt", title),
        ("name", "twitter:card", "summary_large_image"),
    ]
    context["metatags"] = context.get("metatags", "") + "".join(
        f'\n<meta {kind}="{name}" content="{content}" />' for kind, name, content in tags
    )


def write_sitemap(app: Sphinx, error: Exception | None) -> None:
    if error is not None:
        return
    pages = sorted(app.env.found_docs)
    rows = "".join(
        f"<url><loc>{escape(app.config.html_baseurl)}{page}.html</loc></url>\n" for page in pages
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )
    Path(app.outdir, "sitemap.xml").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", set_address, priority=100)
    # After `reading`, which reads the pages' descriptions.
    app.connect("html-page-context", describe, priority=600)
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
