"""The audit of axe-core, which npm gives: what a page has that keeps somebody from reading it."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

VERSION = "4.14.1"
FOLDER = Path(__file__).resolve().parents[2] / "build" / "npm"
RUN = """async () => {
    const {violations} = await axe.run(document, {resultTypes: ["violations"]});
    return violations.filter(({impact}) => ["serious", "critical"].includes(impact)).map(({id, help, nodes}) =>
        `${id}: ${help} (${nodes.length}), as ${nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
}"""


@functools.cache
def axe_source() -> str:
    """The script, from KIT_AXE or kept in build/npm; a test that needs it is skipped where npm reaches nothing."""
    place = Path(os.environ.get("KIT_AXE") or FOLDER / "node_modules" / "axe-core" / "axe.min.js")
    if not place.exists() and not os.environ.get("KIT_AXE") and (npm := shutil.which("npm")):
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--no-save", "--prefix", FOLDER, f"axe-core@{VERSION}"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=60, check=False)
    if not place.exists():
        pytest.skip(f"NO AUDIT: npm gives no axe-core@{VERSION} here; name its axe.min.js in KIT_AXE")
    return place.read_text("utf-8")


def serious_findings(page) -> list[str]:
    """What axe-core finds serious or critical on a page of Playwright."""
    page.evaluate(axe_source())
    return page.evaluate(RUN)
