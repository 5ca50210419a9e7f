// Spans of documents: anchors and positives on ribbons, one of them enlarged, and how they overlap.
// state: {tokens: [n …], rounds: [[{anchors: [[beta, place] …], positives: [[[beta, place] …] …]} …] …], …}
// The same in Python: spans_values in kit/boards/spans_widget.py, and SpanSampler.place in kit/data/spans.py.

const controls = (state) => [
  { kind: "slider", name: "longest", label: "ℓmax", min: state.shortest, max: state.longest, step: 2, value: 126 },
  { kind: "slider", name: "anchors", label: "A", min: 1, max: state.most_anchors, step: 1, value: 2 },
  { kind: "slider", name: "positives", label: "P", min: 1, max: state.most_positives, step: 1, value: 2 },
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
  WIDE = 440,
  EDGE = 14;
const bar = (x, y, width, height, colour, title) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width, 1).toFixed(1)}" height="${height}" rx="1.5" ` +
  `fill="${colour}"><title>${title}</title></rect>`;
const label = (x, y, words, anchor = "start", more = "") =>
  `<text class="kit-small" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}" ${more}>${kit.escape(words)}</text>`;

// Each document as a ribbon: its anchors on it, their positives below, one lane for each p.
const ribbons = (values, chosen, state) => {
  const most = Math.max(...state.tokens),
    scale = (WIDE - 2 * EDGE) / most,
    tall = 40 + 8 * chosen.positives;
  const rows = state.tokens
    .map((n, i) => {
      const top = 34 + i * tall,
        spans = values.documents[i],
        x = (token) => EDGE + token * scale;
      const cells = chosen.starts === "code" && spans.length ? Math.floor(n / chosen.longest) : 0;
      const ticks = Array.from({ length: cells + 1 }, (_, c) =>
        cells
          ? `<line class="kit-grid" x1="${x(c * chosen.longest)}" x2="${x(c * chosen.longest)}" y1="${top - 2}" ` +
            `y2="${top + 16}"/>`
          : "",
      ).join("");
      const tail = cells
        ? bar(
            x(cells * chosen.longest),
            top + 1,
            (n - cells * chosen.longest) * scale,
            12,
            "#00000055",
            "the tail: never in an anchor",
          )
        : "";
      const said = spans.length ? `${n} tokens` : `${n} tokens: too short, ${values.needed} are needed`;
      return (
        label(EDGE, top - 4, `document ${i + 1}, ${said}`) +
        bar(EDGE, top + 1, n * scale, 12, "#8c8c8c55", `document ${i + 1}`) +
        tail +
        ticks +
        spans
          .map(
            (s, a) =>
              bar(
                x(s.anchor[0]),
                top + 1,
                (s.anchor[1] - s.anchor[0]) * scale,
                12,
                ANCHOR,
                `anchor ${a + 1}: tokens ${s.anchor[0]} to ${s.anchor[1]}`,
              ) +
              s.positives
                .map((p, k) =>
                  bar(
                    x(p[0]),
                    top + 16 + 8 * k,
                    (p[1] - p[0]) * scale,
                    6,
                    POSITIVE,
                    `positive ${k + 1} of anchor ${a + 1}: tokens ${p[0]} to ${p[1]}`,
                  ),
                )
                .join(""),
          )
          .join("")
      );
    })
    .join("");
  const height = 34 + state.tokens.length * tall + 20;
  return (
    `<svg viewBox="0 0 ${WIDE} ${height}" role="img" aria-label="documents as ribbons">` +
    `<text class="kit-title" x="${WIDE / 2}" y="14" text-anchor="middle">documents, anchors (blue) and their ` +
    `positives (green)</text>` +
    rows +
    label(WIDE / 2, height - 14, "token of the document", "middle") +
    "</svg>"
  );
};

// The first anchor drawn, enlarged to show how its positives lie to it.
const enlarged = (values, chosen) => {
  const spans = values.documents.find((d) => d.length)?.[0];
  const title = `<text class="kit-title" x="${WIDE / 2}" y="14" text-anchor="middle">the first anchor, enlarged</text>`;
  if (!spans)
    return (
      `<svg viewBox="0 0 ${WIDE} 60" role="img" aria-label="no ` +
      `anchor">${title}${label(WIDE / 2, 40, "no document is long enough", "middle")}</svg>`
    );
  const ends = [spans.anchor, ...spans.positives].flat(),
    low = Math.min(...ends),
    high = Math.max(...ends);
  const x = (token) => EDGE + ((token - low) / (high - low)) * (WIDE - 2 * EDGE),
    step = 36,
    height = 74 + step * spans.positives.length;
  const row = (span, y, colour, words) =>
    bar(x(span[0]), y, x(span[1]) - x(span[0]), 13, colour, words) + label(EDGE, y - 4, words);
  const edges = bar(
    x(spans.anchor[0]),
    38,
    x(spans.anchor[1]) - x(spans.anchor[0]),
    height - 58,
    `${ANCHOR}22`,
    "the anchor's tokens",
  );
  return (
    `<svg viewBox="0 0 ${WIDE} ${height}" role="img" aria-label="the first anchor and its positives">${title}` +
    edges +
    row(spans.anchor, 38, ANCHOR, `anchor, ${spans.anchor[1] - spans.anchor[0]} tokens`) +
    spans.positives
      .map((p, k) =>
        row(
          p,
          38 + step * (k + 1),
          POSITIVE,
          `positive ${k + 1}, ${p[1] - p[0]} tokens, ${kindOf(spans.anchor, p)}: ${common(spans.anchor, p)} in ` +
            `the anchor`,
        ),
      )
      .join("") +
    label(EDGE, height - 4, `token ${low}`) +
    label(WIDE - EDGE, height - 4, `token ${high}`, "end") +
    "</svg>"
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
    title: "how long a span is",
    x: "tokens",
    y: "% of spans per token",
    xmin: 0,
    xmax: chosen.longest,
    ymin: 0,
    ymax: 1.4 * tallest,
    height: 240,
    series: [
      line("anchors, Beta(4, 2)", ANCHOR, (x) => x ** 3 * (1 - x)),
      line("positives, Beta(2, 4)", POSITIVE, (x) => x * (1 - x) ** 3),
    ],
  });
};

const draw = (values, chosen, state) => [
  ribbons(values, chosen, state) + enlarged(values, chosen),
  kit.bars({
    title: `what positives are to their anchor (${state.rounds.length} drawings)`,
    x: "kind of positive",
    y: "share",
    labels: [...KINDS, "tokens shared"],
    values: [...values.kinds, values.mean_overlap],
    min: 0,
    max: 1,
    height: 240,
    colours: [kit.COLOURS.contrast, kit.COLOURS.before, POSITIVE, kit.COLOURS.neutral],
  }) + laws(values, chosen),
];

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
