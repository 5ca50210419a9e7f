"""The parts of a page: figures and boards that move without a kernel, formulas, headings, links."""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.util
import json
import mimetypes
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]


class Scripts:
    """The scripts that the figures of a page need, each once.

    folder: where pages share them as files, named in the page as `assets/<name>`. Without a
    folder they stand in the page itself. Make one per page.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._given: set[str] = set()
        self.inline: list[str] = []  # the scripts that stand in the page itself

    def need(self, name: str, text: Callable[[], str], load: str = "defer") -> str:
        """The HTML that brings the script `name` into the page; "" where it is there already.

        load: "defer" (page.js runs after it) or "async" (page.js waits for it where it must).
        """
        if name in self._given:
            return ""
        self._given.add(name)
        if self.folder is None:
            self.inline.append(unclosable(text()))
            return f"<script>{self.inline[-1]}</script>"
        path = self.folder / name
        if not path.exists():
            path.write_text(text(), encoding="utf-8")
        return f'<script {load} src="assets/{name}"></script>'

    def buffers(self, board: dict) -> str:
        """The name of the script that brings the bytes a board asks for; "" where it asks for none.

        Pages load it when they want it. A single page goes without: they are larger than all the rest.
        """
        widget = importlib.util.find_spec(f"kit.boards.{board.get('id')}_widget")
        made = widget and getattr(importlib.import_module(widget.name), f"{board['id']}_buffers", None)
        if not made or self.folder is None:
            return ""
        texts = [base64.b64encode(one).decode() for one in made(board["state"])]
        name = f"buffers-{hashlib.sha256(''.join(texts).encode()).hexdigest()[:10]}.js"
        (self.folder / name).write_text(f"(window.kitBuffers ??= {{}})[{as_json(name)}] = {as_json(texts)};\n", "utf-8")
        return name

    def still(self, board: dict) -> str:
        """The picture that stands for a board where no script runs; "" where there is none, as in a single page."""
        if self.folder is None or board.get("id") != "sphere":
            return ""
        shutil.copy(ROOT / "docs" / "sphere.png", self.folder / "sphere.png")
        return '<img src="assets/sphere.png" width="1200" height="630" alt="Sentences on a sphere, half way healed.">'


def unclosable(script: str) -> str:
    """JavaScript as it may stand inside <script>: no string in it can end or reopen the element."""
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def as_json(value: object) -> str:
    """JSON as it may stand inside <script>, and be read by a JavaScript of any age."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def figure_html(figure: dict, scripts: Scripts) -> str:
    """A plotly figure, given as JSON; page.js draws it when it comes near the window."""
    from plotly.offline import get_plotlyjs

    layout = figure.get("layout", {})
    size = f"min-height:{layout.get('height') or 450}px"
    kept = {key: figure[key] for key in ("data", "layout", "frames") if key in figure}
    return (
        scripts.need("plotly.min.js", get_plotlyjs, load="async")
        + f'<div class="figure" style="{size}">'
        + f'<script type="application/json">{as_json(kept)}</script></div>'
    )


def board_html(board: dict, sentence: str, scripts: Scripts) -> str:
    """One of the kit's boards, given as in kit/boards/board.py; page.js shows it with a model of its own.

    The sentence stays where there is no script, or where it fails.
    """
    module = {"esm": board["esm"], "css": board.get("css", "")}
    key = f"{board.get('id', 'board')}-{hashlib.sha256(as_json(module).encode()).hexdigest()[:10]}"
    name = html.escape(key)
    values = {name: value for name, value in board.items() if name not in module} | {"kernel": False, "error": ""}
    if bytes_ := scripts.buffers(board):
        values["buffers"] = bytes_

    def registered() -> str:
        return f"(window.kitModules ??= {{}})[{as_json(key)}] = {as_json(module)};\n"

    return (
        scripts.need(f"board-{name}.js", registered)
        + f'<div class="board" data-module="{name}"><script type="application/json">{as_json(values)}</script>'
        + f'<div class="stand-in">{scripts.still(board)}{sentence}</div></div>'
    )


# Code first, so that a dollar in it is never taken for a formula. A formula in a line begins and
# ends with something else than a space and is not followed by a digit: "$5 or $6" is money.
CODE_OR_FORMULA = re.compile(
    r"^[ >]*(?P<fence>```+|~~~+).*?^[ >]*(?P=fence)[`~]*[ ]*$"
    r"|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|(?<!\\)\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\$])\$(?![\s$])(?P<inline>[^$\n]*[^$\s\\])\$(?!\d)(?P<after>[.,;:?)]*)",
    re.DOTALL | re.MULTILINE,
)
WIDE = 110  # signs of a printed line that fit on a page
LONG = 45  # signs of TeX in a line, from which a formula may be wider than a phone's page

# Signs that Markdown would read in its own way inside a formula.
MARKDOWN_SIGNS = {ord(sign): f"&#{ord(sign)};" for sign in "*_|`~[]\\"}

# As in TeX: a thin space after a function's name unless a bracket follows; none around / | ‖.
BARE_FUNCTION = re.compile(r"(<mi>(?:log|ln|exp|cos|sin|max|min)</mi>)(?!<mo|</m)")
DOUBLE_BAR = re.compile(r"(?:\\[bB]igg?[lrm]?\s*)?\\(?:[lr]?Vert(?![a-zA-Z])|\|)")
TIGHT = re.compile(r'<mo(?: fence="false")?(?: stretchy="false")?>(&#x0(?:002F|007C|2016);)</mo>')


def with_mathml(text: str) -> str:
    """Markdown with $$…$$ and $…$ turned into MathML, which browsers draw by themselves."""
    return CODE_OR_FORMULA.sub(_formula, text)


def _formula(match: re.Match) -> str:
    from latex2mathml.converter import convert

    formula = match["block"] or match["inline"]
    if formula is None:
        return match[0]
    formula = DOUBLE_BAR.sub(r"\\|", formula)  # the only way to write it that the converter knows
    drawn = "".join(convert(part, display="block" if match["block"] else "inline") for part in _beside(formula))
    drawn = TIGHT.sub(r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', drawn).translate(MARKDOWN_SIGNS)
    drawn = BARE_FUNCTION.sub(r'\1<mspace width="0.167em"/>', drawn)
    if match["block"]:
        return f'<span class="formula">{drawn}</span>'
    if len(formula) > LONG:  # on a phone it scrolls by itself: browsers break no line in a formula
        return f'<span class="joined long">{drawn}{match["after"]}</span>'
    return f'<span class="joined">{drawn}{match["after"]}</span>' if match["after"] else drawn


def _beside(formula: str) -> list[str]:
    """The formulas that `\\qquad` sets apart on one line: on a narrow page they stand below one another."""
    parts = re.split(r"\\qquad(?![a-zA-Z])", formula)
    closed = all(part.count("{") == part.count("}") and r"\begin" not in part for part in parts)
    return parts if closed else [formula]


@dataclass
class Article:
    """The cells of a notebook as HTML, and what other pages say of it."""

    html: str
    title: str
    question: str  # the first sentences of the opening
    started: str  # the line in which the notebook says its preset, seed and machine; "" without
    headings: list[tuple[str, str]] = field(default_factory=list)  # (id, text) of each h2
    able: list[str] = field(default_factory=list)  # what its reader can do afterwards
    picture: str = ""  # its first drawing, an SVG without words, for the list of lessons
    sections: list[tuple[str, str, str]] = field(default_factory=list)  # (id, heading, text) for the search


def jupyter_place(heading: str) -> str:
    """The id that JupyterLab gives a heading: "What to remember" has "What-to-remember"."""
    return heading.replace(" ", "-")


def github_place(heading: str) -> str:
    """The id that GitHub gives a heading of a Markdown file: "Margins, by hand" has "margins-by-hand"."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def finished(
    body: str, pictures: Path, link: Callable[[str], str] | None = None, place: Callable[[str], str] = jupyter_place
) -> Article:
    """Give headings ids, lead links to where they lead on a page, put in pictures, let wide tables scroll.

    place: the id of a heading with this text, as whoever shows the source makes it: links in the text name that.
    """
    soup = BeautifulSoup(body, "html.parser")
    headings = _with_ids(soup, place)
    for anchor in soup.select(".text_cell a[href], .output_markdown a[href]"):
        if link:
            anchor["href"] = link(anchor["href"])
    for image in soup.select(".text_cell img[src]"):
        file = pictures / image["src"]
        if ":" not in image["src"] and file.is_file():
            kind = mimetypes.guess_type(file.name)[0]
            image["src"] = f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
    for printed in soup.select(".output_stream pre"):
        if not printed.find():  # plain text
            _let_sentences_wrap(printed, soup)
    _join_codes(soup)
    _fold_answers(soup)
    for table in soup.select("table"):
        table.wrap(soup.new_tag("div", attrs={"class": "table"}))
    title, opening = soup.find("h1"), soup.select_one(".text_cell blockquote") or soup.select_one(".text_cell p")
    said = [p.get_text() for p in soup.select(".kit-caption") if "preset" in p.get_text()]
    return Article(
        str(soup),
        title.get_text(strip=True) if title else "",
        first_sentences(opening.get_text()) if opening else "",
        said[0] if said else "",
        [(tag["id"], " ".join(tag.get_text().split())) for tag in headings],
        able=_able(soup),
        picture=_picture(soup),
        sections=_sections(soup),
    )


def _able(soup) -> list[str]:
    """What stands after "you can" in the opening: the items of its list, or the rest of that sentence."""
    for paragraph in soup.select(".text_cell p"):
        before, can, after = paragraph.get_text().partition("you can")
        following = paragraph.find_next_sibling()
        if can and not after.strip() and following is not None and following.name == "ol":
            return [" ".join(item.get_text().split()).rstrip(";.") for item in following.select("li")]
        if can and before.rstrip().endswith("Afterwards"):
            return [after.split(".")[0].strip()]
    return []


def _picture(soup) -> str:
    """The first drawing of the page without its words: they would be too small to read. Its parts are one picture."""
    found = soup.select(".output_html div[role=img]:has(> svg)")
    if not found:
        return ""
    parts = BeautifulSoup(str(found[0]), "html.parser").find_all("svg")
    boxes = [[float(number) for number in (one.get("viewBox") or one.get("viewbox")).split()] for one in parts]
    for words in (words for one in parts for words in one.select("text")):
        words.decompose()
    width, height = boxes[-1][0] + boxes[-1][2], boxes[0][3]
    inside = "".join(one.decode_contents() for one in parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">{inside}</svg>'


def _sections(soup) -> list[tuple[str, str, str]]:
    """What is written under each heading, up to the next one: text cells and captions, no code."""
    found: list[list] = []
    for part in soup.select(".text_cell_render > *, .kit-caption, .kit-prediction, .output_markdown > *"):
        text = " ".join(part.get_text().split())
        if part.name in ("h1", "h2", "h3") and part.get("id"):
            found.append([part["id"], text, []])
        elif found:
            found[-1][2].append(text)
    return [(name, heading, " ".join(texts)) for name, heading, texts in found]


def _join_codes(soup) -> None:
    """Put the code of cells that show nothing into the fold of the cell after them: one fold, not a stack of them."""
    for cell in reversed(soup.select(".code_cell:has(> details.source):not(:has(> .output_wrapper))")):
        after = cell.find_next_sibling()
        onto = after and after.select_one(":scope.code_cell > details.source")
        if onto:
            cell.details.summary.decompose()
            onto.summary.insert_after(*list(cell.details.contents))
            cell.decompose()


def _fold_answers(soup) -> None:
    """Fold away what the cell after a question came to: on a page it would stand under the question, unasked.

    Plots and boards stay: they are drawn, and photographed, where they are seen.
    """
    for question in soup.select('.code_cell:has(.board[data-module^="prediction-"])'):
        after = question.find_next_sibling()
        outputs = after and after.select_one(".code_cell > .output_wrapper")
        if not outputs or outputs.select_one(".board, .figure"):
            continue
        fold = outputs.wrap(soup.new_tag("details", attrs={"class": "answered"}))
        summary = soup.new_tag("summary")
        summary.string = "What came out, as a table" if outputs.find("table") else "What came out"
        fold.insert(0, summary)


def _let_sentences_wrap(printed, soup) -> None:
    """Mark the long lines of a printed text, of a table only the widest.

    Of a table are rows with runs of spaces, the lines beside one, and neighbours whose numbers stand below each other.
    """
    lines = printed.string.splitlines(keepends=True)
    row = [False, *("  " in line.strip() for line in lines), False]
    digits = [[], *([k for k, sign in enumerate(line) if sign.isdigit()] for line in lines), []]
    printed.clear()
    for i, line in enumerate(lines):
        tabled = any(row[i : i + 3]) or (digits[i + 1] and digits[i + 1] in (digits[i], digits[i + 2]))
        if len(line) > WIDE or (len(line) > 60 and not tabled):
            sentence = soup.new_tag("span", attrs={"class": "sentence"})
            sentence.string = line.rstrip("\n")
            printed.extend([sentence, "\n" * line.endswith("\n")])
        else:
            printed.append(line)


def _with_ids(soup, place: Callable[[str], str]) -> list:
    """Unique ids; the headings of second rank."""
    taken = {tag["id"] for tag in soup.select("[id]")}
    for tag in soup.select(":is(.text_cell, .output_markdown) :is(h1, h2, h3, h4)"):
        name = wanted = place(tag.get_text(strip=True))
        count = 1
        while name in taken:
            count += 1
            name = f"{wanted}-{count}"
        taken.add(name)
        tag["id"] = name
    return soup.select(".text_cell h2")


def first_sentences(text: str, limit: int = 220) -> str:
    """As many whole sentences as fit into `limit` characters, at least one."""
    chosen = ""
    for sentence in re.split(r"(?<=[.?!…])\s+", " ".join(text.split())):
        if chosen and len(chosen) + len(sentence) >= limit:
            break
        chosen = f"{chosen} {sentence}".strip()
    return chosen
