"""The claims as data: each with a published effect that the tables give, and arms that can be trained."""

from __future__ import annotations

import re
from collections.abc import Iterable

import claims_plan
import matrix
import pytest

from kit.course.papers import CLAIMS, Effect, PublishedFigure, claim, read_published
from kit.course.papers.claims import ALIKE
from kit.course.papers.rule import RULES, WITH_MARGIN
from kit.errors import KitError

PARTS = [(one.id, part) for one in CLAIMS.values() for part in one.parts]

# The effects as the list of claims gives them, part by part; None where the paper shows a figure or words only.
EXPECTED = {
    "L1": [2.83],
    "L2": [-1.03, -0.91],
    "L3": [2.59],
    "L4": [1.57, 2.83, 2.44, 2.08, 2.00, 0.83],
    "L5": [8.44],
    "L6": [2.23],
    "S1": [None, None],
    "S2": [0.50],
    "S3": [7.18],
    "S4": [0.19, 0.41],
    "S5": [4, 2],
    "S6": [9.58, 9.85],
    "S7": [None, None],
    "D1": [14.63],
    "D2": [None],
    "D3": [None] * 2,
    "D4": [None] * 2,
    "D5": [None] * 2,
    "D6": [0.14, -10.97],
    "P1": [-3.25],
    "P2": [-1.47],
    "P3": [-0.42],
    "P4": [None],
}


@pytest.fixture(scope="module")
def figures() -> list[PublishedFigure]:
    return read_published()


def test_none_is_forgotten_and_they_stand_in_order() -> None:
    assert list(CLAIMS) == list(EXPECTED)
    with pytest.raises(KitError, match="did you mean"):
        claim("L11")


def test_the_published_effects_come_from_the_tables(figures: list[PublishedFigure]) -> None:
    for name, expected in EXPECTED.items():
        effects = [part.published(figures) for part in CLAIMS[name].parts]
        assert effects == [value if value is None else pytest.approx(value, abs=1e-6) for value in expected], name


def test_rules_margins_measures_and_arms_are_known() -> None:
    offenders = [
        (name, part.name)
        for name, part in PARTS
        if part.rule not in RULES
        or (part.margin is not None) != (part.rule in WITH_MARGIN)
        or part.measure not in claims_plan.MEASURES
        or not {part.new, part.old} - {None} <= claims_plan.ARMS.keys()
    ]
    assert offenders == []


def test_a_published_effect_would_itself_not_fail_its_rule(figures: list[PublishedFigure]) -> None:
    """A rule under which the paper's own figure does not replicate would not be a test of its claim."""
    effects = [(name, part, part.published(figures)) for name, part in PARTS]
    offenders = [
        (name, part.name)
        for name, part, effect in effects
        if effect is not None and part.judge(Effect(effect, effect, effect, 3), effect) != "replicates"
    ]
    assert offenders == []


def test_about_is_twice_the_loss_of_the_small_encoder(figures: list[PublishedFigure]) -> None:
    for name in ("P1", "P2"):
        part = CLAIMS[name].parts[0]
        assert part.margin == pytest.approx(2 * abs(part.published(figures)))


def test_what_counts_as_a_difference_is_less_than_what_the_paper_found(figures: list[PublishedFigure]) -> None:
    for name, part in PARTS:
        if part.rule in ("above", "below"):
            found = part.published(figures)
            assert 0 < part.limit(found) <= (2.0 if part.measure == "probing" else ALIKE), (name, part.name)
            assert found is None or part.limit(found) <= abs(found) / 2, (name, part.name)
    assert CLAIMS["S2"].parts[0].limit(0.5) == 0.25 and CLAIMS["D2"].parts[0].limit(None) == ALIKE


def test_what_measures_something_else_is_never_judged() -> None:
    instead = {name for name, part in PARTS if part.instead}
    assert instead == {"S7", "P4"}
    assert CLAIMS["P4"].parts[0].judge(Effect(9.0, 8.0, 10.0, 5), None) == "not comparable"


def test_one_margin_for_all_that_is_alike_on_sts() -> None:
    assert {part.margin for _, part in PARTS if part.rule in ("alike", "no worse") and "sts" in part.measure} == {ALIKE}


def test_sentences_end_open_and_say_what_differs() -> None:
    for one in CLAIMS.values():
        assert one.differs and one.statement and not re.search(r"[.!]$", one.statement + one.differs)


def test_every_arm_is_a_plan_that_the_recipes_accept() -> None:
    trial = claims_plan.Scale("some/folder", 7)
    for arm in trained_arms(claims_plan.ARMS):
        plan = claims_plan.plan_of(arm, seed=1)
        assert plan.seed == 1 and plan.preset == "laptop" and matrix.settings_of(plan) is not None, arm
        assert plan.start == "kit-bert-tiny"
        plan = claims_plan.plan_of(arm, 1, trial)
        assert (plan.rows, plan.start) == (7, "some/folder"), arm


def trained_arms(names: Iterable[str]) -> list[claims_plan.Arm]:
    arms = [claims_plan.ARMS[name] for name in names]
    return [arm for arm in arms if arm.recipe not in claims_plan.REPAIRS]


def test_arms_differ_in_what_the_claim_is_about_only() -> None:
    """Both sides of a comparison stand on the same data, rows, preset and weights."""
    for _, part in PARTS:
        sides = trained_arms(filter(None, (part.new, part.old)))
        plans = [claims_plan.plan_of(arm, 0) for arm in sides if arm.recipe != "none"]
        assert len({(p.data, p.rows, p.preset, p.start) for p in plans}) <= 1


def test_the_sentences_name_the_rows_that_are_trained_on() -> None:
    import results_spans

    for one in CLAIMS.values():
        for part in one.parts:
            for arm in trained_arms([part.new]):
                rows = claims_plan.plan_of(arm, 0).rows
                assert arm.recipe == "none" or f"{rows:,}" in one.differs, (one.id, part.name)
    assert claims_plan.plan_of(claims_plan.ARMS["declutr"], 0).rows == results_spans.ROWS


def test_runs_are_shared_between_claims() -> None:
    runs = claims_plan.wanted(CLAIMS.values(), (0, 1, 2))
    alone = sum(len(claims_plan.wanted([one], (0, 1, 2))) for one in CLAIMS.values())
    assert len(runs) < alone * 0.75
    assert {"sts", "transfer"} <= runs["sbert", 0] and runs["raw", 0] == {"twelve", "sts"}
    assert ("none", 1) not in runs, "an untrained encoder has one seed"
