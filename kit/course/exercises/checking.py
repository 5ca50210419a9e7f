"""`check`: not tried, not yet (and which mistake it is), or right. It tells, it never raises.

A value is compared with the reference and with every typical mistake; so is what a function
returns on all cases (kit/course/exercises/functions.py).
"""

from __future__ import annotations

import reprlib
from dataclasses import replace

from kit.course.exercises import registry
from kit.course.exercises.compare import is_numpy, same
from kit.course.exercises.differences import describe, is_sequence, number
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.functions import judge_function, unwritten
from kit.course.exercises.help import listed, what_next, what_to_write
from kit.course.exercises.progress_record import record
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT, Verdict


def check(name: str, answer: object = ...) -> Verdict:
    """Compare `answer`, a function or a value, with what the exercise `name` asks for.

    The verdict shows itself and is kept in the progress file. Errors: `KitError` for an unknown name. Lesson 01.
    """
    asked = registry.exercise(name)
    verdict = judge(asked, answer)
    if verdict.outcome == NOT_TRIED:  # a notebook that is only run leaves no trace
        return verdict
    note = record().tried(name, right=verdict.outcome == RIGHT)
    return replace(verdict, note=note, advice=what_next(asked) if verdict.outcome == NOT_YET else "")


def judge(asked: Exercise, answer: object) -> Verdict:
    """The verdict on `answer`, without hints and without a record of it."""
    if unwritten(answer):
        return Verdict(NOT_TRIED, what_to_write(asked))
    return judge_function(asked, answer) if asked.cases else judge_value(asked, answer)


def judge_value(asked: Exercise, answer: object) -> Verdict:
    """The verdict on a number, text, bool or tuple of these; tensors and arrays count as their numbers."""
    plain = _plain(answer, asked.solution)
    if problem := _wrong_kind(asked.solution, plain, asked.choices):
        return Verdict(NOT_YET, problem)
    if same(asked.solution, plain, asked.tolerance):
        return Verdict(RIGHT, " ".join(filter(None, ("That is it.", asked.remember))))
    for mistake in asked.mistakes:
        if same(mistake.answer, plain, asked.tolerance):
            return Verdict(NOT_YET, mistake.says)
    return Verdict(NOT_YET, _not_it(asked.solution, plain, asked.choices, asked.tolerance))


def _plain(answer: object, solution: object) -> object:
    """Tensors and arrays as Python numbers and lists, also inside of lists; one of one number as that number."""
    import torch

    if is_sequence(answer):
        return [_plain(one, None) for one in answer]
    if not isinstance(answer, torch.Tensor) and not is_numpy(answer):
        return answer
    try:
        plain = answer.tolist()
    except (RuntimeError, AttributeError):  # a tensor without numbers, a thing of NumPy that is no array
        return answer
    while isinstance(plain, list) and len(plain) == 1 and not is_sequence(solution):
        plain = plain[0]
    return plain


def _wrong_kind(solution: object, answer: object, choices: tuple[str, ...]) -> str:
    """One sentence where the answer is no number (text, bool, tuple) although the solution is; else ""."""
    got = f"not with {describe(answer)}."
    if isinstance(solution, bool):
        return "" if isinstance(answer, bool) else f"Answer with `True` or `False`, {got}"
    if isinstance(solution, str):
        one_of = f", one of {listed(choices)}" if choices else ""
        return "" if isinstance(answer, str) else f"Answer with a text in quotation marks{one_of}, {got}"
    if not is_sequence(solution):
        if isinstance(answer, str):
            return f"Answer with a number, without quotation marks, {got}"
        fits = isinstance(answer, (int, float)) and not isinstance(answer, bool) and answer == answer
        return "" if fits else f"Answer with one number, {got}"
    if not is_sequence(answer) or len(answer) != len(solution):
        return f"Answer with {len(solution)} values separated by commas, {got}"
    parts = (_wrong_kind(s, a, choices) for s, a in zip(solution, answer))
    return next((f"Value {i}: {problem}" for i, problem in enumerate(parts, start=1) if problem), "")


def _not_it(solution: object, answer: object, choices: tuple[str, ...], tolerance: float) -> str:
    """What can be said about a wrong value of the right kind without giving the answer away."""
    if is_sequence(solution):
        right = [same(s, a, tolerance) for s, a in zip(solution, answer)]
        first = right.index(False)
        return (
            f"{sum(right)} of {len(right)} values are right; "
            f"value {first + 1}: {_not_it(solution[first], answer[first], choices, tolerance)}"
        )
    if isinstance(solution, bool):
        return f"It is not {answer}."
    if isinstance(solution, str):
        known = [choice.strip().casefold() for choice in choices]
        if choices and answer.strip().casefold() not in known:
            return f"{reprlib.repr(answer)} is not among the choices, which are {listed(choices)}."
        return f"{reprlib.repr(answer)} is not it."
    return f"{number(answer)} is too {'large' if answer > solution else 'small'}."
