"""SupCon as an objective: which texts come together, one batch by hand, and that it learns."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.comparators.text_classes import texts_by_class
from kit.data import Group
from kit.errors import KitError, KitWarning
from kit.losses import supcon
from kit.training import Trainer, recipe
from kit.training.batches import epoch_of_batches
from tests.tiny import WORDS, tiny_encoder, write_tiny_bert

TICKETS = [(f"a {size} {thing} {verb}", thing) for thing in ("dog", "hat", "kite", "bird") for size in ("old", "red")
           for verb in ("runs", "waits")]  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def examples_of(tiny: Path, data: list, seed: int = 0) -> list:
    return recipe("supcon").objective.examples(tiny_encoder(tiny), data, recipe("supcon"), seed)


def test_the_loss_of_a_batch_is_supcon_of_its_texts(tiny: Path) -> None:
    made, encoder = recipe("supcon", batch_size=16, dropout=0.0, lr=1e-3, temperature=0.3), tiny_encoder(tiny)
    items = made.objective.examples(encoder, TICKETS, made, 0)
    trainer = Trainer(encoder, made, items, steps=20, precision="fp32")
    by_hand = supcon(encoder.encode([text for text, _ in TICKETS]), [hash(one) % 10**9 for _, one in TICKETS], 0.3)
    losses = [trainer.step()["loss"] for _ in range(20)]
    assert losses[0] == pytest.approx(by_hand.item(), rel=1e-4) and losses[-1] < 0.8 * losses[0]


def test_every_text_of_a_batch_has_a_positive_and_stands_once_an_epoch(tiny: Path) -> None:
    """Also of twenty classes in batches of eight, where texts drawn one by one would mostly meet none."""
    many = [(f"a {word} {verb}", word) for word in WORDS[:20] for verb in ("runs", "waits", "sings")]
    made = recipe("supcon", batch_size=8)
    items = examples_of(tiny, many)
    assert {one.size for one in items} == {3} and len(items) == 20, "three texts of a class, none alone"
    for batch in epoch_of_batches(items, made.batch_size, 0, 0):
        built = made.objective(None, made).batch(batch, made)
        assert int(built.relations.num_valid_anchors()) == len(built.token_ids) > 5
    four = examples_of(tiny, TICKETS)
    assert sorted(map(str, (row for one in four for row in one.rows))) == sorted(
        map(str, tiny_encoder(tiny).tokenize([text for text, _ in TICKETS]))
    )
    assert {one.size for one in four} == {2}
    assert str(examples_of(tiny, TICKETS, 1)) != str(four) == str(examples_of(tiny, TICKETS, 0))


def test_a_text_alone_in_its_class_is_a_negative(tiny: Path) -> None:
    items = examples_of(tiny, [*TICKETS[:4], ("nobody sings", "none")])
    assert sorted(one.size for one in items) == [1, 2, 2]
    built = recipe("supcon").objective(None, recipe("supcon")).batch(items, recipe("supcon"))
    dense = built.relations.to_dense()
    assert int(built.relations.num_valid_anchors()) == 4 and int(dense.negative[:4].sum()) == 4
    assert not (dense.positive & torch.eye(5, dtype=torch.bool)).any()


def test_a_text_under_two_classes_is_left_out_and_counted(tiny: Path) -> None:
    """It would stand in a batch as its own negative; of NLI the same text may be of several groups."""
    torn = [*TICKETS, (TICKETS[0][0], "hat"), ("a bird", "dog"), ("a bird", "hat"), ("a bird", "sky")]
    with pytest.warns(KitWarning, match="^2 texts are left out, as they stand under two classes.$"):
        found = texts_by_class(torn)
    assert found == texts_by_class(TICKETS[1:]), "nor is a class left that has no other text"
    with pytest.warns(KitWarning, match="^1 text is left out, as it stands under two classes.$"):
        left = examples_of(tiny, [*TICKETS, (TICKETS[0][0], "hat")])
    assert left == examples_of(tiny, TICKETS[1:])
    groups = [Group(place, "a dog runs", ("a pet runs", "it is red"), (place, 1)) for place in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sum(text == "a dog runs" for texts in texts_by_class(groups).values() for text in texts) == 2
        assert texts_by_class([*TICKETS, *TICKETS]) == texts_by_class(TICKETS)


def test_numbers_of_numpy_and_of_tensors_are_classes(tiny: Path) -> None:
    whole = [(text, len(thing)) for text, thing in TICKETS]
    for kind in (np.int64, np.uint8, torch.tensor):
        assert examples_of(tiny, [(text, kind(number)) for text, number in whole]) == examples_of(tiny, whole)


def test_groups_are_read_as_classes_and_anything_else_is_refused(tiny: Path) -> None:
    group = Group(0, "a dog runs", ("a pet runs", "it is red", "nobody runs"), (0, 1, 2))
    other = Group(1, "a cat sleeps", ("a pet sleeps",), (0,))
    assert list(texts_by_class([group, other]).values()) == [
        ["a dog runs", "a pet runs"],
        ["it is red"],
        ["nobody runs"],
        ["a cat sleeps", "a pet sleeps"],
    ]
    for data, sentence in (
        (["a dog"], "expected tuples .text, class., .* but number 0 is 'a dog'"),
        ([*TICKETS, ("a dog", 0.5)], "but number 16 is .*0.5"),
        ([("a dog", True)], "but number 0 is"),
        ([("a dog", np.True_)], "but number 0 is"),
        ([("a dog", [1])], "but number 0 is"),
        ([("a dog", 1), ("  ", 2)], "blank"),
        ([("a dog", 1), ("a cat", 1)], "two classes or more, and two texts of one of them, got 2 texts in 1"),
        ([("a dog", 1), ("a cat", 2)], "got 2 texts in 2"),
        ([], "got 0 texts in 0"),
    ):
        with pytest.raises(KitError, match=sentence):
            examples_of(tiny, data)
