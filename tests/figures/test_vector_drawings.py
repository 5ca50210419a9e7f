"""The drawings of lessons 00 to 02: well-formed, and the figures in them are those of what is drawn."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from kit.encoder import load_encoder
from kit.evaluation import geometry
from kit.figures import cone_drawing, pooling_drawing, pull_push_drawing
from kit.figures.palette import AFTER, NEGATIVE, NEUTRAL, POSITIVE


def texts(drawing) -> list[str]:
    return [node.text for node in ElementTree.fromstring(drawing.svg).iter() if node.tag.endswith("text")]


def test_the_step_goes_to_the_positive_and_away_from_the_negative() -> None:
    words = texts(pull_push_drawing())
    assert words.count("anchor") == words.count("positive") == words.count("negative") == 2
    assert {"pull", "push"} <= set(words)
    root = ElementTree.fromstring(pull_push_drawing().svg)
    before, after = ([node for node in half if node.tag.endswith("polygon")] for half in root)
    middles = [(float(line.get("x1")), 220) for half in root for line in half if line.get("y1") == "220"][::3]
    colours = [AFTER, POSITIVE, NEGATIVE]
    assert [arrow.get("fill") for arrow in before] == [*colours, POSITIVE, NEGATIVE]
    assert [arrow.get("fill") for arrow in after] == colours
    (anchor, positive, negative, pull, push), (moved, *fixed) = (
        [angle(middle, arrow) for arrow in half] for middle, half in zip(middles, (before, after))
    )
    assert fixed == pytest.approx([positive, negative], abs=0.1) and negative < anchor < moved < positive
    assert negative < anchor < push < pull < positive, "both turn the anchor, from where it stands"
    tails = [line for line in root[0] if line.tag.endswith("line")][3:]
    for tail in tails:
        at = math.degrees(math.atan2(220 - float(tail.get("y1")), float(tail.get("x1")) - middles[0][0]))
        assert at == pytest.approx(anchor, abs=2)
    assert len(tails) == 2


def angle(middle: tuple[float, float], arrow) -> float:
    """Degrees at which the tip of an arrow is seen from a place."""
    x, y = map(float, arrow.get("points").split()[0].split(","))
    return math.degrees(math.atan2(middle[1] - y, x - middle[0]))


def test_the_mask_has_a_one_for_each_piece_that_is_no_padding() -> None:
    words = texts(pooling_drawing())
    pieces = [word for word in words if word in ("[CLS]", "he", "came", ".", "[SEP]", "[PAD]")]
    mask = [word for word in words if word in ("0", "1")]
    assert len(pieces) == len(mask) == 7
    assert [piece == "[PAD]" for piece in pieces] == [digit == "0" for digit in mask]
    nodes = list(ElementTree.fromstring(pooling_drawing().svg).iter())
    empty = sum(node.get("fill-opacity") == "0" for node in nodes)
    assert empty == mask.count("0"), "the mask alone: a [PAD] has a vector, too, which is not zero"
    grey = [node for node in nodes if node.get("fill") == NEUTRAL and node.get("fill-opacity") == "0.35"]
    assert len(grey) == 4 * mask.count("0"), "the four squares of each vector that stays out"
    assert sum(node.tag.endswith("line") for node in nodes) == mask.count("1"), "a line from each that goes in"
    assert pieces[1:4] == load_encoder().tokenizer.tokenize("He came."), "as the lesson's tokenizer cuts them"


def test_moving_changes_the_cosines_and_squeezing_the_rank() -> None:
    figures = re.findall(r"mean cosine (\S+), effective rank (\S+) of 2", cone_drawing().summary)
    (round_here, rank), (thin_here, thin), (round_there, rank_there), (thin_there, thin_there_rank) = [
        (float(cosine.replace("−", "-")), float(rank)) for cosine, rank in figures
    ]
    assert rank == rank_there > 1.9 and thin == thin_there_rank < 1.3
    assert max(abs(round_here), abs(thin_here)) < 0.1 and min(round_there, thin_there) > 0.8


def test_the_clouds_are_those_whose_figures_are_said() -> None:
    drawing = cone_drawing()
    nodes = list(ElementTree.fromstring(drawing.svg).iter())
    discs = [(float(node.get("cx")), float(node.get("cy"))) for node in nodes if node.tag.endswith("circle")]
    origins = [(float(node.get("x1")), 135.0) for node in nodes if (node.get("y1"), node.get("y2")) == ("60", "210")]
    clouds = (np.reshape(discs, (4, -1, 2)) - np.reshape(origins, (4, 1, 2))) * (1, -1)
    found = [geometry(cloud) for cloud in clouds]
    said = [f"mean cosine {one.mean_cosine:z.2f}, effective rank {one.effective_rank:.2f} of 2" for one in found]
    assert "; ".join(re.findall(r"mean cosine .*? of 2", drawing.summary)).replace("−", "-") == "; ".join(said)
    tips = [float(node.get("points").split(",")[0]) for node in nodes if node.tag.endswith("polygon")]
    means = [origin[0] + cloud[:, 0].mean() for origin, cloud in zip(origins[2:], clouds[2:])]
    assert tips == pytest.approx(means, abs=0.1), "the arrow ends at the mean"
