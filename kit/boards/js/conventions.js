// The same vectors, three numbers: how the ranking of two systems depends on a convention.
// state: {values: {system: {task: {all: [spearman, pearson], parts: [[spearman, pearson] …]}}},
//         tasks: {task: {names: […], pairs: […]}}, runs: {system: number of seeds}}
// The same in Python: conventions_values in kit/boards/conventions_widget.py.

const AGGREGATIONS = ["all", "mean", "wmean"],
  CORRELATIONS = ["Spearman", "Pearson"];
const YEARS = ["STS12", "STS13", "STS14", "STS15", "STS16"],
  FIVE = "mean of STS12–16";

const controls = (state) => {
  const systems = Object.keys(state.values);
  return [
    { kind: "choice", name: "first", label: "first system", options: systems, value: systems[0] },
    { kind: "choice", name: "second", label: "second system", options: systems, value: systems[1] },
    { kind: "choice", name: "task", label: "task", options: [FIVE, ...Object.keys(state.tasks)], value: FIVE },
    { kind: "choice", name: "aggregation", label: "aggregation", options: AGGREGATIONS, value: "all" },
    { kind: "choice", name: "correlation", label: "correlation", options: CORRELATIONS, value: "Spearman" },
  ];
};

const sum = (values) => values.reduce((a, b) => a + b, 0);

// all, mean and wmean of one task
const aggregated = (of, pairs, which) => {
  const parts = of.parts.map((part) => part[which]);
  return [of.all[which], sum(parts) / parts.length, sum(parts.map((v, i) => v * pairs[i])) / sum(pairs)];
};

const compute = (state, { first, second, task, aggregation, correlation }) => {
  const which = CORRELATIONS.indexOf(correlation),
    chosen = AGGREGATIONS.indexOf(aggregation);
  const pair = [first, second].map((name) => state.values[name]);
  const years = task === FIVE ? YEARS.filter((name) => name in state.tasks) : [task];
  const of = pair.map((system) => years.map((year) => aggregated(system[year], state.tasks[year].pairs, which)));
  const means = of.map((system) => AGGREGATIONS.map((_, k) => sum(system.map((year) => year[k])) / years.length));
  const rows =
    task === FIVE
      ? years.map((year, i) => [year, sum(state.tasks[year].pairs), ...of.map((system) => system[i][chosen])])
      : state.tasks[task].names.map((name, i) => [
          name,
          state.tasks[task].pairs[i],
          ...pair.map((s) => s[task].parts[i][which]),
        ]);
  const gaps = means[0].map((value, k) => means[1][k] - value);
  return {
    first: means[0],
    second: means[1],
    difference: gaps[chosen],
    others: AGGREGATIONS.filter((_, k) => gaps[k] * gaps[chosen] < 0),
    rows,
  };
};

const draw = (values, chosen, state) => {
  const { before, after, positive, negative } = kit.COLOURS,
    faint = "55";
  const labels = AGGREGATIONS.flatMap((name) => [`${name}: ${chosen.first}`, `${name}: ${chosen.second}`]);
  const bars = AGGREGATIONS.flatMap((_, k) => [values.first[k], values.second[k]]);
  const colours = AGGREGATIONS.flatMap((name) =>
    [before, after].map((c) => (name === chosen.aggregation ? c : c + faint)),
  );
  const gaps = values.rows.map((row) => row[3] - row[2]),
    widest = Math.max(1, ...gaps.map(Math.abs));
  const what = chosen.task === FIVE ? `years, ${chosen.aggregation}` : "subsets";
  return [
    kit.bars({
      title: `${chosen.task}: three numbers of the same vectors`,
      x: "aggregation and system",
      y: `${chosen.correlation} × 100`,
      labels,
      values: bars,
      colours,
      min: Math.min(0, ...bars),
      max: 1.15 * Math.max(1, ...bars),
      digits: 1,
    }),
    kit.bars({
      title: `${chosen.second} less ${chosen.first}`,
      x: `difference in ${chosen.correlation} × 100, by ${what} (pairs)`,
      horizontal: true,
      labels: values.rows.map((row) => `${row[0]} (${row[1]})`),
      values: gaps,
      colours: gaps.map((gap) => (gap > 0 ? positive : negative)),
      min: -widest,
      max: widest,
      digits: 1,
      left: 170,
    }),
    kit.table({
      title: seeds(state, chosen),
      head: ["", "pairs", chosen.first, chosen.second],
      rows: values.rows.map(([name, pairs, a, b]) => [name, pairs, kit.fixed(a, 1), kit.fixed(b, 1)]),
    }),
  ];
};

const seeds = ({ runs }, { first, second }) =>
  [...new Set([first, second])]
    .map((name) => (runs[name] > 1 ? `${name}: mean of ${runs[name]} seeds` : `${name}: not trained`))
    .join("; ");

const summary = (values, { first, second, task, aggregation, correlation }) => {
  const k = AGGREGATIONS.indexOf(aggregation),
    gap = values.difference;
  const said =
    `${task[0].toUpperCase()}${task.slice(1)}, ${correlation} × 100, ${aggregation}: ${first} ` +
    `${kit.fixed(values.first[k], 1)}, ${second} ${kit.fixed(values.second[k], 1)}. `;
  if (gap === 0) return `${said}The two are level.`;
  const ahead = `${said}${gap > 0 ? second : first} is ahead by ${kit.fixed(Math.abs(gap), 1)}. `;
  return (
    ahead +
    (values.others.length
      ? `By ${values.others.join(" and ")} the ranking is the other way round.`
      : "The other two aggregations rank them the same way.")
  );
};
