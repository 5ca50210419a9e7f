"""The whitening board: every kept dimension measured at once is what one gets by whitening to it."""

from __future__ import annotations

import pytest
import torch

from kit.boards.whitening_widget import REPAIRS, whitening_board, whitening_state, whitening_summary, whitening_values
from kit.encoder.whitening import whitening
from kit.errors import KitError
from kit.evaluation import geometry, pair_cosines, spearman

DIM = 6


def made(flat: bool = False) -> tuple:
    """Pairs of vectors with scores that follow their distance, and other vectors to fit on."""
    draw = torch.Generator().manual_seed(2)
    mix = torch.randn(DIM, DIM, generator=draw)
    fitted, first = (torch.randn(n, DIM, generator=draw) @ mix + 1 for n in (90, 40))
    second = first + 3 * torch.rand(40, 1, generator=draw) * torch.randn(40, DIM, generator=draw)
    scores = (5 - (first - second).norm(dim=1)).tolist()
    if flat:
        fitted[:, 0] = fitted[:, 1]
    return first, second, scores, {"other sentences": fitted, "the measured sentences": torch.cat([first, second])}


@pytest.mark.parametrize("fitted", ["other sentences", "the measured sentences"])
def test_each_dimension_is_what_whitening_to_it_gives(fitted: str) -> None:
    for dim in range(1, DIM + 1):
        first, second, scores, fits = made()
        state = whitening_state(first, second, scores, fits, "made-up pairs")
        repair = whitening(fits[fitted], dim)
        both = repair(first), repair(second)
        figure = whitening_values(state, {"dim": dim, "repair": "whitened", "fitted": fitted})
        space = geometry(torch.cat(both))
        assert figure["dim"] == dim
        assert figure["sts"] == pytest.approx(100 * spearman(pair_cosines(*both), scores), abs=0.05)
        assert figure["mean_cosine"] == pytest.approx(space.mean_cosine, abs=2e-3)
        assert figure["effective_rank"] == pytest.approx(space.effective_rank, abs=2e-3)


def test_turned_only_keeps_all_distances_where_all_directions_are_kept() -> None:
    """A rotation of the centred vectors: their own geometry, whatever it was fitted on."""
    first, second, scores, fits = made()
    state = whitening_state(first, second, scores, fits, "made-up pairs")
    mean = fits["other sentences"].double().mean(0)
    centred = first.double() - mean, second.double() - mean
    figure = whitening_values(state, {"dim": DIM, "repair": "centred and turned", "fitted": "other sentences"})
    assert figure["sts"] == pytest.approx(100 * spearman(pair_cosines(*centred), scores), abs=1e-3)
    assert figure["effective_rank"] == pytest.approx(geometry(torch.cat(centred)).effective_rank, abs=1e-3)
    assert figure["effective_rank"] == pytest.approx(state["raw"]["effective_rank"], abs=1e-3)


def test_fitted_on_the_measured_the_variance_is_all_alike() -> None:
    first, second, scores, fits = made()
    state = whitening_state(first, second, scores, fits, "made-up pairs")
    figure = whitening_values(state, {"dim": DIM, "repair": "whitened", "fitted": "the measured sentences"})
    assert figure["cumulative"] == pytest.approx([k / DIM for k in range(DIM + 1)], abs=1e-3)
    assert figure["effective_rank"] == pytest.approx(DIM, abs=1e-3) and figure["kept"] == pytest.approx(1, abs=1e-4)


def test_raw_is_the_vectors_as_they_are() -> None:
    first, second, scores, fits = made()
    raw, space = whitening_state(first, second, scores, fits, "x")["raw"], geometry(torch.cat([first, second]))
    assert raw["sts"] == pytest.approx(100 * spearman(pair_cosines(first, second), scores), abs=1e-3)
    assert raw["mean_cosine"] == pytest.approx(space.mean_cosine, abs=1e-3)
    assert raw["effective_rank"] == pytest.approx(space.effective_rank, abs=1e-3)
    assert raw["variances"] == pytest.approx(space.spectrum, abs=1e-4)


def test_directions_without_variance_are_not_offered() -> None:
    first, second, scores, fits = made(flat=True)
    state = whitening_state(first, second, scores, fits, "x")
    assert state["dims"] == list(range(1, DIM))
    for repair in REPAIRS:
        for fitted in fits:
            figure = whitening_values(state, {"dim": 99, "repair": repair, "fitted": fitted})
            assert figure["dim"] == DIM - 1 and -100 <= figure["sts"] <= 100


def test_best_is_the_highest_point_and_gain_is_above_raw() -> None:
    first, second, scores, fits = made()
    state = whitening_state(first, second, scores, fits, "x")
    figures = [
        whitening_values(state, {"dim": k, "repair": "whitened", "fitted": "other sentences"}) for k in state["dims"]
    ]
    highest = max(figures, key=lambda figure: figure["sts"])
    assert all(figure["best"] == [highest["dim"], highest["sts"]] for figure in figures)
    assert all(f["gain"] == pytest.approx(f["sts"] - state["raw"]["sts"]) for f in figures)


def test_the_board_starts_where_sts_is_highest_and_with_its_summary() -> None:
    first, second, scores, fits = made()
    board = whitening_board(first, second, scores, fits, "made-up pairs")
    figure = whitening_values(board.state, board.controls)
    assert figure["dim"] == figure["best"][0] and board.summary == whitening_summary(
        figure, board.controls, board.state
    )
    assert "Measured on 40 pairs of made-up pairs." in board.summary
    one = {**board.controls, "dim": 1}
    assert "to 1 direction, fitted" in whitening_summary(whitening_values(board.state, one), one, board.state)


def test_what_does_not_fit_together_is_refused() -> None:
    first, second, scores, fits = made()
    with pytest.raises(KitError, match="as many first as second vectors as scores"):
        whitening_state(first, second[1:], scores, fits, "x")
    with pytest.raises(KitError, match="got 0 fits"):
        whitening_state(first, second, scores, {}, "x")
    state = whitening_state(first, second, scores, fits, "x")
    with pytest.raises(KitError, match="unknown repair"):
        whitening_values(state, {"dim": 1, "repair": "bleached", "fitted": "other sentences"})
    with pytest.raises(KitError, match="unknown fit"):
        whitening_values(state, {"dim": 1, "repair": "whitened", "fitted": "nothing"})
