"""The JSON Schema documents, made from the message structs; `docs/schema/` holds them as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from bridge.messages import FromDaemon, FromExtension
from mirrord.wire.messages import SUBPROTOCOL, ClientMessage, ServerMessage
from mirrord.wire.pairing import PAIR_SUBPROTOCOL, PairClientMessage, PairServerMessage

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SOURCES: Final[Mapping[str, tuple[str, Any]]] = {
    "client": (f"What a client of {SUBPROTOCOL} sends", ClientMessage),
    "server": (f"What a client of {SUBPROTOCOL} receives", ServerMessage),
    "pair": (f"What a device and the daemon say to each other in {PAIR_SUBPROTOCOL}", PairClientMessage | PairServerMessage),
    "bridge": ("What Pi's extension and the daemon say to each other", FromExtension | FromDaemon),
}


def document(direction: str) -> dict[str, Any]:
    """The schema of one direction: any of its messages is valid, and nothing else is.

    Unknown fields are allowed, because a receiver ignores them; unknown message types are, for the same reason, not
    described here.
    """
    title, union = _SOURCES[direction]
    (schema,), components = msgspec.json.schema_components([union], ref_template="#/$defs/{name}")
    return {"$schema": _DIALECT, "title": title, **schema, "$defs": components}


def rendered(schema: Mapping[str, Any]) -> str:
    """As text with two spaces of indentation and a final newline, the form of the files in docs/schema/."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
