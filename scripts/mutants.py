"""How many small faults do the tests catch? build/mutants.json

    python scripts/mutants.py                                 300 faults, drawn with seed 0
    python scripts/mutants.py --rooms kit/losses --places 40  in one room only

Needs `coverage` beside what `make test` needs, and a system that can fork. The tests run twice,
once under coverage.py, which tells which of them reach a line (kept in build/mutants-map.json
until a source or a test changes). Then one fault at a time is planted in memory, nothing on disk
changes, and a fork of this process, whose libraries are imported already, runs the tests that
reach its line, the nearest and fastest first, until one fails or --seconds are spent. What is
decided on import (defaults, decorators) is tried by INSPECTING as well, which reads signatures
instead of running lines. Left out are tests that start processes, that are slow, or that fail
without a fault: what only they would notice counts as survived, with 0 tests where no other
reaches it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter

from measuring import ROOT, provenance
from mutant_places import Place, Planted, draw, places_below
from mutant_tests import LOG, first_failure, forked, learn, nearest, prepare, reaching

MAP, RESULT = ROOT / "build" / "mutants-map.json", ROOT / "build" / "mutants.json"
ROOMS = ("kit/losses", "kit/encoder", "kit/training", "kit/evaluation", "kit/fast")
QUIET = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false"}
INSPECTING = "tests/infrastructure/test_signatures.py"
FIRST = 25  # so many tests are tried on a fault at first; the others if they all pass


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--places", type=int, default=300)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--rooms", nargs="+", default=[room for room in ROOMS if (ROOT / room).is_dir()])
    options.add_argument(
        "--tests", nargs="+", help="files or folders (default: tests/<room> or tests/test_<room>_*.py)"
    )
    options.add_argument("--slow", type=float, default=20, help="seconds from which a test is left out")
    options.add_argument("--seconds", type=float, default=30, help="at most so many seconds of tests for a fault")
    args = options.parse_args()
    began = time.monotonic()
    os.chdir(ROOT)
    os.environ.update(QUIET)
    MAP.parent.mkdir(exist_ok=True)
    LOG.unlink(missing_ok=True)
    possible = {room: places_below(ROOT, room) for room in args.rooms}
    drawn = draw(possible, args.places, args.seed)
    known = what_is_known([*(test for tests in map(tests_of, args.rooms) for test in tests), INSPECTING], args)
    inspecting = [test for test in known["tests"] if test.startswith(INSPECTING)]
    learned = time.monotonic() - began
    tried = []
    for place in (place for room in args.rooms for place in drawn[room]):
        reach = list(dict.fromkeys([*(inspecting if place.on_import else []), *reaching(place, known)]))
        tests, cost = nearest(place, known["tests"], reach, args.seconds)
        start = time.monotonic()
        by = catcher(place, tests, cost)
        seconds = round(time.monotonic() - start, 1)
        tried.append({**row(place), "tests": len(tests), "reaching": len(reach), "seconds": seconds, "by": by})
        verdict = "caught  " if by else "SURVIVED"
        print(f"{len(tried):4d} {verdict} {seconds:5.1f} s  {place.file}:{place.line} {place.operator}", flush=True)
    result = {
        "what": "small faults planted one at a time, and whether a test that reaches their line fails",
        "seed": args.seed,
        **summary(tried),
        "rooms": {
            room: {
                "possible": len(possible[room]),
                **summary([one for one in tried if one["file"].startswith(f"{room}/")]),
            }
            for room in args.rooms
        },
        "limits": {"seconds": args.seconds, "slow": args.slow},
        "usable_tests": len(known["tests"]),
        "seconds": {
            "learning": round(learned),
            "all": round(time.monotonic() - began),
            "on_processor": round(sum(os.times()[:4])),
        },
        "survivors": [one for one in tried if not one["by"]],
        "caught_list": [one for one in tried if one["by"]],
        **provenance(),
    }
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for room, counts in result["rooms"].items():
        print(f"{room}: {counts['planted']} planted, {counts['caught']} caught ({counts['percent']} %)")
    print(f"mutants: {result['planted']} planted, {result['caught']} caught ({result['percent']} %)")


def row(place: Place) -> dict:
    """A place as the results show it."""
    shown = {name: getattr(place, name) for name in ("file", "line", "operator", "before", "after")}
    return {**shown, "source": (ROOT / place.file).read_text("utf-8").splitlines()[place.line - 1].strip()}


def summary(tried: list[dict]) -> dict:
    """How many faults were planted, caught, and by how many operators."""
    caught = [one for one in tried if one["by"]]
    return {
        "planted": len(tried),
        "caught": len(caught),
        "percent": round(100 * len(caught) / max(1, len(tried)), 1),
        "untested": sum(not one["tests"] for one in tried),
        "operators": dict(Counter(one["operator"] for one in tried)),
    }


def tests_of(room: str) -> list[str]:
    """The tests of a room and of the folders in it: tests/<name>, or the files that begin with the name."""
    here, found = ROOT / "tests", []
    for folder in [ROOT / room, *sorted(path for path in (ROOT / room).rglob("*") if path.is_dir())]:
        files = sorted([*here.glob(f"test_{folder.name}.py"), *here.glob(f"test_{folder.name}_*.py")])
        found += [here / folder.name] if (here / folder.name).is_dir() else files
    return [path.relative_to(ROOT).as_posix() for path in found]


def what_is_known(tests: list[str], args: argparse.Namespace) -> dict:
    """What `learn` finds out, from the last time if no source, test or argument has changed since."""
    files = sorted(file for folder in ("kit", "tests") for file in (ROOT / folder).rglob("*.py"))
    content = [args.tests or tests, args.rooms, args.slow, *(file.read_text("utf-8") for file in files)]
    mark = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    if MAP.exists() and (known := json.loads(MAP.read_text("utf-8")))["mark"] == mark:
        prepare(known["modules"])
        return known
    print("running the tests twice, to learn which lines they reach", flush=True)
    known = {"mark": mark, **learn(args.tests or tests, args.rooms, args.slow)}
    MAP.write_text(json.dumps(known), "utf-8")
    return known


def catcher(place: Place, tests: list[str], seconds: float) -> str:
    """The first test that fails with the fault planted; "" if all pass. Too long, or a crash, is a failure."""

    def work() -> str:
        sys.meta_path.insert(0, Planted(ROOT, place))
        return first_failure(tests[:FIRST]) or (first_failure(tests[FIRST:]) if tests[FIRST:] else "")

    answer = forked(work, 20 + 4 * seconds) if tests else ""
    return "time limit or crash" if answer is None else answer


if __name__ == "__main__":
    sys.exit(main())
