"""STS tasks: names, subsets, scores, and the two sizes of SICK-R."""

from __future__ import annotations

import doctest

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kit.data.sts_tasks
from kit.data import STS_TASKS, KitWarning, load_sts
from kit.data import sources as sources_module
from kit.data.hub import UnavailableError
from kit.data.sts_tasks import sts_name
from kit.errors import KitError


def write(file, rows: int = 3, **other: list) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    columns = {
        "sentence1": [f"A boat {i} rests." for i in range(rows)],
        "sentence2": [f"Boat {i} is moored." for i in range(rows)],
        "score": [i % 6 for i in range(rows)],
    }
    pq.write_table(pa.table({**columns, **other}), file)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write(tmp_path / "mteb__sts12-sts" / "test.parquet", subset=["news", "news", "video"])
    write(tmp_path / "mteb__stsbenchmark-sts" / "validation.parquet", genre=["a", "b", "c"])
    write(tmp_path / "mteb__sickr-sts" / "test.parquet", rows=4927)
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    return tmp_path


def test_the_doctests_of_the_module_hold():
    assert doctest.testmod(kit.data.sts_tasks).failed == 0


def test_common_spellings_of_a_task():
    for name, task in [
        ("STS-B", "STS-B"),
        ("stsb", "STS-B"),
        ("mteb/stsbenchmark-sts", "STS-B"),
        ("STS15", "STS15"),
    ] + [("sick_r", "SICK-R"), ("SICKR", "SICK-R"), ("mteb/sts16-sts", "STS16")]:
        assert sts_name(name) == task


def test_an_unknown_task_gives_the_near_ones():
    for name in ["STS17", "SICK", "", None]:
        with pytest.raises(KitError, match=r"unknown STS task .*Known: STS12, .*SICK-R"):
            load_sts([name])


def test_an_empty_list_of_tasks_is_refused():
    with pytest.raises(KitError, match="no STS task was named"):
        load_sts([])


def test_subsets_come_from_the_file_else_from_the_name(folder):
    sts12 = load_sts("STS12")["STS12"]
    assert sts12.subsets == ["news", "news", "video"] and sts12.scores == [0.0, 1.0, 2.0]
    assert all(isinstance(score, float) for score in sts12.scores)
    assert load_sts("stsb", "validation")["STS-B"].subsets == ["STS-B"] * 3


def test_tasks_keep_the_order_asked_for(folder):
    assert list(load_sts(["sickr", "sts12"])) == ["SICK-R", "STS12"]


def test_which_sick_r_it_is_stands_in_the_source(folder):
    task = load_sts("SICK-R", rows=10)["SICK-R"]
    assert len(task) == task.source.rows == 10
    assert "original SICK test split of 4,927 pairs" in task.source.summary()
    write(folder / "mteb__sickr-sts" / "test.parquet", rows=9927)
    assert "all 9,927 SICK pairs" in load_sts("SICK-R")["SICK-R"].source.summary()


def test_a_path_laid_out_like_the_mirror_or_of_one_task(folder, monkeypatch):
    monkeypatch.delenv("KIT_DATA")
    both = load_sts(["STS12", "SICK-R"], path=folder)
    assert {task.source.tier for task in both.values()} == {"path"}
    for path in (folder / "mteb__sts12-sts", folder / "mteb__sts12-sts" / "test.parquet"):
        assert len(load_sts("STS12", path=path)["STS12"]) == 3
    with pytest.raises(KitError, match="has no mteb__sts13-sts: add it"):
        load_sts(["STS12", "STS13"], path=folder)


def test_a_path_may_begin_at_home(folder, monkeypatch):
    monkeypatch.delenv("KIT_DATA")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert load_sts(["STS12", "SICK-R"], path="~").keys() == {"STS12", "SICK-R"}


def test_a_split_that_is_not_there_lists_those_that_are(folder):
    with pytest.raises(KitError, match=r"no split 'validation' .*it has test"):
        load_sts("STS12", "validation")


def test_a_score_outside_the_scale_is_named_with_its_row(folder):
    for score in [5.5, -0.1, float("nan")]:
        write(folder / "mteb__sts12-sts" / "test.parquet", score=[1.0, score, 2.0])
        with pytest.raises(KitError, match="a score must be from 0 to 5, but row 1 has"):
            load_sts("STS12")


def test_wrong_columns_are_named(folder):
    pq.write_table(pa.table({"text": ["a"]}), folder / "mteb__sts12-sts" / "test.parquet")
    with pytest.raises(KitError, match="came with text: rename or add sentence1, sentence2, score"):
        load_sts("STS12")


def test_rows_below_one_are_refused(folder):
    with pytest.raises(KitError, match="rows as a whole number from 1"):
        load_sts("STS12", rows=0)


def test_the_world_stands_in_for_all_tasks_with_one_warning(monkeypatch):
    def no_hub(name: str, split: str):
        raise UnavailableError("the Hub could not be reached (no network in this test)")

    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(sources_module, "from_hub", no_hub)
    with pytest.warns(KitWarning) as caught:
        tasks = load_sts(rows=40)
    assert tuple(tasks) == STS_TASKS
    assert all(task.source.is_fallback and len(task) == 40 for task in tasks.values())
    assert all(0 <= score <= 5 for task in tasks.values() for score in task.scores)
    assert tasks["STS12"].sentences1 != tasks["STS13"].sentences1
    assert len(caught) == 1 and "made-up" in str(caught[0].message)
    assert caught[0].filename == __file__
