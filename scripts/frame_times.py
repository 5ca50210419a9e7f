"""How long a frame of the playing sphere takes: the page's script, style and layout, and the time between two frames.

    python scripts/frame_times.py [--seconds 6] [--width 1032]

Plays the recording of the made-up world in headless Chromium (KIT_CHROMIUM, or the one on the path), on a page with
nothing else. Script and layout are what the board costs; the time between two frames has the painting in it, which a
machine without a graphics card does on its processor. Sixty frames a second leave 16.7 ms for all of it.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))
from render_sphere import a_page

PARTS = {"script": "ScriptDuration", "style": "RecalcStyleDuration", "layout": "LayoutDuration"}  # of Chromium
# A reader has the controls and the caption, too, which the pictures of README leave out.
WHOLE = """.kit-board { max-width: 1000px !important; }
.kit-controls, .kit-panel:last-child { display: revert !important; } .kit-brief { display: block !important; }"""
# Press play, and note when each frame comes. The first frames draw what later ones keep.
PLAY = """async (seconds) => {
    document.querySelector(".kit-board .kit-buttons button").click();
    for (let k = 0; k < 10; k++) await new Promise(requestAnimationFrame);
    const times = [], end = performance.now() + 1000 * seconds;
    while (performance.now() < end) times.push(await new Promise(requestAnimationFrame));
    return times;
}"""


def main() -> None:
    from kit.boards.sphere_widget import sphere_state
    from kit.lesson import measured

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=6, help="of playing; a whole run takes 14")
    options.add_argument("--width", type=int, default=1032, help="of the window, in pixels")
    args = options.parse_args()
    state = sphere_state(measured("sphere_made_up"))
    with a_page(state) as page:
        page.add_style_tag(content=WHOLE)
        page.set_viewport_size({"width": args.width, "height": 800})
        found = frame_times(page, args.seconds)
    spent = ", ".join(f"{name} {found[name]:.2f}" for name in PARTS)
    print(
        f"{len(state['roles'])} points, {args.width} px, {found['frames']} frames: {spent} ms a frame; between two "
        f"frames {found['median']:.1f} ms (median), {found['p95']:.1f} ms (95 in 100)"
    )


def frame_times(page, seconds: float) -> dict[str, float]:
    """Milliseconds a frame: what the page's parts cost on average, the median and the 95th percentile between two."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent() -> dict[str, float]:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return {name: 1000 * metrics[key] for name, key in PARTS.items()}

    before = spent()
    times = page.evaluate(PLAY, seconds)
    after = spent()
    gaps = sorted(b - a for a, b in pairwise(times))
    each = {name: (after[name] - before[name]) / (len(times) + 10) for name in PARTS}
    return {**each, "frames": len(times), "median": median(gaps), "p95": gaps[int(0.95 * (len(gaps) - 1))]}


if __name__ == "__main__":
    main()
