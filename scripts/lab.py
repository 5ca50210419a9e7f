"""JupyterLab on the tour: on this machine only, behind a token, with nothing that phones home.

    .venv/bin/python scripts/lab.py [options of jupyter lab]

The token is drawn anew each time and printed with the address, unless JUPYTER_TOKEN gives one.
Settings live in .kit/lab, not in your own Jupyter configuration.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOUR = "notebooks/00_tour.ipynb"


def check(environment: dict[str, str], arguments: list[str]) -> None:
    """Exits with a sentence when somebody tries to serve without a token, or to others."""
    if not environment.get("JUPYTER_TOKEN", "drawn by Jupyter").strip():
        sys.exit(
            "JUPYTER_TOKEN is empty, which would let anybody on this machine run code as you: "
            "unset it (Jupyter then draws a token) or give one."
        )
    for argument in arguments:
        if re.match(r"--(\w+\.)?(ip|token|password|hashed_password|allow_unauthenticated_access)\b", argument):
            sys.exit(
                f"{argument.split('=')[0]} is not for this command, which serves this machine only "
                "and behind a token (JUPYTER_TOKEN chooses it)."
            )


def main() -> None:
    arguments = sys.argv[1:]
    check(dict(os.environ), arguments)
    folder = ROOT / ".kit" / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    # A configuration folder of its own: one that switches the token off must not reach this server.
    os.environ["JUPYTER_CONFIG_DIR"] = str(folder)
    # Waiting torch threads sleep: a slider stays quick while a training cell runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # In a container one is often root, which Jupyter refuses for servers that others can reach.
    as_root = ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    # An address rather than a file: so the printed line, too, leads to the tour.
    os.execv(
        sys.executable,
        [
            sys.executable,
            "-m",
            "jupyterlab",
            "--ServerApp.ip=127.0.0.1",
            *as_root,
            f"--ServerApp.root_dir={ROOT}",
            f"--LabApp.default_url=/lab/tree/{TOUR}",
            f"--LabApp.app_settings_dir={ROOT / 'jupyter'}",
            *arguments,
        ],
    )


if __name__ == "__main__":
    main()
