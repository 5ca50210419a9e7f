"""What all tests share: quiet threads, the folder of real data, the network switched off."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Set before anything imports torch, and inherited by every process a test starts. One thread each: two threads
# beside another busy process are many times slower. PASSIVE lets waiting threads sleep.
QUIET = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "NUMBA_CACHE_DIR": str(ROOT / "build" / "numba"),
    "IPYTHONDIR": str(ROOT / "build" / "ipython"),
}
for name, value in QUIET.items():
    os.environ.setdefault(name, value)
# jsonschema, which nbformat needs, would check a kind of address with it that no notebook has; importing it parses a
# grammar, for two seconds and more of every worker.
sys.modules["rfc3987_syntax"] = None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser or real data by the fixture that gives it one."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "mirror" in fixtures:
            item.add_marker("real_data")
        if "chromium" in fixtures or "lab" in fixtures:
            item.add_marker("browser")
            item.add_marker("slow")
    worker = getattr(items[0].config, "workerinput", {}) if items else {}
    items[:] = balanced(items, worker.get("workercount", 1))


def pytest_collection_finish() -> None:
    """What is loaded by now stays, so Python need not look through it again each time that it collects garbage."""
    gc.collect()
    gc.freeze()


def balanced(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Each worker begins with a share of the tests and then takes what another has not begun: whole notebooks first
    in the first share, the browser's tests first in the second, so that no long test is left for the end, and one
    process to fork kernels and one browser are enough."""
    notebooks = [item for item in items if "read_only" in item.fixturenames]
    browser = [item for item in items if item.get_closest_marker("browser")]
    heavy = {*notebooks, *browser}
    light = [item for item in items if item not in heavy]
    share, order = -(-len(items) // workers), []
    for first in (notebooks, browser):
        few = max(0, share - len(first)) if workers > 1 else 0
        order += [*first, *light[:few]]
        light = light[few:]
    return order + light


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C as in a terminal: a shell has it ignored by what it starts in the background, as these tests may be."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def mirror() -> Path:
    """The folder of real data: KIT_DATA, else `shared/data` beside the repository."""
    folder = Path(os.environ.get("KIT_DATA") or ROOT.parent / "shared" / "data").resolve()
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is not there; set KIT_DATA to a mirror folder")
    return folder


@pytest.fixture(scope="session")
def network_denied() -> dict[str, str]:
    """The environment in which a Python process reaches this machine and nothing else."""
    places = [str(ROOT / "tests" / "no_network"), os.environ.get("PYTHONPATH")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, places)), "KIT_DENY_NETWORK": "1"}


@pytest.fixture
def no_network(network_denied: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python process started from here on reaches this machine and nothing else."""
    for name, value in network_denied.items():
        monkeypatch.setenv(name, value)
    # With a mirror of real data, what a notebook shows would depend on the machine.
    monkeypatch.delenv("KIT_DATA", raising=False)
