"""Promise: a session is followed over as many connections as it takes, and an answer on the way gets its verdict."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest

from mirrord.client import Answer, ConnectionLost, Decided, Following, Frame, NotConfirmed, Pending, connect, following, pending
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire
from mirrord.wire.chat import ChatEvent
from tests.cli.attached import ENDED, accepted, snapshot
from tests.cli.prompts import select
from tests.client.scripted_daemon import WELCOME, Peer, control_socket

ANSWER = Answer("r", wire.ExtensionUIResponse(id="s", response_id="r", index=1))
STRANGER = msgspec.structs.replace(WELCOME, sessions=())
PATIENCE = 10.0


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same policy in other units: nothing in these tests waits for seconds."""
    monkeypatch.setattr(pending, "SOON_SECONDS", 0.02)
    monkeypatch.setattr(following, "WATCH_SECONDS", 0.02)


class Diary:
    """A watcher that writes down what it is told, a word each."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.following: Following

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None:
        self.told.append("again" if again else "first")

    async def received(self, frame: Frame) -> bool:
        message = frame.message
        self.told.append("?" if message is None else str(type(message).__struct_config__.tag))
        if isinstance(message, wire.ExtensionUIRequest):
            with anyio.CancelScope(shield=True):
                await self.following.answer(ANSWER)
        return message == ENDED

    async def decided(self, frame: Frame, decided: Decided) -> None:
        self.told.append("accepted" if decided.result.accepted else f"refused: {decided.result.reason}")

    async def unconfirmed(self, action: NotConfirmed) -> None:
        self.told.append("unconfirmed")

    async def lost(self, why: MirrordError) -> None:
        self.told.append("lost")

    async def gone(self) -> None:
        self.told.append("gone")


async def follow(folder: Path, *scripts: Callable[[Peer], Awaitable[None]], alive: Callable[[], bool] = lambda: True) -> list[str]:
    """What a watcher is told by daemons that follow these scripts one after the other; each but the last is then cut off."""
    left = list(scripts)

    async def serve(peer: Peer) -> None:
        script = left.pop(0)
        await script(peer)
        if left:
            peer.socket.transport.abort()
        else:
            await peer.socket.wait_closed()

    diary = Diary()
    async with control_socket(folder, serve) as endpoint:
        dial = partial(connect, endpoint, name="t", kind="cli")
        async with dial() as first:
            diary.following = Following(first, lambda resume: dial(resume=resume), "1-1", diary, pending=Pending(), alive=alive)
            with anyio.fail_after(PATIENCE):
                await diary.following.run()
    return diary.told


async def begin(peer: Peer) -> None:
    """The first connection: hello, subscription, a prompt; the watcher answers it."""
    await peer.welcome()
    assert (await peer.hear()) == {"type": "subscribe", "sessionId": "1-1"}
    await peer.say(snapshot())
    await peer.say(msgspec.structs.replace(select(), cursor="e:2"))
    heard = await peer.hear()
    assert (heard["responseId"], heard["index"]) == ("r", 1)


async def test_an_answer_goes_out_again_after_the_connection_broke_and_events_go_on_at_the_cursor(tmp_path: Path) -> None:
    async def back(peer: Peer) -> None:
        hello = await peer.welcome()
        assert hello["resume"] == {"1-1": "e:2"}
        response = await peer.hear()
        assert response["responseId"] == "r"
        await peer.say(accepted(response), ENDED)

    told = await follow(tmp_path, begin, back)
    assert told == ["first", "snapshot", "extension_ui_request", "lost", "again", "accepted", "session"]


async def test_the_cursor_of_a_conversation_is_not_taken_for_the_session_s(tmp_path: Path) -> None:
    async def chatty(peer: Peer) -> None:
        await begin(peer)
        await peer.say(ChatEvent(session_id="1-1", cursor="e:900", revision=900))

    async def back(peer: Peer) -> None:
        hello = await peer.welcome()
        assert hello["resume"] == {"1-1": "e:2"}
        await peer.say(accepted(await peer.hear()), ENDED)

    assert (await follow(tmp_path, chatty, back))[3:5] == ["chat_event", "lost"]


async def test_a_daemon_that_says_nothing_is_asked_again_under_the_same_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "RETRY_SECONDS", 0.05)

    async def mute(peer: Peer) -> None:
        await begin(peer)
        again = await peer.hear()
        assert again["responseId"] == "r"
        await peer.say(accepted(again), ENDED)

    told = await follow(tmp_path, mute)
    assert told == ["first", "snapshot", "extension_ui_request", "unconfirmed", "accepted", "session"]


async def test_a_new_daemon_that_has_not_met_the_pi_yet_gives_no_verdict(tmp_path: Path) -> None:
    async def new(peer: Peer) -> None:
        hello = await peer.hear()
        await peer.say(STRANGER)
        for _ in hello["resume"]:
            await peer.say(wire.Error("unknown_session", "There is no such session."))
        response = await peer.hear()
        unknown = wire.ResponseResult(response_id="r", id="s", accepted=False, reason="unknown")
        await peer.say(unknown)
        await peer.say(wire.SessionChanged("added", WELCOME.sessions[0]))
        heard = [await peer.hear(), await peer.hear()]
        assert {message["type"] for message in heard} == {"subscribe", "extension_ui_response"}
        assert [message["since"] for message in heard if message["type"] == "subscribe"] == ["e:2"]
        await peer.say(accepted(response), ENDED)

    told = await follow(tmp_path, begin, new)
    assert "refused: unknown" not in told
    assert "error" not in told
    assert told[-3:] == ["session", "accepted", "session"]


async def test_one_loss_is_told_once_however_many_tries_it_takes(tmp_path: Path) -> None:
    async def cut_at_once(peer: Peer) -> None:
        await peer.hear()

    async def back(peer: Peer) -> None:
        await peer.welcome()
        await peer.say(ENDED)

    told = await follow(tmp_path, begin, cut_at_once, cut_at_once, back)
    assert told.count("lost") == 1


async def test_an_eviction_is_a_loss_like_any_other(tmp_path: Path) -> None:
    async def evicted(peer: Peer) -> None:
        await begin(peer)
        await peer.socket.close(1013, "slow: pending")

    async def back(peer: Peer) -> None:
        await peer.welcome()
        await peer.say(ENDED)

    told = await follow(tmp_path, evicted, back)
    assert told[3:5] == ["lost", "again"]


@pytest.mark.parametrize("code", sorted(following.OURS_TO_MEND))
async def test_what_this_client_would_do_again_ends_it(tmp_path: Path, code: int) -> None:
    async def close(peer: Peer) -> None:
        await peer.welcome()
        await peer.socket.close(code, "")

    with pytest.raises(ExceptionGroup) as raised:
        await follow(tmp_path, close)
    assert raised.group_contains(ConnectionLost)


async def test_a_pi_that_ended_while_no_daemon_could_tell_ends_it(tmp_path: Path) -> None:
    lives = [True]

    async def cut(peer: Peer) -> None:
        await begin(peer)
        lives[0] = False

    async def new(peer: Peer) -> None:
        await peer.hear()
        await peer.say(STRANGER)
        await peer.socket.wait_closed()

    told = await follow(tmp_path, cut, new, alive=lambda: lives[0])
    assert told[-1] == "gone"


@asynccontextmanager
async def standing(folder: Path, script: Callable[[Peer], Awaitable[None]]) -> AsyncIterator[Following]:
    async with control_socket(folder, script) as endpoint, connect(endpoint, name="t", kind="cli") as first:
        dial = partial(connect, endpoint, name="t", kind="cli")
        yield Following(first, lambda resume: dial(resume=resume), "1-1", Diary(), pending=Pending(), alive=lambda: True)


async def test_a_message_is_not_sent_while_the_daemon_is_away(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.welcome()
        await peer.socket.wait_closed()

    async with standing(tmp_path, script) as away:
        assert not await away.send(wire.Command(request_id="1", name="stop_turn")), "before `run` there is no connection"


async def test_other_sessions_that_were_subscribed_to_are_resumed_too(tmp_path: Path) -> None:
    other = msgspec.structs.replace(WELCOME.sessions[0], session_id="2-2")
    two = msgspec.structs.replace(WELCOME, sessions=(*WELCOME.sessions, other))
    heard = []

    async def first(peer: Peer) -> None:
        await begin(peer)
        await diary.following.send(wire.Subscribe(session_id="2-2"))
        assert (await peer.hear())["sessionId"] == "2-2"

    async def back(peer: Peer) -> None:
        heard.append(await peer.hear())
        await peer.say(two)
        heard.append(await peer.hear())
        await peer.say(ENDED)

    diary = Diary()
    scripts = [first, back]

    async def serve(peer: Peer) -> None:
        await scripts.pop(0)(peer)
        peer.socket.transport.abort()

    async with control_socket(tmp_path, serve) as endpoint:
        dial = partial(connect, endpoint, name="t", kind="cli")
        async with dial() as connection:
            diary.following = Following(connection, lambda resume: dial(resume=resume), "1-1", diary, pending=Pending(), alive=lambda: True)
            with anyio.fail_after(PATIENCE):
                await diary.following.run()
    assert heard[0]["resume"] == {"1-1": "e:2"}
    assert heard[1] == {"type": "subscribe", "sessionId": "2-2"}, "it had no cursor yet"
