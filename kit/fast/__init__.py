"""The door for speed: parts that make the kit faster and compute nothing new.

Each part has a plain twin, named in its docstring, and a test that the two agree:

    chunked       kit.losses.softmax.masked_softmax, a block of anchors at a time, its gradient written out
    packed        Encoder.forward without padding: all sentences of a micro-batch end to end
    packing       where each token lies in that packed row, and in the blocks that attention takes
    microbatches  Encoder.forward on all rows at once: sentences of like length together instead
    streams       map over independent pieces, side by side
    linear        torch.nn.functional.linear, its three products by oneDNN
    matmul        a @ b.T by oneDNN
    inference     Encoder.forward where only vectors are wanted: no padding, nothing kept, products fused
    fused         torch.nn.functional.linear with what follows it, by oneDNN, in float32 or bfloat16
    masked_lm     pretraining's loss: the last layer and the vocabulary at the masked positions alone
    vocabulary    the cross-entropy over all word pieces, its gradient in the place of the logits
    shared_tokens Encoder.tokenize, a shard on each rank
    word_pieces   the tokenizer on every text: the pieces of each distinct word are looked up instead
    dropout       torch.nn.functional.dropout from fewer random numbers

The core asks `enabled` before it takes one of them, and imports it only then. To read or debug the plain
code, set KIT_FAST=0 in the environment, or give `fast=False` to `fit`, `Trainer`, `Encoder.embed`,
`Encoder.encode` or a loss; word_pieces, which gives the same tokens, only KIT_FAST=0 takes back. Nothing is imported
here.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from kit.errors import KitError

MICROBATCH_TOKENS = 4096  # in one pass of the encoder on a CPU: more is no faster, only larger

# Packed batches have products of many shapes. oneDNN compiles each and keeps 1,024 unless told otherwise,
# which is fewer than a training meets. It reads this when it computes its first product.
PRIMITIVES = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8192"}

# Tensors of 2 MB and more in pages of 2 MB, where Linux has them, instead of 4 kB. A step of training frees and takes
# the same megabytes again and again, each time as zeroed pages: 10,000 of them a step of kit-bert-mini, a tenth of its
# time. torch reads this when it makes its first tensor.
LARGE_PAGES = {"THP_MEM_ALLOC_ENABLE": "1"}

# How often a thread of libgomp, torch's OpenMP on Linux, asks whether it has work before it sleeps. Its own 300,000 are
# longer than a turn on the processor: a training beside busy programs crawls, at times over sixty times slower than
# alone. Without asking at all (OMP_WAIT_POLICY=PASSIVE) steps of kit-bert-tiny take half as long again. To see either,
# set it and run benchmarks/busy.py. It is read when torch is loaded, so `import kit` goes before that.
WAITING = {"GOMP_SPINCOUNT": "5000"}


def tell_torch() -> None:
    """Set in the environment what torch reads once. What the reader has set stays, OMP_WAIT_POLICY too."""
    waiting = {} if "OMP_WAIT_POLICY" in os.environ else WAITING
    for name, value in (PRIMITIVES | LARGE_PAGES | waiting).items():
        os.environ.setdefault(name, value)


def enabled(fast: bool | None = None) -> bool:
    """Whether to take the fast parts: `fast` where it is given, else unless KIT_FAST is 0.

    The environment is read at each call. Errors: `KitError` for a KIT_FAST other than 0 or 1.
    """
    if fast is not None:
        return fast
    setting = os.environ.get("KIT_FAST", "1")
    if setting not in ("0", "1"):
        raise KitError(f"expected KIT_FAST to be 0 or 1, got {setting!r}: 0 takes the plain code, 1 the fast.")
    return setting == "1"


@contextmanager
def without_collection() -> Iterator[None]:
    """As a decorator or in `with`: Python searches for no cycles of references until it ends.

    Each time a quarter more objects live than before, the collector goes through all of them. Where a hundred thousand
    texts become rows, groups and token ids, that is a quarter of the time, and it finds nothing. References are counted
    as ever.
    """
    was_on = gc.isenabled() and enabled()
    if was_on:
        gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
