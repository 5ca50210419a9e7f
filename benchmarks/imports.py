"""How long an import takes, each in a fresh interpreter, beside torch alone and sentence-transformers.

    python benchmarks/imports.py [--quick] [--out FILE]

Seconds of the import statement itself, without the interpreter's own start; a first round that is
not counted brings the files into memory. `import kit` must load neither torch nor transformers:
the program fails where it does.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from rows import BENCH, REPETITIONS, ROOT, Row, compared, interleaved, save

FRESH = """import sys, time
began = time.perf_counter()
import {module}
print(time.perf_counter() - began, *sorted({{"torch", "transformers"}} & sys.modules.keys()))"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="once each, without sentence-transformers")
    options.add_argument("--out", type=Path, default=BENCH / "imports.json")
    args = options.parse_args()
    modules = ["kit", "kit.losses", "torch"] + ([] if args.quick else ["kit.training", "sentence_transformers"])
    repetitions, warmup = (1, 0) if args.quick else (REPETITIONS, 1)
    seconds = interleaved({module: partial(import_seconds, module) for module in modules}, repetitions, warmup)
    save(args.out, rows_of(seconds))


def import_seconds(module: str) -> float:
    """Seconds of `import <module>` in an interpreter that has imported nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", FRESH.format(module=module)], cwd=ROOT, text=True, capture_output=True, check=True
    )
    seconds, *heavy = done.stdout.split()
    if module == "kit" and heavy:
        from kit.errors import KitError

        raise KitError(
            f"expected `import kit` to load neither torch nor transformers, but it loads "
            f"{' and '.join(heavy)}: import them inside the functions that use them."
        )
    return float(seconds)


def rows_of(seconds: dict[str, list[float]]) -> list[Row]:
    """The two targets, then what is compared: the losses with torch alone, training with its peer."""
    runs = len(seconds["kit"])
    rows = [
        Row(
            f"import {module}",
            f"fresh interpreter, {loads}",
            "s",
            statistics.median(seconds[module]),
            target=target,
            repetitions=runs,
        )
        for module, loads, target in (
            ("kit", "without torch and transformers", "≤ 0.3"),
            ("kit.losses", "torch included", "≤ 2.5"),
        )
    ]
    rows.append(
        compared(
            "import kit.losses", "fresh interpreter", seconds["kit.losses"], seconds["torch"], "import torch alone"
        )
    )
    if "sentence_transformers" in seconds:
        rows.append(
            compared(
                "import kit.training",
                "fresh interpreter: all that a training needs",
                seconds["kit.training"],
                seconds["sentence_transformers"],
                "import sentence_transformers",
                note="kit loads transformers with the first encoder, which takes its part of these seconds then.",
            )
        )
    return rows


if __name__ == "__main__":
    main()
