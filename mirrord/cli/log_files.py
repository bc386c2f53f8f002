"""The daemon's log as files: read whole, and followed over rotations. Blocks."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from mirrord.client.clean import several_lines
from mirrord.log_lines import Entry
from mirrord.logs import FILE_NAME, FILE_NAMES
from mirrord.words.colour import Paint
from mirrord.words.colour import painted as paint

PAUSE_SECONDS: Final = 0.3
"""How often it is looked for more: nobody reads faster."""

_PAINTS: Final[dict[str, Paint]] = {"WARNING": "warn", "ERROR": "bad", "CRITICAL": "bad"}


def read(directory: Path) -> list[str] | None:
    """Every line that is kept, the oldest first; None when there is no log."""
    lines: list[str] | None = None
    for name in reversed(FILE_NAMES):
        with suppress(OSError), _open(directory / name) as file:
            lines = [*(lines or ()), *file.read().decode(errors="replace").splitlines()]
    return lines


def follow(directory: Path, pause: threading.Event | None = None) -> Iterator[str | None]:
    """For ever: each line that is written from now on, and None whenever there is nothing more for the moment.

    `pause` ends it when it is set.
    """
    pause = pause or threading.Event()
    path, file, begun = directory / FILE_NAME, None, b""
    with suppress(OSError):
        file = _open(path)
        file.seek(0, os.SEEK_END)
    try:
        while not pause.is_set():
            said = file.readline() if file is not None else b""
            if said.endswith(b"\n"):
                yield (begun + said).decode(errors="replace").rstrip("\n")
                begun = b""
                continue
            begun += said
            yield None
            pause.wait(PAUSE_SECONDS)
            if file is None or _was_rotated(file, path):
                with suppress(OSError):
                    fresh = _open(path)
                    # What was written to the old one between our last look and the rotation is still read.
                    left = file.read() if file is not None else b""
                    yield from (begun + left).decode(errors="replace").splitlines()
                    if file is not None:
                        file.close()
                    file, begun = fresh, b""
    finally:
        if file is not None:
            file.close()


def painted(entry: Entry, coloured: bool) -> str:
    """The event for a terminal: cleaned once more, since a file may have been written by anybody who has this user's rights."""
    text = "\n".join(several_lines(entry.text))
    return paint(text, _PAINTS[entry.level], coloured) if entry.level in _PAINTS else text


def _open(path: Path) -> BinaryIO:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.fdopen(fd, "rb")


def _was_rotated(file: BinaryIO, path: Path) -> bool:
    here = os.fstat(file.fileno())
    try:
        there = path.lstat()
    except OSError:
        return False
    return (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino)
