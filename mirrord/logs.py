"""The daemon's log: one line an event, to stderr and to a file in the state directory, written by a thread of its own.

A line is `TIME LEVEL EVENT key=value …`, which `log_lines.py` reads. Values are numbers, flags and short words that this project made or
that were sanitized; texts of prompts and answers, tokens and frames are never given to it (design FIXED 7). Should one be, its type keeps
it out: of anything but plain values a line has the type's name, and of an error its words only where they are ours or the system's.
"""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import queue
import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bridge.refusal import Refusal
from mirrord.errors import MirrordError
from mirrord.redaction import Secret

FILE_NAME: Final = "daemon.log"

LOG_BYTES: Final = 1024 * 1024
"""One file: some ten thousand events."""

LOG_FILES: Final = 3
"""Older files that are kept."""

FILE_NAMES: Final = (FILE_NAME, *(f"{FILE_NAME}.{number}" for number in range(1, LOG_FILES + 1)))
"""All of them, the newest first."""

VALUE_CHARS: Final = 200
"""Longest value in a line: a path of a socket is at most 107."""

WAITING_LINES: Final = 10_000
"""Lines that may wait for a slow disk; more are lost, the daemon never waits."""

_MODE: Final = 0o600
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:/@+-]+")

Value = str | int | float | bool | Secret | None

_LEVELS: Final = {"error": logging.ERROR, "warning": logging.WARNING, "info": logging.INFO}
"""By the words of the setting `log_level`."""

_CAUSES: Final = 8
"""Errors behind an error, or in a group, that are told: more is a loop."""

_log: Final = logging.getLogger("mirrord")
_loop: Final = logging.getLogger("asyncio")
"""Where the event loop reports what it meets by itself, such as a lack of descriptors."""


def note(event: str, **values: Value) -> None:
    """Something happened as it should."""
    _log.info("%s", _line(event, values))


def warn(event: str, **values: Value) -> None:
    """Somebody should look at this: a peer's mistake, a refusal, something set aside."""
    _log.warning("%s", _line(event, values))


def failed(event: str, error: BaseException) -> None:
    """A bug of ours, with its traceback."""
    _log.error("%s", event, exc_info=error)


def set_level(level: str) -> None:
    """Take lines of this level (`error`, `warning` or `info`) and more important ones from now on."""
    _log.setLevel(_LEVELS[level])


@contextmanager
def logging_to(directory: Path, *, quiet: bool = False, level: str = "info") -> Iterator[None]:
    """Write the log to `directory`/FILE_NAME (mode 0600, rotated) and, unless `quiet`, to stderr, until the block ends.

    A log that cannot be written is no reason to stop: lines are lost silently then.
    """
    outputs: list[logging.Handler] = [_PrivateFile(directory / FILE_NAME, maxBytes=LOG_BYTES, backupCount=LOG_FILES, delay=True)]
    if not quiet:
        outputs.append(logging.StreamHandler(sys.stderr))
    for output in outputs:
        output.setFormatter(_OneLine())
    waiting: queue.Queue[object] = queue.Queue(WAITING_LINES)
    thread = _Writer(waiting, *outputs)
    entry = _Dropping(waiting)
    entry.setFormatter(_Redacted())
    before = _log.level, _log.propagate, logging.raiseExceptions
    for logger in (_log, _loop):
        logger.addHandler(entry)
    set_level(level)
    _log.propagate = False
    logging.raiseExceptions = False
    thread.start()
    try:
        yield
    finally:
        for logger in (_log, _loop):
            logger.removeHandler(entry)
        thread.stop()
        _log.level, _log.propagate, logging.raiseExceptions = before
        for output in outputs:
            output.close()


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """Made with mode 0600 whatever the umask is; never through a symbolic link."""

    def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the base class's type is private
        fd = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
        return os.fdopen(fd, "a", encoding="utf-8")


class _Dropping(logging.handlers.QueueHandler):
    """Never waits: when the queue is full the line is lost."""

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            return


class _Writer(logging.handlers.QueueListener):
    """Its end waits for room in the queue instead of failing."""

    def __init__(self, waiting: queue.Queue[object], *outputs: logging.Handler) -> None:
        super().__init__(waiting, *outputs)
        self._waiting = waiting

    def enqueue_sentinel(self) -> None:
        self._waiting.put(None)


class _Redacted(logging.Formatter):
    """What may be kept of a record, made in the thread that has it: from then on it is text."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The event loop's reports go on, on lines of their own, with objects that may hold anything."""
        if record.name == _loop.name:
            record.message = record.message.partition("\n")[0]
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: ANN401 - the base class's
        """The traceback, with the words of errors that quote nobody."""
        return "\n".join(_told(ei[1], _CAUSES))


class _OneLine(logging.Formatter):
    """UTC to the millisecond, level, text; a traceback follows on lines of its own, indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


_OUR_WORDS: Final = (MirrordError, Refusal, OSError, AssertionError, RuntimeError, MemoryError, ArithmeticError, RecursionError)
"""Errors whose words are ours or the system's. Those of others quote what they stumbled on: a key, a number that is none."""


def _told(error: BaseException, depth: int) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and depth:
        yield from _told(before, depth - 1)
        yield "and then:"
    for frame in traceback.format_tb(error.__traceback__):
        yield from frame.rstrip("\n").split("\n")
    words = f": {error}" if isinstance(error, _OUR_WORDS) and str(error) else ""
    yield f"{type(error).__name__}{words}"
    if isinstance(error, BaseExceptionGroup) and depth:
        for each in error.exceptions[:depth]:
            yield from (f"  {line}" for line in _told(each, depth - 1))


def _line(event: str, values: dict[str, Value]) -> str:
    return " ".join([event, *(f"{key}={_value(value)}" for key, value in values.items() if value is not None)])


def _value(value: Value) -> str:
    if not isinstance(value, str):
        plain = value is None or isinstance(value, bool | int | float)
        return json.dumps(value) if plain else f"[{type(value).__name__.lower()}]"
    cut = value[:VALUE_CHARS]
    return cut if _PLAIN.fullmatch(cut) else json.dumps(cut)
