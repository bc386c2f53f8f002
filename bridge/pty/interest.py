"""Which descriptors are waited for, and for what; a descriptor may be read for one thing and written for another."""

from __future__ import annotations

import select
from collections.abc import Callable

Ready = Callable[[int], None]
"""Called with the events of its descriptor."""


class Interests:
    """A poll object that knows what it was told last."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._masks: dict[int, int] = {}
        self._ready: dict[int, Ready] = {}
        self.wait = self._poll.poll

    def add(self, fd: int, ready: Ready, mask: int = 0) -> None:
        """With no mask it is still noticed when the other side goes."""
        self._poll.register(fd, mask)
        self._masks[fd] = mask
        self._ready[fd] = ready

    def change(self, fd: int, mask: int, wanted: bool) -> None:
        """Wait for these events too, or no longer; nothing for a descriptor that was not added."""
        before = self._masks.get(fd)
        if before is None:
            return
        after = before | mask if wanted else before & ~mask
        if after != before:
            self._masks[fd] = after
            self._poll.modify(fd, after)

    def drop(self, fd: int) -> None:
        """Wait for nothing there any more."""
        if self._masks.pop(fd, None) is not None:
            self._poll.unregister(fd)
            del self._ready[fd]

    def dispatch(self, timeout: float | None = None) -> bool:
        """Wait, at most so many milliseconds, and tell who is ready; whether somebody was."""
        found = self.wait(timeout)
        for fd, events in found:
            ready = self._ready.get(fd)
            if ready is not None:
                ready(events)
        return bool(found)
