"""A browser and a server for the tests of the site's pages."""

import contextlib
import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

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
