"""What a prompt forbids: a loop, autograd, the matrix of all pairs. `check` looks after each while the answer runs.

A loop is read from the bytecode of what ran and is the learner's own, whatever it is: a function, one that it calls, a
module. Autograd is seen where PyTorch's own functions for it run, under whatever name they were called; a difference
of losses at shifted inputs by what it gives for inputs so large that the shift is lost in them. The matrix is measured
at two numbers of rows: twice the rows are four times the numbers of the matrix, twice those of a chunk.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import functools
import sys
import tracemalloc
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

from kit.course.exercises.compare import as_numbers, close
from kit.course.exercises.exercise import Exercise

LOOP, AUTOGRAD, ALL_PAIRS = "a loop", "autograd", "the [n, n] matrix"
FEWER, ROWS, COLUMNS = 200, 400, 3
CHUNK = 100  # rows of the matrix, or about so many, that may be made at a time
LITTLE = 0.2  # of the matrix: all pairs once are half of it
# Twice the rows are twice the numbers of a chunk, or 2.9 times, where the chunk before it is still held.
GROWTH = 3.2
# What runs where something is differentiated: PyTorch's modules, and functions of other libraries.
AUTOGRAD_MODULES = {"torch.autograd", "torch.autograd.functional", "torch.autograd.forward_ad"}
AUTOGRAD_MODULES |= {"torch._functorch.eager_transforms"}
AUTOGRAD_NAMES = {"grad", "value_and_grad", "vjp", "jvp", "jacrev", "jacfwd", "jacobian", "linearize"}
LOOP_NAMES = {"starmap", "apply_along_axis", "apply_over_axes", "vectorize", "frompyfunc"}
LOOPS_BY_THEMSELVES = {"map", "filter", "reduce"}  # not as a method: `np.add.reduce` goes over arrays
METHODS = {"LOAD_ATTR", "LOAD_METHOD"}
ATTRIBUTES = METHODS | {"IMPORT_FROM"}
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD"}  # no step follows these
# A power of 2 changes no digit of a formula, and a step of 0.001 or less is lost beside numbers so large.
LARGE = 2.0**40


def broken_condition(exercise: Exercise, answer: Callable, cases: list[tuple]) -> str:
    """A clause on what an answer that is right uses although the prompt forbids it; "" if it keeps to the prompt.

    cases: in the form that the answer takes.
    """
    ran = _ran(answer, cases) if {LOOP, AUTOGRAD} & set(exercise.without) else Ran()
    if LOOP in exercise.without and (ran.loops or _names_a_loop(ran.own) or any(map(_loops, ran.own))):
        return (
            "it loops over Python objects: the exercise asks for an answer without a loop, in operations on whole "
            "tensors"
        )
    if AUTOGRAD in exercise.without and ran.differentiates:
        return "it asks autograd: the exercise asks for the formula, written out"
    if AUTOGRAD in exercise.without and _is_lost_in_large_numbers(exercise, answer, cases[0]):
        return (
            "with the numbers of its first input times 2⁴⁰ it is not. A formula is right there too; a difference of "
            "two losses, divided by a small step, is not: the exercise asks for the formula, written out"
        )
    if ALL_PAIRS in exercise.without and (most := _all_pairs(answer)):
        return (
            f"for {ROWS} rows it keeps {most:,} numbers at a time, where the [{ROWS}, {ROWS}] matrix has "
            f"{ROWS * ROWS:,}, and they grow with the square of the rows: the exercise asks for an answer that never "
            f"makes the matrix, but, say, {CHUNK} of its rows at a time"
        )
    return ""


@dataclass
class Ran:
    """What ran when an answer was called. own: each code that is no library's, with its global variables and those of
    the functions around it; loops: whether one called itself again and again, or `reduce` was called."""

    own: dict[types.CodeType, tuple[dict, dict]] = field(default_factory=dict)
    loops: bool = False
    differentiates: bool = False

    def see(self, frame: types.FrameType, event: str, called: object) -> None:
        """What `sys.setprofile` calls at each call of a function."""
        code, space = frame.f_code, frame.f_globals
        if is_of_a_library(space):
            self.differentiates |= code.co_name in AUTOGRAD_NAMES or space.get("__name__") in AUTOGRAD_MODULES
        elif event == "call":
            around = {name: frame.f_locals[name] for name in code.co_freevars if name in frame.f_locals}
            self.own.setdefault(code, (space, around))
            self.loops |= _nested(frame) > 2  # not 2: a decorator may be written twice above one function
        elif event == "c_call":
            self.loops |= called is functools.reduce


def _ran(answer: Callable, cases: list[tuple]) -> Ran:
    ran, before = Ran(), sys.getprofile()
    for case in copy.deepcopy(cases):
        sys.setprofile(ran.see)
        try:
            with contextlib.suppress(Exception):  # it was right a moment ago
                answer(*case)
        finally:
            sys.setprofile(before)
    return ran


def is_of_a_library(space: dict) -> bool:
    """Whether these are the global variables of Python's, of an installed or of the kit's module. What these do is
    not the learner's doing: the kit's, for one, check their input in loops."""
    package = str(space.get("__name__")).partition(".")[0]
    return package == "kit" or package in sys.stdlib_module_names or "-packages" in str(space.get("__file__"))


def _nested(frame: types.FrameType) -> int:
    """How often the code of this frame is running at once."""
    times, outer = 0, frame
    while outer is not None:
        times, outer = times + (outer.f_code is frame.f_code), outer.f_back
    return times


def _is_lost_in_large_numbers(exercise: Exercise, answer: Callable, case: tuple) -> bool:
    """Whether the answer differs from the reference where all numbers of the first case are very large.

    They are compared beside the largest that is expected, to two digits: half precision has these. A formula may
    overflow there, as one with exponentials does, and all may be expected to be 0: then nothing can be told.
    """
    expected = as_numbers(exercise.solution(*map(_large, copy.deepcopy(exercise.cases()[0]))))
    with contextlib.suppress(Exception):
        result = answer(*map(_large, copy.deepcopy(case)))
        got = as_numbers(result)
        overflows = str(getattr(result, "dtype", "")).removeprefix("torch.") == "float16"
        size = expected.abs().max()
        told = not overflows and size > 0 and got.isfinite().all()
        return bool(told and not close(expected / size, got / size, 1e-2).all())
    return False


def _large(value: object) -> object:
    """`value` with all fractions in it times LARGE; indices, labels and masks as they are."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_large, value))
    kind = str(getattr(value, "dtype", type(value).__name__)).removeprefix("torch.")
    return value * LARGE if kind.startswith("float") else value


def _loops(code: types.CodeType) -> bool:
    """Whether it goes over something, or jumps back where no error is handled.

    From 3.12 on, the handler of a `with` or a `try` jumps back to the line after it, which is no loop. Only an error
    leads there, so those steps are left out: all that no other step leads to.
    """
    steps = list(dis.get_instructions(code))
    if any(step.opname == "FOR_ITER" for step in steps):
        return True
    place, seen, waiting = {step.offset: number for number, step in enumerate(steps)}, set(), [0]
    while waiting:
        number = waiting.pop()
        if number in seen or number >= len(steps):
            continue
        seen.add(number)
        step = steps[number]
        if "JUMP_BACKWARD" in step.opname and "NO_INTERRUPT" not in step.opname:
            return True
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            waiting.append(place.get(step.argval, len(steps)))
        if step.opname not in ENDS:
            waiting.append(number + 1)
    return False


def _names_a_loop(own: dict[types.CodeType, tuple[dict, dict]]) -> bool:
    """Whether a name of elsewhere that is read in these codes is of what goes over Python objects.

    What another name was given to counts by its own. Left out are a variable that an inner function shares with its
    outer one, and a function of the same notebook.
    """
    shared = {name for code in own for name in code.co_cellvars}
    for code, (space, around) in own.items():
        for step in dis.get_instructions(code):
            name, how = step.argval, step.opname
            if how == "LOAD_GLOBAL":
                name = _name_of(space.get(name), name, space)
            elif how == "LOAD_DEREF" and name not in shared:
                name = _name_of(around.get(name), name, space)
            elif how not in ATTRIBUTES:
                continue
            if name in LOOP_NAMES or (name in LOOPS_BY_THEMSELVES and how not in METHODS):
                return True
    return False


def _name_of(value: object, name: str, space: dict) -> str:
    if isinstance(value, types.FunctionType):
        return "" if value.__globals__ is space else value.__name__
    if isinstance(value, (types.BuiltinFunctionType, type)):
        return value.__name__
    return type(value).__name__ if type(value).__name__ in LOOP_NAMES else name


def _form_it_takes(answer: Callable, vectors):
    """In which form, a tensor, NumPy's array or lists, the answer takes vectors: the first that it does not refuse."""
    forms = (lambda rows: rows, lambda rows: rows.numpy(), lambda rows: rows.tolist())
    for form in forms:
        with contextlib.suppress(Exception):
            answer(form(vectors))
            return form
    return forms[0]


def _all_pairs(answer: Callable) -> int:
    """How many numbers are held at a time of ROWS rows, if so many grow with the square of the rows; else 0."""
    fewer = _held(answer, FEWER)
    if fewer <= LITTLE * FEWER**2:  # and a loop over all pairs, which is slow, is waited for no longer
        return 0
    most = _held(answer, ROWS)
    return most if most > max(GROWTH * fewer, LITTLE * ROWS**2) else 0


def _held(answer: Callable, rows: int) -> int:
    """The most numbers that `answer` holds at a time in tensors, or in all of NumPy and Python, of so many rows."""
    import torch

    vectors = torch.randn(rows, COLUMNS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    form = _form_it_takes(answer, vectors[:4])  # which also imports what is not to be counted
    given, watch = form(vectors), _watch(rows // 2)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with watch, contextlib.suppress(Exception):
            answer(given)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return max(watch.most, peak // vectors.element_size())


def _watch(least: int):
    """A context that counts in `most` the numbers of all tensors that are held at a time, each storage once; of
    tensors with fewer numbers than `least` none, or a loop over all pairs would take a minute."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Watch(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.most, self.held = 0, {}

        def __torch_function__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            given = (*args, *(result if isinstance(result, (list, tuple)) else (result,)))
            large = [one for one in given if isinstance(one, torch.Tensor) and _unwrapped(one).numel() >= least]
            if any(self.held.get(id(one), bool)() is not one for one in large):
                self._count({id(one): one for one in large})
            return result

        def _count(self, large: dict) -> None:
            alive = {name: one for name, held in self.held.items() if (one := held()) is not None} | large
            self.held = {name: weakref.ref(one) for name, one in alive.items()}
            self.most = max(self.most, sum(dict(map(_storage, alive.values())).values()))

    return Watch()


def _unwrapped(tensor):
    """The whole tensor of which `torch.vmap` shows a function one row."""
    import torch

    inner = torch._C._functorch
    while inner.is_batchedtensor(tensor) or inner.is_gradtrackingtensor(tensor):
        tensor = inner.get_unwrapped(tensor)
    return tensor


def _storage(tensor) -> tuple[int, int]:
    """Where its numbers lie, and how many: views share them. A tensor that has none, as a sparse one, counts itself."""
    tensor = _unwrapped(tensor)
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes() // tensor.element_size()
    except RuntimeError:  # NotImplementedError is one, too
        return id(tensor), tensor.numel()
