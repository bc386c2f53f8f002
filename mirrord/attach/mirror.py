"""`mirrord attach --screen`: the terminal's screen as text, each time it changes, until it is shared no longer or the session ends."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from mirrord.attach.view import session_title
from mirrord.client import Connection
from mirrord.client.clean import several_lines
from mirrord.client.refusals import refused_by
from mirrord.wire import messages as wire
from sanitize.clusters import clusters
from sanitize.width import cluster_width, text_width

HIDDEN_SENTENCES: Final[dict[wire.ScreenHidden, str]] = {
    "login": "Hidden: secrets are typed there now.",
    "incomplete": "Some of it was missed; the next whole screen comes by itself.",
    "unknown": "Hidden: it cannot be told where something is typed.",
    "large": "Hidden: this terminal is too large.",
    "off": "The screen is shared no longer.",
    "lost": "Nothing follows this screen any more.",
}

_OVER: Final = ("off", "lost")
"""After these nothing more comes."""

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_REST_OF_LINE: Final = "\x1b[K"
_REST_OF_SCREEN: Final = "\x1b[J"


async def mirror(connection: Connection, session: wire.Session) -> int:
    """Show the screen; the exit status. Raises CommandRefused with the sentence where it may not be seen."""
    with refused_by(connection):
        await connection.request("screen_watch", type(None), {"sessionId": session.session_id, "on": True})
    last = "The session has ended."
    with _shown() as show:
        while True:
            match await connection.receive():
                case wire.Screen(session_id=session.session_id) as screen:
                    if screen.hidden in _OVER:
                        last = HIDDEN_SENTENCES[screen.hidden]
                        break
                    show(f"{session_title(session)}, {screen.columns} columns, {screen.rows} rows. Ctrl+C leaves.", text_of(screen))
                case wire.SessionChanged(change=change, session=changed) if changed.session_id == session.session_id:
                    if change == "removed" or changed.status.state == "ended":
                        break
                case _:
                    pass
    print(last, flush=True)
    return 0


def text_of(screen: wire.Screen) -> list[str]:
    """The screen's lines, cleaned once more: a terminal obeys what it is given."""
    if screen.hidden is not None:
        return [HIDDEN_SENTENCES[screen.hidden]]
    # A line of the screen is one here as well, whatever it holds.
    return [" ".join(several_lines("".join(span.text for span in line))) for line in screen.lines]


def frame(title: str, lines: Sequence[str], size: os.terminal_size) -> str:
    """A full terminal of this size: the last row has the title, and the rows of the screen that fit are above it, from the top."""
    rows = [*lines[: max(size.lines - 1, 0)]]
    rows += [""] * (size.lines - 1 - len(rows))
    return _HOME + "\r\n".join(fitted(row, size.columns) + _REST_OF_LINE for row in [*rows, title]) + _REST_OF_SCREEN


def fitted(line: str, columns: int) -> str:
    """As much of a clean line as so many columns hold. One short of them, for terminals that would go on below."""
    if text_width(line) < columns:
        return line
    kept, room = "", columns - 1
    for cluster in clusters(line):
        room -= cluster_width(cluster)
        if room < 0:
            break
        kept += cluster
    return kept


class _Show:
    def __call__(self, title: str, lines: Sequence[str]) -> None:
        sys.stdout.write(frame(title, lines, shutil.get_terminal_size()))
        sys.stdout.flush()


class _Print:
    """Where the output is no terminal: one screen after the other, each under its title."""

    def __call__(self, title: str, lines: Sequence[str]) -> None:
        sys.stdout.write("".join(f"{line}\n" for line in [f"--- {title}", *lines]))
        sys.stdout.flush()


@contextmanager
def _shown() -> Iterator[_Show | _Print]:
    """How to show a screen; the terminal is as before after the block."""
    if not sys.stdout.isatty():
        yield _Print()
        return
    sys.stdout.write(_ENTER)
    try:
        yield _Show()
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
