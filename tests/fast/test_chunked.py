"""The fast path is the plain one: relations without matrices, and the softmax in blocks."""

from __future__ import annotations

import itertools

import pytest
import torch

import kit.fast.chunked as module
from kit.errors import KitError
from kit.losses import (
    Owners,
    Relations,
    chunked_softmax,
    mask_duplicates,
    masked_softmax,
    mnrl_hard_owners,
    mnrl_hard_relations,
    mnrl_owners,
    mnrl_relations,
    nt_xent_owners,
    nt_xent_relations,
    scl_owners,
    scl_owners_unless_sampled,
    scl_relations,
    similarity_gradient,
    similarity_matrix,
    softmax_weights,
    supcon_owners,
    supcon_relations,
    supmpn_owners,
    supmpn_relations,
)
from tests.losses.shared import CORNERS

OPTIONS = list(itertools.product(("cosine", "dot"), ("shared", "alone", "ghost")))
IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 0, 0, 2, 1, 2, 2]
CLASSES = [0, -1, 0, 2, -1, 0]  # −1 is a class like any other

# name -> the same relations plain and lean, and the rows of z
PAIRS = {
    "nt_xent": (nt_xent_relations(3), nt_xent_owners(3), 6),
    "supcon": (supcon_relations(CLASSES), supcon_owners(CLASSES), 6),
    "mnrl": (mnrl_relations(4), mnrl_owners(4), 8),
    "mnrl_hard": (mnrl_hard_relations(3, 2), mnrl_hard_owners(3, 2), 12),
    "scl": (scl_relations(IDS, LABELS), scl_owners(IDS, LABELS), 11),
    "scl_by_row": (scl_relations(IDS, LABELS, "row"), scl_owners(IDS, LABELS, "row"), 11),
    "supmpn": (supmpn_relations(3, 2, 2), supmpn_owners(3, 2, 2), 15),
    "no_anchor_with_a_positive": (supcon_relations([0, 1, 2]), supcon_owners([0, 1, 2]), 3),
    "a_missing_positive": (supcon_relations([0, 0, 1]), supcon_owners([0, 0, 1]), 3),
    "no_negatives": (supcon_relations([0, 0, 0]), supcon_owners([0, 0, 0]), 3),
    "nothing_but_pairs": (mnrl_relations(1), mnrl_owners(1), 2),
    "batch_of_one": (supcon_relations([0]), supcon_owners([0]), 1),
    "empty_batch": (supcon_relations([]), supcon_owners([]), 0),
    "no_candidate": (supmpn_relations(2, 0, 0), supmpn_owners(2, 0, 0), 2),
    "nobody_entails": (scl_relations([0, 1], [1, 2]), scl_owners([0, 1], [1, 2]), 4),
}
KEYS = "abcabcaabbcabac"
MASKED = {
    f"{name}, masked": (mask_duplicates(plain, KEYS[:rows]), mask_duplicates(lean, KEYS[:rows]), rows)
    for name, (plain, lean, rows) in PAIRS.items()
}
ALL = PAIRS | MASKED


def vectors(rows: int, dtype: torch.dtype = torch.float64, seed: int = 1) -> torch.Tensor:
    return torch.randn(rows, 5, generator=torch.Generator().manual_seed(seed), dtype=dtype).requires_grad_()


def value_and_gradient(function, z: torch.Tensor, *options, **more) -> tuple[torch.Tensor, torch.Tensor]:
    loss = function(z, *options, **more)
    return loss.detach(), torch.autograd.grad(loss, z)[0]


def assert_equal(found: tuple, expected: tuple, close: float = 1e-11) -> None:
    for mine, other in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, other, rtol=close, atol=close)


def random_relations(rows: int, seed: int) -> Relations:
    rng = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, 3, (6, rows - 1), generator=rng)  # 0 ignored, 1 positive, 2 negative
    kind[0], kind[1], kind[2] = 2, 1, 0  # without a positive, without a negative, and one that knows nobody
    anchors = torch.randint(0, rows, (6,), generator=rng)  # a row may be an anchor twice
    return Relations(anchors, torch.randperm(rows, generator=rng)[: rows - 1], kind == 1, kind == 2)


@pytest.mark.parametrize("name", ALL)
def test_owners_are_the_relations_without_their_matrices(name: str) -> None:
    plain, lean, rows = ALL[name]
    for same in (lean, lean.matrices(), plain.matrices()):
        for column in ("anchors", "candidates", "positive", "negative"):
            assert torch.equal(getattr(same, column), getattr(plain, column)), column
        assert same.least_rows == plain.least_rows <= rows
        assert same.anchored() == plain.positive.any(dim=1).sum()


def test_masking_a_duplicate_changes_something_in_most_of_these_relations() -> None:
    changed = [not torch.equal(PAIRS[name][1].negative, MASKED[f"{name}, masked"][1].negative) for name in PAIRS]
    assert sum(changed) >= 6


@pytest.mark.parametrize(("similarity", "siblings"), OPTIONS)
@pytest.mark.parametrize("name", ALL)
def test_value_and_gradient_are_those_of_the_plain_softmax(name: str, similarity: str, siblings: str) -> None:
    plain, lean, rows = ALL[name]
    z = vectors(rows)
    for reduction in ("mean", "sum"):
        options = (0.3, similarity, siblings, reduction)
        expected = value_and_gradient(masked_softmax, z, plain, *options)
        for relations, chunk in itertools.product((plain, lean), (1, 2, 99, None)):
            assert_equal(value_and_gradient(chunked_softmax, z, relations, *options, chunk=chunk), expected)


@pytest.mark.parametrize(("similarity", "siblings"), OPTIONS)
def test_any_relations_and_temperatures(similarity: str, siblings: str) -> None:
    for seed, tau in itertools.product(range(4), (0.02, 1.0)):
        z, relations = vectors(9, seed=seed), random_relations(9, seed)
        expected = value_and_gradient(masked_softmax, z, relations, tau, similarity, siblings)
        assert expected[0] > 0
        assert_equal(value_and_gradient(chunked_softmax, z, relations, tau, similarity, siblings, chunk=4), expected)


@pytest.mark.parametrize(("similarity", "siblings"), OPTIONS)
def test_gradient_against_finite_differences(similarity: str, siblings: str) -> None:
    z, relations = vectors(9), random_relations(9, 2)
    assert torch.autograd.gradcheck(lambda z: chunked_softmax(z, relations, 0.3, similarity, siblings, chunk=2), (z,))


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("tau", [1e-3, 0.05, 1.0, 100.0])
def test_no_nan_or_infinity_in_the_corners(corner: str, dtype: torch.dtype, tau: float) -> None:
    rng = torch.Generator().manual_seed(6)
    for (_, lean, rows), (similarity, siblings) in itertools.product(PAIRS.values(), OPTIONS):
        z = CORNERS[corner](torch.randn(rows, 8, generator=rng)).to(dtype).requires_grad_()
        loss, gradient = value_and_gradient(chunked_softmax, z, lean, tau, similarity, siblings, chunk=2)
        assert loss.dtype == torch.float32 and gradient.dtype == dtype
        assert loss.isfinite() and loss >= 0 and gradient.isfinite().all()
        expected = masked_softmax(z, lean, tau, similarity, siblings).detach()
        logits = similarity_matrix(z, lean, similarity).detach() / tau
        digit = 1e-6 * max(1.0, float(logits.abs().max()) if logits.numel() else 0.0)  # of float32 in the largest
        torch.testing.assert_close(loss, expected, rtol=1e-5, atol=digit)


@pytest.mark.parametrize(("similarity", "siblings"), OPTIONS)
def test_bfloat16_and_autocast_as_in_the_plain_softmax(similarity: str, siblings: str) -> None:
    z = torch.randn(8, 64, generator=torch.Generator().manual_seed(9)).requires_grad_()
    relations, options = mnrl_owners(4), (0.05 if similarity == "cosine" else 5.0, similarity, siblings)
    alone = value_and_gradient(chunked_softmax, z, relations, *options)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = value_and_gradient(chunked_softmax, z, relations, *options)
    assert all(map(torch.equal, alone, cast))
    assert_equal(alone, value_and_gradient(masked_softmax, z, relations, *options), close=1e-5)
    short = z.detach().bfloat16().requires_grad_()
    found, expected = (value_and_gradient(f, short, relations, *options) for f in (chunked_softmax, masked_softmax))
    assert_equal(found[:1], expected[:1], close=1e-5)
    assert_equal(found[1:], expected[1:], close=2**-7)  # a digit of bfloat16
    assert found[1].dtype == torch.bfloat16


@pytest.mark.parametrize("name", ["no_anchor_with_a_positive", "batch_of_one", "empty_batch", "no_candidate"])
def test_a_batch_without_positives_is_a_zero_with_a_graph(name: str) -> None:
    _, lean, rows = PAIRS[name]
    loss, gradient = value_and_gradient(chunked_softmax, vectors(rows), lean, 0.05)
    assert loss == 0 and torch.equal(gradient, torch.zeros(rows, 5, dtype=torch.float64))


def test_duplicate_rows_as_candidates_and_as_anchors() -> None:
    z = vectors(4)
    rows = torch.tensor([3, 0, 0, 2])
    lean = Owners(torch.tensor([0, 0, 1]), rows, torch.tensor([7, 8, 8]), torch.tensor([8, 8, 7, 7]))
    assert lean.positive.tolist() == [
        [False, False, False, True],
        [True, False, False, False],
        [True, True, False, False],
    ], "row 0 is no positive of row 0"
    assert not (lean.positive & lean.negative).any() and not lean.negative[:2, 1:3].any()
    assert_equal(
        value_and_gradient(chunked_softmax, z, lean, 0.1, chunk=1),
        value_and_gradient(masked_softmax, z, lean.matrices(), 0.1),
    )


@pytest.mark.parametrize("name", ["scl", "supmpn", "a_missing_positive", "mnrl_hard, masked"])
@pytest.mark.parametrize("siblings", ["shared", "alone"])
def test_the_shares_of_several_ranks_add_up(name: str, siblings: str) -> None:
    plain, lean, rows = ALL[name]
    z = vectors(rows)
    expected = value_and_gradient(masked_softmax, z, plain, 0.3, "cosine", siblings)
    for relations in (plain, lean):
        parts = [relations.part(0, 1), relations.part(1, 3), relations.part(3, 99)]
        anchored = torch.stack([part.anchored() for part in parts]).sum()
        assert anchored == relations.anchored() and sum(len(part.anchors) for part in parts) == len(relations.anchors)
        shares = [value_and_gradient(chunked_softmax, z, part, 0.3, "cosine", siblings, "sum") for part in parts]
        assert_equal(tuple(sum(column) / anchored for column in zip(*shares)), expected)


def test_never_more_than_a_chunk_of_anchors_and_by_itself_what_a_cache_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    block = Owners.block

    def spy(self: Owners, start: int, stop: int):
        found = block(self, start, stop)
        sizes.append(tuple(found[0].shape))
        return found

    monkeypatch.setattr(Owners, "block", spy)
    chunked_softmax(vectors(22), nt_xent_owners(11), 0.1, chunk=8)
    assert sizes == [(8, 22), (8, 22), (6, 22)]
    sizes.clear()
    chunked_softmax(vectors(2048), nt_xent_owners(1024), 0.1)
    assert {rows * columns for rows, columns in sizes} == {module.CELLS["cpu"]}


def test_sampled_relations_keep_their_matrices_and_take_the_same_path() -> None:
    draw = {"max_positives": 1, "max_negatives": 2}
    sampled = scl_owners_unless_sampled(IDS, LABELS, **draw, generator=torch.Generator().manual_seed(3))
    again = scl_relations(IDS, LABELS, **draw, generator=torch.Generator().manual_seed(3))
    assert isinstance(sampled, Relations) and torch.equal(sampled.negative, again.negative)
    assert isinstance(scl_owners_unless_sampled(IDS, LABELS, "row"), Owners)
    z = vectors(11)
    assert_equal(
        value_and_gradient(chunked_softmax, z, sampled, 1.0, "dot", chunk=1),
        value_and_gradient(masked_softmax, z, again, 1.0, "dot"),
    )


def test_backpropagated_twice_and_scaled() -> None:
    z = vectors(6)
    loss = chunked_softmax(z, nt_xent_owners(3), 0.1)
    (once,) = torch.autograd.grad(loss, z, retain_graph=True)
    (scaled,) = torch.autograd.grad(-3 * loss, z)
    torch.testing.assert_close(scaled, -3 * once)


def test_where_no_gradient_is_wanted_there_is_no_graph() -> None:
    z = vectors(6)
    expected = chunked_softmax(z, nt_xent_owners(3), 0.1)
    with torch.no_grad():
        loss = chunked_softmax(z, nt_xent_owners(3), 0.1)
    assert not loss.requires_grad and loss == expected == chunked_softmax(z.detach(), nt_xent_owners(3), 0.1)


def test_what_looks_at_relations_takes_owners_too() -> None:
    z = vectors(15).detach()
    plain, lean, _ = PAIRS["supmpn"]
    for look in (softmax_weights, similarity_gradient, masked_softmax):
        assert torch.equal(look(z, lean, 0.3, siblings="alone"), look(z, plain, 0.3, siblings="alone"))


def test_owners_move_whole() -> None:
    lean = MASKED["mnrl, masked"][1]
    assert lean.to("cpu") is lean
    moved = lean.to("meta")
    assert {
        t.device.type for t in (moved.anchors, moved.candidates, moved.of_anchors, moved.of_candidates, moved.texts)
    } == {"meta"} and moved.least_rows == lean.least_rows


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"temperature": 0}, "temperature above 0"),
        ({"similarity": "cosin"}, "did you mean 'cosine'"),
        ({"siblings": "allone"}, "did you mean 'alone'"),
        ({"reduction": "none"}, "reduction"),
        ({"chunk": 0}, "chunk as a whole number from 1, got 0"),
        ({"embeddings": torch.randn(3, 3)}, "at least 4 rows, got 3"),
        ({"embeddings": torch.ones(4, 3, dtype=torch.int64)}, "as floats"),
    ],
)
def test_bad_input_is_told_in_one_sentence(options: dict, words: str) -> None:
    good = {"embeddings": torch.randn(4, 3), "relations": mnrl_owners(2), "temperature": 1.0}
    with pytest.raises(KitError, match=words):
        chunked_softmax(**{**good, **options})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([0, 1], [2, 3], [0, 1], [0]), "one owner for each of 2 candidates, got 1"),
        (([0, -1], [2, 3], [0, 1], [0, 1]), "rows counted from 0, got -1"),
        (([0.0, 1.0], [2, 3], [0, 1], [0, 1]), "expected anchors as a 1-dimensional tensor of torch.int64"),
    ],
)
def test_owners_that_do_not_fit(columns: tuple, words: str) -> None:
    with pytest.raises(KitError, match=words):
        Owners(*map(torch.tensor, columns))
