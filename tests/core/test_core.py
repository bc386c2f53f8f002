"""Promise: a client gets a snapshot and then every change, each once; sessions come, change and go for everybody; roles hold."""

from __future__ import annotations

from typing import get_args

import pytest

from bridge.limits import STATUSES
from mirrord.core import commands, events, shown
from mirrord.core.model import ClientId, LinkId, Prompt, PromptId, TerminalId
from mirrord.core.retention import Prune, Retention
from mirrord.core.session import NOTICES
from mirrord.wire import messages as wire
from mirrord.wire import roles
from mirrord.wire.capabilities import TEXT_FALLBACK
from mirrord.wire.limits import ENDED_SESSIONS, JOURNAL_EVENTS, RESPONSE_ID_CHARS, SUBSCRIPTIONS
from mirrord.wire.roles import Role
from tests.core.playbook import PI, Playbook, select


def bye(play: Playbook, reason: str) -> None:
    play.feed(events.TerminalBye(at=play.at, link=play.link, reason=reason))  # type: ignore[arg-type]


def status(play: Playbook, key: str, text: str | None) -> None:
    play.feed(shown.StatusSet(at=play.at, link=play.link, key=key, text=text))


def works(play: Playbook, working: bool) -> None:
    play.feed(events.ActivityChanged(at=play.at, link=play.link, working=working, since=play.now))


def state(play: Playbook) -> str:
    return play.core.sessions()[0].status.state


# ---- hello and roles -------------------------------------------------------------------------------------------------


def test_welcome_lists_every_session_and_the_role() -> None:
    play = Playbook()
    play.attach()
    play.connect(1, role=Role.OBSERVER, follow=None)
    welcome = play.got(1, wire.Welcome)[0]
    assert welcome.role == "observer"
    assert [session.session_id for session in welcome.sessions] == [PI]


def test_nothing_is_taken_before_hello_and_hello_is_said_once() -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.feed(events.ClientConnected(at=play.at, client=ClientId(1), role=Role.OWNER, credential="local"))
    play.answers(1, "p1", index=0)
    assert not play.forwarded
    assert play.got(1, wire.Error)[0].code == "protocol"
    play.connect(2)
    play.says(2, wire.Hello(client=wire.ClientInfo("again", "test"), protocol=wire.ProtocolRange(1, 1)))
    assert play.got(2, wire.Error)[0].code == "protocol"


@pytest.mark.parametrize(("protocol", "sentence"), [((0, 0), "update it"), ((2, 3), "update mirrord")])
def test_a_client_without_a_common_protocol_is_told_what_to_do_and_closed(protocol: tuple[int, int], sentence: str) -> None:
    play = Playbook()
    play.connect(1, protocol=protocol, follow=None)
    assert sentence in play.got(1, wire.Error)[0].message
    assert any(isinstance(command, commands.CloseClient) for command in play.other)
    assert not play.got(1, wire.Welcome)


def test_a_newer_client_that_still_speaks_ours_is_welcome() -> None:
    play = Playbook()
    play.connect(1, protocol=(1, 9), follow=None)
    assert play.got(1, wire.Welcome)[0].protocol == 1


def test_every_client_message_has_a_row_in_the_table_of_roles() -> None:
    tags = {str(kind.__struct_config__.tag) for kind in get_args(wire.ClientMessage)}
    assert tags == set(roles.MINIMUM_ROLE)


def test_a_message_or_command_without_a_row_may_be_sent_by_nobody() -> None:
    assert not any(roles.may_send(role, "no_such_message") or roles.may_run(role, "no_such_command") for role in Role)


@pytest.mark.parametrize("name", ["status", "pair", "stop"])
def test_commands_about_the_daemon_are_for_the_owner(name: str) -> None:
    play = Playbook()
    play.connect(1, role=Role.CONTROLLER, follow=None)
    play.connect(2, role=Role.OWNER, follow=None)
    for client in (1, 2):
        play.says(client, wire.Command(request_id="q", name=name))
    refused = play.got(1, wire.CommandResult)[0]
    assert refused.error is not None
    assert refused.error.code == "forbidden"
    assert [command for command in play.other if isinstance(command, commands.RunCommand)] == [
        commands.RunCommand(ClientId(2), "q", name, {})
    ]


def test_an_unknown_command_is_refused_by_name() -> None:
    play = Playbook()
    play.connect(1, role=Role.OWNER, follow=None)
    play.says(1, wire.Command(request_id="q", name="dance"))
    error = play.got(1, wire.CommandResult)[0].error
    assert error is not None
    assert error.code == "unknown_command"


def test_a_message_that_the_role_does_not_allow_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(roles.MINIMUM_ROLE, "subscribe", Role.OWNER)
    play = Playbook()
    play.attach()
    play.connect(1)
    assert play.got(1, wire.Error)[0].code == "forbidden"
    assert not play.got(1, wire.Snapshot)


# ---- following -------------------------------------------------------------------------------------------------------


def test_a_snapshot_holds_all_that_is_true_and_events_follow_it() -> None:
    play = Playbook()
    play.attach(select("p1"))
    status(play, "job", "building")
    play.feed(shown.TitleSet(at=play.at, link=play.link, title="garden"))
    works(play, True)
    play.connect(1)
    snapshot = play.got(1, wire.Snapshot)[0]
    assert [prompt.id for prompt in snapshot.prompts] == ["p1"]
    assert snapshot.statuses == (wire.StatusEntry("job", "building"),)
    assert snapshot.title == "garden"
    assert snapshot.working.active
    status(play, "job", None)
    change = play.got(1, wire.ExtensionUINotification)[0]
    assert (change.method, change.status_key, change.status_text, change.cursor) == ("setStatus", "job", None, "run1.1:5")


def test_a_client_that_does_not_follow_hears_of_sessions_only() -> None:
    play = Playbook()
    play.connect(1, follow=None)
    play.attach(select("p1"))
    assert {type(message) for message in play.inbox[1]} == {wire.Welcome, wire.SessionChanged}
    assert play.got(1, wire.SessionChanged)[-1].session.open_prompts == 1


def test_unsubscribing_ends_it() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    play.says(1, wire.Unsubscribe(session_id=PI))
    play.opens(select("p1"))
    assert not play.got(1, wire.ExtensionUIRequest)


def test_a_client_that_comes_back_gets_exactly_what_it_missed() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    cursor = play.got(1, wire.Snapshot)[0].cursor
    play.leaves(1)
    play.opens(select("p1"))
    play.settles("p1")
    play.connect(2, since=cursor)
    assert not play.got(2, wire.Snapshot)
    assert [request.id for request in play.got(2, wire.ExtensionUIRequest)] == ["p1"]
    assert [settled.id for settled in play.got(2, wire.ExtensionUISettled)] == ["p1"]


def test_hello_can_resume_by_cursor() -> None:
    play = Playbook()
    play.attach()
    play.opens(select("p1"))
    play.feed(events.ClientConnected(at=play.at, client=ClientId(3), role=Role.CONTROLLER, credential="c"))
    hello = wire.Hello(
        client=wire.ClientInfo("c", "test"),
        protocol=wire.ProtocolRange(1, 1),
        capabilities=("extension-native-ui:v1:prompt-native",),
        resume={PI: "run1.1:0"},
    )
    play.says(3, hello)
    assert [request.id for request in play.got(3, wire.ExtensionUIRequest)] == ["p1"]


@pytest.mark.parametrize("cursor", ["otherrun:1", "otherrun.1:1", "run1:1", "run1.2:1", "run1.1:999", "nonsense"])
def test_a_cursor_that_cannot_be_served_gets_a_gap_and_a_snapshot(cursor: str) -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.connect(1, since=cursor)
    assert [type(message) for message in play.inbox[1][-2:]] == [wire.Gap, wire.Snapshot]


def test_notifications_are_shown_once_and_never_replayed() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    cursor = play.got(1, wire.Snapshot)[0].cursor
    play.feed(shown.Notified(at=play.at, link=play.link, message="saved", level="info"))
    play.connect(2, since=cursor)
    assert [note.message for note in play.got(1, wire.ExtensionUINotification)] == ["saved"]
    assert not play.got(2, wire.ExtensionUINotification)
    assert [send.importance for send in play.sends if isinstance(send.message, wire.ExtensionUINotification)] == ["may"]


def test_an_unknown_session_cannot_be_followed() -> None:
    play = Playbook()
    play.connect(1, follow=TerminalId("nobody"))
    assert play.got(1, wire.Error)[0].code == "unknown_session"


def test_subscriptions_are_bounded() -> None:
    play = Playbook()
    for number in range(SUBSCRIPTIONS + 1):
        play.attach(id_=TerminalId(f"t{number}"))
    play.connect(1, follow=None)
    for number in range(SUBSCRIPTIONS):
        play.says(1, wire.Subscribe(session_id=f"t{number}"))
    assert not play.got(1, wire.Error)
    play.says(1, wire.Subscribe(session_id="t0"))
    assert not play.got(1, wire.Error)
    play.says(1, wire.Subscribe(session_id=f"t{SUBSCRIPTIONS}"))
    assert play.got(1, wire.Error)[0].code == "too_many"


def test_sessions_that_are_listed_no_more_are_no_subscriptions() -> None:
    """A page may stand for weeks, and see hundreds of Pis come and go."""
    play = Playbook()
    play.connect(1, follow=None)
    for number in range(2 * SUBSCRIPTIONS + 1):
        play.attach(id_=TerminalId(f"t{number}"))
        play.says(1, wire.Subscribe(session_id=f"t{number}"))
        bye(play, "off")
    assert not play.got(1, wire.Error)
    play.attach(select("p1"), id_=TerminalId("one more"))
    play.says(1, wire.Subscribe(session_id="one more"))
    assert [prompt.id for prompt in play.got(1, wire.Snapshot)[-1].prompts] == ["p1"]


@pytest.mark.parametrize(("length", "taken"), [(RESPONSE_ID_CHARS, True), (RESPONSE_ID_CHARS + 1, False)])
def test_response_ids_are_bounded(length: int, taken: bool) -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.connect(1)
    play.answers(1, "p1", "r" * length, index=0)
    assert bool(play.forwarded) is taken
    assert bool(play.got(1, wire.Error)) is not taken


def test_the_journal_reaches_back_as_far_as_its_limit() -> None:
    play = Playbook()
    play.attach()
    for number in range(JOURNAL_EVENTS + 1):
        play.settles(f"p{number}")
    play.connect(1, since="run1.1:1")
    assert not play.got(1, wire.Gap)
    play.connect(2, since="run1.1:0")
    assert play.got(2, wire.Gap)


# ---- sessions --------------------------------------------------------------------------------------------------------


def test_state_follows_what_pi_does_and_waiting_beats_working() -> None:
    play = Playbook()
    play.attach()
    assert state(play) == "idle"
    works(play, True)
    assert state(play) == "working"
    play.opens(select("p1"))
    assert state(play) == "waiting"
    play.settles("p1")
    assert state(play) == "working"
    works(play, False)
    assert state(play) == "your_turn"


def test_since_is_when_the_state_changed_and_not_when_something_else_did() -> None:
    play = Playbook()
    play.attach()
    works(play, True)
    since = play.core.sessions()[0].status.since
    status(play, "job", "building")
    assert play.core.sessions()[0].status.since == since


def test_a_session_that_comes_and_changes_is_told_to_everybody() -> None:
    play = Playbook()
    play.connect(1, follow=None)
    play.attach()
    works(play, True)
    changes = play.got(1, wire.SessionChanged)
    assert changes[0].change == "added"
    assert (changes[-1].change, changes[-1].session.status.state) == ("changed", "working")


def test_quit_ends_the_session_and_off_removes_it() -> None:
    for reason, states in (("quit", ["ended"]), ("off", [])):
        play = Playbook()
        play.attach(select("p1"))
        play.connect(1)
        bye(play, reason)
        assert [session.status.state for session in play.core.sessions()] == states
        assert [settled.reason for settled in play.got(1, wire.ExtensionUISettled)] == [reason]


@pytest.mark.parametrize("count", [0, 1, 20])
def test_who_was_away_when_a_session_was_switched_off_and_on_takes_a_snapshot(count: int) -> None:
    """However far the new session's events have come: the old one's cursor says nothing of them."""
    play = Playbook()
    play.attach(select("old"))
    play.connect(1)
    for number in range(5):
        status(play, "job", f"{number}")
        play.passes(100)
    cursor = play.got(1, wire.ExtensionUINotification)[-1].cursor
    assert cursor is not None
    play.leaves(1)
    bye(play, "off")
    play.attach()
    play.opens(select("new"))
    for number in range(count):
        status(play, "job", f"again {number}")
    play.connect(2, since=cursor)
    assert [gap.since for gap in play.got(2, wire.Gap)] == [cursor]
    assert [prompt.id for prompt in play.got(2, wire.Snapshot)[-1].prompts] == ["new"]


def test_a_change_that_is_held_of_a_session_that_was_switched_off_holds_back_no_cursor_of_the_new_one() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    for number in range(9):
        status(play, "job", f"{number}")
    bye(play, "off")
    play.attach(select("new"))
    (request,) = play.got(1, wire.ExtensionUIRequest)
    play.leaves(1)
    play.connect(2, since=request.cursor)
    assert not play.got(2, wire.Gap)
    play.settles("new")
    assert [settled.id for settled in play.got(2, wire.ExtensionUISettled)] == ["new"]


@pytest.mark.parametrize("reason", ["reload", "new", "resume", "fork"])
def test_the_next_generation_is_the_same_session(reason: str) -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.connect(1)
    play.settles("p1", "withdrawn", "none")
    bye(play, reason)
    play.loses_link()
    assert state(play) == "detached"
    play.attach(select("p2"))
    assert len(play.core.sessions()) == 1
    assert state(play) == "waiting"
    assert [request.id for request in play.got(1, wire.ExtensionUIRequest)] == ["p2"]


def test_a_second_link_of_the_same_terminal_replaces_the_first() -> None:
    play = Playbook()
    old = play.attach(select("p1"))
    play.attach(select("p1"))
    assert commands.CloseLink(old) in play.other
    play.settles("p1", link=old)
    assert state(play) == "waiting"
    play.feed(events.LinkLost(at=play.at, link=old, alive=True))
    assert state(play) == "waiting"


def test_a_lost_link_asks_to_watch_the_process_and_its_death_ends_the_session() -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.loses_link()
    assert commands.WatchProcess(PI) in play.other
    play.feed(events.ProcessGone(at=play.at, terminal=PI))
    assert state(play) == "ended"


def test_a_process_that_stands_still_is_suspended_with_or_without_a_link_and_goes_on() -> None:
    play = Playbook()
    play.attach(select("p1"))

    def pauses(paused: bool, id_: TerminalId = PI) -> None:
        play.feed(events.ProcessPaused(at=play.at, terminal=id_, paused=paused))

    pauses(True)
    assert state(play) == "suspended"
    assert play.core.sessions()[0].status.source == "daemon"
    play.loses_link()
    assert state(play) == "suspended"
    pauses(False)
    assert state(play) == "detached"
    pauses(True)
    play.attach(select("p1"))
    assert state(play) == "waiting"
    bye(play, "quit")
    pauses(True)
    pauses(True, TerminalId("nobody"))
    assert state(play) == "ended"


def test_a_long_answer_comes_in_pieces_and_is_forwarded_whole() -> None:
    play = Playbook()
    play.attach(Prompt(id=PromptId("e"), method="editor", title="t", opened_at=1, prefill=""))
    play.connect(1)
    for part, text in enumerate(("one ", "two")):
        play.says(1, wire.ContentPart(response_id="r1", part=part, parts=2, text=text))
    play.answers(1, "e", parts=2)
    assert play.forwarded[-1].reply.text == "one two"
    play.answers(1, "e", "r2", parts=2)
    assert play.result(1).reason == "invalid"


def test_an_answer_to_what_only_the_terminal_can_answer_is_refused_with_the_reason() -> None:
    play = Playbook()
    play.attach(Prompt(id=PromptId("c"), method="custom", title="t", opened_at=1, cancellable=False, terminal_only="Look there."))
    play.connect(1)
    for answer in ({"value": "x"}, {"cancelled": True}):
        play.answers(1, "c", **answer)
        assert play.result(1).reason == "terminal_only"
    assert not play.forwarded


def test_news_of_death_about_a_terminal_that_is_back_is_ignored() -> None:
    play = Playbook()
    play.attach()
    play.loses_link()
    play.attach()
    play.feed(events.ProcessGone(at=play.at, terminal=PI))
    play.feed(events.ProcessGone(at=play.at, terminal=TerminalId("nobody")))
    assert state(play) == "idle"


def test_ended_sessions_are_kept_up_to_the_limit_oldest_first_out() -> None:
    play = Playbook()
    for number in range(ENDED_SESSIONS + 1):
        play.attach(id_=TerminalId(f"t{number}"))
        bye(play, "quit")
    listed = [session.session_id for session in play.core.sessions()]
    assert len(listed) == ENDED_SESSIONS
    assert "t0" not in listed


def test_what_is_too_old_or_too_much_is_forgotten_and_who_looks_at_the_list_is_told() -> None:
    play = Playbook()
    play.connect(1, follow=None)
    for number in range(2):
        play.attach(select(f"p{number}"), id_=TerminalId(f"t{number}"))
        bye(play, "quit")
    play.attach(select("late"))
    play.settles("late")
    play.feed(Prune(at=play.at, retention=Retention(days=1, bytes=0), before=play.now + 1_000))
    assert [session.session_id for session in play.core.sessions()] == ["t1", PI]
    assert [change.change for change in play.got(1, wire.SessionChanged)][-1] == "removed"
    play.answers(1, "late", index=0)
    assert play.result(1).reason == "unknown"
    play.now += 24 * 3_600_000 + 10
    play.feed(Prune(at=play.at, retention=Retention(days=1), before=None))
    assert [session.session_id for session in play.core.sessions()] == [PI]


def test_statuses_are_bounded_and_the_one_untouched_for_longest_gives_way() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    for number in range(STATUSES):
        status(play, f"k{number}", "x")
    status(play, "k0", "touched")
    status(play, "new", "x")
    play.waits()
    play.connect(2)
    keys = [entry.key for entry in play.got(2, wire.Snapshot)[0].statuses]
    assert len(keys) == STATUSES
    assert "k1" not in keys
    assert "k0" in keys
    cleared = [note.status_key for note in play.got(1, wire.ExtensionUINotification) if note.status_text is None]
    assert cleared == ["k1"]


def test_state_that_a_resync_does_not_tell_again_is_cleared() -> None:
    play = Playbook()
    play.attach()
    status(play, "old", "x")
    play.feed(shown.TitleSet(at=play.at, link=play.link, title="old"))
    play.connect(1)
    play.loses_link()
    play.attach()
    play.connect(2)
    snapshot = play.got(2, wire.Snapshot)[0]
    assert (snapshot.statuses, snapshot.title) == ((), None)
    assert [note.method for note in play.got(1, wire.ExtensionUINotification)] == ["setStatus", "setTitle"]


def test_a_repeated_status_or_title_is_not_sent_again() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    for _ in range(2):
        status(play, "job", "x")
        play.feed(shown.TitleSet(at=play.at, link=play.link, title="t"))
        status(play, "never set", None)
    assert len(play.got(1, wire.ExtensionUINotification)) == 2


def test_notices_of_the_extension_are_listed_once_and_bounded() -> None:
    play = Playbook()
    play.attach()
    for number in [*range(NOTICES + 1), NOTICES]:
        play.feed(events.NoticeGiven(at=play.at, link=play.link, text=f"n{number}"))
    assert play.core.sessions()[0].notices == tuple(f"n{number}" for number in range(1, NOTICES + 1))


def test_a_notice_with_a_new_count_replaces_the_one_before() -> None:
    play = Playbook()
    play.attach()
    for text, about in (("2 gave way", "status"), ("once", None), ("3 gave way", "status")):
        play.feed(events.NoticeGiven(at=play.at, link=play.link, text=text, about=about))
    assert play.core.sessions()[0].notices == ("once", "3 gave way")


def test_a_renamed_conversation_is_told() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    play.feed(
        events.ConversationChanged(
            at=play.at, link=play.link, conversation_id="c2", cwd="/home/ada/garden", name="Peas", first_message="Sow them"
        )
    )
    session = play.got(1, wire.SessionChanged)[-1].session
    assert (session.conversation_id, session.name, session.first_message) == ("c2", "Peas", "Sow them")


def test_events_of_unknown_links_and_clients_are_ignored() -> None:
    play = Playbook()
    play.feed(events.ResyncEnded(at=play.at, link=LinkId(99)))
    play.says(99, wire.Subscribe(session_id=PI))
    play.attach()
    play.feed(events.ResyncEnded(at=play.at, link=play.link))
    assert not play.inbox


def test_an_event_that_the_core_does_not_know_is_a_bug() -> None:
    play = Playbook()
    play.attach()
    for strange in (events.Event(at=play.at), events.FromLink(at=play.at, link=play.link)):
        with pytest.raises(TypeError, match="unknown event"):
            play.core.handle(strange)


# ---- capabilities ----------------------------------------------------------------------------------------------------


def test_a_client_that_claims_nothing_gets_prompts_as_text_and_their_clear() -> None:
    play = Playbook()
    play.attach(select("p1", options=tuple(f"option {number}" for number in range(30))))
    play.connect(1, capabilities=())
    assert play.got(1, wire.Snapshot)[0].prompts == ()
    shown = play.got(1, wire.ExtensionUINotification)[0]
    assert shown.widget_key == "prompt:p1"
    assert shown.widget_lines is not None
    assert shown.widget_lines[0] == "Pi asks: Pick a fruit"
    assert shown.widget_lines[-2:] == ("… and 10 more", "Answer at the terminal.")
    play.opens(select("p2"))
    play.settles("p1")
    assert not play.got(1, wire.ExtensionUIRequest)
    clear = play.got(1, wire.ExtensionUINotification)[-1]
    assert (clear.widget_key, clear.widget_lines) == ("prompt:p1", None)
    assert play.got(1, wire.ExtensionUISettled)


def test_text_fallback_alone_is_level_one() -> None:
    play = Playbook()
    play.attach(select("p1"))
    play.connect(1, capabilities=(TEXT_FALLBACK,))
    assert play.got(1, wire.Snapshot)[0].prompts == ()
