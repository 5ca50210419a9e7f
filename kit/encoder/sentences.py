"""The checks that `encode` and `tokenize` make of their sentences."""

from __future__ import annotations

from collections.abc import Sequence

from kit.errors import KitError

# Longer than any sentence; what follows is cut off before a slow tokenizer sees it.
MAX_CHARACTERS = 10_000


def check_sentences(sentences: object) -> list[str]:
    """`sentences` as a list, stripped; they must be a non-empty sequence of non-blank strings.

    Errors: `KitError` that names the first offender and its place.
    """
    if isinstance(sentences, str):
        raise KitError(f"expected a list of sentences, got one string {sentences[:40]!r}: put it in a list.")
    if not isinstance(sentences, Sequence) and not hasattr(sentences, "__iter__"):
        raise KitError(f"expected a list of sentences, got {type(sentences).__name__}: give a list of strings.")
    rows = list(sentences)
    if not rows:
        raise KitError("expected at least one sentence, got an empty list: give one or more strings.")
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            raise KitError(
                f"expected every sentence to be a string, but number {place} is "
                f"{type(row).__name__} ({row!r}): convert it or leave it out."
            )
        if not row.strip():
            raise KitError(
                f"expected words in every sentence, but number {place} is empty or blank: "
                "leave it out (a blank has no meaning to encode)."
            )
    return [row.strip()[:MAX_CHARACTERS] for row in rows]
