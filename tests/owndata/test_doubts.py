"""Readings that may be wrong: a column is taken for what it says, and where that is open one sentence says so."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.owndata import OwnData, read

ROWS = 40
QUESTIONS = [f"Why is the {word} {i}?" for i, word in enumerate(["bottle", "train", "bird", "doctor"] * 10)]
ANSWERS = [f"Because the {word} is number {i}." for i, word in enumerate(["cat", "river", "lamp", "pen"] * 10)]


def table(**columns: list | str) -> dict[str, list]:
    """Two columns of texts under the names that are given as "a b", and the others beside them."""
    first, second = str(columns.pop("of")).split()
    return {first: QUESTIONS, second: ANSWERS, **columns}


def of(data: OwnData) -> tuple[str, dict]:
    return data.kind, data.roles


HALF = [i % 2 for i in range(ROWS)]


@pytest.mark.parametrize(
    ("sides", "column", "values", "role"),
    [
        ("question1 question2", "duplicate", HALF, "label"),
        ("sentence1 sentence2", "is_paraphrase", ["yes", "no"] * 20, "label"),
        ("sentence1 sentence2", "entailment_judgment", ["ENTAILMENT", "NEUTRAL"] * 20, "label"),
        ("query document", "relevance", [i % 4 for i in range(ROWS)], "score"),
        ("sentence1 sentence2", "gold_score", [i / 10 for i in range(ROWS)], "score"),
        ("sentence1 sentence2", "label", [i % 26 / 5 for i in range(ROWS)], "score"),
        ("Satz_A Satz_B", "Urteil", HALF, "label"),
        ("bug_1 bug_2", "duplicate", HALF, "label"),
    ],
)
def test_a_column_that_says_how_alike_two_texts_are_is_read_so(sides, column, values, role) -> None:
    data = read(table(of=sides, **{column: values}))
    assert data.roles[role] == column and data.kind == {"label": "labelled", "score": "scored"}[role]


@pytest.mark.parametrize("sides", ["question answer", "sentence1 sentence2", "Frage Antwort"])
def test_columns_that_number_the_rows_are_no_scores(sides: str) -> None:
    """A frame that was shuffled, or is some of many, has such a column; so have customers and years."""
    shuffled = random.Random(0).sample(range(ROWS), ROWS)
    for column in (
        shuffled,
        [3 * i for i in range(ROWS)],
        [1002 + 7 * i for i in range(ROWS)],
        [2019 + i % 5 for i in range(ROWS)],
    ):
        data = read(table(of=sides, stray=column))
        assert data.kind == "pairs" and not data.notes, column


@pytest.mark.parametrize(("column", "values"), [("helpful", HALF), ("quality", [i % 5 + 1 for i in range(ROWS)])])
def test_of_pairs_a_further_column_that_may_say_it_is_named(column: str, values: list) -> None:
    data = read(table(of="question answer", **{column: values}))
    role = "label" if column == "helpful" else "score"
    assert data.kind == "pairs" and f"name it (--{role} {column})" in data.summary()
    said = read(table(of="question answer", **{column: values}), **{role: column})
    assert said.roles[role] == column and "is not used" not in said.summary()
    asked = read(table(of="question answer", **{column: values}), kind="pairs")
    assert not asked.notes, "who asked for pairs has said it"


@pytest.mark.parametrize(
    "words", ["WAHR FALSCH", "VRAI FAUX", "да нет", "Evet Hayır", "相同 不同", "sí no", "はい いいえ"]
)
def test_a_label_in_another_language_is_named(words: str) -> None:
    found = [words.split()[i % 3 > 0] for i in range(ROWS)]
    data = read(table(of="source target", gleich=found))
    assert data.kind == "pairs" and "is not used: if it says how alike" in data.summary()
    said = read(table(of="source target", gleich=found), label="gleich")
    assert said.label_names[said.positive_label] == words.split()[0]


def test_topics_and_votes_beside_an_answer_are_not_how_alike_the_two_are() -> None:
    topics, votes = ["billing", "shipping"] * 20, [5 + 12 * i for i in range(ROWS)]
    for column, values, why in (
        ("label", topics, "none of its words means the same"),
        ("score", votes, "off every usual scale"),
    ):
        for roles in ({}, {"anchor": "question", "positive": "answer"}):
            data = read(table(of="question answer", **{column: values}), **roles)
            assert data.kind == "pairs" and why in data.summary() and f"--{column} {column}" in data.summary()
        assert read(table(of="question answer", **{column: values}), **{column: column}).kind != "pairs"
        assert read(table(of="sentence1 sentence2", **{column: values})).kind != "pairs", "the usual names of a task"


def test_a_column_called_a_label_in_part_is_told_with_the_reason_that_holds() -> None:
    grades = read(table(of="query product_title", esci_label=["E", "S", "C", "I"] * 10))
    assert grades.kind == "pairs" and "esci_label (C, E, I, S) is not used, as none of its words" in grades.summary()
    quality = read(table(of="question answer", quality_score=[i % 5 for i in range(ROWS)]))
    assert "quality_score (0, 1, 2, 3 …) is not used: if it says" in quality.summary()
    assert not read(table(of="question answer", page=[1 + i // 4 for i in range(ROWS)], split=["a", "b"] * 20)).notes


def test_part_of_speech_is_no_positive_where_a_definition_stands_beside_it() -> None:
    data = read({"word": QUESTIONS, "pos": ["noun", "verb"] * 20, "definition": ANSWERS})
    assert data.roles["positive"] == "definition"
    few = {"query": ["rain", "snow"] * 20, "title": QUESTIONS, "document": ANSWERS}
    assert read(few).roles["anchor"] == "query", "asked again and again"


def test_what_is_not_used_is_not_shown_as_used() -> None:
    data = read(table(of="sentence1 sentence2", label=HALF, score=[i / 10 for i in range(ROWS)]))
    assert of(data) == ("scored", {"sentence1": "sentence1", "sentence2": "sentence2", "score": "score"})
    assert "label = label" not in data.summary() and "not used: label" in data.summary()


def test_negatives_are_left_out_of_pairs_that_are_asked_for() -> None:
    triplets = [(q, a, f"no {a}") for q, a in zip(QUESTIONS, ANSWERS)]
    rows = [dict(zip(("anchor", "positive", "negative"), row)) for row in triplets]
    assert read(rows, kind="pairs").kind == "pairs" and read(rows).kind == "triplets"


def test_a_second_word_for_the_same_is_told() -> None:
    words = ["yes", "no", "1", "0"] * 10
    assert "careful: yes counts as not the same as 1" in read(table(of="s1 s2", label=words)).summary()
    assert "careful" not in read(table(of="s1 s2", label=["yes", "no"] * 20)).summary()
    grades = [i % 6 for i in range(ROWS)]
    assert "if these are degrees of likeness" in read(table(of="s1 s2", label=grades)).summary()


def test_a_placeholder_is_told_and_an_ordinary_word_is_not() -> None:
    data = read({"question": QUESTIONS, "answer": ["N/A", "NULL", *ANSWERS[2:]]})
    assert "2 cells hold 'N/A' and the like, and count as a text" in data.summary()
    assert (
        "1 cell holds 'nan', and counts as a text"
        in read({"question": QUESTIONS, "answer": ["nan", *ANSWERS[1:]]}).summary()
    )
    assert not read({"question": QUESTIONS, "answer": ["Not any.", *ANSWERS[1:]]}).notes


def test_answers_within_lists_are_positives_and_within_objects_an_error_with_a_remedy(tmp_path: Path) -> None:
    def lines(make) -> Path:
        file = tmp_path / "nested.jsonl"
        rows = [json.dumps({"question": q, "answers": make(i, a)}) for i, (q, a) in enumerate(zip(QUESTIONS, ANSWERS))]
        file.write_text("\n".join(rows), "utf-8")
        return file

    assert of(read(lines(lambda i, a: [a, a.upper()])))[0] == "multiples"
    with pytest.raises(KitError, match="write the texts in a column of their own"):
        read(lines(lambda i, a: {"text": [a]}))
    late = [
        {"question": f"{q} {i}", "answer": [a] if i > 100 else a}
        for i, (q, a) in enumerate(zip(QUESTIONS * 3, ANSWERS * 3))
    ]
    with pytest.raises(KitError, match="read several texts in a cell as kind='multiples'"):
        read(late)
    assert len(read(late, kind="multiples")) == len(late)


def test_rows_between_two_stray_quotation_marks_are_told_in_whatever_column(tmp_path: Path) -> None:
    file = tmp_path / "stray.csv"
    rows = [f"{q},{a}" for q, a in zip(QUESTIONS, ANSWERS)]
    rows[4] = f'{QUESTIONS[4]},"{ANSWERS[4]}'
    rows[11] = f'{QUESTIONS[11]},{ANSWERS[11]}"'
    file.write_text("question,answer\n" + "\n".join(rows) + "\n", "utf-8")
    data = read(file)
    assert len(data) == ROWS - 7 and "A cell on line 6 goes on over lines that look like rows" in data.summary()
    file.write_text(
        "text\n" + "\n".join(['"' * (i == 4) + t + '"' * (i == 29) for i, t in enumerate(ANSWERS)]), "utf-8"
    )
    assert "A cell on line 6 goes on" in read(file).summary()
    file.write_text('question,answer\nWhy?,"Because.\nOr so, it is said."\nWho?,Nobody\n', "utf-8")
    assert not read(file).notes, "an answer of two lines"


def test_a_first_row_that_may_be_data_a_title_or_a_header_is_told(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    for header, last in (
        ("A dog runs,A dog,0.5", [0.0, 0.5, 1.0, 0.5]),
        ("A dog,It runs,entailment", ["neutral", "entailment"] * 2),
        ("A dog,It runs fast.,x", "abcd"),
        (f"{QUESTIONS[3]},{ANSWERS[3]},x", "abcd"),
    ):
        rows = "".join(f"{q},{a},{last[i % 4]}\n" for i, (q, a) in enumerate(zip(QUESTIONS, ANSWERS)))
        file.write_text(f"{header}\n{rows}", "utf-8")
        assert "if it is a row of data, say header=False" in read(file).summary(), header
    file.write_text("FAQ,\nQ,A\n" + "".join(f"{q},{a}\n" for q, a in zip(QUESTIONS, ANSWERS)), "utf-8")
    assert "names 1 of 2 columns: if it is a title above the table" in read(file).summary()
    file.write_text("question,answer,\n" + "".join(f"{q},{a},\n" for q, a in zip(QUESTIONS, ANSWERS)), "utf-8")
    assert not read(file).notes, "a separator at the end of each line"
    file.write_text("question,answer\n" + "".join(f"{q},{a}\n" for q, a in zip(QUESTIONS, ANSWERS)), "utf-8")
    assert "reads like the names of its columns" in read(file, header=False).summary() and not read(file).notes


@pytest.mark.parametrize(
    ("name", "start", "remedy"),
    [
        ("a.csv", b"\x1f\x8b\x08\x00", "unpack it first"),
        ("a.jsonl", b"PAR1\x15\x04", "name it .parquet"),
        ("a.csv", b"PK\x03\x04\x14", "name it .xlsx"),
        ("a.tsv", b"<!DOCTYPE html>\n<html>", "download the file itself"),
        ("a.txt", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, name: str, start: bytes, remedy: str) -> None:
    file = tmp_path / name
    file.write_bytes(start)
    with pytest.raises(KitError, match=remedy):
        read(file)


def test_one_line_in_another_encoding_is_named_and_a_file_in_it_is_read(tmp_path: Path) -> None:
    file, words = tmp_path / "letters.csv", ["Größe", "Länge", "Höhe", "Breite"]
    lines = [f"{word} {i},Maß {i}" for i, word in enumerate(words * 5)]
    mixed = [line.encode("cp1252" if i == 7 else "utf-8") for i, line in enumerate(["Wort,Was", *lines])]
    file.write_bytes(b"\n".join(mixed))
    with pytest.raises(KitError, match="as its other lines are, but line 8 is not: correct it"):
        read(file)
    file.write_bytes("\n".join(["Wort,Was", *lines]).encode("cp1252"))
    assert "read as Windows-1252" in read(file).summary() and read(file)["anchor"][0] == "Größe 0"


def test_texts_with_commas_in_a_file_of_one_column_are_sent_to_txt(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text("text\nA dog runs.\nA cat, or two, sits.\nA bird sings.\n", "utf-8")
    with pytest.raises(KitError, match=r"\(line 3 has 3 cells, not 1\).*if each line is one text, name the file .txt"):
        read(file)


def test_quotation_marks_between_tabs_are_read_as_they_stand_where_they_enclose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "inches.tsv"
    rows = ["question\tanswer", 'Which screen?\t"24 inch" screen', 'Which desk?\t"a long" one', "Who?\tNobody."]
    file.write_text("\n".join(rows) + "\n", "utf-8")
    data = read(file)
    assert data["positive"][0] == '"24 inch" screen' and "were read as they stand" in data.summary()
    file.write_text("\n".join([*rows, "too\tmany\tcells"]), "utf-8")
    with pytest.raises(KitError, match="the row on line 2 cannot be read"):
        read(file)
    file.write_text('question\tanswer\nWhich?\t"a ""long"" one"\nWho?\tNobody.\n', "utf-8")
    assert read(file)["positive"][0] == 'a "long" one' and not read(file).notes


def test_scores_that_are_none_are_left_out_where_that_is_asked_for() -> None:
    table_of = {"sentence1": QUESTIONS, "sentence2": ANSWERS, "score": ["n/a", *(i / 10 for i in range(1, ROWS))]}
    with pytest.raises(KitError, match="row 1 has 'n/a': correct it, or leave such rows out"):
        read(table_of)
    data = read(table_of, leave_out=True)
    assert len(data) == ROWS - 1 and "1 row left out (row 1 has 'n/a' as score)" in data.summary()
    with pytest.raises(KitError, match="none can"):
        read({**table_of, "score": ["85 %"] * ROWS}, leave_out=True)


def test_a_folder_of_texts_is_told_how_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("It rains.", "utf-8")
    with pytest.raises(KitError, match="give read\\(\\) the list of their texts"):
        read(tmp_path)


def test_lists_and_numbers_are_no_classes_and_positives_in_lists_stay() -> None:
    lists = {"query": QUESTIONS, "positive": [[a, a.upper()] for a in ANSWERS], "answer": ["yes", "no"] * 20}
    assert read(lists).roles["positive"] == "positive"
    assert read({"question": QUESTIONS, "answer": list(range(ROWS)), "output": ANSWERS}).roles["positive"] == "answer"


def test_a_label_or_score_that_is_said_or_named_is_not_replaced_by_a_guess() -> None:
    verdicts, sources = ["SUPPORTS", "REFUTES"] * 20, ["web", "book"] * 20
    said = read(table(of="claim evidence", verdict=verdicts, source=sources), label="verdict")
    assert said.roles["label"] == "verdict"
    assert read(table(of="claim evidence", label=HALF, domain=sources)).roles["label"] == "label"
    scores = read(table(of="claim evidence", similarity=[i / ROWS for i in range(ROWS)], chapter=[1, 2, 3, 4] * 10))
    assert scores.roles["score"] == "similarity"


def test_of_topics_as_numbers_one_says_how_to_use_them_and_nan_is_no_degree() -> None:
    topics = read(table(of="question answer", target=[i % 20 for i in range(ROWS)]))
    assert topics.kind == "pairs" and "target" in topics.summary()
    values = ["0", "1", "0", "nan"] * 10
    labelled = read(table(of="sentence1 sentence2", label=values))
    assert labelled.label_names == ("0", "1") and "10 rows (−1) have no label" in labelled.summary()


def test_texts_that_may_be_hard_negatives_are_not_left_out_with_a_word_alone() -> None:
    rows = [{"query": f"red {i}", "clicked": f"a red {i}", "not_clicked": [f"blue {i}"] * (i % 3)} for i in range(12)]
    hint = "not_clicked holds texts too, and is not used: if they look right for query and are wrong, name them"
    data = read(rows)
    assert data.kind == "pairs" and f"{hint} (--negative not_clicked)." in data.summary()
    for silent in (
        read(rows, negative="not_clicked"),
        read(rows, kind="pairs"),
        read([{**row, "not_clicked": i % 2} for i, row in enumerate(rows)]),
        read([{"tags" if name == "not_clicked" else name: value for name, value in row.items()} for row in rows]),
        read([{**row, "clicked": "AB"[i % 2]} for i, row in enumerate(rows)], anchor="query", positive="clicked"),
    ):
        assert "--negative" not in silent.summary(), silent
    as_sentences = [{"sentence1": q, "sentence2": c, "sentence": n} for q, c, n in (row.values() for row in rows)]
    assert "look right for sentence1 and are wrong" in read(as_sentences).summary()
