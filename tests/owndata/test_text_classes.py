"""Texts with a class each: how they are read, what is seen in them, and what they are judged by."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.errors import KitError, KitWarning
from kit.evaluation import cosine_matrix
from kit.owndata import OwnValidation, look, own_task, read, split, suggest, training_data
from kit.retrieval import BM25, RetrievalTask, evaluate_retrieval, task_from_classes, task_from_pairs
from kit.training import recipe

TOPICS = {"billing": ("refund", "invoice", "card", "price"), "delivery": ("parcel", "courier", "late", "address")}
ROWS = [(f"my {word} number {i} is wrong today", topic) for topic, words in TOPICS.items() for word in words
        for i in range(3)]  # fmt: skip


class ByTopic:
    """Two directions, one a topic; within it every text a little to the side."""

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
        side = [any(word in text for word in TOPICS["billing"]) for text in sentences]
        return torch.tensor([[float(on), float(not on), 0.01 * len(text)] for on, text in zip(side, sentences)])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("text", "label"), {"kind": "classes"}),
        (("text", "label"), {"text": "text", "label": "label"}),
        (("text", "label"), {"label": "label"}),
        (("ticket", "topic"), {"kind": "classes"}),
        (("message", "team"), {"kind": "classes"}),
        (("a", "b"), {"text": "a", "label": "b"}),
    ],
)
def test_the_two_columns_are_found(columns: tuple, said: dict) -> None:
    rows = [dict(zip(columns, row)) | {"id": i, "when": f"2026-01-{i:02}"} for i, row in enumerate(ROWS)]
    data = read(rows, **said)
    assert data.kind == "classes" and data.label_names == ("billing", "delivery")
    assert list(data.rows) == [(text, int(topic == "delivery")) for text, topic in ROWS]
    assert "24 texts with a class: " in data.summary() and "2 classes (billing 12, delivery 12)" in data.summary()


def test_tuples_numbers_and_gaps() -> None:
    assert list(read(ROWS, "classes").rows) == list(read([(t, int(c == "delivery")) for t, c in ROWS], "classes").rows)
    gaps = [*ROWS, ("no topic here", None), ("nor here", "-1")]
    with pytest.raises(KitError, match=r"2 of 26 cannot be used .* has no class"):
        read(gaps, "classes")
    assert len(read(gaps, "classes", leave_out=True)) == 24
    with pytest.raises(KitError, match="has a list as label"):
        read([*ROWS, ("two topics", ["billing", "delivery"])], "classes")
    alone = read([*ROWS, ("how are you", "chat")], "classes")
    assert "1 of them has one text, which is a negative and has no positive" in alone.summary()
    many = read([(f"text {i} of {c}", f"class {c}") for c in range(150) for i in range(2)], "classes")
    assert len(many.label_names) == 150, "more classes than pairs may have"
    for rows, sentence in (
        ([(t, "one") for t, _ in ROWS], "two classes or more, got 'one' alone"),
        ([(t, i) for i, (t, _) in enumerate(ROWS)], "all 24 texts have different ones: is the column an id"),
    ):
        with pytest.raises(KitError, match=sentence):
            read(rows, "classes")


def test_without_a_word_texts_are_sentences_and_the_class_is_named() -> None:
    data = read([{"text": text, "category": topic} for text, topic in ROWS])
    assert data.kind == "sentences"
    told = "category (billing, delivery) is not used: if it is a class of each text, train on it (--kind classes --text"
    assert f"{told} text --label category)." in data.summary()
    assert "class of each text" not in read([text for text, _ in ROWS]).summary()
    with pytest.raises(KitError, match="score, got one .text.: leave it out"):
        read([{"text": text, "score": 0.5} for text, _ in ROWS], text="text", score="score")
    with pytest.raises(KitError, match="read them as kind='classes'"):
        read([{"text": text, "label": topic} for text, topic in ROWS], "sentences", text="text", label="label")


def test_look_suggest_and_training_data() -> None:
    data = read([*ROWS, (ROWS[0][0], "delivery")], "classes")
    found = look(data)
    assert found["rows that contradict another"].count == 2 and found.balance == {"billing": 12 / 25, "delivery": 0.52}
    assert suggest(data)[0].recipe == "supcon"
    with pytest.warns(KitWarning, match="^the list: 1 text is left out, as it stands under two classes.$"):
        assert training_data(data, recipe("supcon")) == list(data.rows)[1:-1]
    assert training_data(read(ROWS, "classes"), recipe("supcon")) == list(read(ROWS, "classes").rows)
    assert training_data(data, recipe("simcse_unsup")) == data.texts()
    many = look(read([(f"text {i} of {c}", f"class {c}") for c in range(12) for i in range(2)], "classes")).balance
    assert len(many) == 9 and many["4 more"] == pytest.approx(4 / 12) and sum(many.values()) == pytest.approx(1)
    parts = split(read([(f"{text} {i}", topic) for i in range(5) for text, topic in ROWS], "classes"), least=0.99)
    assert {part.kind for part in parts.parts.values()} == {"classes"}


def test_a_text_should_find_its_class_and_never_itself() -> None:
    data = read([*ROWS, ("how are you", "chat")], "classes")
    validation = OwnValidation(data)
    assert (validation.measure, len(validation.task.queries), len(validation.task.corpus)) == ("nDCG@10 × 100", 24, 25)
    assert "24 queries, 25 documents, 11.00 relevant ones a query" in str(validation.task)
    report = validation.report(ByTopic(), resamples=0)
    assert report["accuracy@1"] == report["ndcg@10"] == report["map@100"] == 100
    assert list(report.figures()) == ["accuracy@1", "precision@10", "mrr@10", "ndcg@10", "map@100"]
    places = {text: i for i, text in enumerate(validation.task.corpus)}
    for query, ranked in zip(validation.task.queries, report.ranked, strict=True):
        assert places[query] not in ranked and len(set(ranked.tolist())) == 24
    assert validation.baseline(resamples=0) is not None and own_task(data).fingerprint == validation.task.fingerprint


def test_the_best_possible_precision_is_told_where_it_is_below_a_hundred() -> None:
    """Twelve texts a class have eleven others each; of eight and four only seven and three can be found."""
    whole = OwnValidation(read(ROWS, "classes"))
    few = OwnValidation(read(ROWS[:20], "classes"))
    report, said = few.report(ByTopic(), resamples=0), "best possible precision@10 is 88.00, as 8 of 20 queries have"
    assert report["precision@10"] == pytest.approx(few.task.best_precision(10)[0]) == pytest.approx(88)
    assert f"; the {said} fewer than 10 relevant documents" in report.task and f"The {said}" in few.described
    assert f"Judged on all these texts, the {said}" in str(look(few.data))
    for told in (whole.report(ByTopic(), resamples=0).task, whole.described, str(look(whole.data))):
        assert "best possible" not in told
    one = task_from_pairs(["a", "b"], ["c", "d"])
    told = evaluate_retrieval(BM25(), one, ["ndcg@10", "precision@1", "precision@5"], resamples=0).task
    assert told.endswith("; the best possible precision@5 is 20.00, as 2 of 2 queries have fewer than 5 relevant docu"
                         "ments") and "precision@1 " not in told  # fmt: skip
    copies = read([("a dog", "x"), ("a dog", "x"), ("a cat", "y")], "classes")
    assert "best possible" not in str(look(copies))


def test_the_figures_are_those_of_plain_loops() -> None:
    torch.manual_seed(0)
    texts, classes = [f"text {i}" for i in range(30)], [i % 4 for i in range(29)] + [9]
    vectors = torch.randn(30, 5, dtype=torch.float64)

    class Random:
        def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
            return vectors[[texts.index(one) for one in sentences]]

    task = task_from_classes(texts, classes)
    found = evaluate_retrieval(Random(), task, ["accuracy@1", "precision@10", "map@100"], resamples=0)
    cosines, first, share, average = cosine_matrix(vectors), [], [], []
    for i in range(29):
        order = [j for j in cosines[i].argsort()[::-1].tolist() if j != i]
        hits = [classes[j] == classes[i] for j in order]
        first.append(hits[0]), share.append(sum(hits[:10]) / 10)
        average.append(sum(sum(hits[: r + 1]) / (r + 1) for r, hit in enumerate(hits) if hit) / sum(hits))
    for measure, own in (("accuracy@1", first), ("precision@10", share), ("map@100", average)):
        assert found[measure] == pytest.approx(100 * sum(own) / 29), measure


def test_words_alone_do_not_find_themselves_either() -> None:
    task = task_from_classes(["red parcel", "red parcel late", "my card", "card price"], [0, 0, 1, 1])
    assert evaluate_retrieval(BM25(), task, ["accuracy@1"], resamples=0)["accuracy@1"] == 100


def test_a_text_of_two_classes_is_relevant_to_both_and_tasks_differ() -> None:
    both = task_from_classes(["a", "b", "c", "d", "a"], [0, 0, 1, 1, 1])
    assert {query: len(both.grades(i)) for i, query in enumerate(both.queries)} == {"a": 3, "b": 1, "c": 2, "d": 2}
    numbers = task_from_classes(["a", "b", "c", "d"], torch.tensor([0, 0, 1, 1]))
    assert numbers.fingerprint == task_from_classes(["a", "b", "c", "d"], [0, 0, 1, 1]).fingerprint
    prints = {
        both.fingerprint,
        task_from_classes(["a", "b", "c", "d"], [0, 0, 1, 1]).fingerprint,
        task_from_classes(["a", "b", "c", "d"], [0, 1, 0, 1]).fingerprint,
        task_from_pairs(["a", "b"], ["b", "a"]).fingerprint,
    }
    assert len(prints) == 4
    for texts, classes, sentence in (
        (["a", "b"], [0], "one class for each text, got 2 texts and 1"),
        (["a", "b"], [0, 1], "two texts of one class, got 2 texts of which each is alone"),
        (["a", " "], [0, 0], "text"),
        (["a", "b", "c", "d"], [0, 0, None, None], "whole numbers or names, got None for text 2: leave out texts with"),
        (["a", "b"], [float("nan")] * 2, "whole numbers or names, got nan for text 0"),
        (["a", "b"], [True, True], "whole numbers or names, got True"),
        (["a", "b"], [["one"], ["one"]], "whole numbers or names, got a list"),
    ):
        with pytest.raises(KitError, match=sentence):
            task_from_classes(texts, classes)
    with pytest.raises(KitError, match="expected no other texts beside those with a class in the list, got 1: nobody"):
        own_task(read(ROWS, "classes"), others=("more",))


def test_more_classes_cost_no_memory_of_their_size() -> None:
    """Texts of one class share what is relevant to them."""
    task = task_from_classes([f"text {i}" for i in range(4000)], [i % 2 for i in range(4000)])
    assert len({id(grades) for grades in task.relevant}) == 2 and len(task.grades(0)) == 1999 and task.fingerprint
    alike = next(i for i in range(1, 4000) if task.relevant[i] is task.relevant[0])
    assert np.shares_memory(task.grades(0), task.grades(alike)), "nor the time: they are sorted once"


def test_the_grades_of_a_query_are_those_of_a_plain_loop() -> None:
    """Shared or not, of one grade or of several, with missing documents, and for queries that are no documents."""
    draw = np.random.default_rng(0)
    shared = [dict(zip(draw.permutation(40).tolist(), draw.integers(1, 4, size).tolist())) for size in (3, 9, 20, 1)]
    relevant = tuple(shared[one] for one in draw.integers(0, 4, 60))
    itself = tuple(draw.choice([-1, 99, *one]) for one in relevant)
    missing = tuple(tuple(draw.integers(1, 4, draw.integers(0, 3)).tolist()) for _ in relevant)
    queries, corpus = tuple(f"query {i}" for i in range(60)), tuple(f"text {i}" for i in range(40))
    of_class = task_from_classes([*queries, "query 0"], [i % 7 for i in range(61)])
    for own in (itself, ()):
        task = RetrievalTask(queries, corpus, relevant, missing, itself=own)
        for one in (task, copy.deepcopy(task), of_class, copy.deepcopy(of_class)):
            for query, grades in enumerate(one.relevant):
                others = [grade for place, grade in grades.items() if not one.itself or place != one.itself[query]]
                plain = sorted([*others, *one.missing[query]], reverse=True)
                assert one.grades(query).tolist() == plain == one.grades(query).tolist(), "the second time, too"


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    from kit.commands.split_command import as_lines

    data, path = read(ROWS, "classes"), tmp_path / "part.jsonl"
    path.write_text(as_lines(data), "utf-8")
    assert list(read(path, "classes").rows) == list(data.rows)


WORDS = "alpha beta gamma delta epsilon zeta eta theta".split()
PROSE = [f"{a} and {b} came late with {c} again" for a in WORDS for b in WORDS[:4] for c in WORDS[:2]]  # 64 texts


def tickets(**columns: list) -> list[dict]:
    """Texts under the name "message", and beside each a value of every column, which come by turns."""
    return [{"message": text} | {c: v[i % len(v)] for c, v in columns.items()} for i, text in enumerate(PROSE)]


def test_a_class_that_is_called_a_cluster_is_no_group_too() -> None:
    for said in ({"text": "message", "label": "cluster"}, {}):
        data = read(tickets(cluster=["a", "b", "c", "d"]), "classes", **said)
        assert data.roles == {"text": "message", "label": "cluster"} and "group" not in data.columns
    with pytest.raises(KitError, match="such as text='message', label='cluster'"):
        read(tickets(cluster=["a", "b"], stars=[1, 2, 3]), "classes")
    grouped = read(tickets(label=["a", "b"], cluster=["x", "y", "z"]), "classes")
    assert grouped.roles == {"text": "message", "label": "label", "group": "cluster"}


DAYS = [f"2026-03-{day:02}" for day in range(1, 29)]


@pytest.mark.parametrize(
    "dates",
    [
        DAYS,
        [f"{day}.3.2026" for day in range(1, 29)],
        [f"{day}T09:30:00Z" for day in DAYS],
        ["3/1/26, 9:30 PM"],
        [f"2026年3月{day}日" for day in range(1, 29)],
        [f"{day}. März 2026" for day in range(1, 29)],
        ["1 de marzo de 2026", "2026년 3월 1일", "March 1st, 2026", "1 Mar 2026 09:30", "1 mars 2026"],
    ],
)
def test_dates_are_neither_texts_nor_classes(dates: list[str]) -> None:
    rows = [row | {"erstellt": dates[i % len(dates)]} for i, row in enumerate(tickets(Thema=["a", "b"]))]
    data = read(rows, "classes")
    assert data.roles == {"text": "message", "label": "Thema"} and "holds texts too" not in data.summary()
    with pytest.raises(KitError, match="name them, such as text='message', label='Thema'"):
        read(rows)
    assert read([{"message": row["message"], "erstellt": row["erstellt"]} for row in rows]).kind == "sentences"


def test_classes_that_differ_in_case_alone_are_one_in_turkish_too() -> None:
    data = read(tickets(label=["İyi", "iyi", "IŞIK", "ışık"]), "classes")
    assert set(data.label_names) == {"İyi", "IŞIK"} and "careful" not in data.summary()


def test_columns_that_are_named_as_an_example_are_there() -> None:
    for said in ({}, {"text": "message"}):
        with pytest.raises(KitError, match="such as text='message', label='team'"):
            read(tickets(team=["a", "b"], channel=["mail", "phone"], urgency=["low", "high"]), "classes", **said)
    with pytest.raises(KitError, match="such as text='message', label='label'"):
        read([row | {"other": row["message"][::-1]} for row in tickets(label=["a", "b"])], "classes")
    with pytest.raises(KitError, match="such as text='comment', label='topic'"):
        read(tickets(), "classes")


def test_a_class_is_named_beside_what_may_be_a_pair() -> None:
    topics = ["not paid yet", "parcel is late", "wrong item came"]
    hint = "if it is a class of each text, train on it (--kind classes --text text --label category)."
    made = [{"text": row["message"], "category": topics[i % 3]} for i, row in enumerate(tickets())]
    for column, pairs in (("created_by", False), ("customer", True)):
        told = read([row | {column: f"Person {i}"} for i, row in enumerate(made)]).summary()
        assert hint in told and (f"--anchor {column} --positive text" in told) == pairs
    many = [{"text": row["message"], "intent": f"a wish {i % 20}"} for i, row in enumerate(tickets())]
    told = read(many).summary()
    assert "--label intent" in told and "--kind pairs" not in told, "a class is not told to be a side of pairs as well"


def test_minus_one_as_a_class_is_told() -> None:
    rows = tickets(sentiment=[-1, 0, 1])
    with pytest.raises(KitError, match="has −1, which counts as no class.*; if −1 is a class, write a word for it"):
        read(rows, "classes")
    assert "if −1 is a class, write a word for it" in read(rows, "classes", leave_out=True).summary()
    assert "−1 is a class" not in read(tickets(topic=["a", "b", None]), "classes", leave_out=True).summary()


def test_a_list_as_a_class_has_a_remedy_of_its_own() -> None:
    with pytest.raises(KitError, match="has a list as label.*: write one class in each cell, as a word or a number.$"):
        read(tickets(labels=[["a"], ["a", "b"]]), "classes")
    with pytest.raises(KitError, match="write one class in each cell, .* or leave them out with leave_out=True"):
        read(tickets(labels=[["a", "b"], "a", "b"]), "classes")


def test_one_class_in_two_spellings_is_one_or_is_told() -> None:
    composed = read(tickets(topic=["Rückgabe", "Ru\u0308ckgabe", "Login  Problem", "Login Problem"]), "classes")
    assert composed.label_names == ("Login Problem", "Rückgabe") and "careful" not in composed.summary()
    rows = [*ROWS, ("where is my number", "biling"), ("who has my parcel", "delivery;VIP")]
    told = read(rows, "classes").summary()
    assert "careful: biling (1 row) and billing are two classes" in told
    assert "careful: delivery;VIP and delivery are two classes: write one class in each cell" in told
    assert "careful" not in read(ROWS, "classes").summary()


def test_the_split_that_is_named_reads_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit.owndata.split_own import BY_COMMAND, by_command, in_python

    monkeypatch.chdir(tmp_path)
    header = {"message": "the text", "topic": "-topic"}
    rows = [{header[c]: value for c, value in row.items()} for row in tickets(topic=["a", "b"])]
    Path("my.csv").write_text("the text,-topic\n" + "".join(f"{row['the text']},{row['-topic']}\n" for row in rows))
    data = read("my.csv", "classes", text="the text", label="-topic")
    assert by_command(data) == "kit split my.csv --kind classes --text 'the text' --label=-topic --out parts"
    assert in_python(data).endswith("read(\"my.csv\", kind='classes', text='the text', label='-topic'))")
    assert by_command(data) in str(look(read([*rows, rows[0]], "classes", text="the text", label="-topic")))
    assert by_command(read(ROWS, "classes")) == "kit split my.csv --kind classes --out parts", "tuples have no names"
    assert by_command(read([("a dog", "b"), ("c", "d")])) == BY_COMMAND


def test_who_validates_on_texts_alone_hears_of_the_class_beside_them() -> None:
    data = read([{"text": text, "label": topic} for text, topic in ROWS])
    with pytest.raises(KitError, match=r"with a class of each text \(--kind classes\)\. label .* --label label\)\."):
        OwnValidation(data)


def test_a_column_is_named_as_a_shell_takes_it() -> None:
    for name, typed in (
        ('"topic"', " '\"topic\"'"),
        ("$topic", " '$topic'"),
        ("-label", "=-label"),
        ("topic", " topic"),
    ):
        told = read([{"text": text, name: topic} for text, topic in ROWS]).summary()
        assert f"(--kind classes --text text --label{typed})" in told
