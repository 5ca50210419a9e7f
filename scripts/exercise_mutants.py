"""Does `check` refuse every small wrong version of a reference solution? data/results/exercise_mutants.json

    python scripts/exercise_mutants.py                      all lessons
    python scripts/exercise_mutants.py --lessons 03 05      print what is accepted in these, write nothing

Of each solution that is a function, all faults of exercise_mutant_places.py are planted one at a time, in the
solution and in the helpers it calls; of each that is a value, other values are made. `check` must refuse each, unless
tests/course/equal_mutants.json lists it with the reason why it gives what the solution gives on every input that the
prompt allows. A mutant that is accepted and not listed, or listed and refused, ends the program in 1.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import itertools
import json
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from exercise_mutant_places import Kinds, places_in, planted
from measuring import ROOT, provenance

sys.path.insert(0, str(ROOT))

from kit.course.exercises import Exercise, exercises, lessons
from kit.course.exercises.checking import judge
from kit.course.exercises.verdict import RIGHT
from kit.storage.atomic import write_atomically

EQUAL, RESULT = ROOT / "tests" / "course" / "equal_mutants.json", ROOT / "data" / "results" / "exercise_mutants.json"


@dataclass(frozen=True)
class Mutant:
    """A wrong answer to an exercise: the line as it became (or the value), what was done, and the answer."""

    exercise: Exercise
    line: str
    operator: str
    answer: object


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--lessons", nargs="+", choices=lessons(), help="only these, and nothing is written")
    options.add_argument("--list", action="store_true", help="print every mutant and what became of it")
    args = options.parse_args()
    counts, problems = {}, []
    for lesson in args.lessons or lessons():
        counts[lesson], found = of_a_lesson(lesson, args.list)
        problems += found
        print(f"lesson {lesson}: {in_words(counts[lesson])}", flush=True)
    total = {key: sum(one[key] for one in counts.values()) for key in next(iter(counts.values()))}
    print(f"all: {in_words(total)}", *problems, sep="\n")
    if not args.lessons and not problems:
        told = "small wrong versions of the reference solutions, and what `check` says of them"
        written = {"what": told, **total, "lessons": counts, **provenance()}
        write_atomically(RESULT, json.dumps(written, indent=1, ensure_ascii=False) + "\n")
    return int(bool(problems))


def of_a_lesson(lesson: str, shown: bool = False) -> tuple[dict[str, int], list[str]]:
    """How many mutants there are, are refused and are equal; and a line for each that is not as it should be."""
    made, refused, equal, problems = 0, 0, 0, []
    listed = json.loads(EQUAL.read_text("utf-8")) if EQUAL.exists() else {}
    for exercise in exercises(lesson):
        reasons = dict(listed.get(exercise.name, {}))
        for mutant in mutants_of(exercise):
            made += 1
            right = is_accepted(mutant)
            if shown:
                print(f"{'accepted' if right else 'refused '} {exercise.name} [{mutant.operator}] {mutant.line}")
            known = right and bool(reasons.pop(mutant.line, ""))
            refused, equal = refused + (not right), equal + known
            if right and not known:
                problems.append(f"accepted and not listed: {exercise.name} [{mutant.operator}]: {mutant.line}")
        problems += [f"listed and not accepted: {exercise.name}: {line}" for line in reasons]
    return {"mutants": made, "refused": refused, "equal": equal}, problems


def in_words(counts: dict[str, int]) -> str:
    return f"{counts['mutants']} mutants, {counts['refused']} refused, {counts['equal']} equal"


def is_accepted(mutant: Mutant) -> bool:
    """Whether `check` calls it right; what it prints and warns of is of no interest."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return judge(mutant.exercise, mutant.answer).outcome == RIGHT


def mutants_of(exercise: Exercise) -> Iterator[Mutant]:
    """Every small wrong version of the reference answer, each once."""
    yield from functions_of(exercise) if exercise.cases else values_of(exercise)


def functions_of(exercise: Exercise) -> Iterator[Mutant]:
    source = "\n\n".join(dict.fromkeys(sources(exercise.solution)))
    seen = {source}
    for place in places_in(source, kinds_of(exercise)):
        text = planted(source, place)
        if text in seen:
            continue
        seen.add(text)
        names = dict(exercise.solution.__globals__)
        try:
            exec(compile(text, "<mutant>", "exec"), names)
        except SyntaxError:
            continue
        yield Mutant(exercise, changed_line(source, text), place.operator, names[exercise.solution.__name__])


def changed_line(before: str, after: str) -> str:
    """The lines of `after` that are not those of `before`, on one line."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) == len(new):
        new = [line for line, was in zip(new, old) if line != was]
    return " ".join(line.strip() for line in new)


def sources(function: types.FunctionType) -> Iterator[str]:
    """The source of the functions of the same file that it calls, then its own."""
    for name in function.__code__.co_names:
        other = function.__globals__.get(name)
        if isinstance(other, types.FunctionType) and other.__module__ == function.__module__ and other is not function:
            yield from sources(other)
    yield textwrap.dedent(inspect.getsource(function))


def kinds_of(exercise: Exercise) -> Kinds:
    """The kinds of the arguments, from the first case."""
    names = inspect.signature(exercise.solution).parameters
    return Kinds(dict(zip(names, map(kind_of, exercise.cases()[0]))), exercise.is_loss)


def kind_of(value: object) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        return "floats" if value.is_floating_point() else "truths" if value.dtype == torch.bool else "whole"
    return "number" if isinstance(value, int | float) else type(value).__name__


def values_of(exercise: Exercise) -> Iterator[Mutant]:
    made: list[object] = []
    for value in others_than(exercise.solution, exercise.choices):
        if value != exercise.solution and value not in made:
            made.append(value)
            yield Mutant(exercise, repr(value), "value", value)


def others_than(value: object, choices: tuple[str, ...]) -> Iterator[object]:
    """Other values of the same kind: neighbours of a number, the other choices, one part of several changed."""
    if isinstance(value, tuple):
        yield from itertools.permutations(value)
        for place, part in enumerate(value):
            yield from ((*value[:place], other, *value[place + 1 :]) for other in others_than(part, choices))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from choices
    else:
        yield from (value + 1, value - 1, -value, 2 * value, value / 2, 10 * value, value / 10, 1.02 * value)
        yield from (value**2, abs(value) ** 0.5, 1 - value, *([1 / value] if value else []))


if __name__ == "__main__":
    sys.exit(main())
