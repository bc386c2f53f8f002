"""Devices as lines for people. Pure; every text is cleaned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mirrord.client.clean import one_line
from mirrord.client.replies import DeviceInfo
from mirrord.words.columns import columns
from mirrord.words.durations import duration


def table(devices: Sequence[DeviceInfo], now: int) -> Iterator[str]:
    """One row a device; `now` in ms since the epoch."""
    if not devices:
        yield "No device may connect. Pair one with `mirrord pair`."
        return
    head = ("NAME", "ROLE", "KIND", "MADE", "LAST SEEN")
    yield from columns([head, *(_row(device, now) for device in devices)])


def _row(device: DeviceInfo, now: int) -> tuple[str, ...]:
    return (
        one_line(device.name),
        one_line(device.role),
        one_line(device.kind),
        f"{duration((now - device.created_at) / 1000)} ago",
        _seen(device, now),
    )


def _seen(device: DeviceInfo, now: int) -> str:
    if device.connections:
        return "connected"
    return "never" if device.last_seen_at is None else f"{duration((now - device.last_seen_at) / 1000)} ago"
