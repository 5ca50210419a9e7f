"""Measuring on held-out text, and the exported folder that plain transformers loads."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from kit.errors import KitError
from kit.pretraining import heldout
from kit.pretraining.compact_bert import Size, masked_logits, new_masked_lm
from kit.pretraining.export import export_masked_lm
from kit.pretraining.heldout import frame_of, heldout_rows, measure_heldout
from kit.training.masking import IGNORE, mask_whole_words
from tests.pretraining.toy import CLS, FRAME, ONE_LAYER, PIECES, SEP, V

# --- measuring --------------------------------------------------------------------------------


def rows(n: int, seed: int) -> torch.Tensor:
    ids = torch.randint(5, V, (n, 64), generator=torch.Generator().manual_seed(seed))
    ids[:, 0], ids[:, -1] = CLS, SEP
    return ids


def test_measuring_repeats_and_leaves_the_mode(model) -> None:
    for training in [True, False]:
        model.train(training)
        held = {"a": rows(5, 0), "b": rows(9, 1)}
        first = measure_heldout(model, held, PIECES)
        assert model.training is training
        torch.rand(3)
        assert measure_heldout(model, held, PIECES) == first
        assert measure_heldout(model, held, PIECES, seed=1) != first


def test_measuring_is_the_loss_by_source(model) -> None:
    held = {"a": rows(5, 0), "b": rows(9, 1)}
    measured = measure_heldout(model, held, PIECES, batch_rows=4)
    model.eval()
    total = hits = 0.0
    for source, ids in held.items():
        inputs, positions, targets = mask_whole_words(ids, PIECES, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            logits = masked_logits(model, inputs, positions)
        real = targets != IGNORE
        entry, loss = measured[source], F.cross_entropy(logits[real], targets[real])
        right = (logits[real].argmax(-1) == targets[real]).float()
        assert entry["loss"] == pytest.approx(float(loss), rel=1e-5)
        assert entry["accuracy"] == pytest.approx(100 * float(right.mean()))
        assert entry["masked"] == int(real.sum())
        assert entry["pseudo_perplexity"] == pytest.approx(math.exp(entry["loss"]))
        total, hits = total + float(loss) * int(real.sum()), hits + float(right.sum())
    everything = measured["all"]
    assert everything["masked"] == measured["a"]["masked"] + measured["b"]["masked"]
    assert everything["loss"] == pytest.approx(total / everything["masked"], rel=1e-5)
    assert everything["accuracy"] == pytest.approx(100 * hits / everything["masked"])


def test_measuring_keeps_no_graph(model, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, plain = [], heldout.masked_logits
    monkeypatch.setattr(heldout, "masked_logits", lambda *of: seen.append(torch.is_grad_enabled()) or plain(*of))
    measure_heldout(model, {"a": rows(5, 0)}, PIECES)
    assert seen == [False]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory):
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghij", *(f"##{c}" for c in "abcdefghij")]
    trained = BertWordPieceTokenizer({word: i for i, word in enumerate(words)}, lowercase=True, strip_accents=True)
    return BertTokenizerFast(
        tokenizer_object=trained._tokenizer, do_lower_case=True, strip_accents=True, model_max_length=512
    )


def write(path: Path, **columns: list) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
    return path


def test_heldout_rows_are_full_windows_by_source(tmp_path: Path, tokenizer) -> None:
    file = write(tmp_path / "heldout.parquet", text=["a bc", "d", "a\nab a"], source=["x", "y", "x"])
    held = heldout_rows(file, tokenizer, length=6)
    assert {source: tokenizer.batch_decode(ids) for source, ids in held.items()} == {
        "x": ["[CLS] a bc [SEP] [SEP]", "[CLS] a ab a [SEP]"]
    }
    assert held["x"].shape == (2, 6)
    assert frame_of(tokenizer) == FRAME


def test_heldout_text_that_is_missing_or_too_short_is_one_sentence(tmp_path: Path, tokenizer) -> None:
    with pytest.raises(KitError, match=r"heldout\.parquet"):
        heldout_rows(tmp_path / "heldout.parquet", tokenizer)
    with pytest.raises(KitError, match="at least 126 word pieces"):
        heldout_rows(write(tmp_path / "heldout.parquet", text=["a b c"]), tokenizer)


# --- export -----------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path: Path, tokenizer):
    model = new_masked_lm(Size(2, 64), len(tokenizer), seed=0, attention="eager").eval()
    return model, export_masked_lm(model, tokenizer, tmp_path / "model")


def test_export_loads_with_plain_transformers(exported, tokenizer) -> None:
    from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

    model, folder = exported
    loaded, info = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not info["missing_keys"] and not info["unexpected_keys"], "the decoder is tied, not missing"
    assert {p.dtype for p in loaded.parameters()} == {torch.float32}
    assert loaded.get_output_embeddings().weight is loaded.get_input_embeddings().weight
    assert loaded.config.hidden_dropout_prob == loaded.config.attention_probs_dropout_prob == 0.1
    batch = AutoTokenizer.from_pretrained(folder)(["A bc", "je ab [MASK]"], padding=True, return_tensors="pt")
    assert torch.equal(
        batch["input_ids"], tokenizer(["A bc", "je ab [MASK]"], padding=True, return_tensors="pt")["input_ids"]
    )
    with torch.no_grad():
        ours, theirs = model(**batch).logits, loaded.eval()(**batch).logits
        hidden = AutoModel.from_pretrained(folder).eval()(**batch).last_hidden_state
        torch.testing.assert_close(hidden, model.bert(**batch).last_hidden_state, rtol=2e-3, atol=5e-3)
    torch.testing.assert_close(theirs, ours, rtol=2e-3, atol=2e-3)  # fp16 keeps eleven bits


def test_export_is_half_precision_without_pickle_or_copies(exported, tokenizer) -> None:
    from safetensors import safe_open

    model, folder = exported
    assert {file.suffix for file in folder.iterdir()} <= {".json", ".safetensors", ".txt"}
    with safe_open(folder / "model.safetensors", "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    assert {t.dtype for t in tensors.values()} == {torch.float16}
    assert sum(t.numel() for t in tensors.values()) == sum(p.numel() for p in model.parameters())
    assert "float32" in (folder / "config.json").read_text()
    assert json.loads((folder / "tokenizer_config.json").read_text())["model_max_length"] == 512
    assert len({file.stat().st_mode & 0o044 for file in folder.iterdir()}) == 1, "readable by whoever reads the rest"


def test_export_to_a_full_disk_is_one_sentence(tmp_path: Path, tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, blob: bytes) -> None:
        raise OSError(28, "No space left on device")

    def full_for_rust(*_) -> None:
        raise Exception("No space left on device (os error 28)")

    for owner, name, refuse in ((Path, "write_bytes", full), (type(tokenizer), "save_pretrained", full_for_rust)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, refuse)
            with pytest.raises(KitError, match=r"'No space left on device.*': the checkpoints are intact"):
                export_masked_lm(new_masked_lm(ONE_LAYER, len(tokenizer)), tokenizer, tmp_path / "model")
