// The same vectors, three numbers: how the ranking of two systems depends on a convention.
// state: {values: {system: {task: {all: [spearman, pearson], parts: [[spearman, pearson] …]}}},
//         tasks: {task: {names: […], pairs: […]}}, runs: {system: number of seeds}}
// The same in Python: conventions_values in kit/boards/conventions_widget.py.

const AGGREGATIONS = ["all", "mean", "wmean"],
  CORRELATIONS = ["Spearman", "Pearson"];
const YEARS = ["STS12", "STS13", "STS14", "STS15", "STS16"],
  FIVE = "mean of STS12–16";

const title = "Conventions: the average decides who wins";
const shares = [3, 2];

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
    others: AGGREGATIONS.filter((_, k) => gaps[k] * gaps[chosen] < 0),
    rows,
  };
};

// A system is not compared with itself: the menu that the reader has moved stays, the other takes another system.
const settle = (name, chosen, state) => {
  const other = { first: "second", second: "first" }[name];
  if (!other || chosen.first !== chosen.second) return {};
  return { [other]: Object.keys(state.values).find((system) => system !== chosen[name]) };
};

const motion = ({ first, second }) => ({ first, second });

const MEANT = { all: "all pairs at once", mean: "mean of the parts", wmean: "weighted by pairs" };

// The raw and the whitened space have the colours that they have on every board, in either place; what was trained is
// blue, and a second one green.
const huesOf = ({ first, second }) => {
  const { before, after, classify, positive } = kit.COLOURS,
    own = [first, second].map((name) => ({ raw: before, whitened: classify })[name]);
  return [own[0] ?? after, own[1] ?? (own[0] ? after : positive)];
};

// As both are shown: a headline names no leader of two numbers that look the same.
const shownGap = ({ first, second }, k) => kit.printed(second[k], 1) - kit.printed(first[k], 1);

const lead = (values, chosen) => {
  const { task, aggregation, first, second } = chosen,
    { others } = values,
    hues = huesOf(chosen),
    gap = shownGap(values, AGGREGATIONS.indexOf(aggregation));
  if (gap === 0) return `${kit.escape(task)}: level by “${aggregation}”`;
  const named = [kit.told(first, hues[0]), kit.told(second, hues[1])],
    [ahead, other] = gap > 0 ? named.reverse() : named,
    turned = others.map((name) => `“${name}”`).join(" and ");
  return others.length
    ? `${kit.escape(task)}: ${ahead} leads by “${aggregation}”, ${other} by ${turned}`
    : `${kit.escape(task)}: ${ahead} leads by all three averages`;
};

// How far the number of the middle dot moves from a line that rises (or falls) through its place.
const middleAside = ([left, here, right], above) => {
  const crossed = [left, right].map((v) => (above ? v > here : v < here));
  return crossed[0] === crossed[1] ? 0 : crossed[1] ? -17 : 17;
};

// Two systems under three averages: where the lines cross, the ranking turns.
const slopes = (values, chosen) => {
  const width = kit.room.first,
    hues = huesOf(chosen),
    legend = [chosen.first, chosen.second].map((name, k) => ({ name, colour: hues[k] })),
    head = kit.heading({ legend, y: `${chosen.correlation} × 100` }, width);
  const tall = 260,
    roomy = width > 420,
    all = [...values.first, ...values.second],
    low = Math.min(...all),
    size = Math.max(...all) - low || 1;
  const first = roomy ? 92 : 82, // so far from the numbers of the axis that a score is not read as one of them
    x = (k) => first + (k * (width - first - 70)) / 2,
    y = (v) => head.height + 20 + (1 - (v - low) / size) * (tall - 50);
  const system = (numbers, others, second) =>
    `<path d="M${numbers.map((v, k) => `${kit.round(x(k))} ${kit.round(y(v))}`).join("L")}" fill="none" ` +
    `stroke="${hues[second]}" stroke-width="3"/>` +
    numbers
      .map((v, k) => {
        const above = v > others[k] || (v === others[k] && second === 1),
          near = Math.abs(y(v) - y(others[k])) < 16, // two numbers beside each other's dots would meet
          beside = y(v) + 4 + (near ? (above ? -8 : 8) : 0),
          aside = k === 1 ? middleAside(numbers, above) : 0;
        const number = [
          [x(k) - 10, beside, "end"],
          [x(k) + aside, y(v) + (above ? -10 : 19), "middle"],
          [x(k) + 10, beside, "start"],
        ][k]; // outside at both ends, where no line runs
        return (
          `<circle cx="${kit.round(x(k))}" cy="${kit.round(y(v))}" r="5.5" fill="${hues[second]}"/>` +
          kit.text(number[0], number[1], kit.fixed(v, 1), number[2], 'class="kit-halo"')
        );
      })
      .join("");
  // The axis begins where the numbers do: its ticks say so.
  const ticks = kit
    .ticks(low, low + size, 6)
    .map(
      (v) =>
        `<path class="kit-grid" d="M36 ${kit.round(y(v))}H${width - 20}"/>` +
        kit.text(30, y(v) + 4, kit.short(v), "end", kit.SMALL),
    );
  const columns = AGGREGATIONS.map((name, k) => {
    const gap = shownGap(values, k),
      [lead, colour] = gap > 0 ? [chosen.second, hues[1]] : [chosen.first, hues[0]],
      ahead = gap ? `${lead} +${kit.fixed(Math.abs(gap), 1)}` : "level",
      lower = k === 1 && !roomy && kit.needed(ahead.length, kit.BOLD) > x(1) - x(0) ? kit.LINE : 0,
      strong = name === chosen.aggregation ? 'class="kit-small kit-strong"' : kit.SMALL;
    return (
      `<path class="${name === chosen.aggregation ? "kit-marker" : "kit-grid"}" d="M${kit.round(x(k))} ` +
      `${head.height}V${head.height + tall}"/>` +
      [
        [values.first, values.first[k] > values.second[k]],
        [values.second, values.second[k] >= values.first[k]],
      ] // no cursor runs through a number
        .map(([system, above]) =>
          k !== 1
            ? ""
            : kit.rect(
                x(k) + middleAside(system, above) - 16,
                y(system[k]) + (above ? -22 : 8),
                32,
                14,
                'class="kit-plain"',
              ),
        )
        .join("") +
      kit.text(x(k), head.height + tall + 16, roomy ? MEANT[name] : name, "middle", strong) +
      (roomy ? kit.text(x(k), head.height + tall + 33, `(${name})`, "middle", kit.SMALL) : "") +
      kit.tinted(
        x(k),
        head.height + tall + (roomy ? 56 : 36) + lower,
        [gap ? [ahead, colour] : ahead],
        "middle",
        'class="kit-strong"',
      )
    );
  });
  return kit.svg(
    width,
    head.height + tall + 62,
    "two systems under three averages",
    head.inside +
      ticks.join("") +
      columns.join("") +
      system(values.first, values.second, 0) +
      system(values.second, values.first, 1),
  );
};

const draw = (values, chosen, state) => {
  const hues = huesOf(chosen),
    gaps = values.rows.map((row) => row[3] - row[2]),
    widest = Math.max(1, ...gaps.map(Math.abs));
  const what = chosen.task === FIVE ? `years, ${chosen.aggregation}` : "subsets";
  return [
    slopes(values, chosen),
    kit.bars({
      width: kit.room.second,
      title: `${chosen.second} minus ${chosen.first}, by ${what}`,
      legend: [
        { name: `${chosen.first} ahead`, colour: hues[0], shape: "box" },
        { name: `${chosen.second} ahead`, colour: hues[1], shape: "box" },
      ],
      horizontal: true,
      above: true,
      labels: values.rows.map((row) => `${row[0]} (${row[1]} pairs)`),
      values: gaps,
      colours: gaps.map((gap) => (gap > 0 ? hues[1] : hues[0])),
      min: -1.08 * widest, // room for the number of the longest bar
      max: widest,
      digits: 1,
    }) +
      '<p class="kit-note">“all” also ranks pairs of one subset against those of another; the other two look inside ' +
      `each subset alone. ${kit.escape(seeds(state, chosen))}</p>`,
  ];
};

// “all” is a name here, not all of them.
const quoted = (names) => names.map((name) => `“${name}”`).join(" and ");

const brief = (values, chosen) => {
  const { first, second, aggregation } = chosen,
    k = AGGREGATIONS.indexOf(aggregation),
    gap = shownGap(values, k),
    hues = huesOf(chosen);
  const [a, b] = [values.first, values.second].map((system, i) => kit.told(kit.fixed(system[k], 1), hues[i]));
  const said = `By “${aggregation}” ${kit.escape(first)} has ${a}, ${kit.escape(second)} ${b}`;
  if (gap === 0) return `${said}: level.`;
  const ahead = `${said}: ${kit.told(gap > 0 ? second : first, hues[Number(gap > 0)])} leads`;
  return values.others.length
    ? `${ahead}; by ${quoted(values.others)} ${kit.told("the ranking turns")}.`
    : `${ahead}, by the other two averages as well.`;
};

const seeds = ({ runs }, { first, second }) =>
  [...new Set([first, second])]
    .map((name) => (runs[name] > 1 ? `${name}: mean of ${runs[name]} seeds` : `${name}: not trained`))
    .join("; ");

const summary = (values, { first, second, task, aggregation, correlation }) => {
  const k = AGGREGATIONS.indexOf(aggregation),
    gap = shownGap(values, k);
  const said =
    `${task[0].toUpperCase()}${task.slice(1)}, ${correlation} × 100, ${aggregation}: ${first} ` +
    `${kit.fixed(values.first[k], 1)}, ${second} ${kit.fixed(values.second[k], 1)}. `;
  if (gap === 0) return `${said}The two are level.`;
  const ahead = `${said}${gap > 0 ? second : first} is ahead by ${kit.fixed(Math.abs(gap), 1)}. `;
  return (
    ahead +
    (values.others.length
      ? `By ${quoted(values.others)} the ranking is the other way round.`
      : "The other two aggregations rank them the same way.")
  );
};
