"""mirrord-protocol(7): docs/protocol.md as a page, each message with its direction and role as the code has them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from mirrord.wire.messages import ClientMessage, ServerMessage
from mirrord.wire.roles import MINIMUM_ROLE
from tools.manual import markdown, roff


def _tags(union: object) -> tuple[str, ...]:
    return tuple(str(kind.__struct_config__.tag) for kind in get_args(union))


FROM_CLIENT: Final = _tags(ClientMessage)
FROM_DAEMON: Final = _tags(ServerMessage)


def page(source: str) -> str:
    """The whole page, of the text of docs/protocol.md."""
    return roff.text(_lines(source))


def _lines(source: str) -> Iterator[str]:
    (_, _, opening), *rest = markdown.sections(source)
    yield roff.header("mirrord-protocol", 7, "Miscellaneous Information")
    yield from roff.name("mirrord-protocol", "what devices and mirrord's daemon say to each other, mirrord.v1")
    yield ".SH DESCRIPTION"
    yield from markdown.body(opening)
    for level, heading, text in rest:
        yield f"{'.SH' if level == 2 else '.SS'} {roff.escaped(heading.upper() if level == 2 else heading)}"
        if (who := _who(heading)) is not None:
            yield from (*roff.prose(who), ".PP")
        yield from markdown.body(text)
    yield from roff.see_also(("mirrord", 1), ("mirrord-attach", 1), ("mirrord-pair", 1), ("mirrord-schema", 1))


def _who(name: str) -> str | None:
    """Direction and role of a message; None for any other heading."""
    if name in FROM_CLIENT:
        return f"**Client to daemon**, from the role {MINIMUM_ROLE[name].name.lower()} on."
    return "**Daemon to client.**" if name in FROM_DAEMON else None
