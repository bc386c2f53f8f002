"""What can go wrong between a client and its daemon; each is one sentence for a person.

MirrordError
├── DaemonNotRunning   nothing listens there
├── NotADaemon         something listens, and it does not speak our protocol
├── BadCredential      HTTP 401
├── Refused            any other HTTP answer of the gate
├── ProtocolMismatch   no protocol number in common
├── CommandRefused     a command came back with an error
├── PairingRefused     the daemon did not take the code, or does not know the device
├── NotGenuine         what answers could not prove that it is the daemon
└── ConnectionLost     the connection ended; `code` and `reason` as the daemon gave them
"""

from __future__ import annotations

from typing import Final

from mirrord.errors import MirrordError

_GOING_AWAY: Final = 1001
_RESTART: Final = 1012
_OVERLOADED: Final = 1013


class DaemonNotRunning(MirrordError):
    """Nothing listens at the address."""

    def __init__(self, where: str) -> None:
        super().__init__(f"no mirrord daemon is running ({where}); start one with `mirrord serve`, or start Pi with `mirrord pi`")


class NotADaemon(MirrordError):
    """Something else answered."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where} does not answer as a mirrord daemon ({reason}); check the address with `mirrord status`")


class BadCredential(MirrordError):
    """The credential is unknown or was revoked."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where} does not know this credential; make a new one with `mirrord pair --token NAME`")


class Refused(MirrordError):
    """The daemon's gate said no; `status` is the HTTP status."""

    def __init__(self, where: str, status: int, reason: str) -> None:
        super().__init__(f"{where} refused the connection: {reason} (HTTP {status})")
        self.status = status


class ProtocolMismatch(MirrordError):
    """Client and daemon have no protocol in common."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"this mirrord and the running daemon do not understand each other ({reason}); `mirrord restart` starts this one in its place"
        )


class CommandRefused(MirrordError):
    """The daemon did not carry out a command; the sentence is the daemon's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PairingRefused(MirrordError):
    """The daemon said no; the sentence is the daemon's. `tries_left` of the code, where it can still be tried."""

    def __init__(self, code: str, message: str, tries_left: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.tries_left = tries_left


class NotGenuine(MirrordError):
    """It does not hold the code, or has another key than the daemon that this device was paired with."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where} could not prove that it is the daemon; look what listens there, and pair again if you made it anew")


class ConnectionLost(MirrordError):
    """The connection ended before we closed it. `code` is None when it broke without a farewell."""

    def __init__(self, code: int | None, reason: str) -> None:
        super().__init__(_farewell(code, reason))
        self.code = code
        self.reason = reason


def _farewell(code: int | None, reason: str) -> str:
    said = f" ({reason})" if reason else ""
    if code in (_GOING_AWAY, _RESTART):
        return f"the daemon stopped{said}"
    if code == _OVERLOADED:
        return f"the daemon closed the connection because this client fell behind{said}; connect again to see where things are"
    if code is None:
        return f"the connection to the daemon broke{said}"
    return f"the daemon closed the connection{said or f' (code {code})'}"
