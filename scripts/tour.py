"""Run the tour: execute notebooks/00_tour.ipynb and print what happened to the space.

python scripts/tour.py [--preset smoke|laptop|gpu] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from notebook_page import own_sockets, save_page  # noqa: E402

OUT = ROOT / "build" / "tour"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--preset", default="laptop", choices=["smoke", "laptop", "gpu"])
    options.add_argument("--seed", type=int, default=0)
    args = options.parse_args()
    import papermill

    OUT.mkdir(parents=True, exist_ok=True)
    executed = OUT / "00_tour.ipynb"
    os.environ["KIT_OUT"] = str(OUT)
    began = time.perf_counter()
    print(f"running notebooks/00_tour.ipynb, preset {args.preset}: text, loss, training, measuring")
    try:
        with tempfile.TemporaryDirectory() as sockets:
            papermill.execute_notebook(
                ROOT / "notebooks" / "00_tour.ipynb",
                executed,
                kernel_name="python3",
                parameters={"preset": args.preset, "seed": args.seed},
                cwd=str(ROOT / "notebooks"),
                progress_bar=True,
                request_save_on_cell_execute=False,  # at the end is enough: pictures make it large
                config=own_sockets(sockets),
            )
    except papermill.PapermillExecutionError as error:
        sys.exit(
            f"tour: the notebook stopped with {error.ename}: {error.evalue}\n"
            f"The executed part is in {shown(executed)}; the cell that failed is marked there."
        )
    page = save_page(executed)
    print(report(json.loads((OUT / "tour.json").read_text("utf-8")), time.perf_counter() - began))
    print(f"executed notebook: {shown(executed)}\nas a page:         {shown(page)}")


def report(tour: dict, seconds: float) -> str:
    """The table of the tour, what was used, and what it cost."""
    from kit.figures import before_after

    memory = tour["peak_memory_mb"]
    held = "" if memory is None else f", at most {memory:,} MiB of memory"
    lines = [
        "",
        str(before_after(tour["before"], tour["after"])),
        "",
        *tour["in_use"],
        tour["training"],
        f"{seconds:.0f} seconds in all{held}, preset {tour['preset']}, seed {tour['seed']}.",
    ]
    return "\n".join(lines)


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
