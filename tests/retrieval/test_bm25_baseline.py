"""BM25 against its formula written out, and what it does without a word in common."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from kit.errors import KitError
from kit.owndata import jaccard
from kit.retrieval import BM25, comparison_table, evaluate_retrieval, task_from_classes, task_from_pairs
from kit.retrieval.words_of_texts import tokens

CORPUS = ["the red bird sings", "a red red kite", "nobody sings near the river", "two old birds wait in the old park"]


def plain(query: str, corpus: list[str], k1: float, b: float) -> list[float]:
    words = [tokens(text) for text in corpus]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for document in words:
        score = 0.0
        for word in tokens(query):
            have = sum(word in other for other in words)
            idf = math.log(1 + (len(words) - have + 0.5) / (have + 0.5))
            often = document.count(word)
            score += idf * often / (often + k1 * (1 - b + b * len(document) / mean)) if have else 0
        scores.append(score)
    return scores


def test_the_scores_are_those_of_the_formula() -> None:
    for k1, b in ((1.2, 0.75), (0.9, 0.4), (2.0, 0.0)):
        for query in ("red birds sing", "the old kite", "the the river", "RED!"):
            scores, places = BM25(k1, b).rank([query], CORPUS, 4)
            theirs = np.array(plain(query, CORPUS, k1, b))
            assert np.allclose(scores[0], theirs[places[0]], atol=1e-5)
            assert np.all(np.diff(theirs[places[0]]) <= 1e-6)


def test_documents_without_a_word_of_the_query_come_in_their_order() -> None:
    scores, places = BM25().rank(["unheard of", "!?", "kite"], CORPUS, 3)
    assert places[:2].tolist() == [[0, 1, 2]] * 2 and not scores[:2].any() and places[2].tolist() == [1, 0, 2]
    assert BM25().rank(["kite"], ["!?", "..."], 9)[1].tolist() == [[0, 1]]


def test_words_at_the_end_of_a_long_document_are_found() -> None:
    assert BM25().rank(["kite"], ["nobody sings", "the " * 4000 + "kite"], 1)[1].tolist() == [[1]]


def test_of_scripts_without_spaces_each_character_is_a_word() -> None:
    assert tokens("我的包裹 parcel_2, 東京タワー café") == [*"我的包裹", "parcel_2", *"東京タワー", "café"]
    assert BM25().rank(["包裹"], ["天气很好。", "你的包裹到了。"], 1)[1].tolist() == [[1]]


def test_it_is_judged_as_an_encoder_is() -> None:
    task = task_from_pairs(["which bird sings", "old park"], [CORPUS[0], CORPUS[3]], CORPUS)
    report = evaluate_retrieval(BM25(), task)
    assert report.name == "BM25" and report["recall@1"] == 100


def test_queries_without_a_word_of_a_document_are_told() -> None:
    task = task_from_pairs(["which bird sings", "где парк"], [CORPUS[0], CORPUS[3]], CORPUS)
    told = "words shares no word with a document for 1 of 2 queries: for these its order tells nothing."
    report = evaluate_retrieval(BM25(), task, name="words")
    assert str(report).endswith(f"\n\n{told}") and comparison_table([report]).endswith(f"\n\n{told}")
    assert report.as_dict()["careful"] == told
    classes = task_from_classes(["a red kite", "a kite", "nobody sings", "nobody", "xyz", "zyx"], [0, 0, 1, 1, 2, 2])
    assert "for 2 of 6 queries" in str(evaluate_retrieval(BM25(), classes)), "no text finds itself"
    assert "no word" not in str(evaluate_retrieval(BM25(), task_from_pairs(["birds"], [CORPUS[3]], CORPUS)))


def test_bad_numbers_and_a_missing_package_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for given in ({"k1": -1}, {"b": 2}, {"k1": float("nan")}, {"b": "x"}):
        with pytest.raises(KitError, match="expected k1 from 0 and b from 0 to 1"):
            BM25(**given)
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(KitError, match="pip install bm25s"):
        BM25()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("मेरा नाम राम है", ["मेरा", "नाम", "राम", "है"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("cafe\u0301, Naïve!", ["caf\u00e9", "naïve"]),
        ("我爱 you_2", ["我", "爱", "you_2"]),
        ("ﾈｺ キ", ["ネ", "コ", "キ"]),
        ("รักแมว", ["รั", "ก", "แ", "ม", "ว"]),
    ],
)
def test_a_word_has_its_marks_and_scripts_without_spaces_fall_into_characters(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İSTANBUL IŞIK", "istanbul ışık"),
        ("Zei\u00adtung", "ZEITUNG"),
        ("ＡＢＣ１２３ ｶﾞ", "abc123 ガ"),
        ("Straße", "STRASSE"),
        ("می\u200cخواهم", "میخواهم"),
        ("क्\u200dष", "क्ष"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_a_word_is_one_however_it_is_written(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) and jaccard(one, other) == 1
    assert BM25().rank([one], ["elsewhere", other], 1)[1].tolist() == [[1]]


def test_signs_that_are_no_letters_do_not_become_some() -> None:
    assert tokens("Tom™ ate 1½ pies") == ["tom", "ate", "1½", "pies"]
