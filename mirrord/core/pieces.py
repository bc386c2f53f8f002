"""Long texts that come in pieces: in order, one text at a time, within a bound; anything else is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge.limits import CONTENT_BYTES


@dataclass(slots=True)
class Pieces:
    """The text that is coming in, and what the sender calls it."""

    limit: int = CONTENT_BYTES
    """Most UTF-8 bytes of one text."""
    _name: str | None = None
    _parts: int = 0
    _texts: list[str] = field(default_factory=list, repr=False)
    _bytes: int = 0

    def add(self, name: str, part: int, parts: int, text: str) -> bool:
        """Take piece `part` (from 0) of `parts`; False when it does not follow the one before or the text grows too long."""
        if part == 0:
            self.clear()
            self._name, self._parts = name, parts
        self._bytes += len(text.encode(errors="surrogatepass"))
        if (name, part, parts) != (self._name, len(self._texts), self._parts) or part >= parts or self._bytes > self.limit:
            self.clear()
            return False
        self._texts.append(text)
        return True

    def take(self, name: str, parts: int) -> str | None:
        """The whole text of this name, which is then forgotten; None when it has not come whole."""
        whole = (self._name, self._parts, len(self._texts)) == (name, parts, parts)
        text = "".join(self._texts) if whole else None
        if whole:
            self.clear()
        return text

    def clear(self) -> None:
        """Forget what has come."""
        self._name, self._parts, self._texts, self._bytes = None, 0, [], 0
