// What a billion pairs would take on 1 to 1,024 GPUs, and which part of a step takes longest. An estimate.
// state: {name, gpu {matrix_bf16, matrix_fp32, memory_bandwidth, memory, link}, links, rate, shapes, matrices, touches,
//   rate_tokens}
// The same in Python: scale_values in kit/boards/scale_widget.py; the formulas are explained in
// kit/course/papers/step_cost.py.

const PARTS = ["encoder", "similarity", "gather", "reduce", "update", "data"];
// Blue and grey for computing, warm for sending, green for the data.
const HUES = ["after", "contrast", "before", "negative", "neutral", "positive"].map((name) => kit.COLOURS[name]);
const title = "A billion pairs on many GPUs: what takes longest in a step";
const GPUS = [...Array(11).keys()].map((k) => 2 ** k),
  BATCHES = [...Array(10).keys()].map((k) => 2 ** (k + 4));
const FLOAT = 4,
  NODE = 8,
  BILLION = 1e9,
  MICRO = 1e6;

const MORE = "the encoder and the machines";
const settings = (state) => [
  {
    kind: "slider",
    name: "gpus",
    label: "GPUs",
    full: "number of GPUs",
    min: 1,
    max: 1024,
    scale: "log",
    steps: 10,
    whole: true,
    value: 64,
  },
  {
    kind: "slider",
    name: "batch",
    label: "pairs a GPU",
    min: 16,
    max: 8192,
    scale: "log",
    steps: 9,
    whole: true,
    value: 512,
  },
  { kind: "slider", name: "tokens", more: MORE, label: "tokens a sentence", min: 8, max: 128, step: 8, value: 16 },
  {
    kind: "slider",
    name: "share",
    more: MORE,
    label: "share of the peak",
    min: 0.05,
    max: 0.8,
    step: 0.05,
    value: 0.35,
  },
  { kind: "slider", name: "cores", more: MORE, label: "cores a GPU", min: 1, max: 32, step: 1, value: 14 },
  {
    kind: "choice",
    name: "encoder",
    more: MORE,
    label: "encoder",
    options: Object.keys(state.shapes),
    value: "BERT 8 × 512",
  },
  { kind: "choice", name: "matrix", more: MORE, label: "matrix", options: state.matrices, value: state.matrices[0] },
  {
    kind: "choice",
    name: "link",
    more: MORE,
    label: "between machines",
    options: Object.keys(state.links),
    value: "InfiniBand NDR",
  },
];

// The last button takes everything back to the beginning, the others leave what they do not name as it is.
const controls = (state) => [
  toTry(
    {
      "one GPU": { gpus: 1, batch: 512 },
      "8 GPUs": { gpus: 8, batch: 512 },
      "1,024 GPUs": { gpus: 1024, batch: 512 },
      "tiny batches on 64": { gpus: 64, batch: 16 },
      "start anew": starting(settings(state)),
    },
    { label: "sizes to try" },
  ),
  ...settings(state),
];

const total = (parts) => parts.slice(0, 5).reduce((a, b) => a + b, 0); // what the GPU does, microseconds

const stepOf = (state, { gpus, batch, tokens, share, cores, encoder, matrix, link }) => {
  const { layers, hidden, weights } = state.shapes[encoder],
    { gpu } = state,
    rows = 2 * batch,
    candidates = gpus * batch;
  const anchors = matrix === state.matrices[0] ? batch : candidates,
    bytes = FLOAT * anchors * candidates;
  const between = gpus <= NODE ? gpu.link : Math.min(gpu.link, state.links[link]);
  const flops = 3 * layers * tokens * (24 * hidden ** 2 + 4 * tokens * hidden);
  const parts = [
    (rows * flops) / (share * gpu.matrix_bf16),
    (6 * anchors * candidates * hidden) / (share * gpu.matrix_fp32) + (state.touches * bytes) / gpu.memory_bandwidth,
    (2 * (gpus - 1) * rows * hidden * FLOAT) / between,
    (((2 * (gpus - 1)) / gpus) * weights * FLOAT) / between,
    (7 * FLOAT * weights) / gpu.memory_bandwidth,
    (rows * tokens) / state.rate_tokens / (state.rate * cores),
  ].map((seconds) => MICRO * seconds);
  const busy = total(parts),
    step = Math.max(busy, parts[5]);
  const longest = parts.slice(0, 5).indexOf(Math.max(...parts.slice(0, 5)));
  return {
    parts,
    step,
    binding: PARTS[parts[5] > busy ? 5 : longest],
    pairs: candidates,
    matrix: bytes,
    whole: FLOAT * candidates ** 2,
  };
};

const compute = (state, chosen) => {
  const step = stepOf(state, chosen),
    alone = stepOf(state, { ...chosen, gpus: 1 });
  const of = (changes) => stepOf(state, { ...chosen, ...changes });
  return {
    ...step,
    hours: ((BILLION / step.pairs) * step.step) / MICRO / 3600,
    efficiency: GPUS.map((gpus) => [gpus, alone.step / of({ gpus }).step]),
    spent: BATCHES.map((batch) => [batch, of({ batch }).step / batch]),
  };
};

// The same in Python: duration in kit/captions.py.
const duration = (seconds) => {
  if (seconds < 90) return `${kit.fixed(seconds, seconds < 10 ? 1 : 0)} s`;
  if (seconds < 5400) return `${kit.fixed(seconds / 60, 0)} minutes`;
  const hours = seconds / 3600;
  return hours < 48 ? `${kit.fixed(hours, 1)} hours` : `${kit.fixed(hours / 24, 1)} days`;
};
const unitOf = (micro) =>
  micro < 1e3 ? ["µs", 1, "microseconds"] : micro < 1e6 ? ["ms", 1e3, "milliseconds"] : ["s", 1e6, "seconds"];
const lasted = (micro, digits = micro < 1e9 ? 3 : 4) => {
  const [unit, size] = unitOf(micro);
  return `${Number((micro / size).toPrecision(digits))} ${unit}`;
};
const sized = (bytes) => {
  const [unit, size] = [
    ["TB", 1e12],
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
  ].find(([, size]) => bytes >= size || size === 1e3);
  return `${kit.short(bytes / size)} ${unit}`;
};

const sending = ({ parts, step }) => (parts[2] + parts[3]) / step; // gather and reduce, a share of the step
// More than half of a step is not said to be 50 %.
const sendingSaid = (share) =>
  kit.percent(share) === "50 %" ? `${kit.besideBound(100 * share, 50)} %` : kit.percent(share);

// Of the GPU's time, as data are read meanwhile and may take longer than any part of it.
const longestOf = (binding) => `longest part${binding === "data" ? "" : " of the GPU’s time"}`;

// The end of the time axis: the same for 1 to 64 GPUs of up to 512 pairs, so that a longer step is a longer bar.
const USUAL = { gpus: 64, batch: 512 };
const axisEnd = (time) => {
  const power = 10 ** Math.floor(Math.log10(time));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((m) => m * power).find((end) => end >= time);
};

// Two horizontal bars on one time axis: what the GPU and its links do in turn, and the data work in parallel.
// A tick between them is the end of the step of one GPU by itself.
const stacked = ({ parts, step, binding }, alone, usual) => {
  const { width } = kit.room,
    left = 40,
    end = axisEnd(Math.max(step, alone, usual) * 1.02),
    scale = (width - left - 12) / end,
    [, size, unit] = unitOf(end);
  const share = sending({ parts, step }),
    title = share > 0.5 ? "the GPUs mostly send" : `${binding} is the ${longestOf(binding)}`,
    head = kit.heading({ title: `One step: ${title}` }, width),
    top = head.height + 24,
    below = top + 58, // the bar of the CPU
    foot = below + 42;
  let from = 0;
  const sayings = (i) => [`${PARTS[i]} ${lasted(parts[i])}`, PARTS[i]];
  // Parts too narrow for their name have it below the axis, in their colour.
  const narrow = PARTS.map((_, i) => i).filter(
    (i) => parts[i] > 0 && parts[i] * scale <= 14 + kit.needed(PARTS[i].length, 7.2),
  );
  const named = [];
  let room = 0; // that is left in the last line
  narrow.forEach((i, k) => {
    const before = k ? ", " : width > 500 ? "thin parts: " : "thin: ",
      long = kit.needed((before + PARTS[i]).length, kit.SLIGHT);
    if (long > room) {
      named.at(-1)?.push(",");
      named.push([]);
      room = width - 4;
    }
    room -= long;
    named.at(-1).push(named.at(-1).length || !k ? before : "", [PARTS[i], HUES[i]]);
  });
  const bar = (i, start, y) => {
    const wide = parts[i] * scale,
      x = left + start * scale,
      [whole, name] = sayings(i),
      fits = (words) => wide > 14 + kit.needed(words.length, 7.2),
      said = fits(whole) ? [whole] : fits(name) ? [name, ...(fits(lasted(parts[i])) ? [lasted(parts[i])] : [])] : [],
      from = y + (said.length > 1 ? 16 : 23),
      inside = said
        .map((words, k) => kit.text(x + 8, from + 14 * k, words, "start", `style="fill:${INKS[i]}"`))
        .join("");
    return (
      `<g><title>${PARTS[i]}: ${lasted(parts[i])}</title>` +
      kit.rect(x, y, wide, 36, `fill="${HUES[i]}"`) +
      inside +
      "</g>"
    );
  };
  const gpu = parts.slice(0, 5).map((part, i) => {
    const drawn = bar(i, from, top);
    from += part;
    return drawn;
  });
  const [begins, ends] = [parts[0] + parts[1], total(parts.slice(0, 4).concat(0))].map((at) => left + at * scale);
  const bracket =
    ends - begins < 8
      ? ""
      : `<path d="M${kit.round(begins + 1)} ${top - 4}v-6H${kit.round(ends - 1)}v6" fill="none" class="kit-axis"/>` +
        kit.tinted(
          Math.min(Math.max((begins + ends) / 2, left + 60), width - 70),
          top - 14,
          [[`sending ${sendingSaid(share)}`, HUES[3]]],
          "middle",
        );
  const lone = left + alone * scale,
    fitting = lone < width - 130;
  const tick =
    `<path d="M${kit.round(lone)} ${top + 38}v15" class="kit-rule"/>` +
    kit.text(lone + (fitting ? 6 : -6), top + 51, `one GPU: ${lasted(alone)}`, fitting ? "start" : "end", kit.SMALL);
  const ticks = kit.ticks(0, end / size).map((v) => {
    const x = left + v * size * scale,
      last = x > width - 20;
    const said = v < 1000 ? kit.short(v) : kit.thousands(v);
    return kit.text(last ? width - 2 : x, foot + 15, said, last ? "end" : "middle", kit.SMALL);
  });
  return kit.svg(
    width,
    foot + 40 + kit.LINE * Math.max(1, named.length),
    "the time of one step",
    head.inside +
      kit.text(left - 8, top + 23, "GPU", "end") +
      kit.text(left - 8, below + 23, "CPU", "end") +
      gpu.join("") +
      tick +
      bar(5, 0, below) +
      bracket +
      `<path class="kit-axis" d="M${left} ${top - 4}V${foot}H${width - 2}" fill="none"/>` +
      ticks.join("") +
      kit.text((left + width) / 2, foot + 32, unit, "middle", kit.SMALL) +
      named.map((parts, k) => kit.tinted(0, foot + 51 + kit.LINE * k, parts, "start", kit.SMALL)).join(""),
  );
};
const INKS = ["#fff", "#000", "#000", "#fff", "#fff", "#000"]; // to be read on each part

const motion = ({ parts, step, hours, efficiency, spent }) => ({ parts, step, hours, efficiency, spent });

const numbers = (values, { gpus }, left) => {
  const many = Math.round(gpus);
  return [
    {
      value: duration(3600 * values.hours).replace("minutes", "min"),
      words: `for a billion pairs on ${kit.thousands(many)} GPU${many > 1 ? "s" : ""}`,
    },
    { value: sendingSaid(sending(values)), words: "of a step the GPUs send", colour: HUES[3] },
    { value: kit.percent(left), words: "of one GPU’s speed is left to each", colour: HUES[0] },
  ];
};

const draw = (values, chosen, state) => {
  const stepWith = (changes) => stepOf(state, { ...chosen, ...changes }).step,
    most = Math.max(...values.spent.map((p) => p[1])), // of so many GPUs: one sends nothing, and needs 30 times less
    [unit, size] = unitOf(most),
    left = values.efficiency.find(([gpus]) => gpus >= chosen.gpus - 0.5)[1];
  const machine = (px, py) =>
    `<path d="M${kit.round(px(NODE))} ${kit.round(py(1))}V${kit.round(py(0))}" class="kit-axis"/>`;
  return [
    kit.wide(kit.figures(numbers(values, chosen, left))),
    kit.wide(stacked(values, stepWith({ gpus: 1 }), stepWith(USUAL))),
    kit.lines({
      title: "How much of its speed each GPU keeps",
      x: `GPUs (line: one machine has ${NODE})`,
      y: "share of one GPU's speed",
      logx: true,
      marker: chosen.gpus,
      xmin: 1,
      xmax: 1024,
      right: 20,
      ymin: 0,
      ymax: 1,
      height: 200,
      series: [{ name: "speed", colour: HUES[0], points: values.efficiency }],
      over: machine,
    }),
    kit.lines({
      title: "What does a larger batch buy?",
      x: "pairs a GPU",
      y: `${unit} of a GPU for a pair`,
      logx: true,
      marker: chosen.batch,
      xmin: 16,
      xmax: 8192,
      right: 20,
      ymin: 0,
      ymax: most / size,
      height: 200,
      series: [{ name: "time", colour: HUES[1], points: values.spent.map(([batch, micro]) => [batch, micro / size]) }],
    }),
  ];
};

const lead = (values, { gpus }) => {
  const share = kit.told(sendingSaid(sending(values)), HUES[3]),
    time = kit.told(duration(3600 * values.hours));
  return gpus > 1
    ? `A billion pairs take ${time} on ${kit.thousands(gpus)} GPUs: they send for ${share} of a step`
    : `A billion pairs take ${time} on one GPU`;
};

// The headline and the text for those who do not see it say one thing.
const mostlySends = (values, said = (words) => words) =>
  sending(values) > 0.5 ? `more than half of it (${said(sendingSaid(sending(values)))}) the GPUs only send` : "";

const brief = (values, { gpus }, state) => {
  const chunks = values.matrix > state.gpu.memory ? ", which fits in chunks only" : "";
  const where =
    mostlySends(values, (words) => kit.told(words, HUES[3])) ||
    `the ${longestOf(values.binding)} is ${kit.told(values.binding, HUES[PARTS.indexOf(values.binding)])}`;
  return (
    `A billion pairs take ${kit.told(duration(3600 * values.hours))} on ${kit.told(kit.thousands(gpus))} ` +
    `GPU${gpus > 1 ? "s" : ""}; ${where}. <small>Estimate for ${kit.escape(state.name)}: ` +
    `${kit.thousands(values.pairs)} pairs a step, ${kit.thousands((MICRO * values.pairs) / values.step)} a second; ` +
    "a GPU's matrix has " +
    `${sized(values.matrix)}${chunks}.</small>`
  );
};

const summary = (values, { gpus }) => {
  const longest = `${values.binding} takes longest${values.binding === "data" ? "" : " on the GPU"}`;
  const shares = PARTS.slice(0, 5)
    .map((name, i) => `${name} ${kit.percent(values.parts[i] / total(values.parts))}`)
    .join(", ");
  return (
    `Estimate: ${kit.thousands(gpus)} ${gpus === 1 ? "GPU" : "GPUs"}, ${kit.thousands(values.pairs)} pairs a step of ` +
    `${lasted(values.step, 4)}; ` +
    `${mostlySends(values) || longest}. ` +
    `Of a GPU's time ${shares}; meanwhile the data take ` +
    `${lasted(values.parts[5], 4)}. ` +
    `A billion pairs: ${duration(3600 * values.hours)}. A GPU's matrix: ${sized(values.matrix)}.`
  );
};
