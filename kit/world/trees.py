"""The phrase structure of an active sentence: which words make a phrase, and what lies in what.

`clause` builds the tree by the rules by which `render` writes the sentence; the words of the tree
are those of the sentence, and a test holds the two together. The labels are those of the Penn
Treebank. Two things are kept flat: a noun phrase of determiner, adjectives and noun, and a verb of
several words ("take a picture of").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kit.world.phrases import circumstance, companion, noun_phrase, verb_form
from kit.world.predicates import BASE, ING, PAST, THIRD, Style, around, joined, object_phrase, spot_part, subject_phrase
from kit.world.scene import Scene

TREE_FORMS = ("progressive", "simple", "past", "pastprogressive", "front", "relative")


class Tree(NamedTuple):
    """A phrase: its label and its parts, each a phrase or a word; a comma is a word."""

    label: str
    children: tuple

    def words(self) -> Iterator[str]:
        """The words, from left to right."""
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child.words()


def depth(tree: Tree) -> int:
    """How many phrases lie around the most deeply nested word.

    >>> depth(Tree("S", (Tree("NP", ("dogs",)), Tree("VP", ("bark",)))))
    2
    """
    return 1 + max((depth(child) for child in tree.children if isinstance(child, Tree)), default=0)


def top_constituents(tree: Tree) -> str:
    """The labels of the phrases right below the sentence, commas left out: "PP NP VP"."""
    return " ".join(child.label for child in tree.children if isinstance(child, Tree))


def replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with `new` wherever it has `old`."""
    if tree == old:
        return new
    parts = (replaced(part, old, new) if isinstance(part, Tree) else part for part in tree.children)
    return Tree(tree.label, tuple(parts))


def sentence(tree: Tree, end: str = ".") -> str:
    """The words as a sentence: a capital at the start, `end` at the end."""
    text = " ".join(tree.words()).replace(" ,", ",")
    return text[0].upper() + text[1:] + end


def has_tree(scene: Scene, style: Style) -> bool:
    """Whether `clause` has a tree for it: somebody does something, told in one of TREE_FORMS."""
    return bool(scene.who and scene.verb) and not scene.negated and style.form in TREE_FORMS


def clause(scene: Scene, style: Style) -> Tree:
    """The tree of `render(scene, style)`, for what `has_tree`; its label is S."""
    lead, fronted = (), None
    if style.form == "front":
        fronted = next((role for role in ("time", "place", "weather") if getattr(scene, role)), None)
        if fronted:
            lead = (phrase(circumstance(scene, fronted, style.word)), ",")
    subject, plural = _subject(scene, style)
    be, which = ("are" if plural else "is"), ING
    if style.form == "simple":
        be, which = "", BASE if plural else THIRD
    elif style.form == "past":
        be, which = "", PAST
    elif style.form == "pastprogressive":
        be = "were" if plural else "was"
    early, rest = _predicate(scene, style, which, fronted)
    if be:
        return Tree("S", (*lead, subject, Tree("VP", (be, *early, rest))))
    return Tree("S", (*lead, subject, *early, rest))


def phrase(text: str) -> Tree:
    """A prepositional phrase, adverb or "while" clause from its words."""
    first, _, rest = text.partition(" ")
    if not rest:
        return Tree("ADVP", (first,))
    if first == "while":
        who, verb = rest.split(" ")
        return Tree("SBAR", (first, Tree("S", (Tree("NP", (who,)), Tree("VP", (verb,))))))
    if rest.startswith("at "):  # "out at sea"
        return Tree("PP", (first, phrase(rest)))
    if rest.startswith("front of "):
        inner = phrase(rest.removeprefix("front "))
        return Tree("PP", (first, Tree("NP", (Tree("NP", ("front",)), inner))))
    return Tree("PP", (first, noun(rest)))


def noun(text: str) -> Tree:
    """A noun phrase; "a cup of coffee" holds two of them."""
    head, of, rest = text.partition(" of ")
    if of:
        return Tree("NP", (noun(head), Tree("PP", ("of", noun(rest)))))
    return Tree("NP", tuple(text.split(" ")))


def _subject(scene: Scene, style: Style) -> tuple[Tree, bool]:
    """The subject with what it wears and who goes along; whether it is plural."""
    definite, word = style.definite, style.word
    text, plural = subject_phrase(scene, style, "")
    if joined(scene, style):
        alone = text.removesuffix(" and " + companion(scene))
        return Tree("NP", (noun(alone), "and", noun(companion(scene)))), plural
    bare = noun(text)
    how = "wearing" if word % 2 else "in"
    garments = noun_phrase(scene.who, word, definite, how).removeprefix("some ").removeprefix(text).strip()
    if not garments:
        return bare, plural
    worn = noun(garments.removeprefix(how + " "))
    if style.form == "relative":
        said = Tree("VP", ("are" if plural else "is", Tree("VP", ("wearing", worn))))
        return Tree("NP", (bare, Tree("SBAR", ("who", Tree("S", (said,)))))), plural
    return Tree("NP", (bare, Tree("VP" if how == "wearing" else "PP", (how, worn)))), plural


def _predicate(scene: Scene, style: Style, which: int, fronted: str | None) -> tuple[tuple, Tree]:
    """What stands before the verb (an adverb, or nothing) and the verb phrase."""
    spot = tuple(phrase(text) for text in spot_part(scene, style))
    rest = tuple(phrase(text) for text in around(scene, style, fronted))
    early, core = _core(scene, style, which)
    if scene.posture is None:
        return early, Tree("VP", (*core, *spot, *rest))
    if not spot or style.word % 3 == 0 or (which != ING and style.word % 3 == 1):
        position = [verb_form(scene.posture, which, style.word), *spot]
        if scene.place and fronted != "place":
            place = phrase(circumstance(scene, "place", style.word))
            position.append(place)
            rest = tuple(part for part in rest if part != place)
        action = Tree("VP", (*early, *core, *rest))
        return (), Tree("VP", (Tree("VP", tuple(position)), "and", action))
    sitting = Tree("VP", (verb_form(scene.posture, ING, style.word), *spot))
    while_ = Tree("SBAR", ("while", Tree("S", (sitting,))))
    return early, Tree("VP", (*core, while_, *rest))


def _core(scene: Scene, style: Style, which: int) -> tuple[tuple, tuple]:
    """An adverb that comes before the verb, if any; verb, object, later adverb and tool."""
    adverb = (Tree("ADVP", (scene.manner[1],)),) if scene.manner else ()
    early = adverb if adverb and scene.manner[0] != "company" and style.word % 3 == 0 else ()
    parts = list(verb_form(scene.verb, which, style.word).split(" "))
    if scene.object is not None:
        parts.append(noun(object_phrase(scene, style)))
    if adverb and not early:
        parts += adverb
    if scene.tool is not None:
        parts.append(phrase("with " + noun_phrase(scene.tool, style.word).removeprefix("some ")))
    return early, tuple(parts)
