"""Pictures of the healing sphere for README and shared links: docs/sphere.gif, sphere.png and sphere_stages.png

    python scripts/render_sphere.py

Draws the board of data/results/sphere.json in Chromium (KIT_CHROMIUM, or the one on the path), without its
controls: a loop of the whole training, a still of its middle for shared links, and for README one of three stages in
a row, docs/sphere_stages.png: before, soon after the start, at the end. Needs playwright and pillow, of the test extra.
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

WIDTH, HEIGHT = 900, 480  # of the loop; the still has what shared links ask for, 1200 × 630, with larger letters
FRAMES, COLOURS, PAUSE = 48, 96, 8  # pictures of the loop, colours in them, and how often the first and last repeat
STAGES, ACROSS, SPHERE = (
    (0, 0.2, 1),
    400,
    0.485,
)  # parts of the recording; pixels of each; the sphere's part of a picture
MAX_BYTES = {"sphere.gif": 1_500_000, "sphere_stages.png": 300_000}
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; background: #0b1020; color: #f2f2f2; font: 16px system-ui, sans-serif; }}
.kit-board {{ max-width: 824px; margin: auto; padding: 8px 0; }}
.kit-board[data-theme="dark"] {{ background: #0b1020; color: #f2f2f2; }}
.kit-headline, .kit-controls, .kit-brief, .kit-words, .kit-caption, .kit-panels > .kit-panel:last-child {{
  display: none;
}}
</style><div id="board"></div><script type="module">
{script}
const values = {values};
window.go = (controls) => {{
  const given = {{ ...values, controls }};
  show(board, {{ get: (k) => given[k], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}} }},
    document.getElementById("board"));
}};
window.go({{}});
</script>"""


def main() -> None:
    from kit.boards.sphere_widget import read_recording, sphere_state
    from kit.paths import bundle

    state = sphere_state(read_recording("sphere"))
    last, docs = len(state["steps"]) - 1, bundle().parent / "docs"
    with a_page(state) as page:
        pictures = [picture(page, last * k / (FRAMES - 1), 40 * k / FRAMES) for k in range(FRAMES)]
    with a_page(state, 884, 464, fine=1200 / 884) as page:
        still = picture(page, last * 0.45, 20).resize((1200, 630))
        kept = [round(last * part) for part in STAGES]
        stages = in_a_row([picture(page, at, 20) for at in kept], [state["steps"][at] for at in kept])
    still.save(docs / "sphere.png", optimize=True)
    stages.save(docs / "sphere_stages.png", optimize=True)
    loop = [pictures[0]] * PAUSE + pictures + [pictures[-1]] * PAUSE
    palette = pictures[FRAMES // 2].quantize(COLOURS)
    first, *rest = [one.quantize(COLOURS, palette=palette, dither=0) for one in loop]
    first.save(docs / "sphere.gif", save_all=True, append_images=rest, duration=110, loop=0, optimize=True)
    sizes = {name: (docs / name).stat().st_size for name in ("sphere.png", *MAX_BYTES)}
    print(", ".join(f"docs/{name}: {size / 1e6:.2f} MB" for name, size in sizes.items()))
    for name, most in MAX_BYTES.items():
        if sizes[name] > most:
            sys.exit(f"expected docs/{name} of at most {most / 1e6} MB, got {sizes[name] / 1e6:.2f}.")


def in_a_row(pictures: list, steps: list[int]):
    """The spheres of the pictures, which stand in the left of each, beside one another, each with its step."""
    from PIL import Image, ImageDraw, ImageFont

    wide, high = pictures[0].width * SPHERE, pictures[0].height
    tall = round(ACROSS * high / wide)
    row, font = Image.new("RGB", (ACROSS * len(pictures), tall)), ImageFont.load_default(20)
    for place, (one, step) in enumerate(zip(pictures, steps)):
        row.paste(one.crop((0, 0, round(wide), high)).resize((ACROSS, tall)), (ACROSS * place, 0))
        words = (ACROSS * (place + 1) - 12, tall - 70)
        ImageDraw.Draw(row).text(words, f"step {step}", "#f2f2f2", font, anchor="rs")
    return row


class a_page:
    """A page of Chromium with the board on it, in a window of so many pixels, each of `fine` of the picture's."""

    def __init__(self, state: dict, width: int = WIDTH, height: int = HEIGHT, fine: float = 1) -> None:
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
