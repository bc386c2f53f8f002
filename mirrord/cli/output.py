"""Standard streams that say whose fault it is when they cannot be written.

An `OSError` of a write names no file, so that one of standard output looks like one of any other file or socket.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class NotWritten(OSError):
    """Standard output could not be written: the disk is full or broken, or the terminal is gone; `strerror` says which.

    A reader that went away is `BrokenPipeError` as ever.
    """


class _Output(io.FileIO):
    """Its failures are `NotWritten`."""

    def write(self, data: ReadableBuffer, /) -> int:
        """How many bytes were written. Raises BrokenPipeError or NotWritten."""
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise NotWritten(error.errno, error.strerror or str(error)) from error


class _Errors(io.FileIO):
    """What cannot be written is dropped: there is nobody to be told, and what was asked for goes on."""

    def write(self, data: ReadableBuffer, /) -> int:
        """How many bytes were written, or dropped."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def watch_streams() -> None:
    """From now on writing and flushing standard output raises BrokenPipeError or NotWritten, and standard error raises nothing."""
    # The streams of before stay open, in sys.__stdout__ and sys.__stderr__, with nothing in their buffers.
    sys.stdout.flush()
    sys.stdout = _stream(sys.stdout, _Output)
    sys.stderr = _stream(sys.stderr, _Errors)


def give_up_stdout() -> None:
    """Send what is in its buffer nowhere: the interpreter flushes it at its end, and would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _stream(before: TextIO, kind: type[io.FileIO]) -> TextIO:
    assert isinstance(before, io.TextIOWrapper)
    # What Python writes at once with -u, and on a terminal at the end of a line, is written at the end of a line here.
    by_line = before.line_buffering or before.write_through
    raw = kind(before.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=before.encoding, errors=before.errors, line_buffering=by_line)
