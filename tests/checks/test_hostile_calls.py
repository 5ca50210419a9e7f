"""Public functions × hostile values: one sentence that names the argument, or a reason why the call may return."""

from __future__ import annotations

import hostile_calls
import pytest

SAMPLED = 47  # of so many cases one is in `make test`; a prime, so that every argument and value is among them


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No mirror and no Hub, and a folder of its own."""
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def offenders(cases: list[tuple[str, str, str]]) -> list[str]:
    """One line for each case that is neither a sentence nor vouched for."""
    outcomes = {case: hostile_calls.outcome(*case) for case in cases}
    return [f"{' | '.join(case)}: {said}" for case, (kind, said) in outcomes.items() if kind == "offender"]


@pytest.mark.slow
def test_a_sample_of_the_hostile_values_is_told_in_one_sentence() -> None:
    cases = list(hostile_calls.cases())[::SAMPLED]
    assert len(cases) >= 200 and not (found := offenders(cases)), "\n".join(found)


@pytest.mark.nightly
@pytest.mark.slow
def test_every_hostile_value_is_told_in_one_sentence() -> None:
    cases = list(hostile_calls.cases())
    assert len(cases) >= 2000 and not (found := offenders(cases)), "\n".join(found)


@pytest.mark.slow
def test_the_table_itself_sees_a_traceback_a_silent_return_and_a_wrong_name(monkeypatch) -> None:
    def breaks(rows):
        return {None: 1}[rows]

    def returns(rows):
        return rows

    def blames(rows):
        raise hostile_calls.KitError("expected another columns, got this: change it.")

    for function in (breaks, returns, blames):
        call = hostile_calls.Call(function, {"rows": None}, {})
        monkeypatch.setitem(hostile_calls.calls(), function.__name__, call)
        assert hostile_calls.outcome(function.__name__, "rows", "dict")[0] == "offender"
