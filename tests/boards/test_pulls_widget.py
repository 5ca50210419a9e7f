"""The board of two pulls: its mathematics over the whole range (the browser test compares the JavaScript)."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
import torch

from kit.boards.pulls_widget import pulls_board, pulls_state, pulls_summary, pulls_values
from kit.errors import KitError
from kit.losses import PairClassifier, cross_entropy, scl

DIM = 12
IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 3], [0, 0, 2, 0, 1, 0, 2, 1]  # the fourth premise entails nothing
TEXTS = [f"text {i}" for i in range(len(IDS))]


def batch(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(6)
    # rounded as the state rounds, so that the board and the losses see the same vectors
    return tuple((torch.randn(n, DIM, generator=draw, dtype=dtype) + 0.5).mul(1e5).round().div(1e5) for n in (4, 8))


def classifier() -> PairClassifier:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return PairClassifier(DIM).double()


HEAD = classifier()
STATE = pulls_state(*batch(), IDS, LABELS, HEAD, TEXTS)


def chosen(**changes) -> dict:
    return {"anchor": "premise 1", "similarity": "dot product", "tau": 1.0, "lam": 0.3, **changes}


def gradients(anchor: int, tau: float, similarity: str) -> tuple[torch.Tensor, torch.Tensor]:
    """∂CE and ∂SCL on one premise, through the public losses."""
    premises, hypotheses = batch()
    premises.requires_grad_()
    ids, labels = torch.tensor(IDS), torch.tensor(LABELS)
    ce = cross_entropy(HEAD(premises[ids], hypotheses), labels)
    contrast = scl(premises, hypotheses, ids, labels, tau, similarity)
    return tuple(torch.autograd.grad(loss, premises)[0][anchor] for loss in (ce, contrast))


def test_lengths_angle_and_share_are_those_of_the_losses() -> None:
    for anchor, tau, similarity, lam in product(
        range(4), [0.01, 0.1, 1.0, 10.0], ["dot product", "cosine"], [0.0, 0.35, 1.0]
    ):
        found = pulls_values(STATE, chosen(anchor=f"premise {anchor + 1}", tau=tau, similarity=similarity, lam=lam))
        ce, contrast = gradients(anchor, tau, {"dot product": "dot"}.get(similarity, similarity))
        step = (1 - lam) * ce + lam * contrast
        assert found["lengths"] == pytest.approx([v.norm().item() for v in (ce, contrast, step)], rel=1e-5, abs=1e-7)
        pulls = [(1 - lam) * ce.norm().item(), lam * contrast.norm().item()]
        assert found["share"] * sum(pulls) == pytest.approx(pulls[1], rel=1e-5, abs=1e-7)
        if anchor == 3:
            assert found["angle"] == -1 and found["lengths"][1] == 0 and found["positives"] == 0
        elif contrast.norm() > 1e-6:
            cosine = torch.cosine_similarity(ce, contrast, dim=0).item()
            assert math.cos(math.radians(found["angle"])) == pytest.approx(cosine, abs=1e-5)
        assert json.loads(json.dumps(found)) == found, "it travels as JSON"
        assert all(math.isfinite(x) for part in found["points"] + found["ends"] + found["arrows"] for x in part)


def test_the_arrows_are_exact_in_the_plane() -> None:
    """Lengths and the angle between them survive the projection, up to one factor for all."""
    for tau, similarity in product([0.05, 1.0, 10.0], ["dot product", "cosine"]):
        found = pulls_values(STATE, chosen(tau=tau, similarity=similarity))
        (x1, y1), (x2, y2) = found["ends"]
        drawn = [math.hypot(x1, y1), math.hypot(x2, y2), math.hypot(*found["arrows"][2])]
        assert drawn == pytest.approx([found["magnify"] * length for length in found["lengths"]], rel=1e-6)
        between = math.degrees(math.acos((x1 * x2 + y1 * y2) / (drawn[0] * drawn[1])))
        assert between == pytest.approx(found["angle"], abs=1e-5)
        assert y1 == pytest.approx(0, abs=1e-9) and x1 > 0 and y2 > 0, "CE to the right, SCL upwards"
        assert max(drawn[:2]) == pytest.approx(max(math.hypot(*point) for point in found["points"]))


def test_points_are_projections() -> None:
    """No hypothesis is farther in the picture than in the space."""
    premises, hypotheses = batch()
    for (x, y), vector in zip(pulls_values(STATE, chosen())["points"], hypotheses - premises[0], strict=True):
        assert math.hypot(x, y) <= vector.norm().item() + 1e-9


def test_the_step_walks_from_one_tip_to_the_other() -> None:
    ends = pulls_values(STATE, chosen())["ends"]
    for lam in (0.0, 0.25, 0.8, 1.0):
        found = pulls_values(STATE, chosen(lam=lam))
        assert found["ends"] == ends, "λ does not turn the plane"
        expected = [(1 - lam) * a + lam * b for a, b in zip(*ends, strict=True)]
        assert found["arrows"][2] == pytest.approx(expected)


def test_at_the_ends_of_lambda_one_term_pulls() -> None:
    for lam, share in [(0.0, 0.0), (1.0, 1.0)]:
        found = pulls_values(STATE, chosen(lam=lam))
        assert found["share"] == share
        assert found["lengths"][2] == pytest.approx(found["lengths"][1 if lam else 0])
        assert f"{100 * share:.0f} % of the pull" in pulls_summary(found, chosen(lam=lam))


def test_where_only_the_contrast_counts_and_nothing_is_entailed_nothing_pulls() -> None:
    idle = chosen(anchor="premise 4", lam=1.0)
    said = pulls_summary(pulls_values(STATE, idle), idle)
    assert said.endswith("after their weights nothing pulls, and the step is 0 long."), "and no arrow is drawn"
    both = {**idle, "lam": 0.95}
    assert "SCL has 0 % of the pull" in pulls_summary(pulls_values(STATE, both), both)


def test_pushes_and_pulls_cancel() -> None:
    """Softmax weights and targets both sum to 1."""
    for tau in [0.01, 1.0, 10.0]:
        push = pulls_values(STATE, chosen(tau=tau))["push"]
        assert sum(push) == pytest.approx(0, abs=1e-9)
        assert all(p >= -0.5 - 1e-9 for p in push[:2]) and all(p >= 0 for p in push[2:])


def test_without_an_entailment_the_contrast_is_silent() -> None:
    controls = chosen(anchor="premise 4", lam=1.0)
    found = pulls_values(STATE, controls)
    assert found["push"] == [0.0] * len(IDS) and found["share"] == 0 and found["lengths"][1:] == [0, 0]
    assert ", as premise 4 entails nothing and is no anchor; after" in pulls_summary(found, controls)


def test_a_saturated_softmax_still_has_a_picture() -> None:
    """The contrast's gradient is zero to the last digit: there is a plane all the same, and no angle."""
    premises, hypotheses = batch()
    hypotheses[0] = hypotheses[1] = 50 * premises[0]
    state = pulls_state(premises, hypotheses, IDS, LABELS, HEAD, TEXTS)
    controls = chosen(tau=0.01)
    found = pulls_values(state, controls)
    assert found["lengths"][1] < 1e-7 and found["angle"] == -1
    assert "at no angle" in pulls_summary(found, controls)
    assert all(math.isfinite(x) for point in found["points"] for x in point)


def test_nonsense_is_refused() -> None:
    for change, message in [
        ({"anchor": "premise 9"}, "unknown anchor 'premise 9'"),
        ({"similarity": "dot"}, "unknown similarity 'dot'"),
        ({"lam": -0.1}, "expected λ from 0 to 1"),
        ({"lam": 1.01}, "expected λ from 0 to 1"),
        ({"lam": math.nan}, "expected λ from 0 to 1"),
        ({"lam": "0.3"}, "expected λ from 0 to 1"),
        ({"tau": 0.0}, "expected a temperature above 0"),
        ({"tau": -1.0}, "expected a temperature above 0"),
        ({"tau": math.nan}, "expected a temperature above 0"),
    ]:
        with pytest.raises(KitError, match=message):
            pulls_values(STATE, chosen(**change))


def test_a_batch_that_is_none_is_refused() -> None:
    for changes in [
        {"ids": IDS[:-1]},
        {"labels": LABELS[:-1]},
        {"texts": TEXTS[:-1]},
        {"ids": [0, 0, 0, 1, 1, 2, 2, 7]},
        {"labels": [3] * 8},
    ]:
        given = {"ids": IDS, "labels": LABELS, "texts": TEXTS, **changes}
        with pytest.raises(KitError):
            pulls_state(*batch(), given["ids"], given["labels"], HEAD, given["texts"])


def test_names_and_size_of_the_state() -> None:
    assert STATE["names"] == ["1a", "1b", "1c", "2a", "2b", "3a", "3b", "4a"]
    assert STATE["anchors"] == [f"premise {i}" for i in range(1, 5)]
    wide = [torch.randn(n, 128) for n in (5, 17)]
    ids = [0] * 5 + [1] * 4 + [2] * 3 + [3] * 3 + [4] * 2
    state = pulls_state(*wide, ids, [0] * 17, PairClassifier(128), ["a sentence of some length"] * 17)
    assert len(json.dumps(state)) < 100_000, "a batch of the lesson's size"


def test_vectors_of_float32_and_torchs_random_state() -> None:
    before = torch.get_rng_state()
    board = pulls_board(*batch(torch.float32), torch.tensor(IDS), torch.tensor(LABELS), HEAD, TEXTS)
    assert torch.equal(before, torch.get_rng_state())
    assert board.controls == chosen() and board.summary.startswith("Premise 1, dot product, τ 1, λ 0.30: ")
    assert board.module == "pulls" and board.state["owner"] == IDS
