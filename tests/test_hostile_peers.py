"""Promise: nothing that an extension or a client can say raises in the daemon; it is refused, ignored or carried out.

Messages are taken from the fixtures and bent: leaves exchanged for extreme values, fields dropped, order shuffled. What
decodes goes all the way through the link, the intake and the core, as in the daemon, and every message that comes out
can be encoded.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.link import Link, Taken
from bridge.messages import DaemonInfo
from mirrord.core import commands, events
from mirrord.core.core import Core
from mirrord.core.model import ClientId, LinkId, Moment
from mirrord.intake import Intake
from mirrord.server.frames import Mistake, decode, encode
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role

FIXTURES = Path(__file__).parents[1] / "fixtures"

EXTREMES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53,
    2**64,
    -(10**30),
    1.5,
    1e308,
    "",
    "\u0000\u001b[2J\u202e",
    "x" * 5_000,
    "é\u0301" * 500,
    "9f2c61d04be87a35:99999999999999999999",
    [],
    {},
    ["a"] * 300,
]


def examples(folder: str, sender: str) -> list[dict[str, Any]]:
    """What this side says in the fixtures."""
    lines = (FIXTURES / folder / "messages.jsonl").read_text("utf-8").splitlines()
    return [example["message"] for example in map(json.loads, lines) if example["from"] == sender]


EXTENSION = examples("bridge", "extension")
CLIENT = examples("wire", "client")
HELLO = next(message for message in EXTENSION if message["type"] == "hello")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be exchanged."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in [(*path, key), *leaves(inner, (*path, key))]]
    if isinstance(value, list):
        return [found for place, inner in enumerate(value) for found in [(*path, place), *leaves(inner, (*path, place))]]
    return []


@st.composite
def bent(draw: st.DrawFn, originals: list[dict[str, Any]]) -> dict[str, Any]:
    """One message with up to two of its values exchanged."""
    message: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(0, 2))):
        where = draw(st.sampled_from([path for path in leaves(message) if path != ("type",)] or [("seq",)]))
        inner = message
        for step in where[:-1]:
            inner = inner[step]
        inner[where[-1]] = copy.deepcopy(draw(st.sampled_from(EXTREMES)))
    return message


class World:
    """A core with one link and one client of each role, all fed through the real decoders."""

    def __init__(self) -> None:
        self.core = Core(wire.ServerInfo("mirrord", "0", "run"), "9f2c61d04be87a35")
        self.now = 1_000.0
        self.links = 0
        self.intake = Intake(LinkId(0))
        self.link: Link | None = None
        self.said = 0
        for role in Role:
            self.happen(events.ClientConnected(at=self.moment, client=ClientId(role), role=role, credential=role.name))

    @property
    def moment(self) -> Moment:
        self.now += 0.01
        return Moment(round(self.now * 1000), self.now)

    def happen(self, event: events.Event) -> None:
        """Through the core; whatever comes out can be written."""
        for command in self.core.handle(event):
            if isinstance(command, commands.Send):
                encode(command.message)

    def extension_says(self, message: dict[str, Any]) -> None:
        """On the link, or on a new one when the last is closed."""
        if self.link is None:
            self.links += 1
            self.said = 0
            self.link = Link(DaemonInfo("0", "run", 1), self.now)
            self.intake = Intake(LinkId(self.links))
            if message["type"] != "hello":
                self._on_the_link(self.link, HELLO)
        self._on_the_link(self.link, message)

    def _on_the_link(self, link: Link, message: dict[str, Any]) -> None:
        self.said += 1
        line = json.dumps(message | {"seq": self.said}).encode() + b"\n"
        for event in link.receive(line, self.now, 1):
            if isinstance(event, Taken):
                told = self.intake.event(event.message, self.moment)
                if told is not None:
                    self.happen(told)
            else:
                self.happen(events.LinkLost(at=self.moment, link=LinkId(self.links), alive=self.said % 2 == 0))
                self.link = None

    def client_says(self, client: ClientId, message: dict[str, Any]) -> None:
        """A frame of a client."""
        decoded = decode(json.dumps(message))
        if not isinstance(decoded, Mistake):
            self.happen(events.ClientSaid(at=self.moment, client=client, message=decoded))


TURN = st.one_of(
    st.tuples(st.just(0), bent(EXTENSION)),
    st.tuples(st.sampled_from([int(role) for role in Role]), bent(CLIENT)),
)


@settings(max_examples=150)
@given(st.lists(TURN, max_size=40))
def test_no_conversation_raises_and_every_word_of_ours_can_be_written(turns: list[tuple[int, dict[str, Any]]]) -> None:
    world = World()
    for role in Role:
        world.client_says(ClientId(role), CLIENT[0])
    for speaker, message in turns:
        if speaker == 0:
            world.extension_says(message)
        else:
            world.client_says(ClientId(speaker), message)
    for session in world.core.sessions():
        msgspec.json.encode(session)


@pytest.mark.parametrize("extreme", EXTREMES, ids=lambda value: repr(value)[:24])
def test_every_field_of_every_message_survives_every_extreme(extreme: Any) -> None:
    for original in EXTENSION + CLIENT:
        for where in leaves(original):
            if where == ("type",):
                continue
            message = copy.deepcopy(original)
            inner = message
            for step in where[:-1]:
                inner = inner[step]
            inner[where[-1]] = extreme
            world = World()
            world.client_says(ClientId(Role.OWNER), CLIENT[0])
            if original in EXTENSION:
                world.extension_says(message)
                world.extension_says(message)
            else:
                world.extension_says(EXTENSION[4])
                world.client_says(ClientId(Role.OWNER), message)
                world.client_says(ClientId(Role.OWNER), message)
