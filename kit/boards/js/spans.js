// Spans of documents: anchors and positives on ribbons, one of them enlarged, and how they overlap.
// state: {tokens: [n …], words: [[word piece …] …], [] where only the number is known,
// rounds: [[{anchors: [[beta, place] …], positives: [[[beta, place] …] …]} …] …], …}
// The same in Python: spans_values in kit/boards/spans_widget.py, and SpanSampler.place in kit/data/spans.py.

const title = "Spans of documents: anchors and their positives";
const folded = { from: 4, name: "how long a span is" };

const controls = (state) => [
  {
    kind: "presets",
    name: "presets",
    label: "settings to try",
    options: {
      "the paper’s ℓmax 512": { longest: 512, anchors: 2, positives: 2 },
      "short documents: ℓmax 64": { longest: 64, anchors: 2, positives: 2 },
      "one anchor": { longest: 64, anchors: 1, positives: 4 },
    },
  },
  {
    kind: "slider",
    name: "longest",
    label: "ℓmax",
    full: "longest span ℓmax, in tokens",
    min: state.shortest,
    max: state.longest,
    step: 2,
    value: 126,
  },
  {
    kind: "slider",
    name: "anchors",
    label: "A",
    full: "A, anchors a document",
    min: 1,
    max: state.most_anchors,
    step: 1,
    value: 2,
  },
  {
    kind: "slider",
    name: "positives",
    label: "P",
    full: "P, positives an anchor",
    min: 1,
    max: state.most_positives,
    step: 1,
    value: 2,
  },
  { kind: "choice", name: "strategy", label: "positives", options: state.strategies, value: "any" },
  { kind: "choice", name: "starts", label: "anchors start", options: state.starts, value: "paper" },
  { kind: "button", name: "again", label: "draw again" },
];

const KINDS = ["overlapping", "adjacent", "subsumed"];

const compute = (state, chosen) => {
  const sampler = {
    shortest: Math.max(1, Math.floor(chosen.longest / state.ratio)),
    needed: 2 * chosen.anchors * chosen.longest,
    ...chosen,
  };
  const rounds = state.rounds.map((drawn) =>
    drawn.map((draw, i) => (state.tokens[i] >= sampler.needed ? place(sampler, state.tokens[i], draw) : [])),
  );
  const usable = state.tokens.filter((n) => n >= sampler.needed).length;
  const pairs = rounds.flat(2).flatMap((spans) => spans.positives.map((positive) => [spans.anchor, positive]));
  const share = (of) => pairs.reduce((sum, pair) => sum + of(...pair), 0) / (pairs.length || 1);
  const drawing = (chosen.again || 0) % rounds.length;
  return {
    documents: rounds[drawing],
    drawing: drawing + 1,
    needed: sampler.needed,
    min_span: sampler.shortest,
    usable,
    kinds: KINDS.map((kind) => share((a, p) => (kindOf(a, p) === kind ? 1 : 0))),
    mean_overlap: share((a, p) => common(a, p) / (p[1] - p[0])),
    own: usable ? 2 * chosen.anchors - 2 : 0,
    others: 2 * chosen.anchors * Math.max(0, usable - 1),
  };
};

// The anchors of a document in the order of the text, each with its positives.
const place = (sampler, tokens, draw) => {
  const draws = draw.anchors.slice(0, sampler.anchors);
  const lengths = draws.map(([beta]) => lengthOf(sampler, beta, sampler.longest));
  const first = starts(
    sampler,
    tokens,
    lengths,
    draws.map((d) => d[1]).sort((a, b) => a - b),
  );
  return lengths.map((length, i) => {
    const anchor = [first[i], first[i] + length];
    return {
      anchor,
      positives: draw.positives[i].slice(0, sampler.positives).map((d) => positive(sampler, tokens, anchor, ...d)),
    };
  });
};

const lengthOf = (sampler, beta, longest) => Math.floor(beta * (longest - sampler.shortest) + sampler.shortest);
const whole = (place, most) => Math.min(Math.floor(place * (most + 1)), most);

// Spread the sorted places over what is left without the gaps, then put the gaps back.
const apart = (sampler, last, gap, places) =>
  places.map((p, i) => whole(p, last - gap * (sampler.anchors - 1)) + gap * i);

const starts = (sampler, tokens, lengths, places) => {
  if (sampler.starts === "paper")
    return apart(sampler, tokens - lengths[lengths.length - 1], 2 * sampler.longest, places);
  const cells = Math.floor(tokens / sampler.longest),
    free = cells - 2 * sampler.anchors + 2;
  return apart(sampler, cells - 1, 2, places).map(
    (cell, i) => cell * sampler.longest + whole((places[i] * free) % 1, sampler.longest - lengths[i]),
  );
};

const positive = (sampler, tokens, [start, end], beta, p) => {
  let length, first;
  if (sampler.strategy === "subsuming") {
    length = lengthOf(sampler, beta, end - start);
    first = start + whole(p, end - start - length);
  } else if (sampler.strategy === "adjacent") {
    length = Math.min(lengthOf(sampler, beta, sampler.longest), Math.max(start, tokens - end));
    const before = start >= length,
      after = tokens - end >= length;
    first = after && (p >= 0.5 || !before) ? end : start - length;
  } else {
    length = lengthOf(sampler, beta, sampler.longest);
    const low = Math.max(0, start - length),
      high = Math.min(end, tokens - length);
    first = low + whole(p, high - low);
  }
  return [first, first + length];
};

const common = (a, p) => Math.max(0, Math.min(a[1], p[1]) - Math.max(a[0], p[0]));
const kindOf = (a, p) => {
  if (a[0] <= p[0] && p[1] <= a[1]) return "subsumed";
  return p[1] === a[0] || p[0] === a[1] ? "adjacent" : common(a, p) ? "overlapping" : "apart";
};

const ANCHOR = kit.COLOURS.after,
  POSITIVE = kit.COLOURS.positive,
  SPACE = kit.COLOURS.neutral,
  EDGE = 6;
const bar = (x, y, width, height, colour, title, more = "") =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width, 1).toFixed(1)}" height="${height}" rx="2" ` +
  `fill="${colour}" ${more}><title>${title}</title></rect>`;
const label = (x, y, words, anchor = "start") => kit.text(x, y, words, anchor, kit.SMALL);

const motion = (values) => ({ documents: values.documents, kinds: values.kinds, mean_overlap: values.mean_overlap });

// Each document as a ribbon: its anchors on it, their positives below, one lane for each p.
const ribbons = (values, chosen, state) => {
  const { width } = kit.room,
    legend = [
      { name: "anchors", colour: ANCHOR, shape: "box" },
      { name: "their positives", colour: POSITIVE, shape: "box" },
    ],
    head = kit.heading({ title: "Documents as ribbons", legend }, width),
    scale = (width - 2 * EDGE) / Math.max(...state.tokens, values.usable ? 0 : values.needed),
    x = (token) => EDGE + token * scale;
  let y = head.height;
  const span = ([from, to], top, tall, colour, words) => bar(x(from), top, (to - from) * scale, tall, colour, words);
  const one = (spans) => (s, a) =>
    span(s.anchor, y + 18, 18, ANCHOR, `anchor ${a + 1}: tokens ${s.anchor[0]} to ${s.anchor[1]}`) +
    s.positives
      .map((p, k) =>
        span(p, y + 38 + 10 * k, 8, POSITIVE, `positive ${k + 1} of anchor ${a + 1}: tokens ${p[0]} to ${p[1]}`),
      )
      .join("");
  const rows = state.tokens.map((n, i) => {
    const spans = values.documents[i],
      cells = chosen.starts === "code" && spans.length ? Math.floor(n / chosen.longest) : 0,
      said = spans.length ? `${n} tokens` : `${n} tokens: too short, ${values.needed} are needed`;
    const drawn =
      label(EDGE, y + 13, `document ${i + 1}, ${said}`) +
      bar(x(0), y + 18, n * scale, 18, SPACE, `document ${i + 1}`, 'fill-opacity="0.3"') +
      cellsOf(cells, n, chosen.longest, x, y + 18) +
      (values.usable ? "" : wanting(x(n), x(values.needed), y + 18)) +
      spans.map(one(spans)).join("");
    y += spans.length ? 44 + 10 * chosen.positives : 44;
    return drawn;
  });
  return kit.svg(width, y + 4, "documents as ribbons", head.inside + rows.join(""));
};

// What a document lacks of the length that it needs.
const wanting = (from, to, y) =>
  bar(from, y, to - from, 18, "none", "missing", `class="kit-rule" stroke-dasharray="4 3"`);

// Where the authors' code cuts a document; what is left over at its end is never in an anchor.
const cellsOf = (cells, tokens, longest, x, y) => {
  if (!cells) return "";
  const ticks = Array.from({ length: cells + 1 }, (_, c) => {
    const at = x(c * longest).toFixed(1);
    return `<line class="kit-axis" x1="${at}" x2="${at}" y1="${y - 3}" y2="${y + 21}"/>`;
  });
  const [from, to] = [x(cells * longest), x(tokens)];
  return bar(from, y, to - from, 18, SPACE, "the tail: never in an anchor", 'fill-opacity="0.5"') + ticks.join("");
};

// The first anchor drawn, enlarged to show how its positives lie to it.
const enlarged = (values) => {
  const width = kit.room.column,
    spans = values.documents.find((d) => d.length)[0],
    head = kit.heading({ title: "The first anchor, enlarged" }, width);
  const ends = [spans.anchor, ...spans.positives].flat(),
    low = Math.min(...ends),
    high = Math.max(...ends);
  const x = (token) => EDGE + ((token - low) / (high - low)) * (width - 2 * EDGE),
    step = 38,
    top = head.height + 18,
    height = top + 36 + step * spans.positives.length;
  const row = (span, y, colour, words) =>
    bar(x(span[0]), y, x(span[1]) - x(span[0]), 15, colour, words) + label(EDGE, y - 5, words);
  const [from, to] = spans.anchor.map(x);
  const told = (p) => {
    const [a, b] = [spans.anchor, p].map((ends) => ends.map(Math.round)); // on the way to a new drawing
    return `${b[1] - b[0]} tokens, ${kindOf(a, b)}: ${common(a, b)} in the anchor`;
  };
  return kit.svg(
    width,
    height,
    "the first anchor and its positives",
    head.inside +
      bar(from, top, to - from, height - top - 18, ANCHOR, "the anchor's tokens", 'fill-opacity="0.15"') +
      row(spans.anchor, top, ANCHOR, `anchor, ${Math.round(spans.anchor[1] - spans.anchor[0])} tokens`) +
      spans.positives.map((p, k) => row(p, top + step * (k + 1), POSITIVE, `positive ${k + 1}, ${told(p)}`)).join("") +
      label(EDGE, height - 4, `token ${Math.round(low)}`) +
      label(width - EDGE, height - 4, `token ${Math.round(high)}`, "end"),
  );
};

// The first anchor and its positives as they are read; what a positive shares with its anchor is marked.
const HEAD = 14, // of a long span the first pieces and the last
  TAIL = 8;
const passages = (values, state) => {
  const at = values.documents.findIndex((d) => d.length),
    words = state.words[at] ?? [];
  if (!words.length) return "";
  const { anchor, positives } = values.documents[at][0],
    [from, to] = anchor.map(Math.round);
  const piece = (k, first) => {
    const word = words[k].startsWith("##") ? words[k].slice(2) : words[k],
      glued = first || words[k].startsWith("##") || /^[.,;:!?)’']$/.test(word);
    return `${glued ? "" : " "}${kit.escape(word)}`;
  };
  const read = ([start, end], mark) => {
    const all = Array.from({ length: end - start }, (_, k) => start + k),
      shown = all.length > HEAD + TAIL + 2 ? [...all.slice(0, HEAD), null, ...all.slice(-TAIL)] : all;
    return shown
      .map((k, i) => {
        if (k === null) return ` … (${all.length - HEAD - TAIL} more) … `;
        return mark && k >= from && k < to ? `<mark>${piece(k, !i)}</mark>` : piece(k, !i);
      })
      .join("");
  };
  const passage = (name, colour, span, mark) =>
    `<p class="kit-passage" style="border-color:${colour}"><strong>${name}</strong> ` +
    `${read(span.map(Math.round), mark)}</p>`;
  const told = positives.map((p, k) => passage(`positive ${k + 1}`, POSITIVE, p, true));
  return (
    `<div class="kit-title">Its words; marked: also the anchor's</div>` +
    `${passage("anchor", ANCHOR, anchor, false)}${told.join("")}`
  );
};

// Beta(4, 2) and Beta(2, 4) between ℓmin and ℓmax: x³(1 − x) and x(1 − x)³, times 20.
const laws = (values, chosen) => {
  const at = Array.from({ length: 41 }, (_, i) => i / 40),
    wide = chosen.longest - values.min_span,
    tallest = 211 / wide;
  const line = (name, colour, density) => ({
    name,
    colour,
    points: at.map((x) => [values.min_span + x * wide, (2000 * density(x)) / wide]),
  });
  return kit.lines({
    title: "How long a span is",
    x: "tokens",
    y: "% of spans per token",
    xmin: 0,
    xmax: chosen.longest,
    ymin: 0,
    ymax: tallest,
    series: [
      line("anchors, Beta(4, 2)", ANCHOR, (x) => x ** 3 * (1 - x)),
      line("positives, Beta(2, 4)", POSITIVE, (x) => x * (1 - x) ** 3),
    ],
  });
};

const HUES = [kit.COLOURS.contrast, kit.COLOURS.before, POSITIVE, kit.COLOURS.neutral];
const relations = (values, state) =>
  kit.bars({
    title: `What positives are to their anchor (${state.rounds.length} drawings)`,
    horizontal: true,
    labels: [...KINDS, "tokens shared"],
    values: [...values.kinds, values.mean_overlap],
    min: 0,
    max: 1,
    step: 34,
    left: 100,
    colours: HUES,
  });
const draw = (values, chosen, state) => [
  kit.wide(ribbons(values, chosen, state)),
  values.usable ? enlarged(values) : "",
  values.usable ? relations(values, state) : "",
  kit.wide(passages(values, state)),
  laws(values, chosen),
];

const brief = (values, { longest, anchors }) => {
  const needs = `A document needs ${kit.told(values.needed)} tokens (2 · ${anchors} · ${longest}); `;
  const usable = `${values.usable} of ${values.documents.length} have them.`;
  if (!values.usable) return `${needs}${usable} No spans are drawn.`;
  const kinds = KINDS.map((kind, i) => `${kit.told(percent(values.kinds[i]), HUES[i])} ${kind}`);
  return (
    `${needs}${usable} Positives: ${kinds.join(", ")}. An anchor meets ${values.own} negatives of its own document, ` +
    `${values.others} of others.`
  );
};

const percent = (share) => `${kit.fixed(100 * share, 0)}%`;
const summary = (values, chosen) => {
  const line =
    `ℓmax ${chosen.longest}, ℓmin ${values.min_span}, A ${chosen.anchors}, P ${chosen.positives}: ` +
    `a document needs ${values.needed} tokens, ${values.usable} of ${values.documents.length} have them.`;
  if (!values.usable) return `${line} No spans are drawn.`;
  const [overlapping, adjacent, subsumed] = values.kinds.map(percent);
  const first = values.documents.find((d) => d.length)[0].anchor;
  return (
    `${line} Positives: ${subsumed} inside their anchor, ${overlapping} overlapping, ${adjacent} adjacent; ` +
    `${percent(values.mean_overlap)} of their tokens are the anchor's. An anchor meets ${values.own} ` +
    `negatives of its own document, ${values.others} of others. Drawing ${values.drawing}: first anchor ` +
    `${first[0]} to ${first[1]}.`
  );
};
