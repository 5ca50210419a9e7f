"""How a figure is shown: as plotly would in a Jupyter kernel, without what plotly loads to find that out."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import plotly.io as pio
import pytest

from kit.figures import cosine_histogram
from kit.figures.captioned_figure import ELSEWHERE, MIME_TYPE

COSINES = {"raw": np.linspace(-0.2, 0.9, 50)}
# a shell that says of itself that it is a kernel's, and what is displayed in it
IN_A_KERNEL = """
import json, sys
import IPython
from IPython.core.interactiveshell import InteractiveShell

class ZMQInteractiveShell(InteractiveShell):
    pass

ZMQInteractiveShell.__module__ = "ipykernel.zmqshell"
ZMQInteractiveShell.instance()
shown = []
IPython.display.display = IPython.core.display_functions.display = lambda *what, **how: shown.extend(what)
from kit.figures import cosine_histogram
if "{first}":
    import plotly.io
    plotly.io.renderers.default = "{first}"
cosine_histogram({{"raw": {cosines}}})._ipython_display_()
print(json.dumps([[*map(str, getattr(one, "keys", lambda: [type(one).__name__])())] for one in shown]))
print(json.dumps(shown[0].get({mime!r}) if isinstance(shown[0], dict) else None), "nbformat" in sys.modules)
"""


def shown(first: str = "", **environment: str) -> list[str]:
    """What a kernel displays, and the figure and whether nbformat was loaded for it."""
    program = IN_A_KERNEL.format(cosines=COSINES["raw"].tolist(), mime=MIME_TYPE, first=first)
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.splitlines()[-2:]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ELSEWHERE}


@pytest.mark.slow
def test_a_kernel_gets_what_plotly_would_send_and_does_not_wait_for_it(plain: dict[str, str]) -> None:
    keys, figure = shown(**plain)
    assert keys == f'[["{MIME_TYPE}"], ["text/html", "text/plain"]]'
    sent, loaded = figure.rsplit(" ", 1)
    assert loaded == "False"
    wanted = pio.renderers["plotly_mimetype"].to_mimebundle(cosine_histogram(COSINES).figure.to_dict())[MIME_TYPE]
    wanted.pop("config", None)  # the address of plotly's own server
    assert json.loads(sent) == wanted


@pytest.mark.slow
@pytest.mark.parametrize(("first", "environment"), [("png", {}), ("", {"PLOTLY_RENDERER": "iframe"})])
def test_who_asks_for_another_way_gets_it(first: str, environment: dict[str, str], plain: dict[str, str]) -> None:
    assert shown(first, **plain, **environment)[0] == '[["Figure"], ["text/html", "text/plain"]]'
