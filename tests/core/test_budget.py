"""Promise: however much sessions tell, they hold no more together than the bound, and what gives way for that is what can be told again.

Of sessions, messages and drawings that come in any order, a model keeps what each terminal holds. Whatever gave way: every open prompt is
there with everything that is needed to answer it, how each ended is known, the newest message of each conversation is there, and whoever
follows shows what whoever joins now is shown.
"""

from __future__ import annotations

import os
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mirrord.core import budget, events, shown
from mirrord.core.model import Handoff, LinkId, PromptId, Settlement, TerminalId
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, SERVER_CAPABILITIES
from mirrord.wire.limits import CHAT_BYTES, CHAT_LEAST_BYTES, SESSIONS_BYTES
from tests.core.chat.talk import Talk, chatting, row
from tests.core.drawings import Screenful, drawing
from tests.core.playbook import select

RUNS = int(os.environ.get("MIRRORD_BUDGET_RUNS", "40"))
MOST, LEAST = 9_000, 1_500
"""What all sessions hold here, and what of a conversation always stays."""
WIDGETS = 3
"""Of one session, at most."""
WATCHES, JOINS = 1, 2
SESSIONS = tuple(TerminalId(f"{number}-1") for number in range(1, 5))
sessions = st.sampled_from(SESSIONS)


class Sessions(Talk):
    """Several Pis, each with its link. A client's screen of each is made of what it got."""

    def begins(self, session: TerminalId) -> None:
        """A Pi is there."""
        self.at_link(session)
        self.feed(events.TerminalLinked(at=self.at, link=self.link, terminal=chatting(session)))
        self.feed(events.ResyncBegan(at=self.at, link=self.link))
        self.page()
        self.feed(events.ResyncEnded(at=self.at, link=self.link))

    def at_link(self, session: TerminalId) -> None:
        """What is told from now on is told by this Pi."""
        self.link = LinkId(SESSIONS.index(session) + 1)

    def watches(self, client: int, session: TerminalId) -> None:
        """A client follows all of a session."""
        self.says(client, messages.Subscribe(session_id=session))
        self.says(client, wire.ChatSubscribe(session_id=session))

    def screen(self, client: int, session: TerminalId) -> Screenful:
        """What it shows of a session, besides the conversation."""
        screen = Screenful()
        for message in self.inbox.get(client, []):
            if getattr(message, "session_id", None) == session:
                screen.take(message)
        return screen

    def window(self, session: TerminalId) -> list[str]:
        """Ids of the messages that are kept."""
        return [each.message.id for each in self.core._sessions[session].conversation.timeline.rows]

    def together(self) -> int:
        """What all sessions hold."""
        return sum(self.core.held().values())


class Holding(RuleBasedStateMachine):
    """Four Pis that tell whatever they like, and a client that follows all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.bounds = (mock.patch.object(budget, "SESSIONS_BYTES", MOST), mock.patch("mirrord.core.core.CHAT_LEAST_BYTES", LEAST))
        self.least = mock.patch.object(budget, "CHAT_LEAST_BYTES", LEAST)
        for patch in (*self.bounds, self.least):
            patch.start()
        self.play = Sessions()
        self.rows: dict[TerminalId, list[str]] = {session: [] for session in SESSIONS}
        self.open: dict[TerminalId, list[str]] = {session: [] for session in SESSIONS}
        self.over: dict[TerminalId, list[str]] = {session: [] for session in SESSIONS}
        self.number = 0
        self.play.connect(WATCHES, capabilities=SERVER_CAPABILITIES, follow=None)
        for session in SESSIONS:
            self.play.begins(session)
            self.play.watches(WATCHES, session)

    def teardown(self) -> None:
        for patch in (*self.bounds, self.least):
            patch.stop()

    def next(self, what: str) -> str:
        self.number += 1
        return f"{what}{self.number}"

    @rule(session=sessions, size=st.integers(1, 2_500))
    def says(self, session: TerminalId, size: int) -> None:
        self.play.at_link(session)
        rows, id_ = self.rows[session], self.next("e")
        self.play.row(row(id_, "x" * size, entry_id=id_), rows[-1] if rows else None)
        rows.append(id_)

    @rule(session=sessions, size=st.integers(1, 600))
    def streams(self, session: TerminalId, size: int) -> None:
        rows = self.rows[session]
        if rows:
            self.play.at_link(session)
            texts = [each.message.parts[0].text or "" for each in self.play.core._sessions[session].conversation.timeline.rows]
            self.play.grows(rows[-1], len(texts[-1]), "y" * size)

    @rule(session=sessions, key=st.sampled_from("abc"[:WIDGETS]), size=st.integers(0, 900))
    def draws(self, session: TerminalId, key: str, size: int) -> None:
        self.play.at_link(session)
        drawn = drawing("w" * size) if size else None
        self.play.feed(shown.WidgetSet(at=self.play.at, link=self.play.link, key=key, placement="aboveEditor", drawing=drawn))

    @rule(session=sessions)
    def hands_over(self, session: TerminalId) -> None:
        self.play.at_link(session)
        text = Handoff(self.next("h"), "t" * 33_000, paste=False)
        self.play.feed(shown.EditorTextHanded(at=self.play.at, link=self.play.link, handoff=text))

    @rule(session=sessions, size=st.integers(1, 400))
    def asks(self, session: TerminalId, size: int) -> None:
        self.play.at_link(session)
        self.open[session].append(self.next("p"))
        self.play.opens(select(self.open[session][-1], title="q" * size))

    @rule(session=sessions)
    def is_answered(self, session: TerminalId) -> None:
        if self.open[session]:
            self.over[session].append(self.open[session].pop(0))
            self.play.at_link(session)
            self.play.settles(self.over[session][-1])

    @invariant()
    def no_more_is_held_than_the_bound_or_nothing_is_left_that_may_go(self) -> None:
        if self.play.together() <= MOST:
            return
        held = self.play.core.held()
        assert held["journals"] <= len(SESSIONS) * WIDGETS * 400, "of events nothing is left but what told that drawings gave way"
        assert held["handoffs"] == 0
        for session in SESSIONS:
            mine = self.play.core._sessions[session]
            assert mine.conversation.timeline.bytes <= LEAST or len(mine.conversation.timeline.rows) == 1
            assert not mine.display.surfaces.can_be_abridged

    @invariant()
    def the_newest_messages_are_there(self) -> None:
        for session, rows in self.rows.items():
            window = self.play.window(session)
            assert window == rows[len(rows) - len(window) :]
            assert bool(window) == bool(rows)
            timeline = self.play.core._sessions[session].conversation.timeline
            assert timeline.more == (len(window) < len(rows)), "that there are older ones is known, and asked for by the first"

    @invariant()
    def every_prompt_can_be_answered_and_every_end_is_known(self) -> None:
        for session in SESSIONS:
            prompts = self.play.core._sessions[session].prompts
            assert list(prompts.open_ids) == self.open[session]
            assert all(each.terminal_only is None and each.options == ("apple", "banana", "cherry") for each in prompts)
            assert all(prompts.verdict(PromptId(id_)) is not None for id_ in self.over[session])

    @rule()
    def who_follows_shows_what_who_joins_is_shown(self) -> None:
        self.play.waits()
        self.play.inbox.pop(JOINS, None)
        self.play.connect(JOINS, capabilities=SERVER_CAPABILITIES, follow=None)
        for session in SESSIONS:
            self.play.says(JOINS, messages.Subscribe(session_id=session))
            there = self.play.screen(WATCHES, session)
            assert there.shown() == self.play.screen(JOINS, session).shown()
        self.play.leaves(JOINS)


Holding.TestCase.settings = settings(
    max_examples=RUNS, stateful_step_count=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
test_whatever_is_told_the_bound_holds_and_nothing_is_lost = Holding.TestCase


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    """Two Pis; the first was told of last before the second came."""
    monkeypatch.setattr(budget, "SESSIONS_BYTES", 20_000)
    monkeypatch.setattr(budget, "CHAT_LEAST_BYTES", LEAST)
    monkeypatch.setattr("mirrord.core.core.CHAT_LEAST_BYTES", LEAST)
    play = Sessions()
    for session in SESSIONS[:2]:
        play.begins(session)
    return play


def talk(play: Sessions, session: TerminalId, rows: int) -> None:
    """So many messages of a kilobyte."""
    play.at_link(session)
    for number in range(rows):
        play.row(row(f"{session}/{number}", "x" * 1_000), f"{session}/{number - 1}" if number else None)


def test_the_session_that_nothing_was_told_of_for_longest_gives_way_first(play: Sessions) -> None:
    first, second = SESSIONS[:2]
    talk(play, first, 9)
    talk(play, second, 9)
    assert play.core.memory_given_way == 0
    play.connect(WATCHES, follow=first)
    talk(play, SESSIONS[1], 0)
    play.at_link(first)
    play.row(row("more", "x" * 1_500), f"{first}/8")
    assert (len(play.window(first)), len(play.window(second))) == (10, 1), "the first was looked at, and told something, since"
    assert play.core.memory_given_way == 1


def test_who_follows_is_told_that_there_are_older_messages_and_asks_for_them_by_the_first_that_is_left(play: Sessions) -> None:
    first, second = SESSIONS[:2]
    talk(play, first, 9)
    play.connect(WATCHES, capabilities=(*SERVER_CAPABILITIES, CHAT, CHAT_APPENDS), follow=None)
    play.says(WATCHES, wire.ChatSubscribe(session_id=first))
    talk(play, second, 12)
    view = play.views[WATCHES]
    assert [each["id"] for each in view.messages] == [f"{first}/8"]
    assert view.fields["history"] == {"more": True, "before": f"{first}/8"}


def test_who_comes_back_to_a_session_whose_events_gave_way_takes_a_snapshot_and_one_with_the_newest_cursor_needs_none(
    play: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SESSIONS[0]
    play.at_link(first)
    play.connect(WATCHES, follow=first)
    before = play.got(WATCHES, messages.Snapshot)[-1].cursor
    play.opens(select("p", title="t" * 500))
    newest = play.got(WATCHES, messages.ExtensionUIRequest)[-1].cursor
    monkeypatch.setattr(budget, "SESSIONS_BYTES", 100)
    talk(play, SESSIONS[1], 1)
    play.connect(3, follow=first, since=before)
    assert play.got(3, messages.Gap)
    assert [each.id for each in play.got(3, messages.Snapshot)[-1].prompts] == ["p"]
    play.connect(4, follow=first, since=newest)
    assert not play.got(4, messages.Gap)
    assert not play.got(4, messages.Snapshot)


def test_a_drawing_that_gave_way_is_whole_again_once_it_is_drawn(play: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SESSIONS[0]
    play.at_link(first)
    play.connect(WATCHES, capabilities=SERVER_CAPABILITIES, follow=first)
    whole = drawing("w" * 600, heading="Jobs")
    widget = shown.WidgetSet(at=play.at, link=play.link, key="jobs", placement="aboveEditor", drawing=whole)
    play.feed(widget)
    with monkeypatch.context() as small:
        small.setattr(budget, "SESSIONS_BYTES", 100)
        talk(play, SESSIONS[1], 1)
    play.waits()
    surface = play.screen(WATCHES, first).surfaces["jobs"]
    assert (surface.widget_lines, surface.truncated[-1].field) == (("Jobs",), "nativeSurface")
    play.at_link(first)
    play.feed(widget)
    play.waits()
    surface = play.screen(WATCHES, first).surfaces["jobs"]
    assert (surface.widget_lines, surface.truncated) == (whole.lines, ())


def test_a_session_that_is_gone_counts_no_more(play: Sessions) -> None:
    first, second = SESSIONS[:2]
    talk(play, first, 9)
    play.at_link(first)
    play.feed(events.TerminalBye(at=play.at, link=play.link, reason="off"))
    talk(play, second, 16)
    assert len(play.window(second)) == 16


def test_a_settled_answer_is_still_told_to_who_was_slower(play: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    play.at_link(SESSIONS[0])
    play.connect(WATCHES, follow=SESSIONS[0])
    play.opens(select("p"))
    settlement = Settlement(id=PromptId("p"), outcome="answered", winner="terminal", at=5, answer="apple")
    play.feed(events.PromptSettled(at=play.at, link=play.link, settlement=settlement))
    monkeypatch.setattr(budget, "SESSIONS_BYTES", 100)
    talk(play, SESSIONS[1], 2)
    play.answers(WATCHES, "p", index=1)
    verdict = play.result(WATCHES).settled
    assert verdict is not None
    assert (verdict.outcome, verdict.answer) == ("answered", "apple")


def test_what_always_stays_of_sixty_four_sessions_leaves_room_for_the_longest_conversations() -> None:
    assert CHAT_LEAST_BYTES * 64 < SESSIONS_BYTES
    assert CHAT_BYTES < SESSIONS_BYTES
