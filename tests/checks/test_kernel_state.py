"""What a kernel lacks is said below the error, and the one slow import of the set-up cell is whole or not begun."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kit.checks.kernel_state import advice, import_whole
from tests.forks import end_of

FIRST = "No cell that has run in this kernel defines 'twelve'. Where a cell above does, run those above first: "
HALF = "This broke off an import half-way."
CELLS = {
    "twelve": FIRST,
    "def f():\n    return [twelve for _ in range(2)]\nf()": FIRST,
    "def f():\n    print(x)\n    x = 1\nf()": None,  # a mistake within the cell
    "exec('twelve', {})": None,  # and one within other code
    "1 / 0": None,
    "import stopped_half_way": HALF,
    "raise KeyboardInterrupt": None,
    "1": None,
}


def run_cells(folder: Path) -> None:
    """What a process of its own does: begin a lesson twice, as in a notebook, and keep what is said of each cell."""
    from IPython.core.interactiveshell import InteractiveShell

    import kit.lesson

    said: list[tuple] = []
    kit.lesson.say = lambda line, warn=False: said.append((line, warn))
    (folder / "stopped_half_way.py").write_text("raise KeyboardInterrupt")
    sys.path.insert(0, str(folder))
    shell, found = InteractiveShell.instance(), {}
    shell.run_cell("import kit.lesson\nfor _ in range(2):\n    kit.lesson.start('smoke')")
    assert "scipy.stats" in sys.modules
    for cell in CELLS:
        said.clear()
        shell.run_cell(cell)
        found[cell] = list(said)
    (folder / "found.json").write_text(json.dumps(found))


def test_a_cell_that_lacks_another_says_what_to_run(tmp_path: Path) -> None:
    assert end_of(run_cells, tmp_path) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    for cell, expected in CELLS.items():
        assert len(found[cell]) == (expected is not None), (cell, "said once, and only where it helps")
        assert all(line.startswith(expected) and warn for line, warn in found[cell])
    assert advice(None, {}) is None


def test_who_presses_stop_during_an_import_gets_it_whole(
    tmp_path: Path, heard: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_one.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        import_whole("slow_one")
    assert sys.modules.pop("slow_one").whole
    with pytest.raises(KeyboardInterrupt):
        import slow_one  # noqa: F401  (as it goes without)
    assert "slow_one" not in sys.modules
