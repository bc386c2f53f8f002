"""What clients were told of what extensions show, in the form it has on the wire, so that a whole message can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from mirrord.wire import messages as wire
from tests.e2e.remote import Remote
from tests.e2e.stage import Stage, until
from tests.e2e.surface_table import ID, Step
from tests.harness.exerciser import slash

TOLD: Final = 5.0
"""Fifty times what a change takes to a client on an idle machine, in seconds."""

_ENVELOPE: Final = ("type", "sessionId", "cursor")
"""What every message has, and says nothing of what is shown."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def plain(value: object) -> Any:
    """As on the wire, with each random id as ID."""
    return msgspec.json.decode(_UUID.sub(ID, msgspec.json.encode(value).decode()))


def told(remote: Remote, *methods: str) -> list[dict[str, Any]]:
    """The notifications, of these methods or all, that came since `forget`."""
    messages = [plain(message) for message in remote.all(wire.ExtensionUINotification)]
    return [
        {name: value for name, value in message.items() if name not in _ENVELOPE}
        for message in messages
        if not methods or message["method"] in methods
    ]


def kept(snapshot: wire.Snapshot, place: str) -> object:
    """What a snapshot has at that place (a field, or field and key with a slash between), None for nothing."""
    field, _, key = place.partition("/")
    value = plain(snapshot).get(field)
    if not key:
        return value
    if isinstance(value, dict):
        return value.get(key)
    return next((entry for entry in value or () if key in (entry.get("key"), entry.get("requestId"))), None)


def comes(look: Callable[[], object], wanted: object, timeout: float = TOLD) -> None:
    """Returns once `look()` gives what is wanted; otherwise fails with how they differ."""
    with suppress(AssertionError):
        return until(lambda: look() == wanted, timeout, "it does not come")
    found = look()
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        assert found == wanted, "\n".join(f"- {want}\n+ {have}" for want, have in zip(wanted, found, strict=True) if want != have)
    assert found == wanted, f"it is\n{found}\nand not\n{wanted}"


@dataclass(slots=True)
class Showing:
    """A stage with a phone that stays, and other devices that come later."""

    stage: Stage
    phone: Remote = field(init=False)

    def __post_init__(self) -> None:
        """The phone is there from the start."""
        self.connect()

    def connect(self) -> None:
        """The phone is connected; again when the daemon is another one."""
        self.phone = self.stage.remote("phone")

    def begin(self) -> None:
        """Nothing of an earlier test is shown or open, and the phone has heard nothing."""
        assert self.stage.pi.alive, "Pi ended in an earlier test"
        if not self.stage.daemon.runs:
            self.stage.daemon.start()
            self.connect()
        for prompt in self.snapshot().prompts:
            self.stage.pi.keys("escape")
            self.phone.settled(prompt.id)
        shown = self.snapshot()
        for surface in shown.surfaces:
            self.run_at_once("t-widget", key=surface.key)
        for status in shown.statuses:
            self.run_at_once("t-status", key=status.key)
        for name in ("header", "footer"):
            if getattr(shown, name) is not None:
                self.run_at_once(f"t-{name}")
        comes(lambda: [self.snapshot().surfaces, self.snapshot().statuses], [(), ()])
        self.rest()
        self.phone.forget()

    def run(self, command: str, **arguments: object) -> None:
        """Types a command of the exerciser into Pi, which rests first; returns once it has begun."""
        self.stage.pi.settle(0.05)
        self.run_at_once(command, **arguments)

    def run_at_once(self, command: str, **arguments: object) -> None:
        """The same in a Pi that draws all the time. An older Pi takes two lines at once for one, so nobody may type before it has begun."""
        begun = sum(record.begins(command) for record in self.stage.log.records())
        self.stage.pi.line(slash(command, **arguments))
        self.stage.log.wait(lambda record: record.begins(command), count=begun + 1)

    def rest(self) -> None:
        """Returns once Pi has drawn everything, and everything that follows from it was told."""
        self.stage.pi.settle(0.2)

    def snapshot(self) -> wire.Snapshot:
        """What the phone is shown now."""
        return self.phone.subscribe(self.stage.session_id)

    def later(self) -> wire.Snapshot:
        """What a device gets that connects now."""
        with self.stage.visitor("tablet") as tablet:
            return tablet.wait(wire.Snapshot)

    @contextmanager
    def restarted(self) -> Iterator[None]:
        """The daemon ends before the block; after it another one runs, which has heard everything, and the phone is back."""
        self.stage.daemon.end()
        self.phone.wait_lost()
        try:
            yield
        finally:
            self.stage.daemon.start()
            self.connect()

    def told(self, *methods: str) -> list[dict[str, Any]]:
        """What the phone was told, see `told`."""
        return told(self.phone, *methods)

    def widget(self, key: str) -> list[tuple[str, ...] | None]:
        """What the phone was told that the widget shows, change by change; None: it was cleared."""
        changes = self.phone.all(wire.ExtensionUINotification, lambda told: told.widget_key == key)
        return [change.widget_lines for change in changes]


def play(showing: Showing, step: Step) -> None:
    """Has the exerciser make that call, or presses the keys."""
    if step.keys:
        showing.stage.pi.settle(0.05)
        showing.stage.pi.keys(*step.keys)
    else:
        showing.run(step.command, **step.arguments)
