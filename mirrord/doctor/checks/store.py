"""The store: who may connect."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from mirrord.doctor.checks.places import mend
from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning


def whole(facts: Facts) -> Iterator[Row]:
    """SQLite finds it whole, and this version knows its format."""
    found = facts.store
    if found is None:
        return
    about, path = "Store", str(found.path)
    if found.format is None:
        yield neutral("store", about, "there is none yet; the first daemon makes it")
    elif found.blocked:
        yield problem("store", about, f"{path} cannot be opened: {found.problem}", _opening(facts))
    elif found.problem is not None:
        words = f"{path} cannot be read: {found.problem}"
        yield problem("store", about, words, "mirrord restart (it sets the store aside, and devices pair again)")
    elif found.format > found.known_format:
        words = f"{path} was written by a newer mirrord (format {found.format}, this one knows {found.known_format})"
        yield problem("store", about, words, "upgrade mirrord")
    else:
        yield ok("store", about, f"format {found.format}, {found.size // 1024} KiB, whole")
    if found.set_aside:
        words = f"an earlier store could not be used and lies at {found.set_aside[-1]}"
        yield warning("store-aside", about, words, f"when it is of no use any more: {shlex.join(('rm', *found.set_aside))}")


def _opening(facts: Facts) -> str:
    """What helps where the file itself may be whole: nothing sets it aside then, and no daemon starts."""
    names = ("state folder", "store")
    mended = (mend(facts, place) for place in facts.places or () if place.name in names and place.kind is not None)
    return next(
        (fix for found in mended if found is not None for fix in (found[1],)), "mend the disk (df and dmesg say more), then start again"
    )
