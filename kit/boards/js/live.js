// Training that the reader steers. state.mode "live": the kernel trains and sends frames;
// "recorded": runs made earlier, one for each setting, are played back in the browser.
// The same in Python: live_values in kit/boards/live_widget.py.

const MEASURES = [
  // key, name, digits, and the range of its curve, fixed so that curves do not jump
  ["loss", "loss", 2, 0, 4],
  ["mean_cosine", "mean cosine", 2, 0, 1],
  ["alignment", "alignment", 2, 0, 2],
  ["uniformity", "uniformity", 2, -4, 0],
  ["effective_rank", "effective rank", 1, 0, null],
  ["sts", "STS × 100", 1, 0, 100],
];
const title = (state) =>
  `A training under your thumb: ${state.sliders.map((name) => SLIDERS[name].label).join(" and ")}`;
const shares = [3, 2];
const SLIDERS = {
  tau: tauSlider(0.05, { steps: 12 }),
  lam: { kind: "slider", name: "lam", label: "λ", full: "weight λ of the contrast", min: 0, max: 1, step: 0.1 },
};

const controls = (state) => [
  ...state.sliders.map((name) => ({ ...SLIDERS[name], value: state.starts[name], kernel: state.mode === "live" })),
  ...(state.mode === "recorded"
    ? [
        {
          kind: "slider",
          name: "position",
          label: "place in the recording",
          min: 0,
          max: state.runs[0].frames.length - 1,
          step: 1,
          value: 0,
          whole: true,
        },
      ]
    : []),
  ...["start", "pause", "reset"].map((name) => ({ kind: "button", name, label: name, kernel: state.mode === "live" })),
  ...(state.sources.length > 1
    ? [{ kind: "choice", name: "source", label: "show", options: state.sources, value: state.mode, kernel: true }]
    : []),
];

// The recorded run whose settings lie nearest to the sliders.
const nearest = (state, chosen) => {
  const away = (run) =>
    state.sliders.reduce((sum, name) => {
      const [a, b] = [run[name], chosen[name] ?? state.starts[name]];
      return sum + Math.abs(name === "tau" ? Math.log(a / b) : a - b);
    }, 0);
  return state.runs.reduce((best, run) => (away(run) < away(best) - 1e-9 ? run : best));
};

const compute = (state, chosen) => {
  const frames =
    state.mode === "live" ? state.frames : nearest(state, chosen).frames.slice(0, 1 + (chosen.position || 0));
  const now = frames[frames.length - 1],
    history = {};
  for (const [key] of MEASURES) history[key] = frames.map((frame) => [frame.step, frame[key] ?? null]);
  return { step: now.step, points: now.points, now, first: frames[0], history };
};

const spark = (points, low, high) => {
  const seen = points.filter((p) => p[1] !== null),
    last = Math.max(seen.length ? seen[seen.length - 1][0] : 1, 1);
  const top = high ?? Math.max(...seen.map((p) => p[1]), 1);
  const at = ([x, y]) =>
    `${(2 + (106 * x) / last).toFixed(1)},` +
    `${(26 - (24 * (Math.min(Math.max(y, low), top) - low)) / (top - low)).toFixed(1)}`;
  return (
    `<svg width="110" height="28" viewBox="0 0 110 28" aria-hidden="true"><path class="kit-axis" d="M2 2V26H108" ` +
    `fill="none"/>` +
    `<polyline fill="none" stroke="${kit.COLOURS.after}" stroke-width="1.8" points="${seen.map(at).join(" ")}"/></svg>`
  );
};

const measures = (values) => {
  const cell = (value, digits) => (value === undefined || value === null ? "–" : kit.fixed(value, digits));
  const rows = MEASURES.map(
    ([key, name, digits, low, high]) =>
      `<tr><th scope="row">${name}</th><td>${cell(values.first[key], digits)}</td>` +
      `<td>${cell(values.now[key], digits)}</td>` +
      `<td>${values.history[key].length > 1 ? spark(values.history[key], low, high) : ""}</td></tr>`,
  );
  return (
    `<table class="kit-table"><thead><tr><th scope="col">step ${values.step}</th><th scope="col">start</th>` +
    `<th scope="col">now</th><th scope="col">so far</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
  );
};

const motion = (values) => ({ points: values.points });

const draw = (values, chosen, state) => {
  const place = {},
    lines = [],
    { neutral } = kit.COLOURS;
  const points = values.points.map(([x, y], i) => {
    const premise = state.premise[i],
      role = state.roles[i],
      colour = kit.CYCLE[premise % kit.CYCLE.length];
    if (role === "premise") place[premise] = [x, y];
    if (role === "entailed") lines.push({ from: place[premise], to: [x, y], colour });
    return {
      x,
      y,
      colour,
      shape: { premise: "ring", entailed: "dot", contradicted: "cross" }[role],
      label: role === "premise" ? String(premise + 1) : "",
      title: state.sentences[i],
      link: premise,
    };
  });
  const map = kit.points({
    width: kit.room.first,
    title: "The sentences, by their two strongest directions at the start",
    legend: [
      { name: "premise", colour: neutral, shape: "ring" },
      { name: "follows from it", colour: neutral, shape: "dot" },
      { name: "contradicts it", colour: neutral, shape: "cross" },
    ],
    points,
    lines,
    noxticks: true,
    noyticks: true,
    left: 4,
    right: 4,
    bottom: 6,
    xmin: -1.2,
    xmax: 1.2,
    ymin: -1.2,
    ymax: 1.2,
    height: 400,
  });
  return [map, measures(values)];
};

const brief = ({ first, now, step }, chosen, state) => {
  const live = state.mode === "live",
    doing = !live ? "Recorded" : state.running ? "Training" : "Ready";
  if (!step) return `${doing}: step 0 of the training. ${kit.escape(state.note)}`;
  const went = (key, digits) => `${kit.fixed(first[key], digits)} → ${kit.told(kit.fixed(now[key], digits))}`;
  return (
    `${doing}, step ${kit.told(step)}: mean cosine ${went("mean_cosine", 2)}, effective rank ` +
    `${went("effective_rank", 1)}, STS ${went("sts", 1)}. ${kit.escape(state.note)}`
  );
};

const summary = (values, chosen, state) => {
  const live = state.mode === "live",
    { first, now } = values;
  const used = state.sliders.map(
    (name) => `${name === "tau" ? "τ" : "λ"} ${kit.short((live ? state.next : nearest(state, chosen))[name])}`,
  );
  const doing = !live ? "Recorded" : state.running ? `Training, ${kit.fixed(state.rate, 1)} frames a second` : "Ready";
  return (
    `${doing}: ${used.join(", ")}${live ? " from the next step on" : ""}. After ${values.step} steps the mean ` +
    `cosine went from ` +
    `${kit.fixed(first.mean_cosine)} to ${kit.fixed(now.mean_cosine)}, the effective rank from ` +
    `${kit.fixed(first.effective_rank, 1)} to ` +
    `${kit.fixed(now.effective_rank, 1)}, STS from ${kit.fixed(first.sts, 1)} to ${kit.fixed(now.sts, 1)}. ` +
    `${state.note}`
  );
};

// Play a recorded run: one frame for each tick of the clock.
const advance = (chosen, state) => {
  if (state.mode === "live" || !chosen.pressed) return null;
  if (chosen.pressed === "reset") return { pressed: "", position: 0 };
  const last = nearest(state, chosen).frames.length - 1,
    position = chosen.position || 0;
  return chosen.pressed === "start" && position < last ? { position: position + 1 } : null;
};
