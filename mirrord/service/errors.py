"""What concerns the service and a person can mend, each in one sentence."""

from __future__ import annotations

from mirrord.errors import MirrordError


class NoServiceManager(MirrordError):
    """Nothing here could run the service."""


class ServiceFailed(MirrordError):
    """The manager did not do what it was asked."""


class ServiceNotWritable(MirrordError):
    """The manager's folder cannot be written."""


class UnusableName(MirrordError):
    """A path has characters that the manager cannot take."""

    def __init__(self, name: str, has: str = "a line break or another character that cannot be shown") -> None:
        super().__init__(f"the service cannot be written: {name!r} has {has}; choose another place")


class BadActivation(MirrordError):
    """The manager passed a socket that is not one of ours."""

    def __init__(self, number: int, name: str, reason: str) -> None:
        super().__init__(
            f"the socket that was passed as descriptor {number} ({name}) cannot be used: {reason}; "
            "run `mirrord service install` to write the service anew"
        )
