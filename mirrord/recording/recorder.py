"""What the daemon says of one session becomes the lines of a recording. Pure: frames and their times in, lines out."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from mirrord import __version__
from mirrord.client.frames import Frame
from mirrord.recording.format import FORMAT, LONGEST, RECORDING_BYTES, End, Header, Said, Why, line
from mirrord.recording.pieces import Pieces
from mirrord.recording.redact import redact
from mirrord.wire import messages


@dataclass(slots=True)
class Recorder:
    """Records one session, from the welcome of a connection on. `started_at`: ms since the epoch."""

    session_id: str
    started_at: int
    conversation: bool = False
    limit: int = RECORDING_BYTES
    size: int = 0
    said: int = 0
    unknown: int = 0
    full: bool = False
    """No further line fits."""
    over: bool = False
    """The session has ended."""
    _at: int = 0
    """When in the recording the last frame came."""
    _pieces: Pieces = field(default_factory=Pieces)
    _views: dict[str | None, messages.ExtensionUINotification] = field(default_factory=dict)

    def begin(self, welcome: messages.Welcome) -> bytes:
        """The header and the welcome, which knows no other session in the file."""
        session = next((session for session in welcome.sessions if session.session_id == self.session_id), None)
        header = Header(
            format=FORMAT,
            mirrord=__version__,
            protocol=welcome.protocol,
            capabilities=welcome.capabilities,
            started_at=self.started_at,
            conversation=self.conversation,
            pi=None if session is None else session.pi_version,
        )
        only = msgspec.structs.replace(welcome, sessions=() if session is None else (session,))
        return self._count(line(header)) + self._line(only, 0)

    def take(self, frame: Frame, now: int) -> bytes:
        """The lines for a frame that came at `now`, in ms since the epoch; none for one that is not of this session."""
        at = self._since(now)
        if frame.message is None:
            self.unknown += 1
            return b""
        message = self._pieces.take(frame.message)
        if message is None or not self._concerns(message) or self.full:
            return b""
        self.over = self.over or _is_end(message)
        return self._line(message, at)

    def end(self, now: int, why: Why) -> bytes:
        """The last line. It always fits: what is not full has room for it."""
        return line(End(at=self._since(now), why=why, unknown=self.unknown))

    def _since(self, now: int) -> int:
        """Milliseconds after the start, never fewer than before: somebody may have set the clock back."""
        self._at = min(max(self._at, now - self.started_at), LONGEST)
        return self._at

    def _concerns(self, message: messages.ServerMessage) -> bool:
        if isinstance(message, messages.SessionChanged):
            return message.session.session_id == self.session_id
        return getattr(message, "session_id", None) == self.session_id

    def _line(self, message: messages.ServerMessage, at: int) -> bytes:
        kept = redact(message, self.conversation)
        if isinstance(kept, messages.ExtensionUINotification) and kept.method == "setCustomView" and self._is_known(kept):
            return b""
        made = line(Said(at, msgspec.Raw(msgspec.json.encode(kept))))
        if self.size + len(made) > self.limit:
            self.full = True
            return b""
        self.said += 1
        return self._count(made)

    def _is_known(self, view: messages.ExtensionUINotification) -> bool:
        """How often a view is drawn anew would tell how much is typed into it."""
        view = msgspec.structs.replace(view, cursor=None)
        before = self._views.get(view.request_id)
        self._views[view.request_id] = view
        return before == view

    def _count(self, made: bytes) -> bytes:
        self.size += len(made)
        return made


def _is_end(message: messages.ServerMessage) -> bool:
    match message:
        case messages.SessionChanged(change="removed"):
            return True
        case messages.SessionChanged(session=session) | messages.Snapshot(session=session):
            return session.status.state == "ended"
        case _:
            return False
