"""Promise: whoever asks, at whatever moment, is mirrored: a shortcut, a tool of the model, an extension that asks as it starts."""

from __future__ import annotations

from itertools import dropwhile, groupby

import pytest

from mirrord.wire import messages as wire
from tests.e2e.play import Asked, Play
from tests.e2e.stage import is_reload, stage
from tests.harness.pi import GENERATIONS, PiKind


def states(play: Play) -> list[wire.State]:
    """Each state that the phone was told of, in order, since Pi began to work: what it did before may be told again, with a detail."""
    told = [message.session.status.state for message in play.phone.all(wire.SessionChanged)]
    return [state for state, _ in groupby(dropwhile(lambda state: state != "working", told))]


def wait_for_states(play: Play, *expected: wire.State) -> None:
    """Returns when the phone has been told of the last of them, and that it was told of all and of no other."""
    play.phone.wait(wire.SessionChanged, lambda _: states(play)[-1:] == [expected[-1]] and len(states(play)) >= len(expected))
    assert states(play) == list(expected)


def test_a_shortcut_asks(play: Play) -> None:
    before = play.rest()
    count = play.results("shortcut") + 1
    play.stage.pi.keys("ctrl+alt+k")
    asked = Asked(play.offered("From a shortcut"), "shortcut", None, before)
    play.stage.pi.wait_for("From a shortcut")
    assert play.phone.answer(asked.id, index=2).accepted
    assert play.stage.log.result("shortcut", count=count).value == "cherry"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="cherry")
    play.screen_is_back(asked)


def test_a_tool_asks_while_the_agent_works_and_everybody_sees_who_waits_for_whom(play: Play) -> None:
    title = f"Which colour, {next(play.numbers)}?"
    count = play.results("ask_user") + 1
    play.rest()
    play.stage.pi.line(f'tool: ask_user {{"question": "{title}"}}')
    prompt = play.offered(title)
    asked = Asked(prompt, "ask_user", None, play.stage.pi.snapshot())
    assert prompt.options == ("red", "green")
    wait_for_states(play, "working", "waiting")
    assert play.phone.answer(prompt.id, value="green").accepted
    assert play.stage.log.result("ask_user", count=count).value == "green"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="green")
    play.stage.pi.wait_for("Tool said: the user chose green")
    wait_for_states(play, "working", "waiting", "working", "your_turn")
    assert play.session.status.source == "pi"


def test_the_person_stops_the_agent_while_its_tool_asks(play: Play) -> None:
    title = f"Which colour, {next(play.numbers)}?"
    count = play.results("ask_user") + 1
    play.rest()
    play.stage.pi.line(f'tool: ask_user {{"question": "{title}"}}')
    asked = Asked(play.offered(title), "ask_user", None, play.stage.pi.snapshot())
    play.stage.pi.wait_for(f"{title}")
    play.stage.pi.keys("escape")
    assert play.stage.log.result("ask_user", count=count).outcome == "undefined"
    play.everybody_is_told(asked, "cancelled", "terminal")
    play.phone.wait(wire.SessionChanged, lambda _: states(play)[-1:] == ["your_turn"])


def test_another_extension_asks_after_a_reload_which_pi_does_not_show_and_a_remote_can_answer(play: Play) -> None:
    title = f"Reloaded, {next(play.numbers)}?"
    reloads = sum(is_reload(record) for record in play.stage.log.records())
    play.stage.run("t-reload", id=title, title=title)
    play.stage.log.wait(is_reload, count=reloads + 1)
    prompt = play.offered(title)
    play.stage.pi.settle()
    # Pi puts the editor back over whatever was asked meanwhile, with us and without.
    play.stage.pi.send("half a line")
    play.stage.pi.wait_for("half a line")
    asked = Asked(prompt, "session_start", title, play.rest())
    assert play.phone.answer(asked.id, index=1).accepted
    assert play.value(asked) == "banana"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")
    play.rest()
    play.screen_is_back(asked)
    play.stage.pi.line(", typed on")
    play.stage.pi.wait_for("Echo: half a line, typed on")


@pytest.mark.parametrize("ours_first", [True, False], ids=["after-ours", "before-ours"])
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_another_extension_asks_as_pi_starts(kind: PiKind, ours_first: bool) -> None:
    env = {"EXERCISER_START": '{"id": "start", "title": "At the start?"}'}
    with stage(kind, "-e", env=env, ours_first=ours_first) as here:
        play = Play(here)
        asked = Asked(play.offered("At the start?"), "session_start", "start", here.pi.snapshot())
        here.pi.wait_for("At the start?")
        assert play.phone.answer(asked.id, index=1).accepted
        assert play.value(asked) == "banana"
        play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")
        here.pi.wait_gone("At the start?")


def test_statuses_the_title_and_notifications_arrive_clean(play: Play) -> None:
    # Pi writes them to its own terminal as they are, so nothing in here may spoil the screen for the next test.
    play.stage.run("t-status", key="job\x1b[1m", text="\x1b[31mred\x1b[0m \u202edlrow\u202c\nnext")
    play.stage.run("t-title", title="a \u202etitle\u202c of\u200b ours")
    play.stage.run("t-notify", message="one\x1b[36m\ntwo \u2066three\u2069", type="warning")
    for remote in play.everybody:
        status = remote.wait(wire.ExtensionUINotification, lambda told: told.method == "setStatus")
        title = remote.wait(wire.ExtensionUINotification, lambda told: told.method == "setTitle")
        notification = remote.wait(wire.ExtensionUINotification, lambda told: told.method == "notify")
        assert (status.status_key, status.status_text) == ("job", "red dlrow next")
        assert title.title == "a title of ours"
        assert (notification.message, notification.notify_type) == ("one\ntwo three", "warning")
    # Who comes later sees what is still true, and no notification.
    now = play.phone.subscribe(play.stage.session_id)
    assert (now.statuses, now.title) == ((wire.StatusEntry("job", "red dlrow next", "exerciser"),), "a title of ours")
    play.stage.run("t-status", key="job\x1b[1m")
    cleared = play.phone.wait(wire.ExtensionUINotification, lambda told: told.method == "setStatus" and told.status_text is None)
    assert cleared.status_key == "job"
    assert play.phone.subscribe(play.stage.session_id).statuses == ()
