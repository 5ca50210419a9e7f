// How many seeds does a verdict take? An effect, the spread of the difference, and the chance to replicate.
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
    full: "spread of the difference, in points",
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

// Whether a difference was promised, and the interval holds zero and nothing of a size that counts.
const noEffect = (state, promise, low, high) =>
  promise === state.promises[0] && low <= 0 && 0 <= high && -state.margin < low && high < state.margin;

const outside = (state, promise, low, high) => {
  const [lowest, highest] = limits(state, promise);
  return high <= lowest || low >= highest;
};

const judged = (state, promise, low, high) => {
  const [lowest, highest] = limits(state, promise),
    [replicates, undecided, contradicted] = state.verdicts;
  if (lowest < low && high < highest) return replicates;
  const against = outside(state, promise, low, high) || noEffect(state, promise, low, high);
  return against ? contradicted : undecided;
};

// Why the verdict is so, as it is seen in the picture.
const reason = (state, promise, { low, high, verdict }) => {
  if (verdict === state.verdicts[0]) return `all of it ${promise}`;
  if (outside(state, promise, low, high)) return `none of it ${promise}`;
  if (verdict === state.verdicts[2]) return `no effect larger than ±${state.margin}`;
  return promise === state.promises[0]
    ? `on both sides of 0 and beyond ±${state.margin}`
    : `partly ${promise}, partly beyond`;
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

const haloed = (colour) => `class="kit-small kit-halo" style="fill:${kit.ink(colour)}"`,
  strong = (colour) => `class="kit-small kit-strong" style="fill:${kit.ink(colour)}"`,
  HALO = 'class="kit-small kit-halo"',
  DOTTED = "2 3"; // the limits within which an effect is none

const TALL = 62, // pixels of the runs and their interval
  NARROW = 320; // up to which words that share a line elsewhere do not, nor widely spaced ones
const isNarrow = () => kit.room.width <= kit.needed(NARROW / 7, 7);

// What the interval is held against: the promise in green, and where a difference is promised, the limits of none.
// Their names stand above them, where neither runs nor interval are.
const promised = (state, promise, x, top) => {
  const [from, to] = limits(state, promise).map((v) => x(clip(v))),
    { positive } = kit.COLOURS,
    first = promise === state.promises[0],
    narrow = isNarrow(),
    said = !first || kit.room.width > 500 ? `the promise: ${promise}` : "the promise";
  const [low, high] = [-state.margin, state.margin].map((v) => kit.round(x(v)));
  const none =
    `<path d="M${low} ${top + TALL}V${top - 4}H${high}V${top + TALL}" class="kit-rule" ` +
    `stroke-dasharray="${DOTTED}"/>` +
    kit.text(x(0), top - 10, `${narrow ? "" : "within "}±${state.margin}: no effect`, "middle", kit.SMALL);
  return (
    kit.rect(from, top, to - from, TALL, `fill="${positive}" fill-opacity="0.16" stroke="${positive}"`) +
    kit.text(first ? to : x(0), top - 10, said, first ? "end" : "middle", strong(positive)) +
    (first ? none : "")
  );
};

// The verdict and its reason, under the middle of the interval.
const verdictSaid = (values, { promise }, state, middle, y) => {
  const { width } = kit.room,
    { verdict } = values,
    why = reason(state, promise, values),
    tinted = [verdict, look(state, verdict).colour];
  const under = (parts, long, y) => {
    const half = 3.6 * long; // pixels of half so many letters
    return kit.tinted(Math.max(half, Math.min(middle, width - half)), y, parts, "middle");
  };
  if (!isNarrow()) return under([tinted, `: ${why}`], `${verdict}: ${why}`.length, y);
  return under([tinted], verdict.length, y) + under([why], why.length, y + kit.LINE);
};

// The promise, the runs as dots, and the interval under them, on one line.
const onOneLine = (values, chosen, state) => {
  const { effect, spread, seeds, promise } = chosen,
    { width } = kit.room,
    { colour } = look(state, values.verdict),
    head = kit.heading({ title: `${seeds} runs and their 95 % interval` }, width),
    top = head.height + 20,
    foot = top + TALL;
  const x = (v) => 12 + ((clip(v) + END) / (2 * END)) * (width - 24),
    y = top + 38;
  const runs = runsOf(effect, spread, seeds),
    beyond = [-1, 1].map((side) => runs.filter((v) => side * v > END).length);
  const outer = beyond.map((count, k) =>
    count
      ? kit.text(
          k ? width - 16 : 16,
          top + 12,
          k ? `${count} beyond →` : `← ${count} beyond`,
          k ? "end" : "start",
          kit.SMALL,
        )
      : "",
  );
  const dots = runs
    .filter((v) => Math.abs(v) <= END)
    .map((v) => `<circle cx="${kit.round(x(v))}" cy="${y - 12}" r="5" fill="${kit.COLOURS.after}"/>`);
  // An end beyond the picture has an arrow head instead of a cap.
  const heads = [
    [values.low, -1],
    [values.high, 1],
  ]
    .filter(([v]) => Math.abs(v) > END)
    .map(([v, way]) => `<path d="M${x(v) + 3 * way} ${y + 8}l${-13 * way} -9v18z" fill="${colour}"/>`);
  const ends = [values.low, values.high]
    .filter((v) => Math.abs(v) <= END)
    .map((v) => `M${kit.round(x(v))} ${y}v16`)
    .join("");
  return kit.svg(
    width,
    foot + 44 + (isNarrow() ? kit.LINE : 0),
    "the runs, their interval and the promise",
    head.inside +
      promised(state, promise, x, top) +
      `<path class="kit-axis" d="M12 ${foot}H${width - 12}M${x(0)} ${top}V${foot + 4}"/>` +
      dots.join("") +
      outer.join("") +
      `<path d="M${kit.round(x(values.low))} ${y + 8}H${kit.round(x(values.high))}" stroke="${colour}" ` +
      `stroke-width="5"/><path d="${ends}" stroke="${colour}" stroke-width="3"/>${heads.join("")}` +
      [-4, -3, -2, -1, 0, 1, 2, 3, 4]
        .map((v) => kit.text(x(v), foot + 18, signed(v, 0), "middle", kit.SMALL))
        .join("") +
      verdictSaid(values, chosen, state, (x(values.low) + x(values.high)) / 2, foot + 38),
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
      const own = places
        .slice(1)
        .map((to, k) => [places[k], to])
        .filter(([from]) => verdicts[Math.floor(from + 1e-9)] === name);
      const pieces = own.map(([from, to]) => `M${edge(1, from)}L${edge(1, to)}L${edge(-1, to)}L${edge(-1, from)}Z`);
      // An interval that goes on beyond the picture has no rim there.
      const ends = (sign, at) => effect + sign * half(at),
        out = (end) => end <= LOWEST || end >= HIGHEST,
        seen = (sign, from, to) => !(out(ends(sign, from)) && out(ends(sign, to)));
      const rims = own.flatMap(([from, to]) =>
        [1, -1].filter((sign) => seen(sign, from, to)).map((sign) => `M${edge(sign, from)}L${edge(sign, to)}`),
      );
      const { colour } = look(state, name);
      return (
        `<path d="${pieces.join("")}" fill="${colour}" fill-opacity="0.35"/>` +
        `<path d="${rims.join("")}" stroke="${colour}" stroke-width="2.4" fill="none"/>`
      );
    };
    return state.verdicts
      .filter((name) => verdicts.includes(name))
      .map(area)
      .join("");
  };

const level = (state, values, at, name, dash = "6 4") => ({
  name,
  colour: kit.COLOURS.neutral,
  dash,
  quiet: true,
  points: [
    [state.first, at],
    [state.first + values.halves.length - 1, at],
  ],
});

const wordsWide = (words) => 6.9 * words.length;

// Where words of a chart end, at its right end or left of the cursor that would strike them.
const beforeCursor = (right, words, cursor) =>
  cursor > right - wordsWide(words) - 6 && cursor < right + 6 ? cursor - 6 : right;

const TYPICAL = ["replicates", "stays undecided", "contradicts"]; // of the three verdicts, in their order
// The name of the band that the most seeds have: above it or, where there is no room, below; clear of every line.
const bandNamed =
  ({ halves }, { effect, seeds }, name, levels, state) =>
  (px, py) => {
    const last = state.first + halves.length - 1,
      verb = TYPICAL[state.verdicts.indexOf(name)],
      before = (words) => beforeCursor(px(last) - 4, words, px(seeds)),
      inside = (words) => before(words) - wordsWide(words) > px(state.first),
      said = [`a typical trial ${verb}`, verb].find(inside) ?? "",
      end = before(said),
      begins = halves.findIndex((_, i) => px(state.first + i + 1) > end - wordsWide(said)),
      lines = levels.map(py).sort((a, b) => a - b); // from the upper to the lower
    const above = [...lines]
      .reverse()
      .reduce((y, line) => (line > y - 13 && line < y + 5 ? line - 6 : y), py(effect + halves[begins]) - 7);
    const below = lines.reduce(
      (y, line) => (line > y - 13 && line < y + 5 ? line + 15 : y),
      py(effect - halves[begins]) + 17,
    );
    return kit.text(end, above > py(HIGHEST) + 11 ? above : below, said, "end", haloed(look(state, name).colour));
  };

// The interval by the number of seeds.
const narrowing = (values, chosen, state) => {
  const { effect, spread, seeds, promise } = chosen,
    { margin } = state,
    first = promise === state.promises[0],
    [edges, none] = first ? [[0], [margin, -margin]] : [[margin, -margin], []];
  const verdicts = values.halves.map((half) => judged(state, promise, effect - half, effect + half));
  const series = [
    ...edges.map((at, k) => level(state, values, at, k ? "" : `the promise: ${promise}`)),
    ...none.map((at, k) => level(state, values, at, k ? "" : `within ±${margin}: no effect`, DOTTED)),
  ];
  return kit.lines({
    title: `${spread ? "A typical interval narrows" : "Without spread an interval has no width"}, in points`,
    x: "seeds",
    xmin: state.first,
    xmax: state.first + values.halves.length - 1,
    ymin: LOWEST,
    ymax: HIGHEST,
    marker: seeds,
    height: kit.room.columns < 2 ? 165 : 230, // on a phone both stand below the controls
    legend: series.filter(({ name }) => name),
    series,
    under: bandOf(values, effect, verdicts, state),
    over: bandNamed(values, chosen, verdicts[verdicts.length - 1], [...edges, ...none], state),
  });
};

const chanceBySeeds = (values, { seeds, wanted }, state) => {
  const count = (i) => state.first + i,
    last = count(values.chances.length - 1),
    { positive } = kit.COLOURS,
    goal = level(state, values, wanted, `${kit.fixed(wanted, 0)} % wanted`);
  // Beside the foot of its line, and beyond the cursor where that would strike it.
  const foot = (px, y, x) => {
    const words = `${values.enough} seeds`,
      long = wordsWide(words) + 13,
      cursor = px(seeds),
      after = cursor > x && cursor < x + long ? cursor : x;
    if (after + long < px(last) + 14) return kit.text(after + 7, y, words, "start", HALO);
    return kit.text((cursor < x && cursor > x - long ? cursor : x) - 7, y, words, "end", HALO);
  };
  const over = (px, py) => {
    if (!values.enough) return "";
    const [x, y] = [px(values.enough), py(100 * values.chances[values.enough - state.first])].map(kit.round);
    return (
      `<path class="kit-marker" d="M${x} ${y}V${kit.round(py(0))}"/>` +
      `<circle cx="${x}" cy="${y}" r="5.5" fill="none" stroke="${positive}" stroke-width="2.5"/>` +
      foot(px, py(0) - 8, x)
    );
  };
  return kit.lines({
    title: "The chance to replicate, in %",
    x: "seeds",
    xmin: state.first,
    xmax: last,
    ymin: 0,
    ymax: 100,
    marker: seeds,
    height: kit.room.columns < 2 ? 165 : 230, // on a phone both stand below the controls
    legend: [goal],
    series: [{ colour: positive, points: values.chances.map((p, i) => [count(i), 100 * p]) }, goal],
    over,
  });
};

// In whole percent, unless what falls short of the chance wanted would be printed as it. Small chances have a decimal:
// that of a false gain is 2.5 %, and the integral gives now a little more, now a little less.
const FEW = 0.095;
const chanceSaid = ({ chance }, { wanted }) => {
  if (chance < wanted / 100 && kit.fixed(100 * chance, 0) === kit.fixed(wanted, 0))
    return `${kit.besideBound(100 * chance, wanted)} %`;
  return chance >= 0.001 && chance < FEW ? `${kit.fixed(100 * chance, 1)} %` : kit.percent(chance);
};

// Is the true effect outside what is promised, so that no number of seeds proves it?
const hopeless = (state, { effect, promise }) => {
  const [lowest, highest] = limits(state, promise);
  return effect <= lowest || effect >= highest;
};

const lead = (values, chosen, state) => {
  const { effect, seeds, wanted, promise } = chosen,
    first = promise === state.promises[0],
    nothing = first ? "prove what is not there" : `prove that there is no effect beyond ±${kit.short(state.margin)}`,
    effective = `prove an effect of ${signed(effect, 1)} to be ${kit.escape(promise)}`,
    what = effect === 0 ? nothing : effective,
    chance = kit.told(chanceSaid(values, chosen), kit.COLOURS.positive),
    most = state.first + state.quantiles.length - 1;
  if (hopeless(state, chosen))
    return (
      `${seeds} seeds ${first && effect === 0 ? what : `prove ${signed(effect, 1)} to be ${kit.escape(promise)}`} ` +
      `in ${chance} of trials; no number reaches ${kit.fixed(wanted, 0)} %`
    );
  return (
    `${seeds} seeds ${what} in ${chance} of trials; ` +
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
    kit.told(chanceSaid(values, chosen), positive) +
    (hopeless(state, chosen)
      ? ": the true effect lies outside the promise. "
      : `. For ${kit.fixed(wanted, 0)} % ` +
        (values.enough ? `it takes ${kit.told(values.enough)} seeds. ` : `not even ${most} seeds are enough. `)) +
    `The verdict on runs like those drawn: ${kit.told(values.verdict, look(state, values.verdict).colour)}.`
  );
};

const signed = (value, digits = 2) => {
  const said = kit.fixed(value, digits);
  return (said.startsWith("−") || (digits === 0 && value === 0) ? "" : "+") + said;
};

const summary = (values, chosen, state) => {
  const { effect, spread, seeds, wanted, promise } = chosen,
    most = state.first + state.quantiles.length - 1,
    goal = `${kit.fixed(wanted, 0)} %`;
  return (
    `True effect ${signed(effect)}, spread ${kit.fixed(spread)} of the difference between seeds, ${seeds} seeds: ` +
    `the promise “${promise}” replicates with a chance of ${chanceSaid(values, chosen)}. ` +
    (values.enough
      ? `For ${goal} it takes ${values.enough} seeds.`
      : `For ${goal} not even ${most} seeds are enough.`) +
    ` Runs that came out exactly so would have the 95 % interval ${signed(values.low)} to ${signed(values.high)}: ` +
    `${values.verdict}.`
  );
};
