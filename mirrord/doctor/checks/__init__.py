"""Judgements over what was found: each check takes all facts and says rows. Pure, and in the order in which they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from mirrord.client.clean import one_line
from mirrord.doctor.checks import config, daemon, extension, machine, pi, places, service, store, versions
from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, warning

Check = Callable[[Facts], Iterator[Row]]

CHECKS: Final[tuple[Check, ...]] = (
    pi.program,
    pi.capabilities,
    extension.settings,
    extension.copy,
    extension.once,
    daemon.lock,
    daemon.answers,
    daemon.port,
    versions.daemon,
    versions.extensions,
    places.folders,
    places.private,
    store.whole,
    service.installed,
    service.at_login,
    config.file,
    machine.clock,
    machine.zone,
    machine.around,
    machine.terminal,
)


def judge(facts: Facts) -> list[Row]:
    """Every row, its texts cleaned: they hold names and sentences of others. What was not found out in time is a row of its own."""
    rows = [_clean(row) for check in CHECKS for row in check(facts)]
    return rows + [
        warning("late", name, "it could not be looked at in time", "try again when this machine is less busy") for name in facts.late
    ]


def _clean(row: Row) -> Row:
    return replace(row, about=one_line(row.about), found=one_line(row.found), fix=None if row.fix is None else one_line(row.fix))
