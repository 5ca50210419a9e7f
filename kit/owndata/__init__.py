"""Data of one's own: from a file to what `fit` trains on, and to a validation of one's own.

read               a file, a frame, a list or a Hub id as rows of one kind, with a line that says how it was read
OwnData, KINDS     such rows, with their columns by role
look               what is in them: lengths, copies, contradictions, oddities, false negatives of a batch
split, leaks       parts without near-duplicates between them; which rows would have leaked
suggest            which recipes fit them, and why
training_data      what `fit` takes with a recipe; fitted: the recipe with what the data decide
OwnValidation      scores, triplets or retrieval of one's own, asked while training; own_task: pairs as retrieval
"""

from __future__ import annotations

from kit.owndata.look_own import look
from kit.owndata.look_report import Look
from kit.owndata.minhash import near_duplicates
from kit.owndata.own_data import KINDS, OwnData
from kit.owndata.own_validation import OwnValidation, own_task
from kit.owndata.read_own import read
from kit.owndata.split_own import Split, leaks, split
from kit.owndata.training_data import fitted, training_data
from kit.owndata.which_recipe import suggest
from kit.owndata.word_sets import jaccard

__all__ = [
    "KINDS", "Look", "OwnData", "OwnValidation", "Split", "fitted", "jaccard", "leaks", "look", "near_duplicates",
    "own_task", "read", "split", "suggest", "training_data",
]  # fmt: skip
