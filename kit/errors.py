"""One exception for everything a reader can get wrong, and one warning.

The message is one sentence: what was expected, what came, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KitError(ValueError):
    """Bad input, told in one clear sentence. Lesson 02."""


class KitWarning(UserWarning):
    """A remark in one sentence on something that does not stop the work but changes what a result means."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> KitError:
    """An error for a name that is not in `known`, with the near matches.

    >>> str(unknown_name("pooling", "maen", ["mean", "max"]))
    "unknown pooling 'maen': did you mean 'mean' or 'max'? Known: mean, max."
    """
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    hint = " did you mean " + " or ".join(repr(n) for n in near) + "?" if near else ""
    return KitError(f"unknown {kind} {name!r}:{hint} Known: {', '.join(known)}.")
