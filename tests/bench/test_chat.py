"""Promise: a word's time runs until a client has the text that holds it, and the long session is as long as it is said to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import msgspec
import pytest

from bench.chat import CLIENTS, RELAY, WARM_UP, Opened, Seen, grown, long_rows, stream_rows
from bench.chat_session import ENTRY_BYTES, write_session
from bench.websocket import websocket
from bench.world import NotMeasured
from mirrord.client import Remote
from mirrord.demo.stage import end_process

QUESTION = {"patches": [{"op": "add", "path": "/messages/0", "value": {"kind": "user"}}]}


def test_a_word_is_there_once_the_text_is_as_long() -> None:
    seen = Seen()
    told = [(5 * number, 1000 * number) for number in range(1, WARM_UP + 4)]
    for number in range(1, WARM_UP + 4, 2):
        seen.note(5 * (number + 1), 1000 * number + 7_000)
    assert seen.delays(told) == [7.0, 6.0, 7.0]
    with pytest.raises(NotMeasured, match="whole answer"):
        seen.delays([*told, (10_000, 0)])


def test_lengths_are_read_from_appends_and_from_whole_rows_of_the_answer_alone() -> None:
    seen = Seen()
    whole = {"patches": [{"value": {"kind": "assistant", "parts": [{"type": "text", "text": "Tulips and roses"}]}}]}
    assert grown(whole, seen) == []
    assert grown(QUESTION, seen) == []
    assert grown({"appends": [{"offset": 7, "text": "and "}]}, seen) == [11]
    assert grown(whole, seen) == [16]


def test_each_row_of_ours_stands_beside_the_relays_with_as_many_clients() -> None:
    delays = {(name, clients): [100.0 * clients, 300.0] for name in ("relay", "daemon") for clients in CLIENTS}
    rows = {row.name: row for row in stream_rows(delays, [40.0], [4000.0])}
    assert {row.ratio for name, row in rows.items() if name.startswith("daemon")} == {1.0}
    assert rows["appends, per word"].ratio == 0.01


def test_the_long_session_stands_beside_the_short_one() -> None:
    short, long = (Opened(entries, (1.0,), (2.0,), 40, 44, (entries * 1.0,)) for entries in (200, 20_000))
    rows = {row.name: row for row in long_rows(short, long)}
    assert (rows["20000 entries, any page"].ratio, rows["20000 entries, any page"].met) == (1.0, True)
    assert rows["20000 entries, Pi's callbacks"].met is False


def test_a_session_file_is_one_branch_of_entries_of_their_size(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    ids = write_session(file, tmp_path, 40)
    header, *entries = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    assert header["cwd"] == str(tmp_path)
    assert [entry["id"] for entry in entries] == ids
    assert [entry["parentId"] for entry in entries] == [None, *ids[:-1]]
    assert 0.95 < file.stat().st_size / (40 * ENTRY_BYTES) < 1.05


async def test_the_relay_gives_a_line_to_every_client(tmp_path: Path) -> None:
    path = str(tmp_path / "relay.sock")
    process = await anyio.open_process([sys.executable, str(RELAY), path], stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        remote = Remote(f"ws://127.0.0.1:{int(await process.stdout.receive())}", "nothing")
        async with websocket(remote) as one, websocket(remote) as other, await anyio.connect_unix(path) as lines:
            await lines.send(b'{"length": 1}\n')
            assert [(await client.read_texts())[1] for client in (one, other)] == [['{"length": 1}']] * 2
    finally:
        await end_process(process)
