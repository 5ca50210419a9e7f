"""Text and where it comes from: no torch here, and nothing heavy until it is used.

load, load_sts                  data sets from a path, a mirror, the Hub or the world
group_by_premise, triplets      NLI pairs as anchor, positives and negatives
World                           made-up scenes with known meaning, without limit
"""

from __future__ import annotations

from typing import Any

from kit.data.catalogue import CATALOGUE, OVERLAPS
from kit.data.hub import KitWarning, hub_is_reachable, hub_problem, offline
from kit.data.nli import (
    CONTRADICTION,
    ENTAILMENT,
    LABEL_NAMES,
    NEUTRAL,
    Group,
    Groups,
    group_by_premise,
    triplets,
)
from kit.data.sources import load, mirror_root
from kit.data.sts import STS_TASKS, StsTask, load_sts
from kit.data.table import Source, Table, check_columns, sample

__all__ = [
    "CATALOGUE",
    "CONTRADICTION",
    "ENTAILMENT",
    "LABEL_NAMES",
    "NEUTRAL",
    "OVERLAPS",
    "STS_TASKS",
    "Group",
    "Groups",
    "KitWarning",
    "Source",
    "StsTask",
    "Table",
    "World",
    "check_columns",
    "group_by_premise",
    "hub_is_reachable",
    "hub_problem",
    "load",
    "load_sts",
    "mirror_root",
    "offline",
    "sample",
    "triplets",
]


def __getattr__(name: str) -> Any:
    if name == "World":  # the grammar is built only for those who use it
        from kit.data.world import World

        return World
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
