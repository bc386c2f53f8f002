"""Which links may leave, and with which text."""

from __future__ import annotations


def safe_link(uri: str) -> str | None:
    """`uri` when a client may follow it."""
    raise NotImplementedError(uri)


def names_other_host(text: str, link: str) -> bool:
    """Whether the text of a link shows a host that is not the link's."""
    raise NotImplementedError(text, link)
