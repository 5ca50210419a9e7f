"""What `look` found in data of one's own: for the screen, as JSON and as a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.errors import KitError, check_name, printable
from kit.evaluation.tables import table
from kit.figures.own_data_figures import lengths_summary
from kit.owndata.minhash import LEAST
from kit.owndata.own_data import OwnData
from kit.owndata.own_validation import own_task


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for: how many, of how many, rows or texts to look at, and what to do about it."""

    what: str
    count: float
    of: int
    examples: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def share(self) -> float:
        return self.count / max(1, self.of)


@dataclass(frozen=True)
class Look:
    """What `look` found. `table()` and `str` for the screen, `as_dict()` for JSON, `figure()` for the lengths.

    lengths: role → word pieces of each text; limit: how many the encoder reads. least: near-duplicates share so many
    of their words; twins: for each text that has one, the similarity of the nearest that is listed. together: the
    chance that two random rows belong together, estimated where too many are alike; None where rows are no pairs.
    """

    data: OwnData
    findings: list[Finding]
    lengths: dict[str, list[int]]
    limit: int
    writing: dict[str, float]
    balance: dict[str, float]
    least: float = LEAST
    twins: tuple[float, ...] = ()
    together: float | None = None

    def __getitem__(self, what: str) -> Finding:
        found = {finding.what: finding for finding in self.findings}
        check_name("finding", what, found)
        return found[what]

    def table(self, style: str = "text") -> str:
        """Rows of what, how many, share."""
        rows = [("looked for", "found", "of", "share")]
        for f in self.findings:
            count = f"{f.count:,}" if isinstance(f.count, int) else f"{f.count:,.2f}"
            rows.append((f.what, count, f"{f.of:,}", f"{f.share:.1%}"))
        return table(rows, style)

    def __str__(self) -> str:
        lines = [self.data.summary(), self.table()]
        for f in self.findings:
            if f.count and (f.examples or f.remedy):
                lines.append(f"{f.what}: {'; '.join(f.examples)}." if f.examples else f"{f.what}:")
            if f.count and f.remedy:
                lines.append(f"  → {f.remedy}")
        lines.append(
            "Scripts: " + ", ".join(f"{name.lower()} {share:.0%}" for name, share in self.writing.items()) + "."
        )
        if self.balance:
            lines.append(self._balance_in_words())
        lines += filter(None, [self.best_precision])
        return printable("\n".join([*lines, self.lengths_in_words()]))

    @property
    def best_precision(self) -> str:
        """The best possible precision@10 of texts with a class where it is below 100; "" for other data."""
        if self.data.kind != "classes" or len(set(self.data["text"])) < 2:
            return ""
        try:
            bound = own_task(self.data).best_in_words(10)
        except KitError:  # of no class there are two texts, only copies
            return ""
        return bound and f"Judged on all these texts, {bound}; on a part of them it is usually lower."

    def _balance_in_words(self) -> str:
        if self.data.kind == "scored":
            return "Scores, read as 0 to 1: " + ", ".join(f"{k} {v:.2f}" for k, v in self.balance.items()) + "."
        return "Classes: " + ", ".join(f"{k} {v:.1%}" for k, v in self.balance.items()) + "."

    def lengths_in_words(self) -> str:
        """What the figure shows."""
        return lengths_summary(self.lengths, self.limit)

    def figure(self) -> Any:
        """Lengths in word pieces beside what the encoder reads, as a `CaptionedFigure`."""
        from kit.figures.own_data_figures import lengths_figure

        return lengths_figure(self.lengths, self.limit)

    def as_dict(self) -> dict:
        """Ready for `json.dumps`."""
        lengths = {
            role: {"median": float(np.median(own)), "longest": max(own), "cut": sum(n > self.limit for n in own)}
            for role, own in self.lengths.items()
        }
        return {
            "name": self.data.name, "kind": self.data.kind, "rows": len(self.data), "read_as": self.data.summary(),
            "findings": [{**vars(f), "share": f.share} for f in self.findings],
            "lengths": lengths, "limit": self.limit, "scripts": self.writing, "balance": self.balance,
            "best_precision": self.best_precision,
        }  # fmt: skip
