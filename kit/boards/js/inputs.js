// The controls of a board: sliders, choices, texts, buttons, and presets that set several of them at once.

const element = (tag, className, attributes = {}, text = "") => {
  const node = document.createElement(tag);
  node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
};

// The slider of a temperature, from one winner to all alike; `more` names other ends or steps.
const tauSlider = (value, more = {}) => ({
  kind: "slider",
  name: "tau",
  label: "τ",
  full: "temperature τ",
  min: 0.01,
  max: 10,
  scale: "log",
  steps: 60,
  value,
  ...more,
});

// Settings worth a name, as buttons: {name: {control: value …}}. On a phone their names fit one row.
const toTry = (options, more = {}) => ({
  kind: "presets",
  name: "presets",
  label: "settings to try",
  options,
  ...more,
});

const SETS = ["slider", "choice", "text", "button", "hidden"]; // kinds that have a value; presets have none
const starting = (controls) =>
  Object.fromEntries(controls.filter((c) => SETS.includes(c.kind)).map((c) => [c.name, c.value ?? 0]));

// The value of a control that code has set, as its board can show it: a slider goes no farther than its ends, unless a
// preset takes it there; a menu has what it lists. Errors: one sentence for what cannot be shown.
const admitted = (control, value, controls) => {
  const { kind, name, min, max, options } = control,
    preset = (one) => one.kind === "presets" && Object.values(one.options).some((chosen) => chosen[name] === value);
  if (kind === "choice" && !options.includes(value))
    throw new Error(`expected ${name} to be one of ${options.join(", ")}, got ${value}: give one of these.`);
  if (kind !== "slider" || controls.some(preset)) return value;
  if (!Number.isFinite(value))
    throw new Error(`expected ${name} to be a number from ${min} to ${max}, got ${value}: give such a number.`);
  return Math.min(Math.max(value, min), max);
};

// A slider's positions are whole numbers; convert them to values and back. On a logarithmic scale `through` is a value
// that it has in place of the nearest of its own.
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
  const index = (v) => Math.round((steps * Math.log(v / c.min)) / ratio);
  return {
    steps,
    value: (i) => (i === index(c.through) ? c.through : Number((c.min * Math.exp((ratio * i) / steps)).toPrecision(4))),
    index,
  };
};

// `full` is the name in full: a screen reader says it, and pointing shows it. Where the label is but a symbol, its
// first words are the label: "temperature τ".
const WORD_ALONE = /^[A-Za-z]{3,}$/;
const labelOf = ({ label, full }) =>
  full && label.length < 5 && !WORD_ALONE.test(label) ? full.split(/,| of | a /)[0] : label;
const labelled = (control, input, ...more) => {
  const row = element(
    "label",
    `kit-control kit-${control.kind}${control.half ? " kit-half" : ""}`,
    control.full ? { title: control.full } : {},
  );
  row.append(element("span", "kit-label", {}, labelOf(control)), input, ...more);
  input.setAttribute("aria-label", control.full ?? control.label);
  input.setAttribute("data-label", control.label);
  if (control.kernel) input.setAttribute("data-kernel", "");
  input.setAttribute("data-lm-suppress-shortcuts", "true"); // else JupyterLab takes the arrow keys
  return row;
};

const asleepNote =
  (input) =>
  (why = "needs a running kernel: open the notebook") => {
    input.disabled = true;
    input.title = why;
  };

// Equal as far as a slider on a logarithmic scale can say.
const alike = (a, b) => (typeof b === "number" ? Math.abs(a - b) <= 0.01 * Math.abs(b) : a === b);

// Said of a button before every frame of what plays: written only where it is another.
const press = (button, pressed) => {
  if (button.ariaPressed !== String(pressed)) button.ariaPressed = String(pressed);
};

// A key pressed together with one of these is the browser's: Alt+← is a page back.
const chord = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey;

const WIDGETS = {
  slider(control, value, change) {
    let scale = scaleOf(control);
    const input = element("input", "", { type: "range", min: 0, max: scale.steps, step: 1 });
    // No <output>: that is a live region, read out at every step of what is dragged or plays.
    const shown = element("span", `kit-value${control.tell ? " kit-worded" : ""}`);
    // 1024 GPUs are not 1020; a row of a batch has a name, a place in a recording is told as its step
    const words = (v) =>
      control.tell?.(v) ?? control.names?.[v - 1] ?? (control.whole ? String(Math.round(v)) : kit.short(v));
    // The longest of what is said from one end to the other, a line each: style keeps room for them.
    const reserve = () => {
      const all = Array.from({ length: scale.steps + 1 }, (_, i) => String(words(scale.value(i)))),
        longest = Math.max(...all.map((said) => said.length));
      shown.dataset.longest = [...new Set(all.filter((said) => said.length === longest))].join("\n");
    };
    const say = (v) => {
      const said = words(v);
      if (shown.textContent === said) return;
      shown.textContent = said;
      input.setAttribute("aria-valuetext", said);
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
    // An arrow key goes on until other words are said: a recording has many places between two steps.
    input.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way || !control.tell || chord(event)) return;
      event.preventDefault();
      const last = Number(input.max);
      let i = Number(input.value);
      do i += way;
      while (i > 0 && i < last && words(scale.value(i)) === shown.textContent);
      input.value = i; // beyond an end it stays there
      input.dispatchEvent(new Event("input"));
    });
    // Only these values, where another control decides what there is; null: all again.
    const limit = (values) => {
      scale = values
        ? { steps: values.length - 1, value: (i) => values[i], index: (v) => Math.max(0, values.indexOf(v)) }
        : scaleOf(control);
      input.max = scale.steps;
      reserve();
    };
    put(value);
    reserve();
    return { node: labelled(control, input, shown), put, limit, sleep: asleepNote(input) };
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
    const input = element("input", "", { type: "text", spellcheck: "false", dir: "auto" });
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
  // A value that only what is drawn sets (data-pick).
  hidden: () => ({ node: element("span", "", { hidden: "" }), put: () => {}, sleep: () => {} }),
  // `lasts`, chosen → whether what the button began still goes on: it is called `ends` meanwhile.
  button(control, value, change) {
    let count = value || 0;
    const input = element("button", "kit-button", { type: "button" }, control.label);
    input.addEventListener("click", () => change((count += 1)));
    return {
      node: input,
      mark: (chosen) => {
        const label = control.lasts?.(chosen) ? control.ends : control.label;
        if (input.textContent !== label) input.textContent = label;
      },
      put: (v) => {
        count = v;
      },
      sleep: asleepNote(input),
    };
  },
  // options: {name: {control: value …}}; change is told all of them.
  presets(control, _, change) {
    const row = element("div", "kit-presets", { role: "group", "aria-label": control.label || "examples" });
    for (const [name, values] of Object.entries(control.options)) {
      const button = element("button", "kit-button", { type: "button" }, name);
      button.addEventListener("click", () => change(values));
      row.append(button);
    }
    // The preset whose settings stand is marked as pressed.
    const mark = (chosen) => {
      [...row.children].forEach((button, k) => {
        const values = Object.entries(Object.values(control.options)[k]);
        press(
          button,
          values.every(([name, value]) => alike(chosen[name], value)),
        );
      });
    };
    return {
      node: row,
      mark,
      put() {},
      sleep: (why) => row.querySelectorAll("button").forEach((button) => asleepNote(button)(why)),
    };
  },
};

// Where a control stands: presets first, buttons in one group, those with `more` folded away; and where there is no
// kernel, those that need one behind a line that names them, which does not stand between the others and their picture.
const arranged = (controls, nodes, asleep = []) => {
  const panel = element("div", "kit-controls"),
    buttons = element("div", "kit-buttons", { role: "group", "aria-label": "buttons" }),
    folded = element("details", "kit-more"),
    inside = element("div", "kit-controls");
  folded.append(element("summary", "", {}, controls.find((c) => c.more)?.more ?? ""), inside);
  const sleeping = element("details", "kit-more"),
    still = element("div", "kit-controls");
  sleeping.append(element("summary", "", {}, `in the notebook also: ${asleep.map(labelOf).join(", ")}`), still);
  for (const control of controls) {
    if (asleep.includes(control)) {
      still.append(nodes[control.name]);
      continue;
    }
    const place = control.kind === "button" ? buttons : control.more ? inside : panel;
    if (control.kind === "presets") panel.prepend(nodes[control.name]);
    else place.append(nodes[control.name]);
    if (control.kind === "button" && !buttons.isConnected && !panel.contains(buttons)) panel.append(buttons);
  }
  if (inside.children.length) panel.append(folded);
  return { panel, sleeping: asleep.length ? sleeping : "" };
};
