"""Sentences to vectors: compact BERTs, poolings, loading and saving."""

from __future__ import annotations

from kit.encoder.encoder import Encoder, pad
from kit.encoder.find import DEFAULT, HUB_FAMILY, ModelSource, bundled_models, find_model
from kit.encoder.layers import by_layer
from kit.encoder.load import load_encoder, random_encoder
from kit.encoder.pooling import POOLINGS, pool

# fmt: off
__all__ = [
    "DEFAULT", "HUB_FAMILY", "POOLINGS", "Encoder", "ModelSource", "bundled_models", "by_layer", "find_model",
    "load_encoder", "pad", "pool", "random_encoder",
]
# fmt: on
