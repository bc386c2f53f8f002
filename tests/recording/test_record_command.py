"""Promise (design FIXED 7): what `mirrord record` writes holds nothing that was typed, and of the conversation only what was asked for.

The command runs beside a daemon whose terminal asks for every kind of text, shows a dialog, hands a text over, and converses.
"""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import chat
from bridge import messages as bridge
from mirrord.client import Connection, Local, Remote, connect
from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.recording.format import Recording, read
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.cli.commands import MIRRORD, PATIENCE, run
from tests.client.scripted_daemon import WELCOME, Peer, control_socket
from tests.test_canary import ANSWERS, CANARY, PROMPTS, settle

TALK = "blue conversation 91ce"
METHODS = {"setCustomView", "set_editor_text", "notify"}
LAST = "everything was told"


def start(output: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*MIRRORD, "record", "-o", str(output), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_last(told: wire.ExtensionUINotification) -> bool:
    return told.message == LAST


def is_recorded(output: Path) -> bool:
    """The session's snapshot is in what was written so far."""
    part = output.with_name(f"{output.name}.part")
    return part.exists() and '"type":"snapshot"' in part.read_text()


async def play(extension: FakeExtension, phone: Connection) -> None:
    """All that may hold the canary, in every form in which it comes; what is conversation holds TALK."""
    rows = (
        chat.ChatRow("e1", "user", 1, "done", (chat.ChatPart("text", TALK),), "e1"),
        chat.ChatRow("e2", "tool", 1, "done", (chat.ChatPart("text", TALK),), "e2"),
    )
    told = [chat.ChatRowTold(seq=0, row=row, after=after) for row, after in zip(rows, (None, "e1"), strict=True)]
    await extension.say(
        chat.ChatReset(seq=0, conversation_id="c", leaf=None, reason="start"),
        *told,
        chat.ChatReady(seq=0),
        chat.ChatQueue(seq=0, items=(chat.ChatQueueItem("follow_up", TALK),)),
    )
    async with anyio.create_task_group() as tasks:
        for prompt in PROMPTS.values():
            opened = msgspec.structs.replace(prompt, prefill=f"plan {CANARY}") if prompt.method == "editor" else prompt
            await extension.say(bridge.PromptOpened(seq=0, prompt=opened))
            await phone.until(wire.ExtensionUIRequest)
        tasks.start_soon(settle, extension, [])
        for kind in PROMPTS:
            if kind == "long editor":
                await phone.send(wire.ContentPart(response_id=kind, part=0, parts=2, text=CANARY))
                await phone.send(wire.ContentPart(response_id=kind, part=1, parts=2, text="x" * 300_000))
            await phone.send(wire.ExtensionUIResponse(id=kind, response_id=kind, **ANSWERS[kind]))
            assert (await phone.until(wire.ResponseResult)).accepted
        tasks.cancel_scope.cancel()
    notes = bridge.Prompt(id="notes", method="custom", title="A dialog of notes", opened_at=1, cancellable=False)
    await extension.say(bridge.PromptOpened(seq=0, prompt=notes))
    for typing in (True, False):
        await extension.say(bridge.View(seq=0, id="notes", lines=(f"> {CANARY}",), width=80, overlay=False, typing=typing))
        await phone.until(wire.ExtensionUINotification)
    await extension.say(
        bridge.EditorText(seq=0, id="h", paste=True, text=CANARY),
        bridge.Notification(seq=0, message=LAST),
    )
    await phone.until(wire.ExtensionUINotification, is_last)


@pytest.mark.parametrize("options", [(), ("--with-conversation",)])
async def test_a_canary_is_in_no_recording(
    at_home: Settings, own_place: Place, pi_pid: int, tmp_path: Path, options: tuple[str, ...]
) -> None:
    greeting = msgspec.structs.replace(hello(pi_pid), capabilities=("chat",))
    output = tmp_path / "bug.jsonl"
    async with (
        running_daemon(own_place, at_home, SystemClock()),
        fake_extension(at_home.paths.bridge_socket, greeting) as extension,
        connect(Local(at_home.paths.control_socket), name="owner", kind="test") as owner,
    ):
        paired = await owner.request("pair", dict, {"name": f"Ada {CANARY}", "role": "controller"})
        process = await anyio.to_thread.run_sync(start, output, *options)
        with anyio.fail_after(PATIENCE):
            while not await anyio.to_thread.run_sync(is_recorded, output):  # noqa: ASYNC110 - a file tells nobody
                await anyio.sleep(0.05)
            here = Remote(paired["url"], paired["token"])
            async with connect(here, name="phone", kind="test", capabilities=SERVER_CAPABILITIES) as phone:
                await phone.subscribe(phone.welcome.sessions[0].session_id)
                await play(extension, phone)
        process.send_signal(signal.SIGINT)
        explained, told = await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == 0, told
    made, text = await anyio.to_thread.run_sync(lambda: (read(output), output.read_text()))
    assert CANARY not in text + explained + told
    assert (TALK in text) is bool(options)
    assert ("ALSO IN IT" in explained) is bool(options)
    _holds_all_of_it(made)


def _holds_all_of_it(made: Recording) -> None:
    messages = [each.frame.message for each in made.told]
    assert {each.id for each in messages if isinstance(each, wire.ExtensionUISettled)} == set(PROMPTS)
    assert {each.method for each in messages if isinstance(each, wire.ExtensionUINotification)} >= METHODS
    assert any(each.message == LAST for each in messages if isinstance(each, wire.ExtensionUINotification))


async def test_what_an_agent_started_may_not_record(tmp_path: Path) -> None:
    notice = "This program runs inside a mirrored Pi."

    async def serve(peer: Peer) -> None:
        await peer.hear()
        await peer.say(msgspec.structs.replace(WELCOME, role="observer", notice=notice))
        await peer.socket.wait_closed()

    runtime = await anyio.to_thread.run_sync(private, tmp_path)
    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(run, tmp_path, "record", "-o", str(tmp_path / "bug.jsonl"))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"mirrord: {notice}\n")


def private(folder: Path) -> Path:
    runtime = folder / "mirrord"
    runtime.mkdir(mode=0o700)
    return runtime


def test_mistakes_are_told_in_one_sentence_and_leave_no_file(tmp_path: Path) -> None:
    output = tmp_path / "bug.jsonl"
    for arguments, status, why in (
        (("-o", str(output)), 1, "no mirrord daemon is running"),
        (("--for", "soon"), 2, "is no time"),
        (("--for", "0s"), 2, "is no time"),
        (("--explain", str(output), "--for", "5m"), 2, "takes nothing else"),
        (("--explain", str(output)), 1, "cannot be read as a recording"),
        (("-o", str(tmp_path / "none" / "bug.jsonl")), 1, "cannot be written"),
    ):
        done = run(tmp_path, "record", *arguments)
        assert (done.returncode, done.stdout) == (status, ""), arguments
        assert why in done.stderr
        assert "Traceback" not in done.stderr
    assert list(tmp_path.rglob("*jsonl*")) == []
