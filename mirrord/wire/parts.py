"""What the structs of the client protocol have in common."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A JSON object inside a message."""


class Truncation(Part, frozen=True):
    """A text or list that was cut: `shown` of `total`, in bytes, clusters or items as the field has it."""

    field: str
    shown: int
    total: int


class Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", kw_only=True):
    """One WebSocket text frame."""
