"""What `check` returns: one of three outcomes, shown as a box in a notebook and as a line of text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

RIGHT, NOT_YET, NOT_TRIED = "right", "not yet", "not tried"
# The little Markdown of such sentences. One star within a word or beside a space is one that multiplies.
STYLED = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>\S(?:.*?\S)??)\*\*"
    r"|(?<![\w*])\*(?P<em>[^\s*](?:.*?[^\s*])??)\*(?![\w*])",
    re.DOTALL,
)
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
        told = (plain(one) for one in (self.message, self.advice, self.note))
        return " ".join(filter(None, (STYLES[self.outcome][1], *told)))

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
    """Escape text for HTML; `code`, **strong** and *emphasised* words become that, and code is not looked into."""
    return _styled(html.escape(text, quote=False), lambda tag, words: f"<{tag}>{words}</{tag}>")


def plain(text: str) -> str:
    """The same on one line of text: without the marks of strong and emphasised words."""
    return _styled(text, lambda tag, words: f"`{words}`" if tag == "code" else words)


def _styled(text: str, put: Callable[[str, str], str]) -> str:
    def one(match: re.Match) -> str:
        tag, words = match.lastgroup, match[match.lastgroup]
        return put(tag, words if tag == "code" else _styled(words, put))

    return STYLED.sub(one, text)
