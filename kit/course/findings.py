"""Sentences that are true at every run: a cell tests what it says before it says it."""

from __future__ import annotations

from collections.abc import Mapping

from kit.captions import with_minus
from kit.errors import KitError


def finding(
    holds: bool, sentence: str, otherwise: str, ask: str = "", options: Mapping[str, object] | None = None
) -> None:
    """Show the sentence that is true in this run: `sentence` where `holds`, else `otherwise` (both Markdown).

    A run on other data, with another preset or seed can come out differently from the run that a lesson was
    written with; `otherwise` then says what happened instead. Numbers in it are formatted by the cell; a hyphen before
    one is shown as a minus:

        finding(after > before, f"The rank grew to {after:.0f}.", f"The rank fell to {after:.0f} in this run.",
                ask="Does the rank grow?", options={"yes": after > before, "no": after <= before})

    ask: a question to answer first. The sentence shows once the reader has chosen an option, or written a guess where
    there are none; the guess is kept in the progress file. options: each with whether it is what came out.

    `holds` may be a Python or NumPy truth value or a tensor of one element; anything else, an empty sentence, and
    options without a question are a `KitError`. Lessons 00, 01, 02, 03, 04, 05, 06, 07, 08, 09, 10, 11 and 12.
    """
    try:
        held = bool(holds)
    except (TypeError, ValueError, RuntimeError):
        raise KitError(f"expected true or false, got {type(holds).__name__}: compare two numbers.") from None
    if not sentence.strip() or not otherwise.strip():
        raise KitError("expected a sentence for both outcomes, but one is empty: say what is seen in either case.")
    if options and not ask:
        raise KitError("expected a question with the options, got none: give it as `ask`.")
    text = with_minus(sentence if held else otherwise)
    if ask:
        from kit.course.predictions import show_prediction

        return show_prediction(ask, text, options or {}, held)
    from IPython.display import Markdown, display

    display(Markdown(text), metadata={"kit": {"finding": held}})
