"""The healing sphere: a recorded training, every sentence at its true angle from the mean of the raw space.

The recordings are data/results/sphere.json (SNLI and STS-B) and sphere_made_up.json (the kit's own captions), both
written by scripts/record_sphere.py. What is drawn is exact at each recorded step: the angle to the pole in all
dimensions; between two steps the points glide. The direction round the pole is the direction in one fixed plane.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

from kit.boards.board import Board
from kit.boards.globe_views import NUMBERS, VIEW, away, mixed, packed, unpacked
from kit.boards.numerals import fixed
from kit.errors import KitError

RUN = (*NUMBERS, "tau", "lam")  # of a run, beside its packed views


def sphere_board(sentences: Iterable[str] | None = None) -> Board:
    """Make the board of a recorded training: play it, move through its steps, turn it, point at a sentence.

    Where SNLI is at hand (a mirror, or the Hub) its test sentences are shown in the recording on SNLI; elsewhere the
    recording on the kit's own captions stands in, and the board says so. sentences: those to look for instead.
    Lesson 00.
    """
    from kit.lesson import measured  # loads torch

    if sentences is None:
        sentences = _snli_test_sentences()
    recorded = measured("sphere" if sentences else "sphere_made_up")
    state = sphere_state(recorded, sentences or ())
    controls = {"position": 0.0, "tau": state["taus"][state["start"]], "lam": state["lams"][0], "point": 1}
    return Board("sphere", state, sphere_summary(sphere_values(state, controls), controls, state), controls)


def sphere_state(recorded: dict, sentences: Iterable[str] = ()) -> dict:
    """Prepare what the board draws: the runs, and the points' sentences where they are the kit's or among `sentences`.

    Errors: `KitError` for a recording without runs, or of other lengths than its steps.
    """
    steps, runs = recorded["steps"], recorded["runs"]
    if not runs or any(len(run["theta"]) != len(steps) for run in runs):
        raise KitError(f"expected runs of {len(steps)} recorded steps each, got other ones: record them again.")
    texts = recorded.get("sentences") or _found(recorded["hashes"], sentences)
    english = "sentences of SNLI's test split; the three figures are of STS-B"
    where = "made-up captions, nothing about English" if recorded["made_up"] else english
    return {
        "steps": steps,
        "bins": recorded["bins"],
        "roles": recorded["roles"],
        "premise": [k // 3 for k in range(len(recorded["roles"]))],
        "sentences": texts,
        "runs": [{key: run[key] for key in RUN} | {"views": packed(run)} for run in runs],
        "taus": [f"{tau:g}" for tau in sorted({run["tau"] for run in runs})],
        "start": sorted({run["tau"] for run in runs}).index(runs[0]["tau"]),
        "lams": [f"{lam:g}" for lam in dict.fromkeys(run["lam"] for run in runs)],
        "task": "made-up STS" if recorded["made_up"] else "STS-B",
        "note": f"Recorded, seed 0 ({where}; {recorded['hardware']}, {recorded['date']}). Distance from the pole is "
        "the true angle in all dimensions; the direction round it is a fixed projection. Figures between recorded "
        "steps are interpolated.",
    }


def run_of(state: dict, controls: dict) -> dict:
    """The recorded run with the chosen λ whose τ is nearest, on a logarithmic scale."""
    tau = float(controls.get("tau", state["taus"][state["start"]]))
    lam = float(controls.get("lam", state["lams"][0]))
    return min(state["runs"], key=lambda run: round(1000 * abs(run["lam"] - lam) + abs(math.log(run["tau"] / tau)), 9))


def sphere_values(state: dict, controls: dict) -> dict:
    """Compute what is drawn at `controls["position"]`, a recorded step or a place between two.

    Angles θ to the pole and directions φ round it in degrees [n], the histogram of cosines in thousandths (now and
    raw), mean cosine, effective rank and Spearman × 100 now and at the first step, the mean angle to the pole then
    and now, "away", and the nearest neighbours of the chosen point (indices), those of the recorded step that is
    nearest, "seen_at".
    """
    run, last = run_of(state, controls), len(state["steps"]) - 1
    run = run | unpacked(run["views"], len(state["roles"]), len(state["bins"]) - 1)
    position = min(max(controls.get("position", 0), 0), last)
    i = min(math.floor(position), last - 1)
    t, nearest = position - i, math.floor(position + 0.5)
    step, point = state["steps"][i] + t * (state["steps"][i + 1] - state["steps"][i]), controls.get("point", 0)
    view = mixed({key: run[key][i] for key in VIEW}, {key: run[key][i + 1] for key in VIEW}, t)
    return {
        **view,
        "tau": run["tau"],
        "lam": run["lam"],
        "step": step,
        "raw": run["histogram"][0],
        "first": [run[key][0] for key in NUMBERS],
        "away": away(run["theta"][0], view["theta"]),
        "neighbours": run["neighbours"][nearest][point - 1] if point else [],
        "seen_at": state["steps"][nearest],
    }


DIGITS = (2, 1, 1)  # decimals of NUMBERS where they are printed


def sphere_summary(values: dict, controls: dict, state: dict) -> str:
    """Describe the values in words."""
    cosine, rank, sts = (fixed(value, digits) for value, digits in zip(values["first"], DIGITS))
    from_mean, to = (f"{fixed(angle, 0)}°" for angle in values["away"])
    where = f"τ {values['tau']:g}, λ {values['lam']:g}, step {fixed(values['step'], 0)} of {state['steps'][-1]}"
    if values["step"] < 0.5:
        before = f"the mean cosine is {cosine}, the mean angle to the raw mean {from_mean}"
        return (
            f"{where}, before any training: {before}, the effective rank {rank}, {state['task']} {sts}. {state['note']}"
        )
    now = [fixed(values[name], digits) for name, digits in zip(NUMBERS, DIGITS)]
    return (
        f"{where}: the mean cosine went from {cosine} to {now[0]}, the mean angle to the raw mean from {from_mean} to "
        f"{to}, the effective rank from {rank} to {now[1]}, {state['task']} from {sts} to {now[2]}. {state['note']}"
    )


def _found(hashes: list[str], sentences: Iterable[str]) -> list[str] | None:
    """The sentence of each hash; None if one is missing: others' sentences are not kept in a recording."""
    known = {hashlib.sha256(sentence.encode()).hexdigest()[:10]: sentence for sentence in sentences}
    return [known[one] for one in hashes] if known.keys() >= set(hashes) else None


def _snli_test_sentences() -> list[str]:
    """The sentences of SNLI's test split; none where only the made-up world is at hand."""
    import warnings

    from kit.data import group_by_premise, load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the lesson has said which data is in use
        table = load("stanfordnlp/snli", split="test")
    groups = [] if table.source.is_fallback else group_by_premise(table)
    return [sentence for group in groups for sentence in (group.anchor, *group.hypotheses)]
