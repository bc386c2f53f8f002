"""Promise: lines come out the same however their bytes arrive, and a line over the limit costs no more than the limit."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from mirrord.attach.stdin_lines import LineSplitter, chunks


def cut(data: bytes, size: int, limit: int) -> list[bytes | None]:
    splitter = LineSplitter(limit)
    lines = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
    return lines + splitter.close()


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_do_not_depend_on_the_chunks(size: int) -> None:
    assert cut(b"one\n\nthree\nlast", size, 10) == [b"one", b"", b"three", b"last"]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_a_line_at_the_limit_is_whole_and_one_past_it_is_none(size: int) -> None:
    assert cut(b"12345\n123456\nok\n", size, 5) == [b"12345", None, b"ok"]


def test_an_overlong_line_is_not_kept() -> None:
    splitter = LineSplitter(5)
    splitter.feed(b"x" * 1000)
    assert splitter.begun
    assert not splitter._pending


def test_begun_says_whether_a_line_is_open() -> None:
    splitter = LineSplitter()
    seen = [splitter.begun]
    for chunk in (b"a\nb", b"\n"):
        splitter.feed(chunk)
        seen.append(splitter.begun)
    assert seen == [False, True, False]


@pytest.mark.parametrize("data", [b"", b"hello\n"])
async def test_a_plain_file_is_read_to_its_end(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "in"
    file.write_bytes(data)
    fd = os.open(file, os.O_RDONLY)
    try:
        assert b"".join([chunk async for chunk in chunks(fd)]) == data
    finally:
        os.close(fd)


async def test_a_wait_for_a_silent_pipe_can_be_cancelled() -> None:
    read, write = os.pipe()
    try:
        with anyio.move_on_after(0.05) as scope:
            await anext(chunks(read))
        assert scope.cancelled_caught
    finally:
        os.close(read)
        os.close(write)
