"""What the daemon refuses, each in one sentence for the person who can mend it.

    MirrordError
    ├── UnsafeBind           an address other than 127.0.0.1
    ├── PortNotUsable        the port is taken, forbidden or no port number
    ├── StoreError           the store cannot do what was asked
    │   ├── NewerStore       written by a later mirrord
    │   ├── NameTaken        a credential has that name
    │   ├── BadName          a credential cannot be called that
    │   ├── NoSuchDevice     no device has that name
    │   └── StoreNotWritable the disk said no
    ├── DaemonNotStarted     a detached daemon did not come up
    ├── mirrord/service/errors.py: what concerns the service
    └── mirrord/client/errors.py: what a client meets

`bridge.refusal.Refusal` is its counterpart for what the terminal's side finds on this machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from mirrord.wire.limits import NAME_CLUSTERS
from sanitize import label


class MirrordError(Exception):
    """A user can mend this. `str()` is one sentence: what happened and what to do; `exit_code` ends the command."""

    exit_code: ClassVar[int] = 1


class UnsafeBind(MirrordError):
    """The daemon may not listen there."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"this version listens on 127.0.0.1 only, not on {host}; reach it from elsewhere through an SSH tunnel "
            "(`ssh -L PORT:127.0.0.1:PORT HOST`, the same port on both sides)"
        )


class PortNotUsable(MirrordError):
    """The port cannot be listened on."""

    def __init__(self, port: int, reason: str) -> None:
        super().__init__(f"port {port} cannot be used ({reason}); choose another one with --port, or --port 0 for any free one")


class StoreError(MirrordError):
    """The store cannot do what was asked."""


class NewerStore(StoreError):
    """A later mirrord wrote the store, in a form this one does not know."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer mirrord (format {found}, this one knows {known}); upgrade mirrord, or move the file away"
        )


class NameTaken(StoreError):
    """Credential names are unique."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a credential called {name} already; choose another name")


class BadName(StoreError):
    """Nothing is left of the name once it is cleaned, or it stands for something else."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"a credential cannot have this name: {reason}; choose another name")


class NoSuchDevice(StoreError):
    """Nobody who may connect is called that."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no device is called {label(name, limit=NAME_CLUSTERS).text}; `mirrord devices` lists them")


class StoreNotWritable(StoreError):
    """The disk is full, read-only or broken."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be used ({reason}); make room or check the disk, then try again")


class DaemonNotStarted(MirrordError):
    """A daemon was started in the background and did not answer in time."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the mirrord daemon did not start: {reason}")
