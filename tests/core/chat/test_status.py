"""Promise: the status is Pi's own word with its own time: told again it says the same, and no replay makes anything look new."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.core import events as core_events
from mirrord.core.chat.conversation import CHAT
from mirrord.wire import chat as wire
from mirrord.wire import messages
from tests.core.chat.talk import Talk, row
from tests.core.playbook import PI, select

ERROR = "No API key found for anthropic."


def status(talk: Talk) -> messages.Status:
    return talk.core.sessions()[0].status


@pytest.mark.parametrize(
    ("told", "state", "since", "detail"),
    [
        ({"idle": True, "since": 7}, "idle", 7, None),
        ({"idle": True, "since": 7, "cannot_run": ERROR}, "idle", 7, ERROR),
        ({"idle": False, "since": 8}, "working", 8, None),
        ({"idle": True, "since": 8, "compacting": True}, "working", 8, None),
        ({"idle": True, "since": 8, "bash": True}, "working", 8, None),
        ({"idle": False, "since": 9, "retrying": wire.ChatRetrying(2, 3, 4000, "529")}, "retrying", 9, "2 of 3: 529"),
        ({"idle": True, "since": 9, "last_turn": wire.ChatTurnEnd(6, "done")}, "your_turn", 6, "Shall I plant them?"),
        ({"idle": True, "since": 9, "last_turn": wire.ChatTurnEnd(6, "aborted")}, "your_turn", 6, "Shall I plant them?"),
        ({"idle": True, "since": 9, "last_turn": wire.ChatTurnEnd(6, "error", ERROR)}, "failed", 6, ERROR),
    ],
)
def test_what_pi_tells_is_the_status_with_source_age_and_detail(
    told: dict[str, Any], state: str, since: int | None, detail: str | None
) -> None:
    talk = Talk()
    talk.linked(row("u", "And roses?", "user"), row("a", "Good.\n\nShall I plant them?\n"))
    talk.agent(**told)
    assert (status(talk).state, status(talk).source, status(talk).detail) == (state, "pi", detail)
    assert since is None or status(talk).since == since


def test_waiting_beats_working_and_a_broken_link_beats_both() -> None:
    talk = Talk()
    talk.linked()
    talk.agent(idle=False, since=8)
    talk.opens(select("p"))
    assert status(talk).state == "waiting"
    talk.settles("p")
    assert (status(talk).state, status(talk).since) == ("working", 8)
    talk.loses_link()
    assert (status(talk).state, status(talk).source) == ("detached", "daemon")


def test_replayed_events_re_arm_nothing() -> None:
    talk = Talk()
    talk.linked(row("a", "Done."))
    told: dict[str, Any] = {"idle": True, "since": 9, "last_turn": wire.ChatTurnEnd(6, "done")}
    talk.agent(**told)
    before = status(talk)
    talk.now += 60_000
    talk.connect(1)
    talk.agent(**told)
    assert talk.got(1, messages.SessionChanged) == []
    talk.loses_link()
    talk.linked(row("a", "Done."))
    talk.agent(**told)
    assert status(talk) == before


def test_a_daemon_that_starts_later_says_the_same_since_the_same_time() -> None:
    told: dict[str, Any] = {"idle": True, "since": 9, "last_turn": wire.ChatTurnEnd(6, "done")}
    statuses = []
    for now in (1_000, 9_000_000):
        talk = Talk(now=now)
        talk.linked(row("a", "Done."))
        talk.agent(**told)
        statuses.append(status(talk))
    assert statuses[0] == statuses[1]


def test_an_answer_of_many_lines_is_its_last_one_and_none_is_taken_from_an_earlier_turn() -> None:
    talk = Talk()
    talk.linked(row("a", "Earlier."), row("u", "Next", "user"))
    talk.agent(last_turn=wire.ChatTurnEnd(6, "aborted"))
    assert status(talk).detail is None
    talk.row(row("b", "x" * 500), "u")
    detail = status(talk).detail
    assert detail is not None
    assert (len(detail), detail[-1]) == (160, "…")


def test_without_a_conversation_activity_says_what_pi_does() -> None:
    talk = Talk()
    talk.links(capabilities=())
    talk.feed(core_events.ActivityChanged(at=talk.at, link=talk.link, working=True, since=3))
    assert status(talk).state == "working"
    talk.feed(core_events.ActivityChanged(at=talk.at, link=talk.link, working=False, since=4))
    assert status(talk).state == "your_turn"


def test_an_extension_that_tells_its_conversation_no_more_leaves_no_old_word_behind() -> None:
    talk = Talk()
    talk.linked()
    talk.agent(idle=False)
    talk.links(capabilities=())
    assert status(talk).state == "idle"
    assert CHAT not in talk.core.sessions()[0].capabilities
    assert talk.core.sessions()[0].session_id == PI
