"""Vendors' specifications of GPUs and links: data/papers/machines.csv, each figure with its source.

Peaks are what the hardware could do, not what programs reach.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass

from kit.errors import KitError, check_name, unknown_name
from kit.paths import bundle

WORDS = {
    "matrix_bf16": "products of matrices, bf16",
    "matrix_fp32": "products of matrices, fp32",
    "memory_bandwidth": "its memory, read or written",
    "memory": "its memory",
    "link": "sending, in one direction",
    "gpus": "GPUs",
    "cores": "CPU cores",
}
UNITS = {"TFLOP/s": 1e12, "TB/s": 1e12, "GB/s": 1e9, "GB": 1e9, "": 1.0}  # to FLOP/s, bytes/s, bytes, pieces


@dataclass(frozen=True)
class Quantity:
    """One published figure of one machine, as printed."""

    machine: str
    quantity: str
    printed: str
    unit: str
    source: str

    @property
    def words(self) -> str:
        """A label such as "H200: its memory"."""
        return f"{self.machine}: {WORDS[self.quantity]}"

    @property
    def shown(self) -> str:
        """As printed, with its unit."""
        return f"{self.printed} {self.unit}".strip()

    @property
    def value(self) -> float:
        """In FLOP/s, bytes per second, bytes, or pieces."""
        return float(self.printed) * UNITS[self.unit]


def read_machines() -> tuple[Quantity, ...]:
    """Read all specifications, in the order of the file. Raises `KitError` for an unknown unit or quantity.

    Lesson 12.
    """
    with bundle("papers", "machines.csv").open(encoding="utf-8", newline="") as file:
        found = tuple(
            Quantity(*(row[column] for column in ("machine", "quantity", "value", "unit", "source")))
            for row in csv.DictReader(file)
        )
    for one in found:
        check_name(f"unit of {one.machine}, {one.quantity}", one.unit, UNITS)
        check_name(f"quantity of {one.machine}", one.quantity, WORDS)
    return found


def machine(name: str) -> dict[str, float]:
    """The specifications of one machine: quantity → value in FLOP/s, bytes per second, bytes or pieces.

    Raises `KitError` for a machine that is not in the file. Lesson 12.
    """
    known = read_machines()
    found = {one.quantity: one.value for one in known if one.machine == name}
    if not found:
        raise unknown_name("machine", name, list(dict.fromkeys(one.machine for one in known)))
    return found


def links() -> dict[str, float]:
    """Links between machines: name → bytes per second and GPU, in one direction. Lesson 12."""
    inside = {one.machine for one in read_machines() if one.quantity.startswith("matrix")}
    found = {one.machine: one.value for one in read_machines() if one.quantity == "link" and one.machine not in inside}
    if not found:
        raise KitError("expected a link between machines in machines.csv, got none: get data/papers again.")
    return found
