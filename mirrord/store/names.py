"""What devices and credentials may be called. Pure; all of them share one set of names, since a name says who answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from typing import Final

from mirrord.errors import BadName
from mirrord.server.gate import LOCAL_CREDENTIAL
from mirrord.wire.limits import NAME_CLUSTERS
from sanitize import label

NAMELESS: Final = "device"
"""A device that gave no name that can be used."""


def clean_name(name: str) -> str:
    """The name as it is stored and shown. Raises BadName when nothing is left or it is the control socket's own."""
    cleaned = label(name, limit=NAME_CLUSTERS)
    if cleaned.truncated:
        raise BadName(f"it is longer than {NAME_CLUSTERS} characters")
    if not cleaned.text.strip():
        raise BadName("nothing of it can be shown")
    if "/" in cleaned.text:
        raise BadName("it holds a slash, which ends the name inside a response id")
    if cleaned.text == LOCAL_CREDENTIAL:
        raise BadName(f"{LOCAL_CREDENTIAL} means the person at this machine")
    return cleaned.text


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name that is not taken, as near as possible to what a device calls itself: `phone`, `phone 2`, `phone 3`…"""
    return next(name for name in _candidates(wanted) if name not in taken)


def _candidates(wanted: str) -> Iterator[str]:
    base = label(wanted.replace("/", "-"), limit=NAME_CLUSTERS).text.strip()
    if not base or base == LOCAL_CREDENTIAL:
        base = NAMELESS
    yield base
    for number in count(2):
        suffix = f" {number}"
        yield label(base, limit=NAME_CLUSTERS - len(suffix)).text + suffix
