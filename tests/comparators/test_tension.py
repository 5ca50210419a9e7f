"""CT: the pairs of a batch, the loss pair by pair, and two encoders that are kept through a crash."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
import torch

from kit.comparators.tension import Pairs, Tension, tension_loss
from kit.errors import KitError
from kit.storage.checkpoint import load_checkpoint
from kit.training import Trainer, fit, recipe
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups
from tests.training.shared import resumes_bit_for_bit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, data=None, precision: str = "fp32", **changes) -> Trainer:
    settings = recipe("ct", **{"batch_size": 6, "lr": 1e-3, "dropout": 0.0, **changes})
    encoder = tiny_encoder(folder, pooling=settings.pooling)
    return Trainer(encoder, settings, Tension.examples(encoder, data or SENTENCES, settings, 0), 4, precision=precision)


@pytest.mark.parametrize("k", [1, 3, 5, 7])
def test_an_identical_pair_and_k_different_ones_for_each_sentence(folder: Path, k: int) -> None:
    batch = trainer_of(folder, different=k).next_batch()
    rows, first, second = len(batch.token_ids), batch.first.tolist(), batch.second.tolist()
    expected = min(k, rows - 1)
    assert rows == 6 and len(first) == rows * (1 + expected)
    for i in range(rows):
        mine = [(b, same) for a, b, same in zip(first, second, batch.same.tolist()) if a == i]
        assert [b for b, same in mine if same == 1] == [i]
        others = [b for b, same in mine if same == 0]
        assert len(set(others)) == len(others) == expected and i not in others


def test_the_different_ones_are_drawn_evenly(folder: Path) -> None:
    one = trainer_of(folder, different=2)
    drawn = Counter()
    for seed in range(600):
        batch = one.objective.batch(one.source.examples, one.recipe, torch.Generator().manual_seed(seed))
        drawn.update((a, b) for a, b in zip(batch.first.tolist(), batch.second.tolist()) if a != b)
    assert len(drawn) == 30
    for often in drawn.values():
        assert often / 600 == pytest.approx(2 / 5, abs=0.1)


def plain(u: torch.Tensor, v: torch.Tensor, batch: Pairs) -> float:
    terms = []
    for a, b, same in zip(batch.first.tolist(), batch.second.tolist(), batch.same.tolist()):
        chance = 1 / (1 + math.exp(-sum(float(x) * float(y) for x, y in zip(u[a], v[b]))))
        terms.append(-math.log(chance if same else 1 - chance))
    return sum(terms) / len(terms)


def some_pairs() -> Pairs:
    first, second = torch.tensor([0, 1, 2, 0, 1, 2, 2]), torch.tensor([0, 1, 2, 1, 2, 0, 1])
    return Pairs([[]] * 3, first, second, (first == second).double())


def test_the_loss_is_that_of_plain_loops_and_its_gradient_that_of_differences() -> None:
    generator = torch.Generator().manual_seed(0)
    u, v = (torch.randn(3, 4, generator=generator, dtype=torch.float64, requires_grad=True) for _ in range(2))
    batch = some_pairs()
    assert tension_loss(u, v, batch).item() == pytest.approx(plain(u.detach(), v.detach(), batch), rel=1e-9)
    assert torch.autograd.gradcheck(lambda a, b: tension_loss(a, b, batch), (u, v))


def test_a_large_dot_product_does_not_overflow() -> None:
    u = torch.full((3, 4), 50.0, requires_grad=True)
    loss = tension_loss(u, u.detach(), some_pairs())
    loss.backward()
    assert loss.item() == pytest.approx(10_000 * 4 / 7) and u.grad.isfinite().all()


def test_sentence_transformers_sums_what_the_kit_averages() -> None:
    losses = pytest.importorskip("sentence_transformers.losses")
    generator = torch.Generator().manual_seed(3)
    u, v = (torch.randn(3, 8, generator=generator) for _ in range(2))
    batch = some_pairs()
    sides = iter((u[batch.first], v[batch.second]))

    def model(features):
        return {"sentence_embedding": next(sides)}

    theirs = losses.ContrastiveTensionLoss.__new__(losses.ContrastiveTensionLoss)
    torch.nn.Module.__init__(theirs)
    theirs.model1 = theirs.model2 = model
    theirs.criterion = torch.nn.BCEWithLogitsLoss(reduction="sum")
    total = theirs([{}, {}], labels=batch.same.float())
    assert tension_loss(u, v, batch).item() * 7 == pytest.approx(total.item(), rel=1e-5)


def test_two_encoders_start_equal_and_part(folder: Path) -> None:
    # with all others as different sentences, and no dropout, the two would be mirror images of each other
    one = trainer_of(folder, different=2)

    def apart() -> float:
        other = dict(one.objective.other.named_parameters())
        return max((p - other[name]).abs().max().item() for name, p in one.encoder.named_parameters())

    assert apart() == 0
    assert not {id(p) for p in one.objective.other.parameters()} & {id(p) for p in one.encoder.parameters()}
    before = [{k: v.clone() for k, v in e.state_dict().items()} for e in (one.encoder, one.objective.other)]
    batch = one.next_batch()
    with torch.no_grad():
        z = one.encoder.embed(batch.token_ids)
    assert one.step()["tension"] == pytest.approx(plain(z, z, batch), rel=1e-4)
    one.step()
    assert apart() > 1e-4
    for encoder, was in zip((one.encoder, one.objective.other), before):
        assert any(not torch.equal(v, was[k]) for k, v in encoder.state_dict().items()), "both are trained"


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_the_second_encoder_runs_in_the_precision_of_the_training(folder: Path, precision: str, monkeypatch) -> None:
    one, seen = trainer_of(folder, precision=precision), []
    embed = one.objective.other.embed
    monkeypatch.setattr(
        one.objective.other, "embed", lambda ids: seen.append(torch.is_autocast_enabled("cpu")) or embed(ids)
    )
    one.step()
    assert seen == [precision == "bf16"]


def test_the_copy_has_the_encoders_settings(folder: Path) -> None:
    settings = recipe("ct", pooling="first_last", first_layer=0, dropout=0.3)
    encoder = tiny_encoder(folder, pooling="first_last", first_layer=0, max_length=20)
    one = Trainer(encoder, settings, Tension.examples(encoder, SENTENCES, settings, 0), 2, precision="fp32")
    other = one.objective.other
    assert (other.pooling, other.first_layer, other.max_length) == ("first_last", 0, 20)
    assert {m.p for m in other.modules() if isinstance(m, torch.nn.Dropout)} == {0.3}
    one.step()
    assert other.training, "its dropout is on, as the encoder's"


@pytest.mark.slow
def test_a_killed_run_goes_on_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    resumes_bit_for_bit(folder, tmp_path, recipe("ct", batch_size=5, lr=1e-3, epochs=2, dropout=0.2), tiny_groups())


def test_a_checkpoint_holds_both_encoders(folder: Path, tmp_path: Path) -> None:
    encoder = tiny_encoder(folder)
    fit(encoder, recipe("ct", batch_size=8, lr=1e-3), tiny_groups(), steps=2, folder=tmp_path / "run", progress=False)
    tensors, _ = load_checkpoint(tmp_path / "run")
    for name, value in encoder.state_dict().items():
        assert torch.equal(tensors[f"module.encoder.{name}"], value)
        assert tensors[f"module.objective.other.{name}"].shape == value.shape
    assert any(
        not torch.equal(tensors[f"module.objective.other.{name}"], value)
        for name, value in encoder.state_dict().items()
    )


def test_one_sentence_alone_has_only_itself(folder: Path) -> None:
    one = trainer_of(folder, data=SENTENCES[:1])
    batch = one.next_batch()
    assert (batch.first.tolist(), batch.second.tolist(), batch.same.tolist()) == ([0], [0], [1.0])
    assert math.isfinite(one.step()["loss"])


def test_settings_that_make_no_sense() -> None:
    for changes, sentence in [
        ({"different": 0}, "different .K. of 1 pair or more, got 0"),
        ({"different": 2.0}, "different .K."),
        ({"different": True}, "different .K."),
    ]:
        with pytest.raises(KitError, match=f"recipe 'ct': expected {sentence}"):
            recipe("ct", **changes)
