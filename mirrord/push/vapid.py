"""How the daemon says who it is to a push service (RFC 8292), and whether the packages for push are there."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Final

from mirrord.crypto import SigningKey, to_text
from mirrord.installed_by import command_to_add

SUBJECT: Final = "https://pypi.org/project/pi-mirrord/"
"""Whom the operator of a push service can turn to: Apple refuses tokens without such an address, or with one at localhost."""

TOKEN_SECONDS: Final = 12 * 3600
"""How long a token is good. RFC 8292 allows 24 hours; half of that forgives a wrong clock."""

REQUIREMENT: Final = "pywebpush>=2"
"""What the extra `push` brings."""

_PACKAGES: Final = ("http_ece", "py_vapid")
"""What is used of `pywebpush` and comes with it. The package itself is not imported: it loads two HTTP clients, 20 MB, and both
follow redirects and connect to whatever a name stands for."""


def missing() -> str | None:
    """Why there is no push, in one sentence with the command that changes it; None: there is. Looks anew at each call."""
    importlib.invalidate_caches()
    if all(importlib.util.find_spec(package) is not None for package in _PACKAGES):
        return None
    return f"Push needs one more package on this machine: run `{command_to_add(REQUIREMENT)}` there."


def authorization(key: SigningKey, audience: str, now: int, contact: str | None = None) -> str:
    """The header for requests to `audience`, an origin. `now` in ms since the epoch; `contact` is where we are reached, else SUBJECT."""
    from py_vapid import Vapid02

    vapid = Vapid02.from_raw(to_text(key.secret).encode())
    # Its check of `sub` knows no address with a path.
    vapid.conf["no-strict"] = True
    signed: dict[str, str] = vapid.sign({"sub": contact or SUBJECT, "aud": audience, "exp": now // 1000 + TOKEN_SECONDS})
    return signed["Authorization"]
