"""One exception for everything a reader can get wrong, and one warning.

The message is one sentence: what was expected, what came, and what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST = 2000  # characters of a message: what came in may be longer
# Control characters but line ends and tabs, what turns the direction of the text around it, halves of characters.
_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class KitError(ValueError):
    """Bad input, told in one clear sentence on one line. Lesson 02."""

    def __init__(self, message: str = "") -> None:
        line = printable(" ".join(str(message).split()))
        super().__init__(line if len(line) <= LONGEST else f"{line[: LONGEST - 400]} … {line[-390:]}")


class UnknownName(KitError):
    """A name that is not among those that are known, such as a column's."""


class NothingToTrainOn(KitError):
    """Data of which no example can be made; those of one chunk of a stream are left out, with a warning."""


class KitWarning(UserWarning):
    """A remark in one sentence on something that does not stop the work but changes what a result means."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """An error for a name that is not in `known`, with the near matches.

    >>> str(unknown_name("pooling", "maen", ["mean", "max"]))
    "unknown pooling 'maen': did you mean 'mean' or 'max'? Known: mean, max."
    """
    known = list(known)
    near = difflib.get_close_matches(str(name)[:100], known, n=3, cutoff=0.5)
    hint = " did you mean " + " or ".join(repr(n) for n in near) + "?" if near else ""
    return UnknownName(f"unknown {kind} {shown(name)}:{hint} Known: {', '.join(known)}.")


def check_name(kind: str, name: object, known: Iterable[str]) -> None:
    """Raises `unknown_name` unless `name` is text and one of `known`."""
    if not isinstance(name, str) or name not in known:
        raise unknown_name(kind, name, known)


def printable(text: str) -> str:
    """`text` as it can be printed: what a terminal would obey or cannot show is written out, as "\\x1b"."""
    return _UNSHOWN.sub(lambda found: repr(found[0])[1:-1], text)


def shown(value: object) -> str:
    """`value` in an error's sentence: itself where it is short, else what it is."""
    if value is None or isinstance(value, str | int | float):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**60 else "a number of many digits"
        return text if len(text) <= 60 else f"{text[:50]} …"
    kind = type(value).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
