"""Promise: a client that is there from the start, one that joins late and one that comes back at any cursor show the same, whatever was
shown in between, at whatever speed; no client gets more than it can read, and what it has not yet got it has not missed.

Time is the model's: the newest value of everything is there once the core waits for nothing.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from mirrord.core import events, shown
from mirrord.core.model import LinkId, Prompt, PromptId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.surface_limits import NOTES_A_SECOND, NOTES_AT_ONCE, STATES_A_SECOND, STATES_AT_ONCE
from mirrord.wire.surfaces import Indicator, WorkingRow
from tests.core.drawings import Screenful, drawing
from tests.core.playbook import PI, Playbook, terminal

KEYS = st.sampled_from(("a", "b", "c"))
WORDS = st.sampled_from((None, "one", "two"))
SOURCES = st.sampled_from((None, "planner", "clock"))
RUNS = int(os.environ.get("MIRRORD_SURFACE_RUNS", "60"))
A_SECOND = STATES_AT_ONCE + STATES_A_SECOND + NOTES_AT_ONCE + NOTES_A_SECOND


class Showing(RuleBasedStateMachine):
    """What the terminal shows, and three clients."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Playbook()
        self.told: dict[str, Any] = {}
        """What the terminal shows, as the events that say so."""
        self.open: list[str] = []
        self.number = 0
        self.clients = 0
        self.screens: dict[int, Screenful] = {}
        self.read: dict[int, int] = {}
        self.away: dict[int, Screenful] = {}
        self.play.attach()
        self.joins()

    # ---- the terminal ------------------------------------------------------------------------------------------------

    def show(self, what: str, kind: type[shown.Shown], **fields: Any) -> None:
        event = kind(at=self.play.at, link=self.play.link, **fields)
        self.told[what] = (kind, fields)
        self.play.feed(event)

    @rule(key=KEYS, text=WORDS, source=SOURCES, placement=st.sampled_from(("aboveEditor", "belowEditor")))
    def widget(self, key: str, text: str | None, source: str | None, placement: str) -> None:
        drawn = drawing(text, source=source) if text else None
        self.show(f"widget:{key}", shown.WidgetSet, key=key, placement=placement, drawing=drawn)

    @rule(key=KEYS, text=WORDS, source=SOURCES)
    def status(self, key: str, text: str | None, source: str | None) -> None:
        self.show(f"status:{key}", shown.StatusSet, key=key, text=text, source=source)

    @rule(name=st.sampled_from(("header", "footer")), text=WORDS)
    def region(self, name: str, text: str | None) -> None:
        self.show(name, shown.RegionSet, name=name, drawing=drawing(text) if text else None)

    @rule(title=WORDS, message=WORDS, visible=st.booleans(), frames=st.sampled_from((None, (), ("·",))), label=WORDS, tools=st.booleans())
    def ambient(self, title: str | None, message: str | None, visible: bool, frames: Any, label: str | None, tools: bool) -> None:
        row = WorkingRow(visible, message, Indicator(frames) if frames is not None else None)
        self.show("title", shown.TitleSet, title=title)
        self.show("working", shown.WorkingRowSet, row=row)
        self.show("thinking", shown.ThinkingLabelSet, label=label)
        self.show("tools", shown.ToolsExpandedSet, expanded=tools)

    @rule(count=st.integers(1, 200))
    def floods(self, count: int) -> None:
        for number in range(count):
            self.show("status:a", shown.StatusSet, key="a", text=f"{number}", source=None)
            self.show(f"widget:{number % 30}", shown.WidgetSet, key=f"{number % 30}", placement="aboveEditor", drawing=drawing(f"{number}"))
            self.play.feed(shown.Notified(at=self.play.at, link=self.play.link, message=f"{number}", level=None))

    @precondition(lambda self: len(self.open) < 3)
    @rule()
    def opens(self) -> None:
        self.number += 1
        self.open.append(f"p{self.number}")
        self.play.opens(self.prompt(self.open[-1]))

    @precondition(lambda self: bool(self.open))
    @rule(text=st.text("ab", min_size=1, max_size=3), overlay=st.booleans(), typing=st.booleans())
    def draws(self, text: str, overlay: bool, typing: bool) -> None:
        id_ = self.open[-1]
        self.show(f"view:{id_}", shown.ViewDrawn, prompt=PromptId(id_), drawing=drawing(text), overlay=overlay, typing=typing)

    @precondition(lambda self: bool(self.open))
    @rule()
    def draws_once_more_and_is_over(self) -> None:
        id_, text = self.open[-1], f"the last of {self.open[-1]}"
        self.show(f"view:{id_}", shown.ViewDrawn, prompt=PromptId(id_), drawing=drawing(text), overlay=False, typing=False)
        self.open.pop()
        self.told.pop(f"view:{id_}", None)
        self.play.settles(id_)
        for client in self.screens:
            inbox = self.play.inbox[client]
            drawn = [m.widget_lines for m in inbox if isinstance(m, wire.ExtensionUINotification) and m.request_id == id_]
            assert (text,) in drawn, "the last frame goes out before the settlement"

    @rule(keep=st.booleans())
    def comes_back(self, keep: bool) -> None:
        """The link is cut; the next one tells everything again, or has forgotten half of it."""
        self.play.loses_link()
        self.play.link = LinkId(self.play.link + 1)
        self.play.feed(events.TerminalLinked(at=self.play.at, link=self.play.link, terminal=terminal()))
        self.play.feed(events.ResyncBegan(at=self.play.at, link=self.play.link))
        before = self.heard()
        for id_ in self.open:
            self.play.opens(self.prompt(id_))
        told, self.told = self.told, {}
        for place, (name, (kind, fields)) in enumerate(told.items()):
            if keep or place % 2:
                self.show(name, kind, **fields)
        if keep:
            assert self.heard() == before, "nothing is told of what stays the same"
        self.play.feed(events.ResyncEnded(at=self.play.at, link=self.play.link))

    @rule()
    def is_over_and_starts_again(self) -> None:
        self.play.feed(events.TerminalBye(at=self.play.at, link=self.play.link, reason="quit"))
        self.told.clear()
        self.open.clear()
        self.play.waits()
        self.reads()
        for screen in self.screens.values():
            assert screen.shown() == Screenful().shown(), "nothing is shown of a session that is over"
        self.play.attach()

    def heard(self) -> int:
        """How many messages about what is shown anybody got."""
        return sum(isinstance(send.message, wire.ExtensionUINotification | wire.ExtensionUIStrips) for send in self.play.sends)

    def prompt(self, id_: str) -> Prompt:
        return Prompt(id=PromptId(id_), method="custom", title="A dialog", opened_at=1, cancellable=False)

    # ---- clients and time --------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.screens) < 3)
    @rule()
    def joins(self) -> None:
        self.clients += 1
        self.screens[self.clients] = Screenful()
        self.play.connect(self.clients, capabilities=SERVER_CAPABILITIES)

    @precondition(lambda self: len(self.screens) > 1)
    @rule(data=st.data())
    def goes(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(sorted(self.screens)))
        self.reads()
        self.away[client] = self.screens.pop(client)
        self.play.leaves(client)

    @precondition(lambda self: bool(self.away))
    @rule(data=st.data())
    def resumes(self, data: st.DataObject) -> None:
        screen = self.away.pop(data.draw(st.sampled_from(sorted(self.away))))
        self.clients += 1
        self.screens[self.clients] = screen
        self.play.connect(self.clients, capabilities=SERVER_CAPABILITIES, since=screen.cursor)

    @precondition(lambda self: bool(self.screens))
    @rule(data=st.data())
    def asks_again(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(sorted(self.screens)))
        self.reads()
        self.play.says(client, wire.Subscribe(session_id=PI, since=self.screens[client].cursor))

    @rule(ms=st.integers(1, 500))
    def time_passes(self, ms: int) -> None:
        self.play.passes(ms)

    def reads(self) -> None:
        for client, screen in self.screens.items():
            inbox = self.play.inbox[client]
            for message in inbox[self.read.get(client, 0) :]:
                screen.take(message)
            self.read[client] = len(inbox)

    @rule()
    def all_show_the_same_once_the_core_waits_for_nothing(self) -> None:
        self.play.waits()
        self.reads()
        self.play.connect(0, capabilities=SERVER_CAPABILITIES)
        latest = Screenful()
        for message in self.play.inbox.pop(0):
            latest.take(message)
        self.play.leaves(0)
        for screen in self.screens.values():
            assert screen.shown() == latest.shown()
            assert screen.cursor == latest.cursor

    def teardown(self) -> None:
        """At the end too; and in no second did anybody get more than was promised."""
        self.all_show_the_same_once_the_core_waits_for_nothing()
        paced: dict[int, list[int]] = {}
        for at, send in zip(self.play.sent_at, self.play.sends, strict=True):
            if send.importance != "must":
                paced.setdefault(send.client, []).append(at)
        for times in paced.values():
            assert all(later - first >= 1_000 for first, later in zip(times, times[A_SECOND:], strict=False))


TestShowing = Showing.TestCase
TestShowing.settings = settings(
    max_examples=RUNS, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
