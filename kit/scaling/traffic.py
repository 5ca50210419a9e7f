"""Bytes that processes send each other in a step of training."""

from __future__ import annotations

from dataclasses import dataclass

from kit.course.papers.step_cost import all_gather_bytes, ring_all_reduce_bytes


@dataclass(frozen=True)
class Traffic:
    """Bytes that every rank sends in one step, and as many that it receives."""

    vectors: float  # the gather
    vector_gradients: float  # on their way back
    weight_gradients: float

    @property
    def total(self) -> float:
        return self.vectors + self.vector_gradients + self.weight_gradients


def traffic(rows: int, dim: int, parameters: int, size: int) -> Traffic:
    """What one step of `size` ranks sends, for `rows` of the whole batch and `parameters` in all.

    4 bytes a number; the padding of an uneven shard is not counted. Lesson 12.
    """
    table = all_gather_bytes(size, rows / size, dim)
    return Traffic(table, table, ring_all_reduce_bytes(size, parameters))
