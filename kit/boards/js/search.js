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

const hit = (row, i, colour, other, both, state, lines) =>
  `<li data-link="${row.id}" class="${both ? "kit-both" : ""}" style="--kit-own: ${colour};--kit-lines: ${lines}">` +
  `<span class="kit-hit">${kit.escape(row.text)}</span>` +
  `<span class="kit-votes">${button(row, state, "up", "fits")} ${button(row, state, "down", "does not fit")}</span>` +
  `<span class="kit-cosine"><i style="width: ${kit.round(100 * Math.min(Math.max(row.score, 0), 1))}%"></i></span>` +
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
  const both = `${kit.told(shared)} of the first ${columns[0].rows.length} are in both lists (shaded, with a stripe). `;
  return `${columns.length > 1 ? both : ""}${kept}`;
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
