"""Conversations: how late a word is at a client and what it costs, beside a minimal relay; and what a session of 100 MB costs.

The words come from the real Pi. They are stamped where Pi gives them to extensions, so that what the extension waits to send some of them
together counts as well.
"""

from __future__ import annotations

import bisect
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec

from bench.callbacks import times
from bench.chat_session import ENTRIES, write_session
from bench.memory import resident_megabytes
from bench.phone import phone
from bench.pi import Tui, tui_pi, whole_file
from bench.report import Goal, Row, Unit
from bench.terminal import running
from bench.timed_extension import timed_extension
from bench.websocket import WebSocket, websocket
from bench.world import EXTENSION, NotMeasured, World, until, world
from mirrord.client import Connection, Local, Remote, connect
from mirrord.client.chat import CLAIMS, Conversation
from mirrord.demo.stage import end_process
from mirrord.wire import chat as wire
from mirrord.wire import messages
from tests.harness.pi import FULLSCREEN, ROOT

WORDS: Final = 1_000
PAUSE_MS: Final = 5
"""Between two words: 200 a second."""
STREAM: Final = f"slow {WORDS} {PAUSE_MS}"
ROUNDS: Final = 2
QUICK_ROUNDS: Final = 1
CLIENTS: Final = (1, 20)

WARM_UP: Final = 50
"""First words of a stream that do not count."""

SHORT: Final = 200
"""Entries of the session beside which the long one stands."""
PAGES: Final = 60
QUICK_PAGES: Final = 10
PAGE_ROWS: Final = 50
OPENED_SECONDS: Final = 300.0
"""How long Pi may take to show a session of 100 MB."""

LATENCY: Final = Goal("ratio", 2)
"""The median beside a relay that does nothing."""
GROWTH: Final = Goal("ratio", 2)
"""A session a hundred times as long: what costs as much as it is long would be far above."""

WORDS_TS: Final = ROOT / "bench" / "chat_words.ts"
RELAY: Final = ROOT / "bench" / "relay.py"


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    rows = await _streams(QUICK_ROUNDS if quick else ROUNDS, profile)
    pages = QUICK_PAGES if quick else PAGES
    short = await _opened(SHORT, pages, profile)
    return rows + long_rows(short, await _opened(ENTRIES // 10 if quick else ENTRIES, pages, profile))


# ---- words -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Seen:
    """What one client read of an answer: how long the text was, and when. Times in ns."""

    lengths: list[int] = field(default_factory=list)
    moments: list[int] = field(default_factory=list)
    bytes: int = 0
    begun: bool = False
    """The question that is answered came; before it are the answers of earlier ones."""

    def note(self, length: int, at: int) -> None:
        self.lengths.append(length)
        self.moments.append(at)

    def delays(self, told: Sequence[tuple[int, int]]) -> list[float]:
        """From each word to the moment at which the text was so long, in µs, without the warm-up. NotMeasured when one is missing."""
        places = [bisect.bisect_left(self.lengths, length) for length, _ in told[WARM_UP:]]
        if not self.lengths or places[-1] == len(self.lengths):
            raise NotMeasured("a client did not get the whole answer")
        return [(self.moments[place] - at) / 1000 for place, (_, at) in zip(places, told[WARM_UP:], strict=True)]


async def _streams(rounds: int, profile: Path | None) -> list[Row]:
    delays: dict[tuple[str, int], list[float]] = {}
    costs: list[float] = []
    whole: list[float] = []
    async with world(profile) as here, _relay(here) as (relay, socket_path):
        remote = await here.paired("phone")
        async with phone(remote) as one, tui_pi(here, FULLSCREEN, one, [EXTENSION, WORDS_TS], {"BENCH_RELAY": str(socket_path)}) as pi:
            for _ in range(rounds):
                for clients in CLIENTS:
                    for name in ("relay", "daemon"):
                        told, seen = await _stream(pi, relay if name == "relay" else remote, name, clients)
                        delays.setdefault((name, clients), []).extend(delay for each in seen for delay in each.delays(told))
                        if name == "daemon" and clients == 1:
                            costs.append(seen[0].bytes / len(told))
                            whole.append(sum(WHOLE_BYTES + length for length, _ in told) / len(told))
    return stream_rows(delays, costs, whole)


WHOLE_BYTES: Final = 300
"""A message as JSON without its text."""


async def _stream(pi: Tui, remote: Remote, name: str, clients: int) -> tuple[list[tuple[int, int]], list[Seen]]:
    """One answer, read by so many clients."""
    await pi.rest()
    seen = [Seen() for _ in range(clients)]
    async with AsyncExitStack() as stack, anyio.create_task_group() as tasks:
        for each in seen:
            one = await stack.enter_async_context(websocket(remote))
            if name == "daemon":
                await _subscribed(one, pi.session_id)
            tasks.start_soon(_read, one, each, name)
        pi.type(STREAM)
        await anyio.sleep(WORDS * PAUSE_MS / 1000)
        await pi.line("/b-words")
        told = [(length, int(at)) for length, at in msgspec.json.decode(await whole_file(pi.start.times), type=list[tuple[int, str]])]
        tasks.cancel_scope.cancel()
    return told, seen


async def _subscribed(one: WebSocket, session_id: str) -> None:
    """It follows the conversation, and has read what there is."""
    one.say_hello("reader", CLAIMS)
    one.write(one.frame(wire.ChatSubscribe(session_id=session_id)))
    with anyio.move_on_after(10):
        while True:
            _, came = await one.read()
            if any(isinstance(each, wire.ChatEvent | wire.ChatFrame) for each in came):
                return
    raise NotMeasured("no conversation came")


async def _read(one: WebSocket, seen: Seen, name: str) -> None:
    while True:
        now, texts = await one.read_texts()
        for text in texts:
            frame = msgspec.json.decode(text)
            if name == "relay":
                seen.note(frame["length"], now)
            elif frame["type"] in ("chat_event", "chat_frame"):
                seen.bytes += len(text)
                for length in grown(frame, seen):
                    seen.note(length, now)


def grown(event: dict[str, Any], seen: Seen) -> list[int]:
    """How long the text of the answer is, as an event says: what is appended, or the whole row once it is done."""
    rows = [patch["value"] for patch in event.get("patches", ()) if "value" in patch]
    seen.begun = seen.begun or any(row["kind"] == "user" for row in rows)
    whole = [len(part["text"]) for row in rows if row["kind"] == "assistant" for part in row.get("parts", ())]
    return [*whole, *(append["offset"] + len(append["text"]) for append in event.get("appends", ()))] if seen.begun else []


def stream_rows(delays: dict[tuple[str, int], list[float]], costs: list[float], whole: list[float]) -> list[Row]:
    """The samples as rows; each of ours stands beside the relay's with as many clients."""
    rows: list[Row] = []
    for clients in CLIENTS:
        many = f"{clients} client{'s' if clients > 1 else ''}"
        relay = Row(
            f"relay, {many}",
            "Pi gives a word to extensions, 200 a second → a WebSocket client has read it, through a relay that does nothing",
            tuple(delays["relay", clients]),
            "µs",
        )
        ours = "the same word → it is in the text that a WebSocket client of the daemon has read"
        rows += [relay, Row(f"daemon, {many}", ours, tuple(delays["daemon", clients]), "µs", ("relay", relay.p50), LATENCY)]
    naive = Row("whole message, per word", "bytes a client would read for a word if it got the whole message each time", tuple(whole), "B")
    return [*rows, naive, Row("appends, per word", "bytes that a client reads for a word", tuple(costs), "B", ("whole message", naive.p50))]


@asynccontextmanager
async def _relay(here: World) -> AsyncIterator[tuple[Remote, Path]]:
    path = here.home.root / "relay.sock"
    process = await anyio.open_process([sys.executable, str(RELAY), str(path)], stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        port = int(await process.stdout.receive())
        yield Remote(f"ws://127.0.0.1:{port}/", "nothing"), path
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)


# ---- a long session --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """What one session cost: first pages and any pages in ms, the daemon's memory in MB, what Pi waited in µs."""

    entries: int
    first: tuple[float, ...]
    pages: tuple[float, ...]
    before: float
    after: float
    blocked: tuple[float, ...]


async def _opened(entries: int, pages: int, profile: Path | None) -> Opened:
    """A Pi that shows a session of so many entries; pages are asked for all over it."""
    async with world(profile) as here:
        before = await resident_megabytes(here.daemon.pid)
        extension = await anyio.to_thread.run_sync(timed_extension, here.home.root / "timed")
        start = here.pi(FULLSCREEN, extensions=[extension])
        file = here.home.root / "session.jsonl"
        ids = await anyio.to_thread.run_sync(write_session, file, start.cwd, entries)
        start = replace(start, argv=[*start.argv, "--session", str(file)])
        local = Local(here.paths.control_socket)
        with running(start.argv, start.env, start.cwd) as terminal:
            async with connect(local, name="bench", kind="bench", capabilities=CLAIMS) as client:
                session = await _session(client)
                first = tuple([await _first_page(local, session) for _ in range(pages)])
                places = [PAGE_ROWS + number * (len(ids) - PAGE_ROWS - 1) // max(1, pages - 1) for number in range(pages)]
                later = tuple([await _page(client, session, ids, place) for place in places])
                after = await resident_megabytes(here.daemon.pid)

            async def rests() -> bool:
                return terminal.quiet_for >= 0.5

            await until(rests, "Pi does not stop drawing", OPENED_SECONDS)
            terminal.send(b"/b-times\r")
            calls = times(await whole_file(start.times))
    blocked = tuple(call.total for call in calls if call.outer)
    return Opened(entries, first, later, before, after, blocked)


async def _session(client: Connection) -> str:
    """The id of the one session, once its conversation is there."""
    with anyio.move_on_after(OPENED_SECONDS):
        changed = await client.until(messages.SessionChanged)
        return changed.session.session_id
    raise NotMeasured("Pi did not open the session")


async def _first_page(local: Local, session: str) -> float:
    """A client comes; ms until it shows the newest page."""
    async with connect(local, name="bench", kind="bench", capabilities=CLAIMS) as client:
        conversation = Conversation(session)
        begun = time.monotonic_ns()
        with anyio.move_on_after(OPENED_SECONDS):
            await client.send(conversation.subscribe())
            while not conversation.view.messages:
                conversation.take(await client.receive_frame())
            return (time.monotonic_ns() - begun) / 1e6
    raise NotMeasured("no page came")


async def _page(client: Connection, session: str, ids: Sequence[str], place: int) -> float:
    """ms until the page before this entry is there. NotMeasured when it is another one."""
    begun = time.monotonic_ns()
    data = await client.request("chat_history", wire.ChatHistoryPage, {"sessionId": session, "before": ids[place], "limit": PAGE_ROWS})
    took = (time.monotonic_ns() - begun) / 1e6
    if not data.messages or data.messages[-1].id != ids[place - 1]:
        raise NotMeasured(f"another page came than the one before entry {place}")
    return took


def long_rows(short: Opened, long: Opened) -> list[Row]:
    """The long session beside the short one."""
    rows: list[Row] = []
    measured: tuple[tuple[str, str, Unit, Callable[[Opened], tuple[float, ...]]], ...] = (
        ("first page", "a client subscribes to a session that is open → it shows the newest page", "ms", lambda one: one.first),
        (
            "any page",
            f"a client asks for the {PAGE_ROWS} rows before an entry → it has them, all over the session",
            "ms",
            lambda one: one.pages,
        ),
        ("Pi's callbacks", "synchronous time of each call into the extension while all this was done", "µs", lambda one: one.blocked),
        ("daemon, RSS", "its memory after all those pages", "MB", lambda one: (one.after,)),
    )
    for name, what, unit, of in measured:
        peer = Row(f"{short.entries} entries, {name}", what, of(short), unit)
        rows += [peer, Row(f"{long.entries} entries, {name}", what, of(long), unit, (f"{short.entries} entries", peer.p50), GROWTH)]
    longest = Row(f"{long.entries} entries, Pi's longest", "the longest of those calls", (max(long.blocked),), "µs")
    return [*rows, longest, Row("daemon before, RSS", "the same daemon before Pi came", (long.before,), "MB")]
