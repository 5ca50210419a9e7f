"""The table of measured speeds: what is measured, missed, failed, and not there yet."""

from __future__ import annotations

from kit.figures.speed_figures import HEAD, NOTHING, missed, speed_table


def row(what: str, **changes) -> dict:
    return {
        "what": what,
        "setting": "batch 64",
        "unit": "ms",
        "ours": 12.345,
        "peer": "",
        "theirs": None,
        "ratio": None,
        "lowest": None,
        "highest": None,
        "target": "",
        "repetitions": 5,
        "note": "",
        "met": None,
        **changes,
    }


FASTER = row(
    "loss", ours=2.0, theirs=300.0, peer="a loop", ratio=150.0, lowest=140.0, highest=160.0, target="≥ 100", met=True
)
SLOWER = row(
    "training",
    unit="sentences/s",
    ours=1234.0,
    theirs=1000.0,
    peer="others",
    ratio=1.234,
    lowest=1.1,
    highest=1.3,
    target="≥ 4",
    met=False,
)
LATE = row("notebooks", unit="min", ours=7.0, target="≤ 6", met=False)
FOUND = {
    "programs": {
        "losses": {"rows": [FASTER, row("plain")], "hardware": "a machine", "date": "2026-11-21"},
        "training_speed": {"rows": [SLOWER, LATE], "hardware": "a machine", "date": "2026-11-21"},
    },
    "failed": {"streaming": "it broke"},
    "not_measured": [
        {"what": "encode", "setting": "on a GPU", "target": "≥ 1.5", "peer": "others", "why": "needs a GPU"}
    ],
}


def test_a_line_for_each_row() -> None:
    table = speed_table(FOUND)
    assert table.header == HEAD
    assert table.rows[0][:2] == ("loss · batch 64, ms; against a loop", "2")
    assert table.rows[0][2:] == ("300", "150\u00a0[140,\u00a0160]", "≥ 100", "yes")
    assert table.rows[1] == ("plain · batch 64, ms", "12.3", "", "", "", "")
    assert table.rows[2][1:] == ("1,234", "1,000", "1.23\u00a0[1.1,\u00a01.3]", "≥ 4", "NO")
    assert table.rows[-1] == ("encode · on a GPU; against others", "not measured", "", "", "≥ 1.5", "needs a GPU")
    assert table.caption == "Measured on a machine, 2026-11-21. streaming: its program failed."


def test_some_programs_and_those_that_are_not_there() -> None:
    table = speed_table(FOUND, ["losses", "grad_cache"])
    assert len(table.rows) == 2 and "grad_cache: not measured yet." in table.caption
    for nothing in (speed_table({}, ["losses"]), speed_table({})):
        assert (len(nothing.rows), nothing.caption) == (0, NOTHING)


def test_without_a_target_there_are_no_columns_for_it() -> None:
    table = speed_table({"programs": {"means": {**FOUND["programs"]["losses"], "rows": [row("plain")]}}})
    assert table.header == ("what, against whom", "here", "there", "ratio")
    assert table.rows == [("plain · batch 64, ms", "12.3", "", "")]


def test_missed_targets_are_told_plainly() -> None:
    assert missed(FOUND) == [
        "training · batch 64: 1.23 times others, target ≥ 4",
        "notebooks · batch 64: 7 min, target ≤ 6",
    ]
    assert missed({}) == []
