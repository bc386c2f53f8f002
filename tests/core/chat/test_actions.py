"""Promise: a command of a conversation goes to its terminal with what it needs, or is refused with the reason; a stop is followed up."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.core import commands
from mirrord.core import events as core_events
from mirrord.core.chat import events
from mirrord.core.chat.actions import ARGS, PENDING_ACTIONS, PENDING_PAGES, TERMINAL_OWNED
from mirrord.core.chat.commands import AskHistory, ForwardAction
from mirrord.core.chat.stopping import OVERDUE
from mirrord.core.model import LinkId, TerminalId
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace, Workspace, WorkspaceSeen
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.limits import STOP_SECONDS
from mirrord.wire.roles import MINIMUM_COMMAND_ROLE, Role
from tests.core.chat.talk import Talk, as_json, chatting, row
from tests.core.playbook import PI

GOOD: dict[str, dict[str, Any]] = {
    "chat_history": {"before": "e1", "limit": 5},
    "chat_receipts": {"clientTurnIds": ["t1"]},
    "chat_commands": {},
    "abort_retry": {},
    "abort_bash": {},
    "reload": {},
    "compact": {"instructions": "Keep the beds."},
    "set_model": {"provider": "anthropic", "id": "claude-x"},
    "set_thinking_level": {"level": "high"},
    "set_session_name": {"name": "tulips"},
    "set_steering_mode": {"mode": "all"},
    "set_follow_up_mode": {"mode": "one-at-a-time"},
    "set_auto_compaction": {"enabled": True},
    "set_auto_retry": {"enabled": False},
    "navigate_tree": {"entryId": "e1", "summarize": True},
    "new_session": {},
    "resume_session": {},
    "fork": {"entryId": "e1"},
    "share": {},
}
FORWARDED = sorted(set(GOOD) - set(TERMINAL_OWNED) - {"chat_history", "chat_receipts"})


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.linked(row("e1", "Plan", "user", entry_id="e1"))
    made.follows(1, credential="ada")
    return made


def asks(talk: Talk, command: str, client: int = 1, session: str = PI, **args: Any) -> None:
    talk.says(client, messages.Command(request_id=f"r-{command}", name=command, args={"sessionId": session, **args}))


def result(talk: Talk, client: int = 1) -> messages.CommandResult:
    return talk.got(client, messages.CommandResult)[-1]


def code(talk: Talk, client: int = 1) -> str | None:
    error = result(talk, client).error
    return error.code if error is not None else None


def test_every_command_has_arguments_and_a_role() -> None:
    assert set(GOOD) == set(ARGS)
    assert set(ARGS) <= set(MINIMUM_COMMAND_ROLE)


@pytest.mark.parametrize("name", FORWARDED)
def test_a_command_goes_to_its_terminal_and_its_answer_to_who_asked(talk: Talk, name: str) -> None:
    asks(talk, name, **GOOD[name])
    (forward,) = talk.asked
    assert isinstance(forward, ForwardAction)
    assert (forward.action, forward.args, forward.name) == (name, GOOD[name], "ada")
    talk.tells(events.ActionDone, request=forward.request, ok=True, data={"x": 1})
    assert (result(talk).request_id, result(talk).ok, result(talk).data) == (f"r-{name}", True, {"x": 1})
    talk.tells(events.ActionDone, request=forward.request, ok=True)
    assert len(talk.got(1, messages.CommandResult)) == 1


def test_slash_commands_are_told_as_a_list_and_one_that_says_no_more_than_its_name_is_one(talk: Talk) -> None:
    asks(talk, "chat_commands")
    (forward,) = talk.asked
    assert isinstance(forward, ForwardAction)
    commands = (wire.ChatSlashCommand("plant", "Plant a bed", "extension"), wire.ChatSlashCommand("water"))
    talk.tells(events.ActionDone, request=forward.request, ok=True, commands=commands)
    plant = {"name": "plant", "description": "Plant a bed", "source": "extension"}
    assert result(talk).data == {"commands": (plant, {"name": "water"})}
    asks(talk, "chat_commands")
    talk.tells(events.ActionDone, request=talk.asked[-1].request, ok=True, commands=())  # type: ignore[union-attr]
    assert result(talk).data == {"commands": ()}


@pytest.mark.parametrize("name", sorted(TERMINAL_OWNED))
def test_what_makes_another_conversation_is_the_terminals(talk: Talk, name: str) -> None:
    asks(talk, name, **GOOD[name])
    assert (code(talk), talk.asked) == ("terminal_owned", [])
    assert result(talk).error == messages.CommandError("terminal_owned", TERMINAL_OWNED[name])


def test_no_message_can_be_forked_and_the_queue_cannot_be_changed_and_both_say_why(talk: Talk) -> None:
    fields = talk.views[1].fields
    assert fields["fork"]["disabledReason"]
    assert fields["queueReadOnly"] is True
    assert fields["queueReadOnlyReason"]


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"chat_receipts"}))
def test_wrong_arguments_are_one_sentence(talk: Talk, name: str) -> None:
    asks(talk, name, **GOOD[name], surplus=1)
    assert (code(talk), talk.asked) == ("malformed", [])
    for missing in set(GOOD[name]) - {"instructions", "summarize", "limit"} - ({"entryId"} if name == "fork" else set()):
        asks(talk, name, **{key: value for key, value in GOOD[name].items() if key != missing})
        assert code(talk) == "malformed"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("set_steering_mode", {"mode": "some"}),
        ("set_session_name", {"name": ""}),
        ("set_session_name", {"name": "x" * 301}),
        ("chat_history", {"before": "e1", "limit": 0}),
        ("chat_history", {"before": "e1", "limit": 101}),
        ("chat_receipts", {"clientTurnIds": ["t"] * 65}),
        ("set_auto_retry", {"enabled": "yes"}),
    ],
)
def test_arguments_out_of_bounds_are_refused(talk: Talk, name: str, args: dict[str, Any]) -> None:
    asks(talk, name, **args)
    assert (code(talk), talk.asked) == ("malformed", [])


@pytest.mark.parametrize("name", FORWARDED)
def test_an_observer_may_do_none_of_them(talk: Talk, name: str) -> None:
    talk.connect(9, role=Role.OBSERVER, follow=None)
    asks(talk, name, client=9, **GOOD[name])
    assert (code(talk, 9), talk.asked) == ("forbidden", [])


def test_an_observer_reads_history(talk: Talk) -> None:
    talk.connect(9, role=Role.OBSERVER, follow=None)
    asks(talk, "chat_history", client=9, before="e1")
    assert isinstance(talk.asked[0], AskHistory)


def test_what_pi_refuses_is_refused_with_its_reason(talk: Talk) -> None:
    talk.agent(refuses={"navigate_tree": "This Pi cannot show another branch from afar."})
    asks(talk, "navigate_tree", entryId="e1")
    assert result(talk).error == messages.CommandError("refused", "This Pi cannot show another branch from afar.")
    asks(talk, "reload")
    talk.tells(events.ActionDone, request=talk.asked[0].request, ok=False, message="Not while it works.")  # type: ignore[union-attr]
    assert result(talk).error == messages.CommandError("refused", "Not while it works.")


def test_a_terminal_out_of_reach_and_a_session_that_is_none_are_told(talk: Talk) -> None:
    asks(talk, "reload", session="nowhere")
    assert code(talk) == "unknown_session"
    asks(talk, "reload")
    talk.loses_link()
    assert code(talk) == "detached", "one that was on its way is told too"
    asks(talk, "reload")
    assert code(talk) == "detached"
    talk.links(capabilities=())
    asks(talk, "reload")
    assert code(talk) == "refused"
    talk.loses_link(alive=False)
    asks(talk, "reload")
    assert code(talk) == "unknown_session"


def test_a_link_that_is_replaced_leaves_nobody_waiting(talk: Talk) -> None:
    asks(talk, "reload")
    talk.links()
    assert code(talk) == "detached"


def test_no_more_requests_wait_than_may(talk: Talk) -> None:
    for _ in range(PENDING_ACTIONS + 1):
        asks(talk, "reload")
    assert (len(talk.asked), code(talk)) == (PENDING_ACTIONS, "busy")


def test_an_observer_that_asks_for_pages_keeps_nobody_from_acting_or_reading(talk: Talk) -> None:
    for client in (8, 9):
        talk.connect(client, credential="wall", role=Role.OBSERVER, follow=None)
        for _ in range(PENDING_ACTIONS):
            asks(talk, "chat_history", client=client, before="e1")
    assert (len(talk.asked), code(talk, 8), code(talk, 9)) == (PENDING_PAGES, "busy", "busy"), "another connection is no other device"
    first = talk.asked[0]
    asks(talk, "chat_history", before="e1")
    for _ in range(PENDING_ACTIONS):
        asks(talk, "reload")
    assert len(talk.asked) == PENDING_PAGES + 1 + PENDING_ACTIONS
    assert isinstance(first, AskHistory)
    talk.tells(events.PageTold, request=first.request, messages=(), more=False)
    asks(talk, "chat_history", client=9, before="e1")
    assert isinstance(talk.asked[-1], AskHistory), "one that was answered has given its place back"


def test_what_an_agent_started_takes_no_place_of_the_person_at_this_machine(talk: Talk) -> None:
    talk.connect(8, credential="local", role=Role.OBSERVER, follow=None)
    talk.connect(9, credential="local", role=Role.OWNER, follow=None)
    for client in (8, 9):
        for _ in range(PENDING_PAGES):
            asks(talk, "chat_history", client=client, before="e1")
    assert len(talk.asked) == 2 * PENDING_PAGES


def test_older_messages_are_fetched_through_the_terminal(talk: Talk) -> None:
    asks(talk, "chat_history", before="e1", limit=2)
    (ask,) = talk.asked
    assert isinstance(ask, AskHistory)
    assert (ask.before, ask.limit) == ("e1", 2)
    older = (row("c", "Older"), row("d", "Old"))
    talk.tells(events.PageTold, request=ask.request, messages=older, more=True)
    assert as_json(result(talk).data) == {"messages": [as_json(each) for each in older], "more": True, "before": "c"}
    asks(talk, "chat_history", before="c")
    talk.tells(events.PageTold, request=talk.asked[1].request, messages=(), more=False)  # type: ignore[union-attr]
    assert as_json(result(talk).data) == {"messages": [], "more": False, "before": None}
    asks(talk, "chat_history", before="x")
    talk.tells(events.PageTold, request=talk.asked[2].request, messages=(), more=False, error="No such entry.")  # type: ignore[union-attr]
    assert result(talk).error == messages.CommandError("refused", "No such entry.")


# ---- stop ------------------------------------------------------------------------------------------------------------


def stops(talk: Talk) -> str:
    talk.says(1, messages.Command(request_id="s", name="stop_turn", args={"sessionId": PI}))
    return next(command.request for command in reversed(talk.other) if isinstance(command, commands.ForwardStop))


def test_a_turn_that_goes_on_after_it_was_stopped_is_said_to_after_five_seconds_and_once(talk: Talk) -> None:
    talk.agent(idle=False)
    request = stops(talk)
    talk.feed(core_events.StopFinished(at=talk.at, link=talk.link, request=request, ok=True, message=None))
    assert talk.views[1].fields["stopping"]["by"] == "ada"
    talk.passes(STOP_SECONDS - 0.1)
    assert not talk.views[1].fields["stopping"].get("overdue")
    talk.passes(0.2)
    assert talk.views[1].fields["stopping"]["overdue"] is True
    assert [step.notice for step in talk.steps[1] if step.notice] == [{"level": "warning", "text": OVERDUE}]
    talk.passes(60)
    assert len([step for step in talk.steps[1] if step.notice]) == 1
    talk.agent(idle=True)
    assert talk.views[1].fields["stopping"] is None


def test_a_turn_that_stops_in_time_is_not_complained_about(talk: Talk) -> None:
    talk.agent(idle=False)
    stops(talk)
    talk.agent(idle=True)
    assert talk.views[1].fields["stopping"] is None
    talk.passes(STOP_SECONDS + 1)
    assert not [step for step in talk.steps[1] if step.notice]


def test_a_stop_that_had_nothing_to_stop_leaves_no_trace(talk: Talk) -> None:
    stops(talk)
    assert talk.views[1].fields["stopping"] is None
    talk.agent(idle=False)
    request = stops(talk)
    talk.feed(core_events.StopFinished(at=talk.at, link=talk.link, request=request, ok=False, message="Pi rests."))
    assert talk.views[1].fields["stopping"] is None


# ---- the folder ------------------------------------------------------------------------------------------------------


def test_a_folder_is_looked_at_while_somebody_follows_and_its_look_is_told(talk: Talk) -> None:
    assert LookAtWorkspace(PI) in talk.other
    talk.feed(WorkspaceSeen(at=talk.at, terminal=PI, workspace=Workspace("garden", "main", 12, 3)))
    assert talk.views[1].fields["workspace"] == {"folder": "garden", "branch": "main", "additions": 12, "deletions": 3}
    talk.feed(WorkspaceSeen(at=talk.at, terminal=PI, workspace=None))
    assert talk.views[1].fields["workspace"] is None
    talk.other.clear()
    talk.row(row("t", "", "tool"), "e1")
    assert LookAtWorkspace(PI) in talk.other, "a tool may have changed something"
    talk.follows(2)
    talk.leaves(1)
    assert LeaveWorkspace(PI) not in talk.other
    talk.says(2, wire.ChatUnsubscribe(session_id=PI))
    assert LeaveWorkspace(PI) in talk.other
    talk.other.clear()
    talk.row(row("t2", "", "tool"), "t")
    assert LookAtWorkspace(PI) not in talk.other


def test_a_terminal_that_answers_nothing_keeps_no_other_one_busy(talk: Talk) -> None:
    for _ in range(PENDING_ACTIONS):
        asks(talk, "reload")
    other, link = TerminalId("other"), LinkId(77)
    talk.feed(core_events.TerminalLinked(at=talk.at, link=link, terminal=chatting(other)))
    asks(talk, "reload", session=other)
    assert talk.asked[-1].link == link
