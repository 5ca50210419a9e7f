// That an encoder cannot read what was typed, as in another script than its own: else its cosines are believed.
// The same in Python: kit/boards/unknown_words.py.

// Whether most words of a text are unknown: of word pieces a word has one that begins it.
const isUnknown = (pieces) => {
  const words = pieces.filter((piece) => !piece.startsWith("##") && /[\p{L}\p{N}]/u.test(piece));
  return 2 * words.filter((word) => word === "[UNK]").length > words.length;
};

const whose = (unknown) => {
  if (unknown.length === 2)
    return unknown.every(Boolean) ? "both sentences" : `the ${unknown[0] ? "first" : "second"} sentence`;
  if (unknown.every(Boolean)) return `all ${unknown.length} sentences`;
  const places = unknown.flatMap((one, i) => (one ? [i + 1] : [])),
    last = places.pop();
  return places.length ? `sentences ${places.join(", ")} and ${last}` : `sentence ${last}`;
};

// For a headline, and for a caption; "" where no text is unknown to the `readers`, as "these encoders".
const strange = (unknown, readers) =>
  unknown.includes(true) ? `Most words of ${whose(unknown)} are unknown to ${readers}` : "";
const unknownWords = (unknown, readers) =>
  unknown.includes(true) ? ` ${strange(unknown, readers)}: cosines tell nothing of what is meant.` : "";
