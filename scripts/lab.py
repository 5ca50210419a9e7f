"""JupyterLab on the tour: on this machine only, behind a token, with nothing that phones home.

A notebook from somebody else is opened without its saved boards, as they could run scripts.

    .venv/bin/python scripts/lab.py [options of jupyter lab]

The token is drawn anew each time and printed with the address, unless JUPYTER_TOKEN or the file that
JUPYTER_TOKEN_FILE names gives one.
No configuration of Jupyter is read, neither yours nor the machine's: what counts stands in this file, and of
the options of jupyter lab only those in `OPTIONS` are taken. The page's settings live in .kit/lab.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOUR = "notebooks/00_tour.ipynb"
OPTIONS = r"--(no-browser|debug|(ServerApp\.)?port(=\d+)?|ServerApp\.port_retries=\d+|ServerApp\.open_browser=\w+)|\d+"
# On the command line, where no file can change them.
SAFE = (
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.allow_remote_access=False",
    "--ServerApp.allow_origin=",
    "--ServerApp.allow_origin_pat=",
    "--ServerApp.allow_credentials=False",
    "--ServerApp.disable_check_xsrf=False",
    "--ServerApp.allow_unauthenticated_access=False",
    "--ServerApp.trust_xheaders=False",
    "--ServerApp.contents_manager_class=lab_server.WithoutForeignWidgets",
)


def check(environment: dict[str, str], arguments: list[str]) -> None:
    """Exits with a sentence when somebody tries to serve without a token, or to others."""
    if not environment.get("JUPYTER_TOKEN", "drawn by Jupyter").strip():
        sys.exit(
            "JUPYTER_TOKEN is empty, which would let anybody on this machine run code as you: "
            "unset it (Jupyter then draws a token) or give one."
        )
    file = environment.get("JUPYTER_TOKEN_FILE")
    if file and "JUPYTER_TOKEN" not in environment and not _text_of(file).strip():
        sys.exit(
            f"JUPYTER_TOKEN_FILE names {file!r}, which is empty or cannot be read: unset it (Jupyter then draws a "
            "token) or name a file with one, as an empty token would let anybody on this machine run code as you."
        )
    for argument in arguments:
        if not re.fullmatch(OPTIONS, argument):
            sys.exit(
                f"{argument.split('=')[0]} is not for this command, which serves this machine only "
                "and behind a token (JUPYTER_TOKEN chooses it); --no-browser, --debug and --port=8889 are."
            )


def _text_of(file: str) -> str:
    """What the file holds, "" where it cannot be read."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return ""


def main() -> None:
    arguments = sys.argv[1:]
    check(dict(os.environ), arguments)
    folder = ROOT / ".kit" / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    # No configuration is read from any path: one that switches the token or XSRF off must not reach this server.
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_CONFIG_PATH"):
        os.environ.pop(name, None)
    os.environ["JUPYTER_NO_CONFIG"] = "1"
    os.environ["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "user-settings")
    os.environ["JUPYTERLAB_WORKSPACES_DIR"] = str(folder / "workspaces")
    # In a container one is often root, which Jupyter refuses for servers that others can reach.
    as_root = ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    # An address rather than a file: so the printed line, too, leads to the tour.
    os.execv(
        sys.executable,
        [
            sys.executable,
            str(ROOT / "scripts" / "lab_server.py"),
            *SAFE,
            *as_root,
            f"--ServerApp.root_dir={ROOT}",
            f"--LabApp.default_url=/lab/tree/{TOUR}",
            f"--LabApp.app_settings_dir={ROOT / 'jupyter'}",
            *arguments,
        ],
    )


if __name__ == "__main__":
    main()
