"""Are these sentences? The checks that `encode` and `tokenize` make, and what they say."""

from __future__ import annotations

from collections.abc import Sequence

from kit.errors import KitError

# The slowest tokenizers are linear in the characters, and no sentence is this long.
LONGEST = 10_000


def check_sentences(sentences: object) -> list[str]:
    """`sentences` as a list, if it is a non-empty sequence of non-blank strings.

    Errors: `KitError` naming the first offender and its place.
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
    return [row.strip()[:LONGEST] for row in rows]
