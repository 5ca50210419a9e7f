// Spans of documents: anchors and positives on ribbons, one of them enlarged, and how they overlap.
// state: {tokens: [n …], words: [[word piece …] …], [] where only the number is known,
// rounds: [[{anchors: [[beta, place] …], positives: [[[beta, place] …] …]} …] …], …}
// The same in Python: spans_values in kit/boards/spans_widget.py, and SpanSampler.place in kit/data/spans.py.

const title = "Spans of documents: anchors and their positives";
const folded = { from: 2, name: "what a positive is to its anchor, and how long a span is" };

const MORE = "how many positives, which, and where anchors start";
const controls = (state) => [
  toTry({
    "the paper’s ℓmax 512": { longest: 512, anchors: 2, positives: 2 },
    "short documents: ℓmax 64": { longest: 64, anchors: 2, positives: 2 },
    "one anchor, four positives": { longest: 64, anchors: 1, positives: 4 },
  }),
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
    full: "anchors A of a document",
    min: 1,
    max: state.most_anchors,
    step: 1,
    value: 2,
  },
  {
    kind: "slider",
    name: "positives",
    label: "P",
    full: "positives P of an anchor",
    more: MORE,
    min: 1,
    max: state.most_positives,
    step: 1,
    value: 2,
  },
  { kind: "choice", name: "strategy", label: "positives", more: MORE, options: state.strategies, value: "any" },
  { kind: "choice", name: "starts", label: "anchors start", more: MORE, options: state.starts, value: "paper" },
  { kind: "button", name: "again", label: "draw again" },
  { kind: "hidden", name: "shown", value: "1" },
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

// A positive has the colour of what it is to its anchor, in every picture.
const ANCHOR = kit.COLOURS.after,
  POSITIVE = kit.COLOURS.positive,
  HUES = [kit.COLOURS.classify, kit.COLOURS.before, POSITIVE],
  SPACE = kit.COLOURS.neutral,
  EDGE = 6;
const bar = (x, y, width, height, colour, title, more = "") =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width, 1).toFixed(1)}" height="${height}" rx="2" ` +
  `fill="${colour}" ${more}><title>${title}</title></rect>`;
const hueOf = (anchor, positive) => {
  const [a, p] = [anchor, positive].map((ends) => ends.map(Math.round)); // on the way to a new drawing
  return HUES[KINDS.indexOf(kindOf(a, p))] ?? kit.COLOURS.neutral;
};
const label = (x, y, words, anchor = "start") => kit.text(x, y, words, anchor, kit.SMALL);

const motion = (values) => ({ documents: values.documents, kinds: values.kinds, mean_overlap: values.mean_overlap });

const ROW = 24, // pixels from one document to the next
  BESIDE = 92; // of their lengths in words
// Each document as a thin ribbon: its anchors on it, their positives right below; a line marks the length it needs.
const ribbons = (values, chosen, state) => {
  const { width } = kit.room,
    { negative } = kit.COLOURS,
    title = `The ${state.tokens.length} documents that they are cut from`,
    head = kit.heading({ title }, width),
    top = head.height + 20,
    scale = (width - BESIDE - EDGE) / Math.max(...state.tokens, values.needed),
    x = (token) => BESIDE + token * scale;
  // `name`: of the span, which has one place before and after a change.
  const span = ([from, to], y, tall, colour, words, name, more = "") =>
    bar(x(from), y, (to - from) * scale, tall, colour, words, `data-moves="${name}" ${more}`);
  const first = firstOf(values)?.anchor; // the one that is enlarged has an outline
  const row = (n, i) => {
    const y = top + ROW * i,
      spans = values.documents[i],
      cells = chosen.starts === "code" && spans.length ? Math.floor(n / chosen.longest) : 0,
      told = [`${n} tokens`, spans.length ? "currentColor" : negative];
    return (
      `<g data-moves="${i}">` +
      (spans.length
        ? label(BESIDE - 8, y + 10, told[0], "end")
        : kit.tinted(BESIDE - 8, y + 10, [told], "end", kit.SMALL)) +
      bar(x(0), y, n * scale, 11, SPACE, `document ${i + 1}`, 'fill-opacity="0.25"') +
      cellsOf(cells, n, chosen.longest, x, y) +
      lacking(x, n, values.needed, y) +
      spans
        .map(
          ({ anchor, positives }, a) =>
            span(
              anchor,
              y,
              11,
              ANCHOR,
              `anchor ${a + 1}: tokens ${anchor.join(" to ")}`,
              `${i} ${a}`,
              anchor === first ? 'stroke="currentColor" stroke-width="2"' : "",
            ) +
            [...positives.entries()]
              .sort(([, p], [, q]) => common(anchor, p) / (p[1] - p[0]) - common(anchor, q) / (q[1] - q[0]))
              .map(([k, p]) => {
                // what lies inside last: it would be hidden
                const words = `positive ${k + 1} of anchor ${a + 1}: tokens ${p.join(" to ")}`;
                return span(p, y + 12, 5, hueOf(anchor, p), words, `${i} ${a} ${k}`);
              })
              .join(""),
        )
        .join("") +
      "</g>"
    );
  };
  const end = top + ROW * state.tokens.length;
  return kit.svg(
    width,
    end,
    "documents as ribbons",
    head.inside +
      state.tokens.map(row).join("") +
      `<path class="kit-rule" d="M${kit.round(x(values.needed))} ${top - 5}V${end - 4}"/>` +
      needed(values, x, top - 8, width),
  );
};

// What the line says: left of it where there is no room to its right, and above it where there is none on either side.
const needed = (values, x, y, width) => {
  const words = `each needs 2·A·ℓmax = ${values.needed} tokens`,
    long = 6.6 * words.length,
    right = x(values.needed) + long < width;
  return label(right ? x(values.needed) - 2 : Math.max(x(values.needed) + 2, long), y, words, right ? "start" : "end");
};

// What a document lacks.
const lacking = (x, tokens, needed, y) =>
  needed <= tokens
    ? ""
    : `<path d="M${kit.round(x(tokens))} ${y + 5.5}H${kit.round(x(needed))}" stroke="${kit.COLOURS.negative}" ` +
      'stroke-width="2" stroke-dasharray="4 3"><title>missing</title></path>';

// Where the authors' code cuts a document; what is left over at its end is never in an anchor.
const cellsOf = (cells, tokens, longest, x, y) => {
  if (!cells) return "";
  const ticks = Array.from({ length: cells + 1 }, (_, c) => {
    const at = x(c * longest).toFixed(1);
    return `<line class="kit-axis" x1="${at}" x2="${at}" y1="${y - 2}" y2="${y + 13}"/>`;
  });
  const [from, to] = [x(cells * longest), x(tokens)];
  return bar(from, y, to - from, 11, SPACE, "the tail: never in an anchor") + ticks.join("");
};

const firstOf = (values) => values.documents.find((d) => d.length)?.[0];
const ends = (span) => span.map(Math.round); // on the way to a new drawing

// The first anchor that fits, enlarged: what a positive shares with it is in full colour, the rest pale.
const FIRST = "The first anchor and its positives: the solid part is shared";
const WINDOW = 128; // tokens, on one scale for every ℓmax unless the spans need more
const TALL = 30; // pixels of a bar
const enlarged = (values) => {
  const { width } = kit.room,
    { anchor, positives } = firstOf(values),
    head = kit.heading({ title: FIRST }, width),
    all = [anchor, ...positives].flat(),
    outer = [Math.min(...all), Math.max(...all)],
    spare = Math.max(0, WINDOW - (outer[1] - outer[0])) / 2,
    [low, high] = [outer[0] - spare, outer[1] + spare];
  const beside = width > 640, // else the words stand above their bar
    left = beside ? 180 : EDGE,
    x = (token) => left + ((token - low) / (high - low)) * (width - left - EDGE),
    thick = beside ? TALL : TALL - 6,
    step = beside ? TALL + 10 : TALL + 16, // of it more above than below the words, which are the lower bar's
    top = head.height + (beside ? 4 : 20),
    height = top + step * positives.length + thick + 18;
  const row = ([from, to], k, colour, [name, more], [a, b]) => {
    const y = top + step * k,
      words = `${name}, ${more}`,
      named = beside
        ? kit.tinted(0, y + 13, [[name, colour]], "start", "") + label(0, y + 28, more)
        : kit.tinted(EDGE, y - 5, [[words, colour]], "start", 'class="kit-halo"');
    return (
      `<g data-moves="${k}" ${k ? `data-hover="shown:${k}" data-pick="shown:${k}"` : ""}>` +
      (k ? kit.rect(0, y + thick + 4 - step, width, step, 'class="kit-touch"') : "") +
      bar(x(from), y, x(to) - x(from), thick, colour, words, `fill-opacity="0.35" stroke="${colour}"`) +
      (b > a ? bar(x(a), y, x(b) - x(a), thick, colour, words, `data-moves="shared ${k}"`) : "") +
      `${named}</g>`
    );
  };
  // The anchor's stretch behind its positives: one band, or beside the bars only, so that no words stand on its edge.
  const band = (y, tall) =>
    bar(x(anchor[0]), y, x(anchor[1]) - x(anchor[0]), tall, ANCHOR, "the anchor", 'fill-opacity="0.13"');
  const bands = beside
    ? [band(top, height - top - 16)]
    : positives.map((_, k) => band(top + step * (k + 1) - 2, thick + 4));
  const rows = positives.map((p, k) => {
    const both = [Math.max(p[0], anchor[0]), Math.min(p[1], anchor[1])];
    return row(p, k + 1, hueOf(anchor, p), told(anchor, p, k), both);
  });
  return kit.svg(
    width,
    height,
    "the first anchor and its positives",
    head.inside +
      bands.join("") +
      row(anchor, 0, ANCHOR, ["anchor", `${Math.round(anchor[1] - anchor[0])} tokens`], anchor) +
      rows.join("") +
      numbered(x, outer, width, height - 2),
  );
};

// The first and the last token below what is drawn, each at its end; of a short stretch, where they would meet, both
// together.
const numbered = (x, outer, width, y) => {
  const [from, to] = ends(outer),
    [first, last] = [`token ${from}`, `token ${to}`];
  if (x(outer[1]) - x(outer[0]) > kit.needed(first.length + last.length + 2, 7))
    return label(x(outer[0]), y, first) + label(x(outer[1]), y, last, "end");
  const words = `tokens ${from} to ${to}`,
    half = kit.needed(words.length, 7) / 2;
  return label(Math.min((x(outer[0]) + x(outer[1])) / 2, width - EDGE - half), y, words, "middle");
};

const told = (anchor, positive, k) => {
  const [a, p] = [anchor, positive].map(ends);
  return [`positive ${k + 1}: ${kindOf(a, p)}`, `${common(a, p)} of ${p[1] - p[0]} tokens`];
};

// Which positive is underlined, for those who cannot point at its bar.
const choice = (positives, shown) =>
  positives.length < 2
    ? ""
    : ` <span role="group" aria-label="which positive is underlined">` +
      positives
        .map(
          (_, k) =>
            `<button type="button" class="kit-button kit-vote" data-pick="shown:${k + 1}" data-keep="shown ${k + 1}" ` +
            `aria-pressed="${k + 1 === shown}" aria-label="underline positive ${k + 1}">${k + 1}</button>`,
        )
        .join(" ") +
      "</span>";

// The same as it is read: the words of the anchor on blue, one positive underlined. Of a long stretch under the same
// spans the first pieces and the last.
const HEAD = 4,
  TAIL = 3;
const passage = (values, state, shown) => {
  const at = values.documents.findIndex((d) => d.length),
    words = state.words[at] ?? [];
  if (!words.length) return "";
  // An edge within a word stands before that word, and one behind an opening bracket before the bracket.
  const begin = (k) => {
    let edge = k;
    while (edge > 0 && words[edge]?.startsWith("##")) edge -= 1;
    return words[edge - 1] === "(" ? edge - 1 : edge;
  };
  const { anchor, positives } = values.documents[at][0],
    spans = [anchor, ...positives].map((span) => ends(span).map(begin)),
    edges = [...new Set(spans.flat())].sort((a, b) => a - b);
  // A piece that continues the word before it, or ends the sentence, has no space before it.
  const space = (k) => (/^(##.*|[.,;:!?)’'])$/.test(words[k]) || words[k - 1] === "(" ? "" : " ");
  const piece = (k) => kit.escape(words[k].replace(/^##/, ""));
  const read = (from, to) => {
    const all = Array.from({ length: to - from }, (_, k) => from + k);
    let [head, tail] = all.length > HEAD + TAIL + 4 ? [HEAD, all.length - TAIL] : [all.length, all.length];
    while (head < tail && !space(all[head])) head += 1; // no word is broken
    while (head < tail && tail < all.length && !space(all[tail])) tail -= 1;
    const said = (some) => some.map((k, i) => `${i ? space(k) : ""}${piece(k)}`).join("");
    return said(all.slice(0, head)) + (head < tail ? ` … ` : "") + said(all.slice(tail));
  };
  // On blue, underlined? What parts two stretches is what both of them are, so that neither is cut there.
  const look = (from, to) => [spans[0], spans[shown]].map(([a, b]) => a <= from && to <= b);
  const parts = edges.slice(1).flatMap((to, i) => {
    const here = look(edges[i], to),
      before = i ? look(edges[i - 1], edges[i]) : [false, false];
    return [
      [space(edges[i]), here.map((one, k) => one && before[k])],
      [read(edges[i], to), here],
    ];
  });
  const hue = hueOf(anchor, positives[shown - 1]);
  const marked = ([said, [blue, lined]]) =>
    `<span class="${blue ? "kit-blue" : ""}" style="${lined ? `border-bottom:2px solid ${hue}` : ""}">${said}</span>`;
  return (
    `<p class="kit-note"><b class="kit-title">In words: the anchor on blue, ` +
    `<span style="color:${kit.ink(hue)}">positive ${shown}</span> underlined</b>` +
    `${choice(positives, shown)}</p><p class="kit-running">…${joined(parts).map(marked).join("")} …</p>`
  );
};

// Neighbours of one look are one.
const joined = (parts) =>
  parts.reduce((all, [said, look]) => {
    const last = all[all.length - 1];
    if (last && String(last[1]) === String(look)) last[0] += said;
    else all.push([said, look]);
    return all;
  }, []);

// The place stays where no document is long enough.
const nothing = (values) =>
  `<div class="kit-title">${FIRST}</div><p class="kit-none">No spans fit: ` +
  `no document has the ${values.needed} tokens that this setting needs.</p>`;

// Densities of lengths between ℓmin (0) and ℓmax (1): Beta(4, 2) and Beta(2, 4), and what Beta(2, 4) gives between
// ℓmin and an anchor's length instead, the mean of (1/a)·beta24(x/a) over the anchors a of Beta(4, 2).
const beta42 = (x) => 20 * x ** 3 * (1 - x);
const beta24 = (x) => 20 * x * (1 - x) ** 3;
const inAnchor = (x) =>
  x && 400 * x * (1 / 6 - 1.5 * x - 1.5 * x ** 2 + (17 / 6) * x ** 3 - (3 * x ** 2 + x ** 3) * Math.log(x));

const laws = (values, chosen) => {
  const at = Array.from({ length: 41 }, (_, i) => i / 40),
    wide = chosen.longest - values.min_span,
    inside = chosen.strategy === "subsuming";
  const line = (name, colour, density) => ({
    name,
    colour,
    points: at.map((x) => [values.min_span + x * wide, (100 * density(x)) / wide]),
  });
  return kit.lines({
    title: "How long a span is",
    x: "tokens",
    y: "% of spans per token",
    xmin: 0,
    xmax: chosen.longest,
    ymin: 0,
    ymax: (inside ? 320 : 211) / wide,
    series: [
      line("anchors, Beta(4, 2)", ANCHOR, beta42),
      inside
        ? line("positives, Beta(2, 4) up to their anchor’s", POSITIVE, inAnchor)
        : line("positives, Beta(2, 4)", POSITIVE, beta24),
    ],
  });
};

// What a positive is to its anchor, over all drawings: one bar in the colours of the spans.
const relations = (values, state) =>
  kit.split({
    width: kit.room.width,
    title: `What a positive is to its anchor, over ${state.rounds.length} drawings`,
    tall: 22,
    tell: kit.percent,
    parts: KINDS.map((name, i) => ({ name, value: values.kinds[i], colour: HUES[i] })),
  });

// What holds on average over all drawings; the picture shows one of them.
const lead = (values, chosen, state) => {
  const { usable, documents, mean_overlap: shared } = values,
    { negative } = kit.COLOURS;
  if (!usable) return `No document has the ${kit.told(values.needed, negative)} tokens that this setting needs`;
  if (usable < documents.length)
    return (
      `${kit.told(`${documents.length - usable} of ${documents.length}`, negative)} documents ` +
      `${documents.length - usable > 1 ? "are lost: they have" : "is lost: it has"} fewer than ${values.needed} tokens`
    );
  if (shared === 0) return `A positive lies beside its anchor and shares ${kit.told("no token", ANCHOR)} with it`;
  if (shared === 1) return `A positive lies inside its anchor: it shares ${kit.told("all tokens", ANCHOR)} with it`;
  const all = `over ${state.rounds.length} drawings ${kit.told(kit.percent(shared), ANCHOR)} is shared`;
  return `${relation(firstOf(values))}; ${all}`;
};

const NUMBERS = ["no", "one", "two", "three", "four"],
  DOES = { overlapping: "overlap", adjacent: "adjoin", subsumed: "lie inside" };
// What the enlarged positives are to their anchor.
const relation = ({ anchor, positives }) =>
  KINDS.map((kind) => [kind, positives.filter((p) => kindOf(anchor, p) === kind).length])
    .filter(([, n]) => n)
    .map(([kind, n], i) => {
      const does = n > 1 ? DOES[kind] : DOES[kind].replace(/^\w+/, "$&s");
      return `${NUMBERS[n] ?? n}${i ? "" : ` positive${n > 1 ? "s" : ""}`} ${does}`;
    })
    .join(", ");

// Which positive is underlined, from 1: the one that was last chosen or pointed at.
const pictured = (values, chosen, state) => {
  const shown = Math.min(Number(chosen.shown), chosen.positives);
  return enlarged(values) + passage(values, state, shown);
};

const draw = (values, chosen, state) => [
  kit.wide(values.usable ? pictured(values, chosen, state) : nothing(values)),
  kit.wide(ribbons(values, chosen, state)),
  ...(values.usable ? [kit.wide(relations(values, state))] : []),
  laws(values, chosen),
];

// Why the share is what it is.
const WHY = {
  any: "ℓmax stretches anchors and positives alike",
  adjacent: "each lies beside its anchor, whatever ℓmax is",
  subsuming: "each lies inside its anchor, whatever ℓmax is",
};
// What needs fewer tokens of a document, as far as the sliders go.
const remedy = ({ anchors, longest }, { shortest }) =>
  [anchors > 1 ? "fewer anchors" : "", longest > shortest ? "a shorter ℓmax" : ""].filter(Boolean).join(" or ");

const brief = (values, chosen, state) => {
  const ways = remedy(chosen, state);
  if (!values.usable && !ways) return "No spans are drawn: one anchor of the shortest ℓmax needs longer documents.";
  if (!values.usable) return `No spans are drawn: documents come back with ${ways}.`;
  const all = values.usable === values.documents.length,
    lost = all || !ways ? "" : `What is lost comes back with ${ways}. `,
    why = all ? `: ${WHY[chosen.strategy]}` : "";
  return (
    `${lost}Over ${state.rounds.length} drawings a positive shares ` +
    `${kit.told(kit.percent(values.mean_overlap), ANCHOR)} of its tokens${why}. ` +
    "An anchor’s positives are averaged into one, so more of them add no negatives: " +
    `${kit.told(values.own)} in its own document and ${kit.told(values.others)} in others.`
  );
};

const summary = (values, chosen) => {
  const line =
    `ℓmax ${chosen.longest}, ℓmin ${values.min_span}, A ${chosen.anchors}, P ${chosen.positives}: ` +
    `a document needs ${values.needed} tokens, ${values.usable} of ${values.documents.length} ` +
    `${values.usable === 1 ? "has" : "have"} them.`;
  if (!values.usable) return `${line} No spans are drawn.`;
  const [overlapping, adjacent, subsumed, shared] = [...values.kinds, values.mean_overlap].map(kit.percent);
  const first = values.documents.find((d) => d.length)[0].anchor;
  return (
    `${line} Positives: ${subsumed} inside their anchor, ${overlapping} overlapping, ${adjacent} adjacent; ` +
    `${shared} of their tokens are the anchor's. An anchor meets ${values.own} ` +
    `negatives of its own document, ${values.others} of others. Drawing ${values.drawing}: first anchor ` +
    `${first[0]} to ${first[1]}.`
  );
};
