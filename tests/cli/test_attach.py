"""Promise: in a terminal `mirrord attach` shows a session above the line that is typed, and a line answers only what was on screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.cli.attached import ENDED, accepted, attached, settled
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.prompts import confirm, line_input, select
from tests.client.scripted_daemon import Peer, control_socket


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
