"""A model trained in stages, each from the weights of the one before: its runs as one, for a card."""

from __future__ import annotations

from pathlib import Path


def stages(run: dict) -> list[dict]:
    """The runs that made the weights, first to last; `run["before"]` is the run whose weights it started from."""
    return [*stages(run["before"]), run] if run.get("before") else [run]


def whole(run: dict) -> dict:
    """`run` with the tokens, hours and history of all its stages; the tokens of a later history go on counting."""
    parts = stages(run)
    if len(parts) == 1:
        return run
    history, seen = [], 0
    for part in parts:
        history += [entry | {"tokens": entry["tokens"] + seen} for entry in part["history"]]
        seen += part["speed"]["tokens"]
    hardware = dict.fromkeys(part["speed"]["hardware"] for part in parts)
    speed = run["speed"] | {
        "tokens": seen,
        "seconds": sum(part["speed"]["seconds"] for part in parts),
        "hardware": ", then ".join(hardware),
    }
    return run | {"history": history, "speed": speed}


def in_turn(run: dict, say, joint: str = ", then ") -> str:
    """What `say(stage)` says of each stage; once where all say the same."""
    return joint.join(dict.fromkeys(say(stage) for stage in stages(run)))


def name_of(start: str) -> str:
    """The model's name in a plan's start, "<folder>@<fingerprint>"."""
    return Path(start.split("@")[0]).name
