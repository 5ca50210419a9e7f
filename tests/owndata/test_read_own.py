"""Data of one's own, read: every source alike, every kind told by its columns, every bad input in one sentence."""

from __future__ import annotations

import errno
import json
import os
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from kit.data import Source, Table, load
from kit.errors import KitError
from kit.owndata import read, suggest
from kit.owndata.raw_rows import these
from kit.owndata.training_data import is_nli
from kit.retrieval import MinedNegatives
from kit.retrieval.hard_negatives import MinedTriplet

PAIRS = [("Where is it?", "On the table."), ("Who knows?", "Nobody; or all."), ("What?", 'A "thing".')]
RECORDS = [{"question": q, "answer": a} for q, a in PAIRS]
CSV = 'question,answer\nWhere is it?,On the table.\nWho knows?,Nobody; or all.\nWhat?,"A ""thing""."\n'


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.slow  # pandas, polars and datasets take seconds to import
def test_every_source_gives_the_same_rows(tmp_path: Path) -> None:
    import datasets
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame = pd.DataFrame(RECORDS)
    frame.to_parquet(tmp_path / "mine.parquet")
    frame.to_excel(tmp_path / "mine.xlsx", index=False)
    lines = "\n".join(json.dumps(record) for record in RECORDS)
    sources = {
        "csv": file(tmp_path, "mine.csv", CSV),
        "BOM and Windows line ends": file(tmp_path, "bom.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()),
        "UTF-16": file(tmp_path, "utf16.csv", CSV.encode("utf-16")),
        "semicolons": file(tmp_path, "s.csv", CSV.replace(",", ";").replace("Nobody; or all.", '"Nobody; or all."')),
        "tsv": file(tmp_path, "mine.tsv", "question\tanswer\n" + "".join(f'{q}\t{a}\n' for q, a in PAIRS)),
        "json": file(tmp_path, "mine.json", json.dumps(RECORDS)),
        "json of columns": file(tmp_path, "c.json", json.dumps({"question": [q for q, _ in PAIRS],
                                                                "answer": [a for _, a in PAIRS]})),
        "json within an object": file(tmp_path, "d.json", json.dumps({"version": "1", "data": RECORDS})),
        "json lines": file(tmp_path, "mine.jsonl", lines + "\n\n"),
        "json lines under another name": file(tmp_path, "lines.json", lines),
        "parquet": tmp_path / "mine.parquet",
        "excel": tmp_path / "mine.xlsx",
        "pandas": frame,
        "polars": pl.DataFrame(RECORDS),
        "pyarrow": pa.Table.from_pylist(RECORDS),
        "datasets": datasets.Dataset.from_list(RECORDS),
        "a dict of data sets": datasets.DatasetDict({"train": datasets.Dataset.from_list(RECORDS)}),
        "dicts": RECORDS,
        "tuples": PAIRS,
        "a dict of lists": {"question": [q for q, _ in PAIRS], "answer": [a for _, a in PAIRS]},
        "a generator": (pair for pair in PAIRS),
        "a string path": str(tmp_path / "mine.csv"),
    }  # fmt: skip
    for kind, source in sources.items():
        data = read(source)
        assert (data.kind, list(data.rows)) == ("pairs", PAIRS), kind
        assert "3 pairs: anchor = " in data.read_as, kind
    assert read(sources["csv"]).numbers == [2, 3, 4] == read(sources["excel"]).numbers, "as an editor numbers them"
    assert read(PAIRS).numbers == [1, 2, 3] == read(sources["json lines"]).numbers
    assert "semicolons" in read(sources["semicolons"]).summary()


def test_kinds_are_told_by_names_then_by_content(tmp_path: Path) -> None:
    for text, kind, line in (
        ("query,pos,neg\na,b,c\nd,e,f", "triplets", "anchor = query, positive = pos, negative = neg"),
        ("term,definition,source\na,b,c\nd,e,f", "pairs", "anchor = term, positive = definition; not used: source"),
        ("anchor,positive,negative_1,negative_2\na,b,c,d\ne,f,g,", "multiples", "negative = negative_1 + negative_2"),
        ("premise,hypothesis,label\na,b,entailment\nc,d,neutral\ne,f,contradiction", "labelled", "neutral → 1, contra"),
        ("question1,question2,is_duplicate\na,b,0\nc,d,1", "labelled", "0 → 0, 1 → 1"),
        ("frage,antwort,category\na b,c d,x\ne f,g h,y", "pairs", "anchor = frage, positive = antwort; not used: cat"),
        ("sentence1,sentence2,score\na,b,0\nc,d,4.5", "scored", "scores 0 to 4.5 read on a scale of 0 to 5"),
        ("s1,s2,score\na,b,-0.0\nc,d,0.5\ne,f,1.0", "scored", "scores 0 to 1 read on a scale of 0 to 1"),
        ("s1;s2;rating\na;b;0,5\nc;d;0,75", "scored", "0.5 to 0.75 read on a scale of 0 to 1"),
        ("foo,bar\nis it red?,yes it is\nwho is it?,it is me", "pairs", "anchor = foo, positive = bar"),
        ("foo,bar,baz\na1 b,c d,1.5\ne f,g h,2.5", "scored", "score = baz"),
        ("x\nsome words\nother words", "sentences", "text = x"),
        (f"title,body\nt,{'word ' * 200}\nu,{'other ' * 200}", "pairs", "anchor = title, positive = body"),
        (f"text\n{'word ' * 200}\n{'other ' * 200}", "documents", "text = text"),
        ("text,group\na,1\nb,2", "sentences", "group = group"),
        (",foo,bar\n0,a b,c d\n1,e f,g h\n2,i j,k l", "pairs", "positive = bar; not used: column 1"),
        (",foo,bar,baz\n0,a b,c d,1.5\n1,e f,g h,2\n2,i j,k l,3", "scored", "score = baz; scores 1.5 to 3"),
        ("foo;bar;baz\na b;c d;3,5\ne f;g h;4", "scored", "score = baz; scores 3.5 to 4"),
    ):
        data = read(file(tmp_path, "mine.csv", text))
        assert data.kind == kind and line in data.read_as, (text, data.read_as)
    scores = read([("a", "b", 0), ("c", "d", 5), ("e", "f", 2.5)], anchor="column 1", positive="column 2",
                  score="column 3")  # fmt: skip
    assert scores["score"] == [0, 1, 0.5] and scores.score_range == (0, 5)
    rated = read([("a", "b", 1), ("c", "d", 5)], "scored", score_range=(1, 5), sentence1="column 1",
                 sentence2="column 2", score="column 3")  # fmt: skip
    assert rated["score"] == [0, 1]
    labels = read([{"s1": one + "!", "s2": "b", "label": one} for one in ("yes", "no", "-", "yes")])
    assert labels["label"] == [1, 0, -1, 1] and labels.label_names == ("no", "yes") and labels.positive_label == 1
    gaps = read([{"s1": str(i), "s2": "b", "label": one} for i, one in enumerate(("1.0", "0.0", "", "-1.0", "1.0"))])
    assert gaps["label"] == [1, 0, -1, -1, 1] and gaps.positive_label == 1
    nli = read([{"s1": one, "s2": "b", "label": one} for one in ("entailment", "Entailment", "NEUTRAL", "-")])
    assert nli["label"] == [0, 0, 1, -1] and is_nli(nli)
    several = read([{"query": "a", "positives": ["b", "c"], "negatives": []}, {"query": "d", "positives": ["e"]}])
    assert list(several.rows) == [("a", ("b", "c"), ()), ("d", ("e",), ())]


def test_tuples_have_the_columns_of_their_kind_in_its_order() -> None:
    rows = [(f"a {i}", f"b {i}", f"c {i}") for i in range(12)]
    assert list(read(rows, "triplets").rows) == rows
    classes = [(first, second, "xy"[i % 2]) for i, (first, second, _) in enumerate(rows)]
    labelled = read(classes, "labelled")
    assert labelled["label"] == [0, 1] * 6 and labelled.roles.keys() == labelled.columns.keys()
    assert "12 labelled: sentence1 = column 1, sentence2 = column 2, label = column 3" in labelled.summary()
    assert read([(a, b, i % 6) for i, (a, b, _) in enumerate(rows)], "scored")["score"][5] == 1
    assert read([(a, [b], [c]) for a, b, c in rows], "multiples")["negatives"][0] == ("c 0",)
    with pytest.raises(KitError, match="cannot tell which"):
        read([row[::-1] for row in classes], "labelled")  # the class stands first
    with pytest.raises(KitError, match="say kind='triplets'.* or name them, such as anchor='column 1', positive='col"):
        read(rows)
    with pytest.raises(KitError, match="cannot tell which") as error:
        read([(*row, "d") for row in rows], "triplets")
    remedy = dict(re.findall(r"(\w+)='(\w+ \d)'", str(error.value)))
    assert list(read([(*row, "d") for row in rows], "triplets", **remedy).rows) == rows, "what it says to do is enough"


def test_rows_of_an_array_are_rows() -> None:
    assert list(read(np.array(PAIRS)).rows) == PAIRS == list(read([np.array(row) for row in PAIRS]).rows)


def test_mined_negatives_are_triplets_without_those_that_are_suspected() -> None:
    found = [MinedTriplet(f"a {i}", f"b {i}", f"c {i}", 0.9, 0.8, 1, suspected=i == 1) for i in range(3)]
    data = read(MinedNegatives(tuple(found), 3, {}, ()))
    assert data.kind == "triplets" and data["negative"] == ["c 0", "c 2"]
    assert "1 rows with a suspected negative left out" in data.summary()


def test_naming_the_texts_leaves_the_other_columns_to_their_names(tmp_path: Path) -> None:
    questions = file(tmp_path, "q.csv", "question1,question2,is_duplicate\na,b,0\nc,d,1")
    sides = {"sentence1": "question1", "sentence2": "question2"}
    assert read(questions, **sides)["label"] == [0, 1]
    assert read(questions, "pairs", **sides).kind == "pairs"
    rows = file(tmp_path, "n.csv", "q,a,negative,group,score\na,b,c,1,0.5\nd,e,f,2,1")
    named = {"anchor": "q", "positive": "a"}
    assert read(rows, **named).kind == "triplets", "a score beside a negative is how hard it is, or the like"
    assert read(rows, "scored", **named)["score"] == [0.5, 1] and read(rows, **named)["negative"] == ["c", "f"]
    assert read(rows, "multiples", **named)["negatives"] == [("c",), ("f",)]
    for kind in ("pairs", "scored", "triplets", "multiples"):
        assert read(rows, kind, **named)["group"] == ["1", "2"], kind
    assert list(read(rows, text="q").columns) == ["text", "group"], "texts alone have no score"
    several = [{"anchor": "a", "positive": ["b", "c"], "score": 1}, {"anchor": "d", "positive": ["e"], "score": 2}]
    assert read(several).kind == "multiples", "a score is of two texts"


def test_long_texts_are_sentences_where_the_reader_says_so() -> None:
    rows = ["word " * 200, "other " * 200]
    assert read(rows).kind == "documents" and read(rows, "sentences").kind == "sentences"
    assert read([{"body": one} for one in rows], "sentences", text="body").kind == "sentences"


def test_labels_of_nli_have_their_names_where_its_numbers_are_known() -> None:
    columns = {"premise": ["a", "b", "c", "d"], "hypothesis": ["e", "f", "g", "h"], "label": [0, 1, 2, -1]}

    def table(name: str) -> Table:
        return Table(columns, Source(name, "train", "hub", f"datasets/{name}", "0", 4))

    data = read(table("stanfordnlp/snli"))
    assert is_nli(data) and data["label"] == [0, 1, 2, -1] and suggest(data)[0].recipe == "scl"
    unknown = read(table("me/commitments"))
    assert unknown.label_names == ("0", "1", "2") and unknown.positive_label is None, "of others nobody knows them"


@pytest.mark.slow  # datasets takes seconds to import
def test_a_class_label_of_datasets_has_its_names() -> None:
    import datasets

    labels = datasets.ClassLabel(names=["not_duplicate", "duplicate"])
    features = {"text1": datasets.Value("string"), "text2": datasets.Value("string"), "label": labels}
    rows = {"text1": ["a", "b", "c"], "text2": ["d", "e", "f"], "label": [0, 1, -1]}
    data = read(datasets.Dataset.from_dict(rows, features=datasets.Features(features)))
    assert (data.label_names, data["label"]) == (("duplicate", "not_duplicate"), [1, 0, -1])
    assert data.positive_label == 0


def test_rows_that_cannot_be_used_are_counted_and_named(tmp_path: Path) -> None:
    path = file(tmp_path, "mine.csv", "question,answer\na,b\n,c\nd,e,f\ng,  \n\nh,i\n")
    with pytest.raises(KitError, match=r"3 of 5 cannot be used \(lines 3, 4 and 5: line 3 has nothing as anchor; line"):
        read(path)
    data = read(path, leave_out=True)
    assert list(data.rows) == [("a", "b"), ("h", "i")] and data.numbers == [2, 7]
    assert "3 rows left out (lines 3, 4 and 5: line 3 has nothing as anchor; line 4 has 3 cells," in data.summary()
    assert list(read([("a", "b"), (None, "c"), ("d", "e")], leave_out=True).rows) == [("a", "b"), ("d", "e")]


def test_latin_1_is_read_and_said(tmp_path: Path) -> None:
    path = file(tmp_path, "mine.csv", "question,answer\nWo?,Hier\nWas?,Größe\n".encode("latin-1"))
    data = read(path)
    assert data["positive"] == ["Hier", "Größe"] and "mine.csv is not UTF-8 (line 3)" in data.summary()
    assert read(path, encoding="latin-1").notes == ()


BAD = {  # what is wrong: (name of the file, its content, settings, what the sentence says)
    "nothing": ("a.csv", "", {}, "expected rows in .*a.csv, but it is empty"),
    "blanks": ("a.csv", " \n \n", {}, "but it is empty"),
    "a header alone": ("a.csv", "question,answer\n", {}, "got a header alone"),
    "a column twice": ("a.csv", "question,question\na,b\n", {}, "every column of .* once, but 'question' occurs again"),
    "a column that is not there": ("a.csv", CSV, {"anchor": "qestion"}, "did you mean 'question'"),
    "a column of numbers as text": ("a.csv", "a,b,c\n1,2,3\n4,5,6\n", {}, r"cannot tell which .* \(a, b, c\)"),
    "an empty column": ("a.csv", "question,answer\na,\nb,\n", {}, "2 of 2 cannot be used"),
    "an unknown role": ("a.csv", CSV, {"anker": "question"}, "unknown role of a column 'anker': did you mean 'anchor'"),
    "an unknown kind": ("a.csv", CSV, {"kind": "pair"}, "unknown kind of data 'pair': did you mean 'pairs'"),
    "another kind": ("a.csv", CSV, {"kind": "scored"}, "sentence1, sentence2, score for scored"),
    "a role that is no name": ("a.csv", CSV, {"anchor": 3}, "expected anchor as the name of a column"),
    "an open quotation": ("a.csv", 'question,answer\na,"b\nc,d\n', {}, "row on line 2 .*a quotation mark opens a cell"),
    "a torn quotation": ("a.csv", 'question,answer\n"a"b,c\n', {}, "the row on line 2 cannot be read"),
    "broken lines": ("a.csv", "question,answer\na,b\nc\nd,e,f\n", {}, "line 3 has 1 cell, not 2; line 4 has 3 cells"),
    "NUL": ("a.csv", "question,answer\na,b\0\n", {}, "line 2 holds NUL characters"),
    "UTF-16 without a mark": ("a.csv", CSV.encode("utf-16-le"), {}, "holds NUL characters.*name its encoding"),
    "another encoding": ("a.csv", CSV.encode() + b"\xff\n", {"encoding": "utf-8"}, "in utf-8, but line 5 is not"),
    "no encoding at all": ("a.csv", b"question\n\x81\x8d\xff\n", {}, "but line 2 is not: save it as UTF-8"),
    "an encoding of no file": ("a.csv", CSV, {"encoding": "undefined"}, "the name of an encoding, got 'undefined'"),
    "no such encoding": ("a.csv", CSV, {"encoding": "utf-9"}, "the name of an encoding, got 'utf-9'"),
    "a long separator": ("a.csv", CSV, {"separator": "::"}, "a separator of one character"),
    "a quotation mark as separator": ("a.csv", CSV, {"separator": '"'}, "no quotation mark and no line end, got '\"'"),
    "a line end as separator": ("a.csv", CSV, {"separator": "\n"}, "no quotation mark and no line end"),
    "scores all equal": ("a.csv", "s1,s2,score\na,b,1\nc,d,1\n", {}, "scores that differ, but all 2 are 1"),
    "a score out of range": ("a.csv", "s1,s2,score\na,b,1\nc,d,9\n", {"score_range": (0, 5)}, "line 3 lies outside"),
    "a range that is none": ("a.csv", "s1,s2,score\na,b,1\nc,d,9\n", {"score_range": (5, 0)}, "score_range as .lowest"),
    "a score that is a word": ("a.csv", "s1,s2,score\na,b,1\nc,d,high\ne,f,2", {}, "line 3 has 'high': correct"),
    "a comma of two meanings": ("a.csv", "s1;s2;score\na;b;0,125\nc;d;1,000", {}, "'1,000': write it without the"),
    "a score that is infinite": ("a.csv", "s1,s2,score\na,b,1\nc,d,inf\n", {}, "a score as a number, but line 3"),
    "no score in a row": ("a.csv", "s1,s2,score\na,b,1\nc,d,\n", {}, "1 of 2 cannot .*line 3 has no score"),
    "one class": ("a.csv", "s1,s2,label\na,b,yes\nc,d,yes\n", {}, "two classes or more, got 'yes' alone"),
    "no class": ("a.csv", "s1,s2,label\na,b,-\nc,d,\n", {}, "two classes or more, got none"),
    "anchor = positive": ("a.csv", "question,answer\na,a\nb,b\n", {}, "in all 2 rows it is the anchor's own"),
    "all rows equal": ("a.csv", "text\na\na\na\n", {}, "rows that differ in a.csv, but all 3 are 'a'"),
    "JSON cut off": ("a.json", '[{"question": "a",\n "answer"', {}, "as JSON, but line 2 is not"),
    "JSON of something else": ("a.json", '"a text"', {}, "as a list of rows, .*got a str"),
    "an empty list": ("a.json", "[]", {}, "got an empty list"),
    "rows unlike": ("a.json", '[{"text": "a"}, "b"]', {}, "but row 2 is 'b': make all rows alike"),
    "a broken JSON line": ("a.jsonl", '{"text": "a"}\n{"text": \n{"text": "c"}', {}, r"line 2 is not JSON \(Expecting"),
    "no JSON at all": ("a.jsonl", "a\nb\n", {}, r"one JSON object a line in .*, but line 1 is not JSON \(Expecting"),
    "a line that holds too much": ("a.jsonl", '{"question": ' + "9" * 5000 + "}", {}, "line 1 is not JSON .*digits"),
    "an object as text": ("a.jsonl", '{"text": "a"}\n{"text": {"b": 1}}', {}, "line 2 has a dict as text"),
    "half of a character": ("a.jsonl", '{"text": "a"}\n{"text": "b\\ud800"}', {}, "line 2 has half of a character"),
    "Parquet that is none": ("a.parquet", "PAR1", {}, "as a Parquet file, but it cannot be read"),
    "Excel that is none": ("a.xlsx", "PK", {}, "as an Excel file, but it cannot be read"),
    "an old Excel": ("a.xls", "x", {}, "got a.xls: save it as .xlsx or .csv"),
    "a picture": ("a.png", "x", {}, "expected a file .csv, .tsv"),
}  # fmt: skip


def test_a_table_of_two_columns_of_one_name_loses_none(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    twice = pa.table([["a", "b"], ["c", "d"], ["e", "f"]], names=["anchor", "positive", "positive"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    for source in (twice, tmp_path / "twice.parquet"):
        with pytest.raises(KitError, match="every column of .* once, but 'positive' occurs again"):
            read(source)


def test_parquet_of_bytes_that_are_no_text_is_told(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    no_text = pa.array([b"\xff\xfe", b"a"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": no_text}), tmp_path / "bytes.parquet")
    with pytest.raises(KitError, match="as a Parquet file, but it cannot be read .*invalid start byte"):
        read(tmp_path / "bytes.parquet")
    with pytest.raises(KitError, match="a Parquet file, but cannot be read .*invalid start byte"):
        load("stanfordnlp/snli", path=tmp_path / "bytes.parquet")


def test_a_second_column_of_texts_is_not_left_out_without_a_word(tmp_path: Path) -> None:
    path = file(
        tmp_path, "mine.csv", "".join(f"{a},{b},x\n" for a, b in [("title", "text"), ("A", "b c"), ("D", "e f")])
    )
    data = read(path.rename(tmp_path / "faq.csv"))
    assert data.kind == "sentences" and "title holds texts too: where it and text belong together" in data.summary()
    assert "name them as pairs (--kind pairs --anchor title --positive text)" in data.summary()
    assert read(tmp_path / "faq.csv", anchor="title", positive="text").kind == "pairs"
    assert "belong together" not in read(file(tmp_path, "one.csv", "id,text\n1,a b\n2,c d\n")).summary()


def test_cells_that_fill_what_is_looked_at_are_cells(tmp_path: Path) -> None:
    rows = [(f"{letter} " * 2_500, "an answer") for letter in "abcdefghijklmnopqrstuvwxyz" * 2]
    path = file(tmp_path, "long.txt", "question\tanswer\n" + "".join(f"{a}\t{b}\n" for a, b in rows))
    assert read(path).kind == "pairs" and len(read(path)) == len(rows)


def test_every_bad_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    for case, (name, content, settings, sentence) in BAD.items():
        path = file(tmp_path, name, content)
        with pytest.raises(KitError, match=sentence) as told:
            read(path, **settings)
        assert len(str(told.value)) < 420 and "\n" not in str(told.value), case
    for case, source, sentence in (
        ("no file", tmp_path / "b.csv", "expected a file at .*b.csv, but there is none: did you mean a.csv"),
        ("a folder", tmp_path, "expected one file .*, got the folder"),
        ("nothing", [], "expected rows in the list, got none"),
        ("a number", 3, "expected a file, a frame, a data set, or a list"),
        ("bytes", b"question,answer", "expected a file, a frame"),
        ("numbers", [1, 2], "but row 1 is 1: make all rows alike"),
        ("uneven tuples", [("a", "b"), ("c",)], "2 values in every row of the list, but row 2 differ"),
        ("uneven columns", {"a": ["b"], "c": []}, "columns of one length"),
        ("a name that no file can have", "a" * 5000, "expected a file or the name of a data set|there is none"),
        ("four columns of text", [("some a", "some b", "some c", "some d")] * 2, "cannot tell which of its columns"),
    ):
        with pytest.raises(KitError, match=sentence) as told:
            read(source)
        assert "\n" not in str(told.value), case


def test_txt_is_one_text_a_line_unless_each_has_a_separator(tmp_path: Path) -> None:
    data = read(file(tmp_path, "mine.txt", "The first, of three.\n\nThe second.\nA third, and, last.\n"))
    assert (data.kind, data["text"]) == ("sentences", ["The first, of three.", "The second.", "A third, and, last."])
    assert data.numbers == [1, 3, 4] and "read as one text a line, the first too" in data.summary()
    table = file(tmp_path, "table.txt", CSV.replace(",", "\t"))
    assert list(read(table).rows) == PAIRS == list(read(file(tmp_path, "commas.txt", CSV)).rows)
    for lines in ("A dog, a cat.\nA man, a hat.\n", "One; two\nOne; two; three\n", "1,000 men\n2,000 of 3,000 men\n"):
        assert read(file(tmp_path, "prose.txt", lines))["text"] == lines.splitlines()
    assert len(read(file(tmp_path, "quoted.txt", 'question,answer\n"A dog, a cat",b\nc,"d, e"\n'))) == 2
    with pytest.raises(KitError, match="line 3 has 3 cells, not 2"):
        read(file(tmp_path, "broken.txt", "question\tanswer\na\tb\nc\td\te\n"))
    short = file(tmp_path, "short.txt", "question|answer\na|b\nc\n")
    with pytest.raises(KitError, match="line 3 has 1 cell, not 2"):
        read(short, separator="|")


def test_the_separator_is_told_beside_a_long_cell(tmp_path: Path) -> None:
    data = read(file(tmp_path, "mine.csv", f"question;answer\na;{'word ' * 30_000}\nb;c\n"))
    assert data.kind == "pairs" and data["anchor"] == ["a", "b"]


def test_a_word_far_below_numbers_is_named(tmp_path: Path) -> None:
    rows = "".join(f"text {i};other {i};{i % 7}\n" for i in range(1_001))
    with pytest.raises(KitError, match="a score as a number, but line 1,003 has 'n/a'"):
        read(file(tmp_path, "mine.csv", f"foo;bar;score\n{rows}a b;c d;n/a\n"))


def test_a_cell_of_five_megabytes_is_read_whole(tmp_path: Path) -> None:
    data = read(file(tmp_path, "mine.csv", f"question,answer\na,{'word ' * 1_000_000}\nb,c\n"))
    assert len(data["positive"][0]) == 5 * 1_000_000 - 1


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_lines_may_end_in_carriage_returns_alone(tmp_path: Path, name: str) -> None:
    """And then a U+2028 within a text is no end of one."""
    texts = ["a dog runs", "a cat\u2028sleeps", "nobody sings"]
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts] if name == "a.jsonl" else texts
    path = file(tmp_path, name, "\r".join(["text", *lines] if name == "a.csv" else lines) + "\r")
    assert read(path).texts() == texts


def test_more_than_six_are_counted_or_cut() -> None:
    assert these("line", [5]) == "line 5" and these("line", [5, 7, 9]) == "lines 5, 7 and 9"
    assert these("line", range(2, 8)) == "lines 2, 3, 4, 5, 6 and 7"
    assert these("line", range(2, 1102)) == "lines 2, 3, 4, 5, 6, 7 and 1,094 more"
    for unused, end in ((6, "c4, c5."), (7, "c4, c5 ….")):
        data = read([{"question": q, "answer": a, **{f"c{i}": "x" for i in range(unused)}} for q, a in PAIRS])
        assert data.read_as.endswith(f"not used: c0, c1, c2, c3, {end}")


def test_a_file_in_a_closed_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, stat = tmp_path / "closed" / "x.csv", os.stat

    def closed(place, *given, **named):
        if str(place) == str(path):  # the tests may run as root, whom no mode stops
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(place, *given, **named)

    monkeypatch.setattr(os, "stat", closed)
    with pytest.raises(KitError, match=r"expected .*x\.csv to be open to you, but the system said 'Permission denied'"):
        read(path)


def test_a_text_is_one_in_either_normal_form() -> None:
    composed = [("Größe?", "Fünf Ärzte."), ("Où?", "À côté.")]
    taken_apart = [tuple(unicodedata.normalize("NFD", text) for text in row) for row in composed]
    assert taken_apart != composed and list(read([*composed, *taken_apart]).rows) == [*composed, *composed]
    by_speaker = [{"anchor": a, "positive": b, "group": a} for a, b in (*composed, *taken_apart)]
    assert len(set(read(by_speaker, group="group")["group"])) == 2
