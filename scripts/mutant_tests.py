"""What scripts/mutants.py knows of the tests: which of them run a line, and what they cost."""

from __future__ import annotations

import importlib
import json
import os
import re
import resource
import select
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from measuring import ROOT
from mutant_places import Place

LOG = ROOT / "build" / "mutants.log"
MEMORY = 8 * 2**30  # bytes, for one fork: a loop without end shall not fill the machine


class Watch:
    """A pytest plugin: runs the tests of `order` and notes what each one costs.

    Seconds (on the processor: a busy machine does not stretch them), child processes and, with
    `cover`, lines are charged to the test, or to the fixture where several tests share one."""

    def __init__(self, order: list[str] | None = None, cover: object = None) -> None:
        self.order, self.cover = order, cover
        self.costs: dict[str, tuple] = defaultdict(lambda: (0.0, 0))  # seconds, page faults of processes
        self.shared: dict[str, list[str]] = {}
        self.passed: list[str] = []
        self.failed: list[str] = []
        self.open, self.last = ["collection"], (time.process_time(), 0)

    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.order is not None:
            rank = {test: i for i, test in enumerate(self.order)}
            items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.failed += [report.nodeid] if report.failed else []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += [report.nodeid] if report.failed else []
        self.passed += [report.nodeid] if report.passed and report.when == "call" else []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator:
        fixtures = [known[-1] for known in item._fixtureinfo.name2fixturedefs.values()]
        self.shared[item.nodeid] = [label(fixture) for fixture in fixtures if fixture.scope != "function"]
        return (yield from self.charge(item.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef) -> Iterator:
        return (yield from self.charge(self.open[-1] if fixturedef.scope == "function" else label(fixturedef)))

    def charge(self, name: str) -> Iterator:
        """What happens until the hook is done is charged to `name`."""
        self.turn([*self.open, name])
        try:
            return (yield)
        finally:
            self.turn(self.open[:-1])

    def turn(self, names: list[str]) -> None:
        now = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        self.costs[self.open[-1]] = tuple(a + b - c for a, b, c in zip(self.costs[self.open[-1]], now, self.last))
        self.last, self.open = now, names
        if self.cover:
            self.cover.switch_context(names[-1])

    def outcome(self, slow: float) -> dict:
        """The tests that can be used, with their seconds and those of the fixtures they share."""
        tests = {}
        for test in dict.fromkeys(self.passed):
            seconds, pages = zip(*(self.costs[part] for part in (test, *self.shared[test])))
            if test not in self.failed and not any(pages) and sum(seconds) < slow:
                tests[test] = [seconds[0], dict(zip(self.shared[test], seconds[1:]))]
        return tests


def label(fixture: pytest.FixtureDef) -> str:
    return f"{fixture.baseid} fixture {fixture.argname}"


def run_tests(files: list[str], watch: Watch, *options: str) -> int:
    """pytest in this process; its exit code."""
    return int(pytest.main([*files, "-q", "--tb=line", "-p", "no:cacheprovider", *options], plugins=[watch]))


def first_failure(tests: list[str]) -> str:
    """The first test that fails, "" if all pass. Those of one file run together: they share fixtures."""
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    watch = Watch(sorted(tests, key=lambda test: files.index(test.split("::")[0])))
    code = run_tests(files, watch, "-x")
    return (watch.failed or [f"pytest ends with {code}" if code not in (0, 5) else ""])[0]


def forked(work: Callable[[], object], seconds: float) -> object:
    """What `work` returns in a fork of this process; None if it dies or takes too long.

    The limit is on time on a processor; only what sleeps meets the one on real time, a longer one."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        try:
            os.setsid()
            for stream in (1, 2):
                os.dup2(os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT), stream)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            with os.fdopen(writer, "w") as pipe:
                json.dump(work(), pipe)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    text, end = b"", time.monotonic() + 4 * seconds + 60
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0] and (part := os.read(reader, 2**20)):
        text += part
    os.close(reader)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with suppress(json.JSONDecodeError):
        return json.loads(text)


def learn(files: list[str], rooms: list[str], slow: float) -> dict:
    """Which tests can be used, what they cost, the lines they reach, and the modules they import.

    They run twice: under coverage, then in reverse order without it, in a process that has
    imported everything, as the faults will be tried. A test has to pass both times."""
    import coverage

    def first() -> dict:
        covered = coverage.Coverage(data_file=None, config_file=False, source=[str(ROOT / room) for room in rooms])
        watch = Watch(cover=covered)
        covered.start()
        run_tests(files, watch, "-o", f"timeout={3 * slow:.0f}")
        covered.stop()
        numbers: dict[str, int] = defaultdict(lambda: len(numbers))
        lines = {
            Path(file).relative_to(ROOT).as_posix(): {
                line: [numbers[context] for context in contexts if context not in ("", "collection")]
                for line, contexts in covered.get_data().contexts_by_lineno(file).items()
            }
            for file in sorted(covered.get_data().measured_files())
        }
        modules = [name for name, module in sys.modules.items() if is_library(name, module)]
        return {"tests": watch.outcome(slow), "lines": lines, "contexts": list(numbers), "modules": modules}

    def second() -> dict:
        watch = Watch([*reversed(known["tests"])])
        run_tests(files, watch)
        return watch.outcome(slow)

    if known := forked(first, 7200):
        prepare(known["modules"])
        known["tests"] = forked(second, 7200)
    if not known or not known["tests"]:
        sys.exit(f"mutants: expected the tests to run, but they did not: see {LOG}.")
    return known


def is_library(name: str, module: object) -> bool:
    """Whether a module can be imported ahead of all forks: it is not one of ours."""
    file = getattr(module, "__file__", None) or ""
    ours = name.split(".")[0] in ("kit", "tests", "__main__") or Path(file).parent == ROOT / "scripts"
    return bool(file) and not ours and (ROOT not in Path(file).parents or "site-packages" in file)


def prepare(modules: list[str]) -> None:
    """Import what the tests import, so that no fork has to; a few can only be imported by others."""
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    assert "kit" not in sys.modules, "a library has imported kit: no fault can be planted in it now"


def reaching(place: Place, known: dict) -> list[str]:
    """The tests that run a place: its line, else its statement.

    What runs on import is tried by what runs a line that names it, else by what runs its file, else by all."""
    lines = known["lines"]
    wanted = [[(place.file, line) for line in range(first, last + 1)] for first, last in place.spans]
    if place.names:
        word = re.compile(rf"\b({'|'.join(place.names)})\b")
        texts = {file: (ROOT / file).read_text("utf-8").splitlines() for file in lines}
        wanted.append(
            [(file, n) for file, text in texts.items() for n, line in enumerate(text, 1) if word.search(line)]
        )
    if not place.spans:
        wanted.append([(place.file, line) for line in lines.get(place.file, {})])
    for spots in wanted:
        contexts = {known["contexts"][i] for file, line in spots for i in lines.get(file, {}).get(str(line), ())}
        if found := [test for test, (_, shared) in known["tests"].items() if contexts & {test, *shared}]:
            return found
    return [] if place.spans else list(known["tests"])


def nearest(place: Place, costs: dict, tests: list[str], seconds: float) -> tuple[list[str], float]:
    """The tests to try on a fault, in this order, and what they cost.

    Each function once before any comes with other parameters; near ones first, then fast ones."""
    stem, turns, ranked = Path(place.file).stem.strip("_"), Counter(), []
    for test in sorted(tests, key=lambda test: costs[test][0]):
        function = test.split("[")[0]
        ranked.append((turns[function], stem not in Path(test.split("::")[0]).stem, costs[test][0], test))
        turns[function] += 1
    chosen, total, fixtures = [], 0.0, {}
    for *_, own, test in sorted(ranked):
        shared = fixtures | costs[test][1]
        if not chosen or total + own + sum(shared.values()) <= seconds:
            chosen, total, fixtures = [*chosen, test], total + own, shared
    return chosen, total + sum(fixtures.values())
