"""An exercise: a question, hints, the reference answer, and the usual mistakes.

    Exercise(name="mean-pooling", lesson="01", title="Mean pooling", difficulty=1, minutes=5,
             prompt="Write `mean_pooling(...)`: …", stub="def mean_pooling(tokens, mask):\n    ...",
             hints=("…", "…"), solution=mean_pooling, cases=pooling_cases,
             mistakes=(Mistake(variation(mean_pooling, "tokens * mask", "tokens"), "Your mean counts padding: …"), …))

An exercise with `cases` asks for a function, one without asks for a value.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that learners give, and the sentence that explains it.

    answer: a function (for an exercise with cases) or a value; `...` for a part of several that may be anything.
    message: one or two sentences, `code` in backticks. also: other functions that make the same mistake, whether
    or not they return the same. No mistake is needed for modifying an argument in place: `check` detects that.
    """

    answer: object
    message: str
    also: tuple[Callable, ...] = ()


def mistake(message: str, also: tuple[Callable, ...] = ()) -> Callable[[Callable], Mistake]:
    """A decorator that makes a `Mistake` of a wrong function."""
    return lambda function: Mistake(function, message, also)


def variation(right: Callable, old: str, new: str) -> Callable:
    """A wrong function: `right` with `old` in its code replaced by `new`, wherever it occurs."""
    source = textwrap.dedent(inspect.getsource(right))
    if old not in source:
        raise ValueError(f"{right.__name__} has no {old!r}")
    names = dict(right.__globals__)
    exec(source.replace(old, new), names)
    return names[right.__name__]


@dataclass(frozen=True)
class Exercise:
    """One exercise: the notebook shows its text, `check` compares with its answers.

    name: words joined by hyphens, unique over all lessons. lesson: two digits, "01".
    difficulty: 1 to 3. minutes: a positive integer. prompt: markdown. stub: the code a learner
    starts from, with `...` where they write (see `cell`). hints: from gentle to nearly everything.
    solution: a function, or a number, string, bool or tuple of these.
    cases: a function () -> list of argument tuples, seeded, float64, the first drawn at random and the corners
    among the others; None for a value.
    tolerance: how far a number may be from the reference, relative to max(1, |reference|).
    choices: the possible answers, if the learner chooses one (or one for each part). without: what the prompt
    forbids, by the names in conditions.py. is_loss: the result is a loss to train on, so it must be a tensor, and its
    gradient is looked at as well, in the cases with these numbers: `smooth_cases`, drawn ones without ties or kinks.
    written: the solution as an expression, where its digits would say less, "math.log(7)". because: why the solution
    is right, markdown, shown with it. remember: one plain sentence shown with "right".
    """

    name: str
    lesson: str
    title: str
    difficulty: int
    minutes: int
    prompt: str
    stub: str
    hints: tuple[str, ...]
    solution: object
    mistakes: tuple[Mistake, ...]
    cases: Callable[[], list[tuple]] | None = None
    tolerance: float = 1e-6
    choices: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    is_loss: bool = False
    smooth_cases: tuple[int, ...] = (0,)
    written: str = ""
    because: str = ""
    remember: str = ""

    @property
    def asks_for(self) -> str:
        """The name of the answer in the stub: its last function or variable."""
        for node in reversed(ast.parse(self.stub).body):
            if isinstance(node, ast.FunctionDef):
                return node.name
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                return node.targets[0].id
        raise ValueError(f"the stub of {self.name!r} defines neither a function nor a variable")

    @property
    def cell(self) -> str:
        """The code cell of the notebook: the stub, then the call of `check`."""
        stub = self.stub.strip()
        if stub.splitlines()[-1].startswith("check("):
            return stub
        gap = "\n\n" if self.cases else "\n"
        return f'{stub}{gap}check("{self.name}", {self.asks_for})'

    @property
    def dots(self) -> str:
        """The difficulty as dots: ●●○ is 2 of 3."""
        return "●" * self.difficulty + "○" * (3 - self.difficulty)
