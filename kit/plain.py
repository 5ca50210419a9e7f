"""The whole method on one page: sentences, vectors, cross-entropy and contrast, a step of training.

SCL (Liao 2021), and SBERT (Reimers & Gurevych 2019) with `lam=0`, in plain torch and transformers. Read this
first: the rest of the kit is the same with more losses, checks, checkpoints and speed, and a test holds
the loss, the gradients and the first 20 steps of `kit.training.fit` to this file. Run it:

    python -m kit.plain

Lesson 06.
"""

from __future__ import annotations

import random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ENTAILED = 0  # labels of a hypothesis: 0 entailed by its premise, 1 neutral, 2 contradicted


class SentenceEncoder(nn.Module):
    """A BERT whose sentence vector is the mean of its token vectors, [CLS] left out."""

    def __init__(self, bert: nn.Module, tokenizer):
        super().__init__()
        self.bert, self.tokenizer = bert, tokenizer

    def forward(self, sentences: list[str]) -> Tensor:
        tokens = self.tokenizer(sentences, padding=True, truncation=True, max_length=128, return_tensors="pt")
        tokens = tokens.to(self.bert.device)
        hidden = self.bert(**tokens).last_hidden_state[:, 1:]  # [sentences, length − 1, dim]
        mask = tokens["attention_mask"][:, 1:, None].float()  # [sentences, length − 1, 1]; 0 for padding
        return (hidden * mask).sum(1) / mask.sum(1)  # [sentences, dim]


def classification_loss(u: Tensor, v: Tensor, label: Tensor, classifier: nn.Linear) -> Tensor:
    """Cross-entropy of a linear classifier on (u, v, |u − v|): does v follow from u? (SBERT; Liao, Eq. 1)

    u, v [pairs, dim]: premise and hypothesis of each pair; label [pairs].
    """
    features = torch.cat([u, v, (u - v).abs()], dim=1)  # [pairs, 3·dim]
    return F.cross_entropy(classifier(features), label)


def contrastive_loss(premises: Tensor, hypotheses: Tensor, positive: Tensor, temperature: float = 1.0) -> Tensor:
    """Pull every premise to the hypotheses that it entails, push it from all others of the batch (Liao, Eq. 2).

    −mean over positives p of log [ e^{z·z_p/τ} / Σ_k e^{z·z_k/τ} ], then the mean over the premises that have a
    positive. premises [P, dim], hypotheses [H, dim]; positive [P, H] is True where premise i entails hypothesis j.
    """
    logits = premises @ hypotheses.T / temperature  # [P, H]
    log_probability = logits.log_softmax(dim=1)  # [P, H]
    has_positive = positive.any(dim=1)  # [P]; a premise that entails nothing is no anchor
    log_likelihood = (log_probability * positive).sum(1)[has_positive] / positive.sum(1)[has_positive]
    return -log_likelihood.sum() / max(1, len(log_likelihood))  # 0 in a batch without an anchor


def loss_of(batch, encoder, classifier: nn.Linear, lam: float = 0.3, temperature: float = 1.0) -> Tensor:
    """L = (1 − λ) · cross-entropy + λ · contrast of a batch (Liao, Eq. 3).

    batch: groups with `.anchor`, a premise, and its `.hypotheses` and their `.labels`.
    """
    premises = [group.anchor for group in batch]
    hypotheses = [hypothesis for group in batch for hypothesis in group.hypotheses]
    premise_of = torch.tensor([i for i, group in enumerate(batch) for _ in group.hypotheses])  # [H]
    label = torch.tensor([label for group in batch for label in group.labels])  # [H]
    vectors = encoder(premises + hypotheses)  # [P + H, dim], in one pass
    u, v = vectors[: len(premises)], vectors[len(premises) :]
    positive = (torch.arange(len(premises))[:, None] == premise_of) & (label == ENTAILED)  # [P, H]
    label, positive = label.to(u.device), positive.to(u.device)
    loss = (1 - lam) * classification_loss(u[premise_of], v, label, classifier)
    return loss + lam * contrastive_loss(u, v, positive, temperature)


def batches(groups, pairs: int = 64, seed: int = 0, epoch: int = 0):
    """Shuffle the groups and cut them into batches of about so many pairs; a premise keeps its hypotheses."""
    batch, size, shuffled = [], 0, list(groups)
    random.Random(f"{seed}/{epoch}").shuffle(shuffled)
    for group in shuffled:
        batch.append(group)
        size += len(group.hypotheses)
        if size >= pairs:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def train(encoder, classifier: nn.Linear, batches: list, lr: float = 1e-3, warmup: float = 0.1, **loss_settings):
    """One AdamW step a batch; yields the loss before each. The rate rises over `warmup` and falls to 0."""
    parameters = [*encoder.parameters(), *classifier.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.0)
    rising = int(warmup * len(batches) + 1e-9)
    for step, batch in enumerate(batches):
        part = (step + 1) / rising if step < rising else (len(batches) - step) / max(1, len(batches) - rising)
        optimizer.param_groups[0]["lr"] = lr * part
        loss = loss_of(batch, encoder, classifier, **loss_settings)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


if __name__ == "__main__":
    from transformers import AutoModel, AutoTokenizer

    from kit.data import group_by_premise, load
    from kit.paths import bundle

    folder, groups = bundle("models", "kit-bert-tiny"), group_by_premise(load("stanfordnlp/snli", rows=3_000))
    torch.manual_seed(0)
    bert, tokenizer = (kind.from_pretrained(folder, trust_remote_code=False) for kind in (AutoModel, AutoTokenizer))
    encoder = SentenceEncoder(bert, tokenizer).eval()
    classifier = nn.Linear(3 * encoder.bert.config.hidden_size, 3)
    for step, loss in enumerate(train(encoder, classifier, list(batches(groups))), start=1):
        print(f"step {step:3d}  loss {loss:.3f}")
