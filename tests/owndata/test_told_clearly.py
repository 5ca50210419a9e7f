"""What a table may hold that was misread without a word, or stopped with another error than the kit's own."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kit.errors import KitError
from kit.owndata import OwnValidation, column_roles, look, read, split, suggest

PAIRS = [(f"How do I do {i}?", f"So you do {i}.") for i in range(20)]


def write(file: Path, *lines: str) -> str:
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return str(file)


@pytest.mark.parametrize("gap", [float("nan"), np.float64("nan"), None])
@pytest.mark.parametrize("several", [lambda gap: ["So.", gap], lambda gap: np.array(["So.", gap], dtype=object)])
def test_a_gap_in_a_list_is_no_text(several, gap) -> None:
    rows = [{"anchor": question, "positive": ["So.", "And so."]} for question, _ in PAIRS]
    rows[3]["positive"] = several(gap)
    assert read(rows)["positives"][2:4] == [("So.", "And so."), ("So.",)]
    rows[3]["positive"] = several(gap)[1:]
    with pytest.raises(KitError, match="row 4 has nothing"):
        read(rows)
    assert len(read(rows, leave_out=True)) == 19


def test_a_text_longer_than_memory_bears_is_told_and_can_be_left_out(tmp_path: Path) -> None:
    """Its word pieces and words take a hundred times its bytes: 6 GB of a cell of 50 MB."""
    rows = [*PAIRS, ("word " * 2_000_001, "So you do it.")]
    with pytest.raises(KitError, match=r"1 of 21 .*row 21 has 10,000,005 characters, more than 10,000,000, as anchor"):
        read(rows)
    assert len(read(rows, leave_out=True)) == 20
    texts = [f"{'word ' * 200_000}{i}" for i in range(4)]  # of a megabyte each
    file = write(tmp_path / "long.csv", "question,answer", *(f"{text},short {i}" for i, text in enumerate(texts)))
    assert read(file)["anchor"] == texts


def test_a_parquet_file_of_copies_is_refused_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "copies.parquet"
    one = pa.DictionaryArray.from_arrays(pa.array(np.zeros(16_000_000, dtype=np.int32)), ["How do I do it?"])
    pq.write_table(pa.table({"question": one, "answer": one}), file)
    with monkeypatch.context() as changed, pytest.raises(KitError, match="hold 16,000,000 rows of 2 columns: nearly"):
        changed.setattr(pq.ParquetFile, "read", lambda *_, **__: pytest.fail("it was read"))
        read(file)
    pq.write_table(pa.table(dict(zip(("question", "answer"), zip(*PAIRS)))), file)
    assert len(read(file)) == 20


def test_a_million_columns_are_told_in_a_short_sentence_and_those_that_are_named_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"c{i}" for i in range(30_000)]
    lines = [",".join(names), *(",".join([f"How do I do {i}?", f"So you do {i}.", *["x"] * 29_998]) for i in range(3))]
    file = write(tmp_path / "wide.csv", *lines)
    few = ", ".join(names[:20])
    with monkeypatch.context() as changed:
        changed.setattr(column_roles, "is_text", lambda values: pytest.fail("every column was looked at"))
        with pytest.raises(KitError, match=f"which columns of wide.csv are texts, as it has {few}, 29,980 more: name"):
            read(file)
    assert read(file, anchor="c0", positive="c1")["anchor"][0] == "How do I do 0?"
    with pytest.raises(KitError, match=f"cannot tell which of its columns .{few}, 10 more. they are"):
        read([dict.fromkeys(names[:30], f"So you do {i}.") for i in range(9)])


def test_a_number_that_python_has_no_type_for_is_told() -> None:
    rows = [{"sentence1": q, "sentence2": a, "score": np.longdouble(i / 20)} for i, (q, a) in enumerate(PAIRS)]
    with pytest.raises(KitError, match="expected a score as a number"):
        read(rows)


def test_a_placeholder_in_a_list_is_told() -> None:
    rows = [{"anchor": question, "positive": [answer, "N/A"]} for question, answer in PAIRS]
    assert "N/A" in " ".join(read(rows).notes)


def test_a_dash_in_place_of_a_text_is_told() -> None:
    rows = [{"anchor": q, "positive": a, "negative": "-" if i < 3 else f"not {i}"} for i, (q, a) in enumerate(PAIRS)]
    assert "3 cells hold '-', and count as a text: leave a cell empty that has none." in read(rows).summary()


def test_keys_that_are_no_strings_keep_their_values() -> None:
    records = [dict(enumerate(pair)) for pair in PAIRS]
    assert read(records, anchor="0", positive="1")["positive"] == [answer for _, answer in PAIRS]
    inner = [{"pair": {0: question, 1: answer}} for question, answer in PAIRS]
    assert read(inner, anchor="0", positive="1")["anchor"] == [question for question, _ in PAIRS]
    with pytest.raises(KitError, match="'0' occurs again|once"):
        read([{0: "a", "0": "b", "1": "c"}])


@pytest.mark.parametrize("values", [("en", "de"), (1, 2, 3)])
def test_a_guess_at_a_column_without_a_name_is_told(values) -> None:
    rows = [(*pair, values[i % len(values)]) for i, pair in enumerate(PAIRS)]
    data = read(rows)
    assert data.kind in ("labelled", "scored") and "column 3" in " ".join(data.notes)
    plain = read([(*pair, i % 2) for i, pair in enumerate(PAIRS)])
    assert plain.kind == "labelled" and not plain.notes, "0 and 1 beside two texts need no word"


@pytest.mark.parametrize("header", [("question", "answer"), ("Question", "Answer")])
def test_a_header_among_rows_of_a_list_is_told(header) -> None:
    assert "reads like the names of its columns" in " ".join(read([header, *PAIRS]).notes)
    assert not read(PAIRS).notes


def test_semicolons_in_sentences_part_no_cells(tmp_path: Path) -> None:
    data = read(write(tmp_path / "a.txt", "It rains; it pours.", "It snows; it is cold.", "It is late; we go."))
    assert data.kind == "sentences" and len(data) == 3
    assert read(write(tmp_path / "one.txt", "A | B")).kind == "sentences"
    cells = read(write(tmp_path / "b.txt", "question;answer", *map(";".join, PAIRS)))
    assert cells.kind == "pairs" and len(cells) == 20


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(KitError, match="expected positive as the name of a column"):
        read(PAIRS, positive=[["answer"]])


def test_a_column_called_nothing_is_a_column() -> None:
    rows = [{"question": question, "": answer} for question, answer in PAIRS]
    assert read(rows, "multiples", anchor="question", positive="")["positives"][0] == (PAIRS[0][1],)


def test_a_date_that_python_lacks_is_an_error_of_the_file(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    late = pa.array([4_102_444_800_000] * 20, pa.timestamp("s"))  # milliseconds, said to be seconds
    question, answer = zip(*PAIRS)
    table = pa.table({"question": question, "answer": answer, "at": late})
    pq.write_table(table, tmp_path / "late.parquet")
    with pytest.raises(KitError, match="leave their column out"):
        read(table)
    with pytest.raises(KitError, match="cannot be read"):
        read(tmp_path / "late.parquet")


def test_a_part_or_finding_that_is_none_is_told() -> None:
    data = read(PAIRS)
    with pytest.raises(KitError, match="part"):
        split(data, by=("anchor",))["dev"]
    with pytest.raises(KitError, match="finding"):
        look(data, progress=False)["foo"]


def test_no_rows_are_told() -> None:
    none = read(PAIRS).take([])
    with pytest.raises(KitError, match="rows to validate on"):
        OwnValidation(none)
    labelled = read([{"sentence1": q, "sentence2": a, "label": i % 2} for i, (q, a) in enumerate(PAIRS)])
    assert "0 rows are few" in str(suggest(labelled.take([])))


def test_one_row_is_told_as_one() -> None:
    data = read(PAIRS)
    assert read(PAIRS[:1]).summary().startswith("the list: 1 pair: ")
    assert data.take([0]).summary().startswith("1 row of the list: ") and repr(data.take([0])).endswith(": 1 pair)")
    assert "1 row is few: start" in str(suggest(data.take([0])))


def test_a_group_that_holds_all_rows_together_is_named() -> None:
    rows = [{"question": q, "answer": a, "group": "1"} for q, a in [*PAIRS, PAIRS[7]]]
    with pytest.raises(KitError, match=r"21 of them in the group '1'\): read them with another column"):
        split(read(rows, group="group"))


@pytest.mark.parametrize("score", ["nan", "inf"])
def test_a_score_that_is_not_finite_is_left_out_where_that_is_asked_for(tmp_path: Path, score: str) -> None:
    rows = [f"{q},{a},{i / 20}" for i, (q, a) in enumerate(PAIRS)]
    file = write(tmp_path / "a.csv", "sentence1,sentence2,score", *rows, f"One.,Two.,{score}")
    assert len(read(file, leave_out=True)) == 20
    with pytest.raises(KitError, match="leave_out=True"):
        read(file)


def test_what_is_missing_is_named_and_not_what_was_said() -> None:
    rows = [{"question": q, "answer": a} for q, a in PAIRS]
    with pytest.raises(KitError, match=r"name the negative\.$"):
        read(rows, "triplets", anchor="question", positive="answer")


def test_rows_that_are_all_broken_are_told_as_broken(tmp_path: Path) -> None:
    file = write(tmp_path / "wide.csv", "Frage,Antwort", *(f"{q},{a},x" for q, a in PAIRS))
    for leave_out in (False, True):
        with pytest.raises(KitError, match="none of 20 can: line 2 has 3 cells"):
            read(file, leave_out=leave_out)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("premise", "hypothesis", "label"), {"anchor": "premise"}),
        (("query", "document", "score"), {"sentence1": "query"}),
        (("question1", "question2", "is_duplicate"), {"anchor": "question1"}),
    ],
)
def test_one_side_that_is_named_is_enough(names, said) -> None:
    values = [i % 2 if names[2] != "score" else i / 20 for i in range(20)]
    rows = [dict(zip(names, (*pair, value))) for pair, value in zip(PAIRS, values)]
    by_itself, named = read(rows), read(rows, **said)
    assert named.kind == by_itself.kind and named.columns == by_itself.columns


def test_a_mark_before_other_encodings_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    rows = "\n".join(f"{q},Größe {i}" for i, (q, _) in enumerate(PAIRS))
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfquestion,answer\n" + rows.encode("cp1252"))
    assert read(tmp_path / "a.csv", anchor="question")["positive"][3] == "Größe 3"


def test_a_summary_is_one_line_whatever_the_names() -> None:
    rows = [{"question\n(de)": q, "answer": a} for q, a in PAIRS]
    assert "\n" not in read(rows, anchor="question\n(de)", positive="answer").read_as


def test_a_column_without_a_name_is_the_same_to_excel(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [(" Frage ", "Antwort", None), *((q, a, "abc"[i % 3]) for i, (q, a) in enumerate(PAIRS))]:
        book.active.append(row)
    book.create_sheet("Final")
    book.save(tmp_path / "a.xlsx")
    lines = ["Frage,Antwort,", *(f"{q},{a},{'abc'[i % 3]}" for i, (q, a) in enumerate(PAIRS))]
    of_excel, of_csv = read(tmp_path / "a.xlsx"), read(write(tmp_path / "a.csv", *lines))
    assert of_excel.kind == of_csv.kind and of_excel.roles == of_csv.roles and of_excel.columns == of_csv.columns


def test_a_blank_first_row_of_excel_names_no_column(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [(None, " "), ("question", "answer"), *PAIRS]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    said = read(tmp_path / "a.xlsx").summary()
    assert "names none of 2 columns: if it is blank or a title above the table, delete it" in said


def test_spellings_of_not_a_number_are_no_class() -> None:
    said = ["yes", "no", "NAN", "nan", "NaN"] * 4
    data = read([{"sentence1": q, "sentence2": a, "label": said[i]} for i, (q, a) in enumerate(PAIRS)])
    assert data.label_names == ("no", "yes")


@pytest.mark.parametrize("word", ["N/A", "#N/A", "<NA>", "n/a"])
def test_a_word_for_no_value_is_no_class(word: str) -> None:
    labels = ["yes", "no", word, "yes"] * 5
    data = read([{"a": q, "b": a, "label": label} for (q, a), label in zip(PAIRS, labels)], kind="labelled")
    assert data.label_names == ("no", "yes") and data["label"][:4] == [1, 0, -1, 1]
    assert "5 rows (−1) have no label" in data.summary()


@pytest.mark.parametrize("kind", ["pairs", "triplets", "labelled", "scored"])
def test_several_positives_where_one_is_asked_for_are_told(kind: str) -> None:
    rows = [{"q": q, "a1": a, "a2": f"Or {a}", "n": f"No {a}"} for q, a in PAIRS]
    with pytest.raises(KitError, match=f"expected one positive for {kind} in .*, got a1, a2: name one of them, or"):
        read(rows, kind=kind, anchor="q", positive=["a1", "a2"])
    assert read(rows, kind="multiples", anchor="q", positive=["a1", "a2"]).kind == "multiples"


def test_a_role_that_data_of_the_kind_have_no_place_for_is_refused() -> None:
    tickets = [{"ticket": f"my order {i} is lost", "category": ("billing", "shipping")[i % 2]} for i in range(12)]
    assert read(tickets).kind == "sentences", "a column that nobody named is only not used"
    assert read(tickets, label="category").kind == "classes"
    with pytest.raises(KitError, match=r"beside a label, got one \(ticket\): read them as kind='classes'"):
        read(tickets, "sentences", label="category")
    (remark,) = suggest(read(tickets)).remarks
    assert "give each text a class (kind='classes', --kind classes)" in remark
    rows = [{"a": f"what is {i}", "b": f"it is {i}", "c": f"no {i}", "d": i % 2} for i in range(4)]
    with pytest.raises(KitError, match="sentence1, sentence2, label for labelled .* got negative too, which has no"):
        read(rows, anchor="a", positive="b", negative="c", label="d")


def test_scores_in_words_are_told_how_to_become_numbers() -> None:
    rows = [{"s1": q, "s2": a, "similarity": ("low", "Medium", "high")[i % 3]} for i, (q, a) in enumerate(PAIRS)]
    for leave_out in (False, True):
        with pytest.raises(KitError, match=r"write numbers for the words \(high, low, medium\) in the order"):
            read(rows, leave_out=leave_out)
    with pytest.raises(KitError, match="if degrees, write them as numbers and name the column by score"):
        OwnValidation(read(rows, label="similarity"))
    for row, score in zip(rows, range(20)):
        row["similarity"] = "high" if score == 4 else score / 4
    with pytest.raises(KitError, match="row 5 has 'high': correct it, or leave"):
        read(rows)
    for gap in ("?", "tbd", "4/5", "high"):
        with pytest.raises(KitError, match=f"number, but .* '{re.escape(gap)}' and the like: correct it"):
            read([{**row, "similarity": gap} for row in rows], score="similarity")
