"""The kept rows of the world are those that it draws, and lessons get them."""

from __future__ import annotations

import pytest

from kit.data import load
from kit.errors import KitError, KitWarning
from kit.world import stand_in
from kit.world.recorded import NLI_ROWS, RECORDED, SEED, file_of, recorded
from kit.world.stand_in import drawn

SNLI, STS_B = ("stanfordnlp/snli", "train"), ("mteb/stsbenchmark-sts", "test")
REASONS = ("no mirror", "no Hub")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "split"), RECORDED)
def test_what_is_kept_is_what_is_drawn(name: str, split: str) -> None:
    """Where this fails the world has been changed: `make world`."""
    rows = RECORDED[name, split]
    assert recorded(name, split, rows, SEED) == drawn(name, split, rows, SEED)


@pytest.mark.parametrize("table", [SNLI, STS_B])
def test_fewer_rows_are_the_first_ones(table: tuple[str, str]) -> None:
    few, wanted = recorded(*table, 7, SEED), drawn(*table, 7, SEED)
    assert few == wanted
    assert [type(values[0]) for values in few.values()] == [type(values[0]) for values in wanted.values()]


def test_another_seed_and_more_rows_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert recorded(*SNLI, 7, SEED + 1) is None is recorded(*SNLI, NLI_ROWS + 1, SEED)
    assert recorded("nyu-mll/multi_nli", "train", 7, SEED) is None
    asked = []
    monkeypatch.setattr(stand_in, "drawn", lambda *table: asked.append(table) or drawn(*table))
    assert stand_in.table(*SNLI, 7, SEED, REASONS).columns != stand_in.table(*SNLI, 7, SEED + 1, REASONS).columns
    assert asked == [(*SNLI, 7, SEED + 1)]


def test_a_learner_offline_gets_them(no_network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_in, "drawn", lambda *table: pytest.fail(f"{table} was drawn"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.warns(KitWarning, match="stand-in"):
        table = load(SNLI[0], rows=500)
    assert table.source.is_fallback and len(table) == 500
    with pytest.raises(KitError):
        load(SNLI[0], rows=-1)


def test_the_files_are_small() -> None:
    assert sum(file_of(*table).stat().st_size for table in RECORDED) < 1_000_000
