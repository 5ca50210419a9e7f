"""Write docs/which_recipe.md from the table of `kit.owndata.which_recipe`."""

from __future__ import annotations

import argparse
from pathlib import Path

from kit.owndata.which_recipe_page import which_recipe_page

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    (ROOT / "docs" / "which_recipe.md").write_text(which_recipe_page(), "utf-8")
