"""Near-duplicates against all pairs by hand, and splits that leak nothing."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from kit.errors import KitError
from kit.owndata import OwnData, jaccard, leaks, near_duplicates, read, split, word_sets
from kit.owndata.minhash import clusters, near_texts
from kit.owndata.split_own import _dealt, row_clusters


def made_up(count: int, seed: int = 0) -> list[str]:
    """Sentences, a third of which repeat another one with a word exchanged."""
    rng, words, texts = random.Random(seed), [f"w{i}" for i in range(300)], []
    for _ in range(count):
        own = rng.choice(texts).split() if texts and rng.random() < 0.33 else rng.choices(words, k=rng.randint(4, 14))
        own[rng.randrange(len(own))] = rng.choice(words)
        texts.append(" ".join(own))
    return list(dict.fromkeys(texts))


@pytest.mark.slow
def test_pairs_are_those_of_all_pairs_compared(capsys) -> None:
    texts = made_up(400)
    every = {(i, j): jaccard(a, b) for (i, a), (j, b) in combinations(enumerate(texts), 2)}
    wanted = {pair for pair, similarity in every.items() if similarity >= 0.7}
    found = near_duplicates(texts)
    assert all(every[i, j] == similarity >= 0.7 for i, j, similarity in found), "nothing that is not so"
    assert len(wanted) > 50 and len(wanted & {(i, j) for i, j, _ in found}) > 0.95 * len(wanted)
    assert near_duplicates(texts) == found, "the same again"
    assert not capsys.readouterr().err
    assert near_duplicates(texts, progress=True) == found
    assert {"words", "signatures", "bands"} <= set(re.findall(r"[a-z]+", capsys.readouterr().err))


def test_what_counts_as_a_word() -> None:
    assert jaccard("How do I reset it?", "how do i RESET it") == 1
    assert jaccard("a b c", "a b d") == pytest.approx(0.5)
    assert jaccard("你好吗", "你好") == pytest.approx(3 / 5), (
        "scripts without spaces go by characters and pairs of them"
    )
    assert (
        jaccard("蜜蜂", "蜂蜜") == pytest.approx(1 / 2)
        and jaccard("我家的猫在花园里睡觉", "我家的狗在花园里睡觉") > 0.7
    )
    assert near_duplicates(["?!", "?!", "..."])[0][:2] == (0, 1) and near_duplicates(["one"]) == []
    assert len(near_duplicates(["the same words"] * 60)) >= 59, "enough to connect them"
    for least in (0.2, 1.5, float("nan"), "0.7"):
        with pytest.raises(KitError, match="the least similarity above 0.3"):
            near_duplicates(["a", "b"], least)
    assert clusters(5, [(0, 1, 1.0), (1, 4, 0.8)]).tolist() == [0, 0, 1, 2, 0] and clusters(2, []).tolist() == [0, 1]


def test_long_texts_of_the_same_characters_are_no_near_duplicates() -> None:
    letters = [chr(0x4E00 + i) for i in range(60)]
    first, second = ("".join(random.Random(seed).choices(letters, k=600)) for seed in range(2))
    assert set(first) == set(second) and jaccard(first, second) < 0.3
    assert jaccard(first, f"{first[:-20]}{second[:20]}") > 0.9


def test_texts_of_one_template_are_connected_by_few_pairs_and_others_stay_apart() -> None:
    """All 499,500 pairs of the first are near-duplicates, and of those of the second template alone."""
    first = [f"how do i reset the password of my account number {i}" for i in range(1000)]
    second = [f"where is the parcel that i have ordered on day {i}" for i in range(100)]
    near = near_texts([*first, *second, "how do i reset the clock"])
    assert sorted(Counter(near.clusters.tolist()).values()) == [1, 100, 1000]
    assert len(near.first) < 10 * 1100 and not near.listed
    assert all(jaccard(first[i], first[j]) == s for i, j, s in near.pairs(50))
    equal = near_texts([f"the same words{'!' * i}" for i in range(60)])
    assert equal.listed and len(set(equal.clusters.tolist())) == 1, "all that are alike have the same words"


def test_a_lower_limit_finds_as_large_a_share_of_its_pairs() -> None:
    rng, texts = random.Random(0), []
    for i in range(0, 1600, 8):  # two texts with 8 words each, of which 5 are common
        words = [f"w{i + k}" for k in range(8)]
        texts += [" ".join(words), " ".join([*rng.sample(words, 5), f"x{i}", f"y{i}", f"z{i}"])]
    real = 5 / 11
    for least in (0.35, 0.45):
        found = near_duplicates(texts, least)
        assert all(similarity == real for *_, similarity in found) and len(found) > 0.85 * 200, least


def test_long_texts_are_compared_in_portions_of_words(monkeypatch) -> None:
    texts = made_up(100)
    whole, sizes = near_duplicates(texts), []
    monkeypatch.setattr(word_sets, "WORDS_AT_ONCE", 100)
    sort = np.sort
    monkeypatch.setattr(np, "sort", lambda keys: sizes.append(len(keys)) or sort(keys))
    assert near_duplicates(texts) == whole and len(sizes) > 2 and max(sizes) < 100 + 2 * 14


def own(rows: int = 300) -> OwnData:
    texts = made_up(rows)
    return read([(text, f"answer of {i}") for i, text in enumerate(texts)])


def test_a_split_leaks_nothing_and_says_what_chance_would_have_leaked() -> None:
    data = own()
    parts = split(data, by=("anchor",))
    assert sorted(n for part in parts.parts.values() for n in part.numbers) == data.numbers, "every row once"
    assert all(abs(len(parts[name]) / len(data) - share) < 0.02 for name, share in (("train", 0.8), ("test", 0.1)))
    for name in ("validation", "test"):
        assert leaks(parts["train"], parts[name], by=("anchor",)) == []
        assert parts.leaked_by_chance[name] > 0.2 * len(parts[name])
    assert "clusters of rows that share an anchor, nearly or wholly" in parts.summary()
    assert "none in two parts. A random split would have leaked, on average, " in parts.summary()
    again = split(data, by=("anchor",))
    assert [p.numbers for p in again.parts.values()] == [p.numbers for p in parts.parts.values()]
    assert split(data, by=("anchor",), seed=1)["test"].numbers != parts["test"].numbers
    mixed = np.random.default_rng(0).permutation(len(data)).tolist()
    train, test = data.take(mixed[:240]), data.take(mixed[240:])
    leaked = leaks(train, test, by=("anchor",))
    by_hand = [i for i, a in enumerate(test["anchor"]) if max(jaccard(a, b) for b in train["anchor"]) >= 0.7]
    assert set(by_hand) - set(leaked) == set() and len(by_hand) > 5


def test_least_decides_what_hangs_together() -> None:
    texts = [f"w{i} x{i} y{i} z{i}" for i in range(8)]
    texts += [f"{text} v{i}" for i, text in enumerate(texts)]
    data = read([(text, f"answer of {i}") for i, text in enumerate(texts)])
    near, equal = (split(data, {"train": 0.5, "test": 0.5}, by=("anchor",), least=least) for least in (0.75, 1.0))
    assert (near.clusters, equal.clusters) == (8, 16), "four words of five are shared by two rows each"
    halves = data.take([*range(8)]), data.take([*range(8, 16)])
    assert [leaks(*halves, ("anchor",), least) for least in (0.75, 1.0)] == [[*range(8)], []]


def test_chance_leaks_what_has_a_partner_in_train_alone() -> None:
    rows = [{"question": f"q{i} x{i * i}", "answer": f"a{i} y{i * 7}", "group": i // 2} for i in range(400)]
    found = split(read(rows), {"train": 0.5, "validation": 0.25, "test": 0.25}).leaked_by_chance
    assert found == pytest.approx({"validation": 50, "test": 50}, abs=10), "half of the partners of 100 rows"


def test_the_seed_numbers_the_words() -> None:
    texts = made_up(400)
    zero, one = (near_duplicates(texts, seed=seed) for seed in (0, 1))
    assert set(zero) & set(one) and zero != one, "near the limit each numbering misses others"


def test_every_part_has_its_share_of_the_clusters_of_each_size() -> None:
    sizes = [40] + [3] * 100 + [2] * 100 + [1] * 500
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    rows = [{"question": f"q{i} x{i * i}", "answer": f"a{i}", "group": group} for i, group in enumerate(groups)]
    parts = split(read(rows))
    assert "0" in set(parts["train"]["group"]), "one of 40 rows would be nearly half of a small part"
    for name, share in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        counts = Counter(Counter(parts[name]["group"]).values())
        for size, there in ((3, 100), (2, 100), (1, 500)):
            assert abs(counts[size] - share * there) <= 0.06 * there, (name, size, counts)


def test_small_data_and_equal_clusters_come_to_all_parts() -> None:
    for rows, each, wanted in (
        (10, 1, [8, 1, 1]),
        (30, 1, [24, 3, 3]),
        (100, 1, [80, 10, 10]),
        (600, 5, [480, 60, 60]),
    ):
        data = read([{"question": f"q{i} x{i}", "answer": f"a{i}", "group": i // each} for i in range(rows)])
        assert [len(part) for part in split(data).parts.values()] == wanted, rows
    few = read([(f"q{i} x{i}", f"a{i}") for i in range(4)])
    with pytest.raises(KitError, match="in every part, but test got none of 4 .in 4 clusters, the largest of 1.: give"):
        split(few)


def test_where_every_part_has_room_for_every_cluster_each_takes_what_it_lacks_most() -> None:
    """The dealing of 2,000 rows in clusters of up to 8, against the rule in one line."""
    sizes, parts = np.random.default_rng(0).integers(1, 9, 450), {"train": 0.8, "validation": 0.1, "test": 0.1}
    shuffled = np.random.default_rng(1).permutation(len(sizes))
    lacks = np.array([*parts.values()]) * sizes.sum()
    wanted = np.empty(len(sizes), dtype=int)
    for cluster in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        wanted[cluster] = np.argmax(lacks / [*parts.values()])
        lacks[wanted[cluster]] -= sizes[cluster]
    assert _dealt(sizes, parts, np.random.default_rng(1)).tolist() == wanted.tolist()


def test_groups_and_shared_texts_stay_together() -> None:
    rows = [{"question": f"what is {i} of {i * i}", "answer": f"it is number {i}", "group": i // 3} for i in range(30)]
    data = read(rows)
    assert data.columns["group"][0] == "0"
    parts = split(data, {"train": 0.5, "test": 0.5})
    assert "rows that share a group, or a text, nearly or wholly" in parts.summary()
    assert not set(parts["train"]["group"]) & set(parts["test"]["group"])
    for nothing in (None, "", " "):
        gaps = read([{**row, "group": row["group"] if row["group"] == 0 else nothing} for row in rows])
        assert np.bincount(row_clusters(gaps)).tolist() == [3] + [1] * 27, "a row without a group is in none"
    shared = read([(f"question {i} about x{i}", "the answer" if i < 8 else f"other y{i}") for i in range(20)])
    assert len(set(row_clusters(shared)[:8].tolist())) == 1 < len(set(row_clusters(shared, ("anchor",)).tolist()))
    long = " ".join(f"w{k}" for k in range(40))
    for rows, settings, sentence in (
        ([(f"q{i} w{i}", "yes") for i in range(9)], {}, "9 of 9 hang together .the most frequent text is 'yes'"),
        ([f"{long} {i}" for i in range(9)], {}, "9 of 9 .* no text stands in two rows: .* near"),
        ([(f"q{i} w{i}", f"a{i}") for i in range(9)], {"parts": {"train": 0.5}}, "two parts or more with shares"),
        ([("a", "b"), ("c", "d")], {}, "as many rows as parts, 3, got 2"),
        ([(f"q{i} w{i}", f"a{i}") for i in range(9)], {"by": ("text",)}, "roles of pairs, .*, got 'text'"),
    ):
        with pytest.raises(KitError, match=sentence):
            split(read(rows), **settings)


def test_words_of_any_script_stay_whole() -> None:
    """Vowels of Hindi are marks, no letters; é may be one character or two."""
    assert jaccard("राम", "मेरा") == 0
    assert jaccard("मेरा नाम राम", "मेरा नाम मोहन") == 0.5
    assert jaccard("caf\u00e9 ol\u00e9", "cafe\u0301 ole\u0301") == 1
    assert jaccard("snake_case", "snake é case") == 2 / 3


def test_how_a_word_is_written_makes_no_other_word() -> None:
    assert (
        jaccard("Straße", "STRASSE")
        == jaccard("ｋｅｙ １２", "key 12")
        == jaccard("wonder\u00adful é", "wonderful é")
        == 1
    )
    assert jaccard("ガ ﾈｺ", "ｶﾞ ネコ") == 1 and jaccard("ﾈｺﾖ", "ﾈｺ") == jaccard("ネコヨ", "ネコ"), (
        "half-width kana are kana"
    )
    assert jaccard("Acme™ x² é", "Acme x2 é") == 1, "a sign is none of the letters it is drawn with"


def test_a_long_search_for_what_hangs_together_shows_how_far_it_is(capsys) -> None:
    data = read([(f"question {i} of {i}", f"answer {i} to {i}") for i in range(12)])
    parts = split(data, progress=True)
    assert "signatures" in capsys.readouterr().err
    assert leaks(parts["train"], parts["test"], progress=True) == [] and "signatures" in capsys.readouterr().err
    assert split(data) == parts and not capsys.readouterr().err
