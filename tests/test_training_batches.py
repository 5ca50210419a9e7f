"""Batches: premises stay whole, every item once an epoch, like lengths together."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
import torch

from kit.data import Group, triplets
from kit.encoder import Encoder
from kit.errors import KitError
from kit.training import recipe
from kit.training.batches import Item, epoch_of_batches, make_batch, tokenize_groups
from tests.test_encoder_tiny import tiny_encoder, tiny_groups


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


def made_up_items(n: int = 600, seed: int = 0) -> list[Item]:
    """Items of unlike lengths and sizes; the first token of an anchor is its number."""
    rng = random.Random(seed)
    items = []
    for i in range(n):
        base, size = rng.randint(3, 40), rng.randint(1, 5)
        others = [[i] * max(2, base + rng.randint(-2, 2)) for _ in range(size)]
        items.append(Item([i] * base, others, [rng.randint(0, 2) for _ in range(size)], size))
    return items


def numbers(batches: list[list[Item]]) -> list[int]:
    return [item.anchor[0] for batch in batches for item in batch]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_every_item_once_an_epoch(size: int) -> None:
    items = made_up_items()
    for epoch in (0, 1):
        assert sorted(numbers(epoch_of_batches(items, size, seed=3, epoch=epoch))) == list(range(len(items)))


def test_an_epoch_is_a_function_of_seed_and_epoch() -> None:
    items = made_up_items()
    def order(seed, epoch):
        return numbers(epoch_of_batches(items, 16, seed, epoch))

    random.seed(1)
    first = order(0, 0)
    random.seed(2)
    assert order(0, 0) == first
    assert len({tuple(order(seed, epoch)) for seed in (0, 1) for epoch in (0, 1)}) == 4


def test_a_batch_closes_when_it_has_its_pairs() -> None:
    largest = 5
    batches = epoch_of_batches(made_up_items(), 16, seed=0, epoch=0)
    sizes = [sum(item.size for item in batch) for batch in batches]
    assert max(sizes) < 16 + largest
    assert sum(size < 16 for size in sizes) <= 4  # the rest of a pool


def test_like_lengths_share_a_batch() -> None:
    def padding(batches: list[list[Item]]) -> float:
        """The share of token places that are padding, each batch padded to its longest row."""
        real = padded = 0
        for batch in batches:
            rows = [row for item in batch for row in (item.anchor, *item.others)]
            real, padded = real + sum(map(len, rows)), padded + len(rows) * max(map(len, rows))
        return 1 - real / padded

    items = made_up_items()
    shuffled = random.Random(0).sample(items, len(items))
    unsorted = [shuffled[i:i + 6] for i in range(0, len(items), 6)]
    assert padding(epoch_of_batches(items, 16, seed=0, epoch=0)) < padding(unsorted) / 3


def test_batches_do_not_come_sorted_by_length() -> None:
    longest = [max(item.longest for item in batch) for batch in epoch_of_batches(made_up_items(), 16, 0, 0)]
    rising = sum(a <= b for a, b in itertools.pairwise(longest)) / (len(longest) - 1)
    assert 0.3 < rising < 0.7


def test_a_premise_is_one_item_with_all_its_hypotheses(encoder: Encoder) -> None:
    groups = tiny_groups()
    items = tokenize_groups(encoder, groups, "groups")
    assert len(items) == len(groups)
    for item, group in zip(items, groups):
        assert item.anchor == encoder.tokenize([group.anchor])[0]
        assert item.others == encoder.tokenize(list(group.hypotheses))
        assert item.labels == list(group.labels) and item.size == len(group.labels)
        assert item.longest == max(len(item.anchor), *map(len, item.others))


def test_a_group_of_one_entailed_and_one_contradicted_counts_two_pairs(encoder: Encoder) -> None:
    # It has the labels of a triplet, but a classifier sees two pairs.
    group = Group(0, "a dog runs", ("the dog runs", "nobody runs"), (0, 2))
    assert tokenize_groups(encoder, [group], "groups")[0].size == 2
    assert tokenize_groups(encoder, [group], "triplets")[0].size == 1


def test_scattered_rows_are_items_of_their_own(encoder: Encoder) -> None:
    groups = tiny_groups()
    items = tokenize_groups(encoder, groups, "groups", keep_groups=False)
    assert len(items) == sum(len(g.hypotheses) for g in groups)
    assert all(item.size == len(item.others) == 1 for item in items)


def test_rows_of_a_batch_of_groups(encoder: Encoder) -> None:
    groups = tiny_groups(4)
    items = tokenize_groups(encoder, groups, "groups")
    batch = make_batch(items, recipe("scl"))
    texts = [g.anchor for g in groups] + [h for g in groups for h in g.hypotheses]
    assert batch.token_ids == encoder.tokenize(texts)
    pairs = [(i, label) for i, g in enumerate(groups) for label in g.labels]
    assert batch.u.tolist() == [i for i, _ in pairs] and batch.labels.tolist() == [label for _, label in pairs]
    assert batch.v.tolist() == list(range(4, 4 + len(pairs)))
    r = batch.relations
    assert r.anchors.tolist() == [0, 1, 2, 3] and r.candidates.tolist() == batch.v.tolist()
    for a in range(4):
        for c, (owner, label) in enumerate(pairs):
            assert r.positive[a, c].item() is (owner == a and label == 0)
            assert r.negative[a, c].item() is not r.positive[a, c].item()


def test_n_plus_and_n_minus_are_sampled_by_the_generator(encoder: Encoder) -> None:
    items = tokenize_groups(encoder, tiny_groups(), "groups")
    few = recipe("scl", max_positives=1, max_negatives=3)

    def draw(seed: int):
        return make_batch(items, few, torch.Generator().manual_seed(seed)).relations

    assert draw(0).positive.sum(1).tolist() == [1] * len(items)
    assert draw(0).negative.sum(1).tolist() == [3] * len(items)
    assert torch.equal(draw(0).negative, draw(0).negative)
    assert not torch.equal(draw(0).negative, draw(1).negative)


def test_rows_of_a_batch_of_triplets(encoder: Encoder) -> None:
    groups = tiny_groups(5)
    items = tokenize_groups(encoder, groups, "triplets", seed=4)
    expected = triplets(groups, seed=4)
    assert len(items) == len(expected) > 3
    batch = make_batch(items, recipe("simcse"))
    assert batch.token_ids == encoder.tokenize([text for column in zip(*expected) for text in column])
    n = len(items)
    assert batch.u is None and batch.v is None and batch.labels is None
    assert batch.relations.candidates.tolist() == list(range(n, 3 * n))
    assert torch.equal(batch.relations.positive, torch.eye(n, 2 * n, dtype=torch.bool))


@pytest.mark.parametrize(("groups", "layout", "sentence"), [
    ([], "groups", "expected NLI groups to train on, got none"),
    ([], "triplets", "expected NLI groups to train on, got none"),
    ([Group(0, "a dog", ("a cat", "no dog"), (1, 2))], "groups", "at least one entailed hypothesis"),
    ([Group(0, "a dog", (), ())], "groups", "at least one entailed hypothesis"),
    ([Group(0, "a dog", ("a pet", "an animal"), (0, 0))], "triplets", "an entailed and a contradicted"),
    ([Group(0, "a dog", (" ",), (0,))], "groups", "empty or blank"),
])
def test_data_that_cannot_be_trained_on(encoder: Encoder, groups: list, layout: str, sentence: str) -> None:
    with pytest.raises(KitError, match=sentence):
        tokenize_groups(encoder, groups, layout)


def test_a_premise_without_hypotheses_is_left_out(encoder: Encoder) -> None:
    groups = [*tiny_groups(2), Group(2, "nobody waits", (), ())]
    items = tokenize_groups(encoder, groups, "groups")
    assert len(items) == 2
    batch = make_batch(items, recipe("scl"))
    assert batch.relations.least_rows == len(batch.token_ids)


def test_tokenising_leaves_groups_as_they_were(encoder: Encoder, tmp_path: Path) -> None:
    groups = tiny_groups(3)
    tokenize_groups(encoder, groups, "triplets", seed=1)
    assert groups == tiny_groups(3)
