"""What is found in data with known faults, each counted by hand."""

from __future__ import annotations

import itertools
import json
import random
import sys

import pytest

from kit.owndata import OwnData, jaccard, look, read
from kit.owndata.oddities import odd_texts, scripts
from tests.tiny import tiny_encoder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"), max_length=12)


def test_faults_are_counted(encoder) -> None:
    rows = [("a dog runs", "the dog runs"), ("a dog runs", "the dog runs"), ("a dog runs", "a pet runs"),
            ("a cat sleeps in the house", "A cat sleeps in the house."), ("a bird sings", "a bird sings"),
            ("nobody " * 20, "a hat")]  # fmt: skip
    found = look(read(rows), encoder, batch_size=4)
    assert found["rows that are copies"].count == 1 and "row 2" in found["rows that are copies"].examples[0]
    assert found["rows whose two texts are the same"].count == 1
    assert found["rows that share their anchor"].count == 3
    assert found["texts with a near-duplicate"].count == 2
    assert found["texts that will be cut"].count == 1 and found.limit == 12
    assert "take an encoder that has these letters" in str(look(read([("a dog", "你好"), ("a cat", "狗")]), encoder))
    # rows 1 to 3 share their anchor: 6 of 30 ordered pairs, with 3 others in a batch of 4
    false = found["false negatives of an anchor in a batch of 4"]
    assert false.count == pytest.approx(3 * 6 / 30) and false.of == 3
    assert [found.as_dict()["lengths"][role]["cut"] for role in ("anchor", "positive")] == [1, 0]
    said = str(found)
    assert "longest 22" in said and "split by clusters" in said and "Scripts: latin 100%" in said
    assert json.loads(json.dumps(found.as_dict()))["rows"] == 6
    assert found.figure().summary.startswith("anchor: median ")


def test_it_is_said_without_what_draws(encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(read([("a dog runs", "an animal"), ("a cat sleeps", "a pet")]), encoder)
    drawn = found.figure().summary
    monkeypatch.setitem(sys.modules, "plotly", None)  # which takes more than a second to load
    assert str(found).endswith(drawn)


def test_rows_of_one_chain_of_near_duplicates_share_nothing_unless_they_are_near(encoder) -> None:
    """Against all pairs of rows compared, among them more texts of the same words than are listed in pairs."""
    rng = random.Random(0)
    chain = [(f"anchor{i}", " ".join(sorted(rng.sample([f"word{k}" for k in range(12)], 6)))) for i in range(150)]
    chain += [(f"a question with one mark{'?' * i}", f"answer{i}") for i in range(60)]
    chain += [(rng.choice(chain)[0], rng.choice(chain)[1]) for _ in range(40)]
    pairs = list(itertools.combinations(chain, 2))
    real = sum(jaccard(a, c) >= 0.7 or jaccard(b, d) >= 0.7 for (a, b), (c, d) in pairs) / len(pairs)
    assert look(read(chain), encoder).together == pytest.approx(real, rel=0.01)


def test_rows_of_one_template_belong_together_though_not_all_pairs_are_listed(encoder) -> None:
    """Against all pairs of rows compared: 400 from a template, some with the same answer, among 200 others."""
    rng = random.Random(0)
    rows = [
        (f"how do i reset the password of my account number {i}", f"answer{rng.randrange(300)}") for i in range(400)
    ]
    rows += [(f"question{i}", f"it is{i} answer{i}") for i in range(200)]
    words = [[set(text.split()) for text in side] for side in zip(*rows)]
    pairs = list(itertools.combinations(range(600), 2))
    real = sum(any(len(w[i] & w[j]) >= 0.7 * len(w[i] | w[j]) for w in words) for i, j in pairs) / len(pairs)
    found = look(read(rows), encoder)
    told = found["false negatives of an anchor in a batch of 128"]
    assert found.together == pytest.approx(real, rel=0.01) and told.count == 127 * found.together > 50
    assert "estimated from 20,000 pairs of rows" in told.examples[0] and told.examples[0] in str(found)
    assert found.twins == pytest.approx([10 / 12] * 400)
    counted = look(read(rows[399:]), encoder)["false negatives of an anchor in a batch of 128"]
    assert counted.count == 0 == len(counted.examples)


def test_contradictions_and_balance(encoder) -> None:
    labelled = read([{"s1": "a dog", "s2": "a cat", "label": "no"}, {"s1": "a cat", "s2": "a dog", "label": "yes"},
                     {"s1": "a hat", "s2": "the hat", "label": "yes"}])  # fmt: skip
    found = look(labelled, encoder)
    assert found["rows that contradict another"].count == 2 and found.balance["yes"] == pytest.approx(2 / 3)
    assert "Classes: no 33.3%, yes 66.7%" in str(found)
    nli = read([{"s1": "a man", "s2": "a person", "label": "entailment"},
                {"s1": "a dog", "s2": "a cat", "label": "contradiction"},
                {"s1": "a person", "s2": "a man", "label": "neutral"}])  # fmt: skip
    assert look(nli, encoder)["rows that contradict another"].count == 0, "entailment goes one way"
    hidden = read([{"s1": "a dog", "s2": "a cat", "label": label} for label in (0, -1)] + [
                   {"s1": "a hat", "s2": "a man", "label": 1}])  # fmt: skip
    assert look(hidden, encoder)["rows that contradict another"].count == 0, "a hidden label says nothing"
    for scores, apart in (((0, 5), 2), ((0, 2), 2), ((0, 1), 0)):  # of 5: a quarter is 1.25
        rows = [*(("a dog", "a cat", score) for score in scores), ("a hat", "a cat", 2.5), ("a hat", "a man", 5)]
        scored = look(read(rows), encoder)
        assert scored["rows that contradict another"].count == apart, scores
    assert scored.balance == pytest.approx({"quarter": 0.15, "median": 0.35, "three quarters": 0.625})
    triplets = read([{"anchor": "a dog", "positive": "a pet", "negative": "a cat"},
                     {"anchor": "a dog", "positive": "the dog", "negative": "a pet"}])  # fmt: skip
    assert look(triplets, encoder)["rows that contradict another"].count == 1


def test_a_text_at_the_limit_is_not_cut_and_one_piece_unknown_is_told(encoder) -> None:
    at_the_limit, longer = (" ".join(["dog"] * (encoder.max_length - 2 + more)) for more in (0, 1))
    found = look(read([(at_the_limit, "a hat"), (longer, "a cat 你")]), encoder)
    assert found.as_dict()["lengths"]["anchor"] == {"median": 12.5, "longest": 13, "cut": 1}
    assert found["texts that will be cut"].count == found["texts with unknown word pieces"].count == 1


def test_twins_are_the_nearest_of_each_text_and_the_largest_first(encoder) -> None:
    texts = ["a b c d e f g h", "a b c d e f g h i", "a b c d e f g h i j", "x y z w"]
    assert look(read(texts), encoder, least=0.7).twins == pytest.approx((9 / 10, 9 / 10, 8 / 9))


def test_ordinary_texts_are_not_odd() -> None:
    assert (
        odd_texts(["A perfectly ordinary sentence.", "Read https://a.example/b for more.", "Two\nlines", "NATO"]) == {}
    )


def test_oddities() -> None:
    texts = ["It is fine & good", "FÃ¼r dich", "<b>bold</b>", "Tom &amp; Jerry", "https://a.example/b", "a\x07b",
             "WHY DO YOU SHOUT AT ME SO", "12 345", "Für dich", "a < b and c > d"]  # fmt: skip
    found = odd_texts(texts)
    assert {name.split(" ")[0]: places for name, places in found.items()} == {
        "read": [1], "markup": [2, 3], "an": [4], "control": [5], "capitals": [6], "no": [7],
    }  # fmt: skip
    assert odd_texts([f"Tom &#{'9' * 5000};"]) == {"markup (tags or entities)": [0]}, "too long for a number"
    acronyms = ["NASA发布了最新的火星照片和数据，供全世界使用", "ماذا تعني منظمة NATO في العالم العربي؟"]
    assert odd_texts([*acronyms, "ПОЧЕМУ ВЫ ТАК КРИЧИТЕ НА МЕНЯ"]) == {"capitals alone": [2]}
    assert scripts(["abc"] * 7 + ["где"] * 7, most=5) == pytest.approx({"LATIN": 3 / 5, "CYRILLIC": 2 / 5})
    assert scripts(["abc", "где"]) == {"LATIN": 0.5, "CYRILLIC": 0.5} and scripts(["12"]) == {}


@pytest.mark.parametrize(
    "text", ["für dich", "привет, мир", "καλημέρα", "שלום", "سلام عليكم", "文字です", "한국어 문장", "it’s"]
)
def test_a_text_in_a_wrong_encoding_is_odd_in_any_script(text: str) -> None:
    read_wrong = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
    assert list(odd_texts([text, "A MANHÃ” disse", "à « Paris »", "Maß“", read_wrong]).values()) == [[4]]


def test_a_row_without_a_label_contradicts_nobody(encoder) -> None:
    rows = [{"sentence1": "a dog", "sentence2": "a cat", "label": label} for label in (1, 0, -1)]
    rows.append({"sentence1": "a bird", "sentence2": "a hat", "label": 0})
    found = look(read(rows), encoder)["rows that contradict another"]
    assert found.count == 2 and "rows 1 and 2" in found.examples[0]
    twice = [rows[0], rows[3], rows[1], {**rows[3], "label": 1}]
    assert "rows 1, 2, 3 and 4" in look(read(twice), encoder)["rows that contradict another"].examples[0]


def test_a_text_among_positives_and_negatives_is_a_contradiction(encoder) -> None:
    rows = [
        {"anchor": "a dog", "positives": ["a pet", "it runs"], "negatives": ["a hat"]},
        {"anchor": "a cat", "positives": ["a pet"], "negatives": ["a pet"]},
        {"anchor": "a dog", "positives": ["an animal"], "negatives": ["it runs", "a bird"]},
    ]
    found = look(read(rows), encoder)["rows that contradict another"]
    assert found.count == 2 and "rows 2 and 3" in found.examples[0]


def test_labels_without_names_are_told_by_number(encoder) -> None:
    columns = {"sentence1": ["a dog", "a cat"], "sentence2": ["a pet", "a hat"], "label": [0, 1]}
    assert look(OwnData("mine", "labelled", columns, [1, 2]), encoder).balance == {"0": 0.5, "1": 0.5}


def test_texts_of_the_same_words_are_shown_and_a_remedy_stands_under_its_finding(encoder) -> None:
    rows = [(f"{asked} {mark * 2}", f"reply {i} {mark}") for i, asked in enumerate(("where is it", "who is it"))
            for mark in "😀😡"]  # fmt: skip
    found = look(read(rows), encoder)
    assert "'where is it 😀😀' ≈ 'where is it 😡😡' (1.00)" in found["texts with a near-duplicate"].examples
    assert len(found["texts with a near-duplicate"].examples) == 3
    lines = str(found).splitlines()
    assert found["false negatives of an anchor in a batch of 4"].examples == ()
    assert "mask_duplicates" in lines[lines.index("false negatives of an anchor in a batch of 4:") + 1]
