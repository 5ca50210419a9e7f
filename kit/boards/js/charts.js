// Charts as strings of SVG: small, drawn in about a millisecond, in colours that are
// safe for colour-blind readers (Okabe and Ito; cividis). Text and grid take the colour of the page.

const kit = (() => {
  const COLOURS = {
    positive: "#009E73",
    negative: "#D55E00",
    neutral: "#8c8c8c",
    before: "#E69F00",
    after: "#0072B2",
    contrast: "#56B4E9",
    classify: "#CC79A7",
  };
  const CYCLE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8c8c8c"];
  const CIVIDIS = [
    [0, 32, 77],
    [49, 68, 107],
    [102, 105, 112],
    [149, 143, 120],
    [203, 186, 105],
    [255, 233, 69],
  ];
  const WIDTH = 440;

  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const fixed = (number, digits = 2) => Number(number).toFixed(digits).replace("-", "−");
  const short = (number) => {
    const size = Math.abs(number);
    if (size !== 0 && (size < 0.001 || size >= 10000)) return Number(number).toExponential(1).replace("-", "−");
    return String(Number(Number(number).toPrecision(3))).replace("-", "−");
  };
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const norm = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => {
    const n = norm(a) || 1;
    return a.map((v) => v / n);
  };
  const cosine = (a, b) => dot(a, b) / (norm(a) * norm(b) || 1);
  const softmax = (logits) => {
    const top = Math.max(...logits),
      e = logits.map((v) => Math.exp(v - top));
    const sum = e.reduce((a, b) => a + b, 0);
    return e.map((v) => v / sum);
  };

  const cividis = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1),
      i = Math.min(Math.floor(at), CIVIDIS.length - 2);
    const mixed = CIVIDIS[i].map((c, k) => Math.round(c + (at - i) * (CIVIDIS[i + 1][k] - c)));
    return { fill: `rgb(${mixed})`, ink: share > 0.55 ? "#111" : "#fff" };
  };

  // About `count` round numbers from low to high.
  const ticks = (low, high, count = 5) => {
    const raw = (high - low) / count,
      power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const found = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step)
      found.push(Number(v.toPrecision(10)));
    return found;
  };
  const logTicks = (low, high) => {
    const found = [];
    for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++)
      found.push(Number((10 ** p).toPrecision(3)));
    return found;
  };

  const text = (x, y, words, anchor = "middle", more = "") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${more}>${escape(words)}</text>`;

  // The box of a chart: scales, grid, titles. `inside(px, py)` draws its content.
  const frame = (o, inside) => {
    const height = o.height || 260,
      left = o.left || 58,
      right = 14,
      top = o.title ? 40 : 14,
      bottom = o.bottom || 46;
    const log = Boolean(o.logx),
      f = log ? Math.log10 : (v) => v;
    const px = (x) => left + ((f(x) - f(o.xmin)) / (f(o.xmax) - f(o.xmin) || 1)) * (WIDTH - left - right);
    const py = (y) => height - bottom - ((y - o.ymin) / (o.ymax - o.ymin || 1)) * (height - top - bottom);
    const xs = o.noxticks ? [] : log ? logTicks(o.xmin, o.xmax) : ticks(o.xmin, o.xmax);
    const ys = o.noyticks ? [] : ticks(o.ymin, o.ymax).filter((y) => y <= (o.ygrid ?? Infinity)); // above: names
    const grid =
      ys
        .map(
          (y) =>
            `<line class="kit-grid" x1="${left}" x2="${WIDTH - right}" y1="${py(y)}" y2="${py(y)}"/>` +
            text(left - 6, py(y) + 4, short(y), "end"),
        )
        .join("") + xs.map((x) => text(px(x), height - bottom + 16, short(x))).join("");
    const middle = (top + height - bottom) / 2;
    return (
      `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(o.title || o.y || "")}">` +
      (o.title ? text(WIDTH / 2, 16, o.title, "middle", 'class="kit-title"') : "") +
      grid +
      `<path class="kit-axis" d="M${left} ${top}V${height - bottom}H${WIDTH - right}" fill="none"/>` +
      inside(px, py) +
      (o.x ? text((left + WIDTH - right) / 2, height - 8, o.x) : "") +
      (o.y ? text(13, middle, o.y, "middle", `transform="rotate(-90 13 ${middle})"`) : "") +
      "</svg>"
    );
  };

  const bars = (o) => {
    const n = o.values.length,
      digits = o.digits ?? 2,
      high = o.max ?? Math.max(...o.values, 0),
      low = o.min ?? Math.min(...o.values, 0);
    if (o.horizontal) return rows(o, low, high, digits);
    const longest = Math.max(...o.labels.map((l) => l.length)),
      tilted = longest * 7 > (WIDTH - 72) / n;
    const bottom = tilted ? Math.min(46 + longest * 4, 110) : 46;
    return frame(
      {
        ...o,
        xmin: 0,
        xmax: n,
        ymin: low,
        ymax: high || 1,
        noxticks: true,
        bottom,
        height: o.height || (tilted ? 300 : 260),
      },
      (px, py) =>
        o.values
          .map((v, i) => {
            const x = px(i + 0.14),
              w = px(i + 0.86) - x,
              y = py(Math.min(Math.max(v, low), high || 1)),
              zero = py(Math.max(low, 0)),
              centre = x + w / 2;
            const label = tilted
              ? text(
                  centre + 4,
                  py(low) + 13,
                  o.labels[i],
                  "end",
                  `transform="rotate(-35 ${centre + 4} ${py(low) + 13})"`,
                )
              : text(centre, py(low) + 16, o.labels[i]);
            return (
              `<rect x="${x}" width="${w}" y="${Math.min(y, zero)}" height="${Math.abs(zero - y)}" ` +
              `fill="${o.colours?.[i] || CYCLE[0]}"/>` +
              (n <= 14 ? text(centre, Math.min(y, zero) - 4, fixed(v, digits), "middle", 'class="kit-small"') : "") +
              label
            );
          })
          .join(""),
    );
  };

  // Horizontal bars, for labels as long as sentences.
  const rows = (o, low, high, digits) => {
    const step = o.step || 24,
      top = o.title ? 30 : 10,
      left = o.left || 190,
      right = 52,
      height = top + o.values.length * step + 40;
    const px = (v) => left + ((Math.min(Math.max(v, low), high) - low) / (high - low || 1)) * (WIDTH - left - right);
    const fits = Math.floor(left / 6.3),
      cut = (l) => (l.length > fits ? l.slice(0, fits - 1) + "…" : l);
    return (
      `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(o.title || "")}">` +
      (o.title ? text(WIDTH / 2, 16, o.title, "middle", 'class="kit-title"') : "") +
      o.values
        .map((v, i) => {
          const y = top + i * step,
            zero = px(Math.max(low, 0));
          return (
            `<g><title>${escape(o.labels[i])}</title>` +
            text(left - 8, y + step * 0.66, cut(o.labels[i]), "end", 'class="kit-small"') +
            `<rect x="${Math.min(zero, px(v))}" width="${Math.abs(px(v) - zero)}" y="${y + 3}" ` +
            `height="${step - 6}" fill="${o.colours?.[i] || CYCLE[0]}"/>` +
            text(Math.max(px(v), zero) + 5, y + step * 0.66, fixed(v, digits), "start", 'class="kit-small"') +
            "</g>"
          );
        })
        .join("") +
      `<line class="kit-axis" x1="${px(Math.max(low, 0))}" x2="${px(Math.max(low, 0))}" y1="${top}" ` +
      `y2="${height - 36}"/>` +
      (o.x ? text((left + WIDTH - right) / 2, height - 8, o.x) : "") +
      "</svg>"
    );
  };

  const bounds = (values, given, at) => given ?? (values.length ? Math[at](...values) : at === "min" ? 0 : 1);
  const dashes = (series) => (series.dash ? `stroke-dasharray="${series.dash}" ` : "");
  const lines = (o) => {
    const all = o.series.flatMap((s) => s.points),
      xs = all.map((p) => p[0]),
      ys = all.map((p) => p[1]).filter(Number.isFinite);
    const box = {
      ...o,
      xmin: bounds(xs, o.xmin, "min"),
      xmax: bounds(xs, o.xmax, "max"),
      ymin: bounds(ys, o.ymin, "min"),
      ymax: bounds(ys, o.ymax, "max"),
    };
    if (box.ymin === box.ymax) {
      box.ymin -= 0.5;
      box.ymax += 0.5;
    }
    return frame(
      box,
      (px, py) =>
        (o.marker === undefined
          ? ""
          : `<line class="kit-marker" x1="${px(o.marker)}" x2="${px(o.marker)}" y1="${py(box.ymin)}" ` +
            `y2="${py(box.ymax)}"/>`) +
        o.series
          .map(
            (s, i) =>
              `<polyline fill="none" stroke="${s.colour || CYCLE[i]}" stroke-width="2" ${dashes(s)}points="${s.points
                .filter((p) => Number.isFinite(p[1]))
                .map((p) => `${px(p[0]).toFixed(1)},${py(p[1]).toFixed(1)}`)
                .join(" ")}"/>`,
          )
          .join("") +
        (o.series.length > 1
          ? o.series
              .map((s, i) =>
                text(
                  WIDTH - 18,
                  py(box.ymax) + 14 + 15 * i,
                  `${s.dash ? "- -" : "―"} ${s.name}`,
                  "end",
                  `class="kit-small" style="fill:${s.colour || CYCLE[i]}"`,
                ),
              )
              .join("")
          : ""),
    );
  };

  const SHAPES = {
    dot: (x, y, c) => `<circle cx="${x}" cy="${y}" r="5" fill="${c}"/>`,
    ring: (x, y, c) => `<circle cx="${x}" cy="${y}" r="6" fill="none" stroke="${c}" stroke-width="2.5"/>`,
    cross: (x, y, c) => `<path d="M${x - 4.5} ${y - 4.5}l9 9m0-9l-9 9" stroke="${c}" stroke-width="2.5"/>`,
  };
  const points = (o) => {
    const ends = [...(o.arrows || []), ...(o.lines || [])].flatMap((a) => [a.from, a.to]);
    const xs = [...o.points.map((p) => p.x), ...ends.map((e) => e[0])],
      ys = [...o.points.map((p) => p.y), ...ends.map((e) => e[1])];
    const wide = (low, high) => {
      const pad = (high - low || 1) * 0.06;
      return [low - pad, high + pad];
    };
    const [x0, x1] = wide(bounds(xs, o.xmin, "min"), bounds(xs, o.xmax, "max")),
      [y0, y1] = wide(bounds(ys, o.ymin, "min"), bounds(ys, o.ymax, "max"));
    return frame(
      { height: 330, ...o, xmin: x0, xmax: x1, ymin: y0, ymax: y1 },
      (px, py) =>
        (o.lines || [])
          .map(
            (l) =>
              `<line x1="${px(l.from[0])}" y1="${py(l.from[1])}" x2="${px(l.to[0])}" y2="${py(l.to[1])}" ` +
              `stroke="${l.colour || COLOURS.neutral}" stroke-opacity="0.5"/>`,
          )
          .join("") +
        o.points
          .map((p) => {
            const x = +px(p.x).toFixed(1),
              y = +py(p.y).toFixed(1);
            return (
              `<g>${p.title ? `<title>${escape(p.title)}</title>` : ""}` +
              `${SHAPES[p.shape || "dot"](x, y, p.colour || CYCLE[0])}` +
              `${p.label ? text(x + 8, y + 4, p.label, "start", 'class="kit-small"') : ""}</g>`
            );
          })
          .join("") +
        (o.arrows || [])
          .map((a) => arrow(px(a.from[0]), py(a.from[1]), px(a.to[0]), py(a.to[1]), a.colour || CYCLE[0], a.label))
          .join(""),
    );
  };
  const arrow = (x1, y1, x2, y2, colour, label) => {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return "";
    const ux = (x2 - x1) / length,
      uy = (y2 - y1) / length,
      h = Math.min(10, length);
    const bx = x2 - ux * h,
      by = y2 - uy * h;
    return (
      `<line x1="${x1}" y1="${y1}" x2="${bx}" y2="${by}" stroke="${colour}" stroke-width="3"/>` +
      `<path d="M${x2} ${y2}L${bx - (uy * h) / 2} ${by + (ux * h) / 2}L${bx + (uy * h) / 2} ` +
      `${by - (ux * h) / 2}Z" fill="${colour}"/>` +
      (label
        ? text(
            x2 + ux * 6,
            y2 + uy * 14 + 4,
            label,
            ux < -0.2 ? "end" : "start",
            `class="kit-small" style="fill:${colour}"`,
          )
        : "")
    );
  };

  const heat = (o) => {
    const n = o.columns.length,
      left = o.left || 110,
      size = Math.min(64, (WIDTH - left - 10) / n),
      top = o.title ? 34 : 10,
      tall = Math.min(size, 44);
    const low = o.min ?? 0,
      high = o.max ?? 1,
      bottom = top + o.rows.length * tall,
      height = bottom + 44 + (o.bar ? 22 : 0),
      fits = Math.max(4, Math.floor(size / 6.6));
    const cut = (l, k) => (l.length > k ? l.slice(0, k - 1) + "…" : l);
    return (
      `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(o.title || "")}">` +
      (o.title ? text(WIDTH / 2, 16, o.title, "middle", 'class="kit-title"') : "") +
      o.rows
        .map(
          (r, i) =>
            text(left - 8, top + tall * (i + 0.5) + 4, cut(r, Math.floor(left / 6.6)), "end", 'class="kit-small"') +
            o.columns
              .map((_, j) => {
                const v = o.values[i][j],
                  c = cividis((v - low) / (high - low || 1));
                return (
                  `<rect x="${left + j * size}" y="${top + i * tall}" width="${size - 1}" height="${tall - 1}" ` +
                  `fill="${c.fill}"/>` +
                  (n <= 8
                    ? text(
                        left + (j + 0.5) * size,
                        top + tall * (i + 0.5) + 4,
                        fixed(v, o.digits ?? 2),
                        "middle",
                        `style="fill:${c.ink}"`,
                      )
                    : "")
                );
              })
              .join(""),
        )
        .join("") +
      o.columns
        .map((c, j) => text(left + (j + 0.5) * size, bottom + 16, cut(c, fits), "middle", 'class="kit-small"'))
        .join("") +
      (o.x ? text(left + (n * size) / 2, bottom + 38, o.x) : "") +
      (o.bar ? scaleBar(left, bottom + 48, n * size, low, high, o.bar) : "") +
      "</svg>"
    );
  };

  // What the colours of a heat map mean: the lowest on the left, the highest on the right.
  const scaleBar = (x, y, width, low, high, name) => {
    const steps = 20,
      from = x + 40,
      step = (width - 130) / steps;
    const fill = (i) => cividis(i / (steps - 1)).fill;
    const swatch = (_, i) =>
      `<rect x="${from + i * step}" y="${y}" width="${step + 0.5}" height="12" fill="${fill(i)}"/>`;
    return (
      text(from - 4, y + 11, fixed(low), "end", 'class="kit-small"') +
      Array.from({ length: steps }, swatch).join("") +
      text(from + steps * step + 4, y + 11, `${fixed(high)} ${name}`, "start", 'class="kit-small"')
    );
  };

  const tiles = (o) =>
    `<div class="kit-tiles">${o.title ? `<div class="kit-title">${escape(o.title)}</div>` : ""}` +
    o.tiles
      .map((t) => {
        const c = cividis((t.value - (o.min ?? 0)) / ((o.max ?? 1) - (o.min ?? 0) || 1));
        return (
          `<span class="kit-tile" style="background:${c.fill};color:${c.ink}">${escape(t.text)}` +
          `<small>${fixed(t.value, o.digits ?? 2)}</small></span>`
        );
      })
      .join("") +
    "</div>";

  const table = (o) =>
    `<table class="kit-table">${o.title ? `<caption>${escape(o.title)}</caption>` : ""}<thead>` +
    `<tr>${o.head.map((h) => `<th scope="col">${escape(h)}</th>`).join("")}</tr></thead>` +
    `<tbody>${o.rows.map((r) => `<tr>${r.map((c) => `<td>${escape(c)}</td>`).join("")}</tr>`).join("")}</tbody>` +
    `</table>`;

  return {
    COLOURS,
    CYCLE,
    escape,
    fixed,
    short,
    dot,
    norm,
    unit,
    cosine,
    softmax,
    cividis,
    bars,
    lines,
    points,
    heat,
    tiles,
    table,
  };
})();
