"""The demo for a person: Pi in this terminal, and a line to paste into another one."""

from __future__ import annotations

import os
import termios
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final

import anyio

from mirrord.demo.stage import Stage, attach_line, end_process, stage

QUESTIONS: Final = ("/demo-select", "/demo-confirm", "/demo-input", "/demo-editor", "/demo-ask", "/demo-timeout")

_KEY_BYTES: Final = 64
"""More than any key sends."""


async def run_here(pi: Path, write: Callable[[str], None], keyboard: int) -> int:
    """Run Pi in this terminal until the person quits it; its exit status. `keyboard` is the terminal's descriptor."""
    async with stage(pi, os.environ) as here:
        write("Pi will start here with a model that answers by a script: no account is needed, nothing of yours is touched.")
        write("To follow it and to answer what it asks, paste this line into another terminal:")
        write("")
        write(f"  {attach_line(here)}")
        write("")
        write(f"In Pi, type one of these to be asked something: {', '.join(QUESTIONS)}.")
        write('Or let the model ask: tool: ask_colour {"question": "Which colour?"}')
        write("Ctrl+D ends Pi; everything that was made for the demo is removed then.")
        write("Press any key to start Pi, Ctrl+C to leave.")
        await _key_pressed(keyboard)
        return await _run_pi(here)


async def _key_pressed(keyboard: int) -> None:
    """Wait for a key and take it. Not in a thread: one that waits for a key could not be ended by a signal."""
    before = termios.tcgetattr(keyboard)
    # What was pressed before counts as well: the line that asks for it stands there already.
    tty.setcbreak(keyboard, termios.TCSADRAIN)
    try:
        await anyio.wait_readable(keyboard)
        os.read(keyboard, _KEY_BYTES)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


async def _run_pi(here: Stage) -> int:
    process = await anyio.open_process(here.pi_command, stdin=None, stdout=None, stderr=None, env=here.env, cwd=here.home.work)
    try:
        code = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)
    return code if code >= 0 else 128 - code
