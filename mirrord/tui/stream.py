"""The stream of one session on the screen, as a `mirrord.attach.screen.Screen`: lines above, and a line that is typed below."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Final

import anyio
from rich.style import Style
from rich.text import Text
from textual.events import Resize
from textual.widgets import RichLog

from mirrord.attach.panel import Panel
from mirrord.attach.screen import Typed, nothing
from mirrord.tui.painting import Look, look_of

STREAM_LINES: Final = 5_000
"""Lines that can be scrolled back to: a long day's conversation without what tools said."""

TYPED_LINES: Final = 64
"""Lines that wait to be sent: more than a person types while the daemon is away."""


class StreamLog(RichLog):
    """Lines by their looks; written anew when the width changes, because they wrap."""

    can_focus = True

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True, min_width=0, markup=False, highlight=False, max_lines=STREAM_LINES)
        self._lines_kept: deque[str] = deque(maxlen=STREAM_LINES)
        self._columns = 0

    @property
    def text(self) -> str:
        """All lines, as they were before they were wrapped."""
        return "\n".join(self._lines_kept)

    def put(self, lines: Iterable[str]) -> None:
        """Lines at the end. They are clean, and never read as markup."""
        for line in lines:
            self._lines_kept.append(line)
            self.write(Text(line, style=self._style(look_of(line))))

    def empty(self) -> None:
        """Another session begins."""
        self._lines_kept.clear()
        self.clear()

    def on_resize(self, event: Resize) -> None:
        """Wrap again."""
        if event.size.width != self._columns:
            self._columns = event.size.width
            self.clear()
            for line in self._lines_kept:
                self.write(Text(line, style=self._style(look_of(line))))

    def _style(self, look: Look) -> Style:
        theme = self.app.current_theme
        match look:
            case "plain":
                return Style()
            case "strong":
                return Style(bold=True)
            case "quiet":
                return Style(dim=True)
            case "accent":
                return Style(color=theme.accent)
            case "success":
                return Style(color=theme.success)
            case "warning":
                return Style(color=theme.warning, bold=True)
            case "error":
                return Style(color=theme.error)


class StreamScreen:
    """`changed` is called when a panel or the open prompts may be others."""

    replaces = True

    def __init__(self, log: StreamLog, *, answers: bool, changed: Callable[[], None]) -> None:
        self._log = log
        self._answers = answers
        self._changed = changed
        self._lines: deque[Typed] = deque(maxlen=TYPED_LINES)
        self._typed = anyio.Event()

    @property
    def answers(self) -> bool:
        """Whether lines can be typed here."""
        return self._answers

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Put the lines on screen and call `then`; no key is taken between the two."""
        self._log.put(lines)
        then()
        self._changed()

    def replace(self, panel: Panel) -> None:
        """The surfaces have a pane of their own."""
        self._changed()

    def enter(self, typed: Typed) -> None:
        """A line was typed."""
        self._lines.append(typed)
        self._typed.set()

    async def typed(self) -> AsyncIterator[Typed]:
        """Each line, for ever."""
        while True:
            while self._lines:
                yield self._lines.popleft()
            self._typed = anyio.Event()
            await self._typed.wait()
