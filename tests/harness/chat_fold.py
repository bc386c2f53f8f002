"""What a daemon would show of a conversation: the rows that `chat_…` messages make, and how they came to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from bridge.chat import ChatConfirm, ChatDelta, ChatPart, ChatReady, ChatRemove, ChatReset, ChatRow, ChatRowTold
from bridge.messages import FromExtension


def text_of(row: ChatRow) -> str:
    """All that a row says, without thinking."""
    return "".join(part.text or "" for part in row.parts if part.type == "text")


@dataclass(slots=True)
class Fold:
    """`rows` in their order. A message that does not follow raises AssertionError: a daemon would have asked for all again."""

    rows: list[ChatRow] = field(default_factory=list)
    resets: list[ChatReset] = field(default_factory=list)
    deltas: int = 0
    _coming: list[ChatRow] | None = None

    @classmethod
    def of(cls, messages: Iterable[FromExtension]) -> Fold:
        fold = cls()
        for message in messages:
            fold.take(message)
        return fold

    @property
    def is_whole(self) -> bool:
        """No page is under way."""
        return bool(self.resets) and self._coming is None

    @property
    def reason(self) -> str | None:
        """Why the rows were last told from the beginning; None while they are being told."""
        return self.resets[-1].reason if self.is_whole else None

    def take(self, message: FromExtension) -> None:
        match message:
            case ChatReset():
                self.resets.append(message)
                self._coming = []
            case ChatReady():
                assert self._coming is not None
                self.rows, self._coming = self._coming, None
            case ChatRowTold(row=row, after=after):
                self._row(row, after)
            case ChatDelta():
                self.deltas += 1
                self._delta(message)
            case ChatConfirm(id=known, entry_id=entry_id):
                at = self._at(known)
                self.rows[at] = msgspec.structs.replace(self.rows[at], id=entry_id, entry_id=entry_id, live_id=known)
            case ChatRemove(id=known):
                del self.rows[self._at(known)]

    def _at(self, known: str) -> int:
        assert self._coming is None, "a page is under way"
        found = [index for index, row in enumerate(self.rows) if row.id == known]
        assert len(found) == 1, (known, [row.id for row in self.rows])
        return found[0]

    def _row(self, row: ChatRow, after: str | None) -> None:
        if self._coming is not None:
            if self._coming:
                assert after == self._coming[-1].id
            else:
                assert (after is None) != self.resets[-1].more
            self._coming.append(row)
            return
        rest = [known for known in self.rows if known.id != row.id]
        ids = [known.id for known in rest]
        assert after is None or after in ids, (row, after, ids)
        rest.insert(0 if after is None else ids.index(after) + 1, row)
        self.rows = rest

    def _delta(self, delta: ChatDelta) -> None:
        at = self._at(delta.id)
        parts = list(self.rows[at].parts)
        if delta.start is not None:
            assert (delta.part, delta.offset) == (len(parts), 0), delta
            parts.append(delta.start)
        part = parts[delta.part]
        parts[delta.part] = _grown(part, delta)
        self.rows[at] = msgspec.structs.replace(self.rows[at], parts=tuple(parts))


def _grown(part: ChatPart, delta: ChatDelta) -> ChatPart:
    before = ((part.args if part.type == "tool_call" else part.text) or "").encode("utf-16-le")
    assert delta.offset * 2 <= len(before), delta
    text = before[: delta.offset * 2].decode("utf-16-le") + delta.text
    return msgspec.structs.replace(part, args=text) if part.type == "tool_call" else msgspec.structs.replace(part, text=text)
