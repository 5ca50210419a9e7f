"""Held-out loss and pseudo-perplexity over a pretraining run, as a standalone SVG."""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape

from kit.errors import KitError
from kit.storage.atomic import write_atomically

# Blue and vermilion of Okabe and Ito (2008), told apart by colour-blind readers too.
PANELS = (
    ("heldout_loss", "Held-out masked loss (nats)", "#0072B2"),
    ("pseudo_perplexity", "Held-out pseudo-perplexity", "#D55E00"),
)
WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 220, 70, 40, 100  # of a panel's frame, and around it


def write_plot(history: list[dict], path: Path | str) -> Path:
    """Draw a run's `history` (entries with tokens, heldout_loss, pseudo_perplexity) to `path`.

    Two panels over the training tokens, each with axis titles; <title> and <desc> say the same
    in words. Errors: `KitError` for an empty history, or if the disk is full.
    """
    if not history:
        raise KitError(
            "expected a history with at least one measurement to draw, but it is empty: "
            "train until the first measurement."
        )
    panels = [
        _panel(history, key, title, colour, LEFT + i * (WIDTH + GAP)) for i, (key, title, colour) in enumerate(PANELS)
    ]
    width, height = LEFT + 2 * WIDTH + GAP + 20, TOP + HEIGHT + 60
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#333333">',
        '<title id="title">Held-out loss and pseudo-perplexity while pretraining</title>',
        f'<desc id="desc">{escape(describe(history))}</desc>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *panels,
        "</svg>",
    ]
    write_atomically(path, "\n".join(svg) + "\n")
    return Path(path)


def describe(history: list[dict]) -> str:
    """The plot in one sentence: where both curves begin and end, and the lowest loss."""
    first, last = history[0], history[-1]
    lowest = min(entry["heldout_loss"] for entry in history)
    return (
        f"From {first['tokens'] / 1e6:.1f} to {last['tokens'] / 1e6:.1f} million tokens, held-out loss goes from "
        f"{first['heldout_loss']:.3f} to {last['heldout_loss']:.3f} nats (lowest {lowest:.3f}) and "
        f"pseudo-perplexity from {first['pseudo_perplexity']:.1f} to {last['pseudo_perplexity']:.1f}."
    )


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers 1, 2 or 5 times a power of ten apart that cover low to high."""
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(power * m for m in (1, 2, 5, 10) if span / (power * m) <= about)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * i for i in range(first, max(last, first + 1) + 1)]


def _panel(history: list[dict], key: str, title: str, colour: str, left: int) -> str:
    """One curve with its frame, grid lines, tick labels and axis titles."""
    xs, ys = [entry["tokens"] / 1e6 for entry in history], [entry[key] for entry in history]
    x_ticks, y_ticks = ticks(0, max(xs)), ticks(min(ys), max(ys))
    bottom = TOP + HEIGHT

    def x_of(value: float) -> float:
        return left + WIDTH * (value - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])

    def y_of(value: float) -> float:
        return bottom - HEIGHT * (value - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])

    grid = [
        f'<path d="M{left} {y_of(y):.1f}h{WIDTH}" stroke="#e5e5e5"/>'
        f'<text x="{left - 8}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:,.6g}</text>'
        for y in y_ticks
    ]
    grid += [
        f'<path d="M{x_of(x):.1f} {bottom}v5" stroke="#333333"/>'
        f'<text x="{x_of(x):.1f}" y="{bottom + 19}" text-anchor="middle">{x:,.6g}</text>'
        for x in x_ticks
    ]
    points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in zip(xs, ys))
    middle = left + WIDTH / 2
    return "\n".join(
        [
            *grid,
            f'<path d="M{left} {TOP}V{bottom}H{left + WIDTH}" fill="none" stroke="#333333"/>',
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<circle cx="{x_of(xs[-1]):.1f}" cy="{y_of(ys[-1]):.1f}" r="3.5" fill="{colour}"/>',
            f'<text x="{middle}" y="{bottom + 42}" text-anchor="middle">Training tokens (millions)</text>',
            f'<text transform="translate({left - 52} {TOP + HEIGHT / 2}) rotate(-90)" '
            f'text-anchor="middle">{title}</text>',
        ]
    )
