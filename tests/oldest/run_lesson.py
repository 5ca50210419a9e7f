"""Run every code cell of a lesson in this process, in the preset "smoke", and stop at the first error.

    python tests/oldest/run_lesson.py notebooks/04_temperature.ipynb

No kernel and no papermill: the older world has IPython, and that is what runs a cell there as here.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(path: Path) -> int:
    """0 if every cell ran; else 1, with the cell's id on stderr after the traceback that IPython printed."""
    from IPython.core.interactiveshell import InteractiveShell

    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    os.chdir(path.parent)
    shell = InteractiveShell.instance()
    for cell in cells:
        source = "".join(cell["source"])
        if "parameters" in cell["metadata"].get("tags", []):
            source += '\npreset = "smoke"'
        if not shell.run_cell(source).success:
            print(f"{path.name} stopped in the cell {cell['id']}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
