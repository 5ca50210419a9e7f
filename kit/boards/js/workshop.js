// A training run: what was chosen and what it costs, its curves, and the buttons.
// state.mode "live": the kernel trains and sends the history; "recorded": an earlier run.
// The same in Python: workshop_values in kit/boards/workshop_widget.py.

const title = "The workshop: choose, see the cost, train";
const folded = { from: 2, name: "parts of the loss, learning rate, all numbers" };
const shares = [5, 3];

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

// Of a recorded run places, else what to train: the papers' own settings are the preset “gpu”.
const settings = (state) => {
  if (state.mode !== "recorded") {
    const own = { epochs_scale: 1, lr_scale: 1 },
      presets = { "a first try: smoke": "smoke", "on a laptop": "laptop", "the papers’: gpu": "gpu" };
    return {
      ...Object.fromEntries(
        Object.entries(presets).flatMap(([name, preset]) =>
          state.choices.preset.includes(preset) ? [[name, { preset, ...own }]] : [],
        ),
      ),
      "learning rate × 100": { ...own, lr_scale: 100 },
    };
  }
  const early = earlyOf(compute(state, { smooth: 1 }), state);
  return {
    "before training": { reached: 0 },
    ...(early && early.at < early.last ? { "most is gained": { reached: early.at / lastOf(state) } } : {}),
    "the end": { reached: 1 },
  };
};

// A recorded run has so many losses to draw means of, and no more.
const widest = ({ mode, columns }) => (mode === "recorded" ? Math.min(50, Math.max(1, columns.step.length)) : 50);

const controls = (state, most = widest(state)) => [
  toTry(settings(state), { kernel: state.mode !== "recorded" }),
  ...["recipe", "data", "encoder", "preset"].map((name) => ({
    kind: "choice",
    name,
    label: name,
    kernel: true,
    asleep: state.mode === "recorded",
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
    asleep: state.mode === "recorded",
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
    asleep: state.mode === "recorded",
  },
  ...[
    ["start", "start / resume"],
    ["pause", "pause"],
    ["reset", "reset"],
  ].map(([name, label]) => ({ kind: "button", name, label, kernel: true, asleep: state.mode === "recorded" })),
  ...(state.mode === "recorded" ? [place(state)] : []),
  {
    kind: "slider",
    name: "smooth",
    more: "how the losses are drawn",
    label: "smooth over",
    min: 1,
    max: most,
    step: 1,
    value: Math.min(10, most),
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
  const averaged = end - (steps[steps.length - 1 - chosen.smooth] ?? 0);
  return { step, end, averaged, losses, validated, lr, now };
};

const COLOURED = { loss: kit.COLOURS.negative, cross_entropy: kit.COLOURS.classify, contrastive: kit.COLOURS.contrast };
const OTHERS = [kit.COLOURS.positive, kit.COLOURS.before, kit.COLOURS.negative];
// As the figures and the lessons write them.
const PARTS = { contrastive: "contrast", cross_entropy: "cross-entropy", mlm: "MLM", pu: "PU risk" };
const worded = (name) => PARTS[name] ?? name.replace(/_/g, " ");
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
const inked = (colour) => `style="fill:${kit.ink(colour)}"`;
const LEVEL = { colour: kit.COLOURS.neutral, dash: "5 4", quiet: true };

// The last measurement up to the step that is looked at: [step, value].
const measuredUpTo = ({ validated, step }, name) => validated[name].findLast(([x, y]) => x <= step && y !== null);

// What of a curve has run up to the step that is looked at; what is still to come is a thin grey line.
const ranOf = (points, step) => {
  const next = points.findIndex(([x]) => x > step);
  if (next < 1) return next ? points : [];
  const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]],
    share = (step - x0) / (x1 - x0);
  return y0 === null || y1 === null
    ? points.slice(0, next)
    : [...points.slice(0, next), [step, y0 + share * (y1 - y0)]];
};
const played = (series, step) => {
  const run = ranOf(series.points, step),
    here = run.slice(-1).filter(([x]) => x <= step),
    later = [...here, ...series.points.filter(([x]) => x > step)];
  return [
    ...(later.length > 1 ? [{ points: later, colour: kit.COLOURS.neutral, dash: "1 3", quiet: true }] : []),
    ...(run.length > 1 ? [{ ...series, points: run }] : []),
  ];
};

// A measured curve, and where it began: what training has changed is the area between the two.
const changed = (name, values, state, o) => {
  const from = started(name, state),
    points = values.validated[name].filter(([, v]) => v !== null);
  const run = ranOf(points, values.step);
  const between = (px, py) => {
    const there = run.map(([x, y]) => `${kit.round(px(x))},${kit.round(py(y))}`);
    if (there.length < 2) return "";
    const back = [run[run.length - 1][0], run[0][0]].map((x) => `${kit.round(px(x))},${kit.round(py(from))}`);
    return `<polygon points="${[...there, ...back].join(" ")}" fill="${o.colour}" fill-opacity="0.14"/>`;
  };
  const level = (px, py) =>
    from === null
      ? ""
      : kit.text(px(o.xmax) - 4, py(from) + (o.above ? -6 : 15), `untrained ${told(from, o.digits)}`, "end", kit.SMALL);
  // The dot stands where there was a measurement, not where a line between two crosses the marker.
  const at = o.marker === undefined ? null : measuredUpTo(values, name);
  const dot = (px, py) =>
    at ? `<circle cx="${kit.round(px(at[0]))}" cy="${kit.round(py(at[1]))}" r="4.5" fill="${o.colour}"/>` : "";
  return kit.lines({
    ...o,
    legend: [],
    under: between,
    over: (px, py) => level(px, py) + dot(px, py) + (o.more?.(px, py) ?? ""),
    series: [
      ...played({ points, colour: o.colour, quiet: true }, values.step),
      { points: from === null ? [] : [0, o.xmax].map((x) => [x, from]), ...LEVEL },
    ],
  });
};

// How early most of what agreement gained, up to the step that is looked at, was gained; null where nothing was. Where
// it rose higher and fell again, the first step that has not more than what is left.
const MOST = 0.8;
const earlyOf = (values, state) => {
  const seen = values.validated.validation.filter(([x, y]) => x <= values.step && y !== null),
    from = started("validation", state),
    gain = seen.length ? seen[seen.length - 1][1] - from : 0;
  if (from === null || !(kit.printed(gain, 1) > 0)) return null;
  const most = (part) => part >= MOST * gain && part <= gain && kit.printed(part, 1) > 0,
    [at, value] = seen.find(([, y]) => most(y - from));
  return { at, gain: told(gain, 1), part: told(value - from, 1), last: seen[seen.length - 1][0] };
};

const AGREED = kit.COLOURS.positive;
const lead = (values, chosen, state) => {
  const found = earlyOf(values, state),
    from = started("validation", state);
  if (!values.step && state.mode === "live") return `Not trained yet. ${kit.escape(state.cost)}`;
  if (!values.step) return `Before training agreement is ${kit.told(told(from, 1), AGREED)}`;
  if (found && found.at < found.last)
    return (
      `Agreement gains ${kit.told(found.gain, AGREED)} points, ${kit.told(found.part, AGREED)} of them in the ` +
      `first ${found.at} steps`
    );
  if (found) return `Agreement gains ${kit.told(found.gain, AGREED)} points in the first ${found.at} steps`;
  if (from === null || values.now.validation === null) return "Agreement with people has not been measured yet";
  const [looked] = measuredUpTo(values, "validation"); // the step of the last look, which the run may have left behind
  if (!looked) return "Agreement has not been measured since step 0";
  const fell = from - values.now.validation;
  if (!kit.printed(fell, 1)) return `Agreement has hardly changed in the first ${looked} steps`;
  return `Agreement fell by ${kit.told(told(fell, 1), AGREED)} points in the first ${looked} steps`;
};

// The first steps, which bring most, as a band, with what they bring; and where the run stands now.
const agreement = (values, state, box) => {
  const early = earlyOf(values, state),
    limits = tens(values.validated.validation),
    middle = (limits.ymin + limits.ymax) / 2;
  // The words stand right of the band, and where the cursor would cross them right of the cursor.
  const beside = ({ at }, px) => {
    const cursor = px(values.step) + 12;
    const crossed = state.mode === "recorded" && cursor > px(at) + 12 && px(at) + 200 > cursor;
    return crossed && cursor + 190 < box.width ? cursor : px(at) + 12;
  };
  // The middle of words at x that reach so far down: that of the picture, or above or below the run's number there.
  const clear = (x, down, px, py) => {
    const y = py(middle),
      { validation } = values.now;
    if (validation === null) return y;
    const [at, number] = [px(measuredUpTo(values, "validation")[0]), py(validation) - 9],
      meets = Math.abs(at - x - 56) < 104 && number + 6 > y - 18 && number - 14 < y + down;
    if (!meets) return y;
    return number - down - 34 > py(limits.ymax) ? number - down - 16 : number + 26;
  };
  const band = (early, px, py) => {
    const x = beside(early, px),
      said = `${early.part === early.gain ? "" : `of +${early.gain} `}in the first ${early.at} steps`,
      lines = kit.wrapped(said, box.width - x - 12),
      y = clear(x, 34 + 17 * (lines.length - 1), px, py);
    return (
      kit.rect(
        px(0),
        py(limits.ymax),
        px(early.at) - px(0),
        py(limits.ymin) - py(limits.ymax),
        `fill="${AGREED}" fill-opacity="0.18"`,
      ) +
      kit.text(x, y + 10, `+${early.part}`, "start", `class="kit-big kit-halo" ${inked(AGREED)}`) +
      lines.map((line, i) => kit.text(x + 2, y + 30 + 17 * i, line, "start", 'class="kit-halo"')).join("")
    );
  };
  const now = (px, py) => {
    const { validation } = values.now;
    if (validation === null || (!values.step && state.mode === "live")) return "";
    const at = px(measuredUpTo(values, "validation")[0]),
      left = at > 120;
    return kit.text(
      at + (left ? -8 : 8),
      py(validation) - 9,
      told(validation, 1),
      left ? "end" : "start",
      `class="kit-halo kit-strong" ${inked(AGREED)}`,
    );
  };
  return changed("validation", values, state, {
    ...box,
    y: `agreement with ${state.judge}, Spearman × 100`,
    ...limits,
    colour: AGREED,
    digits: 1,
    more: (px, py) => (early && px(early.at) < 0.6 * box.width ? band(early, px, py) : "") + now(px, py),
  });
};

const opened = (values, state) => {
  const [from, now] = [started("mean_cosine", state), values.now.mean_cosine];
  if (from === null || now === null || !measuredUpTo(values, "mean_cosine")[0]) return `Mean cosine ${told(from, 2)}`;
  const less = kit.printed(from, 2) - kit.printed(now, 2);
  const cone = less > 0 ? "opens" : less < 0 ? "narrows" : "keeps its width";
  return `Mean cosine ${told(from, 2)} → ${told(now, 2)}: the cone ${cone}`;
};

// The whole loss, small: its parts are folded.
const loss = (values, state, box) => {
  const [name] = state.losses,
    points = values.losses[name],
    first = points.find(([, y]) => y !== null)?.[1] ?? null,
    title = first === null || !values.step ? "Loss" : `Loss ${told(first, 2)} → ${told(values.now[name], 2)}`,
    series = [{ name, points, colour: COLOURED[name] || OTHERS[0] }];
  return kit.lines({
    ...box,
    title,
    y: `${worded(name)}, mean of up to ${values.averaged} steps`,
    ymin: lowest(series),
    ymax: highest(series),
    legend: [],
    series: series.flatMap((one) => played(one, values.step)),
  });
};

const parts = (values, state, box) => {
  let spare = 0;
  const colour = (name) => COLOURED[name] || OTHERS[spare++ % 3],
    own = state.losses.map((name) => ({ name: worded(name), points: values.losses[name], colour: colour(name) })),
    all = [...own, ...guessing(state, box.xmax)]; // the level last: it stays to be seen
  return kit.lines({
    ...box,
    width: kit.room.width,
    height: 240,
    title: "The loss and its parts",
    y: `mean of up to ${values.averaged} steps`,
    ymin: lowest(all),
    ymax: highest(all),
    series: all,
  });
};

const draw = (values, chosen, state) => {
  const { first, second } = kit.room;
  const box = {
    x: "step",
    xmin: 0,
    xmax: Math.max(reach(values.end, state.steps), values.end),
    ...(state.mode === "recorded" ? { marker: values.step } : {}),
    right: 18,
  };
  const beside = { ...box, width: second, height: 156 };
  const from = (name, digits) => told(started(name, state), digits);
  const rows = [
    ["step", "0", `${values.step} of ${state.steps}`],
    ...state.losses.map((name) => [worded(name), "–", told(values.now[name], 3)]),
    ["learning rate", "–", values.now.lr === null ? "–" : kit.short(values.now.lr)],
    ["agreement × 100", from("validation", 1), told(values.now.validation, 1)],
    ["mean cosine", from("mean_cosine", 2), told(values.now.mean_cosine, 2)],
  ];
  const rate = values.lr.map(([x, y]) => [x, y === null ? null : 1000 * y]);
  const cosine = changed("mean_cosine", values, state, {
    ...beside,
    title: opened(values, state),
    y: "mean cosine of its sentences",
    ymin: 0,
    ymax: 1,
    colour: kit.COLOURS.before,
    digits: 2,
    above: true,
  });
  return [
    agreement(values, state, { ...box, width: first, height: 380 }),
    `<div>${cosine}${loss(values, state, beside)}</div>`,
    ...(state.losses.length > 1 ? [kit.wide(parts(values, state, box))] : []),
    kit.lines({
      ...box,
      width: first,
      title: "Learning rate",
      y: "rate × 1000",
      ymin: 0,
      series: [{ name: "", points: rate, colour: kit.COLOURS.neutral }],
    }),
    kit.table({ title: state.name, head: ["", "untrained", "now"], rows }),
  ];
};

// A kernel that has ended trains nothing, whatever it said last.
const done = (chosen, { doing }) => (chosen.gone && doing === "training" ? "ended" : doing);

const brief = (values, chosen, state) => {
  const recorded = state.mode === "recorded",
    doing = recorded ? "Recorded, nothing trains here" : kit.escape(done(chosen, state)),
    of = recorded ? `, recipe <b>${kit.escape(state.chosen.recipe)}</b>` : "";
  const grown = (name, digits, colour) =>
    `${told(started(name, state), digits)} → ${kit.told(told(values.now[name], digits), colour)}`;
  const at = `${doing}: run <b>${kit.escape(state.name)}</b>${of}, step ${kit.told(values.step)} of ${state.steps}.`;
  if (!values.step) return `${at} <small>${kit.escape(state.cost)}</small>`;
  const note = state.note === state.cost ? "" : ` ${kit.escape(state.note)}`;
  return (
    `${at} Agreement ${grown("validation", 1, AGREED)}, mean cosine ` +
    `${grown("mean_cosine", 2, kit.COLOURS.before)}. <small>${kit.escape(state.cost)}${note}</small>`
  );
};

const summary = (values, chosen, state) => {
  const doing =
    state.mode === "recorded"
      ? "Recorded when this page was made, nothing trains here"
      : done(chosen, state) === "training"
        ? `Training, ${kit.fixed(state.speed, 0)} sentences a second`
        : done(chosen, state);
  const at = `${doing}: ${state.name}, step ${values.step} of ${state.steps}`;
  const most = values.averaged || chosen.smooth; // of a run without a step yet: what was chosen
  if (!values.step) return `${at}. ${state.cost} Losses are drawn as means of up to ${most} steps.`;
  const losses = state.losses.map((name) => `${worded(name)} ${told(values.now[name], 2)}`).join(", ");
  const from = (name, digits) =>
    `from ${told(values.validated[name][0]?.[1], digits)} to ${told(values.now[name], digits)}`;
  return (
    `${at}: ${losses} (mean of up to ${most} steps); learning rate ` +
    `${values.now.lr === null ? "–" : kit.short(values.now.lr)}. ` +
    `Agreement with ${state.judge} × 100 ${from("validation", 1)}, mean cosine ${from("mean_cosine", 2)}. ${state.note}`
  );
};
