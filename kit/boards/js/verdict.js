// How many seeds does a verdict take? An effect, its spread between seeds, the 95 % interval, the verdict.
// state: {quantiles (Student's t for first, first + 1 … seeds), first, margin, promises, verdicts}
// The same in Python: verdict_values in kit/boards/verdict_widget.py.

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
  { kind: "choice", name: "promise", label: "promise", options: state.promises, value: state.promises[0] },
];

const limits = (state, promise) =>
  promise === state.promises[0] ? [0, Number.MAX_VALUE] : [-state.margin, state.margin];

const judged = (state, promise, effect, half) => {
  const [low, high] = limits(state, promise),
    [replicates, same, not] = state.verdicts;
  if (!(low < effect && effect < high)) return not;
  return low < effect - half && effect + half < high ? replicates : same;
};

const compute = (state, { effect, spread, seeds, promise }) => {
  const halves = state.quantiles.map((t, i) => (t * spread) / Math.sqrt(state.first + i));
  const found = halves.map((half) => judged(state, promise, effect, half));
  const half = halves[seeds - state.first],
    fewest = found.indexOf(state.verdicts[0]);
  return {
    low: effect - half,
    high: effect + half,
    verdict: found[seeds - state.first],
    halves,
    enough: fewest < 0 ? 0 : state.first + fewest,
  };
};

const look = (state, verdict) =>
  ({
    [state.verdicts[0]]: { colour: kit.COLOURS.positive, shape: "dot" },
    [state.verdicts[1]]: { colour: kit.COLOURS.before, shape: "ring" },
    [state.verdicts[2]]: { colour: kit.COLOURS.negative, shape: "cross" },
  })[verdict];

const draw = (values, { effect, seeds, promise }, state) => {
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
      title: `the interval: ${values.verdict}`,
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
      arrows: [values.low, values.high].map((end) => ({ from: [cut(effect), 0.5], to: [cut(end), 0.5], colour })),
    }),
    kit.lines({
      title: "the same effect with more seeds",
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
  ];
};

const signed = (value) => (value < 0 || Object.is(value, -0) ? "" : "+") + kit.fixed(value);

const summary = (values, { effect, spread, seeds, promise }, state) => {
  const most = state.first + state.quantiles.length - 1;
  return (
    `Effect ${signed(effect)}, spread ${kit.fixed(spread)} between seeds: with ${seeds} seeds the 95 % interval ` +
    `goes from ${signed(values.low)} to ${signed(values.high)}, and the promise “${promise}” gets the verdict: ` +
    `${values.verdict}. ` +
    (values.enough
      ? `With this effect and spread it takes ${values.enough} seeds to replicate.`
      : `With this effect and spread not even ${most} seeds would make it replicate.`)
  );
};
