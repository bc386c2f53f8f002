"""What Pi shows besides prompts, as it is now, for a terminal: kept by what it is, told as what changed. Pure.

Where a terminal can replace what it shows, `attach_panel` draws a board anew in place. Elsewhere `changes` gives lines to append: all of a
surface when it comes, one short line for each later change. A value that was replaced before anybody asked is in neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from mirrord.attach.blocks import surface_lines
from mirrord.client.clean import one_line
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import CustomView, NativeSurface, Pill, Placement, Strips, Surface, WorkingRow

SHOW: Final = "/show"

PLAIN_ROW: Final = WorkingRow(visible=True)
"""Pi's own working row."""

TYPING_SENTENCE: Final = "(something may be typed there; only who may answer can see it)"


@dataclass(frozen=True)
class Text:
    """A name and one line."""

    name: str
    text: str

    @property
    def lines(self) -> tuple[str, ...]:
        return (one_line(self.text),)

    def whole(self) -> Iterator[str]:
        yield f"- {one_line(self.name)}: {self.lines[0]}"

    def since(self, _before: tuple[str, ...]) -> Iterator[str]:
        yield from self.whole()

    def gone(self) -> str:
        return f"- {one_line(self.name)}: (cleared)"


@dataclass(frozen=True)
class Pills:
    """A strip. It is told when a pill comes or goes; what is on one is told with its status or widget."""

    name: str
    pills: tuple[Pill, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(pill.id for pill in self.pills)

    def row(self) -> str:
        return " ".join(f"[{one_line(': '.join((pill.label, pill.status)) if pill.status else pill.label)}]" for pill in self.pills)

    def whole(self) -> Iterator[str]:
        yield f"- {self.name}: {self.row()}"

    def since(self, _before: tuple[str, ...]) -> Iterator[str]:
        yield from self.whole()

    def gone(self) -> str:
        return f"- {self.name}: (empty)"


@dataclass(frozen=True)
class Drawn:
    """A surface as it came; its lines are made when somebody looks at it, because most changes are replaced before."""

    name: str
    placement: Placement
    surface: NativeSurface | None
    drawn: tuple[str, ...]
    truncated: tuple[wire.Truncation, ...]
    source: str | None
    is_hidden: bool = False

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return (TYPING_SENTENCE,) if self.is_hidden else tuple(surface_lines(self.surface, self.drawn, self.truncated))

    @property
    def label(self) -> str:
        """The key as its author writes it, and the author's title where that is another word."""
        title = self.surface.presentation.title if self.surface is not None else None
        if title is None or title.casefold() == self.name.casefold():
            return one_line(title or self.name)
        return one_line(f"{self.name} ({title})")

    @property
    def heading(self) -> str:
        """The label, and whose it is where that says more."""
        says_more = self.source is not None and self.source.casefold() != self.name.casefold()
        return f"{self.label}, by {one_line(self.source or '')}" if says_more else self.label

    def whole(self) -> Iterator[str]:
        yield f"- {self.heading}:"
        yield from (f"  {line}" for line in self.lines)

    def since(self, before: tuple[str, ...]) -> Iterator[str]:
        """The first line that is another one, and how many more are."""
        lines = self.lines
        longest = max(len(lines), len(before))
        differ = [n for n in range(longest) if lines[n : n + 1] != before[n : n + 1]]
        first = next((lines[n].strip() for n in differ if n < len(lines) and lines[n].strip()), "")
        others = len(differ) - bool(first)
        more = f"({others} {'more ' if first else ''}{'line' if others == 1 else 'lines'} changed)" if others else ""
        yield f"- {self.label}: {' '.join(part for part in (first, more) if part)}"

    def gone(self) -> str:
        return f"- {self.label} (cleared)"


Entry = Text | Pills | Drawn


@dataclass(slots=True)
class Board:
    """What one session shows."""

    entries: dict[str, Entry] = field(default_factory=dict)
    """By `title`, `working`, `header`, `footer`, `status/KEY`, `widget/KEY`, `view/ID`, `strip/PLACE`."""
    row: WorkingRow = PLAIN_ROW
    _told: dict[str, tuple[Entry, tuple[str, ...]]] = field(default_factory=dict)
    """By key, what was told last and the lines that it had."""
    _changed: dict[str, None] = field(default_factory=dict)
    """Keys, in the order in which they changed."""

    # ---- what comes --------------------------------------------------------------------------------------------------

    def replace(self, snapshot: wire.Snapshot) -> None:
        """This is what there is; all of it counts as new."""
        self.entries.clear()
        self._told.clear()
        self._changed.clear()
        self._put("title", Text("title", snapshot.title) if snapshot.title else None)
        for status in snapshot.statuses:
            self._put(f"status/{status.key}", Text(status.key, status.text))
        self._set_row(snapshot.working_row or PLAIN_ROW)
        self._set_strips(snapshot.strips or Strips())
        for region, surface in (("header", snapshot.header), ("footer", snapshot.footer)):
            self._put(region, _surface(region, surface) if surface is not None else None)
        for surface in snapshot.surfaces:
            self._put(f"widget/{surface.key}", _surface(surface.key, surface))
        for view in snapshot.views:
            self._put(f"view/{view.request_id}", _view(view))

    def take(self, message: wire.ServerMessage) -> bool:
        """Keep a message that says how something is from now on; False for any other, which is to be shown as it comes."""
        match message:
            case wire.ExtensionUIStrips():
                self._set_strips(Strips(message.above, message.below))
                return True
            case wire.ExtensionUINotification():
                return self._notification(message)
            case _:
                return False

    def _notification(self, told: wire.ExtensionUINotification) -> bool:
        match told.method:
            case "setTitle":
                self._put("title", Text("title", told.title) if told.title else None)
            case "setStatus":
                key = told.status_key or ""
                self._put(f"status/{key}", Text(key, told.status_text) if told.status_text else None)
            case "setWidget":
                self._put(f"widget/{told.widget_key}", _told_surface(told.widget_key or "", told))
            case "setHeader":
                self._put("header", _told_surface("header", told))
            case "setFooter":
                self._put("footer", _told_surface("footer", told))
            case "setCustomView":
                self._put(f"view/{told.request_id}", _told_view(told))
            case "setWorkingMessage":
                self._set_row(WorkingRow(self.row.visible, told.message, self.row.indicator))
            case "setWorkingVisible":
                self._set_row(WorkingRow(told.working_visible is not False, self.row.message, self.row.indicator))
            case "setWorkingIndicator":
                self._set_row(WorkingRow(self.row.visible, self.row.message, told.working_indicator))
            case _:
                return False
        return True

    def _set_row(self, row: WorkingRow) -> None:
        self.row = row
        self._put("working", Text("working row", row.message) if row.visible and row.message else None)

    def _set_strips(self, strips: Strips) -> None:
        for place, pills in (("above", strips.above), ("below", strips.below)):
            self._put(f"strip/{place}", Pills(f"pills {place}", pills) if pills else None)

    def _put(self, key: str, entry: Entry | None) -> None:
        if entry is None:
            self.entries.pop(key, None)
        else:
            self.entries[key] = entry
        self._changed[key] = None

    # ---- what is told ------------------------------------------------------------------------------------------------

    def changes(self) -> Iterator[str]:
        """What is another than when this was asked last."""
        changed, self._changed = self._changed, {}
        for key in changed:
            entry, before = self.entries.get(key), self._told.get(key)
            if entry is None:
                if before is not None:
                    del self._told[key]
                    yield before[0].gone()
                continue
            lines = entry.lines
            if before is None:
                yield from entry.whole()
            elif before[1] != lines:
                yield from entry.since(before[1])
            self._told[key] = entry, lines

    def everything(self) -> Iterator[str]:
        """All of it, whole."""
        for entry in self.entries.values():
            yield from entry.whole()


def _surface(name: str, surface: Surface) -> Drawn:
    return Drawn(name, surface.placement, surface.native_surface, surface.widget_lines, surface.truncated, surface.source)


def _view(view: CustomView) -> Drawn:
    hidden = view.typing and view.native_surface is None and not view.widget_lines
    return Drawn("view", "aboveEditor", view.native_surface, view.widget_lines, view.truncated, view.source, hidden)


def _told_surface(name: str, told: wire.ExtensionUINotification) -> Drawn | None:
    if told.native_surface is None and told.widget_lines is None:
        return None
    placement = told.widget_placement or "aboveEditor"
    return Drawn(name, placement, told.native_surface, told.widget_lines or (), told.truncated, told.source)


def _told_view(told: wire.ExtensionUINotification) -> Drawn | None:
    drawn = _told_surface("view", told)
    if drawn is None and told.typing:
        return Drawn("view", "aboveEditor", None, (), (), told.source, is_hidden=True)
    return drawn
