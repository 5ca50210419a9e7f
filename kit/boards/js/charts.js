// Charts as strings of SVG, drawn in about a millisecond at the width they will have on the page: one unit is one
// pixel, so lettering is as large on a phone as on a wide screen. `kit.room` is set before each drawing:
// {width: of the board, columns: how many panels stand side by side, first, second: their widths, column: the less,
// spacing: pixels that the reader's own style puts after each letter}.
// Text and grid take the colour of the page.

const kit = (() => {
  const { COLOURS, CYCLE, cividis, ink, told, escape } = palette;
  const room = { width: 440, column: 440, first: 440, second: 440, columns: 1, spacing: 0 };
  const LETTER = 6.9; // pixels a letter of 12.5 px needs on average, with some to spare
  const BOLD = 8.2; // as many for a letter of a title
  const SLIGHT = 6.5; // and for one of small words
  const LINE = 16;
  // Pixels that so many letters need, as the reader spaces them.
  const needed = (letters, letter = LETTER) => letters * (letter + room.spacing);

  // What is printed as zero has no sign.
  const fixed = (number, digits = 2) => {
    const said = Number(number).toFixed(digits);
    return /[1-9]/.test(said) ? said.replace("-", "−") : said.replace("-", "");
  };
  const printed = (number, digits) => Number(fixed(number, digits).replace("−", "-")); // what is read there
  const thousands = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
  const short = (number) => {
    const size = Math.abs(number);
    if (size !== 0 && (size < 0.001 || size >= 10000)) return Number(number).toExponential(1).replace(/-/g, "−");
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

  // Parts of a whole, rounded so that the digits shown add up to it: those with the largest remainders go up.
  const apportioned = (parts, digits = 2) => {
    const unit = 10 ** digits,
      floors = parts.map((part) => Math.floor(part * unit + 1e-9)),
      whole = Math.round(parts.reduce((sum, part) => sum + part, 0) * unit),
      missing = whole - floors.reduce((sum, floor) => sum + floor, 0),
      remainder = (i) => parts[i] * unit - floors[i],
      up = new Set([...parts.keys()].sort((a, b) => remainder(b) - remainder(a)).slice(0, missing));
    return floors.map((floor, i) => (floor + up.has(i)) / unit);
  };

  // As many digits as it takes, so that a number beside a bound is not printed as the bound.
  const besideBound = (number, bound, digits = 0) =>
    digits < 4 && number !== bound && fixed(number, digits) === fixed(bound, digits)
      ? besideBound(number, bound, digits + 1)
      : fixed(number, digits);

  // A share in whole percent; what is nearly nothing or nearly all is not said to be it.
  const percent = (share) => {
    const [whole, finer] = [0, 1].map((digits) => fixed(100 * share, digits));
    if (whole !== (share > 0.5 ? "100" : "0") || share === 0 || share === 1) return `${whole} %`;
    return /^(100|0)\.0$/.test(finer) ? (share > 0.5 ? "> 99.9 %" : "< 0.1 %") : `${finer} %`;
  };

  // About `count` round numbers from low to high.
  const ticks = (low, high, count = 5) => {
    const raw = (high - low) / count || 1,
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

  // Words from right to left stand apart from those round them, between the signs that isolate: else quotation marks,
  // numbers and what is told beside them change places with them.
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  const apart = (words) => (RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words);
  const quotesApart = (sentence) => sentence.replace(/“([^“”]*)”/g, (_, words) => `“${apart(words)}”`);
  const lettering = (words) => (RIGHT_TO_LEFT.test(words) ? escape(apart(quotesApart(words))) : escape(words));

  const round = (v) => Math.round(10 * v) / 10;
  const text = (x, y, words, anchor = "middle", more = "") =>
    `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${more}>${lettering(words)}</text>`;
  // How many letters' room words take: those of Chinese, Japanese and Korean, and emoji, are twice as wide.
  const WIDE =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
  const breadth = (words) => [...words].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
  // As many letters as fit, and the others; at least one letter fits, and an emoji is not cut in two.
  const parted = (words, fits) => {
    const letters = [...words];
    let room = fits;
    const end = letters.findIndex((letter, k) => (room -= breadth(letter)) < 0 && k > 0);
    return end < 0 ? [words, ""] : [letters.slice(0, end).join(""), letters.slice(end).join("")];
  };
  // A reader's spacing shortens only what is cut without it as well: names that are whole stay so.
  const isWhole = (words, width) => breadth(words) <= Math.max(3, Math.floor(width / LETTER));
  const cut = (words, width) => {
    const fits = Math.max(3, Math.floor(width / needed(1)));
    return isWhole(words, width) ? words : `${parted(words, fits - 1)[0].trimEnd()}…`;
  };
  // What a reader has typed, as it is quoted in a sentence: as much of it as one takes in at a glance.
  const quote = (words, most = 60) => {
    const letters = [...String(words).trim()]; // an emoji is not cut in two
    return `“${letters.length > most ? `${letters.slice(0, most).join("").trimEnd()}…` : letters.join("")}”`;
  };
  const rect = (x, y, w, h, more) =>
    `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(w, 0))}" ` +
    `height="${round(Math.max(h, 0))}" ${more}/>`;

  const broken = (word, most) => {
    const [first, rest] = parted(word, most);
    return rest ? [first, ...broken(rest, most)] : [first];
  };
  // Words broken into lines that fit into `width`; a word that is longer than a line is broken as well.
  const wrapped = (words, width, letter = LETTER) => {
    const lines = [""],
      most = width / needed(1, letter); // a narrow letter's room, so many times
    for (const word of String(words).split(" ")) {
      const longer = `${lines[lines.length - 1]} ${word}`.trim();
      if (breadth(longer) <= most || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
      else lines.push(word);
      lines.push(...broken(lines.pop(), most));
    }
    return lines;
  };

  // The same as lettering below each other, the first line at x, y; `more` as of text().
  const paragraph = (x, y, lines, anchor = "start", more = SMALL) =>
    lines.map((line, k) => text(x, y + LINE * k, line, anchor, more)).join("");

  // A picture of `width` × `height` pixels.
  const svg = (width, height, name, inside, more = "") =>
    `<svg width="${width}" height="${Math.ceil(height)}" viewBox="0 0 ${width} ${Math.ceil(height)}" role="img" ` +
    `aria-label="${escape(name)}" ${more}>${inside}</svg>`;

  // Above every chart: its title, what each colour is, what is measured upwards. `height` is what they take.
  const heading = (o, width) => {
    let y = 0;
    const parts = [];
    if (o.title)
      for (const line of wrapped(o.title, width - 4, BOLD)) parts.push(text(0, (y += LINE) - 2, line, "start", TITLE));
    let x = 0;
    if (o.legend?.length) y += LINE + 2;
    for (const { name, colour, dash, shape } of o.legend ?? []) {
      const long = 26 + needed(name.length) + 12;
      if (x > 0 && x + long - 12 > width) {
        x = 0;
        y += LINE;
      }
      const lines = isWhole(name, width - 26) ? wrapped(name, width - 26) : [cut(name, width - 26)];
      parts.push(swatch(x + 1, y - 4, colour, dash, shape) + paragraph(x + 25, y, lines));
      x += long;
      y += LINE * (lines.length - 1);
    }
    if (o.y)
      wrapped(`↑ ${o.y}`, width - 4, SLIGHT).forEach((line, k) =>
        parts.push(text(0, (y += k ? LINE : LINE + 1), line, "start", SMALL)),
      );
    return { inside: parts.join(""), height: y ? y + 8 : 6 };
  };
  const TITLE = 'class="kit-title"',
    SMALL = 'class="kit-small"';
  const swatch = (x, y, colour, dash, shape) => {
    if (shape === "box") return rect(x + 3, y - 6, 13, 12, `rx="2" fill="${colour}"`);
    if (shape) return SHAPES[shape](x + 9, y, colour);
    return `<path d="M${x} ${y}h19" stroke="${colour}" stroke-width="3" ${dash ? `stroke-dasharray="${dash}"` : ""}/>`;
  };

  // Both axes with one scale: the box is widened about its middle until it has the shape of the picture.
  const levelled = ({ xmin, xmax, ymin, ymax }, wide, tall) => {
    const unit = Math.max((xmax - xmin) / wide, (ymax - ymin) / tall) / 2,
      [x, y] = [(xmin + xmax) / 2, (ymin + ymax) / 2];
    return { xmin: x - unit * wide, xmax: x + unit * wide, ymin: y - unit * tall, ymax: y + unit * tall };
  };

  // The box of a chart: scales, grid, titles. `inside(px, py)` draws its content.
  const frame = (o, inside) => {
    const width = o.width || room.column,
      head = heading(o, width),
      foot = o.x ? wrapped(o.x, width - 60) : [],
      left = o.left || 44,
      right = o.right || 14,
      top = head.height + 4,
      bottom = (o.bottom || 22) + LINE * foot.length,
      height = (o.height || 240) + (head.height - 24) + LINE * Math.max(0, foot.length - 1);
    if (o.equal) o = { ...o, ...levelled(o, width - left - right, height - top - bottom) };
    const log = Boolean(o.logx),
      f = log ? Math.log10 : (v) => v;
    const px = (x) => left + ((f(x) - f(o.xmin)) / (f(o.xmax) - f(o.xmin) || 1)) * (width - left - right);
    const py = (y) => height - bottom - ((y - o.ymin) / (o.ymax - o.ymin || 1)) * (height - top - bottom);
    const many = Math.max(2, Math.min(5, Math.floor((width - left - right) / 60)));
    const xs = o.noxticks ? [] : log ? logTicks(o.xmin, o.xmax) : ticks(o.xmin, o.xmax, many);
    const upwards = Math.max(2, Math.min(5, Math.round((height - top) / 45))),
      rough = o.noyticks ? [] : ticks(o.ymin, o.ymax, upwards),
      ys = rough.length === 1 ? ticks(o.ymin, o.ymax, 4) : rough; // one number makes no scale
    const grid =
      ys
        .map(
          (y) =>
            `<line class="kit-grid" x1="${left}" x2="${width - right}" y1="${round(py(y))}" y2="${round(py(y))}"/>` +
            text(left - 6, py(y) + 4, short(y), "end", SMALL),
        )
        .join("") + xs.map((x) => text(px(x), height - bottom + 16, short(x), "middle", SMALL)).join("");
    const named = foot.map((line, i) =>
      text((left + width - right) / 2, height - 5 - LINE * (foot.length - 1 - i), line, "middle", SMALL),
    );
    const edges = `M${left} ${round(top)}V${round(height - bottom)}H${width - right}`;
    return svg(
      width,
      height,
      o.title || o.y || "",
      head.inside +
        grid +
        (o.bare ? "" : `<path class="kit-axis" d="${edges}" fill="none"/>`) +
        inside(px, py) +
        named.join(""),
    );
  };

  const bars = (o) => {
    const n = o.values.length,
      digits = o.digits ?? 2,
      high = (o.max ?? Math.max(...o.values, 0)) || 1,
      low = o.min ?? Math.min(...o.values, 0),
      width = o.width || room.column;
    if (o.horizontal) return rows(o, low, high, digits, width);
    const each = (width - 58) / n,
      longest = Math.max(...o.labels.map((l) => l.length)),
      tilted = needed(longest) > each;
    const bottom = tilted ? Math.min(30 + longest * 4, 96) : 24;
    const bar = (px, py) => (v, i) => {
      const x = px(i + 0.14),
        w = px(i + 0.86) - x,
        y = py(Math.min(Math.max(v, low), high)),
        zero = py(Math.max(low, 0)),
        centre = x + w / 2,
        foot = py(low);
      const turned = `${SMALL} transform="rotate(-35 ${round(centre + 4)} ${round(foot + 14)})"`;
      const label = tilted
        ? text(centre + 4, foot + 14, o.labels[i], "end", turned)
        : text(centre, foot + 16, o.labels[i], "middle", SMALL);
      const down = y > zero + 1; // the number of a bar below zero stands below it
      return (
        rect(x, Math.min(y, zero), w, Math.abs(zero - y), `fill="${o.colours?.[i] || CYCLE[0]}"`) +
        text(centre, down ? y + 14 : Math.min(y, zero) - 4, fixed(v, digits), "middle", SMALL) +
        label
      );
    };
    const box = { xmin: 0, xmax: n, ymin: low, ymax: high, noxticks: true, bottom };
    return frame({ ...o, ...box, height: o.height || (tilted ? 280 : 240) }, (px, py) =>
      o.values.map(bar(px, py)).join(""),
    );
  };

  // Horizontal bars, for labels as long as sentences; with `above` the label stands over its bar, and the zero is
  // marked at each bar alone, not through the words.
  const rows = (o, low, high, digits, width) => {
    const step = o.step || (o.above ? 36 : 24),
      head = heading(o, width),
      top = head.height,
      spare = 7 * (digits + 4), // for the number of a bar below zero, on its left
      left = o.above ? (low < 0 ? 4 + spare : 4) : Math.min(o.left || 190, Math.round(width * 0.5)),
      right = 20 + 6.5 * (digits + 2),
      foot = o.x ? wrapped(o.x, width - 20) : [],
      end = top + o.values.length * step;
    const px = (v) => left + ((Math.min(Math.max(v, low), high) - low) / (high - low || 1)) * (width - left - right);
    const zero = px(Math.max(low, 0));
    const row = (v, i) => {
      const y = top + i * step,
        bar = o.above ? [y + 18, step - 22] : [y + 3, step - 6];
      const name = o.above
        ? text(4, y + 13, cut(o.labels[i], width - 4), "start", 'class="kit-small kit-halo"')
        : text(left - 8, y + step * 0.66, cut(o.labels[i], left - 8), "end", SMALL);
      return (
        `<g ${o.links ? `data-link="${o.links[i]}"` : ""} ${o.picks ? `data-pick="${o.picks[i]}"` : ""}>` +
        `<title>${escape(o.labels[i])}</title>${o.links ? rect(0, y, width, step, 'class="kit-touch"') : ""}${name}` +
        rect(Math.min(zero, px(v)), bar[0], Math.abs(px(v) - zero), bar[1], `fill="${o.colours?.[i] || CYCLE[0]}"`) +
        (o.above && v < 0
          ? text(px(v) - 5, bar[0] + bar[1] / 2 + 4.5, fixed(v, digits), "end", SMALL)
          : text(Math.max(px(v), zero) + 5, bar[0] + bar[1] / 2 + 4.5, fixed(v, digits), "start", SMALL)) +
        (o.above ? `<path class="kit-axis" d="M${round(zero)} ${bar[0] - 2}v${bar[1] + 4}"/>` : "") +
        "</g>"
      );
    };
    return svg(
      width,
      end + 8 + LINE * foot.length,
      o.title || "",
      head.inside +
        (o.above ? "" : `<path class="kit-axis" d="M${round(zero)} ${top}V${end}"/>`) +
        o.values.map(row).join("") +
        foot.map((line, i) => text(width / 2, end + LINE * (i + 1), line, "middle", SMALL)).join(""),
    );
  };

  // One bar, split among its parts; names and shares stand in the parts, or under them where they are narrow.
  const split = (o) => {
    const width = o.width || room.column,
      legend = o.parts.map(({ name, value, colour }) => ({
        name: `${name} ${o.tell ? o.tell(value) : fixed(value)}`,
        colour,
        shape: "box",
      }));
    const head = heading({ title: o.title, legend }, width),
      tall = o.tall || 34,
      whole = o.whole ?? o.parts.reduce((sum, p) => sum + p.value, 0);
    let x = 0;
    const drawn = o.parts.map(({ name, value, colour }) => {
      const w = (width * value) / (whole || 1),
        from = x;
      x += w;
      return `<g><title>${escape(name)}</title>${rect(from, head.height + 2, w, tall, `fill="${colour}"`)}</g>`;
    });
    const around = rect(0.5, head.height + 2, width - 1, tall, 'class="kit-axis" fill="none"');
    return svg(width, head.height + tall + 8, o.title || "", head.inside + drawn.join("") + around);
  };

  // `under` and `over`: (px, py) → SVG behind and before the curves, for areas and for words at a line.
  const bounds = (values, given, at) => given ?? (values.length ? Math[at](...values) : at === "min" ? 0 : 1);
  const lines = (o) => {
    const all = o.series.flatMap((s) => s.points),
      xs = all.map((p) => p[0]),
      ys = all.map((p) => p[1]).filter((v) => v !== null && Number.isFinite(v));
    const legend = o.series.length > 1 ? o.series.filter((s) => s.name) : [];
    const box = {
      legend: legend.map((s, i) => ({ ...s, colour: s.colour || CYCLE[i] })),
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
    return frame(box, (px, py) => {
      const marker =
        o.marker === undefined
          ? ""
          : `<path class="kit-marker" d="M${round(px(o.marker))} ${round(py(box.ymin))}V${round(py(box.ymax))}"/>`;
      const drawn = o.series.map((s, i) => curve(s, s.colour || CYCLE[i], px, py, box)).join("");
      return (o.under?.(px, py) ?? "") + marker + drawn + (o.over?.(px, py) ?? "");
    });
  };
  const curve = (s, colour, px, py, box) => {
    const seen = s.points.filter((p) => p[1] !== null && Number.isFinite(p[1])),
      path = seen.map((p) => `${round(px(p[0]))},${round(py(p[1]))}`).join(" ");
    const at = box.marker === undefined || s.quiet ? null : crossing(seen, box.marker);
    const area = s.area
      ? `<polygon points="${round(px(seen[0]?.[0] ?? 0))},${round(py(0))} ${path} ` +
        `${round(px(seen[seen.length - 1]?.[0] ?? 0))},${round(py(0))}" fill="${colour}" fill-opacity="0.22"/>`
      : "";
    return (
      area +
      `<polyline fill="none" stroke="${colour}" stroke-width="2.2" ` +
      `${s.dash ? `stroke-dasharray="${s.dash}" ` : ""}points="${path}"/>` +
      (seen.length === 1 ? SHAPES.dot(round(px(seen[0][0])), round(py(seen[0][1])), colour) : "") +
      (at === null ? "" : `<circle cx="${round(px(box.marker))}" cy="${round(py(at))}" r="4.5" fill="${colour}"/>`)
    );
  };
  // Where a curve crosses the marker.
  const crossing = (seen, x) => {
    const next = seen.findIndex((p) => p[0] >= x);
    if (next < 0 || (next === 0 && seen[0][0] > x)) return null;
    if (next === 0 || seen[next][0] === x) return seen[next][1];
    const [a, b] = [seen[next - 1], seen[next]];
    return a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
  };

  const SHAPES = {
    dot: (x, y, c) => `<circle cx="${x}" cy="${y}" r="5" fill="${c}"/>`,
    ring: (x, y, c) => `<circle cx="${x}" cy="${y}" r="5.5" fill="none" stroke="${c}" stroke-width="2.5"/>`,
    cross: (x, y, c) => `<path d="M${x - 4.5} ${y - 4.5}l9 9m0-9l-9 9" stroke="${c}" stroke-width="2.5"/>`,
  };
  const points = (o) => {
    const ends = [...(o.arrows || []), ...(o.lines || [])].flatMap((a) => [a.from, a.to]);
    const xs = [...o.points.map((p) => p.x), ...ends.map((e) => e[0])],
      ys = [...o.points.map((p) => p.y), ...ends.map((e) => e[1])];
    const wide = ([low, high]) => {
      const pad = 0.06 * (high - low || 1);
      return [low - pad, high + pad];
    };
    const [x0, x1] = wide([bounds(xs, o.xmin, "min"), bounds(xs, o.xmax, "max")]),
      [y0, y1] = wide([bounds(ys, o.ymin, "min"), bounds(ys, o.ymax, "max")]);
    const line = (px, py) => (l) =>
      `<line x1="${round(px(l.from[0]))}" y1="${round(py(l.from[1]))}" x2="${round(px(l.to[0]))}" ` +
      `y2="${round(py(l.to[1]))}" stroke="${l.colour || COLOURS.neutral}" ${l.dash ? 'stroke-dasharray="4 3"' : ""}/>`;
    const mark = (px, py) => (p) => {
      const x = round(px(p.x)),
        y = round(py(p.y));
      return (
        `<g ${p.link === undefined ? "" : `data-link="${p.link}"`} ${p.faint ? 'opacity="0.45"' : ""}>` +
        `${p.title ? `<title>${escape(p.title)}</title>` : ""}${SHAPES[p.shape || "dot"](x, y, p.colour || CYCLE[0])}` +
        `${p.label ? text(x + 8, y + 4, p.label, "start", 'class="kit-small kit-halo"') : ""}</g>`
      );
    };
    return frame({ height: 330, ...o, xmin: x0, xmax: x1, ymin: y0, ymax: y1 }, (px, py) => {
      const arrows = (o.arrows || []).map((a) =>
        arrow([px(a.from[0]), py(a.from[1])], [px(a.to[0]), py(a.to[1])], a.colour || CYCLE[0], a.width, a.label),
      );
      const over = o.over ? o.over(px, py) : "";
      return [...(o.lines || []).map(line(px, py)), ...arrows, ...o.points.map(mark(px, py)), over].join("");
    });
  };

  const arrow = ([x1, y1], [x2, y2], colour, thick = 3, label = "") => {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return "";
    const ux = (x2 - x1) / length,
      uy = (y2 - y1) / length,
      h = Math.min(6 + 1.6 * thick, length);
    const bx = x2 - ux * h,
      by = y2 - uy * h,
      side = h / 2;
    const tip = [
      [x2, y2],
      [bx - uy * side, by + ux * side],
      [bx + uy * side, by - ux * side],
    ];
    const halo = `class="kit-halo" style="fill:${ink(colour)}"`;
    return (
      `<path d="M${round(x1)} ${round(y1)}L${round(bx)} ${round(by)}" stroke="${colour}" stroke-width="${thick}"/>` +
      `<path d="M${tip.map((v) => v.map(round).join(" ")).join("L")}Z" fill="${colour}"/>` +
      (label ? text(x2 + ux * 7, y2 + uy * 14 + 4, label, ux < -0.2 ? "end" : "start", halo) : "")
    );
  };

  // A matrix as colours, of one `hue` where it is named. A row can be marked; rows and columns are linked and
  // picked by their numbers.
  const heat = (o) => {
    const n = o.columns.length,
      width = o.width || room.column,
      head = heading(o, width),
      left = Math.min(o.left || 110, Math.round(width * 0.45)),
      size = Math.min(o.widest || 64, (width - left - 4) / n),
      tall = Math.max(20, Math.min(size, o.tallest || 44)),
      top = head.height,
      low = o.min ?? 0,
      high = o.max ?? 1,
      bottom = top + o.rows.length * tall;
    const cell = (i) => (_, j) => {
      const v = o.values[i][j],
        share = Math.min(1, Math.max(0, (v - low) / (high - low || 1))),
        c = o.hue
          ? { fill: `color-mix(in srgb, ${o.hue} ${Math.round(45 * share)}%, transparent)`, ink: "currentColor" }
          : cividis(share),
        says = `${o.rows[i]} · ${o.rows[j] ?? o.columns[j]}: ${fixed(v, o.digits ?? 2)}`;
      const number =
        size >= 34
          ? text(
              left + (j + 0.5) * size,
              top + tall * (i + 0.5) + 4.5,
              fixed(v, o.digits ?? 2),
              "middle",
              `${SMALL} style="fill:${c.ink}"`,
            )
          : "";
      return (
        `<g data-link="${i}" data-column="${j}" ${o.pick ? `data-pick="${o.pick}:${i + 1}"` : ""}>` +
        `<title>${escape(says)}</title>` +
        rect(left + j * size, top + i * tall, size - 1, tall - 1, `fill="${c.fill}"`) +
        number +
        "</g>"
      );
    };
    const row = (name, i) =>
      `<g data-link="${i}" ${o.pick ? `data-pick="${o.pick}:${i + 1}"` : ""}>` +
      rect(0, top + i * tall, left, tall, 'class="kit-touch"') +
      text(
        left - 8,
        top + tall * (i + 0.5) + 4,
        cut(name, left - (i === o.marked ? 20 : 8)),
        "end",
        i === o.marked ? 'class="kit-small kit-strong"' : SMALL,
      ) +
      "</g>" +
      o.columns.map(cell(i)).join("");
    const groups = (o.groups ?? []).map(
      (k) =>
        `<path class="kit-rule" d="M${left} ${round(top + k * tall - 0.5)}h${round(n * size)}M` +
        `${round(left + k * size - 0.5)} ${top}v${round(o.rows.length * tall)}"/>`,
    );
    const mark =
      o.marked === undefined
        ? ""
        : rect(left - 1, top + o.marked * tall - 1, n * size + 1, tall + 1, 'class="kit-mark"');
    const columns = o.columns.map((c, j) =>
      text(left + (j + 0.5) * size, bottom + 16, cut(c, Math.max(size, 20)), "middle", SMALL),
    );
    return svg(
      width,
      bottom + 22 + (o.bar ? 26 : 0),
      o.title || "",
      head.inside +
        o.rows.map(row).join("") +
        groups.join("") +
        mark +
        columns.join("") +
        (o.bar ? scaleBar(left, bottom + 28, n * size, low, high, o.bar) : ""),
    );
  };

  // What the colours of a heat map mean: the lowest on the left, the highest on the right.
  const scaleBar = (x, y, width, low, high, name) => {
    const steps = 20,
      from = x + 36,
      wide = Math.max(60, width - 36 - 36 - needed(name.length)),
      step = wide / steps;
    const piece = (_, i) => rect(from + i * step, y, step + 0.5, 12, `fill="${cividis(i / (steps - 1)).fill}"`);
    return (
      text(from - 4, y + 11, fixed(low), "end", SMALL) +
      Array.from({ length: steps }, piece).join("") +
      text(from + wide + 4, y + 11, `${fixed(high)} ${name}`, "start", SMALL)
    );
  };

  // Numbers that matter, large beside the picture: {value, words, colour of its mark}.
  const figures = (all) =>
    `<div class="kit-figures">${all
      .map(
        ({ value, words, colour }) =>
          `<p class="kit-figure"><b${colour ? ` style="color:${ink(colour)}"` : ""}>${escape(value)}</b> ` +
          `${escape(words)}</p>`,
      )
      .join("")}</div>`;

  // One line of words; those given as [words, colour] have the colour of their marks, in place of a legend.
  const tinted = (x, y, parts, anchor = "start", more = SMALL) =>
    `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${more}>${parts
      .map((part) =>
        typeof part === "string"
          ? lettering(part)
          : `<tspan style="fill:${ink(part[1])};font-weight:650">${lettering(part[0])}</tspan>`,
      )
      .join("")}</text>`;

  const tiles = (o) =>
    `<div class="kit-tiles">${o.title ? `<div class="kit-title">${escape(o.title)}</div>` : ""}` +
    o.tiles
      .map((t) => {
        const c = cividis((t.value - (o.min ?? 0)) / ((o.max ?? 1) - (o.min ?? 0) || 1));
        return (
          `<span class="kit-tile" style="background:${c.fill};color:${c.ink}">${lettering(t.text)}` +
          `<small>${fixed(t.value, o.digits ?? 2)}</small></span>`
        );
      })
      .join("") +
    "</div>";

  const table = (o) =>
    `<div class="kit-scroll" tabindex="0" role="region" aria-label="${escape(o.title || "numbers")}">` +
    `<table class="kit-table">${o.title ? `<caption>${escape(o.title)}</caption>` : ""}<thead>` +
    `<tr>${o.head.map((h) => (h ? `<th scope="col">${escape(h)}</th>` : "<td></td>")).join("")}</tr></thead>` +
    `<tbody>${o.rows
      .map(([first, ...rest]) => {
        const cells = rest.map((c) => `<td>${lettering(c)}</td>`).join("");
        return `<tr><th scope="row">${lettering(first)}</th>${cells}</tr>`;
      })
      .join("")}</tbody></table></div>`;

  // A panel over the whole width of the board; its contents are drawn with width: kit.room.width.
  const wide = (html) => `<div class="kit-wide">${html}</div>`;

  return {
    room,
    COLOURS,
    CYCLE,
    escape,
    ink,
    told,
    fixed,
    printed,
    thousands,
    short,
    dot,
    norm,
    unit,
    cosine,
    softmax,
    apportioned,
    besideBound,
    percent,
    cividis,
    ticks,
    apart,
    quotesApart,
    text,
    cut,
    quote,
    rect,
    round,
    needed,
    wrapped,
    paragraph,
    LINE,
    BOLD,
    SLIGHT,
    svg,
    heading,
    arrow,
    SHAPES,
    SMALL,
    TITLE,
    bars,
    lines,
    points,
    heat,
    split,
    figures,
    tinted,
    tiles,
    table,
    wide,
  };
})();
