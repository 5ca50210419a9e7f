"""What stands beside the core: every slot is filled, by a function that imports when it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kit import extensions
from kit.errors import KitError

ROOT = Path(__file__).resolve().parents[2]
SLOTS = {name: slot for name, slot in vars(extensions).items() if isinstance(slot, extensions.Slot)}


def test_every_slot_is_filled_with_a_module_beside_the_core() -> None:
    assert {"made_up_data", "comparators"} <= SLOTS.keys()
    for name, slot in SLOTS.items():
        assert isinstance(slot(), ModuleType) and slot().__name__.startswith("kit."), name


def test_an_empty_slot_is_one_sentence() -> None:
    with pytest.raises(KitError, match=r"expected a package for juggling, got none: fill its slot"):
        extensions.Slot("juggling")()


def test_a_slot_can_be_filled_again() -> None:
    slot = extensions.Slot("juggling")
    assert slot.fill(lambda: "three") is slot.load and slot() == "three"
    slot.fill(lambda: "five")
    assert slot() == "five"


@pytest.mark.slow
def test_filling_the_slots_imports_nothing() -> None:
    code = "import sys, kit; print(*sorted(name for name in sys.modules if name.startswith('kit')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=True)
    assert done.stdout.split() == ["kit", "kit.errors", "kit.extensions", "kit.fast"]
