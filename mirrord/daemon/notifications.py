"""Notifications of the daemon: what is on disk about devices, what the core knows of it, and the pushes that it commands."""

from __future__ import annotations

from collections.abc import Callable

from anyio.abc import TaskGroup

from mirrord.clock import Clock, moment
from mirrord.core.commands import Push
from mirrord.core.events import DeviceForgotten, DeviceNoted, Event
from mirrord.push import Https, NotifyDesk, PublicDial, Pusher, Transport
from mirrord.store import Store


class Notifications:
    """`transport` is what pushes are sent with; public push services over https where none is given. `contact` is for these."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        happen: Callable[[Event], None],
        tasks: TaskGroup,
        transport: Transport | None = None,
        contact: str | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._happen = happen
        self.desk = NotifyDesk(store.notify, self._changed)
        self.pusher = Pusher(store.notify, clock, transport or Https(PublicDial()), tasks, self._changed, contact=contact)

    def begin(self) -> None:
        """Tell the core what earlier daemons kept."""
        for device in self._store.notify.devices:
            self._changed(device)

    def push(self, command: Push) -> None:
        """Carry out a command of the core."""
        self.pusher.push(command)

    def look(self, device: str) -> None:
        """The connections of a device were cut: it may have been revoked."""
        if self._store.device(device) is None:
            self._store.notify.forget(device)
            self._happen(DeviceForgotten(at=moment(self._clock), device=device))

    def _changed(self, device: str) -> None:
        if self._store.device(device) is None:
            return  # revoked while its command waited for the disk
        table = self._store.notify
        subscribed = table.subscription(device) is not None
        self._happen(DeviceNoted(at=moment(self._clock), device=device, settings=table.settings(device), subscribed=subscribed))
