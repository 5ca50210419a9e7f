"""That an encoder cannot read what was typed, as in another script than its own: else its cosines are believed.

The same in JavaScript: js/unknown_words.js.
"""

from __future__ import annotations

from collections.abc import Sequence


def is_unknown(pieces: Sequence[str], unknown: str = "[UNK]") -> bool:
    """Whether most words of a text are unknown: of word pieces a word has one that begins it."""
    words = [piece for piece in pieces if not piece.startswith("##") and any(map(str.isalnum, piece))]
    return 2 * words.count(unknown) > len(words)


def unknown_words(unknown: Sequence[bool], readers: str) -> str:
    """The sentence, with a blank before it, on texts of which that is so; "" where there are none.

    unknown [sentences]; readers: who does not know them, such as "these encoders".
    """
    if not any(unknown):
        return ""
    return f" Most words of {_whose(unknown)} are unknown to {readers}: cosines tell nothing of what is meant."


def listed(names: Sequence[str]) -> str:
    """One or more names as a sentence has them: "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _whose(unknown: Sequence[bool]) -> str:
    if len(unknown) == 2:
        return "both sentences" if all(unknown) else f"the {'first' if unknown[0] else 'second'} sentence"
    if all(unknown):
        return f"all {len(unknown)} sentences"
    places = [str(place) for place, one in enumerate(unknown, start=1) if one]
    return f"sentence{'s' if len(places) > 1 else ''} {listed(places)}"
