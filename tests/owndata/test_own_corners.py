"""Files as people have them: Excel's hints and words, classes in two spellings, numbers that are too long."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from kit.errors import KitError, UnknownName
from kit.owndata import read, split, suggest, training_data
from kit.training import recipe

PAIRS = [(f"How do I do {i}?", f"So you do {i}.") for i in range(12)]


def write(file: Path, *lines: str, encoding: str = "utf-8") -> str:
    file.write_text("\n".join(lines) + "\n", encoding)
    return str(file)


def test_excels_hint_of_the_separator_is_no_row(tmp_path: Path) -> None:
    rows = [f"{question};{answer}" for question, answer in PAIRS]
    data = read(write(tmp_path / "sep.csv", "sep=;", "question;answer", *rows))
    assert len(data) == 12 and data.roles == {"anchor": "question", "positive": "answer"} and data.numbers[0] == 3


def test_excels_hint_alone_is_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="it names a separator and has none"):
        read(write(tmp_path / "sep.csv", "sep=;"))


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    rows = [f"{question},{answer}" for question, answer in PAIRS]
    file = write(tmp_path / "bom.csv", "question,answer", *rows, encoding="utf-8-sig")
    assert read(file, encoding="utf-8", anchor="question").roles["anchor"] == "question"


def test_rows_inside_a_cell_are_pointed_at(tmp_path: Path) -> None:
    """A quotation mark too many takes the rows up to the next one into its cell, and nothing breaks."""
    rows = [f"{question},{answer}" for question, answer in PAIRS]
    swallowing = [*rows[:4], f'"{rows[4]}', *rows[5:7], f'{PAIRS[7][0]}",{PAIRS[7][1]}', *rows[8:]]
    data = read(write(tmp_path / "stray.csv", "question,answer", *swallowing))
    assert len(data) == 9 and "A cell on line 6 goes on over lines that look like rows" in data.summary()
    over_lines = [*rows[:4], '"A question\nof two lines",An answer.', *rows[5:]]
    assert "look like rows" not in read(write(tmp_path / "own.csv", "question,answer", *over_lines)).summary()


def test_two_spellings_are_one_class_and_which_means_the_same_is_said() -> None:
    said = ["Yes", "No", "yes", "no"] * 3
    data = read([{"sentence1": f"text {i}", "sentence2": f"other {i}", "label": label} for i, label in enumerate(said)])
    assert data.label_names == ("No", "Yes") and "Yes means the same" in data.summary()
    numbers = read([{"sentence1": f"text {i}", "sentence2": f"other {i}", "label": 1 + i % 2} for i in range(12)])
    assert numbers.positive_label is None and "means the same" not in numbers.summary()


def test_a_class_that_may_be_another_one_misspelt_is_told() -> None:
    def said(*labels: str) -> str:
        rows = [{"sentence1": f"a {i}", "sentence2": f"b {i}", "label": label} for i, label in enumerate(labels)]
        return read(rows).summary()

    assert (
        "careful: yess (1 row) and yes are two classes, and of the two yes alone means the same: if they are one"
        in (said(*["yes", "no"] * 20, "yess"))
    )
    assert "careful: not_duplicate (20 rows) and not duplicate are two classes: if" in (
        said(*["duplicate", "not duplicate", "not_duplicate"] * 20)
    )
    assert "entailmnt (2 rows) and entailment are two classes, and of the two" in (
        said(*["entailment", "neutral", "contradiction"] * 10, *["entailmnt"] * 2, *["entailment"] * 10)
    )
    for labels in (["related"] * 40 + ["unrelated"], ["topic 1", "topic 2"] * 10 + ["topic 11"], [1, 2] * 20 + [11]):
        assert "careful" not in said(*labels), labels


def test_rows_without_a_label_are_counted() -> None:
    rows = [{"s1": f"a {i}", "s2": f"b {i}", "label": i % 3 - 1} for i in range(30)]
    assert "1 means the same; 10 rows (−1) have no label." in read(rows).summary()
    assert "have no label" not in read([row for row in rows if row["label"] >= 0]).summary()


def test_fully_labelled_rows_are_not_called_few() -> None:
    topics = [{"sentence1": f"text {i}", "sentence2": f"other {i}", "label": f"topic {i % 3}"} for i in range(12)]
    assert "many without a label" not in str(suggest(read(topics))[0])
    one_gap = [*topics, topics[0] | {"sentence2": "another", "label": ""}]
    assert "many without a label" not in str(suggest(read(one_gap))[0])
    half = [row | {"label": ""} if i % 2 else row for i, row in enumerate(topics)]
    assert "many without a label" in str(suggest(read(half))[0])


@pytest.mark.parametrize("column", ["price", "Year", "votes"])
def test_a_number_about_a_row_is_no_similarity_of_its_texts(column: str) -> None:
    rows = [{"name": f"text {i}", "details": f"other {i}", column: 1.5 + i % 7} for i in range(12)]
    assert read(rows).kind == "pairs"
    assert read(rows, score=column).kind == "scored", "unless somebody says so"


def test_scores_from_one_name_the_option_for_a_scale_that_begins_there() -> None:
    rows = [{"s1": f"a {i}", "s2": f"b {i}", "score": 1 + i % 5} for i in range(20)]
    said = read(rows).summary()
    assert "scores 1 to 5 read on a scale of 0 to 5; if the scale begins at 1" in said and "--score-range 1 5)" in said
    assert min(read(rows, score_range=(1, 5))["score"]) == 0
    assert "begins at 1" not in read(rows, score_range=(1, 5)).summary()
    for lowest in (0, 2):
        others = [row | {"score": lowest + i % 3} for i, row in enumerate(rows)]
        assert "begins at 1" not in read(others).summary()


@pytest.mark.parametrize("words", [("y", "n"), ("ja", "nein"), ("Relevant", "irrelevant"), ("oui", "non")])
def test_more_words_for_yes_mean_the_same(words: tuple[str, str]) -> None:
    rows = [{"s1": f"a {i}", "s2": f"b {i}", "label": words[i % 2]} for i in range(20)]
    assert f"{words[0]} means the same" in read(rows).summary()


def test_a_part_says_how_many_rows_it_has() -> None:
    part = split(read(PAIRS), seed=0)["train"]
    assert part.summary().startswith(f"{len(part)} rows of ")


def test_a_number_of_too_many_digits_is_told_with_its_line(tmp_path: Path) -> None:
    rows = [json.dumps({"sentence1": f"text {i}", "sentence2": f"other {i}", "score": i % 5}) for i in range(6)]
    huge = '{"sentence1": "x", "sentence2": "y", "score": ' + "9" * 5_000 + "}"
    with pytest.raises(KitError, match="too many digits"):
        read(write(tmp_path / "huge.jsonl", *rows, huge))


@pytest.mark.parametrize("levels", [600, 900, 100_000])
def test_a_value_nested_too_deeply_is_told_with_its_line(tmp_path: Path, levels: int) -> None:
    """The second row is sound: json reads nearly as many levels as Python has, and what walks through them does not."""
    nested = '{"question": "a b", "answer": ' + "[" * levels + "]" * levels + "}"
    sound = [json.dumps({"question": q, "answer": a}) for q, a in PAIRS]
    with pytest.raises(KitError, match=r"1 of 7 cannot.*line 1 is not JSON \(is nested too deeply\)"):
        read(write(tmp_path / "deep.jsonl", nested, *sound[:6]))
    with pytest.raises(KitError, match=r"one JSON object a line .* line 1 is not JSON \(is nested too deeply\)"):
        read(write(tmp_path / "alone.jsonl", nested))
    with pytest.raises(KitError, match=r"as a list of rows, but it is nested too deeply"):
        read(write(tmp_path / "deep.json", f"[{nested}]"))


def test_a_list_nested_too_deeply_is_told() -> None:
    deep: list = []
    for _ in range(2_000):
        deep = [deep]
    with pytest.raises(KitError, match="but a value is nested too deeply: leave it out"):
        read([{"question": "a b", "answer": deep}])


def test_excel_keeps_the_word_na(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"question": [q for q, _ in PAIRS], "answer": ["NA", "None", *(a for _, a in PAIRS[2:])]})
    frame.to_excel(tmp_path / "na.xlsx", index=False)
    assert read(str(tmp_path / "na.xlsx"))["positive"][:2] == ["NA", "None"]


def test_the_role_that_is_wanted_is_the_one_that_is_named() -> None:
    rows = [{"first thing": f"a {i}", "second thing": f"b {i}", "third": f"c {i}"} for i in range(6)]
    with pytest.raises(KitError, match=r"expected text for sentences .*: name them, such as text='first thing'\.$"):
        read(rows, kind="sentences")
    with pytest.raises(KitError, match="such as anchor='first thing', positive='second thing'"):
        read(rows, kind="pairs")
    with pytest.raises(KitError, match="first thing is the sentence1, so name the sentence2, such as sentence2='sec"):
        read(rows, sentence1="first thing")


def test_the_sheets_that_are_not_read_are_named(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    file = tmp_path / "book.xlsx"
    with pd.ExcelWriter(file) as book:
        for name, count in (("Draft", 4), ("Final", 6)):
            frame = pd.DataFrame([{"question": f"{name} {i}", "answer": f"so {i}"} for i in range(count)])
            frame.to_excel(book, sheet_name=name, index=False)
    first, final = read(str(file)), read(str(file), sheet="Final")
    assert len(first) == 4 and "Of 2 sheets Draft was read, not Final: name one by sheet (--sheet)." in first.summary()
    assert len(final) == 6 and "sheets" not in final.summary()


def test_a_first_row_that_reads_like_a_text_is_doubted(tmp_path: Path) -> None:
    rows = [f"how do I bake loaf number {i},with yeast of kind {i}" for i in range(5)]
    file = write(tmp_path / "bare.csv", *rows)
    assert "the names of the columns, one of them 'how do I bake loaf number 0': if it is a row" in read(file).summary()
    without = read(file, header=False)
    assert len(without) == 5 and "names of the columns" not in without.summary()
    assert "names of the columns" not in read(write(tmp_path / "named.csv", "question,answer", *rows)).summary()


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (("prompt", "response"), {"anchor": "prompt", "positive": "response"}),
        (("query", "doc"), {"anchor": "query", "positive": "doc"}),
        (("instruction", "output"), {"anchor": "instruction", "positive": "output"}),
    ],
)
def test_one_side_that_is_known_by_name_tells_the_other(columns: tuple, roles: dict) -> None:
    data = read([dict(zip(columns, pair)) for pair in PAIRS])
    assert data.kind == "pairs" and data.roles == roles


def test_a_column_of_classes_is_no_other_side() -> None:
    with pytest.raises(KitError, match="cannot tell which of its columns"):
        read([{"topic": "ab"[i % 2], "answer": answer, "tone": "xy"[i % 2]} for i, (_, answer) in enumerate(PAIRS)])


def test_decimals_are_numbers() -> None:
    rows = [{"sentence1": a, "sentence2": b, "score": Decimal(i % 6)} for i, (a, b) in enumerate(PAIRS)]
    assert read(rows).columns["score"][:3] == [0, 0.2, 0.4]


def test_two_columns_of_one_name_in_excel_lose_none(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("text", "text", None, None), *((a, b, None, None) for a, b in PAIRS)):
        book.active.append(row)
    book.save(tmp_path / "twice.xlsx")
    with pytest.raises(KitError, match="every column of twice.xlsx once, but 'text' occurs again"):
        read(tmp_path / "twice.xlsx")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("owner/Name-2.5", "the data set owner/Name-2.5, but nothing has it"),
        ("owner/my.csv", "a file at owner/my.csv, but"),
        ("here/data.csw", "a file at here/data.csw, but there is none: did you mean data.csv"),
    ],
)
def test_a_dot_does_not_make_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "here").mkdir()
    write(tmp_path / "here" / "data.csv", "question,answer", "a,b")
    with pytest.raises(KitError, match=said):
        read(name)


def test_two_of_three_classes_are_not_offered_what_needs_all() -> None:
    labels = ("entailment", "contradiction")
    data = read([{"premise": a, "hypothesis": b, "label": labels[i % 2]} for i, (a, b) in enumerate(PAIRS)])
    assert "pause" not in {advice.recipe for advice in suggest(data)}
    with pytest.raises(KitError, match="none of them neutral, cannot fill"):
        training_data(data, recipe("pause"))


def test_what_is_odd_about_a_file_is_told_beside_an_error_about_its_columns(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [(f"Part {i % 4}", f"Where is {i}?", f"Here is {i}.") for i in range(12)]
    for row in [("Our questions",), ("Part", "Question", "Answer"), *rows, ("Part 0", "Where is it?", "=C3")]:
        book.active.append(row)
    book.create_sheet("Clean")
    book.save(tmp_path / "title.xlsx")
    sheets, title = "Of 2 sheets Sheet was read, not Clean", "names 1 of 3 columns: if it is a title above the table"
    for told, columns in (
        ("cannot tell which", {}),
        ("unknown column", {"anchor": "Question"}),
        ("a formula that was never computed counts", {"anchor": "column 2", "positive": "column 3"}),
    ):
        with pytest.raises(KitError, match=f"{told}.*{sheets}.*{title}") as error:
            read(tmp_path / "title.xlsx", **columns)
        assert isinstance(error.value, UnknownName) == (told == "unknown column")
