"""Texts on the wires: they are counted in UTF-16 code units, as JavaScript does, and a long one travels in pieces."""

from __future__ import annotations

from typing import Final

from bridge.limits import PIECE_CHARACTERS

_CODEC: Final = "utf-16-le"


def units(text: str) -> int:
    """The length of `text` in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode(_CODEC, "surrogatepass")) // 2


def head(text: str, count: int) -> str | None:
    """The first `count` units of `text`; None when it has fewer, or the last of them is half a character."""
    if text.isascii():
        return text[:count] if 0 <= count <= len(text) else None
    encoded = text.encode(_CODEC, "surrogatepass")
    if not 0 <= count * 2 <= len(encoded):
        return None
    try:
        return encoded[: count * 2].decode(_CODEC)
    except UnicodeDecodeError:
        return None


def pieces(text: str) -> list[str]:
    """`text` in pieces that each fit a frame, whatever is in them."""
    return [text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS)]


def in_frames(text: str | None) -> tuple[str | None, list[str]]:
    """What of a text goes in the frame of its message, and what goes ahead of that in pieces; never both."""
    if text is None or len(text) <= PIECE_CHARACTERS:
        return text, []
    return None, pieces(text)
