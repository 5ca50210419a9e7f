"""Judge a function: call it on copies of the cases, and compare with the reference and every known mistake.

A function that the tensors of the cases stop is given NumPy arrays or lists instead (answer_forms.py).
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from kit.course.exercises.answer_forms import other_forms, remark
from kit.course.exercises.compare import as_numbers, same
from kit.course.exercises.conditions import broken_condition
from kit.course.exercises.differences import describe, difference, is_sequence
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.gradient_of_a_loss import wrong_gradient
from kit.course.exercises.hints import what_to_write
from kit.course.exercises.verdict import NOT_YET, RIGHT, Verdict


@dataclass(frozen=True)
class Call:
    """The outcome of one call: a result, or an error as (type, message) and where it was raised."""

    result: object = None
    error: tuple[str, str] | None = None
    where: str = ""  # " on line 3 (`return x / n`)"
    after: tuple = ()  # the arguments after the call
    printed: str = ""

    def agrees_with(self, reference: Call, tolerance: float) -> bool:
        """Whether both have the same error, or the same result."""
        if self.error or reference.error:
            return self.error == reference.error
        return same(reference.result, self.result, tolerance)


def judge_function(exercise: Exercise, answer: object) -> Verdict:
    """The verdict on a learner's function. Leaves torch's random state as it was."""
    import torch

    with torch.random.fork_rng(devices=[]):
        cases = exercise.cases()
        if problem := _no_function(exercise, answer) or _wrong_arguments(exercise, answer, cases[0]):
            return Verdict(NOT_YET, problem)
        calls = [call(answer, case) for case in cases]
        print(calls[0].printed, end="")  # of the first case only
        if problem := _nothing_to_compare(exercise, calls[0]):
            return Verdict(NOT_YET, problem)
        calls, form = _in_the_form_it_takes(answer, cases, calls)
        references = [call(exercise.solution, case) for case in cases]
        agree = [own.agrees_with(reference, exercise.tolerance) for own, reference in zip(calls, references)]
        if all(agree):
            return _right_result(exercise, answer, calls, references, form)
        for wrong, message in ((wrong, one.message) for one in exercise.mistakes for wrong in (one.answer, *one.also)):
            theirs = (call(wrong, case) for case in cases)
            if all(own.agrees_with(their, exercise.tolerance) for own, their in zip(calls, theirs)):
                return Verdict(NOT_YET, message)
        first = agree.index(False)
        so_far = f"Right for {sum(agree)} of {len(agree)} inputs. " if any(agree) else ""
        problem = _failure(calls[first], references[first].result, exercise.tolerance)
        return Verdict(NOT_YET, f"{so_far}For {_inputs(exercise, cases[first])}: {problem}.")


def call(function: Callable, arguments: tuple) -> Call:
    """Call `function` on copies of `arguments`, always from the same random state."""
    import torch

    arguments, printed = copy.deepcopy(arguments), io.StringIO()
    torch.default_generator.manual_seed(0)  # not torch.manual_seed, which would also seed the GPU
    try:
        with contextlib.redirect_stdout(printed):
            result = function(*arguments)
    except (Exception, SystemExit) as error:
        lines = str(error).strip().splitlines() or ["no message"]
        return Call(
            error=(type(error).__name__, lines[0][:200].rstrip(". ")),
            where=_where(function, error),
            printed=printed.getvalue(),
        )
    return Call(result, after=arguments, printed=printed.getvalue())


def is_untouched(answer: object) -> bool:
    """Whether `answer` is what an untouched cell hands in: `...`, several of them, or a function of `...` alone."""
    if is_sequence(answer):
        return len(answer) > 0 and all(part is ... for part in answer)
    return answer is ... or _body(answer) == _body(_untouched)


def _untouched(): ...


def _body(function: object) -> tuple | None:
    code = getattr(function, "__code__", None)
    return code and (code.co_code, code.co_consts, code.co_names)


def parameters(function: Callable) -> list[str]:
    """The names of a function's parameters; none if Python cannot tell."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _no_function(exercise: Exercise, answer: object) -> str:
    name, wanted = exercise.asks_for, ", ".join(parameters(exercise.solution))
    if isinstance(answer, type):
        return (
            f"`{answer.__name__}` is a class where a function is expected: write `def {name}({wanted}):` "
            "and give `check` that function."
        )
    if callable(answer):
        return ""
    hint = "without quotation marks" if isinstance(answer, str) else "without calling it"
    return f"Expected a function, got {describe(answer)}: give `check` the function `{name}` itself, {hint}."


def _wrong_arguments(exercise: Exercise, answer: Callable, case: tuple) -> str:
    try:
        inspect.signature(answer).bind(*case)
    except TypeError:
        own, wanted = parameters(answer), parameters(exercise.solution)
        return (
            f"Your function takes {len(own)} argument{'s' * (len(own) != 1)} ({', '.join(own) or 'none'}) where "
            f"{len(case)} are given: begin with `def {exercise.asks_for}({', '.join(wanted)}):`."
        )
    except ValueError:  # built-in functions have no signature
        return ""
    return ""


def _nothing_to_compare(exercise: Exercise, first: Call) -> str:
    """What to say of a result that is missing, unfinished or only printed; "" if there is something to compare."""
    if first.error:
        kind, message = first.error
        if kind == "NotImplementedError" or "ellipsis" in message.lower():  # a `...` in a computation
            return f"There is still something to write{first.where}. {what_to_write(exercise)}"
    elif first.result is None and first.printed:
        return "Your function prints its result and returns nothing: write `return` in place of `print`."
    elif first.result is None:
        return "Your function returns nothing (None): end it with `return` and the result."
    elif first.result is ... or (is_sequence(first.result) and any(part is ... for part in first.result)):
        return f"Your function still returns `...`. {what_to_write(exercise)}"
    return ""


def _in_the_form_it_takes(answer: Callable, cases: list[tuple], calls: list[Call]) -> tuple[list[Call], str]:
    """The calls as they are; or, where one stopped, those in the first other form in which none does, and its name."""
    if any(own.error for own in calls):
        for form, others in other_forms(cases):
            again = [call(answer, case) for case in others]
            if not any(own.error for own in again):
                return again, form
    return calls, ""


def _right_result(
    exercise: Exercise, answer: Callable, calls: list[Call], references: list[Call], form: str
) -> Verdict:
    """The verdict on right numbers: right, unless an argument was changed or the prompt forbids how they came."""
    for own, reference in zip(calls, references):
        for place, (left, right) in enumerate(zip(reference.after, own.after)):
            if _changed(left, right):
                names = parameters(answer)
                name = f"`{names[place]}`" if place < len(names) else f"argument {place + 1}"
                return Verdict(
                    NOT_YET,
                    f"The result is right, but your function changes its input {name} in place: "
                    "put the result into a new tensor, so that the caller's stays as it was.",
                )
    if problem := broken_condition(exercise.without, answer):
        return Verdict(NOT_YET, f"The result is right, but {problem}.")
    told = remark(references[0].result, calls[0].result, exercise.is_loss)
    if exercise.is_loss and not (form or told) and (problem := wrong_gradient(exercise, answer)):
        return Verdict(NOT_YET, f"The loss is right, but {problem}.")
    many = f"all {len(calls)} inputs" if len(calls) > 1 else "its input"
    given = f" (given {form}; with the inputs in the form of this check it stops)" if form else ""
    agrees = f"Your function agrees with the reference on {many}{given}."
    return Verdict(RIGHT, " ".join(filter(None, (agrees, exercise.remember, told))))


def _changed(before: object, after: object) -> bool:
    if is_sequence(before):
        return len(before) != len(after) or any(map(_changed, before, after))
    return as_numbers(before) is not None and not same(before, after, 0.0)


def _failure(own: Call, expected: object, tolerance: float) -> str:
    if own.error:
        kind, message = own.error
        return f"your function stops with {kind}{own.where}: {message}"
    if own.result is None:
        return "your function returns nothing (None)"
    return difference(expected, own.result, tolerance)


def _inputs(exercise: Exercise, case: tuple) -> str:
    """The arguments of a case on one line: `mask` = [[1, 0]], `tau` = 0.05."""
    return ", ".join(f"`{name}` = {describe(value)}" for name, value in zip(parameters(exercise.solution), case))


def _where(function: Callable, error: BaseException) -> str:
    """The last line of the learner's own code that was running."""
    own_file = getattr(getattr(function, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own_file]
    if not own:
        return ""
    return f" on line {own[-1].lineno}" + (f" (`{own[-1].line}`)" if own[-1].line else "")
