"""The word lists parsed into nouns, verbs, places and times, each with its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kit.english.inflect import gerund, participle, past, plural, third_person
from kit.world import nouns, places, verbs


@dataclass(slots=True, eq=False)
class Noun:
    """A noun and its meaning: a path of kinds and, for people, sex, age and occupations.

    `forms` holds (singular, plural) for each synonym. `parents` are the nouns one step more
    general; `dimensions` the adjective dimensions that fit.
    """

    name: str
    forms: tuple[tuple[str, str], ...]
    kind: tuple[str, ...]
    parents: tuple[str, ...]
    dimensions: tuple[str, ...] = ()
    mark: str = ""  # "~" mass, "+" plural only, "^" no article, "@" always "the", "&" a pair
    silent: bool = False
    sex: str = ""
    age: str = ""
    occupations: frozenset[str] = frozenset()
    is_person: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_person = self.kind == ("person",)


@dataclass(slots=True, eq=False)
class Verb:
    """An action. `forms` holds (base, third, past, participle, -ing) for each synonym."""

    name: str
    forms: tuple[tuple[str, ...], ...]
    path: tuple[str, ...]
    uses: frozenset[str]
    postures: frozenset[str]
    parent: str
    intransitive: bool
    silent: bool


@dataclass(slots=True, eq=False)
class Place:
    """A place; `setting` is "outdoors", "indoors" or "" where it may be either."""

    name: str
    phrases: tuple[str, ...]
    setting: str


# name, marks, irregular plural, "=" and another word with its plural
NOUN_TOKEN = re.compile(r"([^=(~+^@!&]+)(\([^)]*\))?([~+^@!&]*)(?:=([^(]+)(\([^)]*\))?)?")
VERB_TOKEN = re.compile(r"(\w+)([-!]*)(?:=(\w+))?")


def _forms(token: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """(name, marks, ((singular, plural), ...)) of a token such as `piece~` or `man(men)|guy`."""
    alternatives = token.split("|")
    name, irregular, marks, word, irregular_word = NOUN_TOKEN.fullmatch(alternatives[0]).groups()
    spelled = [(word or name, irregular or irregular_word)]
    spelled += [NOUN_TOKEN.fullmatch(other).group(1, 2) for other in alternatives[1:]]
    forms = []
    for singular, many in spelled:
        singular = singular.replace("_", " ")
        many = many[1:-1].replace("_", " ") if many else plural(singular)
        forms.append((singular, singular if "+" in marks else many))
    return name, marks, tuple(forms)


def _lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in filter(str.strip, text.splitlines()):
        head, _, words = line.partition(":")
        yield head.strip(), words.split()


def _things() -> dict[str, Noun]:
    found: dict[str, Noun] = {}
    for head, words in _lines(nouns.THINGS):
        match = re.fullmatch(r"(\S+)(?:\s+\[(.*)\])?", head)
        parent = found.get(match[1])
        inherited = parent.dimensions if parent else ()
        dimensions = inherited if match[2] is None else tuple(match[2].split())
        for token in words:
            name, marks, forms = _forms(token)
            kind = (*parent.kind, name) if parent else (name,)
            parents = (parent.name,) if parent and not parent.silent else ()
            mark, silent = marks.replace("!", ""), "!" in marks
            found[name] = Noun(name, forms, kind, parents, dimensions, mark, silent)
    return found


def _people() -> dict[str, Noun]:
    above: dict[str, set[str]] = {}
    for job, kinds in _lines(nouns.OCCUPATIONS):
        for kind in kinds:
            above.setdefault(kind, set()).add(job)
    found: dict[str, Noun] = {}
    for head, words in _lines(nouns.PEOPLE):
        sex, age = (code.strip("-") for code in head.split())
        for token in words:
            name, mark, forms = _forms(token)
            plain = name in PLAIN or mark == "&"
            jobs = set() if plain else _closure(name, above)
            parents = [*sorted(above.get(name, ())), PARENT_BY_CODE.get((sex, age), "person")]
            if name in ("man", "woman", "child"):
                parents = ["person"]
            elif name in ("boy", "girl"):
                parents = ["child"]
            elif name == "person":
                parents = []
            elif mark == "&":
                parents = ["child" if age == "child" else "person"]
            dims = ("mood", "height", "energy") if age == "child" else ADULT_DIMENSIONS
            dims = () if mark or name in NO_ADJECTIVES else dims
            dims = (*dims, "beard") if sex == "m" and age == "adult" else dims
            found[name] = Noun(name, forms, ("person",), tuple(parents), dims, mark, False, sex, age, frozenset(jobs))
    return found


def _closure(name: str, above: dict[str, set[str]]) -> set[str]:
    jobs = {name}
    for job in above.get(name, ()):
        jobs |= _closure(job, above)
    return jobs


PLAIN = ("person", "man", "woman", "boy", "girl", "child")  # no occupation of their own
PARENT_BY_CODE = {("m", "adult"): "man", ("f", "adult"): "woman", ("", "child"): "child"}
ADULT_DIMENSIONS = ("age", "hair", "mood", "height", "energy")
NO_ADJECTIVES = frozenset(
    "baby toddler grandmother grandfather teenager student player friend neighbour son daughter wife husband brother"
    " sister bride".split()
)


def _verbs() -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    for head, words in _lines(verbs.VERBS):
        match = re.fullmatch(r"(\S+)(?:\s+\[(.*)\])?\s*(\S*)", head)
        parent = found.get(match[1])
        uses = parent.uses if match[2] is None else frozenset(match[2])
        allowed = verbs.STILL if match[3] == "still" else match[3]
        postures = frozenset(allowed.split(",")) if allowed else frozenset()
        if parent and match[2] is None:
            postures = parent.postures
        for token in words:
            first, *others = token.split("|")
            name, marks, phrase = VERB_TOKEN.fullmatch(first).groups()
            phrases = [phrase or name, *others]
            found[name] = Verb(
                name, tuple(map(_inflected, phrases)), (*(parent.path if parent else ()), name),
                uses, postures, parent.name if parent else "", "-" in marks, "!" in marks,
            )  # fmt: skip
    for name in verbs.POSTURES:
        found[name] = Verb(name, (_inflected(name),), (name,), frozenset("b"), frozenset([name]), "", True, False)
    return found


def _inflected(phrase: str) -> tuple[str, ...]:
    """Base, third person, past, participle and -ing, the first word of the phrase inflected."""
    verb, *rest = phrase.split("_")
    tail = " ".join(["", *rest])
    forms = (verb, third_person(verb), past(verb), participle(verb), gerund(verb))
    return tuple(form + tail for form in forms)


def _places() -> dict[str, Place]:
    found = {
        "outdoors": Place("outdoors", ("outdoors", "outside"), "outdoors"),
        "indoors": Place("indoors", ("indoors", "inside"), "indoors"),
    }
    for setting, entries in _entries(places.PLACES):
        for name, phrases in entries:
            found[name] = Place(name, phrases, setting if setting != "either" else "")
    return found


def _entries(text: str) -> Iterator[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """`head: name=phrase|phrase name=phrase`, where phrases have spaces."""
    for line in text.strip().splitlines():
        head, _, rest = line.partition(": ")
        parts = re.split(r"\s*(\w+)=", rest)[1:]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        yield head, [(name, tuple(phrases.split("|"))) for name, phrases in pairs]


def _values(text: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """dimension -> its values, each a tuple of synonyms."""
    return {head: tuple(tuple(w.split("|")) for w in words) for head, words in _lines(text)}


NOUNS = _things() | _people()
VERBS = _verbs()
PLACES = _places()
TIMES = {
    head.rpartition("/")[2]: (tuple(head.split("/")), tuple(rest.split("|")))
    for head, _, rest in (line.partition(": ") for line in places.TIMES.strip().splitlines())
}
WEATHERS = {
    head: tuple(rest.split("|"))
    for head, _, rest in (line.partition(": ") for line in places.WEATHERS.strip().splitlines())
}
TRAITS = _values(nouns.TRAITS)
MANNERS = {head: tuple(words) for head, words in _lines(verbs.MANNERS)}
TRAIT_WORDS = {values[0]: values for dimension in TRAITS.values() for values in dimension}
