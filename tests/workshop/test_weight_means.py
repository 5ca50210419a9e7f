"""The mean of weights against a plain loop and against torch's own, and that it leaves the encoders alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.optim.swa_utils import AveragedModel

from kit.encoder import Encoder, load_encoder, random_encoder
from kit.errors import KitError
from kit.workshop.weight_means import mean_of_weights
from tests.tiny import SENTENCES, write_tiny_bert


@pytest.fixture
def three(tiny: Path) -> list[Encoder]:
    return [random_encoder(tiny, seed=seed) for seed in range(3)]


def weights(encoder: Encoder) -> dict[str, torch.Tensor]:
    return {name: weight.clone() for name, weight in encoder.state_dict().items()}


def test_equal_shares_are_torchs_averaged_model(three: list[Encoder]) -> None:
    theirs = AveragedModel(three[0])
    for one in three:
        theirs.update_parameters(one)
    for name, weight in mean_of_weights(three).state_dict().items():
        torch.testing.assert_close(weight, theirs.module.state_dict()[name], msg=name)


def test_every_number_is_the_sum_that_a_loop_makes(three: list[Encoder]) -> None:
    shares = (0.5, 0.75, -0.25)
    found = mean_of_weights(three, shares)
    names = [name for name, weight in three[0].named_parameters() if weight.ndim == 1]
    assert names
    for name in names:
        rows = [one.state_dict()[name].tolist() for one in three]
        by_hand = [sum(share * row[i] for share, row in zip(shares, rows)) for i in range(len(rows[0]))]
        assert found.state_dict()[name].tolist() == pytest.approx(by_hand, abs=1e-6), name


def test_the_ends_of_the_line_are_the_encoders(three: list[Encoder]) -> None:
    for shares, end in (((1, 0), three[0]), ((0, 1), three[1])):
        assert torch.equal(mean_of_weights(three[:2], shares).encode(SENTENCES), end.encode(SENTENCES))


def test_the_encoders_stay_and_what_they_encoded_before_does_not_count(three: list[Encoder]) -> None:
    kept = [(weights(one), one.encode(SENTENCES)) for one in three]  # kit.fast may keep copies of weights
    mean = mean_of_weights(three)
    torch.testing.assert_close(mean.encode(SENTENCES), mean.encode(SENTENCES, fast=False))
    for one, (before, vectors) in zip(three, kept):
        assert all(torch.equal(before[name], weight) for name, weight in one.state_dict().items())
        assert torch.equal(one.encode(SENTENCES), vectors)
        assert not torch.allclose(mean.encode(SENTENCES), vectors)


def test_the_mean_of_one_is_that_one_and_can_be_saved(tiny: Path, tmp_path: Path) -> None:
    one = load_encoder(tiny, pooling="first_last")
    mean_of_weights([one]).save(tmp_path / "mean")
    assert torch.equal(load_encoder(tmp_path / "mean").encode(SENTENCES), one.encode(SENTENCES))


def test_what_has_no_mean_is_said(three: list[Encoder], tiny: Path, tmp_path: Path) -> None:
    wider = load_encoder(write_tiny_bert(tmp_path / "wider", hidden=64))
    deeper = load_encoder(write_tiny_bert(tmp_path / "deeper", layers=3))
    other_words = write_tiny_bert(tmp_path / "other")
    pieces = (other_words / "vocab.txt").read_text("utf-8").split("\n")
    pieces[10], pieces[11] = pieces[11], pieces[10]
    (other_words / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    cases = [
        ([], None, "at least one encoder"),
        ([*three, "kit-bert-tiny"], None, "kit-bert-tiny"),
        ([three[0], wider], None, "number 1"),
        ([three[0], three[1], deeper], None, "number 2"),
        ([three[0], load_encoder(other_words)], None, "one vocabulary"),
        ([three[0], load_encoder(tiny, pooling="cls")], None, "cls, mean"),
        ([load_encoder(tiny, pooling="first_last", first_layer=i) for i in (0, 1)], None, "layer 0, .* from layer 1"),
        (three, (0.5, 0.5), "3 shares"),
        (three, (0.5, 0.5, 0.5), "1 in all"),
        (three, (0.5, 0.5, float("nan")), "3 shares"),
        (three, ("a", 0.5, 0.5), "3 shares"),
    ]
    for encoders, shares, said in cases:
        with pytest.raises(KitError, match=said):
            mean_of_weights(encoders, shares)
