"""Words of the glossary are linked where a lesson uses them first, and every link has a row."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import notebook_glossary
from notebook_glossary import ADDRESS, GLOSSARY, LINK, ROW, linked, main, pattern, terms

from kit.retrieval.retrieval_evaluation import MEASURES

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {"anchor": "anchor", "hard negative": "hard-negative", "negative": "positive", "SCL": "scl", "τ": "temperature"}

# Words that a lesson uses in a wider sense than that of the losses, and what their rows say of it.
WIDER = {
    ("01_vectors", "candidate"): "or a query",
    ("01_vectors", "denominator"): "a fraction",
    ("06_lambda", "logits"): "in a classifier",
    ("07_spans", "positive"): "stands near it in a text",
    ("08_few_labels", "logits"): "a sigmoid",
    ("08_few_labels", "positive"): "Of a classifier (lesson 08)",
    ("05_relations", "margin"): "In lesson 11",
    ("11_published_and_measured", "margin"): "In lesson 11",
}


def lesson(*texts: str, identity: str = "text") -> dict:
    cells = [
        {"cell_type": "markdown", "id": f"{identity}-{i}", "metadata": {}, "source": text.splitlines(keepends=True)}
        for i, text in enumerate(texts)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def text(notebook: dict) -> list[str]:
    return ["".join(cell["source"]) for cell in notebook["cells"]]


def test_every_lesson_links_a_word_at_its_first_use() -> None:
    assert main(["--check"]) == 0, "run `make exercises`"


def test_every_row_has_a_place_of_its_own_and_lessons_link_to_rows_only() -> None:
    glossary = GLOSSARY.read_text("utf-8")
    places = [row["place"] for row in ROW.finditer(glossary)]
    words, _, _ = glossary.partition("\n## Symbols")
    rows = [line for line in words.splitlines() if line.startswith("| ") and not line.startswith("| word")]
    assert len(places) == len(set(places)) == len(rows)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        prose = "\n".join(text(json.loads(path.read_text("utf-8"))))
        used = Counter(link[0].rpartition("#")[2].rstrip(")") for link in LINK.finditer(prose))
        assert set(used) <= set(places) and set(used.values()) == {1} and len(used) >= 5, path.name


def test_a_link_leads_to_the_sense_that_its_lesson_has() -> None:
    """A row says all senses in which its word is linked; of the label *contradiction* lesson 11 does not speak."""
    rows = {
        row["place"]: row.string[row.end() :].partition("\n")[0] for row in ROW.finditer(GLOSSARY.read_text("utf-8"))
    }
    assert [(name, place) for (name, place), sense in WIDER.items() if sense not in rows[place]] == []
    prose = "\n".join(text(json.loads((ROOT / "notebooks" / "11_published_and_measured.ipynb").read_text("utf-8"))))
    assert f"{ADDRESS}#contradiction" not in prose


def test_a_word_stands_once_and_names_a_lesson_that_there_is() -> None:
    words, _, _ = GLOSSARY.read_text("utf-8").partition("\n## Symbols")
    names = Counter(name.casefold() for row in ROW.finditer(words) for name in row["names"].split(", "))
    assert [name for name, count in names.items() if count > 1] == []
    lessons = {path.name[:2] for path in (ROOT / "notebooks").glob("*.ipynb")}
    rows = [line.strip("| ").split("|") for line in words.splitlines() if line.startswith("| ")][1:]
    assert [row for row in rows if not set(re.findall(r"\b\d\d\b", row[-1])) <= lessons or not row[-1].strip()] == []


def test_every_measure_of_a_search_has_a_row_in_glossary_and_formulas() -> None:
    """`kit compare` and an exported card print them all."""
    names = {measure.partition("@")[0] for measure in MEASURES}
    assert names <= {name.removesuffix("@k").lower() for name in terms(GLOSSARY.read_text("utf-8"))}
    formulas = (ROOT / "docs" / "formulas.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]*@k \|", formulas, re.MULTILINE)
    assert names <= {name.lower() for row in rows for name in re.findall(r"(\w+)@k", row)}


def test_the_first_use_in_running_text_is_linked() -> None:
    made = linked(
        lesson(
            "# An anchor\n\n| anchor |\n|---|\n\n`anchor` $anchor$ [anchor](a.md) <!-- anchor -->",
            "```\nanchor\n```\nscl and SCL; preanchored, anchor-like. A hard negative, two *anchors*, τ.",
            "Anchor and negatives.",
        ),
        KNOWN,
    )
    first, second, third = text(made)
    assert ADDRESS not in first
    assert second == (
        f"```\nanchor\n```\nscl and [SCL]({ADDRESS}#scl); preanchored, anchor-like. A [hard negative]({ADDRESS}"
        f"#hard-negative), two *[anchors]({ADDRESS}#anchor)*, [τ]({ADDRESS}#temperature)."
    )
    assert third == f"Anchor and [negatives]({ADDRESS}#positive)."
    assert linked(made, KNOWN) == made, "a second time changes nothing"


def test_a_link_that_stands_too_late_or_has_no_row_goes() -> None:
    old = f"An anchor. An [anchor]({ADDRESS}#anchor), and [gone]({ADDRESS}#gone)."
    assert text(linked(lesson(old), KNOWN)) == [f"An [anchor]({ADDRESS}#anchor). An anchor, and gone."]


def test_exercises_stay_as_they_are() -> None:
    assert text(linked(lesson("An anchor.", identity="exercise"), KNOWN)) == ["An anchor."]


def test_everyday_words_are_left_alone() -> None:
    known = terms('| <a id="wmean"></a>all, mean, wmean | x | 10 |\n| <a id="e-h"></a>e^H | x | 04 |\n')
    assert known == {"wmean": "wmean", "e^H": "e-h"}
    assert pattern(list(known)).findall("all mean wmean wmeans e^H") == ["wmean", "wmeans", "e^H"]


def test_check_changes_nothing(tmp_path: Path, capsys) -> None:
    path = tmp_path / "00.ipynb"
    path.write_text(json.dumps(notebook_glossary.stripped(lesson("An anchor."))))
    before = path.read_text()
    assert main(["--check", str(path)]) == 1 and path.read_text() == before
    assert "make exercises" in capsys.readouterr().out
    assert main([str(path)]) == 0 and main(["--check", str(path)]) == 0
