"""Standard input that is no terminal: bytes as they arrive, cut into lines of bounded length."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Final

import anyio
import anyio.lowlevel
import anyio.to_thread

from mirrord.wire.limits import CLIENT_FRAME_BYTES

_CHUNK: Final = 65536


class LineSplitter:
    """Bytes in, complete lines out, without their LF. A line over the limit comes out as None once it has ended."""

    def __init__(self, limit: int = CLIENT_FRAME_BYTES) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._overlong = False

    @property
    def begun(self) -> bool:
        """Whether a line has begun that has not ended."""
        return bool(self._pending) or self._overlong

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that this chunk completes."""
        *ended, rest = chunk.split(b"\n")
        lines = [self._take(part) for part in ended]
        self._add(rest)
        return lines

    def close(self) -> list[bytes | None]:
        """The line that the end of the input completes, if one had begun."""
        return [self._take(b"")] if self.begun else []

    def _add(self, part: bytes) -> None:
        if len(self._pending) + len(part) > self._limit:
            self._overlong = True
            self._pending.clear()
        elif not self._overlong:
            self._pending += part

    def _take(self, part: bytes) -> bytes | None:
        self._add(part)
        line = None if self._overlong else bytes(self._pending)
        self._pending.clear()
        self._overlong = False
        return line


async def chunks(fd: int) -> AsyncIterator[bytes]:
    """What can be read from `fd`, as it comes, until its end. Nothing is left waiting in a thread when this is cancelled."""
    while True:
        try:
            await anyio.wait_readable(fd)
        except PermissionError:
            # A plain file or /dev/null: the kernel cannot wait for it, because reading it never waits.
            await anyio.lowlevel.checkpoint()
        chunk = await anyio.to_thread.run_sync(os.read, fd, _CHUNK)
        if not chunk:
            return
        yield chunk
