"""Promise: what the contract says about the life of prompts and surfaces beside each other holds in the daemon's core."""

from __future__ import annotations

import msgspec
import pytest

from mirrord.core import events, shown
from mirrord.core.model import Prompt, TerminalId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.surfaces import WorkingRow
from tests.core.drawings import Screenful, drawing
from tests.core.playbook import PI, Playbook, confirm, input_, select

OTHER = TerminalId("4712-100")


@pytest.fixture
def play() -> Playbook:
    """A session that shows one of everything, and a client that can show it."""
    play = Playbook()
    play.attach()
    play.connect(1, capabilities=SERVER_CAPABILITIES)
    for event in (
        shown.WidgetSet(at=play.at, link=play.link, key="jobs", placement="aboveEditor", drawing=drawing("2 jobs")),
        shown.RegionSet(at=play.at, link=play.link, name="footer", drawing=drawing("main")),
        shown.StatusSet(at=play.at, link=play.link, key="build", text="building"),
        shown.TitleSet(at=play.at, link=play.link, title="tulips"),
        shown.WorkingRowSet(at=play.at, link=play.link, row=WorkingRow(True, "Checking…")),
    ):
        play.feed(event)
    play.waits()
    return play


def screen(play: Playbook, client: int) -> Screenful:
    """What the client shows by all that it was told."""
    screen = Screenful()
    for message in play.inbox[client]:
        screen.take(message)
    return screen


def later(play: Playbook, client: int, session: TerminalId = PI) -> Screenful:
    """What one shows that comes now."""
    play.connect(client, capabilities=SERVER_CAPABILITIES, follow=session)
    return screen(play, client)


def test_turns_prompts_and_stops_take_away_nothing_that_is_shown(play: Playbook) -> None:
    before = screen(play, 1).shown()
    told = len(play.got(1, wire.ExtensionUINotification))
    play.feed(events.ActivityChanged(at=play.at, link=play.link, working=True, since=play.now))
    play.opens(select("p1"))
    play.answers(1, "p1", index=0)
    play.accepts()
    play.opens(input_("p2"))
    play.settles("p2", "cancelled")
    play.feed(events.ActivityChanged(at=play.at, link=play.link, working=False, since=play.now))
    play.waits()
    assert play.core.sessions()[0].status.state == "your_turn"
    assert screen(play, 1).shown() == before == later(play, 9).shown()
    assert len(play.got(1, wire.ExtensionUINotification)) == told


def test_what_a_session_shows_is_its_own(play: Playbook) -> None:
    play.attach(id_=OTHER)
    play.feed(shown.WidgetSet(at=play.at, link=play.link, key="jobs", placement="belowEditor", drawing=drawing("none")))
    play.waits()
    assert {key: widget.widget_lines for key, widget in later(play, 8, OTHER).surfaces.items()} == {"jobs": ("none",)}
    assert {key: widget.widget_lines for key, widget in later(play, 9).surfaces.items()} == {"jobs": ("2 jobs",)}
    assert {told.session_id for told in play.got(1, wire.ExtensionUINotification)} == {PI}


@pytest.mark.parametrize("prompt", [select("p1"), confirm("p1"), input_("p1")], ids=lambda prompt: prompt.method)
def test_a_blocking_prompt_has_pis_fields_and_no_surface(play: Playbook, prompt: Prompt) -> None:
    play.opens(prompt)
    (told,) = play.got(1, wire.ExtensionUIRequest)
    assert not [name for name in told.__struct_fields__ if "surface" in name or "block" in name]
    frame = msgspec.json.decode(msgspec.json.encode(told))
    assert (frame["type"], frame["id"], frame["method"], frame["title"]) == ("extension_ui_request", "p1", prompt.method, prompt.title)


def test_the_welcome_names_the_levels_that_the_daemon_has_and_no_other(play: Playbook) -> None:
    (welcome,) = play.got(1, wire.Welcome)
    assert tuple(name for name in welcome.capabilities if name.startswith("extension-native-ui:")) == (
        "extension-native-ui:v1:text-fallback",
        "extension-native-ui:v1:prompt-native",
        "extension-native-ui:v1:surface-native",
        "extension-native-ui:v1:osc8-links",
    )
