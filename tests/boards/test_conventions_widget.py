"""The two boards of lesson 10: aggregations against the kit's own, ranks and intervals against SciPy's."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from kit.boards.agreement_widget import (
    GOLD,
    LEAST,
    MOST,
    POWERS,
    agreement_board,
    agreement_state,
    agreement_summary,
    agreement_values,
    mulberry32,
)
from kit.boards.conventions_widget import (
    AGGREGATIONS,
    FIVE,
    conventions_board,
    conventions_state,
    conventions_summary,
    conventions_table,
    conventions_values,
    turned_rankings,
)
from kit.errors import KitError
from kit.evaluation import aggregate, by_subset
from kit.lesson import measured

SIZES = {"STS12": {"MSRpar": 60, "OnWN": 200, "SMTnews": 25}, "STS13": {"FNWN": 30, "headlines": 90}}


def drawn(seed: int, shift: float) -> tuple[dict, dict]:
    """A made-up run, with each subset's cosines moved by its own amount; and the pairs it comes from."""
    rng, run, pairs = np.random.default_rng(seed), {}, {}
    for task, sizes in SIZES.items():
        gold, cosines, names = [], [], []
        for place, (part, n) in enumerate(sizes.items()):
            score = rng.uniform(0, 5, n)
            gold += score.tolist()
            cosines += (score / 10 + rng.normal(0, 0.12, n) + shift * place).tolist()
            names += [part] * n
        parts = {
            part: figures(*zip(*((c, g) for c, g, name in zip(cosines, gold, names) if name == part))) for part in sizes
        }
        run[task], pairs[task] = {"all": figures(cosines, gold), "subsets": parts}, (cosines, gold, names)
    return run, pairs


def figures(cosines, gold) -> dict:
    return {
        "pairs": len(gold),
        "spearman": 100 * spearmanr(cosines, gold)[0],
        "pearson": 100 * pearsonr(cosines, gold)[0],
    }


def controls(**changes) -> dict:
    return {"first": "even", "second": "moved", "task": FIVE, "aggregation": "all", "correlation": "Spearman"} | changes


@pytest.fixture(scope="module")
def two() -> tuple[dict, dict, dict]:
    """Two systems: one keeps its subsets comparable, the other knows each a little better but moves them."""
    even, one = drawn(1, 0.0)
    moved, other = drawn(2, 0.35)
    return conventions_state({"even": [even], "moved": [moved]}), one, other


@pytest.mark.parametrize("task", SIZES)
def test_the_three_numbers_are_those_of_the_evaluation(task: str, two) -> None:
    state, *pairs = two
    figure = conventions_values(state, controls(task=task))
    for name, of in zip(("first", "second"), pairs):
        expected = aggregate(*of[task])
        assert figure[name] == pytest.approx([expected.all, expected.mean, expected.wmean], abs=1e-3)
    parts = by_subset(*pairs[0][task])
    assert [(row[0], row[1]) for row in figure["rows"]] == [(part.name, part.pairs) for part in parts]
    assert [row[2] for row in figure["rows"]] == pytest.approx([part.spearman for part in parts], abs=1e-3)


def test_over_the_years_each_counts_the_same(two) -> None:
    state, *pairs = two
    for place, kind in enumerate(AGGREGATIONS):
        figure = conventions_values(state, controls(aggregation=kind))
        expected = [np.mean([getattr(aggregate(*of[task]), kind) for task in SIZES]) for of in pairs]
        assert [figure["first"][place], figure["second"][place]] == pytest.approx(expected, abs=1e-3)
        assert [row[0] for row in figure["rows"]] == list(SIZES)


def test_a_ranking_that_turns_is_told(two) -> None:
    """Moving a subset costs `all` only: nothing changes within it."""
    state, *_ = two
    found = {kind: conventions_values(state, controls(task="STS12", aggregation=kind)) for kind in AGGREGATIONS}
    assert found["all"]["second"][0] < found["all"]["first"][0] - 5
    measured_ones = conventions_state(measured("conventions")["systems"])
    asked = controls(first="scl", second="simcse", task="STS12", aggregation="all")
    assert conventions_values(measured_ones, asked)["others"] == ["mean", "wmean"]
    for kind, figure in found.items():
        signs = [b - a > 0 for a, b in zip(figure["first"], figure["second"])]
        assert figure["others"] == [
            name for name, sign in zip(AGGREGATIONS, signs) if sign != signs[AGGREGATIONS.index(kind)]
        ]
        said = conventions_summary(figure, controls(task="STS12", aggregation=kind))
        assert ("the other way round" in said) == bool(figure["others"])
    level = controls(second="even")
    assert conventions_summary(conventions_values(state, level), level).endswith("The two are level.")


def test_pearson_is_looked_up_where_asked(two) -> None:
    state, one, _ = two
    figure = conventions_values(state, controls(task="STS13", correlation="Pearson"))
    assert figure["first"][0] == pytest.approx(100 * pearsonr(*one["STS13"][:2])[0], abs=1e-3)


def test_seeds_are_averaged() -> None:
    runs = [drawn(seed, 0.1)[0] for seed in (5, 6)]
    state = conventions_state({"a": runs, "b": runs[:1]})
    mean = np.mean([run["STS12"]["all"]["spearman"] for run in runs])
    assert state["values"]["a"]["STS12"]["all"][0] == pytest.approx(mean, abs=1e-3)
    assert state["runs"] == {"a": 2, "b": 1}


def test_the_board_starts_with_its_summary(two) -> None:
    run = drawn(1, 0)[0]
    board = conventions_board({"even": [run], "moved": [drawn(2, 0.3)[0]]}, "moved", "even")
    figure = conventions_values(board.state, board.controls)
    assert board.summary == conventions_summary(figure, board.controls)
    with pytest.raises(KitError, match="two systems or more"):
        conventions_state({"even": [run]})
    for key, match in (
        ("first", "unknown system"),
        ("task", "unknown task"),
        ("aggregation", "unknown aggregation"),
        ("correlation", "unknown correlation"),
    ):
        with pytest.raises(KitError, match=match):
            conventions_values(two[0], controls(**{key: "none"}))


def flat_run(whole: float, *parts: float) -> dict:
    """A run on one task, whose two subsets of 100 pairs have these scores."""

    def figure(value: float, pairs: int) -> dict:
        return {"pairs": pairs, "spearman": value, "pearson": value}

    return {"STS12": {"all": figure(whole, 200), "subsets": {f"part {i}": figure(v, 100) for i, v in enumerate(parts)}}}


def test_the_last_row_of_the_table_is_how_far_the_conventions_lie_apart() -> None:
    """The highest less the lowest of a column, wherever the two stand."""
    table = conventions_table({"falls": [flat_run(60, 50, 54)], "rises": [flat_run(40, 45, 45)]})
    assert table.rows[-1] == ("highest less lowest", "8.0", "5.0", "")


@pytest.mark.parametrize("least, turned", [(0.5, 2), (2.9, 2), (3.1, 0)])
def test_a_ranking_that_hardly_turns_is_not_listed(least: float, turned: int) -> None:
    """One system leads by 3 points, the other by 10: either must lead by `least`. Both correlations are alike here."""
    systems = {"one": [flat_run(50, 60, 60)], "other": [flat_run(60, 57, 57)]}
    found = turned_rankings(systems, least)
    assert len([one for one in found if one.startswith("STS12,")]) == turned, found


# --- agreement ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pairs() -> dict:
    rng = np.random.default_rng(4)
    gold = rng.choice([0, 0.5, 1, 2, 2.6, 3.5, 4.2, 5], 250)
    return agreement_state(0.2 + gold / 9 + rng.normal(0, 0.2, 250), gold, "made-up pairs")


def test_correlations_are_scipys(pairs: dict) -> None:
    for power, kind in product([0.1, 1.0, 4.0], GOLD):
        figure = agreement_values(pairs, {"pairs": 120, "power": power, "gold": kind})
        changed, gold = np.array(figure["points"]).T
        assert len(gold) == 120
        assert figure["spearman"][0] == pytest.approx(spearmanr(changed, gold)[0], abs=1e-9)
        assert figure["pearson"][0] == pytest.approx(pearsonr(changed, gold)[0], abs=1e-9)


def test_a_power_moves_pearson_and_not_spearman(pairs: dict) -> None:
    found = [agreement_values(pairs, {"pairs": 250, "power": power, "gold": GOLD[0]}) for power in POWERS[::5]]
    assert len({round(figure["spearman"][0], 12) for figure in found}) == 1
    assert max(f["pearson"][0] for f in found) - min(f["pearson"][0] for f in found) > 0.02
    assert [figure["pearson"][0] for figure in found] == pytest.approx(found[0]["curve"][::5])


def test_more_pairs_narrow_the_interval_and_agree_with_the_evaluation(pairs: dict) -> None:
    from kit.evaluation.significance import interval, resample

    few, many = (agreement_values(pairs, {"pairs": n, "power": 1.0, "gold": GOLD[0]}) for n in (30, 250))
    width = [figure["spearman"][2] - figure["spearman"][1] for figure in (few, many)]
    assert width[0] > 2 * width[1]
    for name in ("spearman", "pearson"):
        changed, gold = np.array(many["points"]).T
        expected = interval(resample(changed, gold, correlation=name).aggregated["all"])
        assert 100 * np.array(many[name][1:]) == pytest.approx([expected.low, expected.high], abs=2.5)


def test_the_random_numbers_are_even() -> None:
    numbers = list(islice(mulberry32(1), 20_000))
    assert min(numbers) >= 0 and max(numbers) < 1 and np.mean(numbers) == pytest.approx(0.5, abs=0.01)
    assert np.histogram(numbers, 10, (0, 1))[0].std() < 80 and len(set(numbers)) > 19_990


def test_the_pairs_of_the_board_are_a_sample() -> None:
    state = agreement_state(np.linspace(-1, 1, 1379), np.linspace(0, 5, 1379), "all")
    assert len(state["gold"]) == MOST and np.mean(state["gold"][:50]) == pytest.approx(2.5, abs=0.6)
    board = agreement_board(np.linspace(-1, 1, 55), np.linspace(0, 5, 55), "few pairs")
    figure = agreement_values(board.state, board.controls)
    assert board.controls["pairs"] == 50
    assert board.summary == agreement_summary(figure, board.controls, board.state)
    start = "50 pairs of few pairs, gold as given, (1 + cosine) / 2 to the power 10: Spearman 100.0"
    assert board.summary.startswith(start)
    with pytest.raises(KitError, match=f"{LEAST} pairs or more, got 5 and 5"):
        agreement_state([0.1] * 5, [1.0] * 5, "x")
    with pytest.raises(KitError, match="unknown kind of gold score"):
        agreement_values(board.state, {**board.controls, "gold": "none"})
