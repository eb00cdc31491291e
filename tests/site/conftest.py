import contextlib

import build_site
import pytest
from browsing import serving


@pytest.fixture(scope="session")
def site():
    """The built site; `make test` builds it first, on their own these tests do."""
    if not (build_site.SITE / "index.html").is_file():
        build_site.main(fresh=False)
    return build_site.SITE


@pytest.fixture(scope="session")
def address(site, tmp_path_factory):
    with serving(site, tmp_path_factory.mktemp("served")) as url:
        yield url


@pytest.fixture(scope="session")
def watched(browser, address):
    """A page in a context of its own, empty as yet, whose requests and console are watched."""

    def outside(url):
        return not url.startswith((address, "data:", "blob:"))

    @contextlib.contextmanager
    def watched(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        page = context.new_page()
        page.elsewhere, page.complaints = [], []
        page.on("request", lambda r: page.elsewhere.append(r.url) if outside(r.url) else None)
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        try:
            yield page
        finally:
            context.close()

    return watched


@pytest.fixture
def open_page(watched, address):
    """Opens a page of the site in a context of its own; watches its requests and its console."""
    with contextlib.ExitStack() as opened:

        def open(name, *, width=1280, height=900, until="load", **options):
            viewport = {"width": width, "height": height}
            page = opened.enter_context(watched(viewport=viewport, **options))
            page.goto(address + name, wait_until=until)
            return page

        yield open
