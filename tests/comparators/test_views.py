"""Views on rows of token ids, and NT-Xent over two of them, term by term."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
import torch

from kit.comparators.distortions import cut, drop_words, mask_span, shuffle
from kit.comparators.view_pairs import Views
from kit.errors import KitError
from kit.losses import nt_xent_relations
from kit.training import Trainer, fit, recipe
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups
from tests.training.shared import resumes_bit_for_bit

CLS, SEP, MASK = 2, 3, 4
ROWS = [[CLS, *range(10, 10 + n), SEP] for n in (0, 1, 2, 3, 7, 40)]


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_cut_takes_its_share_and_keeps_the_order() -> None:
    for share in [0.01, 0.15, 0.5, 0.99]:
        for row in ROWS:
            count = len(row) - 2
            gone = max(0, min(max(1, round(share * count)), count - 1))
            for seed in range(20):
                found = cut(row, share, generator(seed))
                inner = found[1:-1]
                assert found[0] == CLS and found[-1] == SEP and len(inner) == count - gone
                assert inner == sorted(inner) and set(inner) <= set(row)


def test_every_piece_is_cut_as_often() -> None:
    row = ROWS[4]
    kept = Counter(piece for seed in range(2100) for piece in cut(row, 0.15, generator(seed))[1:-1])
    for piece in row[1:-1]:
        assert kept[piece] / 2100 == pytest.approx(6 / 7, abs=4 * math.sqrt(6 / 49 / 2100))


def test_a_shuffle_moves_pieces_and_nothing_else() -> None:
    for row in ROWS:
        seen = {tuple(shuffle(row, generator(seed))) for seed in range(60)}
        assert all(s[0] == CLS and s[-1] == SEP and sorted(s) == sorted(row) for s in seen)
        orders = math.factorial(len(row) - 2)
        assert len(seen) == orders if orders <= 6 else len(seen) > 50


def test_a_shuffled_row_is_a_row_with_shuffled_positions(tmp_path: Path) -> None:
    """What ConSERT does and what the kit does: the mean over the tokens is the same."""
    encoder = tiny_encoder(tmp_path).double()
    row = encoder.tokenize(["the small cat sleeps under a house near river"])[0]
    assert len(set(row)) == len(row), "each piece once: its place is known"
    mixed = shuffle(row, generator(5))
    assert mixed != row
    positions = torch.tensor([[mixed.index(piece) for piece in row]])
    theirs = encoder.bert(input_ids=torch.tensor([row]), position_ids=positions).last_hidden_state.mean(1)
    torch.testing.assert_close(encoder.embed([mixed]), theirs, rtol=0, atol=1e-9)


def test_a_span_becomes_one_mask() -> None:
    for span in [1, 2, 5]:
        for row in ROWS:
            seen = {tuple(mask_span(row, span, MASK, generator(seed))) for seed in range(200)}
            count = len(row) - 2
            if count <= span:
                assert seen == {tuple(row)}
                continue
            expected = {(*row[:s], MASK, *row[s + span :]) for s in range(1, count - span + 2)}
            assert seen == expected if len(expected) < 10 else seen <= expected and len(seen) > 20


def test_words_are_deleted_whole_and_one_stays() -> None:
    continues = [False] * 10 + [False, True, True, False, False, True, False]
    row = [CLS, 10, 11, 12, 13, 14, 15, 16, SEP]  # four words: 10 11 12, 13, 14 15, 16
    words = {10: (10, 11, 12), 13: (13,), 14: (14, 15), 16: (16,)}
    often = Counter()
    for seed in range(2000):
        found = drop_words(row, 0.6, continues, generator(seed))
        starts = [piece for piece in found[1:-1] if piece in words]
        assert found == [CLS, *(p for s in starts for p in words[s]), SEP] and starts == sorted(starts) and starts
        often.update(starts)
    # 0.4, and where all four would have gone (0.6⁴) one of them stays
    for start in words:
        assert often[start] / 2000 == pytest.approx(0.4 + 0.6**4 / 4, abs=0.05)
    assert drop_words(row, 0.0, continues, generator()) == row
    assert drop_words([CLS, SEP], 0.6, continues, generator()) == [CLS, SEP]


def test_a_view_is_a_function_of_the_generator() -> None:
    for view in [
        lambda g: cut(ROWS[5], 0.3, g),
        lambda g: shuffle(ROWS[5], g),
        lambda g: mask_span(ROWS[5], 3, MASK, g),
        lambda g: drop_words(ROWS[5], 0.6, [False] * 60, g),
    ]:
        assert view(generator(3)) == view(generator(3)) != view(generator(4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, name: str, data=None, **changes) -> Trainer:
    settings = recipe(name, **{"batch_size": 6, "lr": 1e-3, "dropout": 0.0, **changes})
    encoder = tiny_encoder(folder, pooling=settings.pooling)
    return Trainer(encoder, settings, Views.examples(encoder, data or SENTENCES, settings, 0), 4, precision="fp32")


@pytest.mark.parametrize(("name", "first", "second"), [("consert", "shuffle", "cut"), ("mirror", "copy", "mask")])
def test_rows_of_a_batch(folder: Path, name: str, first: str, second: str) -> None:
    one = trainer_of(folder, name)
    options = one.recipe.options
    assert (options.first_view, options.second_view) == (first, second)
    batch, rows = one.next_batch(), sorted(one.encoder.tokenize(SENTENCES))
    firsts, seconds = batch.token_ids[:6], batch.token_ids[6:]
    assert sorted(map(sorted, firsts)) == sorted(map(sorted, rows)), "first views have all pieces"
    assert (sorted(firsts) == rows) == (first == "copy")
    changed = [len(b) < len(a) or MASK in b for a, b in zip(firsts, seconds)]
    assert len(seconds) == 6 and all(changed[i] for i in range(6) if len(firsts[i]) > 4)
    assert torch.equal(batch.relations.positive, nt_xent_relations(6).positive)
    assert batch.token_ids == trainer_of(folder, name).next_batch().token_ids


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_a_batch_is_cut_by_the_share_of_its_recipe(folder: Path, share: float) -> None:
    token_ids = trainer_of(folder, "consert", cut_share=share).next_batch().token_ids
    for whole, seen in zip(token_ids[:6], token_ids[6:]):
        count = len(whole) - 2
        assert len(whole) - len(seen) == max(0, min(max(1, round(share * count)), count - 1))


@pytest.mark.parametrize("span", [1, 3])
def test_a_batch_is_masked_by_the_span_of_its_recipe(folder: Path, span: int) -> None:
    token_ids = trainer_of(folder, "mirror", span=span).next_batch().token_ids
    hidden = [(whole, seen) for whole, seen in zip(token_ids[:6], token_ids[6:]) if MASK in seen]
    assert hidden and all(len(whole) - len(seen) == span - 1 for whole, seen in hidden)


@pytest.mark.parametrize("name", ["consert", "mirror"])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_the_loss_is_nt_xent_written_out(folder: Path, name: str, similarity: str) -> None:
    one = trainer_of(folder, name, similarity=similarity, temperature=0.5)
    batch = one.next_batch()
    z = one.encoder.embed(batch.token_ids).detach()
    tau, terms = one.recipe.options.temperature, []
    for i in range(12):
        norms = [float(z[i].norm() * z[j].norm()) if similarity == "cosine" else 1.0 for j in range(12)]
        logits = [float(z[i] @ z[j]) / norms[j] / tau for j in range(12)]
        others = [math.exp(logit) for j, logit in enumerate(logits) if j != i]
        terms.append(math.log(sum(others)) - logits[(i + 6) % 12])
    assert one.step()["loss"] == pytest.approx(sum(terms) / 12, rel=1e-4)


def test_a_copy_and_a_copy_are_another_recipe() -> None:
    with pytest.raises(KitError, match="recipe 'mirror': expected a view that is no copy .*'simcse_unsup'.*, got"):
        recipe("mirror", second_view="copy")


def test_options_that_make_no_sense() -> None:
    for changes, sentence in [
        ({"first_view": "crop"}, "first_view 'copy' or 'cut' or 'shuffle' or 'mask', got 'crop'"),
        ({"second_view": None}, "second_view 'copy' .*, got None"),
        ({"cut_share": 0}, "a cut_share between 0 and 1, got 0"),
        ({"cut_share": 1.0}, "a cut_share"),
        ({"cut_share": math.nan}, "a cut_share"),
        ({"span": 0}, "a span of 1 piece or more, got 0"),
        ({"span": 1.5}, "a span"),
        ({"span": True}, "a span"),
    ]:
        with pytest.raises(KitError, match=f"recipe 'consert': expected {sentence}"):
            recipe("consert", **changes)


@pytest.mark.parametrize("name", ["consert", "mirror"])
def test_one_sentence_has_nothing_to_be_told_from(folder: Path, name: str) -> None:
    one = trainer_of(folder, name, data=SENTENCES[:1])
    before = {k: v.clone() for k, v in one.encoder.state_dict().items()}
    assert one.step()["loss"] == pytest.approx(0, abs=1e-6)
    after = one.encoder.state_dict()
    assert before.keys() == after.keys()
    for name_of, weight in after.items():
        torch.testing.assert_close(weight, before[name_of], atol=1e-3, rtol=0)


@pytest.mark.parametrize("name", ["consert", "mirror"])
def test_groups_and_their_sentences_are_the_same_data(folder: Path, name: str) -> None:
    groups = tiny_groups(5)
    texts = list(dict.fromkeys(t for g in groups for t in (g.anchor, *g.hypotheses)))
    encoder, settings = tiny_encoder(folder), recipe(name)
    assert Views.examples(encoder, groups, settings, 0) == Views.examples(encoder, texts, settings, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["consert", "mirror"])
def test_a_killed_run_goes_on_bit_for_bit(folder: Path, tmp_path: Path, name: str) -> None:
    resumes_bit_for_bit(folder, tmp_path, recipe(name, batch_size=5, lr=1e-3, epochs=2, dropout=0.2), tiny_groups())


@pytest.mark.slow
def test_views_are_learnt(folder: Path) -> None:
    settings = recipe("consert", batch_size=12, lr=2e-3, epochs=12, dropout=0.0)
    result = fit(tiny_encoder(folder), settings, tiny_groups(), progress=False)
    losses = [h["loss"] for h in result.history]
    assert sum(losses[-6:]) < 0.8 * sum(losses[:6])
