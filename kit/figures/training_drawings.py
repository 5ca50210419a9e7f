"""The schematic drawings of lessons 09 to 12: a training step, one score, intervals and a margin, two ranks."""

from __future__ import annotations

from collections.abc import Sequence

from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE
from kit.figures.schematics import PART, Canvas, Drawing


def training_loop_drawing() -> Drawing:
    """Data, batch, vectors, loss, step, and back to the next batch; beside it the two looks. Lesson 09."""
    page = Canvas(760, 230, folds=(443,))
    stages = (
        ("data", "groups of text"),
        ("batch", "some groups"),
        ("vectors", "[rows, dim]"),
        ("loss", "one number"),
        ("step", "rate × gradient"),
    )
    for number, lines in enumerate(stages):
        page.box(15 + 152 * number, 30, 122, 56, *lines, colour=AFTER if number < 3 else CONTRAST)
    for number, words in enumerate(("draw", "encode", "compare", "back")):
        page.arrow(137 + 152 * number, 58, 167 + 152 * number, 58)
        page.text(152 + 152 * number + (20 if words == "compare" else 0), 24, words)  # beside the fold
    page.line(684, 86, 684, 120)
    page.line(684, 120, 228, 120)
    page.arrow(228, 120, 228, 87)
    page.text(570, 114, "again, with new weights")
    page.box(167, 150, 274, 56, "every few steps, on other pairs:", "validation and mean cosine", colour=POSITIVE)
    page.box(471, 150, 274, 56, "every few steps, to the disk:", "a checkpoint", colour=NEUTRAL)
    page.arrow(380, 87, 320, 149, dashed=True)
    page.arrow(720, 87, 660, 149, dashed=True)
    return page.drawing(
        "One training step, and what is looked at beside it",
        "From the data a batch is drawn; the encoder makes vectors of it; the loss compares them and is one number; "
        "its gradient, times the learning rate, changes the weights; then comes the next batch. Every few steps the "
        "encoder is validated on other pairs, and a checkpoint is written to the disk.",
    )


def score_drawing() -> Drawing:
    """From pairs of sentences to one rank correlation. Lesson 10."""
    page = Canvas(750, 220, folds=(303,))
    page.box(10, 60, 110, 76, "n pairs of", "sentences")
    page.box(170, 20, 130, 50, "n cosines", "of the encoder", colour=AFTER)
    page.box(170, 126, 130, 50, "n scores", "of people", colour=CLASSIFY)
    page.arrow(120, 85, 169, 50)
    page.arrow(120, 111, 169, 146)
    for y, colour in ((20, AFTER), (126, CLASSIFY)):
        page.box(350, y, 142, 50, "n ranks", "ties share theirs", colour=colour)
        page.arrow(300, y + 25, 349, y + 25, "sort")
    page.box(550, 60, 90, 76, "Pearson", "of the", "ranks", colour=POSITIVE)
    page.arrow(492, 45, 549, 82)
    page.arrow(492, 151, 549, 114)
    page.box(674, 72, 70, 52, "ρ × 100", colour=POSITIVE, strength=0.4)
    page.arrow(640, 98, 673, 98)
    page.text(610, 194, "subset by subset, or all at once?")
    page.text(610, 212, "mean, wmean or all")
    return page.drawing(
        "From pairs of sentences to one score",
        "Each of n pairs has a cosine from the encoder and a score from people. Both lists are turned into ranks, "
        "equal values sharing theirs; Pearson's correlation of the two lists of ranks is Spearman's ρ. Whether it is "
        "taken within each subset or over all pairs at once gives mean, wmean or all.",
    )


def intervals_drawing() -> Drawing:
    """Five intervals of a claimed gain against zero and a margin, each with its verdict. Lesson 11."""
    page = Canvas(PART, 320)
    zero, unit = 228, 110

    def x(value: float) -> float:
        return zero + unit * value

    page.box(x(-0.5), 20, unit, 235, colour=NEUTRAL, strength=0.12)
    page.line(x(0), 14, x(0), 260)
    for value, words in ((-0.5, "−m"), (0, "0"), (0.5, "m")):
        page.text(x(value), 276, words)
    page.text(x(0), 296, "the effect, new − old;")
    page.text(x(0), 314, "m is the smallest one that counts")
    for number, (low, high, words, colour) in enumerate(interval_rows()):
        y = 52 + 46 * number
        page.line(x(low), y, x(high), y, colour=colour, width=3)
        for end in (low, high):
            page.line(x(end), y - 6, x(end), y + 6, colour=colour, width=3)
        page.circle(x((low + high) / 2), y, 5, colour=colour)
        above = low + high > 0  # beside the line of zero, not across it
        page.text(zero + (6 if above else -6), y - 13, words, anchor="start" if above else "end")
    return page.drawing(
        "Five intervals and their verdicts, for a claim of a gain",
        "A claim says that an effect is above zero. An interval wholly above zero replicates it, even a small one; one "
        "wholly below zero contradicts it; one that holds zero is undecided, unless all of it lies within the "
        "margin: then there is no effect that counts, and the claim is contradicted.",
    )


def interval_rows() -> Sequence[tuple[float, float, str, str]]:
    """(low, high, verdict, colour) of the rows of `intervals_drawing`, where the margin is half a unit."""
    return (
        (0.3, 1.7, "replicates", POSITIVE),
        (0.1, 0.4, "replicates, though small", POSITIVE),
        (-0.4, 1.6, "undecided", BEFORE),
        (-0.3, 0.2, "contradicted: no effect", NEGATIVE),
        (-1.7, -0.3, "contradicted", NEGATIVE),
    )


def ranks_drawing() -> Drawing:
    """Two ranks: half of the batch each, the vectors gathered, gradients added up and sent home. Lesson 12."""
    page = Canvas(760, 270, folds=(396,))
    for number, (y, colour) in enumerate(((30, AFTER), (190, CLASSIFY))):
        page.box(6, y, 140, 64, f"rank {number}:", "half of the batch", colour=colour)
        page.arrow(146, y + 32, 172, y + 32)
        page.box(172, y, 122, 64, "its anchors", "and candidates", colour=colour)
        page.box(420, y, 150, 64, "its anchors ×", "all candidates", colour=colour)
        page.arrow(294, y + 32, 419, y + 32)
        page.box(625, y, 125, 64, "its share", "of the loss", colour=colour)
        page.arrow(570, y + 32, 624, y + 32)
    page.arrow(294, 78, 419, 206, colour=AFTER)
    page.arrow(294, 206, 419, 78, colour=CLASSIFY)
    page.text(357, 108, "gather", bold=True)
    page.text(550, 132, "way back: each rank's gradients of")
    page.text(550, 150, "all candidates are added up")
    page.text(550, 168, "and sent home")
    return page.drawing(
        "Two ranks and a gather",
        "Each of two ranks encodes half of the batch. The gather sends every rank's vectors to the other, so that "
        "each compares its own anchors with all candidates and computes its share of the loss. On the way back, what "
        "both ranks found for a candidate is added up and sent to the rank that encoded it; without that, candidates "
        "would not hear of the other rank's anchors.",
    )
