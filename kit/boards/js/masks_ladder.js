// The right half of the masks board: how near each text stands to the anchor, and how hard it is pulled or pushed.
// Every text has a row to itself: its dot stands at its cosine with the anchor, its arrow in a column of arrows, to the
// left where it is pulled. The rows are sorted by cosine in lanes: positives, twins of theirs, hard negatives, others.

const LINE = { least: 16, most: 66, all: 330, name: 20 }; // pixels of a row, of all together, and of a lane's name
const NAMED = 15; // pixels from a lane's name down to its first row
const THICK = 2.2; // pixels of an arrow
const LEAST_HEAD = 14; // pixels of the shortest arrow with a point; a shorter one is a line without
const LEAST_PULL = 0.5; // how far the scale of pulls reaches at least, so that its name has room
const STUB = 1; // pixels below which nothing is drawn
const PUSHED = "Pushed most, ";
const BOLD = 7.9; // pixels that a letter of a title needs
const ALIKE = 1.5; // the largest push is at most so many times the smallest: all are pushed about equally

// The lanes of the chosen anchor, [{name, rows}], in each the nearest first; those without a text are left out.
const lanesOf = ({ cells }, { anchor }, { cosines, group, texts }) => {
  const at = anchor - 1,
    row = cells[at],
    candidates = row.flatMap((kind, c) => ([IGNORED, NEGATIVE, POSITIVE].includes(kind) ? [c] : [])),
    wanted = new Set(candidates.filter((c) => row[c] === POSITIVE).map((c) => texts[c]));
  const laneOf = (c) => (row[c] === POSITIVE ? 0 : wanted.has(texts[c]) ? 1 : group[c] === group[at] ? 2 : 3);
  const twin = candidates.find((c) => laneOf(c) === 1);
  return [
    "its positives",
    `same sentence: ${row[twin] === NEGATIVE ? "negative" : "masked"}`,
    "its hard negatives",
    "texts of the other anchors",
  ]
    .map((name, lane) => ({
      name,
      rows: candidates.filter((c) => laneOf(c) === lane).sort((a, b) => cosines[at][b] - cosines[at][a]),
    }))
    .filter(({ rows }) => rows.length);
};

// Pixels of a row, where few rows share what the left half of the board takes.
const stepOf = (lanes) => {
  const rows = lanes.reduce((sum, lane) => sum + lane.rows.length, 0);
  return Math.min(Math.max(LINE.least, Math.floor((LINE.all - LINE.name * lanes.length) / (rows || 1))), LINE.most);
};

// How far below the head of the ladder each row of the batch stands, null where it is no candidate.
const linesOf = (lanes, size) => {
  const lines = Array(size).fill(null),
    step = stepOf(lanes);
  let end = 0;
  for (const { rows } of lanes) {
    end += LINE.name;
    for (const c of rows) {
      lines[c] = end + step / 2;
      end += step;
    }
  }
  return lines;
};

// What glides on the ladder: cosines with the anchor, now and before a training, and the lines.
const ladderMotion = (values, chosen, state) => ({
  near: state.cosines[chosen.anchor - 1],
  nearBefore: state.before?.[chosen.anchor - 1] ?? [],
  lines: linesOf(lanesOf(values, chosen, state), state.names.length),
});

// Both scales: of cosines, from 1 at the left down to the lowest of the batch, and of pulls (left) and pushes (right).
// A push is at most 1, a pull one part of as many as the anchor has positives: so far they reach at every τ, before and
// after a training, and an arrow that is twice as long is twice the force.
const ladderScales = ({ loss }, { cosines, before, losses }, width) => {
  const lowest = Math.min(...cosines.flat(), ...(before ?? []).flat()),
    low = Math.min(Math.floor(20 * lowest) / 20, 0.95),
    left = 38,
    gap = 34,
    wide = Math.round((width - left - gap - 8) * 0.46),
    positives = losses[loss].positive.map((row) => row.filter(Boolean).length).filter(Boolean),
    [most, hardest] = [Math.max(1 / Math.min(...positives), LEAST_PULL), 1],
    from = left + wide + gap,
    end = width - 10,
    unit = (end - from) / (most + hardest);
  return {
    low,
    most,
    hardest,
    left,
    right: left + wide,
    from,
    end,
    x: (cosine) => left + ((1 - cosine) / (1 - low)) * wide,
    zero: from + unit * most,
    reach: (force) => unit * force,
  };
};

// Whether all negatives of a row of the matrix are pushed about equally hard.
const allAlike = (push, row) => {
  const pushes = row.flatMap((kind, c) => (kind === NEGATIVE ? [push[c]] : []));
  return pushes.length > 1 && Math.max(...pushes) < ALIKE * Math.min(...pushes);
};

// One sentence that holds for the ladder as it is drawn; after a training, the text that is pushed most.
const ladderTitle = ({ cells, counted, push, before }, { anchor }, { names, texts }, twin, told) => {
  const row = cells[anchor - 1];
  if (!counted) return `${names[anchor - 1]} is no anchor of this loss`;
  if (row[told] === POSITIVE) return `${names[told]} is pushed: it has more than its target`;
  if (before.length) return sentenceOf(names[told], texts[told], kit.room.second);
  if (allAlike(push, row)) return "At this τ near and far get similar pushes";
  if (twin >= 0 && row[twin] !== NEGATIVE) return `The twin ${names[twin]} is masked: no push on it`;
  if (twin >= 0) return `Equally near: ${names[row.indexOf(POSITIVE)]} is pulled, ${names[twin]} pushed`;
  return "The nearer a negative, the harder its push";
};

// "Pushed most, 1z: “The old man is running”", as much of it as one line of a title has room for.
const sentenceOf = (name, text, width) => {
  const room = Math.floor(width / BOLD) - name.length - 5,
    said = text.replace(/\.$/, ""),
    start = said.length + PUSHED.length <= room ? `${PUSHED}${name}` : name;
  return `${start}: “${said.length > room ? `${said.slice(0, room - 1).trimEnd()}…` : said}”`;
};

const ladder = (values, chosen, state) => {
  const width = kit.room.second,
    told = mostPushed(values, chosen, state),
    hardest = values.push.indexOf(Math.max(...values.push)), // not the one that is told where that is a twin
    lanes = values.counted ? lanesOf(values, chosen, state) : [],
    scales = ladderScales(chosen, state, width),
    alike = values.counted && allAlike(values.push, values.cells[chosen.anchor - 1]),
    few = lanes.reduce((sum, { rows }) => sum + rows.length, 0) < FEW,
    shares = { told: alike && few ? -1 : told, hardest, few },
    title = ladderTitle(values, chosen, state, twinAt(values, chosen, state), told),
    head = kit.heading({ title }, width),
    top = head.height + 16,
    y = (line) => top + line,
    first = linesOf(lanes, state.names.length), // where the lanes begin, which do not glide
    foot = y(Math.max(0, ...first) + stepOf(lanes) / 2) + 4,
    nameOf = ({ rows: [c] }) => y(first[c]) - NAMED; // near to its first row, however far apart rows stand
  const names = lanes.map((lane) =>
    label(scales.left + 7, nameOf(lane), lane.name, 'class="kit-small kit-halo" fill-opacity="0.85"', "start"),
  );
  const drawn = lanes.flatMap(({ rows }) =>
    rows.map((c) => ladderRow(values, chosen, state, c, y(values.lines[c]), scales, shares)),
  );
  return kit.svg(
    width,
    foot + 38,
    "cosines with the anchor, and its pulls and pushes",
    head.inside +
      ladderAxes(scales, top, foot, state.names[chosen.anchor - 1]) +
      ladderHeads(values, scales, head.height + 10) +
      lanes
        .flatMap(({ rows }) => rows)
        .map((c) => twinLine(values, state, c, { y, nameOf, lanes }, scales))
        .join("") +
      names.join("") +
      drawn.join(""),
  );
};

// A dashed line from a positive to a twin of it: they stand at one cosine. It stops at the name of the twin's lane.
const twinLine = ({ near, lines }, { texts }, c, { y, nameOf, lanes }, { x }) => {
  const twin = texts.findIndex((text, i) => i !== c && text === texts[c] && lines[i] > lines[c]);
  if (twin < 0) return "";
  const lane = lanes.find(({ rows }) => rows.includes(twin)),
    name = nameOf(lane) - 4,
    [from, to] = [y(lines[c]), y(lines[twin])],
    parts = name > from && name < to ? [from, Math.max(from, name - 9), Math.min(to, name + 10), to] : [from, to];
  return parts
    .flatMap((start, i) => (i % 2 ? [] : [`M${round(x(near[c]))} ${round(start)}V${round(parts[i + 1])}`]))
    .map((path) => `<path d="${path}" class="kit-marker"/>`)
    .join("");
};

// What stands where: the anchor over cosine 1, the two directions over their arrows.
const ladderHeads = ({ before }, { left, zero, end }, y) => {
  const { positive, negative, after } = kit.COLOURS,
    start = Math.min(zero + 5, end - 38), // where "push →" is whole before the edge
    ring = before.length
      ? ringAt(left + 74, y - 4, "currentColor") + label(left + 82, y, "before", SMALL, "start")
      : "";
  return (
    box(left - 5, y - 9, 10, 10, `rx="2" fill="${after}"`) +
    kit.tinted(left + 9, y, [["anchor", after]]) +
    ring +
    kit.tinted(start - 10, y, [["← pull", positive]], "end") +
    kit.tinted(start, y, [["push →", negative]])
  );
};

const ladderAxes = (scales, top, foot, name) => {
  const { low, most, hardest, left, right, from, end, x, zero } = scales,
    { after } = kit.COLOURS,
    ticks = kit.ticks(low, 1, 4);
  return (
    `<path class="kit-axis" d="M${left} ${foot}H${right}M${round(from)} ${foot}H${end}" fill="none"/>` +
    `<path class="kit-axis" d="M${round(zero)} ${top - 4}V${foot}" fill="none"/>` +
    `<path d="M${left} ${top - 10}V${foot}" stroke="${after}" stroke-width="2" fill="none"/>` +
    ticks
      .map(
        (v) =>
          `<path class="kit-grid" d="M${round(x(v))} ${top}V${foot}"/>` + label(x(v), foot + 15, kit.short(v), SMALL),
      )
      .join("") +
    label(from, foot + 15, kit.short(-most), SMALL) +
    label(zero, foot + 15, "0", SMALL) +
    label(end + 10, foot + 15, kit.short(hardest), SMALL, "end") +
    label((left + right) / 2, foot + 31, `cosine with anchor ${name}`, SMALL) +
    label((from + end) / 2, foot + 31, "weight − target", SMALL)
  );
};

const ringAt = (x, y, colour, more = "") =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" class="kit-plain" stroke="${colour}" stroke-width="1.4" ${more}/>`;

// A text: its name, a line from the anchor to its dot, its arrow, and rings where both ended before a training. The one
// that is told has its share of the push in colour; the one that is pushed most has it too and, of few texts, each.
const ladderRow = (values, chosen, state, c, y, scales, { told, hardest, few }) => {
  const { left, right, end, x, zero, reach } = scales,
    { colour, sign } = roleOf(values, chosen, c),
    [here, push, earlier] = [x(values.near[c]), values.push[c], values.before[c] ?? 0],
    was = values.nearBefore.length ? x(values.nearBefore[c]) : null,
    strong = c === told || sign === "+",
    share =
      c === told
        ? kit.tinted(zero - 7, y + 4, [[partsOf(values, c), kit.COLOURS.negative]], "end")
        : c === hardest || (few && push > 0)
          ? label(zero - 7, y + 4, partsOf(values, c), SMALL, "end")
          : "";
  const ring =
    was === null
      ? ""
      : `<path d="M${round(was)} ${round(y)}H${round(here)}" stroke="${colour}" stroke-width="1.6"/>` +
        ringAt(was, y, colour, `data-ring="${c}"`);
  return (
    `<path d="M${left} ${round(y)}H${round(here)}" stroke="${colour}" stroke-opacity="0.3" stroke-width="1.6"/>` +
    ring +
    `<circle cx="${round(here)}" cy="${round(y)}" r="4.5" class="kit-halo" fill="${colour}" data-dot="${c}"/>` +
    `<g data-force="${c}">${force([zero, y], reach(push))}</g>` +
    (Math.abs(reach(earlier)) < STUB ? "" : ringAt(zero + reach(earlier), y, "currentColor")) +
    share +
    `<g ${pickOf(values, c)} data-link="${c}">${hint(state, c)}` +
    label(left - 10, y + 4, state.names[c], strong ? STRONG : SMALL, "end") +
    `${box(0, y - LINE.least / 2, end + 10, LINE.least, 'class="kit-touch"')}</g>`
  );
};

// Its share of the push: "48 %", or from before a training to now, "11 → 48 %".
const partsOf = ({ push, before }, c) =>
  before.length ? `${partOf(before, c).replace(" %", "")} → ${partOf(push, c)}` : partOf(push, c);

// An arrow from the zero line as long as the force, to the left where it is a pull; a short one has no point.
const force = ([zero, y], length) => {
  const size = Math.abs(length),
    colour = length < 0 ? kit.COLOURS.positive : kit.COLOURS.negative;
  if (size < STUB) return "";
  return size < LEAST_HEAD
    ? `<path d="M${round(zero)} ${round(y)}h${round(length)}" stroke="${colour}" stroke-width="${THICK}"/>`
    : kit.arrow([zero, y], [zero + length, y], colour, THICK);
};
