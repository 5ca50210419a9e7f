"""Text on a notebook's page: captions, warnings and errors as HTML; durations in words."""

from __future__ import annotations

import html

# JupyterLab breaks the long lines of a print inside words.
WRAP = "<style>.jp-OutputArea .jp-OutputArea-output pre {word-break: normal; overflow-wrap: anywhere}</style>"
COLOURS = {"caption": "inherit", "warning": "#D55E00", "error": "#D55E00"}


def caption(text: str, kind: str = "caption") -> str:
    """`text` as an HTML paragraph of class kit-<kind>: "caption", "warning" or "error"."""
    role = "note" if kind == "caption" else "alert"
    return (
        f'<p class="kit-{kind}" role="{role}" style="color:{COLOURS[kind]};margin:0.2em 0 0.8em 0">'
        f"{html.escape(text)}</p>"
    )


def duration(seconds: float) -> str:
    """Seconds in the unit people would use: '8.0 s', '12 minutes', '3.5 hours', '4.2 days'. Lesson 09."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} minutes"
    hours = seconds / 3600
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"
