"""Promise: `mirrord attach --screen` shows a shared screen as clean text that fits, and says why there is none."""

from __future__ import annotations

import os

import anyio
import pytest

from bridge.screen import messages as screen
from mirrord.attach.mirror import fitted, frame, mirror, text_of
from mirrord.attach.view import state_words
from mirrord.client import CommandRefused, Local, connect
from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import TextSpan
from sanitize.spans import Line, Span
from tests.cli.prompts import session
from tests.following import follower
from tests.following import hello as follows

SIZE = os.terminal_size((12, 4))


def drawn(*lines: str) -> wire.Screen:
    return wire.Screen(session_id="1-1", columns=80, rows=24, lines=tuple((TextSpan(line),) for line in lines))


def test_a_screen_fills_the_terminal_and_no_row_goes_on_into_the_next() -> None:
    rows = frame("title", text_of(drawn("one", "日本語日本語日本語", "three", "four")), SIZE).split("\r\n")
    assert rows == ["\x1b[Hone\x1b[K", "日本語日本\x1b[K", "three\x1b[K", "title\x1b[K\x1b[J"]
    assert frame("title", [], SIZE).count("\r\n") == 3


@pytest.mark.parametrize(("line", "columns", "kept"), [("abc", 4, "abc"), ("abc", 3, "ab"), ("日本", 4, "日"), ("a" * 9, 0, "")])
def test_a_line_is_cut_at_whole_characters(line: str, columns: int, kept: str) -> None:
    assert fitted(line, columns) == kept


def test_no_line_can_move_a_cursor_or_become_two() -> None:
    (line,) = text_of(drawn("a\x1b[2J\nb\u202e\tc"))
    assert line.isprintable()
    assert "b" in line


@pytest.mark.parametrize("hidden", ["login", "incomplete", "unknown", "large", "off", "lost"])
def test_why_there_is_nothing_to_see_is_one_sentence(hidden: wire.ScreenHidden) -> None:
    (line,) = text_of(wire.Screen(session_id="1-1", columns=1, rows=1, hidden=hidden))
    assert line.endswith(".")


def test_a_menu_is_named_in_words() -> None:
    status = wire.Status("waiting", "screen", 0, "resume\x1b[2J")
    words = state_words(wire.Session("1-1", "c", "/", status, 0), now=1)
    assert words == "waiting at its terminal, in a menu of Pi's own (resume)"
    assert state_words(session("1-1", state="waiting"), now=1) == "waiting for an answer"


async def test_it_shows_each_screen_until_it_is_shared_no_longer(
    own_settings: Settings, own_place: Place, pi_pid: int, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        connect(Local(paths.control_socket), name="mirrord attach", kind="cli") as client,
    ):
        (seen,) = daemon.core.sessions()
        with pytest.raises(CommandRefused, match="not started with `mirrord pi`"):
            await mirror(client, seen)
        async with anyio.create_task_group() as tasks, follower(paths.screen_socket, follows(pi_pid, shared=True)) as following:
            statuses: list[int] = []

            async def show() -> None:
                statuses.append(await mirror(client, seen))

            tasks.start_soon(show)
            await following.until(screen.ScreenWanted)
            await following.say(screen.Screen(80, 24, (Line((Span("> ", "primary"), Span("hi", "accent"))),)))
            await following.say(screen.Screen(80, 24, hidden="login"))
            await following.stream.aclose()
        assert statuses == [0]
    shown = capsys.readouterr().out.splitlines()
    assert shown[1::2] == ["> hi", "Hidden: secrets are typed there now."]
    assert shown[0].startswith("--- ")
    assert shown[-1] == "Nothing follows this screen any more."
