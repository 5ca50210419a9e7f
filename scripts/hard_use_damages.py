"""What can happen to a run folder on a disk, drawn at random, and which of its checkpoints are whole all the same.

For `scripts/hard_use.py`, and on purpose without a line of `kit/storage`.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

DAMAGES = ("a bit flipped", "cut short", "two files swapped", "JSON edited", "a file missing", "folders renamed")


def damage(folder: Path, draw: random.Random) -> tuple[str, str]:
    """Damage one thing in a run folder; (kind, what was done)."""
    kind = draw.choice(DAMAGES)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    # the large file of tensors is not drawn more often than the small ones
    path, other = draw.sample(files, 2)
    if kind == "JSON edited":
        path = draw.choice([file for file in files if file.suffix in (".json", ".jsonl")])
    blob, name = path.read_bytes(), path.relative_to(folder)
    if kind == "a bit flipped":
        place = draw.randrange(8 * len(blob))
        changed = bytearray(blob)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        return kind, f"{name}: bit {place}"
    if kind == "cut short":
        size = draw.randrange(len(blob))
        path.write_bytes(blob[:size])
        return kind, f"{name}: {size} of {len(blob)} bytes"
    if kind == "two files swapped":
        path.write_bytes(other.read_bytes())
        other.write_bytes(blob)
        return kind, f"{name} and {other.relative_to(folder)}"
    if kind == "a file missing":
        path.unlink()
        return kind, str(name)
    if kind == "folders renamed":  # also what a file system may show that carries out renames in another order
        return kind, renamed(folder, draw)
    lines = blob.decode().splitlines()
    if path.suffix == ".json":
        whole = json.loads(blob)
        what = edited(whole, draw)
        path.write_text(json.dumps(whole, indent=1), "utf-8")
    else:
        at = draw.randrange(len(lines))
        step = json.loads(lines[at])
        what = edited(step, draw)
        lines[at] = json.dumps(step)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        what = f"line {at}: {what}"
    return kind, f"{name}: {what}"


def renamed(folder: Path, draw: random.Random) -> str:
    """Give a checkpoint another name, or swap the names of two; what was done."""
    one, two = draw.sample(sorted(folder.glob("step-*")), 2)
    how = draw.choice(("swapped", "later", "still hidden"))
    if how == "swapped":
        one.rename(folder / "aside")
        two.rename(one)
        (folder / "aside").rename(two)
    else:
        one.rename(folder / ("step-00000099" if how == "later" else ".writing-00000007-1"))
    return f"{one.name} {how}"


def edited(content: dict, draw: random.Random) -> str:
    """Change one value or key of nested dicts in place; what was changed."""
    places: list[tuple[dict, str]] = []

    def walk(inner: dict) -> None:
        for key, value in inner.items():
            places.append((inner, key))
            if isinstance(value, dict):
                walk(value)

    walk(content)
    inner, key = draw.choice(places)
    how = draw.choice(("deleted", "renamed", "another number", "another type", "a list", "null"))
    value = inner[key]
    if how == "deleted":
        del inner[key]
    elif how == "renamed":
        inner[f"{key}s"] = inner.pop(key)
    elif how == "another number":
        inner[key] = value + 1 if isinstance(value, (int, float)) and not isinstance(value, bool) else 7
    elif how == "another type":
        inner[key] = str(value) if not isinstance(value, str) else 3.5
    else:
        inner[key] = [value] if how == "a list" else None
    return f"{key} {how}"


def newest_whole(folder: Path, undamaged: Path | None = None) -> dict | None:
    """{"step", "of": [recipe, seed]} of the newest checkpoint; with `undamaged`, of those whose bytes are still theirs.

    A checkpoint is whole where its two files are as they were, and one of the histories begins as its own did.
    """
    found = None
    for path in folder.glob("step-*") if folder.is_dir() else ():
        if not (path / "meta.json").exists():  # killed while it deleted an old one
            continue
        if undamaged and not _is_whole(path, folder, undamaged):
            continue
        meta = json.loads((path / "meta.json").read_text("utf-8"))["meta"]
        identity = meta["identity"]
        if not found or meta["step"] > found["step"]:
            found = {"step": meta["step"], "of": [identity["recipe"]["name"], identity["seed"]]}
    return found


def _is_whole(path: Path, folder: Path, undamaged: Path) -> bool:
    """By its bytes, under whichever name."""
    files = [path / "meta.json", path / "tensors.safetensors"]
    blobs = [file.read_bytes() if file.exists() else None for file in files]
    if blobs not in [[(one / file.name).read_bytes() for file in files] for one in undamaged.glob("step-*")]:
        return False
    size = json.loads((path / "meta.json").read_text("utf-8"))["meta"]["history_file"]["bytes"]
    originals = [(undamaged / name).read_bytes()[:size] for name in ("history.jsonl", "history-2.jsonl")]
    [history] = {one for one in originals if len(one) == size}
    files = [folder / name for name in ("history.jsonl", "history-2.jsonl")]
    return any(file.exists() and file.read_bytes()[:size] == history for file in files)
