"""Drawings: what is asked for is drawn, in the page's colours, and said in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from kit.errors import KitError
from kit.figures import Canvas
from kit.figures.palette import POSITIVE


def drawn() -> Canvas:
    page = Canvas(300, 100)
    page.box(10, 10, 80, 50, "tokens", "[n, dim]", colour=POSITIVE)
    page.arrow(90, 35, 150, 35, "mean")
    page.matrix(200, 20, [["1", "a < b"]], cell=30, colours=[[POSITIVE, None]], rows=["x"], columns=["p", "q"])
    page.circle(160, 80, 4)
    return page


def test_a_drawing_is_an_image_with_a_name_and_its_words() -> None:
    picture = drawn().drawing("Tokens & means", "The mean of the tokens.")
    root = ElementTree.fromstring(picture.svg)  # well-formed, with what was written escaped
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == "Tokens & means"
    texts = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert texts == ["tokens", "[n, dim]", "mean", "1", "a < b", "x", "p", "q"]
    bundle = picture._repr_mimebundle_()
    assert picture.svg in bundle["text/html"] and "The mean of the tokens." in bundle["text/html"]
    assert bundle["text/plain"] == str(picture) == "The mean of the tokens."


def test_text_takes_the_colour_of_the_page() -> None:
    svg = drawn().drawing("a", "b").svg
    assert set(re.findall(r'<text [^>]*fill="([^"]*)"', svg)) == {"currentColor"}
    assert "black" not in svg and "#000" not in svg and "white" not in svg


def test_a_matrix_has_its_rows_and_columns_and_a_box_its_lines_in_their_order() -> None:
    root = ElementTree.fromstring(drawn().drawing("a", "b").svg)
    at = {node.text: (float(node.get("x")), float(node.get("y"))) for node in root.iter() if node.text}
    assert at["tokens"][1] < at["[n, dim]"][1], "from above"
    assert at["1"][1] == at["a < b"][1] == at["x"][1], "a row"
    assert [at[column][0] for column in "pq"] == [at["1"][0], at["a < b"][0]]
    filled = [float(node.get("fill-opacity")) > 0 for node in root.iter() if node.tag.endswith("rect")]
    assert filled == [True, True, False], "the box, and the square that has a colour"


@pytest.mark.parametrize("dashed", [True, False])
def test_only_what_is_dashed_is(dashed: bool) -> None:
    page = Canvas(100, 100)
    page.arrow(0, 0, 50, 0, dashed=dashed)
    assert ("stroke-dasharray" in page.drawing("a", "b").svg) == dashed


def test_an_arrow_ends_where_it_was_sent() -> None:
    for end in ((50, 0), (0, 50), (-30, -40), (1, 0)):
        page = Canvas(100, 100)
        page.arrow(0, 0, *end)
        tip = page.parts[-1].svg.split('points="')[1].split()[0]
        assert [float(number) for number in tip.split(",")] == list(end)


def test_a_fold_parts_the_picture_and_lines_go_on_behind_it() -> None:
    page = Canvas(300, 50, folds=(100,))
    page.text(50, 20, "left")
    page.text(200, 20, "right")
    page.line(60, 30, 140, 30)
    root = ElementTree.fromstring(page.drawing("Two", "Two halves.").svg)
    assert [one.get("viewBox") for one in root] == ["0 0 100 50", "100 0 200 50"]
    kinds = [[node.text or "line" for node in one] for one in root]
    assert kinds == [["left", "line"], ["right", "line"]]


def test_the_parts_of_a_picture_have_one_scale_on_every_page() -> None:
    strips = ElementTree.fromstring(Canvas(500, 50, folds=(200,)).drawing("Two", "Two parts.").svg)
    asked = [re.search(r"width:min\((.+)px, (.+)%\)", strip.get("style")) for strip in strips]
    for page in (150, 299, 358, 1000):
        across = [min(float(pixels), page * float(share) / 100) for pixels, share in (one.groups() for one in asked)]
        scales = [wide / float(strip.get("width")) for wide, strip in zip(across, strips)]
        assert scales == pytest.approx([min(1, page / 300)] * 2, abs=1e-3), page


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(KitError, match="an arrow between two places"):
        Canvas(10, 10).arrow(1, 2, 1, 2)
    with pytest.raises(KitError, match="a width and a height above zero"):
        Canvas(10, 0)
    with pytest.raises(KitError, match="a title and a summary"):
        Canvas(10, 10).drawing("a title", " ")
