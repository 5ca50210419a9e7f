"""The masked loss against the plain one, the head start against loops, batches from (seed, step)."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from kit.pretraining.compact_bert import Size, flops_per_token, masked_lm_loss, masked_logits, new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.start import count_pairs, embeddings_from_counts, head_start
from kit.pretraining.windows import LONG, SHORT, USUAL, Frame, draw_batch, kind_of
from kit.training.masking import IGNORE, Pieces, mask_whole_words, masked_cross_entropy

PAD, UNK, CLS, SEP, MASK = range(5)
V = 90
FRAME, ONE_LAYER = Frame(CLS, SEP, PAD), Size(1, 64)
PIECES = Pieces(continues=torch.arange(V) >= 60, special=torch.arange(V) < 5, mask_id=MASK, first_word_id=5)


@pytest.fixture
def model():
    model = new_masked_lm(ONE_LAYER, V, positions=LONG, seed=3, attention="eager")
    with torch.no_grad():  # away from the flat start, so that a wrong position shows
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(parameter.numel())) / 8)
    return model


@pytest.fixture
def stream() -> Stream:
    """Forty documents of three lines of 2 to 60 pieces; every piece below 80 occurs, none above."""
    generator = torch.Generator().manual_seed(0)
    tokens, starts, lengths = [], [], []
    for _ in range(40):
        for _ in range(3):
            n = int(torch.randint(2, 61, (1,), generator=generator))
            starts.append(len(tokens))
            lengths.append(n)
            tokens += torch.randint(5, 80, (n,), generator=generator).tolist()
        tokens.append(SEP)
    return Stream(torch.tensor(tokens, dtype=torch.int32), torch.tensor(starts), torch.tensor(lengths), {"toy": 1})


# --- the loss ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_cross_entropy_is_pytorchs(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    logits, targets = 5 * torch.randn(40, V), torch.randint(V, (40,))
    targets[::3] = IGNORE
    mine, theirs = (logits.to(dtype).requires_grad_() for _ in range(2))
    ours = masked_cross_entropy(mine, targets)
    other = F.cross_entropy(theirs if dtype == torch.float64 else theirs.float(), targets)
    (2 * ours).backward()
    (2 * other).backward()
    close = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 1e-2}[dtype]
    torch.testing.assert_close(ours, other, rtol=min(close, 1e-6), atol=0)
    torch.testing.assert_close(mine.grad, theirs.grad, rtol=close, atol=close / 100)


def test_cross_entropy_of_nothing_is_zero_with_a_gradient() -> None:
    logits = torch.randn(4, V, requires_grad=True)
    loss = masked_cross_entropy(logits, torch.full((4,), IGNORE))
    loss.backward()
    assert loss == 0
    assert torch.equal(logits.grad, torch.zeros(4, V))


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


# --- the head start ---------------------------------------------------------------------------


def test_pairs_are_counted_as_a_loop_counts_them(stream: Stream) -> None:
    tokens = stream.tokens[:300].tolist()
    short = Stream(stream.tokens[:300], stream.line_starts, stream.line_lengths, {})
    expected = torch.zeros(V, V)
    for i, a in enumerate(tokens):
        for j, b in enumerate(tokens):
            if 0 < abs(i - j) <= 3:
                expected[a, b] += 1 / abs(i - j)
    counts = count_pairs(short, V, window=3)
    torch.testing.assert_close(counts, expected)
    assert torch.equal(counts, counts.T)


def test_embeddings_have_one_length_and_are_finite(stream: Stream) -> None:
    vectors = embeddings_from_counts(count_pairs(stream, V), 16, scale=0.02)
    assert vectors.shape == (V, 16)
    assert vectors.isfinite().all(), "pieces 80 to 89 never occur"
    torch.testing.assert_close(vectors.norm(dim=1), torch.full((V,), 0.02 * 4.0))
    unseen = F.normalize(vectors[80:], dim=1)
    assert (unseen @ unseen.T - torch.eye(10)).abs().max() < 0.99, "no two share a direction"
    assert torch.equal(vectors, embeddings_from_counts(count_pairs(stream, V), 16, scale=0.02))


def test_pieces_that_keep_the_same_company_are_near() -> None:
    generator = torch.Generator().manual_seed(0)
    company = {5: range(10, 20), 6: range(10, 20), 7: range(20, 30)}
    tokens = []
    for _ in range(600):
        word = int(torch.randint(5, 8, (1,), generator=generator))
        near = company[word][int(torch.randint(10, (1,), generator=generator))]
        tokens += [word, near, 8, 8, 8]
    counts = count_pairs(Stream(torch.tensor(tokens), torch.tensor([0]), torch.tensor([1]), {}), V, window=1)
    v = F.normalize(embeddings_from_counts(counts, 8), dim=1)
    assert v[5] @ v[6] > 0.5
    assert v[5] @ v[7] < 0.2


def test_a_vocabulary_smaller_than_the_width_is_filled_up() -> None:
    tokens = torch.randint(5, 30, (400,), generator=torch.Generator().manual_seed(0))
    vectors = embeddings_from_counts(count_pairs(Stream(tokens, tokens, tokens, {}), 30), 64)
    assert vectors.shape == (30, 64)
    assert vectors.isfinite().all()


def test_head_start_predicts_the_word_frequencies(stream: Stream) -> None:
    model = new_masked_lm(ONE_LAYER, V, seed=0)
    head_start(model, stream)
    counts = torch.bincount(stream.tokens.long(), minlength=V) + 1.0
    torch.testing.assert_close(model.cls.predictions.bias.softmax(0), counts / counts.sum())
    words = model.bert.embeddings.word_embeddings.weight
    assert model.cls.predictions.decoder.weight is words, "still tied"
    assert model.cls.predictions.decoder.bias is model.cls.predictions.bias
    assert words.requires_grad and words.isfinite().all()


# --- batches ----------------------------------------------------------------------------------


def test_ten_steps_have_three_lengths() -> None:
    kinds = [kind_of(step) for step in range(10)]
    assert sorted(kinds) == [SHORT] + [USUAL] * 8 + [LONG] == [32] + [128] * 8 + [512]
    assert kinds == [kind_of(step) for step in range(730, 740)]


@pytest.mark.parametrize("step", [0, 4, 9])
def test_batch_is_a_function_of_seed_and_step(stream: Stream, step: int) -> None:
    torch.manual_seed(1)
    first = draw_batch(stream, FRAME, step, 2048, seed=5)[0]
    torch.manual_seed(2)
    assert torch.equal(first, draw_batch(stream, FRAME, step, 2048, seed=5)[0])
    assert not torch.equal(first, draw_batch(stream, FRAME, step + 10, 2048, seed=5)[0])
    assert not torch.equal(first, draw_batch(stream, FRAME, step, 2048, seed=6)[0])
    assert first.shape == (2048 // kind_of(step), kind_of(step))


@pytest.mark.parametrize("step", [0, 4])
def test_windows_are_framed_pieces_of_the_stream(stream: Stream, step: int) -> None:
    ids, mask, _ = draw_batch(stream, FRAME, step, 4096, seed=0)
    assert mask is None and ids.dtype == torch.int64
    assert (ids[:, 0] == CLS).all() and (ids[:, -1] == SEP).all()
    windows = stream.tokens.long().unfold(0, ids.shape[1] - 2, 1)
    for row in ids:
        assert (windows == row[1:-1]).all(1).any()


def test_short_batches_are_whole_paragraphs_padded(stream: Stream) -> None:
    ids, mask, _ = draw_batch(stream, FRAME, 9, 32 * 400, seed=0)
    lines = {
        tuple(stream.tokens[s : s + min(n, 30)].tolist())
        for s, n in zip(stream.line_starts.tolist(), stream.line_lengths.tolist())
    }
    seen = set()
    for row, real in zip(ids.tolist(), mask.tolist()):
        n = sum(real)
        assert real == [1] * n + [0] * (32 - n)
        assert row[0] == CLS and row[n - 1] == SEP and row[n:] == [PAD] * (32 - n)
        assert tuple(row[1 : n - 1]) in lines
        seen.add(tuple(row[1 : n - 1]))
    assert len(seen) > 0.9 * len(lines), "every paragraph can be drawn"
    assert {len(line) for line in seen} >= {30}, "long ones are cut to fit"


def test_padding_does_not_change_the_loss(model, stream: Stream) -> None:
    ids, mask, generator = draw_batch(stream, FRAME, 9, 320, seed=0)
    inputs, positions, targets = mask_whole_words(ids, PIECES, generator=generator)
    loss = masked_lm_loss(model, inputs, positions, targets, mask)
    other = torch.where(mask.bool(), inputs, 77)
    torch.testing.assert_close(masked_lm_loss(model, other, positions, targets, mask), loss)
    assert not torch.allclose(masked_lm_loss(model, other, positions, targets), loss)


def test_a_stream_shorter_than_a_window_is_padded_with_its_end(stream: Stream) -> None:
    short = Stream(torch.tensor([5, 6, 7, SEP], dtype=torch.int32), torch.tensor([0]), torch.tensor([3]), {})
    ids, _, _ = draw_batch(short, FRAME, 0, 256, seed=0)
    assert ids[0].tolist() == [CLS, 5, 6, 7] + [SEP] * 124
