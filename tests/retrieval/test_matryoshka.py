"""Matryoshka: the loss of sentence-transformers, a training with it, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from kit.errors import KitError
from kit.losses import mnrl
from kit.retrieval import matryoshka
from kit.training import Trainer, fit, recipe
from tests.tiny import tiny_encoder, tiny_groups


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, settings) -> Trainer:
    encoder = tiny_encoder(folder, pooling=settings.pooling)
    return Trainer(
        encoder, settings, settings.objective.examples(encoder, tiny_groups(8), settings, 0), 4, precision="fp32"
    )


@pytest.mark.slow
def test_the_loss_and_its_gradient_are_those_of_sentence_transformers() -> None:
    from sentence_transformers.losses import MatryoshkaLoss, MultipleNegativesRankingLoss

    from kit.retrieval.matryoshka import prefix

    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, 6, 32, generator=generator, dtype=torch.float64).requires_grad_()

    class Given(torch.nn.Module):
        device = torch.device("cpu")

        def get_embedding_dimension(self):
            return 32

        def forward(self, features):
            return {"sentence_embedding": features["given"]}

    model = Given()
    for dims, weights in (((32, 16, 8), (1, 1, 1)), ((8, 32), (0.3, 2.0)), ((5,), (1.5,))):
        peer = MatryoshkaLoss(model, MultipleNegativesRankingLoss(model, scale=20), list(dims), list(weights))
        theirs = peer([{"given": first}, {"given": second}], None)
        ours = sum(w * mnrl(prefix(first, d), prefix(second, d), 0.05) for d, w in zip(dims, weights))
        assert ours.item() == pytest.approx(theirs.item(), rel=1e-9)
        for mine, their in zip(
            torch.autograd.grad(ours, (first, second), retain_graph=True),
            torch.autograd.grad(theirs, (first, second), retain_graph=True),
        ):
            assert torch.allclose(mine, their, atol=1e-10)


def test_a_step_has_the_sum_of_the_recipes_loss_on_each_prefix(folder: Path) -> None:
    settings = recipe("mnrl", batch_size=6, dropout=0.0)
    wrapped = matryoshka(settings, (16, 32, 4), (1, 0.5, 2))
    trainer, plain = trainer_of(folder, wrapped), trainer_of(folder, settings)
    batch = trainer.next_batch()
    vectors = plain._embed(batch.token_ids)
    expected = 0.0
    for dim, weight in ((16, 1), (32, 0.5), (4, 2)):
        short = F.normalize(vectors[:, :dim], dim=1)
        loss, _ = plain.objective.loss(batch, plain.context(lambda _, short=short: short))
        expected += weight * loss.item()
    loss, parts = trainer.backward(batch)
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    assert list(parts) == ["contrastive 32", "contrastive 16", "contrastive 4"]


def test_the_whole_vector_alone_is_the_recipe_itself(folder: Path) -> None:
    settings = recipe("mnrl", batch_size=6, dropout=0.0)
    one, other = (trainer_of(folder, s) for s in (settings, matryoshka(settings, [32])))
    for _ in range(3):
        assert one.step()["loss"] == pytest.approx(other.step()["loss"], rel=1e-5)


@pytest.mark.slow
def test_it_trains_resumes_and_takes_other_recipes(folder: Path, tmp_path: Path) -> None:
    for name, changes in (
        ("mnrl", {}),
        ("scl", {"similarity": "cosine", "lam": 0.5}),
        ("cosent", {}),
        ("mnrl", {"chunk": 3}),
    ):
        settings = matryoshka(recipe(name, batch_size=6, **changes), (32, 8))
        assert settings.as_dict()["matryoshka_dims"] == (32, 8) and settings.objective.name.startswith("matryoshka")
        place = tmp_path / f"{name}{changes.get('chunk')}"
        for steps in (2, 4):  # the second call resumes the run of the first, were it the same; here it is another
            encoder = tiny_encoder(folder, pooling=settings.pooling)
            fit(encoder, settings, tiny_groups(8), steps=steps, folder=place / str(steps), seed=0)
            again = tiny_encoder(folder, pooling=settings.pooling)
            fit(again, settings, tiny_groups(8), steps=steps, folder=place / str(steps), seed=0)
            assert all(torch.equal(a, b) for a, b in zip(encoder.parameters(), again.parameters()))


def test_other_dims_take_the_place_of_those_that_were_there() -> None:
    settings = recipe("mnrl")
    again = matryoshka(matryoshka(settings, (128, 64), (1, 2)), (32,))
    assert again == matryoshka(settings, (32,)) and again.options.matryoshka_weights == (1.0,)


def test_what_makes_no_matryoshka_is_told(folder: Path) -> None:
    settings = recipe("mnrl")
    for dims, weights, said in (
        ([], None, "different whole numbers from 1"),
        ([8, 8], None, "different whole numbers from 1"),
        ([0], None, "different whole numbers from 1"),
        ([8.5], None, "different whole numbers from 1"),
        ([8, 4], [1], "a weight above 0 for each of 2"),
        ([8], [-1], "a weight above 0 for each of 1"),
    ):
        with pytest.raises(KitError, match=said):
            matryoshka(settings, dims, weights)
    with pytest.raises(KitError, match="compares by cosine"):
        matryoshka(recipe("scl", similarity="dot"), [8])
    for name in ("isbert", "ct", "tsdae"):
        with pytest.raises(KitError, match=f"compares its sentence vectors by cosine, got {name}"):
            matryoshka(recipe(name, **({"similarity": "cosine"} if name == "isbert" else {})), [8])
    with pytest.raises(KitError, match="dims up to the encoder's 32, got 64"):
        trainer_of(folder, matryoshka(settings, [64, 8]))
