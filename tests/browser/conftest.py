"""One JupyterLab and one Chromium for all browser tests; a fresh reader for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.browser.harness import CHROMIUM_OPTIONS, Lab, Reader


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    server = Lab(tmp_path_factory.mktemp("lab"))
    try:
        server.wait_until_up()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    from playwright.sync_api import sync_playwright

    place = os.environ.get("KIT_CHROMIUM") or shutil.which("chromium")
    if not place:
        pytest.skip("NO BROWSER: install chromium or name one in KIT_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def reader(lab: Lab, chromium) -> Iterator[Reader]:
    """A reader with an empty browser; anything odd in the console or on the wire fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    someone = Reader(context.new_page(), lab)
    yield someone
    context.close()
    lab.stop_kernels()
    assert someone.problems == []
