"""Text on a notebook's page: captions, warnings and errors as HTML; durations in words."""

from __future__ import annotations

import html
import re

# JupyterLab breaks the long lines of a print inside words, and lets the first line of a folded cell, and the picture of
# a plot in a file opened again, run out of their frames. Plotly knows neither its letters nor its theme: a plot is
# drawn in the one grey (`palette.INK`) that can be read on white and on black, only just.
LAB_STYLE = """<style>
.jp-OutputArea .jp-OutputArea-output pre {word-break: normal; overflow-wrap: anywhere}
.jp-InputPlaceholder > .jp-Placeholder-content {min-width: 0; background: none; border-color: transparent}
.jp-InputPlaceholder .jp-PlaceholderText {text-overflow: ellipsis} img.plot-img {max-width: 100%; height: auto}
[data-jp-theme-light] :is(.js-plotly-plot,#js-plotly-tester) text {font-family:var(--jp-content-font-family) !important}
.jp-OutputArea .js-plotly-plot text[style*="rgb(122, 122, 122)"] {fill: var(--jp-content-font-color1) !important}
.jp-OutputArea .js-plotly-plot .annotation-text {filter: brightness(0.85)}
[data-jp-theme-light="false"] .jp-OutputArea .js-plotly-plot .annotation-text {filter: brightness(1.4)}
[data-jp-theme-light="false"] img.plot-img {filter: brightness(1.15)}
</style>"""
# Mixed with the letters around it, so that it can be read on white and on black; the first is for older browsers.
ORANGE = "#D55E00;color:color-mix(in srgb, #D55E00 70%, currentcolor)"
COLOURS = {"caption": "inherit", "warning": ORANGE, "error": ORANGE}


def caption(text: str, kind: str = "caption") -> str:
    """`text` as an HTML paragraph of class kit-<kind>: "caption", "warning" or "error"."""
    role = "note" if kind == "caption" else "alert"
    return (
        f'<p class="kit-{kind}" role="{role}" style="color:{COLOURS[kind]};margin:0.2em 0 0.8em 0">'
        f"{html.escape(text)}</p>"
    )


def with_minus(text: str) -> str:
    """`text` with the minus of a page before numbers, where Python prints a hyphen; code and formulas as they are."""
    kept_or_hyphen = r"(`[^`]*`|\$[^$]*\$)|(?<![\w.)\]-])-(?=\d)"
    return re.sub(kept_or_hyphen, lambda found: found[1] or "−", text)


def duration(seconds: float) -> str:
    """Seconds in the unit people would use: '8.0 s', '12 minutes', '3.5 hours', '4.2 days'. Lesson 09."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} minutes"
    hours = seconds / 3600
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"
