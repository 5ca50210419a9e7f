"""What a loss takes where nothing is given: the numbers and words of its docstring and of the paper behind it."""

from __future__ import annotations

import inspect

import pytest

from kit import losses

USUAL = {
    "nt_xent": {"temperature": 0.05},
    "supcon": {"temperature": 0.1},
    "mnrl": {"temperature": 0.05},
    "mnrl_hard": {"temperature": 0.05},
    "simcse_unsupervised": {"temperature": 0.05},
    "simcse_supervised": {"temperature": 0.05},
    "scl": {"temperature": 1.0, "similarity": "dot"},
    "supmpn": {"temperature": 0.05, "other_positives": "excluded"},
    "cosent": {"temperature": 0.05},
    "triplet": {"margin": 1.0, "distance": "euclidean", "reduction": "mean"},
    "contrastive": {"margin": 1.0, "distance": "euclidean", "reduction": "mean", "half": False},
    "batch_all": {"margin": 1.0, "distance": "euclidean", "reduction": "mean"},
    "batch_hard": {"margin": 1.0, "distance": "euclidean", "reduction": "mean"},
    "batch_semi_hard": {"margin": 1.0, "distance": "euclidean", "reduction": "mean"},
    "triplet_regions": {"margin": 1.0, "distance": "euclidean"},
    "masked_softmax": {"similarity": "cosine", "other_positives": "included", "reduction": "mean"},
    "softmax_weights": {"similarity": "cosine", "other_positives": "included"},
    "similarity_gradient": {"similarity": "cosine", "other_positives": "included"},
}


@pytest.mark.parametrize("name", USUAL)
def test_the_usual_numbers(name: str) -> None:
    parameters = inspect.signature(getattr(losses, name)).parameters.values()
    given = {one.name: one.default for one in parameters if one.default is not one.empty and one.name != "fast"}
    assert given == USUAL[name]
