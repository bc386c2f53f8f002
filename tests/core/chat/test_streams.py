"""Promise: a client that keeps up is told each change; another one the difference, ten times a second, or not before it reads."""

from __future__ import annotations

import msgspec
import pytest

from mirrord.core import events as core_events
from mirrord.core.chat import events
from mirrord.core.chat.conversation import DETACHED, ENDED, TOO_OLD
from mirrord.core.chat.fragments import ENVELOPE_BYTES, frames
from mirrord.core.model import ClientId
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.limits import CHAT_FRAME_BYTES, CHAT_PACE_SECONDS
from tests.core.chat.talk import Talk, row
from tests.core.playbook import PI


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.linked(row("a", "Plan", "user", entry_id="a"), row("live:1", "Tul", state="streaming"))
    return made


def told(talk: Talk, client: int) -> list[wire.ChatEvent]:
    return talk.got(client, wire.ChatEvent)


def test_new_text_goes_out_alone_and_as_it_comes(talk: Talk) -> None:
    talk.follows(1)
    before = len(told(talk, 1))
    talk.grows("live:1", 3, "ips")
    (event,) = told(talk, 1)[before:]
    assert event.appends == (wire.ChatAppend(1, 0, 3, "ips"),)
    assert (event.snapshot, event.patches) == (None, ())
    assert talk.shows(1) == ["Plan", "Tulips"]


def test_one_message_is_made_for_all_clients_that_keep_up(talk: Talk) -> None:
    for client in (1, 2, 3):
        talk.follows(client)
    talk.grows("live:1", 3, "ips")
    assert len({id(told(talk, client)[-1]) for client in (1, 2, 3)}) == 1


def test_a_client_without_appends_gets_whole_messages_ten_times_a_second(talk: Talk) -> None:
    talk.follows(1, appends=False)
    before = len(told(talk, 1))
    for step in range(100):
        talk.grows("live:1", 3 + step, "x")
        talk.passes(0.005)
    events_ = told(talk, 1)[before:]
    assert 4 <= len(events_) <= 0.6 / CHAT_PACE_SECONDS + 1
    assert all(event.appends == () and event.patches[0].op == "replace" for event in events_)
    talk.passes(CHAT_PACE_SECONDS)
    assert talk.shows(1) == ["Plan", "Tul" + "x" * 100]


def test_the_last_difference_is_told_though_nothing_more_happens(talk: Talk) -> None:
    talk.follows(1, appends=False)
    talk.grows("live:1", 3, "ips")
    assert talk.shows(1) == ["Plan", "Tul"]
    talk.passes(CHAT_PACE_SECONDS)
    assert talk.shows(1) == ["Plan", "Tulips"]
    assert talk.core.wake_at is None


def test_a_client_that_is_behind_gets_nothing_until_it_has_caught_up_and_then_the_difference(talk: Talk) -> None:
    talk.follows(1)
    talk.feed(events.ClientBehind(at=talk.at, client=ClientId(1)))
    before = len(talk.inbox[1])
    for number in range(50):
        talk.grows("live:1", 3 + number, "x")
    talk.row(row("b", "More"), "live:1")
    talk.passes(1)
    talk.tells(events.RowRemoved, id="a")
    talk.passes(1)
    assert [message for message in talk.inbox[1][before:] if isinstance(message, wire.ChatEvent)] == []
    talk.feed(events.ClientCaughtUp(at=talk.at, client=ClientId(1)))
    assert talk.shows(1) == ["Tul" + "x" * 50, "More"]
    assert len([message for message in talk.inbox[1][before:] if isinstance(message, wire.ChatEvent)]) == 1
    talk.grows("live:1", 53, "!")
    assert told(talk, 1)[-1].appends, "from then on each change as it comes"


def test_a_client_that_is_behind_when_it_follows_gets_its_first_page_when_it_reads(talk: Talk) -> None:
    talk.connect(1, follow=None)
    talk.feed(events.ClientBehind(at=talk.at, client=ClientId(1)))
    talk.says(1, wire.ChatSubscribe(session_id=PI))
    assert told(talk, 1) == []
    talk.feed(events.ClientCaughtUp(at=talk.at, client=ClientId(1)))
    assert talk.shows(1) == ["Plan", "Tul"]


def test_a_boundary_while_a_client_is_behind_is_said_when_it_reads(talk: Talk) -> None:
    talk.follows(1)
    talk.feed(events.ClientBehind(at=talk.at, client=ClientId(1)))
    talk.page(row("n", "New", entry_id="n"), reason="new")
    talk.feed(events.ClientCaughtUp(at=talk.at, client=ClientId(1)))
    assert told(talk, 1)[-1].boundary == "new"
    assert talk.shows(1) == ["New"]


def test_messages_between_a_boundary_and_its_end_show_nothing_half(talk: Talk) -> None:
    talk.follows(1)
    talk.tells(events.ChatReset, conversation_id="conversation-2", leaf=None, reason="new", more=False)
    talk.row(row("x", "X"), None)
    assert talk.shows(1) == ["Plan", "Tul"]
    talk.tells(events.ChatReady)
    assert talk.shows(1) == ["X"]
    assert talk.views[1].fields["conversationId"] == "conversation-2"
    assert talk.steps[1][-1].boundary == "new"


def test_the_leaf_is_the_newest_entry_however_it_was_told(talk: Talk) -> None:
    talk.follows(1)
    talk.page(row("a", "A", entry_id="a"), row("b", "B", entry_id="b"))
    assert talk.views[1].fields["leaf"] == "b"
    talk.row(row("c", "A compaction", "compaction", entry_id="c"), "b")
    assert talk.views[1].fields["leaf"] == "c"
    talk.row(row("a", "Another A", entry_id="a"), None)
    assert talk.views[1].fields["leaf"] == "c"
    talk.row(row("live:1", "D"), "c")
    assert talk.views[1].fields["leaf"] == "c"
    talk.tells(events.RowConfirmed, id="live:1", entry_id="d")
    assert talk.views[1].fields["leaf"] == "d"


def test_a_link_that_breaks_within_a_boundary_leaves_what_was_known(talk: Talk) -> None:
    talk.follows(1)
    talk.tells(events.ChatReset, conversation_id="conversation-2", leaf=None, reason="new", more=False)
    talk.row(row("x", "X"), None)
    talk.loses_link()
    assert talk.shows(1) == ["Plan", "Tul"]
    assert talk.views[1].fields["readOnlyReason"] == DETACHED
    talk.linked(row("y", "Y"))
    assert talk.shows(1) == ["Y"]


def test_whether_anything_can_be_sent_is_said_with_the_reason(talk: Talk) -> None:
    talk.follows(1)
    assert (talk.views[1].fields["readOnly"], talk.views[1].fields["readOnlyReason"]) == (False, None)
    talk.links(capabilities=())
    assert talk.views[1].fields["readOnlyReason"] == TOO_OLD
    talk.loses_link(alive=False)
    assert talk.views[1].fields["readOnlyReason"] == ENDED
    assert talk.views[1].fields["streaming"] is False
    assert talk.views[1].messages[1]["state"] == "aborted"


def test_an_unknown_session_cannot_be_followed(talk: Talk) -> None:
    talk.connect(1, follow=None)
    talk.says(1, wire.ChatSubscribe(session_id="nowhere"))
    assert [error.code for error in talk.got(1, messages.Error)] == ["unknown_session"]


def test_who_unsubscribes_is_told_no_more_and_nothing_is_stopped(talk: Talk) -> None:
    talk.follows(1)
    talk.says(1, wire.ChatUnsubscribe(session_id=PI))
    before = len(talk.inbox[1])
    out = talk.feed(events.TextAppended(at=talk.at, link=talk.link, id="live:1", part=0, offset=3, text="ips"))
    assert (out, len(talk.inbox[1])) == ([], before)


def test_what_does_not_follow_is_asked_for_again_once_and_then_after_a_second(talk: Talk) -> None:
    talk.follows(1)
    talk.grows("live:1", 99, "x")
    talk.grows("live:1", 99, "x")
    assert len(talk.asked) == 1
    talk.grows("live:1", 3, "ips")
    assert talk.shows(1) == ["Plan", "Tul"], "until it was told anew nothing of it counts"
    talk.page(row("a", "Plan"), row("live:1", "Tulips"))
    assert talk.shows(1) == ["Plan", "Tulips"]
    talk.tells(events.ChatBroken)
    assert len(talk.asked) == 1
    talk.passes(1)
    assert len(talk.asked) == 2


@pytest.mark.parametrize("text", ["x" * 200_000, '"' * 90_000, "🌷" * 40_000, "ü\\" * 50_000])
def test_a_large_event_goes_out_in_frames_that_fit_and_gives_the_event_again(text: str) -> None:
    event = wire.ChatEvent(session_id="s" * 200, cursor="e:1", revision=1, snapshot=wire.ChatSnapshot(messages=(row("a", text),)))
    pieces = frames(event)
    assert len(pieces) > 1
    assert all(len(msgspec.json.encode(piece)) <= CHAT_FRAME_BYTES for piece in pieces)
    whole = "".join(piece.data for piece in pieces if isinstance(piece, wire.ChatFrame))
    assert msgspec.json.decode(whole, type=wire.ChatEvent) == event


def test_an_event_of_exactly_one_frame_stays_unchanged() -> None:
    def sized(size: int) -> wire.ChatEvent:
        return wire.ChatEvent(
            session_id="s", cursor="e:1", revision=1, notice=wire.ChatNotice("info", ""), snapshot=wire.ChatSnapshot(leaf="x" * size)
        )

    overhead = len(msgspec.json.encode(sized(0)))
    assert frames(sized(CHAT_FRAME_BYTES - overhead)) == (sized(CHAT_FRAME_BYTES - overhead),)
    assert len(frames(sized(CHAT_FRAME_BYTES - overhead + 1))) == 2
    assert ENVELOPE_BYTES < CHAT_FRAME_BYTES


def test_a_client_keeps_the_messages_it_shows_until_a_new_daemon_has_been_told_them() -> None:
    before = Talk()
    before.linked(row("a", "Plan", "user", entry_id="a"))
    before.follows(1)
    talk = Talk()
    talk.views[1] = before.views[1]
    talk.links()
    talk.follows(1, resumes=True)
    talk.passes(CHAT_PACE_SECONDS)
    assert talk.shows(1) == ["Plan"]
    assert talk.core.wake_at is None
    talk.page(row("a", "Plan", "user", entry_id="a"), row("b", "Tulips", entry_id="b"))
    talk.passes(CHAT_PACE_SECONDS)
    assert talk.shows(1) == ["Plan", "Tulips"]
    talk.grows("b", 6, "!")
    assert told(talk, 1)[-1].appends


def test_the_cursor_of_a_conversation_that_was_switched_off_is_not_served_when_it_is_on_again(talk: Talk) -> None:
    talk.follows(1)
    cursor = talk.views[1].cursor
    talk.leaves(1)
    talk.feed(core_events.TerminalBye(at=talk.at, link=talk.link, reason="off"))
    talk.linked(row("a", "Plan", "user", entry_id="a"), row("b", "Tulips", entry_id="b"))
    for number in range(10):
        talk.grows("b", 6 + number, "!")
    talk.follows(1, resumes=True)
    assert talk.steps[1][-1].gap == {"since": cursor}
    assert talk.shows(1) == ["Plan", "Tulips" + "!" * 10]


def test_a_conversation_in_which_nothing_was_said_is_told_as_empty_once_pi_says_so() -> None:
    talk = Talk()
    talk.links()
    talk.follows(1)
    assert all(event.snapshot is None or event.snapshot.messages is msgspec.UNSET for event in told(talk, 1))
    talk.page()
    talk.passes(CHAT_PACE_SECONDS)
    assert [event.snapshot.messages for event in told(talk, 1) if event.snapshot is not None][-1] == ()
