"""A kernel that can write nowhere; and what the executed notebooks cost, gathered into build/notebooks/costs.json."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebooks.execute import read_only_kernel, save_costs

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "notebooks"


@pytest.fixture(scope="session")
def read_only(tmp_path_factory: pytest.TempPathFactory, network_denied: dict) -> Iterator[tuple[Path, str | None]]:
    """(a folder for JUPYTER_PATH, the kernel in it): all kernels of a worker are forks of one process."""
    folder = tmp_path_factory.mktemp("kernel")
    with read_only_kernel(folder, ROOT, {**os.environ, **network_denied}) as name:
        yield folder, name


@pytest.fixture
def kernel(read_only: tuple[Path, str | None], no_network: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel without a network that can write nowhere but to TMPDIR."""
    folder, name = read_only
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    monkeypatch.delenv("KIT_OUT", raising=False)
    if name is None:
        warnings.warn("NO READ-ONLY PLACE: this machine lets no process mount (unshare -rm)", stacklevel=1)
    return name or "python3"


def pytest_sessionfinish(session) -> None:
    if not hasattr(session.config, "workerinput"):  # once, not in every parallel worker
        save_costs(BUILT)
