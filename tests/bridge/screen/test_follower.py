"""Promise: a menu is told within a second and never flickers; the screen only while it is asked for, the newest, ten times a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.limits import DEAD_SECONDS, HELLO_SECONDS
from bridge.messages import DaemonInfo, ProtocolRange
from bridge.screen.follower import Follower
from bridge.screen.limits import REFUSED_SECONDS, RETRY_SECONDS, SCREEN_SECONDS, SETTLE_SECONDS, UNSENT_BYTES
from bridge.screen.link import Closed
from bridge.screen.messages import FromFollower, Screen, ScreenHello, ScreenProgram, ScreenState
from bridge.screen.peer import Peer
from bridge.screen.records import Gap, Output, Resized
from tests.bridge.screen.recorded import SCREENS, sidecar
from tests.bridge.screen.scenes import SECRET
from tests.bridge.screen.test_watch import COLUMNS, IDLE, LOGIN, ROWS, RULE, frame

DAEMON = DaemonInfo("0.1.0", "run", 7)
WALL = 1_750_000_000_000
SAVED = frame(RULE, "", " Project trust", "", " \u2192 yes", " ↑↓ navigate  x save  y cancel", "", RULE, cursor=(9, 0))


class World:
    """A follower, a daemon's end of its link, and their clock."""

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS, linked: bool = True) -> None:
        self.now = 100.0
        hello = ScreenHello(ProtocolRange(1, 1), "0.1.0", 4242, False, columns, rows)
        self.follower = Follower(hello, self.now, self.wall)
        self.peer = Peer(DAEMON, self.now)
        self.said: list[tuple[float, FromFollower]] = []
        if linked:
            self.link()

    @property
    def wall(self) -> int:
        return WALL + round((self.now - 100) * 1000)

    def link(self) -> None:
        assert self.follower.wants_link(self.now)
        self.peer = Peer(DAEMON, self.now)
        self.follower.connected(self.now)
        self.carry()

    def carry(self, unsent: int = 0) -> None:
        """What both say arrives, until neither has more to say."""
        while True:
            self.follower.tick(self.now, self.wall, unsent)
            data = self.follower.take_outgoing()
            for event in self.peer.receive(data, self.now):
                assert not isinstance(event, Closed), event
                self.said.append((self.now, event.message))
            back = self.peer.take_outgoing()
            if not data and not back:
                return
            self.follower.receive(back, self.now) if back else None

    def run(self, seconds: float, unsent: int = 0) -> None:
        """The time goes on; the machine is woken when it asks to be, never twice at one moment. It finds no daemon."""
        until = self.now + seconds
        while True:
            if self.follower.wants_link(self.now):
                self.follower.lost(self.now)
            self.carry(unsent)
            due = self.follower.deadline(self.now)
            if due is None or due > until:
                break
            assert due > self.now, "it would spin"
            self.now = due
        self.now = until

    def draw(self, data: bytes) -> None:
        self.follower.record(Output(data), self.now)
        self.carry()

    def states(self) -> list[tuple[str, str | None]]:
        return [(message.state, message.menu) for _, message in self.said if isinstance(message, ScreenState)]

    def screens(self) -> list[Screen]:
        return [message for _, message in self.said if isinstance(message, Screen)]


def test_a_link_begins_with_what_is_true() -> None:
    world = World(linked=False)
    world.draw(SAVED + b"\x1b]7501;state=idle\x07")
    world.run(1)
    world.follower.record(Resized(50, 12), world.now)
    world.now += RETRY_SECONDS[-1]
    world.link()
    hello, state, program = (message for _, message in world.said)
    assert hello == ScreenHello(ProtocolRange(1, 1), "0.1.0", 4242, False, 50, 12)
    assert state == ScreenState("menu", WALL, "trust")
    assert program == ScreenProgram("idle")


@pytest.mark.parametrize("file", [file for file in SCREENS if not file.stem.startswith("small")], ids=lambda file: file.stem)
def test_every_recorded_menu_is_told_within_a_second(file: Path) -> None:
    said, data = sidecar(file), file.read_bytes()
    world, at = World(said.cols, said.rows), 0
    for mark in said.marks:
        start = world.now
        world.draw(data[at : mark.offset])
        at = mark.offset
        world.run(1)
        expected = mark.label.partition(":")[0]
        told = world.states()[-1]
        assert told == (("none", None) if expected == "none" else ("menu", expected)), mark.label
        assert all(moment <= start + 1 for moment, _ in world.said)
        world.run(1)
        assert world.states()[-1] == told, mark.label


@pytest.mark.parametrize("file", SCREENS, ids=lambda file: file.stem)
def test_what_is_typed_is_in_no_message(file: Path) -> None:
    said, data = sidecar(file), file.read_bytes()
    world = World(said.cols, said.rows)
    world.peer.want(True)
    for at in range(0, len(data), 700):
        world.draw(data[at : at + 700])
        world.run(0.12)
    assert any(screen.lines for screen in world.screens())
    assert SECRET not in repr(world.said)


def test_a_menu_that_stands_only_for_a_moment_is_not_told() -> None:
    world = World()
    world.draw(SAVED)
    world.run(SETTLE_SECONDS / 2)
    world.draw(IDLE)
    world.run(3)
    assert world.states() == [("none", None)]


def test_between_two_menus_no_editor_is_told() -> None:
    world = World()
    world.draw(SAVED)
    world.run(1)
    world.draw(IDLE)
    world.run(0.1)
    world.draw(LOGIN)
    world.run(1)
    assert world.states() == [("none", None), ("menu", "trust"), ("menu", "login")]


def test_since_is_when_the_menu_came() -> None:
    world = World()
    world.run(5)
    world.draw(SAVED)
    world.run(1)
    assert world.said[-1][1] == ScreenState("menu", WALL + 5000, "trust")


def test_the_screen_is_sent_only_while_it_is_asked_for() -> None:
    world = World()
    world.draw(IDLE)
    world.run(1)
    assert world.screens() == []
    world.peer.want(True)
    world.run(1)
    (screen,) = world.screens()
    assert [line.text for line in screen.lines] == [" hello", "", RULE, "", RULE, "~/work"]
    world.peer.want(False)
    world.carry()
    world.draw(SAVED)
    world.run(1)
    assert len(world.screens()) == 1


def test_what_is_typed_is_no_new_screen() -> None:
    world = World()
    world.peer.want(True)
    for typed in ("s", "se", "sec", "secr"):
        world.draw(frame(" hello", "", RULE, typed, RULE, "~/work", cursor=(3, len(typed))))
        world.run(1)
    assert len(world.screens()) == 1


def test_a_busy_screen_is_sent_ten_times_a_second_and_the_last_one_always() -> None:
    world = World()
    world.peer.want(True)
    for number in range(200):
        world.draw(frame(f" {number}", "", RULE, "", RULE, "~/work", cursor=(3, 0)))
        world.run(0.01)
    world.run(1)
    assert len(world.screens()) <= 2 / SCREEN_SECONDS + 2
    assert world.screens()[-1].lines[0].text == " 199"


def test_a_daemon_that_does_not_read_gets_the_newest_when_it_does() -> None:
    world = World()
    world.peer.want(True)
    world.run(0.1)
    for number in range(20):
        world.follower.record(Output(frame(f" {number}", "", RULE, "", RULE, "~/work", cursor=(3, 0))), world.now)
        world.run(0.1, unsent=UNSENT_BYTES + 1)
    assert world.screens() == []
    world.run(0.1)
    assert [screen.lines[0].text for screen in world.screens()] == [" 19"]


def test_a_login_hides_the_screen_at_once_and_a_passing_doubt_does_not() -> None:
    world = World()
    world.peer.want(True)
    world.draw(IDLE)
    world.run(1)
    world.draw(b"\x1b[?2026h\x1b[1;1H\x1b[?2026l")
    world.run(SETTLE_SECONDS / 2)
    world.draw(IDLE)
    world.run(1)
    assert len(world.screens()) == 1
    world.draw(LOGIN)
    world.run(0.01)
    assert world.screens()[-1] == Screen(COLUMNS, ROWS, hidden="login")


def test_a_screen_that_stays_in_doubt_is_hidden() -> None:
    world = World()
    world.peer.want(True)
    world.draw(IDLE)
    world.run(1)
    world.follower.record(Gap(), world.now)
    world.run(1)
    assert world.screens()[-1] == Screen(COLUMNS, ROWS, hidden="incomplete")


def test_a_screen_that_fits_in_no_frame_is_hidden() -> None:
    world = World(300, 200)
    world.peer.want(True)
    full = "".join(f"\x1b[{31 + at % 6}m{'日' if at % 2 else 'ab'}" for at in range(150))
    rows = [full] * 190
    world.draw(frame(*rows, "─" * 300, "", "─" * 300, "~/work", cursor=(191, 0)))
    world.run(1)
    assert world.screens() == [Screen(300, 200, hidden="large")]


def test_the_daemon_is_looked_for_with_growing_pauses() -> None:
    world = World(linked=False)
    pauses = []
    for _ in range(6):
        assert world.follower.wants_link(world.now)
        world.follower.lost(world.now)
        assert not world.follower.wants_link(world.now)
        due = world.follower.deadline(world.now)
        assert due is not None
        pauses.append(due - world.now)
        world.now = due
    assert pauses == pytest.approx([*RETRY_SECONDS, RETRY_SECONDS[-1], RETRY_SECONDS[-1]])


def test_a_link_that_ends_is_made_again_and_told_everything() -> None:
    world = World()
    world.draw(SAVED)
    world.run(1)
    world.peer.want(True)
    world.run(1)
    world.follower.receive(b"", world.now)
    assert not world.follower.linked
    world.said.clear()
    world.run(RETRY_SECONDS[0] - 0.01)
    assert not world.follower.wants_link(world.now)
    world.now += 0.01
    world.link()
    world.run(1)
    assert world.states() == [("menu", "trust")]
    assert world.screens() == []


def test_a_daemon_that_refuses_is_left_in_peace_for_a_while() -> None:
    world = World(linked=False)
    world.follower.connected(world.now)
    world.follower.receive(b'{"type":"screen_refused","code":"peer","message":"no"}\n', world.now)
    assert not world.follower.linked
    world.now += REFUSED_SECONDS - 1
    assert not world.follower.wants_link(world.now)
    world.now += 1
    assert world.follower.wants_link(world.now)


def test_a_daemon_that_says_nothing_is_given_up() -> None:
    world = World(linked=False)
    world.follower.connected(world.now)
    world.now += HELLO_SECONDS
    world.follower.tick(world.now, world.wall)
    assert not world.follower.linked
    world = World()
    world.now += DEAD_SECONDS
    world.follower.tick(world.now, world.wall)
    assert not world.follower.linked


def test_nonsense_of_the_daemon_ends_the_link_and_nothing_else() -> None:
    world = World()
    world.follower.receive(b"nonsense\n", world.now)
    assert not world.follower.linked
    world.follower.receive(b"more\n", world.now)
    world.draw(SAVED)
    world.now += RETRY_SECONDS[0]
    world.link()
    world.run(1)
    assert world.states()[-1] == ("menu", "trust")
