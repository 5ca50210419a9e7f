"""The board of cosines in several spaces: what it measures, and what the reader may type."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from kit.boards.heat_widget import heat_board, heat_state, heat_summary, heat_values
from kit.data.twelve import twelve_labels, twelve_sentences
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.evaluation.encoding import Repaired


class Table:
    """An "encoder" that knows the vector of each sentence by its length."""

    def __init__(self, shift: float):
        self.shift, self.calls = shift, 0

    def encode(self, sentences: list[str]) -> torch.Tensor:
        self.calls += 1
        angles = torch.tensor([len(text) / 10 for text in sentences])
        return torch.stack([angles.cos() + self.shift, angles.sin()], dim=1)


def spaces() -> dict:
    return {"raw": Table(3.0), "trained": Table(0.0)}


def test_cosines_and_their_order() -> None:
    state = heat_state({"flat": Table(0.0)}, ["a" * 1, "b" * 11, "c" * 6])
    figure = heat_values(state, {"space": "flat", "sentence": 1})
    assert figure["order"] == [2, 1] and figure["sentence"] == 1
    assert figure["cosines"] == pytest.approx([0.8776, 0.5403], abs=1e-4)  # cos 0.5, cos 1
    measured = {"low": 0.5403, "high": 0.8776, "won": -1, "band": 2 / 3}
    assert figure["measured"]["flat"] == pytest.approx(measured, abs=1e-4)
    assert heat_values(state, {"space": "flat", "sentence": 12})["sentence"] == 3, "there are three: the last one"


def test_topics_that_are_won() -> None:
    """The positive nearer to the anchor than the negative: by the length of the sentences here."""
    near, far = ["x" * 5, "x" * 6, "x" * 9], ["x" * 5, "x" * 9, "x" * 6]
    labels = ["one anchor", "one +", "one −", "two anchor", "two +", "two −"]
    state = heat_state({"flat": Table(0.0)}, [*near, *far], labels)
    figure = heat_values(state, {"space": "flat", "sentence": 2})
    assert figure["measured"]["flat"]["won"] == 1
    assert "the positive nearer in 1 of 2 topics" in heat_summary(figure, {"space": "flat"}, state)


def test_every_sentence_in_every_space() -> None:
    for space, sentence in product(["raw", "trained"], range(1, 13)):
        state = heat_state(spaces(), twelve_sentences(), twelve_labels())
        figure = heat_values(state, {"space": space, "sentence": sentence})
        assert sorted([*figure["order"], sentence - 1]) == list(range(12))
        assert figure["cosines"] == sorted(figure["cosines"], reverse=True)
        said = heat_summary(figure, {"space": space, "sentence": sentence}, state)
        assert f"nearest to sentence {sentence} is “{twelve_sentences()[figure['order'][0]]}”" in said


def test_what_is_typed_is_encoded_once_and_a_blank_brings_the_twelve_back() -> None:
    encoders = spaces()
    board = heat_board(encoders, twelve_sentences(), twelve_labels())
    assert board.state["threes"] and encoders["raw"].calls == 1
    board.widget.controls = {**board.controls, "own": "A dog barks. | Two dogs bark.|It rains. "}
    assert board.state["sentences"] == ["A dog barks.", "Two dogs bark.", "It rains."] and not board.state["threes"]
    board.widget.controls = {**board.controls, "sentence": 2}
    assert encoders["raw"].calls == 2
    board.widget.controls = {**board.controls, "own": "  "}
    assert board.state["sentences"] == twelve_sentences() and board.widget.error == ""


def test_a_blank_between_two_lines_is_no_sentence() -> None:
    board = heat_board(spaces(), twelve_sentences(), twelve_labels())
    for own in ("a cat|a dog|", "| a cat | | a dog"):
        board.widget.controls = {**board.controls, "own": own}
        assert (board.state["sentences"], board.widget.error) == (["a cat", "a dog"], "")
    board.widget.controls = {**board.controls, "own": " | "}
    assert (board.state["sentences"], board.widget.error) == (twelve_sentences(), "")


def test_too_few_too_many_and_blanks_are_told_on_the_board() -> None:
    for own in ["Only one.", "One. |", " | b", "|".join("abcdefghijklm")]:
        board = heat_board(spaces(), twelve_sentences(), twelve_labels())
        board.widget.controls = {**board.controls, "own": own}
        assert "expected 2 to 12 sentences, parted by |" in board.widget.error
        assert board.state["sentences"] == twelve_sentences(), "the last good picture stays"


@pytest.mark.filterwarnings("ignore:.*no word that the vocabulary knows")
def test_sentences_that_the_encoders_cannot_read_are_told() -> None:
    """A repair reads as its encoder does; of what shows no word pieces nothing is said, nor of the twelve."""
    raw = load_encoder()
    repaired = {"raw": raw, "moved": Repaired(raw, lambda vectors: vectors - 1)}
    for spaces_, readers in ((repaired, "these encoders"), ({"raw": raw}, "this encoder"),
                             (repaired | {"by length": Table(1.0)}, "raw and moved")):  # fmt: skip
        for own, whose in [
            ("🦜|日本", "both sentences"),
            ("A dog barks.|日本", "the second sentence"),
            ("日本|A dog barks.|ฉันชอบแมวมาก|It rains.", "sentences 1 and 3"),
            ("日本|🦜|ฉันชอบแมวมาก", "all 3 sentences"),
            ("A dog barks.|Ich mag Übungen", ""),
            ("", ""),
        ]:
            board = heat_board(spaces_, twelve_sentences(), twelve_labels())
            board.widget.controls = {**board.controls, "own": own}
            said = heat_summary(heat_values(board.state, board.controls), board.controls, board.state)
            told = f" Most words of {whose} are unknown to {readers}: cosines tell nothing of what is meant."
            assert (told in said) == bool(whose) and ("unknown" in said) == bool(whose), said


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(KitError, match="at least one space"):
        heat_state({}, twelve_sentences())
    with pytest.raises(KitError, match="unknown space 'rau'"):
        heat_values(heat_state(spaces(), ["a", "b"]), {"space": "rau", "sentence": 1})
