"""`mirrord tui` on a terminal of the test's own, before a daemon that says what a test has it say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import msgspec
from textual.pilot import Pilot
from textual.widgets import Static

from mirrord.client import Local, connect
from mirrord.tui.app import MirrordApp
from mirrord.tui.prompt_card import PromptCard
from mirrord.tui.stream import StreamLog
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.client.scripted_daemon import WELCOME, Peer, control_socket

PATIENCE = 10.0
SIZE = (80, 24)


@dataclass
class Daemon:
    """Welcomes whoever comes with `sessions`; `heard` is what the newest client said, in order."""

    sessions: tuple[wire.Session, ...] = WELCOME.sessions
    role: wire.RoleName = "owner"
    notice: str | None = None
    heard: list[dict[str, Any]] = field(default_factory=list)
    clients: int = 0
    peer: Peer | None = None

    async def serve(self, peer: Peer) -> None:
        self.heard.clear()
        self.heard.append(await peer.hear())
        welcome = msgspec.structs.replace(WELCOME, sessions=self.sessions, role=self.role, notice=self.notice)
        await peer.say(welcome)
        self.peer = peer
        self.clients += 1
        async for text in peer.socket:
            self.heard.append(msgspec.json.decode(text))

    async def say(self, *messages: wire.ServerMessage) -> None:
        assert self.peer is not None
        await self.peer.say(*messages)

    def said(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.heard if each["type"] == kind]


@dataclass
class Shown:
    """The screen. `until` waits for what a person would see."""

    app: MirrordApp
    pilot: Pilot[None]
    daemon: Daemon

    @property
    def stream(self) -> str:
        return self.app.screen_stack[0].query_one("#stream", StreamLog).text

    @property
    def card(self) -> str:
        return f"{self.text('#card-text')}\n{self.text('#card-hint')}" if self.app.screen_stack[0].query_one(PromptCard).display else ""

    @property
    def painted(self) -> str | None:
        prompt = self.app.screen_stack[0].query_one(PromptCard).painted
        return None if prompt is None else prompt.id

    def text(self, selector: str) -> str:
        return str(self.app.screen_stack[0].query_one(selector, Static).content)

    async def until(self, holds: Callable[[], object]) -> None:
        with anyio.move_on_after(PATIENCE):
            while not holds():
                await self.pilot.pause(0.02)
            return
        raise AssertionError(f"not so within {PATIENCE} s; the stream has\n{self.stream}\nthe card\n{self.card}")

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if key == " " else "slash" if key == "/" else key for key in text))


@asynccontextmanager
async def shown(folder: Path, daemon: Daemon | None = None, size: tuple[int, int] = SIZE) -> AsyncIterator[Shown]:
    """The program before that daemon, once it has subscribed to a session, or says that there is none."""
    daemon = daemon or Daemon()
    async with control_socket(folder, daemon.serve) as here, looking(here, size) as (app, pilot):
        made = Shown(app, pilot, daemon)
        await made.until(lambda: daemon.said("subscribe") or not daemon.sessions)
        yield made


@asynccontextmanager
async def looking(here: Local, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[MirrordApp, Pilot[None]]]:
    def dial(resume: dict[str, str], tap: Any) -> Any:
        return connect(here, name="tui", kind="test", capabilities=SERVER_CAPABILITIES, resume=resume, tap=tap)

    app = MirrordApp(dial, lambda _: lambda: True)
    async with app.run_test(size=size) as pilot:
        yield app, pilot
    assert app.failure is None
