"""One JupyterLab, one Chromium and one page for all browser tests of a worker; a notebook of its own for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.browser.harness import CHROMIUM_OPTIONS, Desk, Lab, Reader

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


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

    place = os.environ.get("KIT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if not place:
        pytest.skip("NO BROWSER: install one (`apt-get install chromium`) or name it in KIT_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def window(chromium) -> Iterator:
    """A window with a page that stays open: another page in it costs a third of one in a window of its own."""
    context = chromium.new_context()
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def blank(window) -> Iterator:
    """An empty page."""
    page = window.new_page()
    yield page
    page.close()


@pytest.fixture(scope="session")
def desk(lab: Lab, chromium) -> Iterator[Desk]:
    place = Desk(chromium, lab)
    yield place
    place.leave()


@pytest.fixture
def reader(desk: Desk) -> Iterator[Reader]:
    """A reader before an empty JupyterLab; anything odd in the console or on the wire fails the test."""
    someone = desk.sit_down()
    yield someone
    desk.tidy(someone)
    assert someone.problems == []
