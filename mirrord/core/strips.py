"""The pills above and below the composer, by the contract's rules ("Widget placement and collapsed budget").

One pill is a widget, or a status that belongs to no widget. A status belongs to the widget with its key or, where exactly one status and
one widget are of one extension, to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mirrord.wire.messages import StatusEntry
from mirrord.wire.surfaces import Pill, Placement, Strips


@dataclass(frozen=True, slots=True)
class Widget:
    """What of a widget a pill shows. `heading` is the author's, `line` the first that is not blank."""

    key: str
    placement: Placement
    heading: str | None
    line: str
    source: str | None


def strips(widgets: Sequence[Widget], statuses: Sequence[StatusEntry]) -> Strips:
    """The pills, widgets in their order and then the statuses that stand alone, each in the strip of its extension's first widget."""
    attached = _attached(widgets, statuses)
    taken = {status.key for status in attached.values()}
    alone = [status for status in statuses if status.key not in taken]
    place: dict[str | None, Placement] = {}
    for widget in widgets:
        if widget.source is not None:
            place.setdefault(widget.source, widget.placement)
    pills = [(widget.placement, _widget_pill(widget, attached.get(widget.key))) for widget in widgets]
    pills += [(place.get(status.source, "aboveEditor"), _status_pill(status)) for status in alone]
    return Strips(
        above=tuple(pill for placement, pill in pills if placement == "aboveEditor"),
        below=tuple(pill for placement, pill in pills if placement == "belowEditor"),
    )


def _attached(widgets: Sequence[Widget], statuses: Sequence[StatusEntry]) -> dict[str, StatusEntry]:
    """The status of each widget that has one, by the widget's key."""
    by_key = {status.key: status for status in statuses}
    attached = {widget.key: by_key[widget.key] for widget in widgets if widget.key in by_key}
    one_widget, one_status = _single(widget.source for widget in widgets), _single(status.source for status in statuses)
    for widget in widgets:
        if widget.source in one_widget & one_status and widget.key not in attached:
            status = next(status for status in statuses if status.source == widget.source)
            if all(other.key != status.key for other in attached.values()):
                attached[widget.key] = status
    return attached


def _single(sources: Iterable[str | None]) -> set[str]:
    """Extensions that occur once."""
    return {source for source, count in Counter(sources).items() if source is not None and count == 1}


def _widget_pill(widget: Widget, status: StatusEntry | None) -> Pill:
    text = status.text if status is not None else None
    label = widget.heading or text or widget.key or widget.line
    return Pill(f"widget:{widget.key}", "widget", widget.key, label, text if text != label else None, widget.source)


def _status_pill(status: StatusEntry) -> Pill:
    return Pill(f"status:{status.key}", "status", status.key, status.text, None, status.source)
