"""The page of formulas as a PDF of one A4 page: build/site/formulas.pdf, printed from build/site/formulas.html.

    python scripts/formulas_pdf.py [folder of the site]

Chromium or Chrome prints it (KIT_CHROMIUM names another place). The page links to the file once it is there; where
there is no such browser, this says so, and the page stays without the link.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
SHELL = "chromium-headless-shell"  # what Debian has of it without windows
HIDDEN, SHOWN = '<p class="pdf" hidden>', '<p class="pdf">'


def browser() -> str | None:
    """The program that prints, or None."""
    return os.environ.get("KIT_CHROMIUM") or next(filter(None, map(shutil.which, (*NAMES, SHELL))), None)


def print_page(program: str, page: Path, target: Path) -> None:
    """Print `page` into `target` with its own print style.

    Errors: `OSError` where the program does not start, `subprocess.SubprocessError` with what it said last.
    """
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={profile}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # as root, in a container, there is none
        command = [program, *options, f"--print-to-pdf={target}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode or not target.is_file():
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise subprocess.SubprocessError(said[-1])


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    site = Path(given[0]) if given else ROOT / "build" / "site"
    page, target = (site / "formulas.html").resolve(), (site / "formulas.pdf").resolve()
    if not page.is_file():
        print(f"expected {page}, found none: `make site` makes it.", file=sys.stderr)
        return 1
    program = browser()
    if program is None:
        print("formulas.pdf was not made: no Chromium or Chrome here (KIT_CHROMIUM may name one).", file=sys.stderr)
        return 0
    try:
        print_page(program, page, target)
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"formulas.pdf was not made, {program} did not print it: {problem}", file=sys.stderr)
        return 0  # the site is whole without it
    page.write_text(page.read_text("utf-8").replace(HIDDEN, SHOWN), encoding="utf-8")
    print(f"{target}: {target.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
