"""Terms of the glossary: its page, and a mark with the definition where a term first stands in a section.

`book/glossary.yml` is the one source. The directive `course-glossary` makes the page of it. On every
other page the first occurrence of a term in each section becomes a link to the glossary; a script
shows the definition beside it, for the levels that the reader has chosen (book/_static/terms.mjs).
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

LEVELS = ("beginner", "intermediate", "expert")
GLOSSARY_PAGE = "book/glossary"

# A term isn't marked where it is code, a name of something, part of a link, or being asked about.
SKIPPED = (
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.reference,
    nodes.math,
    nodes.math_block,
    nodes.caption,
    nodes.legend,
    nodes.raw,
    nodes.citation,
    nodes.term,
    nodes.comment,
    addnodes.desc_signature,
)


class Glossary:
    """The terms, read and checked, with one pattern for all their forms."""

    def __init__(self, path: Path) -> None:
        self.terms: dict[str, dict] = {}
        forms: dict[str, str] = {}
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            name = entry.get("term", "a term")
            if set(entry) != {"term", "level", "forms", "definition"}:
                raise ExtensionError(f"{path.name}: {name} needs term, level, forms and definition")
            if entry["level"] not in LEVELS:
                raise ExtensionError(
                    f"{path.name}: {name}: the level is one of {', '.join(LEVELS)}"
                )
            if name in self.terms:
                raise ExtensionError(f"{path.name}: {name} is there twice")
            self.terms[name] = entry
            for form in entry["forms"]:
                for spelling in {form, form[0].upper() + form[1:]}:
                    if spelling in forms:
                        raise ExtensionError(f"{path.name}: the form {form} is there twice")
                    forms[spelling] = name
        self.of_form = forms
        longest_first = sorted(forms, key=len, reverse=True)
        # No letter, digit or hyphen beside it: not "probe" in "probe-like", not "layer" in "layers".
        self.pattern = re.compile(
            r"(?<![\w-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])"
        )


def anchor_of(term: str) -> str:
    """The id that Sphinx gives a term on the glossary's page."""
    return "term-" + re.sub(r"[^A-Za-z0-9]+", "-", term).strip("-")


class CourseGlossary(SphinxDirective):
    """The glossary, made from glossary.yml."""

    def run(self) -> list[nodes.Node]:
        glossary: Glossary = self.env.app.course_glossary
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "glossary.yml"))
        lines = ["```{glossary}"]
        for name in sorted(glossary.terms, key=str.lower):
            entry = glossary.terms[name]
            lines += [name, f"  *{entry['level']}.* {entry['definition']}", ""]
        container = nodes.container()
        self.state.nested_parse(StringList([*lines, "```"], "glossary.yml"), 0, container)
        return container.children


def mark_terms(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if docname == GLOSSARY_PAGE:
        return
    glossary: Glossary = app.course_glossary
    marked: dict[int, set[str]] = {}
    used: set[str] = set()
    for text in list(doctree.findall(nodes.Text)):
        section = _section_to_mark(text)
        if section is None:
            continue
        new, rest = [], text.astext()
        done = marked.setdefault(id(section), set())
        start = 0
        for match in glossary.pattern.finditer(rest):
            term = glossary.of_form[match[0]]
            if term in done:
                continue
            done.add(term)
            used.add(term)
            new += [nodes.Text(rest[start : match.start()])] if match.start() > start else []
            new.append(_link(app, docname, term, match[0]))
            start = match.end()
        if new:
            new += [nodes.Text(rest[start:])] if start < len(rest) else []
            text.parent.replace(text, new)
    app.env.terms_of_page[docname] = sorted(used)


def _section_to_mark(text: nodes.Text) -> nodes.section | None:
    """The section that the text is in; None where nothing is marked."""
    node = text.parent
    while node is not None:
        if (
            isinstance(node, SKIPPED)
            or _is_notebook_code(node)
            or "quiz" in node.get("classes", [])
        ):
            return None
        if isinstance(node, nodes.section):
            return node
        node = node.parent
    return None


def _is_notebook_code(node: nodes.Element) -> bool:
    """True for a notebook's code cell, its input and output."""
    return node.get("nb_element") in ("cell_code", "cell_code_source", "cell_code_output")


def _link(app: Sphinx, docname: str, term: str, text: str) -> nodes.raw:
    page = app.builder.get_relative_uri(docname, GLOSSARY_PAGE)
    level = app.course_glossary.terms[term]["level"]
    anchor = anchor_of(term)
    link = (
        f'<a class="term" href="{page}#{anchor}" data-term="{anchor}" data-level="{level}">'
        f"{html.escape(text)}</a>"
    )
    return nodes.raw("", link, format="html")


def add_definitions(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """The definitions of the page's terms, hidden at its end, for the script to show."""
    used = app.env.terms_of_page.get(pagename)
    if not used or "body" not in context:
        return
    rows = "".join(
        f'<div id="explain-{anchor_of(term)}"><strong>{html.escape(term)}</strong>: '
        f"{_inline(app.course_glossary.terms[term]['definition'])}</div>"
        for term in used
    )
    context["body"] += f'<div class="term-definitions" hidden>{rows}</div>'
    app.add_js_file("terms.mjs", type="module")


def _inline(text: str) -> str:
    """The little Markdown that definitions use, as HTML."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def read_glossary(app: Sphinx) -> None:
    app.course_glossary = Glossary(Path(app.srcdir) / "book" / "glossary.yml")
    if not hasattr(app.env, "terms_of_page"):
        app.env.terms_of_page = {}


def pages_to_read_again(app: Sphinx, env, added, changed, removed) -> list[str]:
    """All pages are marked anew if the glossary has changed."""
    entries = repr(app.course_glossary.terms)
    same = getattr(env, "glossary_entries", None) == entries
    env.glossary_entries = entries
    return [] if same else list(env.found_docs)


def setup(app: Sphinx) -> dict:
    app.add_directive("course-glossary", CourseGlossary)
    app.connect("builder-inited", read_glossary)
    app.connect("env-get-outdated", pages_to_read_again)
    # Late, so that citations and other references are links by then.
    app.connect("doctree-resolved", mark_terms, priority=900)
    app.connect("html-page-context", add_definitions)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
