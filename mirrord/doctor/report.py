"""Rows as lines for people and as data. Pure."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from mirrord.doctor.row import Health, Row
from mirrord.words.colour import Paint, painted

_SIGNS: Final[dict[Health, tuple[str, Paint]]] = {
    Health.OK: ("ok", "good"),
    Health.WARNING: ("warning", "warn"),
    Health.PROBLEM: ("PROBLEM", "bad"),
    Health.NEUTRAL: ("-", "dim"),
}
"""Words, since colours alone say nothing to many."""

_SIGN_COLUMNS: Final = 9
_LEAST_COLUMNS: Final = 40


def lines(rows: Sequence[Row], columns: int, coloured: bool) -> Iterator[str]:
    """A paragraph a row, then a sum."""
    width = max(columns, _LEAST_COLUMNS)
    for row in rows:
        word, paint = _SIGNS[row.health]
        first, *rest = _wrapped(f"{row.about}: {row.found}", width, _SIGN_COLUMNS)
        sign = painted(word, paint, coloured) + " " * (_SIGN_COLUMNS - len(word))
        text = first[_SIGN_COLUMNS:]
        yield sign + (painted(text, "dim", coloured) if row.health is Health.NEUTRAL else text)
        yield from rest
        if row.fix is not None and row.health is not Health.OK:
            yield from (painted(line, "dim", coloured) for line in _wrapped(f"→ {row.fix}", width, _SIGN_COLUMNS))
    yield ""
    yield from _wrapped(_sum(rows), width, 0)


def as_object(rows: Sequence[Row]) -> dict[str, Any]:
    """What `mirrord doctor --json` prints."""
    listed = [{"id": row.id, "about": row.about, "status": row.health.value, "found": row.found, "fix": row.fix} for row in rows]
    return {"ok": not has_problem(rows), "rows": listed}


def has_problem(rows: Sequence[Row]) -> bool:
    """Whether something does not work."""
    return any(row.health is Health.PROBLEM for row in rows)


def _sum(rows: Sequence[Row]) -> str:
    counted = Counter(row.health for row in rows)
    problems, warnings = counted[Health.PROBLEM], counted[Health.WARNING]
    if not problems and not warnings:
        return "Nothing is wrong."
    parts = [f"{count} {word}{'s' if count > 1 else ''}" for count, word in ((problems, "problem"), (warnings, "warning")) if count]
    return f"{' and '.join(parts)}; each with what helps."


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    space = " " * indent
    return textwrap.wrap(text, width, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)
