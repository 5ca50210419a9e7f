"""`check`: is an answer right, not yet right (and which mistake is it), or not tried? A wrong answer never raises.

A value is compared with the reference and with every known mistake; so is what a function
returns on all cases (kit/course/exercises/judging_functions.py).
"""

from __future__ import annotations

import reprlib
from dataclasses import replace
from decimal import Decimal
from itertools import permutations
from numbers import Real

from kit.course.exercises import registry
from kit.course.exercises.compare import is_numpy, same
from kit.course.exercises.differences import describe, digits_that_differ, is_sequence, number
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.hints import listed, what_next, what_to_write
from kit.course.exercises.judging_functions import is_untouched, judge_function
from kit.course.exercises.progress_record import record
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT, Verdict


def check(name: str, answer: object = ...) -> Verdict:
    """Compare `answer`, a function or a value, with what the exercise `name` asks for.

    The verdict displays itself and is recorded in the progress file. Raises `KitError` for an unknown name.
    Lesson 01.
    """
    exercise = registry.find_exercise(name)
    verdict = judge(exercise, answer)
    if verdict.outcome == NOT_TRIED:  # a notebook that is only run leaves no trace
        return verdict
    note = record().tried(name, right=verdict.outcome == RIGHT)
    return replace(verdict, note=note, advice=what_next(exercise) if verdict.outcome == NOT_YET else "")


def judge(exercise: Exercise, answer: object) -> Verdict:
    """The verdict on `answer`, without advice and without recording it."""
    if is_untouched(answer):
        return Verdict(NOT_TRIED, what_to_write(exercise))
    return judge_function(exercise, answer) if exercise.cases else judge_value(exercise, answer)


def judge_value(exercise: Exercise, answer: object) -> Verdict:
    """The verdict on a number, text, bool or tuple of these; tensors and arrays count as their numbers."""
    plain = _as_chosen(_as_python(answer, exercise.solution), exercise.choices)
    if problem := _wrong_kind(exercise.solution, plain, exercise.choices):
        return Verdict(NOT_YET, problem)
    if same(exercise.solution, plain, exercise.tolerance):
        return Verdict(RIGHT, " ".join(filter(None, ("That is it.", exercise.remember))))
    for mistake in exercise.mistakes:
        if _is_mistake(mistake.answer, plain, exercise.tolerance):
            return Verdict(NOT_YET, mistake.message)
    if order := _wrong_order(exercise, plain):
        return Verdict(NOT_YET, order)
    return Verdict(NOT_YET, _wrong_value(exercise.solution, plain, exercise.choices, exercise.tolerance))


def _is_mistake(wrong: object, answer: object, tolerance: float) -> bool:
    """Whether the answer is this wrong one; a part of it that is `...` may be anything."""
    if is_sequence(wrong):
        return all(one is ... or same(one, other, tolerance) for one, other in zip(wrong, answer))
    return same(wrong, answer, tolerance)


def _as_python(answer: object, solution: object) -> object:
    """Tensors, arrays, fractions and decimals, also inside lists, as Python numbers and lists; a tensor of one number
    as that number."""
    import torch

    if is_sequence(answer):
        parts = [_as_python(one, None) for one in answer]
        return tuple(parts) if isinstance(answer, tuple) else parts
    if isinstance(answer, (Real, Decimal)) and not is_numpy(answer):
        return _plain_number(answer)
    if not isinstance(answer, torch.Tensor) and not is_numpy(answer):
        return answer
    try:
        plain = answer.tolist()
    except (RuntimeError, AttributeError):  # a tensor without numbers, a NumPy object that is not an array
        return answer
    while isinstance(plain, list) and len(plain) == 1 and not is_sequence(solution):
        plain = plain[0]
    return plain


def _as_chosen(answer: object, choices: tuple[str, ...]) -> object:
    """A choice that was copied with its marks, such as "**b**" or "b)", as the choice."""
    if is_sequence(answer):
        return type(answer)(_as_chosen(one, choices) for one in answer)
    bare = answer.strip(" *`().:'\"") if isinstance(answer, str) else answer
    return bare if isinstance(bare, str) and bare.casefold() in map(str.casefold, choices) else answer


def _plain_number(answer: Real | Decimal) -> object:
    """A fraction or a decimal as a float; bool, int and float as they are."""
    return answer if isinstance(answer, (bool, int, float)) else float(answer)


def _wrong_order(exercise: Exercise, answer: object) -> str:
    """One sentence if the answer has the numbers of the solution in another order; else ""."""
    solution = exercise.solution
    if not is_sequence(solution) or any(isinstance(one, (bool, str)) for one in solution):
        return ""
    if not any(same(solution, list(turned), exercise.tolerance) for turned in permutations(answer)):
        return ""
    asked = exercise.stub.partition("#")[2].strip()
    return f"The values are right, but in another order than asked for{f': {asked}' if asked else ''}."


def _wrong_kind(solution: object, answer: object, choices: tuple[str, ...]) -> str:
    """One sentence if the answer is not of the solution's kind (number, text, bool, tuple); else ""."""
    if answer is ...:
        return "it is still the `...` of the question: put your answer in its place."
    got = f"not with {describe(answer)}."
    if isinstance(answer, tuple) and not is_sequence(solution):
        decimals = "" if isinstance(solution, (str, bool)) else ", and write decimals with a point"
        got += f" A comma makes a tuple of what stands round it: leave it out{decimals}."
    if isinstance(solution, bool):
        return "" if isinstance(answer, (int, float)) and answer in (0, 1) else f"Answer with `True` or `False`, {got}"
    if isinstance(solution, str):
        one_of = f", one of {listed(choices)}" if choices else ""
        return "" if isinstance(answer, str) else f"Answer with a text in quotation marks{one_of}, {got}"
    if not is_sequence(solution):
        if isinstance(answer, str):
            return f"Answer with a number, without quotation marks, {got}"
        fits = isinstance(answer, (int, float)) and not isinstance(answer, bool) and answer == answer
        return "" if fits else f"Answer with one number, {got}"
    if not is_sequence(answer) or len(answer) != len(solution):
        one = f"not with one {describe(answer).removeprefix('the ')}." if isinstance(answer, str) else got
        each = ", each in its own quotation marks" if all(isinstance(s, str) for s in solution) else ""
        return f"Answer with {len(solution)} {'texts' if each else 'values'} separated by commas{each}, {one}"
    parts = (_wrong_kind(s, a, choices) for s, a in zip(solution, answer))
    return next((f"Value {i}: {problem}" for i, problem in enumerate(parts, start=1) if problem), "")


def _wrong_value(solution: object, answer: object, choices: tuple[str, ...], tolerance: float) -> str:
    """What can be said about a wrong value of the right kind without giving the answer away."""
    if is_sequence(solution):
        right = [same(s, a, tolerance) for s, a in zip(solution, answer)]
        first = right.index(False)
        return (
            f"{sum(right)} of {len(right)} values are right; "
            f"value {first + 1}: {_wrong_value(solution[first], answer[first], choices, tolerance)}"
        )
    if isinstance(solution, bool):
        return f"It is not {bool(answer)}."
    if isinstance(solution, str):
        known = [choice.strip().casefold() for choice in choices]
        if choices and answer.strip().casefold() not in known:
            return f"{reprlib.repr(answer)} is not among the choices, which are {listed(choices)}."
        return f"{reprlib.repr(answer)} is not it."
    digits = digits_that_differ(solution, answer)
    return f"{number(answer, digits)} is too {'large' if answer > solution else 'small'}."
