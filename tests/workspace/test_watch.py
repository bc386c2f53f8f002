"""Promise: a followed folder is told again and again and after every change, one that nobody follows is left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from bridge.process import is_alive
from mirrord.clock import SystemClock
from mirrord.core.events import Event
from mirrord.core.model import TerminalId
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace, Workspace, WorkspaceSeen
from mirrord.workspace import Place, Workspaces, schedule
from tests.workspace.repositories import Made, change, make

PI = TerminalId("4242-1")


class Told:
    """What the core is told."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[WorkspaceSeen](100)

    def __call__(self, event: Event) -> None:
        assert isinstance(event, WorkspaceSeen)
        self._send.send_nowait(event)

    async def next(self) -> Workspace | None:
        with anyio.fail_after(10):
            event = await self._receive.receive()
        assert event.terminal == PI
        return event.workspace

    def close(self) -> None:
        self._send.close()
        self._receive.close()


@pytest.fixture
def told() -> Iterator[Told]:
    made = Told()
    yield made
    made.close()


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path / "garden")


async def test_a_folder_is_told_at_once_again_after_a_while_and_soon_after_something_happened(
    made: Made, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "BETWEEN_SECONDS", 0.01)
    monkeypatch.setattr(schedule, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(schedule, "PERIOD_SECONDS", 0.05)
    workspaces = Workspaces(SystemClock(), lambda _: Place(str(made.root), trusted=True), told)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(workspaces.run)
        workspaces.look(LookAtWorkspace(PI))
        assert await told.next() == Workspace(str(made.root), "tulips", 0, 0)
        await anyio.to_thread.run_sync(change, made)
        while await told.next() != Workspace(str(made.root), "tulips", 2, 1):
            pass
        monkeypatch.setattr(schedule, "PERIOD_SECONDS", 3600)
        await anyio.to_thread.run_sync(made.write, "beds.txt", "")
        workspaces.look(LookAtWorkspace(PI))
        while await told.next() != Workspace(str(made.root), "tulips", 0, 3):
            pass
        tasks.cancel_scope.cancel()


async def test_a_project_that_pi_does_not_trust_is_told_without_numbers(made: Made, told: Told) -> None:
    workspaces = Workspaces(SystemClock(), lambda _: Place(str(made.root), trusted=False), told)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(workspaces.run)
        workspaces.look(LookAtWorkspace(PI))
        assert await told.next() == Workspace(str(made.root), "tulips")
        tasks.cancel_scope.cancel()


async def test_a_folder_that_nobody_follows_any_more_and_a_terminal_that_is_gone_are_not_told(made: Made, told: Told) -> None:
    gone = TerminalId("1-1")
    places = {PI: Place(str(made.root), trusted=True)}
    workspaces = Workspaces(SystemClock(), places.get, told)
    workspaces.look(LookAtWorkspace(gone))
    workspaces.look(LookAtWorkspace(TerminalId("2-2")))
    workspaces.leave(LeaveWorkspace(TerminalId("2-2")))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(workspaces.run)
        workspaces.look(LookAtWorkspace(PI))
        assert await told.next() == Workspace(str(made.root), "tulips", 0, 0)
        tasks.cancel_scope.cancel()


async def test_the_end_of_the_daemon_ends_git(made: Made, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    program = anyio.Path(tmp_path / "bin" / "git")
    await program.parent.mkdir()
    await program.write_text(f"#!/bin/sh\necho $$ > {ready}\nexec sleep 600\n")
    await program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    workspaces = Workspaces(SystemClock(), lambda _: Place(str(made.root), trusted=True), told)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(workspaces.run)
        workspaces.look(LookAtWorkspace(PI))
        pid = int(await anyio.Path(ready).read_text())
        assert is_alive(pid, None)
        tasks.cancel_scope.cancel()
    assert not is_alive(pid, None)
