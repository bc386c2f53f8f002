"""Promise: a command that Pi's own tools run may look at its session and do nothing else."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from mirrord.demo.scripted_model import MODEL
from mirrord.demo.stage import stage
from mirrord.demo.terminal import Terminal
from tests.harness.pi import FULLSCREEN, node, pi_program

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

SENTENCE = "mirrord: This program runs inside a mirrored Pi, so it may look but not answer"
PATIENCE = 30.0


async def test_pis_own_tools_can_neither_pair_a_device_nor_uninstall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{node().parent}{os.pathsep}{os.environ['PATH']}")
    pi = await anyio.to_thread.run_sync(pi_program, FULLSCREEN, tmp_path)
    async with stage(pi) as here:
        terminal = await anyio.to_thread.run_sync(partial(Terminal, here.pi_command, env=here.env, cwd=here.home.work, columns=200))
        try:
            await anyio.to_thread.run_sync(terminal.wait_for, MODEL, PATIENCE)
            await anyio.to_thread.run_sync(terminal.settle)
            await anyio.to_thread.run_sync(terminal.line, f"run: {sys.executable} -P -m mirrord pair --token evil 2>&1")
            await anyio.to_thread.run_sync(terminal.wait_for, f"Tool said: {SENTENCE}", PATIENCE)
            before = sorted(here.home.root.rglob("*mirrord*"))
            await anyio.to_thread.run_sync(terminal.settle)
            await anyio.to_thread.run_sync(terminal.line, f"run: {sys.executable} -P -m mirrord uninstall --purge --yes 2>&1")
            await anyio.to_thread.run_sync(terminal.wait_for, lambda text: text.count(f"Tool said: {SENTENCE}") == 2, PATIENCE)
            assert sorted(here.home.root.rglob("*mirrord*")) == before
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(terminal.close)
