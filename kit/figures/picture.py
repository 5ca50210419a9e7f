"""A plot and its one-sentence equivalent, always together."""

from __future__ import annotations

import html
from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """A plotly figure and the sentence that says what it shows, computed from its data.

    Shown as the last expression of a cell: the figure, then the sentence under it. Where
    nothing draws plots (a terminal, a screen reader) the sentence stands alone.
    """

    figure: object
    sentence: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": caption(self.sentence), "text/plain": self.sentence}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self.figure)
        display(self._repr_mimebundle_(), raw=True)


COLOURS = {"caption": "inherit", "warning": "#D55E00", "error": "#D55E00"}


def caption(sentence: str, kind: str = "caption") -> str:
    """`sentence` as an HTML paragraph of class kit-<kind>: "caption", "warning" or "error"."""
    role = "note" if kind == "caption" else "alert"
    return (
        f'<p class="kit-{kind}" role="{role}" style="color:{COLOURS[kind]};margin:0.2em 0 0.8em 0">'
        f"{html.escape(sentence)}</p>"
    )
