"""Captions on a page and durations in words."""

from __future__ import annotations

import re

from kit.captions import LAB_STYLE, caption, duration
from kit.figures.palette import INK
from tests.figures.test_basic_figures import contrast


def test_a_caption_is_escaped_and_a_warning_is_an_alert() -> None:
    assert (
        "a &lt; b" in caption("a < b") and 'role="note"' in caption("a") and 'role="alert"' in caption("a", "warning")
    )


def test_a_plot_takes_the_ink_of_jupyterlab_where_it_has_the_grey_of_the_palette() -> None:
    grey = ", ".join(str(int(INK[i : i + 2], 16)) for i in (1, 3, 5))
    assert f'[style*="rgb({grey})"] {{fill: var(--jp-content-font-color1) !important}}' in LAB_STYLE


def test_the_kept_picture_of_a_plot_can_be_read_in_the_dark() -> None:
    """It has the grey of the palette for its words; more light would make the lightest cells of a heat map alike."""
    factor = float(re.search(r'"false"\] img\.plot-img {filter: brightness\(([\d.]+)\)}', LAB_STYLE)[1])
    words = "#" + f"{min(255, round(factor * int(INK[1:3], 16))):02x}" * 3
    assert contrast(INK, "#111111") < 4.5 < contrast(words, "#111111") and factor <= 1.2


def test_durations_are_in_the_unit_people_use() -> None:
    said = {0.42: "0.4 s", 12.6: "13 s", 89: "89 s", 720: "12 minutes", 3600: "60 minutes", 12_600: "3.5 hours"}
    said |= {30 * 3600: "30.0 hours", 72 * 3600: "3.0 days"}
    assert {seconds: duration(seconds) for seconds in said} == said
