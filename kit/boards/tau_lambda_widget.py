"""τ and λ on twelve sentences: what the softmax attends to, and what pulls how hard.

`tau_lambda_board` is the board; its mathematics runs in the browser (kit/boards/js/tau_lambda.js).
`tau_lambda_values` is the same by autograd, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import torch

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent_within, short
from kit.data.twelve import twelve_labels, twelve_sentences
from kit.errors import KitError
from kit.losses import PairClassifier, cross_entropy, masked_softmax, scl_relations, softmax_weights

ENTAILED, CONTRADICTED = 0, 2
START = {"tau": 0.1, "lam": 0.5}  # also the first setting of the recorded sphere


def fresh_head(dim: int, seed: int = 0) -> PairClassifier:
    """The classifier of (u, v, |u−v|) as at the first step of training; torch's random state is kept."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return PairClassifier(dim)


def tau_lambda_state(vectors: torch.Tensor, labels: list[str], head: PairClassifier | None = None) -> dict:
    """Prepare twelve vectors [12, dim] (anchor, +, − of four topics) and their names.

    The classifier depends on neither τ nor λ: its loss and its pull on the first anchor are
    two numbers. `head` None is a fresh classifier. Errors: `KitError` for vectors not in threes.
    """
    if vectors.ndim != 2 or len(vectors) % 3 or not len(vectors):
        raise KitError(f"expected vectors in threes (anchor, positive, negative), got shape {tuple(vectors.shape)}.")
    rows, premise, hypotheses, classes = _batch(vectors)
    head = (head or fresh_head(vectors.shape[1])).to(rows.dtype)
    loss = cross_entropy(head(rows[premise], rows[hypotheses]), classes)
    pull = torch.autograd.grad(loss, rows)[0][0].norm()
    anchors = len(vectors) // 3
    rounded = [[round(x, 5) for x in row] for row in rows.tolist()]
    return {
        "anchor": labels[0],
        "labels": [*labels[1::3], *labels[2::3]],
        "anchors": rounded[:anchors],
        "hypotheses": rounded[anchors:],
        "cross_entropy": loss.item(),
        "classifier_pull": pull.item(),
    }


def tau_lambda_values(state: dict, controls: dict) -> dict:
    """Softmax weights of the first anchor [8], how many hypotheses it watches (exp of the entropy of
    the weights), the two terms CE and SCL (each a mean over all anchors), the loss (1 − λ)·CE + λ·SCL
    (Liao 2021, Eq. 3) on cosines, the lengths of the terms' gradients on the first anchor (classifier, contrast),
    and these with their weights 1 − λ and λ, each as a share of their sum (zero where nothing pulls).

    Errors: `KitError` for τ ≤ 0 or λ outside [0, 1].
    """
    tau, lam = controls["tau"], controls["lam"]
    if not 0 <= lam <= 1:
        raise KitError(f"expected λ from 0 to 1, got {lam!r}.")
    rows = torch.tensor(state["anchors"] + state["hypotheses"], dtype=torch.float64, requires_grad=True)
    relations = _relations(len(state["anchors"]))
    contrast = masked_softmax(rows, relations, tau)
    gradient = torch.autograd.grad(contrast, rows)[0][0]
    lengths = [state["classifier_pull"], gradient.norm().item()]
    pulls = [(1 - lam) * lengths[0], lam * lengths[1]]
    weights = softmax_weights(rows.detach(), relations, tau)[0]
    total = sum(pulls) or 1.0
    return {
        "weights": weights.tolist(),
        "watched": torch.exp(torch.special.entr(weights).sum()).item(),
        "terms": [state["cross_entropy"], contrast.item()],
        "loss": (1 - lam) * state["cross_entropy"] + lam * contrast.item(),
        "lengths": lengths,
        "shares": [pull / total for pull in pulls],
    }


def tau_lambda_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    weights, (cross_entropy, contrast) = values["weights"], values["terms"]
    return (
        f"τ {short(controls['tau'])}, λ {fixed(controls['lam'])}: the first anchor's softmax looks at "
        f"{fixed(values['watched'])} of {len(weights)} hypotheses; its own positive has weight {fixed(weights[0], 3)}. "
        f"Over all anchors the contrast (SCL) is {fixed(contrast, 3)}, the cross-entropy (CE) of a classifier not "
        f"trained yet {fixed(cross_entropy, 3)}, and the loss, (1 − λ)·CE + λ·SCL, is {fixed(values['loss'], 3)}. Of "
        f"the pull on the first anchor (the lengths of both terms' pulls, added) the contrast has "
        f"{percent_within(values['shares'][1])}."
    )


def tau_lambda_board(vectors: torch.Tensor, labels: list[str]) -> Board:
    """Make the board with sliders for τ and λ; `.controls` has their values as "tau" and "lam". Lesson 00."""
    state, controls = tau_lambda_state(vectors, labels), dict(START)
    if labels == twelve_labels():  # then the bars carry the sentences themselves
        sentences = twelve_sentences()
        state |= {"anchor": sentences[0], "sentences": [*sentences[1::3], *sentences[2::3]]}
    summary = tau_lambda_summary(tau_lambda_values(state, controls), controls)
    return Board("tau_lambda", state, summary, controls)


def _relations(anchors: int):
    premise = torch.arange(anchors).repeat(2)
    return scl_relations(premise, torch.tensor([ENTAILED] * anchors + [CONTRADICTED] * anchors))


def _batch(vectors: torch.Tensor):
    """Rows (anchors, then positives, then negatives) with a gradient, and the pairs of the classifier."""
    anchors = len(vectors) // 3
    rows = torch.cat([vectors[0::3], vectors[1::3], vectors[2::3]]).detach().double().requires_grad_()
    premise = torch.arange(anchors).repeat(2)
    classes = torch.tensor([ENTAILED] * anchors + [CONTRADICTED] * anchors)
    return rows, premise, torch.arange(anchors, 3 * anchors), classes
