"""The server that `scripts/lab.py` starts: JupyterLab, which runs no script of a notebook from somebody else unasked.

JupyterLab draws the saved state of widgets as soon as a notebook is opened, trusted or not. That state may hold
JavaScript (`_esm` of anywidget), which has the rights of the page: it writes files and starts kernels.
"""

from __future__ import annotations

import sys
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager


class WithoutForeignWidgets(AsyncLargeFileManager):
    """Jupyter's own way to files, except that a notebook that is not signed is read without its widgets' state.

    Jupyter signs what was run and saved on this machine, and what `jupyter trust FILE` names. The file keeps the state
    until it is saved.
    """

    def mark_trusted_cells(self, nb: dict[str, Any], path: str = "") -> None:
        """Jupyter calls it with each notebook that it reads to show it."""
        if "widgets" in nb["metadata"] and not self.notary.check_signature(nb):
            del nb["metadata"]["widgets"]
            self.log.warning(
                "%s was saved elsewhere: its boards are left out, as they could run scripts. Run its cells to have "
                "them, or `jupyter trust` it before you open it.",
                path,
            )
        super().mark_trusted_cells(nb, path)


if __name__ == "__main__":
    from jupyterlab.labapp import main

    sys.exit(main())
