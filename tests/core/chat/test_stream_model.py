"""Promise: whoever follows a conversation shows the same, and it is what Pi holds: who was there all along, who joined late, who came back
at any cursor, who reads slowly, and who was there when the daemon was started again.

Each invariant is named after the sentence of the native chat contract that it proves:

* "Each connection has increasing revision values; older or repeated revisions are ignored."
* "Send a full snapshot.messages before incremental message patches, including on reconnect."
* "Patches add/replace/remove a whole canonical message at /messages/<index>, or replace the array at /messages."
* "Small events stay unchanged; large events become bounded fragments within the existing 64 KiB command-stream limit."
* "It preserves presentation identity across prompt ID confirmation and reordering."
* "A notice-only event does not displace history."
* "Optional fields update only that field. Clear nullable [fields] with null; clear lists with empty arrays."
* "Reconnect keeps displayed state."

And of the design: "a cursor that cannot be served gets an explicit gap and a snapshot".
"""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mirrord.client import chat_reducer
from mirrord.core import events as core_events
from mirrord.core.chat import events, timeline
from mirrord.core.chat.streams import gap
from mirrord.core.core import Core
from mirrord.core.model import ClientId
from mirrord.wire import chat as wire
from mirrord.wire import messages
from tests.core.chat.talk import Talk, as_json, row

RUNS = int(os.environ.get("MIRRORD_CHAT_RUNS", "200"))
STEPS = int(os.environ.get("MIRRORD_CHAT_STEPS", "40"))

WINDOW, BYTES = 8, 150_000
"""What the daemon keeps here."""
PAGE = 5
CONSTANT, WHOLE, SLOW, COMER = 1, 2, 3, 4
"""There all along; all along and without appends; reads in fits; comes and goes."""

TEXTS = {"none": "", "a": "a", "word": "Tulips", "astral": "Zwiebeln 🌷", "quotes": 'quote "\\', "long": "x" * 9_000, "huge": '"' * 34_000}
texts = st.sampled_from(sorted(TEXTS))
few = st.integers(0, 4)


class Stream(RuleBasedStateMachine):
    """What Pi holds beside what everybody shows."""

    def __init__(self) -> None:
        super().__init__()
        self.small = mock.patch.multiple(timeline, CHAT_ROWS=WINDOW, CHAT_BYTES=BYTES)
        self.small.start()
        self.talk = Talk()
        self.truth: list[wire.ChatMessage] = []
        """All rows of Pi's branch."""
        self.boundary_revision = 0
        self.number = 0
        self.runs = 1
        self.present: set[int] = set()
        self.linked = False
        self.queue: tuple[wire.QueuedFollowUp, ...] = ()
        self.notices = 0
        self.keys: dict[int, str] = {}
        self.link_up()
        for client, appends in ((CONSTANT, True), (WHOLE, False), (SLOW, True)):
            self.talk.follows(client, appends=appends)
            self.present.add(client)

    def teardown(self) -> None:
        """Everybody reads to the end, and then all show the same."""
        self.wakes()
        self.talk.passes(1)
        self.all_show_what_pi_holds({CONSTANT, WHOLE, SLOW} | self.present)
        self.small.stop()

    # ---- the terminal ------------------------------------------------------------------------------------------------

    def tell_page(self, reason: str) -> None:
        """A boundary: the newest page."""
        page = self.truth[-PAGE:]
        self.talk.page(*page, more=len(self.truth) > len(page), reason=reason)
        self.boundary_revision = self.talk.conversation.revision

    @precondition(lambda self: not self.linked)
    @rule()
    def link_up(self) -> None:
        """The extension finds a daemon."""
        self.linked = True
        self.talk.links()
        self.tell_page("start")
        self.talk.tells(events.QueueTold, items=self.queue)
        self.talk.feed(core_events.ResyncEnded(at=self.talk.at, link=self.talk.link))

    @precondition(lambda self: self.linked)
    @rule(dice=st.integers(1, 6))
    def cut(self, dice: int) -> None:
        """The link breaks, now and then; what Pi does meanwhile is told with the next page."""
        if dice == 1:
            self.linked = False
            self.talk.loses_link(alive=True)

    @rule(dice=st.integers(1, 8))
    def restart(self, dice: int) -> None:
        """The daemon is killed and started, now and then: clients come back with what they show."""
        if dice > 1:
            return
        self.runs += 1
        old = self.talk
        epoch = f"run{self.runs}"
        self.talk = Talk(core=Core(messages.ServerInfo("mirrord", "0", epoch), epoch), now=old.now, link=old.link, views=old.views)
        self.linked = False
        self.keys = {}
        self.link_up()
        for client in sorted(self.present):
            self.talk.follows(client, appends=client != WHOLE, resumes=True)
            step = self.talk.steps[client][-1]
            assert step.gap is not None
            assert step.gap.get("since") is not None, "a cursor of another run cannot be served"

    def new_id(self, live: bool = False) -> str:
        """Of a row; none comes twice."""
        self.number += 1
        return f"live:{self.number}" if live else f"e{self.number}"

    @rule(text=texts, live=st.booleans(), kind=st.sampled_from(["user", "assistant", "tool"]))
    def adds(self, text: str, live: bool, kind: str) -> None:
        """A row comes at the end."""
        id_ = self.new_id(live)
        message = row(id_, TEXTS[text], kind, "streaming" if live else "done", entry_id=None if live else id_)
        self.truth.append(message)
        if self.linked:
            self.talk.row(message, self.truth[-2].id if len(self.truth) > 1 else None)

    @precondition(lambda self: bool(self.truth))
    @rule(back=few, text=texts)
    def replaces(self, back: int, text: str) -> None:
        """A row looks different."""
        self.change(back, lambda old: row(old.id, TEXTS[text], old.kind, "done", entry_id=old.entry_id, live_id=old.live_id))

    def change(self, back: int, how: Any) -> None:
        """The row `back` from the end becomes another message."""
        at = max(0, len(self.truth) - 1 - back)
        self.truth[at] = how(self.truth[at])
        if self.linked:
            self.talk.row(self.truth[at], self.truth[at - 1].id if at else None)

    @precondition(lambda self: bool(self.truth))
    @rule(back=few, text=texts, keep=st.integers(0, 100))
    def grows(self, back: int, text: str, keep: int) -> None:
        """The text of a row grows, or its end is made anew."""
        at = max(0, len(self.truth) - 1 - back)
        old = self.truth[at]
        start = None if old.parts else wire.ChatPart("text")
        before = (old.parts[0].text or "") if old.parts else ""
        kept = before if keep > 20 else before[: keep % (len(before) + 1)]
        offset = len(kept.encode("utf-16-le")) // 2
        part = wire.ChatPart("text", kept + TEXTS[text])
        self.truth[at] = row(old.id, "", old.kind, old.state, entry_id=old.entry_id, live_id=old.live_id)
        self.truth[at] = wire.ChatMessage(**{**_fields(self.truth[at]), "parts": (part,)})
        if self.linked:
            self.talk.grows(old.id, offset, TEXTS[text], start=start)

    @precondition(lambda self: any(message.entry_id is None for message in self.truth))
    @rule()
    def confirms(self) -> None:
        """Pi appends a row that was live."""
        at = next(place for place, message in enumerate(self.truth) if message.entry_id is None)
        old, entry = self.truth[at], self.new_id()
        self.truth[at] = wire.ChatMessage(**{**_fields(old), "id": entry, "entry_id": entry, "live_id": old.id})
        if self.linked:
            self.talk.tells(events.RowConfirmed, id=old.id, entry_id=entry)

    @precondition(lambda self: len(self.truth) > 1)
    @rule(back=few)
    def removes(self, back: int) -> None:
        """A row is taken out."""
        at = max(0, len(self.truth) - 1 - back)
        gone = self.truth.pop(at)
        if self.linked:
            self.talk.tells(events.RowRemoved, id=gone.id)

    @property
    def kept(self) -> int:
        """How many of the newest rows the daemon has."""
        return len(self.talk.conversation.timeline.rows)

    @precondition(lambda self: self.kept > 2 and self.linked)
    @rule(back=st.integers(0, 3), to=st.integers(0, 3))
    def moves(self, back: int, to: int) -> None:
        """A row of the window changes its place there."""
        low = len(self.truth) - self.kept
        at = max(low + 1, len(self.truth) - 1 - back)
        message = self.truth.pop(at)
        target = max(low + 1, min(len(self.truth), len(self.truth) - to))
        self.truth.insert(target, message)
        self.talk.row(message, self.truth[target - 1].id)

    @precondition(lambda self: self.linked)
    @rule(drop=st.integers(0, 6), reason=st.sampled_from(["new", "tree", "resync"]))
    def boundary(self, drop: int, reason: str) -> None:
        """Another branch, another conversation."""
        del self.truth[len(self.truth) - drop if reason == "tree" and drop <= len(self.truth) else 0 :]
        self.tell_page(reason)

    @precondition(lambda self: self.linked)
    @rule(count=st.integers(0, 3), idle=st.booleans(), name=st.sampled_from([None, "tulips"]))
    def state(self, count: int, idle: bool, name: str | None) -> None:
        """Queue and state change."""
        self.queue = tuple(wire.QueuedFollowUp("steer", place, f"north {place}") for place in range(count))
        self.talk.tells(events.QueueTold, items=self.queue)
        self.talk.agent(idle=idle, session_name=name)

    # ---- clients -----------------------------------------------------------------------------------------------------

    @rule()
    def comes_or_goes(self) -> None:
        """One client comes, and comes back with what it shows."""
        if COMER in self.present:
            self.present.discard(COMER)
            self.talk.leaves(COMER)
            return
        self.present.add(COMER)
        view = self.talk.views.get(COMER)
        before = view.messages if view else ()
        expected = self.expected_gap(view)
        self.talk.follows(COMER, appends=True, resumes=True)
        step = self.talk.steps[COMER][-1]
        assert step.view.complete
        assert step.gap == expected
        if view is not None and before and expected is None and view.messages == step.view.messages:
            assert step.view.keys == view.keys, "what is shown on is the same row"

    def expected_gap(self, view: chat_reducer.ChatView | None) -> dict[str, str] | None:
        """Which cursors of a view cannot be served, by the protocol's words."""
        if view is None or view.cursor is None:
            return None
        conversation, missing = self.talk.conversation, {}
        epoch, _, revision = view.cursor.rpartition(":")
        if epoch != conversation.epoch or int(revision) < self.boundary_revision:
            missing["since"] = view.cursor
        entry = next((message["entryId"] for message in reversed(view.messages) if message.get("entryId")), None)
        if entry is not None and entry not in [message.id for message in conversation.timeline.messages()]:
            missing["entryId"] = entry
        return missing or None

    @rule()
    def subscribes_again(self) -> None:
        """A client that is there begins anew."""
        self.talk.subscribes(CONSTANT, resumes=True)

    @precondition(lambda self: SLOW not in self.talk.asleep)
    @rule()
    def falls_behind(self) -> None:
        """A client does not read."""
        self.talk.feed(events.ClientBehind(at=self.talk.at, client=ClientId(SLOW)))
        self.talk.asleep.add(SLOW)

    @rule()
    def wakes(self) -> None:
        """It reads everything that waits."""
        if SLOW in self.talk.asleep:
            self.talk.asleep.discard(SLOW)
            assert not [message for message in self.talk.unread.pop(SLOW, []) if isinstance(message, wire.ChatEvent | wire.ChatFrame)]
            self.talk.feed(events.ClientCaughtUp(at=self.talk.at, client=ClientId(SLOW)))

    @rule(seconds=st.sampled_from([0.02, 0.2]))
    def time_passes(self, seconds: float) -> None:
        """Differences are told."""
        self.talk.passes(seconds)

    # ---- what must hold ----------------------------------------------------------------------------------------------

    def window(self) -> list[Any]:
        """What everybody has to show."""
        if not self.linked:
            return [as_json(message) for message in self.talk.conversation.timeline.messages()]
        return [as_json(message) for message in (self.truth[-self.kept :] if self.kept else [])]

    def all_show_what_pi_holds(self, clients: set[int]) -> None:
        """The same at all of them."""
        for client in clients:
            view = self.talk.views[client]
            assert view.error is None
            assert list(view.messages) == self.window(), client
            assert view.fields["queuedFollowUps"] == as_json(self.talk.conversation.queue)
            assert view.fields["history"]["more"] == self.talk.conversation.timeline.more

    @invariant()
    def patches_lead_to_the_canonical_messages_and_optional_fields_update_only_that_field(self) -> None:
        """Who takes appends and reads is never behind what Pi holds."""
        self.all_show_what_pi_holds({CONSTANT} | (self.present & {COMER}))

    @invariant()
    def each_connection_has_increasing_revision_values(self) -> None:
        """And no event is ever wrong for who reads it; full messages came before any patch."""
        for client, steps in self.talk.steps.items():
            assert all(step.view.error is None for step in steps[-4:]), client
            last = [step.view.revision for step in steps[-2:]]
            if len(last) == 2 and None not in last and steps[-1].gap is None:
                assert last[0] <= last[1]  # type: ignore[operator]

    @invariant()
    def presentation_identity_is_preserved(self) -> None:
        """A row keeps its key for as long as a client shows it, whatever its id becomes."""
        view = self.talk.views[CONSTANT]
        shown = {each.serial: key for each, key in zip(self.talk.conversation.timeline.rows, view.keys, strict=True)}
        assert all(self.keys.get(serial, key) == key for serial, key in shown.items())
        self.keys = shown

    @invariant()
    def the_window_is_bounded_and_says_whether_there_is_more(self) -> None:
        """The newest rows, and how to ask for the ones before."""
        lines = self.talk.conversation.timeline
        assert len(lines.rows) <= WINDOW
        assert lines.bytes <= BYTES or len(lines.rows) == 1
        assert lines.bytes == sum(each.size for each in lines.rows)
        if self.linked:
            assert lines.more or len(self.truth) == len(lines.rows)
            assert (lines.first is None) == (not lines.more or not lines.rows)

    @invariant()
    def a_cursor_is_served_or_the_gap_is_said(self) -> None:
        """The newest cursor always is; one of the future, of another run or from before a boundary is not."""
        conversation = self.talk.conversation
        assert gap(conversation, conversation.cursor, None) is None
        for since in ("", "x", "run0:1", f"{conversation.epoch}:{conversation.revision + 1}", f"{conversation.epoch}:-1"):
            assert gap(conversation, since, None) == wire.ChatGap(since=since)
        if self.boundary_revision:
            assert gap(conversation, f"{conversation.epoch}:{self.boundary_revision - 1}", None) is not None


def _fields(message: wire.ChatMessage) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__struct_fields__}


TestStream = Stream.TestCase
TestStream.settings = settings(
    max_examples=RUNS, stateful_step_count=STEPS, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
