"""Two pulls on one sentence: where cross-entropy and the contrast would move it, and their sum.

`pulls_board` is the board; its mathematics runs in the browser (kit/boards/js/pulls.js), with the
gradient of the contrast by its formula. `pulls_values` is the same by autograd through
`kit.losses`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent_within, short
from kit.errors import KitError, check_name, unknown_name
from kit.losses import PairClassifier, cross_entropy, masked_softmax, scl_relations, softmax_weights

SIMILARITIES = {"dot product": "dot", "cosine": "cosine"}
START = {"similarity": "dot product", "tau": 1.0, "lam": 0.3}
DIGITS = 5  # of a vector's numbers on their way to the browser
TINY = 1e-7  # a gradient shorter than this has no direction worth drawing
APART = 1e-4  # two directions nearer than this (the sine between them) span no plane


def pulls_state(
    premises: torch.Tensor,
    hypotheses: torch.Tensor,
    premise_ids: Sequence[int],
    labels: Sequence[int],
    head: PairClassifier,
    texts: Sequence[str],
) -> dict:
    """Prepare a batch of premises with their hypotheses.

    `premises` [P, dim], `hypotheses` [H, dim]; `premise_ids` and `labels` [H] as in
    `kit.losses.scl`; `texts` [H] are the hypotheses' sentences. The gradient of the
    cross-entropy depends on neither τ nor λ: it is computed here, for the given `head`, and sent
    along. Errors: `KitError` for lists of different lengths and an unfit head.
    """
    owner, classes = torch.as_tensor(premise_ids), torch.as_tensor(labels)
    if not len(hypotheses) == len(owner) == len(classes) == len(texts) or premises.shape[1:] != hypotheses.shape[1:]:
        raise KitError(
            f"expected a premise id, a label and a text for each of {len(hypotheses)} hypotheses, as wide as the "
            f"premises, got {len(owner)}, {len(classes)}, {len(texts)} and widths {list(premises.shape[1:])} and "
            f"{list(hypotheses.shape[1:])}: give the batch as for kit.losses.scl."
        )
    scl_relations(owner, classes)  # refuses ids and labels that make no batch
    rows = premises.detach().to(next(head.parameters()).dtype).requires_grad_()
    loss = cross_entropy(head(rows[owner], hypotheses.detach().to(rows.dtype)), classes)
    (gradient,) = torch.autograd.grad(loss, rows)
    letters = [f"{p + 1}{chr(97 + owner[:i].tolist().count(p))}" for i, p in enumerate(owner.tolist())]
    return {
        "anchors": [f"premise {i + 1}" for i in range(len(premises))],
        "names": letters,
        "texts": list(texts),
        "owner": owner.tolist(),
        "labels": classes.tolist(),
        "premises": rounded(premises),
        "hypotheses": rounded(hypotheses),
        "classifier": rounded(gradient, digits=7),
    }


def pulls_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for `controls` {"anchor", "similarity", "tau", "lam"}.

    positives  how many hypotheses the premise entails; with none it is no anchor
    push       softmax weight − target of each hypothesis [H]: below 0 pulled, above 0 pushed
    lengths    of ∇CE and ∇SCL on the anchor's vector (unweighted), and of the step
    angle      between the two in degrees; −1 where one of them has no direction
    share      λ|∇SCL| / ((1 − λ)|∇CE| + λ|∇SCL|), 0 where nothing pulls
    points     the hypotheses [H] seen from the anchor, in the plane of −∇CE (to the right) and
               −∇SCL (upwards): a projection
    ends       the tips of −∇CE and −∇SCL in that plane, unweighted and magnified: exact
    magnify    how many times longer they are drawn
    arrows     the tips of −(1 − λ)∇CE, −λ∇SCL and their sum, magnified alike

    Errors: `KitError` for an unknown anchor or similarity, τ ≤ 0 or λ outside [0, 1].
    Source: Liao 2021, Eq. 2 and 3. Lesson 06.
    """
    lam, similarity = controls["lam"], controls["similarity"]
    if controls["anchor"] not in state["anchors"]:
        raise unknown_name("anchor", controls["anchor"], state["anchors"])
    check_name("similarity", similarity, SIMILARITIES)
    if not (isinstance(lam, int | float) and 0 <= lam <= 1):
        raise KitError(f"expected λ from 0 to 1, got {lam!r}.")
    at = state["anchors"].index(controls["anchor"])
    gradient, push = _contrast(state, at, controls["tau"], SIMILARITIES[similarity])
    classify, contrast = -torch.tensor(state["classifier"][at], dtype=torch.float64), -gradient
    step = (1 - lam) * classify + lam * contrast
    lengths = [v.norm().item() for v in (classify, contrast, step)]
    pulls = [(1 - lam) * lengths[0], lam * lengths[1]]
    points, ends, magnify = _projected(state, at, classify, contrast)
    arrows = torch.stack([(1 - lam) * ends[0], lam * ends[1], (1 - lam) * ends[0] + lam * ends[1]])
    positives = sum(p == at and label == 0 for p, label in zip(state["owner"], state["labels"]))
    return {
        "positives": positives,
        "push": push,
        "lengths": lengths,
        "angle": _degrees(classify, contrast),
        "share": pulls[1] / sum(pulls) if sum(pulls) > 0 else 0.0,
        "points": points.tolist(),
        "ends": ends.tolist(),
        "magnify": magnify,
        "arrows": arrows.tolist(),
    }


def pulls_summary(values: Mapping, controls: Mapping) -> str:
    """Describe the values in words."""
    classify, contrast, _ = values["lengths"]
    told = [short(length) for length in values["lengths"]]
    if not values["positives"]:
        between = f", as {controls['anchor']} entails nothing and is no anchor"
    else:
        between = f" at {fixed(values['angle'], 0)}°" if values["angle"] >= 0 else ", at no angle"
    idle = (1 - controls["lam"]) * classify + controls["lam"] * contrast == 0
    share = "nothing pulls" if idle else f"SCL has {percent_within(values['share'])} of the pull"
    drawn = "" if idle else f" The arrows are exact, drawn {short(values['magnify'])} times as long."
    return (
        f"{controls['anchor'].capitalize()}, {controls['similarity']}, τ {short(controls['tau'])}, "
        f"λ {fixed(controls['lam'])}: gradients of length {told[0]} (CE) and {told[1]} (SCL){between}; "
        f"after their weights {share}, and the step is {told[2]} long.{drawn}"
    )


def pulls_board(
    premises: torch.Tensor,
    hypotheses: torch.Tensor,
    premise_ids: Sequence[int],
    labels: Sequence[int],
    head: PairClassifier,
    texts: Sequence[str],
) -> Board:
    """Make the board with sliders for λ and τ and a choice of anchor and similarity; arguments as `pulls_state`.

    Lesson 06.
    """
    state = pulls_state(premises, hypotheses, premise_ids, labels, head, texts)
    controls = {"anchor": state["anchors"][0], **START}
    return Board("pulls", state, pulls_summary(pulls_values(state, controls), controls), controls)


def _contrast(state: Mapping, at: int, tau: float, similarity: str) -> tuple[torch.Tensor, list[float]]:
    """∂SCL/∂(vector of premise `at`) [dim] by autograd, and softmax weight − target [H]."""
    rows = torch.tensor(state["premises"] + state["hypotheses"], dtype=torch.float64, requires_grad=True)
    relations = scl_relations(torch.tensor(state["owner"]), torch.tensor(state["labels"]))
    (gradient,) = torch.autograd.grad(masked_softmax(rows, relations, tau, similarity), rows)
    mine = (relations.anchors == at).nonzero().flatten().tolist()
    if not mine:
        return gradient[at], [0.0] * len(state["owner"])
    positive = relations.positive[mine[0]]
    weights = softmax_weights(rows.detach(), relations, tau, similarity)[mine[0]]
    return gradient[at], (weights - positive.double() / positive.sum()).tolist()


def _projected(
    state: Mapping, at: int, classify: torch.Tensor, contrast: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """The hypotheses [H, 2] and both pulls' tips [2, 2] seen from premise `at`, and how far they are magnified:
    the longer pull is drawn as long as the farthest hypothesis is away."""
    around = torch.tensor(state["hypotheses"], dtype=torch.float64)
    around = around - torch.tensor(state["premises"][at], dtype=torch.float64)
    axes = torch.stack(_plane([classify, contrast, around.mean(0), *torch.eye(around.shape[1], dtype=torch.float64)]))
    points, tips = around @ axes.T, torch.stack([classify, contrast]) @ axes.T
    longest = max(classify.norm(), contrast.norm()).item()
    magnify = points.norm(dim=1).max().item() / longest if longest > TINY else 1.0
    return points, magnify * tips, magnify


def _plane(directions: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Two axes at right angles: the first two directions that span a plane (Gram and Schmidt)."""
    axes: list[torch.Tensor] = []
    for direction in directions:
        if len(axes) == 2 or direction.norm() <= TINY:
            continue
        rest = direction / direction.norm()
        for axis in axes:
            rest = rest - (rest @ axis) * axis
        if rest.norm() > APART:
            axes.append(rest / rest.norm())
    return axes


def _degrees(first: torch.Tensor, second: torch.Tensor) -> float:
    if min(first.norm(), second.norm()) <= TINY:
        return -1.0
    cosine = (first @ second / (first.norm() * second.norm())).clamp(-1, 1)
    return math.degrees(math.acos(cosine))


def rounded(rows: torch.Tensor, digits: int = DIGITS) -> list[list[float]]:
    """A matrix as a board takes it."""
    return [[round(value, digits) for value in row] for row in rows.tolist()]
