"""A reader's text where a library reads markup: plotly's labels know `<b>` and `<a href>`, Markdown knows much more."""

from __future__ import annotations

import re


def for_plotly(text: object) -> str:
    """Text that plotly shows as it stands: no tag, no link, no entity and no %{template} in it counts.

    >>> for_plotly("<b>R&B</b>")
    '&lt;b&gt;R&amp;B&lt;/b&gt;'
    """
    text = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("%{", "%&#123;")


def for_markdown(text: object) -> str:
    """Text that Markdown shows as it stands, on one line.

    >>> for_markdown("<b> [a](b)")
    '&lt;b&gt; \\\\[a\\\\](b)'
    """
    line = " ".join(str(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*\[\]|#!])|(?<!\w)_|_(?!\w)", lambda found: "\\" + found[0], line)
