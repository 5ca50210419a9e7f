"""What the tokenizer does with each character, for the page: kit/boards/js/characters.json

    python scripts/record_characters.py

Browsers know other versions of Unicode than the tokenizers library, so that their classes of characters differ. The
file has the library's own: runs of code points, as [first, last, first, last, …] for each class.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kit.boards.page_encoder import CHARACTERS

SURROGATES = range(0xD800, 0xE000)  # halves of characters: Python's tokenizer never sees one


def main() -> None:
    classes = {name: runs(points) for name, points in classified(range(0x110000)).items()}
    CHARACTERS.write_text(json.dumps(classes, separators=(",", ":")) + "\n", "utf-8")
    print(f"wrote {CHARACTERS}, {CHARACTERS.stat().st_size:,} bytes")


def classified(points: Iterable[int]) -> dict[str, list[int]]:
    """The code points of each class, as tokenizers' BertNormalizer and BertPreTokenizer treat them."""
    from tokenizers import normalizers, pre_tokenizers

    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    found: dict[str, list[int]] = {"dropped": [], "spaces": [], "ideographs": [], "punctuation": []}
    for point in points:
        character = "" if point in SURROGATES else chr(point)
        normal = normalizer.normalize_str(character) if character else ""
        if not normal:
            found["dropped"].append(point)
        elif normal == " ":
            found["spaces"].append(point)
        elif len(normal) == 3 and normal[0] == normal[2] == " ":
            found["ideographs"].append(point)
        elif len(splitter.pre_tokenize_str(f"a{character}a")) == 3:
            found["punctuation"].append(point)
    return found


def runs(points: Iterable[int]) -> list[int]:
    """Sorted numbers as the first and last of each run of neighbours."""
    found: list[int] = []
    for point in points:
        if found and point == found[-1] + 1:
            found[-1] = point
        else:
            found += [point, point]
    return found


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
