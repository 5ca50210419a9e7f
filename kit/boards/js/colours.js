// Colours of marks and of words. Each name is a variable of board.css, with a value for light pages and one for
// dark: on both at least 3 : 1 against the page, and no two nearer than ΔE 20 (CIELAB) to a reader with deuteranopia
// or protanopia (tests/boards/test_colours.py simulates them).

const palette = (() => {
  const NAMES = ["positive", "negative", "neutral", "before", "after", "contrast", "classify"];
  const COLOURS = Object.fromEntries(NAMES.map((name) => [name, `var(--kit-${name})`]));
  const CYCLE = ["after", "before", "positive", "classify", "contrast", "negative"].map((name) => COLOURS[name]);
  const CIVIDIS = [
    [0, 32, 77],
    [49, 68, 107],
    [102, 105, 112],
    [149, 143, 120],
    [203, 186, 105],
    [255, 233, 69],
  ];

  // A colour of the scale that looks alike to nearly everyone, and the ink to be read on it.
  const cividis = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1),
      i = Math.min(Math.floor(at), CIVIDIS.length - 2);
    const mixed = CIVIDIS[i].map((c, k) => Math.round(c + (at - i) * (CIVIDIS[i + 1][k] - c)));
    return { fill: `rgb(${mixed})`, ink: share > 0.46 ? "#000" : "#fff" };
  };

  // A mark's colour, mixed with that of the text so that it can be read.
  const ink = (colour) => `color-mix(in srgb, ${colour} 55%, currentColor)`;

  // A number (or a word) in the colour of its mark, for the caption under a picture.
  const told = (words, colour) =>
    `<b class="kit-told"${colour ? ` style="color:${ink(colour)};border-color:${colour}"` : ""}>${escaped(words)}</b>`;

  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  return { COLOURS, CYCLE, cividis, ink, told, escape: escaped };
})();
