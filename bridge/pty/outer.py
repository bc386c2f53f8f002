"""The terminal that the person sits at: made raw while Pi runs in a terminal of ours, and given back as it was."""

from __future__ import annotations

import errno
import os
import select
import termios
import time
from contextlib import suppress
from typing import Final

from bridge.pty.modes import Modes
from bridge.pty.size import Size, read_size
from bridge.refusal import Refusal

_PATIENCE_SECONDS: Final = 1.0
"""How long a terminal may take to accept the hundred bytes that give it back; one that is stopped (Ctrl+S) accepts none."""

_CONTROLLING: Final = "/dev/tty"
_IFLAG, _OFLAG, _CFLAG, _LFLAG, _CC = 0, 1, 2, 3, 6

Attributes = list[int | list[bytes | int]]


class Outer:
    """Opened anew, so that it is non-blocking for us alone: what the shell gave us, it shares with us."""

    def __init__(self, source: int, sink: int) -> None:
        """`source` and `sink` are non-blocking descriptors of a terminal, perhaps the same one."""
        self.source = source
        self.sink = sink
        self.before: Attributes = termios.tcgetattr(source)
        """Its attributes as the shell had them."""

    def size(self) -> Size | None:
        """None when the terminal has gone."""
        with suppress(OSError):
            return read_size(self.sink)
        return None

    def make_raw(self) -> None:
        """Every byte passes as it is. From the background this stops the job until it is in front again, as it would stop Pi."""
        self._set(raw(self.before))

    def restore(self) -> None:
        """The attributes as they were; nothing when the terminal has gone, or another job has it, which has set them as it wants them."""
        if not self.is_taken():
            self._set(self.before)

    def give_back(self, modes: Modes, *, cut_off: bool = False) -> None:
        """The modes and the attributes as they were. `cut_off`: what the program wrote may have ended anywhere."""
        self.write(modes.undo(cut_off=cut_off))
        self.restore()

    def write(self, data: bytes) -> None:
        """All of it, unless the terminal has gone or takes nothing for a second."""
        waiting = select.poll()
        waiting.register(self.sink, select.POLLOUT)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while data and waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
            try:
                data = data[os.write(self.sink, data) :]
            except BlockingIOError:
                continue
            except OSError:
                return

    def is_taken(self) -> bool:
        """Whether another job of our session, the shell for one, has the terminal now."""
        with suppress(OSError):
            return os.tcgetpgrp(self.source) != os.getpgrp()
        return False

    def _set(self, attributes: Attributes) -> None:
        while True:
            try:
                # At once: what was typed already stays, and no output is waited for.
                termios.tcsetattr(self.source, termios.TCSANOW, attributes)
            except termios.error as error:
                if error.args[0] == errno.EINTR:
                    continue
            return


def open_outer(source: int = 0, sink: int = 1) -> Outer:
    """The terminal of these descriptors. Raises Refusal when there is none that can be opened anew."""
    try:
        opened = _reopen(source)
        return Outer(opened, opened if os.ttyname(source) == os.ttyname(sink) else _reopen(sink))
    except (OSError, termios.error) as error:
        raise Refusal(f"this terminal cannot be opened anew ({error.args[-1]})") from error


def _reopen(fd: int) -> int:
    flags = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(os.ttyname(fd), flags)
    except OSError:
        # A terminal of another user (su), or of another mount namespace. The one that controls us can be opened always.
        os.tcgetpgrp(fd)
        return os.open(_CONTROLLING, flags)


def raw(attributes: Attributes) -> Attributes:
    """These attributes without any that change, hold or interpret bytes, as cfmakeraw(3)."""
    changed = [list(part) if isinstance(part, list) else part for part in attributes]
    off = {
        _IFLAG: ("IGNBRK", "BRKINT", "PARMRK", "ISTRIP", "INLCR", "IGNCR", "ICRNL", "IXON"),
        _OFLAG: ("OPOST",),
        _CFLAG: ("CSIZE", "PARENB"),
        _LFLAG: ("ECHO", "ECHONL", "ICANON", "ISIG", "IEXTEN"),
    }
    for place, names in off.items():
        flags = changed[place]
        assert isinstance(flags, int)
        for name in names:
            flags &= ~getattr(termios, name)
        changed[place] = flags | (termios.CS8 if place == _CFLAG else 0)
    controls = changed[_CC]
    assert isinstance(controls, list)
    controls[termios.VMIN], controls[termios.VTIME] = 1, 0
    return changed
