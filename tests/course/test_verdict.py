"""How a verdict shows itself."""

from __future__ import annotations

import re

import pytest

from kit.course.exercises import Exercise, exercises
from kit.course.exercises.checking import judge
from kit.course.exercises.hints import Hint
from kit.course.exercises.verdict import STYLES, Verdict, marked_up, plain
from tests.course.small_exercises import MEAN


def test_verdict_as_box_and_as_line() -> None:
    for outcome, (css, words, _) in STYLES.items():
        verdict = Verdict(outcome, "Is `a < b`?", "Do this.", "File gone.")
        assert repr(verdict) == f"{words} Is `a < b`? Do this. File gone."
        page = verdict._repr_html_()
        assert f'class="kit-verdict {css}"' in page and "kit-error" not in page
        assert f"<b>{words}</b> Is <code>a &lt; b</code>?<br>Do this.<br>File gone." in page
    assert {words for _, words, _ in STYLES.values()} == {"Right.", "Not yet.", "Not tried yet."}


def test_marks_of_emphasis_are_not_read_as_stars() -> None:
    verdict = Verdict("right", "All *other* rows, **not one**: `x * y * z`.", "2 * 3 * 4 = 24, a*b*c.")
    page = verdict._repr_html_()
    assert (
        "All <em>other</em> rows, <strong>not one</strong>: <code>x * y * z</code>.<br>2 * 3 * 4 = 24, a*b*c." in page
    )
    assert str(verdict) == "Right. All other rows, not one: `x * y * z`. 2 * 3 * 4 = 24, a*b*c."
    hint = Hint(1, 2, "The sum of *each*.")
    assert str(hint) == "Hint 1 of 2: The sum of each." and "sum of <em>each</em>." in hint._repr_html_()
    assert marked_up("*a* and **b *c* d**") == "<em>a</em> and <strong>b <em>c</em> d</strong>"


@pytest.mark.parametrize("exercise", exercises(), ids=lambda one: one.name)
def test_help_shows_no_raw_markdown(exercise: Exercise) -> None:
    """Neither stars nor dollars, in a box or on a line."""
    for text in (*exercise.hints, *(one.message for one in exercise.mistakes), exercise.remember):
        shown = (re.sub("<code>.*?</code>", "", marked_up(text)), re.sub("`.*?`", "", plain(text)))
        assert not any(mark in one for one in shown for mark in "*$"), shown


def test_what_a_learner_wrote_cannot_become_html() -> None:
    def raises(x, scale):
        raise ValueError('<script class="kit-error">')

    page = judge(MEAN, raises)._repr_html_()
    assert "<script" not in page and "&lt;script" in page
    assert marked_up("`<b>` & c") == "<code>&lt;b&gt;</code> &amp; c"
