"""The extension: in Pi's settings, of this version, and loaded once."""

from __future__ import annotations

from collections.abc import Iterator

from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning

_INSTALL = "mirrord extension install"


def settings(facts: Facts) -> Iterator[Row]:
    """Pi loads it in every session."""
    found = facts.extension
    if found is None:
        return
    about, where = "Extension, in Pi's settings", str(found.settings)
    match found.listed:
        case "installed":
            yield ok("extension", about, f"{where} loads it")
        case "outdated":
            yield problem("extension", about, f"{where} loads a file of an older mirrord", _INSTALL)
        case "absent":
            yield warning("extension", about, f"{where} does not load it, so only a Pi that `mirrord pi` starts is mirrored", _INSTALL)
        case _:
            yield problem("extension", about, found.problem or f"{where} cannot be read", None)


def copy(facts: Facts) -> Iterator[Row]:
    """What Pi loads is what this mirrord brings."""
    found = facts.extension
    if found is None:
        return
    about = "Extension, the copy that Pi loads"
    if not found.copied:
        if found.listed == "installed":
            yield problem("extension-copy", about, f"there is no {found.entry}, which Pi is told to load", _INSTALL)
        else:
            yield neutral("extension-copy", about, "there is none yet; `mirrord pi` makes it")
    elif found.differing:
        names = ", ".join(found.differing[:3]) + (" and others" if len(found.differing) > 3 else "")
        if found.listed == "absent":
            # Only `mirrord pi` loads it, and makes it anew first. To install it would mirror every Pi, which nobody here chose.
            yield neutral("extension-copy", about, f"it is older than this version ({names}); the next `mirrord pi` brings it up to date")
        else:
            yield problem("extension-copy", about, f"it is not of this version ({names})", f"{_INSTALL}, then /reload in each Pi")
    else:
        yield ok("extension-copy", about, "it is of this version")


def once(facts: Facts) -> Iterator[Row]:
    """Nothing else has Pi load it a second time."""
    found = facts.extension
    if found is None:
        return
    about = "Extension, loaded once"
    if not found.others:
        yield ok("extension-once", about, "nothing else loads it")
        return
    places = "; ".join(found.others[:3])
    yield problem("extension-once", about, f"a Pi in this folder loads it from elsewhere too: {places}", "remove those entries")
