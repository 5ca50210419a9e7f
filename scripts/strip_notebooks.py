"""Notebooks as sources: no outputs, no counts, no widget state, one id per cell, nothing else.

python scripts/strip_notebooks.py [--check] [notebook ...]     default: notebooks/*.ipynb
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# What a reader's tool needs: tags (papermill, books), hidden source (JupyterLab, Colab).
KEPT_CELL_METADATA = ("cellView", "jupyter", "tags")
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    # without the last two nbconvert writes no script but a text, with the magics as they stand in the cells
    "language_info": {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"},
}


def stripped(notebook: dict) -> dict:
    """A copy of the notebook (as parsed JSON) in the form in which it is committed.

    Valid ids stay, so that a diff shows what somebody wrote; a missing or repeated one is
    replaced by a hash of the cell, so that the result does not depend on when it was made.
    """
    cells, taken = [], set()
    for cell in notebook["cells"]:
        if "injected-parameters" in cell.get("metadata", {}).get("tags", []):
            continue  # papermill's, not ours
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        clean = {
            "cell_type": cell["cell_type"],
            "id": _identity(cell.get("id"), source, taken),
            "metadata": {key: cell["metadata"][key] for key in KEPT_CELL_METADATA if cell.get("metadata", {}).get(key)},
            "source": source.rstrip().splitlines(keepends=True),
        }
        if cell["cell_type"] == "code":
            clean |= {"execution_count": None, "outputs": []}
        elif cell.get("attachments"):
            clean["attachments"] = cell["attachments"]
        cells.append(clean)
    return {"cells": cells, "metadata": NOTEBOOK_METADATA, "nbformat": 4, "nbformat_minor": 5}


def _identity(given: str | None, source: str, taken: set[str]) -> str:
    identity, salt = given or "", 0
    while not VALID_ID.fullmatch(identity) or identity in taken:
        identity = hashlib.sha256(f"{salt}\n{source}".encode()).hexdigest()[:8]
        salt += 1
    taken.add(identity)
    return identity


def written(notebook: dict) -> str:
    """The text of the file, laid out as Jupyter lays it out."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("notebooks", nargs="*", type=Path, default=sorted((ROOT / "notebooks").glob("*.ipynb")))
    options.add_argument("--check", action="store_true", help="change nothing; exit 1 if needed")
    given = options.parse_args()
    changed = 0
    for path in given.notebooks:
        try:
            before = path.read_text("utf-8")
            after = written(stripped(json.loads(before)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            sys.exit(f"expected a notebook of nbformat 4 at {path}, but it is damaged or cannot be read ({error!r}).")
        if before != after:
            changed += 1
            print(f"{path.name}: {'would be' if given.check else 'is now'} stripped")
            if not given.check:
                path.write_text(after, "utf-8")
    print(f"{len(given.notebooks) - changed} of {len(given.notebooks)} were in order.")
    sys.exit(bool(given.check and changed))


if __name__ == "__main__":
    main()
