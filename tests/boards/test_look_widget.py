"""The board of one's own data: its mathematics against `look` itself (the browser test compares the JavaScript)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kit.boards.look_widget import LONGEST, _histogram, look_board, look_state, look_summary, look_values
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.owndata import look, read

PAIRS = [
    (f"where is the {noun} of house {i % 7}", f"the {noun} is in the {place}" + " and so on" * (i % 5))
    for i, (noun, place) in enumerate((n, p) for n in ("key", "cat", "lamp", "door") for p in ("hall", "yard", "shed"))
]
ENCODER = load_encoder("kit-bert-tiny", max_length=16)


def test_it_starts_with_what_look_found() -> None:
    found = look(read(PAIRS), ENCODER, batch_size=8)
    board = look_board(found)
    controls = dict(board.controls)
    values = look_values(board.state, board.controls)
    for role, own in found.lengths.items():
        assert values["cut"][role] == sum(n > 16 for n in own) and sum(c for _, c in board.state["lengths"][role]) == 12
    assert values["near"] == found["texts with a near-duplicate"].count > 0
    at_eight = look_values(board.state, controls | {"batch": 8})
    assert at_eight["expected"] == pytest.approx(found["false negatives of an anchor in a batch of 8"].count)
    assert board.controls["batch"] == 8 and board.state["batches"] == [2, 4, 8], "no batch is larger than the data"
    assert board.summary == look_summary(values, board.controls, board.state) and "16 word pieces" in board.summary
    assert len(json.dumps(board.state)) < 5_000


def test_what_is_lost_is_counted_over_all_word_pieces() -> None:
    found = look(read([("one two three", "four " * 2000), ("five six", "seven")]), ENCODER)
    state, lengths = look_state(found), np.concatenate([found.lengths["anchor"], found.lengths["positive"]])
    assert lengths.max() > LONGEST
    for limit in (4, 16, LONGEST):
        values = look_values(state, {"limit": limit, "least": 0.7, "batch": 2})
        assert values["lost"] == pytest.approx(100 * np.maximum(lengths - limit, 0).sum() / lengths.sum())
        assert values["share"] == pytest.approx(100 * (lengths > limit).mean())
    assert all(sum(share for _, share in own) == pytest.approx(100, abs=0.1) for own in state["histogram"].values())


def test_each_length_counts_in_its_own_bar() -> None:
    bars = _histogram([(1, 2), (10, 2)], 10)
    assert (bars[0], bars[-1]) == ([1.0, 50.0], [10.0, 50.0])


def test_nearer_twins_are_fewer_and_equal_ones_are_no_texts_of_their_own() -> None:
    state = look_state(look(read(PAIRS), ENCODER))
    counts = [look_values(state, {"limit": 16, "least": at, "batch": 2})["near"] for at, _ in state["twins"]]
    assert [at for at, _ in state["twins"]] == [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]


def test_a_share_below_one_has_the_digits_of_its_picture() -> None:
    state = look_state(look(read(PAIRS), ENCODER))
    controls = {"limit": 16, "least": 0.7, "batch": 2}
    values = look_values(state, controls) | {"share": 0.25, "lost": 0.0, "expected": 0.0034}
    said = look_summary(values, controls, state | {"rows": [["rows that are copies", 0.13]]})
    for words in ("cuts 0.25 % of all texts", "leaves 0.0 %", "all together, 0.34 that", "copies 0.13 %."):
        assert words in said


def test_other_kinds_have_no_batch_and_labels_have_shares() -> None:
    labelled = read([(a, b, i % 2) for i, (a, b) in enumerate(PAIRS)], sentence1="column 1", sentence2="column 2",
                    label="column 3")  # fmt: skip
    board = look_board(look(labelled, ENCODER))
    values = look_values(board.state, board.controls)
    assert values["expected"] is None and values["curve"] == [] and "batch" not in board.summary
    assert board.state["classes"] == [["0", 50.0], ["1", 50.0]] and "Classes: 0 50.0 %, 1 50.0 %." in board.summary
    for wrong in ({"limit": 0}, {"batch": 0}):
        with pytest.raises(KitError, match="a limit and a batch of 1 or more"):
            look_values(board.state, dict(board.controls) | wrong)
