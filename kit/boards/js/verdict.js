// How many seeds does a verdict take? A true effect, its spread between seeds, and the chance to replicate.
// state: {quantiles (Student's t for first, first + 1 … seeds), first, margin, parts, promises, verdicts}
// The same in Python: verdict_values in kit/boards/verdict_widget.py, and kit/course/papers/power.py.

const title = "Seeds and verdicts";

const controls = (state) => [
  toTry(
    {
      "three seeds": { effect: 0.8, spread: 0.8, seeds: 3 },
      "ten seeds": { effect: 0.8, spread: 0.8, seeds: 10 },
      "no effect at all": { effect: 0, spread: 0.8, seeds: 10 },
    },
    { label: "cases to try" },
  ),
  { kind: "slider", name: "effect", label: "effect, points", min: -3, max: 3, step: 0.1, value: 0.8 },
  {
    kind: "slider",
    name: "spread",
    label: "spread",
    full: "spread between seeds, in points",
    min: 0,
    max: 3,
    step: 0.1,
    value: 0.8,
    tell: (v) => `${kit.short(v)} points`,
  },
  {
    kind: "slider",
    name: "seeds",
    label: "seeds",
    full: "number of seeds",
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

const motion = ({ low, high, halves, chances, chance }) => ({ low, high, halves, chances, chance });

const END = 4;
const clip = (v) => Math.min(Math.max(v, -END), END);

// Runs with exactly this mean and this spread: evenly spread, then scaled.
const runsOf = (effect, spread, seeds) => {
  const even = Array.from({ length: seeds }, (_, k) => k - (seeds - 1) / 2),
    size = Math.sqrt(even.reduce((sum, v) => sum + v * v, 0) / Math.max(1, seeds - 1)) || 1;
  return even.map((v) => effect + (spread * v) / size);
};

const inked = (colour) => `class="kit-small kit-strong" style="fill:${kit.ink(colour)}"`,
  haloed = (colour) => `class="kit-small kit-halo" style="fill:${kit.ink(colour)}"`,
  HALO = 'class="kit-small kit-halo"';

// The promise, the runs as dots, and the interval under them, on one line.
const onOneLine = (values, { effect, spread, seeds, promise }, state) => {
  const { width } = kit.room,
    { colour } = look(state, values.verdict),
    { after, positive } = kit.COLOURS,
    head = kit.heading({ title: `${seeds} runs, and what they prove` }, width),
    top = head.height,
    [from, to] = limits(state, promise).map(clip);
  const x = (v) => 12 + ((clip(v) + END) / (2 * END)) * (width - 24),
    y = top + 34;
  const runs = runsOf(effect, spread, seeds),
    beyond = [-1, 1].map((side) => runs.filter((v) => side * v > END).length);
  const outside = beyond.map((count, k) =>
    count
      ? kit.text(
          k ? width - 12 : 12,
          y - 26,
          k ? `${count} beyond →` : `← ${count} beyond`,
          k ? "end" : "start",
          kit.SMALL,
        )
      : "",
  );
  const dots = runs
    .filter((v) => Math.abs(v) <= END)
    .map((v) => `<circle cx="${kit.round(x(v))}" cy="${y - 14}" r="5" fill="${after}"/>`);
  // An end beyond the picture has an arrow head instead of a cap.
  const heads = [
    [values.low, -1],
    [values.high, 1],
  ]
    .filter(([v]) => Math.abs(v) > END)
    .map(([v, way]) => `<path d="M${x(v) + 3 * way} ${y + 6}l${-13 * way} -9v18z" fill="${colour}"/>`);
  const ends = [values.low, values.high]
    .filter((v) => Math.abs(v) <= END)
    .map((v) => `M${kit.round(x(v))} ${y - 2}v16`)
    .join("");
  const roomy = width > 500,
    told = `95 %${roomy ? " interval" : ""}: ${values.verdict}`,
    half = 3.8 * told.length; // pixels of half these words
  // They stand under the middle of the interval, beside an edge of the promise and left of its name.
  const beside = [from, to]
    .map(x)
    .reduce(
      (at, edge) => (Math.abs(at - edge) < half + 6 ? edge + (at < edge ? -1 : 1) * (half + 6) : at),
      (x(values.low) + x(values.high)) / 2,
    );
  const rightmost = width - (roomy ? 240 : 80) - half;
  return kit.svg(
    width,
    top + 100,
    "the runs, their interval and the promise",
    head.inside +
      kit.rect(x(from), top, x(to) - x(from), 74, `fill="${positive}" fill-opacity="0.16" stroke="${positive}"`) +
      kit.text(
        width - 18,
        top + 66,
        width > 500 ? `green: the promise, ${promise}` : "promise",
        "end",
        inked(positive),
      ) +
      `<path class="kit-axis" d="M12 ${top + 74}H${width - 12}M${x(0)} ${top}V${top + 78}"/>` +
      dots.join("") +
      outside.join("") +
      `<path d="M${kit.round(x(values.low))} ${y + 6}H${kit.round(x(values.high))}" stroke="${colour}" ` +
      `stroke-width="5"/><path d="${ends}" stroke="${colour}" stroke-width="3"/>${heads.join("")}` +
      kit.text(Math.max(12 + half, Math.min(beside, rightmost)), top + 66, told, "middle", inked(colour)) +
      [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((v) => kit.text(x(v), top + 92, signed(v, 0), "middle", kit.SMALL)).join(""),
  );
};

const LOWEST = -4.5,
  HIGHEST = 4.5, // points: what the picture of the narrowing interval shows, of the largest effects too
  FINE = 12; // pieces of the band from one number of seeds to the next, so that its edges are cut where they leave

// The band between the ends of the interval, in the colour of the verdict that they give.
const bandOf =
  ({ halves }, effect, verdicts, state) =>
  (px, py) => {
    const kept = (v) => Math.min(Math.max(v, LOWEST), HIGHEST),
      half = (at) => {
        const i = Math.min(Math.floor(at), halves.length - 2);
        return halves[i] + (at - i) * (halves[i + 1] - halves[i]);
      };
    const edge = (sign, at) => `${kit.round(px(state.first + at))} ${kit.round(py(kept(effect + sign * half(at))))}`;
    const places = Array.from({ length: (halves.length - 1) * FINE + 1 }, (_, k) => k / FINE);
    const area = (name) => {
      const pieces = places.slice(1).map((to, k) => {
        const from = places[k];
        if (verdicts[Math.floor(from + 1e-9)] !== name) return "";
        return `M${edge(1, from)}L${edge(1, to)}L${edge(-1, to)}L${edge(-1, from)}Z`;
      });
      return `<path d="${pieces.join("")}" fill="${look(state, name).colour}"/>`;
    };
    return state.verdicts
      .filter((name) => verdicts.includes(name))
      .map(area)
      .join("");
  };

const level = (state, values, at) => ({
  colour: kit.COLOURS.neutral,
  dash: "6 4",
  quiet: true,
  points: [
    [state.first, at],
    [state.first + values.halves.length - 1, at],
  ],
});

// The interval by the number of seeds.
const narrowing = (values, { effect, seeds, promise }, state) => {
  const edges = promise === state.promises[0] ? [0] : limits(state, promise),
    last = state.first + values.halves.length - 1;
  const verdicts = values.halves.map((half) => judged(state, promise, effect - half, effect + half)),
    proven = verdicts.indexOf(state.verdicts[0]);
  // The name of the band that ends outside the promise, on its free side.
  const against = (px, py) => {
    const half = values.halves[values.halves.length - 1],
      name = state.verdicts[2],
      above = effect > -0.5 || effect < -2, // else the line of the promise and its name are there
      y = above ? py(effect + half) - 8 : py(effect - half) + 17;
    return verdicts[verdicts.length - 1] === name
      ? kit.text(
          px(last) - 4,
          Math.max(Math.min(y, py(LOWEST) - 5), py(HIGHEST) + 12),
          name,
          "end",
          haloed(look(state, name).colour),
        )
      : "";
  };
  const over = (px, py) => {
    const line = edges.length > 1 && effect < 0 ? py(edges[1]) - 6 : py(edges[0]) + 15,
      named = kit.text(px(last) - 4, line, `the promise: ${promise}`, "end", HALO);
    if (proven < 0) return named + against(px, py);
    const { colour } = look(state, state.verdicts[0]),
      [top, foot] = [1, -1].map((sign) => py(Math.min(effect + sign * values.halves[proven], HIGHEST)));
    const x = kit.round(px(state.first + proven));
    return (
      `${named}<path d="M${x} ${kit.round(top)}V${kit.round(foot)}" stroke="${colour}" stroke-width="2.5"/>` +
      kit.text(
        Math.min(x, px(last) - 200) + 4,
        // under a band that reaches the upper edge, and then under the line of the promise too
        top < py(HIGHEST) + 22 ? Math.max(foot + 17, py(edges[0]) + 15) : top - 8,
        "proven in a typical trial",
        "start",
        haloed(colour),
      )
    );
  };
  return kit.lines({
    title: "The interval narrows with seeds",
    x: "seeds",
    y: "points",
    xmin: state.first,
    xmax: last,
    ymin: LOWEST,
    ymax: HIGHEST,
    marker: seeds,
    height: kit.room.columns < 2 ? 175 : 230, // on a phone both stand below the controls
    legend: [],
    series: edges.map((at) => level(state, values, at)),
    under: bandOf(values, effect, verdicts, state),
    over,
  });
};

const chanceBySeeds = (values, { seeds, wanted }, state) => {
  const count = (i) => state.first + i,
    last = count(values.chances.length - 1),
    { positive } = kit.COLOURS;
  const over = (px, py) => {
    // A curve that is up early leaves the right end of the line free, any other the left.
    const early = values.enough && values.enough < 0.6 * last,
      start = px(state.first) + 6,
      free = px(seeds) < start + 90 && px(seeds) > start - 8 ? px(seeds) + 8 : start, // not under the dashed line
      [x0, y0, side] = early ? [px(last) - 4, py(wanted) + 15, "end"] : [free, py(wanted) - 6, "start"],
      named = kit.text(x0, y0, `${kit.fixed(wanted, 0)} % wanted`, side, HALO);
    if (!values.enough) return named;
    const enough = `${values.enough} for a chance of ${kit.fixed(wanted, 0)} %`;
    const [x, y] = [px(values.enough), py(100 * values.chances[values.enough - state.first])].map(kit.round);
    return (
      `${named}<path class="kit-marker" d="M${x} ${y}V${kit.round(py(0))}"/>` +
      `<circle cx="${x}" cy="${y}" r="5.5" fill="none" stroke="${positive}" stroke-width="2.5"/>` +
      (x + 160 < px(last)
        ? kit.text(x + 7, py(0) - 8, enough, "start", HALO)
        : kit.text(x - 7, py(0) - 8, enough, "end", HALO))
    );
  };
  return kit.lines({
    title: "The chance to replicate",
    x: "seeds",
    y: "chance in %",
    xmin: state.first,
    xmax: last,
    ymin: 0,
    ymax: 100,
    marker: seeds,
    height: kit.room.columns < 2 ? 175 : 230, // on a phone both stand below the controls
    legend: [],
    series: [
      { colour: positive, points: values.chances.map((p, i) => [count(i), 100 * p]) },
      level(state, values, wanted),
    ],
    over,
  });
};

// Is the true effect outside what is promised, so that no number of seeds proves it?
const hopeless = (state, { effect, promise }) => {
  const [lowest, highest] = limits(state, promise);
  return effect <= lowest || effect >= highest;
};

const lead = (values, chosen, state) => {
  const { effect, seeds, wanted, promise } = chosen,
    first = promise === state.promises[0],
    what = first && effect === 0 ? "prove what is not there" : `prove an effect of ${signed(effect, 1)}`,
    chance = kit.told(`${kit.fixed(100 * values.chance, 0)} %`, kit.COLOURS.positive),
    most = state.first + state.quantiles.length - 1;
  if (hopeless(state, chosen))
    return (
      `${seeds} seeds ${first && effect === 0 ? what : `prove ${signed(effect, 1)} to be ${kit.escape(promise)}`} ` +
      `in ${chance} of trials; no number reaches ${kit.fixed(wanted, 0)} %`
    );
  return (
    `${seeds} seeds ${what}${first ? "" : ` to be ${kit.escape(promise)}`} in ${chance} of trials; ` +
    `${kit.fixed(wanted, 0)} % takes ${values.enough ? `${kit.told(values.enough)} seeds` : `over ${most}`}`
  );
};

const draw = (values, chosen, state) => [
  kit.wide(onOneLine(values, chosen, state)),
  narrowing(values, chosen, state),
  chanceBySeeds(values, chosen, state),
];

const brief = (values, chosen, state) => {
  const { seeds, wanted, promise } = chosen,
    most = state.first + state.quantiles.length - 1,
    { positive } = kit.COLOURS;
  return (
    `With ${seeds} seeds “${kit.escape(promise)}” replicates with a chance of ` +
    `${kit.told(`${kit.fixed(100 * values.chance, 0)} %`, positive)}` +
    (hopeless(state, chosen)
      ? ": the true effect lies outside the promise. "
      : `. For ${kit.fixed(wanted, 0)} % ` +
        (values.enough ? `it takes ${kit.told(values.enough)} seeds. ` : `not even ${most} seeds are enough. `)) +
    `The verdict on runs like those drawn: ${kit.told(values.verdict, look(state, values.verdict).colour)}.`
  );
};

const signed = (value, digits = 2) =>
  (value < 0 || Object.is(value, -0) || (digits === 0 && value === 0) ? "" : "+") + kit.fixed(value, digits);

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
