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


@pytest.fixture
def open_page(browser, address):
    """Opens a page of the site in a context of its own; watches its requests and its console."""
    contexts = []

    def open(name, *, width=1280, height=900, until="load", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.elsewhere, page.complaints = [], []
        page.on("request", lambda r: page.elsewhere.append(r.url) if outside(r.url) else None)
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(address + name, wait_until=until)
        return page

    def outside(url):
        return not url.startswith((address, "data:", "blob:"))

    yield open
    for context in contexts:
        context.close()
