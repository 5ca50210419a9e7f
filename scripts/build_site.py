"""Build the course as pages that need no server: run every notebook, write build/site/.

    python scripts/build_site.py [--preset smoke|laptop|gpu] [--workers 2] [--executed folder]

Each notebook runs in a kernel of its own, with KIT_DATA where it is set, two at a time, and only where something has
changed since the last build (run_notebooks.py). A notebook that stops
with an error gets no page; the others do, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import html
import posixpath
import re
import shutil
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urldefrag

ROOT = Path(__file__).resolve().parents[1]
SHARED = "assets/sphere.png"  # the picture of a shared link
DOCUMENTS = ("glossary", "formulas", "questions")  # of docs/: pages as well
OTHER_WORDS = ROOT / "scripts" / "search_words.txt"
MAX_MB = 3  # of a page, its scripts and style sheet not counted
sys.path.insert(0, str(ROOT / "scripts"))
from notebook_head import Address, address  # noqa: E402
from notebook_page import article, document, inline_assets, render  # noqa: E402
from run_notebooks import run_all  # noqa: E402
from site_parts import Article, Scripts, as_json, board_html  # noqa: E402

from kit.figures.page_policy import policy  # noqa: E402


@dataclass
class Lesson:
    """A notebook of the course, and its page (None where the notebook failed)."""

    stem: str  # 00_tour
    there: Address
    article: Article | None = None
    ran: str = ""  # " on 3 May 2026 in 31 s: …", for the end of a sentence

    @property
    def number(self) -> str:
        return self.stem[:2]

    @property
    def name(self) -> str:
        """The title without the number, which the list of lessons shows beside it."""
        return self.article.title.removeprefix(self.number).strip() if self.article else self.stem

    @property
    def page(self) -> str:
        return f"{self.stem}.html"

    @property
    def minutes(self) -> str:
        """How long it takes with its exercises, as README's list of lessons has it; "" where it has none."""
        row = rf"^\| \[[^\]]*\]\(notebooks/{self.stem}\.ipynb\).*\| *(\d+) *\|$"
        found = re.search(row, (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
        return found[1] if found else ""

    @property
    def source(self) -> str:
        return in_repository(self.there, f"notebooks/{self.stem}.ipynb")

    @property
    def colab(self) -> str:
        return self.there.colab(f"notebooks/{self.stem}.ipynb")

    @property
    def binder(self) -> str:
        return self.there.binder(f"notebooks/{self.stem}.ipynb")


def in_repository(there: Address, path: str) -> str:
    return f"{there.url}/blob/{there.ref}/{path}"


def error_in(executed: Path) -> str | None:
    """The error that stopped an executed notebook, in one line; None where there is none."""
    import nbformat

    if not executed.is_file():
        return f"expected the executed notebook {executed}, found none; run without --executed to make it"
    for cell in nbformat.read(executed, as_version=4).cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"{output.ename}: {output.evalue}".splitlines()[0]
    return None


def when_and_where(executed: Path, started: str) -> str:
    """The day, the seconds, and the notebook's own line on preset, seed and hardware."""
    import nbformat

    record = nbformat.read(executed, as_version=4).metadata.get("papermill", {})
    said = ""
    if record.get("start_time"):
        day = datetime.fromisoformat(record["start_time"])
        said += f" on {day.day} {day:%B %Y}"
    if record.get("duration"):
        said += f" in {record['duration']:.0f} s"
    return said + (f": {started.rstrip('.')}" if started else "")


def build(executed: dict[str, Path | None], out: Path) -> list[Lesson]:
    """Write the pages of the executed notebooks (by stem, in order; None for a failed one) into `out`."""
    there, assets = address(), out / "assets"
    shutil.rmtree(out, ignore_errors=True)
    assets.mkdir(parents=True)
    for name, text in zip(("site.css", "page.js"), inline_assets().values()):
        (assets / name).write_text(text, encoding="utf-8")
    lessons = [Lesson(stem, there) for stem in executed]
    pages = {f"{lesson.stem}.ipynb": lesson.page for lesson in lessons if executed[lesson.stem]}
    link = links_to(pages | {f"../docs/{name}.md": f"{name}.html" for name in DOCUMENTS}, there)
    for lesson, path in zip(lessons, executed.values()):
        if path:
            lesson.article = article(path, Scripts(assets), link)
            lesson.ran = when_and_where(path, lesson.article.started)
    written = [lesson for lesson in lessons if lesson.article]
    for before, lesson, after in zip([None, *written], written, [*written[1:], None]):
        page = render(
            "page.html.j2",
            lesson=lesson,
            lessons=lessons,
            article=lesson.article,
            previous=before,
            next=after,
            picture=there.pages + SHARED,
            policy=policy(boards=True, files=True),
        )
        (out / lesson.page).write_text(page, encoding="utf-8")
    documents = {name: document_article(name, lessons, there, Scripts(assets)) for name in DOCUMENTS}
    for name, text in documents.items():
        (out / f"{name}.html").write_text(document_page(name, text, lessons, there), encoding="utf-8")
    (assets / "search.js").write_text(search_index(written, documents["questions"]), encoding="utf-8")
    boards = of_the_front(assets)
    front = render(
        "index.html.j2",
        lessons=lessons,
        repository=there.url,
        picture=there.pages + SHARED,
        sphere=boards["sphere"],
        own_sentences=boards["own_sentences"],
        policy=policy(boards=True, files=True),
    )
    (out / "index.html").write_text(front, encoding="utf-8")
    return lessons


def document_article(name: str, lessons: list[Lesson], there: Address, scripts: Scripts) -> Article:
    """docs/<name>.md, with its links as they lead on the site."""
    pages = {f"../notebooks/{lesson.stem}.ipynb": lesson.page for lesson in lessons if lesson.article}
    link = links_to(pages | {f"{one}.md": f"{one}.html" for one in DOCUMENTS}, there, "docs")
    return document(ROOT / "docs" / f"{name}.md", scripts, link)


def document_page(name: str, text: Article, lessons: list[Lesson], there: Address) -> str:
    """The page of docs/<name>.md."""
    return render(
        "page.html.j2",
        lessons=lessons,
        article=text,
        kind=name,
        picture=there.pages + SHARED,
        policy=policy(files=True),
    )


def search_index(lessons: list[Lesson], questions: Article) -> str:
    """A script with [page, place, lesson, heading, text] of every section, and other words for what is written there.

    page_tools.js loads it to search.
    """
    rows = [
        [lesson.page, place, f"{lesson.number} {lesson.name}", heading, text]
        for lesson in lessons
        for place, heading, text in lesson.article.sections
    ]
    rows += [["questions.html", place, questions.title, heading, text] for place, heading, text in questions.sections]
    return f"window.kitSearch = {as_json(rows)};\nwindow.kitWords = {as_json(other_words())};\n"


def other_words() -> list[tuple[str, list[str]]]:
    """[what is typed, [what the course says]], from scripts/search_words.txt."""
    lines = [line for line in OTHER_WORDS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    rows = [[side.split(sign) for side, sign in zip(line.split(" = "), ",|", strict=True)] for line in lines]
    return [(one.strip(), [said.strip() for said in ours]) for typed, ours in rows for one in typed]


def of_the_front(assets: Path) -> dict[str, str]:
    """The front page's boards: the healing sphere, whose still picture shared links show, and one's own sentences."""
    from kit.boards import own_sentences_board, sphere_board

    scripts = Scripts(assets)
    return {
        board.module: board_html(board.standalone(), f"<p>{html.escape(board.summary)}</p>", scripts)
        for board in (sphere_board(), own_sentences_board())
    }


def links_to(pages: dict[str, str], there: Address, folder: str = "notebooks"):
    """A function from the address of a link in a file of `folder` to the one on its page."""

    def link(url: str) -> str:
        file, fragment = urldefrag(url)
        if not file or ":" in file:
            return url  # within the page, or out into the world
        place = pages.get(file) or in_repository(there, posixpath.normpath(f"{folder}/{file}"))
        return f"{place}#{fragment}" if fragment else place

    return link


def main(arguments: list[str] | None = None, root: Path = ROOT) -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--preset", default="smoke", choices=["smoke", "laptop", "gpu"])
    options.add_argument("--workers", type=int, default=2, metavar="N", help="notebooks that run at a time")
    options.add_argument("--executed", type=Path, metavar="FOLDER", help="use the executed notebooks in this folder")
    args = options.parse_args(arguments)
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    folder = args.executed or root / "build" / "executed"
    kept = {} if args.executed else run_all(notebooks, folder, args.preset, args.workers, root)
    problems = {path.stem: kept.get(path.stem) or error_in(folder / path.name) for path in notebooks}
    out = root / "build" / "site"
    build({path.stem: None if problems[path.stem] else folder / path.name for path in notebooks}, out)
    told = [f"{stem}.ipynb has no page, it stopped with {problem}" for stem, problem in problems.items() if problem]
    told += [
        f"{page.name} has {page.stat().st_size / 1e6:.1f} MB, more than the {MAX_MB} that a page may have"
        for page in sorted(out.glob("*.html"))
        if page.stat().st_size > MAX_MB * 1e6
    ]
    for line in told:
        print(f"site: {line}", file=sys.stderr)
    made = sum(problem is None for problem in problems.values())
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    print(f"{made} of {len(notebooks)} lessons, {size:.1f} MB: open {out / 'index.html'}")
    sys.exit(bool(told))


if __name__ == "__main__":
    main()
