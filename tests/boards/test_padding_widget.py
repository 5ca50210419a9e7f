"""The padding board: each way of averaging against a plain loop, over the whole range of the slider."""

from __future__ import annotations

import json
import math

import pytest
import torch

from kit.boards.padding_widget import MOST, WAYS, padding_board, padding_state, padding_summary, padding_values
from kit.data.twelve import twelve_sentences
from kit.encoder import load_encoder
from kit.errors import KitError

SETS = {"short": ["It rains.", "It pours.", "She sings."], "uneven": twelve_sentences()[3:6]}
MASKED, DIVIDED, AVERAGED, UNMASKED = range(4)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.fixture(scope="module")
def state(encoder) -> dict:
    return padding_state(encoder, SETS)


def figure(state: dict, padding: int, name: str = "short") -> dict:
    return padding_values(state, {"padding": padding, "sentences": name})


def by_loop(encoder, sentences: list[str], padding: int) -> dict:
    """way → the vectors of the sentences, token by token."""
    ids = encoder.tokenize(sentences)
    width = max(map(len, ids)) + padding
    vectors: dict[str, list] = {way: [] for way in WAYS}
    for row in ids:
        padded = torch.tensor([row + [encoder.tokenizer.pad_token_id] * (width - len(row))])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row))])
        with torch.no_grad():
            tokens = encoder.bert(input_ids=padded, attention_mask=mask).last_hidden_state[0].double()
            careless = encoder.bert(input_ids=padded, attention_mask=mask * 0 + 1).last_hidden_state[0].double()
        total = sum(tokens[t] for t in range(len(row)))
        made = (total / len(row), total / width, sum(tokens) / width, sum(careless) / width)
        for way, vector in zip(WAYS, made):
            vectors[way].append(vector)
    return vectors


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_agrees_with_a_loop_over_the_tokens(encoder, state: dict, name: str) -> None:
    for padding in [0, 1, 23, MOST]:
        found, cosine = figure(state, padding, name), torch.nn.functional.cosine_similarity
        [alone, *_] = by_loop(encoder, SETS[name][:1], 0)["masked mean"]
        for place, (u, v, w) in enumerate(by_loop(encoder, SETS[name], padding).values()):
            expected = {
                "itself": cosine(u, alone, dim=0),
                "length": u.norm() / alone.norm(),
                "dot": u @ v,
                "second": cosine(u, v, dim=0),
                "third": cosine(u, w, dim=0),
            }
            for key, value in expected.items():
                assert found[key][place] == pytest.approx(value.item(), rel=1e-4), (key, WAYS[place])


def test_a_mask_makes_padding_harmless_and_a_wrong_divisor_only_shortens(state: dict) -> None:
    for padding in range(0, MOST + 1, 5):
        found = figure(state, padding)
        assert found["width"] == found["tokens"] + padding
        assert found["itself"][MASKED] == pytest.approx(1, abs=1e-5) == found["length"][MASKED]
        assert found["itself"][DIVIDED] == pytest.approx(1, abs=1e-5)
        assert found["length"][DIVIDED] == pytest.approx(found["tokens"] / found["width"], rel=1e-4)
        assert found["dot"][MASKED] / found["dot"][DIVIDED] == pytest.approx(found["tau"], rel=1e-3)
        # Of products kept to five places: where padding has made them small, the cosine has only four.
        assert found["second"][DIVIDED] == pytest.approx(found["second"][MASKED], abs=1e-4)


def test_without_padding_all_ways_are_one(state: dict) -> None:
    found = figure(state, 0)
    for key in ("itself", "length", "second", "third", "dot"):
        assert found[key] == pytest.approx([found[key][0]] * 4, rel=1e-4)


def test_without_any_mask_the_unrelated_becomes_the_same(state: dict) -> None:
    found = figure(state, MOST)
    assert found["itself"][UNMASKED] < found["itself"][AVERAGED] < 0.95
    assert found["third"][UNMASKED] > 0.98 > 0.9 > found["third"][MASKED]


def test_curves_hold_what_the_slider_shows(state: dict) -> None:
    for padding in (0, 7, MOST):
        found = figure(state, padding)
        for key in ("itself", "length"):
            assert [len(curve) for curve in found["curves"][key]] == [MOST + 1] * 4
            assert [curve[padding] for curve in found["curves"][key]] == found[key]
            assert all(math.isfinite(x) for curve in found["curves"][key] for x in curve)


def test_nonsense_is_one_clear_sentence(state: dict) -> None:
    for padding in [-1, MOST + 1, 2.5, math.nan, None, "3"]:
        with pytest.raises(KitError, match="expected a padding from 0 to 40 tokens, got"):
            figure(state, padding)


def test_an_unknown_set_is_named(state: dict) -> None:
    with pytest.raises(KitError, match="unknown set of sentences 'shrt': did you mean 'short'"):
        figure(state, 0, "shrt")


def test_a_set_is_three_sentences(encoder) -> None:
    for sentences, message in [
        (["a", "b"], "expected three sentences in the set 'x', got 2"),
        (["a", " ", "c"], "empty or blank"),
    ]:
        with pytest.raises(KitError, match=message):
            padding_state(encoder, {"x": sentences})


def test_the_board_starts_where_it_says_and_travels_as_json(encoder) -> None:
    board = padding_board(encoder, SETS)
    assert board.controls == {"padding": 10, "sentences": "short"}
    assert board.summary == padding_summary(figure(board.state, 10))
    assert "With 10 [PAD] the batch is 16 wide; the first sentence has 6 tokens." in board.summary
    assert len(json.dumps(board.state)) < 100_000


def test_a_sentence_that_is_not_the_longest_is_padded_before_any_is_added(encoder) -> None:
    state = padding_state(encoder, {"uneven": ["A cat.", "A dog sleeps all day.", "No."]})
    assert "With 4 [PAD] the batch is 9 wide; the first sentence has 5 tokens." in padding_summary(
        figure(state, 0, "uneven")
    )
