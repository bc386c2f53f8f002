"""The follower of one terminal as a state machine without I/O: what the copy loop says goes in, what the daemon is told comes out.

Told are: a menu once it stood for SETTLE_SECONDS, what Pi says of itself, and while it is asked for the screen, newest first: what
was not sent yet gives way to it. A new link is told everything that is true.
"""

from __future__ import annotations

from typing import Final

import msgspec

from bridge.framing import FrameError
from bridge.screen.limits import REFUSED_SECONDS, RETRY_SECONDS, SCREEN_SECONDS, SETTLE_SECONDS, UNSENT_BYTES
from bridge.screen.link import Closed, FollowerLink, State
from bridge.screen.messages import Screen, ScreenHello, ScreenProgram, ScreenState, ScreenWanted, ScreenWelcome
from bridge.screen.records import Record
from bridge.screen.watch import View, Watch

_PASSING: Final = ("unknown", "incomplete")
"""Screens that are hidden for a moment between two frames: told only once they have stood."""


class Follower:
    """Times are seconds of a clock that never goes back; `wall` is ms since the epoch."""

    def __init__(self, hello: ScreenHello, now: float, wall: int) -> None:
        self._hello: Final = hello
        self._watch: Final = Watch(hello.columns, hello.rows)
        self._link: FollowerLink | None = None
        self._retry_at = now
        self._tries = 0
        self._menu: str | None = None
        self._menu_since = now
        self._state = ScreenState("none", wall)
        """What is told; a menu that did not stand long enough is not in it."""
        self._candidate: ScreenState = self._state
        self._view: View | None = None
        self._view_since = now
        self._wanted = False
        self._told_state: ScreenState | None = None
        self._told_program: ScreenProgram | None = None
        self._told_screen: Screen | None = None
        self._screen_at: float | None = None

    # ---- the copy loop -----------------------------------------------------------------------------------------------

    def record(self, record: Record, now: float) -> None:
        """The copy loop says this."""
        self._watch.take(record, now)

    # ---- the socket --------------------------------------------------------------------------------------------------

    def wants_link(self, now: float) -> bool:
        """Whether it is time to try to reach the daemon."""
        return self._link is None and now >= self._retry_at

    def connected(self, now: float) -> None:
        """A socket to the daemon is open."""
        columns, rows = self._watch.size
        self._link = FollowerLink(msgspec.structs.replace(self._hello, columns=columns, rows=rows), now)
        self._wanted = False
        self._told_state = self._told_program = self._told_screen = None
        self._screen_at = None

    def receive(self, data: bytes, now: float) -> None:
        """The daemon says this; nothing when it closed its end."""
        if self._link is None:
            return
        events = self._link.receive(data, now) if data else [self._link.end()]
        for event in events:
            if isinstance(event, Closed):
                self._close(now, REFUSED_SECONDS if event.why == "refused" else None)
            elif isinstance(event.message, ScreenWelcome):
                self._tries = 0
            elif isinstance(event.message, ScreenWanted):
                self._wanted = event.message.on
                self._told_screen = None

    def lost(self, now: float) -> None:
        """There is no daemon to be reached, or the socket broke."""
        self._close(now)

    @property
    def linked(self) -> bool:
        """Whether a socket is in use; it is to be closed once this is False."""
        return self._link is not None

    @property
    def outgoing(self) -> bool:
        """Whether `take_outgoing` would give anything."""
        return self._link is not None and self._link.outgoing > 0

    def take_outgoing(self) -> bytes:
        """Bytes for the daemon, in order."""
        return b"" if self._link is None else self._link.take_outgoing()

    # ---- time --------------------------------------------------------------------------------------------------------

    def tick(self, now: float, wall: int, unsent: int = 0) -> None:
        """Look where it is time to, and say what is new. `unsent` bytes were taken and not yet written."""
        due = self._watch.due()
        if due is not None and due <= now:
            self._see(self._watch.look(now), now, wall)
        if self._candidate != self._state and now - self._menu_since >= SETTLE_SECONDS:
            self._state = self._candidate
        if self._link is None:
            return
        if self._link.tick(now) is not None:
            self._close(now)
        elif self._link.state is State.READY:
            self._say(now, unsent)

    def deadline(self, now: float) -> float | None:
        """When `tick` has something to do, or a link is wanted; None when only bytes can bring something new. Ask after a `tick`."""
        times = [self._watch.due(), self._retry_at if self._link is None else self._link.deadline]
        if self._candidate != self._state:
            times.append(self._menu_since + SETTLE_SECONDS)
        pending = self._pending()
        if pending is not None and pending[1] > now:
            times.append(pending[1])
        return min((time for time in times if time is not None), default=None)

    # ---- what is said ------------------------------------------------------------------------------------------------

    def _see(self, view: View, now: float, wall: int) -> None:
        if self._view is None or view != self._view:
            self._view, self._view_since = view, now
        if view.menu != self._menu:
            self._menu, self._menu_since = view.menu, now
            same = view.menu == self._state.menu
            self._candidate = self._state if same else _state(view.menu, wall)

    def _say(self, now: float, unsent: int) -> None:
        if self._state != self._told_state:
            self._send(self._state)
            self._told_state = self._state
        program = self._watch.program
        if program != self._told_program and program is not None:
            self._send(program)
            self._told_program = program
        pending = self._pending()
        if pending is not None and pending[1] <= now and unsent <= UNSENT_BYTES:
            self._send(pending[0])
            self._told_screen, self._screen_at = pending[0], now

    def _send(self, message: ScreenState | ScreenProgram | Screen) -> None:
        if self._link is None:
            return
        try:
            self._link.send(message)
        except FrameError:
            columns, rows = self._watch.size
            self._link.send(Screen(columns, rows, hidden="large"))

    def _pending(self) -> tuple[Screen, float] | None:
        """The screen that is to be sent, and from when on; None when there is none or it was sent."""
        view = self._view
        if not self._wanted or view is None:
            return None
        if isinstance(view.shown, str):
            screen = Screen(view.columns, view.rows, hidden=view.shown)
        else:
            screen = Screen(view.columns, view.rows, view.shown)
        if screen == self._told_screen:
            return None
        due = self._view_since + SETTLE_SECONDS if screen.hidden in _PASSING else self._view_since
        return screen, due if self._screen_at is None else max(due, self._screen_at + SCREEN_SECONDS)

    def _close(self, now: float, pause: float | None = None) -> None:
        self._link = None
        self._wanted = False
        if pause is None:
            pause = RETRY_SECONDS[min(self._tries, len(RETRY_SECONDS) - 1)]
            self._tries += 1
        self._retry_at = now + pause


def _state(menu: str | None, wall: int) -> ScreenState:
    return ScreenState("none" if menu is None else "menu", wall, menu)
