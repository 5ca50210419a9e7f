"""`check` refuses every small wrong version of a reference solution, and the program that makes them finds holes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import exercise_mutants
import pytest
from exercise_mutant_places import Kinds, places_in, planted

from kit.course.exercises import lessons
from tests.course.small_exercises import CHOICE, HALF, MEAN, PAIR, TOTAL, TRUTH

SOURCE = '''def loss(anchor, other, mask, k):
    """Nothing in here is changed: 1 + 1."""
    near = (anchor - other).norm(dim=1)
    near = near[mask].relu()
    if k > 2:
        near = near[:k]
    return torch.log(near).mean() if near.any() else -near.T.sum(0)
'''
KINDS = Kinds({"anchor": "floats", "other": "floats", "mask": "truths", "k": "number"}, is_loss=True)
WANTED = (
    "near = ((anchor.detach()) - other)",
    "near = (anchor + other)",
    "near = ((other) - (anchor))",
    "near = (anchor.sub_(other))",
    "near = (anchor - other).norm(dim=2)",
    "near = (anchor - other).norm(dim=(0))",
    "near = ((anchor - other)) ",
    "near = ((anchor - other).norm())",
    "near = ((anchor[:-1]) - other)",
    "(near[mask])",
    "(near)",
    "(near).relu()",
    "near[(mask & (mask.cumsum(-1) == 1))]",
    "near[(~mask)]",
    "pass",
    "near[:(k + 1)]",
    "near[:(k - 1)]",
    "near[k:]",
    "if k >= 2:",
    "if k < 2:",
    "if (False):",
    "torch.log2(near)",
    "torch.log(near).sum()",
    "near.all()",
    "-near.T.sum(1)",
    "(near.T.sum(0))",
    "-(near).sum(0)",
    "anchor.zero_()",
)


def test_the_faults_that_learners_make_are_planted() -> None:
    lines = [exercise_mutants.changed_line(SOURCE, planted(SOURCE, place)) for place in places_in(SOURCE, KINDS)]
    squeezed = squeeze("|".join(lines))
    assert [wanted for wanted in WANTED if squeeze(wanted) not in squeezed] == [] and "Nothing" not in squeezed


def squeeze(text: str) -> str:
    """Without spaces and brackets, of which the program writes more than it needs."""
    return re.sub(r"[ ()]", "", text)


def test_values_have_wrong_versions_of_their_kind() -> None:
    made = {one.name: [mutant.answer for mutant in exercise_mutants.mutants_of(one)] for one in (HALF, CHOICE, TRUTH)}
    assert {1.5, -0.5, 2.0, 0.25} <= set(made["half"]) and 0.5 not in made["half"]
    assert made["choice"] == ["a", "c"] and made["truth"] == [False]
    pairs = [mutant.answer for mutant in exercise_mutants.mutants_of(PAIR)]
    assert {(3, "left"), ("right", 3), ("left", 4)} <= set(pairs) and ("left", 3) not in pairs


def test_a_hole_is_told_and_so_is_a_reason_without_a_mutant(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """Inputs of zeros and ones let everything pass that differs elsewhere."""
    blind = replace(TOTAL, cases=lambda: [(case.abs() * 0,) for (case,) in TOTAL.cases()], mistakes=())
    monkeypatch.setattr(exercise_mutants, "exercises", lambda lesson: (MEAN, blind))
    monkeypatch.setattr(exercise_mutants, "EQUAL", tmp_path / "equal.json")
    (tmp_path / "equal.json").write_text(json.dumps({"mean-rows": {"return 0": "It is not."}}))
    counts, problems = exercise_mutants.of_a_lesson("01")
    holes = [problem for problem in problems if problem.startswith("accepted and not listed")]
    assert counts["mutants"] == counts["refused"] + len(holes) > 10 and counts["equal"] == 0, "a hole is no equal"
    assert "listed and not accepted: mean-rows: return 0" in problems
    assert "accepted and not listed: total [mean/sum, max/min]: return x.mean()" in problems


@pytest.mark.slow
def test_a_sample_of_the_mutants_is_refused_or_listed() -> None:
    """Every fourth of each exercise: inputs that lost a corner, or a laxer check, let more than one pass."""
    listed = json.loads(exercise_mutants.EQUAL.read_text("utf-8"))
    sampled = [
        one for exercise in exercise_mutants.exercises() for one in [*exercise_mutants.mutants_of(exercise)][::4]
    ]
    accepted = [one for one in sampled if exercise_mutants.is_accepted(one)]
    names = [(one.exercise.name, one.line) for one in accepted]
    assert len(sampled) > 800 and [name for name in names if name[1] not in listed.get(name[0], {})] == []


@pytest.mark.nightly
def test_every_mutant_is_refused_or_listed_with_its_reason() -> None:
    """And data/results/exercise_mutants.json has these counts."""
    recorded = json.loads(exercise_mutants.RESULT.read_text("utf-8"))
    found = {lesson: exercise_mutants.of_a_lesson(lesson) for lesson in lessons()}
    assert [problem for _, problems in found.values() for problem in problems] == []
    assert recorded["lessons"] == {lesson: counts for lesson, (counts, _) in found.items()}, "run make exercise-mutants"
    assert recorded["mutants"] == recorded["refused"] + recorded["equal"]


def test_every_reason_is_a_sentence_for_an_exercise_that_exists() -> None:
    listed = json.loads(exercise_mutants.EQUAL.read_text("utf-8"))
    known = {one.name for one in exercise_mutants.exercises()}
    reasons = [reason for lines in listed.values() for reason in lines.values()]
    assert set(listed) <= known and [reason for reason in reasons if len(reason) < 5 or reason[-1] != "."] == []
