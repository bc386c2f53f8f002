"""Promise: every key is for the line that is typed, also while lines are shown and between two lines; the terminal takes none."""

from __future__ import annotations

import os
import sys
import termios

import anyio
import pytest
from anyio.lowlevel import checkpoint
from prompt_toolkit.output import DummyOutput

from mirrord.attach.editor import EditorScreen
from mirrord.attach.session import AttachSession

OWN_EDITING = termios.ICANON | termios.ISIG | termios.ECHO


async def test_the_terminal_edits_nothing_by_itself_until_the_input_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    before = termios.tcgetattr(slave)
    modes: list[int] = []
    lines: list[str | None] = []

    def look() -> None:
        modes.append(termios.tcgetattr(slave)[3] & OWN_EDITING)

    with os.fdopen(slave) as stdin, anyio.fail_after(10):
        monkeypatch.setattr(sys, "stdin", stdin)
        screen = EditorScreen(AttachSession(), output=DummyOutput())

        async def take_lines() -> None:
            async for typed in screen.typed():
                look()
                lines.append(typed.text)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(take_lines)
            await anyio.wait_all_tasks_blocked()
            await screen.show(["while a line is typed"], look)
            os.write(master, b"12\x7f\r")
            while not lines:
                await checkpoint()
            os.write(master, b"\x04")
        assert modes == [0, 0]
        assert lines == ["1"]
        assert termios.tcgetattr(slave) == before
    os.close(master)
