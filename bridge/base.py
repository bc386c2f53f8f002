"""What every struct of the bridge wire is made of."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A JSON object inside a message."""


class Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", kw_only=True):
    """A JSON object on a line of its own. `seq` counts from 1 in each direction of a link."""

    seq: int


class By(Part, frozen=True):
    """Who answers or acts: the credential's name and the client's kind, both for display."""

    name: str
    kind: str
