"""A plot and its summary in words, always together."""

from __future__ import annotations

import html
from dataclasses import dataclass


@dataclass(frozen=True)
class CaptionedFigure:
    """A plotly figure and the summary that says what it shows, computed from its data.

    Shown as the last expression of a cell: the figure, then the summary under it. Where
    nothing draws plots (a terminal, a screen reader) the summary stands alone.
    """

    figure: object
    summary: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": caption(self.summary), "text/plain": self.summary}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self.figure)
        display(self._repr_mimebundle_(), raw=True)


COLOURS = {"caption": "inherit", "warning": "#D55E00", "error": "#D55E00"}


def caption(text: str, kind: str = "caption") -> str:
    """`text` as an HTML paragraph of class kit-<kind>: "caption", "warning" or "error"."""
    role = "note" if kind == "caption" else "alert"
    return (
        f'<p class="kit-{kind}" role="{role}" style="color:{COLOURS[kind]};margin:0.2em 0 0.8em 0">'
        f"{html.escape(text)}</p>"
    )
