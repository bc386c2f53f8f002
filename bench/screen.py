"""What the screen's follower uses of a core while Pi streams and while Pi does nothing, and when it tells of a menu."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio.to_thread

from bench.report import Goal, Row
from bench.world import NotMeasured
from bridge.paths import paths_here
from bridge.screen.feed import Feed
from bridge.screen.messages import Screen, ScreenState
from bridge.screen.start import Followed, start
from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import NotShown, Terminal
from tests.bridge.screen.listening import Listening
from tests.harness.pi import GENERATIONS, PiKind, running_pi

ROUNDS: Final = 3
QUICK_ROUNDS: Final = 1

WORDS: Final = 1000
QUICK_WORDS: Final = 200
PAUSE_MS: Final = 5
"""Between two words: 200 a second."""

MENUS: Final = 10
QUICK_MENUS: Final = 2
APART: Final = 0.7
"""Pi takes two escapes within half a second for a command of its own."""

SIZE: Final = (100, 30)

GOAL: Final = Goal("p50", 60)
"""In ms of CPU for each second, a share of the start among them: a phone's battery would not notice, nor does the copy loop."""

MENU_GOAL: Final = Goal("p99", 1000)
"""In ms: within a second a person who looks at a phone is told where Pi waits."""

PATIENCE: Final = 60.0


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of every generation. Raises NotMeasured."""
    return await anyio.to_thread.run_sync(_measure, quick)


def _measure(quick: bool) -> list[Row]:
    words, rounds = (QUICK_WORDS, QUICK_ROUNDS) if quick else (WORDS, ROUNDS)
    rows: list[Row] = []
    for kind in GENERATIONS:
        idle, followed, watched = (
            tuple(_share(kind, words, streams, watches) for _ in range(rounds))
            for streams, watches in ((False, False), (True, False), (True, True))
        )
        name = f"Pi {kind.version}, follower"
        nothing = Row(f"{name}, Pi idle", "CPU of the follower for each second, its start included", idle, "ms")
        peer = (nothing.name, nothing.p50)
        rows += [
            nothing,
            Row(f"{name}, 200 words/s", "the same while an answer streams", followed, "ms", peer, GOAL),
            Row(f"{name}, 200 words/s, screen watched", "and ten screens a second are sent", watched, "ms", peer, GOAL),
            Row(
                f"Pi {kind.version}, menu told",
                "Enter after /model until the daemon's socket has it",
                _menus(kind, QUICK_MENUS if quick else MENUS),
                "ms",
                goal=MENU_GOAL,
            ),
        ]
    return rows


@contextmanager
def _followed(kind: PiKind, shared: bool) -> Iterator[tuple[Terminal, Listening, Followed, Callable[[], None]]]:
    """A Pi, a daemon to tell of it, its follower, and what copies to that. Raises NotMeasured."""
    try:
        with (
            ScriptedModel() as model,
            temporary_pi_home(model.base_url) as home,
            running_pi(kind, home, columns=SIZE[0], rows=SIZE[1]) as pi,
            _runtime_folder(home.runtime) as socket_path,
            Listening(socket_path) as daemon,
        ):
            feed = start(pi.pid, shared=shared, columns=SIZE[0], rows=SIZE[1], version="bench")
            daemon.accept()
            copied = 0

            def copy() -> None:
                nonlocal copied
                data = pi.output(copied)
                copied += len(data)
                feed.offer(data)
                feed.flush()

            daemon.wait(lambda: len(daemon.said) > 1, copy)
            yield pi, daemon, feed, copy
    except (NotShown, TimeoutError) as error:
        raise NotMeasured(str(error)) from error


def _menus(kind: PiKind, times: int) -> tuple[float, ...]:
    """How long it took until a menu was told, in ms."""
    told: list[float] = []
    with _followed(kind, shared=False) as (pi, daemon, feed, copy):
        for _ in range(times):
            pi.send("/model")
            pi.settle(APART)
            told.append(_told(pi, daemon, copy, "enter", "menu"))
            pi.settle(APART)
            _told(pi, daemon, copy, "escape", "none")
            pi.settle(APART)
        feed.close()
    return tuple(told)


def _told(pi: Terminal, daemon: Listening, copy: Callable[[], None], key: str, state: str) -> float:
    """Press the key; ms until that state is told."""
    daemon.said.clear()
    begun = time.monotonic()
    pi.keys(key)
    daemon.wait(lambda: any(isinstance(said, ScreenState) and said.state == state for said in daemon.said), copy, PATIENCE)
    return (time.monotonic() - begun) * 1000


def _share(kind: PiKind, words: int, streams: bool, watches: bool) -> float:
    """CPU of one follower, in ms for each second of `words`, from its start to its end."""
    with _followed(kind, shared=watches) as (pi, daemon, feed, copy):
        daemon.peer.want(watches)
        seconds = words * PAUSE_MS / 1000
        began = time.monotonic()
        if streams:
            pi.line(f"slow {words} {PAUSE_MS}")
        daemon.wait(lambda: time.monotonic() - began >= seconds, copy, PATIENCE)
        took = time.monotonic() - began
        if watches and not any(isinstance(message, Screen) for message in daemon.said):
            raise NotMeasured("no screen was sent")
        daemon.cut()
        Feed.close(feed)
        _, _, used = os.wait4(feed.pid, 0)
        return (used.ru_utime + used.ru_stime) * 1000 / took


@contextmanager
def _runtime_folder(folder: Path) -> Iterator[Path]:
    """During the block followers that are started look for their daemon there; gives the socket's path."""
    before = dict(os.environ)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    try:
        yield paths_here().screen_socket
    finally:
        os.environ.clear()
        os.environ.update(before)
