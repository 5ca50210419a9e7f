"""Answers as other students would write them: the right ones are taken, in whatever style; the wrong ones are not.

Each of them was once judged the other way, or told something that it had not done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product, starmap

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.autograd import grad as slope_of

from kit.course.exercises import find_exercise
from kit.course.exercises.compare import as_numbers
from tests.course.judged import refused, taken


def unit_rows(vectors) -> np.ndarray:
    vectors = np.asarray(vectors)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def in_chunks(of_chunk: Callable) -> Callable:
    """A mean cosine from what `of_chunk(unit, start)` says of the rows from start to start + 128, the diagonal in."""

    def mean_cosine(vectors):
        unit, total = unit_rows(vectors), 0.0
        n = len(unit)
        for start in range(0, n, 128):
            chunk = of_chunk(unit, start)  # the one before is still held
            total += chunk.sum()
        return (total - n) / (n * (n - 1))

    return mean_cosine


def with_the_diagonal_masked(unit: np.ndarray, start: int) -> np.ndarray:
    block = unit[start : start + 128] @ unit.T
    mask, rows = np.ones(block.shape, dtype=bool), np.arange(len(block))
    mask[rows, start + rows] = False
    return np.where(mask, block, 1.0)


def chunks_of_lists(vectors):
    unit = unit_rows(vectors).tolist()
    n, total = len(unit), 0.0
    for start in range(0, n, 128):
        block = [[math.fsum(a * b for a, b in zip(one, other)) for other in unit] for one in unit[start : start + 128]]
        total += sum(map(sum, block))
    return (total - n) / (n * (n - 1))


def chunks_by_broadcasting(vectors):
    unit = F.normalize(vectors, dim=1)
    n = len(unit)
    return (sum((part[:, None] * unit).sum(-1).sum() for part in unit.split(128)) - n) / (n * (n - 1))


def chunks_by_vmap(vectors):
    unit, n = F.normalize(vectors, dim=1), len(vectors)
    return (torch.vmap(lambda row: (unit @ row).sum(), chunk_size=100)(unit).sum() - n) / (n * (n - 1))


def pair_by_pair(vectors):
    unit, total = F.normalize(vectors, dim=1), 0.0
    for one, other in combinations(range(len(unit)), 2):
        total += unit[one] @ unit[other]
    return 2 * total / (len(unit) * (len(unit) - 1))


def nearest_read_backwards(vectors, k):
    unit = unit_rows(vectors)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(cosines, axis=1)[:, ::-1][:, :k]


def grad(weights, target, tau):
    return (weights - target) / tau


def with_a_helper_called_grad(scores, positive, tau):
    return grad(torch.softmax(scores / tau, 0), F.one_hot(torch.tensor(positive), len(scores)), tau)


def cosent_that_ranks_in_numpy(cosines, scores, temperature):
    given = scores.numpy()
    higher = torch.from_numpy(given[:, None] > given[None, :])
    apart = (cosines[None, :] - cosines[:, None]) / temperature
    return torch.log(1 + apart.exp()[higher].sum())


def counts_as_slices(hits, total, k):
    recall, ndcg = 0, 0
    for row, relevant in zip(hits, total):
        recall += row[:k].sum() / relevant
        gained = sum(row[rank] / math.log2(rank + 2) for rank in range(k))
        ndcg += gained / sum(1 / math.log2(rank + 2) for rank in range(min(k, relevant)))
    return torch.stack([recall / len(hits), ndcg / len(hits)])


def counted_in_the_last_batch_too(hypotheses, batch, rows):
    whole, rest = divmod(rows, batch)
    return (whole * batch * (batch - 1) + rest * (rest - 1)) / rows * (hypotheses - 1) / (rows - 1)


RIGHT_ANSWERS = {
    "chunks in NumPy": ("mean-cosine", in_chunks(lambda unit, start: unit[start : start + 128] @ unit.T)),
    "chunks with a mask": ("mean-cosine", in_chunks(with_the_diagonal_masked)),
    "chunks of lists": ("mean-cosine", chunks_of_lists),
    "chunks by broadcasting": ("mean-cosine", chunks_by_broadcasting),
    "pair by pair": ("mean-cosine", pair_by_pair),
    "by vmap, in chunks": ("mean-cosine", chunks_by_vmap),
    "an array read backwards": ("nearest-neighbours", nearest_read_backwards),
    "a helper called grad": ("similarity-gradient", with_a_helper_called_grad),
    "grades in NumPy": ("cosent-by-hand", cosent_that_ranks_in_numpy),
    "totals as counts": ("recall-and-ndcg", counts_as_slices),
    "the last batch counted apart": ("shuffled-companions", counted_in_the_last_batch_too),
    "letters with brackets": ("three-logs", ("a)", "(b)", "**c**")),
}


@pytest.mark.parametrize("case", RIGHT_ANSWERS)
def test_a_right_answer_is_taken_in_whatever_style(case: str) -> None:
    taken(*RIGHT_ANSWERS[case])


def test_a_helper_around_the_answer_is_its_own() -> None:
    taken("similarity-gradient", with_a_helper_around())


def from_parts(parts_of: Callable) -> Callable:
    def mean_cosine(vectors):
        unit = F.normalize(vectors, dim=1)
        parts, n = parts_of(unit), len(unit)
        return (sum(part.sum() for part in parts) - n) / (n * (n - 1))

    return mean_cosine


def a_twin_counted_once(anchors, candidates, positive):
    twins = positive.int() @ (candidates[:, None] == candidates).int()
    return ~positive & (twins != 1) & (anchors[:, None] != candidates)


def candidates_divided_by_their_length(anchors, candidates, tau):
    unit = candidates / candidates.norm(dim=1, keepdim=True)
    return torch.softmax(F.normalize(anchors, dim=1) @ unit.T / tau, dim=1)


def slope_under_another_name(scores, positive, tau):
    leaf = scores.detach().clone()
    leaf.requires_grad = True
    return slope_of(F.cross_entropy(leaf[None] / tau, torch.tensor([positive])), leaf)[0]


def texts_counted_once(train, test, least):
    known, asked = ({frozenset(row.nonzero().flatten().tolist()) for row in rows} for rows in (train, test))
    return sum(any(len(one & other) / len(one | other) >= least for other in known) for one in asked) / len(asked)


def jaccard_of_one_decimal(train, test, least):
    shared = test @ train.T
    union = test.sum(dim=1, keepdim=True) + train.sum(dim=1) - shared
    return (torch.round(shared / union, decimals=1) >= least).any(dim=1).double().mean()


def ranks_with_a_tolerance(predicted, gold):
    def ranks(values):
        values = np.asarray(values)
        equal = np.isclose(values[:, None], values, atol=1e-3)
        return ((values[:, None] > values) & ~equal).sum(1) + (equal.sum(1) + 1) / 2

    return np.corrcoef(ranks(predicted), ranks(gold))[0, 1]


def ranks_in_single_precision(predicted, gold):
    def ranks(values):
        values = torch.tensor(values)
        return ((values[:, None] > values).sum(1) + ((values[:, None] == values).sum(1) + 1) / 2).numpy()

    return np.corrcoef(ranks(predicted), ranks(gold))[0, 1]


def over_all_couples(vectors):
    cosines = starmap(lambda one, other: F.cosine_similarity(one, other, dim=0), product(vectors, vectors))
    return torch.stack(list(cosines)).view(len(vectors), -1)


MEAN_OF_ROWS = np.vectorize(lambda one: one)
through = map


def over_all_by_another_name(vectors):
    return torch.stack(list(through(lambda row: F.cosine_similarity(row[None], vectors), vectors)))


def over_all_vectorized(vectors):
    MEAN_OF_ROWS(np.zeros(2))
    unit = F.normalize(vectors, dim=1)
    return unit @ unit.T


def with_a_helper_around() -> Callable:
    def grad(weights, target):
        return weights - target

    def gradient(scores, positive, tau):
        return grad(torch.softmax(scores / tau, 0), F.one_hot(torch.tensor(positive), len(scores))) / tau

    return gradient


WRONG_ANSWERS = {
    "all chunks kept": ("mean-cosine", from_parts(lambda unit: [part @ unit.T for part in unit.split(100)]), "square"),
    "all rows kept": ("mean-cosine", from_parts(lambda unit: [unit @ row for row in unit]), "square of the rows"),
    "a sparse one kept": ("mean-cosine", from_parts(lambda unit: [(unit @ unit.T).to_sparse()]), "square of the rows"),
    "by vmap": ("mean-cosine", from_parts(lambda unit: [torch.vmap(lambda row: unit @ row)(unit)]), "square"),
    "by vmap, only sums": (
        "mean-cosine",
        from_parts(lambda unit: [torch.vmap(lambda row: (unit @ row).sum())(unit)]),
        "square of the rows",
    ),
    "a twin of two": ("true-negatives", a_twin_counted_once, ""),
    "zeros by zero": ("softmax-weights", candidates_divided_by_their_length, "NaN"),
    "autograd renamed": ("similarity-gradient", slope_under_another_name, "asks autograd"),
    "equal texts once": ("leaked-rows", texts_counted_once, ""),
    "rounded": ("leaked-rows", jaccard_of_one_decimal, ""),
    "nearly equal": ("spearman-by-hand", ranks_with_a_tolerance, ""),
    "single precision": ("spearman-by-hand", ranks_in_single_precision, "single precision"),
    "no such cell": ("one-wrong-digit", 85.025, "too large"),
    "a little more than a unit": (
        "can-it-be-right",
        lambda cells, average, decimals: abs(sum(cells) / len(cells) - average) <= 1.04 * 10**-decimals,
        "",
    ),
    "float32 means": (
        "can-it-be-right",
        lambda cells, average, decimals: abs(torch.tensor(cells).double().mean() - average) <= 10**-decimals + 1e-9,
        "single precision",
    ),
    "random errors": (
        "can-it-be-right",
        lambda cells, average, decimals: abs(np.mean(cells) - average) <= 10**-decimals / math.sqrt(len(cells)),
        "all may be off in the same direction",
    ),
    "no room for rounding": (
        "can-it-be-right",
        lambda cells, average, decimals: abs(sum(cells) / len(cells) - average) <= 10**-decimals,
        "allow `1e-9` more",
    ),
    "two steps less": ("seconds-of-a-run", lambda times, steps: times[2:].mean() * (steps - 2), "two slow steps off"),
    "megabytes": ("matrix-memory", lambda anchors, candidates: anchors * candidates * 4 / 1e6, "megabytes"),
    "bytes": ("matrix-memory", lambda anchors, candidates: anchors * candidates * 4, "are bytes"),
    "attention too": (
        "flops-of-a-step",
        lambda L, h, tokens, sentences: 3 * L * tokens * sentences * (24 * h**2 + 4 * tokens * h),
        "without a weight",
    ),
    "map by another name": ("all-cosines", over_all_by_another_name, "loops over Python objects"),
    "vectorize": ("all-cosines", over_all_vectorized, "loops over Python objects"),
    "text for truth": ("can-it-be-right", lambda cells, average, decimals: "True", "expected True or False, got the"),
    "a tuple of letters": ("three-logs", (("a",), "b", "c"), "leave it out."),
    "starmap": ("all-cosines", over_all_couples, "loops over Python objects"),
    "texts": ("rounding-interval", lambda printed: ("66.055", "66.065"), "without `str` and quotation marks"),
    "a comma": ("lost-steps", (37,), "A comma makes a tuple"),
    "a loss and a comma": ("triplet-by-hand", lambda a, p, n, margin: (torch.tensor(1.0),), "leave out the comma"),
    "a tensor of the result": (
        "cosent-by-hand",
        lambda cosines, scores, temperature: torch.tensor(
            find_exercise("cosent-by-hand").solution(cosines, scores, temperature).item()
        ),
        "`torch.tensor` of a result",
    ),
}


@pytest.mark.parametrize("case", WRONG_ANSWERS)
def test_a_wrong_answer_is_refused_for_what_it_does(case: str) -> None:
    refused(*WRONG_ANSWERS[case])


def test_numbers_that_torch_does_not_take_are_read() -> None:
    half = torch.tensor([0.5, 0.25], dtype=torch.float64)
    for array in (
        np.array([0.25, 0.5])[::-1],
        np.array([Fraction(1, 2), 0.25], dtype=object),
        np.longdouble([0.5, 0.25]),
    ):
        assert torch.equal(as_numbers(array), half)
    assert as_numbers(np.array(["0.5", "0.25"], dtype=object)) is None
