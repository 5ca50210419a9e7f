"""Small parts of a rendered card: a figure or "not measured", a Markdown table, sources with licences."""

from __future__ import annotations


def of(figures: dict | None, *keys: str, form: str = "") -> str:
    """The figure under nested `keys`, formatted; "not measured" where it is missing.

    >>> of({"a": {"b": 0.25}}, "a", "b", form=".0%"), of({}, "a")
    ('25 %', 'not measured')
    """
    for key in keys:
        figures = figures.get(key) if isinstance(figures, dict) else None
    if figures is None:
        return "not measured"
    return format(figures, form).replace("%", " %")


def share(part: int, whole: int) -> str:
    """A share in %, with two digits for the small ones."""
    return f"{100 * part / whole:.2f} %" if whole else "not measured"


def table(head: list[str], rows: list[tuple]) -> str:
    """A Markdown table; figures to the right."""

    def is_figure(cell: str) -> bool:
        return cell[:1].isdigit() or cell[:1] in "+-−" or cell == "not measured"

    right = [bool(rows) and i > 0 and all(is_figure(row[i]) for row in rows) for i in range(len(head))]
    lines = [head, ["--:" if r else "---" for r in right], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def sources_of(pieces: dict[str, int], known: list[dict]) -> list[dict]:
    """One entry for each known source in `pieces` (word pieces by name in the text), in the order of `known`.

    A name in the text may add a part to the known name: "Standard Ebooks: a book", "a
    textbook (image descriptions)". Names that nobody knows come last, with what is missing said.
    """
    names = sorted((entry["source"] for entry in known), key=len, reverse=True)
    totals: dict[str, int] = {}
    for name, count in pieces.items():
        match = next((n for n in names if name == n or name.startswith((f"{n}: ", f"{n} ("))), name)
        totals[match] = totals.get(match, 0) + count
    found = [{**entry, "pieces": totals.pop(entry["source"])} for entry in known if entry["source"] in totals]
    return found + [
        {
            "source": name,
            "file": None,
            "attribution": "not recorded",
            "licence": "not recorded",
            "documents": None,
            "pieces": count,
        }
        for name, count in totals.items()
    ]
