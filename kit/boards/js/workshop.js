// A training run: what was chosen and what it costs, its curves, and the buttons.
// state.mode "live": the kernel trains and sends the history; "recorded": an earlier run.
// The same in Python: workshop_values in kit/boards/workshop_widget.py.

const title = "The workshop: choose, see the cost, train";
const folded = { from: 4, name: "learning rate, and all numbers" };

const lastOf = ({ columns: { step } }) => (step.length ? step[step.length - 1] : 0);
const stepAt = (state, reached) => Math.floor(reached * lastOf(state) + 0.5);
const place = (state) => ({
  kind: "slider",
  name: "reached",
  label: "place in the run",
  min: 0,
  max: 1,
  step: 0.02,
  value: 1,
  tell: (v) => `step ${stepAt(state, v)}`,
});

const controls = (state) => [
  ...["recipe", "data", "encoder", "preset"].map((name) => ({
    kind: "choice",
    name,
    label: name,
    kernel: true,
    options: state.choices[name],
    value: state.chosen[name],
  })),
  {
    kind: "slider",
    name: "epochs_scale",
    label: "epochs ×",
    min: 0.25,
    max: 16,
    scale: "log",
    steps: 6,
    value: 1,
    kernel: true,
  },
  {
    kind: "slider",
    name: "lr_scale",
    label: "learning rate ×",
    min: 0.01,
    max: 100,
    scale: "log",
    steps: 8,
    value: 1,
    kernel: true,
  },
  ...[
    ["start", "start / resume"],
    ["pause", "pause"],
    ["reset", "reset"],
  ].map(([name, label]) => ({ kind: "button", name, label, kernel: true })),
  ...(state.mode === "recorded" ? [place(state)] : []),
  {
    kind: "slider",
    name: "smooth",
    more: "how the losses are drawn",
    label: "smooth over",
    min: 1,
    max: 50,
    step: 1,
    value: 10,
  },
];

// The running mean over `width` values; missing ones are left out.
const runningMean = (values, width) =>
  values.map((value, i) => {
    const seen = values.slice(Math.max(0, i + 1 - width), i + 1).filter((v) => v !== null);
    return value === null ? null : seen.reduce((sum, v) => sum + v, 0) / seen.length;
  });

const compute = (state, chosen) => {
  const steps = state.columns.step,
    along = (values) => values.map((value, i) => [steps[i], value]);
  const end = lastOf(state),
    step = stepAt(state, chosen.reached ?? 1);
  // The last number up to the step that is looked at.
  const last = (points) => points.findLast(([x, y]) => x <= step && y !== null)?.[1] ?? null;
  const losses = {},
    now = {};
  for (const name of state.losses) {
    losses[name] = along(runningMean(state.columns[name], chosen.smooth));
    now[name] = last(losses[name]);
  }
  const validated = {};
  for (const name of ["validation", "mean_cosine"]) {
    validated[name] = state.validated.step.map((step, i) => [step, state.validated[name][i]]);
    now[name] = last(validated[name]);
  }
  const lr = along(state.columns.lr);
  now.lr = last(lr);
  return { step, end, losses, validated, lr, now };
};

const COLOURED = { loss: kit.COLOURS.negative, cross_entropy: kit.COLOURS.classify, contrastive: kit.COLOURS.contrast };
const OTHERS = [kit.COLOURS.positive, kit.COLOURS.before, kit.COLOURS.negative];
const worded = (name) => name.replace(/_/g, " ");
const told = (value, digits) => (value === null || value === undefined ? "–" : kit.fixed(value, digits));

// The axis grows by doubling, up to the planned end: otherwise the first steps of a long run are a dot.
const reach = (step, steps) => Math.max(1, Math.min(steps, 2 ** Math.ceil(Math.log2(Math.max(step, 15) + 1))));
// Round the limits to tens: otherwise half a point looks like a triumph.
const tens = (points) => {
  const seen = points.map((p) => p[1]).filter((v) => v !== null);
  return seen.length
    ? { ymin: 10 * Math.floor(Math.min(...seen) / 10), ymax: 10 * Math.floor(Math.max(...seen) / 10) + 10 }
    : { ymin: 0, ymax: 100 };
};

// A loss is read against 0, and that of a classifier of three labels against what guessing costs.
const lowest = (series) => Math.min(0, ...series.flatMap((s) => s.points.map((p) => p[1] ?? 0)));
const highest = (series) => 1.05 * Math.max(0.01, ...series.flatMap((s) => s.points.map((p) => p[1] ?? 0)));
const guessing = (state, xmax) =>
  state.losses.includes("cross_entropy")
    ? [
        {
          name: "log 3: guessing",
          colour: kit.COLOURS.neutral,
          dash: "5 4",
          quiet: true,
          points: [
            [0, Math.log(3)],
            [xmax, Math.log(3)],
          ],
        },
      ]
    : [];

const started = (name, state) => state.validated[name].find((v) => v !== null) ?? null;
const strong = (colour) => `class="kit-small kit-halo kit-strong" style="fill:${kit.ink(colour)}"`;

// A measured curve, and where it began: what training has changed is the area between the two.
const changed = (name, values, state, o) => {
  const from = started(name, state),
    points = values.validated[name].filter(([, v]) => v !== null);
  const between = (px, py) => {
    const there = points.map(([x, y]) => `${kit.round(px(x))},${kit.round(py(y))}`);
    if (there.length < 2) return "";
    const back = [points[points.length - 1][0], points[0][0]].map((x) => `${kit.round(px(x))},${kit.round(py(from))}`);
    return `<polygon points="${[...there, ...back].join(" ")}" fill="${o.colour}" fill-opacity="0.16"/>`;
  };
  return kit.lines({
    ...o,
    legend: [],
    under: between,
    over: (px, py) =>
      from === null
        ? ""
        : kit.text(px(o.xmax) - 4, py(from) + 14, `untrained ${told(from, o.digits)}`, "end", kit.SMALL) +
          (o.early ? earlier(o.early, o, px, py) : ""),
    series: [
      { points, colour: o.colour },
      { points: from === null ? [] : [0, o.xmax].map((x) => [x, from]), ...LEVEL },
    ],
  });
};
// The first steps, which bring most: a band, and what they bring.
const earlier = ({ at, part, gain }, { ymax, ymin, colour }, px, py) =>
  kit.rect(px(0), py(ymax), px(at) - px(0), py(ymin) - py(ymax), `fill="${colour}" fill-opacity="0.18"`) +
  kit.text(
    px(at) + 6,
    py(0.45 * ymax + 0.55 * ymin),
    `first ${at} steps: +${part} of +${gain}`,
    "start",
    strong(colour),
  );

const LEVEL = { colour: kit.COLOURS.neutral, dash: "5 4", quiet: true };

// The parts of the loss, each named beside its first fall, the lowest under its line.
const losses = (values, chosen, state, box) => {
  let spare = 0;
  const parts = state.losses.map((name) => ({
    name: worded(name),
    points: values.losses[name],
    colour: COLOURED[name] || OTHERS[spare++ % 3],
  }));
  const all = [...parts, ...guessing(state, box.xmax)],
    at = 0.06 * box.xmax;
  const height = ({ points }) => points.findLast(([x, y]) => x <= at && y !== null)?.[1] ?? 0;
  const names = (px, py) => {
    const sorted = [...parts].sort((a, b) => height(b) - height(a));
    let free = -Infinity;
    return sorted
      .map((one, i) => {
        const under = i > 0 && i === sorted.length - 1;
        const y = (free = Math.max(free + 15, py(highest(all)) + 12, py(height(one)) + (under ? 17 : -6)));
        return kit.text(px(at) + 8, y, one.name, "start", strong(one.colour));
      })
      .join("");
  };
  return kit.lines({
    ...box,
    width: kit.room.width,
    height: 150,
    title: "Does its loss fall?",
    y: `loss, mean of ${chosen.smooth} steps${all.length > parts.length ? "; dashed: guessing" : ""}`,
    ymin: lowest(all),
    ymax: highest(all),
    legend: [],
    series: all,
    over: names,
  });
};

const draw = (values, chosen, state) => {
  const box = {
    x: "step",
    xmin: 0,
    xmax: Math.max(reach(values.end, state.steps), values.end),
    ...(values.step < values.end ? { marker: values.step } : {}),
    height: 250,
    right: 18,
  };
  const from = (name, digits) => told(started(name, state), digits);
  const rows = [
    ["step", "0", `${values.step} of ${state.steps}`],
    ...state.losses.map((name) => [worded(name), "–", told(values.now[name], 3)]),
    ["learning rate", "–", values.now.lr === null ? "–" : kit.short(values.now.lr)],
    ["STS-B validation × 100", from("validation", 1), told(values.now.validation, 1)],
    ["mean cosine", from("mean_cosine", 2), told(values.now.mean_cosine, 2)],
  ];
  const rate = values.lr.map(([x, y]) => [x, y === null ? null : 1000 * y]);
  const grown = (name, digits) =>
    started(name, state) === null
      ? told(values.now[name], digits)
      : `${from(name, digits)} → ${told(values.now[name], digits)}`;
  const first = state.losses[0];
  return [
    kit.wide(
      kit.figures([
        { value: grown("validation", 1), words: "STS-B validation × 100", colour: kit.COLOURS.positive },
        { value: grown("mean_cosine", 2), words: "mean cosine of its sentences", colour: kit.COLOURS.before },
        { value: told(values.now[first], 2), words: worded(first), colour: COLOURED[first] ?? OTHERS[0] },
      ]),
    ),
    changed("validation", values, state, {
      ...box,
      title: "Does it agree more with people? STS-B validation",
      y: "Spearman × 100",
      ...tens(values.validated.validation),
      early: earlyOf(values, state),
      colour: kit.COLOURS.positive,
      digits: 1,
    }),
    changed("mean_cosine", values, state, {
      ...box,
      title: "Does the cone open? Mean cosine of its sentences",
      y: "cosine",
      ymin: 0,
      ymax: 1,
      colour: kit.COLOURS.before,
      digits: 2,
    }),
    kit.wide(losses(values, chosen, state, box)),
    kit.lines({
      ...box,
      title: "Learning rate",
      y: "rate × 1000",
      ymin: 0,
      series: [{ name: "", points: rate, colour: kit.COLOURS.neutral }],
    }),
    kit.table({ title: state.name, head: ["", "untrained", "now"], rows }),
  ];
};

// How early most of what agreement gained, up to the step that is looked at, was gained; null where nothing was.
const MOST = 0.8;
const earlyOf = (values, state) => {
  const seen = values.validated.validation.filter(([x, y]) => x <= values.step && y !== null),
    from = started("validation", state),
    gain = values.now.validation - from;
  if (seen.length < 3 || !(gain > 0)) return null;
  const [at, value] = seen.find(([, y]) => y - from >= MOST * gain);
  return { at, gain: told(gain, 1), part: told(value - from, 1) };
};
const early = (values, state) => {
  const found = earlyOf(values, state);
  return found
    ? ` Agreement rose by ${kit.told(found.gain, kit.COLOURS.positive)} points, ` +
        `${kit.told(found.part, kit.COLOURS.positive)} of them in the first ${found.at} steps.`
    : "";
};

const brief = (values, chosen, state) => {
  const doing = state.mode === "recorded" ? "Recorded, nothing trains here" : kit.escape(state.doing);
  const at =
    `${doing}: run <b>${kit.escape(state.name)}</b>, step ${kit.told(values.step)} of ${state.steps}.` +
    `${values.step ? early(values, state) : ""}`;
  const note = state.note === state.cost ? "" : ` ${kit.escape(state.note)}`;
  return `${at} <small>${kit.escape(state.cost)}</small>${values.step ? note : ""}`;
};

const summary = (values, chosen, state) => {
  const doing =
    state.mode === "recorded"
      ? "Recorded when this page was made, nothing trains here"
      : state.doing === "training"
        ? `Training, ${kit.fixed(state.speed, 0)} sentences a second`
        : state.doing;
  const at = `${doing}: ${state.name}, step ${values.step} of ${state.steps}`;
  if (!values.step) return `${at}. ${state.cost} Losses are drawn as means of ${chosen.smooth}.`;
  const losses = state.losses.map((name) => `${worded(name)} ${told(values.now[name], 2)}`).join(", ");
  const from = (name, digits) =>
    `from ${told(values.validated[name][0]?.[1], digits)} to ${told(values.now[name], digits)}`;
  return (
    `${at}. ${losses} (mean of ${chosen.smooth}); learning rate ` +
    `${values.now.lr === null ? "–" : kit.short(values.now.lr)}. ` +
    `STS-B validation × 100 ${from("validation", 1)}, mean cosine ${from("mean_cosine", 2)}. ${state.note}`
  );
};
