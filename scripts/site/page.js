// What moves on a page without a kernel: the kit's boards and plotly's figures.
(() => {
  "use strict";
  const valuesOf = (place) => JSON.parse(place.querySelector('script[type="application/json"]').textContent);

  // The bytes of a board: a script of the site brings them as text. Pages that are files may load nothing else.
  const buffersOf = async (name) => {
    window.kitBuffers ??= {};
    if (!window.kitBuffers[name])
      await new Promise((come, fail) =>
        document.head.append(
          Object.assign(document.createElement("script"), { src: `assets/${name}`, onload: come, onerror: fail }),
        ),
      );
    return window.kitBuffers[name].map(
      (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer),
    );
  };

  // A model as anywidget gives it to a front end, with nobody behind it.
  const model = (values) => {
    const listeners = new Map();
    const tell = (event, ...what) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...what));
    const self = {
      get: (name) => values[name],
      set(name, value) {
        if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
        values[name] = value;
        tell(`change:${name}`, self, value);
        tell("change", self);
      },
      on(events, listener) {
        for (const event of events.split(" ")) listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      },
      off(events, listener) {
        if (!events) return listeners.clear();
        for (const event of events.split(" ")) {
          if (listener) listeners.get(event)?.delete(listener);
          else listeners.delete(event);
        }
      },
      save_changes() {}, // `set` has told everybody there is
      send({ kit }) {
        if (kit !== "buffers") return;
        buffersOf(values.buffers).then(
          (buffers) => tell("msg:custom", { kit }, buffers),
          () => tell("msg:custom", { kit, error: "The encoders could not be loaded: all the rest works." }, []),
        );
      },
    };
    return self;
  };

  // A module is imported once, however many boards use it. Blobs work where pages are files, too.
  const modules = new Map();
  const load = (name) => {
    if (!modules.has(name)) {
      const { esm, css } = window.kitModules[name];
      document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
      const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
      modules.set(
        name,
        import(address).then(async ({ default: made }) => (typeof made === "function" ? made() : made)),
      );
    }
    return modules.get(name);
  };

  const showBoard = async (place) => {
    const sentence = place.querySelector(".stand-in");
    const el = place.appendChild(document.createElement("div"));
    try {
      const widget = await load(place.dataset.module),
        ours = model(valuesOf(place));
      await widget.initialize?.({ model: ours });
      await widget.render({ model: ours, el });
      sentence.hidden = true;
    } catch (problem) {
      el.replaceChildren();
      console.error(`The board ${place.dataset.module} was not drawn:`, problem);
    }
  };

  // plotly.js is large: nothing else on the page waits for it.
  const plotly = () =>
    window.Plotly ??
    new Promise((come) =>
      document.querySelector('script[src$="plotly.min.js"]').addEventListener("load", () => come(window.Plotly)),
    );

  // Plots speak the page's type and take its colours; panels that would be too narrow stand below one another.
  const NARROW = 230; // pixels that a panel needs beside the margin on its right
  const dressed = (layout, data, width, print) => {
    const page = getComputedStyle(document.documentElement),
      colour = (name) => page.getPropertyValue(`--${name}`).trim();
    const axes = Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key));
    const { width: fixed, ...rest } = layout; // as wide as the page lets it be
    const small = width < 480,
      ink = print ? "#000000" : colour("ink"),
      line = print ? "#ccc" : colour("line"),
      right = layout.margin?.r ?? 20;
    const changes = {
      ...rest,
      autosize: true,
      font: { ...layout.font, family: colour("sans"), color: ink, size: small ? 11 : 13 },
      margin: { ...layout.margin, ...(small ? { l: 44, r: right > 20 ? right * 0.85 : 10 } : {}) },
      hoverlabel: { ...layout.hoverlabel, font: { family: colour("sans"), size: 13 } },
    };
    for (const key of axes) changes[key] = { ...layout[key], gridcolor: line, zerolinecolor: line, automargin: true };
    changes.annotations = layout.annotations?.map((note) =>
      note.font?.color ? { ...note, font: { ...note.font, color: legible(note.font.color, ink) } } : note,
    );
    if (small && layout.coloraxis?.colorbar)
      changes.coloraxis = { ...layout.coloraxis, colorbar: { ...layout.coloraxis.colorbar, thickness: 8, title: "" } };
    const drawn = new Set(data.map((trace) => (trace.xaxis ?? "x").replace("x", "xaxis")));
    return stacked(
      changes,
      axes.filter((key) => drawn.has(key)),
      width,
    );
  };

  // A name in the colour of its line, drawn to the page's ink until it reads on the page's paper. Both are #rrggbb.
  const legible = (colour, ink) => {
    const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const inks = parts(ink);
    return `rgb(${parts(colour).map((part, k) => Math.round(0.7 * part + 0.3 * inks[k]))})`;
  };

  // across: the horizontal axes of panels in which something is drawn.
  const stacked = (layout, across, width) => {
    const columns = new Set(across.map((key) => layout[key].domain?.[0])).size;
    if (columns < 2 || width / columns >= NARROW + (layout.margin.r ?? 20)) return layout;
    const domains = across.map((key) => layout[key].domain),
      titles = across.map((key) => layout[key].title?.text ?? ""),
      shared = titles.every((title) => title === titles[0]);
    const named = layout.annotations?.some((note) => note.yref !== "paper"); // beside lines, at measured heights
    const { t = 50, b = 50 } = layout.margin,
      [low, high] = layout.yaxis.domain ?? [0, 1],
      panel = ((layout.height || 450) - t - b) * (high - low) * (named ? 1 : 0.85),
      gap = shared ? 40 : 70, // pixels, with the ticks and titles of the axis
      all = across.length * (panel + gap) - gap;
    const topOf = (k) => 1 - (k * (panel + gap)) / all;
    across.forEach((key, k) => {
      layout[key] = { ...layout[key], domain: [0, 1] };
      // What all panels have in common is written under the last.
      if (k < across.length - 1 && shared) Object.assign(layout[key], { title: "", showticklabels: false });
      const y = `y${key.slice(1)}`;
      // Below one another, each has names of its own.
      layout[y] = { ...layout[y], domain: [Math.max(0, topOf(k) - panel / all), topOf(k)], showticklabels: true };
    });
    // A panel's title stands over its middle.
    layout.annotations = layout.annotations?.map((note) => {
      const k = domains.findIndex(([from, to]) => note.xref === "paper" && note.x >= from && note.x <= to);
      if (k < 0 || note.yref !== "paper" || note.y < 0.99) return note;
      return { ...note, x: 0.5, y: topOf(k) };
    });
    layout.height = all + t + b;
    return layout;
  };

  const drawFigure = async (place) => {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "yes";
    const Plotly = await plotly();
    const { data, layout = {}, frames } = valuesOf(place);
    const more = window.matchMedia("(pointer: coarse)").matches ? { dragmode: false } : {}; // a finger scrolls the page
    const plot = place.appendChild(document.createElement("div"));
    const shape = (print) => {
      const drawn = dressed(structuredClone(layout), data, print ? PAPER : place.clientWidth, print);
      place.style.height = `${drawn.height || 450}px`;
      return { ...drawn, ...more, ...(print ? { width: PAPER, autosize: false } : {}) };
    };
    // Anew each time: margins that plotly has once pushed out do not come back.
    const again = async (print = false) => {
      Plotly.purge(plot);
      await Plotly.newPlot(plot, { data, frames, layout: shape(print), config: { displayModeBar: false } });
      const cut = overhang(plot);
      if (cut > 0) await Plotly.relayout(plot, { "margin.r": plot._fullLayout.margin.r + cut });
      place.dataset.wide = print ? PAPER : place.clientWidth;
    };
    await again();
    plot.setAttribute("role", "img");
    nameOf(place, plot);
    let wide = place.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(place.clientWidth - wide) < 2 || printing) return;
      wide = place.clientWidth;
      again();
    }).observe(place);
    redraws.push(again);
  };

  // By how many pixels names beside lines are cut on the right: a reader's own style may space their letters.
  const overhang = (plot) => {
    const edge = plot.getBoundingClientRect().right;
    const names = [...plot.querySelectorAll(".annotation-text")].map((name) => name.getBoundingClientRect().right);
    return Math.ceil(Math.max(edge, ...names) - edge);
  };

  const PAPER = 640; // pixels across an A4 page
  const redraws = [];
  let printing = false;

  // The sentence under a plot says what it shows.
  const nameOf = (place, plot) => {
    const said = place.closest(".output_area")?.nextElementSibling?.querySelector(".kit-caption");
    const words = said ?? place.parentElement.querySelector(".kit-caption");
    if (!words) return plot.setAttribute("aria-label", "plot");
    words.id ||= `said-${document.querySelectorAll("[id^=said-]").length}`;
    plot.setAttribute("aria-labelledby", words.id);
  };

  const start = () => {
    document.querySelectorAll(".board").forEach(showBoard);
    const figures = [...document.querySelectorAll(".figure")];
    const near = new IntersectionObserver(
      (seen) => {
        for (const { isIntersecting, target } of seen) if (isIntersecting) drawFigure(target);
      },
      { rootMargin: "800px" },
    );
    figures.forEach((figure) => near.observe(figure));
    const redraw = () => redraws.forEach((again) => again(printing));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    const spaced = () => getComputedStyle(document.body).letterSpacing;
    let spacing = spaced(); // a reader may set it at any time, and the page grows
    new ResizeObserver(() => {
      if (spaced() === spacing) return;
      spacing = spaced();
      redraw();
    }).observe(document.body);
    let opened = []; // for the paper alone
    window.addEventListener("afterprint", () => {
      printing = false;
      redraw();
      opened.forEach((fold) => (fold.open = false));
      opened = [];
    });
    window.addEventListener("beforeprint", () => {
      printing = true;
      figures.forEach(drawFigure);
      redraw();
      opened.push(...document.querySelectorAll("details:is(.source, .answered):not([open])"));
      opened.forEach((fold) => (fold.open = true));
    });
    followReading();
  };

  // Marks in the contents the section that is being read.
  const followReading = () => {
    const links = [...document.querySelectorAll("aside.contents a")];
    const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const mark = () => {
      const at = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < window.innerHeight / 3);
      links.forEach((link) => link.removeAttribute("aria-current"));
      links[at]?.setAttribute("aria-current", "true");
    };
    if (links.length) window.addEventListener("scroll", mark, { passive: true });
    mark();
  };

  start(); // this script stands last
})();
