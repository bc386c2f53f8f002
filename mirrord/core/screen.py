"""What is known of a session from its terminal's screen: the menu of Pi's own that waits there, and the screen itself for who watches it.

The screen is shown only while the person at the terminal lets it be seen, is never kept, and is asked for only while somebody watches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mirrord.core import events
from mirrord.core.commands import TellScreen, WatchScreen
from mirrord.core.effects import Effect, Show
from mirrord.core.model import ClientId, LinkId, TerminalId
from mirrord.wire.messages import Screen, ScreenHidden

QUESTION: Final = "question"
"""What is shown as the menu when Pi only says that it waits for somebody, and nothing tells for what."""

REDRAW_SECONDS: Final = 0.5
"""How long after a dialog its picture may still come: Pi draws within a frame, the follower looks ten times a second."""

_BLOCKED: Final = "blocked"
_NO_SIZE: Final = 1


class NotShared(Exception):
    """The screen may not be watched; the text is one sentence for a person."""


@dataclass(slots=True)
class SessionScreen:
    """The screen of one session; every change returns what is to be done."""

    terminal: TerminalId
    linked: bool = False
    """Whether a follower is there. Without one nothing is known."""
    menu: str | None = None
    since: int = 0
    """Since when `waits_in` is so, ms since the epoch."""
    _blocked: bool = False
    _offered: bool = False
    """The terminal was started to be seen."""
    _consent: bool | None = None
    """What the person said since, which counts for more."""
    _told: bool = True
    """Whether the extension that runs now told what the person said."""
    _watchers: dict[ClientId, None] = field(default_factory=dict)
    _covered: bool = True
    """Whether something may be typed that the follower cannot tell from what is shown."""
    _latest: Screen | None = None
    _reported: TellScreen | None = None

    @property
    def waits_in(self) -> str | None:
        """The menu that waits for the person at the terminal."""
        return self.menu or (QUESTION if self._blocked else None)

    @property
    def shared(self) -> bool:
        """Whether it may be watched."""
        return self.linked and (self._offered if self._consent is None else self._consent)

    # ---- from the terminal's side ------------------------------------------------------------------------------------

    def take(self, event: events.FromScreen) -> list[Effect]:
        """Take what the screen's follower tells."""
        match event:
            case events.ScreenLinked(shared=shared):
                self.linked, self._offered = True, shared
            case events.ScreenStateChanged(menu=menu, since=since) if self.linked:
                self.menu, self.since = menu, since
            case events.ScreenProgramSaid(state=state) if self.linked:
                self._blocked = state == _BLOCKED
                if self.menu is None:
                    self.since = event.at.wall
            case events.ScreenDrawn(screen=screen) if self.shared and self._watchers and not self._covered:
                self._latest = screen
                return [Show(client, screen) for client in self._watchers]
            case events.ScreenLost():
                return self.lost()
        return []

    def cover(self, covered: bool) -> list[Effect]:
        """While it is covered nobody sees the screen, and it is not asked for."""
        if covered == self._covered:
            return []
        self._covered = covered
        if not self._watchers:
            return []
        if not covered:
            return [WatchScreen(self.terminal, True, REDRAW_SECONDS)]
        shown = self._hiding("unknown")
        self._latest = None
        return [WatchScreen(self.terminal, False), *[Show(client, shown) for client in self._watchers]]

    def explained(self) -> None:
        """A prompt opened or was settled, so what Pi said of itself before was about that one."""
        self._blocked = False

    def consent(self, on: bool) -> list[Effect]:
        """The person lets the screen be seen, or not."""
        self._consent, self._told = on, True
        return [] if self.shared else self._stop("off")

    def resync_began(self) -> None:
        """The terminal starts to tell everything."""
        self._told = False

    def resync_ended(self) -> list[Effect]:
        """What the person said to an extension that knows nothing of it counts no more."""
        if not self._told:
            self._consent = None
        return [] if self.shared else self._stop("off")

    def lost(self) -> list[Effect]:
        """Nothing is known any more."""
        self.linked = self._offered = self._blocked = False
        self.menu = None
        return self._stop("lost")

    def report(self, link: LinkId) -> list[TellScreen]:
        """What the extension on this link is to be told, where it is news."""
        now = TellScreen(link, self.linked, self.shared, len(self._watchers))
        if now == self._reported:
            return []
        self._reported = now
        return [now]

    # ---- who watches -------------------------------------------------------------------------------------------------

    def watch(self, client: ClientId) -> list[Effect]:
        """One more client watches. Raises NotShared where it may not."""
        if not self.linked:
            raise NotShared("The screen of this session cannot be seen: Pi was not started with `mirrord pi`.")
        if not self.shared:
            raise NotShared("The screen of this session is not shared: /mirrord screen on in its terminal does that.")
        first = not self._watchers
        self._watchers[client] = None
        if self._covered:
            return [Show(client, self._hiding("unknown"))]
        if first:
            return [WatchScreen(self.terminal, True)]
        return [Show(client, self._latest)] if self._latest is not None else []

    def leave(self, client: ClientId) -> list[Effect]:
        """A client watches no longer."""
        if client not in self._watchers:
            return []
        del self._watchers[client]
        return [] if self._watchers else self._unwanted()

    def _stop(self, why: ScreenHidden) -> list[Effect]:
        if not self._watchers:
            return []
        last = self._hiding(why)
        effects: list[Effect] = [Show(client, last) for client in self._watchers]
        self._watchers.clear()
        return effects + self._unwanted()

    def _hiding(self, why: ScreenHidden) -> Screen:
        size = (self._latest.columns, self._latest.rows) if self._latest is not None else (_NO_SIZE, _NO_SIZE)
        return Screen(session_id=self.terminal, columns=size[0], rows=size[1], hidden=why)

    def _unwanted(self) -> list[Effect]:
        self._latest = None
        return [WatchScreen(self.terminal, False)]
