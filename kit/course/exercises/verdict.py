"""What `check` returns: one of three outcomes, shown as a box in a notebook and as a line of text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

RIGHT, NOT_YET, NOT_TRIED = "right", "not yet", "not tried"
# CSS class, first words, and the colour of the edge (Okabe–Ito, as in all figures of the kit).
STYLES = {
    RIGHT: ("kit-verdict-right", "Right.", "#009E73"),
    NOT_YET: ("kit-verdict-notyet", "Not yet.", "#E69F00"),
    NOT_TRIED: ("kit-verdict-nottried", "Not tried yet.", "#8c8c8c"),
}


@dataclass(frozen=True)
class Verdict:
    """outcome: "right", "not yet" or "not tried". message: why. advice: what to do next.

    note: a sentence if the progress file could not be read or written, else "".
    """

    outcome: str
    message: str
    advice: str = ""
    note: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (STYLES[self.outcome][1], self.message, self.advice, self.note)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        name, words, colour = STYLES[self.outcome]
        lines = (f"<b>{words}</b> {marked_up(self.message)}", marked_up(self.advice), marked_up(self.note))
        return box("<br>".join(filter(None, lines)), f"kit-verdict {name}", colour)


def box(inside: str, css_class: str, colour: str) -> str:
    """HTML in a box with a coloured edge, readable on light and dark pages."""
    return (
        f'<div class="{css_class}" role="status" style="border-left:5px solid {colour};'
        f"background:{colour}1f;color:inherit;padding:0.5em 0.8em;margin:0.3em 0;max-width:60em;"
        f'line-height:1.5">{inside}</div>'
    )


def marked_up(text: str) -> str:
    """Escape text for HTML; `code` in backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
