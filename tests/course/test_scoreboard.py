"""The scoreboard's file: what is no scoreboard of this version is one clear sentence, never a silent mix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.course.papers import CLAIMS, read_scoreboard
from kit.course.papers.claims import VERSION
from kit.course.papers.rule import Effect, weakest
from kit.errors import KitError


def entry(name: str, mean: float = 3.0, half: float = 0.5) -> dict:
    parts = []
    for part in CLAIMS[name].parts:
        effect = Effect(mean, mean - half, mean + half, 3, half / 2.48)
        parts.append(
            {
                "name": part.name,
                "rule": part.rule,
                "margin": part.limit(None),
                "published": None,
                "sd": effect.sd,
                "values": [mean - 0.1, mean, mean + 0.1],
                "mean": mean,
                "low": effect.low,
                "high": effect.high,
                "n": 3,
                "verdict": part.judge(effect, None),
            }
        )
    return {
        "parts": parts,
        "verdict": weakest(p["verdict"] for p in parts),
        "command": f"make claims ONLY={name}",
        "differs": "a smaller encoder",
    }


def file_of(folder: Path, content: object) -> Path:
    path = folder / "claims.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def board(**changes) -> dict:
    return {"version": VERSION, "claims": {"L1": entry("L1"), "L4": entry("L4", -1.0)}} | changes


def test_a_good_file_reads(tmp_path: Path) -> None:
    found = read_scoreboard(file_of(tmp_path, board()))
    assert list(found) == ["L1", "L4"] and found["L1"].verdict == "replicates"
    assert found["L4"].deciding is found["L4"].parts[0] and found["L1"].parts[0].values[1] == 3.0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("not json", "cannot be read"),
        ([], "got something else"),
        ({"version": VERSION}, "got something else"),
        (board(version=VERSION + 1), f"of version {VERSION}, got version {VERSION + 1}"),
        (board(version=None), "got version None"),
        (board(claims={"Z1": entry("L1")}), "those of 'Z1' are others"),
        (board(claims={"L1": entry("L4")}), "those of 'L1' are others"),
        (board(claims={"L1": {"parts": 3}}), "are others"),
        (board(claims={"L1": "x"}), "are others"),
        (board(claims={"L1": {"parts": entry("L1")["parts"]}}), "are others"),
        (board(claims={"L1": entry("L1") | {"verdict": "contradicted"}}), "the weakest of its parts"),
    ],
)
def test_another_file_is_told(tmp_path: Path, content: object, told: str) -> None:
    with pytest.raises(KitError, match="make claims") as error:
        read_scoreboard(file_of(tmp_path, content))
    assert told in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"verdict": "undecided"}, "judged by the rule of this version"),
        ({"rule": "below"}, "judged by the rule"),
        ({"margin": 9.0}, "judged by the rule"),
        ({"mean": None}, "something is missing"),
    ],
)
def test_a_part_that_was_changed_is_told(tmp_path: Path, change: dict, told: str) -> None:
    content = board()
    content["claims"]["L1"]["parts"][0] |= change
    with pytest.raises(KitError, match=told):
        read_scoreboard(file_of(tmp_path, content))


def test_a_missing_value_is_told(tmp_path: Path) -> None:
    content = board()
    del content["claims"]["L1"]["parts"][0]["low"]
    with pytest.raises(KitError, match="something is missing"):
        read_scoreboard(file_of(tmp_path, content))


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="no such file yet: run make claims"):
        read_scoreboard(tmp_path / "claims.json")
