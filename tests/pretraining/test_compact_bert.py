"""The masked loss against the plain one, and the counts of operations."""

from __future__ import annotations

import pytest
import torch

from kit.pretraining.compact_bert import flops_per_token, masked_lm_loss, masked_logits, new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.windows import draw_batch
from kit.training.masking import IGNORE, mask_whole_words
from tests.pretraining.toy import CLS, FRAME, ONE_LAYER, PAD, PIECES, SEP, V


def test_masked_positions_alone_give_the_loss_over_all(model) -> None:
    ids = torch.randint(5, V, (6, 40), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -1] = CLS, SEP
    ids[2, 20:], ids[2, 19] = PAD, SEP
    inputs, positions, targets = mask_whole_words(ids, PIECES, generator=torch.Generator().manual_seed(2))
    assert (targets == IGNORE).any(), "slots without a target are part of the test"
    labels = torch.full_like(ids, IGNORE)
    for row, where, wanted in zip(labels, positions, targets):
        row[where[wanted != IGNORE]] = wanted[wanted != IGNORE]
    attention = (ids != PAD).long()
    ours = masked_lm_loss(model, inputs, positions, targets, attention)
    gradients = torch.autograd.grad(ours, list(model.parameters()))
    whole = model(input_ids=inputs, attention_mask=attention, labels=labels)
    torch.testing.assert_close(ours, whole.loss, rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(gradients, torch.autograd.grad(whole.loss, list(model.parameters()))):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
    logits = masked_logits(model, inputs, positions, attention)
    torch.testing.assert_close(logits[3, 1], whole.logits[3, positions[3, 1]], rtol=1e-4, atol=1e-4)


def test_model_has_no_dropout_and_follows_its_seed() -> None:
    models = [new_masked_lm(ONE_LAYER, V, seed=seed) for seed in (0, 0, 1)]
    words = [m.bert.embeddings.word_embeddings.weight for m in models]
    assert torch.equal(words[0], words[1]) and not torch.equal(words[0], words[2])
    assert {m.p for m in models[0].modules() if isinstance(m, torch.nn.Dropout)} == {0.0}


def test_operations_are_counted_from_the_matrices() -> None:
    model = new_masked_lm(ONE_LAYER, V)
    layer = sum(p.numel() for p in model.bert.encoder.parameters() if p.ndim == 2)
    dense, vocabulary = 64 * 64, 64 * V
    expected = 3 * 2 * (layer + 2 * 128 * 64 + 0.15 * (dense + vocabulary))
    assert flops_per_token(ONE_LAYER, V, 128) == pytest.approx(expected)
    of_masked = 0.85 * 3 * 2 * (layer - 2 * dense + 2 * 128 * 64)  # all but keys and values
    sparse = flops_per_token(ONE_LAYER, V, 128, last_layer_whole=False)
    assert sparse == pytest.approx(expected - of_masked)


def test_padding_does_not_change_the_loss(model, stream: Stream) -> None:
    ids, mask, generator = draw_batch(stream, FRAME, 9, 320, seed=0)
    inputs, positions, targets = mask_whole_words(ids, PIECES, generator=generator)
    loss = masked_lm_loss(model, inputs, positions, targets, mask)
    other = torch.where(mask.bool(), inputs, 77)
    torch.testing.assert_close(masked_lm_loss(model, other, positions, targets, mask), loss)
    assert not torch.allclose(masked_lm_loss(model, other, positions, targets), loss)


def test_with_autocast_the_sums_between_layers_stay_in_its_type(model) -> None:
    ids = torch.randint(5, V, (4, 16), generator=torch.Generator().manual_seed(1))
    positions = torch.arange(1, 5).repeat(4, 1)
    exact = masked_logits(model, ids, positions)
    seen = []
    model.bert.encoder.layer[-1].register_forward_hook(lambda module, inputs, output: seen.append(output))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rounded = masked_logits(model, ids, positions)
    hidden = seen[0][0] if isinstance(seen[0], tuple) else seen[0]
    assert hidden.dtype == torch.bfloat16 and exact.dtype == torch.float32
    torch.testing.assert_close(rounded.float(), exact, rtol=0.05, atol=0.05)
