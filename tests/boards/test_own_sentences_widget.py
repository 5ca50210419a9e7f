"""Sentences of one's own: what the example says, what a kernel sends, and what is refused."""

from __future__ import annotations

import copy
import gc
import weakref

import pytest

from kit.boards import own_sentences_board
from kit.boards.numerals import fixed
from kit.boards.own_sentences_widget import (
    EXAMPLE,
    TRY,
    own_sentences_buffers,
    own_sentences_summary,
    own_sentences_values,
    recorded_pair,
)
from kit.errors import KitError
from kit.paths import bundle

SENTENCES = [f"A boat sails {n} miles." for n in range(40)]


def test_training_turns_the_order_of_the_two_examples() -> None:
    """Raw, the sentence with the same words is nearer; healed, the one with the same meaning."""
    board = own_sentences_board(sentences=SENTENCES)
    contradicts, paraphrase = (own_sentences_values(board.state, {"second": text})["spaces"] for text in TRY[:2])
    assert contradicts["raw"]["cosine"] > paraphrase["raw"]["cosine"] + 0.05
    assert contradicts["healed"]["cosine"] < paraphrase["healed"]["cosine"] - 0.05
    assert board.state["example"]["spaces"] == contradicts and "healed: cosine" in board.summary


def test_the_readme_tells_the_cosines_of_the_example() -> None:
    spaces = own_sentences_board(sentences=SENTENCES).state["example"]["spaces"]
    readme = (bundle().parent / "README.md").read_text("utf-8")
    for name in ("raw", "healed"):
        highest = max(spaces[name]["offered"])
        spaces[name]["told"] = [
            f"**{fixed(one)}**" if one == highest else fixed(one) for one in spaces[name]["offered"]
        ]
    for text, before, after in zip(TRY, spaces["raw"]["told"], spaces["healed"]["told"]):
        assert f"| {text} | {before} | {after} |" in readme
    assert f"nearest to “{EXAMPLE[0]}”" in readme


def test_values_are_those_of_the_encoders() -> None:
    board = own_sentences_board(sentences=[*SENTENCES, "Kids have fun."])
    values = own_sentences_values(board.state, {"first": "Kids have fun.", "second": "Children play."})
    for name, encoder in recorded_pair().items():
        a, b = encoder.encode(["Kids have fun.", "Children play."]).double()
        space = values["spaces"][name]
        assert space["cosine"] == pytest.approx(float(a @ b / a.norm() / b.norm()), abs=1e-5)
        assert board.state["sentences"][space["nearest"][0]["index"]] == "Kids have fun."
        assert sum(space["histogram"]) == pytest.approx(100) and 0 <= space["below"] <= 100
        assert [len(row) for row in space["agree"]] == [len(values["pieces"][1])] * len(values["pieces"][0])


@pytest.mark.parametrize(
    ("first", "second", "whose"),
    [
        ("我喜欢猫？", "他讨厌雨。", "both sentences"),
        ("I like cats.", "ฉันชอบแมวมาก", "the second sentence"),
        ("איך מזמינים מונית ל-3 אנשים?", "A taxi for 3.", "the first sentence"),
        ("Ich mag Übungen 🙂, crème brûlée!", "...", ""),
    ],
)
def test_a_script_that_the_encoders_cannot_read_is_told(first: str, second: str, whose: str) -> None:
    """Else the cosine of two texts that are [UNK] alone, 1.00, is taken for what they mean."""
    board = own_sentences_board(sentences=SENTENCES)
    values = own_sentences_values(board.state, {"first": first, "second": second})
    said = own_sentences_summary(values, {}, board.state)
    assert (f"Most words of {whose} are unknown to these encoders" in said) == bool(whose)
    assert whose or "unknown" not in said


def test_the_kernel_sends_the_bytes_when_the_page_asks() -> None:
    board, sent = own_sentences_board(sentences=SENTENCES), []
    board.widget.send = lambda content, buffers=None: sent.append((content, buffers))
    board._on_message(board.widget, {"kit": "something else"}, [])
    board._on_message(board.widget, {"kit": "buffers"}, [])
    assert sent == [({"kit": "buffers"}, own_sentences_buffers(board.state))]
    board._deliver = lambda: 1 / 0
    board._on_message(board.widget, {"kit": "buffers"}, [])
    assert "ZeroDivisionError" in sent[1][0]["error"]


def test_a_board_that_is_closed_lets_go_of_its_encoders() -> None:
    """A notebook keeps every board that it has shown."""
    raw = copy.deepcopy(recorded_pair()["raw"])
    board, alive = own_sentences_board(raw, raw, SENTENCES), weakref.ref(raw)
    del raw
    assert alive() is not None
    board.close()
    gc.collect()
    assert alive() is None and board.state == {} and board.summary


def test_the_encoders_of_a_notebook_stay_there_and_a_page_has_the_recorded_ones() -> None:
    raw = recorded_pair()["raw"]
    board = own_sentences_board(raw, raw, SENTENCES, where="Made-up captions.")
    spaces = board.state["example"]["spaces"]
    assert spaces["raw"]["cosine"] == spaces["healed"]["cosine"] and "in this notebook" in board.summary
    shown = board.standalone()["state"]
    assert "400 steps on SNLI" in shown["note"] and shown["note"].endswith("Made-up captions.")
    assert shown["example"]["spaces"]["healed"]["cosine"] != spaces["healed"]["cosine"]


def test_too_few_sentences_are_refused() -> None:
    with pytest.raises(KitError, match="32 different sentences or more, got 1"):
        own_sentences_board(sentences=["A boat.", "A boat.", " "])
