"""The check for evaluation sentences in the pretraining text, against a plain search."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import check_overlap
import pytest
from check_overlap import grams_of, occurrences, shares, words_of

from kit.errors import KitError

LONG = "On the quay, three sailors mended a net that nobody owned any more."
OTHER = "In the attic, two cousins painted a chair that nobody wanted any more."


def test_words_are_letters_and_digits_in_lower_case() -> None:
    assert words_of("The café's 3rd_door:\nOPEN—now!") == ["the", "café", "s", "3rd", "door", "open", "now"]
    assert grams_of(list("abcd"), 3) == ["a b c", "b c d"]
    assert grams_of(list("ab"), 3) == []


def test_a_sentence_is_found_whole_in_another_dress() -> None:
    sentences = {tuple(words_of(LONG)), tuple(words_of(OTHER))}
    text = "Before.\n" + LONG.upper().replace(",", " -").replace("sailors mended", "sailors\nmended") + " After."
    whole, grams, read = occurrences(sentences, [text, "Nothing here."])
    assert whole == {tuple(words_of(LONG))}
    assert grams == set(grams_of(words_of(LONG)))
    assert read == {"documents": 2, "words": len(words_of(text)) + 2}


def test_a_part_is_found_as_grams_only_and_documents_are_not_joined() -> None:
    sentence = tuple(words_of(LONG))
    whole, grams, _ = occurrences({sentence}, [" ".join(sentence[:9])])
    assert whole == set() and grams == {" ".join(sentence[:8]), " ".join(sentence[1:9])}
    assert occurrences({sentence}, [" ".join(sentence[:6]), " ".join(sentence[6:])])[:2] == (set(), set())


def test_the_pass_agrees_with_a_plain_search() -> None:
    chance = random.Random(0)
    documents = [" ".join(chance.choices("abc", k=60)) for _ in range(4)]
    sentences = {tuple(chance.choices("abc", k=chance.randint(4, 7))) for _ in range(150)}
    whole, grams, _ = occurrences(sentences, documents, n=4)
    assert whole == {s for s in sentences if any(f" {' '.join(s)} " in f" {d} " for d in documents)}
    every = {g for s in sentences for g in grams_of(list(s), 4)}
    assert grams == {g for g in every if any(f" {g} " in f" {d} " for d in documents)}
    assert 0 < len(whole) < len(sentences) and 0 < len(grams) < len(every)


def test_shares_are_of_the_task_alone() -> None:
    mine, other = tuple(words_of(LONG)), tuple(words_of(OTHER))
    grams = set(grams_of(list(mine))[:2]) | set(grams_of(list(other)))
    assert shares({mine}, {other}, grams) == {
        "sentences": 1,
        "whole": 0,
        "whole_share": 0.0,
        "grams": len(mine) - 7,
        "grams_found": 2,
        "grams_share": 200 / (len(mine) - 7),
    }
    assert shares(set(), set(), set())["whole_share"] == 0


def test_without_a_mirror_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["check_overlap.py"])
    with pytest.raises(KitError, match="KIT_DATA to name the mirror folder"):
        check_overlap.main()


def test_the_kept_figures_are_about_the_text_trained_on() -> None:
    kept = json.loads((Path(__file__).resolve().parents[2] / "data" / "results" / "overlap.json").read_text())
    assert set(kept["tasks"]) == {"STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"}
    assert not {"heldout.parquet", "captions-flickr30k.parquet"} & set(kept["corpus"]["files"])
    for entry in [kept["all"], *kept["tasks"].values()]:
        assert entry["whole_share"] == pytest.approx(100 * entry["whole"] / entry["sentences"])
        assert entry["grams_share"] == pytest.approx(100 * entry["grams_found"] / entry["grams"])
