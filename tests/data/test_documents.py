"""Long documents: from files, a mirror, the Hub, or the world, and what they say of themselves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from kit.data import documents
from kit.data.documents import HUB_DOCUMENTS, Documents, load_documents
from kit.errors import KitError, KitWarning
from kit.world.stand_in import ROWS


def words(count: int, name: str = "w") -> str:
    return " ".join(f"{name}{i}" for i in range(count))


def write(file: Path, texts: list, sources: list[str] | None = None, column: str = "text") -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file.parent.mkdir(parents=True, exist_ok=True)
    columns = {column: texts, **({"source": sources} if sources else {})}
    pq.write_table(pa.table(columns), file, row_group_size=2)
    return file


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)


@pytest.fixture
def small_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files to read, two to leave alone, and a list of sentences among the documents."""
    folder = tmp_path / "text"
    write(
        folder / "news.parquet",
        [words(30, "a"), words(9), words(10, "b"), None, words(12, "c")],
        ["paper", "paper", "paper", "paper", "WordNet 3.0 (glosses)"],
    )
    write(folder / "stories.parquet", [words(11, "d"), " ".join(["e"] * 40)])
    write(folder / "heldout.parquet", [words(50, "held")])
    write(folder / "captions-flickr30k.parquet", [words(50, "caption")])
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    return tmp_path


def test_the_long_ones_of_a_mirror_in_the_order_of_its_files(small_mirror: Path) -> None:
    found = load_documents(least_words=10)
    assert [text.split()[0] for text in found] == ["a0", "b0", "d0", "e"]
    assert isinstance(found, Documents) and found.source.tier == "mirror" and found.source.rows == 4
    said = found.source.summary()
    assert "text (2 files)" in said and "at least 10 words" in said and "without lists of unrelated sentences" in said
    assert str(small_mirror) not in said, "a result must not name a folder of one machine"


def test_a_sample_is_drawn_by_the_seed_and_keeps_the_order(small_mirror: Path) -> None:
    whole = load_documents(least_words=10)
    samples = [list(load_documents(2, least_words=10, seed=seed)) for seed in range(8)]
    assert list(load_documents(2, least_words=10, seed=3)) == samples[3]
    assert len({tuple(sample) for sample in samples}) > 1
    for sample in samples:
        assert len(sample) == 2 and [text for text in whole if text in sample] == sample
    assert "a sample of 2 of 4, seed 5" in load_documents(2, least_words=10, seed=5).source.summary()
    assert len(load_documents(99, least_words=10)) == 4


def test_another_text_has_another_fingerprint(small_mirror: Path) -> None:
    before = load_documents(least_words=10).source.revision
    write(small_mirror / "text" / "stories.parquet", [words(11, "other"), words(40, "e")])
    assert load_documents(least_words=10).source.revision != before


def test_a_file_and_a_folder_of_ones_own(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.parquet", [words(20), words(5)])
    assert len(load_documents(least_words=6, path=file)) == 1
    write(tmp_path / "more.parquet", [words(7)])
    assert load_documents(least_words=6, path=tmp_path).source.tier == "path"
    assert len(load_documents(least_words=6, path=str(tmp_path))) == 2


def test_bad_input_is_one_clear_sentence(tmp_path: Path) -> None:
    for call, sentence in [
        (lambda p: load_documents(0), "rows as a whole number from 1"),
        (lambda p: load_documents(least_words=0), "expected least_words as a whole number from 1, got 0"),
        (lambda p: load_documents(least_words=1.5), "expected least_words as a whole number from 1, got 1.5"),
        (lambda p: load_documents(path=p / "no.parquet"), "expected a Parquet file of documents.*but there is none"),
        (lambda p: load_documents(path=p), "expected a Parquet file of documents.*but there is none"),
        (
            lambda p: load_documents(path=write(p / "a.parquet", [words(9)])),
            "expected documents of at least 800 words in",
        ),
        (
            lambda p: load_documents(path=write(p / "b.parquet", [words(9)], column="txt")),
            "expected a column 'text' of strings in b.parquet, but it has txt .string.",
        ),
        (lambda p: load_documents(path=write(p / "c.parquet", [1, 2])), "in c.parquet, but it has text .int64."),
    ]:
        with pytest.raises(KitError, match=sentence):
            call(tmp_path)


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "notes.parquet").write_text("no table")
    with pytest.raises(KitError, match="notes.parquet should be a Parquet file of texts, but cannot be read"):
        load_documents(path=tmp_path)


def test_the_world_stands_in_and_says_so(no_mirror: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "hub_problem", lambda: "no route")
    with pytest.warns(KitWarning, match="stand-in of 3 rows from the bundled world.*say nothing about English"):
        found = load_documents(3, least_words=300)
    assert found.source.is_fallback and "no route" in found.source.summary()
    assert all(len(text.split()) >= 300 for text in found) and len(set(found)) == 3
    with pytest.warns(KitWarning):
        assert list(load_documents(2, least_words=300)) == list(found)[:2]
    with pytest.warns(KitWarning):
        assert len(load_documents(least_words=10)) == ROWS["documents"]


@pytest.fixture
def hub(no_mirror: None, monkeypatch: pytest.MonkeyPatch) -> dict:
    """A Hub on this machine: an endless stream of articles of 1, 2, 3 … words; counts what is read."""
    import datasets
    import huggingface_hub

    seen = {"read": 0}

    def stream():
        while True:
            seen["read"] += 1
            yield {"text": words(seen["read"]), "title": "t"}

    def load_dataset(path, **options):
        seen.update(path=path, **options)
        return {"train": stream()}

    monkeypatch.setattr(documents, "hub_problem", lambda: "")
    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(
        huggingface_hub,
        "HfApi",
        lambda: SimpleNamespace(dataset_info=lambda name, timeout: SimpleNamespace(sha="abc123")),
    )
    return seen


def test_the_hub_is_streamed_no_further_than_needed(hub: dict) -> None:
    found = load_documents(4, least_words=20)
    assert [len(text.split()) for text in found] == [20, 21, 22, 23]
    assert hub["read"] == 23 and hub["streaming"] is True and hub["revision"] == "abc123"
    assert (hub["path"], hub["name"]) == ("wikimedia/wikipedia", "20231101.en")
    assert found.source.tier == "hub" and "abc123" in found.source.summary()


def test_a_folder_named_as_the_hubs_is_not_taken_for_it(
    hub: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wikimedia" / "wikipedia").mkdir(parents=True)
    with pytest.raises(KitError, match="wikimedia/wikipedia from the Hub, but there is such a path here: give path="):
        load_documents(4, least_words=20)
    assert hub["read"] == 0


@pytest.mark.slow
def test_the_hub_without_a_number_gives_a_moderate_one(hub: dict) -> None:
    assert len(load_documents(least_words=1)) == HUB_DOCUMENTS


def test_the_hub_without_long_ones_ends(hub: dict) -> None:
    with pytest.raises(KitError, match="expected articles of at least 500 words, but the first 50 of"):
        load_documents(1, least_words=500)
    assert hub["read"] == 50


def test_a_connection_lost_midway_ends_in_the_world(hub: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    def broken():
        yield {"text": words(50)}
        raise ConnectionError("reset by peer")

    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: {"train": broken()})
    with pytest.warns(KitWarning, match="ConnectionError: reset by peer"):
        assert load_documents(2, least_words=20).source.is_fallback


def test_a_mirror_without_text_asks_the_hub(hub: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    found = load_documents(2, least_words=5)
    assert found.source.tier == "hub" and "the mirror folder KIT_DATA does not have it" in found.source.summary()


def test_a_lesson_says_which_documents_it_has(small_mirror: Path, capsys: pytest.CaptureFixture) -> None:
    import kit.lesson

    lesson = kit.lesson.start(preset="smoke")
    assert len(lesson.documents(rows=2, least_words=10)) == 2
    assert any("mirror folder KIT_DATA" in line for line in lesson.in_use)


@pytest.mark.slow
def test_real_documents_of_the_mirror(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_DATA", str(mirror))
    found = load_documents(300)
    assert len(found) == 300 == len(set(found))
    assert min(len(text.split()) for text in found) >= 800
    assert "a sample of 300 of 5,365, seed 0" in found.source.summary()


def test_the_readers_own_file_is_not_searched_for_lists(tmp_path: Path) -> None:
    """The column `source` means something in the mirror alone."""
    named = write(tmp_path / "named.parquet", [words(10), words(11)], ["SQuAD dump", "mine"])
    assert len(load_documents(path=named, least_words=10)) == 2
    numbered = write(tmp_path / "numbered.parquet", [words(10), words(11)], [1, 2])
    assert len(load_documents(path=numbered, least_words=10)) == 2
