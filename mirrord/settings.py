"""How one daemon runs. Checked when made, so the rest of the daemon need not look again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.paths import Paths
from mirrord.errors import PortNotUsable, UnsafeBind

DEFAULT_PORT: Final = 17673
"""Not assigned by IANA to anybody, and below the ports that Linux and macOS hand out by themselves (from 32768 and 49152)."""

LOOPBACK: Final = "127.0.0.1"
"""The only address of this version: any other needs TLS (design FIXED 5)."""

_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Settings:
    """Raises UnsafeBind or PortNotUsable for what this version does not do. Port 0 is any free one."""

    paths: Paths
    port: int = DEFAULT_PORT
    host: str = LOOPBACK

    def __post_init__(self) -> None:
        """Refuse what would not be safe or possible."""
        if self.host != LOOPBACK:
            raise UnsafeBind(self.host)
        if not 0 <= self.port <= _LAST_PORT:
            raise PortNotUsable(self.port, f"a port is a number from 0 to {_LAST_PORT}")
