"""Independent pieces of work side by side, each on one thread, where torch would part each of them among all threads.

Parted, every product and every sum waits for its slowest part, and what lies between them runs on one thread. Whole
pieces wait for nobody. The numbers are those that one thread computes.

Plain twin: `map`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import torch

LEAST = 2  # pieces for each thread: with fewer, one that is longer keeps the others waiting


def in_streams(work: Callable[[Any], Any], pieces: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Each piece with what `work` makes of it, as they are done; without gradients.

    As many at once as torch has threads. The last pieces are begun first, as the longest of a sorted list. Where the
    caller stops early, pieces not begun are left out.
    """
    threads = torch.get_num_threads()
    if threads == 1 or len(pieces) < LEAST * threads:
        yield from ((piece, work(piece)) for piece in pieces)
        return

    @torch.inference_mode()  # of this thread: what the caller has set does not hold in another
    def alone(piece: Any) -> tuple[Any, Any]:
        return piece, work(piece)

    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        for done in as_completed([pool.submit(alone, piece) for piece in reversed(pieces)]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)  # MKL has one number for all threads
