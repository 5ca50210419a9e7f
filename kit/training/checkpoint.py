"""Checkpoints that are whole or absent, as safetensors and JSON; never pickle.

A checkpoint is written into a hidden folder and renamed when every byte is on disk. A
rename is atomic, so whoever looks sees the old state or the new one, not half of one; the
size and the checksum in `meta.json` catch a damaged disk as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import warnings
from pathlib import Path

import torch

from kit.data.hub import KitWarning
from kit.errors import KitError
from kit.training.history import HistoryFile, read_history


def prepare(folder: Path | str) -> None:
    """Make `folder` if need be, and check that it can be written. Errors: `KitError` where it cannot."""
    folder = Path(folder)
    probe = folder / f".writing-probe-{os.getpid()}"
    try:
        probe.mkdir(parents=True)
        probe.rmdir()
    except OSError as error:
        raise KitError(
            f"expected a folder for checkpoints at {folder}, but the system said "
            f"'{error.strerror or error}': choose another folder."
        ) from error


def save_checkpoint(
    folder: Path | str,
    step: int,
    tensors: dict[str, torch.Tensor],
    meta: dict,
    history: HistoryFile | None = None,
    keep: int = 2,
) -> Path:
    """Write `tensors` and `meta` (JSON-ready) as `folder/step-<step>`; keep the newest `keep`.

    history: of which only the new steps are written, into one file for all checkpoints of the folder.
    Errors: `KitError` if the disk is full or read-only; the earlier checkpoints are intact.
    """
    from safetensors.torch import save

    folder, final = Path(folder), Path(folder) / f"step-{step:08d}"
    partial = folder / f".writing-{step:08d}-{os.getpid()}"
    try:
        partial.mkdir(parents=True, exist_ok=True)
        blob = save({k: v.detach().cpu().contiguous() for k, v in tensors.items()})
        _write_synced(partial / "tensors.safetensors", blob)
        whole = {**meta, "step": step, "bytes": len(blob), "sha256": hashlib.sha256(blob).hexdigest()}
        if history is not None:
            whole["history_bytes"] = history.write()
        _write_synced(partial / "meta.json", json.dumps(whole, indent=1).encode())
        if final.exists():  # the same step again, after a resume
            shutil.rmtree(final)
        partial.rename(final)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise KitError(
            f"expected to write a checkpoint into {folder}, but the system said "
            f"'{error.strerror or error}': earlier checkpoints are intact; free space or choose "
            "another folder, then run the same command to resume."
        ) from error
    # older checkpoints, and what a killed process left half-written
    for old in [*_finished(folder)[:-keep], *folder.glob(".writing-*")]:
        shutil.rmtree(old, ignore_errors=True)
    return final


def load_checkpoint(folder: Path | str) -> tuple[dict[str, torch.Tensor], dict] | None:
    """The newest whole checkpoint in `folder` as (tensors, meta); None if there is none.

    `meta["history"]` is the history up to this step, where one was given.
    A damaged one is named in a warning and the one before it is used.
    """
    from safetensors.torch import load

    for path in reversed(_finished(Path(folder))):
        try:
            meta = json.loads((path / "meta.json").read_text())
            blob = (path / "tensors.safetensors").read_bytes()
            if hashlib.sha256(blob).hexdigest() != meta["sha256"]:
                raise ValueError("the checksum differs")
            if "history_bytes" in meta:
                meta["history"] = read_history(folder, meta["history_bytes"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            warnings.warn(
                KitWarning(
                    f"checkpoint {path.name} is damaged ({error}): using the one before it, "
                    "or the beginning where there is none."
                ),
                stacklevel=2,
            )
            continue
        return load(blob), meta
    return None


def write_atomically(path: Path | str, text: str) -> None:
    """Write a text file so that a reader sees the old text or the new, never half."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_synced(partial, text.encode())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise KitError(
            f"expected to write {path}, but the system said '{error.strerror or error}': "
            "free space or choose another folder; nothing was overwritten."
        ) from error


def pack_optimizer(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The optimizer's state as flat named tensors, for safetensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"optimizer.{index}.{name}": torch.as_tensor(value)
        for index, entry in state.items()
        for name, value in entry.items()
    }


def unpack_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, torch.Tensor]) -> None:
    """Put back what `pack_optimizer` took (the parameter groups come from the code)."""
    whole = optimizer.state_dict()
    whole["state"] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, index, name = key.split(".")
            whole["state"].setdefault(int(index), {})[name] = value
    optimizer.load_state_dict(whole)


def _finished(folder: Path) -> list[Path]:
    """Whole checkpoints, oldest first."""
    return sorted(p for p in folder.glob("step-*") if (p / "meta.json").exists())


def _write_synced(path: Path, blob: bytes) -> None:
    with open(path, "wb") as file:
        file.write(blob)
        file.flush()
        os.fsync(file.fileno())
