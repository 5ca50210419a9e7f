"""A sentence is shown only where it is true."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kit.course import finding
from kit.errors import KitError


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict]]:
    outputs: list[tuple[str, dict]] = []
    monkeypatch.setattr("IPython.display.display", lambda what, metadata: outputs.append((what.data, metadata)))
    return outputs


def test_the_sentence_that_is_true_is_shown(shown: list) -> None:
    for holds in (True, False, np.bool_(True), np.float64(1.0) < 0.5, torch.tensor(2.0) > 1.0):
        finding(holds, "It grew.", "It fell.")
    assert [text for text, _ in shown] == ["It grew.", "It fell.", "It grew.", "It fell.", "It grew."]
    assert [metadata["kit"]["finding"] for _, metadata in shown] == [True, False, True, False, True]


def test_a_number_below_zero_has_the_minus_of_a_page(shown: list) -> None:
    finding(True, f"From {-0.4:+.2f} [{-1.2:+.2f}, {0.3:+.2f}], by `x[-1]` and $-1$, of kit-2.", "It fell.")
    assert shown[0][0] == "From −0.40 [−1.20, +0.30], by `x[-1]` and $-1$, of kit-2."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.ones(2), "It grew.", "It fell."), "expected true or false, got Tensor"),
        ((np.ones(2) > 0, "It grew.", "It fell."), "expected true or false, got ndarray"),
        ((True, "It grew.", " "), "expected a sentence for both outcomes"),
        ((True, "It grew.", "It fell.", "", {"yes": True, "no": False}), "expected a question with the options"),
    ],
)
def test_what_is_no_finding_is_refused(shown: list, arguments: tuple, message: str) -> None:
    with pytest.raises(KitError, match=message):
        finding(*arguments)
    assert shown == []
