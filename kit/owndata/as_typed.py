"""Columns by their roles as one types them in a command."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote


def option(role: str, columns: str | list[str]) -> str:
    """ "--label topic", quoted for a shell; a name that begins as an option does is joined by "="."""
    columns = [columns] if isinstance(columns, str) else columns
    joint = "=" if any(column.startswith("-") for column in columns) else " "  # else taken for another option
    return f"--{role}{joint}{' '.join(map(quote, columns))}"


def options(roles: Mapping[str, str | list[str] | None]) -> str:
    """The options of all roles that have a column, each after a space."""
    return "".join(f" {option(role, columns)}" for role, columns in roles.items() if columns)
