"""Hints one after the other, reference answers that run on their own, and where to find either."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

import __main__
from kit.course import check, hint, solution
from kit.course.exercises.hints import reference_code
from kit.course.exercises.progress_record import record
from kit.errors import KitError
from tests.course.small_exercises import TOTAL, mean_rows, sum_of_rows

pytestmark = pytest.mark.usefixtures("progress_file")


def test_check_says_what_to_do_next(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(check("mean-rows")).startswith("Not tried yet. Write the body of `mean_rows`")
    assert check("mean-rows", sum_of_rows).advice == '`hint("mean-rows")` gives hint 1 of 3.'
    hint("mean-rows")
    assert check("mean-rows", sum_of_rows).advice == '`hint("mean-rows")` gives hint 2 of 3.'
    hint("mean-rows"), hint("mean-rows")
    assert check("mean-rows", sum_of_rows).advice == "You have seen all 3 hints."
    monkeypatch.setattr(__main__, "solution", solution, raising=False)  # as the lessons import it
    assert check("mean-rows", sum_of_rows).advice == (
        'You have seen all 3 hints; `solution("mean-rows")` shows the reference answer.'
    )
    assert check("mean-rows", mean_rows).advice == ""


def test_unknown_names() -> None:
    for asks in (check, hint, solution):
        with pytest.raises(KitError, match="unknown exercise 'mean-row': did you mean 'mean-rows'"):
            asks("mean-row")
        for given, meant in ((mean_rows, "mean-rows"), (3, "mean-rows")):
            with pytest.raises(KitError, match=f'in quotation marks, got .*: begin with it, `check\\("{meant}", …\\)`'):
                asks(given)
    with pytest.raises(KitError, match='begin with it, `check\\("total", …\\)`'):
        check(TOTAL.solution, "total")


def test_hints_come_one_by_one_and_the_last_stays() -> None:
    assert [str(hint("mean-rows")) for _ in range(4)] == [
        "Hint 1 of 3: Which axis?",
        "Hint 2 of 3: `dim=1`.",
        *["Hint 3 of 3: `x.mean(dim=1)`, times the scale."] * 2,
    ]
    assert str(hint("mean-rows", 1)) == "Hint 1 of 3: Which axis?"
    assert record().entry("mean-rows")["hints"] == 3
    assert "<b>Hint 3 of 3:</b> <code>x.mean(dim=1)</code>" in hint("mean-rows")._repr_html_()
    for number in (0, 4, "2"):
        with pytest.raises(KitError, match="expected the number of a hint from 1 to 3"):
            hint("mean-rows", number)


def test_a_solution_is_code_with_a_reason() -> None:
    shown = solution("mean-rows")
    assert str(shown) == ("def mean_rows(x, scale):\n    return x.mean(dim=1) * scale\n\nA row is **one** sentence.")
    assert shown._repr_markdown_().startswith("```python\ndef mean_rows(x, scale):")
    assert solution("pair").code == "pair = ('left', 3)"


SCALE = 3


def scaled(x):
    return x * SCALE


def with_helpers(x):
    return [math.sqrt(scaled(y).abs()) for y in x], replace, torch.sum(x)


def test_a_solution_brings_what_it_uses() -> None:
    code = replace(TOTAL, solution=with_helpers)
    space: dict = {}
    exec(reference_code(code), space)
    assert space["with_helpers"](torch.tensor([3.0, -12.0]))[0] == [3.0, 6.0]
    assert "from dataclasses import replace" in reference_code(code)


def test_a_number_is_written_as_it_was_found() -> None:
    number = replace(TOTAL, stub="floor = ...", solution=math.log(7), cases=None, written="math.log(7)")
    space: dict = {}
    exec(reference_code(number), space)
    assert reference_code(number).endswith("floor = math.log(7)") and space["floor"] == math.log(7)
