"""Folders and sockets: ours alone."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterator

from bridge.paths import socket_path_limit
from mirrord.doctor.facts import DATA_FOLDER, Facts, PlaceFound
from mirrord.doctor.row import Row, neutral, ok, problem

_OTHERS = 0o077
_OTHERS_WRITE = 0o022


def folders(facts: Facts) -> Iterator[Row]:
    """Every folder is a directory of this user that nobody else can enter, and the sockets' paths are short enough.

    The data folder may be looked into: mirrord asks no more of it, and somebody who keeps it elsewhere made that directory by themselves.
    """
    longest = max(len(os.fsencode(path)) for path in (facts.paths.control_socket, facts.paths.bridge_socket, facts.paths.screen_socket))
    if longest > socket_path_limit(sys.platform):
        words = f"a socket's path has {longest} bytes, {socket_path_limit(sys.platform)} are allowed"
        yield problem("places", "Folders", words, "set XDG_RUNTIME_DIR to a shorter path")
        return
    yield from _judged(facts, "places", "Folders", [place for place in facts.places or () if place.name.endswith("folder")], "directory")


def private(facts: Facts) -> Iterator[Row]:
    """Sockets and files in them can be used by this user alone."""
    found = [place for place in facts.places or () if not place.name.endswith("folder")]
    yield from _judged(facts, "private", "Sockets, store and log", found, None)


def _judged(facts: Facts, id_: str, about: str, places: list[PlaceFound], kind: str | None) -> Iterator[Row]:
    there = [place for place in places if place.kind is not None]
    wrong = [row for place in there if (row := _wrong(facts, id_, place, kind)) is not None]
    if facts.places is None:
        return
    if wrong:
        yield from wrong
    elif there:
        seen = any(place.mode & _OTHERS for place in there)
        yield ok(id_, about, "yours; others may look into the data folder, in which nothing is secret" if seen else "yours alone")
    else:
        yield neutral(id_, about, "there are none yet")


def mend(facts: Facts, place: PlaceFound) -> tuple[str, str] | None:
    """What keeps this user from it, or lets others in, and the command that mends that; None when all is well."""
    path = shlex.quote(str(place.path))
    if place.uid != facts.uid:
        return f"belongs to user {place.uid}, not to you", f"{_taking(place, facts.uid)} {path}"
    unwanted, taken_away = (_OTHERS_WRITE, "go-w") if place.name == DATA_FOLDER else (_OTHERS, "go=")
    if place.mode & unwanted:
        return f"is open to other users (mode {place.mode:04o})", f"chmod {taken_away} {path}"
    wanted, letters = (stat.S_IRWXU, "rwx") if place.kind == "directory" else (stat.S_IRUSR | stat.S_IWUSR, "rw")
    if place.mode & wanted != wanted:
        return f"cannot be used by you (mode {place.mode:04o})", f"chmod u+{letters} {path}"
    if not place.writable:
        return "cannot be written, though its mode allows it", f"see whether its file system is read-only: findmnt -T {path}"
    return None


def _taking(place: PlaceFound, uid: int) -> str:
    """Sockets and their folder are made anew at each start; everything else is kept, and all pairings are in it."""
    if place.name == "runtime folder" or place.name.endswith("socket"):
        return "sudo rm -r"
    return f"sudo chown -R {uid}" if place.kind == "directory" else f"sudo chown {uid}"


def _wrong(facts: Facts, id_: str, place: PlaceFound, kind: str | None) -> Row | None:
    path, about = str(place.path), place.name.capitalize()
    wanted = kind or ("socket" if place.name.endswith("socket") else "file")
    if place.kind != wanted:
        return problem(id_, about, f"{path} is a {place.kind}, not a {wanted}", f"move it away: {shlex.join(('mv', path, f'{path}.old'))}")
    found = mend(facts, place)
    return None if found is None else problem(id_, about, f"{path} {found[0]}", found[1])
