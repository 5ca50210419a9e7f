"""Where files are: what travels with the kit (models, measured results) and what a reader keeps."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

from kit.errors import KitError, KitWarning

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
    """The path of a file that belongs to the reader: in KIT_OUT where it is not empty, else in `.kit` here.

    Where that folder takes no files, KIT_OUT becomes a temporary one, which a KitWarning says once. Nothing else is
    made or checked here. Lesson 09.
    """
    if not os.environ.get("KIT_OUT") and not takes_files(Path(".kit")):
        try:
            os.environ["KIT_OUT"] = tempfile.mkdtemp(prefix="kit-")  # for the processes that this one starts, too
        except OSError as error:
            raise KitError(
                f"expected a folder that takes files, but neither this one nor the system's temporary folder does "
                f"({error.strerror or error}): name one in the environment variable KIT_OUT."
            ) from error
        warnings.warn(
            f"This folder takes no files: what is kept goes to {os.environ['KIT_OUT']}, which the system may remove; "
            "the environment variable KIT_OUT names a folder that stays.",
            KitWarning,
            stacklevel=3,
        )
    return kept(*parts)


def kept(*parts: str) -> Path:
    """Where `output` has put a file; who only reads leaves no folder behind."""
    return Path(os.path.expanduser(os.environ.get("KIT_OUT") or ".kit")).joinpath(*parts)


def takes_files(folder: Path) -> bool:
    """Whether files can be written into a folder, or the folder be made."""
    return os.access(folder if os.path.exists(folder) else folder.parent, os.W_OK | os.X_OK)
