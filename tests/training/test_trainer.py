"""One step of training against the same step written out, and what can be changed while it runs."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import pytest
import torch
from torch import nn

from kit.data import Group
from kit.encoder import Encoder
from kit.errors import KitError
from kit.fast import MICROBATCH_TOKENS
from kit.training import Trainer, recipe
from kit.training.batches import make_batch, tokenize_groups
from kit.training.optim import warmup_linear
from kit.training.trainer import CHANGEABLE
from tests.tiny import tiny_encoder, tiny_groups
from tests.training.shared import reached_by


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(
    folder: Path,
    name: str = "scl",
    groups: list[Group] | None = None,
    *,
    steps: int | None = None,
    seed: int = 0,
    **changes,
) -> Trainer:
    made = recipe(name, **{"dropout": 0.0, "batch_size": 12, "lr": 1e-3, **changes})
    encoder = tiny_encoder(folder, pooling=made.pooling)
    examples = tokenize_groups(encoder, groups or tiny_groups(), made.data_format)
    return Trainer(encoder, made, examples, steps, seed, precision="fp32")


def weights_of(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in trainer.module.state_dict().items()}


def similarity(a: torch.Tensor, b: torch.Tensor, kind: str) -> torch.Tensor:
    dot = sum(x * y for x, y in zip(a, b))
    return dot if kind == "dot" else dot / (a.norm() * b.norm())


def plain_scl(z: torch.Tensor, batch, temperature: float, kind: str) -> torch.Tensor:
    """Liao 2021, Eq. 2, anchor by anchor and positive by positive."""
    premises = len(z) - len(batch.labels)
    hypotheses = range(len(batch.labels))
    per_anchor = []
    for i in range(premises):
        scores = [similarity(z[i], z[premises + h], kind) / temperature for h in hypotheses]
        mine = [h for h in hypotheses if batch.u[h] == i and batch.labels[h] == 0]
        if mine:
            everything = sum(score.exp() for score in scores)
            per_anchor.append(sum(-(scores[h].exp() / everything).log() for h in mine) / len(mine))
    return sum(per_anchor) / len(per_anchor)


def plain_cross_entropy(z: torch.Tensor, batch, head: nn.Linear) -> torch.Tensor:
    """SBERT's classification objective, pair by pair."""
    losses = []
    for u, v, label in zip(batch.u, batch.v, batch.labels):
        features = torch.cat([z[u], z[v], (z[u] - z[v]).abs()])
        chances = [(features @ weight + bias).exp() for weight, bias in zip(head.weight, head.bias)]
        losses.append(-(chances[label] / sum(chances)).log())
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    ("lam", "temperature", "kind"), [(0.3, 1.0, "cosine"), (0.0, 1.0, "dot"), (1.0, 0.5, "cosine"), (0.7, 20.0, "dot")]
)
def test_a_step_is_the_step_written_out(folder: Path, lam: float, temperature: float, kind: str) -> None:
    trainer = trainer_of(
        folder, lam=lam, temperature=temperature, similarity=kind, weight_decay=9.0, clip=0.1, warmup=0.5, steps=4
    )
    before, batch = copy.deepcopy(trainer.module), trainer.next_batch()
    z = before["encoder"].embed(batch.token_ids)
    parts = {
        "cross_entropy": plain_cross_entropy(z, batch, before["objective"].head.layers),
        "contrastive": plain_scl(z, batch, temperature, kind),
    }
    weighted = {"cross_entropy": 1 - lam, "contrastive": lam}
    loss = sum(weight * parts[name] for name, weight in weighted.items() if weight)

    told = trainer.step()
    assert told["loss"] == pytest.approx(loss.item(), rel=1e-5)
    for name, weight in weighted.items():
        assert (name in told) is (weight > 0)
        if weight > 0:
            assert told[name] == pytest.approx(parts[name].item(), rel=1e-5)
    assert told["step"] == 1 and told["rows"] == len(batch.token_ids)
    lr = 1e-3 * 1 / 2  # the first of two steps of warm-up
    assert told["lr"] == pytest.approx(lr)

    loss.backward()
    moved = {name: p for name, p in before.named_parameters() if p.grad is not None}
    norm = sum(p.grad.square().sum().item() for p in moved.values()) ** 0.5
    after = dict(trainer.module.named_parameters())
    assert moved and norm > 0.1, "the gradient must be long enough to be clipped"
    for name, p in before.named_parameters():
        expected = p.detach()
        if name in moved:  # the first step of AdamW: both averages, corrected, are the gradient itself
            g = p.grad * min(1, 0.1 / norm)
            average = trainer.optimizer.state[after[name]]["exp_avg"]
            torch.testing.assert_close(average, 0.1 * g, rtol=1e-3, atol=1e-7, msg=name)
            expected = expected * (1 - lr * (9.0 if p.ndim >= 2 else 0)) - lr * g / (g.abs() + 1e-8)
            settled = g.abs() > 1e-6  # where |g| is near the ε of 1e-8, rounding decides
        else:
            settled = torch.ones_like(expected, dtype=torch.bool)
        torch.testing.assert_close(after[name][settled], expected[settled], rtol=1e-4, atol=2e-6, msg=name)


def test_what_a_step_draws_follows_from_seed_and_step_alone(folder: Path) -> None:
    """So a resumed run draws as it would have drawn: here which negatives stay, two steps into an epoch."""
    trainer = trainer_of(folder, seed=7, max_negatives=2)
    trainer.step_number = 2
    generator = torch.Generator().manual_seed(7 * 1_000_003 + 2)
    expected = make_batch(trainer.source.batches(epoch=0)[2], trainer.recipe, generator)
    batch = trainer.next_batch()
    assert batch.token_ids == expected.token_ids and torch.equal(batch.relations.negative, expected.relations.negative)
    again = trainer.context(trainer.encoder.embed).generator
    assert again.initial_seed() == 7 * 1_000_003 + 2


def test_lambda_zero_ignores_relations_and_one_ignores_the_head(folder: Path) -> None:
    def run(lam: float, temperature: float, labels: str = "own") -> tuple[dict, dict]:
        trainer = trainer_of(folder, lam=lam, temperature=temperature)
        if labels == "other":
            with torch.no_grad():
                trainer.objective.head.layers.weight.mul_(3)
        head = {k: v for k, v in weights_of(trainer).items() if k.startswith("objective.head")}
        return trainer.step(), {"trainer": trainer, "head": head}

    assert run(0, 0.1)[0]["loss"] == run(0, 5.0)[0]["loss"]
    assert run(1, 0.1)[0]["loss"] != run(1, 5.0)[0]["loss"]
    assert run(1, 1.0)[0]["loss"] == run(1, 1.0, labels="other")[0]["loss"]
    assert run(0, 1.0)[0]["loss"] != run(0, 1.0, labels="other")[0]["loss"]
    _, seen = run(1, 1.0)
    assert seen["head"] and all(torch.equal(weights_of(seen["trainer"])[k], v) for k, v in seen["head"].items())


def test_the_warm_up_is_the_named_part_of_the_steps(folder: Path) -> None:
    """29 of 100 steps, though 0.29 × 100 is a little less in binary; none of 3, so the first has the whole rate."""
    for schedule, warmup, steps, first in (
        ("linear", 0.29, 100, 1 / 29),
        ("slanted", 0.0, 3, 1),
        ("slanted", 0.1, 1, 1),
    ):
        told = trainer_of(folder, schedule=schedule, warmup=warmup, steps=steps).step()
        assert told["lr"] == pytest.approx(1e-3 * first), (schedule, warmup, steps)


def test_a_change_holds_from_the_next_step(folder: Path) -> None:
    steady, changed = trainer_of(folder, lam=1, steps=4), trainer_of(folder, lam=1, steps=4)
    assert steady.step() == changed.step()
    changed.change(temperature=0.2)
    before = copy.deepcopy(changed.module)["encoder"]
    batch = changed.next_batch()
    told = changed.step()
    expected = plain_scl(before.embed(batch.token_ids), batch, 0.2, "dot")
    assert told["loss"] == pytest.approx(expected.item(), rel=1e-4) != steady.step()["loss"]
    changed.change(lam=0, lr=5e-4)
    told = changed.step()
    assert "contrastive" not in told and told["lr"] == pytest.approx(5e-4 * warmup_linear(2, 4, 0))
    assert changed.recipe.options.temperature == 0.2, "an earlier change is kept"


def test_a_bad_change_is_refused_and_changes_nothing(folder: Path) -> None:
    for changes, sentence in [
        ({"temperature": 0}, "τ"),
        ({"temperature": math.nan}, "τ"),
        ({"lam": 1.5}, "λ"),
        ({"lam": True}, "λ"),
        ({"temprature": 1}, "did you mean 'temperature'"),
        ({"dropout": 0.5}, "cannot|unknown setting"),
        ({"pooling": "cls"}, "unknown setting that a running training can change"),
    ]:
        trainer = trainer_of(folder)
        before = trainer.recipe
        with pytest.raises(KitError, match=sentence):
            trainer.change(**changes)
        assert trainer.recipe == before


def test_all_that_can_be_changed_is_a_field_of_the_recipe(folder: Path) -> None:
    trainer = trainer_of(folder)
    for name in CHANGEABLE:
        trainer.change(**{name: trainer.recipe.as_dict()[name]})
    assert trainer.recipe == trainer_of(folder).recipe


def test_one_seed_repeats_a_run_and_another_does_not(folder: Path) -> None:
    def run(seed: int) -> list[dict]:
        trainer = trainer_of(folder, seed=seed, dropout=0.3, max_positives=1, max_negatives=3, steps=5)
        return [trainer.step() for _ in range(5)]

    assert run(1) == run(1) != run(2)


def test_the_head_takes_its_vectors_in_a_way_that_repeats_on_two_threads(folder: Path) -> None:
    assert reached_by(trainer_of(folder, "sbert")) == {"IndexSelectBackward0"}


def test_dropout_is_the_recipes_and_reaches_the_attention(folder: Path) -> None:
    trainer = trainer_of(folder, dropout=0.37)
    shares = {name: module.p for name, module in trainer.encoder.named_modules() if isinstance(module, nn.Dropout)}
    assert set(shares.values()) == {0.37} and any("attention.self" in name for name in shares)
    attention = next(m for name, m in trainer.encoder.named_modules() if name.endswith("attention.self"))
    ids = trainer.encoder.tokenize(["a dog runs in the park", "nobody sings"])
    for module in trainer.encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    trainer.module.train()
    quiet = trainer.encoder.embed(ids)
    assert torch.equal(quiet, trainer.encoder.embed(ids))
    attention.dropout.p = 0.37
    assert not torch.equal(trainer.encoder.embed(ids), trainer.encoder.embed(ids))


def test_every_batch_of_every_epoch_is_trained_on_once(folder: Path) -> None:
    trainer = trainer_of(folder, groups=tiny_groups(11), batch_size=9)
    seen: list[list] = []
    for epoch in range(3):
        anchors = []
        for _ in range(len(epoch_batches(trainer, epoch))):
            anchors += map(tuple, trainer.next_batch().token_ids[: len(set(trainer.next_batch().u.tolist()))])
            trainer.step_number += 1
        seen.append(sorted(anchors))
    assert seen[0] == seen[1] == seen[2] == sorted(tuple(example.anchor) for example in trainer.source.examples)


def epoch_batches(trainer: Trainer, epoch: int) -> list:
    from kit.training.batches import epoch_of_batches

    return epoch_of_batches(trainer.source.examples, trainer.recipe.batch_size, trainer.seed, epoch)


@pytest.mark.parametrize("name", ["scl", "sbert"])
def test_a_batch_without_an_anchor_trains_without_nan(folder: Path, name: str) -> None:
    for lam in [0.0, 0.3, 1.0]:
        groups = [
            Group(0, "a dog runs", ("nobody runs", "the dog is old"), (2, 1)),
            Group(1, "a cat sleeps", ("the cat sleeps",), (0,)),
        ]
        trainer = trainer_of(folder, name, groups, lam=lam, batch_size=1, steps=6)
        told = [trainer.step() for _ in range(6)]
        assert any(step.get("contrastive") == 0 for step in told) or lam == 0
        assert all(math.isfinite(value) for step in told for value in step.values())
        assert all(value.isfinite().all() for value in weights_of(trainer).values())


def test_triplets_train(folder: Path) -> None:
    trainer = trainer_of(folder, "simcse", batch_size=4, steps=3)
    told = [trainer.step() for _ in range(3)]
    assert all(math.isfinite(step["loss"]) and "cross_entropy" not in step for step in told)


def test_training_lowers_the_loss(folder: Path) -> None:
    trainer = trainer_of(folder, similarity="cosine", temperature=0.1, steps=30, batch_size=64)
    losses = [trainer.step()["loss"] for _ in range(30)]
    assert sum(losses[-3:]) < 0.9 * sum(losses[:3])


@pytest.mark.parametrize(("name", "changes"), [("simcse", {}), ("scl", {"lam": 1.0}), ("mnrl", {"chunk": 4})])
def test_where_all_that_counts_is_frozen_it_is_told(folder: Path, name: str, changes: dict) -> None:
    trainer = trainer_of(folder, name, **changes)
    trainer.encoder.requires_grad_(False)
    with pytest.raises(KitError, match="weights that learn, but the loss reaches frozen ones alone"):
        trainer.step()
    assert trainer.step_number == 0


def test_steps_are_one_or_more(folder: Path) -> None:
    for steps in [0, -3, 2.5]:
        with pytest.raises(KitError, match="expected 1 step or more"):
            trainer_of(folder, steps=steps)


def test_a_chunk_and_an_encoder_whose_pooling_sees_the_padding(folder: Path) -> None:
    """Whatever pooling the recipe is meant for: a chunk is padded to its own longest row, with another gradient."""
    made = recipe("mnrl", "smoke", batch_size=8, chunk=2, dropout=0.0)
    encoder = tiny_encoder(folder, pooling="mean_over_padded")
    examples = tokenize_groups(encoder, tiny_groups(), made.data_format)
    with pytest.raises(KitError, match="expected no chunk with pooling 'mean_over_padded', .*, got 2"):
        Trainer(encoder, made, examples)
    Trainer(encoder, made.changed(chunk=None), examples)


def test_steps_follow_from_the_epochs(folder: Path) -> None:
    per_epoch = trainer_of(folder).steps
    assert per_epoch > 2
    assert trainer_of(folder, epochs=3).steps == 3 * per_epoch
    assert trainer_of(folder, epochs=1e-6).steps == 1


def test_encoder_is_an_encoder_still(folder: Path) -> None:
    trainer = trainer_of(folder, steps=2)
    trainer.step()
    assert isinstance(trainer.encoder, Encoder) and trainer.encoder.encode(["a dog runs"]).isfinite().all()


def test_each_step_samples_anew_and_the_same_step_alike(folder: Path) -> None:
    entailed = tuple(f"the dog is in the {place}" for place in ("park", "house", "garden", "river"))
    group = Group(0, "a dog runs", entailed, (0, 0, 0, 0))
    trainer = trainer_of(folder, groups=[group], max_positives=1, steps=20)
    picked = []
    for step in range(20):
        trainer.step_number = step
        first, again = (trainer.next_batch().relations.positive for _ in range(2))
        assert torch.equal(first, again)
        picked.append(first.int().argmax().item())
    assert set(picked) == {0, 1, 2, 3}


def test_a_trainer_can_be_put_back_to_an_earlier_epoch(folder: Path) -> None:
    trainer = trainer_of(folder, steps=12)
    kept, batches = trainer.state(), []
    for _ in range(9):
        batches.append(trainer.next_batch().token_ids)
        trainer.step_number += 1
    trainer.load_state(kept, 1)
    assert trainer.next_batch().token_ids == batches[1]


def test_the_random_state_of_a_gpu_is_kept_and_taken_up_on_a_gpu_alone(folder: Path, monkeypatch) -> None:
    trainer, drawn, set_again = trainer_of(folder), torch.arange(16, dtype=torch.uint8), []
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: drawn)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda *given: set_again.append(given))
    of_cpu, trainer.device = trainer.state(), torch.device("cuda:1")
    of_gpu = trainer.state()
    for device, kept in (("cuda:1", of_gpu), ("cuda:1", of_cpu), ("cpu", of_gpu)):
        trainer.device = torch.device(device)
        trainer.load_state(kept, 0)
    assert set_again == [(drawn, torch.device("cuda:1"))]


def test_only_on_a_cpu_is_a_batch_embedded_in_small_passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples, made = trainer_of(folder).source.examples, recipe("scl")
    assert trainer_of(folder).microbatch_tokens == MICROBATCH_TOKENS
    monkeypatch.setattr("kit.training.trainer.adamw", lambda *_: None)  # it knows no such device
    assert Trainer(tiny_encoder(folder).to("meta"), made, examples).microbatch_tokens is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_gradient_that_is_not_finite_stops_the_step_and_is_named(folder: Path, bad: float, monkeypatch) -> None:
    trainer = trainer_of(folder)
    trainer.step()
    before, backward = weights_of(trainer), trainer.backward

    def broken(batch):
        found = backward(batch)
        trainer.encoder.bert.encoder.layer[1].output.dense.weight.grad[3, 4] = bad
        return found

    monkeypatch.setattr(trainer, "backward", broken)
    with pytest.raises(KitError) as told:
        trainer.step()
    sentence = str(told.value)
    assert "in step 2, got loss " in sentence and "at learning rate 0.000667" in sentence and "\n" not in sentence
    assert f"largest gradient {bad} in encoder.bert.encoder.layer.1.output.dense.weight" in sentence
    assert "try a smaller lr" in sentence
    after = weights_of(trainer)
    assert trainer.step_number == 1 and all(torch.equal(before[name], after[name]) for name in before)
    assert not trainer.encoder.training and all(p.grad is None for p in trainer.module.parameters())


def test_a_loss_that_is_not_finite_stops_the_step(folder: Path) -> None:
    trainer = trainer_of(folder)
    with torch.no_grad():
        trainer.encoder.bert.embeddings.LayerNorm.bias[0] = math.nan
    with pytest.raises(KitError, match="expected a finite loss and gradient in step 1, got loss nan"):
        trainer.step()
    with pytest.raises(KitError, match="finite weights after step 0, got NaN .* in 1 tensors .*LayerNorm.bias"):
        trainer.check_finite()


def test_the_check_changes_no_number(folder: Path) -> None:
    """Clipping in two calls, with the check between them, is `clip_grad_norm_`, above, below or without a limit."""
    for clip in (1e-3, 1e3, None):
        trainer, plain = trainer_of(folder, clip=clip), trainer_of(folder, clip=clip)
        trainer.step()
        batch = plain.next_batch()
        plain.module.train()
        loss, _ = plain.backward(batch)
        assert not loss.requires_grad, "who keeps it keeps no graph"
        if clip:
            nn.utils.clip_grad_norm_(plain.module.parameters(), clip)
        for group in plain.optimizer.param_groups:
            group["lr"] = trainer.optimizer.param_groups[0]["lr"]
        plain.optimizer.step()
        ours, theirs = weights_of(trainer), weights_of(plain)
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
