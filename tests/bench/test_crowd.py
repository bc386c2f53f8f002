"""Promise: each of a crowd reads every frame that is meant for it, and a crowd that is not let in is not measured."""

from __future__ import annotations

from pathlib import Path

import anyio
import msgspec
import pytest
from websockets.frames import Frame, Opcode

from bench.crowd import Report, client_frame, next_frame, stamp
from bench.crowds import Gathered, crowd
from bench.load import many, relay, stage
from bench.world import NotMeasured
from mirrord.client import Remote

CLIENTS = 3


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_a_frame_of_the_server_is_found_once_it_is_whole_whatever_its_length(size: int) -> None:
    body = b"x" * size
    data = b"before" + Frame(Opcode.TEXT, body).serialize(mask=False) + b"behind"
    found = next_frame(data, len(b"before"))
    assert found is not None
    first, begin, end = found
    assert (first, data[begin:end], data[end:]) == (0x81, body, b"behind")
    whole = data[: -len(b"behind")]
    assert all(next_frame(whole[:cut], len(b"before")) is None for cut in (6, 7, 8, len(whole) - 1) if cut < len(whole))


@pytest.mark.parametrize("size", [0, 125, 126, 1000])
def test_a_frame_of_a_client_is_masked_and_says_how_long_it_is(size: int) -> None:
    frame = client_frame(0x81, b"y" * size)
    assert frame[1] & 0x80
    unmasked = bytes([frame[0], frame[1] & 0x7F]) + frame[2:].replace(bytes(4), b"", 1)
    assert unmasked == Frame(Opcode.TEXT, b"y" * size).serialize(mask=False)


async def reported(gathered: Gathered, frames: int) -> Report:
    """All that came since, once it is so many frames."""
    total = Report([], 0, 0, 0)
    with anyio.fail_after(10):
        while total.frames < frames:
            report = await gathered.report()
            total = Report(total.delays + report.delays, total.frames + report.frames, total.bytes + report.bytes, report.left)
            await anyio.sleep(0.01)
    return total


async def test_all_read_what_a_relay_passes_on_and_are_told_apart_from_who_has_left(tmp_path: Path) -> None:
    async with relay(tmp_path / "relay") as other, crowd([other.remote], CLIENTS) as gathered, await anyio.connect_unix(other.path) as line:
        for _ in range(2):
            await line.send(msgspec.json.encode({"message": stamp().ljust(60_000, ".")}) + b"\n")
        report = await reported(gathered, 2 * CLIENTS)
    assert (len(report.delays), report.left) == (2 * CLIENTS, 0)
    assert report.bytes > 2 * CLIENTS * 60_000
    assert all(0 < delay < 10_000_000 for delay in report.delays)


def test_many_come_to_a_daemon_hear_everything_and_go_and_a_stranger_is_not_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.load.SETTLE_SECONDS", 0.3)
    monkeypatch.setattr("bench.load.WARM_UP_SECONDS", 0.1)

    async def play() -> None:
        async with stage() as here:
            rows = await many(here, CLIENTS, 0.25)
            heard = next(row for row in rows if row.name.endswith("broadcast"))
            assert len(heard.samples) == 2 * CLIENTS
            assert [row.name for row in rows if row.met is None] == []
            with pytest.raises(NotMeasured, match="401"):
                async with crowd([Remote(here.remote.address, "nobody")], 1, here.session):
                    pass

    anyio.run(play)
