"""How good is the model on text it has not seen? Masked loss and accuracy, by source."""

from __future__ import annotations

import math
from pathlib import Path

import torch
import torch.nn.functional as F

from kit.errors import KitError
from kit.pretraining.compact_bert import masked_logits
from kit.pretraining.corpus import read_documents
from kit.pretraining.windows import Frame
from kit.training.masking import IGNORE, Pieces, mask_whole_words


def heldout_rows(file: Path, tokenizer, length: int = 128) -> dict[str, torch.Tensor]:
    """Each source's held-out documents as rows [n, length] of ids (the rest of a row dropped).

    Errors: `KitError` if no source fills a row, or as `read_documents`.
    """
    streams: dict[str, list[int]] = {}
    for text, source in read_documents([file]):
        ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        streams.setdefault(source, []).extend([*ids, tokenizer.sep_token_id])
    rows = {}
    for source, ids in streams.items():
        n = len(ids) // (length - 2)
        if n:
            body = torch.tensor(ids[: n * (length - 2)]).view(n, length - 2)
            ends = torch.tensor([[tokenizer.cls_token_id, tokenizer.sep_token_id]]).expand(n, 2)
            rows[source] = torch.cat([ends[:, :1], body, ends[:, 1:]], dim=1)
    if not rows:
        raise KitError(
            f"expected held-out text of at least {length - 2} word pieces from one source in {file}, "
            "but no source has as many: put more documents there."
        )
    return rows


@torch.no_grad()
def measure_heldout(
    model, rows: dict[str, torch.Tensor], pieces: Pieces, seed: int = 0, batch_rows: int = 64
) -> dict[str, dict[str, float]]:
    """Masked loss (nats), pseudo-perplexity e^loss and accuracy (%) by source, and in all.

    The masks are drawn from `seed` on the CPU and are the same at every call, so that two
    measurements differ by the model alone. "all" weighs every masked piece alike.
    """
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    totals: dict[str, list[float]] = {}
    for source, ids in rows.items():
        generator = torch.Generator().manual_seed(seed)
        masked = mask_whole_words(ids, pieces, generator=generator)
        for part in zip(*(tensor.split(batch_rows) for tensor in masked)):
            inputs, positions, targets = (tensor.to(device) for tensor in part)
            logits = masked_logits(model, inputs, positions).float().flatten(0, 1)
            target = targets.flatten()
            real = target != IGNORE
            loss = F.cross_entropy(logits, target, ignore_index=IGNORE, reduction="sum")
            hits = ((logits.argmax(-1) == target) & real).sum()
            for name in (source, "all"):
                entry = totals.setdefault(name, [0.0, 0.0, 0.0])
                for i, value in enumerate((loss, hits, real.sum())):
                    entry[i] += float(value)
    model.train(was_training)
    return {
        name: {"loss": loss / n, "pseudo_perplexity": math.exp(loss / n), "accuracy": 100 * hits / n, "masked": int(n)}
        for name, (loss, hits, n) in totals.items()
    }


def frame_of(tokenizer) -> Frame:
    return Frame(tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id)
