"""README and docs: short, and every link and path in them leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """What a link may name after #, as GitHub makes it of the headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        if re.match(r"[a-z]+:", target):
            continue
        if not there.exists() or (anchor and anchor not in anchors(there)):
            found.append(target)
    return found


def test_links_lead_somewhere() -> None:
    assert {page.name: broken for page in PAGES if (broken := broken_links(page))} == {}


def test_paths_in_code_marks_exist() -> None:
    """`kit/losses/softmax.py`, `scripts/claims.py`, `tests/tiny.py`: named, so there (NN and x stand for any)."""
    pattern = re.compile(r"`((?:kit|scripts|tests|benchmarks|data|docs|notebooks)/[\w./-]+)`")
    named = {(page.name, path) for page in PAGES for path in pattern.findall(page.read_text("utf-8"))}
    wanted = {(page, path) for page, path in named if not re.search(r"NN|/(test_)?x[._]", path)}
    assert sorted((page, path) for page, path in wanted if not (ROOT / path).exists()) == []


# GitHub reads a page as Markdown before it sets formulas: a backslash before punctuation is taken out, an underscore or
# a star that may open emphasis does so, and it refuses \operatorname.
UPSETS_GITHUB = re.compile(r"\\operatorname|\\[,;:!{}|]|(?<![\w\s])_|\*")
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$")


def test_formulas_are_drawn_on_github_too() -> None:
    pages = [*PAGES, *sorted((ROOT / "data").rglob("*.md"))]
    formulas = [(page.name, one) for page in pages for one in FORMULA.findall(page.read_text("utf-8"))]
    assert len(formulas) > 100
    assert [(name, one) for name, one in formulas if UPSETS_GITHUB.search(one)] == []
    for upset in (r"$\operatorname{mean} x$", r"$a\,b$", r"$\mathrm{mean}_i x_{j}$", r"$a * b$"):
        assert UPSETS_GITHUB.search(upset)


def test_the_readme_lists_every_lesson() -> None:
    listed = re.findall(r"^\| \[.*?\]\((notebooks/.*?)\)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert listed == [f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 160
