"""Promise: a remote learns that Pi waits in a menu of its own, sees the screen only where the person shares it, and never what is typed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from mirrord.client import Local, Paired
from mirrord.client import Remote as Address
from mirrord.demo.pi_home import PiHome
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.e2e.remote import Remote, connected
from tests.e2e.stage import LINKED, QUIET, Daemon, until
from tests.harness.pi import GENERATIONS, ROOT, PiKind, environment, pi_program, ready

SECRET = "ƶ"
"""A letter that is nowhere else: however a row is cut, it is found."""

APART = 0.7
"""Pi takes two escapes within half a second for a command of its own."""


@dataclass(slots=True)
class Wrapped:
    """The real Pi in a terminal of `mirrord pi`, and a daemon."""

    home: PiHome
    daemon: Daemon
    pi: Terminal
    _portal: BlockingPortal
    _stack: ExitStack
    _env: dict[str, str]
    remotes: list[Remote] = field(default_factory=list)

    def remote(self, role: wire.RoleName) -> Remote:
        """A client of that role that follows the session."""
        if role == "owner":
            address: Local | Address = Local(self.daemon.paths.control_socket)
        else:
            paired = self.daemon.ask("pair", Paired, name=role, role=role)
            address = Address(paired.url, paired.token)
        remote = self._stack.enter_context(connected(self._portal, address, role))
        remote.subscribe(self.session())
        self.remotes.append(remote)
        return remote

    def session(self) -> str:
        """Its id, once Pi's extension is linked."""
        found: list[str] = []

        def linked() -> bool:
            status = self.daemon.status()
            found[:] = [] if status is None else [session.session_id for session in status.sessions]
            return bool(found)

        until(linked, LINKED, "the daemon knows no session")
        return found[0]

    def status_says(self, words: str) -> bool:
        """Whether `/mirrord status` has them."""
        self.pi.line("/mirrord status")
        self.pi.settle()
        return words in self.pi.screen_text()

    def watch(self, remote: Remote) -> wire.CommandResult:
        """The client asks for the screen."""
        before = len(remote.all(wire.CommandResult))
        args = {"sessionId": self.session(), "on": True}
        remote.send(wire.Command(request_id=f"watch-{before}", name="screen_watch", args=args))
        return remote.wait(wire.CommandResult, lambda result: result.request_id == f"watch-{before}")

    @contextmanager
    def recording(self, name: str, *options: str) -> Iterator[Path]:
        """`mirrord record` writes this file during the block."""
        self._recordings.mkdir(exist_ok=True)
        file = self._recordings / name
        part = file.with_name(f"{name}.part")
        words = [sys.executable, "-P", "-m", "mirrord", "record", "-o", str(file), *options]
        with subprocess.Popen(words, env=self._env, cwd=self.home.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                until(lambda: part.exists() and b'"type":"snapshot"' in part.read_bytes(), LINKED, f"{name} was not begun")
                yield file
            finally:
                process.send_signal(signal.SIGINT)
            told = process.communicate()[0]
        assert process.returncode == 0, told

    def escape(self, times: int = 1) -> None:
        for _ in range(times):
            self.pi.keys("escape")
            self.pi.settle(APART)

    @property
    def _recordings(self) -> Path:
        return self.home.root / "recordings"

    def heard(self, word: str) -> list[str]:
        """Whoever heard or wrote the word."""
        heard = [remote.name for remote in self.remotes if any(word in text or _escaped(word) in text for text in remote.texts)]
        folders = (self.daemon.paths.state_dir, self.daemon.paths.data_dir, self.daemon.paths.runtime_dir, self._recordings)
        files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        output = self.home.root / "daemon.out"
        return heard + [str(file) for file in [*files, output] if word.encode() in file.read_bytes()]


def _escaped(word: str) -> str:
    return word.encode("unicode_escape").decode()


@contextmanager
def wrapped(kind: PiKind, home: PiHome, *options: str) -> Iterator[Wrapped]:
    """`mirrord pi OPTIONS`, ready for keys."""
    env = environment(home)
    with start_blocking_portal("asyncio") as portal, ExitStack() as stack:
        daemon = Daemon(portal, home, env)
        stack.callback(daemon.end)
        daemon.paths.config_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        daemon.paths.config_file.write_text(QUIET)
        daemon.start()
        words: list[str | Path] = [
            sys.executable,
            "-P",
            "-m",
            "mirrord",
            "pi",
            "--no-pair",
            "--pi",
            pi_program(kind, home.root / "bin"),
            *options,
        ]
        pi = stack.enter_context(Terminal(words, env=env, cwd=home.work))
        ready(pi)
        yield Wrapped(home, daemon, pi, portal, stack, {**env, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_menu_of_pis_own_is_told_and_its_end(kind: PiKind, home: PiHome) -> None:
    with wrapped(kind, home) as here:
        remote = here.remote("controller")
        for command, shown, menu in (("/model", "Only showing models", "model"), ("/settings", "Auto-compact", "settings")):
            remote.forget()
            here.pi.line(command)
            here.pi.wait_for(shown)
            told = remote.wait(wire.SessionChanged, _in_menu(menu))
            assert (told.session.status.state, told.session.status.source) == ("waiting", "screen")
            here.escape()
            remote.wait(wire.SessionChanged, lambda told: told.session.status.menu is None and told.session.status.state == "idle")


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_what_is_typed_reaches_nobody_with_the_view_off_and_on(kind: PiKind, home: PiHome) -> None:
    with wrapped(kind, home) as here, ExitStack() as stack:
        owner, controller, observer = here.remote("owner"), here.remote("controller"), here.remote("observer")
        silent = stack.enter_context(here.recording("silent"))
        talking = stack.enter_context(here.recording("talking", "--with-conversation"))
        refused = here.watch(controller)
        assert refused.error is not None
        assert refused.error.code == "not_shared"
        _type_secrets(here)
        assert owner.all(wire.Screen) == controller.all(wire.Screen) == []
        assert here.heard(SECRET) == []

        here.pi.line("/mirrord screen on")
        here.pi.wait_for("The screen is shared")
        owner.wait(wire.SessionChanged, lambda told: told.session.screen_shared)
        forbidden = here.watch(observer)
        assert forbidden.error is not None
        assert forbidden.error.code == "forbidden"
        for remote in (owner, controller):
            assert here.watch(remote).ok
            remote.wait(wire.Screen, lambda seen: seen.hidden is None and _shows(seen, "The screen is shared"))
        # Pi may read the keys before it reads what the daemon says.
        until(lambda: here.status_says("2 devices watch it"), LINKED, "Pi does not know that two devices watch it")
        for remote in (owner, controller):
            remote.forget()
        _type_secrets(here)
        for remote in (owner, controller):
            remote.wait(wire.Screen, lambda seen: _shows(seen, "Only showing models"))
            remote.wait(wire.Screen, lambda seen: seen.hidden == "login")
        here.pi.line("/mirrord screen off")
        for remote in (owner, controller):
            assert remote.wait(wire.Screen, lambda seen: seen.hidden == "off").lines == ()
        assert here.heard(SECRET) == []
        assert observer.all(wire.Screen) == []

        # What was sent is part of the conversation: by that it shows that the letter would have been found.
        here.pi.line("/mirrord screen on")
        until(lambda: here.watch(owner).ok, LINKED, "the screen is not shared")
        here.pi.line(f"hello {SECRET}")
        owner.wait(wire.Screen, lambda seen: _shows(seen, f"Echo: hello {SECRET}"))
        stack.close()
        assert {"owner", str(talking)} <= set(here.heard(SECRET))
        assert str(silent) not in here.heard(SECRET)


def test_a_terminal_can_be_shared_from_its_start(home: PiHome) -> None:
    with wrapped(GENERATIONS[0], home, "--share-screen") as here:
        controller = here.remote("controller")
        assert here.watch(controller).ok
        here.pi.line("hello")
        here.pi.wait_for("Echo: hello")
        controller.wait(wire.Screen, lambda seen: _shows(seen, "Echo: hello"))
        here.pi.line("/mirrord status")
        here.pi.wait_for("The screen is shared")


def test_a_session_that_becomes_private_is_seen_by_nobody_any_more(home: PiHome) -> None:
    with wrapped(GENERATIONS[0], home, "--share-screen") as here:
        controller = here.remote("controller")
        assert here.watch(controller).ok
        controller.wait(wire.Screen, lambda seen: seen.hidden is None)
        here.pi.line("/mirrord off")
        controller.wait(wire.Screen, lambda seen: seen.hidden == "lost")
        controller.wait(wire.SessionChanged, lambda told: told.change == "removed")
        told = len(controller.texts)
        here.pi.line(f"hello {SECRET}")
        here.pi.wait_for(f"Echo: hello {SECRET}")
        here.pi.line("/model")
        here.pi.wait_for("Only showing models")
        here.pi.settle(APART)
        assert controller.texts[told:] == []
        assert here.heard(SECRET) == []


def _in_menu(name: str) -> Callable[[wire.SessionChanged], bool]:
    return lambda told: told.session.status.menu == name


def _type_secrets(here: Wrapped) -> None:
    """In the editor, in a menu's field, and where /login asks for a key."""
    here.pi.send(SECRET * 5)
    here.pi.wait_for(SECRET)
    here.pi.settle(APART)
    here.pi.keys("ctrl+c")
    here.pi.settle()
    here.pi.line("/model")
    here.pi.wait_for("Only showing models")
    here.pi.send(SECRET * 3)
    here.pi.wait_for(SECRET)
    here.pi.settle(APART)
    here.escape()
    here.pi.line("/login")
    here.pi.wait_for("Select authentication method")
    here.pi.settle()
    here.pi.keys("down", "enter")
    here.pi.wait_for("Select provider")
    here.pi.settle()
    here.pi.send("groq")
    here.pi.settle()
    here.pi.keys("enter")
    here.pi.wait_for("to submit")
    here.pi.send(SECRET * 20)
    here.pi.wait_for(SECRET)
    here.pi.settle(APART)
    here.escape(3)
    here.pi.wait_gone(SECRET)


def _shows(seen: wire.Screen, words: str) -> bool:
    return any(words in "".join(span.text for span in line) for line in seen.lines)
