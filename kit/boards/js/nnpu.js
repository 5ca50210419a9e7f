// The non-negative PU risk on points of a line.
// state: {positives [60], negatives [90], memories}
// The same in Python: nnpu_values in kit/boards/nnpu_widget.py.

const title = "A risk below zero, and the switch that stops it";

const MORE = "the classifier: boundary, steepness";
const controls = () => [
  toTry({
    "some learnt by heart": { memory: 2.5, prior: 0.4 },
    "nothing learnt by heart": { memory: 0, prior: 0.4 },
    "collapse: all learnt by heart": { memory: 6, prior: 0.4 },
    "a prior that is too high": { memory: 0, prior: 0.9 },
  }),
  {
    kind: "slider",
    name: "memory",
    label: "memory",
    full: "memory, added to the logits of the labelled",
    min: 0,
    max: 8,
    step: 0.5,
    value: 2.5,
  },
  { kind: "slider", name: "prior", label: "prior π", min: 0.05, max: 0.95, step: 0.05, value: 0.4 },
  {
    kind: "slider",
    name: "kept",
    label: "labels kept",
    min: 0.05,
    max: 0.9,
    step: 0.05,
    value: 0.1,
    tell: kit.percent, // as the lesson's figure counts them
  },
  { kind: "slider", name: "boundary", more: MORE, label: "boundary", min: -4, max: 4, step: 0.25, value: 0 },
  {
    kind: "slider",
    name: "steepness",
    more: MORE,
    label: "steepness",
    min: 0.2, // so that 2, where it starts, is in the middle
    max: 20,
    scale: "log",
    steps: 40,
    value: 2,
  },
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

const truePrior = ({ positives, negatives }) => positives.length / (positives.length + negatives.length);

// What takes R⁻ below zero where it is: more memory only lowers it, so what is below at memory 0 has another reason as
// well, and the largest part is named.
const HEART = "learning by heart",
  PRIOR = "the prior",
  CHANCE = "chance";
const reasonOf = (state, chosen) => {
  const unlearnt = (prior) => risks(state, { ...chosen, memory: 0, prior }).negative,
    [drawn, assumed] = [truePrior(state), chosen.prior].map(unlearnt);
  if (assumed >= 0) return HEART;
  if (drawn >= 0) return PRIOR;
  const added = [drawn, assumed - drawn, risks(state, chosen).negative - assumed];
  return [CHANCE, PRIOR, HEART][added.indexOf(Math.min(...added))];
};
const exceeds = (state, { prior }) => prior > truePrior(state) + 1e-9;

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

const folded = { from: 2, name: "what the classifier says, point by point" };

// From the least to the most that any memory gives, so that the scale hardly moves with that slider.
const reachOf = ({ positive, negative, curves }) => {
  const all = [0, positive, positive + negative, ...Object.values(curves).flat()],
    ends = [Math.min(...all), Math.max(...all)];
  return { low: Math.min(ends[0], -0.1), high: Math.max(ends[1], 0.1) };
};

const lead = (values, chosen, state) => {
  const { before, classify } = kit.COLOURS,
    told = (v, colour) => kit.told(digits(v), colour),
    first = reasonOf(state, chosen) === PRIOR ? "Prior too high: the" : "The";
  return `${first} naive risk says ${told(values.naive, before)}; new points cost ${told(values.new, classify)}`;
};

// R⁺ as it is printed: what is left of the printed sum, so that whoever adds the printed parts finds it.
const printedPositive = ({ negative, naive }) => kit.fixed(kit.printed(naive, 3) - kit.printed(negative, 3), 3);

const headline = ({ switched }) =>
  switched ? "R⁻ is below zero: nnPU turns it round" : "R⁻ is above zero: nnPU is the naive risk";

const SLIM = 5; // pixels: a bar that is not nothing is seen beside the line at zero
// One number line: R⁺ goes to the right, R⁻ goes on from there, and the sum may end where no true risk can be.
const line = (values) => {
  const { positive, negative, before, after, classify } = kit.COLOURS,
    { width } = kit.room,
    reach = Math.max(...Object.values(reachOf(values)).map(Math.abs)), // one scale at every memory, 0 in its middle
    [low, high] = [-reach, reach];
  const wide = width > 640;
  const rows = [
    [wide ? "R⁺, cost on the labelled" : "R⁺, labelled", 0, values.positive, positive],
    [wide ? "+ R⁻, cost on the others" : "+ R⁻, others", values.positive, values.negative, negative],
    ["= naive risk", 0, values.naive, before],
    ["nnPU instead", 0, values.nnpu, after],
    [wide ? "true risk, on new points" : "true risk, new", 0, values.new, classify],
  ];
  const [left, spare, right] = wide ? [186, 56, width - 60] : [104, 52, width - 46], // spare: for a number below zero
    step = 30,
    title = kit.wrapped(headline(values), width - 4, kit.BOLD),
    top = 34 + kit.LINE * title.length;
  const x = (v) => left + spare + ((v - low) / (high - low)) * (right - left - spare),
    foot = top + step * rows.length;
  const bar = ([name, from, v, colour], i) => {
    const said = i ? digits(v) : printedPositive(values);
    const y = top + i * step,
      [a, b] = [x(from), x(from + v)],
      long = Math.max(Math.abs(b - a), /[1-9]/.test(said) ? SLIM : 0),
      number = v < 0 ? kit.text(a - long - 6, y + 20, said, "end", BOLD) : null;
    return (
      kit.text(left - 6, y + 20, kit.cut(name, left - 6), "end", i === 2 || i === 3 ? BOLD : kit.SMALL) +
      kit.rect(v < 0 ? a - long : a, y + 5, long, step - 9, `rx="2" fill="${colour}"`) +
      (number ?? kit.text(a + long + 6, y + 20, said, "start", i === 2 || i === 3 ? BOLD : kit.SMALL)) +
      (i < 2 ? `<path class="kit-marker" d="M${kit.round(b)} ${y + step - 4}V${y + step + 5}"/>` : "")
    );
  };
  const BOLD = 'class="kit-small kit-strong"',
    apart = [0.05, 0.1, 0.2, 0.5, 1].find((one) => (high - low) / one < (wide ? 7 : 4)),
    scale = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].map((k) => k * apart).filter((v) => v >= low && v <= high);
  return kit.svg(
    width,
    foot + 26,
    "the risks on one line",
    kit.rect(left, top - 22, x(0) - left, foot - top + 26, `fill="${negative}" fill-opacity="0.1"`) +
      kit.text(x(0) - 8, top - 8, x(0) - left > 160 ? "a risk cannot be here" : "impossible", "end", kit.SMALL) +
      rows.map(bar).join("") +
      `<path d="M${x(0)} ${top - 22}V${foot + 4}" stroke="currentColor" stroke-width="2.5"/>` +
      scale.map((v) => kit.text(x(v), foot + 20, kit.short(v), "middle", v ? kit.SMALL : BOLD)).join("") +
      kit.paragraph(0, 14, title, "start", kit.TITLE),
  );
};

// What the classifier says by place: a curve for all, raised where a point is known, and below it who lies where.
const STRIPS = 3,
  STRIP = 0.16; // of the height of the curve
const sayings = (values, chosen, state) => {
  const { positive, negative, neutral, after } = kit.COLOURS,
    { labelled, others } = parts(state, chosen),
    { boundary, steepness, memory } = chosen,
    count = state.positives.length;
  const said = (x) => sigmoid(steepness * (x - boundary) - memory),
    places = Array.from({ length: 81 }, (_, k) => -4 + k / 10);
  const low = -STRIP * (STRIPS + 0.4);
  const strip = (px, py) => (name, xs, k, colour) =>
    xs
      .map((x) => {
        const [at, y] = [kit.round(px(x)), py(-STRIP * (k + 0.85))];
        return `<path d="M${at} ${kit.round(y - 6)}v12" stroke="${colour}" stroke-width="1.6"/>`;
      })
      .join("") + kit.text(px(-4) - 6, py(-STRIP * (k + 0.85)) + 4, name, "end", kit.SMALL);
  return kit.lines({
    title: memory
      ? "Learnt by heart: the labelled go up, all others down"
      : "Nothing learnt by heart: one curve for all",
    x: "position of the point",
    y: "says “positive” with this probability",
    xmin: -4,
    xmax: 4,
    ymin: low,
    ymax: 1,
    noyticks: true,
    height: kit.room.columns < 2 ? 224 : 290,
    left: 112,
    marker: boundary,
    legend: [{ name: "labelled positives (curve: all others)", colour: positive, shape: "dot" }],
    series: [{ points: places.map((x) => [x, said(x)]), colour: after, quiet: true }],
    over: (px, py) => {
      const row = strip(px, py),
        dots = state.positives.slice(0, labelled).map((x, i) => {
          const [at, from, to] = [px(x), py(said(x)), py(values.scores[i])].map(kit.round);
          return (
            `<path d="M${at} ${from}V${to}" stroke="${positive}" stroke-dasharray="3 2"/>` +
            kit.SHAPES.dot(at, to, positive)
          );
        });
      return (
        [0, 1].map((v) => kit.text(px(-4) - 6, py(v) + 4, String(v), "end", kit.SMALL)).join("") +
        `<path class="kit-grid" d="M${px(-4)} ${py(0)}H${px(4)}"/>` +
        dots.join("") +
        row("hidden positives", state.positives.slice(labelled), 0, neutral) +
        row("negatives", state.negatives.slice(others), 1, neutral) +
        row("other classes", state.negatives.slice(0, others), 2, negative)
      );
    },
  });
};

// R⁻ is lowest where most is learnt by heart. A naive risk that is never below the true one makes nothing look better.
const memoryTitle = ({ curves }, chosen, state) => {
  const { negative } = risks(state, { ...chosen, memory: Math.max(...state.memories) }),
    lies = curves.naive.some((risk, i) => risk < curves.new[i]);
  if (negative >= 0) return "No memory takes R⁻ below zero: the alarm stays silent";
  return {
    [HEART]: lies ? "Learning by heart makes the naive risk lie" : "Learning by heart takes R⁻ below zero",
    [PRIOR]: `The prior ${kit.short(chosen.prior)} is too high: R⁻ is below zero at every memory`,
    [CHANCE]: "By chance R⁻ is below zero at every memory",
  }[reasonOf(state, chosen)];
};

const byMemory = (values, chosen, state) => {
  const { before, after, classify } = kit.COLOURS,
    { low, high } = reachOf(values),
    { memory } = chosen,
    last = state.memories.length - 1,
    end = state.memories[last];
  const curve = (name) => state.memories.map((m, i) => [m, values.curves[name][i]]);
  // nnPU in two pieces, as its value jumps where R⁻ changes sign.
  const piece = (switched) => curve("nnpu").filter(([, risk], i) => (risk !== values.curves.naive[i]) === switched);
  const apart = values.curves.new[last] > values.curves.nnpu[last] ? [-8, 16] : [16, -8], // true risk, nnPU
    early = Math.round(last / 3),
    from = state.memories[early],
    place = memory > from && memory < from + 1.8 ? Math.round(1.7 * early) : early, // its name, off the marker
    inked = (colour) => `class="kit-small kit-halo kit-strong" style="fill:${kit.ink(colour)}"`;
  return kit.lines({
    title: memoryTitle(values, chosen, state),
    width: kit.room.width,
    x: "memory",
    y: "risk",
    ymin: low,
    ymax: high + 0.12 * (high - low),
    height: kit.room.columns < 2 ? 184 : 240,
    marker: memory,
    legend: [],
    under: (px, py) =>
      kit.rect(px(0), py(0), px(end) - px(0), py(low) - py(0), `fill="${kit.COLOURS.negative}" fill-opacity="0.1"`),
    over: (px, py) => {
      const { naive, new: fresh, nnpu } = values.curves,
        at = (m, v, words, dy, colour) => kit.text(px(m) - 6, py(v) + dy, words, "end", inked(colour));
      return (
        kit.text(px(0) + 6, Math.max(py(low) - 7, py(0) + 15), "a risk cannot be here", "start", kit.SMALL) +
        kit.text(px(state.memories[place]) + 6, py(naive[place]) - 6, "naive", "start", inked(before)) +
        at(end, fresh[last], "true risk", apart[0], classify) +
        at(end, nnpu[last], "nnPU", apart[1], after)
      );
    },
    series: [
      { name: "naive", colour: before, points: curve("naive") },
      { name: "true", colour: classify, points: curve("new") },
      { name: "nnPU", colour: after, points: piece(false), quiet: values.switched },
      { name: "", colour: after, points: piece(true), quiet: !values.switched },
    ],
  });
};

const draw = (values, chosen, state) => [
  kit.wide(line(values)),
  kit.wide(byMemory(values, chosen, state)),
  sayings(values, chosen, state),
];

// A risk below zero is not printed as zero.
const digits = (risk) => (/[1-9]/.test(kit.fixed(risk, 3)) ? kit.fixed(risk, 3) : kit.short(risk));

const brief = (values, chosen, state) => {
  const { negative, after } = kit.COLOURS,
    told = (v, colour) => kit.told(digits(v), colour),
    found = `R⁻, ${told(values.negative, negative)}`,
    turned = `nnPU turns it round, to ${told(values.nnpu, after)}`;
  if (!values.switched) return `${found}, is not below zero, so nnPU is the naive risk.`;
  const reason = reasonOf(state, chosen),
    above = exceeds(state, chosen) && reason !== PRIOR ? `a prior above the true ${kit.short(truePrior(state))}` : "";
  if (reason === HEART)
    return (
      `${found}, is below zero, where no cost can be${above ? ` (${above} adds to that)` : ""}: ${turned}, ` +
      "and the step takes some of what was learnt by heart back."
    );
  const why =
    reason === PRIOR
      ? `the prior ${kit.short(chosen.prior)} is too high (${kit.short(truePrior(state))} is true)`
      : "by chance the labelled positives score higher than the hidden ones";
  const more = [chosen.memory ? HEART : "", above].filter(Boolean),
    learnt = more.length
      ? `and ${more.join(" and ")} ${more.length > 1 ? "add" : "adds"} to it`
      : "though nothing is learnt by heart";
  return `${found}, is below zero, where no cost can be: ${why}, ${learnt}; ${turned}.`;
};

const summary = (values, { prior, boundary, steepness, memory }) => {
  const verdict = values.switched
    ? `what R⁻ stands for cannot be below zero, so nnPU drops R⁺ and pushes the other way: ${digits(values.nnpu)}`
    : `R⁻ is not below zero, nnPU is the naive risk: ${kit.fixed(values.nnpu, 3)}`;
  return (
    `π ${kit.fixed(prior)}, ${values.labelled} labelled positives, boundary ${kit.fixed(boundary)}, ` +
    `steepness ${kit.short(steepness)}, memory ${kit.fixed(memory, 1)}: ` +
    `R⁺ ${printedPositive(values)}, R⁻ ${digits(values.negative)}, the naive risk is ` +
    `${digits(values.naive)}; ${verdict}. On new points the true risk is ${kit.fixed(values.new, 3)}.`
  );
};
