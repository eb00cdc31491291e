"""The packed encoder, the page's modules under Node, and the live page in a browser."""

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import build_site
import pack_encoder
import pytest
from browsing import Pages, serving

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def packed():
    return pack_encoder.pack_minilm()


@pytest.fixture(scope="session")
def packed_file(packed, tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "minilm.bin"
    path.write_bytes(packed)
    return path


@pytest.fixture(scope="session")
def run_modules(packed_file):
    """Calls a task of modules.mjs under Node."""
    node = shutil.which("node")
    if node is None:
        # The browser tests run the same modules, on less.
        reason = "no Node: the page's modules can't be run outside a browser"
        if os.environ.get("WHICHLAYER_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)

    def run(task, *, pack=packed_file, **request):
        done = subprocess.run(
            [node, HERE / "modules.mjs", pack],
            input=json.dumps({"task": task, **request}), capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def live_address(tmp_path_factory):
    """The live page of the built site, served under a sub-path by a plain static server."""
    if not (build_site.SITE / "book" / "live" / "model" / "manifest.json").is_file():
        build_site.main(fresh=False)
    with serving(build_site.SITE, tmp_path_factory.mktemp("served")) as url:
        yield url + "book/live/index.html"


@pytest.fixture(scope="module")
def pages(browser, live_address):
    found = Pages(browser, live_address)
    yield found
    found.close()


@pytest.fixture
def open_live(pages, live_address):
    """Opens the live page, and waits until it has drawn its example.

    Nothing is kept there of an earlier visit but what the browser has fetched; with `fresh`, or if
    something is done to the page before it loads, not that either.
    """
    with contextlib.ExitStack() as opened:

        def open(query="", *, width=1280, before=None, wait=True, fresh=False, **options):
            viewport = {"width": width, "height": 900}
            opening = pages.page(viewport=viewport, fresh=fresh or before is not None, **options)
            page = opened.enter_context(opening)
            page.requested, page.complaints = [], []
            page.on("request", lambda request: page.requested.append(request.url))
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            if before:
                before(page)
            page.goto(live_address + query)
            if wait:
                page.wait_for_selector("#live[data-page=ready]")
            return page

        yield open


@pytest.fixture
def load_model():
    def load(page):
        page.click("#live-load")
        page.wait_for_selector("#live[data-model=ready]", timeout=60_000)

    return load
