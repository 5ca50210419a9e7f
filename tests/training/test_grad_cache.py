"""Gradient caching is the gradient of the whole batch, to the last digits; accumulation is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from kit.encoder import Encoder
from kit.errors import KitError
from kit.fast.chunked import chunked_softmax
from kit.losses import (
    GroupRelations,
    PairClassifier,
    cross_entropy,
    masked_softmax,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    supcon_relations,
    supmpn_relations,
)
from kit.training import Trainer, recipe
from kit.training.batches import make_batch, tokenize_groups
from kit.training.grad_cache import RandomState, accumulated_gradient, cached_gradient, full_gradient, take_gradient
from kit.training.trainer import set_dropout
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups

ROWS = 12
RELATIONS = {
    "supmpn": (supmpn_relations(2, 2, 3), "excluded"),
    "zero_logit": (supmpn_relations(2, 3, 2), "zero_logit"),
    "hard": (mnrl_hard_relations(4), "included"),
    "nt_xent": (nt_xent_relations(6), "included"),
    "supcon": (supcon_relations(torch.arange(12) % 5), "included"),
}
CHUNKS = [1, 3, 7, ROWS, 99]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def encoder_of(folder: Path, dropout: float, dtype: torch.dtype = torch.float64) -> Encoder:
    encoder = tiny_encoder(folder).to(dtype)
    set_dropout(encoder, dropout)
    return encoder.train()


def batch_of(encoder: Encoder) -> SimpleNamespace:
    return SimpleNamespace(token_ids=(encoder.tokenize(SENTENCES) * 2)[:ROWS])  # every text twice


def loss_over(name: str) -> Callable:
    relations, other_positives = RELATIONS[name]
    return lambda z, batch: masked_softmax(z, relations, 0.1, other_positives=other_positives)


def chunk_by_chunk(encoder: Encoder, batch, loss_of, chunk: int) -> torch.Tensor:
    """The plain way: all chunks with their graphs at once, one loss, one backward pass."""
    parts = [encoder.embed(batch.token_ids[i : i + chunk]) for i in range(0, len(batch.token_ids), chunk)]
    loss = loss_of(torch.cat(parts), batch)
    loss.backward()
    return loss.detach()


def distance(a: torch.Tensor, b: torch.Tensor) -> float:
    return float((a - b).norm() / b.norm())


@pytest.mark.slow
@pytest.mark.parametrize("name", RELATIONS)
def test_the_cached_gradient_is_that_of_the_whole_batch_under_the_same_dropout(folder, name: str) -> None:
    for chunk in CHUNKS:
        encoder = encoder_of(folder, dropout=0.1)
        batch, loss_of = batch_of(encoder), loss_over(name)
        torch.manual_seed(5)
        expected, whole = chunk_by_chunk(encoder, batch, loss_of, chunk), take_gradient(encoder)
        drawn = torch.rand(3)
        torch.manual_seed(5)
        loss, found = cached_gradient(encoder.embed, batch, loss_of, chunk), take_gradient(encoder)
        assert loss.item() == pytest.approx(expected.item(), rel=1e-12)
        assert whole.norm() > 1e-3 and distance(found, whole) < 1e-12
        assert torch.equal(torch.rand(3), drawn), "the random numbers go on as if drawn once"
        torch.manual_seed(6)
        cached_gradient(encoder.embed, batch, loss_of, chunk)
        assert distance(take_gradient(encoder), whole) > 1e-3, "dropout is on, and another seed another gradient"


def test_what_the_loss_draws_is_not_drawn_again(folder) -> None:
    encoder, drawn = encoder_of(folder, dropout=0.1), []

    def loss_of(vectors, batch):
        drawn.append(torch.rand(3))
        return vectors.square().sum()

    cached_gradient(encoder.embed, batch_of(encoder), loss_of, 3)
    assert not torch.equal(torch.rand(3), drawn[0])


@pytest.mark.slow
def test_without_dropout_it_is_the_gradient_of_one_pass(folder) -> None:
    for chunk in CHUNKS:
        for dtype, most in [(torch.float64, 1e-12), (torch.float32, 1e-6)]:
            encoder = encoder_of(folder, 0.0, dtype)
            batch, loss_of = batch_of(encoder), loss_over("hard")
            expected, whole = full_gradient(encoder.embed, batch, loss_of), take_gradient(encoder)
            loss, found = cached_gradient(encoder.embed, batch, loss_of, chunk), take_gradient(encoder)
            assert loss.item() == pytest.approx(expected.item(), rel=most)
            assert whole.norm() > 1e-3 and distance(found, whole) < most


def test_without_the_replay_it_would_be_another_gradient(folder, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = encoder_of(folder, dropout=0.1)
    batch, loss_of = batch_of(encoder), loss_over("hard")
    torch.manual_seed(5)
    chunk_by_chunk(encoder, batch, loss_of, 3)
    whole = take_gradient(encoder)
    monkeypatch.setattr(RandomState, "restore", lambda state: None)
    torch.manual_seed(5)
    cached_gradient(encoder.embed, batch, loss_of, 3)
    assert distance(take_gradient(encoder), whole) > 1e-2


def test_a_gpu_that_nobody_uses_is_not_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [torch.arange(3)]
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: states)
    for there, used in ((False, False), (True, False), (True, True)):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        monkeypatch.setattr(torch.cuda, "is_initialized", lambda used=used: used)
        assert RandomState.now().cuda == (tuple(states) if used else ())


def test_gradients_add_up_as_those_of_backward_do(folder) -> None:
    encoder = encoder_of(folder, 0.0)
    batch, loss_of = batch_of(encoder), loss_over("supmpn")
    cached_gradient(encoder.embed, batch, loss_of, 5)
    once = take_gradient(encoder)
    full_gradient(encoder.embed, batch, loss_of)
    cached_gradient(encoder.embed, batch, loss_of, 5)
    assert distance(take_gradient(encoder), 2 * once) < 1e-12
    assert all(p.grad is None for p in encoder.parameters()), "taken is taken"


@pytest.mark.slow
def test_8192_rows_have_the_gradient_of_one_pass_and_no_matrix_of_that_size(folder, monkeypatch) -> None:
    """Against the plain softmax with its whole matrix, and one pass of the encoder."""
    encoder, rows = encoder_of(folder, 0.0, torch.float32), 8192
    rng = torch.Generator().manual_seed(0)
    words = torch.randint(5, len(encoder.tokenizer), (rows, 3), generator=rng).tolist()
    batch = SimpleNamespace(token_ids=[[2, *row[: 1 + i % 3], 3] for i, row in enumerate(words)])
    relations, sizes = mnrl_relations(rows // 2), []
    expected = full_gradient(encoder.embed, batch, lambda z, _: masked_softmax(z, relations, 0.05))
    whole = take_gradient(encoder)
    block = GroupRelations.block

    def spy(self: GroupRelations, start: int, stop: int) -> tuple[torch.Tensor, torch.Tensor]:
        found = block(self, start, stop)
        sizes.append(found[0].numel())
        return found

    monkeypatch.setattr(GroupRelations, "block", spy)
    loss = cached_gradient(encoder.embed, batch, lambda z, _: chunked_softmax(z, relations, 0.05), 512)
    assert max(sizes) <= 2**20 and sum(sizes) == (rows // 2) ** 2
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    assert whole.norm() > 1e-3 and distance(take_gradient(encoder), whole) < 1e-5


def test_a_head_inside_the_loss_gets_its_gradient(folder) -> None:
    encoder = encoder_of(folder, dropout=0.2)
    torch.manual_seed(0)
    head = PairClassifier(encoder.dim).double()
    both, batch = nn.ModuleList([encoder, head]), batch_of(encoder)
    labels = torch.arange(6) % 3

    def loss_of(z, batch):
        return cross_entropy(head(z[:6], z[6:]), labels) + loss_over("nt_xent")(z, batch)

    torch.manual_seed(5)
    chunk_by_chunk(encoder, batch, loss_of, 5)
    of_head = [p.grad.clone() for p in head.parameters()]
    whole = take_gradient(both)
    torch.manual_seed(5)
    cached_gradient(encoder.embed, batch, loss_of, 5)
    for parameter, expected in zip(head.parameters(), of_head):
        assert expected.norm() > 1e-3
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-12, atol=1e-14)
    assert distance(take_gradient(both), whole) < 1e-12


def test_the_graph_of_one_chunk_at_a_time(folder) -> None:
    """What the memory goes into: the largest number of rows whose graph is alive."""
    encoder, rows = encoder_of(folder, 0.0), []

    def embed(token_ids: list) -> torch.Tensor:
        if torch.is_grad_enabled():
            rows.append(len(token_ids))
        return encoder.embed(token_ids)

    batch = batch_of(encoder)
    cached_gradient(embed, batch, loss_over("hard"), 5)
    assert rows == [5, 5, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("scl", {"lam": 0.3, "temperature": 20.0}),
        ("sbert", {}),
        ("simcse", {}),
        ("mnrl", {"mask_duplicates": True}),
        ("supmpn", {"other_positives": "zero_logit", "positives": 2, "negatives": 2}),
    ],
)
def test_a_recipe_with_a_chunk_trains_alike(folder, name: str, changes: dict) -> None:
    def run(chunk: int | None) -> tuple[list[float], torch.Tensor]:
        made = recipe(name, **{"dropout": 0.0, "batch_size": 6, "lr": 1e-3, "chunk": chunk, **changes})
        encoder = tiny_encoder(folder, pooling=made.pooling)
        examples = tokenize_groups(
            encoder, tiny_groups(), made.data_format, 0, True, made.options.positives, made.options.negatives
        )
        trainer = Trainer(encoder, made, examples, steps=3, precision="fp32")
        told = [trainer.step() for _ in range(3)]
        weights = torch.cat([p.detach().flatten() for p in trainer.module.parameters()])
        return [value for step in told for value in step.values()], weights

    plain, weights = run(None)
    for chunk in (1, 4):
        values, others = run(chunk)
        assert values == pytest.approx(plain, rel=1e-4)
        assert float((others - weights).abs().max()) < 2e-4  # AdamW makes much of a small difference
    assert weights.norm() > 1


def test_dropout_in_a_chunked_training_repeats_with_its_seed(folder) -> None:
    def run(seed: int) -> list[dict]:
        made = recipe("simcse_unsup", batch_size=6, lr=1e-3, chunk=4)
        encoder = tiny_encoder(folder)
        trainer = Trainer(
            encoder, made, tokenize_groups(encoder, tiny_groups(), "self_pairs"), 4, seed, precision="fp32"
        )
        return [trainer.step() for _ in range(4)]

    assert run(1) == run(1) != run(2)


def small_batches(encoder: Encoder, made, examples: list, parts: int) -> list:
    size = len(examples) // parts
    return [make_batch(examples[i : i + size], made) for i in range(0, len(examples), size)]


def test_accumulation_is_the_mean_of_the_small_gradients_and_not_a_larger_batch(folder) -> None:
    made = recipe("simcse")
    encoder = encoder_of(folder, 0.0)
    examples = tokenize_groups(encoder, tiny_groups(), "triplets")[:12]

    def loss_of(z, batch):
        return masked_softmax(z, batch.relations, 0.05)

    full = full_gradient(encoder.embed, make_batch(examples, made), loss_of)
    large = take_gradient(encoder)
    parts, losses, mean = small_batches(encoder, made, examples, 4), [], 0.0
    for part in parts:
        losses.append(full_gradient(encoder.embed, part, loss_of).item())
        mean = mean + take_gradient(encoder) / 4
    loss = accumulated_gradient(encoder.embed, parts, loss_of)
    accumulated = take_gradient(encoder)
    assert loss.item() == pytest.approx(sum(losses) / 4, rel=1e-12)
    assert distance(accumulated, mean) < 1e-12
    assert loss < 0.95 * full, "fewer candidates are easier to win against"
    assert distance(accumulated, large) > 0.1
    assert torch.cosine_similarity(accumulated, large, dim=0) < 0.99


def test_accumulation_is_the_large_batch_where_rows_do_not_meet(folder) -> None:
    encoder = encoder_of(folder, 0.0)
    whole = batch_of(encoder)
    parts = [SimpleNamespace(token_ids=whole.token_ids[i : i + 4]) for i in range(0, ROWS, 4)]

    def loss_of(z, batch):
        return (z.norm(dim=1) - 1).square().mean()

    full = full_gradient(encoder.embed, whole, loss_of)
    large = take_gradient(encoder)
    assert accumulated_gradient(encoder.embed, parts, loss_of).item() == pytest.approx(full.item(), rel=1e-12)
    assert distance(take_gradient(encoder), large) < 1e-12


def test_a_chunk_has_a_row(folder) -> None:
    for chunk in [0, -1, 2.0, True, None]:
        encoder = encoder_of(folder, 0.0)
        with pytest.raises(KitError, match=f"expected chunk as a whole number from 1, got {chunk!r}"):
            cached_gradient(encoder.embed, batch_of(encoder), loss_over("hard"), chunk)


def test_no_batch_to_accumulate(folder) -> None:
    with pytest.raises(KitError, match="at least one small batch"):
        accumulated_gradient(encoder_of(folder, 0.0).embed, [], loss_over("hard"))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [2, 5])
@pytest.mark.parametrize("negatives", [0, 1])
def test_the_numbers_of_sentence_transformers(folder, tmp_path: Path, chunk: int, negatives: int) -> None:
    """The real class on the same weights, without dropout: values and gradients of every weight."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.losses import CachedMultipleNegativesRankingLoss

    encoder = encoder_of(folder, 0.0, torch.float32)
    model = SentenceTransformer(str(copy.deepcopy(encoder).save(tmp_path / "saved")), device="cpu").eval()
    groups = [g for g in tiny_groups() if g.negatives][:6]
    columns = [[g.anchor for g in groups], [g.positives[0] for g in groups], [g.negatives[0] for g in groups]]
    columns = columns[: 2 + negatives]
    theirs = CachedMultipleNegativesRankingLoss(model, scale=20.0, mini_batch_size=chunk)
    loss = theirs([model.tokenize(column) for column in columns], None)
    loss.backward()
    expected = {name: p.grad for name, p in model[0].auto_model.named_parameters() if p.grad is not None}

    batch = SimpleNamespace(token_ids=encoder.tokenize([text for column in columns for text in column]))
    relations = supmpn_relations(6, 1, negatives)
    ours = cached_gradient(encoder.embed, batch, lambda z, _: masked_softmax(z, relations, 0.05), chunk)
    assert ours.item() == pytest.approx(loss.item(), rel=1e-6) and loss.item() > 0.1
    found = {name: p.grad for name, p in encoder.bert.named_parameters() if p.grad is not None}
    assert len(found) > 20 and found.keys() == expected.keys()
    for name, gradient in found.items():
        torch.testing.assert_close(gradient, expected[name], rtol=1e-4, atol=1e-6, msg=name)
