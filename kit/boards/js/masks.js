// The masks of a batch: who is an anchor, who its positive, who is in which denominator.
// state: {names [R], texts [R], group [R], sizes [N, N·P, N·Q], twins, cosines [R][R], map [R][2],
//         before: null or [R][R], the cosines before a training,
//         losses {name: {anchors [A], candidates [C], positive, negative, masked [A][C], other_positives}}}
// The masks come from Python; here is only the formula.
// The same in Python, by autograd: masks_values in kit/boards/masks_widget.py.

const OUTSIDE = 0,
  IGNORED = 1,
  ITSELF = 2,
  NEGATIVE = 3,
  POSITIVE = 4; // what a cell of the matrix is
const REACH = 0.38; // of the map's width: how long the arrow of a push of 1 is drawn
const TWINS = {
  kind: "choice",
  name: "twins",
  label: "a twin of a positive is",
  options: ["a negative", "masked"],
  value: "a negative",
};
const title = (state) => `Who is what to whom: the masks of ${state.names.length} sentences`;
const shares = [3, 2];
const folded = { from: 2, name: "who stands in the denominator, and all sentences" };

const controls = (state) => [
  { kind: "choice", name: "loss", label: "loss", options: Object.keys(state.losses), value: "SupMPN" },
  {
    kind: "slider",
    name: "anchor",
    label: "anchor",
    min: 1,
    max: state.names.length,
    step: 1,
    names: state.names,
    value: 1,
  },
  tauSlider(0.05),
  ...(state.twins ? [TWINS] : []),
];

// Rows with a positive: all others are no anchors of this loss.
const allowed = ({ loss }, { losses }) => ({
  anchor: losses[loss].anchors.flatMap((row, a) => (losses[loss].positive[a].includes(1) ? [row + 1] : [])),
});

const compute = (state, chosen) => ({
  ...figures(state, chosen),
  before: state.before ? figures({ ...state, cosines: state.before }, chosen).push : [],
});

const figures = (state, { loss, anchor, tau, twins }) => {
  const masks = state.losses[loss],
    chosen = anchor - 1;
  const negatives = twins === "masked" ? masks.masked : masks.negative;
  const cells = state.names.map(() => state.names.map(() => OUTSIDE));
  masks.anchors.forEach((i, a) =>
    masks.candidates.forEach((c, k) => {
      cells[i][c] = masks.positive[a][k] ? POSITIVE : negatives[a][k] ? NEGATIVE : i === c ? ITSELF : IGNORED;
    }),
  );
  const all = cells.map((row, i) => denominators(state, row, i, tau, masks.other_positives));
  const counting = all.filter((terms) => terms.length),
    terms = all[chosen],
    counted = terms.length > 0;
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / (values.length || 1),
    lossOf = (found) => mean(found.map((t) => t.term));
  const weights = weightsOf(state, cells[chosen], chosen, tau, terms);
  const push = weights.map((w, c) => w - (counted && cells[chosen][c] === POSITIVE ? 1 / terms.length : 0));
  const many = (kind) => (counted ? cells[chosen].filter((cell) => cell === kind).length : 0);
  return {
    cells,
    anchors: counting.length,
    counted,
    members: [many(POSITIVE), many(NEGATIVE)],
    weights,
    push,
    gradient: push.map((p) => p / tau / (counting.length || 1)),
    terms: terms.map(({ row, sizes, shares, term }) => ({ row, sizes, shares, term })),
    losses: [lossOf(terms), mean(counting.map(lossOf))],
    ...arrowsOf(state, chosen, push),
  };
};

// D(i, p) of every positive p of row i: its parts, their shares, and −log of the share of p itself.
const denominators = (state, row, i, tau, otherPositives) => {
  const places = row.map((_, c) => c),
    logit = (c) => state.cosines[i][c] / tau;
  const positives = places.filter((c) => row[c] === POSITIVE),
    negatives = places.filter((c) => row[c] === NEGATIVE);
  const own = negatives.filter((c) => state.group[c] === state.group[i]),
    others = negatives.filter((c) => !own.includes(c));
  return positives.map((p) => {
    const rest = positives.filter((c) => c !== p),
      ghosts = otherPositives === "zero_logit" ? rest.length : 0;
    const parts = [[p], otherPositives === "included" ? rest : [], own, others];
    const top = Math.max(...parts.flat().map(logit), ghosts ? 0 : -Infinity); // prevents overflow
    const sums = [
      ...parts.map((part) => part.reduce((sum, c) => sum + Math.exp(logit(c) - top), 0)),
      ghosts * Math.exp(-top),
    ];
    const whole = sums.reduce((a, b) => a + b, 0);
    return {
      row: p,
      sizes: [...parts.map((part) => part.length), ghosts],
      shares: sums.map((v) => v / whole),
      term: Math.log(whole) + top - logit(p),
      log: Math.log(whole) + top,
      members: new Set(parts.flat()),
    };
  });
};

// The softmax over D(i, p), averaged over the positives p.
const weightsOf = (state, row, i, tau, terms) =>
  row.map(
    (_, c) =>
      terms.reduce(
        (sum, { log, members }) => sum + (members.has(c) ? Math.exp(state.cosines[i][c] / tau - log) : 0),
        0,
      ) / (terms.length || 1),
  );

// An arrow at each candidate, away from the anchor where it is pushed; the anchor feels all of them, reversed.
const arrowsOf = ({ map }, chosen, push) => {
  const width = (k) => Math.max(...map.map((m) => m[k])) - Math.min(...map.map((m) => m[k]));
  const reach = REACH * Math.max(width(0), width(1)),
    step = [...map[chosen]];
  const tips = map.map((m, c) => {
    const away = [m[0] - map[chosen][0], m[1] - map[chosen][1]],
      length = Math.max(kit.norm(away), 1e-9);
    const arrow = away.map((v) => (reach * push[c] * v) / length);
    arrow.forEach((v, k) => {
      step[k] -= v;
    });
    return [m[0] + arrow[0], m[1] + arrow[1]];
  });
  return { tips, step };
};

const motion = ({ weights, push, tips, step }) => ({ weights, push, tips, step });

const draw = (values, chosen, state) => [
  matrix(values, chosen, state),
  batchMap(values, chosen, state),
  whoStandsIn(values, chosen, state),
  sentences(values, chosen, state),
];

// The share of all pushes that falls on row i.
const partOf = (push, i) => {
  const all = push.reduce((sum, v) => sum + Math.max(v, 0), 0);
  return `${kit.fixed((100 * push[i]) / (all || 1), 0)} %`;
};

// What another loss changes first: who is pulled, and who is pushed.
const lead = (values, chosen, state) => {
  const { counted, members, cells, push } = values,
    { loss, anchor } = chosen,
    { positive, negative } = kit.COLOURS,
    hardest = push.indexOf(Math.max(...push)),
    [first, part] = [state.names[hardest], partOf(push, hardest)].map((words) => kit.told(words, negative)),
    said = kit.escape(loss.includes(",") ? `“${loss}”` : loss),
    name = `anchor ${state.names[anchor - 1]}`;
  if (!counted) return `${said} has no anchor ${state.names[anchor - 1]}: it pulls and pushes nobody`;
  const twin = twinAt(values, chosen, state);
  if (values.before.length)
    return (
      `After training, ${first} takes ${part} of the push at ${name} (${said}), ` +
      `before ${kit.told(partOf(values.before, hardest))}`
    );
  if (twin < 0)
    return (
      `${said} pulls ${name} to ${kit.told(several(members[0], "text"), positive)} and pushes ` +
      `${kit.told(members[1], negative)} away: ${first} takes ${part} of the push`
    );
  const own = state.names[cells[anchor - 1].indexOf(POSITIVE)],
    start = `${said} pulls ${name} to ${kit.told(own, positive)}`;
  return cells[anchor - 1][twin] === NEGATIVE
    ? `${start} and pushes its twin ${kit.told(state.names[twin], negative)} away: ` +
        `${kit.told(partOf(push, twin), negative)} of the push`
    : `${start} and leaves its twin ${state.names[twin]} alone`;
};

// Where a positive stands twice in the batch: which row is the second, or -1.
const twinAt = ({ cells }, { anchor }, { texts }) => {
  const row = cells[anchor - 1],
    positive = row.indexOf(POSITIVE),
    twin = texts.findIndex((text, i) => i !== positive && i !== anchor - 1 && text === texts[positive]);
  return positive < 0 || twin < 0 || row[twin] === POSITIVE ? -1 : twin;
};

// Whom the headline names: the twin where it is pushed away, else who is pushed most.
const mostPushed = (values, chosen, state) => {
  const twin = twinAt(values, chosen, state);
  return twin >= 0 && values.cells[chosen.anchor - 1][twin] === NEGATIVE
    ? twin
    : values.push.indexOf(Math.max(...values.push));
};

const quoted = (text) => `“${kit.escape(kit.cut(text, 400).replace(/\.$/, ""))}”`;
const brief = (values, chosen, state) => {
  const { cells, counted, push, losses, anchors } = values,
    { names, texts } = state,
    at = chosen.anchor - 1,
    batch = `The loss of the batch, over ${anchors} anchors, is ${kit.told(kit.fixed(losses[1]))}.`;
  if (!counted) return batch;
  const twin = twinAt(values, chosen, state),
    hardest = push.indexOf(Math.max(...push)),
    { positive, negative } = kit.COLOURS,
    pushed = (i) => kit.told(names[i], negative);
  const pulled = names.flatMap((name, i) =>
    cells[at][i] === POSITIVE ? [`${kit.told(name, positive)} ${quoted(texts[i])}`] : [],
  );
  const strongest =
    cells[at][hardest] === POSITIVE
      ? `${pushed(hardest)}, a positive with more than its target`
      : `${pushed(hardest)} ${quoted(texts[hardest])}`;
  const most =
    cells[at][twin] === NEGATIVE
      ? `${pushed(twin)}, the same sentence again, takes ${kit.told(partOf(push, twin), negative)} of the push.`
      : `The largest part of the push, ${kit.told(partOf(push, hardest), negative)}, falls on ${strongest}.`;
  return `Anchor ${names[at]} is ${quoted(texts[at])}, its pull to ${pulled.join(" and ")}. ${most} ${batch}`;
};

const WIDEST = 140; // pixels of a column
const FEW = 8; // rows, below which cells and bars are taller
const tallest = (seen) => (seen.length < FEW ? 150 : 74); // pixels of the largest bar
const { SMALL } = kit,
  STRONG = 'class="kit-small kit-strong"';
const label = (x, y, words, more = "", end = "middle") =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${end}" ${more}>${kit.escape(words)}</text>`;
const upright = (x, y, words) => label(x, y, words, `${SMALL} transform="rotate(-90 ${round(x)} ${round(y)})"`);
const box = (x, y, w, h, more) =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" ${more}/>`;
const { round } = kit;
const hint = (state, i) => `<title>${kit.escape(`${state.names[i]} ${state.texts[i]}`)}</title>`;

// A click on a row that is an anchor of this loss makes it the chosen one.
const pickOf = ({ cells }, i) => (cells[i].includes(POSITIVE) ? `data-pick="anchor:${i + 1}"` : "");

// The role of row i for the chosen anchor, and its colour.
const roleOf = ({ counted, cells }, { anchor }, i) => {
  const kind = !counted ? OUTSIDE : cells[anchor - 1][i],
    { after, positive, negative, neutral } = kit.COLOURS;
  if (i === anchor - 1) return { sign: "■", colour: after };
  return (
    { [POSITIVE]: { sign: "+", colour: positive }, [NEGATIVE]: { sign: "−", colour: negative } }[kind] || {
      sign: "·",
      colour: neutral,
    }
  );
};

// Positions in the matrix: a gap after the anchors and after the positives.
const placesOf = (columns, { sizes: [n, p] }, seen, top) => {
  const left = 34,
    step = Math.min((kit.room.first - left - 12) / columns.length, WIDEST),
    tall = seen.length < FEW ? Math.max(20, Math.min(1.3 * step, 34)) : Math.max(13, Math.min(step, 18));
  const gap = (i) => (i >= n ? 4 : 0) + (i >= n + p ? 4 : 0),
    before = gap(columns[0]);
  return {
    left,
    step,
    w: step - 1.5,
    h: tall - 1.5,
    x: (c) => left + columns.indexOf(c) * step + gap(c) - before,
    y: (i) => top + seen.indexOf(i) * tall + gap(i),
  };
};

// The rows that are drawn: those that have a candidate, and the chosen one.
const rowsOf = ({ cells }, { anchor }) =>
  cells.map((_, i) => i).filter((i) => i === anchor - 1 || cells[i].some((kind) => kind !== OUTSIDE));

// The columns that are drawn: of anchors, positives and negatives those kinds that this loss looks at.
const columnsOf = ({ cells }, { names, sizes: [n, p] }) => {
  const kindOf = (c) => (c < n ? 0 : c < n + p ? 1 : 2),
    used = new Set(names.flatMap((_, c) => (cells.some((row) => row[c] !== OUTSIDE) ? [kindOf(c)] : [])));
  return names.flatMap((_, c) => (used.has(kindOf(c)) ? [c] : []));
};

// The matrix, and under each column the weight that the chosen anchor gives it.
const matrix = (values, chosen, state) => {
  const { positive, negative, neutral, after } = kit.COLOURS,
    width = kit.room.first,
    has = (kind) => values.cells.some((row) => row.includes(kind)),
    legend = [
      { name: "positive (+)", colour: positive, shape: "box" },
      { name: "negative (pale: of other anchors)", colour: negative, shape: "box" },
      ...(has(ITSELF) ? [{ name: "itself (struck out)", colour: paled(0.35), shape: "box" }] : []),
      ...(has(IGNORED) ? [{ name: "masked", colour: paled(0.75), shape: "box" }] : []),
    ],
    name = `anchor ${state.names[chosen.anchor - 1]}`,
    title = values.counted ? `Whom ${name} pulls and pushes` : "Who is what to whom",
    head = kit.heading({ title, legend }, width);
  const seen = rowsOf(values, chosen),
    top = head.height + 18,
    columns = columnsOf(values, state),
    { left, step, w, h, x, y } = placesOf(columns, state, seen, top),
    last = columns[columns.length - 1],
    end = x(last) + w,
    foot = y(seen[seen.length - 1]) + h;
  const at = chosen.anchor - 1,
    turned = step < 21,
    every = step < 12 ? 2 : 1,
    floor = foot + (turned ? 58 : 52) + tallest(seen);
  const rows = seen.map(
    (i) =>
      `<g ${pickOf(values, i)} data-link="${i}">${hint(state, i)}` +
      box(0, y(i), width, h + 1.5, 'class="kit-touch"') +
      `${label(left - 6, y(i) + h / 2 + 4, state.names[i], i === at ? STRONG : SMALL, "end")}</g>`,
  );
  const column = (c, k) => {
    if (k % every) return "";
    const name = state.names[c];
    const [cx, cy] = [x(c) + w / 2, foot + 14];
    return turned
      ? label(cx + 4, cy - 8, name, `${SMALL} transform="rotate(-90 ${round(cx + 4)} ${round(cy - 8)})"`, "end")
      : label(cx, cy, name, SMALL);
  };
  const outlined = values.before.length ? "; outline: before training" : "",
    foots = kit.wrapped(`softmax weight for ${name} (dashed: the target${outlined})`, width - left);
  const [n, p] = state.sizes,
    kinds = [
      ["anchors", 0, n - 1],
      ["positives", n, n + p - 1],
      ["negatives", n + p, state.names.length - 1],
    ].map(([word, from, to]) => {
      const whose = from < n ? word : `${word} of 1–${n}`,
        fits = 7 * whose.length < (to - from + 1) * step;
      return from > to || !columns.includes(from)
        ? ""
        : label((x(from) + x(to) + w) / 2, top - 6, fits ? whose : word, SMALL);
    });
  return kit.svg(
    width,
    floor + 7 + 15 * foots.length,
    `masks of ${chosen.loss}`,
    head.inside +
      kinds.join("") +
      cellsOf(values, chosen, state, seen, top) +
      columns.map(column).join("") +
      box(left - 2, y(at) - 1.8, end - left + 4, h + 3.6, `fill="none" stroke="${after}" stroke-width="2.4"`) +
      rows.join("") +
      weightBars(values, chosen, state, floor, tallest(seen)) +
      `<path class="kit-axis" d="M${left} ${floor}H${round(end)}" fill="none"/>` +
      foots.map((line, k) => label((left + end) / 2, floor + 16 + 15 * k, line, SMALL)).join(""),
  );
};

// One path for each kind of cell. In full are those of the chosen anchor alone.
const cellsOf = (values, { anchor }, state, seen, top) => {
  const columns = columnsOf(values, state),
    { w, h, x, y } = placesOf(columns, state, seen, top),
    { positive, negative, neutral } = kit.COLOURS,
    signs = [];
  const inks = {
    outside: [neutral, 0.12],
    ignored: [neutral, 0.75],
    itself: [neutral, 0.35],
    idle: [negative, 0.25],
    negative: [negative, 1],
    other: [positive, 0.65],
    positive: [positive, 1],
  };
  const kinds = Object.fromEntries(Object.keys(inks).map((name) => [name, []]));
  seen.forEach((i) => {
    const row = values.cells[i];
    const own = i === anchor - 1 && row.includes(POSITIVE),
      names = ["outside", "ignored", "itself", own ? "negative" : "idle", own ? "positive" : "other"];
    columns.forEach((c) => {
      const kind = row[c];
      kinds[names[kind]].push(`M${round(x(c))} ${round(y(i))}h${round(w)}v${round(h)}h${round(-w)}z`);
      if (kind === POSITIVE) signs.push(`M${round(x(c) + w / 2 - 3)} ${round(y(i) + h / 2)}h6m-3 -3v6`);
      if (kind === ITSELF) signs.push(`M${round(x(c))} ${round(y(i) + h)}l${round(w)} ${round(-h)}`);
    });
  });
  return (
    Object.entries(inks)
      .map(([name, [fill, opacity]]) => `<path d="${kinds[name].join("")}" fill="${fill}" fill-opacity="${opacity}"/>`)
      .join("") + `<path d="${signs.join("")}" stroke="#fff" stroke-width="1.7" fill="none"/>`
  );
};

// The colour of a cell as the legend has it.
const paled = (opacity) => `color-mix(in srgb, ${kit.COLOURS.neutral} ${100 * opacity}%, transparent)`;

// The highest bar, or the target, reaches the labels above; the largest weights have their numbers.
const weightBars = (values, chosen, state, floor, tall) => {
  const { w, x } = placesOf(columnsOf(values, state), state, [], 0),
    { positive, neutral } = kit.COLOURS,
    target = values.members[0] ? 1 / values.members[0] : 0,
    earlier = values.before.map((v, c) => v + (values.cells[chosen.anchor - 1][c] === POSITIVE ? target : 0)),
    high = tall / Math.max(target, ...values.weights, ...earlier, 0.01),
    aim = floor - high * target,
    told = mostPushed(values, chosen, state),
    columns = columnsOf(values, state),
    numbered = w > 24 ? 0.005 : Math.max(0.005, [...values.weights].sort((a, b) => b - a)[2] ?? 0);
  const shown = values.weights.flatMap((v, c) => {
    const { sign, colour } = roleOf(values, chosen, c);
    return sign === "+" || sign === "−" ? [{ v, c, colour }] : [];
  });
  const bars = shown.map(({ v, c, colour }) => {
    const dashed = `fill="none" stroke="${neutral}" stroke-dasharray="2 2"`,
      sides = w > 24 ? `V${floor}H${round(x(c))}V${round(aim)}` : "", // no dashes through a number wider than its bar
      top = `M${round(x(c))} ${round(aim)}h${round(w)}`,
      wanted = colour === positive ? `<path d="${top}${sides}" ${dashed}/>` : "",
      was = earlier[c] >= 0.005 ? box(x(c), floor - high * earlier[c], w, high * earlier[c], OUTLINE) : "";
    return wanted + box(x(c), floor - high * v, w, high * v, `fill="${colour}"`) + was;
  });
  // Over all bars, so that none covers a number.
  const numbers = shown.map(({ v, c, colour }) => {
    const was = floor - high * (earlier[c] ?? 0),
      inside = floor - high * v - 4,
      y = was > inside - 14 && was < inside + 4 ? was - 4 : inside, // not on the outline
      struck = colour === positive && y > aim - 2 && y - 12 < aim;
    return v < numbered
      ? ""
      : label(x(c) + w / 2, struck ? aim - 4 : y, kit.fixed(v).replace(/^0/, ""), 'class="kit-small kit-halo"');
  });
  // What its weight is of all the pushes stands over the negative that the headline names.
  const most = shown.find(({ c, colour }) => c === told && colour !== positive);
  const [left, right] = [x(columns[0]) + 52, x(columns[columns.length - 1]) + w - 52];
  const share = most
    ? kit.tinted(
        Math.min(Math.max(x(most.c) + w / 2, left), right),
        floor - high * Math.max(most.v, earlier[most.c] ?? 0) - 19,
        [[`${partOf(values.push, told)} of the push`, most.colour]],
        "middle",
        'class="kit-small kit-halo"',
      )
    : "";
  const first = shown.find(({ colour }) => colour === positive),
    named = first && w <= 24 ? label(x(first.c) + 2, aim - 5, "target", SMALL, "start") : "";
  return bars.join("") + numbers.join("") + share + named;
};

// Of the weights before a training.
const OUTLINE = 'fill="none" stroke="currentColor" stroke-opacity="0.55" stroke-width="1.2"';
const NAMED = 3; // so many of those that are pushed most have a name on the map
const LEAST = 0.15; // a push below has an arrow shorter than its point, and no name

// Who has a name on the map: the anchor, its positives, a twin of theirs, and the negatives that are pushed most.
const namedOf = ({ counted, cells, push }, { anchor }, twin) => {
  if (!counted) return new Set([anchor - 1]);
  const row = cells[anchor - 1],
    negatives = row.flatMap((kind, c) => (kind === NEGATIVE ? [c] : [])),
    positives = row.flatMap((kind, c) => (kind === POSITIVE ? [c] : []));
  const most = negatives
    .sort((a, b) => push[b] - push[a])
    .filter((c, rank) => rank === 0 || (rank < NAMED && push[c] >= LEAST));
  return new Set([anchor - 1, ...positives, ...(twin < 0 ? [] : [twin]), ...most]);
};

// Where the rows stand in the picture; those of one text side by side, so that both are seen.
const standing = ({ map, texts }, width, top, high) => {
  const [xs, ys] = [0, 1].map((k) => map.map((m) => m[k])),
    low = (v) => Math.min(...v),
    span = (v) => Math.max(...v) - low(v) || 1;
  const scale = Math.min((width - 90) / span(xs), (high - top - 80) / span(ys)),
    centre = (v) => low(v) + span(v) / 2;
  const place = ([x, y]) => [width / 2 + scale * (x - centre(xs)), (top + high) / 2 - scale * (y - centre(ys))];
  const shift = texts.map((text, i) => {
    const same = texts.flatMap((other, k) => (other === text ? [k] : []));
    return (same.indexOf(i) - (same.length - 1) / 2) * 22;
  });
  return { place, shift, dots: map.map((m, i) => [place(m)[0] + shift[i], place(m)[1]]) };
};

// Where a pull ends: before the anchor, however strong it is.
const short = (from, to, anchor) => {
  const [long, far] = [to, anchor].map((end) => Math.hypot(end[0] - from[0], end[1] - from[1])),
    part = Math.min(1, Math.max(far - 12, 0) / (long || 1));
  return from.map((v, k) => v + part * (to[k] - v));
};

// The batch in two dimensions: an arrow towards the anchor is a pull, away from it a push.
const batchMap = (values, chosen, state) => {
  const width = kit.room.second,
    at = chosen.anchor - 1,
    { positive, negative, after, neutral } = kit.COLOURS,
    twin = twinAt(values, chosen, state),
    who = namedOf(values, chosen, twin),
    first = mostPushed(values, chosen, state),
    title = values.counted
      ? `${first === twin ? "The twin " : ""}${state.names[first]} takes ${partOf(values.push, first)} of the push`
      : `Anchor ${state.names[at]} and the batch`,
    head = kit.heading({ title }, width),
    top = head.height + 18,
    high = top + Math.min(0.9 * width, 370);
  const { place, shift, dots } = standing(state, width, top, high),
    ends = values.tips.map((tip, i) => [place(tip)[0] + shift[i], place(tip)[1]]),
    tips = ends.map((end, i) => (values.push[i] < 0 ? short(dots[i], end, dots[at]) : end));
  const arrows = [...[...who].map((i) => [dots[i], tips[i]]), [dots[at], place(values.step)]],
    covered = arrows.flatMap(([from, to]) => [0.33, 0.67, 1].map((t) => from.map((v, k) => v + t * (to[k] - v)))),
    names = state.names.map((name, i) => (!who.has(i) ? "" : i === at ? `anchor ${name}` : name)),
    told = labelPlaces(dots, names, width, covered);
  const force = (i) => kit.arrow(dots[i], tips[i], values.push[i] < 0 ? positive : negative, 2.6);
  // Those with a name on top, and crosses over dots: where two points are one, both are seen.
  const rank = (i) => (who.has(i) ? 2 : 0) + Number(values.cells[at][i] === NEGATIVE),
    order = dots.map((_, i) => i).sort((i, j) => rank(i) - rank(j));
  const bonds = dots.map(([x, y], i) =>
    values.counted && values.cells[at][i] === POSITIVE
      ? `<path d="M${dots[at].map(round)}L${round(x)} ${round(y)}" stroke="${positive}" stroke-opacity="0.45"/>`
      : "",
  );
  const said = [["pulls", positive], ", ", ["pushes", negative], ", ", ["moves", after], "; pale: the rest"];
  return kit.svg(
    width,
    high,
    "map of the batch with its pulls and pushes",
    head.inside +
      kit.tinted(0, head.height + 8, said) +
      box(0.5, top, width - 1, high - top - 1, 'class="kit-grid" fill="none"') +
      bonds.join("") +
      `<circle cx="${round(dots[at][0])}" cy="${round(dots[at][1])}" r="10" fill="none" stroke="${after}" ` +
      `stroke-width="2"/>` +
      order.map((i) => mark(values, chosen, state, i, dots[i], who.has(i))).join("") +
      [...who]
        .filter((i) => i !== at)
        .map(force)
        .join("") +
      (values.counted ? kit.arrow(dots[at], place(values.step), after, 3.4) : "") +
      brackets(state, dots, neutral, width) +
      [...who].map((i) => leader(dots[i], told[i]) + nameAt(values, told[i], names[i], i)).join(""),
  );
};

const nameAt = (values, [x, y, end], words, i) =>
  `<g ${pickOf(values, i)} data-link="${i}">${label(x, y, words, 'class="kit-small kit-strong kit-halo"', end)}</g>`;

// A thin line from a dot to a name that found no room beside it.
const leader = ([x, y], [, , , at]) =>
  at ? `<path d="M${round(x)} ${round(y)}L${at.map(round)}" stroke="currentColor" stroke-opacity="0.6"/>` : "";

// Rows of one text are held together by a bracket.
const brackets = ({ texts }, dots, colour, width) =>
  dots
    .map(([x, y], i) => {
      const twin = texts.indexOf(texts[i], i + 1);
      if (twin < 0) return "";
      const right = dots[twin][0],
        middle = Math.min(Math.max((x + right) / 2, 48), width - 48);
      return (
        `<path d="M${round(x - 7)} ${round(y - 17)}v-5H${round(right + 7)}v5" fill="none" stroke="${colour}"/>` +
        label(middle, y - 42, "same sentence,", 'class="kit-small kit-halo"') +
        label(middle, y - 28, "drawn apart", 'class="kit-small kit-halo"')
      );
    })
    .join("");

// A square for an anchor, a dot for its positive, a cross for its negative, coloured by the role for the chosen anchor;
// a pale dot for who has no name.
const mark = (values, chosen, state, i, [x, y], named) => {
  const { colour } = roleOf(values, chosen, i),
    [n, p] = state.sizes;
  const shape =
    i < n
      ? box(x - 5, y - 5, 10, 10, `rx="2" fill="${colour}"`)
      : i < n + p
        ? `<circle cx="${round(x)}" cy="${round(y)}" r="5" fill="${colour}"/>`
        : `<path d="M${round(x - 4)} ${round(y - 4)}l8 8m0-8l-8 8" stroke="${colour}" stroke-width="2.6"/>`;
  return (
    `<g ${pickOf(values, i)} data-link="${i}">${hint(state, i)}` +
    `<circle cx="${round(x)}" cy="${round(y)}" r="9" fill="transparent"/>` +
    (named ? shape : `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${colour}" fill-opacity="0.4"/>`) +
    "</g>"
  );
};

const AROUND = [
  [8, -4, "start"],
  [-8, -4, "end"],
  [8, 11, "start"],
  [-8, 11, "end"],
  [0, -10, "middle"],
  [0, 18, "middle"],
];
const FARTHER = [
  [26, -18, "start"],
  [-26, -18, "end"],
  [26, 26, "start"],
  [-26, 26, "end"],
  [0, -30, "middle"],
  [0, 38, "middle"],
  [40, 4, "start"],
  [-40, 4, "end"],
];

// Labels beside the dots, away from other dots and labels where possible; where all is taken, farther off on a line.
const labelPlaces = (dots, names, width, tips) => {
  const taken = [...dots, ...tips].map(([x, y]) => [x - 6, y - 6, x + 6, y + 6]);
  return dots.map(([x, y], i) => {
    const long = 7 * names[i].length;
    const places = [...AROUND, ...FARTHER].map(([dx, dy, end], k) => {
      const from = x + dx - { start: 0, end: long, middle: long / 2 }[end],
        far = k >= AROUND.length,
        foot = far ? [x + dx * 0.88, y + dy + (dy < 0 ? 3 : -9)] : null;
      return { at: [x + dx, y + dy, end, foot], area: [from, y + dy - 10, from + long, y + dy + 2], far };
    });
    const over = ({ area, far }) =>
      (far ? 0.5 : 0) +
      (area[0] < 2 || area[2] > width - 2 ? 9 : 0) +
      taken.filter((t) => t[0] < area[2] && t[2] > area[0] && t[1] < area[3] && t[3] > area[1]).length;
    const best = places.reduce((a, b) => (over(b) < over(a) ? b : a));
    taken.push(best.area);
    return best.at;
  });
};

// A bar for each positive: what its denominator consists of, and the loss that follows.
const whoStandsIn = ({ counted, terms, losses, anchors }, { loss, anchor }, { names }) => {
  const name = names[anchor - 1],
    paragraph = (text) => `<p style="margin:0.25em 0">${text}</p>`;
  // A fixed height, so that what follows stays in place.
  const kept = (inside) => `<div><div class="kit-title">who stands in the denominator` + `</div>${inside}</div>`;
  const batch = `Loss of the batch: the mean over ${anchors} anchors, ${kit.fixed(losses[1], 4)}.`;
  if (!counted)
    return kept(
      paragraph(`Row ${name} is no anchor of ${kit.escape(loss)}: it has no positive, and no term is its own.`) +
        paragraph(batch),
    );
  const { row, sizes } = terms[0],
    width = kit.room.column,
    left = 74,
    wide = width - left - 150,
    foot = 22 * terms.length,
    fills = fillsOf();
  const bars = terms.map(({ row: p, shares, term }, k) => {
    let x = left;
    const parts = shares.map((v, j) => {
      x += wide * v;
      return box(x - wide * v, 22 * k + 2, wide * v, 17, fills[j]);
    });
    return (
      label(left - 6, 22 * k + 15, `D(${name}, ${names[p]})`, SMALL, "end") +
      parts.join("") +
      label(left + wide + 7, 22 * k + 15, `−log ${kit.fixed(shares[0], 3)} = ${kit.fixed(term, 3)}`, SMALL, "start")
    );
  });
  const chart = kit.svg(
    width,
    foot + 24,
    "shares of the denominators",
    bars.join("") +
      `<path class="kit-axis" d="M${left} 0V${foot}H${left + wide}" fill="none"/>` +
      label(left, foot + 14, "0", SMALL) +
      label(left + wide, foot + 14, "1", SMALL) +
      label(left + wide / 2, foot + 14, "share of the sum", SMALL),
  );
  const patch = (fill) =>
    `<svg style="display:inline-block;width:0.8em;height:0.8em" viewBox="0 0 9 9">${box(0, 0, 9, 9, fill)}</svg>`;
  const parts = partNames(sizes, names[row]).map((words, j) =>
    sizes[j] ? `<span style="white-space:nowrap">${patch(fills[j])} ${words}</span>` : "",
  );
  return kept(
    chart +
      paragraph(
        `In D(${name}, ${names[row]}): ${parts.filter(Boolean).join(", ")}.${leftOut(terms.length - 1, sizes)}`,
      ) +
      paragraph(
        `Loss of ${name}: ${terms.length > 1 ? "the mean of the terms, " : ""}${kit.fixed(losses[0], 4)}. ${batch}`,
      ),
  );
};

const leftOut = (siblings, [, shared, , , ghosts]) =>
  !siblings || shared
    ? ""
    : ` Left out: the ${siblings === 1 ? "sibling" : `${siblings} siblings`}${ghosts ? ", with e⁰ = 1 instead" : ""}.`;
const partNames = ([, siblings, own, others, ghosts], name) => [
  `${name} itself`,
  several(siblings, "sibling"),
  `${several(own, "negative")} of its own`,
  `${others} of the others`,
  several(ghosts, "ghost"),
];
const fillsOf = () => {
  const { positive, negative, neutral } = kit.COLOURS,
    inks = [
      [positive, 1],
      [positive, 0.45],
      [negative, 1],
      [negative, 0.5],
      [neutral, 0.8],
    ];
  return inks.map(([fill, opacity]) => `fill="${fill}" fill-opacity="${opacity}"`);
};

// All sentences, group by group: the role of each for the anchor, and the gradient on its similarity.
const sentences = (values, chosen, state) => {
  const line = (i) => {
    const { sign, colour } = roleOf(values, chosen, i),
      member = sign === "+" || sign === "−";
    const slope = member ? kit.fixed(values.gradient[i], 3).replace(/^(?=\d)/, "+") : "";
    return (
      `<div ${pickOf(values, i)} data-link="${i}" style="display:flex;gap:0.4em">` +
      `<b style="width:1em;text-align:center;color:${kit.ink(colour)}">${sign}</b>` +
      `<span style="width:1.8em">${state.names[i]}</span>` +
      `<span style="flex:1">${kit.escape(state.texts[i])}</span><span ` +
      `style="font-variant-numeric:tabular-nums">${slope}</span></div>`
    );
  };
  const group = (g) =>
    `<div style="margin:0.35em 0">${state.names.map((_, i) => (state.group[i] === g ? line(i) : "")).join("")}</div>`;
  const all = Array.from({ length: state.sizes[0] }, (_, g) => group(g));
  return (
    '<div class="kit-title" style="display:flex"><span style="flex:1">sentence</span><span>∂L/∂s</span></div>' +
    all.join("")
  );
};

const several = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const summary = ({ anchors, counted, members, push, losses }, { loss, anchor, tau }, { names, texts }) => {
  const at = anchor - 1,
    start = `${loss}, τ ${kit.short(tau)}: `;
  const whole = `the loss of the batch, over ${anchors} anchors, is ${kit.fixed(losses[1], 3)}.`;
  if (!counted) return `${start}row ${anchor}, ${names[at]} (“${texts[at]}”), is no anchor of this loss; ${whole}`;
  const hardest = push.indexOf(Math.max(...push)),
    pulled = -push.reduce((sum, v) => sum + Math.min(v, 0), 0);
  return (
    `${start}${names[at]} (“${texts[at]}”) has ${several(members[0], "positive")} and ` +
    `${several(members[1], "negative")}; ` +
    `the pulls add up to ${kit.fixed(pulled, 3)}, the strongest push, ${kit.fixed(push[hardest], 3)}, falls on ` +
    `${names[hardest]}. ` +
    `Its loss is ${kit.fixed(losses[0], 3)}; ${whole}`
  );
};
