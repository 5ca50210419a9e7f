"""python -m kit.training.recipes [--preset laptop]: the recipes as text."""

from __future__ import annotations

import argparse
import sys

from kit.training.recipes import PRESETS, table


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m kit.training.recipes", description="The recipes as text.")
    options.add_argument("--preset", choices=PRESETS, help="its numbers instead of the paper's")
    sys.stdout.reconfigure(errors="backslashreplace")  # a pipe may know no λ
    print(table(options.parse_args().preset))


if __name__ == "__main__":
    main()
