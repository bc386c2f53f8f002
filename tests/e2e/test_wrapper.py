"""Promise: what the real Pi writes arrives at the terminal byte for byte as without us, for the same keys.

So it does through the wrapper alone, and as a person types it: `mirrord pi`, with the extension, a daemon and the follower of the screen.
Two terminals are played side by side, Pi without us in one, with us in the other. After each key both rest; all that came must be equal.
Two runs without us differ in what `MASKS` names, and at `BY_THE_CLOCK`: there the screens must be equal.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import pytest
from anyio.from_thread import start_blocking_portal

from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.screen import Snapshot
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import SPINNER, Terminal
from tests.bridge.pty.outside import WRAP
from tests.e2e.stage import LINKED, QUIET, Daemon, until
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.extension_copy import inert_extension
from tests.harness.pi import EXERCISER, FULLSCREEN, GENERATIONS, OLD, ROOT, PiKind, command, environment, pi_program, quit_pi, ready

MASKS: Final = (
    # The home's name is random; its length is not.
    (re.compile(rb"/tmp/mirrord-\w{8}"), b"/tmp/mirrord-HOME"),
    # At its end 1.6.0 names the conversation, whose name is random.
    (re.compile(rb"pi --session [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), b"pi --session CONVERSATION"),
)
KEYBOARD: Final = re.compile(rb"\x1b\[>4;[02]m|\x1b\[[<>]\d*u")
"""How Pi wants keys told. It says so in the middle of what it draws, and otherwise where no answer of the terminal came within 150 ms."""

BY_THE_CLOCK: Final = "a reply"
"""How often Pi draws during a turn depends on when the model's words come."""

STILL: Final = 0.15
LOOK_EVERY: Final = 0.002
STARTED: Final = 60.0
# A machine that does other things makes Pi draw twice what it draws at once otherwise; three times in a row is no accident.
TRIES: Final = 3

MENU: Final = "a menu of Pi's own is open"

Around = Callable[[Terminal], AbstractContextManager[None]]


@dataclass(frozen=True)
class Launch:
    """What to start, and what is to hold at each mark."""

    argv: list[str]
    at: Callable[[str], None] = lambda mark: None


Launcher = Callable[[PiKind, PiHome, dict[str, str]], AbstractContextManager[Launch]]


@contextmanager
def plain(kind: PiKind, home: PiHome, env: dict[str, str]) -> Iterator[Launch]:
    yield Launch(command(kind, "--extension", str(EXERCISER)))


@contextmanager
def in_the_wrapper(kind: PiKind, home: PiHome, env: dict[str, str]) -> Iterator[Launch]:
    yield Launch([*WRAP, *command(kind, "--extension", str(EXERCISER))])


@contextmanager
def beside_nothing(kind: PiKind, home: PiHome, env: dict[str, str]) -> Iterator[Launch]:
    """With an extension of our name that does nothing: Pi names what it loaded."""
    yield Launch(command(kind, "--extension", str(inert_extension()), "--extension", str(EXERCISER)))


@contextmanager
def as_typed(kind: PiKind, home: PiHome, env: dict[str, str]) -> Iterator[Launch]:
    """`mirrord pi` with a daemon, which hears of the extension and of the screen's follower."""
    with start_blocking_portal("asyncio") as portal:
        daemon = Daemon(portal, home, env)
        daemon.paths.config_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        daemon.paths.config_file.write_text(QUIET)
        daemon.start()

        def in_menu() -> bool:
            status = daemon.status()
            return status is not None and [session.status.menu for session in status.sessions] == ["model"]

        def at(mark: str) -> None:
            if mark == MENU:
                until(in_menu, LINKED, "the daemon knows of no menu")

        program = pi_program(kind, home.root / "bin")
        words = [sys.executable, "-P", "-m", "mirrord", "pi", "--no-pair", "--pi", str(program), "--extension", str(EXERCISER)]
        try:
            yield Launch(words, at)
        finally:
            daemon.end()


_QUESTIONS: Final = re.compile(rb"\x1b\[\?u|\x1b\[c|\x1b\[16t|\x1b\](10|11|4;\d+);\?(?:\x07|\x1b\\)|\x1b\[\?(\d+)\$p")


def reply(question: re.Match[bytes]) -> bytes:
    """As kitty answers it."""
    asked = question[0]
    if question[1]:
        return b"\x1b]%s;rgb:1e1e/1e1e/2e2e\x1b\\" % question[1]
    if question[2]:
        return b"\x1b[?%s;2$y" % question[2]
    return {b"\x1b[?u": b"\x1b[?0u", b"\x1b[c": b"\x1b[?62;52;c", b"\x1b[16t": b"\x1b[6;20;10t"}[asked]


@contextmanager
def answering(terminal: Terminal) -> Iterator[None]:
    """A terminal that answers what Pi asks it."""
    over = threading.Event()

    def answer() -> None:
        position = 0
        while not over.wait(LOOK_EVERY):
            output = terminal.output(position)
            end = 0
            for question in _QUESTIONS.finditer(output):
                terminal.send(reply(question))
                end = question.end()
            position += end

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def silent(terminal: Terminal) -> Iterator[None]:
    """A terminal that answers nothing."""
    yield


@dataclass
class Played:
    """What came at each mark, and the screen there."""

    code: int = -1
    pieces: dict[str, bytes] = field(default_factory=dict)
    screens: dict[str, Snapshot] = field(default_factory=dict)


def masked(data: bytes) -> bytes:
    for pattern, instead in MASKS:
        data = pattern.sub(instead, data)
    return data


def look(pi: Terminal) -> Snapshot:
    snapshot = pi.snapshot()
    lines = tuple(tuple(replace(run, text=SPINNER.sub("*", masked(run.text.encode()).decode())) for run in line) for line in snapshot.lines)
    return replace(snapshot, lines=lines, title=masked(snapshot.title.encode()).decode())


def play(kind: PiKind, launcher: Launcher, kind_of_terminal: Around, still: float = STILL) -> Played:
    """One conversation, from the start to the end of Pi; what it writes after each step is whole once it wrote nothing for `still` s."""
    played = Played()
    with ScriptedModel() as model, temporary_pi_home(model.base_url) as home:
        env = {**environment(home, ExerciserLog(home.root / "exerciser.jsonl").environment()), "PYTHONPATH": str(ROOT)}
        with launcher(kind, home, env) as launch, Terminal(launch.argv, env=env, cwd=home.work, rows=60) as pi, kind_of_terminal(pi):
            position = 0

            def mark(name: str) -> None:
                nonlocal position
                if pi.alive:
                    pi.settle(still, STARTED)
                output = pi.output()
                played.pieces[name] = masked(output[position:])
                played.screens[name] = look(pi)
                position = len(output)
                launch.at(name)

            pi.wait_for(re.compile(r"\[Extension"), STARTED)
            ready(pi)
            mark("start")
            for number, key in enumerate("hello there"):
                pi.send(key)
                mark(f"key {number}")
            pi.keys("enter")
            pi.wait_for("Echo: hello there")
            mark(BY_THE_CLOCK)
            pi.send("\x1b[200~pasted\nlines\x1b[201~")
            mark("a paste")
            pi.keys("ctrl+c")
            mark("it is cleared")
            pi.line(slash("t-select", id="a", title="Which?", options=["one", "two"]))
            pi.wait_for("Which?")
            mark("a select is open")
            pi.keys("down")
            mark("one option on")
            pi.keys("enter")
            pi.wait_gone("Which?")
            mark("it was answered")
            pi.line("/model")
            pi.wait_for("Only showing models")
            mark(MENU)
            pi.keys("escape")
            pi.wait_gone("Only showing models")
            mark("it is closed")
            pi.resize(80, 50)
            mark("another size")
            played.code = quit_pi(pi)
            mark("the end")
    return played


def told(played: Played, masks: Sequence[re.Pattern[bytes]]) -> tuple[bytes, Snapshot, bytes]:
    """What came before the clock had a say, the screen then, and what came after. Pi may draw for one key when the next was pressed."""
    before, after = b"", b""
    for name, piece in played.pieces.items():
        if name == BY_THE_CLOCK:
            before, after = after, b""
        else:
            after += piece
    for mask in masks:
        before, after = mask.sub(b"", before), mask.sub(b"", after)
    return before, played.screens[BY_THE_CLOCK], after


def play_both(kind: PiKind, launchers: tuple[Launcher, Launcher], terminal: Around, masks: Sequence[re.Pattern[bytes]] = ()) -> Played:
    """The same conversation without us and with us gives the same; what came with us."""
    for number in range(TRIES):
        # A machine that is busy pauses in the middle of what Pi writes: each try is more patient.
        playing = partial(play, kind, kind_of_terminal=terminal, still=STILL * 3**number)
        with ThreadPoolExecutor(2) as threads:
            without, with_us = threads.map(playing, launchers)
        assert (without.code, with_us.code) == (0, 0)
        assert list(with_us.pieces) == list(without.pieces)
        if told(without, masks) == told(with_us, masks):
            return with_us
    different = [mark for mark, piece in without.pieces.items() if mark != BY_THE_CLOCK and with_us.pieces[mark] != piece]
    raise AssertionError({mark: (without.pieces[mark], with_us.pieces[mark]) for mark in different} or "the screens differ after a reply")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("terminal", [answering, silent], ids=lambda terminal: terminal.__name__)
def test_the_same_keys_give_the_same_bytes(kind: PiKind, terminal: Around) -> None:
    with_us = play_both(kind, (plain, in_the_wrapper), terminal)
    assert (b"\x1b[?1049h" in with_us.pieces["start"]) == (kind is FULLSCREEN)
    assert (b"\x1b[<u" in with_us.pieces["the end"]) == (terminal is answering or kind is not OLD)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_what_a_person_types_gives_the_same_bytes(kind: PiKind) -> None:
    play_both(kind, (beside_nothing, as_typed), answering, masks=(KEYBOARD,))
