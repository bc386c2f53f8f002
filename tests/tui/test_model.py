"""Promise: the screen begins with the session that waits for somebody, and shows of surfaces only those of the followed one."""

from __future__ import annotations

from msgspec.structs import replace

from mirrord.tui.model import Model
from mirrord.wire import messages as wire
from tests.cli.attached import snapshot
from tests.cli.prompts import session
from tests.client.scripted_daemon import WELCOME


def model(*sessions: wire.Session) -> Model:
    made = Model()
    made.welcome(replace(WELCOME, sessions=sessions, server_now=5_000), 3_000)
    return made


def waiting(session_id: str, since: int, prompts: int) -> wire.Session:
    return replace(session(session_id), open_prompts=prompts, status=wire.Status("waiting" if prompts else "idle", "pi", since))


def test_it_begins_with_the_one_that_waits_longest_else_with_the_newest() -> None:
    assert model(waiting("1", 9, 0), waiting("2", 5, 1), waiting("3", 4, 2)).candidate() == "3"
    assert model(waiting("1", 9, 0), waiting("2", 5, 0)).candidate() == "1"
    assert model(session(state="ended")).candidate() is None


def test_the_next_session_is_a_living_one_and_after_the_last_comes_the_first() -> None:
    made = model(session("1"), session("2", state="ended"), session("3"))
    assert [made.after(before) for before in ("1", "3", "2", None)] == ["3", "1", "1", "1"]
    assert model().after("1") is None


def test_a_link_that_is_lost_says_why_and_that_it_is_tried_again() -> None:
    made = model(session())
    assert (made.linked, made.ahead, made.role) == (True, 2_000, "owner")
    made.lost("the daemon stopped")
    assert (made.linked, made.link) == (False, "the daemon stopped; trying again")


def test_only_what_changes_the_screen_counts_as_a_change() -> None:
    made = model(session())
    made.choose("1-1")
    made.take(snapshot())
    assert [*made.board.entries] == ["status/job"]
    before = made.changes
    status = wire.ExtensionUINotification(session_id="2-2", method="setStatus", status_key="other", status_text="x")
    for message in (status, wire.Gap(session_id="1-1", since="e:1"), replace(status, session_id="1-1", method="notify")):
        made.take(message)
    assert made.changes == before
    made.take(replace(status, session_id="1-1"))
    made.take(wire.SessionChanged("removed", session()))
    assert made.changes == before + 2
    assert made.session is None
    made.choose("2-2")
    assert made.board.entries == {}
