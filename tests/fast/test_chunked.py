"""The softmax in blocks is the plain one: value, gradient, corners; and only a block is in memory."""

from __future__ import annotations

import itertools

import pytest
import torch

from kit.errors import KitError
from kit.fast.chunked import CELLS, chunked_softmax
from kit.losses import (
    GroupRelations,
    mask_duplicates,
    masked_softmax,
    mnrl_relations,
    nt_xent,
    nt_xent_relations,
    scl_relations,
    similarity_matrix,
)
from tests.losses.shared import (
    CORNERS,
    LABELS,
    OPTIONS,
    PREMISE_IDS,
    RELATIONS,
    WITHOUT_POSITIVES,
    random_relations,
    random_vectors,
)

KEYS = "abcabcaabbcabac"  # equal for equal texts


def value_and_gradient(function, z: torch.Tensor, *options, **more) -> tuple[torch.Tensor, torch.Tensor]:
    z = z.detach().requires_grad_()
    loss = function(z, *options, **more)
    return loss.detach(), torch.autograd.grad(loss, z)[0]


def assert_equal(found: tuple, expected: tuple, close: float = 1e-11) -> None:
    for mine, other in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, other, rtol=close, atol=close)


@pytest.mark.parametrize("name", RELATIONS)
def test_value_and_gradient_are_those_of_the_plain_softmax(name: str) -> None:
    relations, rows = RELATIONS[name]
    z = random_vectors(1, rows, 5)
    for groups in (relations, mask_duplicates(relations, KEYS[:rows])):
        for options in OPTIONS:
            for reduction in ("mean", "sum"):
                expected = value_and_gradient(masked_softmax, z, groups.to_dense(), 0.3, *options, reduction)
                for form, chunk in ((groups, 2), (groups.to_dense(), 1), (groups, None)):
                    found = value_and_gradient(chunked_softmax, z, form, 0.3, *options, reduction, chunk=chunk)
                    assert_equal(found, expected)


@pytest.mark.parametrize(("similarity", "other_positives"), OPTIONS)
def test_any_relations_and_temperatures(similarity: str, other_positives: str) -> None:
    for seed, tau in itertools.product(range(4), (0.02, 1.0)):
        z, relations = random_vectors(seed, 9, 5), random_relations(9, seed)
        expected = value_and_gradient(masked_softmax, z, relations, tau, similarity, other_positives)
        assert expected[0] > 0
        found = value_and_gradient(chunked_softmax, z, relations, tau, similarity, other_positives, chunk=4)
        assert_equal(found, expected)
    z = random_vectors(1, 9, 5).requires_grad_()
    options = {"similarity": similarity, "other_positives": other_positives, "chunk": 2}
    assert torch.autograd.gradcheck(lambda z: chunked_softmax(z, relations, 0.3, **options), (z,))


@pytest.mark.slow
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
def test_no_nan_or_infinity_in_the_corners(corner: str, dtype: torch.dtype) -> None:
    rng = torch.Generator().manual_seed(6)
    for (relations, rows), tau, options in itertools.product(RELATIONS.values(), (1e-3, 0.05, 100.0), OPTIONS):
        z = CORNERS[corner](torch.randn(rows, 8, generator=rng)).to(dtype)
        loss, gradient = value_and_gradient(chunked_softmax, z, relations, tau, *options, chunk=2)
        assert loss.dtype == torch.float32 and gradient.dtype == dtype
        assert loss.isfinite() and loss >= 0 and gradient.isfinite().all()
        logits = similarity_matrix(z, relations, options[0]) / tau
        digit = 1e-6 * max(1.0, float(logits.abs().max()) if logits.numel() else 0.0)  # of float32 in the largest
        torch.testing.assert_close(loss, masked_softmax(z, relations, tau, *options), rtol=1e-5, atol=digit)


def test_what_is_ignored_weighs_nothing_however_low_the_rest_is() -> None:
    """A vector and its opposite: the one candidate of each has the logit −10⁵."""
    z, relations = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]), nt_xent_relations(1)
    found = value_and_gradient(chunked_softmax, z, relations, 1e-5)
    assert_equal(found, value_and_gradient(masked_softmax, z, relations, 1e-5))


@pytest.mark.parametrize(("similarity", "other_positives"), OPTIONS)
def test_bfloat16_and_autocast_as_in_the_plain_softmax(similarity: str, other_positives: str) -> None:
    z = random_vectors(9, 8, 64, dtype=torch.float32)
    relations, options = mnrl_relations(4), (0.05 if similarity == "cosine" else 5.0, similarity, other_positives)
    alone = value_and_gradient(chunked_softmax, z, relations, *options)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = value_and_gradient(chunked_softmax, z, relations, *options)
    assert all(map(torch.equal, alone, cast))
    assert_equal(alone, value_and_gradient(masked_softmax, z, relations, *options), close=1e-5)
    ways = (chunked_softmax, masked_softmax)
    found, expected = (value_and_gradient(way, z.bfloat16(), relations, *options) for way in ways)
    assert_equal(found[:1], expected[:1], close=1e-5)
    assert_equal(found[1:], expected[1:], close=2**-7)  # a digit of bfloat16
    assert found[1].dtype == torch.bfloat16


def test_a_batch_without_positives_is_a_zero_with_a_graph() -> None:
    for name in WITHOUT_POSITIVES:
        relations, rows = RELATIONS[name]
        loss, gradient = value_and_gradient(chunked_softmax, random_vectors(1, rows, 5), relations, 0.05)
        assert loss == 0 and torch.equal(gradient, torch.zeros(rows, 5, dtype=torch.float64)), name


def test_duplicate_rows_as_candidates_and_as_anchors() -> None:
    z, rows = random_vectors(1, 4, 5), torch.tensor([3, 0, 0, 2])
    relations = GroupRelations(torch.tensor([0, 0, 1]), rows, torch.tensor([7, 8, 8]), torch.tensor([8, 8, 7, 7]))
    assert_equal(
        value_and_gradient(chunked_softmax, z, relations, 0.1, chunk=1),
        value_and_gradient(masked_softmax, z, relations.to_dense(), 0.1),
    )


def test_the_slices_of_several_ranks_add_up() -> None:
    for name, other_positives in itertools.product(("scl", "supmpn", "a_missing_positive"), ("included", "excluded")):
        groups, rows = RELATIONS[name]
        z, options = random_vectors(1, rows, 5), (0.3, "cosine", other_positives)
        expected = value_and_gradient(masked_softmax, z, groups, *options)
        for relations in (groups, groups.to_dense(), mask_duplicates(groups, range(rows))):
            slices = [relations.slice(0, 1), relations.slice(1, 3), relations.slice(3, 99)]
            valid = torch.stack([part.num_valid_anchors() for part in slices]).sum()
            assert valid == relations.num_valid_anchors()
            sums = [value_and_gradient(chunked_softmax, z, part, *options, "sum") for part in slices]
            assert_equal(tuple(sum(column) / valid for column in zip(*sums)), expected)


def test_only_a_chunk_of_anchors_at_a_time_and_by_default_what_fits_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    block = GroupRelations.block

    def spy(self: GroupRelations, start: int, stop: int):
        masks = block(self, start, stop)
        sizes.append(tuple(masks[0].shape))
        return masks

    monkeypatch.setattr(GroupRelations, "block", spy)
    chunked_softmax(random_vectors(1, 22, 5), nt_xent_relations(11), 0.1, chunk=8)
    assert sizes == [(8, 22), (8, 22), (6, 22)]
    sizes.clear()
    chunked_softmax(random_vectors(1, 2048, 5), nt_xent_relations(1024), 0.1)
    assert {rows * columns for rows, columns in sizes} == {CELLS["cpu"]}


def test_sampled_relations_take_the_same_path() -> None:
    rng = torch.Generator().manual_seed(3)
    relations = scl_relations(PREMISE_IDS, LABELS, max_positives=1, max_negatives=2, generator=rng)
    z = random_vectors(1, 11, 5)
    assert_equal(
        value_and_gradient(chunked_softmax, z, relations, 1.0, "dot", chunk=1),
        value_and_gradient(masked_softmax, z, relations, 1.0, "dot"),
    )


def test_backpropagated_twice_and_scaled() -> None:
    z = random_vectors(1, 6, 5).requires_grad_()
    loss = chunked_softmax(z, nt_xent_relations(3), 0.1)
    (once,) = torch.autograd.grad(loss, z, retain_graph=True)
    (scaled,) = torch.autograd.grad(-3 * loss, z)
    torch.testing.assert_close(scaled, -3 * once)


def test_a_second_derivative_is_refused_and_of_the_plain_loss_is_there() -> None:
    """Silently it would be that of a constant: a gradient penalty without effect."""
    z, relations = random_vectors(1, 6, 5).requires_grad_(), nt_xent_relations(3)
    for loss in (chunked_softmax(z, relations, 0.1), nt_xent(z, 0.1, fast=True)):
        (gradient,) = torch.autograd.grad(loss, z, create_graph=True)
        assert torch.equal(gradient, torch.autograd.grad(chunked_softmax(z, relations, 0.1), z)[0])
        with pytest.raises(KitError, match="differentiated again, which the fast softmax cannot: .* fast=False"):
            gradient.square().sum().backward()
    assert torch.autograd.gradgradcheck(lambda z: nt_xent(z, 0.3, fast=False), z)


def test_without_a_gradient_there_is_no_graph() -> None:
    z = random_vectors(1, 6, 5).requires_grad_()
    expected = chunked_softmax(z, nt_xent_relations(3), 0.1)
    with torch.no_grad():
        loss = chunked_softmax(z, nt_xent_relations(3), 0.1)
    assert not loss.requires_grad and loss == expected == chunked_softmax(z.detach(), nt_xent_relations(3), 0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"temperature": 0}, "temperature above 0"),
        ({"similarity": "cosin"}, "did you mean 'cosine'"),
        ({"other_positives": "exclude"}, "did you mean 'excluded'"),
        ({"reduction": "none"}, "reduction"),
        ({"chunk": 0}, "chunk as a whole number from 1, got 0"),
        ({"embeddings": torch.randn(3, 3)}, "at least 4 rows, got 3"),
        ({"embeddings": torch.ones(4, 3, dtype=torch.int64)}, "as floats"),
    ],
)
def test_bad_input_is_told_in_one_sentence(options: dict, words: str) -> None:
    good = {"embeddings": torch.randn(4, 3), "relations": mnrl_relations(2), "temperature": 1.0}
    with pytest.raises(KitError, match=words):
        chunked_softmax(**{**good, **options})
