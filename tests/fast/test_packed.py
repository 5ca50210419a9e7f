"""The packed encoder is the padded one: vectors, gradients, dropout; and it computes no padding."""

from __future__ import annotations

import copy
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from torch.nn import functional as F

from kit.encoder import Encoder, load_encoder
from kit.encoder.layers import by_layer
from kit.encoder.pooling import POOLINGS
from kit.fast import inference
from kit.fast.dropout import fast_dropout, keep_mask
from kit.fast.packed import Attention, AttentionPlan, can_pack, embed_packed
from kit.fast.packing import LENGTH_STEP, TOKEN_STEP_BF16, Packing, bucketed
from kit.training.trainer import set_dropout
from tests.tiny import write_tiny_bert

LENGTHS = (3, 3, 5, 15, 16, 17, 17, 31, 32, 33, 64, 100)


def rows(lengths: tuple[int, ...] = LENGTHS, seed: int = 0) -> list[list[int]]:
    drawn = torch.Generator().manual_seed(seed)
    return [[2, *torch.randint(5, 8000, (length - 2,), generator=drawn).tolist(), 3] for length in lengths]


def packing_of(token_ids: list[list[int]], bucket_rows: bool = False) -> Packing:
    return Packing(token_ids, 0, bucket_rows, TOKEN_STEP_BF16)


def packed(encoder: Encoder, token_ids: list[list[int]], pad_id: int = 0) -> torch.Tensor:
    return embed_packed(encoder.bert, token_ids, pad_id, 2, encoder.pooling, encoder.first_layer)


def dropping(encoder: Encoder, share: float) -> Encoder:
    """A copy in training, with that dropout."""
    other = copy.deepcopy(encoder).train()
    set_dropout(other, share)
    return other


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder("kit-bert-tiny").eval()


@pytest.mark.parametrize("pooling", POOLINGS)
def test_every_pooling_gives_the_vectors_of_the_padded_pass(pooling: str) -> None:
    for first_layer in (0, 1):
        encoder = load_encoder("kit-bert-tiny", pooling=pooling).eval()
        encoder.first_layer = first_layer
        with torch.no_grad():
            torch.testing.assert_close(packed(encoder, rows()), encoder.embed(rows()), rtol=0, atol=1e-5)


@pytest.mark.slow
def test_gradients_are_those_of_the_padded_pass_in_float64(encoder: Encoder) -> None:
    plain, fast = copy.deepcopy(encoder).double(), copy.deepcopy(encoder).double()
    weights = torch.randn(len(LENGTHS), encoder.dim, dtype=torch.float64)
    (plain.embed(rows()) * weights).sum().backward()
    (packed(fast, rows()) * weights).sum().backward()
    for (name, a), (_, b) in zip(plain.named_parameters(), fast.named_parameters()):
        a, b = (torch.zeros_like(p) if p.grad is None else p.grad for p in (a, b))
        torch.testing.assert_close(b, a, rtol=0, atol=1e-10, msg=lambda told, name=name: f"{name}: {told}")


def test_any_mixture_of_lengths(encoder: Encoder) -> None:
    for lengths in ((4,), (16,), (17,) * 9, (3,) * 50, (128, 128), tuple(range(3, 40))):
        with torch.no_grad():
            torch.testing.assert_close(packed(encoder, rows(lengths)), encoder.embed(rows(lengths)), rtol=0, atol=1e-5)


def test_the_order_of_the_rows_is_that_given(encoder: Encoder) -> None:
    mixed = rows(tuple(reversed(LENGTHS)))
    with torch.no_grad():
        torch.testing.assert_close(encoder.embed(mixed, 64), encoder.embed(mixed), rtol=0, atol=1e-5)


def test_a_training_in_bfloat16_stays_near(encoder: Encoder) -> None:
    trained = dropping(encoder, 0.0)
    with torch.no_grad():
        wanted = encoder.embed(rows())
        with torch.autocast("cpu", torch.bfloat16):
            got = packed(trained, rows()).float()
    cosines = F.cosine_similarity(got, wanted)
    assert cosines.min() > 0.9999 and not torch.equal(got, wanted)


def test_outside_of_training_autocast_changes_nothing(encoder: Encoder) -> None:
    with torch.no_grad():
        wanted = packed(encoder, rows())
        with torch.autocast("cpu", torch.bfloat16):
            assert torch.equal(packed(encoder, rows()), wanted)


@pytest.mark.parametrize(("layers", "low"), [(3, [2]), (4, [2, 3])])
def test_the_upper_half_of_the_layers_may_be_low(tmp_path: Path, layers: int, low: list[int], monkeypatch) -> None:
    """Of three layers the uppermost alone, in the passes that make vectors to be compared."""
    encoder = load_encoder(write_tiny_bert(tmp_path, layers=layers)).eval()
    monkeypatch.setattr(inference, "bf16_pays", lambda: True)
    made = inference.Inference(encoder, "bf16").layers
    assert [depth for depth, layer in enumerate(made) if layer.feed_forward == torch.bfloat16] == low


def test_what_fills_up_is_not_read_and_has_no_gradient(encoder: Encoder) -> None:
    fast = copy.deepcopy(encoder)
    first, second = packed(fast, rows(), pad_id=4), packed(fast, rows(), pad_id=9)
    assert torch.equal(first, second)
    used = {piece for row in rows() for piece in row}
    assert not {4} & used
    first.sum().backward()
    assert fast.bert.embeddings.word_embeddings.weight.grad[4].abs().max() == 0


def test_no_token_is_computed_for_padding() -> None:
    """At most one `TOKEN_STEP_BF16` of padding tokens, and in attention one `LENGTH_STEP` for each sentence."""
    for lengths in (LENGTHS, (7,) * 100, tuple(range(3, 128))):
        packing = packing_of(rows(lengths))
        assert sum(lengths) < len(packing.ids) <= sum(lengths) + TOKEN_STEP_BF16
        assert len(packing.ids) % TOKEN_STEP_BF16 == 0
        assert sum(int(block.mask.sum()) for block in packing.blocks) == len(packing.ids)
        assert (
            sum(block.mask.numel() for block in packing.blocks)
            < len(packing.ids) + LENGTH_STEP * len(lengths) + TOKEN_STEP_BF16
        )
        there, back = packing.order(heads=2)
        assert torch.equal(there[back], torch.arange(2 * len(packing.ids)))


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_the_gradient_of_attention_is_its_derivative(dropout: float) -> None:
    packing = packing_of(rows((2, 3, 17)))
    plan = AttentionPlan(packing, heads=2, dtype=torch.float64)
    qkv = torch.randn(len(packing.ids), 3 * 4, dtype=torch.float64)
    read = torch.zeros(len(packing.ids), 1, dtype=torch.float64)
    read[-22:] = 1  # the sentences; padding_rows are not read

    def attended(x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(3)  # the same units leave each time
        return Attention.apply(x, plan, 2, dropout) * read

    some = torch.randn(len(packing.ids), 12, dtype=torch.float64)
    qkv.requires_grad_()
    (found,) = torch.autograd.grad(attended(qkv).sum(), qkv)
    for _ in range(5):
        some = torch.randn_like(some)
        step = 1e-6
        numeric = (attended(qkv + step * some).sum() - attended(qkv - step * some).sum()) / (2 * step)
        assert abs(numeric.item() - (found * some).sum().item()) < 1e-6
    assert found[:-22].abs().max() == 0


def test_in_bfloat16_the_weights_of_attention_are_kept_in_float32() -> None:
    """The gradient of the softmax is a difference of what they weigh: rounded, it would be a third farther off."""
    packing = packing_of(rows((2, 3, 17)))
    qkv = torch.randn(len(packing.ids), 3 * 4, requires_grad=True)
    attended = Attention.apply(qkv, AttentionPlan(packing, heads=2, dtype=torch.bfloat16), 2, 0.0)
    q, _, _, *kept = attended.grad_fn.saved_tensors
    assert q.dtype == torch.bfloat16 and len(kept) > 1
    for weights in kept[::2]:
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), rtol=0, atol=1e-6)


def test_dropout_of_attention_has_the_mean_of_none() -> None:
    torch.manual_seed(0)
    packing = packing_of(rows((12,) * 40))
    plan = AttentionPlan(packing, heads=2, dtype=torch.float32)
    qkv = torch.randn(len(packing.ids), 3 * 8)
    mean = torch.stack([Attention.apply(qkv, plan, 2, 0.25) for _ in range(400)]).mean(0)
    torch.testing.assert_close(mean, Attention.apply(qkv, plan, 2, 0.0), rtol=0, atol=0.2)


def test_a_unit_is_dropped_with_its_probability_and_the_others_are_scaled() -> None:
    for share in (0.0, 0.1, 0.5, 0.9):
        torch.manual_seed(0)
        out = fast_dropout(torch.ones(300, 1001), share)
        assert all(value in (0.0, pytest.approx(1 / (1 - share))) for value in out.unique().tolist())
        assert (out == 0).float().mean().item() == pytest.approx(share, abs=0.004)
        assert keep_mask((300, 1000), share).float().mean(0).std() < 0.04  # no column is favoured


def test_exactly_that_share_of_all_numbers_drops_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    every = torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.int64)  # each number of 16 bits once
    monkeypatch.setattr(torch.Tensor, "random_", lambda words, *_: words.copy_(every))
    for share in (0.0, 0.1, 0.5, 0.9):
        assert (~keep_mask((256, 256), share)).sum() == round(share * 65536)
    assert (~keep_mask((256, 256), 0.999995)).sum() == 65535, "and not none, as 65536 would be"


def test_a_seed_repeats_the_mask_and_neighbours_are_independent() -> None:
    torch.manual_seed(5)
    first = keep_mask((400, 400), 0.5)
    torch.manual_seed(5)
    assert torch.equal(first, keep_mask((400, 400), 0.5))
    signs = first.float() * 2 - 1
    assert (signs[:, 1:] * signs[:, :-1]).mean().abs() < 0.01
    assert (signs[1:] * signs[:-1]).mean().abs() < 0.01


def test_only_a_plain_bert_is_packed(encoder: Encoder) -> None:
    assert can_pack(encoder.bert)
    for change in ({"hidden_act": "relu"}, {"is_decoder": True}, {"position_embedding_type": "relative_key"}):
        other = copy.deepcopy(encoder.bert)
        for name, value in change.items():
            setattr(other.config, name, value)
        assert not can_pack(other)
    assert not can_pack(type("RobertaModel", (torch.nn.Linear,), {"config": encoder.bert.config})(2, 2))


class Adapter(torch.nn.Module):
    """A linear map with a trained addition, that looks like the map from outside: as LoRA's."""

    def __init__(self, base: torch.nn.Linear):
        super().__init__()
        self.base, self.addition = base, torch.nn.Parameter(torch.full_like(base.weight, 0.05))
        self.weight, self.bias = base.weight, base.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + F.linear(x, self.addition)


def with_adapter(bert: torch.nn.Module) -> None:
    attention = bert.encoder.layer[0].attention.self
    attention.query = Adapter(attention.query)


def with_quantised_maps(bert: torch.nn.Module) -> None:
    for layer in bert.encoder.layer:
        torch.ao.quantization.quantize_dynamic(layer, {torch.nn.Linear}, inplace=True)


def with_hook(bert: torch.nn.Module) -> None:
    bert.encoder.layer[1].output.dense.register_forward_hook(lambda module, inputs, output: output * 2)


def with_early_hook(bert: torch.nn.Module) -> None:
    bert.embeddings.word_embeddings.register_forward_pre_hook(lambda module, inputs: (inputs[0] // 2,))


def with_hook_on_the_whole(bert: torch.nn.Module) -> None:
    def halved(module: torch.nn.Module, args: tuple, named: dict) -> tuple:
        return args, {**named, "input_ids": named["input_ids"] // 2}

    bert.register_forward_pre_hook(halved, with_kwargs=True)


@pytest.mark.filterwarnings("ignore::UserWarning:torch.ao")
@pytest.mark.parametrize(
    "change", [with_adapter, with_quantised_maps, with_hook, with_early_hook, with_hook_on_the_whole]
)
def test_a_changed_bert_gives_its_own_vectors_and_gradients(encoder: Encoder, change) -> None:
    other, sentences = copy.deepcopy(encoder), ["a dog runs in the park", "it sleeps"]
    change(other.bert)
    wanted = other.encode(sentences, fast=False)
    assert (wanted - encoder.encode(sentences)).abs().max() > 1e-3
    torch.testing.assert_close(other.encode(sentences, fast=True), wanted, rtol=0, atol=1e-6)
    if change is with_adapter:
        other.embed(other.tokenize(sentences), 64, fast=True).sum().backward()
        assert other.bert.encoder.layer[0].attention.self.query.addition.grad.abs().max() > 0


def test_a_hook_on_the_gradient_is_called(encoder: Encoder) -> None:
    other, seen = copy.deepcopy(encoder), []
    other.bert.encoder.layer[0].register_full_backward_pre_hook(lambda *_: seen.append(1))
    other.embed(rows(), 64, fast=True).sum().backward()
    assert seen


def test_the_hooks_of_transformers_do_not_unpack(encoder: Encoder) -> None:
    """It leaves hooks in a model that was once asked for hidden states; they change nothing."""
    other = copy.deepcopy(encoder)
    by_layer(other, ["a dog runs"])
    assert can_pack(other.bert)


def test_dropout_acts_in_training_alone(encoder: Encoder) -> None:
    torch.manual_seed(0)
    other = copy.deepcopy(encoder)
    for module in other.bert.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.1
    with torch.no_grad():
        assert torch.equal(packed(other.eval(), rows()), packed(encoder, rows()))
        assert not torch.allclose(packed(other.train(), rows()), packed(encoder, rows()), atol=1e-2)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_empty_rows_of_a_block_change_nothing(pooling: str) -> None:
    encoder = load_encoder("kit-bert-tiny", pooling=pooling).double()
    answers = []
    for bucket_rows in (False, True):
        packing = packing_of(sorted(rows(LENGTHS * 3), key=len), bucket_rows)
        there, back = packing.order(heads=2)
        assert torch.equal(there[back], torch.arange(2 * len(packing.ids)))
        answers.append(sum(len(block.mask) for block in packing.blocks) - packing.rows - packing.padding_rows)
    assert answers[0] == 0 < answers[1]
    ordered = sorted(rows(LENGTHS * 3), key=len)
    found = []
    for bucket_rows in (False, True):
        encoder.zero_grad()
        with (
            patch("kit.fast.packed.bf16_training", lambda bert, few=bucket_rows: few),
            patch("kit.fast.packed.attention_dtype", lambda x, low: x.dtype),
        ):
            vectors = embed_packed(encoder.bert.eval(), ordered, 0, 2, pooling, 1)
        (vectors * torch.arange(vectors.numel()).view_as(vectors).sin()).sum().backward()
        found.append([vectors.detach(), *(p.grad for p in encoder.parameters() if p.grad is not None)])
    for one, other in zip(*found):
        torch.testing.assert_close(other, one, rtol=0, atol=1e-10)


def test_there_are_few_numbers_of_rows_and_none_much_larger() -> None:
    numbers = [bucketed(rows) for rows in range(1, 2049)]
    assert len(set(numbers)) < 60
    assert all(rows <= number <= max(8, rows * 1.13 + 8) for rows, number in enumerate(numbers, start=1))


def test_a_pass_without_a_gradient_is_the_pass_with_one(encoder: Encoder) -> None:
    """Gradient caching embeds first without and then with one, and replays the random numbers between them."""
    trained, found = dropping(encoder, 0.3), []
    for gradient in (False, True):
        torch.manual_seed(0)
        with torch.set_grad_enabled(gradient), torch.autocast("cpu", torch.bfloat16):
            found.append(packed(trained, rows(LENGTHS * 3)).detach())
    assert torch.equal(*found)


def test_gradients_in_bfloat16_point_where_those_of_float32_do(encoder: Encoder) -> None:
    found = []
    for low in (False, True):
        fast = dropping(encoder, 0.0)
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            vectors = packed(fast, rows())
        vectors.float().square().sum().backward()
        found.append(torch.cat([p.grad.flatten() for p in fast.parameters() if p.grad is not None]))
    assert F.cosine_similarity(*found, dim=0) > 0.999 and not torch.equal(*found)
