"""The four papers: their printed figures, an auditor of their tables, their claims, and the replication scoreboard.

Also vendors' specifications of GPUs, and an estimate of training on a billion pairs from them.
"""

from __future__ import annotations

from kit.course.papers.claims import CLAIMS, Claim, Part, claim
from kit.course.papers.published import PublishedFigure, Row, bounds, find, read_published, rows_of
from kit.course.papers.rule import Effect, effect_of, verdict, weakest
from kit.course.papers.scoreboard import Entry, read_scoreboard, summary
from kit.course.papers.table_audit import Finding, audit, recompute

__all__ = [
    "CLAIMS",
    "Claim",
    "Effect",
    "Entry",
    "PublishedFigure",
    "Finding",
    "Part",
    "Row",
    "audit",
    "bounds",
    "claim",
    "effect_of",
    "find",
    "read_published",
    "read_scoreboard",
    "recompute",
    "rows_of",
    "summary",
    "verdict",
    "weakest",
]
