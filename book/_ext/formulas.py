"""Formulas as MathML, made when the site is built: no script, no font and no request to show them."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

# How many parts an element of MathML has.
PARTS = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}


def fault_of(tex: str, math: str) -> str:
    """What is wrong with a formula that the converter let pass, or an empty text."""
    bare = re.sub(r"\\.", "", tex, flags=re.S)
    if bare.count("{") != bare.count("}"):
        return "has a brace without its partner"
    for element in ElementTree.fromstring(math).iter():
        name = element.tag.rpartition("}")[2]
        if len(element) != PARTS.get(name, len(element)):
            return f"lacks a part of its {name}"
        # A command that isn't known passes through as its own name.
        if name in ("mi", "mo") and re.match(r"\\[A-Za-z]", element.text or ""):
            return "has a command that isn't known"
    return ""


def to_mathml(tex: str, display: str) -> str:
    """One formula, with its TeX kept for those who copy it. Raises ExtensionError for bad TeX."""
    try:
        math = convert(tex, display=display)
    except Exception as error:
        raise ExtensionError(
            f"this formula can't be read ({type(error).__name__}): {tex}"
        ) from error
    fault = fault_of(tex, math)
    if fault:
        raise ExtensionError(f"this formula {fault}: {tex}")
    opening, content = re.match(r"(<math[^>]*>)(.*)</math>$", math, re.S).groups()
    tex = html.escape(tex.strip(), quote=True)
    opening = opening.replace("<math", f'<math alttext="{tex}"', 1)
    annotation = f'<annotation encoding="application/x-tex">{tex}</annotation>'
    return f"{opening}<semantics>{content}{annotation}</semantics></math>"


def inline(translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="formula">{to_mathml(node.astext(), "inline")}</span>')
    raise nodes.SkipNode


def block(translator, node: nodes.math_block) -> None:
    number = ""
    if node["number"]:
        number = f'<span class="eqno">({get_node_equation_number(translator, node)})</span>'
    ids = f' id="{node["ids"][0]}"' if node["ids"] else ""
    formula = to_mathml(node.astext(), "block")
    # Wide formulas scroll inside, so the keyboard must reach them.
    translator.body.append(
        f'<div class="formula-block"{ids} tabindex="0" role="group" aria-label="Formula">{formula}{number}</div>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
