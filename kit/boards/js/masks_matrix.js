// The left half of the masks board: the matrix of who is what to whom, and under each of its columns the softmax weight
// that the chosen anchor gives it.

const WIDEST = 140; // pixels of a column
const TURNED = 21; // pixels of a column from which on its name stands upright
const ROOMY = 44; // pixels of a bar from which on every weight has its number
const PAIR = 2; // pixels on either side of two bars that belong together
const NUMBER = 28; // pixels of such a number

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
  const width = kit.room.first,
    at = chosen.anchor - 1,
    name = `anchor ${state.names[at]}`,
    title = values.counted ? `Whom ${name} pulls and pushes` : "Who is what to whom",
    head = kit.heading({ title, legend: matrixLegend(values) }, width),
    seen = rowsOf(values, chosen),
    columns = columnsOf(values, state),
    top = head.height + 21,
    places = placesOf(columns, state, seen, top),
    { left, step, w, h, x, y } = places,
    end = x(columns[columns.length - 1]) + w,
    { after } = kit.COLOURS,
    foot = y(seen[seen.length - 1]) + h,
    letters = step < TURNED ? 28 : 20, // pixels of the columns' names
    said = kit.wrapped(weightsSaid(values, chosen, state), width),
    floor = foot + letters + 24 + 16 * said.length + tallest(seen);
  const rows = seen.map(
    (i) =>
      `<g ${pickOf(values, i)} data-link="${i}">${hint(state, i)}` +
      box(0, y(i), width, h + 1.5, 'class="kit-touch"') +
      `${label(left - 6, y(i) + h / 2 + 4, state.names[i], i === at ? STRONG : SMALL, "end")}</g>`,
  );
  return kit.svg(
    width,
    floor + letters + 2,
    `masks of ${chosen.loss}, and the weights of ${name}`,
    head.inside +
      kindsOf(state, columns, places, top) +
      cellsOf(values, chosen, state, seen, top) +
      box(left - 2, y(at) - 1.8, end - left + 4, h + 3.6, `fill="none" stroke="${after}" stroke-width="2.4"`) +
      rows.join("") +
      said.map((line, k) => label(0, foot + letters + 20 + 16 * k, line, SMALL, "start")).join("") +
      weightBars(values, chosen, state, floor, tallest(seen)) +
      columns.map((c, k) => columnNames(state, places, c, k, [top, foot, floor])).join(""),
  );
};

const matrixLegend = ({ cells }) => {
  const { positive, negative } = kit.COLOURS,
    has = (kind) => cells.some((row) => row.includes(kind));
  return [
    { name: "positive (+)", colour: positive, shape: "box" },
    { name: "negative (pale: of other anchors)", colour: negative, shape: "box" },
    ...(has(ITSELF) ? [{ name: "itself (struck out)", colour: paled(0.35), shape: "box" }] : []),
    ...(has(IGNORED) ? [{ name: "masked", colour: paled(0.75), shape: "box" }] : []),
  ];
};

// Over the columns: which of them are anchors, positives and negatives.
const kindsOf = ({ sizes: [n, p], names }, columns, { step, w, x }, top) =>
  [
    ["anchors", 0, n - 1],
    ["positives", n, n + p - 1],
    ["negatives", n + p, names.length - 1],
  ]
    .map(([word, from, to]) => {
      const whose = from < n ? word : `${word} of 1–${n}`,
        fits = 7 * whose.length < (to - from + 1) * step;
      return from > to || !columns.includes(from)
        ? ""
        : label((x(from) + x(to) + w) / 2, top - 9, fits ? whose : word, SMALL);
    })
    .join("");

// The name of a column, under the matrix and under its bar; pointing at either marks the column.
const columnNames = (state, { step, w, x }, c, k, [top, ...feet]) => {
  const name = state.names[c],
    middle = x(c) + w / 2,
    every = step < 12 ? 2 : 1;
  const names = feet.map((foot) =>
    step < TURNED
      ? label(
          middle + 4,
          foot + 6,
          name,
          `${SMALL} transform="rotate(-90 ${round(middle + 4)} ${round(foot + 6)})"`,
          "end",
        )
      : label(middle, foot + 14, name, SMALL),
  );
  const between = box(x(c), feet[0], w, feet[1] - feet[0] + 18, 'class="kit-touch"'),
    above = box(x(c), top, w, feet[0] - top, 'class="kit-touch" pointer-events="none"'); // there a row is pointed at
  return `<g data-link="${c}">${hint(state, c)}${above}${between}${k % every ? "" : names.join("")}</g>`;
};

// What stands over the bars. Where the other positives stand not in full in a denominator, each positive has its own
// softmax, and a bar is the mean over them: a positive may be nearer than a negative and yet have the lower bar.
const weightsSaid = ({ before, members }, { loss }, { losses }) => {
  const averaged = members[0] > 1 && losses[loss].other_positives !== "included";
  return (
    `↑ softmax weight${averaged ? ", mean over the positives" : ""}; dashed: target` +
    (before.length ? "; pale: before" : "")
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

// The bars to be drawn: the weight of each candidate now and before a training, and the target of a positive.
const weightsOfColumns = (values, chosen, columns) => {
  const target = values.members[0] ? 1 / values.members[0] : 0;
  return columns.flatMap((c) => {
    const { sign, colour } = roleOf(values, chosen, c),
      aim = sign === "+" ? target : 0,
      was = values.before.length ? values.before[c] + aim : null;
    return sign === "+" || sign === "−" ? [{ c, colour, aim, was, now: values.weights[c] }] : [];
  });
};

// The weights as bars: pale beside them those before a training, dashed the target of a positive.
const weightBars = (values, chosen, state, floor, tall) => {
  const columns = columnsOf(values, state),
    places = placesOf(columns, state, [], 0),
    { w, x, left } = places,
    end = x(columns[columns.length - 1]) + w,
    all = weightsOfColumns(values, chosen, columns),
    whole = Math.max(0, ...all.flatMap(({ aim, was, now }) => [aim, was ?? 0, now])) > 0.5 ? 1 : 0.5,
    height = (v) => (tall * v) / whole,
    dashed = `fill="none" stroke="${kit.COLOURS.neutral}" stroke-dasharray="2 2"`;
  const bar = (from, wide, v, more) => box(from, floor - height(v), wide, height(v), more);
  const drawn = all.map(({ c, colour, aim, was, now }) => {
    const half = w / 2 - PAIR; // of a pair, the two side by side
    return (
      (was === null
        ? bar(x(c), w, now, `fill="${colour}"`)
        : bar(x(c) + PAIR, half, was, `fill="${colour}" fill-opacity="0.4"`) +
          bar(x(c) + w / 2, half, now, `fill="${colour}"`)) + (aim ? bar(x(c), w, aim, dashed) : "")
    );
  });
  return (
    weightAxis(left, end, floor, tall, whole) +
    drawn.join("") +
    weightNumbers(all, mostPushed(values, chosen, state), places, end, (v) => floor - height(v))
  );
};

const weightAxis = (left, end, floor, tall, whole) =>
  [0, 0.5, 1]
    .map((part) => {
      const y = floor - tall * part;
      return (
        `<path class="${part ? "kit-grid" : "kit-axis"}" d="M${left} ${round(y)}H${round(end)}"/>` +
        label(left - 6, y + 4, kit.short(part * whole), SMALL, "end")
      );
    })
    .join("");

// Over the bars, the largest first, none on another and none over the bar of before. Narrow bars have room for the one
// that is told alone; of pairs it is that one and the positives.
const weightNumbers = (all, told, { w, x, left }, end, y) => {
  const wanted = all.filter(
    ({ c, aim, was, now }) => now >= Math.max(0.01, was ?? 0) && (c === told || (w > ROOMY && (aim || was === null))),
  );
  const placed = [];
  for (const { c, now } of wanted.sort((a, b) => b.now - a.now)) {
    const at = [Math.min(Math.max(x(c) + w / 2, left + NUMBER / 2), end - NUMBER / 2 + 4), y(now) - 4];
    if (placed.every(([px, py]) => Math.abs(px - at[0]) >= NUMBER || Math.abs(py - at[1]) >= 13))
      placed.push([...at, now > 0.9995 ? "1" : kit.fixed(now, 3).replace(/^0/, "")]);
  }
  return placed.map(([px, py, words]) => label(px, py, words, 'class="kit-small kit-halo"')).join("");
};
