"""What a prompt forbids: a loop, autograd, the matrix of all pairs. `check` looks after each.

The first two are read from the bytecode of the answer and of the learner's own functions that it calls; the third
is measured at two numbers of rows: twice the rows are four times the numbers of the matrix, twice those of a chunk.
"""

from __future__ import annotations

import contextlib
import dis
import tracemalloc
import types
import weakref
from collections.abc import Callable, Iterator

LOOP, AUTOGRAD, ALL_PAIRS = "a loop", "autograd", "the [n, n] matrix"
FEWER, ROWS, COLUMNS = 200, 400, 3
CHUNK = 100  # rows of the matrix, or about so many, that may be made at a time
LITTLE = 0.2  # of the matrix: all pairs once are half of it
# Twice the rows are twice the numbers of a chunk, or 2.9 times, where the chunk before it is still held.
GROWTH = 3.2
AUTOGRAD_NAMES = {"backward", "grad", "autograd", "requires_grad", "requires_grad_", "grad_and_value"}
AUTOGRAD_NAMES |= {"vjp", "jvp", "jacobian", "hessian", "jacrev", "jacfwd"}
LOOP_NAMES = {"starmap", "apply_along_axis", "apply_over_axes", "vectorize", "frompyfunc"}
LOOPS_BY_THEMSELVES = {"map", "filter", "reduce"}  # not as a method: `np.add.reduce` goes over arrays
# What uses a name of elsewhere: a variable of one's own may be called grad.
READS = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "IMPORT_FROM", "IMPORT_NAME"}
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD"}  # no step follows these


def broken_condition(without: tuple[str, ...], answer: Callable) -> str:
    """A clause on what the answer uses although the prompt forbids it; "" if it keeps to the prompt."""
    codes = list(_codes(answer))
    names = _names_used(answer, codes)
    if LOOP in without and ((LOOP_NAMES | LOOPS_BY_THEMSELVES) & names or any(map(_loops, codes))):
        return (
            "it loops over Python objects: the exercise asks for an answer without a loop, in operations on whole "
            "tensors"
        )
    if AUTOGRAD in without and AUTOGRAD_NAMES & names:
        return "it asks autograd: the exercise asks for the formula, written out"
    if ALL_PAIRS in without and (most := _all_pairs(answer)):
        return (
            f"for {ROWS} rows it keeps {most:,} numbers at a time, where the [{ROWS}, {ROWS}] matrix has "
            f"{ROWS * ROWS:,}, and they grow with the square of the rows: the exercise asks for an answer that never "
            f"makes the matrix, but, say, {CHUNK} of its rows at a time"
        )
    return ""


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


def _names_used(answer: Callable, codes: list[types.CodeType]) -> set[str]:
    """The names of elsewhere that its codes read, and `requires_grad` where it is set.

    What another name was given to counts by its own. The answer's own are left out: a variable that an inner function
    shares with its outer one, and a function of the same notebook.
    """
    layers = list(_layers(answer))
    space = layers[-1].__globals__ if layers else {}
    steps = [step for code in codes for step in dis.get_instructions(code)]
    names = {step.argval for step in steps if step.opname == "STORE_ATTR"} & {"requires_grad"}
    names |= {step.argval for step in steps if step.opname in READS - {"LOAD_DEREF", "LOAD_GLOBAL"}}
    names -= LOOPS_BY_THEMSELVES - {step.argval for step in steps if step.opname == "IMPORT_FROM"}
    shared = {name for code in codes for name in code.co_cellvars}
    around = {name: value for layer in layers for name, value in _around(layer)}
    for step in steps:
        if step.opname == "LOAD_GLOBAL":
            names.add(_name_of(space.get(step.argval), step.argval, space))
        elif step.opname == "LOAD_DEREF" and step.argval not in shared:
            names.add(_name_of(around.get(step.argval), step.argval, space))
    return names


def _around(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    """The variables of the functions around this one that it uses, each with its value."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # it is still empty
            yield name, cell.cell_contents


def _name_of(value: object, name: str, space: dict) -> str:
    if isinstance(value, types.FunctionType):
        return "" if value.__globals__ is space else value.__name__
    if isinstance(value, (types.BuiltinFunctionType, type)):
        return value.__name__
    return type(value).__name__ if type(value).__name__ in LOOP_NAMES else name


def _codes(answer: Callable, seen: set | None = None) -> Iterator[types.CodeType]:
    """The code of a function (and of what it decorates), of the functions inside it, and of those of the same notebook
    that it calls; not the kit's own, which check their input in loops."""
    seen = set() if seen is None else seen
    layers = list(_layers(answer))
    for layer in layers:
        code, space = layer.__code__, layer.__globals__
        own = space is layers[-1].__globals__ and not str(layer.__module__).startswith("kit.")
        if own and code not in seen:
            yield from _codes_inside(code, seen)
            for other in _called(layer):
                if any(inner.__globals__ is space for inner in _layers(other)):
                    yield from _codes(other, seen)


def _layers(function: object) -> Iterator[types.FunctionType]:
    """A function and, one after the other, those that it was made of by decorators (`functools.wraps`)."""
    for _ in range(9):
        function = getattr(function, "__func__", function)  # of a method
        if isinstance(function, types.FunctionType):
            yield function
        if (function := getattr(function, "__wrapped__", None)) is None:
            return


def _codes_inside(code: types.CodeType, seen: set) -> Iterator[types.CodeType]:
    seen.add(code)
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes_inside(inner, seen)


def _called(function: types.FunctionType) -> Iterator[object]:
    """What may be called by a global name (not by every name: `x.norm` is no call of the reader's own `norm`), or was
    handed to the function that made this one, as to a decorator."""
    for code in _codes_inside(function.__code__, set()):
        names = (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
        yield from (function.__globals__[name] for name in names if name in function.__globals__)
    yield from (value for _, value in _around(function))


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
            large = [one for one in given if isinstance(one, torch.Tensor) and one.numel() >= least]
            if any(self.held.get(id(one), bool)() is not one for one in large):
                self._count({id(one): one for one in large})
            return result

        def _count(self, large: dict) -> None:
            alive = {name: one for name, held in self.held.items() if (one := held()) is not None} | large
            self.held = {name: weakref.ref(one) for name, one in alive.items()}
            self.most = max(self.most, sum(dict(map(_storage, alive.values())).values()))

    return Watch()


def _storage(tensor) -> tuple[int, int]:
    """Where its numbers lie, and how many: views share them. A tensor that has none, as a sparse one, counts itself."""
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes() // tensor.element_size()
    except RuntimeError:  # NotImplementedError is one, too
        return id(tensor), tensor.numel()
