"""Batches: premises stay whole, every example once an epoch, at random or like lengths together."""

from __future__ import annotations

import copy
import itertools
import random
import statistics
from pathlib import Path

import pytest
import torch

from kit.data import Group, triplets
from kit.data.multiples import Multiple, multiples
from kit.encoder import Encoder
from kit.errors import KitError
from kit.losses import GroupRelations, mask_duplicates, mnrl, mnrl_hard, simcse_supervised, simcse_unsupervised, supmpn
from kit.training import Trainer, recipe
from kit.training.batches import POOL, Example, epoch_of_batches, make_batch, tokenize_groups
from kit.training.settings import BATCH_ORDERS
from kit.training.trainer import set_dropout
from tests.tiny import tiny_encoder, tiny_groups


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


def made_up_items(n: int = 600, seed: int = 0) -> list[Example]:
    """Items of unlike lengths and sizes; the first token of an anchor is its number."""
    rng = random.Random(seed)
    examples = []
    for i in range(n):
        base, size = rng.randint(3, 40), rng.randint(1, 5)
        others = [[i] * max(2, base + rng.randint(-2, 2)) for _ in range(size)]
        examples.append(Example([i] * base, others, [rng.randint(0, 2) for _ in range(size)], size))
    return examples


def numbers(batches: list[list[Example]]) -> list[int]:
    return [example.anchor[0] for batch in batches for example in batch]


@pytest.mark.slow
def test_every_item_once_an_epoch() -> None:
    for size in [1, 7, 64, 10_000]:
        examples = made_up_items()
        for epoch, order in itertools.product((0, 1), BATCH_ORDERS):
            assert sorted(numbers(epoch_of_batches(examples, size, 3, epoch, order))) == list(range(len(examples)))


def test_an_epoch_is_a_function_of_seed_and_epoch() -> None:
    examples = made_up_items()

    def order(seed, epoch):
        return numbers(epoch_of_batches(examples, 16, seed, epoch))

    random.seed(1)
    first = order(0, 0)
    random.seed(2)
    assert order(0, 0) == first
    assert len({tuple(order(seed, epoch)) for seed in (0, 1) for epoch in (0, 1)}) == 4


def test_a_batch_closes_when_it_has_its_pairs() -> None:
    largest = 5
    for order, rests in (("random", 1), ("by_length", 4)):  # the rest of the epoch, or of each pool
        sizes = [sum(example.size for example in batch) for batch in epoch_of_batches(made_up_items(), 16, 0, 0, order)]
        assert max(sizes) < 16 + largest
        assert sum(size < 16 for size in sizes) <= rests


def test_who_meets_in_a_batch_does_not_depend_on_length() -> None:
    """Shuffled and cut: the variance of the lengths inside the batches is that of all lengths."""
    examples = made_up_items()
    inside = {}
    for order in BATCH_ORDERS:
        batches = [
            [example.longest for example in batch]
            for epoch in range(10)
            for batch in epoch_of_batches(examples, 16, 0, epoch, order)
            if len(batch) > 1
        ]
        inside[order] = statistics.fmean(map(statistics.variance, batches))
    over_all = statistics.variance(example.longest for example in examples)
    assert 0.95 * over_all < inside["random"] < 1.05 * over_all
    assert inside["by_length"] < over_all / 10


@pytest.mark.parametrize("pairs", [1, 3])
def test_by_length_sorts_within_pools_of_as_many_batches_as_are_named(pairs: int) -> None:
    """Two pools of batches of 4 examples, however many pairs each of them is."""
    examples = [Example([0] * n, [[0]] * pairs, [0] * pairs, pairs) for n in range(1, 4 * 2 * POOL + 1)]
    epoch = epoch_of_batches(examples, 4 * pairs, 0, 0, "by_length")
    batches = [{example.longest for example in batch} for batch in epoch]
    shuffled = list(examples)
    random.Random("0/0").shuffle(shuffled)
    for pool in ({example.longest for example in half} for half in (shuffled[: 4 * POOL], shuffled[4 * POOL :])):
        of_pool = sorted((batch for batch in batches if batch <= pool), key=min)
        assert len(of_pool) == POOL and [n for batch in of_pool for n in sorted(batch)] == sorted(pool)


def test_by_length_like_lengths_share_a_batch() -> None:
    def padding(batches: list[list[Example]]) -> float:
        """The share of token places that are padding, each batch padded to its longest row."""
        real = padded = 0
        for batch in batches:
            rows = [row for example in batch for row in (example.anchor, *example.others)]
            real, padded = real + sum(map(len, rows)), padded + len(rows) * max(map(len, rows))
        return 1 - real / padded

    at_random, by_length = (epoch_of_batches(made_up_items(), 16, 0, 0, order) for order in BATCH_ORDERS)
    assert padding(by_length) < padding(at_random) / 3


def test_batches_do_not_come_sorted_by_length() -> None:
    batches = epoch_of_batches(made_up_items(), 16, 0, 0, "by_length")
    longest = [max(example.longest for example in batch) for batch in batches]
    rising = sum(a <= b for a, b in itertools.pairwise(longest)) / (len(longest) - 1)
    assert 0.3 < rising < 0.7


def test_a_premise_is_one_item_with_all_its_hypotheses(encoder: Encoder) -> None:
    groups = tiny_groups()
    examples = tokenize_groups(encoder, groups, "groups")
    assert len(examples) == len(groups)
    for example, group in zip(examples, groups):
        assert example.anchor == encoder.tokenize([group.anchor])[0]
        assert example.others == encoder.tokenize(list(group.hypotheses))
        assert example.labels == list(group.labels) and example.size == len(group.labels)
        assert example.longest == max(len(example.anchor), *map(len, example.others))


def test_a_group_of_one_entailed_and_one_contradicted_counts_two_pairs(encoder: Encoder) -> None:
    # It has the labels of a triplet, but a classifier sees two pairs.
    group = Group(0, "a dog runs", ("the dog runs", "nobody runs"), (0, 2))
    assert tokenize_groups(encoder, [group], "groups")[0].size == 2
    assert tokenize_groups(encoder, [group], "triplets")[0].size == 1


def test_scattered_rows_are_items_of_their_own(encoder: Encoder) -> None:
    groups = tiny_groups()
    examples = tokenize_groups(encoder, groups, "groups", group_batches=False)
    assert len(examples) == sum(len(g.hypotheses) for g in groups)
    assert all(example.size == len(example.others) == 1 for example in examples)


def test_rows_of_a_batch_of_groups(encoder: Encoder) -> None:
    groups = tiny_groups(4)
    examples = tokenize_groups(encoder, groups, "groups")
    batch = make_batch(examples, recipe("scl"))
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
    examples = tokenize_groups(encoder, tiny_groups(), "groups")
    few = recipe("scl", max_positives=1, max_negatives=3)

    def draw(seed: int):
        return make_batch(examples, few, torch.Generator().manual_seed(seed)).relations

    assert draw(0).positive.sum(1).tolist() == [1] * len(examples)
    assert draw(0).negative.sum(1).tolist() == [3] * len(examples)
    assert torch.equal(draw(0).negative, draw(0).negative)
    assert not torch.equal(draw(0).negative, draw(1).negative)


@pytest.mark.parametrize("name", ["scl", "sbert", "mnrl", "simcse", "supmpn", "simcse_unsup"])
def test_a_batch_holds_no_matrix_unless_some_are_sampled(encoder: Encoder, name: str) -> None:
    for masked in [False, True]:
        made = recipe(name, mask_duplicates=masked)
        batch = make_batch(tokenize_groups(encoder, tiny_groups(), made.data_format, 0, True, 2, 1), made)
        assert isinstance(batch.relations, GroupRelations) and batch.relations.min_rows <= len(batch.token_ids)
        held = [value for value in vars(batch.relations).values() if isinstance(value, torch.Tensor)]
        assert max(t.numel() for t in held) <= len(batch.token_ids)
        assert batch.to(torch.device("cpu")).relations is batch.relations


def test_pairs_without_a_hard_negative_take_part_with_a_borrowed_one(encoder: Encoder) -> None:
    groups = tiny_groups(5)
    expected = triplets(groups, seed=4, borrow=True)
    settings = recipe("simcse", borrow_negatives=True)
    examples = settings.objective.examples(encoder, groups, settings, 4)
    assert len(examples) == len(expected) == sum(len(g.positives) for g in groups) > len(triplets(groups, seed=4))
    batch = make_batch(examples, settings)
    assert batch.token_ids == encoder.tokenize([text for column in zip(*expected) for text in column])


def test_rows_of_a_batch_of_triplets(encoder: Encoder) -> None:
    groups = tiny_groups(5)
    examples = tokenize_groups(encoder, groups, "triplets", seed=4)
    expected = triplets(groups, seed=4)
    assert len(examples) == len(expected) > 3
    batch = make_batch(examples, recipe("simcse"))
    assert batch.token_ids == encoder.tokenize([text for column in zip(*expected) for text in column])
    n = len(examples)
    assert batch.u is None and batch.v is None and batch.labels is None
    assert batch.relations.candidates.tolist() == list(range(n, 3 * n))
    assert torch.equal(batch.relations.positive, torch.eye(n, 2 * n, dtype=torch.bool))


def test_data_that_cannot_be_trained_on(encoder: Encoder) -> None:
    for groups, layout, sentence in [
        ([], "groups", "expected NLI groups to train on, got none"),
        ([], "triplets", "expected NLI groups to train on, got none"),
        ([Group(0, "a dog", ("a cat", "no dog"), (1, 2))], "groups", "at least one entailed hypothesis"),
        ([Group(0, "a dog", (), ())], "groups", "at least one entailed hypothesis"),
        ([Group(0, "a dog", ("a pet", "an animal"), (0, 0))], "triplets", "an entailed and a contradicted"),
        ([Group(0, "a dog", (" ",), (0,))], "groups", "empty or blank"),
        ([Group(0, "a dog", ("no dog",), (2,))], "pairs", "at least one entailed hypothesis"),
        ([Group(0, "a dog", ("no dog",), (2,))], "multi_positive", "hypotheses of other anchors to borrow"),
        (
            [Multiple("a dog", ("a pet",), (), 1, 0), Multiple("a cat", ("a pet",), ("a hat",), 1, 0)],
            "multi_positive",
            r"as many positives and negatives for every anchor, got .P, Q. of .1, 0. and .1, 1.",
        ),
        ([], "self_pairs", "expected NLI groups"),
        (["a dog", ""], "self_pairs", "empty or blank"),
    ]:
        with pytest.raises(KitError, match=sentence):
            tokenize_groups(encoder, groups, layout)


def test_a_premise_without_hypotheses_is_left_out(encoder: Encoder) -> None:
    groups = [*tiny_groups(2), Group(2, "nobody waits", (), ())]
    examples = tokenize_groups(encoder, groups, "groups")
    assert len(examples) == 2
    batch = make_batch(examples, recipe("scl"))
    assert batch.relations.min_rows == len(batch.token_ids)


def test_tokenising_leaves_groups_as_they_were(encoder: Encoder, tmp_path: Path) -> None:
    groups = tiny_groups(3)
    tokenize_groups(encoder, groups, "triplets", seed=1)
    assert groups == tiny_groups(3)


def test_rows_of_a_batch_of_multiples(encoder: Encoder) -> None:
    groups = tiny_groups(6)
    made = multiples(groups, 3, 2, "delete", seed=4)
    examples = tokenize_groups(encoder, groups, "multi_positive", 4, True, 3, 2, "delete")
    assert [example.size for example in examples] == [1] * 6
    batch = make_batch(examples, recipe("supmpn"))
    texts = [m.anchor for m in made] + [p for m in made for p in m.positives] + [n for m in made for n in m.negatives]
    assert batch.token_ids == encoder.tokenize(texts) and batch.labels is None
    r = batch.relations
    assert r.anchors.tolist() == list(range(6)) and r.candidates.tolist() == list(range(6, 36))
    for a in range(6):
        assert r.positive[a].nonzero().flatten().tolist() == [3 * a, 3 * a + 1, 3 * a + 2]
    assert torch.equal(r.negative, ~r.positive)
    ready = tokenize_groups(encoder, made, "multi_positive", seed=9)
    assert ready == examples, "ready ones are taken as they are"


def test_rows_of_a_batch_of_pairs(encoder: Encoder) -> None:
    groups = tiny_groups(5)
    expected = [(g.anchor, p) for g in groups for p in g.positives]
    examples = tokenize_groups(encoder, groups, "pairs")
    batch = make_batch(examples, recipe("mnrl"))
    assert batch.token_ids == encoder.tokenize([text for column in zip(*expected) for text in column])
    assert torch.equal(batch.relations.positive, torch.eye(len(expected), dtype=torch.bool))
    assert len(expected) > len(groups), "a premise with two entailed hypotheses stands twice"


def test_twins_are_distinct_sentences_twice(encoder: Encoder) -> None:
    groups = tiny_groups(12)
    texts = list(dict.fromkeys(t for g in groups for t in (g.anchor, *g.hypotheses)))
    examples = tokenize_groups(encoder, groups, "self_pairs")
    assert len(examples) == len(texts) < sum(1 + len(g.hypotheses) for g in groups)
    batch = make_batch(examples, recipe("simcse_unsup"))
    assert batch.token_ids == 2 * encoder.tokenize(texts)
    assert tokenize_groups(encoder, [*texts, texts[0]], "self_pairs") == examples


NAMED = {
    "mnrl": (lambda z, n, tau: mnrl(z[:n], z[n:], tau), {}),
    "simcse_unsup": (lambda z, n, tau: simcse_unsupervised(z[:n], z[n:], tau), {}),
    "simcse": (lambda z, n, tau: simcse_supervised(z[:n], z[n : 2 * n], z[2 * n :], tau), {}),
    "supmpn": (lambda z, n, tau: supmpn(z[:n], z[n : 4 * n].view(n, 3, -1), z[4 * n :].view(n, 2, -1), tau), {}),
    "supmpn zero logit": (
        lambda z, n, tau: supmpn(z[:n], z[n : 4 * n].view(n, 3, -1), z[4 * n :].view(n, 2, -1), tau, "zero_logit"),
        {"other_positives": "zero_logit"},
    ),
    "supmpn one": (
        lambda z, n, tau: mnrl_hard(z[:n], z[n : 2 * n], z[2 * n :].view(n, 4, -1), tau),
        {"positives": 1, "negatives": 4},
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_recipe_trains_is_the_named_loss(encoder: Encoder, name: str) -> None:
    for temperature in [0.05, 0.7]:
        expected, changes = NAMED[name]
        several = {"positives": 3, "negatives": 2} if name.startswith("supmpn") else {}
        made = recipe(name.split()[0], **{**several, "temperature": temperature, **changes})
        examples = tokenize_groups(
            encoder, tiny_groups(8), made.data_format, 0, True, made.options.positives, made.options.negatives
        )
        batch = make_batch(examples, made)
        z = torch.randn(len(batch.token_ids), 16, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        trainer = Trainer(encoder, made, examples, steps=1, precision="fp32")
        loss, parts = trainer.objective.loss(batch, trainer.context(lambda token_ids, z=z: z))
        assert loss.item() == pytest.approx(expected(z, len(examples), temperature).item(), rel=1e-12)
        assert parts.keys() == {"contrastive"} and loss > 0.01


def test_where_the_other_positives_stand_changes_the_loss(encoder: Encoder) -> None:
    examples = tokenize_groups(encoder, tiny_groups(8), "multi_positive")
    batch = make_batch(examples, recipe("supmpn"))
    z = torch.randn(len(batch.token_ids), 16, generator=torch.Generator().manual_seed(1))
    trainer, losses = Trainer(encoder, recipe("supmpn"), examples, steps=1), []
    for other_positives in ("excluded", "zero_logit", "included"):
        trainer.change(other_positives=other_positives)
        losses.append(trainer.objective.loss(batch, trainer.context(lambda token_ids: z))[0].item())
    assert losses[0] < min(losses[1:]) and len(set(losses)) == 3


def test_a_change_keeps_what_was_chosen(encoder: Encoder) -> None:
    """ "included" is the usual setting but not SupMPN's: changing something else must not bring "excluded" back."""
    examples = tokenize_groups(encoder, tiny_groups(4), "multi_positive", 0, True, 2, 1)
    trainer = Trainer(
        encoder, recipe("supmpn", other_positives="included", positives=2, negatives=1), examples, steps=2
    )
    trainer.change(temperature=0.2)
    options = trainer.recipe.options
    assert (options.other_positives, options.temperature, options.positives) == ("included", 0.2, 2)
    trainer.change(other_positives="zero_logit", mask_duplicates=True)
    assert (trainer.recipe.options.other_positives, trainer.recipe.options.temperature) == ("zero_logit", 0.2)
    assert (
        trainer.next_batch().relations.negative.sum() <= make_batch(examples, recipe("supmpn")).relations.negative.sum()
    )


def test_twins_differ_by_dropout_alone(encoder: Encoder) -> None:
    examples = tokenize_groups(encoder, tiny_groups(6), "self_pairs")
    batch, n = make_batch(examples, recipe("simcse_unsup")), len(examples)
    encoder.train()
    set_dropout(encoder, 0.1)
    first, second = encoder.embed(batch.token_ids).split(n)
    cosines = torch.cosine_similarity(first, second)
    assert (cosines < 0.9999).all() and (cosines > 0.3).all()
    set_dropout(encoder, 0.0)
    first, second = encoder.embed(batch.token_ids).split(n)
    torch.testing.assert_close(first, second, rtol=1e-5, atol=1e-6)
    encoder.eval()


def test_a_copy_pulls_nothing_without_dropout(encoder: Encoder) -> None:
    """The pull of a positive is the gradient of its cosine: of a sentence with itself it is 0."""
    double = tiny_copy(encoder)
    groups = [
        Group(i, f"the {who} sleeps", (f"a {who} runs in the park",), (2,))
        for i, who in enumerate(("dog", "cat", "bird", "child"))
    ]
    examples = tokenize_groups(double, groups, "multi_positive", 0, True, 2, 1)
    batch = make_batch(examples, recipe("supmpn"))
    pulls = {}
    for dropout in (0.0, 0.1):
        torch.manual_seed(0)
        set_dropout(double, dropout)
        z = double.embed(batch.token_ids)
        anchors, copies = z[:4].repeat_interleave(2, dim=0), z[4:12]
        cosines = torch.cosine_similarity(anchors, copies)
        gradient = torch.autograd.grad(cosines.sum(), list(double.bert.parameters()), allow_unused=True)
        pulls[dropout] = sum(float(g.norm() ** 2) for g in gradient if g is not None) ** 0.5
    assert pulls[0.0] < 1e-12 < 1e-2 < pulls[0.1]


def tiny_copy(encoder: Encoder) -> Encoder:
    return copy.deepcopy(encoder).double().train()


@pytest.mark.parametrize("name", ["scl", "simcse", "mnrl", "supmpn", "simcse_unsup"])
def test_known_false_negatives_are_ignored_where_asked(encoder: Encoder, name: str) -> None:
    groups = [
        Group(0, "a dog runs", ("a dog waits", "nobody runs"), (0, 2)),
        Group(1, "the red dog runs", ("a dog waits", "nobody waits"), (0, 2)),
        Group(2, "a cat sleeps", ("the cat sleeps", "a dog waits"), (0, 2)),
    ]
    made, masked = recipe(name), recipe(name, mask_duplicates=True)
    examples = tokenize_groups(encoder, groups, made.data_format, 0, True, 1, 1)
    plain, fewer = (make_batch(examples, r) for r in (made, masked))
    assert plain.token_ids == fewer.token_ids and torch.equal(plain.relations.positive, fewer.relations.positive)
    keys = [tuple(row) for row in plain.token_ids]
    r, dropped = plain.relations, 0
    for a, anchor in enumerate(r.anchors.tolist()):
        friends = {keys[anchor], *(keys[c] for k, c in enumerate(r.candidates.tolist()) if r.positive[a, k])}
        for k, candidate in enumerate(r.candidates.tolist()):
            kept = bool(r.negative[a, k]) and keys[candidate] not in friends
            assert bool(fewer.relations.negative[a, k]) is kept
            dropped += bool(r.negative[a, k]) and not kept
    assert (dropped > 0) is (name != "simcse_unsup")  # its sentences are distinct from the start
    assert torch.equal(fewer.relations.negative, mask_duplicates(r, keys).negative)
    assert (fewer.labels is None) is (plain.labels is None)
