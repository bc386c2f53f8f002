"""Which protocol two sides speak, and what a person is told when there is none (`docs/bridge.md`, "Old and new sides")."""

from __future__ import annotations

from bridge.messages import PROTOCOL_MAX, PROTOCOL_MIN, ProtocolRange, Refused


def negotiate(theirs: ProtocolRange, version: str) -> int | Refused:
    """The protocol both will speak, or the refusal that says what to do; its seq is for the link to set."""
    chosen = min(theirs.max, PROTOCOL_MAX)
    if chosen >= max(theirs.min, PROTOCOL_MIN):
        return chosen
    if theirs.max < PROTOCOL_MIN:
        sentence = f"the mirrord extension in this Pi is too old for the running mirrord {version}; type /reload in this Pi"
        return Refused(seq=0, code="protocol_too_old", message=sentence)
    sentence = f"the running mirrord {version} is too old for the extension in this Pi; stop it and start `mirrord serve` again"
    return Refused(seq=0, code="protocol_too_new", message=sentence)
