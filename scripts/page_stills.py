"""Still pictures for readers without scripts: of each plot and board of the site as it opens.

    python scripts/page_stills.py [folder of the site]

Chromium or Chrome opens every page of build/site (KIT_CHROMIUM names another place) and photographs what its scripts
draw. The pictures lie in assets/stills, and stand in <noscript>: a page whose scripts run loads none of them. Where
there is no such browser, this says so, and the pages keep their words.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from formulas_pdf import ROOT, browser

WIDTH, HEIGHT, QUALITY = 1280, 1200, 80  # a window higher than any board
PATIENCE = 20  # seconds that a picture may take to be drawn
# Where a plot or a board stands in the text of a page: its data, and what a reader without scripts sees.
PLACE = re.compile(
    r'<div class="(?:figure|board)"[^>]*>\s*<script type="application/json">[^<]*</script>'
    r'\s*(?:<div class="stand-in">)?'
)
# Bring the plot or board of this number into view, wait until it is drawn, and say where: [x, y, width, height] on the
# page. null for one that has no picture, or has a still of its own already.
DRAWN = """async (number, patience) => {
    const pause = (ms) => new Promise((come) => setTimeout(come, ms));
    const place = document.querySelectorAll(".figure, .board")[number];
    if (place.querySelector(".stand-in img")) return null;
    const picture = () => place.matches(".figure")
        ? place.querySelector(".main-svg") && place
        : place.querySelector(".kit-panels")?.querySelector("svg, li, td")?.closest(".kit-panels");
    const began = performance.now(), late = /"buffers":/.test(place.querySelector("script").textContent);
    place.scrollIntoView({block: "center"});
    while (place.matches(".figure") && !picture() && performance.now() - began < 1000 * patience) await pause(30);
    if (late) await pause(3000); // the encoders that it loads
    if (!picture()) return null;
    picture().scrollIntoView({block: "center", behavior: "instant"});
    await new Promise((come) => requestAnimationFrame(() => requestAnimationFrame(come)));
    const {x, y, width, height} = picture().getBoundingClientRect();
    return width && height ? [x + scrollX, y + scrollY, width, height] : null;
}"""


# The browser reads from its file 3 and writes into its file 4: become it, with two files under these numbers.
AS_3_AND_4 = """import fcntl, os, sys
high = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for number, one in zip((3, 4), high):
    os.dup2(one, number)
os.execvp(sys.argv[3], sys.argv[3:])"""


class Chromium:
    """A browser that takes commands of the DevTools protocol through a pair of pipes.

    Errors: `OSError` where it does not start, `RuntimeError` with what it said where a command fails.
    """

    def __init__(self, program: str, profile: str) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        options = ["--headless", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        options += [f"--user-data-dir={profile}", "--allow-file-access-from-files"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # as root, in a container, there is none
        line = [sys.executable, "-c", AS_3_AND_4, str(commands), str(answers), program, *options, "about:blank"]
        self._process = subprocess.Popen(line, pass_fds=(commands, answers), stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._numbers, self._rest, self._session = itertools.count(1), b"", None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __call__(self, method: str, **values: object) -> dict:
        """Send one command and wait for its answer; what the browser tells besides is not listened to."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self) -> dict:
        while b"\0" not in self._rest:
            read = os.read(self._read, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self._rest += read
        one, _, self._rest = self._rest.partition(b"\0")
        return json.loads(one)

    def evaluate(self, expression: str):
        """The value of an expression on the page, of a promise what it comes to."""
        given = self("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in given:
            raise RuntimeError(given["exceptionDetails"]["text"])
        return given["result"].get("value")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._write)
        os.close(self._read)


def stills_of(chromium: Chromium, page: Path, places: int) -> list[bytes | None]:
    """A WebP picture for each of the page's plots and boards, in their order; None for one without a picture."""
    chromium("Page.navigate", url=page.as_uri())
    while not chromium.evaluate(f"location.href === {json.dumps(page.as_uri())} && document.readyState === 'complete'"):
        time.sleep(0.02)
    taken: list[bytes | None] = []
    for number in range(places):
        place = chromium.evaluate(f"({DRAWN})({number}, {PATIENCE})")
        if place is None:
            taken.append(None)
            continue
        clip = dict(zip(("x", "y", "width", "height"), place), scale=1)
        shot = chromium("Page.captureScreenshot", format="webp", quality=QUALITY, clip=clip)
        taken.append(base64.b64decode(shot["data"]))
    return taken


def with_stills(text: str, names: list[str | None]) -> str:
    """The page's text with the named pictures in their places."""
    waiting = iter(names)

    def stand(found: re.Match) -> str:
        named = next(waiting)
        if named is None:
            return found[0]
        return f'{found[0]}<noscript><img class="still" src="assets/stills/{named}" loading="lazy" alt=""></noscript>'

    return PLACE.sub(stand, text)


def photograph(chromium: Chromium, page: Path, folder: Path) -> int:
    """Put stills into one page; how many there are."""
    text = page.read_text("utf-8")
    places = len(PLACE.findall(text))
    if not places:
        return 0
    pictures = stills_of(chromium, page, places)
    names = [one and f"{hashlib.sha256(one).hexdigest()[:12]}.webp" for one in pictures]
    for name, picture in zip(names, pictures):
        if name:
            (folder / name).write_bytes(picture)
    page.write_text(with_stills(text, names), encoding="utf-8")
    return sum(name is not None for name in names)


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    site = (Path(given[0]) if given else ROOT / "build" / "site").resolve()
    pages = sorted(site.glob("*.html"))
    if not pages:
        print(f"expected the pages of the site in {site}, found none: `make site` makes them.", file=sys.stderr)
        return 1
    program = browser()
    if program is None or os.name == "nt":
        why = (
            "no pipes to a browser on Windows" if program else "no Chromium or Chrome here (KIT_CHROMIUM may name one)"
        )
        print(f"stills for readers without scripts were not made: {why}.", file=sys.stderr)
        return 0
    folder = site / "assets" / "stills"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        try:
            with closing(Chromium(program, profile)) as chromium:
                size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
                chromium("Emulation.setDeviceMetricsOverride", **size)
                calm = [
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                    {"name": "prefers-color-scheme", "value": "light"},
                ]
                chromium("Emulation.setEmulatedMedia", features=calm)
                made = sum(photograph(chromium, page, folder) for page in pages)
        except (OSError, RuntimeError, subprocess.SubprocessError) as problem:
            print(f"stills were not made for all pages, {program} failed: {problem}", file=sys.stderr)
            return 0  # the site is whole without them
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{made} stills for readers without scripts, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
