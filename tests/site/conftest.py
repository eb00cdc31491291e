import contextlib

import build_site
import pytest
from browsing import Pages, serving


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
    """An empty page, whose requests and console are watched; see `browsing.Pages` for its options."""
    pages = Pages(browser, address)

    def outside(url):
        return not url.startswith((address, "data:", "blob:"))

    @contextlib.contextmanager
    def watched(**options):
        with pages.page(**options) as page:
            page.elsewhere, page.complaints = [], []
            page.on("request", lambda r: page.elsewhere.append(r.url) if outside(r.url) else None)
            page.on(
                "console", lambda m: page.complaints.append(m.text) if m.type == "error" else None
            )
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            yield page

    yield watched
    pages.close()


@pytest.fixture
def open_page(watched, address):
    """Opens a page of the site; watches its requests and its console."""
    with contextlib.ExitStack() as opened:

        def open(name, *, width=1280, height=900, until="load", **options):
            viewport = {"width": width, "height": height}
            page = opened.enter_context(watched(viewport=viewport, **options))
            page.goto(address + name, wait_until=until)
            return page

        yield open
