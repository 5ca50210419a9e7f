"""The drawings of the tour and of lessons 01 and 02: pull and push, token to sentence, position against shape."""

from __future__ import annotations

import numpy as np

from kit.figures.palette import AFTER, BEFORE, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import Canvas, Drawing

POINTS = 60  # of each cloud
SHIFT, STRETCH = (2.2, 0.0), (0.15, 1.0)  # how far a cloud is moved, and how it is squeezed along x


def pull_push_drawing() -> Drawing:
    """An anchor that is pulled to its positive and pushed from its negative, on a circle of unit vectors. Lesson 00."""
    page = Canvas(620, 300)
    for left, title, angles in ((20, "before the step", (90, 130, 70)), (330, "after it", (103, 130, 70))):
        centre = (left + 135, 220)
        page.text(centre[0], 24, title, bold=True)
        names = (("anchor", AFTER), ("positive", POSITIVE), ("negative", NEGATIVE))
        for angle, (name, colour) in zip(angles, names):
            x, y = _on_circle(centre, 120, angle)
            page.arrow(*centre, x, y, colour=colour, width=2.5)
            page.text(*_on_circle(centre, 148, angle), name, size=13)
        page.line(centre[0] - 120, centre[1], centre[0] + 120, centre[1], dashed=True)
    page.arrow(*_on_circle((155, 220), 92, 94), *_on_circle((155, 220), 92, 122), colour=POSITIVE, width=2)
    page.arrow(*_on_circle((155, 220), 75, 72), *_on_circle((155, 220), 75, 87), colour=NEGATIVE, width=2)
    page.text(75, 262, "pull", colour=INK_OF["pull"], bold=True)
    page.text(235, 262, "push", colour=INK_OF["push"], bold=True)
    return page.drawing(
        "Pull and push",
        "A sentence is an arrow; the smaller the angle between two arrows, the larger their cosine. The loss pulls the "
        "anchor towards its positive and pushes it away from its negative: after the step the angle to the positive is "
        "smaller and the angle to the negative larger.",
    )


INK_OF = {"pull": POSITIVE, "push": NEGATIVE}


def _on_circle(centre: tuple[float, float], radius: float, degrees: float) -> tuple[float, float]:
    angle = np.deg2rad(degrees)
    return float(centre[0] + radius * np.cos(angle)), float(centre[1] - radius * np.sin(angle))


def pooling_drawing() -> Drawing:
    """From word pieces and their mask to token vectors and one sentence vector, with the shapes. Lesson 01."""
    pieces = ("[CLS]", "he", "came", ".", "[SEP]", "[PAD]", "[PAD]")
    mask = "1111100"
    page = Canvas(760, 330)
    for i, (piece, real) in enumerate(zip(pieces, mask)):
        x, colour = 130 + i * 64, AFTER if real == "1" else NEUTRAL
        page.box(x, 20, 58, 30, piece, colour=colour)
        page.box(x + 14, 76, 30, 26, real, colour=colour, strength=0.4 if real == "1" else 0.0)
        for row in range(4):
            page.box(x + 14, 166 + row * 16, 30, 16, colour=colour, strength=0.35 if real == "1" else 0.0)
    page.box(130, 120, 7 * 64 - 6, 28, "BERT: every token reads the others whose mask is 1")
    for y, name in ((40, "tokens"), (94, "mask m"), (204, "vectors h")):
        page.text(118, y, name, anchor="end")
    for y, shape in ((40, "[rows, length]"), (94, "[rows, length]"), (204, "[rows, length, dim]")):
        page.text(600, y, shape, anchor="start", size=13)
    for i in range(5):
        page.line(159 + i * 64, 234, 290, 268, colour=AFTER)
    page.box(240, 268, 100, 34, "u", colour=POSITIVE, strength=0.4)
    page.text(118, 291, "sentence", anchor="end")
    page.text(352, 291, "Σ m·h / Σ m: the [PAD] vectors (empty) stay out", anchor="start", size=13)
    page.text(680, 291, "[rows, dim]", anchor="start", size=13)
    return page.drawing(
        "From tokens to one vector",
        "Seven places: [CLS] he came . [SEP] [PAD] [PAD]. The mask is 1 for the first five and 0 for the two [PAD]. "
        "BERT gives every place a vector, [rows, length, dim], also the [PAD]. The mean pooling adds the five vectors "
        "whose mask is 1 and divides by five: one vector a sentence, [rows, dim].",
    )


def cone_drawing(seed: int = 0) -> Drawing:
    """Four clouds in the plane, moved from the origin or not, squeezed or not, with both measures of each. Lesson 02.

    The measures are those of the points that are drawn, by `kit.evaluation.geometry`.
    """
    from kit.evaluation import geometry

    page = Canvas(760, 270)
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
        origin = (middle - 46 * shift[0] / 2, 125)
        page.text(middle, 20, name, size=13, bold=True)
        page.line(middle - 85, 125, middle + 85, 125, dashed=True)
        page.line(origin[0], 50, origin[0], 200, dashed=True)
        for x, y in points:
            page.circle(origin[0] + unit * x, origin[1] - unit * y, 2.5, colour=AFTER, strength=0.6)
        if any(shift):
            page.arrow(*origin, origin[0] + unit * shift[0], origin[1], colour=BEFORE, width=3.5)
        figures = f"{measured.mean_cosine:z.2f}".replace("-", "−"), f"{measured.effective_rank:.2f}"
        page.text(middle, 226, f"mean cosine {figures[0]}", size=13)
        page.text(middle, 246, f"effective rank {figures[1]} of 2", size=13)
        said.append(f"{name}: mean cosine {figures[0]}, effective rank {figures[1]} of 2")
    return page.drawing(
        "Position against shape",
        "Clouds of points in the plane; dashed lines cross at the origin, the orange arrow is the mean. "
        + "; ".join(said)
        + ". Moving the cloud changes the cosines, squeezing it changes the rank.",
    )
