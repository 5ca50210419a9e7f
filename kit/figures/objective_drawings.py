"""The schematic drawings of lessons 06 to 08: two losses on one encoder, spans of a document, a mixture of classes."""

from __future__ import annotations

from kit.figures.palette import AFTER, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import Canvas, Drawing


def two_losses_drawing() -> Drawing:
    """One encoder, two losses: the classifier takes a pair, the contrast a premise and all hypotheses. Lesson 06."""
    page = Canvas(760, 250)
    page.box(10, 40, 110, 50, "premise")
    page.box(10, 160, 110, 50, "all hypotheses", "of the batch")
    page.box(160, 40, 110, 170, "one encoder,", "the same", "for all", colour=AFTER)
    for y in (65, 185):
        page.arrow(120, y, 160, y)
    page.arrow(270, 65, 340, 65, "u")
    page.arrow(270, 185, 340, 185, "all v")
    page.box(340, 40, 150, 50, "one pair at a time", "(u, v, |u − v|)", colour=CLASSIFY)
    page.box(340, 160, 150, 50, "one premise, all v", "all products u·v", colour=CONTRAST)
    page.arrow(310, 185, 360, 92, dashed=True)
    page.arrow(310, 65, 360, 158, dashed=True)
    page.box(540, 40, 100, 50, "softmax over", "3 labels", colour=CLASSIFY)
    page.box(540, 160, 100, 50, "softmax over", "H hypotheses", colour=CONTRAST)
    for y in (65, 185):
        page.arrow(490, y, 540, y)
    page.box(650, 105, 100, 40, "the loss", colour=AFTER)
    page.arrow(640, 72, 690, 104)
    page.arrow(640, 178, 690, 146)
    page.text(712, 84, "(1 − λ) CE", size=13)
    page.text(712, 174, "λ SCL", size=13)
    page.text(415, 25, "What are these two to each other?", size=13)
    page.text(415, 235, "Of all these, which are mine?", size=13)
    return page.drawing(
        "Two losses on one encoder",
        "Premise and hypotheses go through the same encoder. Above, the classifier gets one pair at a time, "
        "(u, v, |u − v|), and its softmax runs over three labels. Below, the contrast compares one premise with all "
        "hypotheses of the batch, and its softmax runs over those. The loss is (1 − λ) times the first plus λ times "
        "the second.",
    )


def spans_drawing() -> Drawing:
    """An anchor in a document, and the first, an overlapping, an inside and the last place of a positive. Lesson 07."""
    page = Canvas(800, 235)
    page.text(20, 22, "a document, token by token", anchor="start", size=13)
    page.box(20, 32, 720, 26)
    page.box(290, 32, 200, 26, "anchor", colour=AFTER, strength=0.5)
    for x, words in ((290, "a"), (490, "b")):
        page.line(x, 58, x, 205, colour=NEUTRAL, dashed=True)
        page.text(x, 222, words, bold=True)
    places = (
        (190, "starts at a − ℓₚ: adjacent, nothing shared"),
        (240, "overlaps: half of it is the anchor's"),
        (350, "inside: all of it is the anchor's"),
        (490, "starts at b: adjacent, nothing shared"),
    )
    for number, (x, words) in enumerate(places):
        y = 72 + 34 * number
        page.box(x, y, 100, 24, "positive", colour=POSITIVE, strength=0.4)
        if x < 300:
            page.text(500, y + 17, words, anchor="start", size=13)
        else:
            page.text(280, y + 17, words, anchor="end", size=13)
    return page.drawing(
        "Where a positive may lie",
        "An anchor reaches from token a to token b of its document. A positive of ℓₚ tokens may start anywhere from "
        "a − ℓₚ to b. At either end of this range it is adjacent to the anchor and shares nothing with it; in between "
        "it overlaps, or lies inside.",
    )


def span_rows_drawing() -> Drawing:
    """Two documents with an anchor and two positives each: six vectors, four rows, one 4 × 4 matrix. Lesson 07."""
    page = Canvas(760, 262)
    names = ("anchor 1", "anchor 2", "positive 1,1", "positive 1,2", "positive 2,1", "positive 2,2")
    for number, name in enumerate(names):
        page.box(20, 30 + 37 * number, 120, 29, name, colour=AFTER if number < 2 else POSITIVE)
    rows = ("z₁ = anchor 1", "z₂ = anchor 2", "z₃ = mean of 1,1 and 1,2", "z₄ = mean of 2,1 and 2,2")
    for number, (name, y) in enumerate(zip(rows, (30, 67, 122, 196))):
        page.box(240, y, 190, 29, name, colour=AFTER if number < 2 else POSITIVE)
    for start, end in ((44, 44), (81, 81), (118, 136), (155, 137), (192, 210), (229, 211)):
        page.arrow(140, start, 240, end)
    entries = [["" if i == j else "+" if abs(i - j) == 2 else "−" for j in range(4)] for i in range(4)]
    shades = {"": None, "+": POSITIVE, "−": NEGATIVE}
    colours = [[shades[entry] for entry in row] for row in entries]
    marks = ("z₁", "z₂", "z₃", "z₄")
    page.matrix(540, 60, entries, cell=40, colours=colours, rows=marks, columns=marks)
    page.arrow(440, 140, 500, 140, "cosines")
    page.text(620, 245, "+ partner, − negative, empty: itself", size=13)
    return page.drawing(
        "From six spans to four rows",
        "Two documents with one anchor and two positives each give six vectors. The two positives of an anchor become "
        "one vector, their mean: four rows. In the 4 × 4 matrix of cosines a row's partner is its positive, it "
        "leaves itself out, and the two others are its negatives.",
    )


def mixture_drawing() -> Drawing:
    """Unlabelled pairs as a mixture, and the subtraction that leaves the negatives' part. Lesson 08."""
    page = Canvas(780, 215)
    page.text(20, 40, "unlabelled: a mixture that nobody has sorted", anchor="start", size=13)
    page.box(20, 50, 200, 34, "π positive", colour=POSITIVE)
    page.box(220, 50, 300, 34, "1 − π negative", colour=NEGATIVE)
    page.box(20, 112, 200, 34, "labelled positives", colour=POSITIVE, strength=0.5)
    page.text(240, 134, "taken off, with the weight π", anchor="start", size=13)
    page.text(210, 186, "leaves", anchor="end", size=13)
    page.box(220, 164, 300, 34, "the negatives' part", colour=NEGATIVE)
    page.text(540, 72, "mean loss if called negative", anchor="start", size=13)
    page.text(540, 134, "their mean loss if called negative", anchor="start", size=13)
    page.text(540, 186, "R⁻, without one labelled negative", anchor="start", size=13)
    return page.drawing(
        "The unlabelled are a mixture",
        "Of the unlabelled pairs a share π is positive and the rest negative. Take their mean loss as if all were "
        "negative, subtract π times what labelled positives cost as negatives, and what is left is the negatives' "
        "part, R⁻, though no negative has a label.",
    )
