"""The newest rows of one conversation, in order and within bounds. Rows are found by their ids alone, never by what they say."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from mirrord.core.chat.changes import Added, Appended, Change, Removed, Replaced, Row
from mirrord.wire.chat import ChatMessage, ChatPart
from mirrord.wire.limits import CHAT_BYTES, CHAT_ROWS
from mirrord.wire.units import head, units


@dataclass(slots=True)
class Timeline:
    """Rows, and whether there are older ones. Methods return what changed; a boundary is no change but a new state."""

    rows: list[Row] = field(default_factory=list)
    more: bool = False
    """There are rows older than the first."""
    version: int = 0
    """Grows with each change."""
    _page: list[tuple[ChatMessage, int]] | None = None
    """Rows since a boundary was announced, which count when the page is whole."""
    _page_more: bool = False
    _serial: int = 0
    _bytes: int = 0

    @property
    def first(self) -> str | None:
        """The id that older rows are asked for with: there are none, or no row is there to ask with."""
        return self.rows[0].message.id if self.more and self.rows else None

    @property
    def bytes(self) -> int:
        """What the rows take as JSON, or a little more."""
        return self._bytes

    def messages(self) -> tuple[ChatMessage, ...]:
        """All of them."""
        return tuple(row.message for row in self.rows)

    # ---- boundaries --------------------------------------------------------------------------------------------------

    def begin(self, more: bool) -> None:
        """A page begins that will replace everything."""
        self._page, self._page_more = [], more

    def ready(self) -> bool:
        """The page is whole: it is the timeline now. False when none had begun."""
        if self._page is None:
            return False
        page, self._page = self._page, None
        self.rows, self._bytes, self.more = [], 0, self._page_more
        for message, size in page:
            self._insert(len(self.rows), message, size)
        self.version += 1
        return True

    def abandon(self) -> None:
        """The page will not become whole; what was known stays."""
        self._page = None

    # ---- rows --------------------------------------------------------------------------------------------------------

    def put(self, message: ChatMessage, after: str | None) -> list[Change]:
        """A row is new, or replaces the one of its id, after the row `after`. One that is older than the window is let go."""
        size = len(msgspec.json.encode(message))
        if self._page is not None:
            self._page.append((message, size))
            self._trim_page()
            return []
        at = self._find(message.id)
        before = self._find(after) if after is not None else None
        known_place = before is not None or (after is None and not self.more)
        target = 0 if before is None else before + 1
        if at is not None and (target == at or not known_place):
            return [self._replace(at, message, size), *self._trim()]
        changes: list[Change] = []
        if at is not None:
            row = self._take(at)
            changes.append(Removed(at))
            target -= target > at
            self._give(target, Row(row.serial, row.version + 1, message, _units(message), size))
        elif known_place:
            self._insert(target, message, size)
        else:
            return []
        self.version += 1
        changes.append(Added(target, message))
        return changes + self._trim()

    def append(self, id_: str, part: int, offset: int, text: str, start: ChatPart | None) -> list[Change] | None:
        """New text of a part, last in what is returned; None when it does not follow what is there. A row let go changes nothing."""
        at = self._find(id_)
        if at is None or self._page is not None:
            return []
        row = self.rows[at]
        parts = list(row.message.parts)
        if start is not None:
            if part != len(parts):
                return None
            parts.append(start)
            row.units.append(0)
        if part >= len(parts):
            return None
        changed = self._appended(parts[part], row.units[part], offset, text)
        if changed is None:
            if start is not None:
                row.units.pop()
            return None
        parts[part] = changed
        row.units[part] = offset + units(text)
        row.message = msgspec.structs.replace(row.message, parts=tuple(parts))
        self._touch(row, row.size + len(text.encode()))
        trimmed = self._trim()
        at -= len(trimmed)
        return trimmed if at < 0 else [*trimmed, Appended(at, part, offset, text, start)]

    def confirm(self, id_: str, entry_id: str) -> list[Change]:
        """A row has its entry: the same row under another id."""
        at = self._find(id_)
        if at is None:
            return []
        if self._find(entry_id) is not None:
            # It was told as an entry before: the row that is there stays.
            return self.remove(id_)
        message = self.rows[at].message
        return [self._replace(at, msgspec.structs.replace(message, id=entry_id, entry_id=entry_id, live_id=id_), self.rows[at].size)]

    def remove(self, id_: str) -> list[Change]:
        """A row is no part of the conversation."""
        at = self._find(id_)
        if at is None:
            return []
        self._take(at)
        self.version += 1
        return [Removed(at)]

    def cut_off(self) -> list[Change]:
        """What streams will not go on: it counts as aborted."""
        return [
            self._replace(at, msgspec.structs.replace(row.message, state="aborted"), row.size)
            for at, row in enumerate(self.rows)
            if row.message.state == "streaming"
        ]

    def shorten(self, size: int) -> list[Change]:
        """Let the oldest go until the rows take no more than these bytes; the newest row always stays."""
        changes = self._let_go(CHAT_ROWS, size)
        self.version += len(changes)
        return changes

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _find(self, id_: str) -> int | None:
        """From the end, where nearly everything happens."""
        for at in range(len(self.rows) - 1, -1, -1):
            if self.rows[at].message.id == id_:
                return at
        return None

    def _insert(self, at: int, message: ChatMessage, size: int) -> None:
        self._serial += 1
        self._give(at, Row(self._serial, 0, message, _units(message), size))

    def _give(self, at: int, row: Row) -> None:
        self.rows.insert(at, row)
        self._bytes += row.size

    def _take(self, at: int) -> Row:
        row = self.rows.pop(at)
        self._bytes -= row.size
        return row

    def _replace(self, at: int, message: ChatMessage, size: int) -> Replaced:
        row = self.rows[at]
        row.message, row.units = message, _units(message)
        self._touch(row, size)
        return Replaced(at, message)

    def _touch(self, row: Row, size: int) -> None:
        self._bytes += size - row.size
        row.size = size
        row.version += 1
        self.version += 1

    @staticmethod
    def _appended(part: ChatPart, length: int, offset: int, text: str) -> ChatPart | None:
        is_call = part.type == "tool_call"
        whole = (part.args if is_call else part.text) or ""
        kept = whole if offset == length else head(whole, offset)
        if kept is None:
            return None
        return msgspec.structs.replace(part, args=kept + text) if is_call else msgspec.structs.replace(part, text=kept + text)

    def _trim(self) -> list[Change]:
        return self._let_go(CHAT_ROWS, CHAT_BYTES)

    def _let_go(self, rows: int, size: int) -> list[Change]:
        """Let the oldest go while there are more rows or bytes; the newest row always stays."""
        changes: list[Change] = []
        while len(self.rows) > 1 and (len(self.rows) > rows or self._bytes > size):
            self._take(0)
            self.more = True
            changes.append(Removed(0))
        return changes

    def _trim_page(self) -> None:
        page = self._page or []
        while len(page) > 1 and (len(page) > CHAT_ROWS or sum(size for _, size in page) > CHAT_BYTES):
            del page[0]
            self._page_more = True


def _units(message: ChatMessage) -> list[int]:
    return [units((part.args if part.type == "tool_call" else part.text) or "") for part in message.parts]
