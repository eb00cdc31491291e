"""The site's pages as they are written, parsed once for all tests, which only read them."""

import functools
from pathlib import Path

from bs4 import BeautifulSoup


@functools.cache
def soup(site: Path, page: str) -> BeautifulSoup:
    """A page of a built site, named as in the contents."""
    return BeautifulSoup((site / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
