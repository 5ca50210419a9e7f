"""What the tests of pretraining share: a toy vocabulary of 90 pieces, a model of one layer, a stream of tokens."""

from __future__ import annotations

import pytest
import torch

from kit.pretraining.compact_bert import new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.windows import LONG
from tests.pretraining.toy import ONE_LAYER, SEP, V


@pytest.fixture
def model():
    model = new_masked_lm(ONE_LAYER, V, positions=LONG, seed=3, attention="eager")
    with torch.no_grad():  # away from the flat start, so that a wrong position shows
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(parameter.numel())) / 8)
    return model


@pytest.fixture
def stream() -> Stream:
    """Forty documents of three lines of 2 to 60 pieces; every piece below 80 occurs, none above."""
    generator = torch.Generator().manual_seed(0)
    tokens, starts, lengths = [], [], []
    for _ in range(40):
        for _ in range(3):
            n = int(torch.randint(2, 61, (1,), generator=generator))
            starts.append(len(tokens))
            lengths.append(n)
            tokens += torch.randint(5, 80, (n,), generator=generator).tolist()
        tokens.append(SEP)
    return Stream(torch.tensor(tokens, dtype=torch.int32), torch.tensor(starts), torch.tensor(lengths), {"toy": 1})
