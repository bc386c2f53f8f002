"""How a service manager starts the daemon, made from where and by whom it is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bridge.paths import Paths
from mirrord.service.errors import UnusableName

PLACES: Final = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
"""Variables that decide where our files are. The service has those of whoever installs it, so that both mean the same places."""


@dataclass(frozen=True, slots=True)
class Launch:
    """`python` is the interpreter of the environment that mirrord is installed in; it stays where it is when mirrord is upgraded.

    `places` has the value of each of PLACES, None where it is not set. Raises UnusableName for a path with control characters.
    """

    python: str
    port: int
    paths: Paths
    places: Mapping[str, str | None]

    def __post_init__(self) -> None:
        """Both formats are lines of text."""
        for text in (self.python, str(self.paths.state_dir), str(self.paths.runtime_dir), *self.places.values()):
            if text is not None and not text.isprintable():
                raise UnusableName(text)

    @property
    def command(self) -> tuple[str, ...]:
        """Program and arguments. -P: the folder it starts in is no place to import from."""
        return (self.python, "-P", "-m", "mirrord", "serve", "--port", str(self.port))


def launch_here(port: int, paths: Paths, environ: Mapping[str, str]) -> Launch:
    """As this process would be started again."""
    return Launch(sys.executable, port, paths, {name: environ.get(name) or None for name in PLACES})
