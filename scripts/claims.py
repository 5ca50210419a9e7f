"""The scoreboard: the papers' claims, each run again at compact scale: data/results/claims.json

    KIT_DATA=<mirror folder> python scripts/claims.py [--only L1 S2] [--encoder <folder>] [--workers 2] [--plan]
    python scripts/claims.py --judge

Five seeds for every comparison, fixed in advance: who adds seeds where the first ones leave it open looks
twice, and his 95 % intervals hold less (lesson 11 simulates it). Runs what is missing, reads what is there,
and writes the file after every claim: an interrupted call goes on where it stopped. --plan tells how many
runs each claim needs and how many are missing, and runs nothing. --judge runs nothing either: it judges
what stands in the file by today's rule, and says what differs in today's words. What is compared and what
counts stands in kit/course/papers/claims.py, what is trained in scripts/claims_plan.py; beside the file
stands its picture, claims.svg. No setting is chosen here: those of the recipes were chosen on pairs that are in no
test set (choose_settings, choose_comparators).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import matrix
from claims_plan import ARMS, MEASURES, REPAIRS, WHOLE, Scale, lacking, plan_of, record_of, seeds_of, wanted
from measuring import ROOT, file_of, provenance, run_script, to_write

from kit.course.papers.claims import CLAIMS, SMALLER, VERSION, Claim, Part, claim
from kit.course.papers.published import read_published
from kit.course.papers.rule import Effect, effect_of, weakest
from kit.course.papers.scoreboard import check_version, read_scoreboard
from kit.encoder import find_model
from kit.errors import KitError
from kit.figures.scoreboard_figures import POINTS, scoreboard_svg
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "claims.json"
SEEDS = (0, 1, 2, 3, 4)
BUNDLED = WHOLE.encoder
FIRST = ("S2", "S5", "L1", "L2", "L3", "L4", "L5", "P1", "D1", "D2", "D3", "D4", "D5", "D6")  # the most telling


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="+", metavar="CLAIM", help="only these claims, such as L1")
    options.add_argument("--encoder", default=BUNDLED, help="what all start from: a name, or a folder")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="others than the five only with --out")
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--rows", type=int, help="fewer rows of data for every run: a trial, not a result")
    options.add_argument("--plan", action="store_true", help="say what would run, and stop")
    options.add_argument("--judge", action="store_true", help="judge the file's figures by today's rule, and stop")
    options.add_argument("--out", type=Path, help="default: data/results/claims.json, or claims_<encoder>.json")
    args = options.parse_args()
    chosen = [claim(name) for name in args.only or sorted(CLAIMS, key=lambda name: name not in FIRST)]
    scale = Scale(args.encoder, args.rows)
    if args.plan:
        tell_plan(chosen, args.seeds, scale)
        return
    others = sorted(args.seeds) != sorted(SEEDS)
    args.out = to_write(args.out, file_of(OUT, args.encoder, "_"), rows=bool(args.rows), seeds=others)
    if args.judge:
        write_atomically(args.out, json.dumps(judged(json.loads(args.out.read_text("utf-8"))), indent=1) + "\n")
        draw(args.out)
        return
    board = begin(args.out, not args.only, args.encoder)
    began, at_first = time.perf_counter(), to_train(chosen, args.seeds, scale)
    for place, one in enumerate(chosen):
        board["claims"][one.id] = measured(one, args.seeds, scale, args.workers)
        board["claims"] = {name: board["claims"][name] for name in CLAIMS if name in board["claims"]}
        board = judged(board)  # the runs just made count for the other claims too
        write_atomically(args.out, json.dumps(board | provenance(), indent=1) + "\n")
        print(f"{one.id} {board['claims'][one.id]['verdict']}: {one.statement}", flush=True)
        left = to_train(chosen[place + 1 :], args.seeds, scale)
        if left and at_first > left:
            took = (time.perf_counter() - began) / (at_first - left)
            print(f"{left} runs to go, about {matrix.in_words(took * left)}", flush=True)
    draw(args.out)


def to_train(chosen: Sequence[Claim], seeds: Sequence[int], scale: Scale) -> int:
    """How many runs of these claims are not there yet."""
    return sum(bool(lacking(*run, what, scale)) for run, what in wanted(chosen, seeds).items())


def draw(out: Path) -> None:
    """Write the picture of the file beside it; none where no claim of it is in points."""
    board = read_scoreboard(out)
    if all(part.part.unit != POINTS for entry in board.values() for part in entry.parts):
        print(f"wrote {out.name}: no picture, as nothing in it is measured in points")
        return
    write_atomically(out.with_suffix(".svg"), scoreboard_svg(board))
    print(f"wrote {out.name} and its picture: {len(board)} of {len(CLAIMS)} claims")


def judged(content: dict) -> dict:
    """The file with the verdicts of today's rule and the words of today's claims. No run is touched.

    Errors: `KitError` where the file's comparisons are not those of this version.
    """
    today = {"version": VERSION, "chosen_on": chosen_on(content.get("encoder", ""))}
    content = check_version(content | today, OUT.name)
    share_arms(content["claims"])
    for key, entry in content["claims"].items():
        for part, found in zip(CLAIMS[key].parts, entry["parts"]):
            effect = Effect(*(found[name] for name in ("mean", "low", "high", "n", "sd")))
            found["margin"] = part.limit(found["published"])
            found["verdict"] = part.judge(effect, found["published"])
        entry["verdict"] = weakest(found["verdict"] for found in entry["parts"])
        machines = [arm.get("hardware") for found in entry["parts"] for arm in found["arms"].values()]
        if all(machines):  # older arms do not say theirs
            entry["hardware"] = " and ".join(dict.fromkeys(machines))
        entry["says"] = CLAIMS[key].statement
        [size, *_] = re.findall(r"a \d+-layer encoder, \d+ wide", entry["differs"])
        entry["differs"] = CLAIMS[key].differs.replace(SMALLER, size)
    return content


def share_arms(claims: dict[str, dict]) -> None:
    """One arm has one set of runs in all claims that read it by the same measure: the latest, where claims were run on
    different days.

    Otherwise a run that went wrong would count in one claim and not in another. What another measure was read from may
    be other runs: whoever makes an arm anew makes all claims anew that have it. A claim that takes runs from a later
    one also takes its commit and date; on which machine each arm ran, it says itself.
    """
    latest: dict[tuple, dict] = {}  # arm → the entry that has its latest runs, and these
    for entry in claims.values():
        for found in entry["parts"]:
            for name, arm in found["arms"].items():
                known = latest.get(_arm_key(name, arm, found))
                if not known or made(known["entry"]) < made(entry):
                    latest[_arm_key(name, arm, found)] = {"entry": entry, "arm": arm}
    for entry in claims.values():
        for found in entry["parts"]:
            newer = {name: latest[_arm_key(name, arm, found)] for name, arm in found["arms"].items()}
            taken = [
                one["entry"] for name, one in newer.items() if one["arm"]["values"] != found["arms"][name]["values"]
            ]
            if taken:
                arms = found["arms"] = {name: one["arm"] for name, one in newer.items()}
                old = arms[found["old"]]["values"] if found["old"] else None
                found["values"] = paired(arms[found["new"]]["values"], old)
                found |= vars(effect_of(found["values"]))
                entry |= {key: taken[-1][key] for key in ("commit", "hardware", "date", "made") if key in taken[-1]}


def made(entry: dict) -> tuple[str, str]:
    """When: the day, and of the entries that say it the second."""
    return entry["date"], entry.get("made", "")


def _arm_key(name: str, arm: dict, found: dict) -> tuple:
    """What makes two arms one: their runs and what was measured of them."""
    return name, found["measure"], arm["recipe"], str(arm["data"]), str(arm["changes"]), len(arm["values"])


def chosen_on(encoder: str) -> str:
    """Where the file of an encoder's claims sends who asks how the settings were chosen."""
    return "see choices.json" if encoder == BUNDLED else f"see choices-{encoder}.json and kit/training/recipes"


def begin(out: Path, whole: bool, encoder: str = BUNDLED) -> dict:
    """What the file holds so far. A run of all claims replaces a file of another version, a single one does not.

    Errors: `KitError` for another version, or what is no such file, where only some claims are run.
    """
    name = Path(encoder).name
    fresh = {"version": VERSION, "encoder": name, "chosen_on": chosen_on(name), "claims": {}}
    if not out.exists():
        return fresh
    try:
        return check_version(json.loads(out.read_text("utf-8")), out.name)
    except (KitError, json.JSONDecodeError) as error:
        if not whole:
            raise KitError(str(error)) from None
        print(f"begins anew: {error}")
        return fresh


def prepare(one: Claim, seeds: Sequence[int], scale: Scale, workers: int) -> None:
    """Train and measure what the matrix lacks for this claim, several runs at a time."""
    groups: dict[tuple, list[matrix.Plan]] = {}
    for (name, seed), what in wanted([one], seeds).items():
        if ARMS[name].recipe not in REPAIRS and lacking(name, seed, what, scale):
            groups.setdefault(tuple(sorted(what - {"twelve"})), []).append(plan_of(ARMS[name], seed, scale))
    for what, plans in groups.items():
        print(f"{one.id}: {len(plans)} runs to train or measure ({', '.join(what) or 'training'})", flush=True)
        matrix.measure_runs(plans, what, workers)


def measured(one: Claim, seeds: Sequence[int] = SEEDS, scale: Scale = WHOLE, workers: int = 1) -> dict:
    """A claim's entry in the file; runs that it lacks are made."""
    prepare(one, seeds, scale, workers)
    parts = [measured_part(part, seeds, scale) for part in one.parts]
    about = provenance()
    named = "" if scale.encoder == BUNDLED else f" ENCODER={Path(scale.encoder).name}"
    return {
        "paper": one.paper,
        "says": one.statement,
        "verdict": weakest(part["verdict"] for part in parts),
        "differs": one.differs.replace(SMALLER, size_of(scale.encoder)),
        "command": f"make claims ONLY={one.id}{named}",
        "weights": matrix.weights_of(scale.encoder)[:12],
        "seeds": list(seeds),
        "batches": "random",
        "parts": parts,
        "commit": about["commit"],
        "hardware": about["hardware"],
        "date": about["date"],
        "made": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }


def size_of(encoder: str) -> str:
    """An encoder's layers and width in words."""
    config = json.loads((Path(find_model(encoder).location) / "config.json").read_text("utf-8"))
    return f"a {config['num_hidden_layers']}-layer encoder, {config['hidden_size']} wide"


def measured_part(part: Part, seeds: Sequence[int], scale: Scale = WHOLE) -> dict:
    """One comparison: the effect of every seed, its interval, and the verdict of the rule."""
    published = part.published(read_published())
    sides = {name: arm_values(name, part, seeds, scale) for name in filter(None, (part.new, part.old))}
    values = paired(sides[part.new]["values"], sides[part.old]["values"] if part.old else None)
    effect = effect_of(values)
    return {
        "name": part.name,
        "measure": part.measure,
        "rule": part.rule,
        "margin": part.limit(published),
        "unit": part.unit,
        "published": published,
        "new": part.new,
        "old": part.old,
        "arms": sides,
        "values": values,
        "mean": effect.mean,
        "low": effect.low,
        "high": effect.high,
        "sd": effect.sd,
        "n": effect.n,
        "verdict": part.judge(effect, published),
    }


def arm_values(name: str, part: Part, seeds: Sequence[int], scale: Scale) -> dict:
    """What one arm measures, seed by seed, and what it was trained on."""
    what, read = MEASURES[part.measure]
    records = [record_of(name, seed, set(what), scale) for seed in seeds_of(ARMS[name], seeds)]
    first = records[0]
    return {
        "values": [read(record) for record in records],
        "data": first["data"],
        "steps": first.get("steps"),
        "sentences": first.get("sentences"),
        "lr": (first.get("settings") or {}).get("lr"),
        "hardware": " and ".join(dict.fromkeys(filter(None, (record.get("hardware") for record in records)))),
        "changes": dict(ARMS[name].changes),
        "recipe": ARMS[name].recipe,
    }


def paired(new: list[float], old: list[float] | None) -> list[float]:
    """New minus old of every seed; an arm without seeds stands against each."""
    if old is None:
        return new
    length = max(len(new), len(old))
    new, old = ([side[0]] * length if len(side) == 1 else side for side in (new, old))
    return [a - b for a, b in zip(new, old, strict=True)]


def tell_plan(chosen: Sequence[Claim], seeds: Sequence[int], scale: Scale) -> None:
    """For each claim its runs, and what no claim before it has asked for and nobody has done."""
    told: dict[str, set[tuple[str, int]]] = {}
    for one in chosen:
        runs, missing = wanted([one], seeds), {}
        for run, what in runs.items():
            for job in lacking(*run, what, scale):
                if run not in told.setdefault(job, set()):
                    told[job].add(run)
                    missing.setdefault(job, []).append(run)
        jobs = [
            f"{job} of {len(of)} ({', '.join(dict.fromkeys(name for name, _ in of))})"
            for job, of in sorted(missing.items(), reverse=True)
        ]
        print(f"{one.id}: {len(runs):2} runs" + (f"; missing: {'; '.join(jobs)}" if jobs else "; nothing is missing"))
    print(
        "all: "
        + (
            ", ".join(f"{job} of {len(of)}" for job, of in sorted(told.items(), reverse=True) if of)
            or "nothing is missing"
        )
    )


if __name__ == "__main__":
    try:
        run_script(main)
    except KeyboardInterrupt:
        sys.exit("claims: interrupted; the same command goes on where it stopped.")
