"""An index as a folder: vectors as safetensors, texts as JSON lines, and a note with the checksums of both.

    index.json             what it is, and the SHA-256 of the other two and of itself
    vectors.safetensors    "vectors" float32 [n, dim], "ids" int64 [n], "probe" (see `kit.retrieval.vector_index`)
    texts.jsonl            a line for each text: {"text": …, "about": {…}}

The whole folder is exchanged in one step: a killed process leaves the old index or the new one. While one process
writes, another is refused; so is one that has loaded an index which was changed since.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from kit.checks.argument_checks import KINDS, check_texts
from kit.errors import KitError, shown
from kit.evaluation.encoding import check_encoder
from kit.number_checks import is_whole
from kit.retrieval.index_parts import check_note, read_parts
from kit.retrieval.retrieval_evaluation import name_of
from kit.storage.atomic import hidden_names, write_synced
from kit.storage.replace_folder import LITTER, check_elsewhere, replace_folder
from kit.storage.run_lock import LOCK, NOTE, owner_of

NOTE_FILE, VECTORS, TEXTS = "index.json", "vectors.safetensors", "texts.jsonl"
OURS = {NOTE_FILE, VECTORS, TEXTS, LOCK, NOTE}
# What a process that was killed while it wrote one of them leaves, see `kit.storage.atomic`.
LEFT = hidden_names(sorted(OURS), "partial")
FORMAT = 1
SAME = 5e-3  # largest difference between the probes' vectors by one encoder (bfloat16 and ONNX differ by less)


def save_index(index: Any, folder: Path | str) -> Path:
    """Write an index, see `Index.save`."""
    from safetensors import SafetensorError

    folder = _path(folder)
    try:
        real = folder.resolve()  # a link stays one, and what it leads to is replaced
        check_index_folder(real)
        real.mkdir(parents=True, exist_ok=True)
        with owner_of(real):
            _check_unchanged(index, real)
            seals: list[str] = []
            replace_folder(real, lambda partial: seals.append(_write(index, partial)))
    except (OSError, SafetensorError) as error:  # the latter has no strerror
        reason = getattr(error, "strerror", None) or error
        raise KitError(
            f"expected to save the index to {folder}, but the system said '{reason}': free space or "
            "choose another folder; what was there stays."
        ) from error
    index.folder, index.seal = real, seals[0]  # of what was written: another may have replaced it by now
    return folder


def check_index_folder(folder: Path) -> None:
    """Errors: `KitError` for a file, and for a folder that holds something other than an index or that one works in."""
    if folder.is_file():
        raise KitError(f"expected a folder for the index, but {folder} is a file: choose another name.")
    check_elsewhere(folder)
    try:
        held = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise KitError(
            f"expected a folder for the index, but of {folder} the system said '{error.strerror}': choose another."
        ) from error
    if foreign := [name for name in held if name not in OURS | LITTER and not LEFT.fullmatch(name)]:
        raise KitError(
            f"expected a new folder or an index to replace, but {folder} holds {foreign[0]}, which would be lost: "
            "choose another folder."
        )


def load_index(kind: type, folder: Path | str, encoder: Any, engine: str) -> Any:
    """Read an index, see `Index.load`."""
    check_encoder(encoder)
    folder = _path(folder)
    if not (folder / NOTE_FILE).is_file():
        what = "is a file" if folder.is_file() else "has none" if folder.is_dir() else "is not there"
        raise KitError(
            f"expected a folder with an index ({NOTE_FILE}), but {folder} {what}: give what Index.save wrote."
        )
    note, seal = _opened(folder)
    part = VECTORS
    try:
        tensors = read_parts(folder / VECTORS)
        part = NOTE_FILE
        check_note(note, tensors["vectors"])
        part = TEXTS
        texts, attributes = _texts(folder, note)
        if len(texts) != len(tensors["ids"]):
            raise ValueError(f"it has {len(texts):,} texts for {len(tensors['ids']):,} vectors")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(folder, part, error) from error
    index = kind(encoder, texts, tensors["ids"], tensors["vectors"], attributes, engine)
    if index.probe.shape != tensors["probe"].shape or not np.abs(index.probe - tensors["probe"]).max() <= SAME:
        raise KitError(
            f"expected the encoder that made the index in {folder} ({note['encoder']}, {note['dim']} dimensions), but "
            f"{name_of(encoder)} gives other vectors: load that encoder, or build the index anew."
        )
    if None not in (made := note.get("max_length"), ours := _max_length(encoder)) and made != ours:
        raise KitError(
            f"expected an encoder that reads {made} word pieces of a text, as the one that made the index in {folder}, "
            f"got one that reads {ours}: load it with max_length={made}, or build the index anew."
        )
    index.next_id = max(index.next_id, note.get("next_id", 0))
    index.folder, index.seal = folder.resolve(), seal
    return index


def _write(index: Any, folder: Path) -> str:
    """Fill a folder; the seal of what stands there now."""
    from safetensors.numpy import save_file

    tensors = {"vectors": np.ascontiguousarray(index.vectors), "ids": index.ids, "probe": index.probe}
    save_file(tensors, folder / VECTORS)
    names = list(index.attributes)
    lines = (
        json.dumps({"text": text, "about": dict(zip(names, values))}, ensure_ascii=False)
        for text, *values in zip(index.texts, *index.attributes.values(), strict=True)
    )
    write_synced(folder / TEXTS, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    note = {
        "format": FORMAT,
        "encoder": name_of(index.encoder),
        "rows": len(index),
        "dim": index.dim,
        "attributes": names,
        "next_id": index.next_id,
        "max_length": _max_length(index.encoder),
        "sha256": {name: _digest(folder / name) for name in (VECTORS, TEXTS)},
    }
    write_synced(folder / NOTE_FILE, json.dumps({"note": note, "sha256": _of_note(note)}, indent=1).encode())
    return _seal(folder)


def _opened(folder: Path) -> tuple[dict, str]:
    """The note of an index whose checksums hold, and its seal. Errors: `KitError` that names the damaged file."""
    try:
        written = (folder / NOTE_FILE).read_bytes()
        found = json.loads(written)
        note = found["note"]
        if found["sha256"] != _of_note(note):
            raise ValueError("its checksum differs")
        if note["format"] != FORMAT:
            raise KitError(
                f"expected an index of format {FORMAT} in {folder}, got {shown(note['format'])}: build it anew."
            )
        if set(note["sha256"]) != {VECTORS, TEXTS} or not {"encoder", "dim", "attributes"} <= note.keys():
            raise ValueError("it names other files, or misses a part")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, KitError):
            raise
        raise _damaged(folder, NOTE_FILE, error) from error
    for name, digest in note["sha256"].items():
        try:
            if _digest(folder / name) != digest:
                raise ValueError("its checksum differs")
        except (OSError, ValueError) as error:
            raise _damaged(folder, name, error) from error
    return note, hashlib.sha256(written).hexdigest()


def _texts(folder: Path, note: dict) -> tuple[list[str], dict[str, list]]:
    text = (folder / TEXTS).read_bytes().decode("utf-8", "surrogatepass")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    if not all(isinstance(row, dict) and isinstance(row["about"], dict) for row in rows):
        raise ValueError("a line is no text with its attributes")
    check_texts("texts", [row["text"] for row in rows])
    return [row["text"] for row in rows], {name: [row["about"][name] for row in rows] for name in note["attributes"]}


def _check_unchanged(index: Any, folder: Path) -> None:
    """Refuse to undo what another process has saved since this index was loaded."""
    there = _seal(folder)  # "": the folder was deleted since, so nothing would be undone
    if there and index.folder == folder.resolve() and index.seal != there:
        raise KitError(
            f"expected the index in {folder} as it was loaded, but another process has changed it since: load it again "
            "and repeat your changes, or save to another folder."
        )


def _seal(folder: Path) -> str:
    """The checksum of the note, which has those of the rest; "" where there is none."""
    try:
        return _digest(folder / NOTE_FILE)
    except OSError:
        return ""


def _damaged(folder: Path, name: str, error: Exception) -> KitError:
    reason = getattr(error, "strerror", None) or str(error)
    return KitError(
        f"expected a whole index in {folder}, but {name} is damaged ({reason}): copy it again, or build it anew."
    )


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_note(note: dict) -> str:
    return hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()


def _path(folder: Path | str) -> Path:
    if not KINDS["Path"].holds(folder) or not str(folder):
        raise KitError(f"expected the folder of the index as a path, got {shown(folder)}: give text or a pathlib.Path.")
    return Path(folder).expanduser()


def _max_length(encoder: Any) -> int | None:
    """Where an encoder cuts a text, in word pieces; None where it does not say."""
    length = getattr(encoder, "max_length", None)
    return length if is_whole(length, 1) else None
