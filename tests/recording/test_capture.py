"""Promise: a recording ends as its person, time, size, session or daemon ends it, and has each message once, whenever it is written."""

from __future__ import annotations

from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from mirrord.client import connect
from mirrord.recording import capture
from mirrord.recording.capture import Capture
from mirrord.recording.file import RecordingFile, recording_file
from mirrord.recording.format import Recording, Why, read
from mirrord.recording.recorder import Recorder
from mirrord.wire import messages
from tests.cli.attached import ENDED, attached, settled
from tests.client.scripted_daemon import Peer, Script, control_socket

SAID = 40


async def never() -> None:
    await anyio.sleep_forever()


async def tells(peer: Peer) -> None:
    await attached(peer)
    for number in range(SAID):
        await peer.say(settled(f"p{number}"))


async def tells_and_stays(peer: Peer) -> None:
    await tells(peer)
    await peer.socket.wait_closed()


async def tells_the_end(peer: Peer) -> None:
    await tells(peer)
    await peer.say(ENDED)
    await peer.socket.wait_closed()


async def recorded(
    folder: Path,
    file: RecordingFile,
    script: Script,
    *,
    seconds: float | None = None,
    limit: int = 1_000_000,
    stop_after: int | None = None,
) -> Why:
    enough = anyio.Event()
    recorder = Recorder("1-1", 0, limit=limit)

    async def stopped() -> None:
        await (enough.wait() if stop_after is not None else never())

    def progress() -> None:
        if stop_after is not None and recorder.said >= stop_after:
            enough.set()

    async with control_socket(folder, script) as here, connect(here, name="t", kind="test") as connection:
        with anyio.fail_after(20):
            return await Capture(connection, file, recorder, lambda: 0, progress).run(stopped, seconds)


def settlements(made: Recording) -> list[str]:
    return [told.frame.message.id for told in made.told if isinstance(told.frame.message, messages.ExtensionUISettled)]


ALL = [f"p{number}" for number in range(SAID)]


@pytest.mark.parametrize(
    ("script", "options", "why"),
    [
        (tells_the_end, {}, "session"),
        (tells, {}, "lost"),
        (tells_and_stays, {"seconds": 0.5}, "time"),
        (tells_and_stays, {"stop_after": SAID + 2}, "stopped"),
        (tells_and_stays, {"limit": 2_000}, "size"),
    ],
)
def test_it_ends_as_it_is_ended_and_holds_everything_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script, options: dict[str, float], why: Why
) -> None:
    # Written after nearly every message.
    monkeypatch.setattr(capture, "WRITE_SECONDS", 0.001)
    path = tmp_path / "bug.jsonl"
    with recording_file(path) as file:
        ended = anyio.run(lambda: recorded(tmp_path, file, script, **options))  # type: ignore[arg-type] # of each row
    made = read(path)
    assert ended == why
    assert made.end is not None
    assert made.end.why == why
    found = settlements(made)
    assert found == ALL[: len(found)]
    if why not in ("size", "time"):
        assert found == ALL
