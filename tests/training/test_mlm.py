"""+ MLM: hidden words beside the contrast, as a plain sum of two losses."""

from __future__ import annotations

import math

import pytest
import torch

from kit.data.twelve import twelve_sentences
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.training import Trainer, recipe
from kit.training.batches import Example
from kit.training.masked_words import WordGuesser, masked_words_loss
from kit.training.masking import Pieces, mask_whole_words


def twins(encoder) -> list[Example]:
    return [Example(ids, [ids], [0], 1) for ids in encoder.tokenize(twelve_sentences())]


def trainer(**changes) -> Trainer:
    encoder = load_encoder()
    settings = recipe("simcse_mlm", "smoke", batch_size=6, **changes)
    return Trainer(encoder, settings, twins(encoder), 20, precision="fp32")


def test_the_loss_is_that_of_plain_loops() -> None:
    """Each hidden piece by itself, through BERT, the head and a softmax over the vocabulary."""
    encoder = load_encoder().double().eval()
    guesser, pieces = (
        WordGuesser(encoder.dim, encoder.bert.config.vocab_size, encoder.dim).double(),
        Pieces.of(encoder.tokenizer),
    )
    ids = encoder.tokenize(twelve_sentences()[:1])
    found = masked_words_loss(encoder, guesser, ids, pieces, torch.Generator().manual_seed(4))
    hidden, positions, targets = mask_whole_words(torch.tensor(ids), pieces, generator=torch.Generator().manual_seed(4))
    states, words = encoder.bert(input_ids=hidden).last_hidden_state[0], encoder.bert.get_input_embeddings().weight
    terms = []
    for position, target in zip(positions[0].tolist(), targets[0].tolist()):
        if target >= 0:
            h = torch.nn.functional.gelu(guesser.dense.weight @ states[position] + guesser.dense.bias)
            h = (h - h.mean()) / (h.var(unbiased=False) + guesser.norm.eps).sqrt()  # the norm's gain is 1 at first
            terms.append(torch.logsumexp(words @ h, dim=0) - words[target] @ h)
    assert len(terms) >= 1
    assert found.item() == pytest.approx(sum(terms).item() / len(terms), rel=1e-9)


def test_both_losses_reach_the_encoder_and_the_sum_is_reported() -> None:
    with_words, without = trainer(), trainer(mlm_weight=0.0)
    gradients = []
    for one in (with_words, without):
        torch.manual_seed(1)
        loss, parts = one.backward(one.next_batch())
        gradients.append(torch.cat([p.grad.flatten() for p in one.encoder.parameters() if p.grad is not None]))
        assert loss.item() == pytest.approx(
            sum({"contrastive": 1.0, "mlm": 0.1}.get(k, 0.0) * v.item() for k, v in parts.items()), rel=1e-5
        )
    assert (gradients[0] - gradients[1]).norm() > 1e-3 * gradients[1].norm()
    assert with_words.objective.guesser.dense.weight.grad is not None and not hasattr(without.objective, "guesser")


@pytest.mark.slow
def test_a_fresh_head_knows_nothing_and_then_learns() -> None:
    one = trainer(word_head="fresh")
    losses = [one.step()["mlm"] for _ in range(20)]
    vocabulary = one.encoder.bert.config.vocab_size
    assert losses[0] > 0.6 * math.log(vocabulary)
    assert sum(losses[-4:]) / 4 < sum(losses[:4]) / 4 - 0.3


def test_a_run_repeats_itself() -> None:
    assert trainer().step() == trainer().step()


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(KitError, match="expected an mlm_weight of 0 or more, got -0.1"):
        recipe("simcse_mlm", mlm_weight=-0.1)


def test_a_pretrained_head_knows_the_words_at_once() -> None:
    """The same batch, the same hidden words: what differs is the head alone."""
    losses = {}
    for start in ("fresh", "pretrained"):
        torch.manual_seed(0)
        losses[start] = trainer(word_head=start, dropout=1e-9).step()["mlm"]
    assert losses["pretrained"] < losses["fresh"] - 3


@pytest.mark.parametrize("name", ["simcse_mlm", "declutr"])
def test_where_the_head_comes_from_is_one_of_two(name: str) -> None:
    with pytest.raises(KitError, match="expected word_head 'pretrained' or 'fresh', got 'new'"):
        recipe(name, word_head="new")
