"""Micro-batches of rows of similar length: the vectors and gradients of one padded pass, in limited sizes."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from kit.encoder import Encoder
from kit.fast import microbatches
from kit.fast.packed import GatherRows
from tests.tiny import SENTENCES, tiny_encoder


@pytest.fixture
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny_encoder(Path(tmp_path_factory.getbasetemp()) / "tiny_for_microbatches")


@pytest.mark.parametrize("packs", [True, False])
def test_values_gradients_and_sizes(encoder: Encoder, packs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microbatches, "can_pack", lambda bert: packs)
    split, sizes = microbatches.split_by_tokens, []

    def spy(token_ids: list[list[int]], microbatch_tokens: int, packed: bool) -> list[list[int]]:
        cut = split(token_ids, microbatch_tokens, packed)
        sizes.extend([len(token_ids[i]) for i in rows] for rows in cut)
        return cut

    monkeypatch.setattr(microbatches, "split_by_tokens", spy)
    ids, answers = encoder.tokenize(SENTENCES * 2), []
    for tokens in (None, 1, 12, 40, 10_000):
        sizes.clear()
        encoder.zero_grad()
        vectors = encoder.embed(ids, tokens)
        (vectors * torch.arange(vectors.numel()).view_as(vectors).sin()).sum().backward()
        answers.append([vectors.detach(), *(p.grad for p in encoder.parameters() if p.grad is not None)])
        if tokens:
            assert sum(map(len, sizes)) == len(ids)
            full = [sum(lengths) if packs else len(lengths) * max(lengths) for lengths in sizes]
            assert all(len(lengths) == 1 or held <= tokens for lengths, held in zip(sizes, full))
            more = [
                held + min(after) if packs else (len(lengths) + 1) * min(after)
                for lengths, held, after in zip(sizes, full, sizes[1:])
            ]
            assert all(held > tokens for held in more), "none is smaller than it needs to be"
    assert len(answers[0]) > 30
    for other in answers[1:]:
        for plain, found in zip(answers[0], other, strict=True):
            torch.testing.assert_close(found, plain, rtol=1e-4, atol=1e-5)


def test_a_pass_to_encode_has_as_many_tokens_as_are_asked_for_and_as_a_cache_holds(encoder: Encoder) -> None:
    for asked, most, copies in ((40, 40, 20), (10**6, microbatches.PASS_TOKENS, 300)):
        ids = encoder.tokenize(SENTENCES * copies)
        passes = [rows for rows, _ in microbatches.encode_in_passes(encoder, ids, asked, "fp32")]
        passes.sort(key=lambda rows: (len(ids[rows[0]]), rows[0]))  # they come as they are done
        tokens = [sum(len(ids[i]) for i in rows) for rows in passes]
        assert sorted(i for rows in passes for i in rows) == list(range(len(ids)))
        assert max(tokens) <= most and len(passes) > 3
        assert all(held + len(ids[after[0]]) > most for held, after in zip(tokens, passes[1:])), "none is cut short"


def test_what_is_encoded_on_a_gpu_goes_through_padded_in_passes_of_many_tokens(encoder: Encoder) -> None:
    ids = encoder.tokenize(SENTENCES * 20)
    found = list(microbatches.encode_padded(encoder, ids, 400))
    assert sorted(i for rows, _ in found for i in rows) == list(range(len(ids)))
    held = [len(rows) * max(len(ids[i]) for i in rows) for rows, _ in found]
    assert len(held) > 3 and max(held) <= 400 and sorted(held)[1] > 200, "but the last, each is well filled"
    for rows, vectors in found:
        torch.testing.assert_close(vectors, encoder.embed_padded([ids[i] for i in rows]))


def test_weights_that_are_no_float32_are_encoded_as_they_are(encoder: Encoder) -> None:
    wanted = encoder.encode(SENTENCES)
    wide = copy.deepcopy(encoder).double()
    assert torch.equal(wide.encode(SENTENCES), wide.encode(SENTENCES, fast=False))
    torch.testing.assert_close(encoder.to(torch.bfloat16).encode(SENTENCES), wanted, rtol=0, atol=0.1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
def test_a_gpu_encodes_the_vectors_of_a_cpu(encoder: Encoder) -> None:
    there = copy.deepcopy(encoder).to("cuda")
    vectors = there.encode(SENTENCES * 20)
    torch.testing.assert_close(vectors, encoder.encode(SENTENCES * 20), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(vectors, there.encode(SENTENCES * 20, fast=False), rtol=1e-4, atol=1e-5)


def test_gathering_rows_is_index_select_with_its_gradient() -> None:
    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    index = torch.randperm(7)
    assert torch.equal(GatherRows.apply(x, index, index.argsort()), x.index_select(0, index))
    assert torch.autograd.gradcheck(lambda x: GatherRows.apply(x, index, index.argsort()), (x,))
