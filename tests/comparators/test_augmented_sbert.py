"""Liao's Augment baselines: the pairs that SCL contrasts, as pairs to classify, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.comparators.augmented_sbert import Augment
from kit.data import Group
from kit.encoder import Encoder
from kit.errors import KitError
from kit.training import Trainer, fit, recipe
from kit.training.batches import make_batch, tokenize_groups
from tests.tiny import tiny_encoder, tiny_groups

CHANGES = {"dropout": 0.0, "batch_size": 12, "lr": 1e-3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Encoder:
    return tiny_encoder(folder, pooling="mean_without_cls")


def batch_of(encoder: Encoder, groups: list[Group], name: str = "augment_all", seed: int = 0, **changes):
    settings = recipe(name, **changes)
    examples = tokenize_groups(encoder, groups, "groups")
    return Augment(encoder, settings).batch(examples, settings, torch.Generator().manual_seed(seed)), examples, settings


@pytest.mark.parametrize("borrowed", ["contradiction", "neutral"])
def test_all_pairs_of_an_anchor_and_a_hypothesis_with_their_labels(encoder: Encoder, borrowed: str) -> None:
    groups = tiny_groups(4)
    groups[2] = Group(2, "a hat", ("nobody reads", "the hat is red"), (2, 1))  # entails nothing: no anchor
    batch, _, _ = batch_of(encoder, groups, borrowed=borrowed)
    owners = [i for i, g in enumerate(groups) for _ in g.hypotheses]
    gold = [label for g in groups for label in g.labels]
    expected = [(owner, 4 + h, label) for h, (owner, label) in enumerate(zip(owners, gold))]
    expected += [
        (i, 4 + h, {"contradiction": 2, "neutral": 1}[borrowed])
        for i in (0, 1, 3)
        for h, owner in enumerate(owners)
        if owner != i
    ]
    assert sorted(zip(batch.u.tolist(), batch.v.tolist(), batch.labels.tolist())) == sorted(expected)
    texts = [g.anchor for g in groups] + [h for g in groups for h in g.hypotheses]
    assert batch.token_ids == encoder.tokenize(texts)


def test_three_and_three_are_the_very_pairs_that_scl_contrasts(encoder: Encoder) -> None:
    batch, examples, _ = batch_of(encoder, tiny_groups(), "augment_3p3n", seed=7)
    scl = make_batch(examples, recipe("scl", max_positives=3, max_negatives=3), torch.Generator().manual_seed(7))
    assert batch.token_ids == scl.token_ids, "the same sentences"
    r, pairs = scl.relations, set(zip(scl.u.tolist(), scl.v.tolist()))
    sampled = {(int(r.anchors[a]), int(r.candidates[c])) for a, c in (r.positive | r.negative).nonzero().tolist()}
    assert set(zip(batch.u.tolist(), batch.v.tolist())) == pairs | sampled
    assert len(batch.u) == len(pairs | sampled), "no pair stands twice"
    assert len(sampled - pairs) > 10 and r.negative.sum(1).tolist() == [3] * len(examples)
    assert batch.labels[: len(scl.labels)].tolist() == scl.labels.tolist()


def test_the_samples_follow_the_generator(encoder: Encoder) -> None:
    first, again, other = (batch_of(encoder, tiny_groups(), "augment_3p3n", seed=seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first.v, again.v) and not (len(first.v) == len(other.v) and torch.equal(first.v, other.v))


def test_the_loss_is_the_mean_over_pairs_written_out(folder: Path) -> None:
    encoder, settings = tiny_encoder(folder, pooling="mean_without_cls").double(), recipe("augment_3p3n", **CHANGES)
    trainer = Trainer(encoder, settings, tokenize_groups(encoder, tiny_groups(), "groups"), 4, precision="fp32")
    batch = trainer.next_batch()
    z, head = encoder.embed(batch.token_ids).float(), trainer.objective.head.layers
    terms = []
    for u, v, label in zip(batch.u.tolist(), batch.v.tolist(), batch.labels.tolist()):
        logits = head(torch.cat([z[u], z[v], (z[u] - z[v]).abs()]))
        terms.append(torch.logsumexp(logits, 0) - logits[label])
    assert len(terms) > len(batch.token_ids)
    told = trainer.step()
    assert told["loss"] == pytest.approx(sum(terms).item() / len(terms), rel=1e-5)
    assert told["cross_entropy"] == told["loss"] and "contrastive" not in told


def test_one_premise_alone_adds_nothing(encoder: Encoder) -> None:
    group = tiny_groups(2)[1:]
    batch, examples, _ = batch_of(encoder, group)
    assert len(batch.u) == len(group[0].hypotheses) == len(make_batch(examples, recipe("sbert")).labels)
    result = fit(encoder, recipe("augment_all", **CHANGES), group, steps=2, progress=False)
    assert all(0 < h["loss"] < 20 for h in result.history)


def test_the_options_of_sbert_are_those_of_augment(encoder: Encoder) -> None:
    made = recipe("augment_all", head="two linear", group_batches=False)
    assert {one.size for one in made.objective.examples(encoder, tiny_groups(4), made, 0)} == {1}, "pair by pair"
    head = made.objective(encoder, made).head
    assert sum(isinstance(module, torch.nn.Linear) for module in head.modules()) == 2


def test_settings_that_make_no_sense() -> None:
    for changes, sentence in [
        ({"borrowed": "entailment"}, "expected borrowed 'contradiction' or 'neutral', got 'entailment'"),
        ({"max_positives": 0}, "max_positives"),
    ]:
        with pytest.raises(KitError, match=f"recipe 'augment_3p3n': .*{sentence}"):
            recipe("augment_3p3n", **changes)


def test_sbert_has_a_borrowed_label_nowhere() -> None:
    with pytest.raises(KitError, match="unknown setting of a contrast recipe 'borrowed'"):
        recipe("sbert", borrowed="neutral")
