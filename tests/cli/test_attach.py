"""Promise: in a terminal `mirrord attach` shows a session above the line that is typed, and a line answers only what was on screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream

from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.cli.attached import ENDED, accepted, attached, settled
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.prompts import BASE, CHECKS, NOTE, ask, at_the_terminal, confirm, editor, line_input, select
from tests.client.scripted_daemon import Peer, control_socket


class Desk:
    """`mirrord attach` in a terminal, and the daemon's end of its first connection; later ones arrive in `others`."""

    def __init__(self, terminal: Terminal, peer: Peer, others: MemoryObjectReceiveStream[Peer]) -> None:
        self.terminal = terminal
        self.peer = peer
        self._others = others

    async def comes_back(self) -> Peer:
        """The next connection, which has said nothing yet."""
        with anyio.fail_after(PATIENCE):
            return await self._others.receive()

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
    arrive, arrived = anyio.create_memory_object_stream[Peer](8)
    done, attached_once = anyio.Event(), anyio.Event()

    async def script(peer: Peer) -> None:
        if not attached_once.is_set():
            await attached(peer, *prompts)
            attached_once.set()
        await arrive.send(peer)
        await done.wait()

    async with control_socket(runtime, script):
        make = partial(Terminal, [*MIRRORD, "attach"], env=environment(runtime.parent), cwd=runtime, columns=100, rows=24)
        terminal = await anyio.to_thread.run_sync(make)
        try:
            with anyio.fail_after(PATIENCE):
                at = Desk(terminal, await arrived.receive(), arrived)
            await at.sees("Attached to notes")
            await at.sees("\n>")
            yield at
        finally:
            done.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(terminal.close)
            arrive.close()
            arrived.close()


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


async def test_a_daemon_that_stops_is_told_and_the_line_being_typed_stays(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("1")
        await at.sees("> 1")
        await at.peer.socket.close(1001, "the daemon stops")
        await at.sees("- the daemon stopped (the daemon stops); connecting again")
        peer = await at.comes_back()
        assert (await peer.welcome())["resume"] == {"1-1": "e:1"}
        await at.sees("- connected again")
        await at.types("\r")
        response = await peer.hear()
        assert (response["id"], response["index"]) == ("s", 0)
        await peer.say(settled("s", "apple"), accepted(response), ENDED)
        await at.sees("Your answer was taken.")
        assert await at.exit_code() == 0
        assert at.terminal.output().count(b"\x1b[?2004h") == at.terminal.output().count(b"\x1b[?2004l")
        assert "Some events were missed" not in at.terminal.history_text(), "they were continued at the cursor"


async def test_a_line_is_not_sent_while_the_daemon_is_away(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        (runtime / "control.sock").unlink()
        await at.peer.socket.close(1001, "")
        await at.sees("connecting again")
        await at.types("1\r")
        await at.sees("The daemon is away, so nothing was sent.")
        await at.presses("ctrl+c")
        assert await at.exit_code() == 130


async def test_the_verdict_of_an_answer_comes_from_the_daemon_that_follows(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("2\r")
        sent = await at.peer.hear()
        at.peer.socket.transport.abort()
        peer = await at.comes_back()
        await peer.welcome()
        again = await peer.hear()
        assert again == sent, "the same answer, under the same id"
        await peer.say(settled("s", "apple"), wire.ResponseResult(response_id=sent["responseId"], id="s", accepted=False, reason="settled"))
        await at.sees("The prompt had ended already; your answer changed nothing.")
        assert "Your answer was taken" not in at.terminal.history_text()


async def test_an_answer_without_a_verdict_is_not_confirmed_and_tried_again(runtime: Path) -> None:
    async with desk(runtime, select()) as at:
        await at.types("2\r")
        sent = await at.peer.hear()
        await at.sees("Your answer to 'Which fruit?' is not confirmed yet; trying again.")
        again = await at.peer.hear()
        assert again == sent
        await at.peer.say(settled("s", "banana"), accepted(again))
        await at.sees("Your answer was taken.")


async def test_an_editor_is_answered_by_keeping_its_text_or_with_a_file(runtime: Path) -> None:
    (runtime / "plan.md").write_bytes(b"three\r\n\tfour")
    async with desk(runtime, editor()) as at:
        await at.sees("  │ two")
        await at.types("new text\r")
        await at.sees("a typed line is not sent")
        await at.types("/file missing.md\r")
        await at.sees("missing.md cannot be read (No such file or directory). Nothing was sent.")
        await at.types("/file plan.md\r")
        response = await at.peer.hear()
        assert (response["id"], response["value"]) == ("e", "three\r\n\tfour")
        await at.peer.say(settled("e"), accepted(response), editor("e2", prefill="five"))
        await at.sees("Your answer was taken.")
        await at.sees("  │ five")
        await at.types("/keep\r")
        response = await at.peer.hear()
        assert (response["id"], response["unchanged"]) == ("e2", True)


async def test_a_long_text_is_fetched_shown_and_sent_in_pieces(runtime: Path) -> None:
    long = "ü" * 400_000
    (runtime / "long.md").write_text(long)
    async with desk(runtime, editor(prefill=None, prefill_parts=2)) as at:
        await at.sees("(its text is on the way)")
        asked = [await at.peer.hear(), await at.peer.hear()]
        assert [(each["name"], each["args"]) for each in asked] == [
            ("prefill", {"id": "e", "part": 0}),
            ("prefill", {"id": "e", "part": 1}),
        ]
        for part, each in enumerate(asked):
            data = {"part": part, "parts": 2, "text": ("be", "gin\nend")[part]}
            await at.peer.say(wire.CommandResult(request_id=each["requestId"], ok=True, data=data))
        await at.sees("  │ begin")
        await at.sees("  │ end")
        await at.types("/file long.md\r")
        heard = [await at.peer.hear()]
        while heard[-1]["type"] == "content_part":
            heard.append(await at.peer.hear())
        *pieces, response = heard
        assert "".join(piece["text"] for piece in pieces) == long
        assert (response["id"], response["parts"]) == ("e", len(pieces))
        assert {piece["responseId"] for piece in pieces} == {response["responseId"]}


async def test_one_line_answers_all_questions(runtime: Path) -> None:
    async with desk(runtime, ask(BASE, CHECKS, NOTE)) as at:
        await at.sees("  2. checks? (several may be chosen)")
        await at.types("2 ; 1,3\r")
        await at.sees("There are 3 questions and this line answers 2")
        await at.types("2 ; 1,3 ; -\r")
        response = await at.peer.hear()
        assert response["answers"] == {"base": "v:develop", "checks": ["v:lint", "v:tests"]}


async def test_what_only_the_terminal_answers_sends_nothing(runtime: Path) -> None:
    async with desk(runtime, select(), at_the_terminal()) as at:
        await at.sees("? snake asks: A dialog of snake")
        await at.types("1\r")
        await at.sees("use it at the terminal. Nothing was sent.")
        await at.peer.say(settled("t"))
        await at.sees("Still waiting:")
        await at.types("1\r")
        assert (await at.peer.hear())["id"] == "s"


async def test_more_options_come_in_pages_and_can_be_typed(runtime: Path) -> None:
    async with desk(runtime, select(options=("a", "b"), count=4)) as at:
        await at.sees("(2 of 4 options; /more shows the next")
        await at.types("/more\r")
        asked = await at.peer.hear()
        assert (asked["name"], asked["args"]) == ("options", {"id": "s", "offset": 2})
        data = {"offset": 2, "options": ["c", "d"], "optionCount": 4}
        await at.peer.say(wire.CommandResult(request_id=asked["requestId"], ok=True, data=data))
        await at.sees("  4  d")
        await at.types("d\r")
        assert (await at.peer.hear())["index"] == 3


async def test_stop_stops_the_turn_and_says_what_came_of_it(runtime: Path) -> None:
    async with desk(runtime) as at:
        await at.types("/stop\r")
        asked = await at.peer.hear()
        assert (asked["name"], asked["args"]) == ("stop_turn", {"sessionId": "1-1"})
        await at.peer.say(wire.CommandResult(request_id=asked["requestId"], ok=True))
        await at.sees("The agent's turn was stopped.")
        await at.types("/stop\r")
        asked = await at.peer.hear()
        refused = wire.CommandError("detached", "The terminal cannot be reached right now; try again.")
        await at.peer.say(wire.CommandResult(request_id=asked["requestId"], ok=False, error=refused))
        await at.sees("The terminal cannot be reached right now; try again.")


async def test_nothing_that_a_daemon_says_reaches_the_terminal_as_a_command(runtime: Path) -> None:
    evil = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\u202ee"
    async with desk(runtime) as at:
        await at.peer.say(wire.ExtensionUINotification(session_id="1-1", method="notify", message=evil))
        await at.sees("- notice: abcde")
        assert at.terminal.snapshot().title == ""
        assert b"owned" not in at.terminal.output()
