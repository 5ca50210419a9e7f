"""The widget of the workshop: choose, see the estimated cost, train with live curves, pause and resume.

`workshop_board` drives an object with choices, choose, cost, run, started, untrained, start, pause,
reset, add_callback and remove_callback (`kit.workshop.Workshop`). A page without a kernel shows a run recorded earlier.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

from kit.boards.board import Board
from kit.boards.numerals import fixed, short
from kit.checks.argument_checks import in_words
from kit.errors import KitError
from kit.figures.caption_numbers import part_name

VALIDATED = ("validation", "mean_cosine")
NOT_A_LOSS = ("step", "loss", "lr", "rows", *VALIDATED)
SHOWN = 300  # points of a curve: longer runs are shown as means of neighbouring steps
BETWEEN = 0.2  # seconds from one picture of a running training to the next
SMOOTH = 10
CHOICES = ("recipe", "data", "encoder", "preset")
STARTS = {"epochs_scale": 1.0, "lr_scale": 1.0, "reached": 1.0, "smooth": SMOOTH}


def workshop_board(workshop, recorded: Mapping | None = None) -> Board:
    """Make the board of a workshop; it shows the workshop's current choice.

    recorded: the record of a run (`saved_runs`), for a page without a kernel. A board that is closed, or whose cell
    runs again, pauses the run. Lesson 09.
    """
    workshop.choose()
    driver = _Driver(workshop)
    state = driver.state()
    controls = {**STARTS, **state["chosen"]}
    offline = recorded_state(state, recorded) if recorded else None
    shown = offline or state
    driver.board = Board(
        "workshop",
        state,
        workshop_summary(workshop_values(shown, controls), controls, shown),
        controls,
        driver.respond,
        offline,
        driver.end,
    )
    workshop.add_callback(driver.draw)
    return driver.board


class _Driver:
    """Translate a board's controls into calls of a workshop's methods."""

    board: Board

    def __init__(self, workshop):
        self.workshop, self.clicks, self.drawn, self.speed = workshop, {}, 0.0, 0.0
        self.refused = ""  # why the workshop did not take what stands on the board, if it did not

    def state(self, doing: str | None = None) -> dict:
        """What the board draws: the choice, its cost, and the run so far."""
        workshop = self.workshop
        run, choice = (workshop.run if workshop.started else None), workshop.choice
        history = list(run.history) if run else []
        if doing is None:
            doing = (
                "training"
                if run and run.running
                else "finished"
                if run and run.finished
                else "paused"
                if history
                else "ready"
            )
        note = f"Kept as {choice.name}." if doing == "finished" else ""
        chosen = {kind: getattr(choice, kind) for kind in CHOICES}
        return {
            "mode": "live",
            "choices": workshop.choices,
            "chosen": chosen,
            "name": choice.name,
            "judge": workshop.judge,
            "cost": workshop.cost.summary(),
            "steps": workshop.cost.steps,
            "doing": doing,
            "speed": self.speed,
            "note": note,
            **curves(history, workshop.untrained),
        }

    def respond(self, controls: dict) -> dict:
        """Pass a change by the reader on to the workshop, and return the new state."""
        workshop = self.workshop
        wanted = {name: controls[name] for name in (*CHOICES, "epochs_scale", "lr_scale") if name in controls}
        self.refused = ""
        if any(getattr(workshop.choice, name) != value for name, value in wanted.items()):
            self.board.problem = ""
            self.board.show(self.state("measuring the cost of the new choice by a few real steps"))
            try:
                workshop.choose(**wanted)
            except Exception as problem:
                self.refused = in_words(problem)
        for button in ("start", "pause", "reset"):
            if controls.get(button, 0) > self.clicks.get(button, 0):
                self.clicks[button] = controls[button]
                if button == "pause" or not self.refused:  # the others are for what was refused, not for what trains
                    getattr(workshop, button)()
        self.board.problem = self.refused or (workshop.run.problem if workshop.started else "")
        return self.state()

    def end(self) -> None:
        """Pause the run, which forgets the board."""
        self.workshop.remove_callback(self.draw)
        self.workshop.pause()

    def draw(self, frame: dict) -> None:
        """Show a step, the end or a failure of the training (called from its thread)."""
        self.board.from_thread(self._draw, frame)

    def _draw(self, frame: dict) -> None:
        now = time.perf_counter()
        self.speed = frame.get("speed", self.speed)
        problem = frame.get("problem", "")
        self.board.problem = problem or self.refused
        over = not self.workshop.run.running or problem
        if over or now - self.drawn > BETWEEN:
            self.drawn = now
            self.board.show(self.state())


def curves(history: Sequence[Mapping], untrained: Mapping) -> dict:
    """The history of a run as columns for the board: losses, "columns", "validated".

    Runs of more than `SHOWN` steps become means of neighbouring steps. NaN and infinity
    (a training that diverged) become None: gaps.
    """
    parts = list(dict.fromkeys(name for step in history for name in step if name not in NOT_A_LOSS))
    losses = ["loss", *parts] if len(parts) != 1 else parts
    width = max(1, math.ceil(len(history) / SHOWN))
    bins = [history[i : i + width] for i in range(0, len(history), width)]
    columns = {name: [_mean(step.get(name) for step in bin_) for bin_ in bins] for name in (*losses, "lr")}
    columns["step"] = [bin_[-1]["step"] for bin_ in bins]
    evaluations = [{"step": 0, **untrained}, *(step for step in history if "validation" in step)] if untrained else []
    thin = max(1, math.ceil(len(evaluations) / SHOWN))
    evaluations = [*evaluations[:-1:thin], *evaluations[-1:]]
    validated = {name: [_number(one.get(name)) for one in evaluations] for name in VALIDATED}
    return {
        "losses": losses,
        "columns": columns,
        "validated": {"step": [one["step"] for one in evaluations], **validated},
    }


def recorded_state(state: Mapping, record: Mapping) -> dict:
    """The state of the same board showing a recorded run. Errors: `KitError` for a run without a step."""
    if not record["history"]:
        raise KitError(f"expected a run with at least one step to show, but {record['name']!r} has none: train it.")
    return {
        **state,
        "mode": "recorded",
        "chosen": {**state["chosen"], "recipe": record["recipe"]["name"]},
        "name": record["name"],
        "steps": record["steps"],
        "doing": "recorded",
        "cost": f"It took {record['seconds']:.0f} s on {record['hardware']}.",
        "note": f"It took {record['seconds']:.0f} s on {record['hardware']}.",
        **curves(record["history"], record["untrained"]),
    }


def workshop_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what is drawn: {"step", "end", "averaged", "losses": {name: [[step, mean]…]}, "validated", "lr", "now"}.

    "step" is the one looked at, the share controls["reached"] (1) of the run so far, "now" the last numbers up to it;
    "averaged": the most steps that a mean of the losses is taken over.
    """
    steps, width = state["columns"]["step"], controls["smooth"]
    losses = {name: _along(steps, _running_mean(state["columns"][name], width)) for name in state["losses"]}
    validated = {name: _along(state["validated"]["step"], state["validated"][name]) for name in VALIDATED}
    lr = _along(steps, state["columns"]["lr"])
    end = steps[-1] if steps else 0
    averaged = end - (steps[-1 - width] if len(steps) > width else 0)
    step = math.floor(controls.get("reached", 1) * end + 0.5)
    now = {name: _last(points, step) for name, points in {**losses, **validated, "lr": lr}.items()}
    drawn = {"losses": losses, "validated": validated, "lr": lr, "now": now}
    return {"step": step, "end": end, "averaged": averaged, **drawn}


def workshop_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    doing = "Recorded when this page was made, nothing trains here" if state["mode"] == "recorded" else state["doing"]
    at = f"{doing}: {state['name']}, step {values['step']} of {state['steps']}"
    most = values["averaged"] or controls["smooth"]  # of a run without a step yet: what was chosen
    if not values["step"]:
        return f"{at}. {state['cost']} Losses are drawn as means of up to {most} steps."
    now, validated = values["now"], values["validated"]
    losses = ", ".join(f"{part_name(name)} {_told(now[name], 2)}" for name in state["losses"])
    rate = "–" if now["lr"] is None else short(now["lr"])
    ways = [
        f"from {_told(validated[name][0][1] if validated[name] else None, digits)} to {_told(now[name], digits)}"
        for name, digits in zip(VALIDATED, (1, 2))
    ]
    return (
        f"{at}: {losses} (mean of up to {most} steps); learning rate {rate}. "
        f"Agreement with {state['judge']} × 100 {ways[0]}, mean cosine {ways[1]}. {state['note']}"
    )


def _running_mean(values: Sequence[float | None], width: int) -> list[float | None]:
    """The running mean over `width` values; missing ones are left out."""
    found = []
    for i, value in enumerate(values):
        seen = [v for v in values[max(0, i + 1 - width) : i + 1] if v is not None]
        found.append(None if value is None else sum(seen) / len(seen))
    return found


def _along(steps: Sequence[int], values: Sequence[float | None]) -> list[list]:
    return [[step, value] for step, value in zip(steps, values)]


def _last(points: Sequence[Sequence], step: int) -> float | None:
    seen = [value for at, value in points if at <= step and value is not None]
    return seen[-1] if seen else None


def _mean(values) -> float | None:
    seen = [value for value in map(_number, values) if value is not None]
    return sum(seen) / len(seen) if seen else None


def _number(value: float | None) -> float | None:
    """Round to five digits, enough for a curve; None for NaN and infinity."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def _told(value: float | None, digits: int) -> str:
    return "–" if value is None else fixed(value, digits)
