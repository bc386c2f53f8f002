"""Promise: in whatever order things happen, nobody is told of a session that they look at, nothing stacks, no storm gets through, and once
it is quiet every device that can be reached knows the last state of each session.

Time is the model's: what was held back has gone out once the core waits for nothing.
"""

from __future__ import annotations

import os
from collections import deque

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mirrord.core import commands, events
from mirrord.core.attention import BURST, EVERY_SECONDS
from mirrord.core.model import ClientId, LinkId, PromptId, Settlement, TerminalId
from mirrord.wire.attention import Attention, DeviceSwitches, Looking, NotifySettings
from tests.core.playbook import Playbook, select, terminal

RUNS = int(os.environ.get("MIRRORD_ATTENTION_RUNS", "150"))
SESSIONS = (TerminalId("1-1"), TerminalId("2-2"))
DEVICES = ("phone", "laptop", "")
"""The last one is the control socket."""
CLIENTS = {1: "phone", 2: "phone", 3: "laptop", 4: ""}
SUBSCRIBED = {"phone"}
SESSION = st.sampled_from(SESSIONS)
CLIENT = st.sampled_from(sorted(CLIENTS))


class Calling(RuleBasedStateMachine):
    """Two Pis, and devices that come, look, look away, are put to sleep and cut off."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Playbook()
        self.links: dict[TerminalId, LinkId | None] = {}
        self.open: dict[TerminalId, deque[str]] = {session: deque() for session in SESSIONS}
        self.looking: dict[int, TerminalId | None] = {}
        """Of each client that is here what it said."""
        self.seen_pages: set[int] = set()
        """Clients whose page can be seen."""
        self.waiting_off: set[str] = set()
        self.told: dict[tuple[str, TerminalId], Attention | None] = {}
        """What each device shows: the last that it was told, None once it looked."""
        self.seen: dict[tuple[str, TerminalId], tuple[str, int] | None] = {}
        """Of each device and session the prompts that it saw or was told last: the oldest, and how many."""
        self.times: dict[tuple[str, TerminalId], list[float]] = {}
        self.number = 0
        for session in SESSIONS:
            self.links_again(session)
        for device in DEVICES[:2]:
            self.note(device)

    # ---- what happens ------------------------------------------------------------------------------------------------

    def feed(self, event: events.Event) -> None:
        self.read(self.play.feed(event))

    def note(self, device: str) -> None:
        switches = NotifySettings(DeviceSwitches(waiting=device not in self.waiting_off))
        self.feed(events.DeviceNoted(at=self.play.at, device=device, settings=switches, subscribed=device in SUBSCRIBED))

    @rule(session=SESSION)
    def opens(self, session: TerminalId) -> None:
        link = self.links[session]
        if link is None or len(self.open[session]) >= 3:
            return
        self.number += 1
        self.open[session].append(f"p{self.number}")
        self.feed(events.PromptOpened(at=self.play.at, link=link, prompt=select(f"p{self.number}")))

    @rule(session=SESSION, newest=st.booleans())
    def settles(self, session: TerminalId, newest: bool) -> None:
        link = self.links[session]
        if link is None or not self.open[session]:
            return
        prompt = self.open[session].pop() if newest else self.open[session].popleft()
        settlement = Settlement(id=PromptId(prompt), outcome="answered", winner="terminal", at=self.play.now)
        self.feed(events.PromptSettled(at=self.play.at, link=link, settlement=settlement))

    @rule(session=SESSION, working=st.booleans())
    def works(self, session: TerminalId, working: bool) -> None:
        link = self.links[session]
        if link is not None:
            self.feed(events.ActivityChanged(at=self.play.at, link=link, working=working, since=self.play.now))

    @rule(session=SESSION)
    def loses_its_link(self, session: TerminalId) -> None:
        link, self.links[session] = self.links[session], None
        if link is not None:
            self.feed(events.LinkLost(at=self.play.at, link=link, alive=True))

    @rule(session=SESSION)
    def links_again(self, session: TerminalId) -> None:
        if self.links.get(session) is not None:
            return
        link = self.links[session] = LinkId(1_000 + self.number)
        self.number += 1
        self.feed(events.TerminalLinked(at=self.play.at, link=link, terminal=terminal(session)))
        self.feed(events.ResyncBegan(at=self.play.at, link=link))
        for prompt in self.open[session]:
            self.feed(events.PromptOpened(at=self.play.at, link=link, prompt=select(prompt)))
        self.feed(events.ResyncEnded(at=self.play.at, link=link))

    @rule(client=CLIENT, session=st.sampled_from((None, *SESSIONS)), present=st.booleans())
    def looks(self, client: int, session: TerminalId | None, present: bool) -> None:
        if client not in self.looking:
            self.play.connect(client, follow=None, device=CLIENTS[client])
        self.looking[client] = session
        (self.seen_pages.add if present or session is not None else self.seen_pages.discard)(client)
        self.look_around()
        self.feed(events.ClientSaid(at=self.play.at, client=ClientId(client), message=Looking(session_id=session, present=present)))

    @rule(client=CLIENT)
    def is_cut_off(self, client: int) -> None:
        if client not in self.looking:
            return
        del self.looking[client]
        self.seen_pages.discard(client)
        device = self.device_of(client)
        self.feed(events.ClientGone(at=self.play.at, client=ClientId(client)))
        if not CLIENTS[client]:
            for known in (self.told, self.seen, self.times):
                for key in [key for key in known if key[0] == device]:
                    del known[key]

    @rule(device=st.sampled_from(DEVICES[:2]))
    def switches(self, device: str) -> None:
        self.waiting_off ^= {device}
        self.note(device)

    @rule(ms=st.sampled_from((1, 500, 3_000, 11_000, 60_000)))
    def time_passes(self, ms: int) -> None:
        until = self.play.now + ms
        while (wake_at := self.play.core.wake_at) is not None and wake_at * 1000 <= until:
            self.play.now = max(self.play.now, round(wake_at * 1000))
            self.feed(events.TimeIs(at=self.play.at))
        self.play.now = max(self.play.now, until)

    # ---- what is told ------------------------------------------------------------------------------------------------

    def device_of(self, client: int) -> str:
        return CLIENTS[client] or f"client {client}"

    def looked_at(self, device: str) -> set[TerminalId]:
        return {session for client, session in self.looking.items() if session is not None and self.device_of(client) == device}

    def look_around(self) -> None:
        """Whoever looks at a session has seen what it wants, and what was shown of it is done with."""
        for client in self.looking:
            device = self.device_of(client)
            for session in self.looked_at(device):
                self.told[device, session] = None
                self.seen[device, session] = self.wanted(session)

    def wanted(self, session: TerminalId) -> tuple[str, int] | None:
        return (self.open[session][0], len(self.open[session])) if self.open[session] else None

    def read(self, out: list[commands.Command]) -> None:
        """One event may tell a device of a session once, by a message to its pages, a push, or both."""
        told: dict[tuple[str, TerminalId], Attention] = {}
        for command in out:
            match command:
                case commands.Send(client=client, message=Attention() as message):
                    assert client in self.looking
                    device = self.device_of(client)
                case commands.Push(device=device, message=message):
                    assert device in SUBSCRIBED
                    assert not any(self.device_of(client) == device for client in self.seen_pages), "a page that can be seen needs no push"
                case _:
                    continue
            key = device, TerminalId(message.session_id)
            assert key[1] not in self.looked_at(device), "told of what it looks at"
            assert told.setdefault(key, message) == message
        for key, message in told.items():
            before = self.told.get(key)
            assert message.kind != "over" or before is not None, "over, but nothing was shown"
            assert not (before is not None and before.kind == "over" and message.kind == "over")
            self.told[key] = message
            self.seen[key] = (message.prompt_id, self.wanted(key[1])[1]) if message.kind == "waiting" else None  # type: ignore[index, assignment]
            self.times.setdefault(key, []).append(self.play.now / 1000)
            if message.kind == "over":
                self.told[key] = None
        self.look_around()

    @invariant()
    def no_storm_gets_through(self) -> None:
        for times in self.times.values():
            for first, last in zip(times, times[BURST:], strict=False):
                assert last - first >= EVERY_SECONDS - 0.01

    @invariant()
    def what_is_held_is_told_soon(self) -> None:
        wake_at = self.play.core._attention.wake_at
        assert wake_at is None or wake_at <= self.play.now / 1000 + BURST * EVERY_SECONDS

    def teardown(self) -> None:
        """It is quiet, and everybody who can be reached knows what there is to know."""
        for session in SESSIONS:
            self.links_again(session)
        while self.play.core.wake_at is not None:
            self.time_passes(1_000)
        for device in {self.device_of(client) for client in self.looking} | SUBSCRIBED:
            for session in SESSIONS:
                if session in self.looked_at(device):
                    continue
                waits, shown = self.wanted(session), self.told.get((device, session))
                if waits is None:
                    assert shown is None or shown.kind != "waiting", "a question that nobody asks any more"
                elif device not in self.waiting_off:
                    assert self.seen.get((device, session)) == waits, "a question that nobody was told of"


Calling.TestCase.settings = settings(max_examples=RUNS, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
TestCalling = Calling.TestCase
