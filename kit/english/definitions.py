"""Words and their definitions from WordNet's own files: pairs that people wrote to say what is meant."""

from __future__ import annotations

import random

from kit.english.wordnet import PARTS, attested, folder
from kit.errors import KitError
from kit.number_checks import whole_number

_LEAST, _MOST = 4, 25  # words of a definition
_SHORTEST = 2  # of any meaning: a definition of two words ("rain heavily") is a synonym in other words


def definitions(rows: int | None = None, seed: int = 0, usual: bool = True) -> list[tuple[str, str, str]]:
    """(words, definition, part of speech): the words of a meaning, and what WordNet says it is. Lesson 13.

    "car, auto, automobile" · "a motor vehicle with four wheels; …" · "noun". Only meanings that the texts tagged by
    WordNet's authors have, without names, definitions of 4 to 25 words, examples left out; `rows` of them drawn by the
    seed (None: all, about 20,000), in the order of the files. usual=False: every meaning without a name among its
    words, with definitions of 2 to 25 words (about 90,000). Errors: `KitError` where WordNet is not installed.
    """
    found = [row for part in PARTS for row in _of_a_part(part, usual)]
    if rows is not None and whole_number("rows", rows, 1) < len(found):
        chosen = sorted(random.Random(seed).sample(range(len(found)), rows))
        found = [found[i] for i in chosen]
    return found


def _of_a_part(part: str, usual: bool) -> list[tuple[str, str, str]]:
    found = []
    name = {"adj": "adjective", "adv": "adverb"}.get(part, part)
    with open(folder() / f"data.{part}", encoding="ascii") as file:
        for line in file:
            if line[0] == " ":
                continue  # the licence
            fields, _, gloss = line.partition("|")
            parts = fields.split()
            words = [word.partition("(")[0] for word in parts[4 : 4 + 2 * int(parts[3], 16) : 2]]
            definition = gloss.partition('"')[0].strip().rstrip(";:, ")  # examples stand in quotation marks
            least = _LEAST if usual else _SHORTEST
            if not least <= len(definition.split()) <= _MOST:
                continue
            if any(_is_usual(part, word, int(parts[0])) for word in words) if usual else all(map(_is_no_name, words)):
                found.append((", ".join(word.replace("_", " ") for word in words), definition, name))
    return found


def _is_usual(part: str, word: str, sense: int) -> bool:
    """Whether the tagged texts have a word in this sense."""
    try:
        return word.islower() and word.isalpha() and attested(part, word, sense) > 0
    except (KeyError, ValueError):  # the package's line ends moved the offsets of some
        return False


def _is_no_name(word: str) -> bool:
    return word[0].islower()


def is_there() -> bool:
    """Whether WordNet is installed."""
    try:
        return bool(folder())
    except KitError:
        return False
