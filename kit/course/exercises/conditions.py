"""What a prompt forbids: a loop, autograd, the matrix of all pairs. `check` looks after each.

The first two are read from the bytecode of the answer and of the learner's own functions that it calls; the third
is measured on many rows, where a matrix of all pairs outweighs everything else.
"""

from __future__ import annotations

import contextlib
import dis
import tracemalloc
import types
from collections.abc import Callable, Iterator

LOOP, AUTOGRAD, ALL_PAIRS = "a loop", "autograd", "the [n, n] matrix"
ROWS, COLUMNS = 400, 3
MOST = 2 * ROWS * ROWS // 5  # all pairs once are half of the matrix; a chunk of 128 rows is less
AUTOGRAD_NAMES = {"backward", "grad", "autograd", "requires_grad", "requires_grad_", "grad_and_value"}
AUTOGRAD_NAMES |= {"vjp", "jvp", "jacobian", "hessian", "jacrev", "jacfwd"}
# What reads a name of elsewhere: a variable of one's own may be called grad.
READS = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "IMPORT_FROM", "IMPORT_NAME"}


def broken_condition(without: tuple[str, ...], answer: Callable) -> str:
    """A clause on what the answer uses although the prompt forbids it; "" if it keeps to the prompt."""
    codes = list(_codes(answer))
    steps = [step for code in codes for step in dis.get_instructions(code)]
    if LOOP in without and any(_loops(step) for step in steps):
        return (
            "it loops over Python objects: the exercise asks for an answer without a loop, in operations on whole "
            "tensors"
        )
    if AUTOGRAD in without and AUTOGRAD_NAMES & {step.argval for step in steps if step.opname in READS}:
        return "it asks autograd: the exercise asks for the formula, written out"
    if ALL_PAIRS in without and (most := _largest(answer)) > MOST:
        return (
            f"for {ROWS} rows it keeps {most:,} numbers at a time, where the [{ROWS}, {ROWS}] matrix has "
            f"{ROWS * ROWS:,}: the exercise asks for an answer that never makes it, nor a large part of it"
        )
    return ""


def _loops(step: dis.Instruction) -> bool:
    return step.opname == "FOR_ITER" or "BACKWARD" in step.opname or step.argval == "map"


def _codes(answer: Callable, seen: set | None = None) -> Iterator[types.CodeType]:
    """The code of a function, of the functions inside it, and of those of the same notebook that it calls; not the
    kit's own, which check their input in loops."""
    seen = set() if seen is None else seen
    code = getattr(answer, "__code__", None)
    if code is None or code in seen or str(answer.__module__).startswith("kit."):
        return
    waiting = [code]
    while waiting:
        seen.add(code := waiting.pop())
        yield code
        waiting += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
        for step in dis.get_instructions(code):  # not every name: `x.norm` is no call of the reader's own `norm`
            other = answer.__globals__.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
            if isinstance(other, types.FunctionType) and other.__globals__ is answer.__globals__:
                yield from _codes(other, seen)


def _form_it_takes(answer: Callable, vectors):
    """The vectors as a tensor, as NumPy's array or as lists: the first form that the answer does not refuse."""
    for form in (vectors, vectors.numpy(), vectors.tolist()):
        with contextlib.suppress(Exception):
            answer(form)
            return form
    return vectors


def _largest(answer: Callable) -> int:
    """The most numbers that `answer` holds at a time in one tensor, or in all of NumPy and Python, of ROWS rows."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Watch(TorchFunctionMode):
        most = 0

        def __torch_function__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            made = result if isinstance(result, (list, tuple)) else [result]
            self.most = max([self.most, *(one.numel() for one in made if isinstance(one, torch.Tensor))])
            return result

    vectors = torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    given = _form_it_takes(answer, vectors)
    tracemalloc.start()
    try:
        for _ in range(2):  # what the first call imports is not counted
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            with Watch() as watch:
                answer(given)
            peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return max(watch.most, peak // vectors.element_size())
