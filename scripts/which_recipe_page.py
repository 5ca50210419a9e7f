"""Write docs/which_recipe.md: the table of `kit.owndata.which_recipe`, and how it was measured."""

from __future__ import annotations

import argparse
from pathlib import Path

from kit.owndata.which_recipe import ADVICE, FEW_LABELS, averages, reached, with_labels

ROOT = Path(__file__).resolve().parents[1]


def which_recipe_page() -> str:
    """docs/which_recipe.md: the whole table, and how it was measured."""
    rows = [("you have", "recipe", "why", "watch", "STS after NLI")]
    for a in ADVICE:
        rows.append((a.when, f"`{a.recipe}`", a.why, a.watch, reached(a) or "–"))
    alone = " and ".join(f"{with_labels('labelled_only', share):.1f}" for share in FEW_LABELS)
    body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(
        (
            "# Which recipe for my data",
            "",
            '`suggest(read("my.csv"))` of `kit.owndata` picks the rows of this table that fit a file, and '
            "`kit look my.csv` prints them. Both give the reasons and leave the choice to you.",
            "",
            *(body[0], "|---|---|---|---|---:|", *body[1:]),
            "",
            "The last column is the average that `kit-bert-tiny` reached here on the seven STS tasks, trained by the "
            "recipe with the preset `laptop`: about 15,000 pairs of NLI (800 long documents for `declutr`), batches "
            f"drawn at random, three seeds. As pretrained it has {averages()['']:.1f}. The figures are from "
            "[data/results/systems.json](../data/results/systems.json), those with few labels from "
            "[labels.json](../data/results/labels.json). They compare recipes on one kind of data that is not yours"
            f"{', and a dash means that nobody measured it' if any(row[-1] == '–' for row in rows) else ''}. "
            "On your own data only your own validation counts.",
            "",
            "With every label, `pause` is nothing but a classifier. With few labels, first try the same classifier on "
            "batches of the labelled pairs alone (`--set pu_weight=0 labelled_fraction=1`): with the same labels it "
            f"reached {alone} here ([lesson 08](../notebooks/08_few_labels.ipynb)).",
            "",
            "Below a thousand rows, start from an encoder that is trained already, and expect little. BM25 and the "
            "encoder as it is are the two to beat, and `kit train --validation dev.csv` shows both beside the result. "
            "It keeps the step that did best on `dev.csv` (`--keep last`: the last one), so a training that only harms "
            "ends with the encoder it began with.",
            "",
            "This page is written by `python scripts/which_recipe_page.py` from `kit/owndata/which_recipe.py`, and a "
            "test holds it to that.",
            "",
        )
    )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    (ROOT / "docs" / "which_recipe.md").write_text(which_recipe_page(), "utf-8")
