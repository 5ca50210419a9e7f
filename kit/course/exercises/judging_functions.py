"""Judge a function: call it on copies of the cases, and compare with the reference and every known mistake.

A function that the cases stop is given them in another form (answer_forms.py).
"""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import io
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from kit.course.exercises.answer_forms import SINGLE, in_words, no_tensor, other_forms, remark, what_type_to_take
from kit.course.exercises.compare import as_numbers, same
from kit.course.exercises.conditions import broken_condition, is_of_a_library
from kit.course.exercises.differences import describe, difference, is_sequence
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.gradient_of_a_loss import gradient_of_nothing, wrong_gradient
from kit.course.exercises.hints import what_to_write
from kit.course.exercises.verdict import NOT_YET, RIGHT, Verdict


@dataclass(frozen=True)
class Call:
    """The outcome of one call: a result, or an error as (type, message) and where it was raised."""

    result: object = None
    error: tuple[str, str] | None = None
    where: str = ""  # " on line 3 (`return x / n`)"
    own: bool = False  # no other Python code was running: the error is of the line itself, or of a tensor in it
    raised: bool = False  # by a `raise` of the learner's own
    after: tuple = ()  # the arguments after the call
    printed: str = ""

    def agrees_with(self, reference: Call, tolerance: float) -> bool:
        """Whether both have the same error, or the same result."""
        if self.error or reference.error:
            return self.error == reference.error
        return same(reference.result, self.result, tolerance)


@dataclass(frozen=True)
class Taken:
    """The calls of an answer in the form of the cases that it takes. form: which, "" for that of the check; cases: in
    it; told: what is said of it, with the error that the form of the check ended in, "" if it did not."""

    calls: list[Call]
    cases: list[tuple]
    form: str = ""
    told: str = ""


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
        taken = _in_the_form_it_takes(answer, cases, calls)
        references = [call(exercise.solution, case) for case in cases]
        agree = [_agrees(exercise, *pair, taken.form) for pair in zip(taken.calls, references)]
        if all(agree):
            return _right_result(exercise, answer, taken, references)
        problem = _another_order(exercise, answer) or _known_mistake(exercise, taken, cases)
        return Verdict(NOT_YET, problem or _wrong_result(exercise, taken, references, agree))


def _agrees(exercise: Exercise, own: Call, other: Call, form: str) -> bool:
    """Whether an answer's call came out as another function's; float32 has seven digits."""
    return own.agrees_with(other, max(exercise.tolerance, 1e-5) if form == SINGLE else exercise.tolerance)


def _known_mistake(exercise: Exercise, taken: Taken, cases: list[tuple]) -> str:
    """The sentence on the mistake that gives what the answer gave in all cases; "" if none does."""
    for mistake in exercise.mistakes:
        for wrong in (mistake.answer, *mistake.also):
            theirs = (call(wrong, case) for case in cases)
            if all(_agrees(exercise, own, their, taken.form) for own, their in zip(taken.calls, theirs)):
                return mistake.message
    return ""


def _wrong_result(exercise: Exercise, taken: Taken, references: list[Call], agree: list[bool]) -> str:
    """How many inputs are right, and what differs in the first that is not."""
    first = agree.index(False)
    so_far = f"Right for {sum(agree)} of {len(agree)} inputs. " if any(agree) else ""
    problem = _failure(taken.calls[first], references[first].result, exercise.tolerance)
    return f"{so_far}For {_inputs(exercise, exercise.cases()[first])}: {problem}."


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
            **_raised_by(error),
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
    if inspect.isgeneratorfunction(answer) or inspect.isasyncgenfunction(answer):
        return "A function with `yield` gives its results one by one: write `return` in place of `yield`."
    if inspect.iscoroutinefunction(answer):
        return f"A function with `async` gives no result when it is called: begin with `def {name}({wanted}):`."
    if callable(answer):
        return ""
    hint = "without quotation marks" if isinstance(answer, str) else "without calling it"
    return f"Expected a function, got {describe(answer)}: give `check` the function `{name}` itself, {hint}."


def _wrong_arguments(exercise: Exercise, answer: Callable, case: tuple) -> str:
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):  # built-in functions have none
        return ""
    try:
        signature.bind(*case)
    except TypeError:
        own = list(signature.parameters)
        by_name = [one.name for one in signature.parameters.values() if one.kind is one.KEYWORD_ONLY]
        if by_name and len(own) == len(case):
            return (
                f"Your function takes {', '.join(by_name)} by name only, as a `*` stands before: `check` gives its "
                f"inputs by position, so {_begin(exercise)}"
            )
        return (
            f"Your function takes {len(own)} argument{'s' * (len(own) != 1)} ({', '.join(own) or 'none'}) where "
            f"{len(case)} are given: {_begin(exercise)}"
        )
    return ""


def _another_order(exercise: Exercise, answer: Callable) -> str:
    """A sentence if the parameters are those that the prompt names, in another order; else ""."""
    own, wanted = parameters(answer), parameters(exercise.solution)
    if own == wanted or sorted(own) != sorted(wanted):
        return ""
    return f"Your function takes its inputs in another order ({', '.join(own)}) than they are given: {_begin(exercise)}"


def _begin(exercise: Exercise) -> str:
    return f"begin with `def {exercise.asks_for}({', '.join(parameters(exercise.solution))}):`."


def _nothing_to_compare(exercise: Exercise, first: Call) -> str:
    """What to say of a result that is missing, unfinished or only printed; "" if there is something to compare."""
    if first.error:
        if _is_unfinished(first):
            return f"There is still something to write{first.where}. {what_to_write(exercise)}"
    elif first.result is None and first.printed:
        return "Your function prints its result and returns nothing: write `return` in place of `print`."
    elif first.result is None:
        return "Your function returns nothing (None): end it with `return` and the result."
    elif first.result is ... or (is_sequence(first.result) and any(part is ... for part in first.result)):
        return f"Your function still returns `...`. {what_to_write(exercise)}"
    return ""


def _is_unfinished(stopped: Call) -> bool:
    """Whether the error comes from a `...` in a computation, or from a `raise NotImplementedError` of one's own.

    PyTorch raises that error, too, where it does not compute with a type; and others speak of an ellipsis."""
    kind, message = stopped.error
    if kind == "NotImplementedError":
        return stopped.raised
    computed = kind in ("TypeError", "AttributeError") and "ellipsis" in message
    return not stopped.raised and (computed or "dtype of ellipsis" in message)


def _in_the_form_it_takes(answer: Callable, cases: list[tuple], calls: list[Call]) -> Taken:
    """The calls as they are; or, where one stopped, those in the first other form in which none does.

    Where a tensor itself refuses (`.mean()` of whole numbers), that an array would not is no excuse."""
    stopped = next((own for own in calls if own.error), None)
    if stopped:
        refuses = stopped.own and not stopped.raised and stopped.error[0] in ("RuntimeError", "NotImplementedError")
        for form, others in other_forms(cases):
            if refuses and form != SINGLE:
                continue
            again = [call(answer, case) for case in others]
            if not any(own.error for own in again):
                return Taken(again, others, form, in_words(form, _error(stopped)))
    return Taken(calls, cases)


def _right_result(exercise: Exercise, answer: Callable, taken: Taken, references: list[Call]) -> Verdict:
    """The verdict on right numbers: right, unless an argument was changed, the prompt forbids how they came, or a
    loss cannot be trained on."""
    problem = _changed_input(answer, taken.calls, references)
    if not problem:
        with contextlib.redirect_stdout(io.StringIO()):  # what it prints has been shown
            broken = broken_condition(exercise, answer, taken.cases)
        problem = f"The result is right, but {broken}." if broken else ""
    if problem := problem or (_untrainable(exercise, answer, taken) if exercise.is_loss else ""):
        return Verdict(NOT_YET, problem)
    many = f"all {len(taken.calls)} inputs" if len(taken.calls) > 1 else "its input"
    agrees = f"Your function agrees with the reference on {many}{taken.told}."
    told = remark(references[0].result, taken.calls[0].result)
    nothing = gradient_of_nothing(exercise, answer, taken.cases) if exercise.is_loss else ""
    return Verdict(RIGHT, " ".join(filter(None, (agrees, exercise.remember, told, nothing))))


def _changed_input(answer: Callable, calls: list[Call], references: list[Call]) -> str:
    for own, reference in zip(calls, references):
        for place, (left, right) in enumerate(zip(reference.after, own.after)):
            if _changed(left, right):
                names = parameters(answer)
                name = f"`{names[place]}`" if place < len(names) else f"argument {place + 1}"
                return (
                    f"The result is right, but your function changes its input {name} in place: "
                    "work on a copy, so that the caller's stays as it was."
                )
    return ""


def _untrainable(exercise: Exercise, answer: Callable, taken: Taken) -> str:
    """A sentence on a loss whose number is right and whose gradient is missing or wrong; else ""."""
    if problem := no_tensor(taken.calls[0].result):
        return f"The number is right, but {problem}."
    tolerance = 1e-4 if taken.form == SINGLE else 1e-6
    problem = wrong_gradient(exercise, answer, taken.cases, tolerance)
    return f"The loss is right, but {problem}." if problem else ""


def _changed(before: object, after: object) -> bool:
    if is_sequence(before):
        return len(before) != len(after) or any(map(_changed, before, after))
    return as_numbers(before) is not None and not same(before, after, 0.0)


def _failure(own: Call, expected: object, tolerance: float) -> str:
    if own.error:
        return f"your function stops with {_error(own)}{what_type_to_take(own.error[1])}"
    if own.result is None:
        return "your function returns nothing (None)"
    return difference(expected, own.result, tolerance)


def _error(stopped: Call) -> str:
    kind, message = stopped.error
    return f"{kind}{stopped.where}: {message}"


def _inputs(exercise: Exercise, case: tuple) -> str:
    """The arguments of a case on one line: `mask` = [[1, 0]], `tau` = 0.05."""
    return ", ".join(f"`{name}` = {describe(value)}" for name, value in zip(parameters(exercise.solution), case))


def _raised_by(error: BaseException) -> dict[str, bool]:
    """Whether the learner's own code was the last that ran, and whether it ended in a `raise`."""
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    code, own = last.tb_frame.f_code, not is_of_a_library(last.tb_frame.f_globals)
    return {"own": own, "raised": own and dis.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"}


def _where(function: Callable, error: BaseException) -> str:
    """The last line of the learner's own code that was running."""
    own_file = getattr(getattr(function, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own_file]
    if not own:
        return ""
    return f" on line {own[-1].lineno}" + (f" (`{own[-1].line}`)" if own[-1].line else "")
