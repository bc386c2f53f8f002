"""Promise: however long it streams, queues and reconnects, everybody shows the same conversation, it is the one on Pi's disk, every message
acted once, and the daemon's memory stays where it was.
"""

from __future__ import annotations

import os
import random
import statistics
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import msgspec
import pytest

from bench.memory import resident_megabytes
from mirrord.client import Connection, Local, connect
from mirrord.client.chat import CLAIMS, Conversation
from mirrord.client.chat_reducer import Json
from mirrord.wire import chat as wire
from tests.e2e.stage import Stage, stage, until
from tests.harness.pi import FULLSCREEN
from tests.harness.relay import relay

SECONDS: Final = float(os.environ.get("MIRRORD_CHAT_SOAK_SECONDS", "1800"))

BOUNDARY_ROUNDS: Final = 25
"""So often Pi loads its extensions anew, or begins another conversation, by turns."""

GROWTH_MB: Final = 5.0
"""Between the second and the last sixth: thousands of receipts, and what the allocator holds back."""

PATIENCE: Final = 60.0
ENDS: Final = ("consumed", "rejected")
TRY_AGAIN: Final = ("detached", "busy", "store")

CUTS: Final = 8
"""Of the wire between the real Pi and the daemon, each after a byte of a seed's choice."""
CUT_WITHIN: Final = 4_000
"""Bytes: a round's up, and in some rounds more than all of them."""


@dataclass
class Device:
    """Follows the conversation over many connections, and sends."""

    conversation: Conversation
    sent: dict[str, wire.ChatAction] = field(default_factory=dict)
    stages: dict[str, str] = field(default_factory=dict)

    async def begins(self, client: Connection) -> None:
        """A connection stands: the conversation from where it is shown, and everything whose end was not told."""
        await client.send(self.conversation.subscribe())
        for turn, action in self.sent.items():
            if self.stages.get(turn) not in ENDS:
                await client.send(action)

    async def submits(self, client: Connection, kind: wire.SubmitKind, text: str) -> None:
        turn = str(uuid.uuid4())
        action = wire.ChatAction(session_id=self.conversation.session_id, client_turn_id=turn, action="submit", kind=kind, text=text)
        self.sent[turn] = action
        await client.send(action)

    async def reads(self, client: Connection, until: Callable[[], bool]) -> None:
        """Read until it holds."""
        with anyio.fail_after(PATIENCE, reason=f"{self.stages} of {sorted(self.sent)}; {self.conversation.view.fields}"):
            while not until():
                frame = await client.receive_frame()
                if isinstance(frame.message, wire.Receipt):
                    again = frame.message.code in TRY_AGAIN
                    self.stages[frame.message.client_turn_id] = "again" if again else frame.message.stage
                self.conversation.take(frame)
                assert self.conversation.view.error is None
                await self.tries_again(client)

    async def tries_again(self, client: Connection) -> None:
        """What the terminal could not be reached for goes out again once it can."""
        if not self.conversation.view.fields.get("readOnly"):
            for turn in [turn for turn, stage in self.stages.items() if stage == "again"]:
                del self.stages[turn]
                await client.send(self.sent[turn])

    @property
    def rests(self) -> bool:
        """Everything it sent has an end and an answer, and Pi works on nothing. What Pi does is told a moment after the rows."""
        view = self.conversation.view
        over = all(self.stages.get(turn) in ENDS for turn in self.sent)
        answered = not view.messages or (view.messages[-1]["kind"] == "assistant" and "entryId" in view.messages[-1])
        done = all(message["state"] == "done" for message in view.messages)
        return over and answered and done and view.complete and not view.fields["streaming"] and not view.fields["queuedFollowUps"]

    @property
    def shows(self) -> list[Json]:
        return list(self.conversation.view.messages)


@dataclass
class Soak:
    """Rounds on one stage. `disturb` is called before each."""

    here: Stage
    dice: random.Random
    disturb: Callable[[], None] = lambda: None
    rounds: int = 0
    megabytes: list[float] = field(default_factory=list)

    async def runs(self, is_over: Callable[[int], bool]) -> None:
        """Until so many rounds are enough."""
        local = Local(self.here.daemon.paths.control_socket)
        session = self.here.session_id
        constant, comer = Device(Conversation(session)), Device(Conversation(session))
        async with connect(local, name="constant", kind="test", capabilities=CLAIMS) as there:
            await constant.begins(there)
            while not is_over(self.rounds):
                self.rounds += 1
                self.disturb()
                await self.converses(local, comer)
                await constant.reads(there, lambda: constant.rests and constant.shows == comer.shows)
                await self.is_on_disk(comer)
                self.megabytes.append(await resident_megabytes(self.here.daemon.pid))
                if self.rounds % BOUNDARY_ROUNDS == 0:
                    await self.boundary(constant, there)

    async def converses(self, local: Local, comer: Device) -> None:
        """A turn with what queues behind it, over as many connections as it takes."""
        comer.sent.clear()
        comer.stages.clear()
        left: list[tuple[wire.SubmitKind, str]] = [
            ("prompt", f"slow {self.dice.randint(20, 80)} {self.dice.randint(2, 8)}"),
            ("steer", f"steered in round {self.rounds}"),
            ("follow_up", f"follows in round {self.rounds}"),
        ]
        while True:
            async with connect(local, name="comer", kind="test", capabilities=CLAIMS) as client:
                await comer.begins(client)
                last = self.dice.random() < 0.4
                with anyio.move_on_after(None if last else self.dice.uniform(0.01, 0.4)):
                    while left:
                        # The next one goes out while the one before runs, and before anything is known of it.
                        await comer.submits(client, *left.pop(0))
                        if len(left) == 2:
                            await comer.reads(client, lambda: bool(comer.stages or comer.conversation.view.fields.get("streaming")))
                            self.here.pi.line(f"typed in round {self.rounds}")
                    await comer.reads(client, lambda: comer.rests)
                    return
                client._socket.transport.abort()

    async def is_on_disk(self, comer: Device) -> None:
        """What is shown is the end of Pi's branch, entry by entry; what was sent is there once."""
        shown = [message["id"] for message in comer.shows]
        with anyio.fail_after(PATIENCE):
            while True:
                entries = await self.entries()
                if [entry["id"] for entry in entries][-len(shown) :] == shown:
                    break
                await anyio.sleep(0.1)
        users = Counter(message.get("clientTurnId") for message in comer.shows if message["kind"] == "user")
        texts = Counter(_text(entry) for entry in entries if entry["message"]["role"] == "user")
        for turn, action in comer.sent.items():
            acted = 1 if comer.stages[turn] == "consumed" else 0
            assert users[turn] == acted
            assert action.kind == "prompt" or texts[action.text or ""] == acted

    async def entries(self) -> list[dict[str, Any]]:
        """The messages of the newest session file; nothing branches here."""
        files = [path async for path in anyio.Path(self.here.home.agent / "sessions").rglob("*.jsonl")]
        # The name begins with the time at which the session began.
        lines = (await max(files, key=lambda path: path.name).read_bytes()).splitlines()
        entries = [msgspec.json.decode(line) for line in lines]
        return [entry for entry in entries if entry["type"] == "message" and entry["message"]["role"] != "system"]

    async def boundary(self, constant: Device, there: Connection) -> None:
        """Every link is new after it, and half of them show another conversation."""
        before = constant.conversation.view.revision or 0
        await anyio.to_thread.run_sync(self.here.pi.settle, 0.2)
        self.here.pi.line("/new" if self.rounds // BOUNDARY_ROUNDS % 2 else "/reload")
        await constant.reads(there, lambda: (constant.conversation.view.revision or 0) > before and constant.rests)
        await anyio.to_thread.run_sync(self.here.pi.settle, 0.5)


def _text(entry: dict[str, Any]) -> str:
    content = entry["message"]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@pytest.mark.timeout(120)
def test_the_wire_between_the_real_pi_and_the_daemon_breaks_after_any_byte() -> None:
    with stage(FULLSCREEN, extensions=()) as here, relay(here.daemon.paths.bridge_socket) as wire_to_pi:
        here.pi.settle(0.2)
        here.pi.line("/reload")
        # Its new link goes through the relay.
        until(lambda: wire_to_pi.connections > 0, PATIENCE, "no link came")
        here.wait_session()
        dice = random.Random(88)
        soak = Soak(here, dice, lambda: wire_to_pi.cut_after(dice.choice(("up", "up", "down")), dice.randint(1, CUT_WITHIN)))
        here.call(lambda: soak.runs(lambda rounds: rounds >= CUTS))
        assert wire_to_pi.connections > CUTS // 2


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 300)
def test_half_an_hour_of_streaming_queueing_and_reconnecting() -> None:
    with stage(FULLSCREEN, extensions=()) as here:
        soak, end = Soak(here, random.Random(8)), time.monotonic() + SECONDS
        here.call(lambda: soak.runs(lambda _: time.monotonic() >= end))
        logs = [path.read_text() for path in here.daemon.paths.state_dir.rglob("*.log*")]
    assert soak.rounds >= SECONDS / 30
    assert logs
    wrong = [line for text in logs for line in text.splitlines() if " ERROR " in line or " WARNING " in line]
    assert wrong == []
    sixth = max(1, len(soak.megabytes) // 6)
    begin, end = statistics.median(soak.megabytes[sixth : 2 * sixth + 1]), statistics.median(soak.megabytes[-sixth:])
    print(f"{soak.rounds} rounds; the daemon had {begin:.1f} MB, and {end:.1f} MB at the end")
    assert end - begin < GROWTH_MB
