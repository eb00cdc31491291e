"""A browser and a server for the tests of the site's pages."""

import contextlib
import functools
import http.server
import os
import shutil
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error, sync_playwright

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip
SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextlib.contextmanager
def a_browser():
    """The system's Chromium where there is one, else Playwright's own.

    Where neither can be had the test is skipped, or fails if WHICHLAYER_REQUIRE_BROWSER is set, as it
    is in continuous integration.
    """
    found = next(filter(None, map(shutil.which, SYSTEM)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        except Error as error:
            reason = (
                "no browser: install Chromium (apt-get install chromium) or run "
                f"`.venv/bin/playwright install chromium` ({str(error).splitlines()[0]})"
            )
            if os.environ.get("WHICHLAYER_REQUIRE_BROWSER"):
                pytest.fail(reason)
            pytest.skip(reason)
        try:
            yield browser
        finally:
            browser.close()


SIZE = {"width": 1280, "height": 900}


class Pages:
    """Opens pages for test after test; what one of them leaves behind, no other finds.

    Pages that ask for nothing but a size share a context, so that scripts and styles are fetched and
    compiled once; between tests everything that a site may keep on a device is cleared. Others, and
    who asks for it with `fresh`, get a context of their own with an empty cache. Service workers, which
    outlive their page, are blocked unless an option allows them.
    """

    def __init__(self, browser, address: str):
        self.browser, self.address = browser, address
        self.shared = None

    @contextlib.contextmanager
    def page(self, *, viewport: dict | None = None, fresh: bool = False, **options):
        viewport = viewport or SIZE
        if options or fresh:
            options = {"service_workers": "block", **options}
            context = self.browser.new_context(viewport=viewport, **options)
            try:
                yield context.new_page()
            finally:
                context.close()
            return
        if self.shared is None:
            self.shared = self.browser.new_context(service_workers="block")
        page = self.shared.new_page()
        page.set_viewport_size(viewport)
        try:
            yield page
        finally:
            self._clear(page)

    def _clear(self, page) -> None:
        """Leave the context as it was found, but for what was fetched."""
        context = page.context
        context.set_offline(False)
        context.clear_cookies()
        parts = urlsplit(self.address)
        session = context.new_cdp_session(page)
        session.send(
            "Storage.clearDataForOrigin",
            {"origin": f"{parts.scheme}://{parts.netloc}", "storageTypes": "all"},
        )
        page.close()

    def close(self) -> None:
        if self.shared is not None:
            self.shared.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        # Python's own table takes these from the system, which may not know them.
        ".mjs": "text/javascript",
        ".js": "text/javascript",
    }

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def serving(site: Path, folder: Path):
    """The address of the site under a sub-path, as GitHub Pages has it, ending with a slash."""
    (folder / "which-layer").symlink_to(site, target_is_directory=True)
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/which-layer/"
    finally:
        server.shutdown()
