"""The plain loop of pretraining, asked line by line: the other side of pretrain_speed.py.

    python benchmarks/plain_pretraining.py CONFIG THREADS

As anyone writes it, and without the kit, which tells torch to take large pages: BertForMaskedLM as transformers makes
it from CONFIG (a JSON file), every position through the vocabulary projection, AdamW as it comes, under autocast to
bf16 where the line asks for it. Reads lines {"rows": N, "steps": K, "bf16": true}; answers {"seconds": S}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

LENGTH, MASKED = 128, 0.15


def main(config: str, threads: int) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the libraries print is no answer
    import torch
    from transformers import BertConfig

    torch.set_num_threads(threads)
    settings = BertConfig(**json.loads(Path(config).read_text("utf-8")))
    loops: dict[int, object] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        rows = asked["rows"]
        step = loops.get(rows) or loops.setdefault(rows, loop(settings, rows, asked["bf16"]))
        began = time.perf_counter()
        for _ in range(asked["steps"]):
            step()
        print(json.dumps({"seconds": time.perf_counter() - began}), file=answers)


def loop(settings, rows: int, bf16: bool):
    """A function that does one step on `rows` rows of 128, masked anew each time."""
    import torch
    from transformers import BertForMaskedLM

    model = BertForMaskedLM(settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    ids = torch.randint(5, settings.vocab_size, (rows, LENGTH))

    def step() -> None:
        hidden = torch.rand(ids.shape) < MASKED
        inputs, labels = ids.masked_fill(hidden, 4), ids.masked_fill(~hidden, -100)  # 4: [MASK]
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = model(input_ids=inputs, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
