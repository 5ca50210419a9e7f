// A training run: what was chosen and what it costs, its curves, and the buttons.
// state.mode "live": the kernel trains and sends the history; "recorded": an earlier run.
// The same in Python: workshop_values in kit/boards/workshop_widget.py.

const title = "The workshop: choose, see the cost, train";
const folded = { from: 4, name: "learning rate, and all numbers" };

const PLACE = {
  kind: "slider",
  name: "reached",
  label: "place in the run",
  min: 0,
  max: 1,
  step: 0.02,
  value: 1,
  tell: (v) => `${kit.fixed(100 * v, 0)} %`,
};

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
  ...(state.mode === "recorded" ? [PLACE] : []),
  { kind: "slider", name: "smooth", label: "smooth over", min: 1, max: 50, step: 1, value: 10 },
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
  const end = steps.length ? steps[steps.length - 1] : 0,
    step = Math.floor((chosen.reached ?? 1) * end + 0.5);
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

const COLOURED = { loss: kit.COLOURS.after, cross_entropy: kit.COLOURS.classify, contrastive: kit.COLOURS.contrast };
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

const draw = (values, chosen, state) => {
  let spare = 0;
  const series = state.losses.map((name) => ({
    name: worded(name),
    points: values.losses[name],
    colour: COLOURED[name] || OTHERS[spare++ % 3],
  }));
  const box = {
    x: "step",
    xmin: 0,
    xmax: Math.max(reach(values.end, state.steps), values.end),
    ...(values.step < values.end ? { marker: values.step } : {}),
    height: 230,
  };
  const started = (name) => state.validated[name].find((v) => v !== null) ?? null;
  const rows = [
    ["step", "0", `${values.step} of ${state.steps}`],
    ...state.losses.map((name) => [worded(name), "–", told(values.now[name], 3)]),
    ["learning rate", "–", values.now.lr === null ? "–" : kit.short(values.now.lr)],
    ["STS-B validation × 100", told(started("validation"), 1), told(values.now.validation, 1)],
    ["mean cosine", told(started("mean_cosine"), 2), told(values.now.mean_cosine, 2)],
  ];
  const { validation, mean_cosine: cosine } = values.validated,
    one = (points, colour) => [{ name: "", points, colour }];
  const rate = values.lr.map(([x, y]) => [x, y === null ? null : 1000 * y]);
  const level = (name) => ({
    name: "untrained",
    colour: kit.COLOURS.neutral,
    dash: "5 4",
    quiet: true,
    points: started(name) === null ? [] : [0, box.xmax].map((x) => [x, started(name)]),
  });
  const grown = (name, digits) =>
    started(name) === null
      ? told(values.now[name], digits)
      : `${told(started(name), digits)} → ${told(values.now[name], digits)}`;
  const first = state.losses[0];
  return [
    kit.wide(
      kit.figures([
        { value: grown("validation", 1), words: "STS-B validation × 100", colour: kit.COLOURS.positive },
        { value: grown("mean_cosine", 2), words: "mean cosine of its sentences", colour: kit.COLOURS.before },
        { value: told(values.now[first], 2), words: worded(first), colour: kit.COLOURS.after },
      ]) +
        `<p class="kit-note">${state.mode === "recorded" ? "Recorded run" : "Run"} <b>${kit.escape(state.name)}</b>. ` +
        `${kit.escape(state.cost)}</p>`,
    ),
    kit.lines({
      ...box,
      title: "Does it agree more with people? STS-B validation",
      y: "Spearman × 100",
      ...tens(validation),
      series: [{ name: "trained", points: validation, colour: kit.COLOURS.positive }, level("validation")],
    }),
    kit.lines({
      ...box,
      title: "Does the cone open? Mean cosine of its sentences",
      y: "cosine",
      ymin: 0,
      ymax: 1,
      series: [{ name: "trained", points: cosine, colour: kit.COLOURS.before }, level("mean_cosine")],
    }),
    kit.wide(
      kit.lines({
        ...box,
        width: kit.room.width,
        height: 200,
        title: series.length > 1 ? "Loss and its parts" : series[0].name,
        y: `loss, mean of ${chosen.smooth} steps`,
        ymin: lowest(series),
        ymax: highest([...series, ...guessing(state, box.xmax)]),
        series: [...series, ...guessing(state, box.xmax)],
      }),
    ),
    kit.lines({
      ...box,
      title: "Learning rate",
      y: "rate × 1000",
      ymin: 0,
      series: one(rate, kit.COLOURS.neutral),
    }),
    kit.table({ title: state.name, head: ["", "untrained", "now"], rows }),
  ];
};

const brief = (values, chosen, state) => {
  const doing =
    state.mode === "recorded" ? "Recorded when this page was made, nothing trains here" : kit.escape(state.doing);
  const at = `${doing}: step ${kit.told(values.step)} of ${state.steps}`;
  if (!values.step) return `${at}.`;
  const from = (name, digits, colour) =>
    `${told(values.validated[name][0]?.[1], digits)} → ${kit.told(told(values.now[name], digits), colour)}`;
  return (
    `${at}. STS-B validation ${from("validation", 1, kit.COLOURS.positive)}, mean cosine ` +
    `${from("mean_cosine", 2, kit.COLOURS.before)}. ${state.note === state.cost ? "" : kit.escape(state.note)}`
  );
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
