"""What the copy loop knows of whoever follows the screen: `bridge.screen.feed.Feed` is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bridge.pty.size import Size


class Feed(Protocol):
    """Takes what Pi writes. No method waits or raises."""

    @property
    def wanting(self) -> bool:
        """Whether it has bytes for its descriptor, which is then to be polled for writing."""

    def fileno(self) -> int:
        """The descriptor; negative once it is closed."""

    def offer(self, data: bytes) -> None:
        """Pi wrote this."""

    def resized(self, columns: int, rows: int) -> None:
        """Pi's terminal has another size."""

    def flush(self) -> None:
        """The descriptor takes bytes."""

    def close(self) -> None:
        """Nothing more will come."""


@dataclass(frozen=True, slots=True)
class ChildInfo:
    """The Pi whose screen is to be followed."""

    pid: int
    size: Size


Follow = Callable[[ChildInfo], Feed | None]
"""Starts a follower; called once, in the process that copies. None when there is to be none."""


def nobody(child: ChildInfo) -> Feed | None:
    """A `Follow`: the screen is not followed."""
    return None
