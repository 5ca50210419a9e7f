"""IS-BERT-like information: the estimate written out, and features that padding does not touch."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from kit.comparators.information import Information, LocalFeatures, discriminate, information_loss
from kit.errors import KitError
from kit.training import Trainer, fit, recipe
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups
from tests.training.shared import resumes_bit_for_bit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(
    folder: Path, data=None, pooling: str = "mean", first_layer: int = 1, precision: str = "fp32", **changes
) -> Trainer:
    settings = recipe("isbert", **{"batch_size": 6, "lr": 1e-3, "dropout": 0.0, "pooling": pooling, **changes})
    encoder = tiny_encoder(folder, pooling=pooling, first_layer=first_layer)
    return Trainer(
        encoder, settings, Information.examples(encoder, data or SENTENCES, settings, 0), 4, precision=precision
    )


def softplus(x: float) -> float:
    return math.log1p(math.exp(-abs(x))) + max(x, 0.0)


def plain_loss(scores: torch.Tensor, owner: list[int]) -> float:
    own = [softplus(-scores[s, t].item()) for s in range(len(scores)) for t, o in enumerate(owner) if o == s]
    other = [softplus(scores[s, t].item()) for s in range(len(scores)) for t, o in enumerate(owner) if o != s]
    return sum(own) / len(own) + (sum(other) / len(other) if other else 0.0)


@pytest.mark.parametrize("owner", [[0, 0, 1, 2, 2, 2], [0], [0, 1], [0, 0, 0]])
def test_the_loss_is_that_of_plain_loops_and_its_gradient_that_of_differences(owner: list[int]) -> None:
    generator = torch.Generator().manual_seed(1)
    shape = (max(owner) + 1, len(owner))
    scores = (3 * torch.randn(shape, generator=generator, dtype=torch.float64)).requires_grad_()
    loss = information_loss(scores, torch.tensor(owner))
    assert loss.item() == pytest.approx(plain_loss(scores.detach(), owner), rel=1e-9)
    assert torch.autograd.gradcheck(lambda s: information_loss(s, torch.tensor(owner)), (scores,))


def test_knowing_nothing_costs_two_bits_in_nats() -> None:
    owner = torch.tensor([0, 0, 1, 1, 1])
    assert information_loss(torch.zeros(2, 5), owner).item() == pytest.approx(2 * math.log(2))
    perfect = torch.where(owner[None] == torch.arange(2)[:, None], 30.0, -30.0)
    assert information_loss(perfect, owner).item() == pytest.approx(0, abs=1e-9)
    assert information_loss(1e4 * perfect, owner).isfinite()


def plain_features(local: LocalFeatures, tokens: torch.Tensor) -> torch.Tensor:
    """One sentence [length, dim], its convolutions as sums over places, zeros beyond the edges."""
    length, rows = len(tokens), []
    for place in range(length):
        channels = []
        for convolution in local.convolutions:
            reach = convolution.kernel_size[0] // 2
            total = convolution.bias.clone()
            for offset in range(-reach, reach + 1):
                if 0 <= place + offset < length:
                    total = total + convolution.weight[:, :, offset + reach] @ tokens[place + offset]
            channels.append(total.clamp(min=0))
        rows.append(local.together.weight @ torch.cat(channels) + local.together.bias)
    return torch.stack(rows)


@pytest.mark.parametrize(
    ("pooling", "first_layer", "widest", "layer"),
    [
        ("mean", 1, 5, "last"),
        ("mean_without_cls", 1, 3, "embeddings"),
        ("first_last", 1, 1, "last"),
        ("first_last", 0, 1, "last"),
    ],
)
def test_parts_sentence_by_sentence_without_padding(
    folder: Path, pooling: str, first_layer: int, widest: int, layer: str
) -> None:
    one = trainer_of(folder, pooling=pooling, first_layer=first_layer, widest_window=widest, local_layer=layer)
    assert [c.kernel_size[0] for c in one.objective.local.convolutions] == list(range(1, widest + 1, 2))
    encoder, system = one.encoder.double().eval(), one.objective.double().eval()
    ids = encoder.tokenize(SENTENCES)
    with torch.no_grad():
        vectors, features, owner = system.parts(encoder, ids)
        states = [encoder.bert(input_ids=torch.tensor([row]), output_hidden_states=True).hidden_states for row in ids]
        alone = torch.cat([plain_features(system.local, s[-1 if layer == "last" else 0][0]) for s in states])
        torch.testing.assert_close(vectors, torch.cat([encoder.embed([row]) for row in ids]), rtol=0, atol=1e-9)
    assert owner.tolist() == [i for i, row in enumerate(ids) for _ in row]
    torch.testing.assert_close(features, alone, rtol=0, atol=1e-9)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_the_discriminator_pair_by_pair(similarity: str) -> None:
    generator = torch.Generator().manual_seed(2)
    vectors, features = (torch.randn(n, 4, generator=generator, dtype=torch.float64) for n in (3, 5))
    found = discriminate(vectors, features, similarity)
    for i, v in enumerate(vectors.tolist()):
        for j, f in enumerate(features.tolist()):
            dot = sum(a * b for a, b in zip(v, f))
            length = math.hypot(*v) * math.hypot(*f) if similarity == "cosine" else 1
            assert found[i, j].item() == pytest.approx(dot / length, rel=1e-9)


@pytest.mark.parametrize(("similarity", "temperature"), [("dot", 1.0), ("cosine", 0.1)])
def test_a_step_reports_the_loss_and_trains_both(folder: Path, similarity: str, temperature: float) -> None:
    one, again = (trainer_of(folder, similarity=similarity, temperature=temperature) for _ in range(2))
    batch = again.next_batch()
    with torch.no_grad():
        vectors, features, owner = again.objective.parts(again.encoder, batch.token_ids)
        scores = discriminate(vectors, features, similarity) / temperature
    told = one.step()
    assert told["loss"] == told["information"] == pytest.approx(plain_loss(scores, owner.tolist()), rel=1e-5)
    for mine, fresh in ((one.encoder, again.encoder), (one.objective, again.objective)):
        was = fresh.state_dict()
        assert any(not torch.equal(v, was[k]) for k, v in mine.state_dict().items())


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_the_local_features_are_made_in_the_precision_of_the_training(folder: Path, precision: str) -> None:
    one, seen = trainer_of(folder, precision=precision), []
    one.objective.local.register_forward_hook(lambda *_: seen.append(torch.is_autocast_enabled("cpu")))
    one.step()
    assert seen == [precision == "bf16"]


@pytest.mark.slow
def test_the_vector_learns_what_is_in_its_sentence(folder: Path) -> None:
    settings = recipe("isbert", batch_size=12, lr=2e-3, epochs=15, dropout=0.0)
    losses = [h["loss"] for h in fit(tiny_encoder(folder), settings, tiny_groups(), progress=False).history]
    assert sum(losses[-4:]) < 0.75 * sum(losses[:4])


@pytest.mark.slow
def test_a_killed_run_goes_on_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    resumes_bit_for_bit(folder, tmp_path, recipe("isbert", batch_size=5, lr=1e-3, epochs=2, dropout=0.2), tiny_groups())


def test_one_sentence_alone_is_finite(folder: Path) -> None:
    one = trainer_of(folder, data=SENTENCES[:1])
    assert all(math.isfinite(one.step()["loss"]) for _ in range(2))


def test_settings_that_make_no_sense() -> None:
    for changes, sentence in [
        ({"widest_window": 4}, "an odd widest_window of 1 or more, got 4"),
        ({"widest_window": 0}, "an odd widest_window"),
        ({"widest_window": 3.0}, "an odd widest_window"),
        ({"widest_window": None}, "an odd widest_window"),
        ({"local_layer": "first"}, "local_layer 'last' or 'embeddings', got 'first'"),
    ]:
        with pytest.raises(KitError, match=f"recipe 'isbert': expected {sentence}"):
            recipe("isbert", **changes)
