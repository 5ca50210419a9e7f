"""The pretraining run: from a token stream to a compact BERT, on a CPU or one GPU."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import torch

from kit.encoder.load import attention_on
from kit.errors import KitError
from kit.fast import enabled
from kit.pretraining.compact_bert import Size, flops_per_token, masked_lm_loss, new_masked_lm
from kit.pretraining.corpus import Stream
from kit.pretraining.hardware import matrix_throughput, tune_malloc
from kit.pretraining.heldout import measure_heldout
from kit.pretraining.start import head_start, start_from
from kit.pretraining.windows import Frame, draw_batch, kind_of
from kit.storage.atomic import write_atomically
from kit.storage.checkpoint import load_checkpoint, pack_optimizer, save_checkpoint, unpack_optimizer
from kit.training.device import autocast, describe_hardware
from kit.training.masking import Pieces, mask_whole_words
from kit.training.optim import SCHEDULES, adamw, set_lr, warmup_constant

TIED = "cls.predictions.decoder"  # shares its storage with the embeddings and the bias


@dataclass(frozen=True)
class Plan:
    """Everything that determines a run, besides the corpus and the vocabulary."""

    size: Size
    steps: int
    batch_tokens: int = 65_536  # rows × length, the same for every length
    lr: float = 1e-3  # peak; a few times BERT's, as fits a small model
    warmup: float = 0.02  # share of the steps
    weight_decay: float = 0.01  # on matrices only
    beta2: float = 0.98  # shorter memory than 0.999: the plateau is left sooner
    clip: float = 1.0
    seed: int = 0
    precision: str = "auto"
    counted_start: bool = True  # embeddings and output bias from counts, see `start`
    compile: bool = False  # pays on a GPU after a minute; not on a CPU
    schedule: str = "linear"  # or "stable": constant, and a fall over the last fifth; can be made longer
    masked: float = 0.15  # share of the word pieces
    start: str | None = None  # weights to start from: a model's folder and the fingerprint of its file


def pretrain(
    plan: Plan,
    stream: Stream,
    heldout: dict[str, torch.Tensor],
    tokenizer,
    frame: Frame,
    folder: Path,
    device: torch.device,
    vocabulary: str,
    checkpoint_every: int = 2000,
    measure_every: int = 2000,
    progress: bool = True,
):
    """Train by masked language modelling; returns (model, history).

    Resumes from the newest checkpoint in `folder`. `history` is a list of dicts: step,
    tokens, train loss (mean since the last entry), held-out loss and pseudo-perplexity.
    Call it as the owner of `folder`, see `kit.storage.run_lock`.
    Errors: `KitError` if `folder` holds a run of another plan, vocabulary or corpus.
    """
    from tqdm.auto import tqdm

    torch.set_float32_matmul_precision("high")
    tune_malloc()
    model = new_masked_lm(plan.size, len(tokenizer), seed=plan.seed, attention=attention_on(device)).to(device)
    model.train()
    if load_checkpoint(folder) is None:
        _begin(model, plan, stream)
    optimizer = adamw(model, plan.lr, plan.weight_decay, betas=(0.9, plan.beta2))
    identity = {"plan": asdict(plan), "vocabulary": vocabulary, "corpus": stream.fingerprint()}
    first, reached = _resume(folder, identity, model, optimizer)

    stream, pieces, pieces_cpu = stream.to(device), Pieces.of(tokenizer, device), Pieces.of(tokenizer)
    loss_of = torch.compile(masked_lm_loss, dynamic=False) if plan.compile else masked_lm_loss
    factor = warmup_stable_decay if plan.schedule == "stable" else SCHEDULES[plan.schedule]
    # a run that can be made longer must not warm up for longer then
    warmup = 500 if plan.schedule == "stable" else max(1, int(plan.warmup * plan.steps))
    began = time.perf_counter() - reached.seconds
    how = {"initial": first, "total": plan.steps, "disable": not progress, "desc": "pretrain", "unit": "step"}
    bar = tqdm(range(first, plan.steps), mininterval=5, **how)
    for step in bar:
        set_lr(optimizer, plan.lr * factor(step, plan.steps, warmup))
        ids, mask, generator = draw_batch(stream, frame, step, plan.batch_tokens, plan.seed)
        inputs, positions, targets = mask_whole_words(ids, pieces, plan.masked, generator)
        with autocast(device, plan.precision):
            loss = loss_of(model, inputs, positions, targets, mask)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), plan.clip, foreach=True)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        reached.add(loss.detach(), ids.numel())
        done = step + 1
        to_measure, to_keep = (done % every == 0 or done == plan.steps for every in (measure_every, checkpoint_every))
        if to_measure or to_keep:
            check_finite(model, torch.as_tensor(reached.losses), done, plan.lr)
            held = measure_heldout(model, heldout, pieces_cpu)["all"] if to_measure else {}
            reached.seconds = time.perf_counter() - began
        if to_measure:
            reached.measured(done, held)
            bar.set_postfix(reached.in_the_bar())
        if to_keep:
            _keep(folder, done, model, optimizer, {"identity": identity, **reached.as_dict()})
    return model, reached.history


def _begin(model, plan: Plan, stream: Stream) -> None:
    """The weights from which a new run starts: those of another encoder, counted ones, or the random ones they are."""
    if plan.start:
        start_from(model, plan.start.split("@")[0], plan.seed)
    elif plan.counted_start:
        head_start(model, stream, plan.seed)


def _keep(folder: Path, step: int, model, optimizer, state: dict) -> None:
    """A checkpoint; what is tied to the embeddings is not written twice."""
    weights = {f"model.{k}": v for k, v in model.state_dict().items() if not k.startswith(TIED)}
    save_checkpoint(folder, step, {**weights, **pack_optimizer(optimizer)}, state)


@dataclass
class _Reached:
    """How far a run has come; losses: the sum of those since the last entry of the history, and since: of so many."""

    history: list[dict] = field(default_factory=list)
    tokens: int = 0
    seconds: float = 0.0
    losses: torch.Tensor | float = 0.0
    since: int = 0

    def add(self, loss: torch.Tensor, tokens: int) -> None:
        self.losses, self.since, self.tokens = loss + self.losses, self.since + 1, self.tokens + tokens

    def measured(self, step: int, held: dict) -> None:
        """A further entry of the history."""
        found = {"train_loss": float(self.losses / self.since), "heldout_loss": held["loss"]}
        told = {"seconds": self.seconds, "pseudo_perplexity": held["pseudo_perplexity"]}
        self.history.append({"step": step, "tokens": self.tokens, **found, **told})
        self.losses, self.since = 0.0, 0

    def in_the_bar(self) -> dict[str, str]:
        last = self.history[-1]
        speed = f"{self.tokens / self.seconds:,.0f}"
        return {"loss": f"{last['train_loss']:.3f}", "heldout": f"{last['heldout_loss']:.3f}", "tokens_s": speed}

    def as_dict(self) -> dict:
        """JSON-ready, for a checkpoint."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"losses": float(self.losses)}


def check_finite(model, losses: torch.Tensor, step: int, rate: float) -> None:
    """`KitError` where the losses since the last look, or a weight, are not finite: no such state is kept."""
    weights = torch.stack([weight.detach().sum() for weight in model.parameters()])
    if not (torch.isfinite(losses) and torch.isfinite(weights).all()):
        raise KitError(
            f"expected finite losses and weights, but by step {step} at rate {rate:g} one is not: start the same "
            "command with a lower --lr in a new folder; the checkpoints before this step are finite and kept."
        )


def report(plan: Plan, history: list[dict], vocabulary: int, device: torch.device) -> dict:
    """Speed of a finished run: tokens/s and the share of the measured matrix throughput."""
    last = history[-1]
    whole = plan.compile or device.type != "cpu" or not enabled()  # else kit.fast computes less of the last layer
    per_token = (
        sum(flops_per_token(plan.size, vocabulary, kind_of(s), plan.masked, last_layer_whole=whole) for s in range(10))
        / 10
    )
    speed, peak = last["tokens"] / last["seconds"], matrix_throughput(device, plan.precision)
    return {
        "tokens": last["tokens"],
        "seconds": round(last["seconds"], 1),
        "tokens_per_second": round(speed),
        "flops_per_token": round(per_token),
        "matrix_flops_per_second": round(peak),
        "share_of_matrix_throughput": speed * per_token / peak,
        "hardware": describe_hardware(device),
    }


def write_history(folder: Path, history: list[dict]) -> None:
    write_atomically(folder / "history.json", json.dumps(history, indent=1))


def _resume(folder: Path, identity: dict, model, optimizer) -> tuple[int, _Reached]:
    """Load the newest checkpoint into model and optimizer: (next step, what was reached by then)."""
    found = load_checkpoint(folder)
    if found is None:
        return 0, _Reached()
    tensors, meta = found
    kept = meta["identity"]
    if kept["vocabulary"] != identity["vocabulary"]:
        raise KitError(
            f"expected a run with this vocabulary in {folder}, but its checkpoint was "
            "trained with another: choose a new --out folder or restore the vocabulary."
        )
    if kept.get("corpus", identity["corpus"]) != identity["corpus"]:  # older checkpoints do not name it
        raise KitError(
            f"expected a run on this corpus in {folder}, but its checkpoint was trained on other text, or on the same "
            "cut otherwise: choose a new --out folder or restore the files of --corpus."
        )
    plan = json.loads(json.dumps(identity["plan"]))
    old = Plan(**{**kept["plan"], "size": None})
    if old.schedule == plan["schedule"] == "stable" and meta["step"] <= 0.8 * min(old.steps, plan["steps"]):
        kept["plan"]["steps"] = plan["steps"]  # the rate is still the same: the run may be made longer or shorter
    kept["plan"] = {**asdict(Plan(Size(0, 0), 0)), **kept["plan"]}  # the default of what it does not name
    if kept["plan"] != plan:
        differ = [
            f"{name} {kept['plan'].get(name)} there and {plan.get(name)} here"
            for name in sorted(kept["plan"] | plan)
            if kept["plan"].get(name) != plan.get(name)
        ]
        raise KitError(
            f"expected a run of this plan in {folder}, but its checkpoint has {', '.join(differ)}: "
            "choose a new --out folder or repeat those settings."
        )
    weights = {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if unexpected or any(not m.startswith(TIED) for m in missing):
        raise KitError(
            f"expected a checkpoint of this model in {folder}, but its tensors differ: choose a new --out folder."
        )
    unpack_optimizer(optimizer, tensors)
    return meta["step"], _Reached(**{one.name: meta[one.name] for one in fields(_Reached) if one.name in meta})


def warmup_stable_decay(step: int, steps: int, warmup: int, decay: float = 0.2) -> float:
    """Rises to 1, stays, and falls linearly to 0 over the last `decay` of the steps (Hägele et al. 2024).

    Until the fall begins nothing depends on `steps`, so such a run can be made longer.
    """
    return min(warmup_constant(step, steps, warmup), (steps - step) / max(1.0, decay * steps))
