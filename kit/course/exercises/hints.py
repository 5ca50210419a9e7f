"""`hint` and `solution`: help with an exercise."""

from __future__ import annotations

import dis
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import __main__
from kit.course.exercises import registry
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.progress_record import record
from kit.course.exercises.verdict import box, marked_up, plain
from kit.errors import KitError, shown
from kit.number_checks import is_whole


@dataclass(frozen=True)
class Hint:
    """Hint `number` of `total`; displays itself in a notebook."""

    number: int
    total: int
    text: str
    note: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (f"Hint {self.number} of {self.total}: {plain(self.text)}", self.note)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = (f"<b>Hint {self.number} of {self.total}:</b> {marked_up(self.text)}", marked_up(self.note))
        return box("<br>".join(filter(None, lines)), "kit-hint", "#56B4E9")


@dataclass(frozen=True)
class ReferenceAnswer:
    """A reference answer as code, and why it is right; displays itself in a notebook."""

    code: str
    because: str = ""
    note: str = ""

    def __str__(self) -> str:
        return "\n\n".join(filter(None, (self.code, self.because, self.note)))

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return "\n\n".join(filter(None, (f"```python\n{self.code}\n```", self.because, self.note)))


def hint(name: str, number: int | None = None) -> Hint:
    """Show the next hint of an exercise, and after the last one that again; `number` shows hint 1, 2, …

    Raises `KitError` for an unknown name or number. Lesson 01.
    """
    exercise = registry.find_exercise(name)
    total = len(exercise.hints)
    if number is None:
        number = min(record().entry(name)["hints"] + 1, total)
    if not is_whole(number, 1) or number > total:
        raise KitError(
            f"expected the number of a hint from 1 to {total}, got {shown(number)}: "
            f'{name} has {total} hints, and hint("{name}") gives the next one.'
        )
    number = int(number)
    return Hint(number, total, exercise.hints[number - 1], record().took_hint(name, number))


def solution(name: str) -> ReferenceAnswer:
    """Show the reference answer and why it is right; your progress notes that you have seen it.

    Raises `KitError` for an unknown name. Lesson 01.
    """
    exercise = registry.find_exercise(name)
    return ReferenceAnswer(reference_code(exercise), exercise.because, record().saw_solution(name))


def reference_code(exercise: Exercise) -> str:
    """The reference answer as code that runs on its own, with the imports and helpers it uses."""
    if not exercise.cases:
        needed = "import math\n\n" if "math." in exercise.written else ""
        return f"{needed}{exercise.asks_for} = {exercise.written or repr(exercise.solution)}"
    sources = dict.fromkeys(_sources(exercise.solution))
    lines, helpers = [code for code in sources if "\n" not in code], [code for code in sources if "\n" in code]
    code = textwrap.dedent(inspect.getsource(exercise.solution)).strip()
    return "\n\n\n".join(filter(None, ("\n".join(lines), *helpers, code)))


def what_to_write(exercise: Exercise) -> str:
    """An instruction for somebody who has not edited the stub."""
    if exercise.cases:
        return (
            f"Write the body of `{exercise.asks_for}` where the `...` stands, end it with `return`, "
            "and run the cell again."
        )
    each = "values, each " if isinstance(exercise.solution, tuple) else ""
    one_of = f" with {each}one of {listed(exercise.choices)}" if exercise.choices else " with your answer"
    return f"Replace the `...`{one_of} and run the cell again."


def what_next(exercise: Exercise) -> str:
    """Where to find help next."""
    taken, total = record().entry(exercise.name)["hints"], len(exercise.hints)
    if taken < total:
        return f'`hint("{exercise.name}")` gives hint {taken + 1} of {total}.'
    seen = f"You have seen all {total} hints"
    if not hasattr(__main__, "solution"):  # the students' set of `kit handout` does not import it
        return f"{seen}."
    return f'{seen}; `solution("{exercise.name}")` shows the reference answer.'


def listed(choices: tuple[str, ...]) -> str:
    """The choices as code, separated by commas."""
    return ", ".join(f'`"{choice}"`' for choice in choices)


def _sources(function: Callable) -> Iterator[str]:
    """An import line, an assignment, or the source of a helper, for each global name that `function` uses."""
    for name in _global_names(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(value, types.ModuleType):
            yield f"import {value.__name__}" + (f" as {name}" if value.__name__ != name else "")
        elif isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            if value is not function:
                yield from _sources(value)
                yield textwrap.dedent(inspect.getsource(value)).strip()
        elif isinstance(value, (bool, int, float, str, tuple)):
            yield f"{name} = {value!r}"
        elif hasattr(value, "__module__"):
            yield f"from {value.__module__} import {name}"


def _global_names(code: types.CodeType) -> Iterator[str]:
    """The global names a function reads, those of its comprehensions and inner functions included."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _global_names(inner)
