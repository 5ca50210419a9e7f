"""The door for speed: when it is open, what stands behind it, and that each part has a twin and a test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import kit.fast
import kit.losses
from kit.encoder import Encoder
from kit.errors import KitError
from kit.losses import contrastive_softmax, masked_softmax, mnrl, mnrl_relations
from tests.forks import end_of
from tests.tiny import SENTENCES, tiny_encoder

# part → (its plain twin, the test that they agree)
TWINS = {
    "chunked.chunked_softmax": (
        "kit.losses.softmax.masked_softmax",
        "test_chunked.py::test_value_and_gradient_are_those_of_the_plain_softmax",
    ),
    "packed.embed_packed": (
        "Encoder.embed_padded",
        "test_packed.py::test_every_pooling_gives_the_vectors_of_the_padded_pass",
    ),
    "packed.packed_hidden": (
        "transformers.BertModel.forward",
        "test_packed.py::test_gradients_are_those_of_the_padded_pass_in_float64",
    ),
    "packed.Attention": (
        "transformers' eager attention",
        "test_packed.py::test_the_gradient_of_attention_is_its_derivative",
    ),
    "packed.GatherRows": (
        "torch.Tensor.index_select",
        "test_microbatches.py::test_gathering_rows_is_index_select_with_its_gradient",
    ),
    "inference.Inference": (
        "Encoder.embed_padded",
        "test_inference.py::test_every_pooling_gives_the_vectors_of_the_padded_pass",
    ),
    "streams.in_streams": ("map", "test_streams.py::test_encoded_side_by_side_the_vectors_are_those_of_one_thread"),
    "fused.fused_linear": (
        "torch.nn.functional.linear",
        "test_inference.py::test_a_fused_product_is_that_of_torch_and_what_follows",
    ),
    "microbatches.embed_in_microbatches": (
        "Encoder.embed_padded",
        "test_microbatches.py::test_values_gradients_and_sizes",
    ),
    "linear.linear": ("torch.nn.functional.linear", "test_linear.py::test_values_and_gradients_are_those_of_torch"),
    "matmul.matmul_nt": ("torch.nn.functional.linear", "test_linear.py::test_values_and_gradients_are_those_of_torch"),
    "shared_tokens.SharedTokens": (
        "Encoder.tokenize",
        "../scaling/test_distributed.py::test_each_rank_tokenises_its_share_and_has_all",
    ),
    "word_pieces.pieces_of": (
        "tokenizers.Tokenizer.encode_batch_fast",
        "test_word_pieces.py::test_they_are_those_of_the_tokenizer",
    ),
    "masked_lm.sparse_masked_lm_loss": (
        "kit.pretraining.compact_bert.masked_lm_loss",
        "test_masked_lm.py::test_loss_and_gradients_are_those_of_the_plain_pass",
    ),
    "masked_lm.FeedForward": (
        "transformers' BertIntermediate and BertOutput",
        "test_masked_lm.py::test_the_gradient_of_the_feed_forward_part_is_its_derivative",
    ),
    "masked_lm.Attention": (
        "transformers' eager attention",
        "test_masked_lm.py::test_the_gradient_of_attention_is_its_derivative",
    ),
    "masked_lm.Linear": (
        "torch.nn.functional.linear",
        "test_masked_lm.py::test_a_product_with_a_residual_is_the_sum_of_both",
    ),
    "vocabulary.VocabularyLoss": (
        "kit.training.masking.masked_cross_entropy",
        "test_masked_lm.py::test_the_gradient_of_the_vocabulary_loss_is_its_derivative",
    ),
    "dropout.fast_dropout": (
        "torch.nn.functional.dropout",
        "test_packed.py::test_a_unit_is_dropped_with_its_probability_and_the_others_are_scaled",
    ),
}


def test_every_part_has_a_plain_twin_and_a_test_that_they_agree() -> None:
    here, room = Path(__file__).parent, Path(kit.fast.__file__).parent
    missing = []
    for part, (_, test) in TWINS.items():
        file, name = part.split(".")
        if not re.search(rf"^(def|class) {name}\b", (room / f"{file}.py").read_text(), re.MULTILINE):
            missing.append(part)
        file, name = test.split("::")
        if f"def {name}(" not in (here / file).read_text():
            missing.append(test)
    listed = {part.split(".")[0] for part in TWINS}
    listed |= {"packing", "stopwatch"}  # the index tables of packed; what measures, and computes nothing
    missing += sorted({path.stem for path in room.glob("*.py")} - listed - {"__init__"})
    assert not missing


def test_the_argument_comes_first_and_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_FAST", raising=False)
    assert kit.fast.enabled() and not kit.fast.enabled(False)
    monkeypatch.setenv("KIT_FAST", "0")
    assert not kit.fast.enabled() and kit.fast.enabled(True)
    monkeypatch.setenv("KIT_FAST", "1")
    assert kit.fast.enabled()
    monkeypatch.setenv("KIT_FAST", "yes")
    with pytest.raises(KitError, match="expected KIT_FAST to be 0 or 1, got 'yes'"):
        kit.fast.enabled()


def test_shut_the_plain_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, forward, seen = tiny_encoder(tmp_path), Encoder.forward, []
    monkeypatch.setattr(Encoder, "forward", lambda self, *args: seen.append("forward") or forward(self, *args))
    monkeypatch.setattr("kit.losses.softmax.masked_softmax", lambda *a: seen.append("softmax") or masked_softmax(*a))
    ids = encoder.tokenize(SENTENCES)

    def steps(**fast: bool) -> list[torch.Tensor]:
        z = encoder.embed(ids, 40, **fast)
        return [
            encoder.encode(SENTENCES, **fast),
            z,
            contrastive_softmax(z, mnrl_relations(3), 0.05, **fast),
            mnrl(z[:3], z[3:], **fast),
        ]

    fast = steps()
    assert not seen
    plain = steps(fast=False)
    assert seen == ["forward", "forward", "softmax", "softmax"]
    monkeypatch.setenv("KIT_FAST", "0")
    for way in (plain, steps()):
        for found, expected in zip(way, fast, strict=True):
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert len(seen) == 8


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("loss", ["nt_xent", "supcon", "mnrl", "simcse_unsupervised", "simcse_supervised", "mnrl_hard",
                                  "scl", "supmpn"])  # fmt: skip
def test_every_named_loss_goes_the_way_that_is_asked_for(loss: str, fast: bool, monkeypatch) -> None:
    seen, z = [], torch.randn(6, 8, generator=torch.Generator().manual_seed(0))
    monkeypatch.setenv("KIT_FAST", "0" if fast else "1")
    monkeypatch.setattr("kit.losses.softmax.masked_softmax", lambda *a: seen.append(loss) or masked_softmax(*a))
    given = {
        "nt_xent": (z,),
        "supcon": (z, [0, 0, 1, 1, 2, 2]),
        "mnrl": (z[:3], z[3:]),
        "simcse_unsupervised": (z[:3], z[3:]),
        "scl": (z[:3], z[3:], [0, 1, 2], [0, 2, 0]),
        "simcse_supervised": (z[:2], z[2:4], z[4:]),
        "mnrl_hard": (z[:2], z[2:4], z[4:, None]),
        "supmpn": (z[:2], z[2:4, None], z[4:, None]),
    }[loss]
    getattr(kit.losses, loss)(*given, fast=fast)
    assert seen == ([] if fast else [loss])


@pytest.mark.slow
def test_shut_nothing_behind_the_door_is_imported(tmp_path: Path) -> None:
    tiny_encoder(tmp_path)
    said = tmp_path / "said"
    code = f"""
import os, pathlib, sys
from tests.forks import say_into
say_into(pathlib.Path({str(said)!r}))
os.environ["KIT_FAST"] = "0"
from kit.encoder import load_encoder
from kit.losses import mnrl
encoder = load_encoder({str(tmp_path)!r})
vectors = encoder.encode(["a dog runs", "a cat sleeps"])
z = encoder.embed(encoder.tokenize(["a dog runs", "a cat sleeps"]), 64)
mnrl(z, z).backward()
print(*sorted(name for name in sys.modules if name.startswith("kit.fast")))
"""
    assert end_of(exec, code, {}) == 0, said.read_text()
    assert said.read_text().split() == ["kit.fast"]


@pytest.mark.parametrize(("set_by_the_user", "then"), [(None, "1"), ("0", "0")])
def test_large_pages_are_asked_for_unless_somebody_decided_otherwise(set_by_the_user: str | None, then: str) -> None:
    name = "THP_MEM_ALLOC_ENABLE"
    own = {key: value for key, value in os.environ.items() if key != name}
    own |= {name: set_by_the_user} if set_by_the_user else {}
    program = f"import os, kit.fast; print(os.environ[{name!r}])"
    done = subprocess.run([sys.executable, "-c", program], env=own, text=True, capture_output=True, check=True)
    assert done.stdout.strip() == then
