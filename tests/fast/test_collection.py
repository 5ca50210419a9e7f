"""Putting the collector off: off inside, afterwards as it was, whatever happened."""

from __future__ import annotations

import gc

import pytest

from kit.fast import without_collection


def test_it_is_off_inside_and_afterwards_as_it_was() -> None:
    assert gc.isenabled()

    @without_collection()
    def inside(deeper: bool) -> bool:
        if deeper:
            inside(False)
        return gc.isenabled()

    assert not inside(True) and gc.isenabled(), "the inner end leaves it off"
    with pytest.raises(ValueError, match="broken"), without_collection():
        raise ValueError("broken")
    assert gc.isenabled()
    gc.disable()
    try:
        assert not inside(False) and not gc.isenabled(), "off before, off after"
    finally:
        gc.enable()
