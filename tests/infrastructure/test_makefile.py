"""The Makefile names scripts that exist, and every documented target is one that always runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_every_script_exists() -> None:
    named = set(re.findall(r"\bscripts/\w+\.py", MAKEFILE))
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_every_target_is_phony_and_the_help_lists_what_has_a_description() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    [phony] = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert targets == set(phony.split())
    described = re.findall(r"^([a-z-]+):[^#\n]*## ", MAKEFILE, re.MULTILINE)
    assert {"setup", "tour", "check", "test", "site", "bench"} <= set(described)
