"""Pairs of captions: two of one picture, and no picture that a test or a choice of settings has a caption of."""

from __future__ import annotations

import caption_pairs as module
import pytest

from kit.data import StsTask
from kit.data.table import Source, Table

CAPTIONS = {
    "nli/captions_flickr30k": [
        ["a dog runs", "a dog is running", "the dog runs", "a brown dog runs", "an animal runs"],
        ["a test sentence", "a cat sleeps", "a sleeping cat"],
        ["a boat sails", "a boat sails"],
    ],
    "nli/captions_coco": [["a red bus", "a bus", "A bus that is scored!"], ["two men sing", "two singers", "men"]],
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, split: str) -> Table:
        rows = CAPTIONS[name]
        source = Source(name, split, "path", "here", "a revision", len(rows))
        return Table({"image_id": list(range(len(rows))), "captions": rows}, source)

    def task(*sentences: str) -> StsTask:
        rows = len(sentences)
        return StsTask("STS", list(sentences), list(sentences), [1.0] * rows, ["STS"] * rows, None)

    monkeypatch.setattr("kit.data.load", load)
    monkeypatch.setattr("kit.data.load_sts", lambda: {"STS12": task("A test sentence.")})
    monkeypatch.setattr("kit.workshop.choosing_pairs.choosing_pairs", lambda: {"STS-B": task("a bus that is scored")})


def test_pairs_are_of_one_picture_and_no_picture_is_scored() -> None:
    found = module.caption_pairs(first=7)
    pictures = [set(captions) for rows in CAPTIONS.values() for captions in rows]
    for group in found.groups:
        both = {group.anchor, *group.positives}
        assert len(both) == 2 and any(both <= captions for captions in pictures)
        assert not both & {"a test sentence", "a cat sleeps", "a sleeping cat", "a red bus", "a bus"}
        assert not group.negatives and not group.neutrals
    texts = [text for group in found.groups for text in (group.anchor, *group.positives)]
    assert len(texts) == len(set(texts)), "each caption once"
    # five captions give two pairs; one that stands twice gives none; three give one
    assert [group.premise_id for group in found.groups] == [7, 8, 9]
    assert "3 pairs" in found.data[-1] and "2 pictures with a caption in STS or SICK" in found.data[-1]


def test_the_same_seed_draws_the_same_pairs() -> None:
    assert module.caption_pairs(seed=3).groups == module.caption_pairs(seed=3).groups
    drawn = {tuple((g.anchor, g.positives) for g in module.caption_pairs(seed=seed).groups) for seed in range(5)}
    assert len(drawn) > 1
