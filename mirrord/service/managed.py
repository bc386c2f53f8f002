"""What a service manager gave the daemon that it started."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass

from mirrord.service.activation import Activated, activated
from mirrord.service.environment import SHED, is_launchds
from mirrord.service.notify import Notifier, notifier
from mirrord.settings import Settings


@dataclass(frozen=True, slots=True)
class Managed:
    """A daemon that has this reloads its settings on SIGHUP.

    `notifier`: None where the manager wants to be told nothing. `quiet`: it only appends to what comes on stderr, so nothing does.
    """

    notifier: Notifier | None
    sockets: Activated
    quiet: bool = False


def managed(environ: MutableMapping[str, str], settings: Settings) -> Managed:
    """What the manager of this process gave it, whose variables are taken out of `environ`. Raises BadActivation."""
    environ.pop(SHED, None)
    told = notifier(environ, os.getpid())
    sockets = activated(environ, os.getpid(), settings.paths, settings.host, settings.port)
    return Managed(told, sockets, quiet=is_launchds(environ))
