"""Kill, double and damage trainings, and count what is lost: data/results/hard_use.json

    python scripts/hard_use.py                              200 pairs, 500 damages, every kill of a save
    python scripts/hard_use.py --pairs 20 --damages 50 --out trial.json     fewer

Everything is forked from one parent that has imported all it needs, with one thread, on a tiny BERT. What has run is
kept under build/hard_use, in a folder for the code that it tried; the same command goes on from there.

pairs: two processes on one run folder, each killed with SIGKILL at a random moment or not. Afterwards the folder's run
is trained to its end; its losses and weights must be those of a run that nobody disturbed.
damages: one to the folder of a stopped run, which is then trained to its end, likewise.
saves: an encoder is saved over another, and killed before each call of Python's, and at each of the system's (where
strace is installed, which does it).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hard_use_damages import DAMAGES, damage, newest_whole
from measuring import ROOT, provenance, run_script, to_write
from training_code import code_hash

from kit.errors import KitError

PAIRS, DAMAGED = 200, 500
EVERY, STEPS, STOPPED = 2, 12, 7  # steps between checkpoints, of a run, and of the run that is damaged
KINDS = ("the same command twice", "two seeds", "two recipes", "a slow and a fast twin")
REFUSALS = ("to be free, but", "belongs to another")
CHANGES = {"dropout": 0.3, "batch_size": 9, "lr": 1e-3, "epochs": 3}
FILE = ROOT / "data" / "results" / "hard_use.json"
# What is tried, what it trains by, and what kills and damages it: with other code there, all runs again.
TRIED = ("kit/storage", "kit/encoder", "kit/training", "kit/losses", "kit/data", "kit/fast")
TRYING = ("scripts/hard_use.py", "scripts/hard_use_damages.py", "tests/storage/kills.py", "tests/tiny.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=PAIRS, help="of processes; fewer only with --out")
    parser.add_argument("--damages", type=int, default=DAMAGED, help="of folders; fewer only with --out")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "hard_use", help="what has run is kept here")
    parser.add_argument("--out", type=Path, help="default: data/results/hard_use.json")
    options = parser.parse_args()
    fewer = {"pairs": options.pairs < PAIRS, "damages": options.damages < DAMAGED}
    out, work = to_write(options.out, FILE, **fewer), options.work / code_tried()
    warm(work)
    found = {
        "pairs": told_pairs([kept(work, "pair", number, one_pair) for number in range(options.pairs)]),
        "damages": told_damages([kept(work, "damage", number, one_damage) for number in range(options.damages)]),
        "saves": kept(work, "saves", int(has_strace()), all_saves),
    }
    from kit.storage.atomic import write_atomically

    others = json.loads(out.read_text("utf-8")) if out.exists() else {}
    whole = {**others, "storage": {**found, "steps": STEPS, "checkpoint_every": EVERY, **provenance()}}
    write_atomically(out, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(found, indent=1))


def code_tried(root: Path = ROOT) -> str:
    """Twelve characters that change with the code that decides an outcome."""
    folders = [path for folder in TRIED for path in (root / folder).rglob("*.py")]
    return code_hash(sorted([*folders, *(root / name for name in TRYING)]), root)


def warm(work: Path) -> None:
    """Import all that the children need, and have them train what the others are compared with."""
    import torch

    from tests.tiny import write_tiny_bert

    torch.set_num_threads(1)  # with more, a child would wait for threads that only its parent has
    warnings.simplefilter("ignore")
    if not (work / "tiny").exists():
        write_tiny_bert(work / "tiny")
    shutil.rmtree(work / "warm", ignore_errors=True)
    train(work, work / "warm", config("scl", 0), until=3)
    for settings in (config(recipe, seed) for recipe in ("scl", "simcse_unsup") for seed in (0, 1)):
        if not reference(work, settings).exists():
            wait(forked(lambda settings=settings: train(work, None, settings), reference(work, settings)))
    if not (work / "stopped").exists():
        wait(forked(lambda: train(work, work / "half", config("scl", 0), until=STOPPED), work / "stopped.json"))
        (work / "half").rename(work / "stopped")


def config(recipe: str, seed: int, pause: float = 0.0) -> dict:
    return {"recipe": recipe, "seed": seed, "pause": pause}


def reference(work: Path, settings: dict) -> Path:
    """Where the outcome of a run that nobody disturbs is kept."""
    return work / f"reference-{settings['recipe']}-{settings['seed']}.json"


def train(work: Path, folder: Path | None, settings: dict, log: Path | None = None, until: int = STEPS) -> dict:
    """One training of the tiny BERT; its steps go into `log` as they are done."""
    from kit.encoder import load_encoder
    from kit.training import fit, recipe
    from tests.tiny import tiny_groups

    made, done = recipe(settings["recipe"], **CHANGES), []

    def callback(step: dict) -> None:
        done.append(step["step"])
        if log:
            with open(log, "a", encoding="utf-8") as file:
                file.write(f"{step['step']}\n")
        time.sleep(settings["pause"])

    encoder = load_encoder(work / "tiny", pooling=made.pooling)
    how = {"folder": folder, "checkpoint_every": EVERY, "callback": callback, "progress": False, "precision": "fp32"}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = fit(
            encoder,
            made,
            tiny_groups(),
            seed=settings["seed"],
            steps=STEPS,
            should_stop=lambda: done[-1] == until,
            **how,
        )
    digest = hashlib.sha256(b"".join(value.numpy().tobytes() for value in encoder.state_dict().values()))
    return {
        "history": result.history,
        "weights": digest.hexdigest(),
        "first": done[0] if done else STEPS + 1,
        "warnings": [str(one.message) for one in told],
    }


def forked(work: Callable[[], dict], out: Path) -> int:
    """Do `work` in a child process, which writes what it returns or says to `out`; its number."""
    child = os.fork()
    if child:
        return child
    try:
        try:
            outcome = work()
        except KitError as error:
            outcome = {"said": str(error)}
        except BaseException:
            outcome = {"traceback": traceback.format_exc()}
        partial = out.with_name(f"{out.name}.{os.getpid()}")
        partial.write_text(json.dumps(outcome), "utf-8")
        partial.rename(out)
    finally:
        os._exit(0)


def wait(child: int) -> bool:
    """Wait for a child; whether it was killed."""
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def kept(work: Path, kind: str, number: int, run: Callable[[Path, Path, random.Random], dict]) -> dict:
    """What `run` found, from an earlier call of this program where there was one."""
    file, place = work / kind / f"{number}.json", work / kind / str(number)
    if not file.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        found = run(work, place, random.Random(f"{kind} {number}"))
        file.write_text(json.dumps(found), "utf-8")
        shutil.rmtree(place)
    return json.loads(file.read_text("utf-8"))


def one_pair(work: Path, place: Path, draw: random.Random) -> dict:
    """Two processes on one folder, killed or not; then its run, trained to the end."""
    folder, kind = place / "run", draw.choice(KINDS)
    first = config(draw.choice(("scl", "simcse_unsup")), 0, pause=0.03 if kind == KINDS[3] else 0.0)
    second = {**first, "pause": 0.0}
    if kind == "two seeds":
        second["seed"] = 1
    if kind == "two recipes":
        second["recipe"] = "scl" if first["recipe"] == "simcse_unsup" else "simcse_unsup"
    both = [first, second]
    start = draw.choice((0, 0, draw.randrange(STEPS)))  # at which step of the first the second starts
    kills = [(draw.randrange(STEPS), draw.uniform(0, 0.03)) if draw.random() < 0.7 else None for _ in both]

    def begin(i: int) -> int:
        return forked(lambda: train(work, folder, both[i], place / f"{i}.log"), place / f"{i}.json")

    def has_ended(i: int) -> bool:
        return (place / f"{i}.json").exists() or os.waitid(os.P_PID, children[i], os.WEXITED | os.WNOHANG | os.WNOWAIT)

    children = {0: begin(0)}
    while len(children) < 2 or not all(map(has_ended, children)):
        if len(children) < 2 and (steps_in(place, 0) >= start or has_ended(0)):
            children[1] = begin(1)
        for i in children:
            if kills[i] and steps_in(place, i) >= kills[i][0] and not has_ended(i):
                time.sleep(kills[i][1])
                os.kill(children[i], signal.SIGKILL)
        time.sleep(0.001)
    killed = [wait(children[i]) for i in (0, 1)]
    outcomes = [read(place / f"{i}.json") for i in (0, 1)]
    return {"kind": kind, "killed": killed, **judged(work, place, folder, both, outcomes)}


def judged(work: Path, place: Path, folder: Path, both: list[dict], outcomes: list[dict]) -> dict:
    """Whether what two processes did and left is right."""
    said = [one.get("said", "") for one in outcomes]
    wrong = [one["traceback"] for one in outcomes if "traceback" in one]
    wrong += [
        f"said: {one}" for one in said if one and "to be free, but" not in one and "belongs to another" not in one
    ]
    wrong += ["finished wrong" for one, mine in zip(outcomes, both) if "weights" in one and not same(work, mine, one)]
    # A callback of step n + 1 comes after the checkpoint of step n.
    logs = [[int(line) for line in text(place / f"{i}.log").split()] for i in (0, 1)]
    promised = [max([step for step in log if step % EVERY == 0 and step < max(log)], default=0) for log in logs]
    identity = newest_whole(folder)
    owners = [i for i, mine in enumerate(both) if identity and identity["of"] == [mine["recipe"], mine["seed"]]]
    lost = [i for i in (0, 1) if promised[i] and (i not in owners or identity["step"] < promised[i])]
    last = {**both[owners[0] if owners else 0], "pause": 0.0}
    wait(forked(lambda: train(work, folder, last), place / "last.json"))
    end = read(place / "last.json")
    return {
        "refused": sum(REFUSALS[0] in one for one in said),
        "another": sum(REFUSALS[1] in one for one in said),
        "taken_over": int(all(logs)),
        "lost": len(lost),
        "right": same(work, last, end),
        "wrong": wrong + ([end["traceback"]] if "traceback" in end else []),
    }


def same(work: Path, settings: dict, outcome: dict) -> bool:
    """Whether losses and weights are those of a run that nobody disturbed."""
    expected = read(reference(work, settings))
    return all(outcome.get(part) == expected[part] for part in ("history", "weights"))


def one_damage(work: Path, place: Path, draw: random.Random) -> dict:
    """A stopped run's folder, damaged once, and its run trained to the end."""
    folder = place / "run"
    shutil.copytree(work / "stopped", folder)
    kind, what = damage(folder, draw)
    expected = newest_whole(folder, work / "stopped")
    wait(forked(lambda: train(work, folder, config("scl", 0)), place / "out.json"))
    end = read(place / "out.json")
    return {
        "kind": kind,
        "what": what,
        "right": same(work, config("scl", 0), end),
        "told": bool(end.get("warnings")),
        "first": end.get("first"),
        "newest_used": end.get("first", 0) > (expected["step"] if expected else 0),
        "wrong": end.get("traceback", end.get("said", "")),
    }


def all_saves(work: Path, place: Path, _: random.Random) -> dict:
    """An encoder saved over another, killed before each call of the system: which of the two its name then holds."""
    from kit.encoder import load_encoder
    from tests.storage.kills import SYSTEM_CALLS, dies_at, dies_at_system_call, kill_at_each_call

    old, new = load_encoder(work / "tiny", pooling="first_last"), load_encoder(work / "tiny", pooling="max")
    target, wanted = place / "saved", []
    for name, encoder in (("old", old), ("new", new)):
        wanted.append(content(encoder.save(place / name)))
    old.save(target)

    def look() -> str:
        found = content(target)
        return ("old", "new")[wanted.index(found)] if found in wanted else "neither"

    ways = {"before_each_call_of_python": [dies_at]}
    if has_strace():
        ways["at_each_call_of_the_system"] = [dies_at_system_call(name) for name in SYSTEM_CALLS]
    found = {}
    for way, all_dies in ways.items():
        seen = []
        for dies in all_dies:
            seen += kill_at_each_call(lambda: new.save(target), look, lambda: old.save(target), dies)[1]
            old.save(target)
        left = [path.name for path in place.iterdir() if path.name not in ("old", "new", "saved")]
        found[way] = {"kills": len(seen), "held": dict(Counter(seen)), "leftovers": len(left)}
    return found


def has_strace() -> bool:
    return shutil.which("strace") is not None


def content(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def steps_in(place: Path, i: int) -> int:
    return len(text(place / f"{i}.log").split())


def told_pairs(pairs: list[dict]) -> dict:
    return {
        "pairs": len(pairs),
        "by_kind": dict(Counter(pair["kind"] for pair in pairs)),
        "kills": sum(sum(pair["killed"]) for pair in pairs),
        "refused_while_in_use": sum(pair["refused"] for pair in pairs),
        "refused_as_another_run": sum(pair["another"] for pair in pairs),
        "taken_over_after_a_kill": sum(pair["taken_over"] for pair in pairs),
        "checkpoints_lost": sum(pair["lost"] for pair in pairs),
        "ended_bit_for_bit": sum(pair["right"] for pair in pairs),
        "wrong": [line for pair in pairs for line in pair["wrong"]],
    }


def told_damages(damages: list[dict]) -> dict:
    by_kind = {kind: [one for one in damages if one["kind"] == kind] for kind in DAMAGES}
    return {
        "damages": len(damages),
        "by_kind": {kind: {"damages": len(some), **counted(some)} for kind, some in by_kind.items()},
        **counted(damages),
        "wrong": [{"what": one["what"], "said": one["wrong"]} for one in damages if one["wrong"] or not one["right"]],
    }


def counted(damages: list[dict]) -> dict:
    return {
        "harmless": sum(one["right"] and not one["told"] for one in damages),
        "told_and_an_older_one_used": sum(one["right"] and one["told"] and (one["first"] or 0) > 1 for one in damages),
        "told_and_begun_anew": sum(one["right"] and one["told"] and one["first"] == 1 for one in damages),
        "newest_whole_used": sum(one["newest_used"] for one in damages),
        "ended_bit_for_bit": sum(one["right"] for one in damages),
    }


def read(file: Path) -> dict:
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def text(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    run_script(main)
