"""Texts that are probably not what they should be: a wrong encoding, markup, another script."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

# What UTF-8 looks like that was read as Windows-1252: "Ã¼", "â€œ"; "Ð¿Ñ€" of Cyrillic, two in a row, as letters
# that begin like these are common in some languages. With a Ã before a closing quotation mark a word may well end.
# The bytes 80 to BF, as which all but the first of a letter are read:
_NEXT = "[\u0080-\u00bfŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]"
_MOJIBAKE = re.compile(rf"[ÃÂ](?![”’»](?!\w)){_NEXT}|(?:[Ã-ß]{_NEXT}){{2}}|(?:[à-ï]{_NEXT}{{2}}){{2}}|â€|\ufffd|ï»¿")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # all below the space but tab and line ends
_ADDRESS = re.compile(r"https?://\S+|www\.\S+")


def _has_markup(text: str) -> bool:
    if "<" in text and _TAG.search(text):
        return True
    try:
        return "&" in text and html.unescape(text) != text
    except ValueError:  # &#…; with more digits than Python makes a number of
        return True


def _is_in_capitals(text: str) -> bool:
    """An acronym alone makes no capitals of a text in a script without them."""
    return len(text) > 20 and text.isupper() and 2 * sum(map(str.isupper, text)) >= sum(map(str.isalpha, text))


ODDITIES: dict[str, Callable[[str], bool]] = {  # what is odd → whether a text is
    "read in a wrong encoding (Ã¼ for ü)": lambda text: not text.isascii() and bool(_MOJIBAKE.search(text)),
    "markup (tags or entities)": _has_markup,
    "an address alone": lambda text: "://" in text and not _ADDRESS.sub("", text).strip(),
    "control characters": lambda text: not text.isprintable() and bool(_CONTROL.search(text)),
    "capitals alone": _is_in_capitals,
    "no letter": lambda text: not any(c.isalpha() for c in text),
}


def odd_texts(texts: Sequence[str]) -> dict[str, list[int]]:
    """What is odd → the places of the texts that are; kinds without any are left out."""
    found = {name: [i for i, text in enumerate(texts) if is_odd(text)] for name, is_odd in ODDITIES.items()}
    return {name: places for name, places in found.items() if places}


def scripts(texts: Sequence[str], most: int = 20_000) -> dict[str, float]:
    """The writing system of the letters, such as {"LATIN": 0.98, "CYRILLIC": 0.02}, of up to `most` texts.

    Of more it takes every k-th: those of one column stand side by side.
    """
    letters = Counter(c for text in texts[:: max(1, -(-len(texts) // most))] for c in text if c.isalpha())
    counts: Counter[str] = Counter()
    for letter, count in letters.items():
        counts[unicodedata.name(letter, "UNKNOWN").split()[0]] += count
    whole = max(1, counts.total())
    return {name: count / whole for name, count in counts.most_common(5)}
