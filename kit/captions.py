"""One line of text on a notebook's page: the caption of a figure, a warning, an error."""

from __future__ import annotations

import html

COLOURS = {"caption": "inherit", "warning": "#D55E00", "error": "#D55E00"}


def caption(text: str, kind: str = "caption") -> str:
    """`text` as an HTML paragraph of class kit-<kind>: "caption", "warning" or "error"."""
    role = "note" if kind == "caption" else "alert"
    return (
        f'<p class="kit-{kind}" role="{role}" style="color:{COLOURS[kind]};margin:0.2em 0 0.8em 0">'
        f"{html.escape(text)}</p>"
    )
