"""Which column is what, of tables as data sets and people really have them; and that no guess goes without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.owndata import read
from kit.owndata.column_names import is_about_a_row, says_how_alike, words_of
from kit.owndata.column_values import is_prose, words_about

ROWS = 40
FIRST = [f"Why is the {word} number {i} wet?" for i, word in enumerate(["bottle", "train", "bird", "doctor"] * 10)]
SECOND = [f"Because the {word} stood {i} hours in rain." for i, word in enumerate(["cat", "lamp", "pen", "boat"] * 10)]
THIRD = [f"The {word} is {i} years old." for i, word in enumerate(["cat", "lamp", "pen", "boat"] * 10)]
HALF = [i % 2 for i in range(ROWS)]
THIRDS = [i / 10 for i in range(ROWS)]
GRADES = [(37 * i + 11) % 101 for i in range(ROWS)]  # whole numbers to 100, all different, in no order

TABLES = {  # name: (columns, kind, roles that it must have)
    "QNLI": ({"question": FIRST, "sentence": SECOND, "label": HALF}, "labelled", {"sentence1": "question"}),
    "paraphrases": ({"sentence": FIRST, "paraphrase": SECOND, "similarity": THIRDS}, "scored", {"score": "similarity"}),
    "search": ({"query": FIRST, "title": SECOND, "position": HALF}, "pairs", {"positive": "title"}),
    "mail": ({"subject": FIRST, "body": SECOND, "priority": HALF}, "pairs", {"anchor": "subject"}),
    "orders": ({"instruction": FIRST, "input": [""] * ROWS, "output": SECOND}, "pairs", {"anchor": "instruction"}),
    "preferences": ({"prompt": FIRST, "chosen": SECOND, "rejected": THIRD}, "triplets", {"negative": "rejected"}),
    "SimCSE's NLI": ({"sent0": FIRST, "sent1": SECOND, "hard_neg": THIRD}, "triplets", {"anchor": "sent0"}),
    "margins": ({"query": FIRST, "positive": SECOND, "negative": THIRD, "score": THIRDS}, "triplets", {}),
    "SimLex": ({"word1": FIRST, "word2": SECOND, "POS": ["A", "N"] * 20, "similarity": THIRDS}, "scored", {}),
    "BoolQ": ({"question": FIRST, "answer": [True, False] * 20, "passage": SECOND}, "pairs", {"positive": "passage"}),
    "flags": ({"query": FIRST, "positive": HALF, "passage": SECOND}, "pairs", {"positive": "passage"}),
    "a and b": ({"a": FIRST, "b": SECOND}, "pairs", {"anchor": "a", "positive": "b"}),
    "relevance": ({"query": FIRST, "snippet": SECOND, "relevant": ["yes", "no"] * 20}, "labelled", {}),
    "grades to 100": ({"query": FIRST, "document": SECOND, "relevance": GRADES}, "scored", {"score": "relevance"}),
    "answers": ({"question": FIRST, "answer": SECOND, "label": ["good", "bad"] * 20}, "labelled", {"label": "label"}),
    "a score in part": ({"text1": FIRST, "text2": SECOND, "sim_score": THIRDS}, "scored", {"score": "sim_score"}),
    "duplicates of": ({"summary": FIRST, "description": SECOND, "duplicate_of": GRADES}, "pairs", {}),
    "a chat": ({"user": FIRST, "assistant": SECOND}, "pairs", {"anchor": "user"}),
    "capitals": ({"country": THIRD, "capital": SECOND}, "pairs", {"anchor": "country"}),
    "a search with texts": ({"query": FIRST, "title": THIRD, "text": SECOND}, "pairs", {"positive": "text"}),
    "status": ({"name_a": FIRST, "name_b": SECOND, "match_status": HALF}, "labelled", {"label": "match_status"}),
    "meaning": ({"text1": FIRST, "text2": SECOND, "has_same_meaning": HALF}, "labelled", {}),
    "three grades": ({"query": FIRST, "document": SECOND, "relevance": [0, 1, 2, 1] * 10}, "scored", {}),
    "a judge first": ({"query": FIRST, "document": SECOND, "cosine": THIRDS, "relevant": HALF}, "labelled", {}),
    "choices": ({"question": FIRST, "choices": [[1, 2]] * ROWS, "sentence": SECOND}, "pairs", {"anchor": "question"}),
    "origins": ({"text": FIRST, "source": ["web", "app"] * 20, "target": HALF}, "sentences", {"text": "text"}),
    "numbered negatives": ({"question": FIRST, "answer": SECOND, "distractor1": THIRD}, "triplets", {}),
    "passages": ({"Frage": FIRST, "section": SECOND}, "pairs", {"positive": "section"}),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_usual_table_is_read_as_it_is_meant(name: str) -> None:
    columns, kind, roles = TABLES[name]
    data = read(columns)
    assert data.kind == kind and roles.items() <= data.roles.items(), data.summary()


@pytest.mark.parametrize("column", ["label", "rating", "score"])
@pytest.mark.parametrize("sides", ["title body", "Headline content", "headline article", "subject message"])
def test_beside_title_and_text_of_one_thing_stars_and_sentiment_are_about_the_row(column: str, sides: str) -> None:
    values = ["positive", "negative"] * 20 if column == "label" else [i % 5 + 1 for i in range(ROWS)]
    data = read({**dict(zip(sides.split(), (FIRST, SECOND))), column: values})
    assert data.kind == "pairs" and f"--{'label' if column == 'label' else 'score'} {column}" in data.summary()


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("Urteil", HALF, "labelled"),
        ("Wert", THIRDS, "scored"),
        ("geprüft", ["yes", "no"] * 20, "labelled"),
        ("Kapitel", [i % 4 + 1 for i in range(ROWS)], "pairs"),
        ("Sprache", ["de", "fr"] * 20, "pairs"),
        ("Prozent", GRADES, "pairs"),
        ("lesson", [i % 4 + 1 for i in range(ROWS)], "pairs"),
    ],
)
def test_beside_texts_of_unknown_names_no_guess_goes_without_a_word(column: str, values: list, kind: str) -> None:
    table = {"Frage": FIRST, "Antwort": SECOND, column: values}
    data = read(table)
    assert data.kind == kind, data.summary()
    said = any(column in note for note in data.notes)
    assert said or column == "lesson", "what its name says is about the row needs no word"
    assert kind == "pairs" or "(--kind pairs)" in data.notes[-1]
    assert not read(table, kind=kind).notes, "who asked for it has said it"


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("relation_type", ["entailment", "neutral", "contradiction", "neutral"] * 10),
        ("status", ["SUPPORTS", "REFUTES"] * 20),
        ("duplicate_status", ["duplicate", "not duplicate"] * 20),
        ("cosine_distance", THIRDS),
        ("not_duplicate", HALF),
        ("irrelevant", HALF),
        ("relevant", [0] * ROWS),
        ("relevance", ["x"] * 20 + [""] * 20),
        ("same_day_delivery", HALF),
        ("relevant_pages", [1, 2, 3, 7] * 10),
        ("relatedness_std", THIRDS),
    ],
)
def test_a_column_that_is_not_taken_is_named_unless_it_is_about_the_row(column: str, values: list) -> None:
    for sides in ("question answer", "sentence1 sentence2"):
        data = read({**dict(zip(sides.split(), (FIRST, SECOND))), column: values})
        assert column in data.roles.values() if data.kind == "labelled" else column in "".join(data.notes)
        assert data.kind == "pairs" or column == "duplicate_status"
    unlike = "its name says how unlike" in read({"question": FIRST, "answer": SECOND, column: values}).summary()
    assert unlike == (column in ("cosine_distance", "not_duplicate", "irrelevant"))


def test_a_row_number_before_the_texts_is_none_behind_them_may_be_a_grade() -> None:
    assert read([(1, "a b", "c d"), (2, "e f", "g h")]).kind == "pairs"
    assert "column 3" in read([("a b", "c d", 2), ("e f", "g h", 0), ("i j", "k l", 1)]).notes[0]
    assert "column 3" in read([("a b", "c d", 0), ("e f", "g h", 0), ("i j", "k l", 0)]).notes[0]
    ticked = read({"bug A": FIRST, "bug B": SECOND, "duplicate": ["x", None] * 20})
    assert ticked.kind == "pairs" and "duplicate (x) is not used" in ticked.summary()


def test_lists_of_numbers_are_no_texts_and_what_a_note_says_works_as_it_stands() -> None:
    assert not read({"text": FIRST, "labels": [[0, 1, 0]] * ROWS, "embedding": [[0.1, 0.2]] * ROWS}).notes
    news = {"title": FIRST, "text": SECOND, "rating": [i % 5 + 1 for i in range(ROWS)]}
    assert "(--kind pairs --anchor title --positive text)" in read(news).summary()
    assert read(news, kind="pairs", anchor="title", positive="text").kind == "pairs"
    assert read(news, anchor="title", positive="text").kind == "pairs", "a rating of the news"
    named = read({"question": FIRST, "answer": SECOND, "Our rating": ["good", "bad"] * 20})
    assert "(--label 'Our rating')" in named.summary(), "as one types it"
    with pytest.raises(KitError, match="name the label, such as label='note'"):
        read({"question": FIRST, "answer": SECOND, "note": THIRD}, kind="labelled")
    assert read({"sentence1": FIRST, "sentence2": SECOND, "label": [0, 0.5, 1, 0.5] * 10}, kind="labelled")["label"]


def test_of_two_columns_that_may_be_a_score_none_is_taken_without_a_word() -> None:
    data = read({"Frage": FIRST, "Antwort": SECOND, "Wert": THIRDS, "Anteil": [i / 50 for i in range(ROWS)]})
    assert data.kind == "pairs" and "Wert" in data.notes[0]


def test_a_file_sorted_by_its_labels_is_read_as_the_same_one_shuffled() -> None:
    many = 3_000
    texts = {"query": [f"question {i}" for i in range(many)], "document": [f"answer {i}" for i in range(many)]}
    assert read({**texts, "relevance": [1] * 1500 + [0] * 1500}).kind == "labelled"
    scores = [5.0] * 1500 + [i / 400 for i in range(1500)]
    assert read({**texts, "label": scores}).roles["score"] == "label"
    assert read({**texts, "relevance": [None] * 1500 + [0, 1] * 750}).kind == "labelled"


def test_labels_and_scores_that_are_asked_for_are_found_under_less_usual_names() -> None:
    sides = {"sentence1": FIRST, "sentence2": SECOND}
    assert read({**sides, "gold_score": THIRDS}, kind="scored").roles["score"] == "gold_score"
    assert read({**sides, "label": [i % 6 for i in range(ROWS)]}, kind="scored").roles["score"] == "label"
    assert read({**sides, "is_paraphrase": HALF}, kind="labelled").roles["label"] == "is_paraphrase"
    assert read({"question": FIRST, "answer": SECOND, "grade": HALF}, kind="scored").roles["score"] == "grade"


def test_a_relevance_that_no_word_or_number_of_it_explains_is_told() -> None:
    for values, role in ((["high", "low", "none", "low"] * 10, "label"), ([f"{g}%" for g in GRADES], "score")):
        data = read({"query": FIRST, "document": SECOND, "relevance": values})
        assert data.kind == "pairs" and f"name it (--{role} relevance)" in data.summary()
    votes = read({"question": FIRST, "answer": SECOND, "score": [i % 30 for i in range(ROWS)]})
    assert "if they are votes, or count something else" in votes.summary()


def test_whole_grades_end_at_their_own_highest_and_ratings_of_sts_at_five() -> None:
    def highest(*scores) -> float:
        table = {"sentence1": FIRST, "sentence2": SECOND, "score": [scores[i % len(scores)] for i in range(ROWS)]}
        return read(table).score_range[1]

    assert highest(0, 1, 2, 3) == 3 and highest(0, 1, 2) == 2 and highest(0, 1, 3, 4) == 4
    assert highest(0, 1, 5) == 5 and highest(0, 1.5, 3) == 5 and highest(0, 1) == 1 and highest(0, 7) == 10


def test_the_other_side_is_asked_for_where_one_is_known() -> None:
    products = {"query": FIRST, "product_title": SECOND, "product_text": THIRD, "esci_label": ["E", "S", "C", "I"] * 10}
    with pytest.raises(KitError, match="query is the anchor, so name the positive, such as positive='product_title'"):
        read(products)
    with pytest.raises(KitError, match="cannot tell which"):
        read({"query-id": [f"q{i}" for i in range(ROWS)], "corpus-id": [f"d{i}" for i in range(ROWS)], "score": HALF})


def test_names_of_classes_that_datasets_wrote_into_parquet_are_read(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    classes = {"label": {"names": ["entailment", "not_entailment"], "_type": "ClassLabel"}}
    table = pa.table({"sentence1": FIRST, "sentence2": SECOND, "label": HALF})
    named = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": classes}})})
    pq.write_table(named, tmp_path / "rte.parquet")
    assert "entailment means the same" in read(tmp_path / "rte.parquet").summary(), "its number is 0"
    mixed = json.dumps({"info": {"features": {"tags": [{"dtype": "string", "_type": "Value"}], **classes}}})
    pq.write_table(table.replace_schema_metadata({"huggingface": mixed}), tmp_path / "rte.parquet")
    assert "entailment means the same" in read(tmp_path / "rte.parquet").summary(), "beside a list"
    for broken in ("{", "[]", '{"info": {"features": {"label": 3}}}'):
        pq.write_table(table.replace_schema_metadata({"huggingface": broken}), tmp_path / "rte.parquet")
        assert "1 means the same" in read(tmp_path / "rte.parquet").summary()


def test_objects_that_hold_a_table_are_its_columns(tmp_path: Path) -> None:
    rows = [{"id": i, "translation": {"en": a, "de": b}} for i, (a, b) in enumerate(zip(FIRST, SECOND))]
    (tmp_path / "books.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert read(tmp_path / "books.jsonl").roles == {"anchor": "en", "positive": "de"}
    assert read(rows)["positive"] == SECOND


def test_nli_in_initials_and_words_that_say_different() -> None:
    data = read({"context": FIRST, "hypothesis": SECOND, "label": ["e", "n", "c", "e"] * 10})
    assert data.label_names == ("entailment", "neutral", "contradiction") and data["label"][:3] == [0, 1, 2]
    assert read({"premise": FIRST, "hypothesis": SECOND, "label": ["E", "N", "C", "E"] * 10}).positive_label == 0
    numbers = read({"question": FIRST, "sentence": SECOND, "label": HALF})
    assert "some such data write 0 where one text follows from the other" in numbers.summary()
    assert not read({"question1": FIRST, "question2": SECOND, "label": HALF}).notes
    stances = read({"claim": FIRST, "evidence": SECOND, "label": ["SUPPORTS", "REFUTES"] * 20})
    assert stances.label_names[stances.positive_label] == "SUPPORTS"


@pytest.mark.parametrize("cell", ["Yes, you can.\nClick on it.", "Steps:\n- open, click\n- done", "One.\n\nTwo."])
def test_answers_of_several_lines_are_no_rows_between_stray_quotation_marks(tmp_path: Path, cell: str) -> None:
    rows = [f'{question},"{cell}"' if i % 2 else f"{question},{i}a" for i, question in enumerate(FIRST)]
    ditto = ["apple, fruit", 'pear, "', 'plum, "']
    for few in (rows, [*rows[:1], *rows[2::2], rows[1]], ditto):
        (tmp_path / "faq.csv").write_text("question,answer\n" + "\n".join(few), "utf-8")
        assert not read(tmp_path / "faq.csv").notes


def test_a_space_before_the_quotation_mark_of_a_cell_is_none_of_it(tmp_path: Path) -> None:
    by_hand = tmp_path / "by_hand.csv"
    by_hand.write_text('"question", "answer"\n"Why, oh why?", "Because, well, so."\n"Who?", "Nobody."\n', "utf-8")
    assert read(by_hand)["positive"] == ["Because, well, so.", "Nobody."] and not read(by_hand).notes
    by_hand.write_text('question, answer\nWhich?, "24 inch" screens\nWho?, Nobody.\n', "utf-8")
    assert read(by_hand)["positive"] == ['"24 inch" screens', "Nobody."]


@pytest.mark.parametrize("header", ["No.,question,answer", "word,definition", "0,1", "text1,text2,Duplicate?"])
def test_ordinary_headers_are_no_row_of_data(tmp_path: Path, header: str) -> None:
    cells = {"No.": range(ROWS), "Duplicate?": HALF, "word": ["word", *FIRST[1:]], "0": FIRST, "1": SECOND}
    names = header.split(",")
    usual = {"question": FIRST, "text1": FIRST} | cells
    table = zip(*(usual.get(name, SECOND) for name in names))
    rows = "\n".join(",".join(map(str, row)) for row in table)
    (tmp_path / "mine.csv").write_text(f"{header}\n{rows}\n", "utf-8")
    assert "names of the columns" not in read(tmp_path / "mine.csv").summary()


def test_a_positive_that_is_one_of_few_words_is_told() -> None:
    exam = {"question": FIRST, "A": SECOND, "B": THIRD, "answer": ["A", "B"] * 20}
    data = read(exam)
    assert data.roles["positive"] == "answer" and "answer holds few words again and again (A, B)" in data.summary()
    assert not read({"question": FIRST, "answer": SECOND}).notes


def test_a_word_that_may_be_meant_is_no_placeholder() -> None:
    assert not read({"element": ["Sodium", *FIRST], "symbol": ["Na", *SECOND]}).notes
    assert "3 cells hold 'None'" in read({"question": FIRST, "answer": ["None"] * 3 + SECOND[3:]}).summary()


def test_the_words_of_a_name() -> None:
    assert words_of("isDuplicate") == words_of("Is duplicate?") == words_of("is_duplicate") == ["is", "duplicate"]
    for name in ("thread_id", "ProductID", "num_comments", "has_image", "scored_by", "label_source_id", "hours open"):
        assert is_about_a_row(name) and not says_how_alike(name), name
    for name in ("is_dup", "text match", "Relevance", "gold_label", "SimScore"):
        assert says_how_alike(name) and not is_about_a_row(name), name
    assert not says_how_alike("underscore") and not is_about_a_row("group_id") and words_of("?") == []


def test_words_are_counted_in_scripts_without_spaces_too() -> None:
    for sentence in ("猫は静かな家の窓辺で眠っている。", "แมวนอนหลับอยู่ริมหน้าต่างของบ้าน"):
        assert read([f"{sentence}{i}" for i in range(20)]).kind == "sentences"
        assert read([f"{sentence * 40}{i}" for i in range(20)]).kind == "documents"
        assert is_prose([sentence] * 5) and not is_prose([sentence[:4]] * 5)
    assert words_about("오늘 서울의 날씨가 아주 좋습니다") == 5
