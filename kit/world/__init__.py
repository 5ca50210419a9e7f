"""A made-up world of scenes whose meaning is known, told in caption-like English.

It stands in where no data can be had, and it is a wind tunnel: labels are exact, similarity is graded, words follow
Zipf's law, and there is as much of it as one asks for. A result measured on it says nothing about English.

    frames.txt, nouns, verbs, places    what there is and what plausibly happens
    scene, drawing                      what a sentence means; scenes at random
    plausible                           what can stand where and when
    phrases, render, caption_forms      from a scene to a sentence, in some thirty forms
    scene_relations                     what implies or excludes what, decided on scenes
    disputed, shades                    where readers would differ; words they do not hold apart
    operations, shortening, balance     one change that makes the label; what is done alike for all labels
    hypotheses, graded_pairs            premises with hypotheses; pairs with a score
    stories, opinions_and_questions     documents; opinions and questions
    trees, probing_tasks, probing_accuracy   how a sentence is built; what a vector knows of it
    stand_in, recorded                  the world in the shapes that kit.data loads, where no data can be had; kept rows
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from kit.data.nli import CONTRADICTION, ENTAILMENT, NEUTRAL, Group
from kit.errors import KitError
from kit.number_checks import whole_number
from kit.world.balance import Balance
from kit.world.drawing import draw
from kit.world.graded_pairs import graded_pairs, similarity
from kit.world.hypotheses import AVAILABLE, Explained, Hypothesis, explained
from kit.world.opinions_and_questions import QUESTION_CLASSES, opinions, questions
from kit.world.predicates import Style
from kit.world.render import draw_style, render
from kit.world.scene import MANY, Party, Scene
from kit.world.scene_relations import implies, incompatible, relation
from kit.world.stories import Storyteller

__all__ = [
    "AVAILABLE",
    "MANY",
    "QUESTION_CLASSES",
    "Explained",
    "Hypothesis",
    "Party",
    "Scene",
    "Style",
    "World",
    "draw_style",
    "implies",
    "incompatible",
    "relation",
    "render",
    "similarity",
]

LABEL_OF = {"positives": ENTAILMENT, "neutrals": NEUTRAL, "negatives": CONTRADICTION}
REPEATS = 50  # draws of a known text in a row after which a repetition is accepted


class World:
    """Sentences, pairs, groups and documents without limit, the same for the same seed.

    Each method starts anew from the seed, so a call with a larger `n` begins with what a
    call with a smaller one gives; another seed is another draw of the same world.
    All raise KitError for a number that is not a whole number of at least 1.

    >>> World(0).sentences(1) == World(0).sentences(3)[:1]
    True
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = whole_number("seed", seed)

    def sentences(self, n: int) -> list[str]:
        """`n` captions, no two the same as long as there are others."""
        rng = self._rng("sentences")
        return _distinct((render(draw(rng).scene, draw_style(rng)) for _ in _forever()), n)

    def scenes(self, n: int) -> list[tuple[str, Scene]]:
        """`n` captions, each with the scene that it tells."""
        rng = self._rng("sentences")
        drawn = (draw(rng).scene for _ in _forever())
        return _distinct(((render(scene, draw_style(rng)), scene) for scene in drawn), n)

    def explained(self, n: int, positives: int = 5, negatives: int = 5, neutrals: int = 2) -> list[Explained]:
        """`n` anchors with so many hypotheses of each label, their scenes and operations.

        An operation is the change that made the hypothesis: "drop detail", "hypernym",
        "rephrase", "negation", "other action" and so on. The label is decided on the scenes
        by `relation`. Raises KitError for more than AVAILABLE hypotheses of a label.
        """
        asked = {"positives": positives, "neutrals": neutrals, "negatives": negatives}
        wanted = {LABEL_OF[kind]: _available(kind, count) for kind, count in asked.items()}
        if not any(wanted.values()):
            raise KitError("a group needs at least one hypothesis, but none was asked for.")
        return self._explained(whole_number("n", n, 1), wanted)

    def groups(self, n: int, positives: int = 5, negatives: int = 5, neutrals: int = 2) -> list[Group]:
        """`n` groups of an anchor with its hypotheses, the anchors all different.

        Contradictions keep the anchor's form of sentence oftener than entailments do, so the
        share of common words tells little; nor does a word or the length of a hypothesis (`balance`).
        Raises KitError for more than AVAILABLE hypotheses of a label.
        """
        groups = []
        for index, found in enumerate(self.explained(n, positives, negatives, neutrals)):
            texts = tuple(hypothesis.text for hypothesis in found.hypotheses)
            labels = tuple(hypothesis.label for hypothesis in found.hypotheses)
            groups.append(Group(index, found.anchor, texts, labels))
        return groups

    def nli(self, n: int) -> dict[str, list]:
        """`n` rows: premise, hypothesis, label (0, 1, 2 in turn; six rows to a premise)."""
        n = whole_number("n", n, 1)
        columns: dict[str, list] = {"premise": [], "hypothesis": [], "label": []}
        for found in self._explained(-(-n // 6), {0: 2, 1: 2, 2: 2}):
            by_turns = [found.hypotheses[label * 2 + turn] for turn in (0, 1) for label in range(3)]
            columns["premise"] += [found.anchor] * 6
            columns["hypothesis"] += [hypothesis.text for hypothesis in by_turns]
            columns["label"] += [hypothesis.label for hypothesis in by_turns]
        return {name: values[:n] for name, values in columns.items()}

    def pairs(self, n: int) -> dict[str, list]:
        """`n` rows: sentence1, sentence2, score from 0 to 5, subset ("world").

        The score is 5 times `similarity` of the two scenes; its formula is told there.
        """
        rows = _distinct(graded_pairs(self._rng("pairs")), n)
        first, second, scores = (list(column) for column in zip(*rows, strict=True))
        subset = ["world"] * len(rows)
        return {"sentence1": first, "sentence2": second, "score": scores, "subset": subset}

    def documents(self, n: int, tokens: int = 2048) -> list[str]:
        """`n` stories of at least `tokens` words (parted by white space), with paragraphs."""
        tokens = whole_number("tokens", tokens, 1)
        rng = self._rng("documents")
        return [Storyteller(rng).document(tokens) for _ in range(whole_number("n", n, 1))]

    def opinions(self, n: int) -> dict[str, list]:
        """`n` rows: text, label (1 praise, 0 blame)."""
        return _columns(_distinct(opinions(self._rng("opinions")), n), ("text", "label"))

    def questions(self, n: int) -> dict[str, list]:
        """`n` rows: text, label, which is the place in `QUESTION_CLASSES`.

        All six classes of TREC occur, but only as far as scenes go: HUM asks who, LOC where,
        NUM how many, ENTY what is acted on, DESC why or what a verb means, and ABBR is a
        list of abbreviations.
        """
        return _columns(_distinct(questions(self._rng("questions")), n), ("text", "label"))

    def _rng(self, what: str) -> random.Random:
        return random.Random(f"{self.seed} {what}")  # a str seed does not depend on hashes

    def _explained(self, n: int, wanted: dict[int, int]) -> list[Explained]:
        rng, taken, balance = self._rng("groups"), set(), Balance()
        return [explained(rng, wanted, taken, balance) for _ in range(n)]


def _forever() -> Iterator[None]:
    while True:
        yield None


def _distinct(rows: Iterator, n: int) -> list:
    """The first `n` rows with new texts; a known one only after many in a row."""
    n, found, seen, known = whole_number("n", n, 1), [], set(), 0
    for row in rows:
        key = row if isinstance(row, str) else row[0]
        if key in seen and known < REPEATS:
            known += 1
            continue
        known = 0
        seen.add(key)
        found.append(row)
        if len(found) == n:
            return found
    return found


def _columns(rows: list[tuple], names: tuple[str, ...]) -> dict[str, list]:
    columns = zip(*rows, strict=True)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def _available(kind: str, count: int) -> int:
    """`count` hypotheses of a kind, checked against what a scene can give."""
    count, most = whole_number(kind, count, 0), AVAILABLE[LABEL_OF[kind]]
    if count > most:
        raise KitError(
            f"{kind} must be at most {most}, for an anchor of the world has no more to give, "
            f"but came as {count}: ask for fewer."
        )
    return count
