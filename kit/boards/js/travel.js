// On the way from one drawing to the next, every mark starts where the same mark stood before: what a board's own
// numbers do not glide (see motion.js) travels by its coordinates. Marks are the same that belong to one thing
// (data-link, data-column, data-moves), are of one kind and look alike, where both drawings have as many of them.

const traveller = (() => {
  // With the height and the viewBox of a picture, so that what stands below it does not jump either.
  const COORDINATES = new Set("x y width height cx cy r x1 x2 y1 y2 d points transform viewBox".split(" "));
  const SIZES = new Set(["width", "height", "r"]);
  const NUMBERS = /-?\d+(?:\.\d+)?(?:e-?\d+)?/g;
  const NEAR_ENOUGH = 0.5; // pixels that nobody sees travel

  const thingOf = (node) => {
    const { moves, link, column } = node.closest("[data-moves], [data-link]")?.dataset ?? {};
    return [moves, link, column].join(" ");
  };

  // Where a mark is said to stand, and where it is shown on a way that has not ended: {name: coordinates}. A line of a
  // list has one place, in its panel.
  const marksOf = (panel, ways) =>
    [...panel.querySelectorAll("svg, svg *, li[data-link]")].flatMap((node) => {
      const list = node.tagName === "LI",
        coordinates = list
          ? [["place", `${node.offsetLeft - panel.offsetLeft} ${node.offsetTop - panel.offsetTop}`]]
          : [...node.attributes].filter(({ name }) => COORDINATES.has(name)).map(({ name, value }) => [name, value]);
      if (!coordinates.length) return [];
      const way = ways.get(node) ?? {},
        kind = `${thingOf(node)} ${node.tagName} ${list ? "" : (node.getAttribute("class") ?? "")}`,
        looks = ["fill", "stroke", "stroke-dasharray"].map((name) => node.getAttribute(name)).join(" ");
      return {
        node,
        kind,
        exact: `${kind} ${looks} ${node.tagName === "text" ? node.textContent : ""}`,
        shown: Object.fromEntries(
          coordinates.map(([name, value]) => [name, list ? (way[name]?.shown ?? value) : value]),
        ),
        said: Object.fromEntries(coordinates.map(([name, value]) => [name, way[name]?.said ?? value])),
      };
    });

  // For each mark of `now` the number of the same one in `before`, or -1: first those that look the same, then others.
  const matched = (before, now) => {
    if (before.length === now.length && before.every(({ kind }, i) => kind === now[i].kind)) return [...now.keys()];
    const from = now.map(() => -1),
      taken = new Set();
    for (const sign of ["exact", "kind"]) {
      const groups = new Map();
      const add = (mark, side, i) => {
        if (!groups.has(mark[sign])) groups.set(mark[sign], [[], []]);
        groups.get(mark[sign])[side].push(i);
      };
      before.forEach((mark, i) => taken.has(i) || add(mark, 0, i));
      now.forEach((mark, i) => from[i] < 0 && add(mark, 1, i));
      for (const [old, fresh] of groups.values())
        if (old.length === fresh.length)
          fresh.forEach((i, k) => {
            from[i] = old[k];
            taken.add(old[k]);
          });
    }
    return from;
  };

  // How far two coordinates lie apart, number by number; null where they are alike or of another form.
  const between = (shown, said) => {
    if (shown.replace(NUMBERS, "#") !== said.replace(NUMBERS, "#")) return null;
    const to = said.match(NUMBERS)?.map(Number) ?? [],
      away = (shown.match(NUMBERS) ?? []).map((v, k) => Number(v) - to[k]);
    return away.some((v) => Math.abs(v) > NEAR_ENOUGH) ? away : null;
  };

  const partWay = (said, away, left, least) => {
    let k = 0;
    return said.replace(NUMBERS, (v) => Math.max(least, Number((Number(v) + left * (away[k++] ?? 0)).toFixed(2))));
  };

  // The travels of all panels: `begin` before a change is drawn, `go` after every drawing with what is left of the way.
  return (panels) => {
    const journeys = new Map(), // of a panel: its marks, how far each was away from its place, and those on the way
      ways = new WeakMap(); // of a mark on the way: where it is said to stand, and where it is shown
    const place = ({ node, name, said, away }, left) => {
      const shown = left ? partWay(said, away, left, SIZES.has(name) ? 0 : -Infinity) : said;
      if (name !== "place") node.setAttribute(name, shown);
      else node.style.translate = left ? away.map((v) => `${(left * v).toFixed(1)}px`).join(" ") : "";
      if (left) ways.set(node, { ...ways.get(node), [name]: { said, shown } });
      else ways.delete(node);
    };
    // The first drawing tells how far each mark is away; later ones find their marks again.
    const start = (journey, panel) => {
      const marks = marksOf(panel, ways),
        from = matched(journey.marks, marks);
      if (!journey.away) {
        const far = (mark, name, i) => between(journey.marks[from[i]].shown[name] ?? "", mark.said[name]);
        journey.away = marks.map((mark, i) =>
          from[i] < 0 ? {} : Object.fromEntries(Object.keys(mark.said).map((name) => [name, far(mark, name, i)])),
        );
        journey.marks = marks;
        from.forEach((_, i) => (from[i] = i));
      }
      journey.drawn = panel.kitDrawn;
      journey.moving = marks.flatMap(({ node, said }, i) =>
        Object.entries(said).flatMap(([name, value]) => {
          const away = journey.away[from[i]]?.[name];
          if (away?.length === value.match(NUMBERS)?.length) return [{ node, name, said: value, away }];
          return ways.get(node)?.[name] ? [{ node, name, said: value, away: [] }] : []; // left behind on another way
        }),
      );
    };
    return {
      begin() {
        journeys.clear();
        for (const panel of panels()) journeys.set(panel, { marks: marksOf(panel, ways) });
      },
      go(left) {
        for (const [panel, journey] of journeys) {
          if (journey.drawn !== panel.kitDrawn) start(journey, panel);
          for (const one of journey.moving) place(one, left);
        }
        if (!left) journeys.clear();
      },
    };
  };
})();
