"""A plot and its summary in words, always together."""

from __future__ import annotations

from dataclasses import dataclass

from kit.captions import caption


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
