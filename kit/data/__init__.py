"""Text and where it comes from: no torch here, and nothing heavy until it is used.

load, load_sts                  data sets from a path, a mirror, the Hub or the world
load_transfer                   labelled sentences for classifiers on frozen embeddings
load_documents                  long documents, one text each
group_by_premise, triplets      NLI pairs as anchor, positives and negatives
hide_labels, similar_pairs      few labels, and pairs that are similar or not
"""

from __future__ import annotations

from kit.data.catalogue import CATALOGUE, OVERLAPS
from kit.data.documents import Documents, load_documents
from kit.data.few_labels import HIDDEN, count_priors, hide_labels, mix_rows, similar_pairs
from kit.data.hub import hub_problem, offline
from kit.data.nli import CONTRADICTION, ENTAILMENT, LABEL_NAMES, NEUTRAL, Group, Groups, group_by_premise, triplets
from kit.data.sources import load, mirror_root
from kit.data.sts_tasks import STS_TASKS, StsTask, load_sts
from kit.data.table import Source, Table, check_columns, sample
from kit.data.transfer_tasks import TRANSFER_TASKS, TransferTask, load_transfer
from kit.errors import KitWarning

__all__ = [
    "CATALOGUE", "CONTRADICTION", "ENTAILMENT", "LABEL_NAMES", "NEUTRAL", "OVERLAPS", "STS_TASKS", "TRANSFER_TASKS",
    "HIDDEN", "Documents", "Group", "Groups", "KitWarning", "Source", "StsTask", "Table", "TransferTask",
    "check_columns", "count_priors", "group_by_premise", "hide_labels", "hub_problem", "load",
    "load_documents", "load_sts", "load_transfer", "mirror_root", "mix_rows", "offline", "sample", "similar_pairs",
    "triplets",
]  # fmt: skip
