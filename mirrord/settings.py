"""How one daemon runs. Checked when made, so the rest of the daemon need not look again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.paths import Paths
from mirrord.errors import PortNotUsable, UnsafeBind
from mirrord.wire.limits import RETENTION_BYTES, RETENTION_DAYS

DEFAULT_PORT: Final = 17673
"""Not assigned by IANA to anybody, and below the ports that Linux and macOS hand out by themselves (from 32768 and 49152)."""

SPARE_PORTS: Final = 9
"""How many ports after the default one are tried for a daemon that nobody gave a port: other users of the machine have daemons too. Not any
free one, since devices look for their daemon where they found it."""

LOOPBACK: Final = "127.0.0.1"
"""The only address of this version: any other needs TLS (design FIXED 5)."""

IDLE_LIMIT: Final = 1_000_000_000
"""Seconds, thirty years: when a daemon would end after so long is still a time that everybody can write down."""

LEVELS: Final = ("error", "warning", "info")
"""How much the log takes, the least first."""


_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Settings:
    """Raises UnsafeBind or PortNotUsable for what this version does not do. Port 0 is any free one.

    `spare_ports`: so many ports after `port` will do as well where that is taken.
    `idle_exit`: seconds without session and client after which the daemon ends; None for one that stays.
    `notify_command`: a program and its arguments; empty for none.
    `push_contact`: a `mailto:` or `https:` address; None for mirrord's own page.
    `given`: names of the settings that a flag decided, which a reload leaves alone.
    `complaints`: what was wrong in the configuration, a sentence each; it does not count.
    """

    paths: Paths
    port: int = DEFAULT_PORT
    host: str = LOOPBACK
    idle_exit: float | None = None
    spare_ports: int = 0
    log_level: str = "info"
    retention_days: int = RETENTION_DAYS
    retention_bytes: int = RETENTION_BYTES
    notify_command: tuple[str, ...] = ()
    notify_titles: bool = False
    push_contact: str | None = None
    given: frozenset[str] = frozenset()
    complaints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would not be safe or possible."""
        if self.host != LOOPBACK:
            raise UnsafeBind(self.host)
        if not 0 <= self.port <= _LAST_PORT - self.spare_ports:
            raise PortNotUsable(self.port, f"a port is a number from 0 to {_LAST_PORT}")
