"""Objectives as weighted sums: constant and scheduled weights, λ, and what is refused."""

from __future__ import annotations

import pytest
import torch

from kit.errors import KitError
from kit.losses import blend, interpolate, linear_schedule, power_schedule


def square(z, batch):
    return (z**2).sum()


def shifted(z, batch):
    return (z - batch).sum()


def must_not_run(z, batch):
    raise AssertionError("a term of weight 0 was computed")


Z = torch.tensor([[1.0, 2.0]])


def test_total_parts_and_gradient():
    z = Z.clone().requires_grad_()
    total, parts = blend({"square": (square, 0.5), "shifted": (shifted, 2)})(z, 1.0)
    total.backward()
    assert total.item() == pytest.approx(0.5 * 5 + 2 * 1)
    assert {name: part.item() for name, part in parts.items()} == {"square": 5.0, "shifted": 1.0}
    assert not any(part.requires_grad for part in parts.values())
    assert z.grad.tolist() == [[3.0, 4.0]]  # 0.5·2z + 2


def test_a_weight_of_zero_is_not_computed():
    total, parts = blend({"square": (square, 1.0), "off": (must_not_run, 0)})(Z, None)
    assert total.item() == 5 and list(parts) == ["square"]


def test_all_weights_zero_is_a_zero_with_a_graph():
    z = Z.clone().requires_grad_()
    total, parts = blend({"off": (must_not_run, 0.0)})(z, None)
    total.backward()
    assert total.item() == 0 and parts == {} and z.grad.tolist() == [[0.0, 0.0]]


def test_scheduled_weights_follow_the_step():
    objective = blend({"square": (square, 1), "late": (shifted, linear_schedule(0.0, 2.0, steps=4))})
    assert [objective.weights(step)["late"] for step in (0, 1, 2, 4, 9)] == [0, 0.5, 1, 2, 2]
    totals = [objective(Z, 0.0, step)[0].item() for step in (0, 2, 4)]
    assert totals == pytest.approx([5.0, 5.0 + 3.0, 5.0 + 6.0])
    assert list(objective(Z, 0.0, step=0)[1]) == ["square"]


def test_schedules():
    down = linear_schedule(1.0, 0.25, steps=3)
    assert [down(step) for step in range(5)] == pytest.approx([1, 0.75, 0.5, 0.25, 0.25])
    annealed = power_schedule(3, total=10)
    assert [annealed(step) for step in (0, 5, 10, 20)] == pytest.approx([0, 0.125, 1, 1])
    assert linear_schedule(0, 0, steps=0.5)(9) == 0 and power_schedule(0.5, total=1)(0.25) == 0.5, "anything above 0"


@pytest.mark.parametrize("lam", [0.3, lambda step: 0.3])
def test_interpolate(lam):
    total, parts = interpolate(square, shifted, lam)(Z, 0.0)
    assert total.item() == pytest.approx(0.7 * 5 + 0.3 * 3)
    assert list(parts) == ["cross_entropy", "contrastive"]


def test_the_ends_of_lambda_compute_one_term_only():
    assert interpolate(square, must_not_run, 0)(Z, None)[0].item() == 5
    assert interpolate(must_not_run, square, 1.0)(Z, None)[0].item() == 5


def test_scheduled_lambda_moves_weight_from_one_term_to_the_other():
    objective = interpolate(square, shifted, linear_schedule(0, 1, steps=10))
    assert objective.weights(4) == pytest.approx({"cross_entropy": 0.6, "contrastive": 0.4})


@pytest.mark.parametrize("lam", [-0.1, 1.1, float("nan"), "0.3", None, True, lambda step: 1.5])
def test_lambda_outside_zero_to_one(lam):
    with pytest.raises(KitError, match="λ from 0"):
        interpolate(square, square, lam)(Z, None)


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "1", None, lambda step: -1.0])
def test_bad_weights(weight):
    with pytest.raises(KitError, match="a weight from 0 for 'square'"):
        blend({"square": (square, weight)})(Z, None)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: blend({}), "at least one term"),
        (lambda: blend({"square": square}), r"expected \(term, weight\) under 'square'"),
        (lambda: blend({"square": (1.0, 1.0)}), r"expected \(term, weight\) under 'square'"),
        (lambda: linear_schedule(0, 1, steps=0), "steps above 0"),
        (lambda: linear_schedule(-1, 1, steps=3), "weight from 0 for 'start'"),
        (lambda: linear_schedule(1, -1, steps=3), "weight from 0 for 'end'"),
        (lambda: power_schedule(0, 10), "alpha above 0"),
        (lambda: power_schedule(3, float("nan")), "total above 0"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(KitError, match=words):
        call()
