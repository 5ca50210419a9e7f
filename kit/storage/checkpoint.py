"""Checkpoints that are whole or absent, as safetensors and JSON; never pickle.

A checkpoint is written into a hidden folder and renamed when every byte is on the disk, so whoever looks sees the old
state or the new one. What a disk does to it later, checksums tell: `meta.json` has its own, and those of the tensors
and of the history.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import warnings
from pathlib import Path

import torch

from kit.errors import KitError, KitWarning
from kit.storage.atomic import remove, strict_json, sync, writable, write_synced
from kit.storage.history import HistoryFile, read_history
from kit.storage.run_lock import keep_owning


def prepare(folder: Path | str) -> Path:
    """`writable` for checkpoints."""
    return writable(folder, "checkpoints")


def save_checkpoint(
    folder: Path | str,
    step: int,
    tensors: dict[str, torch.Tensor],
    meta: dict,
    history: HistoryFile | None = None,
    keep: int = 2,
) -> Path:
    """Write `tensors` and `meta` (JSON-ready) as `folder/step-<step>`; keep the newest `keep`.

    history: of which only the new steps are written, into files for all checkpoints of the folder. Call it as the
    folder's owner, see `kit.storage.run_lock`: what is half-written there is taken for a killed process's and removed.
    Errors: `KitError` if the disk is full or read-only, and where another process has taken the folder over since
    somebody deleted it, and for `meta` or history that JSON cannot hold; the earlier checkpoints are intact.
    """
    from safetensors.torch import save

    keep_owning(folder)
    folder, final = Path(folder), Path(folder) / _name(step)
    partial = folder / f".writing-{step:08d}-{os.getpid()}"
    try:
        remove(partial)
        partial.mkdir(parents=True)
        blob = save({k: v.detach().cpu().contiguous() for k, v in tensors.items()})
        write_synced(partial / "tensors.safetensors", blob)
        whole = {**meta, "step": step, "bytes": len(blob), "sha256": hashlib.sha256(blob).hexdigest()}
        if history is not None:
            whole["history_file"] = history.write()
        write_synced(partial / "meta.json", _sealed(whole))
        sync(partial)
        remove(final)  # the same step again, after a resume
        partial.rename(final)
        sync(folder)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        raise KitError(
            f"expected to write a checkpoint into {folder}, but the system said "
            f"'{error.strerror or error}': earlier checkpoints are intact; free space or choose "
            "another folder, then run the same command to resume."
        ) from error
    # Older checkpoints, and what a killed process left half-written; a later step is a damaged one's and not counted.
    # What a user has copied or renamed beside them stays.
    named = [path for path in folder.glob("step-*") if re.fullmatch(r"step-\d{8,}", path.name)]
    written = sorted(path for path in named if path.name <= final.name)
    for old in [*written[:-keep], *folder.glob(".writing-*")]:
        shutil.rmtree(old, ignore_errors=True)
    return final


def load_checkpoint(folder: Path | str) -> tuple[dict[str, torch.Tensor], dict] | None:
    """The newest whole checkpoint in `folder` as (tensors, meta); None if there is none.

    `meta["history"]` is the history up to this step, where one was given.
    A damaged one is named in a warning and the one before it is used.
    """
    from safetensors.torch import load

    for path in sorted(Path(folder).glob("step-*"), key=lambda path: (claimed_step(path), path.name), reverse=True):
        try:
            if not any(path.iterdir()):  # not of our making
                continue
            meta = _opened((path / "meta.json").read_bytes())
            blob = (path / "tensors.safetensors").read_bytes()
            if hashlib.sha256(blob).hexdigest() != meta["sha256"]:
                raise ValueError("the checksum of tensors.safetensors differs")
            if "history_file" in meta:
                meta["history"] = read_history(folder, meta["history_file"])
            return load(blob), meta
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            if not path.exists():  # its owner, another process, has just written a newer one
                continue
            warnings.warn(
                KitWarning(
                    f"checkpoint {path.name} is damaged ({error}): using the one before it, "
                    "or the beginning where there is none."
                ),
                stacklevel=2,
            )
    return None


def _name(step: int) -> str:
    return f"step-{step:08d}"


def _sealed(meta: dict) -> bytes:
    """`meta` as the content of meta.json, under its checksum."""
    meta = json.loads(strict_json(meta))
    return json.dumps({"checksum": _checksum(meta), "meta": meta}, indent=1).encode()


def _opened(content: bytes) -> dict:
    """What `_sealed` sealed. Errors: `ValueError` where it is damaged."""
    found = json.loads(content)
    if isinstance(found, dict) and found.keys() == {"checksum", "meta"}:
        if _checksum(found["meta"]) != found["checksum"]:
            raise ValueError("the checksum of meta.json differs")
        return found["meta"]
    # as it was before there was a checksum: no damage makes one of the other
    if not isinstance(found, dict) or not isinstance(found.get("step"), int) or "sha256" not in found:
        raise ValueError("meta.json is not that of a checkpoint")
    if "history_bytes" in found:
        found["history_file"] = {"bytes": found.pop("history_bytes")}
    return found


def _checksum(meta: object) -> str:
    return hashlib.sha256(json.dumps(meta, sort_keys=True).encode()).hexdigest()


def claimed_step(path: Path) -> int:
    """The step that a checkpoint says it is of, whatever somebody has called its folder; else that of its name."""
    try:
        return _opened((path / "meta.json").read_bytes())["step"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        digits = path.name.removeprefix("step-")
        return int(digits) if digits.isdecimal() else -1


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
