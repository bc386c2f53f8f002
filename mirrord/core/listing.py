"""Sessions by pages, those first whose state changed last, and by a part of their title. Pure.

The search is literal and case-insensitive and comes before paging. A cursor names a place in the order, not a session: pages go on
where they were also when sessions come and go. A session whose state changes meanwhile moves to the front and is told to
every client by a `session` message.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec

from mirrord.wire.messages import Session

PAGE: Final = 50
"""Sessions on a page unless the client asks for fewer or more: some screens of a phone."""

PAGE_MAX: Final = 100
"""A listed session is at most some 6 KB, so that a page stays below the largest frame."""

SEARCH_CHARS: Final = 256
"""No title that is shown is longer."""

CURSOR_CHARS: Final = 256
"""A time and a session's id."""


class SessionsArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What part of the title to look for, how many sessions at most, and where the page before ended."""

    search: Annotated[str, msgspec.Meta(max_length=SEARCH_CHARS)] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,16}\.", max_length=CURSOR_CHARS)] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some sessions, and the cursor of the page after them; None when this is the last."""

    sessions: tuple[Session, ...]
    cursor: str | None


def title(session: Session) -> str:
    """What a session is called: its name, else what the person wrote first, else its folder."""
    return session.name or session.first_message or session.cwd.rstrip("/").rpartition("/")[2] or session.cwd


def fold(text: str) -> str:
    """The form in which texts are compared that differ only in case or in how their accents are written."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def page(sessions: Iterable[Session], args: SessionsArgs) -> Page:
    """The page that was asked for."""
    begin = _place(args.cursor)
    wanted = fold(args.search)
    found = sorted((each for each in sessions if wanted in fold(title(each)) and _key(each) > begin), key=_key)
    shown = tuple(found[: args.limit])
    return Page(shown, _cursor(shown[-1]) if len(found) > len(shown) else None)


def listed(sessions: Iterable[Session], args: SessionsArgs) -> dict[str, Any]:
    """`{sessions, cursor?}`: the data of the command `sessions`."""
    found = page(sessions, args)
    return {"sessions": found.sessions} if found.cursor is None else {"sessions": found.sessions, "cursor": found.cursor}


def _key(session: Session) -> tuple[int, str]:
    return -session.status.since, session.session_id


def _cursor(session: Session) -> str:
    return f"{session.status.since}.{session.session_id}"


def _place(cursor: str | None) -> tuple[float, str]:
    if cursor is None:
        return -math.inf, ""
    since, _, session_id = cursor.partition(".")
    return -int(since), session_id
