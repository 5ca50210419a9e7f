// What does an encoder find for a question? Two lists of hits, and buttons that say which of them fit.
// state: {query, most, texts, columns: [{name, hits: [{id, text, score}]}], votes: {id: whether it fits}, fit, unfit,
// serial}
// Python searches; the same as compute in Python: search_values in kit/boards/search_widget.py.

const title = "Search: what an encoder finds for a question";

const controls = (state) => [
  { kind: "text", name: "query", label: "search for", value: state.query, kernel: true },
  { kind: "slider", name: "k", label: "hits", min: 1, max: state.most, step: 1, value: 5, whole: true },
  { kind: "hidden", name: "vote", label: "", value: "", kernel: true },
];

const compute = (state, { k }) => {
  const ranks = state.columns.map((column) => new Map(column.hits.map((hit, i) => [hit.id, i + 1])));
  const columns = state.columns.map((column, number) => ({
    name: column.name,
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
    label = kit.escape(`${words}: ${row.text}`);
  return (
    `<button type="button" class="kit-button kit-vote" data-pick="vote:${kind} ${row.id} ${state.serial}" ` +
    `data-keep="${kind} ${row.id}" aria-pressed="${pressed}" aria-label="${label}">${words}</button>`
  );
};

// Where the other encoder has the same text.
const place = (row, i, other, most) => {
  if (!other) return "";
  const said = row.other === i + 1 ? "the same rank" : row.other ? `rank ${row.other}` : `not in the first ${most}`;
  return `<small>${kit.escape(other)}: ${said}</small>`;
};

// Lines that the longer of two texts of one rank needs, about.
const linesOf = (columns, i) =>
  kit.room.columns < 2
    ? 1
    : Math.max(
        ...columns.map(({ rows }) => Math.ceil(((rows[i]?.text.length ?? 0) * 8.4) / (kit.room.column - 60)) || 1),
      );

// What a question and its hits share: words that begin alike. Words that every question has say nothing of it.
const COMMON = new Set(
  "a an the of in on at to for by with and or but is are was be who what which that how".split(" "),
);
const WORD = /[\p{L}\p{N}]+/gu,
  ALIKE = 4; // letters of a beginning
const stem = (word) => word.toLowerCase().slice(0, ALIKE);
const asked = ({ query }) =>
  (query.match(WORD) ?? []).filter((word) => word.length >= ALIKE && !COMMON.has(word.toLowerCase()));

const marked = (text, stems) =>
  text
    .split(/([\p{L}\p{N}]+)/u)
    .map((part) =>
      stems.has(stem(part)) && part.length >= ALIKE ? `<mark>${kit.escape(part)}</mark>` : kit.escape(part),
    )
    .join("");

// Words of the question that one list has more often than the other, at most two: [word, hits of each list …].
const telling = (columns, state) => {
  const has = (text, word) => (text.match(WORD) ?? []).some((one) => stem(one) === stem(word));
  return asked(state)
    .map((word) => [word, ...columns.map(({ rows }) => rows.filter(({ text }) => has(text, word)).length)])
    .filter(([, one, other]) => one !== other)
    .sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]))
    .slice(0, 2);
};

const hit = (row, i, colour, other, both, state, lines) =>
  `<li data-link="${row.id}" class="${both ? "kit-both" : ""}" style="--kit-own: ${colour};--kit-lines: ${lines}">` +
  `<span class="kit-hit">${marked(row.text, new Set(asked(state).map(stem)))}</span>` +
  `<span class="kit-votes">${button(row, state, "up", "fits")} ${button(row, state, "down", "does not fit")}</span>` +
  `<small class="kit-score">cosine <b>${kit.fixed(row.score)}</b></small>${place(row, i, other, state.most)}</li>`;

const draw = ({ columns }, { k }, state) => {
  const asked = state.query ? ` finds for “${kit.escape(state.query)}”` : "";
  return columns.map(({ name, rows }, number) => {
    const { before, after } = kit.COLOURS,
      colour = columns.length > 1 && number === 0 ? before : after,
      other = columns[1 - number]?.name,
      shown = (row, i) => hit(row, i, colour, other, row.other && row.other <= k, state, linesOf(columns, i));
    return (
      `<div class="kit-title">${kit.escape(name)}${asked}</div>` +
      (rows.length
        ? `<ol class="kit-hits">${rows.map(shown).join("")}</ol>`
        : `<p class="kit-note">Nothing asked yet.</p>`)
    );
  });
};

const brief = ({ columns, shared }, chosen, state) => {
  const kept = state.fit + state.unfit ? `Judged so far: ${state.fit} fit, ${state.unfit} not.` : "";
  if (!columns[0].rows.length) return `Type a question: the nearest of ${state.texts} texts will stand here. ${kept}`;
  if (columns.length < 2) return kept;
  const { before, after } = kit.COLOURS,
    count = columns[0].rows.length,
    said = telling(columns, state).map(
      ([word, one, other], k) =>
        `“${kit.escape(word)}” ${k ? "" : "stands "}in ${kit.told(one, before)} of ${count} hits of ` +
        `${kit.escape(columns[0].name)}, in ${kit.told(other, after)} of ${kit.escape(columns[1].name)}`,
    );
  return (
    `${said.join("; ")}${said.length ? ". " : ""}${kit.told(shared)} of the first ${count} are in both lists ` +
    `(shaded, with a stripe). ${kept}`
  );
};

const summary = ({ columns, shared }, chosen, state) => {
  const kept = `Judged so far: ${state.fit} fit, ${state.unfit} not.`;
  if (!columns[0].rows.length) return `Type a question: the nearest of ${state.texts} texts will stand here. ${kept}`;
  const first = columns
    .map(({ name, rows }) => `${name} finds “${rows[0].text}” (${kit.fixed(rows[0].score)})`)
    .join(", ");
  const both = columns.length > 1 ? ` ${shared} of the first ${columns[0].rows.length} are in both lists.` : "";
  return `For “${state.query}” ${first} first.${both} ${kept}`;
};
