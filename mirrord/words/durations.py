"""How long something lasts, in words. Pure."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """In its largest unit, rounded down: `5 s`, `3 min`, `2 h`, `9 d`."""
    whole = max(0, int(seconds))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"
