"""How often a sentence is called a negative that is known not to be one: counted plainly."""

from __future__ import annotations

import pytest
import torch

from kit.data import Group
from kit.errors import KitError
from kit.training import recipe
from kit.training.batches import Example, epoch_of_batches, make_batch
from kit.workshop.duplicate_negatives import count_duplicates

NAMES = ["mnrl", "simcse", "supmpn", "scl"]


def items_of(name: str, n: int = 40) -> list[Example]:
    """Items whose texts are single tokens out of few: many of them meet."""
    layout, rng, examples = recipe(name).data_format, torch.Generator().manual_seed(3), []
    count = {"pairs": 1, "triplets": 2, "multi_positive": 5, "groups": 4}[layout]
    labels = {"pairs": [0], "triplets": [0, 2], "multi_positive": [0, 0, 2, 2, 2], "groups": [0, 2, 1, 0]}[layout]
    for i in range(n):
        texts = torch.randint(0, 25, (count + 1,), generator=rng).tolist()
        anchor = [100 + i] if layout == "groups" else texts[:1]  # premises are distinct
        examples.append(Example(anchor, [[t] for t in texts[1:]], labels, count if layout == "groups" else 1))
    return examples


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_the_counts_are_those_of_a_plain_loop(name: str) -> None:
    for size in [4, 16, 100]:
        examples, made = items_of(name), recipe(name, mask_duplicates=True)
        touched = pairs = negatives = anchors = same = 0
        batches = epoch_of_batches(examples, size, seed=7, epoch=0)
        for chosen in batches:
            batch = make_batch(chosen, recipe(name))
            text, r = [row[0] for row in batch.token_ids], batch.relations
            own = [text[a] for a in r.anchors]
            for a in range(len(own)):
                friends = {own[a]} | {text[c] for k, c in enumerate(r.candidates) if r.positive[a, k]}
                false = [c for k, c in enumerate(r.candidates) if r.negative[a, k] and text[c] in friends]
                touched, pairs, negatives = (
                    touched + bool(false),
                    pairs + len(false),
                    negatives + int(r.negative[a].sum()),
                )
                same += own.count(own[a]) > 1
            anchors += len(own)
        found = count_duplicates(examples, made, size, seed=7)
        assert (found.batch_size, found.batches, found.anchors) == (size, len(batches), anchors)
        assert (found.touched, found.false_negatives, found.negatives) == (touched, pairs, negatives)
        assert found.same_anchor == same
        assert found.touched > 0 and f"{touched:,} of {anchors:,} anchors" in found.summary()


def test_batches_by_length_are_counted_as_they_are_trained_on() -> None:
    """Equal texts are of equal length: sorted by it they meet in one batch, where chance parts most of them."""
    examples = [Example([n] * n, [[n] * n], [0], 1) for n in range(1, 17) for _ in range(4)]
    found = {
        order: count_duplicates(examples, recipe("mnrl", batch_order=order), 4) for order in ("random", "by_length")
    }
    assert found["by_length"].same_anchor == len(examples) > 2 * found["random"].same_anchor


def test_larger_batches_meet_more() -> None:
    examples = items_of("mnrl", 200)
    touched = [count_duplicates(examples, recipe("mnrl"), size).touched for size in (2, 8, 32, 128)]
    assert touched == sorted(touched) and touched[0] < touched[-1]


def test_the_size_is_the_recipes_where_none_is_given(tmp_path) -> None:
    from kit.training.batches import tokenize_groups
    from tests.tiny import tiny_encoder

    groups = [Group(i, f"a {who} runs", ("nobody sings",), (0,)) for i, who in enumerate(("dog", "cat", "bird"))]
    examples = tokenize_groups(tiny_encoder(tmp_path), groups, "pairs")
    assert count_duplicates(examples, recipe("mnrl", batch_size=2)) == count_duplicates(examples, recipe("mnrl"), 2)
    whole = count_duplicates(examples, recipe("mnrl"))
    assert (whole.batches, whole.touched, whole.false_negatives, whole.same_anchor) == (1, 3, 6, 0)


def test_what_cannot_be_counted() -> None:
    for examples, size, says in [
        ([], 8, "expected examples to count duplicates in"),
        (None, 0, "a batch size of 1 or more, got 0"),
        (None, 2.0, "got 2.0"),
        (None, True, "got True"),
    ]:
        with pytest.raises(KitError, match=says):
            count_duplicates(items_of("mnrl") if examples is None else examples, recipe("mnrl"), size)
