"""What comes from a file or a name is shown, and never obeyed: by a terminal, by Markdown, by plotly."""

from __future__ import annotations

from kit.checks.plain_text import for_markdown, for_plotly
from kit.errors import KitError, printable
from kit.owndata import OwnData, look
from kit.retrieval import Hit

COLOUR, TITLE, TURNED = "\x1b[31mred", "\x1b]0;mine\x07", "a\u202egpj.exe"


def test_a_terminal_gets_no_command_of_a_text() -> None:
    for text in (COLOUR, TITLE, TURNED, "a\x9bmb", "a\x00b", "half \ud800"):
        assert all(letter.isprintable() for letter in printable(text)), text
        assert printable(text).encode()  # and any terminal can print it
    for text in ("two\nlines\tand a tab", "שלום עולם", "漢字 🙂 é"):
        assert printable(text) == text


def test_errors_and_hits_are_one_line_that_a_terminal_shows() -> None:
    assert str(KitError(f"no file {COLOUR}\n{TITLE}")) == r"no file \x1b[31mred \x1b]0;mine\x07"
    assert str(Hit(0, f"{COLOUR}\n{TURNED}", 0.5)) == r"0.500  \x1b[31mred a\u202egpj.exe"


def test_what_look_prints_of_data_of_ones_own() -> None:
    columns = {"anchor": [f"a {COLOUR} dog"] * 3, "positive": [f"a cat {TITLE}"] * 3}
    data = OwnData(TITLE, "pairs", columns, [1, 2, 3])
    assert "\x1b" not in f"{look(data)}{data.summary()}"


def test_markup_of_a_text_is_text() -> None:
    assert "<" not in for_plotly("<a href='https://x'>") + for_markdown("<img src=x onerror=y>")
    assert for_markdown("[a](b)\n# c") == r"\[a\](b) \# c"
