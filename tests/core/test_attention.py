"""Promise: a person is called when Pi needs them and they look elsewhere: once, in the place of what was told before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from mirrord.core import commands, events
from mirrord.core.attention import BURST, EVERY_SECONDS, UNSURE_SECONDS
from mirrord.core.calls import WORK_SECONDS
from mirrord.core.model import TerminalId
from mirrord.wire import messages as wire
from mirrord.wire.attention import DeviceSwitches, NotifySettings, SessionSwitches
from mirrord.wire.roles import Role
from tests.core.playbook import PI, Playbook, input_, select

OTHER = TerminalId("4712-99")
WORK_MS = round(WORK_SECONDS * 1000)
Told = tuple[str, str, str | None]


@dataclass
class Scene(Playbook):
    """A playbook with devices: `pushed[device]` and `shown(client)` are what each was told, as kind, body and prompt."""

    pushed: dict[str, list[wire.Attention]] = field(default_factory=dict)

    def feed(self, event: events.Event) -> list[commands.Command]:
        out = super().feed(event)
        for command in out:
            if isinstance(command, commands.Push):
                self.pushed.setdefault(command.device, []).append(command.message)
        return out

    def device(self, name: str, *, push: bool = False, **switches: bool) -> None:
        """A device's settings, as the store has them."""
        self.settings(name, NotifySettings(DeviceSwitches(**switches)), push=push)

    def settings(self, name: str, settings: NotifySettings, *, push: bool = False) -> None:
        self.feed(events.DeviceNoted(at=self.at, device=name, settings=settings, subscribed=push))

    def looks(self, client: int, session: TerminalId | None, device: str = "", *, present: bool = False) -> None:
        """A page says what it shows, and whether it can be seen; it connects when it has not."""
        if client not in self.inbox:
            self.connect(client, follow=None, device=device)
        self.says(client, wire.Looking(session_id=session, present=present))

    def works(self, working: bool) -> None:
        self.feed(events.ActivityChanged(at=self.at, link=self.link, working=working, since=self.now))

    def turn(self, ms: int) -> None:
        """Pi works for so long."""
        self.works(True)
        self.passes(ms)
        self.works(False)

    def shown(self, client: int) -> list[Told]:
        return [_told(message) for message in self.got(client, wire.Attention)]

    def pushes(self, device: str) -> list[Told]:
        return [_told(message) for message in self.pushed.get(device, [])]


def _told(message: wire.Attention) -> Told:
    return message.kind, message.body, message.prompt_id


WAITS: Told = ("waiting", "A question waits", "p1")


def scene() -> Scene:
    """A Pi, nobody connected."""
    play = Scene()
    play.attach()
    return play


# ---- who is told -----------------------------------------------------------------------------------------------------


def test_a_prompt_is_told_to_a_page_that_shows_another_session_and_not_to_one_that_shows_this_one() -> None:
    play = scene()
    play.attach(id_=OTHER)
    play.looks(1, OTHER, "tablet")
    play.looks(2, None, "laptop")
    play.looks(3, PI, "phone")
    play.link = type(play.link)(1)
    play.opens(select("p1"))
    assert (play.shown(1), play.shown(2), play.shown(3)) == ([WAITS], [WAITS], [])


def test_a_device_that_looks_with_one_page_is_told_on_none_of_them() -> None:
    play = scene()
    play.looks(1, PI, "laptop")
    play.looks(2, None, "laptop")
    play.device("laptop", push=True)
    play.opens(select("p1"))
    assert (play.shown(2), play.pushes("laptop")) == ([], [])


def test_a_client_that_never_said_what_it_shows_gets_nothing() -> None:
    play = scene()
    play.connect(1)
    play.opens(select("p1"))
    assert play.got(1, wire.Attention) == []


def test_a_device_without_a_page_is_pushed_to_and_one_without_a_subscription_is_told_when_it_comes() -> None:
    play = scene()
    play.device("phone", push=True)
    play.device("laptop")
    play.opens(select("p1"))
    assert play.pushes("phone") == [WAITS]
    play.looks(1, None, "laptop")
    assert (play.shown(1), play.pushes("laptop")) == ([WAITS], [])


def test_a_page_that_is_hidden_may_sleep_so_the_device_is_pushed_to_as_well() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, None, "phone")
    play.opens(select("p1"))
    assert play.shown(1) == play.pushes("phone") == [WAITS]


def test_a_device_whose_page_shows_another_session_is_not_pushed_to() -> None:
    play = scene()
    play.attach(id_=OTHER)
    play.device("phone", push=True)
    play.looks(1, PI, "phone")
    play.opens(select("p1"))
    assert (play.shown(1), play.pushes("phone")) == ([WAITS], [])


def test_a_device_with_a_page_that_can_be_seen_is_not_pushed_to_whatever_is_on_the_page() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, None, "phone", present=True)
    play.looks(2, None, "phone")
    play.opens(select("p1"))
    assert (play.shown(1), play.shown(2), play.pushes("phone")) == ([WAITS], [WAITS], [])
    play.looks(1, None, "phone")
    play.opens(select("p2"))
    assert play.pushes("phone") == [("waiting", "2 questions wait", "p1")]


def test_a_page_that_was_cut_off_while_it_could_be_seen_may_not_have_shown_what_came_last() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, None, "phone", present=True)
    play.opens(select("p1"))
    play.passes(5_000)
    play.leaves(1)
    assert play.pushes("phone") == [WAITS]


def test_what_was_seen_is_not_told_when_the_page_is_put_away() -> None:
    play = scene()
    play.device("phone", push=True)
    play.opens(select("p0"))
    play.looks(1, PI, "phone")
    play.looks(1, None, "phone")
    play.leaves(1)
    play.waits()
    assert play.pushes("phone") == [("waiting", "A question waits", "p0")]


def test_a_page_that_was_cut_off_while_it_looked_may_not_have_shown_what_came_last() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, PI, "phone")
    play.opens(select("p1"))
    play.passes(5_000)
    play.leaves(1)
    assert play.pushes("phone") == [WAITS]


def test_what_a_page_that_was_cut_off_showed_for_long_was_seen() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, PI, "phone")
    play.opens(select("p1"))
    play.passes(round(UNSURE_SECONDS * 1000))
    play.leaves(1)
    assert play.pushes("phone") == []


def test_two_clients_of_the_control_socket_are_two_devices_with_the_settings_of_a_new_one() -> None:
    play = scene()
    play.looks(1, PI)
    play.looks(2, None)
    play.opens(select("p1"))
    assert (play.shown(1), play.shown(2)) == ([], [WAITS])
    play.leaves(2)
    play.leaves(1)
    assert play.core._attention._devices == {}


def test_what_an_agent_started_is_nobody_who_looks() -> None:
    play = scene()
    play.device("phone", push=True)
    play.connect(1, role=Role.OBSERVER, follow=None)
    play.looks(1, OTHER)
    play.turn(5_000)
    assert play.pushes("phone") == [("yourTurn", "Your turn", None)]
    assert play.shown(1) == []


def test_a_device_that_was_revoked_is_told_nothing() -> None:
    play = scene()
    play.device("phone", push=True)
    play.feed(events.DeviceForgotten(at=play.at, device="phone"))
    play.opens(select("p1"))
    assert play.pushes("phone") == []


# ---- what is told ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"winner": "terminal"}, "Answered at the terminal"),
        ({"winner": "terminal", "outcome": "cancelled"}, "Cancelled at the terminal"),
        ({"winner": "remote", "response": "Ada's phone/r1"}, "Answered by Ada's phone"),
        ({"winner": "remote", "response": "local/r1"}, "Answered at the computer"),
        ({"winner": "none", "outcome": "timed_out"}, "The time for it ran out"),
        ({"winner": "none", "outcome": "withdrawn"}, "No longer asked"),
    ],
)
def test_a_settlement_takes_the_place_of_what_was_shown(how: dict[str, Any], words: str) -> None:
    play = scene()
    play.device("phone", push=True)
    play.opens(select("p1"))
    play.settles("p1", **how)
    assert play.pushes("phone") == [WAITS, ("over", words, "p1")]


def test_a_settlement_is_told_only_where_something_was_shown() -> None:
    play = scene()
    play.looks(1, PI, "phone")
    play.opens(select("p1"))
    play.looks(1, None, "phone")
    play.device("tablet", push=True, waiting=False)
    play.settles("p1")
    assert (play.shown(1), play.pushes("tablet")) == ([], [])


def test_a_second_prompt_and_the_rest_of_them_are_the_same_notification() -> None:
    play = scene()
    play.looks(1, None, "phone")
    play.opens(select("p1"))
    play.opens(input_("p2"))
    play.settles("p1")
    play.waits()
    play.settles("p2")
    play.waits()
    assert play.shown(1) == [
        WAITS,
        ("waiting", "2 questions wait", "p1"),
        ("waiting", "A question waits", "p2"),
        ("over", "Answered at the terminal", "p2"),
    ]


def test_no_text_of_a_prompt_or_of_the_person_is_told_unless_the_device_wants_titles() -> None:
    play = scene()
    play.feed(
        events.ConversationChanged(
            at=play.at, link=play.link, conversation_id="c", cwd="/home/ada/garden", name=None, first_message="plant the secret tulips"
        )
    )
    play.looks(1, None, "phone")
    play.device("tablet", titles=True)
    play.looks(2, None, "tablet")
    play.opens(select("p1", title="Which secret bed?"))
    (closed,), (open_,) = play.got(1, wire.Attention), play.got(2, wire.Attention)
    assert (closed.title, closed.body) == ("garden", "A question waits")
    assert (open_.title, open_.body) == ("plant the secret tulips", "Which secret bed?")
    assert "secret" not in repr(open_)


def test_a_menu_of_pis_own_waits_at_the_terminal() -> None:
    play = scene()
    play.looks(1, None, "phone")
    play.feed(events.ScreenLinked(at=play.at, terminal=PI, shared=False))
    for menu in ("model", None):
        play.feed(events.ScreenStateChanged(at=play.at, terminal=PI, menu=menu, since=play.now))
    assert play.shown(1) == [("waiting", "Waits at the terminal", None), ("over", "Closed at the terminal", None)]


# ---- your turn, failed -----------------------------------------------------------------------------------------------


def test_work_that_took_long_is_told_when_it_ends_also_to_who_looks_at_another_session() -> None:
    play = scene()
    play.attach(id_=OTHER)
    play.looks(1, PI, "phone")
    play.turn(WORK_MS)
    assert play.shown(1) == [("yourTurn", "Your turn", None)]


def test_short_work_is_told_only_when_nobody_looks_at_anything() -> None:
    play = scene()
    play.device("phone", push=True)
    play.looks(1, PI, "laptop")
    play.turn(WORK_MS - 1_000)
    assert play.pushes("phone") == []
    play.looks(1, None, "laptop", present=True)
    play.turn(2_000)
    assert play.pushes("phone") == [("yourTurn", "Your turn", None)]


def test_that_pi_works_again_takes_the_place_of_your_turn() -> None:
    play = scene()
    play.looks(1, None, "phone")
    play.turn(WORK_MS)
    play.works(True)
    assert play.shown(1) == [("yourTurn", "Your turn", None), ("over", "Pi works again", None)]


def test_a_turn_that_ended_before_the_daemon_saw_it_run_is_no_news() -> None:
    play = Scene()
    play.looks(1, None, "phone")
    play.attach()
    play.works(False)
    assert play.shown(1) == []


def test_a_lost_link_changes_nothing_and_the_end_of_the_session_ends_what_was_told() -> None:
    play = scene()
    play.looks(1, None, "phone")
    play.opens(select("p1"))
    play.loses_link()
    play.attach(select("p1"))
    assert play.shown(1) == [WAITS]
    play.loses_link(alive=False)
    assert play.shown(1)[1:] == [("over", "The session ended", "p1")]


# ---- switches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "session", "told"),
    [(True, None, True), (True, False, False), (False, None, False), (False, True, True)],
)
def test_each_kind_is_switched_for_the_device_and_otherwise_for_a_session(device: bool, session: bool | None, told: bool) -> None:
    play = scene()
    settings = NotifySettings(DeviceSwitches(waiting=device), {PI: SessionSwitches(waiting=session)})
    play.settings("phone", settings, push=True)
    play.opens(select("p1"))
    assert play.pushes("phone") == ([WAITS] if told else [])


def test_what_waits_is_told_when_it_is_switched_on() -> None:
    play = scene()
    play.device("phone", push=True, waiting=False)
    play.opens(select("p1"))
    play.device("phone", push=True)
    assert play.pushes("phone") == [WAITS]


# ---- storms ----------------------------------------------------------------------------------------------------------


def test_a_storm_of_prompts_is_paced_and_its_last_state_always_told() -> None:
    play = scene()
    play.device("phone", push=True)
    begun = play.now
    for number in range(500):
        play.opens(select(f"s{number}"))
        play.passes(100)
        play.settles(f"s{number}")
        play.passes(100)
    allowed = BURST + (play.now - begun) / 1000 / EVERY_SECONDS
    assert BURST < len(play.pushes("phone")) <= allowed
    play.opens(select("last"))
    play.waits()
    assert play.pushes("phone")[-1] == ("waiting", "A question waits", "last")


def test_a_session_that_is_listed_no_more_ends_what_was_told_of_it_at_once() -> None:
    play = scene()
    play.device("phone", push=True)
    for number in range(BURST):
        play.opens(select(f"s{number}"))
    play.feed(events.TerminalBye(at=play.at, link=play.link, reason="off"))
    assert play.pushes("phone")[-1][:2] == ("over", "The session ended")
    assert play.core._attention.wake_at is None
    assert play.core._attention._callers == {}
