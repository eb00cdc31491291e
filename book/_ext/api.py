"""What the API page needs to read the package's docstrings where torch is not installed.

The site's environment lacks most of what the package imports. Stand-ins take its place, which suffices
to read signatures and docstrings.
"""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]


def modules(package: Path = ROOT / "whichlayer") -> list[Path]:
    """The files of the package's own modules; its subpackages have pages of their own."""
    return sorted(path for path in package.glob("*.py") if path.stem != "__init__")


def foreign(paths: list[Path]) -> list[str]:
    """The packages, by top-level name, that these files import and that aren't installed."""
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.partition(".")[0])
    others = names - {"whichlayer"} - sys.stdlib_module_names
    return sorted(name for name in others if find_spec(name) is None)


def keep_colons_of_properties(app, what, name, obj, options, lines: list[str]) -> None:
    """Napoleon would take what stands before a property's first colon for its type."""
    if what == "property":
        lines[:0] = ["..", ""]  # an empty comment


def setup(app: Sphinx) -> dict:
    sys.path.insert(0, str(ROOT))
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", keep_colons_of_properties, priority=400)
    app.setup_extension("sphinx.ext.napoleon")
    app.config.autodoc_mock_imports = foreign([ROOT / "whichlayer" / "__init__.py", *modules()])
    app.config.autodoc_member_order = "bysource"
    app.config.autodoc_typehints = "none"
    app.config.autodoc_preserve_defaults = True
    app.config.napoleon_google_docstring = True
    app.config.napoleon_numpy_docstring = False
    # "Attributes:" becomes a list in the class's own text, not entries beside those of the members.
    app.config.napoleon_use_ivar = True
    app.config.napoleon_custom_sections = [("Source", "notes_style"), ("Sources", "notes_style")]
    # Types of other packages have no page here; what is ours must be found.
    app.config.nitpick_ignore_regex = [("py:.*", r"(?!whichlayer).*")]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
