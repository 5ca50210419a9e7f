"""The encoder of a run at the step where validation was best, kept beside the run's checkpoints.

    <run>/best/step-00000150/     files as of a checkpoint, with the weights of the encoder alone

Which step is best follows from the history: the untrained encoder is step 0, and of equal figures the earlier counts.
So a run that is resumed chooses as one that never stopped. Kept are the best step until now, and until each checkpoint
from which the run may have to go on.
"""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path

from kit.errors import KitWarning
from kit.storage.checkpoint import claimed_step, load_checkpoint, save_checkpoint

BEST = "best"
ALL = 2**31  # of the kept ones `keep_best` itself removes those that no longer count


def best_step(untrained: dict[str, float], history: Sequence[dict]) -> tuple[int, float]:
    """(step, validation) of the best validation, the first of equals; step 0 is the untrained encoder."""
    told = [(step["step"], step["validation"]) for step in history if "validation" in step]
    return max([(0, untrained["validation"]), *told], key=lambda one: one[1])


def keep_best(run: Path, encoder, untrained: dict[str, float], history: Sequence[dict], final: bool = False) -> None:
    """Keep `encoder`, just validated at the last step of the history, where it is the best; remove those that lost.

    final: the run has ended, and only its best step stays. Errors: `KitError` as `save_checkpoint`.
    """
    now = history[-1]["step"] if history else 0
    step, figure = best_step(untrained, history)
    if step == now:
        save_checkpoint(run / BEST, step, encoder.state_dict(), {"validation": figure}, keep=ALL)
    resumable = [] if final else [claimed_step(path) for path in run.glob("step-*")]
    needed = {best_step(untrained, [one for one in history if one["step"] <= c])[0] for c in [*resumable, now]}
    for path in (run / BEST).glob("step-*"):
        if claimed_step(path) not in needed:
            shutil.rmtree(path, ignore_errors=True)


def load_best(run: Path, encoder, history: Sequence[dict]) -> tuple[int, float] | None:
    """Load the kept weights of a run that has ended into `encoder`; (step, validation) of them.

    None where those of the best step are damaged or gone, which a KitWarning says: the encoder stays as it is.
    """
    found = load_checkpoint(run / BEST) if (run / BEST).is_dir() else None
    figures = [step["validation"] for step in history if "validation" in step]
    if found is None or max(figures, default=-math.inf) > found[1]["validation"]:
        warnings.warn(
            f"the weights of the step where validation was best are damaged or gone from {run / BEST}: the encoder "
            "stays that of the last step; delete the run and train it again to have the best.",
            KitWarning,
            stacklevel=2,
        )
        return None
    weights, meta = found
    encoder.load_state_dict(weights)
    return meta["step"], meta["validation"]
