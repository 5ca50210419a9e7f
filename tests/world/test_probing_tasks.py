"""The probing tasks of the world: labels against the grammar, classes even, no shortcut that is promised away."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import accumulate, islice

import pytest

from kit.errors import KitError
from kit.world import probing_tasks
from kit.world.drawing import draw
from kit.world.lexicon import NOUNS, VERBS
from kit.world.probe_forms import (
    DEPTHS,
    HOURS,
    KEPT_WORDS,
    LENGTHS,
    TOPS,
    depths,
    inversions,
    kept_words,
    plain_words,
    shifts,
)
from kit.world.probe_words import fitting, objects, odd_ones, split_of, subjects, tenses
from kit.world.probing_tasks import LEAST_ROWS, MOST_OF_A_TARGET, PROBING_TASKS, ProbingTask, probing_task
from kit.world.render import draw_style, render
from kit.world.scene import Party, Scene
from kit.world.trees import TREE_FORMS, Style, Tree, clause, depth, has_tree, sentence, top_constituents

SPLITS = ("train", "validation", "test")
ROWS, FEW = 600, 180


def parts(task: ProbingTask) -> list:
    return [getattr(task, split) for split in SPLITS]


def rows(name: str, seed: int = 0) -> list[tuple[str, int]]:
    task = probing_task(name, ROWS, seed)
    return [row for part in parts(task) for row in zip(*part)]


# --- trees --------------------------------------------------------------------------------


def test_the_words_of_a_tree_are_those_of_the_sentence() -> None:
    rng, seen = random.Random(0), Counter()
    for _ in range(4000):
        scene, style = draw(rng).scene, draw_style(rng)
        style = style._replace(form=TREE_FORMS[int(rng.random() * len(TREE_FORMS))])
        if has_tree(scene, style):
            seen[style.form] += 1
            assert sentence(clause(scene, style)) == render(scene, style)
    assert set(seen) == set(TREE_FORMS) and min(seen.values()) > 300


def bracketed(tree: Tree) -> str:
    return f"({tree.label} {' '.join(part if isinstance(part, str) else bracketed(part) for part in tree.children)})"


def nesting(brackets: str) -> int:
    """The deepest nesting of the brackets."""
    return max(accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in brackets))


# a scene in a style, its tree by hand, the depth of the tree, what stands right below S
BY_HAND = [
    (Scene(Party("man"), "sleep"), Style("progressive", False, 1),
     "(S (NP a man) (VP is (VP sleeping)))", 3, "NP VP"),
    (Scene(Party("man"), "sleep"), Style("past", True, 1), "(S (NP the man) (VP slept))", 2, "NP VP"),
    (Scene(Party("woman"), "read", Party("book"), place="kitchen"), Style("front", False, 0),
     "(S (PP in (NP the kitchen)) , (NP a woman) (VP is (VP reading (NP a book))))", 4, "PP NP VP"),
    (Scene(Party("woman", traits=(("wear:coat", "red"),)), "read", Party("book")), Style("relative", False, 0),
     "(S (NP (NP a woman) (SBAR who (S (VP is (VP wearing (NP a red coat)))))) (VP is (VP reading (NP a book))))",
     7, "NP VP"),
    (Scene(Party("woman", traits=(("wear:coat", "red"),)), "sleep"), Style("simple", False, 0),
     "(S (NP (NP a woman) (PP in (NP a red coat))) (VP sleeps))", 4, "NP VP"),
    (Scene(Party("man"), "sleep", manner=("noise", "quietly")), Style("simple", False, 0),
     "(S (NP a man) (ADVP quietly) (VP sleeps))", 2, "NP ADVP VP"),
    (Scene(Party("man"), "sleep", beside=Party("dog")), Style("progressive", False, 0),
     "(S (NP (NP a man) and (NP his dog)) (VP are (VP sleeping)))", 3, "NP VP"),
    (Scene(Party("man"), "read", Party("book"), posture="sit", spot=("in front of", "house")),
     Style("progressive", False, 1),
     "(S (NP a man) (VP is (VP reading (NP a book) (SBAR while (S (VP sitting (PP in (NP (NP front) "
     "(PP of (NP the house))))))))))", 10, "NP VP"),
    (Scene(Party("man"), "drink", Party("coffee", 0, 9), posture="sit", spot=("on", "bench"), place="park"),
     Style("simple", False, 9),
     "(S (NP a man) (VP (VP sits (PP on (NP a bench)) (PP in (NP the park))) and "
     "(VP drinks (NP (NP a cup) (PP of (NP coffee))))))", 6, "NP VP"),
]  # fmt: skip


def test_trees_by_hand() -> None:
    for scene, style, brackets, deep, top in BY_HAND:
        tree = clause(scene, style)
        assert (bracketed(tree), depth(tree), top_constituents(tree)) == (brackets, deep, top)
        assert depth(tree) == nesting(brackets)


# --- all tasks ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBING_TASKS)
def test_classes_are_even_and_no_sentence_is_in_two_splits(name: str) -> None:
    task = probing_task(name, ROWS)
    texts = [text.lower() for part in parts(task) for text in part.texts]
    assert len(set(texts)) == len(texts) and abs(len(texts) - ROWS) <= 3 * len(task.classes)
    for part in parts(task):
        assert set(Counter(part.labels)) == set(range(len(task.classes)))
        assert len(set(Counter(part.labels).values())) == 1
    assert len(task.train.texts) == pytest.approx(4 * len(task.test.texts), rel=0.3)
    assert task.chance == pytest.approx(100 / len(task.classes))


@pytest.mark.slow
def test_the_same_for_the_same_seed_only() -> None:
    for name in PROBING_TASKS:
        few = LEAST_ROWS if name == "TopConst" else FEW  # eight classes of equal lengths take longest to draw
        task, again = probing_task(name, few), probing_tasks._made.__wrapped__(name, few, 0)
        assert again == task and again is not task
        other = {text for part in parts(probing_task(name, few, seed=1)) for text in part.texts}
        mine = {text for part in parts(again) for text in part.texts}
        assert len(other & mine) < len(mine) / 2


@pytest.mark.parametrize("seed", [1, 2])
def test_the_fewest_rows_that_may_be_asked_for_are_found(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(probing_tasks, "PATIENCE", 20_000)
    assert len(probing_task("SubjNum", LEAST_ROWS, seed).test.texts) == 16


@pytest.mark.slow
def test_length_says_nothing() -> None:
    """Every class occurs equally often at every number of words."""
    for name in ["TreeDepth", "TopConst", "BShift", "SubjNum", "ObjNum", "CoordInv", "Tense"]:
        task = probing_task(name, ROWS)
        for part in parts(task):
            lengths = [
                Counter(len(text.split()) for text, one in zip(*part) if one == label)
                for label in range(len(task.classes))
            ]
            assert all(counts == lengths[0] for counts in lengths)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Tense", "SubjNum", "ObjNum", "BShift", "CoordInv", "SOMO"])
def test_a_bag_of_words_is_near_guessing(name: str) -> None:
    """What these ask for is not in which words there are (for numbers: not in those seen in training)."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    task = probing_task(name, 3000)
    bag = CountVectorizer(tokenizer=plain_words, token_pattern=None)
    model = LogisticRegression(max_iter=300).fit(bag.fit_transform(task.train.texts), task.train.labels)
    held = [*zip(*task.validation), *zip(*task.test)]  # 1,000 sentences
    right = model.predict(bag.transform([text for text, _ in held])) == [label for _, label in held]
    assert 0.42 < right.mean() < 0.63


# --- each task ----------------------------------------------------------------------------


def test_lengths_are_counted() -> None:
    for text, label in rows("SentLen"):
        low, high = LENGTHS[label]
        assert low <= len(re.findall(r"[\w'-]+", text)) <= high


def test_exactly_one_word_of_the_list() -> None:
    kept = kept_words()
    assert len(set(kept)) == KEPT_WORDS and kept == probing_task("WC", ROWS).classes
    for text, label in rows("WC"):
        found = [word for word in re.findall(r"[\w'-]+", text.lower()) if word in kept]
        assert found == [kept[label]]


@pytest.mark.slow
def test_depths_are_the_nesting_of_the_brackets() -> None:
    rng = random.Random(1)
    scenes = [(draw(rng).scene, draw_style(rng)._replace(form=form)) for form in TREE_FORMS for _ in range(300)]
    trees = [clause(*one) for one in scenes if has_tree(*one)]
    assert len(trees) > 1500 and all(depth(tree) == nesting(bracketed(tree)) for tree in trees)
    known = {sentence(tree): nesting(bracketed(tree)) for tree in trees}
    task = probing_task("TreeDepth", ROWS)
    assert task.classes == tuple(map(str, DEPTHS)) and known.keys()
    for candidate in islice(depths(random.Random(1)), 500):
        assert known.get(candidate.text, DEPTHS[candidate.label]) == DEPTHS[candidate.label]


SIGNS = {"NP VP": r"^(?!.*\?$)", "PP NP VP": r"^(In|On|At|By|During|Out|While it)\b[^,]*, ",
         "ADVP NP VP": r"^(Meanwhile|Later|Sometimes|Today|Now|Outdoors|Outside|Indoors|Inside), ",
         "NP ADVP VP": r"\b\w+ly \w+", "SBAR NP VP": r"^While .*, ", "S CC S": r", (and|but) ",
         "CC NP VP": r"^(And|But) ", "V NP VP": r"^(Is|Are) .*\?$"}  # fmt: skip


def test_top_constituents_show() -> None:
    assert set(SIGNS) == set(TOPS)
    for text, label in rows("TopConst"):
        assert re.search(SIGNS[TOPS[label]], text), (text, TOPS[label])
        others = {name for name in ("CC NP VP", "V NP VP") if re.search(SIGNS[name], text)}
        assert others <= {TOPS[label]}


@pytest.mark.slow
def test_a_shift_is_one_swapped_pair() -> None:
    """The generator draws in the same order, so shifted and plain come from known sentences."""
    originals = {render(scene._replace(manner=None), style) for scene, style in drawn(5, 6000)}
    by_words: dict[tuple, list[str]] = {}
    for text in originals:
        by_words.setdefault(tuple(sorted(text[:-1].split())), []).append(text)
    checked = 0
    for candidate in islice(shifts(random.Random(5)), 1500):
        same = by_words.get(tuple(sorted(candidate.text[:-1].split())), [])
        assert (candidate.text in originals) or candidate.label
        for other in same if candidate.label else ():
            if swapped_pair(candidate.text, other):
                checked += 1
                break
    assert checked > 500


def drawn(seed: int, n: int):
    """Scenes with styles as `shifts` draws them, whatever it draws between them."""
    rng = random.Random(seed)
    for _ in range(n):
        scene, style = draw(rng).scene, draw_style(rng)
        yield scene, style
        rng.random()
        words = render(scene._replace(manner=None), style)
        if len(words.split()) >= 5 and "," not in words:
            rng.random()


def swapped_pair(one: str, other: str) -> bool:
    """Whether two sentences differ by one exchange of neighbours, inside, first and last word staying."""
    a, b = one[:-1].split(), other[:-1].split()
    places = [i for i, (x, y) in enumerate(zip(a, b)) if x != y]
    return (
        len(a) == len(b)
        and len(places) == 2
        and places[1] == places[0] + 1
        and places[0] > 0
        and places[1] < len(a) - 1
        and a[places[0]] == b[places[1]]
        and a[places[1]] == b[places[0]]
    )


def test_the_verb_has_the_form_of_its_tense() -> None:
    """The table of verb forms, read by the base form: the one form is there, the other is not."""
    all_forms = [[form.split()[0] for form in forms] for verb in VERBS.values() for forms in verb.forms]
    table = {forms[0]: forms for forms in all_forms}
    seen = Counter()
    for candidate in islice(tenses(random.Random(2)), 800):
        words = set(plain_words(candidate.text))
        base, third, past, *_ = table[candidate.targets[0]]
        assert base != past and not {"is", "are", "was", "were", "being"} & words
        assert (past in words) == bool(candidate.label)
        assert candidate.label or {base, third} & words  # ("hammered a nail with a hammer")
        seen[candidate.label] += 1
    assert min(seen.values()) > 300


def plurals() -> dict[str, set[str]]:
    """The last word of each noun → its plurals."""
    found: dict[str, set[str]] = {}
    for noun in NOUNS.values():
        for one, many in noun.forms:
            found.setdefault(one.lower().split()[-1], set()).add(many.lower().split()[-1])
    return found


def test_the_noun_has_its_number() -> None:
    """The target, with "the", in the singular or in a plural of the table, and not in the other."""
    for name, draw_some in [("SubjNum", subjects), ("ObjNum", objects)]:
        many, seen = plurals(), Counter()
        for candidate in islice(draw_some(random.Random(2)), 800):
            words, noun = plain_words(candidate.text), candidate.targets[0].lower()
            in_plural = bool(many[noun] & set(words))
            assert (noun in words) != in_plural and in_plural == bool(candidate.label), candidate
            before = words[: min(words.index(word) for word in {noun} | many[noun] if word in words)]
            assert "the" in before[-4:], "articles and number words do not tell"
            seen[candidate.label] += 1
            if name == "SubjNum":
                assert not {"is", "are", "was", "were", "alone", "together", "their", "his", "her"} & set(words)
        assert min(seen.values()) > 300


@pytest.mark.slow
def test_target_words_are_in_one_split_only() -> None:
    for name in ["SubjNum", "ObjNum", "Tense", "SOMO"]:
        from kit.world.probing_tasks import KINDS

        home: dict[str, set[str]] = {}
        task = probing_task(name, ROWS)
        where = {text.lower(): split for split, part in zip(SPLITS, parts(task)) for text in part.texts}
        used: dict[str, Counter] = {split: Counter() for split in SPLITS}
        for candidate in islice(KINDS[name].draw(random.Random(f"0 probing {name}")), 6_000):
            split = where.get(candidate.text.lower())
            if split:
                used[split].update(candidate.targets)
                for word in candidate.targets:
                    home.setdefault(word, set()).add(split)
                    assert split_of(word) == split
        assert home and all(len(splits) == 1 for splits in home.values())
        assert all(len(counts) > 5 for counts in used.values())
        assert 0 < MOST_OF_A_TARGET < 0.2


@pytest.mark.slow
def test_odd_objects_are_in_no_line_of_the_table() -> None:
    """An exchanged object is one that no frame gives the verb; the words are the same in both classes."""
    from kit.world.frames import FRAMES

    seen = Counter()
    table = {frame.verb: set() for frame in FRAMES if frame.verb}
    for frame in FRAMES:
        if frame.verb:
            table[frame.verb] |= {noun for noun, _ in frame.objects.items}
    for candidate in islice(odd_ones(random.Random(3)), 3000):
        seen[candidate.label] += 1
        assert len(candidate.targets) == 2
    assert abs(seen[0] - seen[1]) < 300
    assert "book" in fitting("read") and "sandwich" in fitting("eat") and "book" not in fitting("eat")
    assert all(table[verb] <= fitting(verb) for verb in table)
    pool = [set(plain_words(text)) for text, label in rows("SOMO") if label]
    assert not any({"reading", "a", "book"} <= words and len(words) <= 6 for words in pool)


def test_inverted_clauses_are_the_same_two_clauses() -> None:
    pronouns, order = {"he", "she", "they"}, {hour: i for i, hour in enumerate(HOURS)} | {"midday": 1, "sunset": 9}
    seen = Counter()
    for candidate in islice(inversions(random.Random(4)), 600):
        first, second = re.split(r", (?:and|but) ", candidate.text[:-1].lower())
        starts = [part.split()[0] in pronouns for part in (first, second)]
        if any(starts):
            assert starts == [bool(candidate.label), not candidate.label]
        else:
            hours = [next(order[word] for word in reversed(part.split()) if word in order) for part in (first, second)]
            assert (hours[0] > hours[1]) == bool(candidate.label) and hours[0] != hours[1]
        seen[any(starts), candidate.label] += 1
    assert len(seen) == 4 and min(seen.values()) > 100


# --- refusals -----------------------------------------------------------------------------


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(KitError, match="unknown probing task 'tence'"):
        probing_task("tence")
    for bad in (99, 2.5, True, "many"):
        with pytest.raises(KitError, match="rows as a whole number from 100"):
            probing_task("Tense", bad)
