"""Promise: `mirrord tui` shows what a session asks at 80 by 24; a line answers the prompt that was seen when it was begun, or none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from textual.widgets import DataTable, Input, OptionList, Static

from mirrord.tui.protocol_log import HIDDEN
from mirrord.wire import messages as wire
from tests.cli.attached import ENDED, accepted, settled, snapshot
from tests.cli.prompts import confirm, line_input, select, session
from tests.tui.showing import Daemon, shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


async def test_what_is_asked_is_seen_with_what_can_be_typed(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(select()))
        await here.until(lambda: here.painted == "s")
        assert "? Which fruit?" in here.card
        assert "2  banana" in here.card
        assert "Type a number" in here.card
        assert "Attached to notes" in here.stream
        card, line = here.app.query_one("#card").region, here.app.query_one("#line").region
        assert card.bottom <= line.y < 24
        assert here.app.query_one("#stream").size.height >= 6


async def test_an_answer_goes_out_once_and_is_done_when_the_terminal_says_so(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(select()))
        await here.until(lambda: here.painted == "s")
        await here.type("2")
        await here.pilot.press("enter")
        await here.until(lambda: here.daemon.said("extension_ui_response"))
        (response,) = here.daemon.said("extension_ui_response")
        assert (response["id"], response["index"]) == ("s", 1)
        await here.until(lambda: "has not ruled yet" in here.card)
        await here.type("1")
        await here.pilot.press("enter")
        await here.until(lambda: "The line was not sent" in here.stream)
        await here.daemon.say(settled("s", "banana"), accepted(response))
        await here.until(lambda: not here.card)
        assert "= Which fruit?: banana" in here.stream
        assert len(here.daemon.said("extension_ui_response")) == 1


async def test_a_line_for_a_prompt_that_ended_meanwhile_answers_no_other(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(select()))
        await here.until(lambda: here.painted == "s")
        await here.type("y")
        await here.daemon.say(settled("s", "cherry"), confirm())
        await here.until(lambda: here.painted == "c")
        await here.pilot.press("enter")
        await here.until(lambda: "settled meanwhile" in here.stream)
        assert here.daemon.said("extension_ui_response") == []
        await here.type("y")
        await here.pilot.press("enter")
        await here.until(lambda: here.daemon.said("extension_ui_response"))
        assert here.daemon.said("extension_ui_response")[0]["confirmed"] is True


async def test_a_line_that_was_begun_before_a_prompt_came_does_not_answer_it(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot())
        await here.until(lambda: "Attached" in here.stream)
        await here.type("y")
        await here.daemon.say(confirm())
        await here.until(lambda: here.painted == "c")
        await here.pilot.press("enter")
        await here.until(lambda: "Nothing was asked when you began to type" in here.stream)
        assert here.daemon.said("extension_ui_response") == []


async def test_a_secret_is_not_seen_while_it_is_typed_nor_in_the_protocol(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(line_input(masked=True)))
        await here.until(lambda: here.painted == "i")
        await here.type("hunter")
        assert here.app.query_one("#line", Input).password
        await here.pilot.press("enter", "f4")
        await here.until(lambda: here.daemon.said("extension_ui_response"))
        assert here.daemon.said("extension_ui_response")[0]["value"] == "hunter"
        table = here.app.query_one("#frames", DataTable)
        await here.until(lambda: "extension_ui_response" in str([table.get_row_at(row) for row in range(table.row_count)]))
        await here.pilot.press("end")
        await here.until(lambda: HIDDEN in here.text("#frame"))
        assert "hunter" not in here.app.export_screenshot()


async def test_the_protocol_is_shown_filtered_held_still_and_copied(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(select()))
        await here.until(lambda: here.painted == "s")
        await here.pilot.press("f4")
        table = here.app.query_one("#frames", DataTable)
        await here.until(lambda: table.has_focus and table.row_count == 4)
        await here.pilot.press("slash", *"which", "enter")
        await here.until(lambda: table.row_count == 1)
        await here.pilot.press("y")
        copied = msgspec.json.decode(here.app.clipboard)
        assert copied["type"] == "snapshot"
        assert copied["prompts"][0]["title"] == "Which fruit?"
        await here.pilot.press("p")
        await here.daemon.say(settled("s", "which"))
        await here.until(lambda: not here.card)
        await here.until(lambda: "1 of 5 frames  held" in here.text("#protocol-state"))
        assert table.row_count == 1
        await here.pilot.press("p")
        await here.until(lambda: table.row_count == 2)


async def test_a_lost_link_is_said_and_made_again(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot())
        await here.until(lambda: "Attached" in here.stream)
        await here.until(lambda: here.text("#status").startswith("●"))
        assert here.daemon.peer is not None
        await here.daemon.peer.socket.close(1001, "the daemon stops")
        await here.until(lambda: "connecting again" in here.stream)
        await here.until(lambda: here.daemon.clients == 2 and here.text("#status").startswith("● mirrord 0.1.0, owner"))
        assert here.daemon.heard[0]["resume"] == {"1-1": "e:1"}


async def test_another_session_is_followed_over_a_connection_of_its_own(folder: Path) -> None:
    daemon = Daemon(sessions=(session(name="notes"), session("2-2", name="roses", cwd="/home/ada/roses")))
    async with shown(folder, daemon) as here:
        first = daemon.said("subscribe")[0]["sessionId"]
        await here.pilot.press("f5")
        await here.until(lambda: daemon.clients == 2 and daemon.said("subscribe"))
        assert {first, daemon.said("subscribe")[0]["sessionId"]} == {"1-1", "2-2"}
        listed = here.app.query_one("#sessions", OptionList)
        assert [str(option.prompt).split("\n")[0][2:] for option in listed.options] == ["notes", "roses"]


async def test_an_ended_session_stays_to_be_read_until_another_comes(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot(), ENDED)
        await here.until(lambda: "The session has ended." in here.stream)
        await here.until(lambda: here.daemon.clients == 2)
        assert "Attached to notes" in here.stream
        assert here.daemon.said("subscribe") == []
        await here.daemon.say(wire.SessionChanged("added", session("2-2", name="roses")))
        await here.until(lambda: here.daemon.said("subscribe"))
        assert here.daemon.said("subscribe")[0]["sessionId"] == "2-2"


async def test_without_a_session_it_waits_for_one(folder: Path) -> None:
    async with shown(folder, Daemon(sessions=())) as here:
        await here.until(lambda: here.daemon.clients)
        await here.daemon.say(wire.SessionChanged("added", session()))
        await here.until(lambda: here.daemon.said("subscribe"))


async def test_an_observer_only_looks_and_is_told_why(folder: Path) -> None:
    async with shown(folder, Daemon(role="observer", notice="This program runs inside a mirrored Pi.")) as here:
        await here.daemon.say(snapshot(select()))
        await here.until(lambda: here.card)
        await here.until(lambda: here.app.query_one("#line", Input).disabled)
        assert "inside a mirrored Pi" in here.stream
        assert "Type a number" not in here.card


async def test_words_of_others_are_never_read_as_markup(folder: Path) -> None:
    async with shown(folder) as here:
        prompt = msgspec.structs.replace(select(options=("[red]apple[/red]", "[@click=quit]pear")), title="[bold]Which[/]")
        status = wire.ExtensionUINotification(session_id="1-1", method="setStatus", status_key="[b]k", status_text="[/b] x")
        await here.daemon.say(snapshot(prompt), status)
        await here.until(lambda: here.painted == "s")
        assert "[red]apple[/red]" in here.card
        assert "? [bold]Which[/]" in here.stream
        await here.pilot.press("f3")
        await here.until(lambda: "[b]k: [/b] x" in here.text("#surfaces-text"))


async def test_help_opens_over_everything_and_closes(folder: Path) -> None:
    async with shown(folder) as here:
        await here.daemon.say(snapshot())
        await here.pilot.press("f1")
        await here.until(lambda: len(here.app.screen_stack) == 2)
        help_ = here.app.screen.query_one(Static)
        assert "/steer" in str(help_.content)
        await here.daemon.say(select())
        await here.until(lambda: here.card)
        await here.pilot.press("escape")
        await here.until(lambda: len(here.app.screen_stack) == 1)


async def test_a_narrow_terminal_gives_the_list_of_sessions_up_and_f6_hides_it_elsewhere(folder: Path) -> None:
    async with shown(folder, size=(50, 20)) as here:
        assert not here.app.query_one("#sessions").display
    async with shown(folder) as here:
        assert here.app.query_one("#sessions").display
        await here.pilot.press("f6")
        assert not here.app.query_one("#sessions").display
