"""The drawings of lessons 00 to 02: well-formed, and the figures in them are those of what is drawn."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from kit.encoder import load_encoder
from kit.figures import cone_drawing, pooling_drawing, pull_push_drawing


def texts(drawing) -> list[str]:
    return [node.text for node in ElementTree.fromstring(drawing.svg).iter() if node.tag.endswith("text")]


def test_the_step_goes_to_the_positive_and_away_from_the_negative() -> None:
    words = texts(pull_push_drawing())
    assert words.count("anchor") == words.count("positive") == words.count("negative") == 2
    assert {"pull", "push"} <= set(words)


def test_the_mask_has_a_one_for_each_piece_that_is_no_padding() -> None:
    words = texts(pooling_drawing())
    pieces = [word for word in words if word in ("[CLS]", "he", "came", ".", "[SEP]", "[PAD]")]
    mask = [word for word in words if word in ("0", "1")]
    assert len(pieces) == len(mask) == 7
    assert [piece == "[PAD]" for piece in pieces] == [digit == "0" for digit in mask]
    assert pieces[1:4] == load_encoder().tokenizer.tokenize("He came."), "as the lesson's tokenizer cuts them"


def test_moving_changes_the_cosines_and_squeezing_the_rank() -> None:
    figures = re.findall(r"mean cosine (\S+), effective rank (\S+) of 2", cone_drawing().summary)
    (round_here, rank), (thin_here, thin), (round_there, rank_there), (thin_there, thin_there_rank) = [
        (float(cosine.replace("−", "-")), float(rank)) for cosine, rank in figures
    ]
    assert rank == rank_there > 1.9 and thin == thin_there_rank < 1.3
    assert max(abs(round_here), abs(thin_here)) < 0.1 and min(round_there, thin_there) > 0.8
