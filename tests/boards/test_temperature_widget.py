"""The temperature board's mathematics: against torch, at both ends, and on nonsense."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch
import torch.nn.functional as F

from kit.boards.temperature_widget import temperature_board, temperature_state, temperature_summary, temperature_values
from kit.data.twelve import twelve_labels, twelve_sentences
from kit.errors import KitError
from kit.losses import softmax_weights, supmpn_relations

VECTORS = torch.randn(12, 32, generator=torch.manual_seed(4), dtype=torch.float64) + 0.8
TAUS = [0.001, 0.003, 0.01, 0.05, 0.3, 1.0, 10.0, 100.0]
TOPICS = ["weather", "sport", "phone", "food"]


def state(vectors: torch.Tensor = VECTORS) -> dict:
    return temperature_state(vectors.tolist(), twelve_labels(), twelve_sentences())


def figure(tau: float, anchor: str = "weather", vectors: torch.Tensor = VECTORS) -> dict:
    return temperature_values(state(vectors), {"tau": tau, "anchor": anchor})


def numbers(value) -> list[float]:
    """All numbers in a nested figure."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for part in value for x in numbers(part)] if isinstance(value, list) else [value]


def test_everything_is_finite_and_weights_sum_to_one() -> None:
    for anchor, tau in product(TOPICS, TAUS):
        found = figure(tau, anchor)
        assert all(math.isfinite(x) for x in numbers(found))
        assert sum(found["weights"]) == pytest.approx(1) and sum(found["shares"]) == pytest.approx(1)
        assert 1 - 1e-9 <= found["watched"] <= 11 + 1e-9 and 1 - 1e-9 <= found["pushed"] <= 10 + 1e-9
        assert found["loss"] >= found["smallest"] >= 0 and found["gradient"] >= 0
        summary = temperature_summary(found, {"tau": tau, "anchor": anchor})
        assert f"τ {tau:.3g}, anchor “{anchor}”" in summary and "nan" not in summary


def test_weights_loss_and_gradient_are_torchs() -> None:
    """Against cross-entropy and autograd on the vectors themselves (the state rounds its cosines)."""
    for anchor, tau in product(TOPICS, TAUS):
        found, first = figure(tau, anchor), 3 * TOPICS.index(anchor)
        unit = F.normalize(VECTORS, dim=1)
        a = unit[first].clone().requires_grad_()
        cosines = unit[found["order"]] @ a
        loss = F.cross_entropy(cosines[None] / tau, torch.tensor([0]))
        loss.backward()
        sideways = a.grad - (a.grad @ a.detach()) * a.detach()
        near = {"rel": 2e-6 / tau + 1e-6, "abs": 1e-6}  # what half a unit in the sixth digit makes of it
        assert found["loss"] == pytest.approx(loss.item(), **near)
        assert found["weights"] == pytest.approx(torch.softmax(cosines.detach() / tau, dim=0).tolist(), **near)
        assert found["gradient"] == pytest.approx(sideways.norm().item(), **near)
        assert found["push"] == pytest.approx((1 - found["weights"][0]) / tau, rel=1e-6, abs=1e-9)


def test_weights_are_those_of_the_kits_losses() -> None:
    """One anchor with one positive and ten negatives is a batch of the one formula."""
    found = figure(0.05, "sport")
    rows = torch.cat([VECTORS[3:4], VECTORS[found["order"]]])
    expected = softmax_weights(rows, supmpn_relations(1, positives=1, negatives=10), 0.05)[0]
    assert found["weights"] == pytest.approx(expected.tolist(), abs=1e-4)


def test_negatives_go_from_hard_to_easy() -> None:
    for anchor in TOPICS:
        found, first = figure(0.2, anchor), 3 * TOPICS.index(anchor)
        assert found["order"][0] == first + 1 and sorted(found["order"]) == [i for i in range(12) if i != first]
        for falling in (found["cosines"][1:], found["weights"][1:], found["shares"]):
            assert falling == sorted(falling, reverse=True)


def test_cold_end_is_a_triplet_loss_on_the_hardest_negative() -> None:
    for anchor in TOPICS:
        found = figure(1e-4, anchor)
        assert found["shares"][0] > 0.99 and found["watched"] < 1.05
        assert 1e-4 * found["loss"] == pytest.approx(max(0, found["cosines"][1] - found["cosines"][0]), abs=1e-3)


def test_warm_end_knows_the_mean_only() -> None:
    for anchor in TOPICS:
        found = figure(100.0, anchor)
        assert found["weights"] == pytest.approx([1 / 11] * 11, rel=0.02) and found["watched"] > 10.999
        mean = sum(found["cosines"]) / 11
        assert 100 * (found["loss"] - math.log(11)) == pytest.approx(mean - found["cosines"][0], abs=5e-3)


def test_a_loss_that_is_almost_nothing_is_still_above_zero() -> None:
    """A positive that is the anchor itself: −log of a share would be rounded to 0."""
    vectors = VECTORS.clone()
    vectors[1] = vectors[0]
    found = figure(0.01, "weather", vectors)
    assert 0 < found["loss"] < 1e-15 and 0 < found["push"] < 1e-13


def test_curve_holds_the_numbers_of_the_bars() -> None:
    """The curve at a τ says what the board says there, and nothing falls on the way to the right."""
    curve = figure(0.05)["curve"]
    assert curve[0][0] == pytest.approx(0.001) and curve[-1][0] == pytest.approx(100)
    for tau, watched, pushed in curve[::10]:
        at = figure(tau)
        assert (watched, pushed) == pytest.approx((at["watched"], at["pushed"]))
    shares = [pushed for *_, pushed in curve]
    assert shares == sorted(shares)


def test_a_temperature_that_is_none_is_refused() -> None:
    for tau in [0, -1.0, float("nan"), float("inf"), "0.05", None]:
        with pytest.raises(KitError, match="expected τ above 0"):
            temperature_values(state(), {"tau": tau, "anchor": "weather"})


def test_an_unknown_anchor_is_named() -> None:
    with pytest.raises(KitError, match="unknown anchor 'wether': did you mean 'weather'"):
        temperature_values(state(), {"tau": 0.05, "anchor": "wether"})


def test_vectors_come_in_threes_with_labels() -> None:
    for rows in [0, 3, 4, 11]:
        with pytest.raises(KitError, match="expected vectors"):
            temperature_state(VECTORS[:rows].tolist(), twelve_labels()[:rows], twelve_sentences()[:rows])
        with pytest.raises(KitError, match="expected vectors"):
            temperature_state(VECTORS.tolist(), twelve_labels()[:9], twelve_sentences())


def test_a_vector_without_direction_is_refused() -> None:
    for bad in [0.0, float("nan"), float("inf")]:
        vectors = VECTORS.clone()
        vectors[5] = bad
        with pytest.raises(KitError, match="expected finite vectors longer than zero"):
            state(vectors)


def test_board_starts_where_it_is_told() -> None:
    board = temperature_board(VECTORS.tolist(), twelve_labels(), twelve_sentences(), tau=0.2, anchor="food")
    assert board.controls == {"tau": 0.2, "anchor": "food"}
    assert board.summary == temperature_summary(figure(0.2, "food"), board.controls)
