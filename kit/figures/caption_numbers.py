"""Numbers as captions and tables print them, and the words beside them."""

from __future__ import annotations

# parts of a loss, as the lessons write them
PARTS = {"contrastive": "contrast", "cross_entropy": "cross-entropy", "mlm": "MLM", "pu": "PU risk"}


def written(value: float, form: str = ".2f", sign: str = "-") -> str:
    """The value by a format and with the minus of a page; what is printed as zero has no minus. sign "+" shows both.

    >>> written(-0.5), written(-0.004), written(0.5, ".1f", "+"), written(-2e-05, ".3g")
    ('−0.50', '0.00', '+0.5', '−2e-05')
    """
    said = f"{value:{sign}z{form}}"
    return f"−{said[1:]}" if said.startswith("-") else said


def counted(number: int, noun: str) -> str:
    """The number with its noun, which takes an s but after 1: "1 step", "2,000 steps"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def part_name(part: str) -> str:
    """What a part of a loss is called, by its name in a history: "contrastive" is the "contrast"."""
    return PARTS.get(part, part.replace("_", " "))
