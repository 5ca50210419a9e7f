"""A Content-Security-Policy for pages that stand alone: it allows what the page contains, and nothing else.

Scripts are allowed by their hashes; what is not on the list (a script that came in with a sentence, an address
elsewhere, an inline handler) the browser refuses. Styles may stand inline, as plotly and tables need it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


def policy(scripts: Iterable[str] = (), *, boards: bool = False, files: bool = False) -> str:
    """The <meta> element for a page's head.

    scripts: the text of each inline script as it stands in the page. boards: the page makes modules of its boards
    (blob: addresses). files: it loads scripts and a style sheet that lie beside it.
    """
    own = ["'self'", "file:"] if files else []  # not every browser takes a file for itself
    allowed = [*own, *(["blob:"] if boards else []), *dict.fromkeys(map(_hash, scripts))]
    rules = {
        "default-src": ["'none'"],
        "script-src": allowed or ["'none'"],
        "style-src": ["'unsafe-inline'", *own],
        "img-src": ["data:", "blob:", *own],
        "font-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    content = "; ".join(f"{rule} {' '.join(sources)}" for rule, sources in rules.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


def scripts_in(page: str) -> list[str]:
    """The texts of the inline scripts of a piece of HTML (not of data such as JSON)."""
    found = _SCRIPT.finditer(page)
    return [m["text"] for m in found if "src=" not in m["attributes"] and "json" not in m["attributes"]]


def _hash(script: str) -> str:
    text = script.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads it
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
