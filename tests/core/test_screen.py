"""Promise: a menu of Pi's own is the session's state as long as it waits, and a screen goes to who may watch it, while it is shared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mirrord.core import commands, events
from mirrord.core.commands import TellScreen, WatchScreen
from mirrord.core.model import LinkId, Prompt, PromptId
from mirrord.core.screen import REDRAW_SECONDS
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role
from mirrord.wire.surfaces import TextSpan
from tests.core.playbook import PI, Playbook, select, terminal

DRAWN = wire.Screen(session_id=PI, columns=80, rows=24, lines=((TextSpan("> "),),))


def followed(shared: bool = False) -> Playbook:
    """A Pi that `mirrord pi` started."""
    play = Playbook()
    play.attach()
    play.feed(events.ScreenLinked(at=play.at, terminal=PI, shared=shared))
    return play


def menu(play: Playbook, name: str | None, since: int | None = None) -> None:
    play.feed(events.ScreenStateChanged(at=play.at, terminal=PI, menu=name, since=play.now if since is None else since))


def says(play: Playbook, state: str | None) -> None:
    play.feed(events.ScreenProgramSaid(at=play.at, terminal=PI, state=state))


def draws(play: Playbook, screen: wire.Screen = DRAWN) -> None:
    play.feed(events.ScreenDrawn(at=play.at, terminal=PI, screen=screen))


def shares(play: Playbook, on: bool) -> None:
    play.feed(events.ScreenShareSet(at=play.at, link=play.link, on=on))


def works(play: Playbook, working: bool) -> None:
    play.feed(events.ActivityChanged(at=play.at, link=play.link, working=working, since=play.now))


def status(play: Playbook) -> wire.Status:
    return play.core.sessions()[0].status


def shared(play: Playbook) -> bool:
    return play.core.sessions()[0].screen_shared


def watches(play: Playbook, client: int, on: bool = True, session: str = PI) -> wire.CommandResult:
    args: dict[str, Any] = {"sessionId": session, "on": on}
    play.says(client, wire.Command(request_id="r", name="screen_watch", args=args))
    return play.got(client, wire.CommandResult)[-1]


def wanted(play: Playbook) -> list[bool]:
    """What was asked of the follower, in order."""
    return [command.on for command in play.other if isinstance(command, WatchScreen)]


# ---- the state -------------------------------------------------------------------------------------------------------


def test_a_menu_is_waiting_says_who_knows_and_is_gone_when_it_closes() -> None:
    play = followed()
    play.connect(1, follow=None)
    menu(play, "model")
    assert (status(play).state, status(play).source, status(play).menu) == ("waiting", "screen", "model")
    assert play.got(1, wire.SessionChanged)[-1].session.status.menu == "model"
    menu(play, "settings")
    play.waits()
    assert play.got(1, wire.SessionChanged)[-1].session.status.menu == "settings"
    menu(play, None)
    play.waits()
    assert play.got(1, wire.SessionChanged)[-1].session.status == wire.Status("idle", "pi", status(play).since)


def test_prompts_beat_a_menu_and_a_menu_beats_work() -> None:
    play = followed()
    works(play, True)
    menu(play, "tree")
    assert (status(play).state, status(play).menu) == ("waiting", "tree")
    play.opens(select("p1"))
    assert (status(play).state, status(play).source, status(play).menu) == ("waiting", "pi", None)
    play.settles("p1")
    assert status(play).menu == "tree"
    menu(play, None)
    assert status(play).state == "working"


def test_what_the_daemon_sees_itself_beats_a_menu() -> None:
    play = followed()
    menu(play, "resume")
    play.feed(events.ProcessPaused(at=play.at, terminal=PI, paused=True))
    assert (status(play).state, status(play).source, status(play).menu) == ("suspended", "daemon", None)
    play.feed(events.ProcessPaused(at=play.at, terminal=PI, paused=False))
    play.loses_link()
    assert (status(play).state, status(play).menu) == ("detached", None)
    play.attach()
    assert status(play).menu == "resume"


def test_without_a_follower_there_is_no_menu() -> None:
    play = Playbook()
    play.attach()
    menu(play, "model")
    says(play, "blocked")
    assert status(play).state == "idle"
    play = followed()
    menu(play, "model")
    play.feed(events.ScreenLost(at=play.at, terminal=PI))
    assert status(play).state == "idle"


def test_the_age_of_a_menu_is_its_own_and_never_in_the_future() -> None:
    play = followed()
    menu(play, "trust", since=17)
    assert status(play).since == 17
    menu(play, "login", since=play.now + 60_000)
    assert status(play).since <= play.now


def test_a_screen_without_a_session_is_nothing() -> None:
    play = Playbook()
    for event in (
        events.ScreenLinked(at=play.at, terminal=PI, shared=True),
        events.ScreenDrawn(at=play.at, terminal=PI, screen=DRAWN),
        events.ScreenLost(at=play.at, terminal=PI),
    ):
        assert play.feed(event) == []


def test_what_pi_says_of_itself_counts_where_nothing_else_explains_it() -> None:
    play = followed()
    says(play, "blocked")
    assert (status(play).state, status(play).source, status(play).menu) == ("waiting", "screen", "question")
    menu(play, "login")
    assert status(play).menu == "login"
    menu(play, None)
    says(play, "idle")
    assert status(play).state == "idle"


def test_a_prompt_explains_why_pi_is_blocked() -> None:
    play = followed()
    play.opens(select("p1"))
    says(play, "blocked")
    assert status(play).source == "pi"
    play.settles("p1")
    assert status(play).state == "idle", "Pi takes it back a moment later"


# ---- the terminal goes -----------------------------------------------------------------------------------------------


def test_a_pi_whose_terminal_was_closed_is_over_at_once() -> None:
    play = followed(shared=True)
    play.opens(select("p1"))
    play.connect(1)
    watches(play, 1)
    play.feed(events.TerminalGone(at=play.at, terminal=PI))
    assert status(play).state == "ended"
    assert play.got(1, wire.ExtensionUISettled)[-1].outcome == "withdrawn"
    assert commands.CloseLink(play.link) in play.other
    assert play.got(1, wire.Screen)[-1].hidden == "lost"
    play.loses_link()
    assert play.feed(events.ProcessGone(at=play.at, terminal=PI)) == []


# ---- who may watch ---------------------------------------------------------------------------------------------------


def test_nobody_watches_unless_the_person_said_so() -> None:
    play = followed()
    play.connect(1)
    assert not shared(play)
    refused = watches(play, 1)
    assert refused.error is not None
    assert refused.error.code == "not_shared"
    assert "/mirrord screen on" in refused.error.message
    draws(play)
    assert not play.got(1, wire.Screen)
    assert wanted(play) == []


def test_without_a_follower_there_is_nothing_to_share() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    shares(play, True)
    assert not shared(play)
    refused = watches(play, 1)
    assert refused.error is not None
    assert "`mirrord pi`" in refused.error.message


@pytest.mark.parametrize("how", ["started", "said"])
def test_who_watches_gets_each_screen_and_others_get_none(how: str) -> None:
    play = followed(shared=how == "started")
    if how == "said":
        shares(play, True)
    assert shared(play)
    for client in (1, 2):
        play.connect(client)
    assert watches(play, 1).ok
    draws(play)
    assert play.got(1, wire.Screen) == [DRAWN]
    assert not play.got(2, wire.Screen)
    assert [(send.importance, send.key) for send in play.sends if isinstance(send.message, wire.Screen)] == [("latest", f"{PI}/screen")]


def test_a_screen_is_asked_for_while_somebody_watches_and_no_longer() -> None:
    play = followed(shared=True)
    for client in (1, 2):
        play.connect(client)
    watches(play, 1)
    draws(play)
    watches(play, 2)
    assert play.got(2, wire.Screen) == [DRAWN], "the second one need not wait for a change"
    watches(play, 1, on=False)
    assert wanted(play) == [True]
    play.leaves(2)
    assert wanted(play) == [True, False]
    draws(play)
    assert len(play.got(1, wire.Screen)) == 1
    watches(play, 1)
    assert len(play.got(1, wire.Screen)) == 1, "what was seen before is not kept"


@pytest.mark.parametrize(("end", "hidden"), [("off", "off"), ("lost", "lost"), ("quit", "lost")])
def test_when_it_ends_who_watches_is_told_and_gets_nothing_more(end: str, hidden: str) -> None:
    play = followed(shared=True)
    play.connect(1)
    watches(play, 1)
    draws(play)
    match end:
        case "off":
            shares(play, False)
        case "lost":
            play.feed(events.ScreenLost(at=play.at, terminal=PI))
        case _:
            play.feed(events.TerminalBye(at=play.at, link=play.link, reason="quit"))
    assert play.got(1, wire.Screen)[-1] == wire.Screen(session_id=PI, columns=80, rows=24, hidden=hidden)  # type: ignore[arg-type]
    assert wanted(play) == [True, False]
    assert not shared(play)
    shares(play, True)
    draws(play)
    assert len(play.got(1, wire.Screen)) == 2


def test_what_the_person_said_counts_for_more_than_how_it_was_started_until_the_extension_forgets() -> None:
    play = followed(shared=True)
    shares(play, False)
    assert not shared(play)
    play.attach()
    assert shared(play), "another extension, which was told nothing"
    said = events.ScreenShareSet(at=play.at, link=play.link, on=False)
    shares(play, False)
    play.feed(events.ResyncBegan(at=play.at, link=play.link))
    play.feed(said)
    play.feed(events.ResyncEnded(at=play.at, link=play.link))
    assert not shared(play)


@pytest.mark.parametrize(("role", "code"), [(Role.OBSERVER, "forbidden"), (Role.CONTROLLER, None), (Role.OWNER, None)])
def test_an_observer_sees_no_screen(role: Role, code: str | None) -> None:
    play = followed(shared=True)
    play.connect(1, role=role)
    result = watches(play, 1)
    draws(play)
    assert (result.error.code if result.error else None) == code
    assert len(play.got(1, wire.Screen)) == (code is None)


def test_a_screen_is_in_no_snapshot_and_has_no_cursor() -> None:
    play = followed(shared=True)
    play.connect(1)
    cursor = play.got(1, wire.Snapshot)[0].cursor
    watches(play, 1)
    draws(play)
    play.connect(2)
    assert play.got(2, wire.Snapshot)[0].cursor == cursor


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"sessionId": "9-9", "on": True}, "unknown_session"),
        ({"sessionId": PI}, "malformed"),
        ({"sessionId": PI, "on": 1}, "malformed"),
        ({}, "malformed"),
    ],
)
def test_a_wrong_command_is_refused_with_the_reason(args: dict[str, Any], code: str) -> None:
    play = followed(shared=True)
    play.connect(1)
    play.says(1, wire.Command(request_id="r", name="screen_watch", args=args))
    error = play.got(1, wire.CommandResult)[-1].error
    assert error is not None
    assert error.code == code


def test_an_extension_that_asked_for_it_hears_how_it_stands_and_only_what_is_new() -> None:
    play = Playbook()
    play.feed(events.TerminalLinked(at=play.at, link=LinkId(9), terminal=replace(terminal(), capabilities=("screen-share",))))
    play.link = LinkId(9)
    play.feed(events.ResyncBegan(at=play.at, link=play.link))
    play.feed(events.ScreenLinked(at=play.at, terminal=PI, shared=False))
    shares(play, True)
    works(play, True)
    play.connect(1)
    watches(play, 1)
    play.leaves(1)
    told = [(command.followed, command.shared, command.watchers) for command in play.other if isinstance(command, TellScreen)]
    assert told == [(False, False, 0), (True, False, 0), (True, True, 0), (True, True, 1), (True, True, 0)]


def test_an_earlier_extension_hears_nothing_of_it() -> None:
    play = followed(shared=True)
    assert not [command for command in play.other if isinstance(command, TellScreen)]


# ---- what is typed where nobody can tell -----------------------------------------------------------------------------


def form(id_: str) -> Prompt:
    return Prompt(id=PromptId(id_), method="custom", title="A form", opened_at=1, terminal_only="It is the terminal's.")


def test_while_an_extension_has_a_dialog_of_its_own_nothing_is_seen_and_after_it_a_fresh_screen() -> None:
    play = followed(shared=True)
    play.connect(1)
    watches(play, 1)
    draws(play)
    play.opens(form("p1"))
    assert play.got(1, wire.Screen)[-1] == wire.Screen(session_id=PI, columns=80, rows=24, hidden="unknown")
    draws(play)
    play.opens(select("p2"))
    play.settles("p2")
    assert len(play.got(1, wire.Screen)) == 2
    play.settles("p1")
    assert [(command.on, command.after) for command in play.other if isinstance(command, WatchScreen)] == [
        (True, 0.0),
        (False, 0.0),
        (True, REDRAW_SECONDS),
    ]
    draws(play)
    assert play.got(1, wire.Screen)[-1] == DRAWN


def test_who_comes_while_it_is_covered_waits_for_the_dialogs_end() -> None:
    play = followed(shared=True)
    play.opens(form("p1"))
    play.connect(1)
    assert watches(play, 1).ok
    assert [seen.hidden for seen in play.got(1, wire.Screen)] == ["unknown"]
    assert wanted(play) == []
    play.settles("p1")
    assert wanted(play) == [True]


@pytest.mark.parametrize("unknown", ["detached", "resync"])
def test_where_no_extension_tells_of_dialogs_nothing_is_seen(unknown: str) -> None:
    play = followed(shared=True)
    play.connect(1)
    watches(play, 1)
    if unknown == "detached":
        play.loses_link()
    else:
        play.feed(events.ResyncBegan(at=play.at, link=play.link))
    assert play.got(1, wire.Screen)[-1].hidden == "unknown"
    draws(play)
    assert len(play.got(1, wire.Screen)) == 1
    play.attach()
    draws(play)
    assert play.got(1, wire.Screen)[-1] == DRAWN
