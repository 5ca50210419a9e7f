"""What each part of an index on the disk must be: whoever writes checksums can write them of anything.

    ids      whole numbers from 0, none twice
    vectors  as many rows, float32, of length 1 (or 0, where a text had no direction)
    probe    float32, of the vectors' dimensions

Of the vectors, which are memory-mapped, a sample of rows is looked at here; a search looks at what it returns.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from kit.errors import KitError, shown
from kit.number_checks import is_whole

DTYPES = {"vectors": "F32", "ids": "I64", "probe": "F32"}
AXES = {"vectors": 2, "ids": 1, "probe": 2}
KINDS = {"F32": np.float32, "I64": np.int64}
SAMPLE = 1024  # rows of the vectors whose lengths are looked at
NEAR = 1e-3  # by so much a length, or a cosine beyond 1, may be off: float32 and bfloat16 round by less
MOST = 2**62  # an id beyond it leaves no room for those of texts to come


def read_parts(path: Path) -> dict[str, np.ndarray]:
    """The tensors of vectors.safetensors: vectors memory-mapped, ids int64 and probe float32 in memory.

    Errors: `ValueError` with what is wrong, `OSError`, and those of `json.loads`.
    """
    size = path.stat().st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            raise ValueError("its header is longer than the file")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    found = {name: _mapped(path, name, header.get(name), 8 + length, size) for name in DTYPES}
    found |= {name: np.array(found[name]) for name in ("ids", "probe")}
    _check_ids(found["ids"])
    _check_lengths(found["vectors"])
    if len(found["ids"]) != len(found["vectors"]):
        raise ValueError(f"it has {len(found['ids']):,} ids for {len(found['vectors']):,} vectors")
    if found["probe"].shape[1] != found["vectors"].shape[1] or not np.isfinite(found["probe"]).all():
        raise ValueError("its probe is not finite, or of another dimension than the vectors")
    return found


def check_note(note: dict, vectors: np.ndarray) -> None:
    """Errors: `ValueError` where the note of an index says what cannot be of these vectors [n, dim]."""
    if note["dim"] != vectors.shape[1] or note.get("rows", len(vectors)) != len(vectors):
        raise ValueError(f"it does not tell {len(vectors):,} vectors of {vectors.shape[1]:,} dimensions")
    if not isinstance(note["encoder"], str):
        raise ValueError("the name of its encoder is no text")
    if not isinstance(names := note["attributes"], list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of its attributes are no list of text")
    if not is_whole(next_id := note.get("next_id", 0), 0) or next_id > MOST:
        raise ValueError("next_id is no whole number from 0 that leaves room for more")
    if (length := note.get("max_length")) is not None and not is_whole(length, 1):
        raise ValueError("max_length is no whole number from 1")


def check_scores(scores: np.ndarray) -> None:
    """Errors: `KitError` where scores [n] of an index are no cosines, as of vectors that are not of length 1."""
    wrong = ~(np.abs(scores) <= 1 + NEAR)
    if wrong.any():
        raise KitError(
            f"expected cosines between -1 and 1 from this index, got {scores[wrong][0]:.4g}: its vectors are damaged, "
            "so build it anew."
        )


def _mapped(path: Path, name: str, entry: Any, begin: int, size: int) -> np.ndarray:
    """One tensor of a safetensors file whose data begin at byte `begin` of `size`."""
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise ValueError(f"{name} is missing")
    if entry["dtype"] != DTYPES[name]:
        raise ValueError(f"{name} is {shown(entry['dtype'])}, not {DTYPES[name]}")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or len(shape) != AXES[name] or not all(is_whole(n, 0) for n in shape):
        raise ValueError(f"the shape of {name} is no list of {AXES[name]} whole number{'s' * (AXES[name] > 1)} from 0")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(is_whole(n, 0) for n in offsets):
        raise ValueError(f"the place of {name} is no pair of whole numbers from 0")
    kind = np.dtype(KINDS[entry["dtype"]])
    if offsets[1] - offsets[0] != math.prod(shape) * kind.itemsize or begin + offsets[1] > size:
        raise ValueError(f"{name} is of another size than its shape, or does not lie in the file")
    if 0 in shape:
        if max(shape) > size:
            raise ValueError(f"the shape of {name} is larger than the file")
        return np.empty(shape, kind)
    return np.memmap(path, kind, "r", begin + offsets[0], tuple(shape))


def _check_ids(ids: np.ndarray) -> None:
    rising = bool((np.diff(ids) > 0).all())  # as they are unless somebody made them: no sorting then
    if len(ids) and (ids.min() < 0 or ids.max() >= MOST or not (rising or len(np.unique(ids)) == len(ids))):
        raise ValueError("its ids are not whole numbers from 0 of which none occurs twice")


def _check_lengths(vectors: np.ndarray) -> None:
    rows = np.unique(np.linspace(0, max(0, len(vectors) - 1), SAMPLE).astype(np.int64))[: len(vectors)]
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors[rows].astype(np.float64), axis=1)
    wrong = ~((np.abs(lengths - 1) <= NEAR) | (lengths == 0))
    if wrong.any():
        raise ValueError(f"vector {rows[wrong][0]:,} has the length {lengths[wrong][0]:.4g}, not 1")
