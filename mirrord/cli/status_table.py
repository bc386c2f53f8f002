"""The daemon's status as lines for people. Pure; every text is cleaned, and every line fits the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

from mirrord.attach.view import SHORT_STATES, session_title
from mirrord.client.clean import one_line
from mirrord.client.replies import DaemonStatus, IdleExit, Moved
from mirrord.wire.messages import Session
from mirrord.words.capabilities import capability_lines
from mirrord.words.colour import painted
from mirrord.words.columns import columns
from mirrord.words.durations import duration
from sanitize import label

COLUMNS: Final = 80
"""Where nothing is known of the terminal."""

LEAST_COLUMNS: Final = 60
"""In fewer, words would be cut to nothing; the terminal then wraps lines."""

LEAST_NAME: Final = 8


_SOURCES: Final = {"pi": "Pi", "daemon": "mirrord", "screen": "its screen"}

_COUNTERS: Final = {
    "gateRefused": "refused at the gate",
    "clientsEvicted": "devices cut that did not read",
    "notificationsDropped": "notifications dropped",
    "memoryGivenWay": "parts of sessions let go for want of room",
    "linksBroken": "links broken",
    "unknownMessages": "unknown messages",
}

_MIB: Final = 1024 * 1024


def table(status: DaemonStatus, now: int, width: int = COLUMNS, coloured: bool = False) -> Iterator[str]:
    """Daemon, what moved last, sessions, devices, and what is wrong; `now` in ms since the epoch."""
    width = max(width, LEAST_COLUMNS)
    living = [session for session in status.sessions if session.status.state != "ended"]
    started = ", started by the service manager" if status.managed else ""
    yield painted(f"mirrord {one_line(status.version)}, pid {status.pid}, up {duration(status.uptime)}{started}", "bold", coloured)
    for name, text in _head(status, living, now):
        yield from _entry(name, text, width)
    yield ""
    if living:
        rows = [("SESSION", "NAME", "STATE", "SINCE", "SAID BY", "PROMPTS"), *(_session_row(each, now) for each in living)]
        yield from _coloured(rows, list(columns(_fitting(rows, width))), coloured)
    else:
        yield "No session. Start one with `mirrord pi`."
    for session in living:
        for line in (*capability_lines(session.capabilities), *map(one_line, session.notices)):
            yield from _wrapped(f"{one_line(session.session_id)}{_pi(session)}: {line}", width, "  ", "    ")
    yield ""
    clients = [tuple(map(one_line, (c.name, c.kind, c.role, c.credential))) for c in status.clients]
    yield from columns(_fitting([("CLIENT", "KIND", "ROLE", "CREDENTIAL"), *clients], width, shrink=(3, 0)))
    for link in status.links:
        if link.refused is not None:
            yield from _wrapped(f"The extension in Pi {link.pid or '?'} was refused: {one_line(link.refused)}", width)


def _head(status: DaemonStatus, living: Sequence[Session], now: int) -> Iterator[tuple[str, str]]:
    yield "address", one_line(status.url)
    yield "socket", one_line(status.socket)
    yield "moved", _moved(status.moved, now)
    waiting = sum(session.open_prompts for session in living)
    yield "prompts", f"{waiting} waiting" if waiting else "none waits"
    memory = status.memory
    if memory.rss:
        kinds = ", ".join(f"{_bytes(size)} {kind}" for kind, size in memory.held.items() if size)
        together = f", {_bytes(memory.most_of_sessions)} all sessions together" if memory.most_of_sessions else ""
        bounds = f"at most {_bytes(memory.most_per_session)} a session{together}, {_bytes(memory.most_per_client)} a device"
        yield "memory", f"{_bytes(memory.rss)}; held: {kinds or 'nothing'} ({bounds})"
    if status.store is not None:
        store = status.store
        oldest = f", the oldest {duration((now - store.oldest_receipt_at) / 1000)} old" if store.oldest_receipt_at is not None else ""
        yield "store", f"{_count(store.devices, 'device')}, {_count(store.receipts, 'receipt')}{oldest}, {_bytes(store.bytes)}"
        if store.took_the_place_of is not None:
            yield "", f"a store that could not be used lies at {one_line(store.took_the_place_of)}; devices have to pair again"
        earlier = [path for path in store.set_aside if path != store.took_the_place_of]
        if earlier:
            yield "", f"set aside earlier: {', '.join(map(one_line, earlier))}"
    if status.retention is not None:
        kept = status.retention
        over = f"at most {_bytes(kept.bytes)} of receipts, and as much of sessions that ended"
        yield "keeps", f"what is over for {_count(kept.days, 'day')}; {over}"
    counted = [f"{count} {_COUNTERS[name]}" for name, count in status.counters.items() if count and name in _COUNTERS]
    if counted:
        yield "counted", ", ".join(counted)
    if status.idle_exit is not None:
        yield "ends", _end(status.idle_exit, now)


def _moved(moved: Moved, now: int) -> str:
    """What moved last is the proof that data moves."""
    flows = (
        ("from Pi", moved.from_terminals),
        ("to Pi", moved.to_terminals),
        ("from devices", moved.from_clients),
        ("to devices", moved.to_clients),
    )
    told = [f"{words} {duration((now - flow.at) / 1000)} ago" for words, flow in flows if flow.at is not None]
    return ", ".join(told) if told else "nothing yet"


def _session_row(session: Session, now: int) -> tuple[str, ...]:
    status = session.status
    return (
        one_line(session.session_id),
        session_title(session),
        SHORT_STATES[status.state] if status.menu is None else f"in Pi's menu {one_line(status.menu)}",
        duration((now - status.since) / 1000),
        _SOURCES[status.source],
        f"{session.open_prompts} waiting" if session.open_prompts else "-",
    )


def _fitting(rows: Sequence[tuple[str, ...]], width: int, shrink: Sequence[int] = (1, 2, 0)) -> list[tuple[str, ...]]:
    """The rows with the columns of `shrink` cut, one after the other, until a line fits."""
    fitted = [list(row) for row in rows]
    for column in shrink:
        widths = [max(max(wcswidth(row[at]), 0) for row in fitted) for at in range(len(fitted[0]))]
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        if excess <= 0:
            break
        room = max(widths[column] - excess, LEAST_NAME)
        for row in fitted:
            row[column] = _cut(row[column], room)
    return [tuple(row) for row in fitted]


def _cut(text: str, room: int) -> str:
    """At most so many columns wide, with a sign where something is left out."""
    if wcswidth(text) <= room:
        return text
    clusters = room - 1
    while clusters > 0 and wcswidth(label(text, clusters).text) >= room:
        clusters -= 1
    return f"{label(text, clusters).text.rstrip('…')}…" if clusters else "…"


def _coloured(rows: Sequence[tuple[str, ...]], lines: Sequence[str], coloured: bool) -> Iterator[str]:
    for row, line in zip(rows, lines, strict=True):
        waits = row[-1].endswith("waiting") or row[2] == SHORT_STATES["waiting"]
        yield painted(line, "warn", coloured and waits) if row is not rows[0] else painted(line, "dim", coloured)


def _entry(name: str, text: str, width: int) -> Iterator[str]:
    yield from _wrapped(text, width, f"  {name:<8} ", " " * 11)


def _wrapped(text: str, width: int, first: str = "", rest: str = "  ") -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def _pi(session: Session) -> str:
    return f" (Pi {one_line(session.pi_version)})" if session.pi_version else ""


def _end(idle: IdleExit, now: int) -> str:
    if idle.at is None:
        return f"{duration(idle.seconds)} after the last session and client"
    return f"in {duration(max(0.0, (idle.at - now) / 1000))}, unless a session or client comes"


def _count(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _bytes(size: int) -> str:
    return f"{size / _MIB:.1f} MiB" if size >= _MIB else f"{size / 1024:.0f} KiB" if size >= 1024 else f"{size} B"
