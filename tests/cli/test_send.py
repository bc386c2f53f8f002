"""Promise: `mirrord send` sends a message once, and its exit status says what became of it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import chat as bridge
from mirrord.cli import sending
from mirrord.cli.sending import NotKnownError, Sender
from mirrord.client import Following, Local, Pending, connect
from mirrord.client.chat import CLAIMS
from mirrord.client.turns import turn
from mirrord.core.chat.conversation import CHAT
from mirrord.testing import fake_extension, hello
from mirrord.wire import chat as wire
from tests.cli.attached import ENDED, snapshot
from tests.cli.chatting import CHATTY, event, everything, message, receipt
from tests.cli.commands import PATIENCE, run
from tests.cli.test_attach_truth import running
from tests.client.scripted_daemon import Peer, control_socket

Heard = list[dict[str, Any]]


async def sent(
    runtime: Path, script: Callable[[Peer, dict[str, Any]], Awaitable[None]], *arguments: str, stdin: str = ""
) -> tuple[int, str, str, Heard]:
    """Exit status, stdout, stderr, and the turns that a daemon heard which does this with each."""
    heard: Heard = []

    async def serve(peer: Peer) -> None:
        await peer.hear()
        await peer.say(CHATTY)
        assert (await peer.hear())["type"] == "subscribe"
        await peer.say(snapshot())
        said = await peer.hear()
        if said["type"] == "chat_subscribe":
            await peer.say(everything(1))
            said = await peer.hear()
        heard.append(said)
        await script(peer, said)
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "send", *arguments, stdin=stdin))
    return done.returncode, done.stdout, done.stderr, heard


def then(*stages: wire.Stage, **more: Any) -> Callable[[Peer, dict[str, Any]], Awaitable[None]]:
    """One receipt after the other; `more` is of the last."""

    async def say(peer: Peer, said: dict[str, Any]) -> None:
        *before, last = stages
        await peer.say(*(receipt(said, stage) for stage in before if stage != last), receipt(said, last, **more))

    return say


async def submitted(endpoint: Local) -> int:
    """The exit status for a prompt, without a process of its own."""
    dial = partial(connect, endpoint, name="t", kind="cli", capabilities=CLAIMS)
    async with dial() as first:
        sender = Sender(turn("1-1", "prompt", "Plant"), wait=False)
        following = Following(first, lambda resume: dial(resume=resume), "1-1", sender, pending=Pending(), alive=lambda: True)
        return await sender.run(following)


@pytest.mark.parametrize(
    ("arguments", "kind", "text", "stage"),
    [
        (("Plant", "tulips"), None, "Plant tulips", "consumed"),
        (("--steer", "north first"), "steer", "north first", "queued"),
        (("--follow-up", "then roses"), "follow_up", "then roses", "queued"),
        (("/compact",), "command", "/compact", "accepted"),
        (("!ls",), "bash", "ls", "accepted"),
        (("-",), None, "/from a pipe\n", "consumed"),
        (("--literal", "/etc is full"), None, "/etc is full", "consumed"),
    ],
)
async def test_a_message_is_sent_and_its_stage_printed(
    runtime: Path, arguments: tuple[str, ...], kind: str | None, text: str, stage: wire.Stage
) -> None:
    status, out, err, heard = await sent(runtime, then("accepted", stage), "1-1", *arguments, stdin="/from a pipe\n")
    assert (status, out, err) == (0, f"{stage}\n", "")
    assert [(each.get("kind"), each["text"], each.get("literal", False)) for each in heard] == [
        (kind, text, arguments[0] in ("-", "--literal"))
    ]


@pytest.mark.parametrize("before", [(), ("accepted",)], ids=["by the extension", "by Pi"])
@pytest.mark.parametrize("arguments", [("Plant",), ("--steer", "Plant"), ("--follow-up", "Plant"), ("--wait", "Plant")])
async def test_a_refusal_is_its_reason_and_status_1(runtime: Path, before: tuple[wire.Stage, ...], arguments: tuple[str, ...]) -> None:
    refused = then(*before, "rejected", code="refused", reason="No API key found.")
    status, out, err, _ = await sent(runtime, refused, "1-1", *arguments)
    assert (status, out, err) == (1, "", "mirrord: No API key found\n")


@pytest.mark.parametrize("before", ["accepted", "queued"])
async def test_what_pi_had_and_nobody_can_tell_of_any_more_is_status_3(runtime: Path, before: wire.Stage) -> None:
    taken_out = then(before, "unknown", reason="It was taken out of the queue at the terminal.")
    status, out, err, _ = await sent(runtime, taken_out, "1-1", "--wait", "Plant")
    assert (status, out) == (3, "")
    assert err == (
        "mirrord: it is not known whether Pi took this (It was taken out of the queue at the terminal); "
        "`mirrord attach` shows the conversation\n"
    )


async def test_what_became_unknown_may_still_be_told(runtime: Path) -> None:
    async def script(peer: Peer, said: dict[str, Any]) -> None:
        await peer.say(receipt(said, "unknown", reason="The link broke."), receipt(said, "queued"))

    assert (await sent(runtime, script, "1-1", "Plant"))[:2] == (0, "queued\n")


async def test_nobody_knowing_is_status_3(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "RECEIPT_SECONDS", 0.2)

    async def mute(peer: Peer) -> None:
        await peer.hear()
        await peer.say(CHATTY, snapshot())
        await peer.socket.wait_closed()

    async with control_socket(runtime, mute) as endpoint:
        with pytest.raises(ExceptionGroup) as raised:
            await submitted(endpoint)
    assert raised.group_contains(NotKnownError)
    assert NotKnownError.exit_code == 3


async def test_waiting_prints_the_answer_once_pi_rests(runtime: Path) -> None:
    async def script(peer: Peer, said: dict[str, Any]) -> None:
        mine = message("e1", "Plant", kind="user", client_turn_id=said["clientTurnId"])
        answer = message("e2", "I planted\n\x1b[2Jtulips.")
        await peer.say(receipt(said, "accepted"), event(2, snapshot=wire.ChatSnapshot(streaming=True)))
        await peer.say(event(3, patches=(wire.ChatPatch("add", "/messages/0", mine),)), receipt(said, "consumed", row_id="e1"))
        await peer.say(event(4, patches=(wire.ChatPatch("add", "/messages/1", answer),)))
        await peer.say(event(5, snapshot=wire.ChatSnapshot(streaming=False)))

    status, out, err, _ = await sent(runtime, script, "1-1", "--wait", "Plant")
    assert (status, out, err) == (0, "I planted\ntulips.\n", "")


@pytest.mark.parametrize(("state", "error", "said"), [("error", "529 overloaded.", "529 overloaded"), ("aborted", None, "it was stopped")])
async def test_waiting_for_a_turn_that_went_wrong_is_status_1(
    runtime: Path, state: wire.MessageState, error: str | None, said: str
) -> None:
    async def script(peer: Peer, sent_turn: dict[str, Any]) -> None:
        rows = (message("e1", "Plant", kind="user"), message("e2", "I pl", state=state, error=error))
        await peer.say(everything(2, *rows), receipt(sent_turn, "consumed", row_id="e1"))

    status, out, err, _ = await sent(runtime, script, "1-1", "--wait", "Plant")
    assert (status, out, err) == (1, "I pl\n", f"mirrord: {said}\n")


@pytest.mark.parametrize(
    ("stage", "arguments", "status", "said"),
    [
        ("consumed", ("--wait",), 1, "this Pi quit before it was done"),
        ("queued", ("--wait",), 3, "it is not known whether Pi took this (this Pi quit before it was done); `mirrord attach` shows"),
        ("accepted", (), 3, "it is not known whether Pi took this (this Pi quit before it was done); `mirrord attach` shows"),
    ],
)
async def test_a_pi_that_quits_before_it_is_done(
    runtime: Path, stage: wire.Stage, arguments: tuple[str, ...], status: int, said: str
) -> None:
    async def script(peer: Peer, turn_: dict[str, Any]) -> None:
        await peer.say(receipt(turn_, stage, row_id="e1" if stage == "consumed" else None), ENDED)

    ended = await sent(runtime, script, "1-1", *arguments, "Plant")
    assert ended[:2] == (status, "")
    assert ended[2].startswith(f"mirrord: {said}")


async def test_a_pi_that_quits_while_no_daemon_is_there_to_tell_ends_it(runtime: Path, pi_pid: int) -> None:
    theirs = msgspec.structs.replace(CHATTY.sessions[0], pid=pi_pid)
    came = 0

    async def serve(peer: Peer) -> None:
        nonlocal came
        came += 1
        await peer.hear()
        # The second daemon has not met that Pi.
        await peer.say(msgspec.structs.replace(CHATTY, sessions=(theirs,) if came == 1 else ()))
        if came == 1:
            await peer.hear()
            await peer.say(snapshot())
            await peer.say(receipt(await peer.hear(), "accepted"))
            os.kill(pi_pid, signal.SIGKILL)
            peer.socket.transport.abort()
        else:
            await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "send", "1-1", "Plant"))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("mirrord: it is not known whether Pi took this")


async def test_a_connection_that_breaks_on_the_way_is_made_again_and_the_id_is_the_same(runtime: Path) -> None:
    heard: Heard = []

    async def serve(peer: Peer) -> None:
        await peer.hear()
        await peer.say(CHATTY)
        if not heard:
            await peer.hear()
            await peer.say(snapshot())
        heard.append(await peer.hear())
        if len(heard) == 1:
            peer.socket.transport.abort()
            return
        await peer.say(receipt(heard[0], "consumed", row_id="e1"))
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "send", "1-1", "Plant"))
    assert (done.returncode, done.stdout) == (0, "consumed\n")
    assert heard[0] == heard[1]


async def test_a_daemon_that_tells_no_conversation_is_one_sentence(runtime: Path) -> None:
    async def serve(peer: Peer) -> None:
        await peer.welcome()
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "send", "1-1", "Plant"))
    assert done.returncode == 1
    assert re.fullmatch(r"mirrord: .*takes no messages for Pi.*\n", done.stderr)


@pytest.mark.parametrize("arguments", [("1-1",), ("1-1", "--steer", "--follow-up", "x")])
def test_a_wrong_command_line_is_status_2(runtime: Path, arguments: tuple[str, ...]) -> None:
    assert run(runtime.parent, "send", *arguments).returncode == 2


async def test_it_reaches_the_terminal_through_a_real_daemon(runtime: Path, pi_pid: int) -> None:
    greeting = msgspec.structs.replace(hello(pi_pid), capabilities=(CHAT,))
    status: list[tuple[int, str]] = []
    async with running(runtime.parent), fake_extension(runtime / "bridge.sock", greeting) as terminal:

        async def send() -> None:
            done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "send", str(pi_pid), "Plant", "tulips"))
            status.append((done.returncode, done.stdout))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send)
                given = await terminal.until(bridge.Turn)
                assert (given.kind, given.text) == ("prompt", "Plant tulips")
                await terminal.say(bridge.TurnResult(seq=0, client_turn_id=given.client_turn_id, stage="queued"))
    assert status == [(0, "queued\n")]
