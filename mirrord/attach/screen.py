"""Where `mirrord attach` shows lines and takes typed ones: here the plain kinds, in `attach_editor.py` the one with a line editor."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from mirrord.attach.panel import Panel
from mirrord.attach.session import AttachSession, LineStart
from mirrord.attach.stdin_lines import LineSplitter, chunks


class Interrupted(Exception):
    """Ctrl+C was typed where the terminal gives it to us as a key."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line, and what was on screen when its first key was typed. `text` is None for a line that is too long to take."""

    start: LineStart
    text: str | None


def nothing() -> None:
    """Nothing follows."""


class Screen(Protocol):
    """One person's view."""

    @property
    def answers(self) -> bool:
        """Whether lines can be typed here."""

    @property
    def replaces(self) -> bool:
        """Whether a panel can be shown here, which is replaced in place."""

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Put the lines on screen and call `then`; no key is taken between the two."""

    def replace(self, panel: Panel) -> None:
        """Show this panel below the lines, in the place of the one before. Only where `replaces`."""

    def typed(self) -> AsyncIterator[Typed]:
        """The lines that are typed, until the end of the input. Raises `Interrupted`."""


class WatchScreen:
    """Shows and takes nothing; stdin is not read at all."""

    answers = False
    replaces = False

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Write to stdout and flush."""
        _write(lines)
        then()

    def replace(self, panel: Panel) -> None:
        """Nothing can be replaced here."""

    async def typed(self) -> AsyncIterator[Typed]:
        """Ends at once."""
        none: tuple[Typed, ...] = ()
        for line in none:
            yield line


class WatchTerminal(WatchScreen):
    """The same in a terminal, where a panel stands below the lines."""

    replaces = True

    def __init__(self) -> None:
        self._panel: list[str] = []

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Write above the panel."""
        self._draw([*lines], self._panel)
        then()

    def replace(self, panel: Panel) -> None:
        """Draw it in the place of the one before."""
        self._draw([], panel(shutil.get_terminal_size()))

    def _draw(self, lines: list[str], panel: list[str]) -> None:
        # A panel's lines fit their rows, so that there are as many rows as lines.
        up = f"\x1b[{len(self._panel)}F\x1b[J" if self._panel else ""
        sys.stdout.write(up + "".join(f"{line}\n" for line in [*lines, *panel]))
        sys.stdout.flush()
        self._panel = panel


class PlainScreen:
    """stdin is a pipe or a file: a line's first key is the arrival of its first byte."""

    answers = True
    replaces = False

    def __init__(self, session: AttachSession, fd: int) -> None:
        self._session = session
        self._fd = fd

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Write to stdout and flush."""
        _write(lines)
        then()

    def replace(self, panel: Panel) -> None:
        """Nothing can be replaced here."""

    async def typed(self) -> AsyncIterator[Typed]:
        """Every line of the input."""
        splitter = LineSplitter()
        begun: LineStart | None = None
        async for chunk in chunks(self._fd):
            arrival = self._session.start_line()
            for line in splitter.feed(chunk):
                yield Typed(begun or arrival, _decoded(line))
                begun = None
            begun = (begun or arrival) if splitter.begun else None
        for line in splitter.close():
            yield Typed(begun or self._session.start_line(), _decoded(line))


def _decoded(line: bytes | None) -> str | None:
    return None if line is None else line.removesuffix(b"\r").decode("utf-8", "replace")


def _write(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
