// What every board shares: its controls, and when it is redrawn.
//
// A board is four functions (see kit/boards/board.py): controls(state), compute(state, chosen),
// draw(values, chosen, state) and summary(values, chosen, state). Only `show` touches the page.
// Two more are optional: advance(chosen, state, seconds) is called by a clock (before every repaint where
// tempo is "frame"), drag(name, x, y, chosen, state) while the reader drags an element with
// data-drag="name"; both return changes of `chosen`. x and y are in the coordinates of the element with
// data-plane in that picture. chosen.seen is set when the board has been in view, chosen.calm where the
// reader's system asks for less motion.

const show = (board, model, el) => {
  const chosen = { ...starting(board.controls(model.get("state"))), ...model.get("controls") };
  const inputs = {};
  const root = element("div", "kit-board", { "data-theme": model.get("theme") || "auto" });
  const panel = element("div", "kit-controls");
  const caption = element("p", "kit-caption", { role: "status" });
  const pictures = element("div", "kit-panels");
  root.append(panel, pictures, caption); // what moves stays beside its controls
  el.replaceChildren(root);

  // Only present when there is an error: readers and tests look for this class.
  const complain = (text) => {
    root.querySelector(".kit-error")?.remove();
    if (text) panel.after(element("p", "kit-error", { role: "alert" }, text));
  };

  // After an error the last good picture stays.
  const redraw = () => {
    const state = model.get("state");
    try {
      const values = board.compute(state, chosen);
      const panels = board.draw(values, chosen, state);
      const said = board.summary(values, chosen, state);
      if (caption.textContent !== said) caption.textContent = said;
      while (pictures.children.length > panels.length) pictures.lastChild.remove();
      panels.forEach((html, i) => {
        const place = pictures.children[i] || pictures.appendChild(element("div", "kit-panel"));
        if (place.kitDrawn !== html) place.innerHTML = place.kitDrawn = html; // unchanged panels do not flicker
      });
      complain(model.get("error"));
    } catch (problem) {
      complain(problem.message);
    }
  };

  // Send changes to Python, at most once in `wait` milliseconds.
  let telling = null;
  const tell = (wait) => {
    clearTimeout(telling);
    telling = setTimeout(() => {
      telling = null;
      model.set("controls", { ...chosen });
      model.save_changes();
    }, wait);
  };

  const change = (control, value) => {
    chosen[control.name] = value;
    if (control.kind === "button") chosen.pressed = control.name;
    redraw();
    tell({ text: 300, button: 0 }[control.kind] ?? (control.kernel ? 0 : 100));
  };

  for (const control of board.controls(model.get("state"))) {
    const asleep = control.kernel && model.get("kernel") === false;
    inputs[control.name] = WIDGETS[control.kind](control, chosen[control.name], (value) => change(control, value));
    if (asleep) inputs[control.name].sleep();
    panel.append(inputs[control.name].node);
  }

  // A click on something drawn with data-pick="name:value" sets that control; pointing at data-hover does, too.
  const pick = (told) => {
    const [name, value] = told?.split(":") ?? [];
    const control = board.controls(model.get("state")).find((c) => c.name === name);
    if (!control) return;
    const picked = control.kind === "slider" ? Number(value) : value;
    if (chosen[name] === picked) return;
    inputs[name].put(picked);
    change(control, picked);
  };
  pictures.addEventListener("click", (event) => pick(event.target.closest("[data-pick]")?.dataset.pick));
  pictures.addEventListener("pointerover", (event) => pick(event.target.closest("[data-hover]")?.dataset.hover));

  // Python, or another view of the same board, has changed a control.
  const follow = () => {
    const changed = Object.entries(model.get("controls")).filter(
      ([name, value]) => name in inputs && chosen[name] !== value,
    );
    if (telling !== null || !changed.length) return;
    for (const [name, value] of changed) {
      chosen[name] = value;
      inputs[name].put(value);
    }
    redraw();
  };
  model.on("change:state", redraw);
  model.on("change:error", () => complain(model.get("error")));
  model.on("change:controls", follow);
  const move = (seconds) => {
    const changes = board.advance(chosen, model.get("state"), seconds);
    if (!changes) return;
    Object.assign(chosen, changes);
    for (const [changed, value] of Object.entries(changes)) inputs[changed]?.put(value);
    redraw();
  };
  const stop = board.advance ? (board.tempo === "frame" ? everyFrame(move) : everyTick(move)) : () => {};
  const watch = new IntersectionObserver((seen) => {
    if (seen.some((one) => one.intersectionRatio > 0.4)) chosen.seen = true;
  }, { threshold: [0.5] });
  watch.observe(pictures);
  chosen.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (board.drag)
    dragging(pictures, (name, x, y) => {
      const changes = board.drag(name, x, y, chosen, model.get("state"));
      Object.assign(chosen, changes);
      for (const [changed, value] of Object.entries(changes)) inputs[changed]?.put(value);
      redraw();
      tell(100);
    });
  redraw();
  return () => {
    // the view is gone: stop every timer
    stop();
    watch.disconnect();
    clearTimeout(telling);
    model.off("change:state", redraw);
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

const element = (tag, className, attributes = {}, text = "") => {
  const node = document.createElement(tag);
  node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
};

const starting = (controls) => Object.fromEntries(controls.map((c) => [c.name, c.kind === "button" ? 0 : c.value]));

// A slider's positions are whole numbers; convert them to values and back.
const scaleOf = (c) => {
  if (c.scale !== "log") {
    const steps = Math.round((c.max - c.min) / c.step);
    return {
      steps,
      value: (i) => Number((c.min + i * c.step).toPrecision(12)),
      index: (v) => Math.round((v - c.min) / c.step),
    };
  }
  const steps = c.steps || 60,
    ratio = Math.log(c.max / c.min);
  return {
    steps,
    value: (i) => Number((c.min * Math.exp((ratio * i) / steps)).toPrecision(4)),
    index: (v) => Math.round((steps * Math.log(v / c.min)) / ratio),
  };
};

const labelled = (control, input, ...more) => {
  const row = element("label", `kit-control kit-${control.kind}`);
  row.append(element("span", "kit-label", {}, control.label), input, ...more);
  input.setAttribute("aria-label", control.label);
  input.setAttribute("data-lm-suppress-shortcuts", "true"); // else JupyterLab takes the arrow keys
  return row;
};

const asleepNote = (input) => () => {
  input.disabled = true;
  input.title = "needs a running kernel: open the notebook";
};

const WIDGETS = {
  slider(control, value, change) {
    const scale = scaleOf(control),
      input = element("input", "", { type: "range", min: 0, max: scale.steps, step: 1 });
    const shown = element("output", "kit-value");
    const words = (v) => (control.whole ? String(Math.round(v)) : kit.short(v)); // 1024 GPUs are not 1020
    const say = (v) => {
      shown.textContent = words(v);
      input.setAttribute("aria-valuetext", words(v));
    };
    const put = (v) => {
      input.value = scale.index(v);
      say(v);
    };
    input.addEventListener("input", () => {
      const v = scale.value(Number(input.value));
      say(v);
      change(v);
    });
    put(value);
    return { node: labelled(control, input, shown), put, sleep: asleepNote(input) };
  },
  choice(control, value, change) {
    const input = element("select", "");
    for (const option of control.options) input.append(element("option", "", { value: option }, option));
    input.value = value;
    input.addEventListener("change", () => change(input.value));
    return {
      node: labelled(control, input),
      put: (v) => {
        input.value = v;
      },
      sleep: asleepNote(input),
    };
  },
  text(control, value, change) {
    const input = element("input", "", { type: "text", spellcheck: "false" });
    input.value = value;
    input.addEventListener("input", () => change(input.value));
    return {
      node: labelled(control, input),
      put: (v) => {
        input.value = v;
      },
      sleep: asleepNote(input),
    };
  },
  button(control, value, change) {
    let count = value || 0;
    const input = element("button", "kit-button", { type: "button" }, control.label);
    input.addEventListener("click", () => change((count += 1)));
    return {
      node: input,
      put: (v) => {
        count = v;
      },
      sleep: asleepNote(input),
    };
  },
};
