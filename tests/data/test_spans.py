"""The span sampler over random documents: bounds, kinds, spacing, and the Beta distributions."""

from __future__ import annotations

import itertools
import random

import pytest

from kit.data.spans import STARTS, STRATEGIES, Spans, SpanSampler, kind_of, overlap_statistics, shared
from kit.errors import KitError

SETTINGS = list(itertools.product(STRATEGIES, STARTS))
LENGTHS = [(1, 2), (1, 16), (7, 8), (2, 32), (8, 126), (32, 512), (60, 64)]


def random_sampler(rng: random.Random, strategy: str, starts: str) -> SpanSampler:
    low, high = rng.choice(LENGTHS)
    return SpanSampler(low, high, rng.randint(1, 5), rng.randint(1, 4), strategy, starts)


@pytest.mark.parametrize(("strategy", "starts"), SETTINGS)
def test_all_that_must_hold_holds_for_random_documents(strategy: str, starts: str) -> None:
    rng = random.Random(f"{strategy} {starts}")
    for _ in range(1500):
        sampler = random_sampler(rng, strategy, starts)
        least = rng.choice([0, 0, 1, 5, rng.randrange(4000)])  # often exactly as long as needed
        tokens = sampler.needed + least
        found = sampler.sample(tokens, rng)
        assert len(found) == sampler.anchors
        assert all(len(spans.positives) == sampler.positives for spans in found)
        for spans in found:
            check_anchor(sampler, spans.anchor, tokens)
            for positive in spans.positives:
                check_positive(sampler, spans.anchor, positive, tokens)
        check_spacing(sampler, [spans.anchor[0] for spans in found])


def check_anchor(sampler: SpanSampler, anchor: tuple[int, int], tokens: int) -> None:
    start, end = anchor
    assert 0 <= start < end <= tokens
    assert sampler.min_span <= end - start <= sampler.max_span
    if sampler.anchor_starts == "code":
        cell = start // sampler.max_span
        assert end <= (cell + 1) * sampler.max_span <= tokens, "inside a whole cell, so never in the tail"


def check_positive(sampler: SpanSampler, anchor: tuple[int, int], positive: tuple[int, int], tokens: int) -> None:
    start, end = positive
    assert 0 <= start < end <= tokens
    assert end - start <= sampler.max_span
    kind = kind_of(anchor, positive)
    if sampler.strategy == "subsuming":
        assert kind == "subsumed" and end - start >= sampler.min_span
    elif sampler.strategy == "adjacent":
        assert kind == "adjacent"
        room = max(anchor[0], tokens - anchor[1])
        assert end - start >= min(sampler.min_span, room)
    else:
        assert kind != "apart" and end - start >= sampler.min_span


def check_spacing(sampler: SpanSampler, starts: list[int]) -> None:
    assert starts == sorted(starts)
    for one, other in itertools.pairwise(starts):
        if sampler.anchor_starts == "paper":
            assert other - one >= 2 * sampler.max_span
        else:
            assert other // sampler.max_span - one // sampler.max_span >= 2


def test_a_document_exactly_long_enough_and_one_token_short() -> None:
    for starts in STARTS:
        for anchors, longest in itertools.product((1, 2, 3, 7), (2, 5, 64)):
            sampler = SpanSampler(1, longest, anchors, 2, anchor_starts=starts)
            assert sampler.needed == 2 * anchors * longest
            for seed in range(20):
                sampler.sample(sampler.needed, random.Random(seed))
            with pytest.raises(
                KitError,
                match=rf"at least 2·A·ℓmax = 2·{anchors}·{longest} = {sampler.needed} tokens, "
                rf"got one of {sampler.needed - 1}:",
            ):
                sampler.sample(sampler.needed - 1, random.Random(0))


@pytest.mark.slow
def test_lengths_follow_the_beta_laws() -> None:
    """Means 4/6 and 2/6, and nine quantiles of each law, from scipy."""
    import numpy as np
    from scipy.stats import beta

    rng, sampler = random.Random(1), SpanSampler(32, 512, 2, 2)
    found = [spans for _ in range(20_000) for spans in sampler.sample(5_000, rng)]
    for law, lengths in (
        ((4, 2), [b - a for (a, b), _ in found]),
        ((2, 4), [b - a for _, positives in found for a, b in positives]),
    ):
        share = (np.array(lengths) + 0.5 - 32) / 480  # the floor takes half a token on average
        assert share.mean() == pytest.approx(law[0] / 6, abs=0.004)
        for q in np.linspace(0.1, 0.9, 9):
            assert np.quantile(share, q) == pytest.approx(beta.ppf(q, *law), abs=0.01)


def test_a_lone_anchor_starts_anywhere_and_each_place_is_as_likely() -> None:
    sampler, rng = SpanSampler(1, 2, 1, 1), random.Random(2)  # length 1, so starts 0 to 9
    starts = [sampler.sample(10, rng)[0].anchor[0] for _ in range(20_000)]
    assert {min(starts), max(starts)} == {0, 9}
    for place in range(10):
        assert starts.count(place) / len(starts) == pytest.approx(0.1, abs=0.01)


def test_positives_start_uniformly_from_before_the_anchor_to_its_end() -> None:
    """s − ℓp … e, both ends included (section 3.2); the anchor far from the edges."""
    sampler = SpanSampler(1, 11, 1, 1)
    start, end, length = 50, 60, 6
    places = [i / 1700 for i in range(1700)]
    found = [sampler._positive(200, (start, end), 0.5, place)[0] for place in places]
    assert sorted(set(found)) == list(range(start - length, end + 1))
    assert {found.count(first) for first in set(found)} == {100}


def test_near_an_edge_a_positive_stays_inside() -> None:
    sampler = SpanSampler(1, 11, 1, 1)
    for place in (0.0, 0.5, 0.999):
        assert sampler._positive(22, (0, 10), 0.5, place)[0] >= 0
        assert sampler._positive(22, (12, 22), 0.5, place)[1] <= 22


def test_adjacent_positives_stand_on_both_sides_where_there_is_room() -> None:
    sampler = SpanSampler(1, 11, 1, 1, strategy="adjacent")
    sides = [sampler._positive(100, (40, 50), 0.5, place) for place in (0.1, 0.4, 0.6, 0.9)]
    assert sides == [(34, 40), (34, 40), (50, 56), (50, 56)]
    assert sampler._positive(100, (2, 12), 0.5, 0.1) == (12, 18), "no room before it"
    assert sampler._positive(100, (90, 99), 0.5, 0.9) == (84, 90), "no room after it"
    assert sampler._positive(22, (5, 16), 0.9, 0.9) == (16, 22), "less room than it wants: all there is"


def test_code_starts_never_reach_the_tail_and_paper_starts_do() -> None:
    rng, tokens = random.Random(3), 4 * 64 + 63
    reached = {
        starts: max(
            SpanSampler(4, 64, 2, 1, anchor_starts=starts).sample(tokens, rng)[-1].anchor[1] for _ in range(4000)
        )
        for starts in STARTS
    }
    assert reached["code"] <= 256 and reached["paper"] > 300


def test_all_cells_and_places_are_reached() -> None:
    for starts in STARTS:
        sampler, rng = SpanSampler(1, 4, 2, 1, anchor_starts=starts), random.Random(4)
        firsts = {tuple(s.anchor[0] // 4 for s in sampler.sample(24, rng)) for _ in range(5000)}
        assert {(0, 2), (0, 5), (3, 5), (1, 3), (2, 4)} <= firsts
        assert all(b - a >= 2 for a, b in firsts)


def test_numbers_that_make_no_sense() -> None:
    for settings, sentence in [
        ({"min_span": 0}, "a min_span .ℓmin. of 1 token or more, got 0"),
        ({"min_span": 2.0}, "a min_span .ℓmin. of 1 token or more, got 2.0"),
        ({"max_span": "long"}, "a max_span .ℓmax. of 1 token or more, got 'long'"),
        ({"min_span": 64, "max_span": 64}, r"a min_span .ℓmin. below max_span .ℓmax., got \(64, 64\)"),
        ({"min_span": 70, "max_span": 64}, r"below max_span .ℓmax., got \(70, 64\)"),
        ({"anchors": 0}, "1 anchor .A. or more in a document, got 0"),
        ({"anchors": True}, "1 anchor .A. or more in a document, got True"),
        ({"positives": 0}, "1 positive .P. or more for an anchor, got 0"),
        ({"strategy": "near"}, "strategy 'any' or 'adjacent' or 'subsuming', got 'near'"),
        ({"anchor_starts": "both"}, "anchor_starts 'paper' or 'code', got 'both'"),
    ]:
        with pytest.raises(KitError, match=sentence):
            SpanSampler(**settings)


def test_the_kinds_of_overlap() -> None:
    anchor = (10, 20)
    for positive, kind, common in (
        ((12, 15), "subsumed", 3),
        ((10, 20), "subsumed", 10),
        ((5, 10), "adjacent", 0),
        ((20, 25), "adjacent", 0),
        ((5, 11), "overlapping", 1),
        ((5, 25), "overlapping", 10),
        ((25, 30), "apart", 0),
        ((0, 9), "apart", 0),
    ):
        assert kind_of(anchor, positive) == kind and shared(anchor, positive) == common


def test_statistics_of_a_few_spans_by_hand() -> None:
    found = overlap_statistics([Spans((10, 20), [(12, 15), (5, 10)]), Spans((40, 50), [(45, 55), (50, 60)])])
    assert found == {"overlapping": 0.25, "adjacent": 0.5, "subsumed": 0.25, "mean_overlap": (1 + 0 + 0.5 + 0) / 4}
    with pytest.raises(KitError, match="expected at least one anchor with a positive"):
        overlap_statistics([])


def test_the_kinds_sum_to_one() -> None:
    for strategy in STRATEGIES:
        rng, sampler = random.Random(5), SpanSampler(4, 64, 2, 3, strategy)
        found = overlap_statistics(spans for _ in range(300) for spans in sampler.sample(700, rng))
        assert sum(found[kind] for kind in ("overlapping", "adjacent", "subsumed")) == pytest.approx(1)
        if strategy == "any":
            assert min(found.values()) > 0


def test_inside_a_cell_each_place_is_as_likely() -> None:
    """Of the code's starts; whichever cell was drawn."""
    rng, sampler = random.Random(0), SpanSampler(4, 16, anchors=1, positives=1, anchor_starts="code")
    for cells in (2, 3):
        found = [spans.anchor for _ in range(3000) for spans in sampler.sample(16 * cells, rng)]
        for cell in range(cells):
            shorter = [(start, end) for start, end in found if start // 16 == cell and end - start < 13]
            places = [start % 16 / (16 - end + start) for start, end in shorter]
            assert abs(sum(places) / len(places) - 0.5) < 0.06, (cells, cell)
