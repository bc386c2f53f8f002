"""The file that a recording is written to: beside its place until it is whole, then there, readable by its owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mirrord.client.clean import one_line
from mirrord.errors import MirrordError

_MODE: Final = 0o600
_UNFINISHED: Final = ".part"


class CannotWrite(MirrordError):
    """The disk, or a file that is there, said no."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{one_line(str(path))} cannot be written: {why}")


class RecordingFile:
    """`write` appends. Every method blocks and raises CannotWrite."""

    def __init__(self, path: Path, fd: int) -> None:
        self._path = path
        self._fd = fd

    def write(self, data: bytes) -> None:
        """All of it, or CannotWrite."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            raise CannotWrite(self._path, error.strerror or str(error)) from error


@contextmanager
def recording_file(path: Path) -> Iterator[RecordingFile]:
    """A new file, which is at `path` once the block ended well; otherwise nothing is left. Raises CannotWrite. Blocks."""
    unfinished = path.with_name(path.name + _UNFINISHED)
    if path.exists():
        raise CannotWrite(path, "there is a file of that name; choose another with -o")
    try:
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
    except FileExistsError as error:
        raise CannotWrite(path, f"{unfinished.name} is there, of a recording that runs or was killed") from error
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
    try:
        try:
            yield RecordingFile(path, fd)
            _finish(fd, unfinished, path)
        finally:
            os.close(fd)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _finish(fd: int, unfinished: Path, path: Path) -> None:
    try:
        os.fsync(fd)
        os.rename(unfinished, path)
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
