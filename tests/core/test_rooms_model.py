"""Promise: whatever a client asks for and in whatever fits it reads, it is never cut for what it asked for, hears of a session nothing
before it knows how that stands, misses nothing after, and in the end shows what is.

Sessions hold prompts of up to 2 MiB each and are switched off and on; the client comes back with the cursors it has.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from mirrord.core import events
from mirrord.core.model import ClientId, LinkId, Prompt, PromptId, Settlement, TerminalId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.roles import Role
from tests.core.outboxes import Outboxes
from tests.core.playbook import terminal

RUNS = int(os.environ.get("MIRRORD_ROOMS_RUNS", "60"))
KIB = 1024
IDS = [TerminalId(f"t{number}") for number in range(6)]
some = st.sampled_from(IDS)
_DECODER = msgspec.json.Decoder(wire.ServerMessage)


@dataclass
class View:
    """What a client shows of a session."""

    cursor: str | None = None
    prompts: dict[str, None] = field(default_factory=dict)
    known: bool = False
    """Over this connection: it was told how the session stands, or comes back with a cursor."""
    waits: bool = False
    """It was asked for with nothing known: until its snapshot comes, what comes was on its way when the client let go of it before."""


def place(cursor: str) -> tuple[str, int]:
    """Epoch and number."""
    epoch, _, number = cursor.rpartition(":")
    return epoch, int(number)


class Rooms(RuleBasedStateMachine):
    """Six Pis, and one client at a time that follows those it wants, as `client/following.py` does."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Outboxes()
        self.links: dict[TerminalId, LinkId] = {}
        self.open: dict[TerminalId, list[str]] = {}
        self.number = 0
        self.client = 0
        self.is_here = False
        self.views: dict[str, View] = {id_: View("oldrun.1:7") for id_ in IDS}
        """Of the sessions that the client wants: at first all of them, as an earlier daemon told it."""
        self.asked: set[str] = set()
        for id_ in IDS:
            self.switches_on(id_)
            for _ in range(10):
                self.asks(id_, 120)
        self.connects()

    # ---- terminals ---------------------------------------------------------------------------------------------------

    @rule(id_=some)
    def switches_on(self, id_: TerminalId) -> None:
        """The session is listed."""
        if id_ in self.links:
            return
        link = self.links[id_] = LinkId(self.play.link + 1)
        self.play.link, self.open[id_] = link, []
        self.play.feed(events.TerminalLinked(at=self.play.at, link=link, terminal=terminal(id_)))
        self.play.feed(events.ResyncEnded(at=self.play.at, link=link))

    @rule(id_=some, dice=st.integers(1, 3))
    def switches_off(self, id_: TerminalId, dice: int) -> None:
        """It is private, now and then."""
        if id_ in self.links and dice == 1:
            self.play.feed(events.TerminalBye(at=self.play.at, link=self.links.pop(id_), reason="off"))

    @rule(id_=some, kib=st.sampled_from([1, 120]))
    def asks(self, id_: TerminalId, kib: int) -> None:
        """A prompt opens. What happens in sessions that a client follows is not what it asked for: before 1 MiB waits it reads."""
        if id_ not in self.links or len(self.open[id_]) > 20:
            return
        if self.is_here:
            self.reads(1024)
        self.number += 1
        prompt = Prompt(id=PromptId(f"p{self.number}"), method="editor", title="Plan", opened_at=1, prefill="x" * kib * KIB)
        self.open[id_].append(prompt.id)
        self.play.feed(events.PromptOpened(at=self.play.at, link=self.links[id_], prompt=prompt))

    @rule(id_=some)
    def settles(self, id_: TerminalId) -> None:
        """The oldest is over."""
        if id_ in self.links and self.open[id_]:
            settlement = Settlement(id=PromptId(self.open[id_].pop(0)), outcome="answered", winner="terminal", at=self.play.now)
            self.play.feed(events.PromptSettled(at=self.play.at, link=self.links[id_], settlement=settlement))

    # ---- the client --------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.is_here)
    @rule()
    def connects(self) -> None:
        """It says hello, resumes what it has a cursor of, and asks for the rest."""
        self.client, self.is_here = self.client + 1, True
        self.asked = {id_ for id_ in self.views if id_ in self.links}
        for view in self.views.values():
            view.known = view.cursor is not None
        self.play.feed(events.ClientConnected(at=self.play.at, client=ClientId(self.client), role=Role.CONTROLLER, credential="phone"))
        hello = wire.Hello(
            client=wire.ClientInfo("phone", "test"),
            protocol=wire.ProtocolRange(1, 1),
            capabilities=(TEXT_FALLBACK, PROMPT_NATIVE),
            resume={id_: view.cursor for id_, view in self.views.items() if view.cursor is not None},
        )
        self.play.says(self.client, hello)
        for id_, view in self.views.items():
            if view.cursor is None and id_ in self.asked:
                self.play.says(self.client, wire.Subscribe(session_id=id_))

    @precondition(lambda self: self.is_here)
    @rule(dice=st.integers(1, 3))
    def is_cut(self, dice: int) -> None:
        """The connection ends, now and then."""
        if dice == 1:
            self.play.leaves(self.client)
            self.is_here = False

    @precondition(lambda self: self.is_here)
    @rule(id_=some, keep=st.booleans())
    def subscribes(self, id_: TerminalId, keep: bool) -> None:
        """It follows a session, perhaps again, perhaps from its cursor on."""
        if id_ in self.links:
            view = self.views.setdefault(id_, View(waits=True))
            self.asked.add(id_)
            self.play.says(self.client, wire.Subscribe(session_id=id_, since=view.cursor if keep else None))

    @precondition(lambda self: self.is_here)
    @rule(id_=some)
    def unsubscribes(self, id_: TerminalId) -> None:
        """It wants it no more; what still waits of it is nothing that it reads."""
        self.views.pop(id_, None)
        self.asked.discard(id_)
        self.play.says(self.client, wire.Unsubscribe(session_id=id_))

    @precondition(lambda self: self.is_here)
    @rule(kib=st.sampled_from([0, 64, 200, 1024, 3072]))
    def reads(self, kib: int) -> None:
        """Until so much waits."""
        for frame in self.play.reads(self.client, kib * KIB):
            self.take(_DECODER.decode(frame))

    @rule()
    def time_passes(self) -> None:
        """The core is woken, as far as it wants to be while nobody reads."""
        self.play.passes(1)

    @precondition(lambda self: len(self.views) > 0)
    @rule()
    def reads_everything(self) -> None:
        """And shows what is."""
        if not self.is_here:
            self.connects()
        while self.play.core.wake_at is not None or len(self.play.boxes[self.client]):
            for frame in self.play.reads_everything(self.client):
                self.take(_DECODER.decode(frame))
        for id_, view in self.views.items():
            if id_ in self.links:
                assert list(view.prompts) == self.open[TerminalId(id_)]

    def teardown(self) -> None:
        """At the end too."""
        self.reads_everything()

    # ---- what it makes of what it reads ------------------------------------------------------------------------------

    def take(self, message: wire.ServerMessage) -> None:
        """One message."""
        if isinstance(message, wire.SessionChanged) and message.change != "changed":
            self.listed(message.change == "added", message.session.session_id)
        view = self.views.get(getattr(message, "session_id", ""))
        match message:
            case wire.Snapshot() if view is not None:
                view.known, view.waits, view.cursor = True, False, message.cursor
                view.prompts = {prompt.id: None for prompt in message.prompts}
            case wire.ExtensionUIRequest() if view is not None and not view.waits:
                self.follows_on(view, message.cursor)
                view.prompts[message.id] = None
            case wire.ExtensionUISettled() if view is not None and not view.waits:
                self.follows_on(view, message.cursor)
                view.prompts.pop(message.id, None)

    def listed(self, is_listed: bool, session: str) -> None:
        """What a client of ours makes of it: a session that is gone is shown no more, and is asked for when it comes if it could not be."""
        view = self.views.get(session)
        if view is None:
            return
        if not is_listed:
            view.prompts.clear()
            view.waits = False
        elif session not in self.asked and session in self.links:
            self.asked.add(session)
            self.play.says(self.client, wire.Subscribe(session_id=session, since=view.cursor))

    @staticmethod
    def follows_on(view: View, cursor: str | None) -> None:
        """The next event, one that it has, or the first of a session that is listed anew."""
        assert cursor is not None
        epoch, number = place(cursor)
        before = place(view.cursor) if view.cursor is not None else None
        if before is None or before[0] != epoch:
            assert number == 1, "an event before the snapshot"
        else:
            assert view.known
            assert number <= before[1] + 1, "events were missed"
        view.cursor, view.known = cursor, True


TestRooms = Rooms.TestCase
TestRooms.settings = settings(
    max_examples=RUNS, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
