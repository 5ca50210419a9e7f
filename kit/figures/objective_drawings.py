"""The schematic drawings of lessons 06 to 08: two losses on one encoder, spans of a document, a mixture of classes."""

from __future__ import annotations

from kit.figures.palette import AFTER, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import PART, Canvas, Drawing


def two_losses_drawing() -> Drawing:
    """One encoder, two losses: the classifier takes a pair, the contrast a premise and all hypotheses. Lesson 06."""
    page = Canvas(735, 250, folds=(280,))
    page.box(10, 40, 112, 50, "premise")
    page.box(10, 160, 112, 50, "all hypotheses", "of the batch")
    page.box(160, 40, 110, 170, "one encoder,", "the same", "for all", colour=AFTER)
    for y in (65, 185):
        page.arrow(122, y, 160, y)
    page.arrow(270, 65, 325, 65)
    page.text(301, 58, "u")
    page.arrow(270, 185, 325, 185)
    page.text(301, 203, "all v")
    page.box(325, 40, 150, 50, "one pair at a time", "(u, v, |u − v|)", colour=CLASSIFY)
    page.box(325, 160, 150, 50, "one premise, all v", "all products u·v", colour=CONTRAST)
    page.arrow(319, 185, 350, 92, dashed=True)
    page.arrow(319, 65, 350, 158, dashed=True)
    page.box(505, 40, 104, 50, "softmax over", "3 labels", colour=CLASSIFY)
    page.box(505, 160, 104, 50, "softmax over", "H hypotheses", colour=CONTRAST)
    for y in (65, 185):
        page.arrow(475, y, 505, y)
    page.box(625, 105, 100, 40, "the loss", colour=AFTER)
    page.arrow(609, 72, 660, 104)
    page.arrow(609, 178, 660, 146)
    page.text(690, 84, "(1 − λ) CE")
    page.text(690, 174, "λ SCL")
    page.text(325, 25, "What are these two to each other?", anchor="start")
    page.text(325, 235, "Of all these, which are mine?", anchor="start")
    return page.drawing(
        "Two losses on one encoder",
        "Premise and hypotheses go through the same encoder. Above, the classifier gets one pair at a time, "
        "(u, v, |u − v|), and its softmax runs over three labels. Below, the contrast compares one premise with all "
        "hypotheses of the batch, and its softmax runs over those. The loss is (1 − λ) times the first plus λ times "
        "the second.",
    )


def spans_drawing() -> Drawing:
    """An anchor in a document, and the first, an overlapping, an inside and the last place of a positive. Lesson 07."""
    page = Canvas(PART, 290)
    page.text(10, 20, "a document, token by token", anchor="start")
    page.box(10, 30, 435, 26)
    page.box(165, 30, 120, 26, "anchor", colour=AFTER, strength=0.5)
    for x, words in ((165, "a"), (285, "b")):
        page.line(x, 56, x, 190, colour=NEUTRAL, dashed=True)
        page.text(x, 206, words, bold=True)
    places = (
        (95, "the positive starts at a − ℓₚ: adjacent"),
        (130, "overlaps: half of it is the anchor's"),
        (190, "inside: all of it is the anchor's"),
        (285, "starts at b: adjacent, nothing shared"),
    )
    for number, (x, words) in enumerate(places, 1):
        page.box(x, 36 + 32 * number, 70, 24, str(number), colour=POSITIVE, strength=0.4)
        page.text(40, 210 + 19 * number, f"{number}  {words}", anchor="start")
    return page.drawing(
        "Where a positive may lie",
        "An anchor reaches from token a to token b of its document. A positive of ℓₚ tokens may start anywhere from "
        "a − ℓₚ to b. At either end of this range it is adjacent to the anchor and shares nothing with it; in between "
        "it overlaps, or lies inside.",
    )


def span_rows_drawing() -> Drawing:
    """Two documents with an anchor and two positives each: six vectors, four rows, one 4 × 4 matrix. Lesson 07."""
    page = Canvas(760, 262, folds=(435,))
    names = ("anchor 1", "anchor 2", "positive 1,1", "positive 1,2", "positive 2,1", "positive 2,2")
    for number, name in enumerate(names):
        page.box(20, 30 + 37 * number, 120, 29, name, colour=AFTER if number < 2 else POSITIVE)
    rows = ("z₁ = anchor 1", "z₂ = anchor 2", "z₃ = mean of 1,1 and 1,2", "z₄ = mean of 2,1 and 2,2")
    for number, (name, y) in enumerate(zip(rows, (30, 67, 122, 196))):
        page.box(230, y, 200, 29, name, colour=AFTER if number < 2 else POSITIVE)
    for start, end in ((44, 44), (81, 81), (118, 136), (155, 137), (192, 210), (229, 211)):
        page.arrow(140, start, 230, end)
    entries = [["" if i == j else "+" if abs(i - j) == 2 else "−" for j in range(4)] for i in range(4)]
    shades = {"": None, "+": POSITIVE, "−": NEGATIVE}
    colours = [[shades[entry] for entry in row] for row in entries]
    marks = ("z₁", "z₂", "z₃", "z₄")
    page.matrix(540, 60, entries, cell=40, colours=colours, rows=marks, columns=marks)
    page.arrow(440, 140, 500, 140, "cosines")
    page.text(600, 245, "+ partner, − negative, empty: itself")
    return page.drawing(
        "From six spans to four rows",
        "Two documents with one anchor and two positives each give six vectors. The two positives of an anchor become "
        "one vector, their mean: four rows. In the 4 × 4 matrix of cosines each row's partner is its positive, the "
        "row itself is left out, and the other two are its negatives.",
    )


def mixture_drawing() -> Drawing:
    """Unlabelled pairs as a mixture, and the subtraction that leaves the negatives' part. Lesson 08."""
    page = Canvas(PART, 246)
    page.text(10, 20, "unlabelled: a mixture that nobody has sorted", anchor="start")
    page.box(10, 30, 170, 34, "π positive", colour=POSITIVE)
    page.box(180, 30, 260, 34, "1 − π negative", colour=NEGATIVE)
    page.text(10, 84, "mean loss if called negative", anchor="start")
    page.box(10, 104, 170, 34, "labelled positives", colour=POSITIVE, strength=0.5)
    page.text(192, 126, "taken off, with the weight π", anchor="start")
    page.text(10, 158, "their mean loss if called negative", anchor="start")
    page.text(170, 200, "leaves", anchor="end")
    page.box(180, 178, 260, 34, "the negatives' part", colour=NEGATIVE)
    page.text(180, 232, "R⁻, without one labelled negative", anchor="start")
    return page.drawing(
        "The unlabelled are a mixture",
        "Of the unlabelled pairs a share π is positive and the rest negative. Take their mean loss as if all were "
        "negative, subtract π times what labelled positives cost as negatives, and what is left is the negatives' "
        "part, R⁻, though no negative has a label.",
    )
