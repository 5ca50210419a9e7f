"""A model's files are looked at by their size before anybody reads them: a million tensors or pieces take minutes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from kit.errors import KitError

LONGEST_HEADER = 16 * 2**20  # of safetensors, in bytes: over 100,000 tensors, read in 5 s, where a BERT has hundreds
LARGEST_VOCABULARY = 100 * 2**20  # three times the file of 262,000 pieces
LARGEST_SETTINGS = 16 * 2**20
VOCABULARIES = ("tokenizer.json", "vocab.json", "vocab.txt", "merges.txt")
SETTINGS = ("config.json", "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")
MOST_ADDED = 100_000  # pieces beside the vocabulary, each slower to read than one in it: usual are five, or hundreds
OF_EACH_ADDED = b'"lstrip"'


def refuse_too_many_parts(folder: Path) -> None:
    """Errors: `KitError` for a file in `folder` with more parts than any model has."""
    with contextlib.suppress(OSError):  # a file that is closed or gone has a sentence of its own later
        for file in sorted(folder.glob("*.safetensors")):
            _refuse_long_header(file)
        for names, largest in ((VOCABULARIES, LARGEST_VOCABULARY), (SETTINGS, LARGEST_SETTINGS)):
            for file in filter(Path.is_file, map(folder.joinpath, names)):
                if (size := file.stat().st_size) > largest:
                    raise KitError(
                        f"expected at most {largest:,} bytes in {file}, got {size:,}: no model needs so many, copy it "
                        "again."
                    )
        file = folder / "tokenizer.json"
        if file.is_file() and (added := file.read_bytes().count(OF_EACH_ADDED)) > MOST_ADDED:
            raise KitError(
                f"expected at most {MOST_ADDED:,} pieces beside the vocabulary in {file}, got {added:,}: no model "
                "needs so many, copy it again."
            )


def _refuse_long_header(file: Path) -> None:
    """It stands at the beginning, after its length in 8 bytes, and lists the tensors."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
    if LONGEST_HEADER < length < file.stat().st_size:  # longer than the file: it is damaged, which is said later
        raise KitError(
            f"expected a list of tensors of at most {LONGEST_HEADER:,} bytes in {file}, got {length:,}: no model has "
            "so many tensors, copy it again."
        )
