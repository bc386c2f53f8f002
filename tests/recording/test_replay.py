"""Promise: a replay shows clients what was recorded, at its pace or its end at once, refuses every answer, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest

from mirrord.client import CommandRefused, Connection, Local, Remote, connect
from mirrord.client.chat import Conversation
from mirrord.client.pairing import authenticate, pair
from mirrord.recording.format import Header, Recording, Said, line, read
from mirrord.recording.replay import OVER, READ_ONLY, end_state
from mirrord.recording.serving import Own, own_place, serving
from mirrord.wire import chat, messages
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.surfaces import Block, NativeSurface, Presentation, TextSpan
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.recording.test_recordings import FOLDER, NAMES, recording

RECORDINGS = {name: recording(name) for name in NAMES}

SLOW = 0.000_001
"""So slow that nothing comes by itself while a test looks."""


@pytest.fixture
def own() -> Iterator[Own]:
    with own_place(0) as made:
        yield made


@asynccontextmanager
async def watching(own: Own, name: str, speed: float | None) -> AsyncIterator[Connection]:
    async with (
        serving(RECORDINGS[name], own, speed),
        connect(Local(own.control), name="viewer", kind="test", capabilities=SERVER_CAPABILITIES) as client,
    ):
        with anyio.fail_after(20):
            yield client


async def test_it_begins_at_the_first_snapshot_and_goes_on_once_somebody_looks(own: Own) -> None:
    async with watching(own, "prompts", 1000.0) as client:
        (session,) = client.welcome.sessions
        assert client.welcome.role == "observer"
        assert client.welcome.notice == READ_ONLY
        first = await client.subscribe(session.session_id)
        assert first.prompts == ()
        titles = []
        while not (isinstance(message := await client.receive(), messages.ExtensionUINotification) and message.message == OVER):
            if isinstance(message, messages.ExtensionUIRequest):
                titles.append(message.title)
        assert titles == ["Which fruit?", "Delete file?", "Your name", "Edit the plan", "In time?", "Still open?"]
        late = await client.subscribe(session.session_id)
        assert [prompt.title for prompt in late.prompts] == ["Still open?"]


async def test_at_its_end_it_is_what_the_recording_leads_to(own: Own) -> None:
    async with watching(own, "conversation", None) as client:
        (session,) = client.welcome.sessions
        state = end_state(RECORDINGS["conversation"])
        assert await client.subscribe(session.session_id) == state.snapshot
        shown = Conversation(session.session_id)
        await client.send(shown.subscribe())
        while not shown.view.complete:
            shown.take(await client.receive_frame())
        assert shown.view.messages == state.view.messages
        assert (await client.request("sessions", dict))["sessions"][0]["sessionId"] == session.session_id


async def test_nothing_in_it_can_be_answered_and_each_refusal_says_why(own: Own) -> None:
    async with watching(own, "prompts", None) as client:
        session = client.welcome.sessions[0].session_id
        (prompt,) = (await client.subscribe(session)).prompts
        result = await client.answer(prompt.id, index=0)
        assert (result.accepted, result.reason, result.detail) == (False, "forbidden", READ_ONLY)
        await client.send(chat.ChatAction(session_id=session, client_turn_id="t", action="submit", text="hello"))
        receipt = await client.until(chat.Receipt)
        assert (receipt.stage, receipt.reason) == ("rejected", READ_ONLY)
        with pytest.raises(CommandRefused, match="recording"):
            await client.request("stop_turn", dict, {"sessionId": session})
        with pytest.raises(CommandRefused, match="recording"):
            await client.request("pair", dict, {"name": "phone"})
        with pytest.raises(CommandRefused, match="no such session"):
            await client.subscribe("another")


@pytest.fixture
def hostile(tmp_path: Path) -> Recording:
    """One that somebody wrote by hand, to be looked at by somebody else."""
    told, state = RECORDINGS["surfaces"].told, end_state(RECORDINGS["surfaces"])
    assert state.session is not None
    lines = (FOLDER / "surfaces.jsonl").read_text().replace("building", "buil\\u202e\\u001b[31mding").replace("tulips", "tu\\u009b1mlips")
    *said, end = lines.splitlines(keepends=True)
    block = Block(
        "text", spans=(TextSpan("https://apple.com", link="https://evil.example/"), TextSpan(" docs", link="javascript:alert(1)"))
    )
    widget = messages.ExtensionUINotification(
        session_id=state.session.session_id,
        method="setWidget",
        widget_key="w",
        native_surface=NativeSurface(1, "w", "widget", Presentation("surfacePanel"), (block,)),
    )
    said.append(line(Said(told[-1].at, msgspec.Raw(msgspec.json.encode(widget)))).decode())
    (tmp_path / "r").write_text("".join((*said, end)))
    return read(tmp_path / "r")


async def test_a_recording_of_a_stranger_shows_no_client_what_no_daemon_would(own: Own, hostile: Recording) -> None:
    async with (
        serving(hostile, own, None),
        connect(Local(own.control), name="viewer", kind="test", capabilities=SERVER_CAPABILITIES) as client,
    ):
        shown = await client.subscribe(client.welcome.sessions[0].session_id)
    assert [status.text for status in shown.statuses] == ["building"]
    assert shown.title == "tulips"
    (surface,) = (surface.native_surface for surface in shown.surfaces if surface.key == "w")
    assert surface is not None
    assert surface.blocks[0].spans == (TextSpan("https://apple.com docs"),)


async def test_a_client_that_comes_back_is_told_that_it_missed_something(own: Own) -> None:
    async with watching(own, "surfaces", SLOW) as client:
        session = client.welcome.sessions[0].session_id
        async with connect(Local(own.control), name="back", kind="test", resume={session: "e:7"}) as back:
            assert (await back.until(messages.Gap)).since == "e:7"
            assert (await back.until(messages.Snapshot)).session_id == session


async def test_a_browser_is_paired_with_the_replay_alone(own: Own) -> None:
    async with serving(RECORDINGS["prompts"], own, None) as desk:
        code = await desk.offer("observer")
        token = await authenticate(own.page, await pair(own.page, code.code, "browser"))
        async with connect(Remote(own.page.replace("http", "ws"), token.token), name="browser", kind="test") as browser:
            assert browser.welcome.role == "observer"


def test_nothing_of_its_place_is_left() -> None:
    with own_place(0) as own:
        folder = own.settings.paths.runtime_dir
        assert folder.exists()
    assert not folder.parent.parent.exists()


def test_the_command_shows_it_here_and_serves_it_until_ctrl_c(tmp_path: Path) -> None:
    file = str(FOLDER / "prompts.jsonl")
    shown = subprocess.Popen(
        [*MIRRORD, "replay", file, "--attach", "--speed", "max"], env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    )
    served = subprocess.Popen([*MIRRORD, "replay", file], env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    for process, until in ((shown, "Still open?"), (served, "#pair=")):
        assert process.stdout is not None
        assert any(until in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
    for process in (shown, served):
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 128 + signal.SIGINT
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("lines", "why"), [("hello\n", "cannot be read"), ("header", "nothing to show")])
def test_what_cannot_be_shown_is_refused_in_one_sentence(tmp_path: Path, lines: str, why: str) -> None:
    header = line(Header(format=1, mirrord="0", protocol=1, capabilities=(), started_at=1)).decode()
    (tmp_path / "r").write_text(header if lines == "header" else lines)
    done = run(tmp_path, "replay", str(tmp_path / "r"))
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
