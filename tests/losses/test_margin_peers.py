"""The same numbers and gradients as pytorch-metric-learning and sentence-transformers.

Their defaults are matched by name: which distance, which reduction, a ½ or none.
"""

# ruff: noqa: B023 (`both` calls the functions at once, within the loop)
from __future__ import annotations

import inspect
import itertools

import pytest
import torch

from kit.losses import (
    REGIONS,
    batch_all,
    batch_hard,
    batch_semi_hard,
    contrastive,
    count_triplets,
    distance_matrix,
    pair_relations,
    supcon_relations,
    triplet,
    triplet_regions,
)
from tests.losses.shared import both

pytestmark = pytest.mark.slow  # sentence_transformers takes seconds to import

LABELS = torch.tensor([0, 1, 0, 2, 1, 0, 2, 3, 3, 1])  # every class has two rows at least
MARGINS = [0.05, 0.5, 5.0]
WHO = supcon_relations(LABELS)


@pytest.fixture
def z():
    return random(0, len(LABELS), 6)


def random(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# pytorch-metric-learning


def their_distance(name):
    from pytorch_metric_learning.distances import CosineSimilarity, LpDistance

    if name == "cosine":
        return CosineSimilarity()
    return LpDistance(normalize_embeddings=False, power=2 if name == "squared_euclidean" else 1)


def their_reducer(name):
    from pytorch_metric_learning.reducers import AvgNonZeroReducer, MeanReducer, SumReducer

    return {"mean": MeanReducer, "mean_active": AvgNonZeroReducer, "sum": SumReducer}[name]()


@pytest.mark.parametrize("reduction", ["mean", "mean_active", "sum"])
@pytest.mark.parametrize("distance", ["euclidean", "squared_euclidean", "cosine"])
def test_batch_all_and_batch_hard_of_pytorch_metric_learning(distance, reduction):
    from pytorch_metric_learning.losses import TripletMarginLoss
    from pytorch_metric_learning.miners import BatchHardMiner

    measure = their_distance(distance)
    miner = BatchHardMiner(distance=measure)
    for seed, margin in itertools.product(range(3), MARGINS):
        z = random(seed, len(LABELS), 6)
        loss = TripletMarginLoss(margin=margin, distance=measure, reducer=their_reducer(reduction))
        options = (WHO, margin, distance, reduction)
        both(lambda z: batch_all(z, *options), lambda z: loss(z, LABELS), z)
        both(lambda z: batch_hard(z, *options), lambda z: loss(z, LABELS, miner(z, LABELS)), z)


def test_the_defaults_of_pytorch_metric_learning(z):
    """Vectors of length 1, Euclidean distance, margin 0.05, the mean over active triplets."""
    from pytorch_metric_learning.losses import TripletMarginLoss

    def ours(z):
        return batch_all(torch.nn.functional.normalize(z), WHO, 0.05, "euclidean", "mean_active")

    both(ours, lambda z: TripletMarginLoss()(z, LABELS), z)


@pytest.mark.parametrize("distance", ["euclidean", "squared_euclidean", "cosine"])
def test_regions_are_what_its_miner_finds(distance):
    from pytorch_metric_learning.miners import TripletMarginMiner

    for seed, margin in itertools.product(range(3), (0.5, 2.0)):
        z = random(seed, len(LABELS), 6)
        counts = triplet_regions(z, WHO, margin, distance).bincount(minlength=3)
        for number, name in enumerate(REGIONS):
            kind = name.replace("-", "")
            miner = TripletMarginMiner(margin=margin, type_of_triplets=kind, distance=their_distance(distance))
            assert len(miner(z, LABELS)[0]) == counts[number]
        assert counts.sum() == count_triplets(WHO) and counts[1] > 0 and counts[2] > 0


def test_its_contrastive_loss_is_another_one(z):
    """Distances that are not squared, and two means that are added: not Hadsell's loss."""
    from pytorch_metric_learning.losses import ContrastiveLoss

    d = distance_matrix(torch.nn.functional.normalize(z), WHO)
    missing = (1.0 - d[WHO.negative]).relu()
    expected = d[WHO.positive].mean() + missing[missing > 0].mean()
    assert ContrastiveLoss()(z, LABELS).item() == pytest.approx(expected.item())
    assert expected.item() != pytest.approx(contrastive(torch.nn.functional.normalize(z), WHO).item(), rel=0.05)


# sentence-transformers: the real classes; the model is asked for nothing, the embeddings are given


class Given(torch.nn.Module):
    def forward(self, features):
        return {"sentence_embedding": features["given"]}


def theirs(name, *columns, labels=None, **settings):
    from sentence_transformers import losses

    return getattr(losses, name)(Given(), **settings).compute_loss_from_embeddings(list(columns), labels)


def batch_distance(name):
    from sentence_transformers.losses import BatchHardTripletLossDistanceFunction as Functions

    return Functions.cosine_distance if name == "cosine" else Functions.euclidean_distance


@pytest.mark.parametrize(
    ("ours", "name", "reduction"),
    [
        (batch_all, "BatchAllTripletLoss", "mean_active"),
        (batch_hard, "BatchHardTripletLoss", "mean"),
        (batch_semi_hard, "BatchSemiHardTripletLoss", "mean"),
    ],
)
def test_batch_losses_of_sentence_transformers(ours, name, reduction):
    for seed, margin, distance in itertools.product(range(3), MARGINS, ("euclidean", "cosine")):
        settings = {"labels": LABELS, "distance_metric": batch_distance(distance), "margin": margin}
        both(
            lambda z: ours(z, WHO, margin, distance, reduction),
            lambda z: theirs(name, z, **settings),
            random(seed, len(LABELS), 6),
        )


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_triplet_loss_of_sentence_transformers(distance):
    from sentence_transformers.losses import TripletDistanceMetric

    metric = getattr(TripletDistanceMetric, distance.upper())
    for margin in MARGINS:
        both(
            lambda a, p, n: triplet(a, p, n, margin, distance, "mean"),
            lambda a, p, n: theirs("TripletLoss", a, p, n, distance_metric=metric, triplet_margin=margin),
            *random(4, 3, 8, 5).unbind(),
        )


@pytest.mark.parametrize(("distance", "metric"), [("euclidean", "EUCLIDEAN"), ("cosine", "COSINE_DISTANCE")])
def test_contrastive_loss_of_sentence_transformers(distance, metric):
    """Its pairwise_distance adds 1e-6 to each difference, hence the wider tolerance."""
    from sentence_transformers.losses import SiameseDistanceMetric

    same, u, v = torch.tensor([True, False, False, True, False, False]), *random(5, 2, 6, 4).unbind()
    for margin, reduction in itertools.product((0.5, 5.0), ("mean", "sum")):
        settings = {"margin": margin, "size_average": reduction == "mean"}
        settings["distance_metric"] = getattr(SiameseDistanceMetric, metric)
        both(
            lambda u, v: contrastive(torch.cat([u, v]), pair_relations(same), margin, distance, reduction, half=True),
            lambda u, v: theirs("ContrastiveLoss", u, v, labels=same.long(), **settings),
            u,
            v,
            close=1e-5,
        )


def test_an_anchor_without_a_positive_counts_there_and_not_here(z):
    """The only row of a class: sentence-transformers takes 0 as the distance of its farthest positive."""
    labels = LABELS.clone()
    labels[-1] = 9
    who, d = supcon_relations(labels), distance_matrix(z, supcon_relations(labels))
    alone = (5 - d[-1][who.negative[-1]].min()).relu()
    ours = batch_hard(z, who, 5.0, reduction="sum")
    found = theirs("BatchHardTripletLoss", z, labels=labels, margin=5.0)
    assert found.item() == pytest.approx((ours + alone).item() / len(labels))
    assert batch_hard(z, who, 5.0).item() == pytest.approx(ours.item() / (len(labels) - 1))


def test_the_margins_that_the_lesson_names():
    from pytorch_metric_learning.losses import TripletMarginLoss
    from sentence_transformers import losses

    def default(loss, name):
        return inspect.signature(loss).parameters[name].default

    assert default(TripletMarginLoss, "margin") == 0.05
    assert default(losses.TripletLoss, "triplet_margin") == 5
    assert default(losses.BatchHardTripletLoss, "margin") == default(losses.BatchAllTripletLoss, "margin") == 5
    assert default(losses.ContrastiveLoss, "margin") == 0.5
