"""The page on the helper package: every module, and every public name of it, with what its docstring says."""

import ast

import api
import build_site
import pytest
from bs4 import BeautifulSoup

# Parts of others that nobody calls on their own.
INTERNAL = {"conllu_format", "storage"}
MODULES = [path for path in api.modules() if path.stem not in INTERNAL]


@pytest.fixture(scope="module")
def page(site):
    text = (build_site.SITE / "book" / "api.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def public_names(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, ast.get_docstring(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_public_name_of_a_module_is_described(page, path):
    assert page.find(id=f"module-whichlayer.{path.stem}")
    names = dict(public_names(path))
    assert names
    for name, docstring in names.items():
        signature = page.find(id=f"whichlayer.{path.stem}.{name}")
        assert signature, name
        described = " ".join(signature.find_next_sibling("dd").get_text().split())
        first = docstring.split(".")[0].split(":")[0].split("`")[0].replace("*", "")
        assert " ".join(first.split()).replace("'", "\u2019") in described, name


def test_sections_of_docstrings_are_lists_and_not_raw_text(page):
    text = page.get_text()
    assert "Args:" not in text and "Returns:" in text and "Raises:" in text
    assert page.find("a", href="#whichlayer.models.Encoder")


def test_a_propertys_first_colon_ends_no_type(page):
    described = page.find(id="whichlayer.models.Encoder.num_states").find_next_sibling("dd")
    assert described.get_text().startswith("L + 1, the number of hidden states: ")


def test_what_is_not_installed_is_replaced_and_what_is_ours_is_not(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import json\nimport surely_not_installed.inner\nfrom whichlayer import models\n"
    )
    assert api.foreign([module]) == ["surely_not_installed"]
