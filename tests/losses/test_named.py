"""Every named loss against the same sum written as plain loops, in float64."""

from __future__ import annotations

import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import mnrl, mnrl_hard, nt_xent, scl, simcse_supervised, simcse_unsupervised, supcon, supmpn

N, P, Q, DIM = 5, 3, 4, 6
TEMPERATURES = (0.05, 0.3, 1.0)


@pytest.fixture(params=["1", "0"], ids=["fast", "plain"])
def rng(request, monkeypatch):
    monkeypatch.setenv("KIT_FAST", request.param)
    return torch.Generator().manual_seed(7)


def random(rng, *shape):
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def cosine(a, b):
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def term(positive, others):
    """−log [ e^positive / (e^positive + Σ e^others) ], written out."""
    top = math.exp(positive)
    return -math.log(top / (top + sum(math.exp(other) for other in others)))


def test_nt_xent(rng):
    for tau in TEMPERATURES:
        z = random(rng, 2 * N, DIM)
        terms = []
        for i in range(2 * N):
            partner = (i + N) % (2 * N)
            others = [cosine(z[i], z[k]) / tau for k in range(2 * N) if k not in (i, partner)]
            terms.append(term(cosine(z[i], z[partner]) / tau, others))
        assert nt_xent(z, tau).item() == pytest.approx(mean(terms), abs=1e-12)


def test_supcon_leaves_out_the_single_row_of_a_class(rng):
    for tau in TEMPERATURES:
        labels = torch.tensor([0, 1, 0, 2, 1, 0, 3])
        z = random(rng, len(labels), DIM)
        per_anchor = []
        for i in range(len(labels)):
            others = [k for k in range(len(labels)) if k != i]
            positives = [k for k in others if labels[k] == labels[i]]
            if positives:
                s = {k: cosine(z[i], z[k]) / tau for k in others}
                per_anchor.append(mean(term(s[p], [s[k] for k in others if k != p]) for p in positives))
        assert len(per_anchor) == 5
        assert supcon(z, labels, tau).item() == pytest.approx(mean(per_anchor), abs=1e-12)


def test_mnrl(rng):
    for tau in TEMPERATURES:
        a, p = random(rng, N, DIM), random(rng, N, DIM)
        expected = mean(
            term(cosine(a[i], p[i]) / tau, [cosine(a[i], p[j]) / tau for j in range(N) if j != i]) for i in range(N)
        )
        assert mnrl(a, p, tau).item() == pytest.approx(expected, abs=1e-12)
        assert simcse_unsupervised(a, p, tau).item() == pytest.approx(expected, abs=1e-12)


def test_mnrl_with_hard_negatives(rng):
    for tau in TEMPERATURES:
        a, p, n = random(rng, N, DIM), random(rng, N, DIM), random(rng, N, Q, DIM)
        terms = []
        for i in range(N):
            others = [cosine(a[i], p[j]) / tau for j in range(N) if j != i]
            others += [cosine(a[i], n[j, k]) / tau for j in range(N) for k in range(Q)]
            terms.append(term(cosine(a[i], p[i]) / tau, others))
        assert mnrl_hard(a, p, n, tau).item() == pytest.approx(mean(terms), abs=1e-12)
        one = mnrl_hard(a, p, n[:, :1], tau)
        assert simcse_supervised(a, p, n[:, 0], tau).item() == one.item()


PREMISE_IDS = [0, 0, 0, 1, 1, 2, 2, 0]
LABELS = [0, 1, 0, 0, 2, 1, 2, 2]  # premise 0 entails two, premise 1 one, premise 2 none


def slow_scl(premises, hypotheses, tau, similarity, by_row):
    h = range(len(LABELS))
    anchors = [PREMISE_IDS[j] for j in h if LABELS[j] == 0]
    per_anchor = []
    for i in anchors if by_row else sorted(set(anchors)):
        s = [similarity(premises[i], hypotheses[j]) / tau for j in h]
        positives = [j for j in h if PREMISE_IDS[j] == i and LABELS[j] == 0]
        per_anchor.append(mean(term(s[p], [s[j] for j in h if j != p]) for p in positives))
    return mean(per_anchor)


@pytest.mark.parametrize("anchors", ["premise", "row"])
@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_scl(rng, anchors, similarity):
    for tau in (0.7, 1.0):
        premises, hypotheses = random(rng, 3, DIM), random(rng, len(LABELS), DIM)
        expected = slow_scl(premises, hypotheses, tau, dot if similarity == "dot" else cosine, anchors == "row")
        ids, labels = torch.tensor(PREMISE_IDS), torch.tensor(LABELS)
        loss = scl(premises, hypotheses, ids, labels, tau, similarity, anchors=anchors)
        assert loss.item() == pytest.approx(expected, abs=1e-12)


def test_scl_is_the_dot_product_at_temperature_one_unless_told_otherwise(rng):
    premises, hypotheses = random(rng, 3, DIM), random(rng, len(LABELS), DIM)
    loss = scl(premises, hypotheses, PREMISE_IDS, LABELS)
    assert loss.item() == pytest.approx(slow_scl(premises, hypotheses, 1.0, dot, False), abs=1e-12)


@pytest.mark.parametrize("other_positives", ["excluded", "zero_logit"])
def test_supmpn(rng, other_positives):
    for tau in TEMPERATURES:
        a, p, n = random(rng, N, DIM), random(rng, N, P, DIM), random(rng, N, Q, DIM)
        per_anchor = []
        for i in range(N):
            rest = [cosine(a[i], p[j, k]) / tau for j in range(N) if j != i for k in range(P)]
            rest += [cosine(a[i], n[j, k]) / tau for j in range(N) for k in range(Q)]
            if other_positives == "zero_logit":
                rest += [0.0] * (P - 1)  # e⁰ for each
            per_anchor.append(mean(term(cosine(a[i], p[i, k]) / tau, rest) for k in range(P)))
        loss = supmpn(a, p, n, tau, other_positives=other_positives)
        assert loss.item() == pytest.approx(mean(per_anchor), abs=1e-12)


def test_supmpn_with_excluded_logits(rng):
    """The loss of the SupMPN paper as P cross-entropies with the other positives' logits at −∞."""
    a, p, n = random(rng, N, DIM), random(rng, N, P, DIM), random(rng, N, Q, DIM)
    unit = torch.nn.functional.normalize
    for where, logit in (("excluded", -math.inf), ("zero_logit", 0.0)):
        losses = []
        for k in range(P):
            order = [k] + [j for j in range(P) if j != k]  # the positive of this pass first
            candidates = torch.cat([p[:, j] for j in order] + [n[:, j] for j in range(Q)])
            logits = unit(a) @ unit(candidates).T * 20
            own = torch.arange(N)[:, None] + N * torch.arange(1, P)[None, :]
            logits = logits.scatter(1, own, logit)
            losses.append(torch.nn.functional.cross_entropy(logits, torch.arange(N)))
        expected = torch.stack(losses).mean().item()
        assert supmpn(a, p, n, other_positives=where).item() == pytest.approx(expected, abs=1e-6)


def test_supmpn_with_one_positive_is_mnrl_with_hard_negatives(rng):
    a, p, n = random(rng, N, DIM), random(rng, N, 1, DIM), random(rng, N, Q, DIM)
    expected = mnrl_hard(a, p[:, 0], n).item()
    assert supmpn(a, p, n).item() == pytest.approx(expected, abs=1e-12)
    assert supmpn(a, p, n, other_positives="zero_logit").item() == pytest.approx(expected, abs=1e-12)


def test_supcon_with_one_partner_per_class_is_nt_xent(rng):
    z = random(rng, 2 * N, DIM)
    shuffled = torch.randperm(2 * N, generator=rng)
    labels = torch.arange(N).repeat(2)
    expected = nt_xent(z, 0.1).item()
    assert supcon(z[shuffled], labels[shuffled], 0.1).item() == pytest.approx(expected, abs=1e-12)


def test_zero_logits_can_only_raise_the_loss_of_supmpn(rng):
    a, p, n = random(rng, N, DIM), random(rng, N, P, DIM), random(rng, N, Q, DIM)
    assert supmpn(a, p, n, other_positives="zero_logit").item() > supmpn(a, p, n).item()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda z: nt_xent(z[:3]), "even number of rows"),
        (lambda z: mnrl(z, z[:3]), "expected positives of the anchors' shape"),
        (lambda z: mnrl_hard(z, z[:3], z[:, None]), "expected positives"),
        (lambda z: mnrl_hard(z, z, z), "expected negatives of shape"),
        (lambda z: simcse_supervised(z, z, z[:, None]), "expected negatives"),
        (lambda z: supmpn(z, z[:, None], z[:3, None]), "expected negatives"),
        (lambda z: supmpn(z[0], z[:, None], z[:, None]), "expected positives"),
        (lambda z: scl(z[:3], z, [0, 1, 1, 0], [0, 1, 2, 0]), "3 premises, 4 hypotheses"),
        (lambda z: scl(z[:2], z, [0, 1, 1], [0, 1, 2]), "and 3 ids"),
        (lambda z: scl(z[:2, 1:], z, [0, 1, 1, 0], [0, 1, 2, 0]), f"4 hypotheses of shape \\(4, {DIM}\\)"),
        (lambda z: supcon(z, [0, 1]), "one label per row"),
        (lambda z: mnrl(z, z, temperature=0), "temperature above 0"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(KitError, match=words):
        call(torch.randn(4, DIM))
