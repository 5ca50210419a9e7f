"""Pictures of the healing sphere for README and shared links: docs/sphere.gif, sphere_phone.gif and sphere.png

    python scripts/render_sphere.py

Draws the board of data/results/sphere.json in Chromium (KIT_CHROMIUM, or the one on the path), without its
controls: a loop of the whole training, the same as narrow as a phone, where letters of the first would be too small,
and a still of its middle for shared links. Needs playwright and pillow, of the test extra.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

LOOPS = {"sphere.gif": (900, 480, 1), "sphere_phone.gif": (374, 590, 1.5)}  # width, height, pixels for each of these
STILL = (884, 464, 1200 / 884)  # what shared links ask for, 1200 × 630, with larger letters
FRAMES, COLOURS, PAUSE = 48, 128, 8  # pictures of a loop, colours in them, and how often the first and last repeat
MAX_BYTES = 1_500_000  # of a loop
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; background: #0b1020; color: #f2f2f2; font: 16px system-ui, sans-serif; }}
.kit-board {{ max-width: 824px; margin: auto; padding: 8px; }}
.kit-board[data-theme="dark"] {{ background: #0b1020; color: #f2f2f2; }}
.kit-headline, .kit-controls, .kit-brief, .kit-words, .kit-caption, .kit-panels > .kit-panel:last-child {{
  display: none;
}}
.kit-panels > :has(.kit-globe) {{ order: -1; }}
#step {{ position: absolute; padding: 8px 14px; white-space: nowrap; font-variant-numeric: tabular-nums; }}
</style><div id="board"></div><div id="step"></div><script type="module">
{script}
const values = {values};
window.go = (controls) => {{
  const given = {{ ...values, controls }};
  show(board, {{ get: (k) => given[k], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}} }},
    document.getElementById("board"));
  const step = document.getElementById("step"), sphere = document.querySelector(".kit-globe").getBoundingClientRect();
  const last = values.state.steps.length - 1, place = Math.min(Math.round(controls.position ?? 0), last);
  step.textContent = `step ${{values.state.steps[place]}}`;
  step.style.left = `${{sphere.right - step.offsetWidth}}px`;
  step.style.top = `${{sphere.top}}px`;
}};
window.go({{}});
</script>"""


def main() -> None:
    from kit.boards.sphere_widget import sphere_state
    from kit.lesson import measured
    from kit.paths import bundle

    state = sphere_state(measured("sphere"))
    last, docs = len(state["steps"]) - 1, bundle().parent / "docs"
    with a_page(state, *STILL) as page:
        picture(page, last * 0.45, 20).resize((1200, 630)).save(docs / "sphere.png", optimize=True)
    for name, size in LOOPS.items():
        with a_page(state, *size) as page:
            save_loop([picture(page, last * k / (FRAMES - 1), 40 * k / FRAMES) for k in range(FRAMES)], docs / name)
        told = (docs / name).stat().st_size
        print(f"docs/{name}: {told / 1e6:.2f} MB")
        if told > MAX_BYTES:
            sys.exit(f"expected docs/{name} of at most {MAX_BYTES / 1e6} MB, got {told / 1e6:.2f}.")


def save_loop(pictures: list, path: Path) -> None:
    """The pictures as a GIF that stays for a while at its two ends, in the colours of its first, middle and last."""
    from PIL import Image

    wide, high = pictures[0].size
    sheet = Image.new("RGB", (3 * wide, high))
    for place in range(3):
        sheet.paste(pictures[place * (FRAMES - 1) // 2], (place * wide, 0))
    # "Median cut" averages the rare colours of thin marks away, "maximum coverage" leaves hardly any for the shades.
    halves = [
        sheet.quantize(COLOURS // 2, method=way) for way in (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)
    ]
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for half in halves for value in half.getpalette()[: 3 * (COLOURS // 2)]])
    loop = [pictures[0]] * PAUSE + pictures + [pictures[-1]] * PAUSE
    first, *rest = [one.quantize(COLOURS, palette=palette, dither=0) for one in loop]
    first.save(path, save_all=True, append_images=rest, duration=110, loop=0, optimize=True)


class a_page:
    """A page of Chromium with the board on it, in a window of so many pixels, each of `fine` of the picture's."""

    def __init__(self, state: dict, width: int, height: int, fine: float) -> None:
        self.state, self.size, self.fine = state, {"width": width, "height": height}, fine

    def __enter__(self):
        from playwright.sync_api import sync_playwright

        from kit.boards.board import script, style

        values = {"state": self.state, "controls": {}, "theme": "dark", "error": "", "kernel": False}
        module = script("sphere").replace("export default", "const unused =").replace("export const", "const")
        text = PAGE.format(style=style(), script=module, values=json.dumps(values))
        place = os.environ.get("KIT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        self.driver = sync_playwright().start()
        self.browser = self.driver.chromium.launch(executable_path=place, args=["--no-sandbox"])
        page = self.browser.new_page(
            viewport=self.size, device_scale_factor=self.fine, reduced_motion="reduce", color_scheme="dark"
        )
        page.set_content(text)
        page.wait_for_selector(".kit-sphere")
        return page

    def __exit__(self, *error: object) -> None:
        self.browser.close()
        self.driver.stop()


def picture(page, position: float, turned: float):
    """The board at a recorded step (or between two), the sphere turned by so many degrees."""
    from PIL import Image

    page.evaluate("controls => window.go(controls)", {"position": position, "yaw": 20 + turned, "point": 0})
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
