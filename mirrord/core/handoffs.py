"""Texts that an extension put into Pi's editor: told once to who is there, never replayed; long ones are fetched in pieces."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from bridge.limits import PIECE_CHARACTERS
from mirrord.core.effects import Publish
from mirrord.core.model import Handoff, TerminalId
from mirrord.core.pace import Bucket
from mirrord.wire.messages import ExtensionUINotification
from mirrord.wire.surface_limits import HANDOFF_INLINE_BYTES, HANDOFFS, NOTES_A_SECOND, NOTES_AT_ONCE


@dataclass(slots=True)
class Handoffs:
    """Those of one terminal."""

    session: TerminalId
    _pace: Bucket = field(default_factory=lambda: Bucket(NOTES_AT_ONCE, NOTES_A_SECOND))
    _long: OrderedDict[str, Handoff] = field(default_factory=OrderedDict)

    def tell(self, handoff: Handoff, now: float) -> list[Publish]:
        """The text, or in how many pieces it comes.

        One that replaces the whole text replaces an older one that waits; of pastes, more than a person could use are dropped.
        """
        if handoff.paste and not self._pace.take(now):
            return []
        parts = None
        if len(handoff.text.encode()) > HANDOFF_INLINE_BYTES:
            parts = -(-len(handoff.text) // PIECE_CHARACTERS)
            self._long[handoff.id] = handoff
            while len(self._long) > HANDOFFS:
                self._long.popitem(last=False)
        message = ExtensionUINotification(
            session_id=self.session,
            method="set_editor_text",
            handoff_id=handoff.id,
            paste=handoff.paste,
            text=handoff.text if parts is None else None,
            text_parts=parts,
            source=handoff.source,
        )
        key = f"{self.session}/editor/{handoff.id}" if handoff.paste else f"{self.session}/editor"
        # Who only looks has no composer, and an extension may hand back what somebody typed before.
        return [Publish(message, "latest", key, durable=False, audience="controllers")]

    def piece(self, handoff: str, part: int) -> tuple[str, int] | None:
        """Piece `part` (from 0) of a long text and how many there are, None when there is no such piece."""
        text = self._long[handoff].text if handoff in self._long else ""
        piece = text[part * PIECE_CHARACTERS : (part + 1) * PIECE_CHARACTERS] if part >= 0 else ""
        return (piece, -(-len(text) // PIECE_CHARACTERS)) if piece else None

    @property
    def bytes(self) -> int:
        """What the long ones take, in UTF-8 bytes."""
        return sum(len(handoff.text.encode()) for handoff in self._long.values())

    def clear(self) -> None:
        """The session is over."""
        self._long.clear()
