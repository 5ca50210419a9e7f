"""Scored pairs as an objective: what they take, one batch by hand, and that they learn."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.comparators.scored_pairs import scored_pairs
from kit.data import Group
from kit.errors import KitError
from kit.losses import cosent, cosine_regression
from kit.training import Trainer, recipe
from tests.tiny import tiny_encoder, write_tiny_bert

PAIRS = [("a dog runs", "the dog runs", 1.0), ("a dog runs", "nobody sings", 0.0), ("a hat", "a red hat", 0.8)]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def test_the_loss_of_a_batch_is_that_of_its_pairs(tiny: Path) -> None:
    for name in ("cosent", "cosine_regression"):
        made, encoder = recipe(name, batch_size=3, dropout=0.0, lr=1e-3), tiny_encoder(tiny)
        trainer = Trainer(encoder, made, made.objective.examples(encoder, PAIRS, made, 0), steps=20, precision="fp32")
        u, v = (encoder.encode([pair[side] for pair in PAIRS]) for side in (0, 1))
        scores = torch.tensor([score for _, _, score in PAIRS])
        by_hand = cosent(u, v, scores) if name == "cosent" else cosine_regression(u, v, scores)
        losses = [trainer.step()["loss"] for _ in range(20)]
        assert losses[0] == pytest.approx(by_hand.item(), rel=1e-4)
        assert losses[-1] < 0.8 * losses[0], name
        assert len(trainer.next_batch().token_ids) == 5, "a sentence of two pairs is encoded once"


def test_the_temperature_of_a_recipe_is_that_of_its_loss(tiny: Path) -> None:
    first = []
    for temperature in (0.05, 0.5):
        made, encoder = recipe("cosent", batch_size=3, dropout=0.0, temperature=temperature), tiny_encoder(tiny)
        first.append(Trainer(encoder, made, made.objective.examples(encoder, PAIRS, made, 0), steps=1).step()["loss"])
    assert first[0] != pytest.approx(first[1], rel=0.05)


def test_groups_are_read_as_scores_and_anything_else_is_refused(tiny: Path) -> None:
    group = Group(0, "a dog runs", ("a pet runs", "it is red", "nobody runs"), (0, 1, 2))
    other = Group(1, "a cat sleeps", ("a pet sleeps",), (0,))
    assert [score for *_, score in scored_pairs([group, other])] == [1.0, 0.5, 0.0, 1.0]
    hidden = Group(0, "a dog runs", ("a pet runs", "it is red"), (0, -1))
    for data, sentence in (
        ([hidden], "expected labels 0, 1 or 2, got -1 in group 0: leave such pairs out"),
        (["a dog"], "but number 0 is 'a dog'"),
        ([*PAIRS, ("a", "b", 3.0)], r"but number 3 is \('a', 'b', 3.0\)"),
        ([("a", "b", float("nan"))], "score from 0 to 1"),
        (PAIRS[:1], "two different scores or more, got 1 pairs with 1"),
    ):
        with pytest.raises(KitError, match=sentence):
            recipe("cosent").objective.examples(tiny_encoder(tiny), data, recipe("cosent"), 0)
    with pytest.raises(KitError, match="score_loss 'cosent' or 'cosine'"):
        recipe("cosent", score_loss="other")
