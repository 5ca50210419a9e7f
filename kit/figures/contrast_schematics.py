"""Drawings of lessons 03 to 05: the plane of a triplet, a batch as a matrix, siblings in a denominator."""

from __future__ import annotations

from kit.figures.palette import BEFORE, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import PART, Canvas, Drawing


def margin_plane() -> Drawing:
    """An anchor with the discs of radius d⁺ and d⁺ + m: where a negative is hard, semi-hard, easy. Lesson 03."""
    page, x, y, near, far = Canvas(700, 300, folds=(345,)), 190, 150, 70, 130
    page.circle(x, y, far, BEFORE, 0.2)
    page.circle(x, y, near, NEGATIVE, 0.3)
    page.arrow(x, y, x - near * 0.8, y - near * 0.6, colour=POSITIVE, width=2)
    page.arrow(x, y, x, y + far, dashed=True)
    page.text(x - 12, y - 34, "d⁺", anchor="start")
    page.text(x + 6, y + 105, "d⁺ + m", anchor="start")
    page.circle(x, y, 5)
    page.text(x + 10, y + 5, "anchor", anchor="start")
    page.circle(x - near * 0.8, y - near * 0.6, 5, POSITIVE)
    page.text(x - near * 0.8 - 8, y - near * 0.6 - 8, "positive", anchor="end")
    rows = (
        (60, x + 35, y - 32, NEGATIVE, "hard: nearer than the positive", "loss m or more"),
        (140, x + 95, y - 10, BEFORE, "semi-hard: farther, by less than m", "loss between 0 and m"),
        (220, x + 120, y + 80, NEUTRAL, "easy: farther by m or more", "loss 0, and no force"),
    )
    for height, px, py, colour, name, loss in rows:
        page.circle(px, py, 5, colour)
        page.line(px + 6, py, 366, height - 5, colour=colour, width=1, dashed=True)
        page.circle(366, height - 5, 5, colour)
        page.text(382, height, name, anchor="start", bold=True)
        page.text(382, height + 19, loss, anchor="start")
    return page.drawing(
        "Where a negative is hard, semi-hard or easy",
        "Around the anchor: a disc of radius d⁺, with the positive on its rim, in which a negative is hard; a ring up "
        "to d⁺ + m, in which it is semi-hard; and all that lies outside, where it is easy and nothing pushes it.",
    )


def batch_matrix() -> Drawing:
    """Four anchors against four positives: the diagonal is right, the rest is wrong, a row a softmax. Lesson 04."""
    page, names = Canvas(640, 250, folds=(362,)), [str(i) for i in range(4)]
    entries = [["+" if i == j else "−" for j in range(4)] for i in range(4)]
    colours = [[POSITIVE if i == j else NEGATIVE for j in range(4)] for i in range(4)]
    page.text(188, 22, "candidates: the positives of 0 to 3")
    page.matrix(110, 65, entries, 40, colours, [f"anchor {name}" for name in names], names)
    page.text(330, 52, "label", bold=True)
    for i, name in enumerate(names):
        page.text(330, 90 + 40 * i, name)
    page.arrow(366, 85, 420, 85)
    page.text(430, 83, "one row, one softmax:", anchor="start", bold=True)
    page.text(430, 103, "loss = −log(share of +)", anchor="start")
    page.text(430, 145, "a step pulls + in", anchor="start")
    page.text(430, 165, "and pushes each − out,", anchor="start")
    page.text(430, 185, "in proportion to its share", anchor="start")
    return page.drawing(
        "A batch as a matrix",
        "Rows are four anchors, columns the four positives of the batch. The cell of an anchor and its own positive, "
        "on the diagonal, is a positive (+); all others are negatives (−). Each row is one softmax, and its label is "
        "the column of its plus: 0, 1, 2, 3.",
    )


def siblings_matrix() -> Drawing:
    """Two anchors with two positives and a hard negative each, and both answers to D(1, 1a). Lesson 05."""
    page, columns, cell = Canvas(PART, 350), ("1a", "1b", "2a", "2b", "1z", "2z"), 44
    entries = (("+", "+", "−", "−", "−", "−"), ("−", "−", "+", "+", "−", "−"))
    colours = [[POSITIVE if sign == "+" else NEGATIVE for sign in row] for row in entries]
    page.text(10, 20, "1a, 1b: positives of anchor 1 · 1z: its hard negative", anchor="start")
    page.matrix(100, 55, entries, cell, colours, ("anchor 1", "anchor 2"), columns)
    page.text(10, 180, "Who stands in the denominator of 1a for anchor 1?", anchor="start", bold=True)
    for y, name, left_out in ((195, "included", ()), (275, "excluded", ("1b",))):
        page.text(92, y + 27, name, anchor="end")
        for j, column in enumerate(columns):
            colour = POSITIVE if column in ("1a", "1b") else NEGATIVE
            if column not in left_out:
                page.box(100 + cell * j, y, cell, 40, column, colour=colour, strength=0.35)
            else:
                page.box(100 + cell * j, y, cell, 40, "", colour=NEUTRAL, strength=0)
    page.text(100, 255, "SupCon, SCL: with its sibling 1b", anchor="start")
    page.text(100, 335, "SupMPN: 1a alone against the negatives", anchor="start")
    return page.drawing(
        "Several positives, and two answers to who stands in the denominator",
        "Anchor 1 has two positives, 1a and 1b; the positives of anchor 2 and all hard negatives are its negatives. "
        "In the denominator of 1a stand all negatives and 1a itself; its sibling 1b stands there too in SupCon and "
        "SCL (included), and not in SupMPN (excluded).",
    )
