"""Promise: without a terminal `mirrord attach` is a stream of lines, or of JSON, that ends when there is nothing left to follow."""

from __future__ import annotations

import json
import os
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from mirrord.attach import json_lines as attach_json
from mirrord.attach.follow import UNCONFIRMED
from mirrord.client import Following, Pending, connect
from mirrord.wire import messages as wire
from tests.cli.attached import ENDED, accepted, and_wait, attached, piped, settled, snapshot
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.prompts import confirm, editor, select, session
from tests.client.scripted_daemon import WELCOME, Peer, Script, control_socket


async def test_a_pipe_answers_and_leaves_when_the_verdict_is_there(runtime: Path) -> None:
    responses = []

    async def script(peer: Peer) -> None:
        await attached(peer, select())
        responses.append(await peer.hear())
        await peer.say(settled("s", "banana"), accepted(responses[0]))

    # The first byte must arrive after the prompt: a shell that waits for the card and then answers.
    async with (
        control_socket(runtime, lambda peer: and_wait(script, peer)),
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
        "- job: building",
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

    async with control_socket(runtime, lambda peer: and_wait(script, peer)):
        command = " ".join([*MIRRORD, "attach", *arguments, "| head -n 1; echo ${PIPESTATUS[0]}"])
        process = await anyio.run_process(["bash", "-c", command], env=environment(runtime.parent), check=False)
    assert process.stdout.decode().splitlines()[-1] == "141"
    assert b"Traceback" not in process.stderr


# ---- over several connections ----------------------------------------------------------------------------------------


async def two_connections(runtime: Path, first: Script, second: Script, *arguments: str, lines: str = "") -> tuple[int, list[str]]:
    """Exit status and lines out when the first connection is cut after its script. The input stays open until then."""
    left = [first, second]
    cut = anyio.Event()

    async def serve(peer: Peer) -> None:
        script = left.pop(0)
        await script(peer)
        if left:
            peer.socket.transport.abort()
            cut.set()
        else:
            await peer.socket.wait_closed()

    out = b""
    async with (
        control_socket(runtime, serve),
        await anyio.open_process([*MIRRORD, "attach", *arguments], env=environment(runtime.parent)) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        with anyio.fail_after(PATIENCE):
            await process.stdin.send(lines.encode())
            await cut.wait()
            async for chunk in process.stdout:
                out += chunk
            return await process.wait(), out.decode().splitlines()


ANSWER = '{"type":"extension_ui_response","id":"s","responseId":"r","index":0}\n'


async def test_json_continues_and_passes_on_verdicts_alone(runtime: Path) -> None:
    async def first(peer: Peer) -> None:
        await attached(peer, select())
        assert (await peer.hear())["responseId"] == "r"

    async def second(peer: Peer) -> None:
        assert (await peer.welcome())["resume"] == {"1-1": "e:1"}
        response = await peer.hear()
        await peer.say(wire.ResponseResult(response_id="r", id="s", accepted=False, reason="unknown"))
        assert await peer.hear() == response, "unknown was no verdict on what the first daemon may have passed on"
        await peer.say(accepted(response), ENDED)

    status, lines = await two_connections(runtime, first, second, "--json", lines=ANSWER)
    messages = [json.loads(line) for line in lines]
    assert status == 0
    assert [message["type"] for message in messages] == ["welcome", "snapshot", "connection_lost", "welcome", "response_result", "session"]
    assert messages[4]["accepted"] is True


async def test_json_lines_wait_for_a_daemon_that_is_away(runtime: Path) -> None:
    heard = []

    async def first(peer: Peer) -> None:
        await attached(peer, select())

    async def second(peer: Peer) -> None:
        await peer.welcome()
        heard.append(await peer.hear())
        await peer.say(accepted(heard[0]), ENDED)

    # The line is read while no connection stands, or sent over the first and again over the second: it arrives all the same.
    status, lines = await two_connections(runtime, first, second, "--json", lines=ANSWER)
    assert status == 0
    assert heard[0]["responseId"] == "r"
    assert json.loads(lines[-2])["type"] == "response_result"


async def test_json_pieces_of_a_text_go_out_again_with_their_response(runtime: Path) -> None:
    said = [
        {"type": "content_part", "responseId": "r", "part": 0, "parts": 2, "text": "a"},
        {"type": "content_part", "responseId": "r", "part": 1, "parts": 2, "text": "b"},
        {"type": "extension_ui_response", "id": "e", "responseId": "r", "parts": 2},
    ]
    heard: list[list[object]] = []

    async def first(peer: Peer) -> None:
        await attached(peer, editor())
        heard.append([await peer.hear() for _ in said])

    async def second(peer: Peer) -> None:
        await peer.welcome()
        heard.append([await peer.hear() for _ in said])
        await peer.say(wire.ResponseResult(response_id="r", id="e", accepted=True), ENDED)

    status, _ = await two_connections(runtime, first, second, "--json", lines="".join(f"{json.dumps(line)}\n" for line in said))
    assert status == 0
    assert heard == [said, said]


async def test_an_end_of_the_input_without_a_verdict_is_status_1(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []

    async def script(peer: Peer) -> None:
        await attached(peer, select())
        while True:
            sent.append(await peer.hear())

    async with control_socket(runtime, script) as endpoint, connect(endpoint, name="t", kind="cli") as connection:
        monkeypatch.setattr(attach_json, "VERDICT_SECONDS", 0.05)
        reader, writer = os.pipe()
        os.write(writer, ANSWER.encode())
        os.close(writer)
        pending = Pending()
        follower = attach_json.JsonFollower("1-1", reader, pending)
        following = Following(
            connection, lambda _: connect(endpoint, name="t", kind="cli"), "1-1", follower, pending=pending, alive=lambda: True
        )
        with anyio.fail_after(PATIENCE):
            assert await follower.run(following) == UNCONFIRMED
        os.close(reader)
