"""The corners that an exercise's inputs must have, so that no wrong answer hides between them."""

from __future__ import annotations

import torch

from kit.course.exercises import exercises, find_exercise

FEWEST = 3  # inputs of an exercise that asks for a function


def equal_rows(vectors: torch.Tensor) -> bool:
    return len(vectors.unique(dim=0)) < len(vectors)


def zero_row(vectors: torch.Tensor) -> bool:
    return bool((vectors == 0).all(1).any())


def hinge(anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, margin: float) -> tuple[float, float]:
    """(d⁺ − d⁻, d⁺ − d⁻ + margin) of one triplet."""
    apart = ((anchor - positive).norm() - (anchor - negative).norm()).item()
    return apart, apart + margin


def hardest(distances: torch.Tensor, labels: torch.Tensor, margin: float) -> torch.Tensor:
    """What stands in BatchHard's hinge, one number an anchor."""
    same = labels[:, None] == labels[None, :]
    farthest = torch.where(same, distances, -torch.inf).amax(1)
    return farthest - torch.where(same, torch.inf, distances).amin(1) + margin


def negative_part(scores: torch.Tensor, labelled: torch.Tensor, prior: float) -> float:
    high = torch.sigmoid(scores)
    return (high[~labelled].mean() - prior * high[labelled].mean()).item()


def whole_risk(scores: torch.Tensor, labelled: torch.Tensor, prior: float) -> float:
    return negative_part(scores, labelled, prior) + prior * torch.sigmoid(-scores[labelled]).mean().item()


def twin_of_the_second_positive(anchors: torch.Tensor, candidates: torch.Tensor, positive: torch.Tensor) -> bool:
    for row in positive:
        own = candidates[row].tolist()
        if len(own) > 1 and own[1] != own[0] and own[1] in candidates[~row].tolist():
            return True
    return False


CORNERS = {
    "mean-pooling": {
        "no padding": lambda tokens, mask: mask.all(),
        "one row": lambda tokens, mask: len(mask) == 1,
        "padding on the left": lambda tokens, mask: (mask[:, 0] == 0).any(),
        "zeros": lambda tokens, mask: (tokens == 0).all(),
    },
    "first-last": {"one block": lambda hidden, mask: len(hidden) == 2, "many": lambda hidden, mask: len(hidden) > 3},
    "all-cosines": {"equal rows": equal_rows, "a row of zeros": zero_row, "one row": lambda vectors: len(vectors) == 1},
    "nearest-neighbours": {
        "equal rows": lambda vectors, k: equal_rows(vectors),
        "k = 0": lambda vectors, k: k == 0,
        "k = all": lambda vectors, k: k == len(vectors) - 1,
    },
    "mean-cosine": {"two rows": lambda vectors: len(vectors) == 2},
    "remove-top": {"k = 0": lambda vectors, k: k == 0, "k = all": lambda vectors, k: k == vectors.shape[1]},
    "whiten": {"one row": lambda train, test: len(test) == 1},
    "distance-from-cosine": {"0": lambda cosine: (cosine == 1).any(), "no axis": lambda cosine: cosine.ndim == 0},
    "triplet-by-hand": {
        "all easy": lambda *given: all(hinge(*row, given[-1])[1] < 0 for row in zip(*given[:3])),
        "one row": lambda *given: len(given[0]) == 1,
        "a small margin": lambda *given: given[-1] < 0.1,
        "a positive that is the anchor": lambda *given: (given[0] == given[1]).all(),
    },
    "gradient-on-the-anchor": {
        "hard": lambda *given: hinge(*given)[0] > 0,
        "semi-hard": lambda *given: hinge(*given)[0] < 0 < hinge(*given)[1],
        "at the margin": lambda *given: hinge(*given)[1] == 0,
        "easy": lambda *given: hinge(*given)[1] < 0,
    },
    "number-of-triplets": {"no positive": lambda classes, each: each == 1, "no negative": lambda c, each: c == 1},
    "batch-hard-by-hand": {
        "all easy": lambda *given: (hardest(*given) < 0).all(),
        "some easy": lambda *given: 0 < (hardest(*given) < 0).sum() < len(given[1]),
        "none easy": lambda *given: (hardest(*given) > 0).all(),
        "equal sentences": lambda distances, labels, margin: (distances == 0).sum() > len(labels),
    },
    "softmax-weights": {
        "one candidate": lambda anchors, candidates, tau: len(candidates) == 1,
        "an anchor of zeros": lambda anchors, candidates, tau: zero_row(anchors),
    },
    "nt-xent-by-hand": {
        "one sentence": lambda views, tau: len(views) == 2,
        "equal": lambda v, tau: equal_rows(v),
        "below −100": lambda v, tau: len(v) == 2 and torch.cosine_similarity(*v, dim=0) / tau < -100,
    },
    "similarity-gradient": {"one candidate": lambda scores, positive, tau: len(scores) == 1},
    "supcon-positives": {
        "no positive": lambda labels: len(labels.unique()) == len(labels) > 1,
        "one row": lambda labels: len(labels) == 1,
        "one and more": lambda labels: {2, 3} <= set(labels.bincount().tolist()),
    },
    "supmpn-term": {
        "one positive": lambda own, others, tau: len(own) == 1,
        "no negative": lambda own, others, tau: len(others) == 0,
        "equal cosines": lambda own, others, tau: len(torch.cat([own, others]).unique()) == 1,
    },
    "true-negatives": {
        "the twin of a second positive": twin_of_the_second_positive,
        "an anchor without a positive": lambda anchors, candidates, positive: (~positive.any(1)).any(),
        "the anchor's own text": lambda anchors, candidates, positive: torch.isin(candidates, anchors).any(),
    },
    "positives-mask": {
        "a premise without hypotheses": lambda ids, labels: len(ids.unique()) < ids.max() + 1,
        "one pair": lambda ids, labels: len(ids) == 1,
    },
    "scl-of-one-anchor": {
        "one positive": lambda scores, positive, tau: positive.sum() == 1 < len(positive),
        "all positives": lambda scores, positive, tau: positive.all(),
        "equal products": lambda scores, positive, tau: len(scores.unique()) == 1 < len(scores),
    },
    "contrast-share": {"λ = 0": lambda ce, scl, lam: lam == 0, "λ = 1": lambda ce, scl, lam: lam == 1},
    "span-length": {"β = 0": lambda beta, *law: beta == 0, "β = 1": lambda beta, *law: beta == 1},
    "positive-as-a-mean": {"one positive": lambda anchor, positives: len(positives) == 1},
    "negatives-of-an-anchor": {"one anchor": lambda a, documents: a == 1, "one document": lambda a, n: n == 1},
    "priors-of-what-is-left": {
        "the last class absent": lambda labels, classes: labels.max() < classes - 1,
        "a class absent in the middle": lambda labels, classes: 0 in labels[labels >= 0].bincount().tolist(),
        "no label hidden": lambda labels, classes: (labels >= 0).all(),
    },
    "nn-pu-risk": {
        "R⁻ above zero": lambda *given: negative_part(*given) > 0,
        "R⁻ below, the whole above": lambda *given: negative_part(*given) < 0 < whole_risk(*given),
        "both below": lambda *given: whole_risk(*given) < 0,
        "barely below": lambda *given: -0.001 < negative_part(*given) < 0,
        "R⁻ = 0": lambda *given: negative_part(*given) == 0,
    },
    "number-of-steps": {
        "the last batch full": lambda pairs, batch, epochs: pairs % batch == 0,
        "of one pair": lambda pairs, batch, epochs: pairs % batch == 1 < pairs,
    },
    "rate-of-a-step": {
        "the last step": lambda step, steps, warmup, lr: step == steps - 1,
        "no warm-up": lambda step, steps, warmup, lr: warmup == 0,
    },
    "seconds-of-a-run": {
        "three steps timed": lambda times, steps: len(times) == 3,
        "the first two are not the slowest": lambda times, steps: times[:2].max() < times[2:].max(),
    },
    "spearman-by-hand": {
        "ties on both sides": lambda predicted, gold: max(map(len, map(set, (predicted, gold)))) < len(gold),
        "no ties": lambda predicted, gold: len(set(predicted)) == len(set(gold)) == len(gold),
    },
    "rounding-interval": {"no decimals": lambda printed: "." not in printed, "negative": lambda text: text[0] == "-"},
    "can-it-be-right": {"too large": lambda cells, average, decimals: average > sum(cells) / len(cells) + 0.5},
    "paired-interval": {"two seeds": lambda new, old, t: len(new) == 2},
    "padded-share": {"one row": lambda lengths: len(lengths) == 1, "no padding": lambda n: n.min() == n.max()},
    "gradient-of-a-gather": {"one rank": lambda gradients, rank: len(gradients) == 1},
    "growth-exponent": {"two points": lambda sizes, seconds: len(sizes) == 2},
}


def test_the_corners_are_among_the_inputs() -> None:
    missing = [
        f"{name}: {corner}"
        for name, corners in CORNERS.items()
        for corner, holds in corners.items()
        if not any(bool(holds(*case)) for case in find_exercise(name).cases())
    ]
    assert missing == []


def test_a_smallest_loss_of_zero_is_right_nowhere() -> None:
    """What the lesson asks there is why it is never zero."""
    exercise = find_exercise("smallest-loss")
    assert min(exercise.solution(*case) for case in exercise.cases()) > 100 * exercise.tolerance


def test_a_function_is_tried_on_several_inputs() -> None:
    assert [one.name for one in exercises() if one.cases and len(one.cases()) < FEWEST] == []


def smooth_inputs(name: str) -> list[tuple]:
    """The inputs of a loss at which its gradient is looked at."""
    exercise = find_exercise(name)
    return [exercise.cases()[number] for number in exercise.smooth_cases]


def test_the_gradient_is_looked_at_where_hinges_are_open_and_closed() -> None:
    for name, inside in (
        ("triplet-by-hand", lambda *given: torch.tensor([hinge(*row, given[-1])[1] for row in zip(*given[:3])])),
        ("batch-hard-by-hand", hardest),
    ):
        every, some = (inside(*given) > 0 for given in smooth_inputs(name))
        assert every.all() and some.any() and not some.all(), name


def test_the_gradient_of_a_loss_is_looked_at_where_there_are_no_ties() -> None:
    """A number but 0 occurs once, or twice in a matrix of distances."""
    floating = [
        (one.name, value.flatten())
        for one in exercises()
        if one.is_loss
        for given in smooth_inputs(one.name)
        for value in given
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    ]
    most = {name: numbers[numbers != 0].unique(return_counts=True)[1].max().item() for name, numbers in floating}
    assert len(most) >= 6 and [name for name, times in most.items() if times > 1 + (name == "batch-hard-by-hand")] == []
