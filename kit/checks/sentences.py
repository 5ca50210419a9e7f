"""The checks that `encode` and `tokenize` make of their sentences."""

from __future__ import annotations

import unicodedata
import warnings
from typing import Any

from kit.checks.argument_checks import is_list
from kit.errors import KitError, KitWarning, shown

# Longer than any sentence; what follows is cut off before a slow tokenizer sees it.
MAX_CHARACTERS = 10_000
MAX_IN_A_PIECE = 16  # characters for each word piece that an encoder reads; prose has four or five


def check_sentences(sentences: object, cut: bool = True, pieces: int = 0) -> list[str]:
    """`sentences` as a list, stripped; they must be a non-empty sequence of non-blank strings.

    cut: for a tokenizer, to `most_characters(pieces)`, of which an encoder reads so many word pieces; False for texts
    that are kept or given back, which stay whole.

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
    most = most_characters(pieces)
    return [(row.strip() if len(row) <= most else " ".join(row.split()))[:most] for row in rows]


def most_characters(pieces: int) -> int:
    """Characters that a tokenizer is given at most of a text, where an encoder reads so many word pieces."""
    return max(MAX_CHARACTERS, MAX_IN_A_PIECE * pieces)


def warn_of_unread_ends(texts: list[str], token_ids: list[list[int]], pieces: int) -> None:
    """Warn, once, if texts that `check_sentences` has cut have fewer token ids than the `pieces` an encoder reads."""
    most = most_characters(pieces)
    unread = [text for text, ids in zip(texts, token_ids, strict=True) if len(text) == most and len(ids) < pieces]
    if unread:
        warnings.warn(
            f"{len(unread):,} of {len(token_ids):,} texts were cut at {most:,} characters, although they have room for "
            f"more word pieces there, such as {shown(unread[0])}: split them, or leave out what is no prose.",
            KitWarning,
            stacklevel=4,
        )


def warn_of_unknown_words(sentences: list[str], token_ids: list[list[int]], tokenizer: Any) -> None:
    """Warn, once, if a sentence has no word of the vocabulary [rows of ids, the first and last of which mark its ends].

    Their vectors tell lengths only: emoji, scripts that the vocabulary does not have, words of over a hundred letters.
    A comma or a question mark among them is no word.
    """
    unknown = tokenizer.unk_token_id
    inner = {i: {*ids[1:-1]} for i, ids in enumerate(token_ids) if unknown in ids[1:-1]}
    met = list(set().union(*inner.values()) - {unknown})
    mute = {one for one, piece in zip(met, tokenizer.convert_ids_to_tokens(met)) if not any(map(str.isalnum, piece))}
    lost = [i for i, ids in inner.items() if ids <= mute | {unknown}]
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
