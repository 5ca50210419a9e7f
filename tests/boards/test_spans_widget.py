"""The span board: its figure against counting, its state, and what it says."""

from __future__ import annotations

import json

import pytest

from kit.boards.spans_widget import (
    LONGEST,
    MOST_ANCHORS,
    MOST_POSITIVES,
    ROUNDS,
    SHORTEST,
    spans_board,
    spans_state,
    spans_summary,
    spans_values,
)
from kit.data.spans import KINDS, STARTS, STRATEGIES, kind_of, shared
from kit.errors import KitError

STATE = spans_state([300, 600, 2100, 5000])


def controls(**changes) -> dict:
    return {"longest": 64, "anchors": 2, "positives": 2, "strategy": "any", "starts": "paper", "again": 0, **changes}


@pytest.mark.parametrize("starts", STARTS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_spans_lie_in_their_documents_and_are_as_many_as_asked(strategy: str, starts: str) -> None:
    for longest in [16, 64, 126, 512]:
        for anchors in range(1, MOST_ANCHORS + 1):
            for positives in range(1, MOST_POSITIVES + 1):
                found = spans_values(
                    STATE,
                    controls(longest=longest, anchors=anchors, positives=positives, strategy=strategy, starts=starts),
                )
                assert found["needed"] == 2 * anchors * longest
                assert found["usable"] == sum(n >= found["needed"] for n in STATE["tokens"])
                for tokens, document in zip(STATE["tokens"], found["documents"]):
                    assert len(document) == (anchors if tokens >= found["needed"] else 0)
                    for spans in document:
                        ends = [spans["anchor"], *spans["positives"]]
                        assert len(ends) == 1 + positives and all(0 <= a < b <= tokens for a, b in ends)


def test_the_shares_are_those_of_all_drawings() -> None:
    """Counted by hand over every round that the button can reach."""
    pairs = []
    for again in range(ROUNDS):
        for document in spans_values(STATE, controls(again=again))["documents"]:
            pairs += [(tuple(s["anchor"]), tuple(p)) for s in document for p in s["positives"]]
    found = spans_values(STATE, controls())
    kinds = [kind_of(*pair) for pair in pairs]
    assert found["kinds"] == pytest.approx([kinds.count(kind) / len(kinds) for kind in KINDS])
    assert found["mean_overlap"] == pytest.approx(sum(shared(a, p) / (p[1] - p[0]) for a, p in pairs) / len(pairs))
    assert sum(found["kinds"]) == pytest.approx(1)


def test_the_button_draws_again_and_comes_round() -> None:
    drawn = [spans_values(STATE, controls(again=again)) for again in (0, 1, 2, ROUNDS)]
    assert drawn[0]["documents"] == drawn[3]["documents"]
    assert drawn[0]["documents"] != drawn[1]["documents"] != drawn[2]["documents"]
    assert [one["drawing"] for one in drawn] == [1, 2, 3, 1]
    assert drawn[0]["kinds"] == drawn[1]["kinds"], "over all drawings"


def test_more_positives_leave_the_first_ones_where_they_are() -> None:
    """Only what a slider names changes."""
    few, many = (spans_values(STATE, controls(positives=p))["documents"][2] for p in (1, 4))
    assert [s["anchor"] for s in few] == [s["anchor"] for s in many]
    assert [s["positives"][0] for s in few] == [s["positives"][0] for s in many]


def test_negatives_are_counted_in_the_documents_that_take_part() -> None:
    """2A − 2 of the own document, 2A of each other one; with A = 3 the document of 300 tokens drops out."""
    for anchors, own, others in [(1, 0, 6), (2, 2, 12), (3, 4, 12)]:
        found = spans_values(STATE, controls(anchors=anchors))
        assert (found["own"], found["others"]) == (own, others)


def test_no_document_long_enough_is_said_and_not_an_error() -> None:
    found = spans_values(spans_state([100, 200]), controls())
    assert found["usable"] == 0 and found["kinds"] == [0, 0, 0] and found["documents"] == [[], []]
    assert spans_summary(found, controls()).endswith("0 of 2 have them. No spans are drawn.")


def test_one_document_has_and_several_have_the_tokens() -> None:
    found = spans_values(spans_state([100, 200, 300]), controls())
    assert ", 1 of 3 has them." in spans_summary(found, controls())


def test_the_sentence_has_the_numbers() -> None:
    found = spans_values(STATE, controls(strategy="adjacent"))
    said, (start, end) = spans_summary(found, controls(strategy="adjacent")), found["documents"][0][0]["anchor"]
    assert "ℓmax 64, ℓmin 4, A 2, P 2: a document needs 256 tokens, 4 of 4 have them." in said
    assert "100 % adjacent; 0 % of their tokens are the anchor's." in said
    assert f"Drawing 1: first anchor {start} to {end}." in said


def test_the_state_travels_and_repeats() -> None:
    assert len(json.dumps(STATE)) < 100_000
    assert spans_state([300, 600, 2100, 5000]) == STATE != spans_state([300, 600, 2100, 5000], seed=1)
    board = spans_board([300, 900], longest=64)
    assert board.controls["longest"] == 64
    assert board.summary == spans_summary(spans_values(board.state, board.controls), board.controls)


def test_documents_may_come_with_their_words() -> None:
    state = spans_state([300, ["a", "boat"] * 300, 2100, 5000])
    assert state["tokens"] == STATE["tokens"] and state["rounds"] == STATE["rounds"]
    assert [len(words) for words in state["words"]] == [0, 600, 0, 0] and state["words"][1][:2] == ["a", "boat"]


def test_lengths_that_are_none() -> None:
    for tokens in [[], [0], [12.5], ["long"]]:
        with pytest.raises(KitError, match="expected the lengths of some documents in tokens"):
            spans_state(tokens)


def test_a_start_that_no_slider_has() -> None:
    for longest in [65, SHORTEST - 2, LONGEST + 2, 64.0 + 0.5]:
        with pytest.raises(KitError, match="expected an even ℓmax from 16 to 512"):
            spans_board([900], longest=longest)
