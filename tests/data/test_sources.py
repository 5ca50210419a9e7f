"""The tiers of `load`: which one answers, what it says, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import types
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kit.data import KitWarning, hub, load, sources
from kit.errors import KitError

NLI = {"premise": ["A boy reads."], "hypothesis": ["A child reads."], "label": [0]}


def write(file: Path, columns: dict[str, list]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)
    return file


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A mirror folder with one data set by Hub id and one in a folder of folders."""
    root = tmp_path / "mirror"
    write(root / "stanfordnlp__snli" / "train.parquet", NLI)
    write(root / "stanfordnlp__snli" / "test.parquet", NLI)
    write(root / "nli" / "merged" / "train_core_groups.parquet", {"anchor": ["A boy reads."]})
    monkeypatch.setenv("KIT_DATA", str(root))
    return root


@pytest.fixture
def no_hub(monkeypatch):
    """No Hub and no cached copy of it, whatever this machine has."""

    def from_hub(name: str, split: str):
        raise hub.UnavailableError("the Hub could not be reached (no network in this test)")

    monkeypatch.setattr(sources, "from_hub", from_hub)


@pytest.fixture
def tiny_world(monkeypatch):
    """A world of numbered sentences, so that these tests are about the tiers only."""
    from kit.world import stand_in

    class World:
        def __init__(self, seed: int = 0) -> None:
            self.seed = seed

        def nli(self, n: int) -> dict[str, list]:
            texts = [f"{self.seed} {i}" for i in range(n)]
            return {"premise": texts, "hypothesis": texts, "label": [0] * n}

        def pairs(self, n: int) -> dict[str, list]:
            texts = [f"{self.seed} {i}" for i in range(n)]
            return {"sentence1": texts, "sentence2": texts, "score": [2.5] * n}

    module = types.ModuleType("kit.world")
    module.World, module.stand_in = World, stand_in
    monkeypatch.setitem(sys.modules, "kit.world", module)


def test_a_path_to_a_file_wins_over_the_mirror(folder, tmp_path):
    file = write(tmp_path / "own" / "spring.parquet", NLI)
    table = load("stanfordnlp/snli", path=file)
    assert (table.source.tier, table.source.split, table.source.rows) == ("path", "spring", 1)
    assert table.source.revision.startswith("sha256:")
    assert table["hypothesis"] == ["A child reads."]


def test_a_path_to_a_folder_takes_the_split(folder):
    table = load("any label", "test", path=folder / "stanfordnlp__snli")
    assert table.source.tier == "path" and table.source.split == "test"


def test_the_mirror_is_found_by_hub_id_and_by_nested_folder(folder):
    assert load("stanfordnlp/snli").source.location == "stanfordnlp__snli/train.parquet"
    nested = load("nli/merged", "train_core_groups")
    assert nested.source.tier == "mirror"
    assert nested.source.location == "nli/merged/train_core_groups.parquet"
    assert str(folder) not in nested.source.summary()


def test_the_seed_draws_the_rows_of_a_path_and_of_the_mirror(folder):
    write(folder / "me" / "numbers" / "train.parquet", {"number": list(range(50))})
    for where in ({}, {"path": folder / "me" / "numbers"}):
        zero, again, one = (load("me/numbers", rows=20, seed=seed, **where)["number"] for seed in (0, 0, 1))
        assert zero == again != one, where


def test_the_revision_follows_the_content(folder):
    before = load("stanfordnlp/snli").source.revision
    assert load("stanfordnlp/snli").source.revision == before
    changed = {**NLI, "label": [2]}
    write(folder / "stanfordnlp__snli" / "train.parquet", changed)
    assert load("stanfordnlp/snli").source.revision != before


def test_a_part_of_a_known_split_is_called_a_part(folder):
    assert "of the 549,367 labelled rows" in load("stanfordnlp/snli").source.summary()
    assert "labelled rows" not in load("stanfordnlp/snli", "test").source.summary()


def test_overlaps_with_evaluation_are_remarked(folder):
    write(folder / "nli" / "sick_nli" / "train.parquet", NLI)
    assert "those of SICK-R" in load("nli/sick_nli").source.summary()


def test_the_mirror_that_lacks_it_falls_on_to_the_hub_and_says_so(folder, monkeypatch):
    monkeypatch.setattr(sources, "from_hub", lambda name, split: (NLI, "a" * 40, ("one note",)))
    table = load("nyu-mll/multi_nli")
    assert table.source.tier == "hub" and table.source.revision == "a" * 40
    assert "KIT_DATA does not have it" in table.source.summary()
    assert "one note" in table.source.summary()


@pytest.mark.parametrize(
    "name, columns",
    [
        ("stanfordnlp/snli", ["premise", "hypothesis", "label"]),
        ("nli/ling_in_loop", ["premise", "hypothesis", "label"]),
        ("mteb/stsbenchmark-sts", ["sentence1", "sentence2", "score"]),
    ],
)
def test_the_world_stands_in_and_one_warning_says_so(name, columns, no_hub, tiny_world, monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    with pytest.warns(KitWarning) as caught:
        table = load(name, rows=30)
    assert table.source.tier == "world" and table.source.is_fallback
    assert list(table.columns) == columns and len(table) == table.source.rows == 30
    assert len(caught) == 1
    assert "made-up" in str(caught[0].message) and "KIT_DATA is not set" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_the_world_draws_anew_for_each_split_and_seed(no_hub, tiny_world, monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KitWarning)
        draws = [
            load("stanfordnlp/snli", split, rows=5, seed=seed)["premise"][0]
            for split in ("train", "validation", "test")
            for seed in (0, 1)
        ]
        again = load("stanfordnlp/snli", "train", rows=5, seed=0)["premise"][0]
    assert len(set(draws)) == 6 and again == draws[0]


def test_nothing_is_warned_of_where_real_data_is_read(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load("stanfordnlp/snli")


def test_an_unknown_name_gives_the_near_ones(no_hub, monkeypatch):
    for name in ["stanfordnlp/snil", "nli/mergd", "snli", "", "../snli", None, 3]:
        monkeypatch.delenv("KIT_DATA", raising=False)
        with pytest.raises(KitError, match=r"unknown data set .*Known: .*stanfordnlp/snli"):
            load(name)


def test_a_near_name_of_the_mirror_itself_is_offered(folder):
    write(folder / "nli" / "joci" / "train.parquet", NLI)
    with pytest.raises(KitError, match="did you mean 'nli/joci'"):
        load("nli/jocy")


def test_a_split_that_is_not_there_lists_those_that_are(folder, tiny_world, no_hub, monkeypatch):
    with pytest.raises(KitError, match=r"no split 'trian' in stanfordnlp__snli: it has test, train"):
        load("stanfordnlp/snli", "trian")
    monkeypatch.delenv("KIT_DATA")
    with pytest.raises(KitError, match="no split 'trian': it has train, validation, test"):
        load("stanfordnlp/snli", "trian")


def test_what_the_world_cannot_stand_in_for_says_so(no_hub, monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    with pytest.raises(KitError, match="the world has nothing like it"):
        load("senteval-transfer/mr", "all")


def test_a_mirror_folder_that_is_missing_is_no_silent_fall_through(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(KitError, match=r"KIT_DATA names .*nowhere, which is not a folder"):
        load("stanfordnlp/snli")


def test_a_mirror_folder_that_is_empty_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    with pytest.raises(KitError, match="which is empty"):
        load("stanfordnlp/snli")


def test_an_empty_data_set_folder_is_refused(folder):
    (folder / "nyu-mll__multi_nli").mkdir()
    with pytest.raises(KitError, match=r"nyu-mll__multi_nli should hold a Parquet file"):
        load("nyu-mll/multi_nli")


@pytest.mark.parametrize("keep", [0, 40, -20])
def test_a_corrupt_parquet_is_named(folder, keep):
    file = folder / "stanfordnlp__snli" / "train.parquet"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(KitError, match=r"train.parquet should be a Parquet file, but cannot be rea"):
        load("stanfordnlp/snli")


def test_flipped_bytes_inside_a_parquet_are_named(folder):
    file = folder / "stanfordnlp__snli" / "train.parquet"
    whole = bytearray(file.read_bytes())
    whole[4 : len(whole) // 2] = b"\xff" * (len(whole) // 2 - 4)
    file.write_bytes(whole)
    with pytest.raises(KitError, match=r"train.parquet should be a Parquet file"):
        load("stanfordnlp/snli")


def test_a_parquet_without_rows_is_refused(folder):
    write(folder / "stanfordnlp__snli" / "train.parquet", {name: [] for name in NLI})
    with pytest.raises(KitError, match=r"snli should hold rows, but .*train.parquet has none"):
        load("stanfordnlp/snli")


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(KitError, match=r"absent.parquet should be a Parquet file or a folder"):
        load("mine", path=tmp_path / "absent.parquet")


def test_rows_are_checked_before_anything_is_read(monkeypatch):
    for rows in [0, -1, 1.5]:
        monkeypatch.setenv("KIT_DATA", "/nowhere")
        with pytest.raises(KitError, match="rows as a whole number from 1"):
            load("stanfordnlp/snli", rows=rows)


def test_importing_kit_data_imports_nothing_heavy():
    heavy = ["torch", "datasets", "pyarrow", "transformers", "huggingface_hub", "kit.world"]
    code = f"import sys, kit.data; print([m for m in {heavy} if m in sys.modules])"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
