"""The guard: the process that the shell started and waits for. It copies nothing, so that nothing can happen to it.

It passes signals and job control on to Pi, and when the worker is gone before Pi it gives the terminal back and ends Pi.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from bridge.process import is_alive
from bridge.pty import orders
from bridge.pty.child import Child, spawn
from bridge.pty.ending import Ending
from bridge.pty.feed import Follow
from bridge.pty.leader import end_group
from bridge.pty.outer import Outer
from bridge.pty.reports import Kind, read_report
from bridge.pty.shared_modes import SharedModes
from bridge.pty.signals import Signals
from bridge.pty.worker import work

_FOR_THE_GROUP: Final = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGQUIT})
"""What comes from a terminal, and reaches all of a job."""
_FOR_PI: Final = frozenset({signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2})
_PASSED_ON: Final = _FOR_THE_GROUP | _FOR_PI
_ENDING_US: Final = _FOR_THE_GROUP | {signal.SIGTERM}

_LOOK_SECONDS: Final = 0.05
"""How often is looked what nobody tells: whether Pi still lives once its leader does not, and whether the terminal is ours again."""
_GIVE_UP_SECONDS: Final = 2.0
"""After SIGKILL. What is still there then hangs in the kernel."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How it went: Pi's wait status, or what went wrong in words when it was not Pi that ended it."""

    status: int
    problem: str | None = None


class _Phase(Enum):
    COPYING = auto()
    PAUSING = auto()
    """Pi was stopped; the worker passes on what it wrote, then the job stops."""
    PARTING = auto()
    """It was told to end while it was stopped (`kill %1`): it goes on, and waits for the terminal, which another job has."""
    RESUMING = auto()
    """The worker looks at the size, then Pi goes on."""
    FINISHING = auto()
    """Pi has ended; the worker passes on what it wrote."""
    ENDING = auto()
    """The terminal is not ours any more, and Pi is to end."""


def run(argv: Sequence[str], outer: Outer, follow: Follow) -> Ended:
    """Run it in a terminal of ours until it ends. Raises Refusal when it cannot be started.

    This process must have one thread: the others are copies of it.
    """
    signals = Signals([signal.SIGCHLD, signal.SIGCONT, signal.SIGTSTP, *_PASSED_ON])
    shared = SharedModes()
    outer.make_raw()
    try:
        child = spawn(argv, outer, signals.ignored)
        ours, theirs = socket.socketpair()
        worker = os.fork()
        if not worker:
            for fd in (child.leash, child.reports, ours.fileno()):
                os.close(fd)
            work(outer, child.master, child.pid, theirs, shared, follow)
        theirs.close()
        child.release()
        return Guard(outer, child, worker, ours, signals, shared).watch()
    finally:
        outer.restore()
        signals.close()


class Guard:
    """One run, in a process that does nothing else."""

    def __init__(self, outer: Outer, child: Child, worker: int, orders_to: socket.socket, signals: Signals, shared: SharedModes) -> None:
        self._outer = outer
        self._child = child
        self._worker: int | None = worker
        self._orders = orders_to
        self._signals = signals
        self._shared = shared
        self._phase = _Phase.COPYING
        self._ending: Ending | None = None
        self._give_up: float | None = None
        self._to_redo = b""
        """What was on when the job stopped, to be switched on again."""
        self._pi_ended = False
        self._pi_status: int | None = None
        """Known once it has ended, unless its leader was lost."""
        self._leader_lost = False
        self._killed_worker = False
        self._problem: str | None = None
        self._poll = select.poll()
        for fd in (signals.fileno(), child.reports, orders_to.fileno()):
            self._poll.register(fd, select.POLLIN)

    def watch(self) -> Ended:
        """Returns when Pi has ended and all that it wrote is on the terminal, or the terminal is lost and Pi has ended."""
        while not self._over():
            ready = {fd for fd, _ in self._poll.poll(self._milliseconds())}
            if self._child.reports in ready:
                self._on_report()
            if self._signals.fileno() in ready:
                for number in sorted(self._signals.take()):
                    self._on_signal(number)
            if self._orders.fileno() in ready:
                self._on_answer()
            self._go_on_ending()
            # A shell that brings a job to the front which is not stopped tells it nothing.
            if self._phase is _Phase.PARTING and not self._outer.is_taken():
                self._resume()
        return self._ended()

    def _over(self) -> bool:
        return self._pi_ended and self._worker is None

    def _ended(self) -> Ended:
        self._give_back(cut_off=self._pi_status is not None and os.WIFSIGNALED(self._pi_status))
        if self._problem is not None:
            # Where Pi's cursor was is no place for a sentence.
            self._outer.write(b"\r\n")
        if self._pi_status is None:
            return Ended(0, self._problem or "Pi could not be ended")
        self._child.wait()
        return Ended(self._pi_status, self._problem)

    def _on_report(self) -> None:
        report = read_report(self._child.reports)
        if report is None:
            self._poll.unregister(self._child.reports)
            if not self._pi_ended:
                self._lose_leader()
        elif report.kind is Kind.ENDED:
            self._pi_ended = True
            self._pi_status = report.value
            self._finish()
        elif report.kind is Kind.STOPPED and self._phase in (_Phase.COPYING, _Phase.RESUMING, _Phase.PARTING):
            self._phase = _Phase.PAUSING
            self._order(orders.PAUSE)

    def _on_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGCHLD:
            self._look_at_worker()
        elif number == signal.SIGCONT:
            if self._phase is _Phase.COPYING:
                self._resume()
        elif number == signal.SIGTSTP:
            if self._phase is _Phase.COPYING:
                self._send(signal.SIGTSTP, to_group=True)
        elif self._phase is _Phase.FINISHING:
            if number in _ENDING_US:
                self._kill_worker()
        else:
            self._send(number, to_group=number in _FOR_THE_GROUP)

    def _on_answer(self) -> None:
        try:
            answer = self._orders.recv(1)
        except ConnectionError:
            answer = b""
        if not answer:
            # The worker has gone, or is about to: SIGCHLD tells.
            self._poll.unregister(self._orders.fileno())
        elif answer == orders.PAUSED and self._phase is _Phase.PAUSING:
            self._suspend()
        elif answer == orders.RESUMED and self._phase is _Phase.RESUMING:
            self._phase = _Phase.COPYING
            self._send(signal.SIGCONT, to_group=True)

    def _suspend(self) -> None:
        """Stop the job as Pi would have been stopped without us; returns when it goes on."""
        modes = self._shared.load()
        self._outer.give_back(modes)
        self._to_redo = modes.redo()
        with self._signals.default(signal.SIGTSTP):
            os.kill(0, signal.SIGTSTP)
        came = self._signals.take() - {signal.SIGCONT, signal.SIGTSTP}
        for number in came:
            self._on_signal(number)
        if self._phase is not _Phase.PAUSING:
            return
        if came & _ENDING_US and self._outer.is_taken():
            # Making the terminal raw would stop us again, before Pi hears of it.
            self._phase = _Phase.PARTING
            self._send(signal.SIGCONT, to_group=True)
        else:
            self._resume()

    def _resume(self) -> None:
        self._phase = _Phase.RESUMING
        self._outer.make_raw()
        self._outer.write(self._to_redo)
        self._to_redo = b""
        self._order(orders.RESUME)

    def _finish(self) -> None:
        if self._worker is not None and self._phase is not _Phase.ENDING:
            self._phase = _Phase.FINISHING
            self._order(orders.FINISH)

    def _look_at_worker(self) -> None:
        if self._worker is None:
            return
        found, status = os.waitpid(self._worker, os.WNOHANG)
        if not found:
            return
        self._worker = None
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        # It may come later than Pi's end that it brought about.
        if code not in (orders.DONE, orders.NO_TERMINAL) and not self._killed_worker:
            how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {code}"
            self._problem = f"the process that shows Pi in this terminal ended ({how}), so Pi was ended too; `mirrord pi -c` continues"
        if code != orders.DONE:
            self._give_back(cut_off=True)
        if not self._pi_ended:
            self._begin_ending()

    def _lose_leader(self) -> None:
        self._leader_lost = True
        self._problem = "the process that looks after Pi's terminal was killed, so Pi was ended too; `mirrord pi -c` continues"
        self._begin_ending()

    def _begin_ending(self) -> None:
        self._phase = _Phase.ENDING
        if self._ending is None:
            self._ending = Ending(time.monotonic())

    def _go_on_ending(self) -> None:
        if self._ending is None or self._pi_ended:
            return
        now = time.monotonic()
        while number := self._ending.due(now):
            end_group(self._child.pid, number)
        if self._ending.seconds_left(now) is None and self._give_up is None:
            self._give_up = now + _GIVE_UP_SECONDS
        gave_up = self._give_up is not None and now >= self._give_up
        # Nobody may reap it: in a container the first process often does not. Only its number is left then.
        if gave_up or (self._leader_lost and not is_alive(self._child.pid, None)):
            self._pi_ended = True
            self._kill_worker()

    def _milliseconds(self) -> float | None:
        if self._phase is _Phase.PARTING:
            return _LOOK_SECONDS * 1000
        if self._ending is None or self._pi_ended:
            return None
        if self._leader_lost:
            return _LOOK_SECONDS * 1000
        now = time.monotonic()
        left = self._ending.seconds_left(now)
        if left is None:
            left = max(0.0, (self._give_up or now) - now)
        return left * 1000

    def _give_back(self, *, cut_off: bool) -> None:
        """For good: nobody writes there for Pi any more."""
        self._outer.give_back(self._shared.load(), cut_off=cut_off)
        self._shared.store(0)

    def _kill_worker(self) -> None:
        if self._worker is not None:
            self._killed_worker = True
            os.kill(self._worker, signal.SIGKILL)

    def _order(self, order: bytes) -> None:
        # A worker that is gone is told of by SIGCHLD.
        with suppress(ConnectionError):
            self._orders.send(order)

    def _send(self, number: signal.Signals, *, to_group: bool) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if to_group:
                os.killpg(self._child.pid, number)
            else:
                os.kill(self._child.pid, number)
