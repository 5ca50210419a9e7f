"""Text and where it comes from: no torch here, and nothing heavy until it is used.

load, load_sts                  data sets from a path, a mirror, the Hub or the world
load_transfer                   labelled sentences for classifiers on frozen embeddings
load_documents                  long documents, one text each
load_stream, stream_of          data that do not fit memory, read as they are needed
group_by_premise, triplets      NLI pairs as anchor, positives and negatives
hide_labels, similar_pairs      few labels, and pairs that are similar or not
World                           made-up scenes with known meaning, without limit
"""

from __future__ import annotations

from typing import Any

from kit.data.catalogue import CATALOGUE, OVERLAPS
from kit.data.documents import Documents, load_documents
from kit.data.few_labels import HIDDEN, count_priors, hide_labels, mix_rows, similar_pairs
from kit.data.hub import KitWarning, hub_is_reachable, hub_problem, offline
from kit.data.nli import CONTRADICTION, ENTAILMENT, LABEL_NAMES, NEUTRAL, Group, Groups, group_by_premise, triplets
from kit.data.sources import load, mirror_root
from kit.data.sts_tasks import STS_TASKS, StsTask, load_sts
from kit.data.table import Source, Table, check_columns, sample
from kit.data.transfer_tasks import TRANSFER_TASKS, TransferTask, load_transfer
from kit.scaling.row_stream import Stream, load_stream, stream_of

__all__ = [
    "CATALOGUE",
    "CONTRADICTION",
    "ENTAILMENT",
    "LABEL_NAMES",
    "NEUTRAL",
    "OVERLAPS",
    "STS_TASKS",
    "TRANSFER_TASKS",
    "HIDDEN",
    "Documents",
    "Group",
    "Groups",
    "KitWarning",
    "Source",
    "Stream",
    "StsTask",
    "Table",
    "TransferTask",
    "World",
    "check_columns",
    "count_priors",
    "group_by_premise",
    "hide_labels",
    "hub_is_reachable",
    "hub_problem",
    "load",
    "load_documents",
    "load_stream",
    "load_sts",
    "load_transfer",
    "mirror_root",
    "mix_rows",
    "offline",
    "sample",
    "similar_pairs",
    "stream_of",
    "triplets",
]


def __getattr__(name: str) -> Any:
    if name == "World":  # the grammar is built only for those who use it
        from kit.world import World

        return World
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
