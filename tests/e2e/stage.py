"""One stage for Pi, the daemon and remotes: the real Pi in a terminal with our extension, the real daemon, devices on the network.

Nothing here is a coroutine, so a stage can outlive a test; the remotes' sockets run in a thread of the stage.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from anyio.from_thread import BlockingPortal, start_blocking_portal

from bridge.paths import Paths, locate
from mirrord.client import DaemonNotRunning, DaemonStatus, Local, Paired, connect
from mirrord.client import Remote as Address
from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.e2e.remote import Remote, connected
from tests.harness.exerciser import ExerciserLog, Record, slash
from tests.harness.pi import EXERCISER, ROOT, PiKind, environment, running_pi

EXTENSION = ROOT / "bridge" / "extension" / "index.ts"
# Twenty times what a start takes on an idle machine with two cores.
DAEMON_STARTED = 20.0
DAEMON_STOPPED = 5.0
# The extension looks for a daemon at most 5 s apart.
LINKED = 10.0
LOOK_EVERY = 0.02

OTHER_PROTOCOLS = (
    "import bridge.messages; bridge.messages.PROTOCOL_MIN, bridge.messages.PROTOCOL_MAX = {}, {}; import mirrord.cli; mirrord.cli.main()"
)

QUIET = "terminal_notice = false\n"
"""Most tests compare the screen with what it was before, which a line about the winner would change."""

_Data = TypeVar("_Data")

Start = Literal["-e", "attach"]
"""How our extension gets into Pi: named when Pi starts, or by Pi's settings and /reload while it runs."""


class Daemon:
    """`mirrord serve` in a process of its own, in the home's folders, on a free port."""

    def __init__(self, portal: BlockingPortal, home: PiHome, env: Mapping[str, str]) -> None:
        self._portal = portal
        self._output = home.root / "daemon.out"
        self._process: subprocess.Popen[bytes] | None = None
        self._home = home
        self._env = env
        self.paths: Paths = locate(env, sys.platform, os.getuid(), env["HOME"])

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, protocols: tuple[int, int] | None = None, *, port: int = 0) -> None:
        """Returns once it answers. `protocols` is the lowest and the highest number that it speaks with extensions, if not this build's.

        `port` 0 is any free one.
        """
        assert not self.runs
        mirrord = ["-m", "mirrord"] if protocols is None else ["-c", OTHER_PROTOCOLS.format(*protocols)]
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *mirrord, "serve", "--port", str(port)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # The daemon of this checkout, whichever is installed.
                env={**self._env, "PYTHONPATH": str(ROOT)},
                cwd=self._home.work,
                start_new_session=True,
            )
        until(lambda: self.status() is not None or not self.runs, DAEMON_STARTED, "the daemon does not answer")
        assert self.runs, self._output.read_text()

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Sends the signal and returns once the daemon has ended."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
            # A stopped process takes no signal but SIGKILL until it goes on.
            self._process.send_signal(signal.SIGCONT)
        try:
            self._process.wait(DAEMON_STOPPED)
        finally:
            if self.runs:
                self._process.kill()
                self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def ask(self, command: str, data: type[_Data], **args: object) -> _Data:
        """The owner's command over the control socket; DaemonNotRunning when nothing listens."""

        async def ask() -> _Data:
            async with connect(Local(self.paths.control_socket), name="test", kind="test") as connection:
                return await connection.request(command, data, args)

        return self._portal.call(ask)

    def status(self) -> DaemonStatus | None:
        """What `mirrord status` shows; None when no daemon answers."""
        try:
            return self.ask("status", DaemonStatus)
        except DaemonNotRunning:
            return None

    def refusals(self) -> list[str]:
        """The sentences that extensions were sent away with."""
        status = self.status()
        return [] if status is None else [link.refused for link in status.links if link.refused is not None]


@dataclass(slots=True)
class Stage:
    """What stands on a stage. `session_id` is that of the terminal, once the daemon has been told of it."""

    kind: PiKind
    start: Start
    home: PiHome
    model: ScriptedModel
    log: ExerciserLog
    daemon: Daemon
    pi: Terminal
    session_id: str = ""
    _portal: BlockingPortal = field(repr=False, kw_only=True)
    _stack: ExitStack = field(repr=False, kw_only=True)
    _tokens: dict[str, str] = field(default_factory=dict, repr=False)

    def run(self, command: str, **arguments: object) -> None:
        """Types a command of the exerciser into Pi; the screen rests first, so that Pi takes it as one line."""
        self.pi.settle(0.05)
        self.pi.line(slash(command, **arguments))

    def remote(self, name: str, role: wire.RoleName = "controller", *, follow: bool = True) -> Remote:
        """A device of that name, connected and, unless told otherwise, following the session. Paired when it comes first."""
        remote = self._stack.enter_context(connected(self._portal, self._address(name, role), name))
        if follow:
            remote.subscribe(self.wait_session())
        return remote

    @contextmanager
    def visitor(self, name: str, role: wire.RoleName = "controller", *, follow: bool = True) -> Iterator[Remote]:
        """As `remote`, gone after the block."""
        with connected(self._portal, self._address(name, role), name) as remote:
            if follow:
                remote.subscribe(self.wait_session())
            yield remote

    @contextmanager
    def sleeper(self, name: str) -> Iterator[None]:
        """A device that follows the session and reads nothing of it, for the length of the block."""
        opened = connect(self._address(name, "controller"), name=name, kind="test", capabilities=SERVER_CAPABILITIES)
        with self._portal.wrap_async_context_manager(opened) as connection:
            self._portal.call(connection.send, wire.Subscribe(session_id=self.wait_session()))
            yield

    def owner(self, name: str = "owner") -> Remote:
        """A client on the control socket, following the session."""
        remote = self._stack.enter_context(connected(self._portal, Local(self.daemon.paths.control_socket), name))
        remote.subscribe(self.wait_session())
        return remote

    def _address(self, name: str, role: wire.RoleName) -> Address:
        if name not in self._tokens:
            self._tokens[name] = self.daemon.ask("pair", Paired, name=name, role=role).token
        status = self.daemon.status()
        assert status is not None
        return Address(status.url, self._tokens[name])

    def call(self, run: Callable[[], Awaitable[_Data]]) -> _Data:
        """What `run` gives, run in the thread of the remotes' sockets."""
        return self._portal.call(run)

    def begin(self, run: Callable[[], Awaitable[None]]) -> Future[None]:
        """Runs on in that thread until it is cancelled."""
        return self._portal.start_task_soon(run)

    def pi_signal(self, number: signal.Signals) -> None:
        """To Pi alone, not to what it started."""
        os.kill(self.pi.pid, number)

    def sessions(self) -> tuple[wire.Session, ...]:
        """All sessions that the daemon knows; none when no daemon runs."""
        status = self.daemon.status()
        return () if status is None else status.sessions

    def wait_session(self, timeout: float = LINKED) -> str:
        """The session's id once the daemon has this Pi linked."""

        def linked() -> bool:
            ours = [session for session in self.sessions() if session.pid == self.pi.pid and session.status.state != "detached"]
            if ours:
                self.session_id = ours[0].session_id
            return bool(ours)

        until(linked, timeout, "the daemon knows no session of this Pi")
        return self.session_id


@contextmanager
def stage(
    kind: PiKind,
    start: Start = "-e",
    *,
    daemon: bool = True,
    extensions: Sequence[Path] = (EXERCISER,),
    arguments: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    entry: Path = EXTENSION,
    ours_first: bool = True,
    config: str = QUIET,
    settings: Mapping[str, object] | None = None,
    columns: int = 100,
    rows: int = 30,
) -> Iterator[Stage]:
    """A stage that stands: Pi takes keys and, with `daemon`, the daemon runs and knows it. `entry` is our extension's file, `config` ours,
    `settings` Pi's.

    With "-e" our extension is loaded before `extensions`, or after; with "attach" Pi runs with those, and ours comes by settings
    and /reload.
    """
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url, settings) as home,
        start_blocking_portal("asyncio") as portal,
        ExitStack() as stack,
    ):
        log = ExerciserLog(home.root / "exerciser.jsonl")
        ours = environment(home)
        daemon_here = Daemon(portal, home, ours)
        stack.callback(daemon_here.end)
        daemon_here.paths.config_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        daemon_here.paths.config_file.write_text(config)
        if daemon:
            daemon_here.start()
        loaded = [entry, *extensions] if ours_first else [*extensions, entry]
        pi = stack.enter_context(
            running_pi(
                kind,
                home,
                *arguments,
                extensions=loaded if start == "-e" else extensions,
                env={**log.environment(), **(env or {})},
                columns=columns,
                rows=rows,
            )
        )
        here = Stage(kind, start, home, model, log, daemon_here, pi, _portal=portal, _stack=stack)
        if start == "attach":
            attach(here, entry)
        if daemon:
            here.wait_session()
        yield here


def attach(here: Stage, entry: Path = EXTENSION) -> None:
    """Names our extension in Pi's settings and types /reload, as a person does in a Pi that runs already."""
    settings = msgspec.json.decode(here.home.settings_file.read_bytes(), type=dict[str, Any])
    here.home.settings_file.write_bytes(msgspec.json.encode({**settings, "extensions": [str(entry)]}))
    reloads = sum(is_reload(record) for record in here.log.records())
    here.pi.line("/reload")
    here.log.wait(is_reload, count=reloads + 1)
    here.pi.settle(0.2)


def is_reload(record: Record) -> bool:
    """The exerciser was loaded anew by /reload."""
    return record.event == "session_start" and record.reason == "reload"


def until(holds: Callable[[], bool], timeout: float, failure: str) -> None:
    """Returns once `holds()` is true; AssertionError with `failure` when it does not become so."""
    never = threading.Event()
    for _ in range(int(timeout / LOOK_EVERY) + 1):
        if holds():
            return
        never.wait(LOOK_EVERY)
    raise AssertionError(f"{failure} after {timeout} s")
