"""Where the files that travel with the kit are: bundled models and measured results."""

from __future__ import annotations

from pathlib import Path

_KIT = Path(__file__).resolve().parent


def bundle(*parts: str) -> Path:
    """The path of a bundled file or folder, e.g. `bundle("models", "kit-bert-tiny")`.

    A wheel carries the folder `data/` of the repository as `kit/_bundle/`; a checkout
    (also one installed with `pip install -e`) has no such folder and reads `data/` itself.
    The path is not checked: whether it must exist is the caller's question.
    """
    shipped = _KIT / "_bundle"
    root = shipped if shipped.is_dir() else _KIT.parent / "data"
    return root.joinpath(*parts)
