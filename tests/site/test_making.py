"""What makes the pages: formulas, the glossary, icons, figures, and the repairs of the theme."""

import re

import compress_figures
import formulas
import numpy as np
import pytest
import subset_icons
import terms
import theme_repairs
import yaml
from fontTools.ttLib import TTFont
from PIL import Image
from sphinx.errors import ExtensionError


def test_a_formula_keeps_its_tex_and_what_cannot_be_read_stops_the_build():
    math = formulas.to_mathml(r"\frac{a}{b} < 1", "block")
    assert "<mfrac>" in math and 'display="block"' in math
    assert r'alttext="\frac{a}{b} &lt; 1"' in math
    assert r'<annotation encoding="application/x-tex">\frac{a}{b} &lt; 1</annotation>' in math
    for bad in (r"\frac{a}", r"\nosuchcommand x", r"{a", r"a}", r"\left( a"):
        with pytest.raises(ExtensionError, match="this formula"):
            formulas.to_mathml(bad, "inline")


ENTRY = {"term": "probe", "level": "beginner", "forms": ["probe"], "definition": "A classifier."}


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([ENTRY | {"level": "novice"}], "the level is one of"),
        ([{k: v for k, v in ENTRY.items() if k != "definition"}], "needs term, level"),
        ([ENTRY, ENTRY | {"forms": []}], "is there twice"),
        ([ENTRY, ENTRY | {"term": "prober", "forms": ["Probe"]}], "form Probe is there twice"),
    ],
)
def test_a_glossary_that_is_not_whole_is_refused(tmp_path, entries, says):
    path = tmp_path / "glossary.yml"
    path.write_text(yaml.safe_dump(entries))
    with pytest.raises(ExtensionError, match=says):
        terms.Glossary(path)


def test_a_form_is_found_as_a_whole_word_with_its_first_letter_in_either_case(tmp_path):
    path = tmp_path / "glossary.yml"
    long = {"term": "linear probe", "forms": ["linear probe"]}
    path.write_text(yaml.safe_dump([ENTRY, ENTRY | long]))
    found = terms.Glossary(path).pattern.findall(
        "Probe it: a probe-like linear probe, probes, reprobe"
    )
    assert found == ["Probe", "linear probe"]


def test_a_repair_that_no_longer_matches_stops_the_build(site):
    page = (site / "book" / "setup.html").read_text(encoding="utf-8")
    # The page is repaired already, so there is nothing left to repair.
    with pytest.raises(ExtensionError, match="book/setup: nothing left to repair where the icons"):
        theme_repairs.repaired("book/setup", page)


def test_every_icon_of_a_page_is_in_the_fonts_and_little_else(site):
    used = {ord(character) for character in subset_icons.characters_in_use(site)}
    fonts = sorted((site / "_static" / "vendor" / "fontawesome").rglob("*.woff2"))
    kept = {code for path in fonts for code in TTFont(path).getBestCmap()}
    assert used and used <= kept
    assert sum(path.stat().st_size for path in fonts) < 20_000
    css = "".join(path.read_text(encoding="utf-8") for path in (site / "_static").rglob("*.css"))
    names = set(
        re.findall(r'class="[^"]*\bfa[srb]? fa-([a-z-]+)', (site / "book/setup.html").read_text())
    )
    assert names and all(f".fa-{name}" in css for name in names)


def test_a_site_without_icons_is_refused(tmp_path):
    (tmp_path / "page.html").write_text("<p>no icons</p>")
    with pytest.raises(ValueError, match="no icon"):
        subset_icons.subset_icons(tmp_path)


def test_a_figure_with_a_palette_looks_the_same_and_weighs_less(tmp_path):
    folder = tmp_path / "_images"
    folder.mkdir()
    across = np.linspace(0, 255, 400).astype(np.uint8)
    picture = np.stack(
        [np.tile(across, (300, 1)), np.full((300, 400), 90), np.full((300, 400), 30)], -1
    )
    noise = np.random.default_rng(0).integers(0, 3, picture.shape)
    Image.fromarray((picture + noise).clip(0, 255).astype(np.uint8)).save(folder / "a.png")
    before = np.asarray(Image.open(folder / "a.png")).astype(int)
    weight = (folder / "a.png").stat().st_size
    compress_figures.compress_figures(tmp_path)
    after = np.asarray(Image.open(folder / "a.png").convert("RGB")).astype(int)
    assert (folder / "a.png").stat().st_size < 0.7 * weight
    assert np.abs(before - after).max() <= 8
    once = (folder / "a.png").read_bytes()
    compress_figures.compress_figures(tmp_path)
    assert (folder / "a.png").read_bytes() == once
