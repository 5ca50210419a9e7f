"""load_transfer: folders into rows with splits, what is missing said, the world as a labelled stand-in."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kit.data import KitWarning, load_transfer
from kit.data.transfer_tasks import STAND_INS, TRANSFER_TASKS, transfer_name
from kit.errors import KitError


def write(folder: Path, **splits: dict) -> None:
    folder.mkdir(parents=True)
    for split, columns in splits.items():
        pq.write_table(pa.table(columns), folder / f"{split}.parquet")


def sentences(n: int, classes: tuple[str, ...] = ("bad", "good")) -> dict[str, list]:
    labels = [row % len(classes) for row in range(n)]
    return {
        "text": [f"sentence {row}" for row in range(n)],
        "label": labels,
        "label_text": [classes[label] for label in labels],
    }


@pytest.fixture
def tasks(tmp_path, monkeypatch) -> Path:
    """A mirror with MR, TREC and MRPC; returns the folder of the tasks."""
    folder = tmp_path / "mirror" / "senteval-transfer"
    write(folder / "mr", all=sentences(20))
    write(folder / "trec", train=sentences(12, ("ABBR", "ENTY", "DESC")), test=sentences(6, ("ABBR", "ENTY")))
    pairs = {"sentence1": ["a", "b"], "sentence2": ["c", "d"], "label": [1, 0], "label_text": ["same", "other"]}
    write(folder / "mrpc", train=pairs, validation=pairs, test=pairs)
    monkeypatch.setenv("KIT_DATA", str(tmp_path / "mirror"))
    return folder


def test_rows_of_all_splits_stand_one_after_the_other(tasks):
    found = load_transfer(["mr", "TREC", "mrpc"])
    assert list(found) == ["MR", "TREC", "MRPC"]
    assert found["MR"].splits == ["all"] * 20 and found["MR"].seconds is None and len(found["MR"]) == 20
    trec = found["TREC"]
    assert trec.splits == ["train"] * 12 + ["test"] * 6 and trec.labels[12:] == [0, 1, 0, 1, 0, 1]
    assert trec.classes == {0: "ABBR", 1: "ENTY", 2: "DESC"} and len(trec.sources) == 2
    assert found["MRPC"].seconds == ["c", "d"] * 3 and found["MRPC"].labels == [1, 0] * 3
    assert not any(task.made_up for task in found.values())


def test_missing_tasks_are_named_aloud_and_left_out(tasks):
    with pytest.warns(KitWarning, match="CR, SUBJ: skipped, so there is no average") as said:
        found = load_transfer(["MR", "CR", "SUBJ"])
    assert list(found) == ["MR"] and len(said) == 1
    assert said[0].filename == __file__


def test_without_a_mirror_the_world_stands_in_and_says_so(monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    with pytest.warns(KitWarning, match="made-up world stand in.*KIT_DATA"):
        found = load_transfer(rows=60)
    assert tuple(found) == STAND_INS and all(task.made_up and len(task) == 60 for task in found.values())
    assert set(found["opinions"].classes.values()) == {"blame", "praise"}
    assert len(found["questions"].classes) == 6 and set(found["questions"].splits) == {"all"}


def test_the_stand_ins_can_be_asked_for_by_name_without_a_word(monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, other = (load_transfer("opinions", rows=30, seed=seed)["opinions"] for seed in (0, 1))
    assert first.texts != other.texts and first == load_transfer("opinions", rows=30)["opinions"]


def test_a_stand_in_needs_no_folder_under_a_path(tmp_path):
    assert list(load_transfer("opinions", path=tmp_path, rows=20)) == ["opinions"]


def test_a_folder_of_ones_own(tasks, tmp_path, monkeypatch):
    monkeypatch.delenv("KIT_DATA")
    assert load_transfer("MR", path=tasks)["MR"].sources[0].tier == "path"
    with pytest.warns(KitWarning, match="CR: skipped"):
        assert list(load_transfer(["CR", "MR"], path=tasks)) == ["MR"]
    with pytest.raises(KitError, match="a folder for each transfer task .cr, subj., but has none"):
        load_transfer(["CR", "SUBJ"], path=tasks)
    with pytest.raises(KitError, match="is not there"):
        load_transfer("MR", path=tmp_path / "elsewhere")


def test_rows_are_a_sample_of_each_split(tasks):
    quick = load_transfer(["MR", "TREC"], rows=5)
    assert len(quick["MR"]) == 5 and quick["TREC"].splits == ["train"] * 5 + ["test"] * 5
    assert "a sample of rows, 5 of 20" in quick["MR"].sources[0].summary()
    assert (
        load_transfer("MR", rows=5)["MR"].texts == quick["MR"].texts != load_transfer("MR", rows=5, seed=1)["MR"].texts
    )


def test_a_missing_split_and_broken_columns_are_refused(tasks):
    (tasks / "trec" / "test.parquet").unlink()
    with pytest.raises(KitError, match="no split 'test'"):
        load_transfer("TREC")
    write(tasks / "cr", all={"sentence": ["a"], "label": [0]})
    with pytest.raises(KitError, match="add text"):
        load_transfer("CR")
    write(tasks / "subj", all={"text": ["a", "b"], "label": ["0", "1"]})
    with pytest.raises(KitError, match="whole number, but row 0 has '0'"):
        load_transfer("SUBJ")


def test_spellings():
    for said, meant in [("sst-2", "SST-2"), ("SST5", "SST-5"), ("senteval-transfer/mrpc", "MRPC")]:
        assert transfer_name(said) == meant


def test_bad_names():
    for names, message in [("SST3", "did you mean"), ([], "no transfer task"), ([7], "unknown")]:
        with pytest.raises(KitError, match=message):
            load_transfer(names)


def test_the_mirror_has_the_published_rows(mirror, monkeypatch):
    monkeypatch.setenv("KIT_DATA", str(mirror))
    found = load_transfer()
    assert tuple(found) == TRANSFER_TASKS
    assert {name: len(task) for name, task in found.items()} == {
        "MR": 10_662,
        "CR": 3_771,
        "SUBJ": 10_000,
        "MPQA": 10_603,
        "SST-2": 9_613,
        "SST-5": 11_855,
        "TREC": 5_952,
        "MRPC": 5_801,
    }
    assert found["TREC"].splits.count("test") == 500 and len(found["SST-5"].classes) == 5
