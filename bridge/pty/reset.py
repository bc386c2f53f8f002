"""A terminal that nobody gave back, made usable: for `mirrord tty-reset`, which knows nothing of how it was."""

from __future__ import annotations

import os
import termios
from typing import Final

from bridge.pty.modes import everything_off
from bridge.pty.outer import Attributes

_ON: Final = (
    (0, ("BRKINT", "ICRNL", "IXON", "IMAXBEL")),
    (1, ("OPOST", "ONLCR")),
    (2, ("CREAD",)),
    (3, ("ISIG", "ICANON", "IEXTEN", "ECHO", "ECHOE", "ECHOK", "ECHOCTL", "ECHOKE")),
)
_OFF: Final = (
    (0, ("IGNBRK", "INLCR", "IGNCR", "IXOFF")),
    (1, ()),
    (2, ()),
    (3, ("ECHONL", "NOFLSH", "TOSTOP", "ECHOPRT", "FLUSHO")),
)


def reset(fd: int) -> None:
    """The terminal behind `fd` edits lines, shows what is typed, and has all modes normal. Raises OSError or termios.error."""
    termios.tcsetattr(fd, termios.TCSANOW, sane(termios.tcgetattr(fd)))
    os.write(fd, everything_off())


def sane(attributes: Attributes) -> Attributes:
    """These attributes with what shells expect, as `stty sane` has it; special characters and speed stay."""
    changed = list(attributes)
    for (place, on), (_, off) in zip(_ON, _OFF, strict=True):
        flags = changed[place]
        assert isinstance(flags, int)
        for name in off:
            flags &= ~getattr(termios, name, 0)
        for name in on:
            flags |= getattr(termios, name, 0)
        changed[place] = flags
    return changed
