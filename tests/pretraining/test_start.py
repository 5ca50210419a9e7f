"""Weights to start from: counts of the corpus against loops, and another model's weights, grown."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from kit.errors import KitError
from kit.paths import bundle
from kit.pretraining.compact_bert import SIZES, Size, masked_lm_loss, new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.start import count_pairs, embeddings_from_counts, head_start, start_from
from tests.pretraining.toy import ONE_LAYER, V

TINY = bundle("models", "kit-bert-tiny")  # 2 layers, 128 wide


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


def test_embeddings_are_those_of_the_flattened_information() -> None:
    """Cosines are compared: singular vectors have no sign. 20 pieces of unequal frequency, each with each."""
    counts = torch.rand(20, 20, generator=torch.Generator().manual_seed(0)) ** 6
    counts = counts + counts.T
    context = [float(c) ** 0.75 for c in counts.sum(0)]
    information = torch.zeros(20, 20)
    for i in range(20):
        for j in range(20):
            expected = counts[i].sum() / counts.sum() * context[j] / sum(context)
            information[i, j] = max(0.0, float((counts[i, j] / counts.sum() / expected).log()))
    u, s, _ = torch.linalg.svd(information)
    plain = u[:, :5] * s[:5].sqrt()
    plain = F.normalize(plain - plain.mean(0), dim=1)
    found = F.normalize(embeddings_from_counts(counts, 5), dim=1)
    torch.testing.assert_close(found @ found.T, plain @ plain.T, atol=1e-3, rtol=0)


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


# --- another model's weights ------------------------------------------------------------------


@pytest.fixture(scope="module")
def ids() -> torch.Tensor:
    return torch.randint(5, 8192, (3, 24), generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def scores(ids: torch.Tensor) -> torch.Tensor:
    """What the bundled kit-bert-tiny predicts, as transformers loads it."""
    from transformers import BertForMaskedLM

    return predicted(BertForMaskedLM.from_pretrained(TINY, dtype=torch.float32), ids)


def predicted(model: torch.nn.Module, ids: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return deepcopy(model).double().eval()(input_ids=ids).logits  # scores reach −50: 1e-4 is float32's rounding


def grown(size: Size, folder: Path | str = TINY, seed: int = 0):
    model = new_masked_lm(size, 8192, seed=7)
    start_from(model, str(folder), seed)
    return model


def test_the_same_size_is_taken_as_it_is(ids: torch.Tensor, scores: torch.Tensor) -> None:
    torch.testing.assert_close(predicted(grown(SIZES["kit-bert-tiny"]), ids), scores, rtol=0, atol=1e-5)


@pytest.mark.slow
def test_twice_as_wide_is_the_same_function_and_its_copies_part(ids: torch.Tensor, scores: torch.Tensor) -> None:
    model = grown(Size(2, 256))
    torch.testing.assert_close(predicted(model, ids), scores, rtol=0, atol=1e-4)
    same, other = grown(Size(2, 256)), grown(Size(2, 256), seed=1)
    torch.testing.assert_close(predicted(other, ids), scores, rtol=0, atol=1e-4)
    dense = "bert.encoder.layer.0.attention.output.dense.weight"
    assert torch.equal(model.state_dict()[dense], same.state_dict()[dense])
    assert not torch.equal(model.state_dict()[dense], other.state_dict()[dense])
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight, "still tied"

    positions = torch.tensor([[3, 9]] * len(ids))
    masked_lm_loss(model.train(), ids, positions, ids.gather(1, positions)).backward()
    for parameter in (layer.intermediate.dense.weight for layer in model.bert.encoder.layer):
        first, second = parameter.grad.chunk(2)  # of every unit and its copy
        assert (first - second).norm() > 0.1 * first.norm()


@pytest.mark.slow
def test_more_layers_are_the_stack_repeated() -> None:
    tiny, deep, both = (grown(size).state_dict() for size in (Size(2, 128), Size(6, 128), Size(4, 256)))
    for name, weight in deep.items():
        parts = name.split(".")
        if name.startswith("bert.encoder.layer."):
            parts[3] = str(int(parts[3]) % 2)
        assert torch.equal(weight, tiny[".".join(parts)]), name
    bias = "bert.encoder.layer.{}.intermediate.dense.bias"
    for layer in range(4):
        assert torch.equal(both[bias.format(layer)], tiny[bias.format(layer % 2)].repeat(2))


@pytest.mark.slow
def test_half_as_wide_again_copies_the_first_units_and_stays_near(ids: torch.Tensor, scores: torch.Tensor) -> None:
    tiny, wider = grown(SIZES["kit-bert-tiny"]).state_dict(), grown(Size(3, 192))
    weights = wider.state_dict()
    name = "bert.encoder.layer.{}.output.dense.weight"  # [H, 4H]: 64 of 128 units are written twice, 256 of 512 read
    old, new = tiny[name.format(0)], weights[name.format(2)]
    assert torch.allclose(new[:128, :256] + new[:128, 512:], old[:, :256], atol=1e-6)
    assert torch.equal(new[128:, 256:512], old[:64, 256:]), "a third layer is the first, and copies read the same"
    words = "bert.embeddings.word_embeddings.weight"
    assert torch.equal(weights[words], torch.cat([tiny[words], tiny[words][:, :64]], dim=1))
    same = (predicted(grown(Size(2, 192)), ids).argmax(-1) == scores.argmax(-1)).double().mean()
    random = (predicted(new_masked_lm(Size(2, 192), 8192), ids).argmax(-1) == scores.argmax(-1)).double().mean()
    assert same > 0.2 > 0.02 > random


@pytest.mark.slow
def test_sizes_that_do_not_fit_are_one_sentence() -> None:
    for size in (Size(2, 384), Size(2, 64), Size(1, 256)):
        with pytest.raises(KitError, match=r"is 128 wide and has 2: choose another") as caught:
            grown(size)
        assert f"at most {size.hidden} and at least {size.hidden // 2} wide" in str(caught.value)
        assert "\n" not in str(caught.value)
