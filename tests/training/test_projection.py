"""The head that a softmax sees vectors through while an encoder is trained, and that is thrown away after it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from kit.encoder import load_encoder
from kit.errors import KitError
from kit.losses import masked_softmax
from kit.retrieval.matryoshka import matryoshka, prefix
from kit.training import Trainer, fit, recipe
from tests.tiny import tiny_encoder, tiny_groups
from tests.training.shared import resumes_bit_for_bit

SHORT = {"dropout": 0.0, "batch_size": 4, "lr": 1e-3, "warmup": 0.0, "clip": None}
HEADS = ("tanh", "relu")
DOCUMENTS = [" ".join(f"word{j} and a dog runs in the park number {j * i}" for j in range(60)) for i in range(4)]
NAMES = ("scl", "simcse", "mnrl", "supmpn", "supcon", "mirror")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, name: str = "simcse", steps: int = 4, data=None, **changes) -> Trainer:
    made = recipe(name, **{**SHORT, **changes})
    encoder = tiny_encoder(folder, pooling=made.pooling, first_layer=made.first_layer)
    examples = made.objective.examples(encoder, data or tiny_groups(), made, 0)
    return Trainer(encoder, made, examples, steps, precision="fp32")


def by_hand(head: torch.nn.Module, kind: str, row: list[float]) -> list[float]:
    """One vector through the head, number by number."""

    def linear(layer: torch.nn.Linear, x: list[float]) -> list[float]:
        return [
            b + sum(w * value for w, value in zip(ws, x)) for ws, b in zip(layer.weight.tolist(), layer.bias.tolist())
        ]

    hidden = linear(head[0], row)
    if kind == "tanh":
        return [math.tanh(value) for value in hidden]
    return linear(head[2], [max(0.0, value) for value in hidden])


def contrast_by_hand(rows: list[list[float]], tau: float) -> float:
    """Supervised SimCSE (Gao et al. 2021, Eq. 5), anchor by anchor: rows are anchors, positives, hard negatives."""
    count = len(rows) // 3

    def cosine(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))

    losses = []
    for i in range(count):
        logits = [cosine(rows[i], rows[count + j]) / tau for j in range(2 * count)]
        losses.append(math.log(sum(math.exp(logit) for logit in logits)) - logits[i])
    return sum(losses) / count


@pytest.mark.parametrize("kind", HEADS)
def test_the_loss_is_that_of_the_vectors_behind_the_head(folder: Path, kind: str) -> None:
    one = trainer_of(folder, projection=kind)
    batch, head = one.next_batch(), one.objective.project
    assert len(batch.token_ids) == 12 and len(batch.relations.anchors) == 4
    z = one.encoder.embed(batch.token_ids).detach()
    expected = contrast_by_hand([by_hand(head, kind, row) for row in z.tolist()], 0.05)
    assert one.step()["loss"] == pytest.approx(expected, rel=1e-4)
    assert abs(expected - contrast_by_hand(z.tolist(), 0.05)) > 0.01, "the head tells"


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("name", NAMES)
def test_every_softmax_has_the_head_and_trains_it(folder: Path, name: str, kind: str) -> None:
    one, plain = trainer_of(folder, name, projection=kind, dropout=0.1), trainer_of(folder, name, dropout=0.1)
    before = [p.detach().clone() for p in one.objective.project.parameters()]
    assert len(before) == (2 if kind == "tanh" else 4)
    metrics = one.step()
    assert all(not torch.equal(p, q) for p, q in zip(one.objective.project.parameters(), before))
    assert metrics["contrastive"] != plain.step()["contrastive"]
    assert all(p.grad is None or bool(torch.isfinite(p.grad).all()) for p in one.module.parameters())


def test_the_spans_of_documents_have_it_too(folder: Path) -> None:
    short = {"min_span": 2, "max_span": 6, "batch_size": 2, "projection": "relu"}
    one = trainer_of(folder, "declutr", data=DOCUMENTS, **short)
    before = one.objective.project[2].weight.detach().clone()
    one.step()
    assert not torch.equal(one.objective.project[2].weight, before)


def test_cross_entropy_and_hidden_words_see_the_vectors_themselves(folder: Path) -> None:
    """In one step the other terms are those of a run without a head; the contrast is not."""
    for name, other in (("scl", "cross_entropy"), ("simcse_mlm", "mlm")):
        with_head, without = (
            trainer_of(folder, name, dropout=1e-12 if other == "mlm" else 0.0, projection=kind)
            for kind in ("tanh", None)
        )
        with_head.objective.load_state_dict(without.objective.state_dict(), strict=False)
        first, second = with_head.step(), without.step()
        assert first[other] == pytest.approx(second[other], rel=1e-5)
        assert first["contrastive"] != pytest.approx(second["contrastive"], rel=1e-3)


def test_without_one_nothing_is_drawn_and_nothing_is_kept(folder: Path) -> None:
    one = trainer_of(folder, "scl")
    assert recipe("scl").options.projection is None
    assert not list(one.objective.project.parameters()) and not any("project" in k for k in one.module.state_dict())
    z = torch.randn(3, one.encoder.dim)
    assert one.objective.project(z) is z


def test_it_is_thrown_away(folder: Path, tmp_path: Path) -> None:
    """The saved encoder has the tensors of one trained without a head, and gives the same vectors."""
    encoder = tiny_encoder(folder)
    names = set(encoder.state_dict())
    fit(encoder, recipe("simcse", projection="tanh", **SHORT), tiny_groups(), steps=2, progress=False)
    encoder.save(tmp_path / "mine")
    again = load_encoder(tmp_path / "mine")
    assert set(again.state_dict()) == names
    torch.testing.assert_close(again.encode(["a dog runs"]), encoder.encode(["a dog runs"]), rtol=0, atol=0)


def test_a_run_goes_on_with_the_head_it_had(folder: Path, tmp_path: Path) -> None:
    made = recipe("simcse", projection="relu", epochs=8, **SHORT)
    resumes_bit_for_bit(folder, tmp_path, made, tiny_groups())


def test_another_head_is_another_run(folder: Path, tmp_path: Path) -> None:
    def run(projection: str | None) -> None:
        made = recipe("simcse", projection=projection, **SHORT)
        fit(tiny_encoder(folder), made, tiny_groups(), folder=tmp_path / "run", steps=2, progress=False)

    run(None)
    with pytest.raises(KitError, match="projection: None there, 'tanh' here"):
        run("tanh")


@pytest.mark.parametrize("kind", HEADS)
def test_gradient_caching_is_the_whole_batch_with_a_head_too(folder: Path, kind: str) -> None:
    whole, chunked = (trainer_of(folder, projection=kind, chunk=chunk) for chunk in (None, 5))
    for one in (whole, chunked):
        one.module.double()
        one._embed = lambda ids, encoder=one.encoder: encoder.embed(ids)
    first, second = first_gradient(whole), first_gradient(chunked)
    assert first.keys() == second.keys() and sum("project" in name for name in first) == (2 if kind == "tanh" else 4)
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=1e-6, atol=1e-9, msg=name)


def first_gradient(one: Trainer) -> dict[str, Tensor]:
    """Of the first batch, by the name of the weight."""
    one.backward(one.next_batch())
    return {name: p.grad for name, p in one.module.named_parameters() if p.grad is not None}


def test_prefixes_go_through_the_head_filled_up_with_zeros(folder: Path) -> None:
    dims = (8, 4)
    made = matryoshka(recipe("simcse", projection="tanh", **SHORT), dims)
    encoder = tiny_encoder(folder)
    one = Trainer(encoder, made, made.objective.examples(encoder, tiny_groups(), made, 0), 2, precision="fp32")
    batch, head = one.next_batch(), one.objective.project
    z = encoder.embed(batch.token_ids).detach()
    expected = [masked_softmax(head(prefix(z, dim)), batch.relations, 0.05, "cosine").item() for dim in dims]
    metrics = one.step()
    assert [metrics[f"contrastive {dim}"] for dim in dims] == pytest.approx(expected, rel=1e-4)
    assert metrics["loss"] == pytest.approx(sum(expected), rel=1e-4)
