"""Streams: the same groups as in memory, an order by seed and epoch, and never more than a chunk held."""

from __future__ import annotations

import gzip
import json
import socket
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from kit.data import Group, KitWarning, group_by_premise, hub, load
from kit.errors import KitError
from kit.scaling import load_stream, row_files, stream_of, text_lines
from kit.scaling.row_files import READ_ROWS
from kit.scaling.row_stream import Cursor, Stream
from kit.world import stand_in
from tests.data.test_sources import write

PREMISES = 900  # with one to four hypotheses each: more than two chunks of rows


def nli(premises: int = PREMISES, first: int = 0) -> dict[str, list]:
    pairs = [
        (f"premise {i}", f"hypothesis {i} {j}", (i + j) % 3)
        for i in range(first, first + premises)
        for j in range(i % 4 + 1)
    ]
    return dict(zip(("premise", "hypothesis", "label"), map(list, zip(*pairs))))


@pytest.fixture
def mirrored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "mirror" / "stanfordnlp__snli" / "train.parquet", nli())
    monkeypatch.setenv("KIT_DATA", str(tmp_path / "mirror"))
    return tmp_path / "mirror"


def elements_of(stream: Stream, epoch: int = 0, start: Cursor | None = None) -> list:
    return [example for chunk in stream.chunks(epoch, start) for example in chunk.elements]


@pytest.mark.slow
def test_the_groups_are_those_of_the_data_in_memory(mirrored: Path) -> None:
    for buffer in [1, 7, 300, READ_ROWS, 100_000]:
        stream = load_stream("stanfordnlp/snli", buffer=buffer)
        assert elements_of(stream) == list(group_by_premise(load("stanfordnlp/snli")))
        chunks = list(stream.chunks())
        sizes = [sum(len(group.hypotheses) for group in chunk.elements) for chunk in chunks]
        assert all(size >= min(buffer, 2250) for size in sizes) and max(sizes[:-1], default=0) <= buffer + 3
        assert [chunk.last for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
        assert buffer >= READ_ROWS or len(chunks) > 5


@pytest.mark.parametrize("epoch", [0, 1])
def test_reading_goes_on_from_any_block(tmp_path: Path, epoch: int) -> None:
    files = [write(tmp_path / f"train-{i}.parquet", nli(300, first=1000 * i)) for i in range(4)]
    stream = load_stream("mine", path=files, buffer=100)
    chunks = list(stream.chunks(epoch))
    assert {chunk.start.shard for chunk in chunks} == {0, 1, 2, 3}
    for number in (0, 1, 9, len(chunks) - 1):
        assert list(stream.chunks(epoch, chunks[number].start)) == chunks[number:]


def test_shards_before_the_position_are_not_opened(tmp_path: Path) -> None:
    files = [write(tmp_path / f"train-{i}.parquet", nli(300, first=1000 * i)) for i in range(3)]
    stream = load_stream("mine", path=files, buffer=100)
    opened, read = [], stream.shards.read
    object.__setattr__(stream.shards, "read", lambda shard, row: opened.append(shard) or read(shard, row))
    start = next(chunk.start for chunk in stream.chunks() if chunk.start.shard == 2)
    opened.clear()
    elements_of(stream, start=start)
    assert len(opened) == 1


def counted(rows: int, pulled: list[int]) -> Callable[[], Iterator[dict]]:
    """A function that makes `rows` rows, three of a premise, and counts in pulled[0] how many were asked for."""

    def make() -> Iterator[dict]:
        pulled[0] = 0
        for i in range(rows):
            pulled[0] += 1
            yield {"premise": f"p {i // 3}", "hypothesis": f"h {i}", "label": i % 3}

    return make


@pytest.mark.slow
def test_of_a_million_rows_only_a_block_is_ever_held() -> None:
    pulled, given = [0], 0
    stream = stream_of(counted(1_000_000, pulled), buffer=3000)
    for chunk in islice(stream.chunks(), 40):
        assert pulled[0] - given <= 2 * 3000 + READ_ROWS
        given += sum(len(group.hypotheses) for group in chunk.elements)
    assert 40 * 3000 <= given < pulled[0] < 130_000
    assert next(stream.epoch(3)).anchor and pulled[0] <= 2 * 3000 + READ_ROWS
    assert len(stream.head(10)) == 10 and pulled[0] <= 3 * READ_ROWS


def test_the_order_follows_seed_and_epoch(mirrored: Path) -> None:
    def order(seed: int, epoch: int, buffer: int = 300) -> list[int]:
        return [group.premise_id for group in load_stream("stanfordnlp/snli", seed=seed, buffer=buffer).epoch(epoch)]

    orders = [order(seed, epoch) for seed in (0, 1) for epoch in (0, 1)]
    assert order(1, 1) == orders[3] and len(set(map(tuple, orders))) == 4
    assert all(sorted(found) == list(range(PREMISES)) for found in orders)
    far = max(abs(place - premise) for place, premise in enumerate(orders[0]))
    assert 50 < far < 600, "an example is moved within its chunk, and there alone"
    assert max(abs(place - premise) for place, premise in enumerate(order(0, 0, buffer=1))) <= 2


def test_shards_come_in_another_order_every_epoch_and_each_once(tmp_path: Path) -> None:
    for i in range(5):
        write(tmp_path / f"train-{i:05}-of-00005.parquet", nli(40, first=100 * i))
    stream = load_stream("mine", path=tmp_path, buffer=10)
    orders = [[int(group.anchor.split()[1]) // 100 for group in elements_of(stream, epoch)] for epoch in range(4)]
    assert len({tuple(dict.fromkeys(order)) for order in orders}) > 1
    assert all(sorted(order) == sorted(orders[0]) and len(order) == 200 for order in orders)
    assert "train-00000-of-00005.parquet and 4 more" in stream.summary() and stream.shards.count == 5


def test_of_many_files_one_at_a_time_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    class Counted(pq.ParquetFile):
        def __init__(self, *args, **more) -> None:
            super().__init__(*args, **more)
            assert all(file.closed for file in opened), "a system allows about a thousand"
            opened.append(self)

    files = [write(tmp_path / f"train-{i}.parquet", nli(2, first=10 * i)) for i in range(3)]
    monkeypatch.setattr(pq, "ParquetFile", Counted)
    assert row_files._parquet_rows(files) == 13 and len(opened) == 3


def test_the_file_of_a_split_is_taken_without_those_that_begin_like_it(tmp_path: Path) -> None:
    write(tmp_path / "train.parquet", nli(5))
    write(tmp_path / "train-small.parquet", nli(2))
    stream, table = load_stream("mine", path=tmp_path), load("mine", path=tmp_path)
    assert elements_of(stream) == list(group_by_premise(table)) and stream.shards.rows == len(table)


def test_the_name_of_a_file_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "rows[1].jsonl").write_text('{"sentence": "a boat"}\n')
    (tmp_path / "rows1.jsonl").write_text('{"sentence": "another"}\n')
    assert elements_of(load_stream("mine", path=tmp_path / "rows[1].jsonl")) == ["a boat"]


def test_a_premise_is_not_cut_where_it_is_spaced_otherwise() -> None:
    rows = [
        {
            "premise": f"A  man eats {i // 4}." if i % 2 else f"A man eats {i // 4}.",
            "hypothesis": f"h {i}",
            "label": i % 3,
        }
        for i in range(40)
    ]
    groups = elements_of(stream_of(rows, buffer=2))
    assert [len(group.hypotheses) for group in groups] == [4] * 10


def as_file(folder: Path, kind: str, columns: dict[str, list]) -> Path:
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    file = folder / f"train.{kind}"
    if kind == "csv":
        pa.csv.write_csv(pa.table(columns), file)
    elif kind == "parquet":
        pq.write_table(pa.table(columns), file)
    elif kind == "jsonl":
        file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    else:
        file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return file


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz", "csv"])
def test_every_format_gives_the_same(tmp_path: Path, kind: str) -> None:
    columns = nli(60)
    file = as_file(tmp_path, kind, columns)
    expected = elements_of(stream_of([dict(zip(columns, values)) for values in zip(*columns.values())]))
    assert elements_of(load_stream("mine", path=file)) == elements_of(load_stream("mine", path=tmp_path)) == expected
    assert len(expected) == 60


@pytest.mark.parametrize(
    ("columns", "elements"),
    [
        (
            {"anchor": ["a", "a", "b"], "positive": ["p", "q", "r"]},
            [Group(0, "a", ("p", "q"), (0, 0)), Group(1, "b", ("r",), (0,))],
        ),
        (
            {"anchor": ["a", "b"], "positive": ["p", "q"], "negative": ["n", "m"]},
            [Group(0, "a", ("p", "n"), (0, 2)), Group(1, "b", ("q", "m"), (0, 2))],
        ),
        (
            {"anchor": ["a"], "positives": [["p"]], "neutrals": [[]], "negatives": [["n"]]},
            [Group(0, "a", ("p", "n"), (0, 2))],
        ),
        ({"sentence": ["one  boat", " ", "two"], "label": [1, 0, 1]}, ["one boat", "two"]),
        ({"text": ["one"]}, ["one"]),
    ],
)
def test_what_an_element_is_follows_from_the_columns(tmp_path: Path, columns: dict, elements: list) -> None:
    assert elements_of(load_stream("mine", path=as_file(tmp_path, "parquet", columns))) == elements


def test_rows_of_ones_own_may_be_elements_already() -> None:
    groups = [Group(0, "a", ("p",), (0,)), Group(1, "b", ("q",), (2,))]
    assert elements_of(stream_of(groups)) == groups and elements_of(stream_of(lambda: iter(groups))) == groups
    assert elements_of(stream_of(["one", "two"])) == ["one", "two"]
    assert stream_of(groups, "mine").summary() == (
        "mine (train): a stream of 2 rows from memory or a function [not hashed]."
    )


def test_scattered_rows_of_a_premise_meet_within_a_block_only() -> None:
    rows = [{"premise": f"p {i % 50}", "hypothesis": f"h {i}", "label": 0} for i in range(100)]
    assert len(elements_of(stream_of(rows, buffer=100))) == 50
    assert len(elements_of(stream_of(rows, buffer=51))) == 50, "fewer than two buffers are one chunk"
    assert len(elements_of(stream_of(rows, buffer=20))) == 100


def test_a_line_says_which_source_it_is(mirrored: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream = load_stream("stanfordnlp/snli")
    line = stream.summary()
    assert line.startswith(
        "stanfordnlp/snli (train): a stream of 2,250 rows from the mirror folder KIT_DATA, "
        "stanfordnlp__snli/train.parquet [sha256:"
    )
    assert "of the 549,367 labelled rows" in line and str(mirrored) not in line + json.dumps(stream.description())


def test_the_description_follows_the_content_and_the_settings(mirrored: Path) -> None:
    first = load_stream("stanfordnlp/snli").description()
    assert load_stream("stanfordnlp/snli").description() == first
    assert load_stream("stanfordnlp/snli", buffer=8).description() != first
    write(mirrored / "stanfordnlp__snli" / "train.parquet", {**nli(), "label": [0] * 2250})
    assert load_stream("stanfordnlp/snli").description()["revision"] != first["revision"]


def test_a_file_has_the_same_fingerprint_loaded_and_streamed(mirrored: Path) -> None:
    loaded = load("stanfordnlp/snli").source.revision
    assert load_stream("stanfordnlp/snli").description()["revision"] == loaded


def test_one_byte_in_the_middle_of_a_file_changes_its_fingerprint(tmp_path: Path, monkeypatch) -> None:
    """Of every byte where all is hashed, of those in a block where a large file is sampled."""
    file = tmp_path / "rows.csv"
    rows = [f"a sentence of number {i}" for i in range(5000)]
    file.write_text("sentence\n" + "\n".join(rows))
    first = row_files._fingerprint([file])
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert first.startswith("sha256:") and row_files._fingerprint([file]) != first
    monkeypatch.setattr(row_files, "WHOLE", 1000)
    monkeypatch.setattr(row_files, "BLOCK", 100)
    sampled = row_files._fingerprint([file])
    content[-1] ^= 1
    file.write_bytes(content)
    assert sampled.startswith("blocks:") and row_files._fingerprint([file]) != sampled


def test_a_small_file_counts_whole_beside_a_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("WHOLE", 1000), ("BLOCK", 100), ("BLOCKS", 4)):
        monkeypatch.setattr(row_files, name, value)
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    small.write_text("sentence\n")
    large.write_text("sentence\n" + "a boat\n" * 300)
    first = row_files._fingerprint([small, large])
    small.write_text("sentencf\n")
    assert first.startswith("blocks:") and row_files._fingerprint([small, large]) != first


def test_the_names_of_several_files_are_in_their_fingerprint(tmp_path: Path) -> None:
    one, other = files = [tmp_path / name for name in ("one.csv", "other.csv")]
    for file in files:
        file.write_text("sentence\na boat\n")
    first = row_files._fingerprint(files)
    assert row_files._fingerprint([one, other.rename(tmp_path / "third.csv")]) != first


@pytest.fixture
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stand_in.ROWS, "nli", 300)


def test_the_world_stands_in_as_it_does_for_load(small_world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(hub, "hub_problem", lambda: "no network in this test")
    monkeypatch.setattr(hub, "cache_folder", lambda name: Path("nowhere"))
    with pytest.warns(KitWarning, match="made-up.*KIT_DATA is not set") as caught:
        stream = load_stream("stanfordnlp/snli", seed=3)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KitWarning)
        table, in_chunks = load("stanfordnlp/snli", seed=3), load_stream("stanfordnlp/snli", seed=3, buffer=40)
    assert elements_of(stream) == list(group_by_premise(table)) and "made-up" in stream.summary()
    _, *later = in_chunks.chunks()
    assert list(in_chunks.chunks(start=later[0].start)) == later, "it goes on where it stopped"


@pytest.fixture
def hub_gives(monkeypatch: pytest.MonkeyPatch):
    """The Hub answers with these rows, or with this error."""

    def give(answer: dict | Exception) -> None:
        def load_dataset(name: str, streaming: bool, trust_remote_code: bool) -> dict:
            assert name == "stanfordnlp/snli" and streaming
            if isinstance(answer, Exception):
                raise answer
            return {"train": datasets.Dataset.from_dict(answer).to_iterable_dataset()}

        monkeypatch.delenv("KIT_DATA", raising=False)
        monkeypatch.setattr(hub, "hub_problem", lambda: "")
        monkeypatch.setattr(datasets, "load_dataset", load_dataset)

    return give


def test_the_hub_streams_and_rows_without_a_label_are_dropped(hub_gives) -> None:
    columns = nli(10)
    hub_gives({**columns, "label": [-1, *columns["label"][1:]]})
    stream = load_stream("stanfordnlp/snli")
    groups = elements_of(stream)
    assert [group.anchor for group in groups] == [f"premise {i}" for i in range(1, 10)]
    assert [label for group in groups for label in group.labels] == columns["label"][1:]
    assert stream.summary().startswith("stanfordnlp/snli (train): a stream of rows from the Hugging Face Hub, dat")
    with pytest.raises(KitError, match="no split 'dev': it has train"):
        load_stream("stanfordnlp/snli", "dev")
    hub_gives({**columns, "label": [-1, 8, *columns["label"][2:]]})
    with pytest.raises(KitError, match="a label must be .* row 1 has 8"):
        elements_of(load_stream("stanfordnlp/snli"))


@pytest.mark.parametrize("error", [ConnectionError("cable"), datasets.exceptions.DatasetNotFoundError("gone")])
def test_a_hub_that_fails_falls_through_to_the_world(small_world, hub_gives, error: Exception) -> None:
    hub_gives(error)
    with pytest.warns(KitWarning, match="made-up"):
        assert load_stream("stanfordnlp/snli").shards.source.is_fallback


def test_files_are_read_without_a_look_at_the_network(mirrored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list = []
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *where, **how: asked.append(where) or [])
    assert elements_of(load_stream("stanfordnlp/snli")) and asked == []


def test_what_is_wrong_is_told_at_once(mirrored: Path) -> None:
    for ask, sentence in [
        (lambda: load_stream("stanfordnlp/snil"), "unknown data set .*did you mean 'stanfordnlp/snli'"),
        (lambda: load_stream(3), "unknown data set 3"),
        (lambda: load_stream("stanfordnlp/snli", "dev"), "no split 'dev' in stanfordnlp__snli: it has train"),
        (
            lambda: load_stream("mine", path="absent.jsonl"),
            "absent.jsonl should be a file or a folder of them for mine",
        ),
        (lambda: load_stream("mine", path=[]), "a file or several for mine, got none"),
        (lambda: load_stream("stanfordnlp/snli", buffer=0), "buffer as a whole number from 1"),
        (
            lambda: stream_of(iter([{"sentence": "a"}])),
            "rows to read once an epoch, got a list_iterator: give the function",
        ),
        (lambda: stream_of("a string"), "expected rows as a list or a function, got 'a string'"),
        (lambda: stream_of([]), "should hold rows, but memory or a function has none"),
        (
            lambda: stream_of([{"x": 1}]),
            "own rows: expected the columns premise, hypothesis, label; .* but got 'x': rename",
        ),
        (lambda: stream_of([{"sentence": 5}]), "own rows: a sentence must be text, but row 0 has 5"),
        (lambda: stream_of([{"premise": "a", "hypothesis": "b", "label": 7}]), "row 0 has 7"),
        (
            lambda: stream_of([{"sentence": "a"}, {"text": "b"}]),
            "every row to have .* sentence and no other, .* rows 0 to 1 has not",
        ),
    ]:
        with pytest.raises(KitError, match=sentence) as told:
            ask()
        assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("train.parquet", b"PAR1 and no more", "train.parquet should be a parquet file with rows, but cannot be read"),
        ("train.jsonl", b"{not json", "mine: reading stopped after 0 rows of .*train.jsonl .JSON parse error"),
        ("train.jsonl", b"", "train.jsonl (should be a json file with rows|has none)"),  # as the version of `datasets`
        ("train.txt", b"words", "expected files of one format .* got 'train.txt'"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(KitError, match=sentence):
        load_stream("mine", path=tmp_path / name)


def test_files_of_two_formats_and_a_folder_of_none(tmp_path: Path) -> None:
    files = [as_file(tmp_path, kind, nli(3)) for kind in ("csv", "jsonl")]
    with pytest.raises(KitError, match="files of one format .* got csv, json"):
        load_stream("mine", path=files)
    (tmp_path / "empty").mkdir()
    with pytest.raises(KitError, match="empty should hold a file for each split of mine"):
        load_stream("mine", path=tmp_path / "empty")


def test_a_row_that_is_wrong_in_the_middle_is_told_with_its_place() -> None:
    columns = nli()
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    rows[2200]["label"] = 9
    stream = stream_of(rows, buffer=100)
    start = next(chunk.start for chunk in stream.chunks(size=1000))
    assert start == Cursor()
    with pytest.raises(KitError, match="own rows: a label .* but row 2,200 has 9"):
        elements_of(stream)


def test_a_bad_row_right_behind_a_resume_is_told_with_what_takes_the_training_up(tmp_path: Path) -> None:
    columns = {name: [f"{name} {i}" for i in range(2 * READ_ROWS)] for name in ("anchor", "positive")}
    *_, last = load_stream("mine", path=as_file(tmp_path, "jsonl", columns), buffer=100).chunks()
    columns["positive"][last.start.row] = None
    file = as_file(tmp_path, "jsonl", columns)
    with pytest.raises(KitError, match=r"has None.*load_stream\(…, repairs='sha256:"):
        elements_of(load_stream("mine", path=file, buffer=100), start=last.start)


def test_a_file_that_is_damaged_in_the_middle_says_how_far_it_came(tmp_path: Path) -> None:
    table = pa.table(nli(9000))
    pq.write_table(table, tmp_path / "train.parquet", row_group_size=7500)
    whole = bytearray((tmp_path / "train.parquet").read_bytes())
    at = pq.ParquetFile(tmp_path / "train.parquet").metadata.row_group(2).column(1).dictionary_page_offset
    whole[at : at + 5000] = b"\xff" * 5000
    (tmp_path / "train.parquet").write_bytes(whole)
    stream = load_stream("mine", path=tmp_path, buffer=1000)
    assert len(next(stream.chunks()).elements)
    with pytest.raises(KitError, match=r"mine: reading stopped after \d[\d,]* rows of .*train.parquet .*: repair it"):
        elements_of(stream)


def test_real_nli_streams_as_it_loads(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_DATA", str(mirror))
    expected = group_by_premise(load("stanfordnlp/snli", "validation"))
    assert elements_of(load_stream("stanfordnlp/snli", "validation", buffer=2000)) == list(expected)


def test_a_chunk_without_a_pair_is_passed_over() -> None:
    """Both labels of the first premise: alone in its chunk it has nothing, and the next one goes on."""
    rows = [("a", "b", 0), ("a", "b", 1), ("c", "d", 0), ("e", "f", 2)]
    stream = stream_of([dict(zip(("premise", "hypothesis", "label"), row)) for row in rows], buffer=1)
    assert [group.anchor for group in elements_of(stream)] == ["c", "e"]


def test_numbers_and_flags_in_a_csv_are_texts(tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    file.write_text("premise,hypothesis,label\nwhich year,2019,0\nwhich other,2020,0\nis it so,true,2\n")
    assert [group.hypotheses for group in elements_of(load_stream("mine", path=file))] == [
        ("2019",),
        ("2020",),
        ("true",),
    ]


CSV = {
    "a comma in a text": ("sentence\nA dog runs, fast\nA cat.\n", "expected 1 cells .* its first row has 2"),
    "a comma at every end": ("anchor,positive\nq,a,\nr,b,\n", "expected 2 cells .* its first row has 3"),
    "at the end of the names too": ("anchor,positive,\nq,a,\n", "a name for every column .* none at place 3"),
    "an index without a name": (",anchor,positive\n0,q,a\n", "a name for every column .* none at place 1"),
    "a blank in a name": ("anchor, positive\nq,a\n", "but got 'anchor', ' positive': rename"),
}


@pytest.mark.parametrize("case", CSV)
def test_no_row_of_a_csv_is_read_under_other_names(case: str, tmp_path: Path) -> None:
    """pandas takes the first column of a file for its index where the first row is longer than the names."""
    text, sentence = CSV[case]
    (tmp_path / "a.csv").write_text("anchor,positive\nq,a\n" if "end" in case else text)
    (tmp_path / "b.csv").write_text(text)
    with pytest.raises(KitError, match=sentence):
        load_stream("mine", path=[tmp_path / "a.csv", tmp_path / "b.csv"])


def test_no_value_is_lost_where_rows_differ() -> None:
    pair, triplet = {"anchor": "a", "positive": "b"}, {"anchor": "c", "positive": "d", "negative": "e"}
    for rows in ([pair, triplet], [triplet, pair], [pair, "a text"]):
        with pytest.raises(KitError, match="every row to have the columns anchor, positive.* and no other"):
            stream_of(rows)


def test_texts_that_json_takes_for_dates_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"sentence": "2019-01-01"}\n' * 3)
    with pytest.raises(KitError, match="line 1 of a.jsonl has .*all look like dates is read as dates: give CSV"):
        load_stream("mine", path=tmp_path / "a.jsonl")


def csv_files(folder: Path, *texts: str) -> list[Path]:
    """train-0.csv, train-1.csv, … with these rows under the columns anchor and positive."""
    files = [folder / f"train-{i}.csv" for i in range(len(texts))]
    for file, text in zip(files, texts):
        file.write_text("anchor,positive\n" + text)
    return files


def pairs(first: int, rows: int = 30) -> str:
    return "".join(f"boat {i},ship {i}\n" for i in range(first, first + rows))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("place", [0, 1500])
def test_a_line_that_a_small_file_hides_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: int
) -> None:
    """3 MB of gzip may be a line of 3 GB. What is a line at all is of a length that a reader may hold."""
    rows = [(f"How do I do {i}?", f"So you do {i}.") for i in range(2000)]
    rows[place] = ("a" * 60_000, "So you do it.")
    lines = [json.dumps({"anchor": a, "positive": b}) if kind == "jsonl" else f"{a},{b}" for a, b in rows]
    text = "\n".join([*(["anchor,positive"] if kind == "csv" else []), *lines]) + "\n"
    packed = tmp_path / f"packed.{kind}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert sum(len(chunk.elements) for chunk in load_stream("mine", path=packed).chunks(0)) == 2000
    monkeypatch.setattr(text_lines, "LONGEST_LINE", 50_000)
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: pytest.fail("it was read"))
    number = place + (2 if kind == "csv" else 1)
    with pytest.raises(KitError, match=f"at most 50,000 characters in .*packed.{kind}.gz, but line {number:,} is lon"):
        load_stream("mine", path=packed)


def test_a_long_line_in_a_later_file_is_refused_when_its_turn_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_lines, "LONGEST_LINE", 50_000)
    for name, word in (("a", "short"), ("b", "b" * 60_000)):
        text = f"anchor,positive\nHow?,So.\n{word},So.\n"
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(KitError, match="b.csv.gz, but line 3 is longer"):
        list(load_stream("mine", path=[tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"]).chunks(0))


def test_a_quotation_mark_that_swallows_rows_is_told_once_a_file(tmp_path: Path) -> None:
    swallowing = pairs(100).replace("boat 107,", 'boat 107,"').replace("ship 112\n", 'ship 112"\n')
    address = 'a boat,"ship\nof two, or three\nlines"\n'  # a cell over several lines that are no rows
    files = csv_files(tmp_path, pairs(0) + address, swallowing)
    with pytest.warns(KitWarning, match="mine: a cell on line 9 of train-1.csv goes on over lines that look") as told:
        stream = load_stream("mine", path=files, buffer=5)
        elements_of(stream), elements_of(stream, 1)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", KitWarning)
        with pytest.raises(KitWarning, match="a cell on line 9"):
            elements_of(load_stream("mine", path=files))


@pytest.mark.parametrize(
    ("kind", "bad"), [("csv", "fox 1,\n"), ("csv", "fox 1\n"), ("jsonl", '{"anchor": "fox 1", "positive": ""}\n')]
)
def test_rows_that_lack_a_text_are_told_and_counted(tmp_path: Path, kind: str, bad: str) -> None:
    """The first of them with its line, and all when an epoch has been read; not one by one."""
    rows = [{"anchor": f"boat {i}", "positive": f"ship {i}"} for i in range(60)]
    good = [json.dumps(row) + "\n" for row in rows] if kind == "jsonl" else pairs(0, 60).splitlines(keepends=True)
    file = tmp_path / f"rows.{kind}"
    head = "anchor,positive\n" if kind == "csv" else ""
    file.write_text(head + "".join([*good[:25], bad, *good[25:50], bad.replace("1", "2"), *good[49:]]))
    with pytest.warns(KitWarning) as told:
        stream = load_stream("mine", path=file, buffer=5)
        found = [elements_of(stream, epoch) for epoch in (0, 1)]
    first, whole = (str(one.message) for one in told)
    assert first.startswith(f"mine: line {27 if head else 26} of rows.{kind} lacks a text; what lacks one is left out")
    assert whole == "mine: left out of epoch 0: 2 without a text, 1 that came twice."
    assert len(found[0]) == 60 and stream.dropped == {"empty": 2, "duplicate": 1, "conflicting": 0}


def test_a_triplet_without_its_negative_and_a_chunk_of_nothing_are_counted() -> None:
    rows = [{"anchor": f"a {i}", "positive": "p", "negative": "" if i == 3 else "n"} for i in range(8)]
    blank = {"anchor": " ", "positive": "p", "negative": "n"}
    with pytest.warns(KitWarning, match="own rows: row 3 lacks a text"):
        stream = stream_of([*rows, blank], buffer=1)
        assert len(elements_of(stream)) == 8 and stream.dropped["empty"] == 1 + 2


def test_a_row_is_told_by_its_file_and_line_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    files = [tmp_path / f"train-{i}.jsonl" for i in range(5)]
    for bad, file in enumerate(files):
        for i, other in enumerate(files):
            other.write_text("".join(json.dumps({"sentence": f"boat {i} {j}"}) + "\n\n" for j in range(20)))
        file.write_text(file.read_text().replace(f'"boat {bad} 7"', "null"))
        with pytest.raises(KitError, match=rf"text, but line 15 of train-{bad}\.jsonl has None"):
            elements_of(load_stream("mine", path=files, buffer=1000))
    file.write_text('{"text": "another column"}\n')
    with pytest.raises(KitError, match=r"of train-4\.jsonl \(its columns are not those of the other files\): repair"):
        elements_of(load_stream("mine", path=files, buffer=1000))


UNREADABLE = {
    "csv": ("boat 7,", "boat 7,more,", "the row on line 9 has 3 cells, not 2"),
    "csv without end": ("boat 29,", '"boat 29,', "a quotation mark opens a cell on line 31 and none closes it"),
    "csv in another encoding": ("ship 7\n", "sh\udcefp 7\n", "the row on line 9 is not UTF-8"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_stops_the_reading_is_told_by_file_and_line(tmp_path: Path, case: str) -> None:
    before, after, sentence = UNREADABLE[case]
    files = csv_files(tmp_path, pairs(100), pairs(0), pairs(200))
    files[1].write_bytes(files[1].read_text().replace(before, after, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(KitError, match=rf"reading stopped after 0 rows of train-1\.csv \({sentence}\): repair it"):
        elements_of(load_stream("mine", path=files))


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    files = [tmp_path / folder / "train.jsonl" for folder in ("north", "south")]
    for file, text in zip(files, ('"a boat"', "null")):
        file.parent.mkdir()
        file.write_text(f'{{"sentence": {text}}}\n')
    with pytest.raises(KitError, match=r"line 1 of .*south.train\.jsonl has None"):
        elements_of(load_stream("mine", path=files))


@pytest.mark.parametrize("empty", ["", "\n\n"])
def test_an_empty_csv_is_left_out_with_a_word_and_the_others_stay_text(tmp_path: Path, empty: str) -> None:
    files = csv_files(tmp_path, "boat,2019\nship,2020\n", "", "boat,true\n")
    files[1].write_text(empty)
    with pytest.warns(KitWarning, match=r"left out as empty, without even a header: .*train-1\.csv\.$"):
        stream = load_stream("mine", path=files)
    assert stream.shards.count == 2
    assert sorted(text for group in elements_of(stream) for text in group.hypotheses) == ["2019", "2020", "true"]
    with pytest.raises(KitError, match=r"train-1\.csv should be a csv file with rows, but is empty"):
        load_stream("mine", path=files[1])


def test_columns_in_another_order_stay_text_and_others_are_told_at_once(tmp_path: Path) -> None:
    files = csv_files(tmp_path, "boat,2019\n", "")
    files[1].write_text("positive,anchor\n2020,ship\n")
    groups = elements_of(load_stream("mine", path=files))
    assert sorted((group.anchor, *group.hypotheses) for group in groups) == [("boat", "2019"), ("ship", "2020")]
    files[1].write_text("anchor,positive,negative\nship,2020,boat\n")
    with pytest.raises(KitError, match=r"train-0\.csv has anchor, positive and .*train-1\.csv anchor, positive, neg"):
        load_stream("mine", path=files)
    for file, more in zip(files, ("", ",note")):
        file.write_text(f"premise,hypothesis,label{more}\nboat,{file.stem},0{more}\n")
    [group] = elements_of(load_stream("mine", path=files))
    assert group.hypotheses == ("train-0", "train-1"), "what stands beside the columns of NLI is not read"
