"""Schematic drawings: boxes, arrows and words as SVG, and the same in a sentence.

A drawing stands before the code that computes what it shows. Lines and text take the page's text colour
(`currentColor`), so that they read on light and on dark; colours are those of `kit.figures.palette`.

    page = Canvas(600, 120)
    page.box(20, 30, 120, 50, "token vectors", "[n, dim]")
    page.arrow(140, 55, 220, 55, "mean")
    page.drawing("From tokens to a sentence", "The mean of the n token vectors is the sentence's vector.")

The drawings themselves stand in files beside this one, a file for a group of lessons.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kit.captions import caption
from kit.errors import KitError
from kit.figures.palette import NEUTRAL

INK = "currentColor"  # the text colour of the page: dark on light, light on dark
SIZE, LETTER = 14, 7.8  # pixels: of the lettering, and across a letter at most, on average
PART = 455  # pixels across a part; a phone's page has 358, which leaves 11 of 14


@dataclass(frozen=True)
class Drawing:
    """An SVG and the summary that says the same in words; shown as the last expression of a cell.

    svg: the picture, an image with the drawing's title as its name, of one SVG or of several side by side, which stand
    one below the other where the page is narrow. summary: what is to be seen, shown under the
    picture and alone where nothing draws (a terminal). Lesson 01.
    """

    svg: str
    summary: str

    def __str__(self) -> str:
        return self.summary

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": f"<div>{self.svg}</div>{caption(self.summary)}", "text/plain": self.summary}


class Part(NamedTuple):
    """One thing that is drawn, and from where to where it reaches across the page; of words, the middle."""

    left: float
    right: float
    svg: str


class Canvas:
    """A surface of `width` × `height` pixels to draw on, (0, 0) at the top left; it shrinks with the page.

    folds: where it is parted on a narrow page, as x; the parts then stand one below the other. Lines may cross a
    fold, words may not. `PART` pixels are as wide as a part may be for its lettering to have 11 pixels on a phone.
    Every method adds one thing. Words are plain text (escaped), 14 pixels high. Errors: `KitError` for no size.
    """

    def __init__(self, width: float, height: float, folds: Sequence[float] = ()) -> None:
        if not (width > 0 and height > 0):
            raise KitError(f"expected a width and a height above zero, got {width} × {height}: give pixels.")
        self.width, self.height, self.edges = width, height, (0, *folds, width)
        self.parts: list[Part] = []

    def text(self, x: float, y: float, words: str, anchor: str = "middle", bold: bool = False) -> None:
        """Words with their baseline at y; anchor: "start", "middle" or "end" of them is at x."""
        weight = ' font-weight="bold"' if bold else ""
        middle = x + {"start": 0.5, "middle": 0, "end": -0.5}[anchor] * LETTER * len(words)
        self._add(
            middle,
            middle,
            f'<text x="{x:g}" y="{y:g}" font-size="{SIZE}" text-anchor="{anchor}" fill="{INK}"{weight}>'
            f"{html.escape(words)}</text>",
        )

    def _add(self, left: float, right: float, svg: str) -> None:
        self.parts.append(Part(left, right, svg))

    def box(
        self, x: float, y: float, width: float, height: float, *lines: str, colour: str = NEUTRAL, strength: float = 0.2
    ) -> None:
        """A rectangle with lines of words in its middle; strength: how much of its colour fills it, 0 to 1."""
        self._add(
            x,
            x + width,
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{colour}" '
            f'fill-opacity="{strength:g}" stroke="{colour}" stroke-width="1.5"/>',
        )
        for number, words in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + 5 + 18 * (number - (len(lines) - 1) / 2), words)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1.5, dashed: bool = False
    ) -> None:
        """A straight line."""
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        line = f'<line {ends} stroke="{colour}" stroke-width="{width:g}"{dashes}/>'
        self._add(min(x1, x2), max(x1, x2), line)

    def arrow(
        self, x1: float, y1: float, x2: float, y2: float, words: str = "", colour: str = INK, width: float = 1.5,
        dashed: bool = False,
    ) -> None:  # fmt: skip
        """A line from (x1, y1) with its head at (x2, y2), words above its middle. Errors: `KitError` for no length."""
        length = math.hypot(x2 - x1, y2 - y1)
        if not length:
            raise KitError(f"expected an arrow between two places, got ({x1:g}, {y1:g}) twice: move one end.")
        along = ((x2 - x1) / length, (y2 - y1) / length)
        head = 5 + 2 * width
        foot = (x2 - head * along[0], y2 - head * along[1])
        side = (-along[1] * head / 2, along[0] * head / 2)
        self.line(x1, y1, *foot, colour=colour, width=width, dashed=dashed)
        corners = ((x2, y2), (foot[0] + side[0], foot[1] + side[1]), (foot[0] - side[0], foot[1] - side[1]))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        self._add(
            min(a for a, _ in corners), max(a for a, _ in corners), f'<polygon points="{points}" fill="{colour}"/>'
        )
        if words:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 7, words)

    def circle(self, x: float, y: float, radius: float, colour: str = NEUTRAL, strength: float = 1.0) -> None:
        """A disc (a point of a cloud), or with strength 0 a ring."""
        self._add(
            x - radius,
            x + radius,
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{colour}" fill-opacity="{strength:g}" '
            f'stroke="{colour}" stroke-width="1.5"/>',
        )

    def matrix(
        self, x: float, y: float, entries: Sequence[Sequence[str]], cell: float = 34,
        colours: Sequence[Sequence[str | None]] | None = None, rows: Sequence[str] = (), columns: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """A matrix of squares with its top left corner at (x, y).

        entries: the words of each square, row by row. cell: the side of a square. colours: one a square, None for
        no filling. rows, columns: names to the left of the rows and above the columns.
        """
        for i, row in enumerate(entries):
            for j, words in enumerate(row):
                colour = colours[i][j] if colours else None
                strength = 0.35 if colour else 0.0
                self.box(x + j * cell, y + i * cell, cell, cell, words, colour=colour or NEUTRAL, strength=strength)
        for i, name in enumerate(rows):
            self.text(x - 8, y + (i + 0.5) * cell + 5, name, anchor="end")
        for j, name in enumerate(columns):
            self.text(x + (j + 0.5) * cell, y - 8, name)

    def drawing(self, title: str, summary: str) -> Drawing:
        """What was drawn. title: the picture's name; summary: the same in words, for those who cannot see it.

        Errors: `KitError` where one is empty.
        """
        if not title.strip() or not summary.strip():
            raise KitError("expected a title and a summary, but one is empty: say in words what is drawn.")
        strips = "".join(self._strip(left, right) for left, right in pairwise(self.edges))
        name = f'role="img" aria-label="{html.escape(title)}"'
        return Drawing(f'<div {name} style="display:flex;flex-wrap:wrap">{strips}</div>', summary)

    def _strip(self, left: float, right: float) -> str:
        """What lies between two edges, in one scale with all parts; a line across a fold is drawn on both sides."""
        widest = max(b - a for a, b in pairwise(self.edges))
        share = 100 * (right - left) / widest  # of a page as narrow as the widest part, or narrower
        inside = "".join(part.svg for part in self.parts if part.left < right and part.right >= left)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" viewBox="{left:g} 0 {right - left:g} '
            f'{self.height:g}" width="{right - left:g}" style="flex:none;width:min({right - left:g}px, {share:.1f}%);'
            f'height:auto;font-family:inherit">{inside}</svg>'
        )
