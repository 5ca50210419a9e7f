"""Where paper and released code part: each option reached from the recipe, and seen in a step of training."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch

from kit.errors import KitError, KitWarning
from kit.losses import masked_softmax
from kit.training import Trainer, fit, recipe
from kit.training.batches import Example, make_batch, tokenize_groups
from kit.training.objectives.contrast import Contrast
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups

LIAO = {"dropout": 0.0, "batch_size": 12, "lr": 1e-3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def trainer_of(folder: Path, name: str = "scl", steps: int = 4, **changes) -> Trainer:
    settings = recipe(name, **{**LIAO, **changes})
    encoder = tiny_encoder(folder, pooling=settings.pooling, first_layer=settings.first_layer)
    return Trainer(encoder, settings, Contrast.examples(encoder, tiny_groups(), settings, 0), steps, precision="fp32")


def test_two_linear_maps_are_one_linear_map(folder: Path) -> None:
    one = trainer_of(folder, lam=0.0, head="two linear")
    first, between, second = one.objective.head.layers
    dim = one.encoder.dim
    assert first.weight.shape == (3 * dim // 2, 3 * dim) and second.weight.shape == (3, 3 * dim // 2)
    assert not list(between.parameters()) and between(torch.tensor(-1.0)) == -1, "no activation between"
    z = one.encoder.embed(one.encoder.tokenize(SENTENCES)).detach()
    u, v = z[:3], z[3:]
    features = torch.cat([u, v, (u - v).abs()], 1)
    together = features @ (second.weight @ first.weight).T + second.weight @ first.bias + second.bias
    torch.testing.assert_close(one.objective.head(u, v), together, rtol=1e-4, atol=1e-5)


def test_the_head_of_the_recipe_is_the_one_that_is_trained(folder: Path) -> None:
    for name, system in (("sbert", "contrast"), ("augment_all", "augment")):
        assert recipe(name).objective.name == system
        settings = recipe(name, head="two linear", **LIAO)
        encoder = tiny_encoder(folder, pooling=settings.pooling)
        examples = tokenize_groups(encoder, tiny_groups(), "groups")
        one = Trainer(encoder, settings, examples, 3, precision="fp32")
        before = [p.clone() for p in one.objective.head.parameters()]
        one.step()
        assert len(before) == 4 and all(not torch.equal(p, q) for p, q in zip(one.objective.head.parameters(), before))
    assert len(list(trainer_of(folder).objective.head.parameters())) == 2


@pytest.mark.parametrize("pooling", ["mean_over_padded", "mean_with_padding"])
def test_scl_under_the_padding_of_its_batch(folder: Path, pooling: str) -> None:
    """The contrast of vectors made one by one from the states of the whole padded batch."""
    one = trainer_of(folder, lam=1.0, pooling=pooling)
    batch = one.next_batch()
    width = max(map(len, batch.token_ids))
    vectors = []
    for row in batch.token_ids:
        ids = torch.tensor([row + [one.encoder.tokenizer.pad_token_id] * (width - len(row))])
        mask = (torch.arange(width) < len(row)).long()[None]
        states = one.encoder.bert(input_ids=ids, attention_mask=mask).last_hidden_state[0]
        places = slice(1, len(row) if pooling == "mean_over_padded" else width)
        vectors.append(states[places].sum(0) / (width - 1))
    expected = masked_softmax(torch.stack(vectors), batch.relations, 1.0, "dot").item()
    assert one.step()["contrastive"] == pytest.approx(expected, rel=1e-4)
    right = trainer_of(folder, lam=1.0).step()["contrastive"]
    assert abs(right - expected) > 0.01, "the padding tells"


@pytest.mark.parametrize("first_layer", [0, 1])
def test_the_first_layer_of_the_recipe(folder: Path, first_layer: int) -> None:
    settings = recipe("supmpn", first_layer=first_layer, batch_size=4, epochs=1)
    other = tiny_encoder(folder, pooling="first_last", first_layer=1 - first_layer)
    with pytest.warns(
        KitWarning,
        match=f"'first_last' and first_layer {first_layer}, but .* and first_layer {1 - first_layer}, which is used",
    ):
        fit(other, settings, tiny_groups(), steps=1, progress=False)
    mine = tiny_encoder(folder, pooling="first_last", first_layer=first_layer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(mine, settings, tiny_groups(), steps=1, progress=False)


def test_the_first_layer_is_no_matter_to_other_poolings(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(tiny_encoder(folder, first_layer=0), recipe("mnrl", batch_size=4), tiny_groups(), steps=1, progress=False)


def test_the_first_layer_changes_the_loss(folder: Path) -> None:
    losses = [trainer_of(folder, "supmpn", first_layer=layer, batch_size=4).step()["loss"] for layer in (0, 1)]
    assert abs(losses[0] - losses[1]) > 1e-3


def test_where_other_positives_stand_changes_the_loss_as_it_should(folder: Path) -> None:
    # at τ 0.05 e⁰ = 1 drowns beside e^20 of a cosine near 1; at τ 1 it can be seen
    losses = {
        name: trainer_of(folder, "supmpn", other_positives=name, batch_size=4, temperature=1.0).step()["loss"]
        for name in ("excluded", "zero_logit", "included")
    }
    assert losses["excluded"] < losses["zero_logit"] < losses["included"], "e⁰ is less than e to a positive cosine"


def test_a_constant_rate_stays(folder: Path) -> None:
    def rates(schedule: str) -> list[float]:
        one = trainer_of(folder, schedule=schedule, steps=10, warmup=0.2)
        return [one.step()["lr"] for _ in range(10)]

    assert rates("constant") == pytest.approx([5e-4] + [1e-3] * 9)
    assert rates("linear") == pytest.approx([5e-4, 1e-3] + [1e-3 * k / 8 for k in range(8, 0, -1)])


def test_more_positives_than_there_are_become_copies(folder: Path) -> None:
    encoder, groups = tiny_encoder(folder, pooling="first_last"), tiny_groups(6)
    examples = Contrast.examples(encoder, groups, recipe("supmpn", positives=6, negatives=2), 0)
    for example, group in zip(examples, groups):
        positives = example.others[:6]
        assert len(example.others) == 8 and positives.count(example.anchor) == 6 - len(group.positives)


def test_more_negatives_than_there_are_anywhere(folder: Path) -> None:
    encoder = tiny_encoder(folder, pooling="first_last")
    with pytest.raises(
        KitError,
        match="expected 93 entailed or contradicted hypotheses of other anchors to borrow for 'a .*, but there are "
        ".*: give more groups, or ask for fewer negatives",
    ) as told:
        fit(encoder, recipe("supmpn", negatives=94), tiny_groups(4), progress=False)
    assert "\n" not in str(told.value)


def test_sentences_are_items_by_themselves(folder: Path) -> None:
    encoder, groups = tiny_encoder(folder), tiny_groups()
    texts = list(dict.fromkeys(t for g in groups for t in (g.anchor, *g.hypotheses)))
    examples = tokenize_groups(encoder, groups, "sentences")
    assert examples == [Example(ids, [], [], 1) for ids in encoder.tokenize(texts)]
    assert tokenize_groups(encoder, [*texts, texts[0]], "sentences") == examples
    assert examples[0].longest == len(examples[0].anchor)


def test_an_anchor_per_row_counts_a_premise_for_each_of_its_positives(folder: Path) -> None:
    encoder = tiny_encoder(folder)
    examples = tokenize_groups(encoder, tiny_groups(), "groups")
    by_premise, by_row = (make_batch(examples, recipe("scl", anchors=a)).relations for a in ("premise", "row"))
    positives = [example.labels.count(0) for example in examples]
    assert len(by_premise.anchors) == sum(n > 0 for n in positives)
    assert by_row.anchors.tolist() == [i for i, n in enumerate(positives) for _ in range(n)]
