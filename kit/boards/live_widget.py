"""The widget of a training that the reader steers: live in the kernel, or recorded earlier.

`live_board` drives an object with start, pause, reset, change, add_callback, remove_callback, history and monitored
(`kit.workshop.LiveTraining`). Where training is too slow or not wanted (Binder, KIT_LIVE=off)
or there is no kernel, recorded runs stand in, and the board says so.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence

from kit.boards.board import Board
from kit.boards.globe_views import NUMBERS, away, mixed
from kit.boards.numerals import fixed, short
from kit.errors import KitError

MEASURES = ("loss", "mean_cosine", "effective_rank", "sts", "alignment", "uniformity")
SETTINGS = {"tau": "temperature", "lam": "lam"}  # a slider's name → what the training calls it
SLOW = 1.0  # seconds to measure the first frame: with more, five frames a second are out of reach


def live_board(live, sliders: Sequence[str], recorded: dict | None = None) -> Board:
    """Make the board of a training: sliders among "tau" and "lam", start, pause, reset.

    recorded: {"premise", "roles", "sentences", "runs", "note"} as scripts/record_live.py writes it. A board that is
    closed, or whose cell runs again, ends the training's thread. Errors: `KitError` for another slider. Lesson 04.
    """
    if not sliders or not set(sliders) <= SETTINGS.keys():
        raise KitError(f"expected sliders among {', '.join(SETTINGS)}, got {list(sliders)}.")
    driver = _Driver(live, list(sliders), recorded)
    mode = "recorded" if recorded and driver.reason else "live"
    offline = driver.state("recorded") if recorded else None
    state = driver.state(mode)  # the last: what is shown
    summary = live_summary(live_values(state, state["starts"]), state["starts"], state)
    board = Board("live", state, summary, dict(state["starts"]), driver.respond, offline=offline, on_close=driver.end)
    driver.board = board
    live.add_callback(driver.draw)
    return board


class _Driver:
    """Translate a board's controls into calls of a training's methods."""

    board: Board

    def __init__(self, live, sliders: list[str], recorded: dict | None):
        self.live, self.sliders, self.recorded = live, sliders, recorded
        self.mode, self.clicks, self.drawn = "live", {}, time.perf_counter()
        self.problem = ""  # why the training failed, until it is started again or reset
        slow = live.history[0]["seconds"] > SLOW
        self.reason = (
            "this machine is too slow to train live"
            if slow
            else "Binder asks not to"
            if os.environ.get("BINDER_SERVICE_HOST")
            else "KIT_LIVE=off"
            if os.environ.get("KIT_LIVE") == "off"
            else ""
        )

    def state(self, mode: str, rate: float = 0.0) -> dict:
        """What the board draws: the frames so far, or the recorded runs."""
        from kit.workshop.sphere_view import COSINES

        self.mode, recipe = mode, self.live.recipe
        starts = {"tau": recipe.options.temperature, "lam": recipe.options.lam}
        shared = {
            "mode": mode,
            "sliders": self.sliders,
            "starts": {name: starts[name] for name in self.sliders},
            "sources": ["live", "recorded"] if self.recorded else ["live"],
            "bins": COSINES,
            "task": "STS",
        }
        if mode == "recorded":
            why = f" Shown instead of live training: {self.reason}." if self.reason else ""
            return {**shared, **self.recorded, "note": self.recorded["note"] + _pooled(self.recorded) + why}
        monitored, history = self.live.monitored, self.live.history
        thin = [{k: f[k] for k in ("step", *MEASURES) if k in f} for f in history[1:-1]]
        return {
            **shared,
            "sentences": monitored.sentences,
            "premise": monitored.premise,
            "roles": monitored.roles,
            "frames": [*history[:1], *thin, *history[1:][-1:]],
            "next": self.live.settings,
            "running": self.live.running,
            "rate": rate,
            "note": f"STS on {len(monitored.scores)} pairs.",
        }

    def respond(self, controls: dict) -> dict:
        """Pass a change by the reader on to the training, and return the new state."""
        clicked = [one for one in ("start", "pause", "reset") if controls.get(one, 0) > self.clicks.get(one, 0)]
        self.clicks |= {button: controls[button] for button in clicked}
        if controls.get("source", self.mode) == "recorded":
            self.live.pause()
            self.board.problem = ""
            return self.state("recorded")
        self.live.change(**{SETTINGS[name]: controls[name] for name in self.sliders if name in controls})
        if {"start", "reset"} & set(clicked):
            self.problem = ""  # before it starts: its thread may fail at once
        for button in clicked:
            getattr(self.live, button)()
        self.board.problem = self.problem
        return self.state("live")

    def end(self) -> None:
        """Stop the training, which forgets the board."""
        self.live.remove_callback(self.draw)
        self.live.pause()

    def draw(self, frame: dict) -> None:
        """Show a new frame (called from the training's thread)."""
        self.board.from_thread(self._draw, frame)

    def _draw(self, frame: dict) -> None:
        now = time.perf_counter()
        rate, self.drawn = 1 / max(now - self.drawn, 1e-3), now
        self.problem = frame.get("problem", "")
        if self.mode == "live":
            self.board.problem = self.problem
            self.board.show(self.state("live", rate))


def _pooled(recorded: dict) -> str:
    """Why boards of two recipes begin with other numbers: each pools the untrained encoder in its own way."""
    from kit.training import recipe

    name = recorded.get("recipe")
    return f" Recipe “{name}”, sentences pooled by “{recipe(name, 'laptop').pooling}”." if name else ""


def nearest(state: dict, controls: dict) -> dict:
    """The recorded run whose settings are nearest to the sliders (τ on a logarithmic scale)."""

    def away(run: dict) -> float:
        pairs = [(name, run[name], controls.get(name, state["starts"][name])) for name in state["sliders"]]
        return sum(abs(math.log(a / b)) if name == "tau" else abs(a - b) for name, a, b in pairs)

    return min(state["runs"], key=lambda run: round(away(run), 9))


def live_values(state: dict, controls: dict) -> dict:
    """Compute what is drawn of the newest frame, or at `controls["position"]` (its end) of a recorded run.

    The view of the sphere as `sphere_values` has it; "now" and "start", all measures then; each measure's curve;
    "neighbours" of the chosen point, as of step "seen_at".
    """
    frames = state["frames"] if state["mode"] == "live" else nearest(state, controls)["frames"]
    last = position = len(frames) - 1
    if state["mode"] == "recorded":
        position = min(max(controls.get("position", last), 0), last)
    i, point = math.floor(position), controls.get("point", 0)
    seen = frames[: i + 1]
    told = next(frame for frame in reversed(seen) if "neighbours" in frame)
    view = mixed(frames[i], frames[min(i + 1, last)], position - i)
    return {
        **view,
        "away": away(frames[0]["theta"], view["theta"]),
        "step": frames[i]["step"],
        "now": {key: frames[i].get(key) for key in MEASURES},
        "start": {key: frames[0].get(key) for key in MEASURES},
        "first": [frames[0][key] for key in NUMBERS],
        "raw": frames[0]["histogram"],
        "history": {key: [[f["step"], f.get(key)] for f in seen] for key in MEASURES},
        "neighbours": told["neighbours"][point - 1] if point else [],
        "seen_at": told["step"],
    }


def live_summary(values: dict, controls: dict, state: dict) -> str:
    """Describe the values in words."""
    first, now, live = values["start"], values["now"], state["mode"] == "live"
    used = state["next"] if live else nearest(state, controls)
    named = ", ".join(f"{'τ' if name == 'tau' else 'λ'} {short(used[name])}" for name in state["sliders"])
    if values["step"]:
        measured = (
            f"After {values['step']} steps the mean cosine went from {fixed(first['mean_cosine'])} to "
            f"{fixed(now['mean_cosine'])}, the effective rank from {fixed(first['effective_rank'], 1)} to "
            f"{fixed(now['effective_rank'], 1)}, STS from {fixed(first['sts'], 1)} to {fixed(now['sts'], 1)}."
        )
    else:
        measured = (
            f"Before the first step the mean cosine is {fixed(now['mean_cosine'])}, the effective rank "
            f"{fixed(now['effective_rank'], 1)}, STS {fixed(now['sts'], 1)}."
        )
    return f"{'Live' if live else 'Recorded'}: {named}. {measured} {state['note']}"
