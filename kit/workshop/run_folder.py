"""What a run writes stays in its folder: that may be somebody else's, made to replace what a link in it leads to."""

from __future__ import annotations

from pathlib import Path

from kit.errors import KitError
from kit.storage.checkpoint import prepare
from kit.workshop.best_step import BEST

ENCODER = "encoder"  # in the folder of a run: what `Run.export` saves


def prepare_run(folder: Path | str) -> Path:
    """`prepare` for all that a run writes. Errors: as there, and as `own_folder` for the folders in it."""
    folder = prepare(folder)
    for name in (BEST, ENCODER):
        own_folder(folder / name)
    return folder


def own_folder(folder: Path) -> Path:
    """`folder`, which is in that of a run, as it came. Errors: `KitError` where it is a link."""
    if folder.is_symlink():
        raise KitError(
            f"expected {folder} as a folder of the run's own, but it is a link to {folder.readlink()}, whose content "
            "the run would replace: delete the link, or choose another folder."
        )
    return folder
