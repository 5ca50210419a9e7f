"""The board of a billion pairs: its numbers over the whole range (the browser test compares the JavaScript)."""

from __future__ import annotations

import math

import pytest

from kit.boards.scale_widget import BATCHES, GPUS, STARTS, scale_board, scale_state, scale_summary, scale_values
from kit.course.papers.step_cost import GPU_PARTS, PARTS
from kit.errors import KitError

STATE = scale_state(20_000.0)


def figure(**changes) -> dict:
    return scale_values(STATE, {**STARTS, **changes})


@pytest.mark.parametrize("encoder", STATE["shapes"])
def test_everything_is_finite_and_adds_up(encoder: str) -> None:
    for gpus, batch, tokens in [(1, 16, 8), (1, 8192, 128), (1024, 16, 8), (1024, 8192, 128)]:
        for matrix in STATE["matrices"]:
            found = figure(gpus=gpus, batch=batch, tokens=tokens, encoder=encoder, matrix=matrix)
            assert len(found["parts"]) == len(PARTS) and all(
                math.isfinite(part) and part >= 0 for part in found["parts"]
            )
            assert found["step"] == pytest.approx(max(sum(found["parts"][: len(GPU_PARTS)]), found["parts"][-1]))
            assert found["pairs"] == gpus * batch
            assert found["hours"] == pytest.approx(1e9 / found["pairs"] * found["step"] / 3.6e9)
            assert found["whole"] == 4 * found["pairs"] ** 2 >= found["matrix"]
            said = scale_summary(found, {**STARTS, "gpus": gpus})
            sends = sum(found["parts"][2:4]) / found["step"] > 0.5
            assert (f"{found['binding']} takes longest" in said) != sends == ("the GPUs only send" in said)
            assert ("1 GPU," in said) == (gpus == 1)


def test_the_text_says_where_sending_takes_more_than_half() -> None:
    """As the headline does, at the board's start too: gather and reduce are two parts, and neither need be longest."""
    assert "; more than half of it (54 %) the GPUs only send. Of a GPU's time" in scale_board(20_000).summary
    found = {"binding": "encoder", "pairs": 8, "hours": 1.0, "matrix": 1.0, "step": 100.0}
    for sent, said in ((50.0, "encoder takes longest on the GPU"), (50.04, "(50.04 %) the GPUs"), (51, "(51 %) the")):
        parts = [100 - sent, 0.0, sent / 2, sent / 2, 0.0, 1.0]
        assert said in scale_summary({**found, "parts": parts}, STARTS)


def test_the_curves_pass_through_what_is_shown() -> None:
    found = figure()
    assert [gpus for gpus, _ in found["efficiency"]] == list(GPUS)
    assert [batch for batch, _ in found["spent"]] == list(BATCHES)
    assert found["efficiency"][0][1] == 1
    assert dict(found["spent"])[STARTS["batch"]] == pytest.approx(found["step"] / STARTS["batch"])
    alone = figure(gpus=1)
    speed = (found["pairs"] / found["step"]) / (alone["pairs"] / alone["step"])
    assert dict(found["efficiency"])[64] == pytest.approx(speed / 64)


def test_a_batch_may_be_too_small_and_too_large() -> None:
    spent = [cost for _, cost in figure()["spent"]]
    assert min(spent) < spent[0] / 2 and min(spent) < spent[-1] / 2


def test_what_is_unknown_or_senseless_is_told() -> None:
    for changes, said in (
        ({"encoder": "BERT"}, "unknown encoder"),
        ({"link": "wire"}, "unknown link"),
        ({"matrix": "none"}, "unknown way"),
        ({"share": 0}, "share of the peak"),
    ):
        with pytest.raises(KitError, match=said):
            figure(**changes)
    with pytest.raises(KitError, match="expected a rate above 0"):
        scale_state(0.0)
    with pytest.raises(KitError, match="unknown machine"):
        scale_state(1.0, gpu="Z80")


def test_the_board_starts_where_it_is_told() -> None:
    board = scale_board(20_000.0, {"gpus": 8, "encoder": "BERT-base"})
    assert board.controls["gpus"] == 8 and board.controls["encoder"] == "BERT-base"
    assert board.summary.startswith("Estimate: 8 GPUs")
