"""One JupyterLab, one browser and one page for all browser tests of a worker; a notebook of its own for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from formulas_pdf import NAMES, SHELL

from tests.browser.harness import CHROMIUM_OPTIONS, Desk, Lab, Reader


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    server = Lab(tmp_path_factory.mktemp("lab"))
    try:
        server.wait_until_up()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def playwright() -> Iterator:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


def launched(playwright, *names: str):
    """The first of these browsers that is installed; KIT_CHROMIUM names another."""
    place = os.environ.get("KIT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not place:
        pytest.skip("NO BROWSER: install one (`apt-get install chromium`) or name it in KIT_CHROMIUM")
    return playwright.chromium.launch(executable_path=place, args=CHROMIUM_OPTIONS)


@pytest.fixture(scope="session")
def chromium(playwright) -> Iterator:
    """For pages without a kernel: Chromium without what draws its windows, a third less work, if it is there."""
    browser = launched(playwright, SHELL, *NAMES)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def whole_chromium(playwright) -> Iterator:
    """The browser that people have, for JupyterLab."""
    browser = launched(playwright, *NAMES, SHELL)
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
def desk(lab: Lab, whole_chromium) -> Iterator[Desk]:
    place = Desk(whole_chromium, lab)
    yield place
    place.leave()


@pytest.fixture
def reader(desk: Desk) -> Iterator[Reader]:
    """A reader before an empty JupyterLab; anything odd in the console or on the wire fails the test."""
    someone = desk.sit_down()
    yield someone
    desk.tidy(someone)
    assert someone.problems == []
