// What moves: numbers that glide to their new values, clocks, points under a pointer, and what is pointed at.

const GLIDE = 250; // milliseconds

// Half-way numbers of two figures of one shape; what is no number, or of another shape, jumps.
const halfway = (a, b, t) => {
  if (typeof a === "number" && typeof b === "number") return a + (b - a) * t;
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return b.map((v, i) => halfway(a[i], v, t));
  if (a && b && typeof a === "object" && typeof b === "object" && !Array.isArray(b))
    return Object.fromEntries(Object.entries(b).map(([key, v]) => [key, halfway(a[key], v, t)]));
  return b;
};

// Paint a figure now, or on the way to it, frame by frame.
const glider = (paint) => {
  let shown = null,
    asked = 0;
  return {
    to(figure, at_once) {
      cancelAnimationFrame(asked);
      if (at_once || shown === null || document.hidden) return paint((shown = figure));
      const from = shown,
        began = performance.now();
      const frame = (now) => {
        const t = Math.min(Math.max((now - began) / GLIDE, 0), 1);
        shown = t < 1 ? halfway(from, figure, 1 - (1 - t) ** 3) : figure;
        paint(shown);
        if (t < 1) asked = requestAnimationFrame(frame);
      };
      asked = requestAnimationFrame(frame);
    },
    again() {
      if (shown !== null) paint(shown);
    },
    stop: () => cancelAnimationFrame(asked),
  };
};

const everyTick = (move) => {
  const clock = setInterval(() => move(0.15), 150);
  return () => clearInterval(clock);
};

const everyFrame = (move) => {
  let before = null,
    asked = 0;
  const frame = (now) => {
    move(before === null ? 0 : Math.min((now - before) / 1000, 0.1));
    before = now;
    asked = requestAnimationFrame(frame);
  };
  asked = requestAnimationFrame(frame);
  return () => cancelAnimationFrame(asked);
};

const dragging = (pictures, take) => {
  let held = null;
  pictures.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest?.("[data-drag]");
    if (!grip) return;
    held = { name: grip.dataset.drag, panel: grip.closest(".kit-panel") };
    pictures.setPointerCapture(event.pointerId); // the picture is redrawn under the pointer
    event.preventDefault();
  });
  pictures.addEventListener("pointermove", (event) => {
    const plane = held?.panel.querySelector("[data-plane]");
    if (!plane) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane.getScreenCTM().inverse());
    take(held.name, at.x, at.y);
  });
  for (const end of ["pointerup", "pointercancel"])
    pictures.addEventListener(end, () => {
      held = null;
    });
};

// Whatever is drawn with the same data-link (or data-column) as what is pointed at is marked, in all pictures.
const linking = (pictures) => {
  let link = null,
    column = null;
  const mark = () => {
    for (const node of pictures.querySelectorAll("[data-link], [data-column]")) {
      const { link: row, column: of } = node.dataset;
      const linked =
        link !== null && (of === undefined ? row === link || row === column : row === link && of === column);
      node.classList.toggle("kit-linked", linked);
    }
  };
  pictures.addEventListener("pointerover", (event) => {
    const node = event.target.closest?.("[data-link]");
    const [row, of] = [node?.dataset.link ?? null, node?.dataset.column ?? null];
    if (row === link && of === column) return;
    [link, column] = [row, of];
    mark();
  });
  pictures.addEventListener("pointerleave", () => {
    link = column = null;
    mark();
  });
  return () => {
    if (link !== null) mark(); // after a redraw
  };
};
