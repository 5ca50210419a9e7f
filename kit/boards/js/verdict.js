// How many seeds does a verdict take? A true effect, its spread between seeds, and the chance to replicate.
// state: {quantiles (Student's t for first, first + 1 … seeds), first, margin, parts, promises, verdicts}
// The same in Python: verdict_values in kit/boards/verdict_widget.py, and kit/course/papers/power.py.

const controls = (state) => [
  { kind: "slider", name: "effect", label: "effect, points", min: -3, max: 3, step: 0.1, value: 0.8 },
  { kind: "slider", name: "spread", label: "spread between seeds", min: 0, max: 3, step: 0.1, value: 0.8 },
  {
    kind: "slider",
    name: "seeds",
    label: "seeds",
    min: state.first,
    max: state.first + state.quantiles.length - 1,
    step: 1,
    value: 3,
  },
  { kind: "slider", name: "wanted", label: "chance wanted, %", min: 50, max: 95, step: 5, value: 80 },
  { kind: "choice", name: "promise", label: "promise", options: state.promises, value: state.promises[0] },
];

const limits = (state, promise) => (promise === state.promises[0] ? [0, Infinity] : [-state.margin, state.margin]);

const judged = (state, promise, low, high) => {
  const [lowest, highest] = limits(state, promise),
    [replicates, undecided, contradicted] = state.verdicts;
  if (lowest < low && high < highest) return replicates;
  const nothing = promise === state.promises[0] && low <= 0 && 0 <= high && -state.margin < low && high < state.margin;
  return high <= lowest || low >= highest || nothing ? contradicted : undecided;
};

// The probability that a normal variable is below z (Marsaglia 2004: all terms have one sign).
const normal = (z) => {
  if (Math.abs(z) > 7.5) return z > 0 ? 1 : 0;
  let sum = z,
    term = z;
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) {
    term *= (z * z) / i;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
};

// The chance that the interval lies within the limits: a mean over s, the measured spread over the true one.
const chanceOf = (state, promise, effect, spread, seeds) => {
  const [lowest, highest] = limits(state, promise);
  if (spread === 0) return lowest < effect && effect < highest ? 1 : 0;
  const error = spread / Math.sqrt(seeds),
    t = state.quantiles[seeds - state.first],
    freedom = seeds - 1,
    step = (1 + 6 / Math.sqrt(freedom)) / state.parts;
  let total = 0,
    weights = 0;
  for (let i = 0; i <= state.parts; i++) {
    const s = i * step,
      density = Math.exp((-freedom * (s * s - 1)) / 2) * s ** (freedom - 1),
      weight = density * (i === 0 || i === state.parts ? 1 : i % 2 ? 4 : 2);
    weights += weight;
    const within = normal((highest - effect) / error - t * s) - normal((lowest - effect) / error + t * s);
    total += weight * Math.max(0, within);
  }
  return total / weights;
};

const compute = (state, { effect, spread, seeds, wanted, promise }) => {
  const count = (i) => state.first + i,
    halves = state.quantiles.map((t, i) => (t * spread) / Math.sqrt(count(i)));
  const chances = halves.map((_, i) => chanceOf(state, promise, effect, spread, count(i)));
  const half = halves[seeds - state.first],
    fewest = chances.findIndex((chance) => chance >= wanted / 100);
  return {
    low: effect - half,
    high: effect + half,
    verdict: judged(state, promise, effect - half, effect + half),
    halves,
    chances,
    chance: chances[seeds - state.first],
    enough: fewest < 0 ? 0 : count(fewest),
  };
};

const look = (state, verdict) =>
  ({
    [state.verdicts[0]]: { colour: kit.COLOURS.positive, shape: "dot" },
    [state.verdicts[1]]: { colour: kit.COLOURS.before, shape: "ring" },
    [state.verdicts[2]]: { colour: kit.COLOURS.negative, shape: "cross" },
  })[verdict];

const draw = (values, { effect, seeds, wanted, promise }, state) => {
  const { colour, shape } = look(state, values.verdict),
    edges = promise === state.promises[0] ? [0] : limits(state, promise);
  const cut = (value) => Math.min(Math.max(value, -6), 6),
    count = (i) => state.first + i;
  const edge = (side, name) => ({
    name,
    colour: kit.COLOURS.after,
    points: values.halves.map((half, i) => [count(i), cut(effect + side * half)]),
  });
  return [
    kit.points({
      title: `if the runs came out exactly so: ${values.verdict}`,
      x: "effect in points",
      y: "",
      noyticks: true,
      xmin: -6,
      xmax: 6,
      ymin: 0,
      ymax: 1,
      height: 200,
      points: [{ x: cut(effect), y: 0.5, colour, shape }],
      lines: edges.map((at) => ({ from: [at, 0], to: [at, 1] })),
      arrows: [values.low, values.high].map((end) => ({
        from: [cut(effect), 0.5],
        to: [cut(end), 0.5],
        colour,
        label: signed(end),
      })),
    }),
    kit.lines({
      title: "the same interval with more seeds",
      x: "seeds",
      y: "ends of the interval, points",
      xmin: state.first,
      xmax: count(values.halves.length - 1),
      ymin: -6,
      ymax: 6,
      marker: seeds,
      height: 260,
      series: [
        edge(1, "upper end"),
        edge(-1, "lower end"),
        ...edges.map((at) => ({
          name: "promise",
          colour: kit.COLOURS.neutral,
          points: [
            [state.first, at],
            [count(values.halves.length - 1), at],
          ],
        })),
      ],
    }),
    kit.lines({
      title: `the chance to replicate with ${seeds} seeds: ${kit.fixed(100 * values.chance, 0)} %`,
      x: "seeds",
      y: "chance in %",
      xmin: state.first,
      xmax: count(values.chances.length - 1),
      ymin: 0,
      ymax: 100,
      marker: seeds,
      height: 260,
      series: [
        {
          name: "chance to replicate",
          colour: kit.COLOURS.positive,
          points: values.chances.map((p, i) => [count(i), 100 * p]),
        },
        {
          name: "wanted",
          colour: kit.COLOURS.neutral,
          points: [
            [state.first, wanted],
            [count(values.chances.length - 1), wanted],
          ],
        },
      ],
    }),
  ];
};

const signed = (value) => (value < 0 || Object.is(value, -0) ? "" : "+") + kit.fixed(value);

const summary = (values, { effect, spread, seeds, wanted, promise }, state) => {
  const most = state.first + state.quantiles.length - 1,
    goal = `${kit.fixed(wanted, 0)} %`;
  return (
    `True effect ${signed(effect)}, spread ${kit.fixed(spread)} between seeds, ${seeds} seeds: the promise ` +
    `“${promise}” replicates with a chance of ${kit.fixed(100 * values.chance, 0)} %. ` +
    (values.enough
      ? `For ${goal} it takes ${values.enough} seeds.`
      : `For ${goal} not even ${most} seeds are enough.`) +
    ` Runs that came out exactly so would have the 95 % interval ${signed(values.low)} to ${signed(values.high)}: ` +
    `${values.verdict}.`
  );
};
