"""Cut the theme's icon fonts down to the icons that the site shows.

The theme brings some 2,000 icons in 270 KB; the site uses about thirty of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset
from fontTools.ttLib import TTFont

# From here, since the site's copies may have been cut down by an earlier build.
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
PRIVATE_USE = re.compile("[\ue000-\uf8ff]")
# .fa-bars:before,.fa-navicon:before{content:"\f0c9"}
RULE = re.compile(r'([^{}]*)\{(?:content|--fa):"([^"]+)"')


def characters_in_use(site: Path) -> set[str]:
    """The characters of the icon fonts that a page, a script or a style of the site may show."""
    pages = "".join(
        path.read_text(encoding="utf-8")
        for kind in ("*.html", "*.js", "*.mjs")
        for path in site.rglob(kind)
        if path.name != "fontawesome.js"
    )
    names = set(re.findall(r"\bfa-([a-z0-9-]+)", pages))
    used: set[str] = set()
    for path in site.rglob("*.css"):
        css = path.read_text(encoding="utf-8")
        for selector, content in RULE.findall(css):
            character = _decoded(content)
            of_icon = re.findall(r"\.fa-([a-z0-9-]+)", selector)
            # A rule without an icon's class is the theme's own, for its marks and boxes.
            if not of_icon or names & set(of_icon):
                used |= set(PRIVATE_USE.findall(character))
        for value in re.findall(r'--pst-icon-[a-z-]+: *"([^"]+)"', css):
            used |= set(PRIVATE_USE.findall(_decoded(value)))
    return used


def _decoded(content: str) -> str:
    return re.sub(r"\\([0-9a-f]{4,6}) ?", lambda match: chr(int(match[1], 16)), content)


def subset_icons(site: Path) -> None:
    """Replace the site's icon fonts by what it uses of them. Raises ValueError if that is nothing."""
    used = characters_in_use(site)
    if not used:
        raise ValueError("no icon of the theme's fonts is used: have its pages or styles changed?")
    for path in sorted((THEME / "vendor" / "fontawesome").rglob("*.woff2")):
        font = TTFont(path)
        subsetter = subset.Subsetter(subset.Options(notdef_outline=True))
        subsetter.populate(text="".join(sorted(used)))
        subsetter.subset(font)
        font.flavor = "woff2"
        font.save(site / "_static" / path.relative_to(THEME))
