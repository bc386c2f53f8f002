"""Promise: the terminal owns. Pi's screens, its dialogs' values and its exit code are the same without us and with us.

One scripted session at the keyboard is played in several terminals at once: without mirrord, and with our extension while
the daemon is absent, present with a remote, stopped, killed or started in the middle. At every mark the screens must be
the same to the last colour. docs/what-the-terminal-shows.md lists what differs all the same, and why.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from mirrord.client import Paired
from mirrord.client import Remote as Address
from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.e2e.remote import Remote, connected
from tests.e2e.sight import difference, look, masked
from tests.e2e.stage import LINKED, Daemon, until
from tests.harness.exerciser import ExerciserLog
from tests.harness.extension_copy import extension_copy, inert_extension
from tests.harness.keyboard_session import MIDDLE, KeyboardSession, results
from tests.harness.pi import EXERCISER, FULLSCREEN, GENERATIONS, PiKind, environment, running_pi

# How long all screens have to be the same, and at rest, before the next key is typed.
STILL: Final = 0.1
# A hundred times what the slowest step takes on an idle machine.
COMES: Final = 20.0
STARTED: Final = 120.0
AT_ONCE: Final = 2
# Where the selection is in Pi's menu of commands, and how many entries it has.
COUNTED: Final = re.compile(r"^ *\(1/(\d+)\)$", re.MULTILINE)
# So many screens at the least are compared.
MARKS: Final = 40


class Beside:
    """What runs beside one terminal: nothing, until it is told to."""

    def __init__(self, home: PiHome, portal: BlockingPortal, stack: ExitStack) -> None:
        self.daemon = Daemon(portal, home, environment(home))
        self.remote: Remote | None = None
        self.pi: Terminal | None = None
        self._portal = portal
        self._stack = stack

    def start(self) -> None:
        """A daemon runs."""
        self._stack.callback(self.daemon.end)
        self.daemon.start()

    def follow(self) -> None:
        """A remote follows the session, which must be there."""
        until(lambda: self._session() is not None, LINKED, "the daemon knows no session of this Pi")
        paired = self.daemon.ask("pair", Paired, name="phone", role="controller")
        self.remote = self._stack.enter_context(connected(self._portal, Address(paired.url, paired.token), "phone"))
        self.remote.subscribe(str(self._session()))

    def start_and_follow(self) -> None:
        self.start()
        self.follow()

    def stop(self) -> None:
        """The daemon is there and does nothing any more."""
        self.daemon.signal(signal.SIGSTOP)

    def start_and_stop(self) -> None:
        self.start()
        self.stop()

    def kill(self) -> None:
        self.daemon.end(signal.SIGKILL)

    def answer_wrongly(self) -> None:
        """An answer that is none for a confirm."""
        assert self.remote is not None
        prompt = self.remote.prompt("Really?")
        assert self.remote.answer(prompt.id, index=0).reason == "invalid"

    def answer_late(self) -> None:
        """Cancel every prompt of the session so far; the terminal has settled all of them."""
        assert self.remote is not None
        settled = self.remote.all(wire.ExtensionUISettled)
        assert len(settled) > 10
        assert {settlement.winner for settlement in settled} == {"terminal", "none"}
        for settlement in settled:
            assert self.remote.answer(settlement.id, cancelled=True).reason == "settled"

    def _sessions(self) -> tuple[wire.Session, ...]:
        status = self.daemon.status()
        return () if status is None else status.sessions

    def _session(self) -> str | None:
        ours = [session for session in self._sessions() if self.pi and session.pid == self.pi.pid]
        return ours[0].session_id if ours else None


BEFORE: Final = "before the start"
START: Final = "start"
LATE: Final = "a last reply"

WITHOUT: Final = "without mirrord"

SURROUNDINGS: Final[Mapping[str, Mapping[str, Callable[[Beside], None]]]] = {
    WITHOUT: {},
    "no daemon": {},
    "a daemon and a remote": {BEFORE: Beside.start, START: Beside.follow, MIDDLE: Beside.answer_wrongly, LATE: Beside.answer_late},
    "a daemon that is stopped in the middle": {BEFORE: Beside.start, START: Beside.follow, MIDDLE: Beside.stop},
    "a daemon that is stopped from the start": {BEFORE: Beside.start_and_stop},
    "a daemon that is killed in the middle": {BEFORE: Beside.start, START: Beside.follow, MIDDLE: Beside.kill},
    "a daemon that starts in the middle": {MIDDLE: Beside.start_and_follow, LATE: Beside.answer_late},
}
"""What happens at which mark."""

MARKS_WITH_EVENTS: Final = {mark for events in SURROUNDINGS.values() for mark in events}


class SideBySide:
    """The terminals of one comparison. They go from mark to mark together."""

    def __init__(self, kind: PiKind) -> None:
        self._kind = kind
        # Where Pi draws inline, how far it has scrolled depends on the tallest frame so far, and that on which frames
        # it had the time to draw. In a terminal that holds all of the session nothing scrolls.
        self.rows = 30 if kind is FULLSCREEN else 150
        self._mark = ""
        self._terminals: dict[str, Terminal] = {}
        # More at once would only wait for each other's compilers.
        self._starting = threading.Semaphore(AT_ONCE)
        self._together = threading.Barrier(len(SURROUNDINGS), action=self._compare, timeout=STARTED)
        self.ends: dict[str, tuple[int, object]] = {}
        self.marks: list[str] = []

    def play(self, name: str) -> None:
        """One terminal's session, in a thread of its own."""
        try:
            with (
                ScriptedModel() as model,
                temporary_pi_home(model.base_url) as home,
                start_blocking_portal("asyncio") as portal,
                ExitStack() as stack,
            ):
                self._play(name, home, Beside(home, portal, stack))
        except BaseException as error:
            error.add_note(f"in the terminal with {name}")
            self._together.abort()
            raise

    def _play(self, name: str, home: PiHome, beside: Beside) -> None:
        events = SURROUNDINGS[name]
        log = ExerciserLog(home.root / "exerciser.jsonl")
        ours: Path = inert_extension() if name == WITHOUT else extension_copy("absence")

        def happen(mark: str) -> None:
            if mark in events:
                events[mark](beside)

        def at(mark: str) -> None:
            self._meet(mark)
            if mark in MARKS_WITH_EVENTS:
                happen(mark)
                self._meet(f"{mark}, afterwards")

        with ExitStack() as stack:
            with self._starting:
                happen(BEFORE)
                pi = stack.enter_context(running_pi(self._kind, home, extensions=[ours, EXERCISER], env=log.environment(), rows=self.rows))
            self._terminals[name] = beside.pi = pi
            code = KeyboardSession(pi, log, at, self.rows).play()
        self.ends[name] = (code, results(log))

    def _meet(self, mark: str) -> None:
        self._mark = mark
        self._together.wait()

    def _compare(self) -> None:
        """Returns once all screens are as the one without us."""
        deadline = time.monotonic() + COMES
        while differences := self._differences():
            if time.monotonic() > deadline:
                raise AssertionError(f"{self._kind}, at the mark {self._mark!r}, {len(differences)} terminals differ; {differences[0]}")
        self.marks.append(self._mark)

    def _differences(self) -> list[str]:
        before = {name: masked(pi.screen_text()) for name, pi in self._terminals.items()}
        self._terminals[WITHOUT].settle(STILL, COMES)
        seen = {name: look(pi) for name, pi in self._terminals.items()}
        wanted = seen[WITHOUT]
        different = [name for name, pi in self._terminals.items() if seen[name] != wanted or masked(pi.screen_text()) != before[name]]
        return [f"with {name}\n{difference(wanted, seen[name])}" for name in different]


@pytest.mark.timeout(240)
def test_the_terminal_is_the_same_without_us_and_with_us(kind: PiKind) -> None:
    together = SideBySide(kind)
    with ThreadPoolExecutor(len(SURROUNDINGS)) as threads:
        played = [threads.submit(together.play, name) for name in SURROUNDINGS]
    failed = [error for future in played if (error := future.exception()) and not isinstance(error, threading.BrokenBarrierError)]
    if failed:
        raise failed[0]
    code, values = together.ends[WITHOUT]
    assert code == 0
    assert together.ends == dict.fromkeys(SURROUNDINGS, (code, values))
    assert len(together.marks) > MARKS


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_menu_of_commands_has_one_entry_more(kind: PiKind, home: PiHome) -> None:
    menus = []
    for ours in (inert_extension(), extension_copy("absence")):
        with running_pi(kind, home, extensions=[ours]) as pi:
            pi.send("/")
            pi.wait_for(COUNTED)
            entries = [int(count) for count in COUNTED.findall(pi.screen_text())]
            pi.send("mirr")
            pi.settle()
            menus.append((entries, re.findall(r"^→ .*$", pi.screen_text(), re.MULTILINE)))
            pi.keys("escape")
    (without, nothing), (with_us, found) = menus
    assert with_us == [without[0] + 1]
    assert nothing == []
    assert len(found) == 1
    assert re.match(r"→ mirrord .*mirrord: status, pair a device, off or on", found[0])
