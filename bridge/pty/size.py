"""The size of a terminal's window."""

from __future__ import annotations

import fcntl
import struct
import termios
from dataclasses import dataclass
from typing import Final

_WINSIZE: Final = struct.Struct("HHHH")
"""<sys/ioctl.h>: rows, columns, width and height in pixels."""


@dataclass(frozen=True, slots=True)
class Size:
    """In cells; and in pixels, which are 0 where the terminal does not tell them."""

    rows: int
    columns: int
    width: int = 0
    height: int = 0


def read_size(fd: int) -> Size:
    """The size of the terminal behind `fd`. Raises OSError when there is none."""
    return Size(*_WINSIZE.unpack(fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(_WINSIZE.size))))


def set_size(fd: int, size: Size) -> None:
    """Give a pseudo-terminal this size; when it is another one, the kernel tells the foreground group. Raises OSError."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, _WINSIZE.pack(size.rows, size.columns, size.width, size.height))
