"""The drawings of the tour and of lessons 01 and 02: pull and push, token to sentence, position against shape."""

from __future__ import annotations

import numpy as np

from kit.figures.caption_numbers import written
from kit.figures.palette import AFTER, BEFORE, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import PART, Canvas, Drawing

POINTS = 60  # of each cloud
SHIFT, STRETCH = (2.2, 0.0), (0.15, 1.0)  # how far a cloud is moved, and how it is squeezed along x


def pull_push_drawing() -> Drawing:
    """An anchor that is pulled to its positive and pushed from its negative, on a circle of unit vectors. Lesson 00."""
    page = Canvas(620, 240, folds=(310,))
    for left, title, angles in ((20, "before the step", (90, 130, 70)), (330, "after it", (103, 130, 70))):
        centre = (left + 135, 220)
        page.text(centre[0], 24, title, bold=True)
        names = (("anchor", AFTER), ("positive", POSITIVE), ("negative", NEGATIVE))
        for angle, (name, colour) in zip(angles, names):
            x, y = _on_circle(centre, 120, angle)
            page.arrow(*centre, x, y, colour=colour, width=2.5)
            page.text(*_on_circle(centre, 166 if name == "anchor" else 146, angle), name)
    # Both forces act on the anchor, and here in one direction: to its positive, and away from its negative.
    for radius, to, colour, word, at in (
        (98, 117, POSITIVE, "pull", (109, 105)),
        (72, 105, NEGATIVE, "push", (56, 109)),
    ):
        page.arrow(*_on_circle((155, 220), radius, 91), *_on_circle((155, 220), radius, to), colour=colour, width=2)
        page.text(*_on_circle((155, 220), *at), word, bold=True)
    return page.drawing(
        "Pull and push",
        "A sentence is an arrow; the smaller the angle between two arrows, the larger their cosine. The loss pulls the "
        "anchor towards its positive and pushes it away from its negative; here both turn it the same way. After the "
        "step the angle to the positive is smaller, and the angle to the negative larger.",
    )


def _on_circle(centre: tuple[float, float], radius: float, degrees: float) -> tuple[float, float]:
    angle = np.deg2rad(degrees)
    return float(centre[0] + radius * np.cos(angle)), float(centre[1] - radius * np.sin(angle))


def pooling_drawing() -> Drawing:
    """From word pieces and their mask to token vectors and one sentence vector, with the shapes. Lesson 01."""
    pieces = ("[CLS]", "he", "came", ".", "[SEP]", "[PAD]", "[PAD]")
    mask = "1111100"
    page = Canvas(PART, 356)
    for i, (piece, real) in enumerate(zip(pieces, mask)):
        x, colour = 10 + i * 62, AFTER if real == "1" else NEUTRAL
        page.box(x, 26, 56, 30, piece, colour=colour)
        page.box(x + 13, 88, 30, 26, real, colour=colour, strength=0.4 if real == "1" else 0.0)
        for row in range(4):
            page.box(x + 13, 190 + row * 16, 30, 16, colour=colour, strength=0.35)
    page.box(10, 130, 7 * 62 - 6, 28, "BERT: every token reads the others whose mask is 1")
    names = (
        (18, "tokens", "[rows, length]"), (80, "mask m", "[rows, length]"),
        (182, "vectors h", "[rows, length, dim]"), (311, "sentence", "[rows, dim]"),
    )  # fmt: skip
    for y, name, shape in names:
        page.text(10, y, name, anchor="start")
        page.text(438, y, shape, anchor="end")
    for i in range(5):
        page.line(38 + i * 62, 254, 163, 288, colour=AFTER)
    page.box(113, 288, 100, 34, "u", colour=POSITIVE, strength=0.4)
    page.text(10, 346, "Σ m·h / Σ m: the vectors of [PAD] (grey) stay out", anchor="start")
    return page.drawing(
        "From tokens to one vector",
        "Seven places: [CLS] he came . [SEP] [PAD] [PAD]. The mask is 1 for the first five and 0 for the two [PAD]. "
        "BERT gives every place a vector, [rows, length, dim], the [PAD] included. The mean pooling adds the five "
        "vectors whose mask is 1 and divides by five: one vector per sentence, [rows, dim].",
    )


def cone_drawing(seed: int = 0) -> Drawing:
    """Four clouds in the plane, moved from the origin or not, squeezed or not, with both measures of each. Lesson 02.

    The measures are those of the points that are drawn, by `kit.evaluation.geometry`.
    """
    from kit.evaluation import geometry

    page = Canvas(760, 276, folds=(380,))
    said = []
    round_cloud = np.random.default_rng(seed).standard_normal((POINTS, 2)) * 0.42
    round_cloud -= round_cloud.mean(axis=0)
    cases = (
        ("round, around the origin", (0, 0), (1, 1)), ("squeezed, around the origin", (0, 0), STRETCH),
        ("round, far from the origin", SHIFT, (1, 1)), ("squeezed, far from it", SHIFT, STRETCH),
    )  # fmt: skip
    for place, (name, shift, scale) in enumerate(cases):
        points = round_cloud * scale + shift
        measured = geometry(points)
        middle, unit = 95 + place * 190, 46
        origin = (middle - 46 * shift[0] / 2, 135)
        shape, position = name.split(", ")
        page.text(middle, 20, shape, bold=True)
        page.text(middle, 39, position)
        page.line(middle - 85, 135, middle + 85, 135, dashed=True)
        page.line(origin[0], 60, origin[0], 210, dashed=True)
        for x, y in points:
            page.circle(origin[0] + unit * x, origin[1] - unit * y, 2.5, colour=AFTER, strength=0.6)
        if any(shift):
            page.arrow(*origin, origin[0] + unit * shift[0], origin[1], colour=BEFORE, width=3.5)
        figures = written(measured.mean_cosine), f"{measured.effective_rank:.2f}"
        page.text(middle, 236, f"mean cosine {figures[0]}")
        page.text(middle, 256, f"effective rank {figures[1]} of 2")
        said.append(f"{name.capitalize()}: mean cosine {figures[0]}, effective rank {figures[1]} of 2")
    return page.drawing(
        "Position against shape",
        "Clouds of points in the plane; dashed lines cross at the origin, the orange arrow is the mean. "
        + ". ".join(said)
        + ". Moving the cloud changes the cosines, squeezing it changes the rank.",
    )
