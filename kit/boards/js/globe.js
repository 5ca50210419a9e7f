// Sentences on a sphere round the mean of the raw space, recorded or fed live (sphere.js, live.js). The pole is that
// mean; the distance of a sentence from it is its true angle to it, in all dimensions; the direction round the pole is
// its direction in one fixed plane. What stands still is SVG; points and threads are on a canvas over it.
//
// A view is {theta, phi [n] in degrees, histogram, mean_cosine, effective_rank, sts}; state has roles and premise [n]
// (which sentence a point belongs to), bins and task.

const globe = (() => {
  // Every colour of the sphere, whose ground is dark on light pages too. Like the palette of the other boards its marks
  // are told apart by every sight (tests/boards/test_colours.py), also as faint as they are at the sphere's edge.
  const PALETTE = {
    night: "#0b1020",
    dusk: "#131c3c",
    glow: "#27407a", // where the sphere is lightest
    rings: "#9fb4d8",
    words: "#b9c9e8",
    limb: 0.75, // opacity of a point at the edge; those behind the sphere fade further
    marks: { premise: "#ffffff", entailed: "#4fd1a5", contradicted: "#ff9a5c", pole: "#ffe94a", before: "#93a5ff" },
  };
  const { marks: MARKS, night: NIGHT } = PALETTE,
    NEAR = matchMedia("(pointer: coarse)").matches ? FINGER / 2 : 14, // pixels within which a point is meant
    FIGURES = 104, // pixels that the three numbers take
    SLIGHT = 56, // and on a phone, where they stand above the sphere,
    LOW = 96, // and of the cosines there
    LOST = 0.9; // directions are lost where fewer than this share of the raw ones are in use

  // The sphere is as large as its panel lets it be; its letters keep their size.
  const sizeOf = () => {
    const width = kit.room.first,
      radius = Math.min(width / 2 - 16, kit.room.columns < 2 ? 140 : 260), // on a phone it is seen with its controls
      legend = width < 400 ? 62 : 40;
    return { width, radius, middle: width / 2, centre: radius + 24, height: Math.ceil(2 * radius + 40 + legend) };
  };

  const RADIAN = Math.PI / 180,
    RINGS = [30, 60, 90]; // degrees from the pole
  // Angle to the pole and direction round it, in degrees, as a place on the unit sphere.
  const place = (theta, phi) => [
    Math.sin(theta * RADIAN) * Math.cos(phi * RADIAN),
    Math.sin(theta * RADIAN) * Math.sin(phi * RADIAN),
    Math.cos(theta * RADIAN),
  ];
  const places = ({ theta, phi }) => theta.map((angle, k) => place(angle, phi[k]));

  // Of values at whole places, the one at a place between.
  const between = (values, place) => {
    const i = Math.min(Math.floor(place), values.length - 2);
    return values[i] + (place - i) * (values[i + 1] - values[i]);
  };

  // Half-way between two views; of two ways round the pole the shorter.
  const mixed = (a, b, t) => {
    const between = (x, y) => x + t * (y - x),
      both = (key) => a[key].map((x, k) => between(x, b[key][k])),
      turn = (x, y) => x + t * (((((y - x + 180) % 360) + 360) % 360) - 180);
    return {
      theta: both("theta").map((angle) => angle / 10),
      phi: a.phi.map((x, k) => turn(x, b.phi[k])),
      histogram: both("histogram"),
      mean_cosine: between(a.mean_cosine, b.mean_cosine),
      effective_rank: between(a.effective_rank, b.effective_rank),
      sts: between(a.sts, b.sts),
    };
  };

  // The mean angle to the pole, in degrees: of the first recorded view, which has tenths of them, and of the present.
  const away = (first, now) => [first, now].map((theta, k) => mean(theta) / (k ? 1 : 10));
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

  // Whether all moved away from the pole, before a training and now, though not from each other: the rings alone would
  // look like a cone that has opened.
  const moved = ([from, to], cosine, now) =>
    kit.printed(to, 0) > kit.printed(from, 0) && kit.printed(now, 2) >= kit.printed(cosine, 2);

  // Where a place appears: x, y on the picture, depth towards the reader. Between two frames it lies in the sphere.
  const camera = ({ yaw = 20, pitch = 52 }) => {
    const [c, s, up, to] = [yaw, pitch].flatMap((angle) => [Math.cos(angle * RADIAN), Math.sin(angle * RADIAN)]);
    const { radius, middle, centre } = sizeOf();
    return ([x, y, z]) => {
      const out = radius / (Math.hypot(x, y, z) || 1),
        far = x * s + y * c;
      return [middle + out * (x * c - y * s), centre - out * (z * up - far * to), (out / radius) * (z * to + far * up)];
    };
  };

  // A circle of equal angle to the pole; what is behind the sphere is fainter. Turning does not change it.
  const circle = (at, theta) => {
    const ring = Array.from({ length: 73 }, (_, k) => at(place(theta, 5 * k)));
    const half = (front) => {
      let path = "",
        open = false;
      for (const [x, y, depth] of ring) {
        const here = depth >= 0 === front;
        path += here ? `${open ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}` : "";
        open = here;
      }
      const look = `fill="none" stroke="${PALETTE.rings}" stroke-opacity="${front ? 0.42 : 0.14}"`;
      return path && `<path d="${path}" ${look}/>`;
    };
    return half(true) + half(false);
  };

  const label = (x, y, words, colour, anchor = "middle") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="kit-lit" ` +
    `style="fill:${colour};stroke:${NIGHT}">` +
    `${kit.escape(words)}</text>`;

  // Drawn anew where the sphere is tilted, or of another size or lettering.
  let drawn = { key: "", html: "" };
  const ball = ({ pitch }, ghosts = "") => {
    const key = `${pitch} ${kit.room.first} ${kit.room.spacing} ${ghosts}`;
    if (drawn.key !== key) drawn = { key, html: still(pitch, ghosts) };
    return drawn.html;
  };

  const still = (pitch, ghosts) => {
    const { width, height, radius, middle, centre } = sizeOf(),
      at = camera({ yaw: 0, pitch }),
      [px, py, front] = at([0, 0, 1]);
    const named = "+ mean of the raw space",
      beside = kit.needed(`${named} · ${ghosts}`.length, 6.2) < width - 36;
    const pole =
      `<g opacity="${front >= 0 ? 1 : 0.6}"><path d="M${px - 6} ${py}h12m-6 -6v12" stroke="${MARKS.pole}" ` +
      `stroke-width="2"/></g>${label(14, 22, named, MARKS.pole, "start")}` +
      (ghosts && label(width - 14, beside ? 22 : 22 + kit.LINE, `· ${ghosts}`, MARKS.before, "end"));
    const sphere = kit.svg(
      width,
      height,
      "sentences on a sphere round the mean of the raw space",
      `<defs><radialGradient id="kit-night" cx="42%" cy="36%" r="75%"><stop offset="0" ` +
        `stop-color="${PALETTE.glow}"/><stop offset="0.55" stop-color="${PALETTE.dusk}"/>` +
        `<stop offset="1" stop-color="${NIGHT}"/>` +
        `</radialGradient></defs><rect width="${width}" height="${height}" rx="10" fill="${NIGHT}"/>` +
        `<circle data-plane data-drag="turn" cx="${middle}" cy="${centre}" r="${radius}" fill="url(#kit-night)"/>` +
        `<g style="pointer-events:none">${RINGS.map((theta) => circle(at, theta)).join("")}${pole}</g>` +
        legend(width, height),
      'class="kit-sphere"',
    );
    return (
      `<div class="kit-globe" tabindex="0" role="application" aria-label="the sphere: arrow keys turn it" ` +
      `data-turn data-keep="sphere" data-lm-suppress-shortcuts="true">${sphere}` +
      `<canvas aria-hidden="true"></canvas></div>`
    );
  };

  const legend = (width, height) => {
    const ring = `fill="none" stroke="${MARKS.premise}" stroke-width="1.8"`,
      cross = `stroke="${MARKS.contradicted}" stroke-width="2"`;
    const parts = [
      ["a sentence", "premise", (x, y) => `<circle cx="${x}" cy="${y}" r="4.5" ${ring}/>`],
      ["follows from it", "entailed", (x, y) => `<circle cx="${x}" cy="${y}" r="4.5" fill="${MARKS.entailed}"/>`],
      ["contradicts it", "contradicted", (x, y) => `<path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" ${cross}/>`],
    ];
    let x = 16,
      y = height - (width < kit.needed(400 / 7, 7) ? 38 : 18);
    return parts
      .map(([words, role, mark]) => {
        const long = 18 + kit.needed(words.length, 7);
        if (x + long > width) [x, y] = [16, y + 20];
        const drawn = mark(x, y) + label(x + 10, y + 4, words, MARKS[role], "start");
        x += long + 18;
        return drawn;
      })
      .join("");
  };

  // The premise whose sentences are shown brightly: that of the chosen point; -1 where none is chosen.
  const family = ({ point = 0 }, state) => (point ? state.premise[point - 1] : -1);

  // Threads from each premise to what follows from it; of the chosen one also to what contradicts it.
  const threads = (pen, spots, state, mine) => {
    const from = {};
    state.roles.forEach((role, k) => {
      const premise = state.premise[k],
        bright = premise === mine;
      if (role === "premise") from[premise] = spots[k];
      if (role === "premise" || (role === "contradicted" && !bright)) return;
      pen.globalAlpha = bright ? 0.95 : mine < 0 ? 0.4 : 0.28;
      pen.strokeStyle = MARKS[role];
      pen.beginPath();
      pen.moveTo(from[premise][0], from[premise][1]);
      pen.lineTo(spots[k][0], spots[k][1]);
      pen.stroke();
    });
  };

  const DOTS = {
    premise(pen, x, y, size) {
      pen.lineWidth = 1.8;
      pen.arc(x, y, size, 0, 7);
      pen.fillStyle = NIGHT;
      pen.fill();
      pen.stroke();
    },
    entailed(pen, x, y, size) {
      pen.arc(x, y, size, 0, 7);
      pen.fill();
    },
    contradicted(pen, x, y, size) {
      pen.lineWidth = 2;
      pen.moveTo(x - size, y - size);
      pen.lineTo(x + size, y + size);
      pen.moveTo(x + size, y - size);
      pen.lineTo(x - size, y + size);
      pen.stroke();
    },
  };

  // Where the points stood before the training: small and faint, under the others.
  const ghosts = (pen, places, chosen) => {
    const at = camera(chosen);
    pen.fillStyle = MARKS.before;
    for (const place of places) {
      const [x, y, depth] = at(place);
      pen.globalAlpha = depth > 0 ? PALETTE.limb : 0.3;
      pen.beginPath();
      pen.arc(x, y, 1.6, 0, 7);
      pen.fill();
    }
  };

  // The opacity of a point: 1 in front, that of the limb at the edge, a quarter at the back.
  const faded = (depth) => PALETTE.limb + (depth < 0 ? PALETTE.limb - 0.25 : 1 - PALETTE.limb) * depth;

  // Points and threads, those farther away first. spots: [n] x, y, depth.
  const ink = (pen, values, chosen, state) => {
    const spots = values.places.map(camera(chosen)),
      mine = family(chosen, state);
    pen.lineWidth = 1;
    threads(pen, spots, state, mine);
    const order = spots.map((_, k) => k).sort((a, b) => spots[a][2] - spots[b][2]);
    for (const k of order) {
      const [x, y, depth] = spots[k],
        bright = state.premise[k] === mine,
        size = (bright ? 6 : 4.2) * (0.8 + 0.2 * depth);
      pen.globalAlpha = bright ? (depth < 0 ? 0.6 : 1) : faded(depth);
      pen.fillStyle = pen.strokeStyle = MARKS[state.roles[k]];
      pen.beginPath();
      DOTS[state.roles[k]](pen, x, y, size);
      if (k !== chosen.point - 1) continue;
      pen.strokeStyle = MARKS.premise;
      pen.beginPath();
      pen.arc(x, y, size + 5, 0, 7);
      pen.setLineDash(depth < 0 ? [3, 3] : []); // behind the sphere
      pen.stroke();
      pen.setLineDash([]);
    }
    degrees(pen, chosen);
  };

  // What the rings mean, over the points, each where its ring is nearest to the reader.
  const degrees = (pen, { pitch }) => {
    const at = camera({ yaw: 0, pitch });
    pen.globalAlpha = 1;
    pen.font = "12.5px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 4;
    pen.strokeStyle = NIGHT;
    pen.fillStyle = PALETTE.words;
    for (const theta of RINGS) {
      const [[x, y]] = [90, 270].map((phi) => at(place(theta, phi))).sort((a, b) => b[2] - a[2]);
      const below = theta < 90 ? 13 : 24; // trained sentences crowd round the ring of 90°
      pen.strokeText(`${theta}°`, x, y + below);
      pen.fillText(`${theta}°`, x, y + below);
    }
  };

  // The point at x, y of the picture, "point:7"; of several the one in front.
  const nearby = (x, y, values, chosen) => {
    const at = camera(chosen);
    let best = null;
    values.places.forEach((spot, k) => {
      const [px, py, depth] = at(spot),
        away = Math.hypot(px - x, py - y) - 2 * depth;
      if (away < NEAR && (best === null || away < best.away)) best = { away, k };
    });
    return best && `point:${best.k + 1}`;
  };

  // Three numbers, each with what it was in the raw space; one that is worse now has the colour of a push.
  const numbers = (values, state) => {
    const whole = kit.room.second,
      slight = kit.room.columns < 2;
    const worse = [(now, raw) => now > raw, (now, raw) => now < LOST * raw, (now, raw) => now < raw];
    return [
      ["mean cosine", "mean_cosine", 2],
      ["effective rank", "effective_rank", 1],
      [state.task, "sts", 1, ", × 100"],
    ]
      .map(([name, key, digits, unit = ""], k) => {
        const x = (whole * (1 + 2 * k)) / 6,
          warned = worse[k](values[key], values.first[k]) ? ` style="fill:${kit.ink(kit.COLOURS.negative)}"` : "";
        return (
          kit.text(x, slight ? 12 : 24, name) +
          kit.text(
            x,
            slight ? 33 : 66,
            kit.fixed(values[key], digits),
            "middle",
            `class="kit-big${slight ? " kit-slight" : ""}"${warned}`,
          ) +
          kit.text(x, slight ? 50 : 90, `raw ${kit.fixed(values.first[k], digits)}${unit}`, "middle", kit.SMALL)
        );
      })
      .join("");
  };

  const figures = (values, state) =>
    kit.svg(
      kit.room.second,
      kit.room.columns < 2 ? SLIGHT : FIGURES,
      "three numbers, now and in the raw space",
      numbers(values, state),
    );

  // The three numbers, and below them the cosines of random pairs.
  const cosines = (values, state) =>
    figures(values, state) + spread(values, state, kit.room.columns < 2 ? LOW : sizeOf().height - FIGURES);

  // Sphere and numbers beside each other; on a phone the numbers above, so that both are seen while they change.
  const pair = (sphere, beside) => (kit.room.columns < 2 ? [beside, sphere] : [sphere, beside]);

  // What a line has below an upper edge, in pieces that end where it crosses the edge.
  const below = (points, edge) => {
    const pieces = [[]];
    points.forEach(([x, y], k) => {
      const [a, b] = points[k - 1] ?? [x, y],
        crosses = b < edge !== y < edge,
        place = [a + ((edge - b) / (y - b)) * (x - a), edge];
      if (crosses && y < edge) pieces.at(-1).push(place);
      if (crosses && y >= edge) pieces.push([place]);
      if (y >= edge) pieces.at(-1).push([x, y]);
    });
    return pieces;
  };
  const HEADROOM = 1.6, // raw peaks: where the picture of the cosines ends; only at τ 0.01 is a hill higher
    HALO = 'class="kit-small kit-halo"';

  // The cosines of random pairs: now as an area, raw as a dashed outline.
  const spread = (values, state, height) => {
    const { bins } = state,
      whole = kit.room.second,
      left = 10,
      width = whole - 20,
      low = height <= LOW,
      title = kit.wrapped("cosines of random pairs (dashed: raw)", whole - 4, kit.BOLD),
      more = kit.LINE * (title.length - 1),
      base = height + more - (low ? 22 : 44),
      tall = base - more - (low ? 22 : 56);
    const [peak, rawPeak] = [values.histogram, values.raw].map((heights) => Math.max(...heights)),
      top = HEADROOM * rawPeak, // by the raw hill alone: it stands still while the other one changes
      { after, before } = kit.COLOURS,
      ends = [bins[0], bins[bins.length - 1]];
    const px = (c) => left + ((c - ends[0]) / (ends[1] - ends[0])) * width;
    const outline = (heights) => heights.map((h, k) => [px((bins[k] + bins[k + 1]) / 2), base - (tall * h) / top]),
      told = (points) => points.map((point) => point.map((v) => v.toFixed(1)).join(",")).join(" "),
      pieces = below(outline(values.histogram), base - tall);
    const [leaves, right] = [pieces[0].at(-1)?.[0] ?? left, pieces.at(-1)[0]?.[0] ?? left + width],
      beside = leaves > whole / 2 ? [leaves - 8, "end"] : [right + 8, "start"],
      cut = `↑ ${kit.fixed(peak / rawPeak, 1)} × the raw peak`,
      higher = pieces.length > 1 ? kit.text(beside[0], base - tall + 12, cut, beside[1], HALO) : "";
    const tick = (c) => {
      const anchor = c === ends[1] ? "end" : c === ends[0] ? "start" : "middle";
      return kit.text(px(c), base + 18, kit.fixed(c, 1), anchor, kit.SMALL);
    };
    return kit.svg(
      whole,
      height + more,
      "cosines of random pairs of sentences",
      kit.paragraph(0, low ? 14 : 30, title, "start", kit.TITLE) +
        `<polygon points="${left},${base} ${told(pieces.flat())} ${left + width},${base}" fill="${after}" ` +
        'fill-opacity="0.75"/>' +
        pieces.map((piece) => `<polyline points="${told(piece)}" fill="none" stroke="${after}"/>`).join("") +
        `<polyline points="${told(outline(values.raw))}" fill="none" stroke="${before}" ` +
        `stroke-dasharray="5 4" stroke-width="2"/>` +
        higher +
        `<path class="kit-axis" d="M${left} ${base}H${left + width}"/>` +
        [-1, -0.5, 0, 0.5, 1]
          .filter((c) => c >= ends[0])
          .map(tick)
          .join("") +
        (low ? "" : kit.text(whole / 2, base + 38, "cosine", "middle", kit.SMALL)),
    );
  };

  // The chosen sentence and its nearest neighbours. Those of another step than the one drawn are faded, and it is said:
  // what is drawn may contradict them. What plays is nearly always between two steps.
  const reading = (values, chosen, state) => {
    const k = (chosen.point ?? 0) - 1;
    if (k < 0) return `<p class="kit-note">Point at a sentence, or move its slider, to read it and its neighbours.</p>`;
    const name = (j) => state.sentences?.[j] ?? `${state.roles[j]} of triple ${1 + state.premise[j]}`,
      told = (j) => kit.escape(kit.apart(name(j)));
    const behind = camera(chosen)(values.places[k])[2] < 0,
      earlier = values.seen_at !== (chosen.playing ? values.step : Math.round(values.step));
    const item = (j) => {
      const same = state.premise[j] === state.premise[k];
      return `<li>${told(j)}${same ? ` <em>(${state.roles[j]}, of the same triple)</em>` : ""}</li>`;
    };
    return (
      `<p class="kit-note"><strong>${told(k)}</strong> stands ${kit.fixed(values.theta[k], 0)}° from the mean of the ` +
      `raw space${behind ? ", behind the sphere" : ""}. Its nearest of ${state.roles.length}` +
      `${earlier ? ` are not recorded at this step; at step ${values.seen_at} they were` : ""}:` +
      `</p><ol class="kit-note${earlier ? " kit-earlier" : ""}">${values.neighbours.map(item).join("")}</ol>`
    );
  };

  const slider = (state) => ({
    kind: "slider",
    name: "point",
    label: "sentence",
    full: "number of the sentence to be read",
    min: 0,
    max: state.roles.length,
    step: 1,
    value: 1, // somebody's sentence is told from the start: what a point is needs no explaining then
    whole: true,
  });

  // Turn the sphere under the pointer; a pause between two calls is a new grip.
  const grip = { at: 0, x: 0, y: 0 };
  const drag = (name, x, y, { yaw = 20, pitch = 52 }) => {
    const now = performance.now(),
      held = now - grip.at < 250;
    const [dx, dy] = held ? [x - grip.x, y - grip.y] : [0, 0];
    Object.assign(grip, { at: now, x, y });
    return { yaw: yaw - dx / 3, pitch: tilted(pitch + dy / 3) };
  };

  // The same by keyboard.
  const WAYS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const turn = (key, { yaw = 20, pitch = 52 }) => {
    const [around, down] = WAYS[key] ?? [0, 0];
    return around || down ? { yaw: yaw + 10 * around, pitch: tilted(pitch + 10 * down) } : null;
  };
  const tilted = (pitch) => Math.min(90, Math.max(-90, pitch));

  return {
    PALETTE,
    LOST,
    places,
    away,
    moved,
    camera,
    between,
    mixed,
    ball,
    ink,
    nearby,
    figures,
    cosines,
    spread,
    pair,
    reading,
    slider,
    drag,
    turn,
    ghosts,
  };
})();
