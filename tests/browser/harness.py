"""A real browser in front of a JupyterLab of our own, driven by keyboard.

`Lab` (jupyter.py) is the server, `Reader` is somebody who opens a notebook, runs it and presses keys. See
test_harness.py for a complete example.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.browser.jupyter import Lab

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "build" / "screenshots"
BEGINNING = "Before the first step"  # what a live board says until it trains
WAIT_MS = 300_000  # how long to wait for a page to change before giving up; it decides nothing else
LATENCIES = ROOT / "build" / "latency.json"  # what scripts/latency.py makes KEPT_LATENCIES of
KEPT_LATENCIES = ROOT / "data" / "results" / "latency.json"
# Set by scripts/latency.py: sixteen presses a slider and six seconds of live training, to measure how fast they are.
MEASURED = "KIT_MEASURE_LATENCY" in os.environ
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# JupyterLab asks every few seconds which kernels there are. The server answers with an error where one ends while it
# counts them, as the last test's kernel may; the next answer is right again.
POLL_OF_KERNELS = re.compile(r"status of 500 .*/api/kernels\?\d+\)$")
# What anywidget throws where the page needs more than two seconds for a widget's script, as on a busy machine. The
# widget then hears its kernel by other means (test_late_boards.py).
LATE = "Error: [anywidget] Failed to initialize model."
# The cells that a test of a lesson's boards runs, with those that they need; papermill runs the whole lesson.
BOARDS = r"\blesson\.start\(|_board\("
SLIDER = ".noUi-handle, input[type=range]"  # ipywidgets' own, and those of the kit's boards
CAPTION = ".kit-board .kit-caption"
# JupyterLab renders an error like any other line for stderr; only its text tells them apart.
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'


# Without a question whether to save: nothing on the page counts as changed. True when the page is empty soon after
# (what is closed leaves the document a moment later).
CLOSE_ALL = """async () => {
    const {shell, commands} = window.jupyterapp;
    for (const widget of shell.widgets("main")) if (widget.context) widget.context.model.dirty = false;
    await commands.execute("application:close-all");
    const empty = () => document.querySelector(".jp-NotebookPanel, .jp-MarkdownViewer, .jp-Dialog") === null;
    for (let turn = 0; !empty() && turn < 100; turn++) await new Promise((go) => setTimeout(go, 20));
    return empty();
}"""


class Desk:
    """A page with JupyterLab open in it: loading it takes seconds, so all tests of a worker share it."""

    def __init__(self, chromium, lab: Lab) -> None:
        self.chromium, self.lab = chromium, lab
        self.page, self.problems = None, []

    def sit_down(self) -> Reader:
        """A reader before an empty JupyterLab, who has seen nothing odd yet."""
        if self.page is None:
            context = self.chromium.new_context(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce")
            context.set_default_timeout(WAIT_MS)
            context.route("**/*", self._on_request)
            self.page = context.new_page()
            self.page.on("console", self._on_console)
            self.page.on("pageerror", self._on_error)
            # A workspace of its own: no tab of another page is restored into this one.
            room = f"auto-{secrets.token_hex(4)}"
            self.page.goto(f"{self.lab.url}/lab/workspaces/{room}?reset&token={self.lab.token}")
            self.page.wait_for_function("() => window.jupyterapp?.restored.then(() => true)")
        self.problems.clear()
        return Reader(self.page, self.lab, self.problems)

    def tidy(self, reader: Reader) -> None:
        """Close the reader's notebooks; after trouble leave the whole page, so that the next test gets a new one."""
        reader.problems = list(self.problems)
        empty = self.page.evaluate(CLOSE_ALL)
        self.lab.stop_kernels()
        if reader.problems or not empty:
            self.leave()

    def leave(self) -> None:
        if self.page is not None:
            self.page.context.close()
        self.page = None

    def _on_console(self, message) -> None:
        told = f"console: {message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not POLL_OF_KERNELS.search(told):
            self.problems.append(told)

    def _on_error(self, error) -> None:
        told = error.stack or str(error)
        if not told.startswith(LATE):
            self.problems.append(f"uncaught: {told}")

    def _on_request(self, route) -> None:
        url = route.request.url
        if urlsplit(url).hostname in ("127.0.0.1", "localhost"):
            route.continue_()
        else:
            self.problems.append(f"asked the outer world: {url}")
            route.abort()


class Reader:
    """Somebody in front of the browser; `problems` is whatever should not have happened."""

    def __init__(self, page, lab: Lab, problems: list[str]) -> None:
        self.page, self.lab, self.problems = page, lab, problems

    def open(self, path: str) -> None:
        """Open the notebook at `path` (in the work folder) as a document and wait for its kernel."""
        opened = "path => window.jupyterapp.commands.execute('docmanager:open', {path})"  # gives the whole widget,
        self.page.evaluate(f"async path => {{ await ({opened})(path); }}", path)  # too much to be sent here
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Wait until the kernel says it is idle (a key just pressed may not have reached it yet)."""
        self.page.wait_for_function(
            """() => {
                const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
                return kernel?.connectionStatus === "connected" && kernel.status === "idle";
            }"""
        )

    def run_all(self) -> None:
        """Run every cell, wait for the last one, and fail on an error in any output."""
        finished = self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_until_idle()
        assert finished, f"the run stopped: {self.errors_shown()}"
        assert self.errors_shown() == []

    def errors_shown(self) -> list[str]:
        """The texts of all errors on the page: of cells and of the kit's widgets."""
        raised = self.page.locator(STDERR).filter(has_text="Traceback (most recent call last)")
        return [*raised.all_inner_texts(), *self.page.locator(".kit-error").all_inner_texts()]

    def sliders(self):
        """All sliders of the page, in order (a Playwright locator)."""
        return self.page.locator(SLIDER)

    def slider(self, label: str):
        """The slider whose label (as ipywidgets shows it, or the aria-label) is `label`."""
        named = re.compile(rf"^\s*{re.escape(label)}\s*$")
        row = self.page.locator(".widget-slider", has=self.page.locator("label", has_text=named))
        ours = self.page.locator(f'input[type=range][data-label="{label}"]')
        return row.locator(SLIDER).or_(ours)

    def press(self, slider, key: str, times: int = 1) -> None:
        """Focus the slider and press a key, as somebody without a mouse would."""
        slider.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def number(self, place) -> float:
        """The first number in the text of a locator or CSS selector."""
        found = self.page.locator(place) if isinstance(place, str) else place
        text = found.inner_text().replace("−", "-")  # the typographer's minus
        match = re.search(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)
        assert match, f"no number in {text!r}"
        return float(match[0])

    def wait_for_number(self, place: str, expected: float) -> None:
        """Wait until the number at `place` is `expected`, as after several key presses."""
        until = time.monotonic() + WAIT_MS / 1000
        while (now := self.number(place)) != expected:
            assert time.monotonic() < until, f"the number at {place} is {now}, not {expected}"
            self.page.wait_for_timeout(20)

    def wait_for_change(self, place: str, before: float) -> float:
        """Wait until the number at `place` is another one than `before`; the new number."""
        until = time.monotonic() + WAIT_MS / 1000
        while (now := self.number(place)) == before:
            assert time.monotonic() < until, f"the number at {place} stayed {before}"
            self.page.wait_for_timeout(20)
        return now

    def wait_for_words(self, place: str, *words: str) -> None:
        """Wait until the text at the CSS selector `place` has all of the words in it."""
        self.page.wait_for_function(
            "([place, words]) => words.every((word) => document.querySelector(place).innerText.includes(word))",
            arg=[place, list(words)],
        )

    def latencies(self, slider, place: str, keys: list[str], pause_ms: float = 150) -> list[float]:
        """Milliseconds from each key press to the first change in the page at `place`.

        `place` names an element that stays while its contents change.
        """
        self.page.evaluate(WATCH, place)
        slider.focus()
        for count, key in enumerate(keys, start=1):
            self.page.keyboard.press(key)
            self.page.wait_for_function("n => window.kitWatch.times.length >= n", arg=count)
            self.page.wait_for_timeout(pause_ms)  # let later changes of the same press pass
        return self.page.evaluate("() => window.kitWatch.stop()")

    def screenshot(self, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path


# Starts the clock at the key press itself, before any handler of the page sees it.
WATCH = """place => {
    const target = document.querySelector(place);
    if (!target) throw new Error("nothing on the page matches " + place);
    const watch = {times: [], pressed: null};
    const onKey = () => { watch.pressed = performance.now(); };
    const observer = new MutationObserver(() => {
        if (watch.pressed === null) return;
        watch.times.push(performance.now() - watch.pressed);
        watch.pressed = null;
    });
    observer.observe(target, {subtree: true, childList: true, characterData: true, attributes: true});
    window.addEventListener("keydown", onKey, true);
    watch.stop = () => {
        observer.disconnect();
        window.removeEventListener("keydown", onKey, true);
        return watch.times;
    };
    window.kitWatch = watch;
}"""


def try_every_slider(reader: Reader, notebook: str, kinds: dict[str, str]) -> None:
    """Move each slider of each board by keyboard; a number and the picture must change, or one where a training plays.

    kinds: label → who answers: "browser", or "kernel" (whose answer is a sentence; the picture
    waits for the next step of training). Exactly the sliders on the page. Where they are MEASURED,
    times from key press to changed picture, or sentence, go into build/latency.json; else they were, all of them.
    """
    reader.page.evaluate(
        "() => document.querySelectorAll('.kit-more, .kit-behind').forEach((one) => { one.open = true; })"
    )
    sliders = reader.page.locator(".kit-board input[type=range]")
    labels = [slider.get_attribute("data-label") for slider in sliders.all()]
    assert sorted(set(labels)) == sorted(kinds), f"sliders on the page: {labels}"
    assert sliders.count() == reader.sliders().count(), "a slider outside of the boards"
    for i, label in enumerate(labels):
        if MEASURED:  # on the board as it begins: at the end of another slider this one may change nothing
            measure(reader, notebook, sliders.nth(i), slider_name(i, label), kinds[label])
    for i, label in enumerate(labels):
        slider, kind = sliders.nth(i), kind_of(sliders.nth(i), kinds[label])
        plays = slider.evaluate("input => input.closest('.kit-board').querySelector('.kit-buttons') !== null")
        place = board_of(slider)
        for end, key in (("Home", "ArrowRight"), ("End", "ArrowLeft")):
            reader.press(slider, end)
            before, until = settled(reader, place), time.monotonic() + WAIT_MS / 1000
            reader.press(slider, key)
            while changed_at(before, shown_on(reader, place)) < (1 if plays or kind == "kernel" else 2):
                assert time.monotonic() < until, f"{label}: {key} from {end} changes nothing on {before}"
                reader.page.wait_for_timeout(20)
        assert reader.errors_shown() == []
    if not MEASURED:
        kept = json.loads(KEPT_LATENCIES.read_text("utf-8"))["sliders"]
        known = [one["slider"] for one in kept if one["notebook"] == notebook and one["kind"] != "training"]
        assert known == [slider_name(i, label) for i, label in enumerate(labels)], "not as measured: run `make latency`"


def measure(reader: Reader, notebook: str, slider, name: str, kind: str) -> None:
    """Keep the milliseconds from sixteen key presses to the changed picture, or to the kernel's sentence."""
    kind, place = kind_of(slider, kind), board_of(slider)
    watched = f"{place} .kit-stage" if kind == "browser" else f"{place} .kit-caption"
    at_the_end = slider.evaluate("input => input.value === input.max")
    keys = ["ArrowLeft", "ArrowRight"] if at_the_end else ["ArrowRight", "ArrowLeft"]
    times = reader.latencies(slider, watched, keys * 8)
    keep_latencies(notebook, name, {"kind": kind, "milliseconds": times})


def kind_of(slider, kind: str) -> str:
    """Who answers: the kernel, where the slider is of a board that trains."""
    return kind if slider.get_attribute("data-kernel") is None else "kernel"


def board_of(slider) -> str:
    """A selector of the slider's board, brought into view."""
    slider.scroll_into_view_if_needed()
    slider.evaluate(
        "input => { document.querySelector('[data-tried]')?.removeAttribute('data-tried'); "
        "input.closest('.kit-board').dataset.tried = ''; }"
    )
    return "[data-tried]"


def slider_name(i: int, label: str) -> str:
    """The i-th slider of a notebook, as the files of what was measured call it."""
    return f"{label} ({i})"


def try_live_training(reader: Reader, notebook: str) -> None:
    """Start the training on the page, see it train, move what it trains with, pause, reset."""
    board = reader.page.locator(".kit-board", has=reader.page.locator(".kit-button", has_text="start"))
    board.scroll_into_view_if_needed()
    caption = board.locator(".kit-caption")

    def press(name: str) -> None:
        board.locator(".kit-button", has_text=name).click()

    def step() -> int:
        told = caption.inner_text()
        return 0 if BEGINNING in told else int(re.search(r"After (\d+) steps", told)[1])

    assert step() == 0
    press("start")
    reader.page.wait_for_function(f"board => !board.innerText.includes('{BEGINNING}')", arg=board.element_handle())
    steps, start = set(), time.monotonic()
    while len(steps) < 3 or (MEASURED and time.monotonic() < start + 6):
        assert time.monotonic() < start + WAIT_MS / 1000, "nobody trains"
        steps.add(step())
        reader.page.wait_for_timeout(20)
    if MEASURED:
        seconds = time.monotonic() - start
        frames = {"milliseconds": [1000 * seconds / len(steps)], "frames_a_second": round(len(steps) / seconds, 1)}
        keep_latencies(notebook, "live training", {"kind": "training", **frames})
    reader.screenshot(f"{notebook}_live")
    press("pause")
    reader.page.wait_for_function("board => board.innerText.includes('Ready')", arg=board.element_handle())
    assert stands_still(reader, step), "a pause that does not stop"
    press("reset")
    reader.page.wait_for_function(f"board => board.innerText.includes('{BEGINNING}')", arg=board.element_handle())
    assert reader.errors_shown() == []


def stands_still(reader: Reader, look: Callable[[], object]) -> bool:
    """Whether two looks, most of a second apart, soon see the same (what was under way may still arrive)."""
    for _ in range(20):
        before = look()
        reader.page.wait_for_timeout(700)
        if look() == before:
            return True
    return False


def shown_on(reader: Reader, board: str) -> tuple[list[str], str]:
    """The numbers in a board's sentence, and its pictures."""
    sentence = reader.page.locator(f"{board} .kit-caption").inner_text()
    return re.findall(r"\d+(?:\.\d+)?", sentence), reader.page.locator(f"{board} .kit-stage").inner_html()


def settled(reader: Reader, board: str) -> tuple[list[str], str]:
    """What a board shows once two looks in a row see the same."""
    before = shown_on(reader, board)
    while True:
        reader.page.wait_for_timeout(50)
        now = shown_on(reader, board)
        if now == before:
            return now
        before = now


def changed_at(before: tuple, after: tuple) -> int:
    """How many of the two (numbers, pictures) changed."""
    return sum(a != b for a, b in zip(before, after))


def keep_latencies(notebook: str, slider: str, entry: dict) -> None:
    """Put what was measured on one slider beside the others: "kind", "milliseconds", and so on."""
    kept = json.loads(LATENCIES.read_text("utf-8")) if LATENCIES.exists() else {}
    times = [round(t, 1) for t in entry["milliseconds"]]
    kept.setdefault(notebook, {})[slider] = {**entry, "milliseconds": times}
    LATENCIES.parent.mkdir(parents=True, exist_ok=True)
    LATENCIES.write_text(json.dumps(kept, ensure_ascii=False, indent=1), "utf-8")
    print(f"{notebook}, {slider}: {describe(times)}")


def describe(latencies: list[float]) -> str:
    """Median and 95th percentile in words, for a report."""
    ordered = sorted(latencies)
    high = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return f"median {median(ordered):.0f} ms, 95 % within {high:.0f} ms, of {len(ordered)}"
