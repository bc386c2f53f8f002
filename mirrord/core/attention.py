"""Who is told what a session wants of a person, and when. Pure.

Of each device and session it is known what the device was told or has seen. Whatever happens, the two are compared: what differs is
told, by every way that there is, unless the device looks at that session. So nothing is told twice, nothing stacks, and what was held
back is the newest when it goes.

A device with a page that can be seen needs no push. One with none may be a phone in a pocket, whose page sleeps although its connection
stands: it gets both, the message and the push, and both are one notification.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mirrord.core.calls import Call, Caller, CallKind
from mirrord.core.commands import Command, Push, Send
from mirrord.core.events import DeviceForgotten, DeviceNoted
from mirrord.core.model import ClientId, Moment, TerminalId
from mirrord.core.session import Session
from mirrord.wire.attention import SWITCH_FIELDS, Looking, NotifySettings
from mirrord.wire.attention import Attention as Message
from mirrord.wire.messages import ExtensionUISettled

EVERY_SECONDS: Final = 10.0
"""How often one device is told of one session in the long run, however often its prompts come and go."""

BURST: Final = 3
"""So many at once before that: a question, its answer, and the next question."""

UNSURE_SECONDS: Final = 40.0
"""So long a connection can be dead without our knowing (a ping and its time): what a device got over it then may not have arrived."""


@dataclass(slots=True)
class _Told:
    """What a device knows of a session's calls."""

    call: Call | None = None
    """The newest that it was told or has seen."""
    stands: bool = False
    """A notification was given, and nothing took its place."""
    since: float = 0.0
    """When `call` was told or seen, in seconds."""
    pushed: bool = False
    """Whether by push, which arrives."""
    allowance: float = 0.0
    """When all of BURST may go at once again, in seconds."""

    def wait_until(self, now: float) -> float:
        """When the next one may go."""
        return max(now, self.allowance - (BURST - 1) * EVERY_SECONDS)


@dataclass(frozen=True, slots=True)
class _Page:
    """What a connection of a device said last."""

    session: TerminalId | None
    """What it shows to somebody."""
    seen: bool
    """Whether it can be seen, whatever it shows."""


@dataclass(slots=True)
class _Device:
    settings: NotifySettings = field(default_factory=NotifySettings)
    subscribed: bool = False
    pages: dict[ClientId, _Page] = field(default_factory=dict)
    """Each of its connections that said what it looks at."""
    told: dict[TerminalId, _Told] = field(default_factory=dict)

    def wants(self, session: TerminalId, kind: CallKind) -> bool:
        own, name = self.settings.sessions.get(session), SWITCH_FIELDS[kind]
        switched: bool | None = getattr(own, name) if own is not None else None
        return bool(getattr(self.settings.device, name)) if switched is None else switched

    def shows(self) -> set[TerminalId]:
        """The sessions that somebody looks at on it."""
        return {page.session for page in self.pages.values() if page.session is not None}

    def reached(self) -> bool:
        """Whether one of its pages can be seen: what that is told needs no push."""
        return any(page.seen for page in self.pages.values())


@dataclass(slots=True)
class Attention:
    """Every session's calls, and every device that may be told of them. A client of the control socket is a device of its own."""

    _callers: dict[TerminalId, Caller] = field(default_factory=dict)
    _devices: dict[str, _Device] = field(default_factory=dict)
    _of: dict[ClientId, str] = field(default_factory=dict)
    """The device of each client that said what it looks at."""
    _held: dict[tuple[str, TerminalId], float] = field(default_factory=dict)
    """What waits because too much was told before, and until when."""

    @property
    def wake_at(self) -> float | None:
        """When something that waits may go; None: nothing waits."""
        return min(self._held.values(), default=None)

    # ---- sessions ----------------------------------------------------------------------------------------------------

    def follow(self, session: Session, settled: ExtensionUISettled | None, at: Moment) -> list[Command]:
        """A session may do something else now; `settled` is the prompt that ended with it."""
        id_ = session.terminal.id
        caller = self._callers.get(id_)
        if caller is None or caller.session is not session:
            caller = self._callers[id_] = Caller(session)
        changed = caller.follow(settled, self._nobody_looks, at)
        return self._tell_all(id_, at) if changed else []

    def forget(self, session: Session, at: Moment) -> list[Command]:
        """A session is listed no more: what was told of it is over now, whatever was told before."""
        id_ = session.terminal.id
        for device in self._devices.values():
            if (told := device.told.get(id_)) is not None:
                told.allowance = at.boot
        commands = self._tell_all(id_, at)
        for device in self._devices.values():
            device.told.pop(id_, None)
        self._callers.pop(id_, None)
        return commands

    # ---- devices -----------------------------------------------------------------------------------------------------

    def looks(self, client: ClientId, device: str, said: Looking, at: Moment) -> list[Command]:
        """A client says what it shows to somebody; `device` is empty on the control socket."""
        key = device or f"client {client}"
        self._of[client] = key
        session = TerminalId(said.session_id) if said.session_id is not None else None
        self._devices.setdefault(key, _Device()).pages[client] = _Page(session, said.present or session is not None)
        return self._tell_one(key, at)

    def gone(self, client: ClientId, at: Moment) -> list[Command]:
        """A client's connection ended."""
        key = self._of.pop(client, None)
        device = self._devices.get(key) if key is not None else None
        if key is None or device is None:
            return []
        page = device.pages.pop(client, None)
        if key == f"client {client}":
            self._drop(key)
            return []
        if page is not None and page.seen:
            # It did not look away first: it may have been cut off, and nobody saw what came last.
            for told in device.told.values():
                if not told.pushed and at.boot - told.since < UNSURE_SECONDS:
                    told.call = None
        return self._tell_one(key, at)

    def noted(self, event: DeviceNoted) -> list[Command]:
        """A device's settings, and whether it has a subscription."""
        device = self._devices.setdefault(event.device, _Device())
        device.settings, device.subscribed = event.settings, event.subscribed
        return self._tell_one(event.device, event.at)

    def forgotten(self, event: DeviceForgotten) -> None:
        """A device may not be here any more."""
        self._drop(event.device)

    def woke(self, at: Moment) -> list[Command]:
        """Time has passed: what waited for it goes."""
        due = [each for each, moment in self._held.items() if moment <= at.boot]
        return [command for key, session in due for command in self._tell(key, session, at)]

    # ---- telling -----------------------------------------------------------------------------------------------------

    def _tell_all(self, session: TerminalId, at: Moment) -> list[Command]:
        return [command for key in self._devices for command in self._tell(key, session, at)]

    def _tell_one(self, key: str, at: Moment) -> list[Command]:
        return [command for session in self._callers for command in self._tell(key, session, at)]

    def _tell(self, key: str, session: TerminalId, at: Moment) -> list[Command]:
        """Tell a device of a session what it does not know yet, if it may be told now."""
        self._held.pop((key, session), None)
        device, caller = self._devices[key], self._callers[session]
        told = device.told.setdefault(session, _Told())
        if session in device.shows():
            _know(told, caller.call, at, pushed=False)
            told.stands = False
            return []
        if caller.call is None and not told.stands:
            told.call = None
            return []
        if caller.call is not None and (caller.call == told.call or not device.wants(session, caller.call.kind)):
            return []
        push = device.subscribed and not device.reached()
        if not push and not device.pages:
            return []
        if (moment := told.wait_until(at.boot)) > at.boot:
            self._held[key, session] = moment
            return []
        told.allowance = max(told.allowance, at.boot) + EVERY_SECONDS
        _know(told, caller.call, at, pushed=push)
        told.stands = caller.call is not None
        message = caller.message(caller.call, device.settings.device.titles)
        pushes: list[Command] = [Push(key, message)] if push else []
        return [*_to_pages(device.pages, message), *pushes]

    def _nobody_looks(self) -> bool:
        return not any(device.shows() for device in self._devices.values())

    def _drop(self, key: str) -> None:
        self._devices.pop(key, None)
        for each in [each for each in self._held if each[0] == key]:
            del self._held[each]


def _know(told: _Told, call: Call | None, at: Moment, *, pushed: bool) -> None:
    if told.call != call:
        told.call, told.since, told.pushed = call, at.boot, pushed


def _to_pages(pages: Iterable[ClientId], message: Message) -> list[Command]:
    """The newest stands for all before it."""
    return [Send(client, message, "latest", f"{message.session_id}/attention") for client in pages]
