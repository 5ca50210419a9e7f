"""PAUSE as a system: its loss as a plain loop, its examples, its weight over the steps, its options, resuming."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
import torch
from torch import nn

from kit.data import CONTRADICTION, ENTAILMENT, HIDDEN, Group, Source, Table
from kit.errors import KitError
from kit.evaluation import binary_scores, classify_pairs
from kit.training import fit, recipe
from kit.training.objectives.pause import Pause, PauseOptions, labelled_pairs, pu_schedule, train_classifier
from kit.training.trainer import Trainer
from tests.tiny import tiny_encoder, tiny_groups, write_tiny_bert
from tests.training.shared import Stopped, reached_by, stop_at

SMALL = {"batch_size": 8, "lr": 1e-3, "dropout": 0.0, "label_fraction": 0.5}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def encoder(tiny: Path):
    return tiny_encoder(tiny)


def trainer(encoder, steps: int = 6, groups=None, **changes) -> Trainer:
    chosen = recipe("pause", **{**SMALL, **changes})
    return Trainer(
        encoder, chosen, Pause.examples(encoder, groups or tiny_groups(), chosen, 0), steps=steps, precision="fp32"
    )


# --- the loss -------------------------------------------------------------------------------------


def slow_loss(made: Trainer, batch, t: int, steps: int) -> float:
    """Eq. 11 pair by pair: the head by hand, then CE, then the risk of each class, in floats."""
    options, (first, _, second) = made.recipe.options, made.objective.head.layers
    logits = []
    for u_row, v_row in zip(batch.u.tolist(), batch.v.tolist()):
        with torch.no_grad():
            u, v = (made.encoder.embed([batch.token_ids[row]])[0] for row in (u_row, v_row))
            features = torch.cat([u, v, (u - v).abs(), u * v])
            hidden = first.weight @ features + first.bias
            hidden = torch.tensor([x if x > 0 else math.exp(x) - 1 for x in hidden.tolist()])  # ELU
            logits.append((second.weight @ hidden + second.bias).tolist())
    labels = batch.labels.tolist()
    entropies = [math.log(sum(map(math.exp, row))) - row[label] for row, label in zip(logits, labels) if label >= 0]
    loss = sum(entropies) / len(entropies) if entropies else 0.0
    if options.divide_by_classes:
        loss /= options.classes
    risks = []
    for c, prior in enumerate(batch.priors):
        mine = [row[c] for row, label in zip(logits, labels) if label == c]
        others = [row[c] for row, label in zip(logits, labels) if label == -1]
        if mine and others:

            def mean(scores, sign):
                return sum(1 / (1 + math.exp(score * sign)) for score in scores) / len(scores)

            positive, negative = prior * mean(mine, 1), mean(others, -1) - prior * mean(mine, -1)
            risks.append(positive + negative if negative >= 0 else -negative)
        elif options.absent_class == "push":  # the mean that is missing counts as 0
            push = sum(1 / (1 + math.exp(-score)) for score in others) / len(others) if others else 0.0
            known = sum(1 / (1 + math.exp(-score)) for score in mine) / len(mine) if mine else 0.0
            pull = sum(1 / (1 + math.exp(score)) for score in mine) / len(mine) if mine else 0.0
            negative = push - prior * known
            risks.append(prior * pull + negative if negative >= 0 else -negative)
    weight = options.pu_weight * (t / steps) ** options.alpha
    return loss + weight * (sum(risks) / len(risks) if risks else 0.0)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"alpha": 0},
        {"alpha": 1.5, "pu_weight": 2.0},
        {"divide_by_classes": True},
        {"pu_weight": 0},
        {"label_fraction": 1.0},
        {"class_priors": (0.2, 0.3, 0.4)},
    ],
)
def test_the_whole_loss_as_a_plain_loop(encoder, changes: dict) -> None:
    made = trainer(encoder, **changes)
    for step in range(4):
        batch = made.next_batch()
        made.module.eval()
        expected = slow_loss(made, batch, t=step + 1, steps=6)
        assert made.step()["loss"] == pytest.approx(expected, rel=1e-4)


def test_a_class_without_a_label_is_left_out_or_pushed_from_as_released(encoder) -> None:
    found = {}
    for absent in ("skip", "push"):
        made = trainer(encoder, absent_class=absent, alpha=0, label_fraction=0.1)
        batch = made.next_batch()
        assert len(set(batch.labels.tolist()) - {HIDDEN}) < 3, "a class is absent"
        made.module.eval()
        expected = slow_loss(made, batch, t=1, steps=6)
        found[absent] = made.step()["loss"]
        assert found[absent] == pytest.approx(expected, rel=1e-4)
    assert found["skip"] != pytest.approx(found["push"], rel=1e-3)


def test_the_parts_are_told_before_their_weight(encoder) -> None:
    made = trainer(encoder)
    first = made.step()
    assert first["loss"] == pytest.approx(first["cross_entropy"] + (1 / 6) ** 3 * first["pu"], rel=1e-5)
    assert "pu" not in trainer(encoder, pu_weight=0).step()


def test_the_head_takes_its_vectors_in_a_way_that_repeats_on_two_threads(encoder) -> None:
    assert reached_by(trainer(encoder)) == {"IndexSelectBackward0"}


def test_one_class_is_the_risk_alone(encoder) -> None:
    """Section 3.4 with C = 1: positives and unlabelled pairs, no cross-entropy, no annealing."""
    groups, prior = tiny_groups(20), 0.4
    for positive_label in (ENTAILMENT, CONTRADICTION):
        made = trainer(
            encoder, groups=groups, classes=1, class_priors=(prior,), positive_label=positive_label, batch_size=16
        )
        gold = [label for _, _, label in labelled_pairs(groups)]
        kept = [example.label for example in made.source.examples]
        assert {*kept} == {0, HIDDEN} and kept.count(0) == round(0.5 * gold.count(positive_label))
        assert all(was == positive_label for was, label in zip(gold, kept) if label == 0)
        for _ in range(4):
            batch = made.next_batch()
            made.module.eval()
            with torch.no_grad():
                z = made.encoder.embed(batch.token_ids)
                scores = made.objective.head(z[batch.u], z[batch.v])[:, 0].tolist()
            sigmoid = [1 / (1 + math.exp(-score)) for score in scores]
            mine = [s for s, label in zip(sigmoid, batch.labels.tolist()) if label == 0]
            others = [s for s, label in zip(sigmoid, batch.labels.tolist()) if label == HIDDEN]
            expected = 0.0
            if mine and others:
                negative = sum(others) / len(others) - prior * sum(mine) / len(mine)
                positive = prior * sum(1 - s for s in mine) / len(mine)
                expected = positive + negative if negative >= 0 else -negative
            told = made.step()
            assert told["loss"] == pytest.approx(expected, rel=1e-4, abs=1e-7) == told["pu"]
            assert "cross_entropy" not in told


def test_a_classifier_depends_on_the_seed_and_the_precision(tiny: Path) -> None:
    settings = recipe("pause", **{**SMALL, "label_fraction": 1.0})  # else the seed hides other labels, too

    def head(**how) -> torch.Tensor:
        made = train_classifier(tiny_encoder(tiny), settings, tiny_groups(), steps=2, **how)
        return torch.cat([weight.detach().flatten() for weight in made.parameters()])

    usual, told = head(seed=3, precision="fp32"), []
    assert torch.equal(usual, head(seed=3, precision="fp32", callback=told.append))
    assert [step["step"] for step in told] == [1, 2]
    assert not torch.equal(usual, head(seed=4, precision="fp32"))
    assert not torch.equal(usual, head(seed=3, precision="bf16"))


@pytest.mark.slow
def test_one_class_learns_what_nobody_labelled_as_negative(tiny: Path) -> None:
    """Similar or not, from some similar pairs and unlabelled ones: better than always the same answer."""
    encoder = tiny_encoder(tiny)
    settings = {**SMALL, "classes": 1, "positive_label": 1, "class_priors": (0.5,), "batch_size": 16, "epochs": 20}
    head = train_classifier(encoder, recipe("pause", **{**settings, "lr": 2e-3}), TWO * 8)
    first, second, gold = zip(*TWO)
    found = binary_scores(classify_pairs(encoder, head, first, second), gold)
    assert found.accuracy > 75 and {*classify_pairs(encoder, head, first, second)} == {0, 1}


def test_the_head_is_the_papers(encoder) -> None:
    first, between, second = trainer(encoder).objective.head.layers
    assert (first.in_features, first.out_features, second.out_features) == (4 * encoder.dim, 128, 3)
    assert isinstance(between, nn.ELU)
    assert trainer(encoder, classes=2, hidden=16, groups=TWO).objective.head.layers[2].out_features == 2


def test_both_losses_teach_the_encoder_and_hidden_pairs_only_the_second(encoder) -> None:
    """A pair without a label moves the encoder through the PU risk, and not at all with its weight at 0."""
    for weight, moved in ((1.0, True), (0.0, False)):
        made = trainer(encoder, pu_weight=weight, alpha=0)
        batch = made.next_batch()
        z = made.encoder.embed(batch.token_ids).detach().requires_grad_()
        loss, _ = made.objective.loss(batch, made.context(lambda token_ids, z=z: z))
        (gradient,) = torch.autograd.grad(loss, z)
        hidden = (batch.labels == HIDDEN).nonzero().flatten()
        known = set(batch.u[batch.labelled].tolist()) | set(batch.v[batch.labelled].tolist())
        alone = [row for row in batch.v[hidden].tolist() if row not in known]
        assert alone and bool(gradient[alone].abs().sum() > 0) is moved
        assert gradient[sorted(known)].abs().sum() > 0


# --- the weight -----------------------------------------------------------------------------------


def test_the_weight_grows_over_the_whole_run_and_ends_at_one() -> None:
    weight = pu_schedule(PauseOptions(), steps=10)
    assert [weight(step) for step in range(10)] == pytest.approx([(t / 10) ** 3 for t in range(1, 11)])
    assert pu_schedule(PauseOptions(alpha=0, pu_weight=0.5), 10)(0) == 0.5
    assert pu_schedule(PauseOptions(pu_weight=2.0), 10)(9) == 2


def test_reset_in_every_epoch_it_never_passes_epochs_to_the_minus_alpha(encoder) -> None:
    """The released code: the step counts from the start of the epoch, T is that of the whole run."""
    for reset in (False, True):
        chosen = recipe("pause", **SMALL, per_epoch_reset=reset, epochs=2)
        made = Trainer(encoder, chosen, Pause.examples(encoder, tiny_groups(), chosen, 0))
        half, told = made.steps // 2, [made.step() for _ in range(made.steps)]
        weights = [(one["loss"] - one["cross_entropy"]) / one["pu"] for one in told if one.get("pu", 0) > 0.01]
        assert made.steps >= 8 and len(weights) > made.steps / 2
        highest = (half / made.steps) ** 3 if reset else 1.0
        assert max(weights) <= highest + 1e-3
        assert max(weights) > 0.5 * highest  # the last batch of an epoch may be too small to tell


# --- the examples ------------------------------------------------------------------------------------

TWO = [
    ("a dog runs", "the dog runs", 1),
    ("a cat sleeps", "a man reads", 0),
    ("two birds wait", "birds wait", 1),
    ("a hat", "a tall woman sings", 0),
] * 4


def labels_of(examples) -> list[int]:
    return [example.label for example in examples]


def test_labels_are_hidden_once_by_the_seed_and_items_keep_their_order(encoder) -> None:
    whole = Pause.examples(encoder, tiny_groups(), recipe("pause"), 0)
    half = Pause.examples(encoder, tiny_groups(), recipe("pause", label_fraction=0.5), 0)
    pairs = list(labelled_pairs(tiny_groups()))
    assert labels_of(whole) == [label for _, _, label in pairs]
    assert [(i.first, i.second) for i in whole] == [(i.first, i.second) for i in half]
    assert [example.first for example in whole] == encoder.tokenize([first for first, _, _ in pairs])
    kept, there = Counter(labels_of(half)), Counter(labels_of(whole))
    assert all(kept[c] == math.floor(there[c] / 2 + 0.5) for c in range(3))
    again, other = (
        Pause.examples(encoder, tiny_groups(), recipe("pause", label_fraction=0.5), seed) for seed in (0, 1)
    )
    assert labels_of(again) == labels_of(half) != labels_of(other)
    assert {example.size for example in whole} == {1}
    assert all(example.longest == max(len(example.first), len(example.second)) for example in whole)


def test_priors_are_counted_or_given(encoder) -> None:
    pairs = Counter(label for _, _, label in labelled_pairs(tiny_groups()))
    counted = Pause.examples(encoder, tiny_groups(), recipe("pause"), 0)[0].priors
    assert counted == pytest.approx([pairs[c] / pairs.total() for c in range(3)])
    given = recipe("pause", class_priors=(0.5, 0.2, 0.1))
    assert Pause.examples(encoder, tiny_groups(), given, 0)[0].priors == (0.5, 0.2, 0.1)


def test_the_mix_of_a_batch_is_another_number_than_the_priors(encoder) -> None:
    groups = tiny_groups(60)
    chosen = recipe("pause", label_fraction=0.2, labelled_fraction=0.5)
    examples = Pause.examples(encoder, groups, chosen, 0)
    plain = Pause.examples(encoder, groups, recipe("pause", label_fraction=0.2), 0)
    assert len(examples) == len(plain) and examples[0].priors == plain[0].priors
    assert sum(label != HIDDEN for label in labels_of(examples)) == round(len(examples) / 2)
    alone = recipe("pause", label_fraction=0.2, labelled_fraction=1.0, pu_weight=0)
    assert HIDDEN not in labels_of(Pause.examples(encoder, groups, alone, 0))


def test_ambiguous_pairs_count_as_unlabelled_with_all_labels(encoder) -> None:
    groups = [*tiny_groups(), Group(99, "a dog runs", ("a cat runs", "the dog is old"), (HIDDEN, ENTAILMENT))]
    examples = Pause.examples(encoder, groups, recipe("pause"), 0)
    assert labels_of(examples).count(HIDDEN) == 1
    told = trainer(encoder, groups=groups * 3, label_fraction=1.0, alpha=0, batch_size=500).step()
    assert told["pu"] > 0, "and they have a PU risk"


def test_a_table_tuples_and_groups_are_the_same_data(encoder) -> None:
    rows = list(labelled_pairs(tiny_groups()))
    source = Source("x", "train", "path", "x", "0", len(rows))
    for names in (("premise", "hypothesis"), ("sentence1", "sentence2")):
        table = Table(
            {
                names[0]: [a for a, _, _ in rows],
                names[1]: [b for _, b, _ in rows],
                "label": [label for _, _, label in rows],
            },
            source,
        )
        assert Pause.examples(encoder, table, recipe("pause"), 0) == Pause.examples(encoder, rows, recipe("pause"), 0)
    assert Pause.examples(encoder, rows, recipe("pause"), 0) == Pause.examples(
        encoder, tiny_groups(), recipe("pause"), 0
    )


def test_a_premise_is_encoded_once(encoder) -> None:
    made = trainer(encoder, batch_size=48)
    batch = made.next_batch()
    assert len(batch.token_ids) == len(set(map(tuple, batch.token_ids))) < 2 * len(batch.labels)
    examples = made._batches[0]
    assert [batch.token_ids[row] for row in batch.u] == [example.first for example in examples]
    assert [batch.token_ids[row] for row in batch.v] == [example.second for example in examples]


NO_ENTAILMENT = [Group(0, "a dog runs", ("nobody runs",), (CONTRADICTION,))]


def test_data_that_do_not_fit(encoder) -> None:
    for data, changes, words in [
        ([], {}, "pairs with labels to train on, got none"),
        ("a dog runs", {}, "got str"),
        ({"a dog": 1}, {}, "got dict"),
        (3, {}, "got int"),
        (None, {}, "got NoneType"),
        ([*tiny_groups(2), "a dog runs"], {}, "got str"),
        ([("a dog", "a cat", 0.5)], {}, "whole numbers .* got 0.5"),
        (["a dog runs"], {}, "NLI groups, or tuples .sentence 1, sentence 2, label., got str"),
        ([("a dog", "a cat")], {}, "got tuple"),
        ([("a dog", 3, 1)], {}, "got tuple"),
        (Table({"text": ["a"], "label": [1]}, Source("x", "train", "path", "x", "0", 1)), {}, "got text, label"),
        (NO_ENTAILMENT, {}, "of each of 3 classes, got none of class 0"),
        (TWO, {}, "of each of 3 classes, got none of class 2"),
        ([*TWO, ("a hat", "a hat", 2)], {"classes": 2}, "labels from 0 to 1, or −1 for a hidden one, got 2"),
        (TWO, {"classes": 2, "label_fraction": 0.01}, "a label left in every class, got none in class 0"),
        (TWO, {"classes": 2, "label_fraction": 1.0, "labelled_fraction": 0.5}, "rows without a label for a mix"),
    ]:
        with pytest.raises(KitError, match=words):
            fit(encoder, recipe("pause", **changes), data, steps=1, progress=False)


# --- the options ----------------------------------------------------------------------------------


def test_an_option_that_makes_no_sense() -> None:
    for name, values, words in [
        ("label_fraction", [0, -0.1, 1.5, math.nan, True, None, "0.1"], "a label_fraction above 0 and up to 1"),
        ("stratified", [1, None], "stratified True or False"),
        ("classes", [0, 2.0, True, None], "1 class .PU alone. or more"),
        ("classes", [1], "class_priors with 1 class, as positives do not tell how frequent they are"),
        ("positive_label", [-1, 0.5, None], "a positive_label of 0 or more"),
        (
            "class_priors",
            [
                (0.5, 0.5),
                (0.0, 0.5, 0.5),
                (1.0, 0.1, 0.1),
                (0.5, 0.4, 0.3),
                (math.nan, 0.1, 0.1),
                0.3,
                "abc",
                (0.2, 0.2, "0.2"),
            ],
            "class_priors as 3 fractions above 0 that sum to 1 at most, or None",
        ),
        ("labelled_fraction", [0, 1.1, -1, math.inf, True], "a labelled_fraction above 0 and up to 1, or None"),
        ("alpha", [-1, math.nan, math.inf, None, True], "α .alpha. of 0 or more"),
        ("per_epoch_reset", [1, None], "per_epoch_reset True or False"),
        ("pu_weight", [-0.1, math.nan, None, True], "a pu_weight of 0 or more"),
        ("divide_by_classes", [0, None], "divide_by_classes True or False"),
        ("absent_class", ["drop", None], "absent_class 'skip' or 'push'"),
        ("hidden", [0, 1.5, True, None], "a hidden width of 1 or more"),
    ]:
        for value in values:
            with pytest.raises(KitError, match=f"recipe 'pause': expected {words}.*, got"):
                recipe("pause", **{name: value})
    with pytest.raises(KitError, match="a pu_weight above 0 with 1 class .PU alone., got 0"):
        recipe("pause", classes=1, class_priors=(0.3,), pu_weight=0)


def test_the_ends_of_the_ranges_are_allowed() -> None:
    for name, values in {
        "label_fraction": [1e-6, 1],
        "labelled_fraction": [1e-6, 1, None],
        "classes": [2, 9],
        "positive_label": [0],
        "alpha": [0],
        "pu_weight": [0],
        "hidden": [1],
    }.items():
        for value in values:
            assert recipe("pause", **{name: value}).as_dict()[name] == value
    assert recipe("pause", classes=1, class_priors=(0.5,)).options.class_priors == (0.5,)


def test_the_recipe_is_the_papers() -> None:
    paper = recipe("pause", "gpu")
    assert (paper.batch_size, paper.epochs, paper.lr, paper.warmup, paper.pooling) == (128, 2, 7.5e-5, 0.1, "mean")
    assert paper.options == PauseOptions() and (paper.options.alpha, paper.options.hidden) == (3, 128)
    assert not paper.options.per_epoch_reset and not paper.options.divide_by_classes
    assert paper.options.absent_class == "skip" and paper.objective is Pause
    assert recipe("pause", "laptop", label_fraction=0.1).as_dict()["label_fraction"] == 0.1


# --- runs -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("stop", [2, 3, 5, 7])
def test_a_stopped_run_goes_on_bit_for_bit(tiny: Path, tmp_path: Path, stop: int) -> None:
    def run(folder: Path | None, stop: int | None = None):
        learner = tiny_encoder(tiny)
        chosen = recipe("pause", **{**SMALL, "dropout": 0.2, "epochs": 2, "labelled_fraction": 0.4})
        result = fit(
            learner,
            chosen,
            tiny_groups(),
            steps=9,
            folder=folder,
            checkpoint_every=3,
            callback=stop_at(stop),
            progress=False,
        )
        return result.history, {name: weight.clone() for name, weight in learner.state_dict().items()}

    history, weights = run(None)
    with pytest.raises(Stopped):
        run(tmp_path, stop)
    resumed, again = run(tmp_path)
    assert resumed == history and len(history) == 9
    assert all(torch.equal(weights[name], again[name]) for name in weights)


def test_another_fraction_is_another_run(tiny: Path, tmp_path: Path) -> None:
    def run(fraction: float) -> None:
        fit(
            tiny_encoder(tiny),
            recipe("pause", **{**SMALL, "label_fraction": fraction}),
            tiny_groups(),
            steps=2,
            folder=tmp_path,
            progress=False,
        )

    run(0.5)
    with pytest.raises(KitError, match=r"belongs to another \(recipe: label_fraction: 0.5 there, 0.6 here\)"):
        run(0.6)


@pytest.mark.slow
def test_a_classifier_learns_what_is_similar(encoder) -> None:
    """Half of the labels, the same subject or another: the head and the encoder together learn it."""
    subjects, verbs = ("dog", "cat", "man", "woman", "bird", "child"), ("runs", "sleeps", "sings", "waits")
    pairs = [
        (f"a {one} {verb}", f"the {other} {verb}", int(one == other))
        for one in subjects
        for other in subjects
        for verb in verbs
        if one == other or hash_of(one, other, verb)
    ]
    told: list[dict] = []
    chosen = recipe("pause", classes=2, lr=2e-3, dropout=0.0, batch_size=16, label_fraction=0.5, epochs=20)
    head = train_classifier(encoder, chosen, pairs, callback=told.append)
    assert not encoder.training and not head.training and told[-1]["cross_entropy"] < 0.1
    with torch.no_grad():
        logits = head(encoder.encode([a for a, _, _ in pairs]), encoder.encode([b for _, b, _ in pairs]))
    right = (logits.argmax(1) == torch.tensor([label for _, _, label in pairs])).double().mean()
    assert right > 0.9


def hash_of(one: str, other: str, verb: str) -> bool:
    """About a fifth of the pairs of unlike subjects, so that the classes are even; the same in every run."""
    return sum(map(ord, one + verb + other)) % 5 == 0
