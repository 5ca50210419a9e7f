// The cosines of a few sentences in several spaces side by side; the reader can type others.
// state: {sentences [n], labels [n], threes, spaces [names], cosines: {space: [n][n]}, unknown [n], readers: to whom}
// The same in Python: heat_values in kit/boards/heat_widget.py.

const title = "Cosines of a few sentences, space by space";
const BAND = [0.6, 1.0];

const controls = (state) => [
  { kind: "text", name: "own", label: "your own sentences, parted by | (blank: the twelve)", value: "", kernel: true },
  { kind: "choice", name: "space", label: "look closer at", options: state.spaces, value: state.spaces[0] },
  { kind: "slider", name: "sentence", label: "sentence", min: 1, max: 12, step: 1, value: 1 },
];

// The reader may have typed fewer.
const allowed = (chosen, { sentences }) => ({ sentence: sentences.map((_, i) => i + 1) });

const compute = (state, { space, sentence }) => {
  const n = state.sentences.length,
    matrix = state.cosines[space],
    i = Math.min(sentence, n) - 1;
  const order = state.sentences
    .map((_, j) => j)
    .filter((j) => j !== i)
    .sort((a, b) => matrix[i][b] - matrix[i][a]);
  const measured = Object.fromEntries(state.spaces.map((name) => [name, measure(state.cosines[name], state.threes)]));
  return { sentence: i + 1, order, cosines: order.map((j) => matrix[i][j]), measured };
};

const measure = (matrix, threes) => {
  const pairs = matrix.flatMap((row, i) => row.slice(i + 1));
  const won = matrix.filter((row, i) => i % 3 === 0 && i < matrix.length - 2 && row[i + 1] > row[i + 2]).length;
  return {
    low: Math.min(...pairs),
    high: Math.max(...pairs),
    won: threes ? won : -1,
    band: pairs.filter((c) => BAND[0] <= c && c <= BAND[1]).length / pairs.length,
  };
};

// Green: its positive; vermilion: its negative; no colour: another topic, or no roles.
const roleOf = (state, i, j) => {
  const { positive, negative } = kit.COLOURS;
  if (!state.threes || Math.floor(i / 3) !== Math.floor(j / 3)) return null;
  return [i, j].some((k) => k % 3 === 2) ? [negative, "−"] : [positive, "+"];
};

const PARTS = ["anchor", "positive", "negative"];

// Of an anchor: which of the two is nearer, in which space.
const verdictOf = ({ threes, spaces, cosines }, i) => {
  if (!threes || i % 3) return "";
  const won = spaces.filter((name) => cosines[name][i][i + 1] > cosines[name][i][i + 2]);
  if (won.length === spaces.length) return " Its positive is nearer everywhere.";
  return won.length ? ` Its positive is nearer in ${won.join(" and ")} only.` : " Its negative is nearer everywhere.";
};

const motion = (values, chosen, { cosines: matrices }) => ({ matrices });

const TALL = 21,
  LABELS = 132,
  PHONE_LABELS = 122,
  NUMBERED = 16, // pixels of a column with a number of two digits
  APART = 22,
  FIGURE = 48, // pixels that the number over a map takes
  BESIDE = 230, // pixels of a map that has room for both lines beside its number
  HUES = kit.CYCLE;
const spaceHue = (state, k) =>
  state.spaces.length < 4 ? [kit.COLOURS.before, kit.COLOURS.classify, kit.COLOURS.after][k] : HUES[k % HUES.length];

// Lines between the topics.
const topics = (n, left, top, [wide, tall]) =>
  Array.from({ length: n / 3 - 1 }, (_, k) => 3 * (k + 1))
    .map((k) => {
      const [x, y] = [left + k * wide - 0.5, top + k * tall - 0.5].map(kit.round);
      const lines = `M${kit.round(left)} ${y}h${kit.round(n * wide)}M${x} ${top}v${kit.round(n * tall)}`;
      return `<path class="kit-axis" d="${lines}"/>`;
    })
    .join("");

const RINGS = "green: the positive + is nearer than the negative −; red, dashed: it is not";
// Whether the anchor's positive is nearer than its negative: an outline on the page's own colour, green, or red dashes.
const ringed = (x, y, [wide, tall], won) =>
  kit.rect(x + 1, y + 1, wide - 3, tall - 3, 'class="kit-plain" style="fill:none" stroke-width="5"') +
  kit.rect(
    x,
    y,
    wide - 1,
    tall - 1,
    `fill="none" stroke-width="3" ` +
      (won ? `stroke="${kit.COLOURS.positive}"` : `stroke="${kit.COLOURS.negative}" stroke-dasharray="6 4"`),
  );

// One map: the larger a cosine, the lighter its cell, as in the tour; the anchor's positive and negative have their
// signs. `cell` is [width, height].
const mapOf = (state, matrix, name, { at, left, top, cell }) => {
  const n = matrix.length,
    [wide, tall] = cell;
  const square = (i) => (v, j) => {
    const { fill, ink } = kit.cividis(v), // what is below 0 has the colour of 0
      sign = i % 3 === 0 && i !== j ? (roleOf(state, i, j)?.[1] ?? "") : "",
      [x, y] = [left + j * wide, top + i * tall];
    return (
      `<g data-link="${i}" data-column="${j}" data-pick="sentence:${i + 1}">` +
      `<title>${kit.escape(`${name}: ${i + 1} · ${j + 1}: ${kit.fixed(v)}`)}</title>` +
      kit.rect(x, y, wide - 1, tall - 1, 'class="kit-touch"') +
      kit.rect(x, y, wide - 1, tall - 1, `fill="${fill}"`) +
      (sign ? kit.text(x + wide / 2, y + tall / 2 + 4.5, sign, "middle", `style="fill:${ink};font-weight:700"`) : "") +
      (sign === "+" ? ringed(x, y, cell, v > matrix[i][i + 2]) : "") +
      "</g>"
    );
  };
  const every = n > 9 && wide < NUMBERED ? 2 : 1; // numbers of two digits would run into one another
  const numbers = matrix.map((_, j) =>
    j % every ? "" : kit.text(left + (j + 0.5) * wide, top + n * tall + 14, String(j + 1), "middle", kit.SMALL),
  );
  return (
    kit.text(left, top - 8, name, "start", kit.TITLE) +
    matrix.map((row, i) => row.map(square(i)).join("")).join("") +
    (state.threes ? topics(n, left, top, cell) : "") +
    kit.rect(left - 1.5, top + at * tall - 1.5, n * wide + 2, tall + 2, 'class="kit-mark"') +
    numbers.join("")
  );
};

// All maps in one row, with one scale; on a phone, that of the chosen space alone, with square cells.
const maps = (values, { space }, state, matrices) => {
  const { width, columns } = kit.room,
    { labels } = state,
    phone = columns === 1,
    spaces = phone ? [space] : state.spaces,
    n = labels.length,
    margin = phone ? Math.max(60, Math.min(PHONE_LABELS, width - 6 - NUMBERED * n)) : LABELS,
    wide = Math.min((width - 6 - margin - APART * (spaces.length - 1)) / spaces.length / n, phone ? 24 : 40),
    cell = [wide, phone ? wide : TALL],
    above = phone ? 0 : FIGURE, // what a map says in one number stands over it; on a phone, over all
    foot = above + 24 + n * cell[1] + 22,
    lowest = Math.min(0, ...state.spaces.map((name) => values.measured[name].low)),
    at = values.sentence - 1;
  const drawn = spaces.map((name, k) =>
    mapOf(state, matrices[name], name, { at, left: margin + k * (n * wide + APART), top: above + 24, cell }),
  );
  const figures = phone
    ? []
    : numbersOf(values, state).map((one, k) => figureOver(one, state, margin + k * (n * wide + APART), n * wide));
  const row = (label, i) => {
    const y = above + 24 + i * cell[1],
      strong = i === at && !phone, // bold words want more room than a phone has
      words = kit.cut(`${i + 1} ${label}`, margin - (strong ? 20 : 8));
    return (
      `<g data-link="${i}" data-pick="sentence:${i + 1}">` +
      kit.rect(0, y, margin, cell[1], 'class="kit-touch"') +
      kit.text(margin - 8, y + cell[1] / 2 + 4.5, words, "end", strong ? 'class="kit-small kit-strong"' : kit.SMALL) +
      "</g>"
    );
  };
  const key = keyOf(foot, phone ? 0 : margin, lowest, state);
  return kit.svg(
    width,
    key.height,
    "cosines in each space",
    figures.join("") + labels.map(row).join("") + drawn.join("") + key.inside,
  );
};

// Of each space: in how many topics the positive is nearer, and from where to where the cosines reach.
const numbersOf = ({ measured }, { spaces, sentences }) =>
  spaces.map((name, k) => {
    const { low, high, won } = measured[name],
      range = `${kit.fixed(low)} to ${kit.fixed(high)}`;
    return { name, range, right: won < 0 ? "" : `${won} of ${sentences.length / 3}`, k };
  });

// The number over its map, on a wide page.
const figureOver = ({ range, right, k }, state, x, wide) =>
  kit.text(x, 24, right || range, "start", `class="kit-big kit-slight" style="fill:${kit.ink(spaceHue(state, k))}"`) +
  (right
    ? wide < BESIDE
      ? kit.text(x + 74, 24, "positive nearer", "start", kit.SMALL) +
        kit.text(x, 43, `cosines ${range}`, "start", kit.SMALL)
      : kit.text(x + 74, 13, "positive nearer", "start", kit.SMALL) +
        kit.text(x + 74, 28, `cosines ${range}`, "start", kit.SMALL)
    : "");

// What the colours of the maps mean.
const keyOf = (top, from, lowest, state) => {
  const { width, columns } = kit.room,
    steps = 16,
    beside = columns > 1 && kit.wrapped(`1.00 cosine; ${RINGS}`, width - from - 50 - 9 * steps).length === 1,
    legend = state.threes && !beside ? kit.wrapped(RINGS, width - from) : [];
  const scale = Array.from({ length: steps }, (_, k) =>
    kit.rect(from + 44 + 9 * k, top + 4, 9, 12, `fill="${kit.cividis(k / (steps - 1)).fill}"`),
  );
  const high = `1.00 cosine${state.threes && beside ? `; ${RINGS}` : ""}`;
  return {
    height: top + 24 + 16 * legend.length,
    inside:
      kit.text(from + 38, top + 15, lowest < -0.005 ? "≤ 0" : "0", "end", kit.SMALL) +
      scale.join("") +
      kit.text(from + 50 + 9 * steps, top + 15, high, "start", kit.SMALL) +
      legend.map((line, k) => kit.text(from, top + 34 + 16 * k, line, "start", kit.SMALL)).join(""),
  };
};

// What stands for a space in a picture, and for that in a line of words.
const FORMS = [
  ["dot", "●"],
  ["ring", "○"],
  ["cross", "×"],
];
const formOf = (k) => FORMS[k % FORMS.length];

// Every other sentence on a line of its own, whole, with a mark for its cosine in each space. The scale begins at a
// tenth below the lowest mark.
const compared = (values, { space }, state, matrices) => {
  const { width, columns } = kit.room,
    { sentences, spaces } = state,
    i = values.sentence - 1,
    beside = columns > 1,
    left = beside ? 440 : 8,
    lowest = Math.floor(10 * Math.min(0, ...spaces.map((name) => values.measured[name].low))) / 10,
    x = (v) => left + ((v - lowest) / (1 - lowest || 1)) * (width - left - 16);
  const head = kit.heading({ title: `${values.sentence} ${sentences[i]}${verdictOf(state, i)}` }, width),
    top = head.height + 20,
    hues = spaces.map((name, k) => [`${formOf(k)[1]} ${name}`, spaceHue(state, k)]);
  let end = top;
  const row = (j) => {
    const y = end,
      role = roleOf(state, i, j),
      sign = i % 3 ? `${PARTS[j % 3]}: ` : role && `${role[1]} `, // + and − are said of an anchor
      words = `${role ? sign : ""}${sentences[j]}`,
      said = beside ? [kit.cut(words, role ? left - 40 : left)] : kit.wrapped(words, width - 2, role ? 7.2 : 6.5),
      above = beside ? 0 : 8, // a sentence stands nearer to its own marks than to those of the one before
      line = beside ? y + 11 : y + above + 9 + 16 * said.length,
      step = beside ? 22 : above + 18 + 16 * said.length;
    end += step;
    const marks = spaces.map((name, k) =>
      kit.SHAPES[formOf(k)[0]](kit.round(x(matrices[name][i][j])), line, hues[k][1]),
    );
    return (
      `<g data-link="${j}" data-pick="sentence:${j + 1}"><title>${kit.escape(sentences[j])}</title>` +
      kit.rect(0, y, width, step, 'class="kit-touch"') +
      said
        .map((part, k) =>
          role
            ? kit.tinted(0, y + above + 13 + 16 * k, [[part, i % 3 ? kit.COLOURS.neutral : role[0]]])
            : kit.text(0, y + above + 13 + 16 * k, part, "start", kit.SMALL),
        )
        .join("") +
      `<path class="kit-grid" d="M${left} ${line}H${width - 16}"/>` +
      `<path class="kit-axis" d="M${kit.round(x(0))} ${line - 6}v12"/>${marks.join("")}</g>`
    );
  };
  const rows = values.order.map(row).join(""),
    said = ["marks: the cosine with it in ", ...hues.flatMap((hue, k) => (k ? [" ", hue] : [hue]))],
    ticks = [...(lowest < -0.15 ? [lowest] : []), 0, 0.5, 1].map((v) =>
      kit.text(Math.max(x(v), 16), end + 15, kit.short(v), "middle", kit.SMALL),
    );
  return kit.svg(
    width,
    end + 38,
    `sentence ${values.sentence} beside all others`,
    head.inside +
      kit.tinted(
        0,
        head.height + 8,
        beside ? [...said, `; the nearest in “${space}” first`] : [...said.slice(1), `; sorted by “${space}”`],
      ) +
      rows +
      ticks.join("") +
      kit.text((left + width - 16) / 2, end + 31, "cosine", "middle", kit.SMALL),
  );
};

const draw = (values, chosen, state) => {
  const matrices = values.matrices ?? state.cosines;
  const figures = numbersOf(values, state).map(({ name, range, right, k }) => ({
    value: right || range,
    words: right ? `${name}: positive nearer` : name,
    colour: spaceHue(state, k),
  }));
  return [
    ...(kit.room.columns < 2 ? [kit.wide(kit.figures(figures))] : []),
    kit.wide(maps(values, chosen, state, matrices)),
    kit.wide(compared(values, chosen, state, matrices)),
  ];
};

// How wide the cosines lie, in hundredths: from end to end of the range as it is printed.
const wide = ({ low, high }) => Math.round(100 * kit.printed(high, 2)) - Math.round(100 * kit.printed(low, 2));
const widestOf = ({ measured }, { spaces }) => spaces.reduce((a, b) => (wide(measured[b]) > wide(measured[a]) ? b : a));

// How many times as wide as in the first space the cosines lie, and whether that has put more positives first.
const lead = (values, chosen, state) => {
  const { measured } = values,
    { spaces, sentences } = state,
    [first] = spaces,
    widest = widestOf(values, state),
    [before, now] = [first, widest].map((name) => measured[name].won),
    ratio = kit.fixed(wide(measured[widest]) / (wide(measured[first]) || 1), 1),
    times = !wide(measured[first])
      ? "spreads cosines farther than "
      : ratio === "1.0"
        ? "spreads cosines hardly farther than "
        : `spreads cosines ${kit.told(ratio)} times as far as `;
  if (sentences.length === 2) return "Two sentences have one cosine in each space: nothing to spread";
  if (widest === first) return `Nothing spreads the cosines farther than ${kit.escape(first)}`;
  const claim = `${kit.escape(widest)} ${times}${kit.escape(first)}`;
  if (now < 0) return claim;
  return now > before
    ? `${claim}, and gets ${kit.told(now)} of ${sentences.length / 3} right, not ${before}`
    : `${claim}, but gets ${now < before ? "fewer" : "no more"} right`;
};

// Whether spreading the cosines has also put the right sentence first.
const brief = (values, { own }, state) => {
  const told = state.spaces.map((name) => ({ name, ...values.measured[name] })),
    [first] = told,
    widest = told.find(({ name }) => name === widestOf(values, state));
  const range = ({ name, low, high }) =>
    `from ${kit.told(kit.fixed(low))} to ${kit.told(kit.fixed(high))} in ${kit.escape(name)}`;
  const each = told.map(({ name, low }) => `${kit.told(kit.fixed(low))} in ${kit.escape(name)}`).join(", ");
  const spread =
    state.sentences.length === 2
      ? `The cosine of the two is ${each}.`
      : `Cosines lie ${range(first)}, ${widest === first ? "nowhere wider" : range(widest)}.`;
  const topics = state.sentences.length / 3,
    won = told.map((one) => one.won);
  const right = won.some((v) => v < 0)
    ? ""
    : won.every((v) => v === won[0])
      ? ` But the positive is nearer in ${won[0]} of ${topics} topics in every space: spread is not yet understanding.`
      : ` The positive is nearer in ${told.map((one) => `${one.won} (${kit.escape(one.name)})`).join(", ")} of ` +
        `${topics} topics.`;
  return `${spread}${right}${kit.escape(unknownWords(state.unknown, state.readers))}${unread(own, state)}`;
};

const summary = (values, { space, own }, state) => {
  const said = state.spaces.map((name) => {
    const { low, high, band, won } = values.measured[name];
    return (
      `${name}: cosines from ${kit.fixed(low)} to ${kit.fixed(high)}, ` +
      `${kit.fixed(100 * band, 0)}% of them from ${BAND[0]} to 1` +
      (won < 0 ? "" : `, the positive nearer in ${won} of ${state.sentences.length / 3} topics`)
    );
  });
  return (
    `${said.join("; ")}. In the space “${space}” the nearest to sentence ${values.sentence} is ` +
    `“${state.sentences[values.order[0]]}” (${kit.fixed(values.cosines[0])}).` +
    `${unknownWords(state.unknown, state.readers)}${unread(own, state)}`
  );
};

// Typed but not encoded (yet): there is no kernel, it is busy, or it rejected the text.
const unread = (own, state) => {
  const typed = (own || "").split("|").map((text) => text.trim()),
    shown = state.threes ? [] : state.sentences;
  return typed.filter(Boolean).join("|") === shown.join("|") ? "" : " The picture does not show what is typed yet.";
};
