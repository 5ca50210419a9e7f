"""Where files are: what travels with the kit (models, measured results) and what a reader keeps."""

from __future__ import annotations

import os
from pathlib import Path

_KIT = Path(__file__).resolve().parent


def bundle(*parts: str) -> Path:
    """The path of a bundled file or folder, e.g. `bundle("models", "kit-bert-tiny")`.

    A wheel carries the folder `data/` of the repository as `kit/_bundle/`; a checkout
    (also one installed with `pip install -e`) has no such folder and reads `data/` itself.
    The path is not checked: whether it must exist is the caller's question. Lesson 04.
    """
    shipped = _KIT / "_bundle"
    root = shipped if shipped.is_dir() else _KIT.parent / "data"
    return root.joinpath(*parts)


def output(*parts: str) -> Path:
    """The path of a file that belongs to the reader: in KIT_OUT, else in `.kit` in the working folder.

    Nothing is made or checked here. Lesson 09.
    """
    return Path(os.environ.get("KIT_OUT", ".kit")).joinpath(*parts)
