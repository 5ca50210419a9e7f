// Behind the fold of the masks board: what each denominator consists of, and all sentences with their gradients.

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
      label(
        left + wide + 7,
        22 * k + 15,
        `−log ${shares[0] < 0.01 ? kit.short(shares[0]) : kit.fixed(shares[0], 3)} = ${kit.fixed(term, 3)}`,
        SMALL,
        "start",
      )
    );
  });
  const named = foot + (wide < 140 ? 30 : 14); // under both numbers where it does not fit between them
  const chart = kit.svg(
    width,
    named + 10,
    "shares of the denominators",
    bars.join("") +
      `<path class="kit-axis" d="M${left} 0V${foot}H${left + wide}" fill="none"/>` +
      label(left, foot + 14, "0", SMALL) +
      label(left + wide, foot + 14, "1", SMALL) +
      label(left + wide / 2, named, "share of the sum", SMALL),
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
