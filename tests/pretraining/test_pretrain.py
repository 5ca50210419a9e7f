"""scripts/pretrain.py from end to end on a toy corpus: learns, resumes, and loses nothing."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pretrain as script
import pytest
import torch

from kit.errors import KitError
from kit.fast import enabled
from kit.pretraining import pretrain as run
from kit.pretraining.compact_bert import SIZES, Size, flops_per_token, masked_lm_loss, new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.pretrain import Plan
from kit.pretraining.windows import draw_batch
from kit.storage import checkpoint
from kit.storage.checkpoint import load_checkpoint
from kit.training.masking import mask_whole_words
from tests.forks import end_of
from tests.pretraining.toy import FRAME, MASK, ONE_LAYER, PIECES, V, end_at_step_seven

pytestmark = pytest.mark.slow
SCRIPT = Path(script.__file__)
STEPS, EVERY, BATCH = 12, 4, 512


def documents(n: int, first: int) -> list[str]:
    """Short stories by a rule that a small model learns in seconds: each goes on about one thing."""
    things = ["boat", "oven", "piano", "garden", "letter", "winter", "bridge", "candle"]
    return ["\n".join([" ".join([things[(first + i) % 8]] * (3 + line % 4)) for line in range(12)]) for i in range(n)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("corpus")
    pq.write_table(pa.table({"text": documents(40, 0), "source": ["toy"] * 40}), folder / "stories.parquet")
    pq.write_table(pa.table({"text": documents(6, 2), "source": ["toy"] * 6}), folder / "heldout.parquet")
    return folder


@pytest.fixture(scope="module")
def work(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary and a stream, made once."""
    folder = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patch:
        main(patch, corpus, folder, folder / "unused", "--only", "stream")
    return folder


def options(corpus: Path, work: Path, out: Path, *more: str) -> list[str]:
    return [
        f"--corpus={corpus}",
        f"--work={work}",
        f"--out={out}",
        f"--tokens={STEPS * BATCH}",
        "--device=cpu",
        f"--batch-tokens={BATCH}",
        "--vocabulary=90",
        f"--every={EVERY}",
        "--precision=fp32",
        "--lr=3e-3",
        *more,
    ]


def main(patch: pytest.MonkeyPatch, corpus: Path, work: Path, out: Path, *more: str) -> None:
    """The script's main, at the size of a test and without measuring this machine."""
    patch.setitem(SIZES, "kit-bert-tiny", Size(1, 64))
    patch.setattr(run, "matrix_throughput", lambda device, precision: 1e12)
    patch.setattr(sys, "argv", ["pretrain.py", *options(corpus, work, out, *more)])
    script.main()


def tensors_of(out: Path) -> dict[str, torch.Tensor]:
    found, _ = load_checkpoint(out)
    return found


def history_of(out: Path) -> list[dict]:
    """The run's measurements without the clock."""
    kept = json.loads((out / "history.json").read_text())
    return [{k: v for k, v in entry.items() if k != "seconds"} for entry in kept]


class Words:
    """What `pretrain` asks of a tokenizer, of the toy's vocabulary."""

    all_special_ids, mask_token_id = range(5), MASK

    def __len__(self) -> int:
        return V

    def convert_ids_to_tokens(self, ids: range) -> list[str]:
        return [f"##{i}" if PIECES.continues[i] else f"piece {i}" for i in ids]


def pretrained(plan: Plan, stream: Stream, folder: Path, **often) -> tuple:
    """The model and the history of a run on the toy's stream."""
    heldout, device = {"toy": torch.arange(5, 69)[None]}, torch.device("cpu")
    return run.pretrain(plan, stream, heldout, Words(), FRAME, folder, device, "toy", progress=False, **often)


def test_two_steps_are_the_steps_written_out(stream: Stream, tmp_path: Path) -> None:
    """Of a plan unlike the default; clipped so short that Adam's ε counts, as it divides a factor out."""
    plan = Plan(
        ONE_LAYER, 2, 256, lr=1e-3, warmup=1, weight_decay=10, beta2=0.5, clip=1e-5, seed=3, precision="fp32",
        counted_start=False, masked=0.3,
    )  # fmt: skip
    after, history = pretrained(plan, stream, tmp_path)

    plain, losses = new_masked_lm(ONE_LAYER, V, seed=3, attention="eager"), []
    weights = list(plain.parameters())
    mean, square = [torch.zeros_like(p) for p in weights], [torch.zeros_like(p) for p in weights]
    for step, lr in enumerate((0.5e-3, 1e-3)):  # the warm-up takes both steps
        ids, mask, generator = draw_batch(stream, FRAME, step, 256, 3)
        masked = mask_whole_words(ids, PIECES, 0.3, generator)
        losses.append(masked_lm_loss(plain, *masked, mask, fast=False))
        gradients = torch.autograd.grad(losses[-1], weights, materialize_grads=True)
        short = 1e-5 / sum(g.square().sum() for g in gradients).sqrt()
        for p, g, m, v in zip(weights, gradients, mean, square):
            m.lerp_(short * g, 0.1), v.lerp_((short * g).square(), 0.5)
            update = m / (1 - 0.9 ** (step + 1)) / ((v / (1 - 0.5 ** (step + 1))).sqrt() + 1e-8)
            p.data = p.data * (1 - lr * (10 if p.ndim >= 2 else 0)) - lr * update

    assert history[0]["train_loss"] == pytest.approx(sum(losses).item() / 2, rel=1e-5)
    assert (history[0]["step"], history[0]["tokens"]) == (2, 512)
    for (name, found), expected in zip(after.named_parameters(), weights, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=2e-6, msg=name)


def test_the_precision_of_the_plan_is_that_of_the_loss(
    stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, plain = [], run.masked_lm_loss
    monkeypatch.setattr(run, "masked_lm_loss", lambda *of: seen.append(torch.is_autocast_enabled("cpu")) or plain(*of))
    for precision in ("fp32", "bf16"):
        pretrained(Plan(ONE_LAYER, 1, 256, precision=precision, counted_start=False), stream, tmp_path / precision)
    assert seen == [False, True]


def test_a_resumed_history_is_the_same_where_checkpoints_and_measurements_take_turns(
    stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losses since the last measurement count although a checkpoint lies between."""
    plan = Plan(ONE_LAYER, 6, 256, precision="fp32", counted_start=False)

    def history(folder: str) -> list[dict]:
        found = pretrained(plan, stream, tmp_path / folder, checkpoint_every=2, measure_every=3)
        return [{name: value for name, value in entry.items() if name != "seconds"} for entry in found[1]]

    keep, whole = run.save_checkpoint, history("whole")

    def stops_behind_step_2(folder: Path, step: int, *state) -> None:
        keep(folder, step, *state)
        if step == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(run, "save_checkpoint", stops_behind_step_2)
        history("stopped")
    assert history("stopped") == whole and [entry["step"] for entry in whole] == [3, 6]


@pytest.fixture(scope="module")
def whole(corpus: Path, work: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted."""
    out = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        main(patch, corpus, work, out)
    return out


def assert_same_run(out: Path, whole: Path) -> None:
    mine, theirs = tensors_of(out), tensors_of(whole)
    assert mine.keys() == theirs.keys()
    assert any(name.startswith("optimizer.") for name in mine)
    for name, tensor in mine.items():
        assert torch.equal(tensor, theirs[name]), name
    assert history_of(out) == history_of(whole)
    exported = [(folder / "model" / "model.safetensors").read_bytes() for folder in (out, whole)]
    assert exported[0] == exported[1]


# --- a run ------------------------------------------------------------------------------------


def test_a_run_on_another_corpus_is_refused_and_one_that_names_none_goes_on(stream: Stream, tmp_path: Path) -> None:
    plan = Plan(ONE_LAYER, 2, 256, precision="fp32", counted_start=False)
    pretrained(plan, stream, tmp_path)
    pretrained(plan, stream, tmp_path)
    changed = replace(stream, tokens=torch.where(torch.arange(len(stream.tokens)) == 100, 79, stream.tokens))
    assert stream.tokens[100] != 79
    with pytest.raises(KitError, match="expected a run on this corpus in .*: choose a new --out folder or restore"):
        pretrained(plan, changed, tmp_path)
    tensors, meta = load_checkpoint(tmp_path)
    del meta["identity"]["corpus"]
    checkpoint.save_checkpoint(tmp_path, 2, tensors, meta)
    pretrained(plan, changed, tmp_path)


def test_the_loss_goes_down(corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(monkeypatch, corpus, work, tmp_path, f"--tokens={240 * BATCH}", "--every=80", "--lr=0.003")
    history = history_of(tmp_path)
    assert [entry["step"] for entry in history] == [80, 160, 240]
    assert [entry["tokens"] for entry in history] == [80 * BATCH, 160 * BATCH, 240 * BATCH]
    for kind in ("train_loss", "heldout_loss"):
        losses = [entry[kind] for entry in history]
        assert losses[0] > losses[1] > losses[2]
    assert history[-1]["heldout_loss"] < history[0]["heldout_loss"] - 0.5


def test_a_run_that_diverges_stops_and_keeps_nothing_broken(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KitError, match="expected finite losses and weights, but by step 10 at rate 1e\\+30"):
        main(monkeypatch, corpus, work, tmp_path, f"--tokens={20 * BATCH}", "--every=10", "--lr=1e30")
    assert not list(tmp_path.glob("step-*")) and not (tmp_path / "model").exists()


def test_one_weight_that_is_no_number_is_enough_to_stop() -> None:
    model = torch.nn.Linear(3, 3)
    run.check_finite(model, torch.tensor(1.0), 3, 1e-3)
    model.bias.data[0] = float("nan")
    with pytest.raises(KitError, match="expected finite losses and weights, but by step 3 at rate 0.001"):
        run.check_finite(model, torch.tensor(1.0), 3, 1e-3)


def test_the_operations_of_a_token_are_the_mean_over_ten_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight of them have windows of 128 pieces, one of 512, one of 32."""
    monkeypatch.setattr(run, "matrix_throughput", lambda device, precision: 1e9)
    history = [{"tokens": 1000, "seconds": 2.0}]
    told = run.report(Plan(ONE_LAYER, 10, 256), history, V, torch.device("cpu"))
    of = {n: flops_per_token(ONE_LAYER, V, n, 0.15, last_layer_whole=not enabled()) for n in (32, 128, 512)}
    mean = (8 * of[128] + of[512] + of[32]) / 10
    assert told["flops_per_token"] == round(mean)
    assert told["share_of_matrix_throughput"] == pytest.approx(500 * mean / 1e9)


def test_the_counted_start_is_ahead(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(monkeypatch, corpus, work, tmp_path, "--random-start")
    assert history_of(whole)[0]["heldout_loss"] < history_of(tmp_path)[0]["heldout_loss"]


def test_what_a_run_leaves(whole: Path, work: Path) -> None:
    assert sorted(path.name for path in whole.glob("[!.]*")) == [
        "heldout.svg",
        "history.json",
        "model",
        "step-00000008",
        "step-00000012",
        "summary.json",
    ]
    summary = json.loads((whole / "summary.json").read_text())
    assert summary["plan"]["steps"] == STEPS and summary["plan"]["size"] == {"layers": 1, "hidden": 64}
    assert summary["plan"]["precision"] == "fp32"
    assert summary["speed"]["tokens"] == STEPS * BATCH
    assert 0 < summary["speed"]["share_of_matrix_throughput"] < 1
    assert summary["sources"]["toy"] > 1000
    assert {"commit", "versions", "hardware", "date", "vocabulary", "history"} <= summary.keys()
    last = summary["history"][-1]
    text = ElementTree.parse(whole / "heldout.svg").getroot().findtext("{http://www.w3.org/2000/svg}desc")
    assert f"{last['heldout_loss']:.3f}" in text
    files = [path for folder in (whole, work) for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".json", ".safetensors", ".svg", ".txt", ".lock"}, "no pickle"


def test_a_killed_run_goes_on_bit_for_bit(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path.with_suffix(".log")
    ended = end_of(end_at_step_seven, signal.SIGKILL, SCRIPT, options(corpus, work, tmp_path), said)
    assert ended == -signal.SIGKILL, said.read_text()
    assert not (tmp_path / "summary.json").exists()
    assert [path.name for path in tmp_path.glob("step-*")] == ["step-00000004"]
    steps = []
    draw = run.draw_batch
    monkeypatch.setattr(run, "draw_batch", lambda s, f, step, *rest: steps.append(step) or draw(s, f, step, *rest))
    main(monkeypatch, corpus, work, tmp_path)
    assert steps == list(range(4, STEPS)), "nothing is trained twice"
    assert_same_run(tmp_path, whole)


def test_ctrl_c_says_that_the_same_command_goes_on(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path.with_suffix(".log")
    ended = end_of(end_at_step_seven, signal.SIGINT, SCRIPT, options(corpus, work, tmp_path), said)
    assert ended == 130, said.read_text()
    assert said.read_text().rstrip().splitlines()[-1] == (
        "pretrain: interrupted, and nothing that was kept is lost: the same command goes on from the newest checkpoint."
    )
    assert "Traceback" not in said.read_text()
    main(monkeypatch, corpus, work, tmp_path)
    assert_same_run(tmp_path, whole)


def test_a_full_disk_at_a_checkpoint_loses_nothing(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = checkpoint.write_synced

    def full(path: Path, blob: bytes) -> None:
        if "00000008" in path.parent.name:
            write(path, blob[: len(blob) // 2])
            raise OSError(28, "No space left on device")
        write(path, blob)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "write_synced", full)
        with pytest.raises(KitError, match="'No space left on device': earlier checkpoints are intact") as caught:
            main(patch, corpus, work, tmp_path)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["step-00000004"]
    main(monkeypatch, corpus, work, tmp_path)
    assert_same_run(tmp_path, whole)


def test_a_damaged_checkpoint_is_named_and_the_one_before_used(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "measure_heldout", _stop_after(run.measure_heldout, calls=2))
    with pytest.raises(RuntimeError, match="enough"):
        main(monkeypatch, corpus, work, tmp_path)
    monkeypatch.undo()
    file = tmp_path / "step-00000008" / "tensors.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.warns(UserWarning, match="step-00000008 is damaged"):
        main(monkeypatch, corpus, work, tmp_path)
    assert_same_run(tmp_path, whole)


def _stop_after(measure, calls: int):
    def limited(*args, **kwargs):
        nonlocal calls
        calls -= 1
        if calls < 0:
            raise RuntimeError("enough")
        return measure(*args, **kwargs)

    return limited


def test_a_finished_run_is_left_alone(
    corpus: Path, work: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    before = {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    monkeypatch.setattr(run, "describe_hardware", lambda device: "another machine")
    main(monkeypatch, corpus, work, whole)
    assert "finished already" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()} == before


def test_what_was_tried_goes_into_the_summary_even_later(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(whole, tmp_path / "run")
    summary = json.loads((out / "summary.json").read_text())
    main(monkeypatch, corpus, work, out, "--trials", str(whole))
    told = json.loads((out / "summary.json").read_text())
    assert told.pop("trials")[whole.name]["history"] == summary["history"] and told == summary
    with pytest.raises(KitError, match="--trials, but .*nowhere has no checkpoint"):
        main(monkeypatch, corpus, work, out, "--trials", str(tmp_path / "nowhere"))


# --- schedules, and weights to start from -----------------------------------------------------


def stop_at_step_eight(patch: pytest.MonkeyPatch, *args) -> None:
    """A run that ends between its checkpoint of step 8 and that of step 12."""
    with patch.context() as stopping:
        stopping.setattr(run, "measure_heldout", _stop_after(run.measure_heldout, calls=2))
        with pytest.raises(RuntimeError, match="enough"):
            main(stopping, *args)


def test_a_stable_run_can_be_made_longer_before_its_fall_begins(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stable, longer = "--schedule=stable", f"--tokens={20 * BATCH}"
    stop_at_step_eight(monkeypatch, corpus, work, tmp_path / "longer", stable)  # the fall begins at 9.6
    main(monkeypatch, corpus, work, tmp_path / "longer", stable, longer)
    main(monkeypatch, corpus, work, tmp_path / "at once", stable, longer)
    assert_same_run(tmp_path / "longer", tmp_path / "at once")
    with pytest.raises(KitError, match="steps 20 there and 24 here"):  # the fall is over
        main(monkeypatch, corpus, work, tmp_path / "longer", stable, f"--tokens={24 * BATCH}")


def test_a_stable_run_whose_fall_is_over_cannot_be_made_longer(stream: Stream, tmp_path: Path) -> None:
    """Also where the fall of the longer run would not have begun: its rate would fall, jump up and fall again."""
    plan = Plan(ONE_LAYER, 4, 256, precision="fp32", counted_start=False, schedule="stable")
    pretrained(plan, stream, tmp_path)
    with pytest.raises(KitError, match="steps 4 there and 8 here"):
        pretrained(replace(plan, steps=8), stream, tmp_path)


def test_the_summary_keeps_what_made_the_weights_it_went_on_from(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out = shutil.copytree(whole / "model", tmp_path / "model"), tmp_path / "run"
    main(monkeypatch, corpus, work, out, f"--from={model}")
    assert "before" not in json.loads((out / "summary.json").read_text())
    earlier = (whole / "summary.json").read_text()
    (model / "training.json").write_text(earlier)  # found later: the finished run is told with it
    main(monkeypatch, corpus, work, out, f"--from={model}")
    assert json.loads((out / "summary.json").read_text())["before"] == json.loads(earlier)
    grown = tmp_path / "grown"
    main(monkeypatch, corpus, work, grown, f"--from={model}", "--size", "2", "128")
    assert "before" not in json.loads((grown / "summary.json").read_text())  # another model, only grown from it


def test_a_linear_run_cannot_be_made_longer(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at_step_eight(monkeypatch, corpus, work, tmp_path)
    with pytest.raises(KitError, match="steps 12 there and 20 here"):
        main(monkeypatch, corpus, work, tmp_path, f"--tokens={20 * BATCH}")


def test_a_run_that_started_from_a_model_goes_on_bit_for_bit(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One layer of 64 grown to two of 128, more masked."""
    import shutil

    model = shutil.copytree(whole / "model", tmp_path / "model")
    grow = [f"--from={model}", "--size", "2", "128", "--masked=0.3"]
    main(monkeypatch, corpus, work, tmp_path / "at once", *grow)
    stop_at_step_eight(monkeypatch, corpus, work, tmp_path / "resumed", *grow)
    main(monkeypatch, corpus, work, tmp_path / "resumed", *grow)
    assert_same_run(tmp_path / "resumed", tmp_path / "at once")
    plan = json.loads((tmp_path / "resumed" / "summary.json").read_text())["plan"]
    assert plan["size"] == {"layers": 2, "hidden": 128} and plan["masked"] == 0.3
    assert re.fullmatch(re.escape(str(model)) + "@[0-9a-f]{16}", plan["start"])
    assert history_of(tmp_path / "at once")[0]["heldout_loss"] < history_of(whole)[0]["heldout_loss"], "it knew more"

    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-2] + b"\x00\x3c")
    with pytest.raises(KitError, match=r"start .*@[0-9a-f]{16} there and .*@[0-9a-f]{16} here"):
        main(monkeypatch, corpus, work, tmp_path / "resumed", *grow)
    with pytest.raises(KitError, match="at most 256 and at least 128 wide and has at most 2 layers"):
        main(monkeypatch, corpus, work, tmp_path / "wider", f"--from={model}", "--size", "2", "256")
    with pytest.raises(KitError, match=r"expected a model\.safetensors in .*nowhere"):
        main(monkeypatch, corpus, work, tmp_path / "other", f"--from={tmp_path / 'nowhere'}")


# --- what does not belong together ------------------------------------------------------------


def test_another_plan_is_one_sentence_that_names_the_difference(
    corpus: Path, work: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    with pytest.raises(KitError, match=r"has lr 0\.003 there and 0\.01 here: choose a new --out folder") as caught:
        main(monkeypatch, corpus, work, whole, "--lr=0.01")
    assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()} == before


def test_another_vocabulary_is_one_sentence(
    corpus: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KitError, match="was trained with another: choose a new --out folder"):
        main(monkeypatch, corpus, tmp_path, whole, "--vocabulary=30")


def test_a_kept_vocabulary_of_another_size_is_one_sentence(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KitError, match=r"of 70 word pieces in .*asked to have 90: choose another --work folder"):
        main(monkeypatch, corpus, work, tmp_path, "--vocabulary=70")


def test_a_tokenizer_can_be_given(
    corpus: Path, work: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(monkeypatch, corpus, tmp_path / "work", tmp_path / "out", f"--tokenizer={whole / 'model'}")
    assert not (tmp_path / "work" / "tokenizer").exists()
    assert_same_run(tmp_path / "out", whole)
    with pytest.raises(KitError, match=r"a tokenizer\.json in .*nowhere"):
        main(monkeypatch, corpus, work, tmp_path / "out", f"--tokenizer={tmp_path / 'nowhere'}")


def test_another_corpus_makes_a_new_stream(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    import shutil

    shutil.copytree(work, tmp_path / "work")
    shutil.copytree(corpus, tmp_path / "corpus")
    shutil.copy(corpus / "stories.parquet", tmp_path / "corpus" / "twice.parquet")
    counts = []
    for folder in (corpus, tmp_path / "corpus", corpus):
        main(monkeypatch, folder, tmp_path / "work", tmp_path, "--only=stream")
        said = capsys.readouterr().out
        counts.append(int(re.search(r"([\d,]+) word pieces in", said)[1].replace(",", "")))
    assert counts == [counts[0], 2 * counts[0], counts[0]]


def test_no_heldout_text_is_said_before_training(
    work: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    shutil.copytree(corpus, tmp_path / "corpus")
    (tmp_path / "corpus" / "heldout.parquet").unlink()
    with pytest.raises(KitError, match=r"heldout\.parquet"):
        main(monkeypatch, tmp_path / "corpus", work, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_unknown_model_names_the_known(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KitError, match="did you mean 'kit-bert-tiny'"):
        main(monkeypatch, corpus, work, tmp_path, "--model=kit-bert-tiy")


# --- where the text is ------------------------------------------------------------------------


def test_the_mirrors_text_is_the_default(
    corpus: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").symlink_to(corpus)
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    args = [o for o in options(corpus, work, tmp_path / "out", "--only=stream") if not o.startswith("--corpus")]
    monkeypatch.setattr(sys, "argv", ["pretrain.py", *args])
    script.main()
    assert script.corpus_of(script.arguments()) == tmp_path / "text"
    monkeypatch.setenv("KIT_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(KitError, match=r"elsewhere.text does not exist"):
        script.main()


def test_neither_corpus_nor_mirror_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["pretrain.py"])
    with pytest.raises(KitError, match="neither --corpus nor KIT_DATA"):
        script.main()


def test_numbers_below_one_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    for wrong in ("--every=0", "--tokens=-5", "--batch-tokens=0"):
        monkeypatch.setattr(sys, "argv", ["pretrain.py", wrong])
        with pytest.raises(SystemExit):
            script.main()
        assert "expected a number of at least 1" in capsys.readouterr().err
