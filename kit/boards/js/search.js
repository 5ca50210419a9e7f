// What does an encoder find for a question? Two lists of hits, and buttons that say which of them fit.
// state: {query, most, texts, columns: [{name, hits: [{id, text, score}], right: its first right hit with its rank, or
// null}], answers: how many texts are right, right: [ids of those shown], votes: {id: whether it fits}, fit, unfit,
// serial}
// Python searches; the same as compute in Python: search_values in kit/boards/search_widget.py.

const title = "Search: what an encoder finds for a question";

const controls = (state) => [
  { kind: "text", name: "query", label: "search for", value: state.query, kernel: true },
  {
    kind: "slider",
    name: "k",
    label: "hits",
    full: "number of hits in each list",
    min: 1,
    max: state.most,
    step: 1,
    value: 5,
    whole: true,
  },
  { kind: "hidden", name: "vote", label: "", value: "", kernel: true },
];

const compute = (state, { k }) => {
  const ranks = state.columns.map((column) => new Map(column.hits.map((hit, i) => [hit.id, i + 1])));
  const columns = state.columns.map((column, number) => ({
    name: column.name,
    right: column.right,
    rows: column.hits.slice(0, k).map((hit) => ({
      ...hit,
      other: state.columns.length > 1 ? (ranks[1 - number].get(hit.id) ?? 0) : 0,
    })),
  }));
  const both = columns.map((column) => new Set(column.rows.map((row) => row.id)));
  return { columns, shared: both.length > 1 ? [...both[0]].filter((id) => both[1].has(id)).length : 0 };
};

const button = (row, state, kind, words) => {
  const pressed = state.votes[row.id] === (kind === "up"),
    label = kit.escape(`${words}: ${kit.apart(row.text)}`);
  return (
    `<button type="button" class="kit-button kit-vote" data-pick="vote:${kind} ${row.id} ${state.serial}" ` +
    `data-keep="${kind} ${row.id}" aria-pressed="${pressed}" aria-label="${label}">${words}</button>`
  );
};

// Where the other encoder has the same text.
const place = (row, other) =>
  other && row.other ? `<small class="kit-place">${kit.escape(other)}: rank ${row.other}</small>` : "";

// What a question and its hits share: words that begin alike are coloured, the same word is counted. Words that every
// question has say nothing of it.
const COMMON = new Set(
  "a an the of in on at to for by with and or but is are was be who what which that how".split(" "),
);
const WORD = /([\p{L}\p{N}\p{M}\u200c\u200d]+)/u; // with the vowel marks of Hindi, and the joiners inside words
// Scripts that put no space between words: there the browser says which they are.
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u,
  segmenter = Intl.Segmenter && new Intl.Segmenter(undefined, { granularity: "word" });
const segmented = (text) =>
  segmenter && UNSPACED.test(text) ? [...segmenter.segment(text)].map(({ segment }) => segment) : [text];
const partsOf = (text) => text.split(WORD).flatMap(segmented); // words, and what stands between them
const wordsOf = (text) => partsOf(text).filter((part) => WORD.test(part));

// The beginning by which a word is known; "" for one that is too short. A Chinese or Korean letter is a syllable.
const SYLLABIC = /^[\p{sc=Han}\p{sc=Hangul}]/u;
const stem = (word) => {
  const letters = SYLLABIC.test(word) ? 2 : 4;
  return word.length >= letters ? word.toLowerCase().slice(0, letters) : "";
};
const asked = ({ query }) => wordsOf(query).filter((word) => stem(word) && !COMMON.has(word.toLowerCase()));

// A colour for each word of the question, the same in both lists.
const HUES = ["before", "after", "positive", "classify"].map((name) => kit.COLOURS[name]);
const huesOf = (state) => new Map(asked(state).map((word, k) => [stem(word), HUES[k % HUES.length]]));

const marked = (text, hues) =>
  partsOf(text)
    .map((part) => {
      const hue = hues.get(stem(part));
      return hue ? `<mark style="--kit-own: ${hue}">${kit.escape(part)}</mark>` : kit.escape(part);
    })
    .join("");

const has = (text, word) => wordsOf(text).some((one) => one.toLowerCase() === word.toLowerCase());
// The word of the question by which the two lists differ most: in how many hits of each it stands; null for none.
const telling = (columns, state) => {
  const count = (word, { rows }) => rows.filter(({ text }) => has(text, word)).length,
    apart = ({ counts: [first, second] }) => Math.abs(first - second);
  if (columns.length < 2) return null;
  return asked(state)
    .map((word) => ({ word, counts: columns.map((column) => count(word, column)) }))
    .filter(apart)
    .reduce((best, one) => (best && apart(best) >= apart(one) ? best : one), null);
};
const wordOf = (word, state) => kit.told(kit.quote(word, 20), huesOf(state).get(stem(word)));

// Where the right text stands in each list, where the question is one whose right text is known.
const RIGHT = kit.COLOURS.positive;
const rightOf = ({ answers }) => (answers > 1 ? "first right text" : "right text");
const ranks = (columns) =>
  columns
    .flatMap(({ name, right }) => (right ? [`number ${kit.told(right.rank, RIGHT)} for ${kit.escape(name)}`] : []))
    .join(", ");

// The same on an axis: number 1 is what one hopes for, the last text what one fears.
const axis = (columns, state) => {
  const { texts, answers } = state;
  const known = columns.filter(({ right }) => right);
  if (!known.length) return "";
  const { width } = kit.room,
    { before, after } = kit.COLOURS,
    title = `Where the ${answers > 1 ? "first right" : "right"} one of ${texts.toLocaleString("en")} texts stands`,
    lines = kit.wrapped(title, width - 4, kit.BOLD),
    x = (rank) => 12 + (Math.log(rank) / Math.log(Math.max(texts, 2))) * (width - 24),
    y = 28 + kit.LINE * lines.length,
    powers = Array.from({ length: Math.ceil(Math.log10(texts + 1)) }, (_, k) => 10 ** k);
  const ticks = powers.map(
    (v) =>
      `<path class="kit-axis" d="M${kit.round(x(v))} ${y}v5"/>` +
      kit.text(x(v), y + 18, v.toLocaleString("en"), v === 1 ? "start" : "middle", kit.SMALL),
  );
  const marks = known.map(({ name, right }, k) => {
    const at = x(right.rank),
      colour = columns.length > 1 && k === 0 ? before : after,
      [place, side] = at < 120 ? [at - 6, "start"] : at > width - 120 ? [at + 6, "end"] : [at, "middle"];
    return (
      `<circle cx="${kit.round(at)}" cy="${y}" r="7" fill="${colour}"/>` +
      kit.tinted(place, y - 14, [[`${name} ${right.rank}`, colour]], side)
    );
  });
  const way =
    known.length > 1 && Math.abs(x(known[0].right.rank) - x(known[1].right.rank)) > 30
      ? kit.arrow([x(known[0].right.rank), y], [x(known[1].right.rank), y], kit.COLOURS.neutral, 2.4)
      : "";
  return kit.wide(
    kit.svg(
      width,
      y + 40,
      `the rank of the ${rightOf(state)} in each list`,
      kit.paragraph(0, 14, lines, "start", kit.TITLE) +
        `<path class="kit-axis" d="M12 ${y}H${width - 12}"/>${ticks.join("")}${way}${marks.join("")}` +
        kit.text(width / 2, y + 34, "rank", "middle", kit.SMALL),
    ),
  );
};

// "None of the first 5 is", "1 of the first 5 is", "2 of the first 5 are"; `shown` may colour the number. Of one hit
// each: "the first hit is the same".
const counted = (shared, count, what = "", shown = (number) => number) => {
  if (count === 1) return `${what ? "the" : "The"} first hit is ${shared ? "" : "not "}the same in both lists`;
  const number = shown(shared || (what ? "none" : "None"));
  return `${number} of the first ${count}${what} ${shared > 1 ? "are" : "is"} in both lists`;
};

// The question, and the word of it on which one list insists more than the other.
const lead = ({ columns, shared }, chosen, state) => {
  const count = columns[0].rows.length,
    found = telling(columns, state),
    asking = kit.escape(kit.quote(state.query, 40)),
    question = `For ${asking}`;
  if (!count) return "";
  if (columns.some(({ right }) => right)) return `The ${rightOf(state)} for ${asking} is ${ranks(columns)}`;
  if (columns.length < 2) return `The nearest to ${asking}`;
  if (!found) return `${question}: ${counted(shared, count, " hits")}`;
  const [more, less] = [...found.counts.keys()].sort((a, b) => found.counts[b] - found.counts[a]),
    name = (number) => kit.escape(columns[number].name);
  return (
    `${question}: ${wordOf(found.word, state)} is in ${found.counts[more]} of ${count} hits of ${name(more)}, ` +
    `in ${found.counts[less]} of ${name(less)}`
  );
};

// `further`: how many ranks it stands below the row before it.
const hit = (row, other, both, state, further = 1) => {
  const right = state.right.includes(row.id),
    looks = `style="--kit-own: ${RIGHT};counter-increment: rank ${further}"`;
  return (
    `<li data-link="${row.id}" class="${both ? "kit-both" : ""}${right ? " kit-right" : ""}" ${looks}>` +
    `<span class="kit-hit" dir="auto">${right ? "✓ " : ""}${marked(row.text, huesOf(state))}</span>` +
    `<small class="kit-score">${kit.fixed(row.score)}</small>${place(row, other)}` +
    `<span class="kit-votes">${button(row, state, "up", "fits")} ${button(row, state, "down", "does not fit")}</span>` +
    "</li>"
  );
};

// The first right text below the rows that are shown, where it stands further down.
const below = ({ rows, right }, k, state) =>
  !right || right.rank <= k
    ? ""
    : (right.rank > k + 1
        ? `<li class="kit-between">… ${right.rank - k - 1} other${right.rank > k + 2 ? "s" : ""} …</li>`
        : "") + hit({ ...right, other: 0 }, null, false, state, right.rank - rows.length);

const heading = (columns, number, state) => {
  const { name, rows } = columns[number],
    found = telling(columns, state),
    known = columns[number].right;
  if (known) return `${kit.escape(name)}: the ${rightOf(state)} is number ${kit.told(known.rank, RIGHT)}`;
  if (!found) return `${kit.escape(name)} finds`;
  return `${kit.escape(name)} finds ${wordOf(found.word, state)} in ${found.counts[number]} of ${rows.length}`;
};

// The column of ranks has room for the longest, in both lists alike: of a bold digit 0.7 em.
const rankRoom = (columns) => {
  const digits = columns.map(({ rows, right }) => String(Math.max(rows.length, right?.rank ?? 0)).length);
  return `--kit-number: ${kit.fixed(Math.max(2.5, 0.7 * Math.max(...digits) + 1), 1)}em`;
};

const draw = ({ columns }, { k }, state) => [
  axis(columns, state),
  ...columns.map(({ rows, right }, number) => {
    const other = columns[1 - number]?.name;
    return (
      `<div class="kit-title">${heading(columns, number, state)}</div>` +
      (rows.length
        ? `<ol class="kit-hits" style="${rankRoom(columns)}">` +
          `${rows.map((row) => hit(row, other, row.other && row.other <= k, state)).join("")}` +
          `${below({ rows, right }, k, state)}</ol>`
        : `<p class="kit-note">Nothing asked yet.</p>`)
    );
  }),
];

const brief = ({ columns, shared }, chosen, state) => {
  const kept = state.fit + state.unfit ? `Judged so far: ${state.fit} fit, ${state.unfit} not.` : "";
  if (!columns[0].rows.length) return `Type a question: the nearest of ${state.texts} texts will appear here. ${kept}`;
  if (columns.length < 2) return kept;
  const count = columns[0].rows.length,
    called = state.answers > 1 ? "the texts" : "the text";
  return (
    `${counted(shared, count, "", kit.told)}${shared ? " (shaded, with a stripe)" : ""}. ` +
    "Coloured: words that begin like one in the question. Numbers on the right: cosines." +
    `${columns[0].right ? ` ✓: ${called} that the test calls right, of this one question.` : ""} ${kept}`
  );
};

const summary = ({ columns, shared }, chosen, state) => {
  const kept = `Judged so far: ${state.fit} fit, ${state.unfit} not.`;
  if (!columns[0].rows.length) return `Type a question: the nearest of ${state.texts} texts will appear here. ${kept}`;
  const first = columns
    .map(({ name, rows }) => `${name} finds ${kit.quote(rows[0].text)} (${kit.fixed(rows[0].score)})`)
    .join(", ");
  const both = columns.length > 1 ? ` ${counted(shared, columns[0].rows.length)}.` : "";
  const found = columns.filter((column) => column.right).map((column) => `${column.right.rank} for ${column.name}`);
  const right = found.length ? ` The ${rightOf(state)} is number ${found.join(", ")}.` : "";
  return `For ${kit.quote(state.query)} ${first} first.${both}${right} ${kept}`;
};
