"""Promise: `mirrord send` sends a message once, and its exit status says what became of it."""

from __future__ import annotations

import re
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
from mirrord.client import Following, Pending, connect
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


def then(stage: wire.Stage, **more: Any) -> Callable[[Peer, dict[str, Any]], Awaitable[None]]:
    async def say(peer: Peer, said: dict[str, Any]) -> None:
        await peer.say(receipt(said, stage, **more))

    return say


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (("Plant", "tulips"), None, "Plant tulips"),
        (("--steer", "north first"), "steer", "north first"),
        (("--follow-up", "then roses"), "follow_up", "then roses"),
        (("/compact",), "command", "/compact"),
        (("!ls",), "bash", "ls"),
        (("-",), None, "/from a pipe\n"),
        (("--literal", "/etc is full"), None, "/etc is full"),
    ],
)
async def test_a_message_is_sent_and_its_stage_printed(runtime: Path, arguments: tuple[str, ...], kind: str | None, text: str) -> None:
    status, out, err, heard = await sent(runtime, then("accepted"), "1-1", *arguments, stdin="/from a pipe\n")
    assert (status, out, err) == (0, "accepted\n", "")
    assert [(each.get("kind"), each["text"], each.get("literal", False)) for each in heard] == [
        (kind, text, arguments[0] in ("-", "--literal"))
    ]


async def test_a_refusal_is_its_reason_and_status_1(runtime: Path) -> None:
    refused = then("rejected", code="refused", reason="A turn is running: steer it, or follow up.")
    status, out, err, _ = await sent(runtime, refused, "1-1", "Plant")
    assert (status, out, err) == (1, "", "mirrord: A turn is running: steer it, or follow up\n")


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
        dial = partial(connect, endpoint, name="t", kind="cli", capabilities=CLAIMS)
        async with dial() as first:
            sender = Sender(turn("1-1", "prompt", "Plant"), wait=False)
            following = Following(first, lambda resume: dial(resume=resume), "1-1", sender, pending=Pending(), alive=lambda: True)
            with pytest.raises(ExceptionGroup) as raised:
                await sender.run(following)
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


async def test_a_pi_that_quits_before_it_is_done_is_status_1(runtime: Path) -> None:
    async def script(peer: Peer, said: dict[str, Any]) -> None:
        await peer.say(receipt(said, "accepted"), ENDED)

    status, _, err, _ = await sent(runtime, script, "1-1", "--wait", "Plant")
    assert (status, err) == (1, "mirrord: this Pi quit before it was done\n")


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
