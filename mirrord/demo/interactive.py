"""The demo for a person: Pi in this terminal, and a line to paste into another one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from mirrord.demo.stage import Stage, attach_line, end_process, stage

QUESTIONS: Final = ("/demo-select", "/demo-confirm", "/demo-input", "/demo-timeout")


async def run_here(pi: Path, write: Callable[[str], None], pause: Callable[[], object]) -> int:
    """Run Pi in this terminal until the person quits it; its exit status. `pause` waits until the person has read."""
    async with stage(pi, os.environ) as here:
        write("Pi will start here with a model that answers by a script: no account is needed, nothing of yours is touched.")
        write("To follow it and to answer what it asks, paste this line into another terminal:")
        write("")
        write(f"  {attach_line(here)}")
        write("")
        write(f"In Pi, type one of these to be asked something: {', '.join(QUESTIONS)}.")
        write('Or let the model ask: tool: ask_colour {"question": "Which colour?"}')
        write("Ctrl+D ends Pi; everything that was made for the demo is removed then.")
        # Abandoned when cancelled: it waits for a key that may never come.
        await anyio.to_thread.run_sync(pause, abandon_on_cancel=True)
        return await _run_pi(here)


async def _run_pi(here: Stage) -> int:
    process = await anyio.open_process(here.pi_command, stdin=None, stdout=None, stderr=None, env=here.env, cwd=here.home.work)
    try:
        code = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)
    return code if code >= 0 else 128 - code
