"""The four papers: their printed figures, an auditor of their tables, their claims, and how those fared.

Beside them: what makers publish of their machines, and what follows from it for a billion pairs.
"""

from __future__ import annotations

from kit.course.papers.audit import Finding, audit, recompute
from kit.course.papers.claims import CLAIMS, Claim, Part, claim
from kit.course.papers.published import PublishedFigure, Row, bounds, find, read_published, rows_of
from kit.course.papers.rule import Effect, effect_of, verdict, weakest
from kit.course.papers.scoreboard import Entry, read_scoreboard, summary

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
