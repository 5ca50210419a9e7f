// What moves: numbers that glide to their new values, clocks, points under a pointer, and what is pointed at.

const GLIDE = 250; // milliseconds

// Half-way numbers of two figures of one shape; what is no number, or of another shape, is at its end at once.
const halfway = (a, b, t) => {
  if (typeof a === "number" && typeof b === "number") return a + (b - a) * t;
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return b.map((v, i) => halfway(a[i], v, t));
  if (a && b && typeof a === "object" && typeof b === "object" && !Array.isArray(b))
    return Object.fromEntries(Object.entries(b).map(([key, v]) => [key, halfway(a[key], v, t)]));
  return b;
};

// Paint a figure now, or frame by frame on the way to it: `moves` is what of its numbers glides, and the marks of what
// does not travel by their coordinates (travel.js).
const glider = (paint, travels) => {
  let shown = null,
    asked = 0;
  const look = (figure, moves, left = 0) => {
    shown = { figure, moves };
    paint({ ...figure, ...moves });
    travels.go(left);
  };
  return {
    to(figure, moves, at_once) {
      cancelAnimationFrame(asked);
      if (at_once || shown === null || document.hidden) return look(figure, moves);
      const from = shown.moves,
        began = performance.now();
      travels.begin();
      const frame = (now) => {
        const t = Math.min(Math.max((now - began) / GLIDE, 0), 1),
          left = (1 - t) ** 3;
        look(figure, t < 1 ? halfway(from, moves, 1 - left) : moves, left);
        if (t < 1) asked = requestAnimationFrame(frame);
      };
      asked = requestAnimationFrame(frame);
    },
    again() {
      if (shown !== null) look(shown.figure, shown.moves);
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

// Where on the picture of an element of SVG the pointer is.
const placeOn = (plane, event) => {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane.getScreenCTM().inverse());
  return [x, y];
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
    if (plane) take(held.name, ...placeOn(plane, event));
  });
  for (const end of ["pointerup", "pointercancel"])
    pictures.addEventListener(end, () => {
      held = null;
    });
};

// Points of a canvas have no elements: what lies under a pointer on the picture's data-plane is asked for.
const pointing = (pictures, take) => {
  for (const kind of ["pointermove", "click"])
    pictures.addEventListener(kind, (event) => {
      if (event.buttons || !event.target.matches?.("[data-plane]")) return;
      event.target.style.cursor = take(...placeOn(event.target, event)) ? "pointer" : "";
    });
};

// The canvas of a picture, as large as the picture in the screen's own pixels, wiped.
const penOf = (canvas) => {
  const { width, height } = canvas.previousElementSibling.viewBox.baseVal,
    fine = window.devicePixelRatio || 1,
    size = [width, height].map((pixels) => Math.round(pixels * fine));
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, ...size);
  pen.scale(fine, fine);
  return pen;
};

// What of a picture is meant: what lies under the pointer, or for a finger, which is broader than a cell or a row, the
// nearest within half its breadth.
const FINGER = 44;
// Some browsers' clicks do not say what made them.
const isTouch = ({ pointerType }) => (pointerType ? pointerType === "touch" : matchMedia("(pointer: coarse)").matches);
const meantBy = (event, selector) => {
  const own = event.target.closest?.(selector),
    picture = own || !isTouch(event) ? null : event.target.closest?.("svg");
  let [nearest, least] = [own, FINGER / 2];
  for (const one of picture?.querySelectorAll(selector) ?? []) {
    const { left, right, top, bottom } = one.getBoundingClientRect(),
      away = Math.hypot(
        Math.max(left - event.clientX, 0, event.clientX - right),
        Math.max(top - event.clientY, 0, event.clientY - bottom),
      );
    if (away < least) [nearest, least] = [one, away];
  }
  return nearest;
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
    const node = meantBy(event, "[data-link]");
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
