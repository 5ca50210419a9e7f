"""The trainer of sentence-transformers, as `training_speed.py` lets it run."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path


def peer_seconds(model: Path, data, recipe: str, batch: int, steps: int, device: str, settings: dict) -> float:
    """Seconds of some steps of the peer's trainer, after one that warms up.

    recipe: "simcse" or "scl". settings: of its arguments, and "attention", which the model is told.
    """
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
        losses,
    )
    from transformers import PrinterCallback

    settings = dict(settings)
    attention = {"attn_implementation": settings.pop("attention")} if "attention" in settings else {}
    network = SentenceTransformer(str(model), model_kwargs=attention, device=device, trust_remote_code=False)
    clock = clock_of(device)
    with tempfile.TemporaryDirectory() as out:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=out,
            per_device_train_batch_size=batch,
            max_steps=steps + 1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            logging_strategy="no",
            use_cpu=device == "cpu",
            **({"batch_sampler": in_order} if recipe == "scl" else {}),
            **settings,
        )
        loss = scl_loss(network) if recipe == "scl" else losses.MultipleNegativesRankingLoss(network)
        trainer = SentenceTransformerTrainer(network, arguments, train_dataset=data, loss=loss, callbacks=[clock])
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return clock.seconds


def in_order(dataset, batch_size: int, drop_last: bool, **_):
    """Rows as they stand: a shuffle would part the hypotheses of a premise."""
    from sentence_transformers.base.sampler import DefaultBatchSampler

    return DefaultBatchSampler(range(len(dataset)), batch_size=batch_size, drop_last=drop_last)


def scl_loss(network):
    """The kit's SCL with cross-entropy, λ 0.3, as a loss of the peer's kind; labels hold premise and class."""
    import torch

    from kit.losses import PairClassifier, cross_entropy, masked_softmax, scl_relations

    class Scl(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network, self.head = network, PairClassifier(network.get_embedding_dimension())

        def forward(self, sentence_features, labels):
            u, v = (self.network(features)["sentence_embedding"] for features in sentence_features)
            premises, premise = torch.unique(labels // 3, return_inverse=True)
            first = torch.zeros(len(premises), dtype=torch.long, device=u.device).scatter_(
                0, premise, torch.arange(len(premise), device=u.device)
            )
            z = torch.cat([u[first], v]).float()
            contrast = masked_softmax(z, scl_relations(premise, labels % 3), 1.0, "dot")
            return 0.7 * cross_entropy(self.head(u.float(), v.float()), labels % 3) + 0.3 * contrast

    return Scl()


def clock_of(device: str):
    """A callback that times all steps but the first."""
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        seconds = 0.0

        def on_step_end(self, args, state, control, **_):
            wait(device)
            if state.global_step == 1:
                self.began = time.perf_counter()
            self.seconds = time.perf_counter() - self.began

    return Clock()


def wait(device: str) -> None:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
