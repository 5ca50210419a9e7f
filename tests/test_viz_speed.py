"""The table of measured speeds: what is measured, missed, failed, and not there yet."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.viz.speed import HEAD, NOTHING, missed, speed_of, speed_table


def row(what: str, **changes) -> dict:
    return {"what": what, "setting": "batch 64", "unit": "ms", "ours": 12.345, "peer": "", "theirs": None,
            "ratio": None, "lowest": None, "highest": None, "target": "", "repetitions": 5, "note": "", "met": None,
            **changes}


FASTER = row("loss", ours=2.0, theirs=300.0, peer="a loop", ratio=150.0, lowest=140.0, highest=160.0, target="≥ 100",
             met=True)
SLOWER = row("training", unit="sentences/s", ours=1234.0, theirs=1000.0, peer="others", ratio=1.234, lowest=1.1,
             highest=1.3, target="≥ 4", met=False)
LATE = row("notebooks", unit="min", ours=7.0, target="≤ 6", met=False)
FOUND = {"programs": {"losses": {"rows": [FASTER, row("plain")], "hardware": "a machine", "date": "2026-11-21"},
                      "training_speed": {"rows": [SLOWER, LATE], "hardware": "a machine", "date": "2026-11-21"}},
         "failed": {"streaming": "it broke"},
         "not_measured": [{"what": "encode", "setting": "on a GPU", "target": "≥ 1.5", "peer": "others",
                           "why": "needs a GPU"}]}


def test_a_line_for_each_row() -> None:
    table = speed_table(FOUND)
    assert table.header == HEAD
    assert table.rows[0] == ("loss · batch 64", "2 ms", "300 (a loop)", "150.00 [140.00, 160.00]", "≥ 100", "yes")
    assert table.rows[1] == ("plain · batch 64", "12.3 ms", "", "", "", "")
    assert table.rows[2][1:] == ("1,234 sentences/s", "1,000 (others)", "1.23 [1.10, 1.30]", "≥ 4", "NO")
    assert table.rows[-1] == ("encode · on a GPU", "not measured", "others", "", "≥ 1.5", "needs a GPU")
    assert table.caption == "Measured on a machine, 2026-11-21. streaming: its program failed."


def test_some_programs_and_those_that_are_not_there() -> None:
    table = speed_table(FOUND, ["losses", "grad_cache"])
    assert len(table.rows) == 2 and "grad_cache: not measured yet." in table.caption
    assert len(speed_table({}, ["losses"]).rows) == 0
    assert speed_table({}).caption == NOTHING


def test_missed_targets_are_told_plainly() -> None:
    assert missed(FOUND) == ["training · batch 64: 1.23, target ≥ 4", "notebooks · batch 64: 7, target ≤ 6"]
    assert missed({}) == []


def test_one_row_by_its_words() -> None:
    assert speed_of(FOUND, "losses", "plain")["ours"] == 12.345
    with pytest.raises(KitError, match="unknown measured row of losses 'nothing'"):
        speed_of(FOUND, "losses", "nothing")
    with pytest.raises(KitError, match="unknown measured row of streaming"):
        speed_of({}, "streaming", "rows")
