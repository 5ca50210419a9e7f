"""TSDAE: what is deleted, what the decoder may see, and its loss piece by piece."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from kit.comparators.denoising import Denoising, Noisy
from kit.errors import KitError
from kit.training import Trainer, fit, recipe
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups
from tests.training.shared import resumes_bit_for_bit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, data=None, precision: str = "fp32", **changes) -> Trainer:
    settings = recipe("tsdae", **{"batch_size": 6, "lr": 1e-3, "dropout": 0.0, **changes})
    encoder = tiny_encoder(folder, pooling=settings.pooling)
    return Trainer(
        encoder, settings, Denoising.examples(encoder, data or SENTENCES, settings, 0), 4, precision=precision
    )


def test_a_batch_has_what_is_left_and_what_was_there(folder: Path) -> None:
    one = trainer_of(folder)
    batch, whole = one.next_batch(), [example.anchor for example in one.source.examples]
    pad_id, length = one.encoder.tokenizer.pad_token_id, max(map(len, whole)) - 1
    assert batch.inputs.shape == batch.targets.shape == (6, length)
    rows = sorted(zip(batch.inputs.tolist(), batch.targets.tolist(), batch.token_ids))
    for row, (inputs, targets, left) in zip(sorted(whole), rows):
        rest = length + 1 - len(row)
        assert inputs == (row + [pad_id] * rest)[:length] and targets == row[1:] + [-100] * rest
        assert left[0] == row[0] and left[-1] == row[-1] and 3 <= len(left) <= len(row)
        places = iter(row)
        assert all(piece in places for piece in left), "a subsequence of the sentence"
    assert sum(map(len, batch.token_ids)) < 0.7 * sum(map(len, whole))
    assert batch.token_ids == trainer_of(folder).next_batch().token_ids


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """One query over its keys, one head: the weighted mean of the values."""
    return torch.softmax(torch.stack([q @ key for key in k]) / len(q) ** 0.5, 0) @ v


def plain(system: Denoising, encoder, sentences: torch.Tensor, batch: Noisy) -> float:
    """Row by row and piece by piece, by the parameters' names, heads apart."""
    layer = system.decoder.layers[0]
    dim, heads = encoder.dim, encoder.bert.config.num_attention_heads
    words = encoder.bert.get_input_embeddings().weight
    slices = [slice(h * dim // heads, (h + 1) * dim // heads) for h in range(heads)]
    terms = []
    for row in range(len(batch.inputs)):
        real = int((batch.targets[row] >= 0).sum())
        x = encoder.bert.embeddings(input_ids=batch.inputs[row : row + 1, :real])[0]  # [pieces, dim]
        own, cross = layer.self_attn, layer.multihead_attn
        q, k, v = ((own.in_proj_weight @ x.T).T + own.in_proj_bias).split(dim, 1)
        # the memory has one place, so all attention is on it
        value = cross.in_proj_weight[2 * dim :] @ sentences[row] + cross.in_proj_bias[2 * dim :]
        for t in range(real):
            seen = torch.cat([attend(q[t, s], k[: t + 1, s], v[: t + 1, s]) for s in slices])
            h = layer.norm1(x[t] + own.out_proj(seen))
            h = layer.norm2(h + cross.out_proj(value))
            h = layer.norm3(h + layer.linear2(torch.nn.functional.gelu(layer.linear1(h))))
            h = system.guesser.norm(torch.nn.functional.gelu(system.guesser.dense(h)))
            logits = words @ h + system.guesser.bias
            terms.append(torch.logsumexp(logits, 0) - logits[batch.targets[row, t]])
    return sum(terms).item() / len(terms)


def test_the_loss_is_that_of_plain_loops(folder: Path) -> None:
    one = trainer_of(folder)
    batch, encoder, system = one.next_batch(), one.encoder.double().eval(), one.objective.double().eval()
    with torch.no_grad():
        sentences = encoder.embed(batch.token_ids)
        found = system.reconstruction(encoder, sentences, batch).item()
        assert found == pytest.approx(plain(system, encoder, sentences, batch), rel=1e-6)  # float32 logits


def test_a_step_reports_that_loss(folder: Path) -> None:
    one, again = trainer_of(folder), trainer_of(folder)
    batch = again.next_batch()
    with torch.no_grad():
        expected = again.objective.reconstruction(again.encoder, again.encoder.embed(batch.token_ids), batch).item()
    told = one.step()
    assert told["loss"] == told["reconstruction"] == pytest.approx(expected, rel=1e-5)
    assert told["rows"] == 6 and told["lr"] == 1e-3, "constant, without warm-up"


def test_the_gradient_is_that_of_differences(folder: Path) -> None:
    one = trainer_of(folder, data=SENTENCES[:3], batch_size=3)
    batch, encoder, system = one.next_batch(), one.encoder.double().eval(), one.objective.double().eval()
    sentences = encoder.embed(batch.token_ids).detach().requires_grad_()
    system.reconstruction(encoder, sentences, batch).backward()
    step = 1e-2  # the logits are float32: a smaller step would drown
    for place in [(0, 0), (1, 5), (2, 31)]:
        moved = torch.zeros_like(sentences)
        moved[place] = step
        with torch.no_grad():
            up, down = (system.reconstruction(encoder, sentences + sign * moved, batch).item() for sign in (1, -1))
        assert sentences.grad[place].item() == pytest.approx((up - down) / (2 * step), rel=0.02, abs=1e-5)


def test_the_decoder_sees_no_later_piece(folder: Path) -> None:
    one = trainer_of(folder)
    batch, encoder, system = one.next_batch(), one.encoder.eval(), one.objective.eval()
    vectors = encoder.embed(batch.token_ids).detach()

    def states(inputs: torch.Tensor) -> torch.Tensor:
        seen = []
        hook = system.decoder.register_forward_hook(lambda module, args, out: seen.append(out.detach()))
        system.reconstruction(encoder, vectors, Noisy(batch.token_ids, inputs, batch.targets))
        hook.remove()
        return seen[0]

    other = batch.inputs.clone()
    other[:, 2] = 7
    assert not torch.equal(other, batch.inputs)
    before, after = states(batch.inputs), states(other)
    torch.testing.assert_close(after[:, :2], before[:, :2])
    assert (after[:, 2:] - before[:, 2:]).abs().max() > 1e-3


def test_what_the_decoder_knows_of_the_sentence_is_its_vector(folder: Path) -> None:
    one = trainer_of(folder)
    loss, _ = one.backward(one.next_batch())
    gradients = {name: p.grad for name, p in one.encoder.named_parameters() if p.grad is not None}
    assert any("layer.1.attention" in name and g.abs().max() > 0 for name, g in gradients.items())
    assert one.objective.decoder.layers[0].multihead_attn.out_proj.weight.grad.abs().max() > 0
    assert not any("word_embeddings" in name for name, _ in one.objective.named_parameters()), "they are the encoder's"
    assert 0.5 * math.log(len(one.encoder.tokenizer)) < loss.item()


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_the_decoder_runs_in_the_precision_of_the_training(folder: Path, precision: str) -> None:
    one, seen = trainer_of(folder, precision=precision), []
    one.objective.decoder.register_forward_hook(lambda *_: seen.append(torch.is_autocast_enabled("cpu")))
    one.step()
    assert seen == [precision == "bf16"]


@pytest.mark.slow
def test_it_learns_to_write_the_sentences_again(folder: Path) -> None:
    settings = recipe("tsdae", batch_size=12, lr=3e-3, epochs=20, dropout=0.0)
    losses = [h["loss"] for h in fit(tiny_encoder(folder), settings, tiny_groups(), progress=False).history]
    assert sum(losses[-4:]) < 0.5 * sum(losses[:4])


def test_more_layers_can_be_had(folder: Path) -> None:
    assert len(trainer_of(folder, decoder_layers=2).objective.decoder.layers) == 2


def test_the_dropout_of_the_recipe_is_that_of_the_decoder(folder: Path) -> None:
    modules = trainer_of(folder, dropout=0.3).objective.decoder.modules()
    assert {module.p for module in modules if isinstance(module, torch.nn.Dropout)} == {0.3}


@pytest.mark.slow
def test_a_killed_run_goes_on_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    resumes_bit_for_bit(folder, tmp_path, recipe("tsdae", batch_size=5, lr=1e-3, epochs=2, dropout=0.2), tiny_groups())


@pytest.mark.parametrize("text", ["a", "a hat", SENTENCES[1]])
def test_one_sentence_however_short(folder: Path, text: str) -> None:
    one = trainer_of(folder, data=[text])
    assert all(len(row) >= 3 for row in one.next_batch().token_ids), "one word stays"
    assert all(math.isfinite(one.step()["loss"]) for _ in range(3))


def test_nothing_deleted_is_an_autoencoder(folder: Path) -> None:
    one = trainer_of(folder, delete=0.0)
    assert sorted(one.next_batch().token_ids) == sorted(example.anchor for example in one.source.examples)


def test_settings_that_make_no_sense() -> None:
    for changes, sentence in [
        ({"delete": 1}, "a share to delete from 0 to below 1, got 1"),
        ({"delete": -0.1}, "a share to delete"),
        ({"delete": math.nan}, "a share to delete"),
        ({"delete": None}, "a share to delete"),
        ({"decoder_layers": 0}, "decoder_layers of 1 or more, got 0"),
        ({"decoder_layers": 1.5}, "decoder_layers"),
    ]:
        with pytest.raises(KitError, match=f"recipe 'tsdae': expected {sentence}"):
            recipe("tsdae", **changes)
