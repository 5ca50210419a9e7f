// What moves on a page without a kernel: the kit's boards and plotly's figures.
(() => {
  "use strict";
  const valuesOf = (place) => JSON.parse(place.querySelector('script[type="application/json"]').textContent);

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
      send() {},
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

  const drawFigure = async (place) => {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "yes";
    const Plotly = await plotly();
    const { data, layout = {}, frames } = valuesOf(place);
    const { width, ...rest } = layout; // as wide as the page lets it be
    const changes = { autosize: true };
    if (window.matchMedia("(pointer: coarse)").matches) changes.dragmode = false; // a finger scrolls the page
    if (place.clientWidth < 480) {
      changes.font = { ...layout.font, size: 10 };
      changes.margin = { ...layout.margin, l: 40, r: 10 };
    }
    Plotly.newPlot(place.appendChild(document.createElement("div")), {
      data,
      frames,
      layout: { ...rest, ...changes },
      config: { responsive: true, displayModeBar: false },
    });
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
    window.addEventListener("beforeprint", () => {
      figures.forEach(drawFigure);
      document.querySelectorAll("details.source").forEach((source) => {
        source.open = true;
      });
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
