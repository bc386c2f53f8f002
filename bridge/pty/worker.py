"""The worker: copies between the person's terminal and Pi's, byte by byte as they are. It may be killed at any moment.

It decides nothing about Pi. It ends when the guard says so, when the terminal has gone, or when the guard has; then it gives the terminal
back itself, since nobody else is left to.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from bridge.pty import orders
from bridge.pty.feed import ChildInfo, Feed, Follow
from bridge.pty.flow import Flow, Moved
from bridge.pty.interest import Interests
from bridge.pty.outer import Outer
from bridge.pty.shared_modes import SharedModes
from bridge.pty.signals import Signals, ignore
from bridge.pty.size import set_size

LAST_BYTES: Final = 1 << 20
"""What is still passed on after Pi ended, where a program that it left behind goes on writing: far more than the kernel holds of Pi's."""

FEED_SECONDS: Final = 0.02
"""So long what Pi wrote is gathered before the follower gets it: it wakes less often, and not while a key's echo is on its way.

It is also the least between two turns of it, each of what its pipe holds: 3 MB a second, which takes the follower a tenth or two of a core.
In a flood it would take a whole one, from a machine that has better use for it."""

_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL
_NOT_FOR_US: Final = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE),
    *(signal.SIGTSTP, signal.SIGUSR1, signal.SIGUSR2),
    # Of a child whose end is ignored, the follower for one, nothing is left.
    signal.SIGCHLD,
)


class _Ended(Exception):
    """The loop is over; the worker's exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def work(outer: Outer, master: int, pid: int, guard: socket.socket, shared: SharedModes, follow: Follow) -> NoReturn:
    """Be the worker, in a process that was just forked. `master` is our end of the terminal of Pi, whose pid is `pid`."""
    status = orders.FAILED
    try:
        ignore(*_NOT_FOR_US)
        status = Worker(outer, master, pid, guard, shared, follow).run()
    finally:
        os._exit(status)


class Worker:
    """One run of the loop, in a process that does nothing else."""

    def __init__(self, outer: Outer, master: int, pid: int, guard: socket.socket, shared: SharedModes, follow: Follow) -> None:
        for fd in (master, guard.fileno()):
            os.set_blocking(fd, False)
        self._outer = outer
        self._master = master
        self._guard = guard
        self._shared = shared
        self._modes = shared.load()
        self._told = self._modes.word
        """What is in `shared`."""
        self._signals = Signals([signal.SIGWINCH])
        self._interests = Interests()
        self._passing_on: Callable[[], None] | None = None
        """What to do once all that Pi wrote so far has been passed on."""
        self._last = LAST_BYTES
        self._out = Flow(self._interests, master, outer.sink, self._before, self._after)
        self._in = Flow(self._interests, outer.source, master, None, None)
        # It may have changed since Pi's terminal was made.
        self._size = outer.size()
        if self._size is not None:
            set_size(master, self._size)
        self._feed = None if self._size is None else _followed(follow, ChildInfo(pid, self._size))
        self._feed_fd = -1 if self._feed is None else self._feed.fileno()
        self._feed_at: float | None = None
        """When the follower is to get something, on the monotonic clock."""
        self._feeding = False

    def run(self) -> int:
        """The exit status: one of `orders`."""
        interests = self._interests
        interests.add(self._guard.fileno(), self._on_guard, select.POLLIN)
        interests.add(self._signals.fileno(), self._on_signal, select.POLLIN)
        interests.add(self._master, self._on_master, select.POLLIN)
        interests.add(self._outer.source, self._on_outer, select.POLLIN)
        if self._outer.sink != self._outer.source:
            interests.add(self._outer.sink, self._on_outer)
        if self._feed_fd >= 0:
            interests.add(self._feed_fd, self._on_feed)
        try:
            while True:
                interests.dispatch(self._milliseconds())
                if self._passing_on is not None:
                    self._drain(self._passing_on)
        except _Ended as ended:
            return ended.status
        finally:
            if self._feed is not None:
                self._feed.close()

    def _milliseconds(self) -> float | None:
        """How long to wait at most."""
        if self._feed_at is None:
            return None
        left = self._feed_at - time.monotonic()
        if left > 0:
            return left * 1000
        self._feed_at = None
        self._feeding = True
        self._interests.change(self._feed_fd, select.POLLOUT, True)
        return None

    def _on_master(self, events: int) -> None:
        if events & select.POLLOUT:
            self._in.push()
        if not self._out.stuck:
            if events & ~select.POLLOUT:
                self._move_out()
        elif events & _GONE:
            # What is left there is read when the sink takes it (`_drain`); until then this would be told again and again.
            self._interests.drop(self._master)

    def _on_outer(self, events: int) -> None:
        if events & _GONE:
            raise _Ended(orders.NO_TERMINAL)
        if events & select.POLLOUT and self._out.push() is Moved.LOST:
            raise _Ended(orders.NO_TERMINAL)
        if events & select.POLLIN and self._in.move() is Moved.ENDED:
            raise _Ended(orders.NO_TERMINAL)

    def _move_out(self) -> Moved:
        moved = self._out.move()
        if moved is Moved.ENDED:
            # Nobody has Pi's terminal open, not even its leader: the guard knows more.
            self._interests.drop(self._master)
        elif moved is Moved.LOST:
            raise _Ended(orders.NO_TERMINAL)
        return moved

    def _before(self, data: bytes) -> None:
        """A write may be cut short by our death. Until it is done, the terminal is told to be wherever it can be by then."""
        passed = self._modes.read(data)
        if passed != self._told:
            self._shared.store(passed)
            self._told = passed

    def _after(self, data: bytes) -> None:
        if self._modes.word != self._told:
            self._shared.store(self._modes.word)
            self._told = self._modes.word
        if self._passing_on is not None:
            self._last -= len(data)
        if self._feed is not None:
            self._feed.offer(data)
            self._feed_soon()

    def _on_signal(self, events: int) -> None:
        self._signals.take()
        self._resize()

    def _resize(self) -> None:
        """The terminal's size now is Pi's, however many changes there were."""
        size = self._outer.size()
        if size is None or size == self._size:
            return
        set_size(self._master, size)
        if self._feed is not None:
            self._feed.resized(size.columns, size.rows)
            self._feed_soon()
        self._size = size

    def _on_guard(self, events: int) -> None:
        try:
            order = self._guard.recv(1)
        except ConnectionError:
            order = b""
        if order == orders.PAUSE:
            self._in.open(False)
            self._passing_on = self._pause
        elif order == orders.FINISH:
            self._passing_on = self._finish
        elif order == orders.RESUME:
            self._passing_on = None
            self._resize()
            self._in.open(True)
            self._out.open(True)
            self._answer(orders.RESUMED)
        else:
            self._alone()

    def _drain(self, then: Callable[[], None]) -> None:
        """Pass on what Pi wrote; its terminal gives all of it before it says that there is nothing."""
        while not self._out.stuck and self._last > 0:
            if self._move_out() in (Moved.NOTHING, Moved.ENDED):
                then()
                return
        if self._last <= 0 and not self._out.stuck:
            then()

    def _pause(self) -> None:
        self._passing_on = None
        self._last = LAST_BYTES
        self._out.open(False)
        self._answer(orders.PAUSED)

    def _answer(self, word: bytes) -> None:
        # A guard that is gone is noticed as the next order.
        with suppress(ConnectionError):
            self._guard.send(word)

    def _finish(self) -> None:
        raise _Ended(orders.DONE)

    def _alone(self) -> None:
        """The guard is gone; its parent may have taken the terminal back already."""
        os.close(self._master)
        self._outer.write(self._modes.undo(cut_off=True))
        self._outer.restore()
        raise _Ended(orders.FAILED)

    def _feed_soon(self) -> None:
        if self._feed_at is None and not self._feeding:
            self._feed_at = time.monotonic() + FEED_SECONDS

    def _on_feed(self, events: int) -> None:
        feed = self._feed
        if feed is None:
            return
        feed.flush()
        if events & _GONE or feed.fileno() < 0:
            self._interests.drop(self._feed_fd)
            feed.close()
            self._feed = self._feed_at = None
        else:
            self._feeding = False
            self._interests.change(self._feed_fd, select.POLLOUT, False)
            if feed.wanting:
                self._feed_soon()


def _followed(follow: Follow, child: ChildInfo) -> Feed | None:
    """A follower that cannot be started is none: Pi is shown all the same."""
    try:
        return follow(child)
    except Exception:
        return None
