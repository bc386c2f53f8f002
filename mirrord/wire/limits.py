"""Bounds of the client protocol, each derived from the bridge's where it carries the same thing."""

from __future__ import annotations

from typing import Final

from bridge.limits import KIB

CLIENT_FRAME_BYTES: Final = 1024 * KIB
"""One frame from a client: the largest content (an edited text of 1 MiB) travels in pieces of 256 KiB, so this leaves room."""

PREFILL_INLINE_BYTES: Final = 128 * KIB
"""An editor's prefill up to this travels with its prompt; a longer one is fetched in pieces by who opens it."""

OUTBOX_BYTES: Final = 4096 * KIB
"""What may wait for one client: a snapshot with the largest prompts, and a burst behind it."""

MAY_BYTES: Final = 64 * KIB
"""Notifications wait only while no more than this does: what a phone on a bad network takes in some seconds."""

OUTBOX_SECONDS: Final = 10.0
"""How long a client may take nothing of what waits for it before it is cut and reconnects into a snapshot."""

HELLO_SECONDS: Final = 10.0
"""A client that has not said hello by then is closed; phones on bad networks need more than a local peer."""

NAME_CLUSTERS: Final = 64
"""Length of a client's or credential's name as shown to others."""

RESPONSE_ID_CHARS: Final = 128
"""A client-made id: a UUID is 36; the rest is room for prefixes."""

CONTENDERS: Final = 128
"""Answers that wait behind the one that is being confirmed: a hundred devices answer at once, and each that lost is told to whom."""

JOURNAL_EVENTS: Final = 256
"""Events of one session kept for clients that come back with a cursor."""

ENDED_SESSIONS: Final = 32
"""Sessions that are over and still listed, newest first."""

CLIENTS: Final = 1024
"""Connections at once, all listeners together; 15 KiB each when idle."""

CAPABILITIES: Final = 32
"""Capability names a client may claim; the contract has six."""

CAPABILITY_CHARS: Final = 64
"""Length of one capability name."""

SUBSCRIPTIONS: Final = 256
"""Sessions one client may follow."""
