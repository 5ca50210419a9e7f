"""What `check` answers: one of three outcomes, as a box on the page and as a line of text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

RIGHT, NOT_YET, NOT_TRIED = "right", "not yet", "not tried"
# The class, the first words and the colour of the edge (Okabe–Ito, as in all pictures of the kit).
LOOKS = {
    RIGHT: ("kit-verdict-right", "Right.", "#009E73"),
    NOT_YET: ("kit-verdict-notyet", "Not yet.", "#E69F00"),
    NOT_TRIED: ("kit-verdict-nottried", "Not tried yet.", "#8c8c8c"),
}


@dataclass(frozen=True)
class Verdict:
    """outcome: "right", "not yet" or "not tried". message: why. advice: what to do next.

    note: a sentence about the progress file where it could not be read or written, else "".
    """

    outcome: str
    message: str
    advice: str = ""
    note: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (LOOKS[self.outcome][1], self.message, self.advice, self.note)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        name, words, colour = LOOKS[self.outcome]
        lines = (f"<b>{words}</b> {marked_up(self.message)}", marked_up(self.advice), marked_up(self.note))
        return box("<br>".join(filter(None, lines)), f"kit-verdict {name}", colour)


def box(inside: str, css_class: str, colour: str) -> str:
    """HTML in a box with a coloured edge. The text keeps the page's colour: readable on light and dark."""
    return (
        f'<div class="{css_class}" role="status" style="border-left:5px solid {colour};'
        f"background:{colour}1f;color:inherit;padding:0.5em 0.8em;margin:0.3em 0;max-width:60em;"
        f'line-height:1.5">{inside}</div>'
    )


def marked_up(text: str) -> str:
    """Text as HTML: everything escaped, `code` in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
