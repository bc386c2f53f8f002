"""A recording shown to clients as a daemon would show its session: from its first snapshot on, at its pace or faster.

Nothing can be answered. For tests of clients `frames` gives what was recorded, and `end_state` where it leads.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import anyio
import msgspec
from msgspec.structs import replace

from mirrord import __version__
from mirrord.client.frames import Frame
from mirrord.clock import Clock
from mirrord.core.chat.fragments import frames as fragments
from mirrord.core.greeting import PROTOCOL_CLOSE, protocol_of
from mirrord.core.levels import project
from mirrord.core.model import Client, ClientId
from mirrord.errors import MirrordError
from mirrord.recording.format import Recording, Told
from mirrord.recording.state import State
from mirrord.server.client import POLICY, ClientConnection
from mirrord.server.frames import encode
from mirrord.wire import chat, messages
from mirrord.wire.capabilities import SERVER_CAPABILITIES, TEXT_FALLBACK
from mirrord.wire.roles import Role

READ_ONLY: Final = "This is a recording: it can be looked at, and nothing in it can be answered or changed."
OVER: Final = "The recording ends here."


def frames(recording: Recording) -> Iterator[Frame]:
    """What the daemon said, in order."""
    return (told.frame for told in recording.told)


def end_state(recording: Recording) -> State:
    """Where the session stood when the recording ended."""
    state = State()
    for frame in frames(recording):
        state.take(frame)
    return state


class NothingToShow(MirrordError):
    """The recording ended before its first snapshot."""

    def __init__(self) -> None:
        super().__init__("this recording ended before it was told anything of its session, so there is nothing to show")


@dataclass(slots=True)
class _Viewer:
    """A client that is connected. `client` is None before its hello."""

    connection: ClientConnection
    client: Client | None = None
    follows: bool = False
    reads: bool = False
    """It follows the conversation."""


@dataclass(slots=True)
class Replay:
    """The `ClientHandler` of a replay. `speed`: times as fast as it was; None: its end at once. Raises NothingToShow."""

    recording: Recording
    clock: Clock
    speed: float | None = 1.0
    state: State = field(default_factory=State)
    _viewers: dict[ClientId, _Viewer] = field(default_factory=dict)
    _rest: tuple[Told, ...] = ()
    _at: int = 0
    """When in the recording that was which was told last."""
    _told_at: float = 0.0
    """The clock then."""
    _begun: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        """What came before the first snapshot is no story: it is where the story begins."""
        told = self.recording.told
        first = next((place for place, each in enumerate(told) if isinstance(each.frame.message, messages.Snapshot)), -1)
        if first < 0:
            raise NothingToShow
        opening = len(told) if self.speed is None else first + 1
        for each in told[:opening]:
            self.state.take(each.frame)
            self._at = each.at
        self._rest = told[opening:]
        self._told_at = self.clock.boot()

    async def run(self) -> None:
        """Tell the rest, from the moment at which somebody looks."""
        await self._begun.wait()
        self._told_at = self.clock.boot()
        start, first, speed = self._told_at, self._at, self.speed or 1.0
        for told in self._rest:
            await anyio.sleep(max(0.0, start + (told.at - first) / 1000 / speed - self.clock.boot()))
            self._tell(told)
        if self.state.session is not None and self._rest:
            over = messages.ExtensionUINotification(
                session_id=self.state.session.session_id, method="notify", message=OVER, notify_type="info", source="mirrord"
            )
            self._pass_on(over)

    # ---- what clients say --------------------------------------------------------------------------------------------

    def connected(self, client: ClientConnection) -> None:
        """It passed the gate."""
        self._viewers[client.id] = _Viewer(client)

    def gone(self, client: ClientConnection) -> None:
        """The connection is over."""
        del self._viewers[client.id]

    def cut(self, device: str, reason: str) -> None:
        """Close the connections of a device that was paired anew."""
        for viewer in tuple(self._viewers.values()):
            if viewer.connection.device == device:
                viewer.connection.cut(POLICY, reason)

    def said(self, client: ClientConnection, message: messages.ClientMessage) -> None:
        """It said something; the first is a hello."""
        viewer = self._viewers[client.id]
        match message:
            case messages.Hello():
                self._welcome(viewer, message)
            case messages.Subscribe(session_id=session, since=since):
                self._subscribe(viewer, session, since)
            case messages.Unsubscribe(session_id=session):
                viewer.follows = viewer.follows and not self._is_ours(session)
            case chat.ChatSubscribe():
                self._converse(viewer, message)
            case chat.ChatUnsubscribe(session_id=session):
                viewer.reads = viewer.reads and not self._is_ours(session)
            case messages.Command():
                _say(viewer, self._result(message))
            case messages.ExtensionUIResponse(id=prompt, response_id=response):
                refused = messages.ResponseResult(response or "", prompt, accepted=False, reason="forbidden", detail=READ_ONLY)
                _say(viewer, refused)
            case chat.ChatAction(session_id=session, client_turn_id=turn):
                _say(viewer, chat.Receipt(session, turn, "rejected", self._now(), "forbidden", READ_ONLY))
            case messages.ContentPart() | messages.Looking():
                pass

    def _welcome(self, viewer: _Viewer, hello: messages.Hello) -> None:
        protocol = protocol_of(hello)
        if protocol is None:
            _say(viewer, messages.Error(code="protocol", message="This client and this mirrord have no protocol in common."))
            viewer.connection.close(PROTOCOL_CLOSE, "protocol")
            return
        capabilities = frozenset(hello.capabilities) or frozenset((TEXT_FALLBACK,))
        viewer.client = Client(viewer.connection.id, hello.client.name, hello.client.kind, Role.OBSERVER, "", capabilities)
        welcome = messages.Welcome(
            server=messages.ServerInfo("mirrord", __version__, secrets.token_hex(8)),
            server_now=self._now(),
            protocol=protocol,
            role="observer",
            capabilities=SERVER_CAPABILITIES,
            sessions=() if self.state.session is None else (self.state.session,),
            notice=READ_ONLY,
        )
        _say(viewer, welcome)
        for session, since in hello.resume.items():
            self._subscribe(viewer, session, since)

    def _subscribe(self, viewer: _Viewer, session: str, since: str | None) -> None:
        if not self._is_ours(session):
            _say(viewer, messages.Error(code="unknown_session", message="There is no such session in this recording."))
            return
        viewer.follows = True
        if self.state.snapshot is not None:
            if since is not None:
                _say(viewer, messages.Gap(session_id=session, since=since))
            _say(viewer, self.state.snapshot)
        self._begun.set()

    def _converse(self, viewer: _Viewer, asked: chat.ChatSubscribe) -> None:
        if not self._is_ours(asked.session_id):
            _say(viewer, messages.Error(code="unknown_session", message="There is no such session in this recording."))
            return
        viewer.reads = True
        event = self.state.conversation()
        if event is None:
            return
        if asked.since is not None or asked.entry_id is not None:
            event = replace(event, gap=chat.ChatGap(asked.since, asked.entry_id))
        _say(viewer, *fragments(event))

    def _result(self, command: messages.Command) -> messages.CommandResult:
        data: dict[str, object]
        match command.name:
            case "sessions":
                data = {"sessions": [] if self.state.session is None else [msgspec.to_builtins(self.state.session)]}
            case "push_info":
                data = {"available": False, "reason": READ_ONLY}
            case _:
                return messages.CommandResult(command.request_id, ok=False, error=messages.CommandError("recording", READ_ONLY))
        return messages.CommandResult(command.request_id, ok=True, data=data)

    # ---- what they are told ------------------------------------------------------------------------------------------

    def _tell(self, told: Told) -> None:
        self.state.take(told.frame)
        self._at, self._told_at = told.at, self.clock.boot()
        if told.frame.message is not None:
            self._pass_on(told.frame.message)

    def _pass_on(self, message: messages.ServerMessage) -> None:
        for viewer in self._viewers.values():
            match message:
                case messages.Welcome():
                    pass
                case messages.SessionChanged():
                    _say(viewer, message)
                case chat.ChatEvent() if viewer.reads:
                    _say(viewer, *fragments(message))
                case chat.ChatEvent():
                    pass
                case _ if viewer.follows:
                    _say(viewer, message)

    def _is_ours(self, session: str) -> bool:
        return self.state.session is not None and self.state.session.session_id == session

    def _now(self) -> int:
        """The clock of whoever recorded, in ms since the epoch, so that ages are as they were."""
        return self.recording.header.started_at + self._at + round((self.clock.boot() - self._told_at) * 1000)


def _say(viewer: _Viewer, *said: messages.ServerMessage) -> None:
    for message in said:
        for shown in (message,) if viewer.client is None else project(message, viewer.client):
            viewer.connection.put(encode(shown), "must")
