"""How a verdict shows itself."""

from __future__ import annotations

from kit.course.exercises.checking import judge
from kit.course.exercises.verdict import STYLES, Verdict, marked_up
from tests.course.small_exercises import MEAN


def test_verdict_as_box_and_as_line() -> None:
    for outcome, (css, words, _) in STYLES.items():
        verdict = Verdict(outcome, "Is `a < b`?", "Do this.", "File gone.")
        assert repr(verdict) == f"{words} Is `a < b`? Do this. File gone."
        page = verdict._repr_html_()
        assert f'class="kit-verdict {css}"' in page and "kit-error" not in page
        assert f"<b>{words}</b> Is <code>a &lt; b</code>?<br>Do this.<br>File gone." in page
    assert {words for _, words, _ in STYLES.values()} == {"Right.", "Not yet.", "Not tried yet."}


def test_what_a_learner_wrote_cannot_become_html() -> None:
    def raises(x, scale):
        raise ValueError('<script class="kit-error">')

    page = judge(MEAN, raises)._repr_html_()
    assert "<script" not in page and "&lt;script" in page
    assert marked_up("`<b>` & c") == "<code>&lt;b&gt;</code> &amp; c"
