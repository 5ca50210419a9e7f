"""The checks that `encode` and `tokenize` make of their sentences."""

from __future__ import annotations

import unicodedata
import warnings

from kit.checks.argument_checks import is_list
from kit.errors import KitError, KitWarning, shown

# Longer than any sentence; what follows is cut off before a slow tokenizer sees it.
MAX_CHARACTERS = 10_000


def check_sentences(sentences: object, cut: bool = True) -> list[str]:
    """`sentences` as a list, stripped; they must be a non-empty sequence of non-blank strings.

    cut: to `MAX_CHARACTERS`, for a tokenizer; False for texts that are kept or given back, which stay whole.

    Errors: `KitError` that names the first offender and its place.
    """
    if isinstance(sentences, str):
        raise KitError(f"expected a list of sentences, got one string {sentences[:40]!r}: put it in a list.")
    if not is_list(sentences):
        raise KitError(f"expected a list of sentences, got {type(sentences).__name__}: give a list of strings.")
    rows = list(sentences)
    if not rows:
        raise KitError("expected at least one sentence, got an empty list: give one or more strings.")
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            raise KitError(
                f"expected every sentence to be a string, but number {place} is "
                f"{type(row).__name__} ({shown(row)}): convert it or leave it out."
            )
        if not row.isascii() and any("\ud800" <= letter <= "\udfff" for letter in row):
            raise KitError(
                f"expected every sentence as text, but number {place} holds half of a character ({shown(row)}): "
                "read its file with the encoding that it was written in."
            )
        if is_blank(row):
            raise KitError(
                f"expected words in every sentence, but number {place} is empty or blank ({shown(row)}): "
                "leave it out (a blank has no meaning to encode)."
            )
    if not cut:
        return [row.strip() for row in rows]
    return [(row.strip() if len(row) <= MAX_CHARACTERS else " ".join(row.split()))[:MAX_CHARACTERS] for row in rows]


def warn_of_unknown_words(sentences: list[str], token_ids: list[list[int]], unknown: int | None) -> None:
    """Warn, once, if sentences [rows of ids, the first and last of which mark its ends] hold nothing but `unknown`.

    Their vectors tell lengths only: emoji, scripts that the vocabulary does not have, words of over a hundred letters.
    """
    lost = [i for i, ids in enumerate(token_ids) if unknown in ids and set(ids[1:-1]) == {unknown}]
    if lost:  # shown without its place: who encodes has changed the order, see `kit.evaluation.encoding`
        warnings.warn(
            f"{len(lost):,} of {len(token_ids):,} sentences have no word that the vocabulary knows, such as "
            f"{shown(sentences[lost[0]])} (they may be of another script, or emoji alone): the encoder sees how long "
            "they are, no more. Leave them out, or take another encoder.",
            KitWarning,
            stacklevel=3,
        )


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, control characters, and those without a width.

    >>> is_blank("\\u200b\\ufeff"), is_blank("a"), is_blank("?")
    (True, False, False)
    """
    if text[:1].isalnum():  # nearly always
        return False
    return not any(letter.isalnum() or unicodedata.category(letter)[0] in "LNPS" for letter in text)
