"""An anchor, a positive and a negative in the plane: where the triplet loss is not zero, and what it pulls.

`margin_board` is the board, with points to drag; its mathematics runs in the browser
(kit/boards/js/margin.js). `margin_values` is the same by autograd, with which the tests compare it.
"""

from __future__ import annotations

import torch

from kit.boards.board import Board
from kit.boards.numerals import fixed, printed, short
from kit.errors import KitError, check_name, unknown_name
from kit.losses import DISTANCES, REGIONS, distance_matrix, triplet, triplet_relations

POINTS = ("anchor", "positive", "negative")
REACH = (3.0, 2.2)  # how far from the origin a slider takes a point, in x and in y
STARTS = {"anchor": (-1.0, -0.4), "positive": (0.3, 0.7), "negative": (0.8, -1.0)}
NOTHING = 1e-9  # where two distances differ by less, they are the same


def margin_state() -> dict:
    """The state: how far the points may go, and the distances to choose from."""
    return {"reach": list(REACH), "distances": list(DISTANCES)}


def margin_values(state: dict, controls: dict) -> dict:
    """Compute what the board shows for `controls` {"margin", "distance", "anchor_x", "anchor_y", "positive_x", …}.

    positive_distance, negative_distance   d⁺ and d⁻, from the anchor
    loss         max(0, d⁺ − d⁻ + m);  region: 0 easy, 1 semi-hard, 2 hard, for `kit.losses.REGIONS`
    forces       minus the gradient with respect to anchor, positive and negative, [3][2]
    strengths    their lengths [3]
    boundaries   d⁻ at which hard ends, and at which semi-hard ends: [d⁺, d⁺ + m]

    Errors: `KitError` for a margin that is not above 0 or an unknown distance.
    """
    if controls["distance"] not in state["distances"]:
        raise unknown_name("distance", controls["distance"], state["distances"])
    rows = torch.tensor([[controls[f"{point}_{axis}"] for axis in "xy"] for point in POINTS], dtype=torch.float64)
    rows.requires_grad_()
    loss = triplet(*rows.split(1), controls["margin"], controls["distance"])
    near, far = distance_matrix(rows.detach(), triplet_relations(1), controls["distance"])[0].tolist()
    active = loss.item() > NOTHING
    forces = -torch.autograd.grad(loss, rows)[0] * active
    return {
        "positive_distance": near,
        "negative_distance": far,
        "loss": loss.item() if active else 0.0,
        "region": 0 if not active else 1 if far > near + NOTHING else 2,
        "forces": forces.tolist(),
        "strengths": forces.norm(dim=1).tolist(),
        "boundaries": [near, near + controls["margin"]],
    }


def margin_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    anchor, positive, negative = map(fixed, values["strengths"])
    distance = controls["distance"].replace("_", " ").replace("euclid", "Euclid")
    return (
        f"Margin {fixed(controls['margin'])}, {distance} distance: the positive is at "
        f"{fixed(values['positive_distance'], 3)}, the negative at {fixed(values['negative_distance'], 3)}, which is "
        f"{REGIONS[values['region']]}; the loss is {_costs(values['loss'])}, and it moves the anchor with force "
        f"{anchor}, the positive with {positive}, the negative with {negative}."
    )


def _costs(loss: float) -> str:
    """Three places; a loss above zero is not printed as zero."""
    return short(loss) if loss and not printed(loss, 3) else fixed(loss, 3)


def margin_board(margin: float = 1.0, distance: str = "euclidean", **points: tuple[float, float]) -> Board:
    """Make the board with a slider for the margin, a choice of the distance and three points to drag.

    points: `anchor`, `positive` or `negative` as (x, y) where they start. The sliders for their
    x and y do the same as dragging. Errors: as `margin_values`, and an unknown point. Lesson 03.
    """
    for name, at in points.items():
        check_name("point", name, POINTS)
        if not all(abs(value) <= reach for value, reach in zip(at, REACH, strict=True)):
            raise KitError(f"expected {name} within {REACH} of the origin, got {at}: move it nearer.")
    places = {
        f"{name}_{axis}": float(value) for name, at in {**STARTS, **points}.items() for axis, value in zip("xy", at)
    }
    state, controls = margin_state(), {"margin": margin, "distance": distance, **places}
    return Board("margin", state, margin_summary(margin_values(state, controls), controls), controls)
