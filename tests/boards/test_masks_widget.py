"""The masks board's mathematics: against the losses by name, on every loss and row, and on nonsense."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch

from kit.boards.masks_widget import (
    IGNORED,
    ITSELF,
    NEGATIVE,
    OUTSIDE,
    PARTS,
    POSITIVE,
    batch_relations,
    masks_board,
    masks_state,
    masks_summary,
    masks_values,
)
from kit.errors import KitError
from kit.losses import mnrl, mnrl_hard, nt_xent, scl, similarity_gradient, supcon, supmpn

N, P, Q = 3, 2, 2
ROWS = N * (1 + P + Q)
VECTORS = torch.randn(ROWS, 24, generator=torch.manual_seed(5), dtype=torch.float64) + 0.6
TEXTS = [f"text {i}" for i in range(ROWS)]
TWIN_TEXTS = ["one", "two", "three", "same", "b", "same", "d", "e", "f", *"ghijkl"]
LOSSES, TAUS = list(batch_relations(N, P, Q)), [0.01, 0.05, 1.0, 10.0]
every_loss = pytest.mark.parametrize("loss", LOSSES)


def state(texts: list[str] = TEXTS) -> dict:
    return masks_state(VECTORS, texts, N, P, Q)


def figure(loss: str, anchor: int = 1, tau: float = 0.05, **more) -> dict:
    return masks_values(state(TWIN_TEXTS if more else TEXTS), {"loss": loss, "anchor": anchor, "tau": tau, **more})


def named(loss: str, tau: float) -> float:
    """The same batch by the loss of that name, all with cosines."""
    a, p, n = VECTORS[:N], VECTORS[N : N + N * P].view(N, P, -1), VECTORS[N + N * P :].view(N, Q, -1)
    owner = torch.arange(N)
    classes = torch.cat([owner, owner.repeat_interleave(P), N + torch.arange(N * Q)])
    premises = torch.cat([owner.repeat_interleave(P), owner.repeat_interleave(Q)])
    labels = torch.tensor([0] * N * P + [2] * N * Q)
    return {
        "NT-Xent": lambda: nt_xent(torch.cat([a, p[:, 0]]), tau),
        "SupCon": lambda: supcon(VECTORS, classes, tau),
        "MNRL": lambda: mnrl(a, p[:, 0], tau),
        "MNRL, hard negatives": lambda: mnrl_hard(a, p[:, 0], n, tau),
        "SCL": lambda: scl(a, VECTORS[N:], premises, labels, tau, similarity="cosine"),
        "SupMPN": lambda: supmpn(a, p, n, tau),
        "SupMPN, its code": lambda: supmpn(a, p, n, tau, other_positives="zero_logit"),
    }[loss]().item()


@every_loss
def test_loss_is_that_of_the_loss_by_name(loss: str) -> None:
    """The state rounds its cosines to six digits, so the logits are off by 5e-7/τ."""
    for tau in TAUS:
        assert figure(loss, tau=tau)["losses"][1] == pytest.approx(named(loss, tau), rel=2e-6 / tau, abs=2e-6 / tau)


@every_loss
def test_everything_is_finite_and_adds_up(loss: str) -> None:
    for anchor, tau in product(range(1, ROWS + 1), TAUS):
        found = figure(loss, anchor, tau)
        assert all(math.isfinite(x) for key in ("weights", "push", "gradient", "losses") for x in found[key])
        assert bool(found["terms"]) == found["counted"] == (found["losses"][0] > 0) == any(found["weights"])
        if found["counted"]:
            assert sum(found["weights"]) <= 1 + 1e-9
            assert loss == "SupMPN, its code" or sum(found["weights"]) == pytest.approx(1)
            assert found["losses"][0] == pytest.approx(sum(t["term"] for t in found["terms"]) / len(found["terms"]))
        for term in found["terms"]:
            assert sum(term["shares"]) == pytest.approx(1) and len(term["shares"]) == len(term["sizes"]) == len(PARTS)
            assert term["term"] == pytest.approx(-math.log(term["shares"][0]), rel=1e-6, abs=1e-9)
        summary = masks_summary(found, {"loss": loss, "anchor": anchor, "tau": tau}, state())
        assert f"{loss}, τ {tau:.3g}: " in summary and "nan" not in summary


@every_loss
def test_gradient_is_the_formula_of_the_losses(loss: str) -> None:
    """∂L/∂s by autograd through the scores, against weight − target."""
    relations, other_positives = batch_relations(N, P, Q)[loss]
    expected = similarity_gradient(VECTORS, relations, 0.2, other_positives=other_positives)
    for place, row in enumerate(relations.anchors.tolist()):
        found = torch.tensor(figure(loss, row + 1, 0.2)["gradient"], dtype=torch.float64)
        wanted = torch.zeros(ROWS, dtype=torch.float64)
        if relations.positive[place].any():
            wanted[relations.candidates] = expected[place]
        assert torch.allclose(found, wanted, atol=2e-5)


def test_cells_are_what_the_losses_are_known_for() -> None:
    """The corner of MNRL, the square of SupCon with its struck-out diagonal, the blocks of SupMPN."""
    cells = {loss: torch.tensor(figure(loss)["cells"]) for loss in LOSSES}
    firsts = [N + P * i for i in range(N)]
    assert (cells["MNRL"] != OUTSIDE).nonzero().tolist() == [[i, c] for i in range(N) for c in firsts]
    assert all(cells["MNRL"][i, N + P * i] == POSITIVE for i in range(N))
    assert (cells["SupCon"].diag() == ITSELF).all() and not (cells["SupCon"] == OUTSIDE).any()
    assert (cells["NT-Xent"].diag()[:N] == ITSELF).all() and cells["NT-Xent"][N, 0] == POSITIVE
    assert torch.equal(cells["SCL"], cells["SupMPN"]) and torch.equal(cells["SupMPN"], cells["SupMPN, its code"])
    assert (cells["SupMPN"][:N] == POSITIVE).sum(dim=1).tolist() == [P] * N
    assert (cells["MNRL, hard negatives"][0] == NEGATIVE).sum() == N - 1 + N * Q
    assert not any((c == IGNORED).any() for c in cells.values())


def test_denominators_have_the_members_of_each_loss() -> None:
    sizes = {loss: figure(loss)["terms"][0]["sizes"] for loss in LOSSES}  # itself, siblings, own, others, ghosts
    assert sizes == {
        "NT-Xent": [1, 0, 0, 2 * N - 2, 0],
        "SupCon": [1, P - 1, Q, ROWS - 1 - P - Q, 0],
        "MNRL": [1, 0, 0, N - 1, 0],
        "MNRL, hard negatives": [1, 0, Q, (N - 1) * (1 + Q), 0],
        "SCL": [1, P - 1, Q, (N - 1) * (P + Q), 0],
        "SupMPN": [1, 0, Q, (N - 1) * (P + Q), 0],
        "SupMPN, its code": [1, 0, Q, (N - 1) * (P + Q), P - 1],
    }


def test_a_twin_is_masked_on_request() -> None:
    """1a and 2a have one text: for anchor 1 the other's is ignored, its push gone, and the loss smaller."""
    pushed, masked = (figure("SupMPN", twins=choice) for choice in ("a negative", "masked"))
    assert (pushed["cells"][0][5], masked["cells"][0][5]) == (NEGATIVE, IGNORED)
    assert pushed["push"][5] > 0 == masked["push"][5] and masked["losses"][0] < pushed["losses"][0]
    assert state(TWIN_TEXTS)["twins"] and not state()["twins"]


def test_summary_says_how_near_the_strongest_push_is() -> None:
    """Counted here by sorting: the share of all pushes, the rank among its kind, and the share before a training."""
    earlier, controls = VECTORS.flip(1) + 0.1, {"loss": "SupMPN", "anchor": 2, "tau": 0.05}
    batch = masks_state(VECTORS, TEXTS, N, P, Q, before=earlier)
    found = masks_values(batch, controls)
    cells, cosines, push = found["cells"][1], batch["cosines"][1], found["push"]
    negatives = sorted((row for row in range(ROWS) if cells[row] == NEGATIVE), key=lambda row: -cosines[row])
    part, was = (
        f"{100 * values[negatives[0]] / sum(v for v in values if v > 0):.0f} %" for values in (push, found["before"])
    )
    summary = masks_summary(found, controls, batch)
    assert (
        f"({part}), falls on {batch['names'][negatives[0]]}, the nearest of {len(negatives)} negatives, "
        f"at cosine {cosines[negatives[0]]:.3f}; before the training it had {was} of them." in summary
    )
    assert "before" not in masks_summary({**found, "before": []}, controls, batch)
    found["push"] = [0.5 if row == negatives[2] else 0.0 for row in range(ROWS)]
    assert f"number 3 in nearness of {len(negatives)} negatives" in masks_summary(found, controls, batch)


def test_shares_of_few_add_up_to_a_hundred() -> None:
    """Of three pushes, 33.4, 33.3 and 33.3 % are 34, 33 and 33; of eight, where not all are shown, 33.4 is 33."""
    batch, controls = state(), {"loss": "SupMPN", "anchor": 1, "tau": 0.05}
    found = masks_values(batch, controls)
    rows = [row for row in range(ROWS) if found["cells"][0][row] == NEGATIVE]
    for pushes, part in [
        ([0.334, 0.333, 0.333], "34 %"),
        ([0.334, *[0.666 / 7] * 7], "33 %"),
        ([0.998, 0.002], "99.8 %"),
    ]:
        found["push"] = [0.0] * ROWS
        for row, push in zip(rows, pushes):
            found["push"][row] = push
        assert f" ({part}), falls on " in masks_summary(found, controls, batch)


def near_and_far() -> dict:
    """Two anchors of 2 + 1: the first has a near positive, 1a, and a far one, 1b, before a training the other way."""
    vectors = torch.eye(6, dtype=torch.float64)[[0, 1, 0, 2, 1, 3, 4, 5]].clone()
    vectors[2] = torch.tensor([1.0, 0.2, 0, 0, 0, 0])
    vectors[3] = torch.tensor([1.0, 0, 1.0, 0, 0, 0])
    vectors[6][0] = 0.3  # not all negatives are alike
    return masks_state(vectors, list("abcdefgh"), 2, 2, 1, before=vectors[[0, 1, 3, 2, 4, 5, 6, 7]])


def test_alone_never_pushes_a_positive_and_shared_does() -> None:
    """The shared softmax pushes the near positive until the far one has caught up."""
    batch = near_and_far()
    push = {loss: masks_values(batch, {"loss": loss, "anchor": 1, "tau": 0.05})["push"] for loss in ("SCL", "SupMPN")}
    assert push["SCL"][2] > 0.4 and push["SCL"][3] < -0.4
    assert push["SupMPN"][2] < 0 and push["SupMPN"][3] < 0


def test_a_row_that_was_pulled_had_no_part_of_the_push() -> None:
    batch, controls = near_and_far(), {"loss": "SCL", "anchor": 1, "tau": 0.05}
    found = masks_values(batch, controls)
    assert found["push"][2] > 0.4 and found["before"][2] < -0.4
    assert "before the training it had 0 % of them" in masks_summary(found, controls, batch)


def test_what_was_pushed_before_a_training_is_the_push_of_those_vectors() -> None:
    earlier, controls = VECTORS.flip(1) + 0.1, {"loss": "SupMPN", "anchor": 1, "tau": 0.05}
    board = masks_board(VECTORS, TEXTS, N, P, Q, before=earlier)
    alone = masks_values(masks_state(earlier, TEXTS, N, P, Q), controls)
    found = masks_values(board.state, controls)
    assert found["before"] == alone["push"] != found["push"] and alone["before"] == []


def test_board_starts_where_it_is_told() -> None:
    board = masks_board(VECTORS, TEXTS, N, P, Q, loss="SCL", anchor=2, tau=0.2)
    assert board.controls == {"loss": "SCL", "anchor": 2, "tau": 0.2}
    assert board.summary == masks_summary(figure("SCL", 2, 0.2), board.controls, board.state)
    assert masks_board(VECTORS, TWIN_TEXTS, N, P, Q).controls["twins"] == "a negative"
    assert board.state["names"][: N + 1] == ["1", "2", "3", "1a"] and board.state["names"][N + N * P] == "1z"


def test_nonsense_is_refused() -> None:
    for controls, message in [
        ({"loss": "SupMPM"}, "unknown loss 'SupMPM': did you mean 'SupMPN'"),
        ({"anchor": 0}, "expected a row of the batch from 1 to 15, got 0"),
        ({"anchor": 16}, "expected a row of the batch from 1 to 15, got 16"),
        ({"tau": 0.0}, "expected a temperature above 0"),
    ]:
        with pytest.raises(KitError, match=message):
            masks_values(state(), {"loss": "SupMPN", "anchor": 1, "tau": 0.05, **controls})


def test_a_batch_of_another_shape_is_refused() -> None:
    for rows, shape in [(14, (3, 2, 2)), (15, (1, 7, 7)), (15, (5, 0, 2))]:
        with pytest.raises(KitError, match="expected at least 2 anchors"):
            masks_state(VECTORS[:rows], TEXTS[:rows], *shape)


def test_a_vector_without_direction_is_refused() -> None:
    for bad in [0.0, float("nan"), float("inf")]:
        vectors = VECTORS.clone()
        vectors[4] = bad
        with pytest.raises(KitError, match="expected finite vectors longer than zero"):
            masks_state(vectors, TEXTS, N, P, Q)
        with pytest.raises(KitError, match="expected finite vectors longer than zero"):
            masks_state(VECTORS, TEXTS, N, P, Q, vectors)
