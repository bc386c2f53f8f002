"""A daemon that says what a test wants: the page's socket ends in the test instead of the network.

For states that a real Pi takes long to come to, and for text that no real daemon lets through. Messages are the structs of
`mirrord.wire`, so what is not in the protocol cannot be said. Pairing stays real: the page proves itself to the real daemon.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from playwright.sync_api import Page, WebSocketRoute

from mirrord.core.strips import Widget, strips
from mirrord.wire import attention
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.chat import ChatEvent, ChatSnapshot, ChatSubscribe
from mirrord.wire.surfaces import CustomView, Strips, Surface, WorkingRow

_ENCODER: Final = msgspec.json.Encoder()
_CLIENT_MESSAGES: Final = msgspec.json.Decoder(wire.ClientMessage)


SILENT: Final = object()
"""What a command gives that is never answered."""

NO_PUSH: Final = attention.PushInfo(
    available=False,
    reason="Push needs one more package on this machine: run `pipx inject pi-mirrord pywebpush` and restart mirrord.",
)
"""What a daemon without the package says."""


@dataclass(slots=True)
class Told:
    """One session with all that a snapshot tells of it."""

    session: wire.Session
    prompts: tuple[wire.ExtensionUIRequest, ...] = ()
    statuses: tuple[wire.StatusEntry, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    header: Surface | None = None
    footer: Surface | None = None
    views: tuple[CustomView, ...] = ()
    row: WorkingRow | None = None
    title: str | None = None
    chat: ChatSnapshot | None = None
    """Its conversation; none where its extension tells none."""

    def strips(self) -> Strips:
        """The pills, as the core computes them."""
        return strips([_widget(surface) for surface in self.surfaces], self.statuses)


@dataclass
class ScriptedDaemon:
    """Answers `hello` and `subscribe` from `sessions`; all else is the test's. `heard` is what the page said, in order."""

    sessions: list[Told] = field(default_factory=list)
    role: wire.RoleName = "controller"
    notice: str | None = None
    """What it says of the connection."""
    heard: list[wire.ClientMessage] = field(default_factory=list)
    pages: Callable[[str, int], tuple[str, ...]] | None = None
    """Options of a prompt from an offset on."""
    prefills: Callable[[str, int], dict[str, Any]] | None = None
    """A part of a prompt's prefill."""
    handoffs: Callable[[str, int], dict[str, Any]] | None = None
    """A part of a text that was handed over."""
    commands: dict[str, Any] = field(default_factory=dict)
    """What other commands give, by name; an error is refused, and `SILENT` is no answer."""
    push: attention.PushInfo = NO_PUSH
    notify: attention.NotifySettings = field(default_factory=attention.NotifySettings)
    now: Callable[[], int] = lambda: int(time.time() * 1000)
    _sockets: list[WebSocketRoute] = field(default_factory=list)
    _seq: int = 0

    def serve(self, page: Page) -> None:
        """From now on that page's connections come here."""
        page.route_web_socket("**/v1/ws", self._came)

    def say(self, *messages: wire.ServerMessage) -> None:
        """To every page that is connected."""
        for socket in self._sockets:
            for message in messages:
                socket.send(_ENCODER.encode(message).decode())

    def cut(self, code: int = 1001, reason: str = "the daemon stops") -> None:
        """Every connection ends."""
        for socket in self._sockets:
            socket.close(code=code, reason=reason)
        self._sockets.clear()

    def answers(self) -> list[wire.ExtensionUIResponse]:
        return [message for message in self.heard if isinstance(message, wire.ExtensionUIResponse)]

    def chat(self, session_id: str, snapshot: ChatSnapshot) -> ChatEvent:
        """What has changed in a conversation."""
        cursor = self.cursor()
        return ChatEvent(session_id, cursor, int(cursor.rpartition(":")[2]), snapshot)

    def cursor(self) -> str:
        self._seq += 1
        return f"0123456789abcdef:{self._seq}"

    def _came(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.on_message(lambda text: self._take(socket, text))

    def _take(self, socket: WebSocketRoute, text: str | bytes) -> None:
        message = _CLIENT_MESSAGES.decode(text)
        self.heard.append(message)
        for reply in self._replies(message):
            socket.send(_ENCODER.encode(reply).decode())

    def _replies(self, message: wire.ClientMessage) -> Iterable[wire.ServerMessage]:
        match message:
            case wire.Hello():
                yield wire.Welcome(
                    server=wire.ServerInfo(name="mirrord", version="0.1.0", instance="0123456789abcdef", host="laptop"),
                    server_now=self.now(),
                    protocol=wire.PROTOCOL_MAX,
                    role=self.role,
                    capabilities=SERVER_CAPABILITIES,
                    sessions=tuple(told.session for told in self.sessions),
                    notice=self.notice,
                )
                yield from (self._snapshot(told) for told in self.sessions if told.session.session_id in message.resume)
            case wire.Subscribe(session_id=session_id):
                yield from (self._snapshot(told) for told in self.sessions if told.session.session_id == session_id)
            case ChatSubscribe(session_id=id_):
                yield from (self.chat(id_, told.chat) for told in self.sessions if told.chat and told.session.session_id == id_)
            case wire.Command(name=name) if self.commands.get(name) is SILENT:
                return
            case wire.Command(request_id=request, name=name) if name in self.commands:
                given = self.commands[name]
                refused = wire.CommandError("refused", str(given)) if isinstance(given, Exception) else None
                yield wire.CommandResult(request, ok=refused is None, data=None if refused else given, error=refused)
            case wire.Command(request_id=request, name="options", args=args) if self.pages is not None:
                options = self.pages(args["id"], args["offset"])
                yield wire.CommandResult(request, ok=True, data={"offset": args["offset"], "options": options, "optionCount": 10_000})
            case wire.Command(request_id=request, name="prefill", args=args) if self.prefills is not None:
                yield wire.CommandResult(request, ok=True, data=self.prefills(args["id"], args["part"]))
            case wire.Command(request_id=request, name="handoff", args=args) if self.handoffs is not None:
                yield wire.CommandResult(request, ok=True, data=self.handoffs(args["id"], args["part"]))
            case wire.Command(request_id=request, name="push_info"):
                yield wire.CommandResult(request, ok=True, data=self.push)
            case wire.Command(request_id=request, name="push_subscribe" | "push_unsubscribe") if self.push.available:
                yield wire.CommandResult(request, ok=True)
            case wire.Command(request_id=request, name="notify_settings"):
                yield wire.CommandResult(request, ok=True, data=self.notify)
            case wire.Command(request_id=request, name="notify_set", args=args):
                self._switch(**args)
                yield wire.CommandResult(request, ok=True, data=self.notify)
            case wire.Command(request_id=request):
                yield wire.CommandResult(request, ok=False, error=wire.CommandError("unknown_command", "There is no such command."))
            case _:
                return

    def _switch(self, kind: str, on: bool | None, sessionId: str | None = None) -> None:
        """As the daemon does it, for who gives a value; names are those of the wire."""
        name = "your_turn" if kind == "yourTurn" else kind
        if sessionId is None:
            self.notify = msgspec.structs.replace(self.notify, device=msgspec.structs.replace(self.notify.device, **{name: on}))
            return
        before = self.notify.sessions.get(sessionId, attention.SessionSwitches())
        after = {**self.notify.sessions, sessionId: msgspec.structs.replace(before, **{name: on})}
        self.notify = msgspec.structs.replace(self.notify, sessions=after)

    def _snapshot(self, told: Told) -> wire.Snapshot:
        return wire.Snapshot(
            session_id=told.session.session_id,
            cursor=self.cursor(),
            session=told.session,
            prompts=told.prompts,
            statuses=told.statuses,
            title=told.title,
            working=wire.Working(active=False, since=told.session.status.since),
            surfaces=told.surfaces,
            header=told.header,
            footer=told.footer,
            views=told.views,
            strips=told.strips(),
            working_row=told.row,
        )


def _widget(surface: Surface) -> Widget:
    native = surface.native_surface
    head = native.presentation if native is not None else None
    heading = " · ".join(filter(None, (head.title, head.subtitle))) if head is not None else None
    return Widget(surface.key, surface.placement, heading, next(iter(surface.widget_lines), ""), surface.source)
