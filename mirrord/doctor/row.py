"""What a check says: one row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Health(Enum):
    """How it stands, by the word that `--json` prints. NEUTRAL: it cannot apply here, or nothing is known yet."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Row:
    """`about` is what was looked at, `found` one sentence without a full stop, `fix` a command or what else helps."""

    id: str
    about: str
    health: Health
    found: str
    fix: str | None = None


def ok(id_: str, about: str, found: str) -> Row:
    """As it should be."""
    return Row(id_, about, Health.OK, found)


def neutral(id_: str, about: str, found: str, fix: str | None = None) -> Row:
    """Nothing to judge."""
    return Row(id_, about, Health.NEUTRAL, found, fix)


def warning(id_: str, about: str, found: str, fix: str | None = None) -> Row:
    """It works, and not as it might."""
    return Row(id_, about, Health.WARNING, found, fix)


def problem(id_: str, about: str, found: str, fix: str | None) -> Row:
    """It does not work."""
    return Row(id_, about, Health.PROBLEM, found, fix)
