"""`make audit` says what it found, or that it could not look; the lock names every tested version with its hashes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import audit
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOUND = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "said", "code", "words"),
    [
        ([SOUND, UNKNOWN], "", 0, "No known vulnerability in 1 of 2 locked packages; not in the database: c."),
        ([SOUND, BAD], "", 1, "b 2: CVE-1, fixed in 3\n1 known vulnerabilities in 2 packages."),
        ([UNKNOWN], "", 2, "cannot be made here, nothing was checked"),
        ([], "", 2, "cannot be made here, nothing was checked"),
        (None, "INFO: x\nERROR: connection refused\n", 2, "nothing was checked: ERROR: connection refused"),
    ],
)
def test_the_verdict_says_what_was_found_or_that_nothing_was_checked(
    packages, said: str, code: int, words: str
) -> None:
    output = "" if packages is None else json.dumps({"dependencies": packages})
    assert audit.verdict(output, said, 2)[0] == code
    assert words in audit.verdict(output, said, 2)[1]


def test_the_audit_reads_the_lock_and_installs_nothing() -> None:
    told = audit.command("pypi")
    assert {"--disable-pip", "--no-deps", str(audit.LOCK)} <= set(told)


def test_the_lock_holds_the_tested_versions_with_their_hashes() -> None:
    pins = [line for line in (ROOT / "constraints" / "newest.txt").read_text().splitlines() if "==" in line]
    locked = re.findall(r"^(\S+==\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})*)", audit.LOCK.read_text(), re.MULTILINE)
    assert [name for name, _ in locked] == pins
    assert [name for name, hashes in locked if not hashes] == []
