"""What the screen shows besides the stream of lines: sessions, the link, what extensions show. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from mirrord.attach.surfaces import Board
from mirrord.client.clean import one_line
from mirrord.wire import messages


@dataclass(slots=True)
class Model:
    """`chosen` is the session that is followed; `changes` counts what was told, so that a screen knows when to draw."""

    sessions: dict[str, messages.Session] = field(default_factory=dict)
    chosen: str | None = None
    board: Board = field(default_factory=Board)
    linked: bool = False
    link: str = "connecting"
    """One line about the connection."""
    notice: str | None = None
    role: messages.RoleName = "observer"
    ahead: int = 0
    """The daemon's clock minus ours, in ms."""
    changes: int = 0

    @property
    def session(self) -> messages.Session | None:
        """The one that is followed."""
        return self.sessions.get(self.chosen or "")

    def welcome(self, welcome: messages.Welcome, now: int) -> None:
        """A connection stands. `now` in ms since the epoch."""
        self.sessions = {session.session_id: session for session in welcome.sessions}
        self.linked, self.role = True, welcome.role
        self.link = f"mirrord {one_line(welcome.server.version)}, {welcome.role}"
        self.notice = one_line(welcome.notice) if welcome.notice else None
        self.ahead = welcome.server_now - now
        self.changes += 1

    def lost(self, why: str) -> None:
        """It ended, or none could be made."""
        self.linked, self.link = False, f"{why}; trying again"
        self.changes += 1

    def choose(self, session_id: str | None) -> None:
        """Follow this one; what the one before showed is gone."""
        self.chosen = session_id
        self.board = Board()
        self.changes += 1

    def candidate(self) -> str | None:
        """The session to begin with: the one that waits longest for somebody, else the one that changed last."""
        living = [session for session in self.sessions.values() if session.status.state != "ended"]
        waiting = [session for session in living if session.open_prompts]
        if waiting:
            return min(waiting, key=lambda session: session.status.since).session_id
        return max(living, key=lambda session: session.status.since).session_id if living else None

    def after(self, session_id: str | None) -> str | None:
        """The living session behind this one in the list, the first after the last."""
        living = [session.session_id for session in self.sessions.values() if session.status.state != "ended"]
        if not living:
            return None
        place = living.index(session_id) if session_id in living else -1
        return living[(place + 1) % len(living)]

    def take(self, message: messages.ServerMessage) -> None:
        """A message of the connection."""
        match message:
            case messages.SessionChanged(change="removed", session=session):
                self.sessions.pop(session.session_id, None)
            case messages.SessionChanged(session=session):
                self.sessions[session.session_id] = session
            case messages.Snapshot(session_id=self.chosen):
                self.sessions[message.session_id] = message.session
                self.board.replace(message)
            case _ if getattr(message, "session_id", None) == self.chosen and self.board.take(message):
                pass
            case _:
                return
        self.changes += 1
