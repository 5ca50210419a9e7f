"""The board of a search: what it shows, what is judged on it, and what becomes of that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.boards.search_widget import LONGEST, search_board, search_summary, search_values
from kit.errors import KitError
from kit.retrieval import Index, retrieval_task
from tests.retrieval.test_vector_index import TEXTS, Drawn


@pytest.fixture
def board():
    return search_board(Index.build(Drawn(), TEXTS), Index.build(Drawn(seed=1), TEXTS), "what?")


def press(board, kind: str, number: int) -> None:
    board.controls["vote"] = f"{kind} {number} {board.state['serial']}"
    assert board.widget.error == ""


def test_both_lists_stand_side_by_side_with_ranks_in_the_other(board) -> None:
    raw, trained = board.state["columns"]
    assert (raw["name"], trained["name"]) == ("raw", "trained") and len(raw["hits"]) == 10
    assert [hit["id"] for hit in trained["hits"]] == [hit.id for hit in board.index.search("what?", 10)]
    values = search_values(board.state, {"query": "what?", "k": 10})
    ids = [[row["id"] for row in column["rows"]] for column in values["columns"]]
    assert values["shared"] == len({*ids[0]} & {*ids[1]})
    for mine, theirs, column in zip(ids, ids[::-1], values["columns"], strict=True):
        assert [row["other"] for row in column["rows"]] == [theirs.index(i) + 1 if i in theirs else 0 for i in mine]
    assert board.summary.startswith("For “what?” raw finds “text number")


def test_a_text_that_is_cut_ends_in_dots() -> None:
    texts = ["a" * LONGEST, "b" * (LONGEST + 1)]
    shown = {
        hit["id"]: hit["text"]
        for hit in search_board(Index.build(Drawn(), texts), query="?").state["columns"][0]["hits"]
    }
    assert shown == {0: texts[0], 1: "b" * LONGEST + "…"}


def test_what_is_judged_becomes_training_pairs(board, tmp_path: Path) -> None:
    with pytest.raises(KitError, match="press 'fits'"):
        board.save_pairs(tmp_path / "pairs.jsonl")
    first, second, third = (hit["id"] for hit in board.state["columns"][1]["hits"][:3])
    press(board, "up", first), press(board, "down", second), press(board, "up", third), press(board, "up", third)
    assert board.state["votes"] == {str(n): fits for n, fits in sorted([(first, True), (second, False)])}
    assert board.pairs() == [("what?", TEXTS[first])] and board.triplets() == [("what?", TEXTS[first], TEXTS[second])]
    board.controls["query"] = "another question"
    assert board.state["votes"] == {} or first in {h["id"] for c in board.state["columns"] for h in c["hits"]}
    press(board, "down", board.state["columns"][1]["hits"][0]["id"])
    assert (board.state["fit"], board.state["unfit"]) == (1, 2) and len(board.triplets()) == 1
    lines = [json.loads(line) for line in board.save_pairs(tmp_path / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert lines[0] == {"sentence1": "what?", "sentence2": TEXTS[first], "label": 1} and len(lines) == 3
    board.judged = {("what?", TEXTS[first]): False, ("why\u2028so?", TEXTS[0]): True}  # as after the next start
    saved = board.save_pairs(tmp_path / "pairs.jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line)["label"] for line in saved] == [0, *(line["label"] for line in lines[1:]), 1]
    assert board.save_pairs(tmp_path / "pairs.jsonl").read_text("utf-8").split("\n")[:-1] == saved
    (tmp_path / "other.jsonl").write_text('{"question": "mine"}\n')
    with pytest.raises(KitError, match="expected judged hits in .*other.jsonl, got something else"):
        board.save_pairs(tmp_path / "other.jsonl")


def test_the_right_texts_of_a_known_question_are_marked_however_far_down(board) -> None:
    order = [[hit.text for hit in index.search("what?", len(TEXTS))] for index in board._columns.values()]
    far = order[0][-1]  # the last for raw
    task = retrieval_task({"q": "what?"}, {"right": far, "wrong": TEXTS[0]}, {"q": {"right": 1}})
    known = search_board(*reversed(board._columns.values()), query="what?", task=task)
    wanted = [texts.index(far) + 1 for texts in order]
    assert [column["right"]["rank"] for column in known.state["columns"]] == wanted and wanted[0] == len(TEXTS) > 10
    assert {column["right"]["text"] for column in known.state["columns"]} == {far}
    assert {TEXTS[n] for n in known.state["right"]} == {far}
    press(known, "up", known.state["columns"][0]["right"]["id"])
    assert known.pairs() == [("what?", far)], "the right text may be judged as well, however far down"
    assert f"The right text is number {wanted[0]} for raw, {wanted[1]} for trained." in known.summary
    several = retrieval_task({"q": "what?"}, {"right": far, "good": TEXTS[0]}, {"q": {"right": 1, "good": 1}})
    board = search_board(*reversed(known._columns.values()), query="what?", task=several)
    first = [min(texts.index(one) + 1 for one in (far, TEXTS[0])) for texts in order]
    assert f"The first right text is number {first[0]} for raw, {first[1]} for trained." in board.summary
    known.controls["query"] = "another question"
    assert known.state["right"] == [] and [column["right"] for column in known.state["columns"]] == [None, None]
    assert "right text" not in search_summary(search_values(known.state, known.controls), known.controls, known.state)


def test_a_blank_question_waits_and_one_index_is_enough() -> None:
    board = search_board(Index.build(Drawn(), TEXTS[:3]), query="")
    assert "Type a question: the nearest of 3 texts" in board.summary
    board.controls["query"] = "text"
    assert board.widget.error == "" and len(board.state["columns"][0]["hits"]) == 3
    values = search_values(board.state, {"query": "text", "k": 5})
    assert "lists" not in search_summary(values, {"query": "text", "k": 5}, board.state)


def test_indexes_that_do_not_belong_together_are_refused() -> None:
    index = Index.build(Drawn(), TEXTS)
    with pytest.raises(KitError, match="of the same texts"):
        search_board(index, Index.build(Drawn(seed=1), TEXTS[::-1]))
    index.remove(index.ids.tolist())
    with pytest.raises(KitError, match="an index with texts"):
        search_board(index)
