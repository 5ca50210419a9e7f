"""Answers that are nearly right are refused, those that are right in another way are taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from kit.course.exercises import find_exercise
from kit.course.exercises.checking import judge
from kit.course.exercises.lesson04 import smallest_loss
from kit.course.exercises.lesson08 import nn_pu_of_a_class
from kit.course.exercises.verdict import NOT_YET
from tests.course.judged import refused, taken


def leaked_over(union: Callable) -> Callable:
    """The share of leaked test texts, with something else below the fraction than the words of both."""

    def leaked(train, test, least):
        return (test @ train.T / union(train, test) >= least).any(dim=1).double().mean()

    return leaked


def short_vectors_kept(anchors, candidates, tau):
    one, other = (side / side.norm(dim=1, keepdim=True).clamp(min=1) for side in (anchors, candidates))
    return torch.softmax(one @ other.T / tau, dim=1)


def filled_with(far: float) -> Callable:
    def batch_hard(distances, labels, margin):
        same = labels[:, None] == labels[None, :]
        farthest = distances.masked_fill(~same, 0).max(dim=1).values
        return (farthest - distances.masked_fill(same, far).min(dim=1).values + margin).relu().mean()

    return batch_hard


def diagonal_of(low: float) -> Callable:
    def nearest(vectors, k):
        unit = F.normalize(vectors, dim=1)
        return (unit @ unit.T).fill_diagonal_(low).topk(k, dim=1).indices

    return nearest


def nt_xent_with_100_on_the_diagonal(views, tau):
    z = F.normalize(views, dim=1)
    return F.cross_entropy((z @ z.T / tau).fill_diagonal_(-100), torch.arange(len(z)).view(-1, 2).flip(1).flatten())


def straight_through(hinges):
    """max(0, x) with the gradient of x."""
    return (hinges + (hinges.relu() - hinges).detach()).mean()


def hinges_open_on_the_way_back(anchors, positives, negatives, margin):
    near, far = ((anchors - side).norm(dim=1) for side in (positives, negatives))
    return straight_through(near - far + margin)


def anchors_open_on_the_way_back(distances, labels, margin):
    same = labels[:, None] == labels[None, :]
    farthest = distances.masked_fill(~same, -torch.inf).max(dim=1).values
    return straight_through(farthest - distances.masked_fill(same, torch.inf).min(dim=1).values + margin)


def cut_off_below_zero(scores, labelled, prior):
    """R⁻ below zero is returned as a number, which nothing can be trained on."""
    risk = nn_pu_of_a_class(scores, labelled, prior)
    above = torch.sigmoid(scores[~labelled]).mean() >= prior * torch.sigmoid(scores[labelled]).mean()
    return risk if above else risk.item()


def switched_at(border: Callable) -> Callable:
    """R⁺ and R⁻ are right, and the switch lies a little below zero."""

    def risk(scores, labelled, prior):
        positive = prior * torch.sigmoid(-scores[labelled]).mean()
        negative = torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()
        return positive + negative if negative >= border(positive) else -negative

    return risk


def slopes_by_autograd(scores, labelled, prior):
    scores = scores.clone().requires_grad_()
    nn_pu_of_a_class(scores, labelled, prior).backward()
    return scores.grad


def nearest_from_the_lowest(vectors, k):
    unit = F.normalize(vectors, dim=1)
    return (unit @ unit.T).fill_diagonal_(-torch.inf).argsort(dim=1).flip(1)[:, :k]


def interval_in_single_precision(new, old, t):
    difference = new.float() - old.float()
    half = t * difference.std() / len(difference) ** 0.5
    return torch.stack([difference.mean() - half, difference.mean() + half])


def mean_cosine_in_chunks(vectors):
    unit = F.normalize(vectors, dim=1)
    total = sum((part @ unit.T).sum() for part in unit.split(128))
    return (total - len(unit)) / (len(unit) * (len(unit) - 1))


def mean_cosine_of_the_first(vectors):
    unit = F.normalize(vectors[:100], dim=1)
    return (unit.sum(0).square().sum() - len(unit)) / (len(unit) * (len(unit) - 1))


def prior_of_the_first_rows(scores, labelled, threshold):
    known, high = int(labelled.sum()), (scores >= threshold).double()
    return (high[known:].mean() / high[:known].mean()).clamp(max=1)


def mean_cosine_of_chunks(vectors):
    unit, total = F.normalize(vectors, dim=1), 0.0
    for start in range(0, len(unit), 100):
        chunk = unit[start : start + 100]
        total += (chunk @ chunk.T).sum()
    return (total - len(unit)) / (len(unit) * (len(unit) - 1))


def ndcg_of_what_was_found(within: bool) -> Callable:
    """Recall as asked; nDCG over the best order of the documents found (within the first k or not), 0 without any."""

    def recall_and_ndcg(hits, total, k):
        discount, top = 1 / torch.log2(torch.arange(2.0, k + 2)).double(), hits[:, :k]
        best = ((top if within else hits).sort(dim=1, descending=True).values[:, :k] * discount).sum(1)
        return torch.stack([(top.sum(1) / total).mean(), ((top * discount).sum(1) / best).nan_to_num().mean()])

    return recall_and_ndcg


def hit_rate_and_ndcg(hits, total, k):
    ndcg = find_exercise("recall-and-ndcg").solution(hits, total, k)[1]
    return torch.stack([hits[:, :k].any(1).double().mean(), ndcg])


def batch_all(distances, labels, margin):
    losses = [
        (distances[a, p] - distances[a, n] + margin).relu()
        for a, p, n in product(range(len(labels)), repeat=3)
        if a != p and labels[a] == labels[p] != labels[n]
    ]
    return torch.stack(losses).mean()


WRONG = {
    "the first 100 rows": ("mean-cosine", mean_cosine_of_the_first),
    "the first rows for the labelled": ("prior-from-scores", prior_of_the_first_rows),
    "Dice": ("leaked-rows", leaked_over(lambda train, test: (test.sum(1, keepdim=True) + train.sum(1)) / 2)),
    "cosine": ("leaked-rows", leaked_over(lambda train, test: (test.sum(1, keepdim=True) * train.sum(1)).sqrt())),
    "in the training text": ("leaked-rows", leaked_over(lambda train, test: train.sum(1))),
    "the larger text": (
        "leaked-rows",
        leaked_over(lambda train, test: test.sum(1, keepdim=True).maximum(train.sum(1))),
    ),
    "short vectors": ("softmax-weights", short_vectors_kept),
    "3 for infinity": ("batch-hard-by-hand", filled_with(3.0)),
    "100 for infinity": ("batch-hard-by-hand", filled_with(100.0)),
    "-1 on the diagonal": ("nearest-neighbours", diagonal_of(-1.0)),
    "-0.9 on the diagonal": ("nearest-neighbours", diagonal_of(-0.9)),
    "no gradient below zero": ("nn-pu-risk", cut_off_below_zero),
    "a switch at -0.05": ("nn-pu-risk", switched_at(lambda positive: -0.05)),
    "a switch at a tenth of R+": ("nn-pu-risk", switched_at(lambda positive: -positive / 10)),
    "-100 on the diagonal": ("nt-xent-by-hand", nt_xent_with_100_on_the_diagonal),
    "a gradient of closed hinges": ("triplet-by-hand", hinges_open_on_the_way_back),
    "a gradient of easy anchors": ("batch-hard-by-hand", anchors_open_on_the_way_back),
    "without the two slowest": ("seconds-of-a-run", lambda times, steps: times.sort().values[:-2].mean() * steps),
    "the step in the middle": ("seconds-of-a-run", lambda times, steps: times[2:].median() * steps),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_nearly_right_is_refused(case: str) -> None:
    name, answer = WRONG[case]
    assert judge(find_exercise(name), answer).outcome == NOT_YET


OTHER_WAYS = {
    "a loss near 0 in single precision": (
        "smallest-loss",
        lambda n, tau: F.cross_entropy(torch.tensor([[1.0] + [-1.0] * (n - 1)]) / tau, torch.tensor([0])).item(),
    ),
    "a rate in single precision": (
        "rate-of-a-step",
        lambda step, steps, warmup, lr: (
            torch.tensor(lr) * min((step + 1) / warmup if step < warmup else (steps - step) / (steps - warmup), 1)
        ).item(),
    ),
    "in chunks": ("mean-cosine", mean_cosine_in_chunks),
    "sorted from the lowest": ("nearest-neighbours", nearest_from_the_lowest),
    "in single precision": ("paired-interval", interval_in_single_precision),
    "a difference": (
        "false-among-the-hard",
        lambda positive, mined, margin: positive[:, None] - mined < margin * positive[:, None],
    ),
}


@pytest.mark.parametrize("case", OTHER_WAYS)
def test_what_is_right_in_another_way_is_taken(case: str) -> None:
    taken(*OTHER_WAYS[case])


def test_a_mean_rounded_first_is_not_called_errors_that_add_up() -> None:
    rounded = lambda cells, average, decimals: (  # noqa: E731
        abs(round(sum(cells) / len(cells), decimals) - average) <= 10**-decimals + 1e-9
    )
    verdict = judge(find_exercise("can-it-be-right"), rounded)
    assert verdict.outcome == NOT_YET and "add up" not in verdict.message


def shares_upside_down(scores, labelled, threshold):
    high = (scores >= threshold).double()
    return min(1.0, (high[labelled].mean() / high[~labelled].mean()).item())


NAMED = {
    "chunks with themselves": ("mean-cosine", mean_cosine_of_chunks, "every chunk meets all rows"),
    "nDCG of the first k": ("recall-and-ndcg", ndcg_of_what_was_found(within=True), "Your best order has"),
    "nDCG of the list": ("recall-and-ndcg", ndcg_of_what_was_found(within=False), "Your best order has"),
    "hit rate": ("recall-and-ndcg", hit_rate_and_ndcg, "is the hit rate"),
    "BatchAll": ("batch-hard-by-hand", batch_all, "That is BatchAll"),
    "rounded again": (
        "can-it-be-right",
        lambda cells, average, decimals: round(sum(cells) / len(cells), decimals) == average,
        "the mean of the *printed* cells",
    ),
    "subtracted from the vectors": (
        "remove-top",
        lambda vectors, k: vectors - (vectors - vectors.mean(0) - find_exercise("remove-top").solution(vectors, k)),
        "The mean is still in the result",
    ),
    "a step": ("seconds-of-a-run", lambda times, steps: times[2:].mean(), "the mean of one step"),
    "from 0 to 1": ("annealed-weight", lambda step, steps, alpha: (step / (steps - 1)) ** alpha, "Yours runs from 0"),
    "the angle": ("distance-from-cosine", torch.arccos, "That is the angle"),
    "the other share": (
        "contrast-share",
        lambda ce, scl, lam: (1 - lam) * ce.norm() / ((1 - lam) * ce.norm() + lam * scl.norm()),
        "the share of the cross-entropy",
    ),
    "half weighed": (
        "contrast-share",
        lambda ce, scl, lam: lam * scl.norm() / (ce.norm() + lam * scl.norm()),
        "has the weight 1 − λ",
    ),
    "no τ": (
        "softmax-weights",
        lambda anchors, candidates, tau: torch.softmax(F.normalize(anchors) @ F.normalize(candidates).T, dim=1),
        "You did not divide by τ",
    ),
    "three left out": ("seconds-of-a-run", lambda times, steps: times[3:].mean() * steps, "You left out three"),
    "one left out": ("seconds-of-a-run", lambda times, steps: times[1:].mean() * steps, "You left out the first only"),
    "one argsort": (
        "spearman-by-hand",
        lambda predicted, gold: np.corrcoef(np.argsort(predicted), np.argsort(gold))[0, 1],
        "One `argsort` says",
    ),
    "upside down, at most 1": ("prior-from-scores", shares_upside_down, "Your ratio is upside down"),
    "the larger of two": ("nn-pu-risk", switched_at(lambda positive: -positive / 2), "You take the larger of"),
    "the slopes by autograd": ("pu-gradient", slopes_by_autograd, "it asks autograd"),
    "common logarithm": ("smallest-loss", lambda n, tau: smallest_loss(n, tau) / math.log(10), "another base"),
    "of all rows": ("shuffled-companions", lambda own, batch, rows: (own - 1) * (batch - 1) / rows, "1 off both"),
    "a place too many": ("shuffled-companions", lambda own, batch, rows: (own - 1) * batch / (rows - 1), "1 off both"),
    "two bytes": ("ring-bytes", lambda gpus, weights: 2 * (gpus - 1) * weights / gpus * 2, "or you counted two bytes"),
    "of all GPUs": ("ring-bytes", lambda gpus, weights: 2 * (gpus - 1) * weights * 4, "or you added up what all GPUs"),
    "another order": (
        "number-of-steps",
        lambda epochs, pairs, batch_size: epochs * -(-pairs // batch_size),
        "takes its inputs in another order (epochs, pairs, batch_size)",
    ),
    "a word that is no verdict": (
        "three-verdicts",
        ("replicated", "undecided", "undecided", "contradicted"),
        "value 1: 'replicated' is not among the choices",
    ),
    "verdicts in another order": (
        "three-verdicts",
        ("undecided", "undecided", "contradicted", "replicates"),
        "1 of 4 values are right; value 1: 'undecided' is not it",
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_usual_mistake_is_named_in_its_other_forms(case: str) -> None:
    refused(*NAMED[case])
