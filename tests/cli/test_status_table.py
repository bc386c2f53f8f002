"""Promise: what moved last comes first; every line fits the terminal whatever names are like, and colour is for terminals alone."""

from __future__ import annotations

import msgspec
import pytest
from wcwidth import wcswidth

from mirrord.cli.status_table import table
from mirrord.client.replies import ConnectedClient, DaemonStatus, ExtensionLink, Flow, IdleExit, Kept, Memory, Moved, StoreStatus
from mirrord.wire.messages import Session
from mirrord.words.durations import duration
from tests.cli.prompts import session

NOW = 61_001


def status(sessions: tuple[Session, ...] = (), links: tuple[ExtensionLink, ...] = ()) -> DaemonStatus:
    return DaemonStatus(
        "0.1.0",
        7,
        "ws://127.0.0.1:9/v1/ws",
        "/run/control.sock",
        3700.0,
        sessions,
        (ConnectedClient("phone", "web", "controller", "phone"),),
        links,
    )


FULL = msgspec.structs.replace(
    status((session("1-1", name="notes"),)),
    managed=True,
    moved=Moved(from_terminals=Flow(9, 58_000), to_clients=Flow(9, 1_000)),
    memory=Memory(
        58 * 1024 * 1024, {"conversations": 2 * 1024 * 1024, "journals": 0, "prompts": 500}, 4 * 1024 * 1024, 64 * 1024 * 1024, 1024
    ),
    store=StoreStatus(49_152, 2, 1, 1_000, ("/s/mirrord.db.corrupt-0", "/s/mirrord.db.corrupt-1"), "/s/mirrord.db.corrupt-1"),
    retention=Kept(14, 16 * 1024 * 1024),
    counters={"gateRefused": 3, "clientsEvicted": 0},
)


def test_names_of_any_width_are_aligned() -> None:
    rows = list(table(status((session("1-1", name="日本"), session("22-2", name="notes", state="waiting"))), NOW))
    assert rows == [
        "mirrord 0.1.0, pid 7, up 1 h",
        "  address  ws://127.0.0.1:9/v1/ws",
        "  socket   /run/control.sock",
        "  moved    nothing yet",
        "  prompts  none waits",
        "",
        "SESSION  NAME   STATE          SINCE  SAID BY  PROMPTS",
        "1-1      日本   idle           1 min  Pi       -",
        "22-2     notes  waits for you  1 min  Pi       -",
        "",
        "CLIENT  KIND  ROLE        CREDENTIAL",
        "phone   web   controller  phone",
    ]


def test_all_that_a_daemon_knows_of_itself_is_told() -> None:
    rows = list(table(FULL, NOW))
    assert rows[:16] == [
        "mirrord 0.1.0, pid 7, up 1 h, started by the service manager",
        "  address  ws://127.0.0.1:9/v1/ws",
        "  socket   /run/control.sock",
        "  moved    from Pi 3 s ago, to devices 1 min ago",
        "  prompts  none waits",
        "  memory   58.0 MiB; held: 2.0 MiB conversations, 500 B prompts (at most 4.0 MiB",
        "           a session, 64.0 MiB all sessions together, 1 KiB a device)",
        "  store    2 devices, 1 receipt, the oldest 1 min old, 48 KiB",
        "           a store that could not be used lies at /s/mirrord.db.corrupt-1;",
        "           devices have to pair again",
        "           set aside earlier: /s/mirrord.db.corrupt-0",
        "  keeps    what is over for 14 days; at most 16.0 MiB of receipts, and as much",
        "           of sessions that ended",
        "  counted  3 refused at the gate",
        "",
        "SESSION  NAME   STATE  SINCE  SAID BY  PROMPTS",
    ]


LONG = msgspec.structs.replace(
    session("4711-99887766", name="a name that goes on and on " * 4, state="waiting"), capabilities=("notify", "made-up")
)
WIDE = session("1-1", name="日本語" * 30)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_line_fits(width: int) -> None:
    long = msgspec.structs.replace(
        status((LONG, WIDE), (ExtensionLink(pid=5, refused="Type /reload in that Pi. " * 8),)),
        clients=(ConnectedClient("x" * 64, "web", "controller", "y" * 64),),
    )
    rows = list(table(long, NOW, width))
    assert max(wcswidth(row) for row in rows) <= width
    assert any(row.rstrip().endswith("…") or "…" in row for row in rows)
    assert "not choices: choices are made at the terminal" in " ".join(" ".join(rows).split())


def test_colour_changes_no_word_and_marks_what_waits() -> None:
    waiting = status((session("1-1", name="notes", state="waiting"),))
    plain, coloured = "\n".join(table(waiting, NOW)), "\n".join(table(waiting, NOW, coloured=True))
    assert "\x1b[33m1-1 " in coloured
    for code in ("\x1b[33m", "\x1b[1m", "\x1b[2m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


@pytest.mark.parametrize(
    ("at", "words"),
    [(None, "10 min after the last session and client"), (541_001, "in 8 min, unless a session or client comes"), (0, "in 0 s, unless")],
)
def test_when_the_daemon_will_end_is_told(at: int | None, words: str) -> None:
    rows = list(table(msgspec.structs.replace(status(), idle_exit=IdleExit(600.0, at)), NOW))
    assert rows[5].startswith(f"  ends     {words}")


def test_refused_extensions_are_shown_with_their_sentence() -> None:
    rows = list(table(status(links=(ExtensionLink(pid=5, refused="Type /reload in that Pi."), ExtensionLink(pid=6))), 1))
    assert rows[-1] == "The extension in Pi 5 was refused: Type /reload in that Pi."


def test_nothing_in_the_table_can_move_a_cursor() -> None:
    evil = "\x1b[2Ja\x9bb\u202e"
    rows = list(table(status((session(evil, name=evil),), (ExtensionLink(refused=evil),)), 1))
    assert all(row.isprintable() for row in rows)


def test_a_daemon_of_an_older_version_is_told_as_far_as_it_says() -> None:
    said = {"version": "0", "pid": 1, "url": "u", "socket": "s", "uptime": 1, "sessions": [], "clients": []}
    assert next(iter(table(msgspec.convert(said, DaemonStatus), NOW))) == "mirrord 0, pid 1, up 1 s"


@pytest.mark.parametrize(
    ("seconds", "words"), [(-5, "0 s"), (0.9, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "1 d")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
