"""The two cells every notebook begins with, derived from pyproject.toml: links, and what Colab needs.

    python scripts/notebook_head.py [notebook ...]     writes them into notebooks/*.ipynb

The repository's address and the branch or tag that badges open stand once, in pyproject.toml.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from strip_notebooks import stripped, written

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Address:
    """Where the published repository is: `https://github.com/<owner>/<name>` at `ref`."""

    url: str
    ref: str

    @property
    def slug(self) -> str:
        return self.url.removeprefix("https://github.com/")

    @property
    def pages(self) -> str:
        """Where GitHub Pages publishes build/site (.github/workflows/pages.yml)."""
        owner, name = self.slug.split("/")
        return f"https://{owner}.github.io/{name}/"

    def colab(self, path: str) -> str:
        return f"https://colab.research.google.com/github/{self.slug}/blob/{self.ref}/{path}"

    def binder(self, path: str) -> str:
        return f"https://mybinder.org/v2/gh/{self.slug}/{self.ref}?urlpath=lab/tree/{path}"


def address() -> Address:
    """The address in pyproject.toml."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return Address(document["project"]["urls"]["Repository"], document["tool"]["pullpush"]["badge-ref"])


def badges(path: str) -> str:
    """Markdown: links that open the notebook at `path` in Colab and Binder, and its page; no pictures, which break
    offline.

    And what to do after a restart of the kernel, of which no cell can tell: none has run.
    """
    there = address()
    return (
        f"Open this notebook [in Colab]({there.colab(path)}) or [in Binder]({there.binder(path)}), "
        f"or read it [as a page]({there.pages}{Path(path).stem}.html), with results. "
        "After a restart of the kernel, go on with "
        "*Run > Run All Above Selected Cell* (in Colab, *Runtime > Run before*)."
    )


def install_cell() -> str:
    """Code: installs the kit on Colab, once; does nothing anywhere else."""
    there = address()
    return (
        "# On Colab, this installs the kit; anywhere else, and a second time, it does nothing.\n"
        "import importlib.util\n"
        "import sys\n"
        "\n"
        'if "google.colab" in sys.modules and getattr(importlib.util.find_spec("kit"), "origin", None) is None:\n'
        f'    %pip install -q "git+{there.url}@{there.ref}"'
    )


def with_head(notebook: dict, path: str) -> dict:
    """The notebook with both cells as they should be: replaced by id, or put after the title."""
    head = [
        {"cell_type": "markdown", "id": "badges", "metadata": {}, "source": badges(path)},
        {
            "cell_type": "code",
            "id": "install",
            "metadata": {"cellView": "form", "jupyter": {"source_hidden": True}},  # out of sight, on Colab too
            "source": install_cell(),
            "outputs": [],
            "execution_count": None,
        },
    ]
    cells = [cell for cell in notebook["cells"] if cell.get("id") not in ("badges", "install")]
    title = 1 if cells and "".join(cells[0]["source"]).startswith("# ") else 0
    return stripped({**notebook, "cells": [*cells[:title], *head, *cells[title:]]})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("notebooks", nargs="*", type=Path, default=sorted((ROOT / "notebooks").glob("*.ipynb")))
    for path in options.parse_args().notebooks:
        inside = path.resolve().relative_to(ROOT).as_posix()
        path.write_text(written(with_head(json.loads(path.read_text("utf-8")), inside)), "utf-8")
        print(f"{path.name}: badges and Colab cell written")


if __name__ == "__main__":
    main()
