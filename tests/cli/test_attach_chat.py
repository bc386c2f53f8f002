"""Promise: `mirrord attach` shows a conversation as it streams; what is typed is sent once, and told until it has a receipt."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from mirrord.attach import follow
from mirrord.attach.chat import ChatPane
from mirrord.attach.panel import Panel
from mirrord.attach.screen import Typed, nothing
from mirrord.attach.session import AttachSession
from mirrord.client import Following, connect
from mirrord.client.chat import CLAIMS
from mirrord.demo.terminal import Terminal
from mirrord.wire import chat as wire
from mirrord.wire import messages
from tests.cli.attached import ENDED, piped, settled, snapshot
from tests.cli.chatting import CHATTY, event, everything, follows, message, receipt
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.prompts import confirm, select
from tests.cli.test_attach import Desk
from tests.client.scripted_daemon import WELCOME, Peer, control_socket

ONE = message("e1", "Plan the beds", kind="user")


class Page:
    """A screen that is a list of lines. `input_`: what comes on stdin."""

    answers = True
    replaces = False

    def __init__(self, session: AttachSession, input_: list[str]) -> None:
        self.lines: list[str] = []
        self._session = session
        self._input = input_

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        self.lines += lines
        then()

    def replace(self, panel: Panel) -> None:
        raise AssertionError("nothing can be replaced here")

    async def typed(self) -> AsyncIterator[Typed]:
        for line in self._input:
            yield Typed(self._session.start_line(), line)


@asynccontextmanager
async def desk(runtime: Path, *shown: wire.ChatMessage, streaming: bool = False) -> AsyncIterator[Desk]:
    """`mirrord attach` in a terminal, with this conversation on screen."""
    arrive, arrived = anyio.create_memory_object_stream[Peer](8)
    done, begun = anyio.Event(), anyio.Event()

    async def script(peer: Peer) -> None:
        if not begun.is_set():
            begun.set()
            await follows(peer, *shown, streaming=streaming)
        await arrive.send(peer)
        await done.wait()

    async with control_socket(runtime, script):
        make = partial(Terminal, [*MIRRORD, "attach"], env=environment(runtime.parent), cwd=runtime, columns=100, rows=30)
        terminal = await anyio.to_thread.run_sync(make)
        try:
            with anyio.fail_after(PATIENCE):
                at = Desk(terminal, await arrived.receive(), arrived)
            await at.sees("User: Plan the beds" if shown else "Attached to notes")
            await at.sees("\n>")
            yield at
        finally:
            done.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(terminal.close)
            arrive.close()
            arrived.close()


async def test_an_answer_is_written_above_the_line_as_it_streams(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        streaming = message("live:1", state="streaming")
        await at.peer.say(event(2, patches=(wire.ChatPatch("add", "/messages/1", streaming),)))
        start = wire.ChatPart("text")
        await at.peer.say(event(3, appends=(wire.ChatAppend(1, 0, 0, "I plant tulips.\nTh", start),)))
        await at.sees("Pi: I plant tulips.")
        await at.types("ty")
        await at.sees("> ty")
        await at.peer.say(event(4, appends=(wire.ChatAppend(1, 0, 18, "en roses.\n"),)))
        shown = await at.sees("    Then roses.\n> ty")
        assert shown.count("I plant tulips.") == 1


async def test_a_typed_line_is_a_prompt_and_its_receipts_are_shown(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.types("And the roses?\r")
        sent = await at.peer.hear()
        assert (sent["type"], sent["action"], sent["text"]) == ("chat_action", "submit", "And the roses?")
        assert "kind" not in sent, "a prompt"
        await at.sees("(sent as a prompt)")
        await at.peer.say(receipt(sent, "accepted"))
        await at.sees("(it is at Pi's terminal)")
        row = message("e2", "And the roses?", kind="user", client_turn_id=sent["clientTurnId"])
        await at.peer.say(event(2, patches=(wire.ChatPatch("add", "/messages/1", row),)), receipt(sent, "consumed", row_id="e2"))
        await at.sees("You: And the roses?")


async def test_while_pi_works_a_line_steers_and_follow_waits(runtime: Path) -> None:
    async with desk(runtime, ONE, streaming=True) as at:
        await at.types("north first\r")
        assert (await at.peer.hear())["kind"] == "steer"
        await at.sees("(sent, steers the turn)")
        await at.types("/follow then the roses\r")
        sent = await at.peer.hear()
        assert (sent["kind"], sent["text"]) == ("follow_up", "then the roses")
        await at.peer.say(receipt(sent, "queued"))
        await at.sees("(it waits in Pi's queue)")
        waiting = wire.QueuedFollowUp("follow_up", 0, "then the roses")
        await at.peer.say(event(2, snapshot=wire.ChatSnapshot(queued_follow_ups=(waiting,))))
        await at.sees("1. (follows) then the roses")
        await at.types("/stop\r")
        assert (await at.peer.hear())["name"] == "stop_turn"


async def test_a_command_that_pi_refuses_keeps_its_text_and_says_why(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.types("/model\r")
        sent = await at.peer.hear()
        assert (sent["kind"], sent["text"]) == ("command", "/model")
        await at.peer.say(receipt(sent, "rejected", code="refused", reason="Pi has /model at the terminal only."))
        await at.sees("'/model' was refused: Pi has /model at the terminal only. Your text is kept")
        await at.types("/retry\r")
        again = await at.peer.hear()
        assert (again["text"], again["kind"]) == ("/model", "command")
        assert again["clientTurnId"] != sent["clientTurnId"], "a rejected one never acts, so this is another"
        await at.peer.say(receipt(again, "rejected", code="refused", reason="No."))
        await at.sees("was refused: No.")
        await at.types("/discard\r")
        await at.sees("(given up; it was never sent)")


async def test_one_of_which_nobody_knows_is_tried_again_under_its_id_or_given_up(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.types("Plant\r")
        sent = await at.peer.hear()
        await at.peer.say(receipt(sent, "unknown", reason="The link to Pi broke."))
        await at.sees("It is not known whether Pi took 'Plant': The link to Pi broke.")
        await at.types("/retry\r")
        assert await at.peer.hear() == sent
        await at.peer.say(receipt(sent, "unknown", reason="The link to Pi broke."))
        await at.types("/discard\r")
        assert await at.peer.hear() == {
            "type": "chat_action",
            "sessionId": "1-1",
            "clientTurnId": sent["clientTurnId"],
            "action": "discard",
        }
        await at.peer.say(receipt(sent, "unknown", code="discarded"))
        await at.sees("(given up)")


async def test_after_a_cut_it_goes_on_at_both_cursors_and_sends_again_what_has_no_receipt(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.types("And the roses?\r")
        sent = await at.peer.hear()
        at.peer.socket.transport.abort()
        peer = await at.comes_back()
        await peer.hear()
        await peer.say(CHATTY)
        assert await peer.hear() == {"type": "chat_subscribe", "sessionId": "1-1", "since": "e:1", "entryId": "e1"}
        assert await peer.hear() == sent, "under the same id"
        await peer.say(everything(1, ONE, message("e2", "Roses are planted.")), receipt(sent, "accepted"))
        shown = await at.sees("Pi: Roses are planted.")
        assert shown.count("User: Plan the beds") == 1, "what was written is not written again"


async def test_a_line_for_a_prompt_is_no_message_even_when_the_prompt_ended(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.peer.say(msgspec.structs.replace(confirm(), cursor="e:2"))
        await at.sees("? Delete?")
        await at.types("y")
        await at.sees("> y")
        await at.peer.say(settled("c", "No"))
        await at.sees("= Delete?: No")
        await at.types("\r")
        await at.sees("settled meanwhile; the line was not sent")
        await at.types("/help\r")
        await at.sees("steers the turn that runs")


async def test_earlier_messages_come_from_the_window_and_then_from_the_daemon(runtime: Path) -> None:
    window = [message(f"e{number}", f"number {number}", kind="user") for number in range(12)]
    window.append(ONE)
    async with desk(runtime, *window) as at:
        await at.peer.say(event(2, snapshot=wire.ChatSnapshot(history=wire.ChatHistory(True, "e0"))))
        await at.types("/older\r")
        await at.sees("User: number 0")
        await at.types("/older\r")
        asked = await at.peer.hear()
        assert (asked["name"], asked["args"]) == ("chat_history", {"sessionId": "1-1", "before": "e0", "limit": 10})
        page = {"messages": [{"id": "d9", "kind": "user", "at": 1, "state": "done", "parts": [{"type": "text", "text": "the first"}]}]}
        await at.peer.say(messages.CommandResult(request_id=asked["requestId"], ok=True, data=page | {"more": False, "before": None}))
        await at.sees("User: the first")
        await at.types("/older\r")
        await at.sees("This is the beginning of the conversation.")


async def test_earlier_messages_that_are_refused_can_be_asked_for_again(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        await at.peer.say(event(2, snapshot=wire.ChatSnapshot(history=wire.ChatHistory(True, "e0"))))
        for why in ("Too many requests wait for this terminal; try again.", "And once more."):
            await at.types("/older\r")
            asked = await at.peer.hear()
            assert asked["name"] == "chat_history"
            busy = messages.CommandError("busy", why)
            await at.peer.say(messages.CommandResult(request_id=asked["requestId"], ok=False, error=busy))
            await at.sees(why)


async def test_what_is_told_beside_the_messages_is_shown(runtime: Path) -> None:
    async with desk(runtime, ONE) as at:
        notice = wire.ChatNotice("warning", "Pi is still busy \x1b[31m5 s after it was told to stop.")
        await at.peer.say(event(2, notice=notice))
        await at.sees("- warning: Pi is still busy 5 s after it was told to stop.")
        new = everything(3, message("f1", "Hello", kind="user"))
        await at.peer.say(msgspec.structs.replace(new, boundary="new", gap=wire.ChatGap(since="x:1")))
        await at.sees("--- Another conversation was begun at the terminal.")
        await at.sees("may have been missed")
        await at.sees("User: Hello")


async def test_a_daemon_that_tells_no_conversation_is_attached_to_as_before(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.welcome()
        assert (await peer.hear())["type"] == "subscribe"
        await peer.say(snapshot())

    assert WELCOME.capabilities == ()
    status, out, _ = await piped(runtime, script, stdin="hello\n")
    assert (status, "Nothing was asked when you began to type" in out) == (0, True)


# ---- without a terminal ----------------------------------------------------------------------------------------------


async def test_a_pipe_says_only_what_is_meant_for_pi_and_ends_with_the_receipt(runtime: Path) -> None:
    heard = []

    async def script(peer: Peer) -> None:
        await follows(peer, ONE)
        heard.append(await peer.hear())
        await peer.say(receipt(heard[0], "accepted"), receipt(heard[0], "queued"))

    status, out, _ = await piped(runtime, script, stdin="y\n/say Plant tulips\n")
    assert heard[0]["text"] == "Plant tulips"
    assert status == 0
    assert "/say TEXT sends it to Pi" in out


async def test_a_pipe_waits_for_what_pi_says_to_its_message(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await follows(peer, ONE)
        said = await peer.hear()
        await peer.say(receipt(said, "accepted"), receipt(said, "rejected", code="refused", reason="No API key found."))

    status, out, _ = await piped(runtime, script, stdin="/say Plant tulips\n")
    assert status == 1
    assert "'Plant tulips' was refused: No API key found." in out


async def test_a_pipe_that_hears_no_word_of_pis_says_so(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "VERDICT_SECONDS", 0.2)

    async def script(peer: Peer) -> None:
        await follows(peer, ONE)
        await peer.say(receipt(await peer.hear(), "accepted"))
        await peer.socket.wait_closed()

    state = AttachSession()
    page = Page(state, ["/say Plant tulips"])
    async with control_socket(runtime, script) as endpoint:
        dial = partial(connect, endpoint, name="t", kind="cli", capabilities=CLAIMS)
        async with dial() as first:
            follower = follow.Follower("1-1", page, state, ChatPane("1-1", page, lambda: None, at_desk=False))
            following = Following(first, lambda resume: dial(resume=resume), "1-1", follower, pending=state.pending, alive=lambda: True)
            assert await follower.run(following) == 1
    assert page.lines[-1] == follow.UNTOLD_SENTENCE


async def test_read_only_shows_the_conversation_and_sends_nothing(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await follows(peer, ONE, message("e2", "Done.\n\nAll of it."))
        await peer.say(ENDED)

    status, out, _ = await piped(runtime, script, "--read-only", stdin="/say no\n")
    assert status == 0
    assert out.splitlines()[2:] == ["User: Plan the beds", "Pi: Done.", "", "    All of it.", "- ended", "The session has ended."]


async def test_json_carries_every_event_and_takes_messages(runtime: Path) -> None:
    action = {"type": "chat_action", "sessionId": "1-1", "clientTurnId": "t1", "action": "submit", "text": "Plant"}
    heard = []

    async def script(peer: Peer) -> None:
        await follows(peer, ONE)
        heard.append(await peer.hear())
        await peer.say(event(2, notice=wire.ChatNotice("info", "é")), receipt(heard[0], "consumed", row_id="e2"))

    status, out, err = await piped(runtime, script, "--json", stdin=f"{json.dumps(action)}\n")
    assert (status, err) == (0, "")
    assert heard == [action]
    told = [json.loads(line) for line in out.splitlines()]
    assert [each["type"] for each in told] == ["welcome", "snapshot", "chat_event", "chat_event", "receipt"]


async def test_a_select_is_still_answered_while_a_conversation_goes_on(runtime: Path) -> None:
    async with desk(runtime, ONE, streaming=True) as at:
        await at.peer.say(msgspec.structs.replace(select(), cursor="e:2"))
        await at.sees("  2  banana")
        await at.types("2\r")
        response = await at.peer.hear()
        assert (response["type"], response["index"]) == ("extension_ui_response", 1)
