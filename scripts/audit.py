"""Known vulnerabilities of the tested versions: pip-audit over constraints/newest.lock.

    .venv/bin/python scripts/audit.py [--service osv]

pip-audit is run by uv in an environment of its own. Where it, or the advisory database, cannot be reached,
this says so and exits with 2: nothing was checked then. 1: something was found. 0: nothing is known.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "constraints" / "newest.lock"
TOOL = "pip-audit==2.10.1"


def command(service: str, lock: Path = LOCK) -> list[str]:
    """What is run: nothing is installed or resolved, the lock says it all."""
    uv = str(Path(sys.executable).with_name("uv"))
    run = [uv, "tool", "run", "--from", TOOL, "pip-audit"]
    return [
        *run,
        "--requirement",
        str(lock),
        "--disable-pip",
        "--no-deps",
        "--vulnerability-service",
        service,
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]


def verdict(output: str, said: str, locked: int) -> tuple[int, str]:
    """(exit code, sentence or lines) from what pip-audit printed; locked: how many packages it was given."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = [line for line in said.splitlines() if line.strip()] or ["it said nothing"]
        return 2, f"The audit cannot be made here, nothing was checked: {lines[-1].strip()[:300]}"
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [
        (p["name"], p["version"], v["id"], v.get("fix_versions", [])) for p in packages for v in p.get("vulns", [])
    ]
    if not packages or len(skipped) == len(packages):
        return (
            2,
            "The audit cannot be made here, nothing was checked: the advisory database knows none of the packages.",
        )
    left = f"; not in the database: {', '.join(skipped)}" if skipped else ""
    if not found:
        return 0, f"No known vulnerability in {len(packages) - len(skipped)} of {locked} locked packages{left}."
    lines = [
        f"{name} {version}: {key}, fixed in {', '.join(fixed) or 'no version yet'}"
        for name, version, key, fixed in found
    ]
    return 1, "\n".join([*lines, f"{len(found)} known vulnerabilities in {len(packages)} packages{left}."])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--service", default="pypi", choices=["pypi", "osv"], help="which advisory database")
    service = options.parse_args().service
    locked = len(re.findall(r"^[a-z0-9]", LOCK.read_text("utf-8"), re.MULTILINE))
    try:
        done = subprocess.run(command(service), text=True, capture_output=True, check=False, timeout=600)
        code, lines = verdict(done.stdout, done.stderr, locked)
    except (OSError, subprocess.TimeoutExpired) as error:
        code, lines = 2, f"The audit cannot be made here, nothing was checked: {error}"
    print(lines, file=sys.stderr if code else sys.stdout)
    sys.exit(code)


if __name__ == "__main__":
    main()
