"""Pi in a pseudo-terminal of its own, below a process that leads the session there."""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

import pexpect
import ptyprocess

from bridge.pty.leader import lead
from bridge.pty.outer import Outer
from bridge.pty.reports import Kind, read_report
from bridge.pty.size import set_size
from bridge.refusal import Refusal

_STDIN, _STDERR = 0, 2


@dataclass(frozen=True, slots=True)
class Child:
    """`pid` is Pi's, and its group's. `reports` is what the leader tells of it; the leader ends Pi when the last `leash` is closed."""

    leader: pexpect.spawn[bytes]
    pid: int
    reports: int
    leash: int

    @property
    def master(self) -> int:
        """Our end of Pi's terminal."""
        return self.leader.child_fd

    def release(self) -> None:
        """Close our end: when no other process holds it either, the kernel hangs up."""
        process: ptyprocess.PtyProcess = self.leader.ptyproc  # type: ignore[attr-defined] # the stubs do not know it
        process.fileobj.close()
        # Else the object would end the leader once it is no longer used.
        self.leader.closed = True

    def wait(self) -> None:
        """Returns when the leader has ended, which it does once it has told of Pi's end."""
        self.leader.wait()


class _Terminal(ptyprocess.PtyProcess):  # type: ignore[misc] # ptyprocess has no types
    """The child sets size and pixels itself, before the program starts; setting them later would be one change too many."""

    def setwinsize(self, rows: int, cols: int) -> None:
        pass


class _Leader(pexpect.spawn):  # type: ignore[type-arg] # at run time the class takes no arguments
    """pexpect would split a command without arguments at its spaces, and close the descriptors that the leader needs."""

    def __init__(self, argv: Sequence[str], kept: Sequence[int], prepare: Callable[[], None]) -> None:
        self._kept = kept
        super().__init__(argv[0], [*argv], preexec_fn=prepare, timeout=None)

    def _spawnpty(self, args: list[str], **options: object) -> ptyprocess.PtyProcess:
        return _Terminal.spawn(args[1:], pass_fds=self._kept, **options)


def spawn(argv: Sequence[str], outer: Outer, ignored: Collection[signal.Signals]) -> Child:
    """Start it with the outer terminal's attributes and size, ignoring these signals. Raises Refusal when it cannot be executed.

    What the shell opened for it beyond the standard descriptors goes to it and is closed here: `<(command)` works as without us, and
    `>(command)` sees its end. This process must have one thread: the leader is a copy of it.
    """
    reports, reporting = os.pipe()
    held, leash = os.pipe()
    handed_down = _handed_down()
    error_output = _separate_error_output()
    size = outer.size()
    kept = [reporting, held, *error_output, *handed_down]

    def prepare() -> None:
        # What it wakes is the guard's, and closed here.
        signal.set_wakeup_fd(-1)
        with suppress(OSError, termios.error):
            termios.tcsetattr(_STDIN, termios.TCSANOW, outer.before)
            if size is not None:
                set_size(_STDIN, size)
        pid = os.fork()
        if pid:
            lead(pid, reporting, held)
        _come_to_front()
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        for fd in error_output:
            os.dup2(fd, _STDERR)

    try:
        leader = _Leader(argv, kept, prepare)
    except (OSError, pexpect.ExceptionPexpect) as error:
        os.close(reports)
        os.close(leash)
        why = error if isinstance(error, OSError) else "it is no program that may be executed"
        raise Refusal(f"{argv[0]} cannot be run: {why}") from error
    finally:
        for fd in kept:
            os.close(fd)
    report = read_report(reports)
    if report is None or report.kind is not Kind.STARTED:
        raise Refusal(f"{argv[0]} was not started: the process that was to start it was ended")
    return Child(leader, report.value, reports, leash)


def _handed_down() -> list[int]:
    """Descriptors that our own program would inherit; all that were opened here would not."""
    found: list[int] = []
    for fd in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):
            if fd > _STDERR and os.get_inheritable(fd):
                found.append(fd)
    return found


def _separate_error_output() -> list[int]:
    """Where errors go when that is no terminal (`2>file`): a copy of it, for the program to have as without us."""
    try:
        return [] if os.isatty(_STDERR) else [os.dup(_STDERR)]
    except OSError:
        return []


def _come_to_front() -> None:
    """A group of its own in front of the terminal, and the signals that the interpreter ignores as the system has them."""
    os.setpgid(0, 0)
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(_STDIN, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
