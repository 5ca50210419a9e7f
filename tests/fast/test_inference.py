"""Vectors without a gradient are those of the padded pass, in float32 and lower; fused products are those of torch."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch.nn import functional as F

from kit.encoder import Encoder, load_encoder
from kit.encoder.pooling import POOLINGS
from kit.fast import fused, inference, stopwatch
from kit.fast.fused import bf16_pays, fused_linear, fuses, packed_weight
from kit.fast.inference import TOKEN_STEP, Inference, attention, equal_lengths
from tests.fast.test_packed import LENGTHS, rows


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder("kit-bert-tiny").eval()


@pytest.fixture
def without_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*args: object) -> torch.Tensor:
        raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_linear_pointwise'")

    monkeypatch.setattr(fused, "_by_onednn", gone)
    fused._operators_work.cache_clear()
    yield
    fused._operators_work.cache_clear()


def encoded(encoder: Encoder, token_ids: list[list[int]], precision: str = "fp32") -> torch.Tensor:
    with torch.inference_mode():
        return Inference(encoder, precision)(token_ids)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_every_pooling_gives_the_vectors_of_the_padded_pass(pooling: str) -> None:
    encoder = load_encoder("kit-bert-tiny", pooling=pooling).eval()
    for encoder.first_layer in (0, 1):
        with torch.no_grad():
            torch.testing.assert_close(encoded(encoder, rows()), encoder.embed_padded(rows()), rtol=0, atol=1e-5)


def test_any_mixture_of_lengths(encoder: Encoder) -> None:
    for lengths in ((4,), (16,), (17,) * 9, (3,) * 50, (128,) * 3, (TOKEN_STEP // 2,) * 2, tuple(range(3, 40))):
        with torch.no_grad():
            expected = encoder.embed_padded(rows(lengths))
        torch.testing.assert_close(encoded(encoder, rows(lengths)), expected, rtol=0, atol=1e-5)


def test_without_the_private_operators_torch_multiplies(encoder: Encoder, without_onednn: None) -> None:
    with torch.no_grad():
        expected = encoder.embed_padded(rows())
    for precision in ("fp32", "bf16", "bf16_all"):
        torch.testing.assert_close(encoded(encoder, rows(), precision), expected, rtol=0, atol=2e-2)
    torch.testing.assert_close(encoded(encoder, rows()), expected, rtol=0, atol=1e-5)


def test_each_lower_precision_is_as_near_as_it_is_told(encoder: Encoder, monkeypatch) -> None:
    monkeypatch.setattr(inference, "bf16_pays", lambda: True)  # however long bfloat16 takes here
    exact = F.normalize(encoded(encoder, rows(LENGTHS * 4)))
    some, all_ = (F.normalize(encoded(encoder, rows(LENGTHS * 4), low)) for low in ("bf16", "bf16_all"))
    assert 0 < (some - exact).abs().max() < 1.5e-3
    assert (some - exact).norm() < (all_ - exact).norm()
    assert (all_ * exact).sum(1).min() > 0.999


def test_lower_precision_is_left_alone_where_it_does_not_pay(encoder: Encoder, monkeypatch) -> None:
    monkeypatch.setattr(inference, "bf16_pays", lambda: False)
    exact = encoded(encoder, rows())
    assert all(torch.equal(encoded(encoder, rows(), low), exact) for low in ("bf16", "bf16_all"))


@pytest.mark.parametrize(
    ("bfloat16", "float32", "pays", "products"),
    [(1.0, 2.0, True, 24), (2.0, 1.0, False, 24), (4.0, 1.0, False, 12)],  # the last without a large product
)
def test_whether_it_pays_is_measured(bfloat16: float, float32: float, pays: bool, products: int, monkeypatch) -> None:
    noise, rows = [9, 1, 3, 1, 5, 2], []
    fuses(torch.float32)  # which is measured at the first product, too

    def seconds(way) -> float:
        turn, which = divmod(len(rows), 2)
        made = way()
        rows.append(len(made))
        assert made.dtype == (torch.float32, torch.bfloat16)[which]
        return noise[turn % len(noise)] * (float32, bfloat16)[which]

    monkeypatch.setattr(stopwatch, "seconds", seconds)
    assert bf16_pays.__wrapped__() is pays
    assert rows == [32] * 12 + [1024] * (products - 12)


def test_attention_stays_within_each_sentence() -> None:
    lengths, heads, size = (2, 2, 3, 7), 2, 4
    qkv = torch.randn(sum(lengths) + 5, 3 * heads * size, dtype=torch.float64)
    found, start = attention(qkv, equal_lengths(rows(lengths)), heads), 0
    for length in lengths:
        q, k, v = qkv[start : start + length].view(length, 3, heads, size).unbind(1)
        weights = torch.einsum("qhd,khd->hqk", q, k).div(size**0.5).softmax(-1)
        expected = torch.einsum("hqk,khd->qhd", weights, v).reshape(length, -1)
        torch.testing.assert_close(found[start : start + length], expected)
        start += length
    assert found.shape == (len(qkv), heads * size) and not found[start:].any()


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("part", ["weight", "bias"])
def test_weights_that_are_not_numbers_give_vectors_that_are_not(name: str, part: str) -> None:
    """torch's attention gives 0 for such queries and keys of a sentence below 16 pieces: its vector would be finite."""
    encoder = load_encoder("kit-bert-tiny").eval()
    with torch.no_grad():
        getattr(getattr(encoder.bert.encoder.layer[0].attention.self, name), part)[5] = torch.nan
        assert encoder.embed_padded(rows((4, 20))).isnan().all()
    for precision in ("fp32", "bf16_all"):
        assert encoded(encoder, rows((4, 20)), precision).isnan().all()


def test_runs_hold_sentences_of_one_length() -> None:
    assert equal_lengths(rows((3, 3, 5, 9, 9, 9))) == [(0, 6, 3), (6, 11, 5), (11, 38, 9)]


def test_this_torch_has_the_operators_so_products_are_fused() -> None:
    if not torch.backends.mkldnn.is_available():
        pytest.skip("torch is built without oneDNN here")
    assert fused._operators_work(torch.float32)
    assert fused._operators_work(torch.bfloat16) or not torch.ops.mkldnn._is_mkldnn_bf16_supported()


def test_a_fused_product_is_that_of_torch_and_what_follows() -> None:
    for dtype, inner, outer in product((torch.float32, torch.bfloat16, torch.float64), (1, 128), (7, 384)):
        torch.manual_seed(0)
        x, weight, bias, plus = (torch.randn(size) for size in ((300, inner), (outer, inner), (outer,), (300, outer)))
        x, weight, bias, plus = ((part / 4).to(dtype) for part in (x, weight, bias, plus))
        packed = packed_weight(weight, len(x))
        wide = F.linear(x.double(), weight.double(), bias.double())
        near = {"rtol": 1e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-5, "atol": 1e-5}
        for found, expected in (
            (fused_linear(x, packed, bias), wide),
            (fused_linear(x, packed, bias, gelu=True), F.gelu(wide)),
            (fused_linear(x, packed, bias, plus=plus), wide + plus),
        ):
            assert found.dtype == dtype
            torch.testing.assert_close(found.double(), expected, **near)
