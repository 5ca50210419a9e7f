"""Where stills stand in a page, and what is said where none can be made; tests/browser/test_site.py looks at them."""

from __future__ import annotations

from pathlib import Path

import page_stills
import pytest

FIGURE = '<div class="figure" style="min-height:300px"><script type="application/json">{"a":1}</script></div>'
BOARD = (
    '<div class="board" data-module="x"><script type="application/json">{"b":"\\u003c/div>"}</script>'
    '<div class="stand-in"><p>Words.</p></div></div>'
)


def test_each_still_stands_in_its_own_place() -> None:
    page = page_stills.with_stills(f"<p>{FIGURE}{BOARD}{BOARD}</p>", ["one.webp", None, "two.webp"])
    figure, board, other = page.split("<div class=", 1)[1].replace("stand-in", "").split('class="board"')
    assert figure.index("</script><noscript><img") < figure.index("stills/one.webp") < figure.index("</div>")
    assert "noscript" not in board
    assert other.index("stills/two.webp") < other.index("Words.")


def test_a_page_without_pictures_is_left_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "glossary.html"
    page.write_text("<p>Words.</p>")
    assert page_stills.photograph(None, page, tmp_path) == 0 and page.read_text() == "<p>Words.</p>"


def test_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    assert page_stills.main([str(tmp_path)]) == 1 and "`make site` makes them" in capsys.readouterr().err
    page = tmp_path / "lesson.html"
    page.write_text(FIGURE)
    monkeypatch.setattr(page_stills, "browser", lambda: None)
    assert page_stills.main([str(tmp_path)]) == 0 and "no Chromium" in capsys.readouterr().err
    (tmp_path / "assets").mkdir()
    monkeypatch.setattr(page_stills, "browser", lambda: str(tmp_path / "no-browser"))
    assert page_stills.main([str(tmp_path)]) == 0 and "stills were not made" in capsys.readouterr().err
    assert page.read_text() == FIGURE
