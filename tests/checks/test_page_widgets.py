"""Bars that leave nothing in a notebook's file: the output of one that went away, of one that stays."""

from __future__ import annotations

import IPython.display
import pytest
import tqdm.auto
from tqdm.notebook import tqdm_notebook

from kit.checks.page_widgets import prepare_widgets


class Output:
    """A display handle that keeps what it was given."""

    def __init__(self, shown: object) -> None:
        self.contents = [shown]

    def update(self, data: object, raw: bool = False) -> None:
        self.contents.append(data if raw else "formatted")


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Output]:
    """Of each display with a handle, in a notebook that has begun a lesson twice."""
    found: list[Output] = []
    monkeypatch.setattr(IPython.display, "display", lambda shown, display_id: found.append(Output(shown)) or found[-1])
    monkeypatch.setattr(tqdm.auto, "tqdm", tqdm_notebook)
    prepare_widgets()
    first = tqdm.auto.tqdm
    prepare_widgets()
    assert tqdm.auto.tqdm is first
    return found


def test_a_bar_that_goes_away_takes_its_output_with_it(outputs: list[Output]) -> None:
    for _ in tqdm.auto.tqdm(range(3), leave=False):
        assert len(outputs[0].contents) == 1
    assert outputs[0].contents[1:] == [{}]
    tqdm.auto.tqdm(range(3), leave=False, disable=True).close()
    assert len(outputs) == 1


def test_a_bar_that_stays_keeps_its_output(outputs: list[Output]) -> None:
    """To its end, and in red where somebody interrupts."""
    list(tqdm.auto.tqdm(range(3)))
    tqdm.auto.tqdm(total=3, leave=False).close()
    assert [len(output.contents) for output in outputs] == [1, 1]


def test_a_bar_of_letters_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tqdm.auto, "tqdm", tqdm.std.tqdm)
    prepare_widgets()
    assert tqdm.auto.tqdm is tqdm.std.tqdm
