// The non-negative PU risk on points of a line.
// state: {positives [60], negatives [90], memories}
// The same in Python: nnpu_values in kit/boards/nnpu_widget.py.

const title = "A risk below zero, and the switch that stops it";

const controls = () => [
  {
    kind: "presets",
    name: "presets",
    label: "settings to try",
    options: {
      "nothing learnt by heart": { memory: 0, prior: 0.4 },
      "collapse: all learnt by heart": { memory: 6, prior: 0.4 },
      "a prior that is too high": { memory: 0, prior: 0.9 },
    },
  },
  { kind: "slider", name: "memory", label: "memory", min: 0, max: 8, step: 0.5, value: 0 },
  { kind: "slider", name: "prior", label: "prior π", min: 0.05, max: 0.95, step: 0.05, value: 0.4 },
  { kind: "slider", name: "kept", label: "labels kept", min: 0.05, max: 0.9, step: 0.05, value: 0.1 },
  { kind: "slider", name: "boundary", label: "boundary", min: -4, max: 4, step: 0.25, value: 0 },
  { kind: "slider", name: "steepness", label: "steepness", min: 0.1, max: 20, scale: "log", steps: 40, value: 2 },
];

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
// Rounds as Python does: halves go to the even neighbour.
const even = (x) => {
  const low = Math.floor(x),
    part = x - low;
  return part > 0.5 || (part === 0.5 && low % 2 !== 0) ? low + 1 : low;
};

const parts = (state, { kept }) => {
  const labelled = Math.max(1, even(kept * state.positives.length));
  return { labelled, others: even(kept * state.negatives.length) };
};

const risks = (state, chosen) => {
  const { prior, boundary, steepness, memory } = chosen,
    { labelled, others } = parts(state, chosen);
  const line = (x) => steepness * (x - boundary);
  const known = state.positives.slice(0, labelled).map((x) => line(x) + memory);
  const hidden = [...state.positives.slice(labelled), ...state.negatives.slice(others)].map((x) => line(x) - memory);
  const positive = prior * mean(known.map((f) => sigmoid(-f)));
  const negative = mean(hidden.map(sigmoid)) - prior * mean(known.map(sigmoid));
  const fresh = mean([
    ...state.positives.map((x) => sigmoid(-(line(x) - memory))),
    ...state.negatives.map((x) => sigmoid(line(x) - memory)),
  ]);
  return {
    positive,
    negative,
    naive: positive + negative,
    switched: negative < 0,
    nnpu: negative < 0 ? -negative : positive + negative,
    new: fresh,
  };
};

const compute = (state, chosen) => {
  const { labelled } = parts(state, chosen),
    { boundary, steepness, memory } = chosen;
  const told = state.memories.map((m) => risks(state, { ...chosen, memory: m }));
  const scores = [...state.positives, ...state.negatives].map((x, i) =>
    sigmoid(steepness * (x - boundary) + (i < labelled ? memory : -memory)),
  );
  return {
    ...risks(state, chosen),
    labelled,
    scores,
    curves: Object.fromEntries(["naive", "nnpu", "new"].map((name) => [name, told.map((one) => one[name])])),
  };
};

const motion = ({ positive, negative, naive, nnpu, new: fresh, scores }) => ({
  positive,
  negative,
  naive,
  nnpu,
  new: fresh,
  scores,
});

// One number line for all risks, with the zero below which no true risk can be.
const line = (values) => {
  const { positive, negative, before, after, classify } = kit.COLOURS,
    { width } = kit.room;
  const rows = [
    ["R⁺, of the labelled", values.positive, positive],
    ["R⁻, of the others", values.negative, negative],
    ["naive: their sum", values.naive, before],
    ["nnPU", values.nnpu, after],
    ["true, on new points", values.new, classify],
  ];
  const left = Math.min(150, width * 0.38),
    right = width - 46,
    step = 25,
    top = 24,
    [low, high] = [-1, 1];
  const x = (v) => left + ((Math.min(Math.max(v, low), high) - low) / (high - low)) * (right - left),
    foot = top + step * rows.length;
  const bar = ([name, v, colour], i) => {
    const y = top + i * step,
      past = v < 0 ? kit.text(x(0) + 6, y + 17, kit.fixed(v, 3), "start", 'class="kit-strong"') : "";
    return (
      kit.text(left - 10, y + 17, kit.cut(name, left - 10), "end", kit.SMALL) +
      kit.rect(Math.min(x(0), x(v)), y + 4, Math.abs(x(v) - x(0)), step - 7, `fill="${colour}"`) +
      (past || kit.text(x(v) + 6, y + 17, kit.fixed(v, 3), "start", kit.SMALL))
    );
  };
  return kit.svg(
    width,
    foot + 24,
    "the risks on one line",
    kit.text(left, 13, "impossible for a true risk", "start", kit.SMALL) +
      kit.rect(left, top - 4, x(0) - left, foot - top + 4, `fill="${negative}" fill-opacity="0.12"`) +
      rows.map(bar).join("") +
      `<path d="M${x(0)} ${top - 8}V${foot + 4}" stroke="currentColor" stroke-width="2.5"/>` +
      [-1, -0.5, 0, 0.5, 1].map((v) => kit.text(x(v), foot + 18, kit.short(v), "middle", kit.SMALL)).join(""),
  );
};

const draw = (values, chosen, state) => {
  const { positive, negative, neutral, before, after, classify, contrast } = kit.COLOURS,
    { labelled, others } = parts(state, chosen);
  const n = state.positives.length;
  const points = [...state.positives, ...state.negatives]
    .map((x, i) => ({
      x,
      y: values.scores[i],
      shape: i < labelled ? "dot" : i < n ? "ring" : "cross",
      colour: i < labelled ? positive : i >= n && i < n + others ? negative : neutral,
    }))
    .reverse(); // the labelled positives on top
  const curve = (name) => state.memories.map((m, i) => [m, values.curves[name][i]]);
  // nnPU in two pieces, as its value jumps where R⁻ changes sign.
  const piece = (switched) => curve("nnpu").filter(([, risk], i) => (risk !== values.curves.naive[i]) === switched);
  return [
    kit.wide(line(values)),
    kit.points({
      title: "What the classifier says of each point",
      legend: [
        { name: "labelled", colour: positive, shape: "dot" },
        { name: "hidden positive", colour: neutral, shape: "ring" },
        { name: "negative", colour: neutral, shape: "cross" },
        { name: "labelled negative", colour: negative, shape: "cross" },
      ],
      x: "position of the point",
      y: "σ(score)",
      points,
      xmin: -4,
      xmax: 4,
      ymin: 0,
      ymax: 1,
      height: 250,
      lines: [{ from: [chosen.boundary, 0], to: [chosen.boundary, 1], dash: true }],
    }),
    kit.lines({
      title: "The same, by how much is learnt by heart",
      x: "memory",
      y: "risk",
      ymin: -1,
      ymax: 1,
      height: 250,
      marker: chosen.memory,
      series: [
        { name: "naive", colour: before, points: curve("naive") },
        { name: "true", colour: classify, points: curve("new") },
        { name: "nnPU = R⁺ + R⁻", colour: after, points: piece(false) },
        { name: "nnPU = −R⁻", colour: contrast, points: piece(true), quiet: !values.switched },
      ],
    }),
  ];
};

const brief = (values) => {
  const { negative, before, after, classify } = kit.COLOURS,
    told = (v, colour) => kit.told(kit.fixed(v, 3), colour);
  const verdict = values.switched
    ? `R⁻ is ${told(values.negative, negative)}, below zero, so nnPU pushes the other way: ${told(values.nnpu, after)}`
    : `R⁻ is not below zero, so nnPU is the naive risk`;
  const fresh = `On new points the true risk is ${told(values.new, classify)}.`;
  return `The naive risk is ${told(values.naive, before)}. ${verdict}. ${fresh}`;
};

const summary = (values, { prior, boundary, steepness, memory }) => {
  const verdict = values.switched
    ? `no true risk can be below zero, so nnPU drops R⁺ and pushes the other way: ${kit.fixed(values.nnpu, 3)}`
    : `R⁻ is not below zero, nnPU is the naive risk: ${kit.fixed(values.nnpu, 3)}`;
  return (
    `π ${kit.fixed(prior)}, ${values.labelled} labelled positives, boundary ${kit.fixed(boundary)}, ` +
    `steepness ${kit.short(steepness)}, memory ${kit.fixed(memory, 1)}: ` +
    `R⁺ ${kit.fixed(values.positive, 3)}, R⁻ ${kit.fixed(values.negative, 3)}, the naive risk is ` +
    `${kit.fixed(values.naive, 3)}; ${verdict}. On new points the true risk is ${kit.fixed(values.new, 3)}.`
  );
};
