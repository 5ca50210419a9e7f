"""The positive-unlabelled risk: a plain loop, both sides of the switch, and a problem whose true risk is known."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import HIDDEN, check_priors, naive_pu, nn_pu, pu_risks
from tests.losses.shared import CORNERS


def slow_risks(logits, labels, priors):
    """(R⁺, R⁻) of every class as the paper writes them, Eq. 7 and 9: floats and loops."""

    def loss(score, sign):
        return 1 / (1 + math.exp(score * sign))

    found = []
    for c, prior in enumerate(priors):
        scores = [row[c] for row in logits.tolist()]
        mine = [s for s, label in zip(scores, labels.tolist(), strict=True) if label == c]
        others = [s for s, label in zip(scores, labels.tolist(), strict=True) if label == -1]
        if not mine or not others:
            found.append(None)
            continue
        positive = prior * sum(loss(s, 1) for s in mine) / len(mine)
        negative = sum(loss(s, -1) for s in others) / len(others) - prior * sum(loss(s, -1) for s in mine) / len(mine)
        found.append((positive, negative))
    return found


def slow_nn_pu(logits, labels, priors):
    terms = [p + n if n >= 0 else -n for p, n in filter(None, slow_risks(logits, labels, priors))]
    return sum(terms) / len(terms) if terms else 0.0


def draw(seed, rows=24, classes=3, dtype=torch.float64):
    rng = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(rows, classes, generator=rng, dtype=dtype)
    return logits, torch.randint(-1, classes, (rows,), generator=rng)


PRIORS = [0.5, 0.3, 0.2]


def test_as_a_plain_loop():
    for seed in range(20):
        logits, labels = draw(seed, rows=4 + seed)
        slow = slow_risks(logits, labels, PRIORS)
        fast = pu_risks(logits, labels, PRIORS)
        assert fast.known.tolist() == [one is not None for one in slow]
        for c, one in enumerate(slow):
            if one:
                assert (fast.positive[c].item(), fast.negative[c].item()) == pytest.approx(one)
        assert nn_pu(logits, labels, PRIORS).item() == pytest.approx(slow_nn_pu(logits, labels, PRIORS))
        naive = [sum(one) for one in slow if one]
        assert naive_pu(logits, labels, PRIORS).item() == pytest.approx(sum(naive) / len(naive) if naive else 0)


def test_both_sides_of_the_switch_occur_in_these_draws():
    switched = [pu_risks(*draw(seed), PRIORS).switched for seed in range(20)]
    assert 0 < torch.stack(switched).double().mean() < 1


# one class: three labelled rows, four without a label
ABOVE = torch.tensor([[0.5], [1.0], [0.0], [0.3], [-0.2], [0.1], [-1.0]], dtype=torch.float64)
BELOW = torch.tensor([[3.0], [4.0], [2.5], [-3.0], [-4.0], [-2.0], [-3.5]], dtype=torch.float64)
LABELS = torch.tensor([0, 0, 0, -1, -1, -1, -1])


@pytest.mark.parametrize(("logits", "switched"), [(ABOVE, False), (BELOW, True)])
def test_gradients_on_both_sides(logits, switched):
    """Finite differences well away from the jump, whose height is shown by the next test."""
    risks = pu_risks(logits, LABELS, [0.4])
    assert risks.switched.item() is switched and risks.negative.abs().item() > 0.05
    leaf = logits.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda z: nn_pu(z, LABELS, [0.4]), (leaf,))
    assert torch.autograd.gradcheck(lambda z: naive_pu(z, LABELS, [0.4]), (leaf,))
    (gradient,) = torch.autograd.grad(nn_pu(leaf, LABELS, [0.4]), leaf)
    labelled, others = gradient[:3], gradient[3:]
    if switched:  # the labelled are pushed down, the others up: some memorising is undone
        assert (labelled > 0).all() and (others < 0).all()
        (naive,) = torch.autograd.grad(naive_pu(leaf, LABELS, [0.4]), leaf)
        assert torch.allclose(others, -naive[3:]), "ascent on R⁻ where the naive risk descends"
    else:
        assert (labelled < 0).all() and (others > 0).all()


def test_the_value_jumps_by_the_positive_part():
    low, high = -8.0, 8.0  # the score of the unlabelled rows at which R⁻ is zero lies between
    for _ in range(60):
        middle = (low + high) / 2
        rows = torch.cat([BELOW[:3], torch.full((4, 1), middle, dtype=torch.float64)])
        low, high = (middle, high) if pu_risks(rows, LABELS, [0.4]).negative.item() < 0 else (low, middle)
    sides = [torch.cat([BELOW[:3], torch.full((4, 1), at, dtype=torch.float64)]) for at in (low - 1e-9, high + 1e-9)]
    below, above = (nn_pu(rows, LABELS, [0.4]).item() for rows in sides)
    assert below == pytest.approx(0, abs=1e-8)
    assert above == pytest.approx(pu_risks(sides[1], LABELS, [0.4]).positive.item(), abs=1e-8) and above > 0.01


def test_labels_of_other_classes_take_no_part():
    logits, labels = draw(3)
    assert (labels == 1).any()
    leaf = logits.clone().requires_grad_()
    risks = pu_risks(leaf, labels, PRIORS)
    (gradient,) = torch.autograd.grad(risks.positive[0] + risks.negative[0], leaf)
    assert gradient[(labels == 1) | (labels == 2)].abs().max() == 0
    assert gradient[(labels == 0) | (labels == HIDDEN), 0].abs().min() > 0


def test_a_class_without_a_label_is_skipped_or_pushed():
    logits, labels = draw(5)
    labels[labels == 2] = 1
    leaf = logits.clone().requires_grad_()
    skipped = nn_pu(leaf, labels, PRIORS)
    assert skipped.item() == pytest.approx(slow_nn_pu(logits, labels, PRIORS))
    (gradient,) = torch.autograd.grad(skipped, leaf)
    assert gradient[:, 2].abs().max() == 0
    pushed = nn_pu(leaf, labels, PRIORS, absent="push")
    others = [p + n if n >= 0 else -n for p, n in slow_risks(logits, labels, PRIORS)[:2]]
    alone = torch.sigmoid(logits[labels == HIDDEN, 2]).mean().item()
    assert pushed.item() == pytest.approx((sum(others) + alone) / 3)
    (gradient,) = torch.autograd.grad(pushed, leaf)
    assert (gradient[labels == HIDDEN, 2] > 0).all(), "every unlabelled row is pushed away from the class"


@pytest.mark.parametrize("risk", [nn_pu, naive_pu])
def test_nothing_to_estimate_is_a_zero_with_a_graph(risk):
    for labels in ([-1, -1, -1], [0, 1, 2], []):
        leaf = torch.randn(len(labels), 3, requires_grad=True)
        loss = risk(leaf, torch.tensor(labels, dtype=torch.long), PRIORS)
        loss.backward()
        assert loss.item() == 0 and leaf.grad.abs().sum() == 0


def test_a_risk_of_zero_is_not_below_zero():
    """As that of a class without rows: there is nothing to switch."""
    assert not pu_risks(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long), PRIORS).switched.any()


def test_without_unlabelled_rows_the_released_rule_pushes_the_labelled_down():
    logits = torch.zeros(3, 3, requires_grad=True)
    labels = torch.tensor([0, 1, 2])
    nn_pu(logits, labels, 1 / 3, absent="push").backward()
    assert (logits.grad.diagonal() > 0).all(), "the labelled pairs themselves are pushed away from their class"


# --- a problem whose risk is known ----------------------------------------------------------------
# x ~ N(+1, 1) with probability π, else N(−1, 1); f(x) = 2x. The true risk by numerical integration.

PRIOR = 0.35


def true_risk() -> float:
    x = torch.linspace(-9, 9, 20_001, dtype=torch.float64)
    density = [torch.exp(-((x - m) ** 2) / 2) / math.sqrt(2 * math.pi) for m in (1.0, -1.0)]
    mistakes = PRIOR * density[0] * torch.sigmoid(-2 * x) + (1 - PRIOR) * density[1] * torch.sigmoid(2 * x)
    return torch.trapezoid(mistakes, x).item()


def sample(seed: int, labelled: int, unlabelled: int):
    rng = torch.Generator().manual_seed(seed)
    positive = torch.randn(labelled, generator=rng, dtype=torch.float64) + 1
    sign = torch.where(torch.rand(unlabelled, generator=rng) < PRIOR, 1.0, -1.0)
    others = torch.randn(unlabelled, generator=rng, dtype=torch.float64) + sign
    labels = torch.tensor([0] * labelled + [HIDDEN] * unlabelled)
    return 2 * torch.cat([positive, others])[:, None], labels


@pytest.mark.slow
def test_the_naive_risk_is_right_on_average_and_nn_pu_never_below_zero():
    draws = [sample(seed, 5, 40) for seed in range(3000)]
    naive = torch.stack([naive_pu(*one, [PRIOR]) for one in draws])
    bounded = torch.stack([nn_pu(*one, [PRIOR]) for one in draws])
    error = naive.std() / len(draws) ** 0.5
    assert abs(naive.mean() - true_risk()) < 3 * error and error < 0.003
    assert (bounded >= 0).all()
    assert abs(bounded.mean() - true_risk()) < 0.01, "at these sizes R⁻ is seldom below zero"


def test_a_classifier_that_knows_the_labelled_by_heart_has_a_negative_naive_risk():
    """Whatever the data: labelled rows scored high, all others low, gives −π; the true risk is π or more."""
    _, labels = sample(0, 5, 40)
    scores = torch.where(labels == 0, 30.0, -30.0).double()[:, None]
    assert naive_pu(scores, labels, [PRIOR]).item() == pytest.approx(-PRIOR)
    assert nn_pu(scores, labels, [PRIOR]).item() == pytest.approx(PRIOR)


def test_a_wrong_prior_moves_the_estimate():
    logits, labels = sample(1, 2000, 20_000)
    assert naive_pu(logits, labels, [PRIOR]).item() == pytest.approx(true_risk(), abs=0.02)
    assert abs(naive_pu(logits, labels, [2 * PRIOR]).item() - true_risk()) > 0.05


# --- corners --------------------------------------------------------------------------------------


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("risk", [nn_pu, naive_pu])
def test_nothing_is_nan_in_the_corners(risk, corner):
    for rows, dtype in itertools.product((1, 2, 9), (torch.float32, torch.bfloat16, torch.float64)):
        start = CORNERS[corner](torch.randn(rows, 3, generator=torch.manual_seed(1))).to(dtype)
        for labels in ([0] * rows, [-1] * rows, [(row % 4) - 1 for row in range(rows)]):
            leaf = start.clone().requires_grad_()
            loss = risk(leaf, torch.tensor(labels), PRIORS)
            loss.backward()
            assert loss.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
            assert loss.isfinite() and leaf.grad.isfinite().all()


def test_float32_under_autocast():
    head = torch.nn.Linear(4, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = head(torch.randn(6, 4))
        loss = nn_pu(logits, torch.tensor([0, 1, 2, -1, -1, -1]), PRIORS)
    assert logits.dtype == torch.bfloat16 and loss.dtype == torch.float32
    loss.backward()
    assert head.weight.grad.abs().sum() > 0


def test_priors_that_are_no_priors():
    cases = [
        ([0.5, 0.5], "for each of 3 classes, got"),
        ([0.2] * 4, "for each of 3 classes"),
        ("abc", "for each of 3 classes"),
        (None, "for each of 3 classes"),
        ([0.0, 0.5, 0.5], "above 0 and below 1, got 0.0"),
        ([-0.1, 0.5, 0.5], "above 0 and below 1, got -0.1"),
        ([1.0, 0.1, 0.1], "above 0 and below 1, got 1.0"),
        ([math.nan, 0.5, 0.5], "above 0 and below 1, got nan"),
        ([True, 0.5, 0.5], "above 0 and below 1, got True"),
        (0.5, "sum to 1 at most, got a sum of 1.5"),
        ([0.6, 0.3, 0.2], "sum to 1 at most, got a sum of 1.1"),
    ]
    for prior, words in cases:
        with pytest.raises(KitError, match=words):
            nn_pu(torch.zeros(2, 3), torch.tensor([0, -1]), prior)


def test_one_number_stands_for_every_class():
    assert check_priors(1 / 3, 3) == [1 / 3] * 3
    assert check_priors(torch.tensor([0.25, 0.5]), 2) == [0.25, 0.5]
    logits, labels = draw(0)
    assert nn_pu(logits, labels, 1 / 3).item() == nn_pu(logits, labels, [1 / 3] * 3).item()


@pytest.mark.parametrize(
    ("logits", "labels", "words"),
    [
        (torch.zeros(3), torch.tensor([0, 0, 0]), "logits as floats of shape"),
        ([[0.0]], torch.tensor([0]), "got list"),
        (torch.zeros(2, 3, dtype=torch.long), torch.tensor([0, 0]), "logits as floats"),
        (torch.zeros(2, 3), torch.tensor([0]), "one integer label per row, 2 in all"),
        (torch.zeros(2, 3), torch.tensor([0.0, 1.0]), "one integer label per row"),
        (torch.zeros(2, 3), [0, 1], "got list"),
        (torch.zeros(2, 3), torch.tensor([0, 3]), "from 0 to 2, or −1 for a hidden one, got 3"),
        (torch.zeros(2, 3), torch.tensor([0, -2]), "got -2"),
    ],
)
def test_bad_input_is_one_sentence(logits, labels, words):
    with pytest.raises(KitError, match=words):
        nn_pu(logits, labels, 0.3)


@pytest.mark.parametrize("kind", [torch.uint8, torch.int8, torch.int32])
def test_labels_of_any_whole_kind(kind):
    logits, labels = draw(3)
    labels = labels.clamp(min=0) if kind == torch.uint8 else labels
    assert torch.equal(pu_risks(logits, labels.to(kind), PRIORS).negative, pu_risks(logits, labels, PRIORS).negative)
    with pytest.raises(KitError, match="from 0 to 2, or −1 for a hidden one, got 3"):
        nn_pu(torch.zeros(2, 3), torch.tensor([0, 3], dtype=kind), 0.3)


def test_unknown_treatment_of_absent_classes():
    with pytest.raises(KitError, match="unknown treatment of absent classes 'skp': did you mean 'skip'"):
        nn_pu(torch.zeros(2, 3), torch.tensor([0, -1]), 0.3, absent="skp")
