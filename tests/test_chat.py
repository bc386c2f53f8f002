"""Promise: a daemon carries a conversation from its extension to every client: pages, text as it grows, history, commands.

A client that does not read is told the difference once it does, and costs no more than it may; one that asks for much gets it in turn.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import msgspec
import pytest

from bridge import chat as bridge
from bridge.limits import CHAT_TEXT_BYTES
from mirrord.client import Connection, Local, chat_reducer, connect
from mirrord.client.chat_reducer import ChatView
from mirrord.clock import SystemClock, moment
from mirrord.core import events
from mirrord.core.chat import events as chat
from mirrord.core.chat.conversation import CHAT
from mirrord.core.model import LinkId, Prompt, PromptId, TerminalId
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT as CHAT_CLAIM
from mirrord.wire.capabilities import CHAT_APPENDS, PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.limits import CHAT_BEHIND_BYTES, CHAT_BYTES
from tests.core.chat.talk import chatting

CLAIMS = (TEXT_FALLBACK, PROMPT_NATIVE, CHAT_CLAIM, CHAT_APPENDS)


def row(id_: str, text: str = "", state: bridge.RowState = "done", kind: str = "assistant") -> bridge.ChatRow:
    parts = (bridge.ChatPart("text", text),) if text else ()
    return bridge.ChatRow(id=id_, kind=kind, at=1, state=state, parts=parts, entry_id=None if id_.startswith("live") else id_)


async def page(terminal: FakeExtension, *rows: bridge.ChatRow, more: bool = False, reason: str = "start") -> None:
    before = [None, *(each.id for each in rows[:-1])]
    told = [bridge.ChatRowTold(seq=0, row=each, after=after) for each, after in zip(rows, before, strict=True)]
    await terminal.say(bridge.ChatReset(seq=0, conversation_id="c", leaf=None, reason=reason, more=more), *told, bridge.ChatReady(seq=0))
    await terminal.settled()


@asynccontextmanager
async def stage(place: Place, settings: Settings, pid: int) -> AsyncIterator[tuple[Daemon, FakeExtension]]:
    greeting = msgspec.structs.replace(hello(pid), capabilities=(CHAT,))
    async with (
        running_daemon(place, settings, SystemClock()) as daemon,
        fake_extension(settings.paths.bridge_socket, greeting) as terminal,
    ):
        yield daemon, terminal


class Screen:
    """What one client shows."""

    def __init__(self, client: Connection) -> None:
        self.client = client
        self.view = ChatView()
        self.bytes = 0
        self.frames = 0

    async def follow(self) -> None:
        await self.client.send(wire.ChatSubscribe(session_id=self.client.welcome.sessions[0].session_id))
        self.view = chat_reducer.connect(self.view)
        await self.until(lambda view: view.complete)

    async def until(self, shown: object) -> None:
        assert callable(shown)
        with anyio.fail_after(20):
            while not shown(self.view):
                frame = await self.client.receive_frame()
                if isinstance(frame.message, wire.ChatEvent | wire.ChatFrame):
                    self.frames += 1
                    self.bytes += len(frame.text)
                    self.view = chat_reducer.reduce(self.view, msgspec.json.decode(frame.text)).view
                    assert self.view.error is None

    @property
    def texts(self) -> list[str]:
        return [part.get("text", "") for message in self.view.messages for part in message.get("parts", ())]


async def test_what_is_told_is_shown_by_who_was_there_and_who_comes_later(own_place: Place, own_settings: Settings, pi_pid: int) -> None:
    local = Local(own_settings.paths.control_socket)
    async with (
        stage(own_place, own_settings, pi_pid) as (_, terminal),
        connect(local, name="a", kind="test", capabilities=CLAIMS) as first,
        connect(local, name="b", kind="test", capabilities=CLAIMS[:-1]) as plain,
    ):
        await page(terminal, row("e1", "Plan \x1b[31mthe beds", kind="user"), more=True)
        screens = [Screen(first), Screen(plain)]
        for screen in screens:
            await screen.follow()
        await terminal.say(bridge.ChatRowTold(seq=0, row=row("live:1", state="streaming"), after="e1"))
        offset = 0
        for word in ("Tulips ", "and ", "🌷 ", "roses."):
            start = bridge.ChatPart("text") if offset == 0 else None
            await terminal.say(bridge.ChatDelta(seq=0, id="live:1", part=0, offset=offset, text=word, start=start))
            offset += len(word.encode("utf-16-le")) // 2
        await terminal.say(bridge.ChatConfirm(seq=0, id="live:1", entry_id="e2"))
        async with connect(local, name="c", kind="test", capabilities=CLAIMS) as late:
            screens.append(Screen(late))
            await terminal.settled()
            await screens[2].follow()
            for screen in screens:
                await screen.until(lambda view: [message["id"] for message in view.messages] == ["e1", "e2"])
                assert screen.texts == ["Plan the beds", "Tulips and 🌷 roses."]
                assert screen.view.messages == screens[0].view.messages
                assert screen.view.fields["history"] == {"more": True, "before": "e1"}


async def test_older_rows_and_actions_are_asked_of_the_terminal(own_place: Place, own_settings: Settings, pi_pid: int) -> None:
    async with (
        stage(own_place, own_settings, pi_pid) as (_, terminal),
        connect(Local(own_settings.paths.control_socket), name="a", kind="test", capabilities=CLAIMS) as client,
        anyio.create_task_group() as tasks,
    ):
        await page(terminal, row("e9", "Now"), more=True)

        async def answer() -> None:
            asked = await terminal.until(bridge.ChatHistory)
            assert (asked.before, asked.limit) == ("e9", 10)
            await terminal.say(bridge.ChatPage(seq=0, request_id=asked.request_id, rows=(row("e8", "Before"),), more=False))
            action = await terminal.until(bridge.Action)
            assert (action.name, action.args) == ("set_session_name", {"name": "tulips"})
            await terminal.say(bridge.ActionResult(seq=0, request_id=action.request_id, ok=True))

        tasks.start_soon(answer)
        session = {"sessionId": hello(pi_pid).terminal.id}
        with anyio.fail_after(20):
            data = await client.request("chat_history", wire.ChatHistoryPage, session | {"before": "e9", "limit": 10})
            assert [message.id for message in data.messages] == ["e8"]
            await client.request("set_session_name", type(None), session | {"name": "tulips"})


async def test_what_does_not_follow_is_asked_for_again(own_place: Place, own_settings: Settings, pi_pid: int) -> None:
    async with stage(own_place, own_settings, pi_pid) as (_, terminal):
        await page(terminal, row("e1", "Plan"))
        await terminal.say(bridge.ChatDelta(seq=0, id="live:7", part=0, offset=3, text="x"))
        with anyio.fail_after(20):
            await terminal.until(bridge.ChatResync)


async def test_a_client_that_does_not_read_is_told_the_difference_once_it_does(
    own_place: Place, own_settings: Settings, pi_pid: int
) -> None:
    async with (
        stage(own_place, own_settings, pi_pid) as (daemon, terminal),
        connect(Local(own_settings.paths.control_socket), name="slow", kind="test", capabilities=CLAIMS) as client,
    ):
        await page(terminal, row("live:1", "x", state="streaming"))
        screen = Screen(client)
        await screen.follow()
        client._socket.transport.pause_reading()
        (served,) = daemon.clients._open.values()
        offset, most = 1, 0
        piece = "y" * 1_000
        for _ in itertools.repeat(None, math.ceil(3 * CHAT_BEHIND_BYTES / 4_000)):
            for _ in range(4):
                # A text is at most CHAT_TEXT_BYTES: its end is made anew.
                offset = offset if offset + 1_000 < CHAT_TEXT_BYTES // 2 else 1
                await terminal.say(bridge.ChatDelta(seq=0, id="live:1", part=0, offset=offset, text=piece))
                offset += 1_000
            await terminal.settled()
            most = max(most, served.outbox.pending)
        await terminal.say(bridge.ChatRowTold(seq=0, row=row("e1", "The end."), after="live:1"))
        await terminal.settled()
        client._socket.transport.resume_reading()
        await screen.until(lambda view: len(view.messages) == 2)
        assert screen.texts == ["x" + "y" * (offset - 1), "The end."]
        assert served.evicted is None
        assert most < 2 * CHAT_BEHIND_BYTES


def fills(daemon: Daemon) -> list[str]:
    """Five Pis, each with the longest conversation that is kept and prompts of more than 1 MiB; returns their ids."""
    made: list[str] = []
    for number in range(5):
        link, id_ = LinkId(1_000 + number), TerminalId(f"t{number}")
        at = moment(daemon.clock)
        daemon.happen(events.TerminalLinked(at=at, link=link, terminal=chatting(id_)))
        daemon.happen(chat.ChatReset(at=at, link=link, conversation_id=id_, leaf=None, reason="start", more=False))
        for row_number in range(8):
            message = wire.ChatMessage(f"r{row_number}", "user", 1, "done", (wire.ChatPart("text", "x" * (CHAT_BYTES // 9)),))
            daemon.happen(chat.RowTold(at=at, link=link, message=message, after=f"r{row_number - 1}" if row_number else None))
        daemon.happen(chat.ChatReady(at=at, link=link))
        for prompt in range(10):
            editor = Prompt(PromptId(f"{id_}.{prompt}"), "editor", "Review the plan", opened_at=1, prefill="x" * 120 * 1024)
            daemon.happen(events.PromptOpened(at=at, link=link, prompt=editor))
        made.append(id_)
    return made


@pytest.mark.parametrize("stalls", [False, True], ids=["reads", "stalls"])
async def test_a_client_that_follows_much_at_once_gets_all_of_it_and_is_not_cut(
    own_place: Place, own_settings: Settings, stalls: bool
) -> None:
    """It came back with cursors of another daemon, so that it needs every snapshot; all together are three outboxes."""
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        ids = fills(daemon)
        resume = {} if stalls else {id_: "0123456789abcdef.1:7" for id_ in ids}
        local = Local(own_settings.paths.control_socket)
        async with connect(local, name="phone", kind="test", capabilities=CLAIMS, resume=resume) as client:
            (served,) = daemon.clients._open.values()
            if stalls:
                client._socket.transport.pause_reading()
            for id_ in ids:
                if stalls:
                    await client.send(messages.Subscribe(session_id=id_))
                await client.send(wire.ChatSubscribe(session_id=id_))
            if stalls:
                with anyio.fail_after(20):
                    while served.when_caught_up is None:
                        await anyio.lowlevel.checkpoint()
                client._socket.transport.resume_reading()
            views, snapshots = {id_: ChatView() for id_ in ids}, set[str]()
            with anyio.fail_after(30):
                while len(snapshots) < len(ids) or not all(view.complete for view in views.values()):
                    frame = await client.receive_frame()
                    if isinstance(frame.message, messages.Snapshot):
                        snapshots.add(frame.message.session_id)
                    elif isinstance(frame.message, wire.ChatEvent | wire.ChatFrame):
                        id_ = frame.message.session_id
                        views[id_] = chat_reducer.reduce(views[id_], msgspec.json.decode(frame.text)).view
            assert served.evicted is None
            assert all(len(view.messages) == 8 for view in views.values())
