"""The explorer: its parts add up, its poolings are the kit's, and what is typed is read or refused."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
import torch
from numpy.testing import assert_allclose

from kit.boards.explorer_widget import (
    LONGEST,
    POOLINGS,
    explorer_board,
    explorer_state,
    explorer_summary,
    explorer_values,
)
from kit.data.twelve import twelve_sentences
from kit.encoder import load_encoder, pool
from kit.errors import KitError
from kit.evaluation import cosine_matrix

SENTENCES = twelve_sentences()[:3]


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.fixture(scope="module")
def state(encoder) -> dict:
    return explorer_state(encoder, SENTENCES)


def chosen(pooling: str = "mean", layer: int = 2, explained: str = "1", against: str = "2") -> dict:
    return {"pooling": pooling, "layer": layer, "explained": explained, "against": against}


def kits_own(state: dict, pooling: str, layer: int) -> torch.Tensor:
    """Sentence vectors by kit.encoder.pool from the states that travel, each sentence by itself."""
    vectors = []
    for k, tokens in enumerate(state["tokens"]):
        layers = [torch.tensor(each[k], dtype=torch.float64)[None] / 1000 for each in state["hidden"]]
        hidden = (layers[0], layers[1], layers[layer]) if pooling == "first_last" else tuple(layers[: layer + 1])
        vectors.append(pool(pooling, hidden, torch.ones(1, len(tokens)))[0])
    return torch.stack(vectors)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_cosines_are_those_of_the_kits_pooling(state: dict, pooling: str) -> None:
    for layer in [0, 1, 2]:
        found = explorer_values(state, chosen(pooling, layer))["cosines"]
        assert_allclose(found, cosine_matrix(kits_own(state, pooling, layer)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_parts_add_up_to_the_cosine(state: dict, pooling: str) -> None:
    for layer, against, explained in product([0, 2], ["1", "2", "3"], ["1", "2", "3"]):
        found = explorer_values(state, chosen(pooling, layer, explained, against))
        i, j = int(explained) - 1, int(against) - 1
        assert sum(found["contributions"]) == pytest.approx(found["cosines"][i][j], abs=1e-12)
        assert sum(found["weights"]) == pytest.approx(1, abs=1e-12)
        assert len(found["contributions"]) == len(found["weights"]) == len(state["tokens"][i])
        assert found["top"] == state["tokens"][i][found["contributions"].index(max(found["contributions"]))]


def test_thousandths_change_no_cosine_by_much(encoder, state: dict) -> None:
    exact = cosine_matrix(encoder.encode(SENTENCES))
    assert_allclose(explorer_values(state, chosen())["cosines"], exact, rtol=0, atol=1e-4)


def test_who_counts_under_which_pooling(state: dict) -> None:
    weights = {name: explorer_values(state, chosen(name))["weights"] for name in POOLINGS}
    assert weights["cls"] == [1.0] + [0.0] * 11
    assert weights["mean_without_cls"] == pytest.approx([0.0] + [1 / 11] * 11)
    assert weights["mean"] == weights["first_last"] == pytest.approx([1 / 12] * 12)
    wins = (torch.tensor(state["hidden"][2][0]).argmax(0)[:, None] == torch.arange(12)).double().mean(0)
    assert weights["max"] == pytest.approx(wins.tolist())


def small_state(*rows: list[list[int]]) -> dict:
    """A made-up state: the same hidden states [tokens][dim] at both layers."""
    return {
        "sentences": ["a"] * len(rows),
        "tokens": [[f"t{t}" for t in range(len(row))] for row in rows],
        "cut": [False] * len(rows),
        "hidden": [list(rows)] * 2,
    }


def test_of_equals_the_first_wins() -> None:
    found = explorer_values(small_state([[1, 5], [1, 7]], [[3, 3]]), chosen("max", 1))
    assert found["weights"] == [0.5, 0.5], "dimension 0 is a draw, dimension 1 goes to the second token"


def test_zeros_are_no_trouble() -> None:
    for pooling in POOLINGS:
        found = explorer_values(small_state([[0, 0], [0, 0]], [[1, 2], [3, 4]]), chosen(pooling, 1))
        numbers = [*found["contributions"], *found["weights"], *(c for row in found["cosines"] for c in row)]
        assert all(math.isfinite(x) for x in numbers)


def test_the_sentence_tells_the_numbers(state: dict) -> None:
    controls = chosen("max", 1, "3", "1")
    found = explorer_values(state, controls)
    said = explorer_summary(found, controls, state)
    assert f"{found['cosines'][0][2]:.3f} for 1 and 3" in said and f"“{found['top']}”" in said
    assert "Pooling max of layer 1" in said and f"{max(found['contributions']):.3f}" in said


def test_nonsense_is_one_clear_sentence(state: dict) -> None:
    for changes, message in [
        ({"pooling": "meen"}, "unknown pooling 'meen': did you mean 'mean'"),
        ({"layer": 3}, "a layer from 0 to 2, got 3"),
        ({"layer": -1}, "a layer from 0 to 2"),
        ({"layer": 0.5}, "a layer from 0 to 2"),
        ({"explained": "4"}, "no sentence 4"),
        ({"against": ""}, "no sentence"),
    ]:
        with pytest.raises(KitError, match=message):
            explorer_values(state, chosen() | changes)


def test_of_two_sentences_there_is_no_third(encoder) -> None:
    two = explorer_state(encoder, SENTENCES[:2])
    assert len(explorer_values(two, chosen())["cosines"]) == 2
    with pytest.raises(KitError, match="no sentence 3"):
        explorer_values(two, chosen(explained="3"))


def test_what_cannot_be_compared_is_refused(encoder) -> None:
    for sentences, message in [
        (["It rains."], "two or three sentences to compare, got 1"),
        (["a"] * 4, "got 4"),
        (["It rains.", "  "], "words in sentence 2, got a blank"),
        (["", "It rains.", "b"], "words in sentence 1"),
        (["It rains.", 7], "words in sentence 2"),
    ]:
        with pytest.raises(KitError, match=message):
            explorer_state(encoder, sentences)


def test_a_long_sentence_is_cut_and_encoded_so(encoder) -> None:
    long = "The rain fell on the town and on the fields and on the hills and " * 4
    found = explorer_state(encoder, [long, "It rains."])
    assert found["cut"] == [True, False]
    assert len(found["tokens"][0]) == LONGEST and found["tokens"][0][-1] == "[SEP]"
    short = load_encoder(max_length=LONGEST)
    with pytest.warns(UserWarning, match="were cut there"):
        expected = cosine_matrix(short.encode([long, "It rains."]))[0][1]
    assert explorer_values(found, chosen())["cosines"][0][1] == pytest.approx(expected, abs=1e-4)


def test_typing_is_answered_and_a_blank_keeps_the_picture(encoder) -> None:
    board = explorer_board(encoder, SENTENCES)
    first = board.state
    assert board.summary == explorer_summary(explorer_values(first, board.controls), board.controls, first)
    before = explorer_values(board.state, chosen())["cosines"][0][1]
    board.widget.controls = {**board.controls, "second": "A cat sleeps."}
    after = explorer_values(board.state, chosen())["cosines"][0][1]
    assert board.state["sentences"][1] == "A cat sleeps." and abs(after - before) > 0.01

    board.widget.controls = {**board.controls, "first": "   "}
    assert board.widget.error == "expected words in sentence 1, got a blank: type some."
    assert board.state["sentences"][0] == SENTENCES[0], "the last good picture stays"
    board.widget.controls = {**board.controls, "first": "A dog barks."}
    assert board.widget.error == "" and board.state["sentences"][0] == "A dog barks."


def test_the_third_may_be_left_blank(encoder) -> None:
    board = explorer_board(encoder, SENTENCES[:2])
    assert board.controls["third"] == "" and len(board.state["tokens"]) == 2
    board.widget.controls = {**board.controls, "third": "A cat sleeps."}
    assert len(board.state["tokens"]) == 3
    board.widget.controls = {**board.controls, "third": " "}
    assert len(board.state["tokens"]) == 2 and board.widget.error == ""


def test_a_slider_does_not_send_the_states_again(encoder) -> None:
    board, sent = explorer_board(encoder, SENTENCES), []
    board.widget.observe(sent.append, names="state")
    board.widget.controls = {**board.controls, "layer": 0}
    assert sent == []


def test_the_state_travels_and_a_page_without_kernel_says_so(encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **more: shown.append(more["metadata"]))
    board = explorer_board(encoder, SENTENCES)
    assert len(json.dumps(board.state)) < 100_000
    board._ipython_display_()
    assert "need the notebook" in shown[0]["kit_board"]["state"]["note"]
    assert "note" not in board.state


@pytest.mark.filterwarnings("ignore:.*no word that the vocabulary knows")
def test_sentences_that_the_encoder_cannot_read_are_told(encoder) -> None:
    """Else a cosine of 0.9 between two texts of [UNK] alone is taken for what they mean."""
    for texts, whose in [
        (["日本語 東京", "Привет мир"], "both sentences"),
        (["日本語 東京", "It rains.", "ฉันชอบแมวมาก"], "sentences 1 and 3"),
        (["A dog barks.", "It rains.", "ฉันชอบแมวมาก"], "sentence 3"),
        (["A dog barks.", "Two dogs 🙂 bark, tonight."], ""),
    ]:
        found = explorer_state(encoder, texts)
        said = explorer_summary(explorer_values(found, chosen()), chosen(), found)
        told = f" Most words of {whose} are unknown to this encoder: cosines tell nothing of what is meant."
        assert (told in said) == bool(whose) and ("unknown" in said) == bool(whose), said
