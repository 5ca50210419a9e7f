"""Write docs/which_recipe.md from the table of `kit.owndata.which_recipe`."""

from __future__ import annotations

from pathlib import Path

from kit.owndata.which_recipe import which_recipe_page

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    (ROOT / "docs" / "which_recipe.md").write_text(which_recipe_page(), "utf-8")
