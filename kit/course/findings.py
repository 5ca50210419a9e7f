"""Sentences that are true at every run: a cell tests what it says before it says it."""

from __future__ import annotations

import html

from kit.errors import KitError


def finding(holds: bool, sentence: str, otherwise: str, ask: str = "") -> None:
    """Show the sentence that is true in this run: `sentence` where `holds`, else `otherwise` (both Markdown).

    A run on other data, with another preset or seed can come out differently from the run that a lesson was
    written with; `otherwise` then says what happened instead. Numbers in it are formatted by the cell:

        finding(after > before, f"The rank grew to {after:.0f}.", f"The rank fell to {after:.0f} in this run.")

    ask: a question to answer first. It stands above the sentence, which is folded away until the reader opens it
    (by mouse or keyboard, and on a page without a kernel too).

    `holds` may be a Python or NumPy truth value or a tensor of one element; anything else, and an empty
    sentence, is a `KitError`. Lessons 00, 01, 02, 03, 04, 05, 06, 07, 08, 09, 10, 11 and 12.
    """
    try:
        held = bool(holds)
    except (TypeError, ValueError, RuntimeError):
        raise KitError(f"expected true or false, got {type(holds).__name__}: compare two numbers.") from None
    if not sentence.strip() or not otherwise.strip():
        raise KitError("expected a sentence for both outcomes, but one is empty: say what is seen in either case.")
    from IPython.display import Markdown, display

    text = sentence if held else otherwise
    if ask:
        text = f"<details><summary><b>Predict, then look.</b> {html.escape(ask)}</summary>\n\n{text}\n\n</details>"
    display(Markdown(text), metadata={"kit": {"finding": held}})
