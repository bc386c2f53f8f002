"""Promise: `mirrord attach` shows a session as it is, answers only what was on screen, and ends when there is nothing left to follow."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.prompts import confirm, line_input, select, session
from tests.client.scripted_daemon import WELCOME, Peer, control_socket

ENDED = wire.SessionChanged("changed", session(state="ended"))


def snapshot(*prompts: wire.ExtensionUIRequest) -> wire.Snapshot:
    return wire.Snapshot(
        session_id="1-1",
        cursor="e:1",
        session=session(name="notes"),
        prompts=prompts,
        statuses=(wire.StatusEntry("job", "building"),),
        title=None,
        working=wire.Working(active=False, since=1),
    )


def settled(prompt_id: str, answer: str | None = None) -> wire.ExtensionUISettled:
    return wire.ExtensionUISettled(session_id="1-1", id=prompt_id, outcome="answered", winner="terminal", at=1, answer=answer)


def accepted(response: dict[str, Any]) -> wire.ResponseResult:
    return wire.ResponseResult(response_id=response["responseId"], id=response["id"], accepted=True)


async def attached(peer: Peer, *prompts: wire.ExtensionUIRequest) -> None:
    """From hello to the snapshot."""
    await peer.welcome()
    assert (await peer.hear())["type"] == "subscribe"
    await peer.say(snapshot(*prompts))


# ---- in a terminal ---------------------------------------------------------------------------------------------------


class Desk:
    """`mirrord attach` in a terminal, and the daemon's end of its connection."""

    def __init__(self, terminal: Terminal, peer: Peer) -> None:
        self.terminal = terminal
        self.peer = peer

    async def sees(self, text: str) -> str:
        return await anyio.to_thread.run_sync(partial(self.terminal.wait_for, text, PATIENCE))

    async def types(self, text: str) -> None:
        """The text; with `\r` at its end it is a line."""
        await anyio.to_thread.run_sync(self.terminal.send, text)

    async def presses(self, key: str) -> None:
        await anyio.to_thread.run_sync(self.terminal.keys, key)

    async def exit_code(self) -> int:
        return await anyio.to_thread.run_sync(partial(self.terminal.wait_exit, PATIENCE))


@asynccontextmanager
async def desk(runtime: Path, *prompts: wire.ExtensionUIRequest) -> AsyncIterator[Desk]:
    arrived: list[Peer] = []
    here, done = anyio.Event(), anyio.Event()

    async def script(peer: Peer) -> None:
        await attached(peer, *prompts)
        arrived.append(peer)
        here.set()
        await done.wait()

    async with control_socket(runtime, script):
        make = partial(Terminal, [*MIRRORD, "attach"], env=environment(runtime.parent), cwd=runtime, columns=100, rows=24)
        terminal = await anyio.to_thread.run_sync(make)
        try:
            with anyio.fail_after(PATIENCE):
                await here.wait()
            at = Desk(terminal, arrived[0])
            await at.sees("Attached to notes")
            await at.sees("\n>")
            yield at
        finally:
            done.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(terminal.close)


async def test_a_number_answers_and_the_stream_goes_on_above_the_line(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        shown = await at.sees("  2  banana")
        assert "? Which fruit?" in shown
        await at.types("2\r")
        response = await at.peer.hear()
        assert (response["id"], response["index"]) == ("s", 1)
        await at.peer.say(settled("s", "banana"), accepted(response))
        await at.sees("= Which fruit?: banana (in the terminal)")
        await at.sees("Your answer was taken.")
        await at.peer.say(ENDED)
        await at.sees("The session has ended.")
        assert await at.exit_code() == 0


async def test_a_line_begun_for_a_prompt_that_was_settled_is_not_sent(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("y")
        await at.sees("> y")
        await at.peer.say(settled("s", "apple"), confirm())
        await at.sees("? Delete?")
        shown = await at.sees("> y")
        assert shown.rstrip().endswith("> y"), "what is being typed stays below the stream"
        await at.types("\r")
        await at.sees("settled meanwhile; the line was not sent")
        await at.types("y\r")
        response = await at.peer.hear()
        assert (response["id"], response["confirmed"]) == ("c", True), "the next line answers the prompt on screen"


async def test_an_emptied_line_begins_anew(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("1")
        await at.sees("> 1")
        await at.peer.say(settled("s"), confirm())
        await at.sees("? Delete?")
        await at.presses("backspace")
        await at.types("n\r")
        response = await at.peer.hear()
        assert (response["id"], response["confirmed"]) == ("c", False)


async def test_a_line_that_is_no_answer_is_explained(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("mango\r")
        await at.sees("Type a number from 1 to 3")
        await at.types("/cancel\r")
        assert (await at.peer.hear())["cancelled"] is True


async def test_a_secret_is_not_shown_but_sent(runtime: Path) -> None:
    async with desk(runtime, line_input(masked=True)) as at:
        await at.types("hunter2")
        await at.sees("> *******")
        await at.types("\r")
        assert (await at.peer.hear())["value"] == "hunter2"
        await at.sees("> (hidden)")
        assert b"hunter" not in at.terminal.output()


async def test_ctrl_c_leaves_quietly_with_130(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.presses("ctrl+c")
        assert await at.exit_code() == 130
        assert "Traceback" not in at.terminal.history_text()
        assert "Error" not in at.terminal.history_text()


async def test_ctrl_d_leaves_with_0(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.presses("ctrl+d")
        assert await at.exit_code() == 0


async def test_a_daemon_that_stops_is_told_and_the_terminal_is_left_in_order(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("1")
        await at.sees("> 1")
        await at.peer.socket.close(1001, "the daemon stops")
        await at.sees("mirrord: the daemon stopped (the daemon stops)")
        assert await at.exit_code() == 1
        assert at.terminal.output().count(b"\x1b[?2004h") == at.terminal.output().count(b"\x1b[?2004l")


async def test_nothing_that_a_daemon_says_reaches_the_terminal_as_a_command(runtime: Path) -> None:
    evil = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\u202ee"
    async with desk(runtime) as at:
        await at.peer.say(wire.ExtensionUINotification(session_id="1-1", method="notify", message=evil))
        await at.sees("- notice: abcde")
        assert at.terminal.snapshot().title == ""
        assert b"owned" not in at.terminal.output()


# ---- without a terminal ----------------------------------------------------------------------------------------------


async def piped(runtime: Path, script: Callable[[Peer], Awaitable[None]], *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Exit status, stdout and stderr of `mirrord attach` with this on its stdin."""

    async def serve(peer: Peer) -> None:
        await script(peer)
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "attach", *arguments, stdin=stdin))
    return done.returncode, done.stdout, done.stderr


async def test_a_pipe_answers_and_leaves_when_the_verdict_is_there(runtime: Path) -> None:
    responses = []

    async def script(peer: Peer) -> None:
        await attached(peer, select())
        responses.append(await peer.hear())
        await peer.say(settled("s", "banana"), accepted(responses[0]))

    # The first byte must arrive after the prompt: a shell that waits for the card and then answers.
    async with (
        control_socket(runtime, lambda peer: _then_wait(script, peer)),
        await anyio.open_process([*MIRRORD, "attach"], env=environment(runtime.parent)) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        shown = ""
        with anyio.fail_after(PATIENCE):
            while "cancels." not in shown:
                shown += (await process.stdout.receive()).decode()
            await process.stdin.send(b"banana\n")
            await process.stdin.aclose()
            async for chunk in process.stdout:
                shown += chunk.decode()
            assert await process.wait() == 0
    assert responses[0]["index"] == 1
    assert "Your answer was taken." in shown


async def _then_wait(script: Callable[[Peer], Awaitable[None]], peer: Peer) -> None:
    await script(peer)
    await peer.socket.wait_closed()


async def test_a_line_that_came_before_the_prompt_is_not_sent(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await attached(peer)

    status, out, _ = await piped(runtime, script, stdin="1\n")
    assert status == 0
    assert "Nothing was asked when you began to type" in out


async def test_read_only_reads_no_input_and_follows_to_the_end(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await attached(peer, select())
        await peer.say(settled("s", "apple"), ENDED)

    status, out, _ = await piped(runtime, script, "--read-only", stdin="1\n")
    assert status == 0
    assert out.splitlines() == [
        "Attached to notes (1-1, Pi 1.6.0), idle.",
        "  job: building",
        "",
        "? Which fruit?",
        "  1  apple",
        "  2  banana",
        "  3  cherry",
        "= Which fruit?: apple (in the terminal)",
        "- ended",
        "The session has ended.",
    ]


async def test_an_observer_is_told_and_watches(runtime: Path) -> None:
    observer = msgspec.structs.replace(WELCOME, role="observer", notice="This program runs inside a mirrored Pi.")

    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(observer)
        await peer.hear()
        await peer.say(snapshot(select()), ENDED)

    status, out, err = await piped(runtime, script, stdin="1\n")
    assert status == 0
    assert err == "This program runs inside a mirrored Pi.\n"
    assert "Type a number" not in out


async def test_which_prompt_waits_is_shown_again_when_the_newer_one_ends(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await attached(peer, select(), confirm())
        await peer.say(settled("c", "Yes"), ENDED)

    _, out, _ = await piped(runtime, script, "--read-only")
    assert "= Delete?: Yes (in the terminal)\n\nStill waiting:\n\n? Which fruit?\n" in out


async def test_several_sessions_are_listed(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(msgspec.structs.replace(WELCOME, sessions=(session("1-1", name="a"), session("2-2", name="b"))))

    status, out, err = await piped(runtime, script)
    assert (status, out) == (1, "")
    assert err == "mirrord: several sessions: 1-1 (a), 2-2 (b); say which: mirrord attach 1-1\n"


async def test_an_unknown_session_is_one_sentence(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.welcome()

    status, out, err = await piped(runtime, script, "nope")
    assert (status, out) == (1, "")
    assert err == "mirrord: no session is called 'nope'; there are: 1-1 (/home/ada/notes)\n"


# ---- as lines of JSON ------------------------------------------------------------------------------------------------


async def test_json_gives_every_message_as_one_line_of_ascii(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await attached(peer)
        await peer.say({"type": "from_the_future", "sessionId": "1-1", "text": "é\x9b\u202e"}, ENDED)

    status, out, err = await piped(runtime, script, "--json", "--read-only")
    assert (status, err) == (0, "")
    assert out.isascii()
    messages = [json.loads(line) for line in out.splitlines()]
    assert [message["type"] for message in messages] == ["welcome", "snapshot", "from_the_future", "session"]
    assert messages[2]["text"] == "é\x9b\u202e"


async def test_json_lines_in_are_sent_and_bad_ones_are_answered_with_an_error(runtime: Path) -> None:
    heard = []

    async def script(peer: Peer) -> None:
        await attached(peer, select())
        for _ in range(2):
            heard.append(await peer.hear())
        await peer.say(wire.ResponseResult(response_id="r", id="s", accepted=True))

    lines = [
        "not json",
        '{"type":"hello","client":{"name":"x","kind":"x"},"protocol":{"min":1,"max":1}}',
        '{"type":"extension_ui_response"}',
        "",
        '{"type":"unsubscribe","sessionId":"9"}',
        '{"type":"extension_ui_response","id":"s","responseId":"r","index":0}',
    ]
    status, out, err = await piped(runtime, script, "--json", stdin="\n".join(lines) + "\n")
    assert (status, err) == (0, "")
    assert [message["type"] for message in heard] == ["unsubscribe", "extension_ui_response"]
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["code"] for answer in answers if answer["type"] == "error"] == ["malformed"] * 3
    assert answers[-1]["type"] == "response_result", "the end of the input waits for the verdict"


async def test_json_ends_with_its_input(runtime: Path) -> None:
    status, _, err = await piped(runtime, attached, "--json")
    assert (status, err) == (0, "")


@pytest.mark.parametrize("arguments", [("--json", "--read-only"), ("--read-only",)])
async def test_a_reader_that_goes_away_ends_it_without_a_traceback(runtime: Path, arguments: tuple[str, ...]) -> None:
    async def script(peer: Peer) -> None:
        await attached(peer)
        for number in range(2000):
            await peer.say(wire.ExtensionUINotification(session_id="1-1", method="notify", message=f"{number}"))

    async with control_socket(runtime, lambda peer: _then_wait(script, peer)):
        command = " ".join([*MIRRORD, "attach", *arguments, "| head -n 1; echo ${PIPESTATUS[0]}"])
        process = await anyio.run_process(["bash", "-c", command], env=environment(runtime.parent), check=False)
    assert process.stdout.decode().splitlines()[-1] == "141"
    assert b"Traceback" not in process.stderr
