"""Drawings for tests of the core, which takes them as they are, and what a client makes of the messages it gets."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from mirrord.core.model import Drawing
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import Block, CustomView, Fallback, NativeSurface, Presentation, Strips, Surface, TextSpan, WorkingRow


def drawing(*lines: str, heading: str | None = None, source: str | None = None, id_: str = "widget:x", link: str | None = None) -> Drawing:
    """One terminal block of the lines, as the intake makes it."""
    shown = lines or ("x",)
    block = Block("terminal", lines=tuple((TextSpan(line, link=link),) for line in shown))
    native = NativeSurface(1, id_, "widget", Presentation("surfacePanel", heading or id_), (block,), Fallback(lines=shown))
    return Drawing(native, shown, len(msgspec.json.encode((native, shown))), heading, source)


@dataclass
class Screenful:
    """A client that does what docs/protocol.md says: a snapshot replaces everything, each message its part. It keeps its last cursor."""

    cursor: str | None = None
    surfaces: dict[str, Surface] = field(default_factory=dict)
    regions: dict[str, Surface] = field(default_factory=dict)
    views: dict[str, CustomView] = field(default_factory=dict)
    statuses: dict[str, wire.StatusEntry] = field(default_factory=dict)
    prompts: set[str] = field(default_factory=set)
    title: str | None = None
    row: WorkingRow = WorkingRow(True)  # noqa: RUF009 - frozen
    thinking: str | None = None
    tools: bool = False
    strips: Strips = Strips()  # noqa: RUF009 - frozen

    def take(self, message: wire.ServerMessage) -> None:
        """Take in a message."""
        self.cursor = getattr(message, "cursor", None) or self.cursor
        match message:
            case wire.Snapshot():
                self._snapshot(message)
            case wire.ExtensionUIRequest(id=id_):
                self.prompts.add(id_)
            case wire.ExtensionUISettled(id=id_):
                self.prompts.discard(id_)
                self.views.pop(id_, None)
            case wire.ExtensionUIStrips(above=above, below=below):
                self.strips = Strips(above, below)
            case wire.ExtensionUINotification():
                self._notification(message)
            case _:
                pass

    def shown(self) -> object:
        """Everything that it shows, to compare with another."""
        parts = (self.surfaces, self.regions, self.views, self.statuses, self.prompts, self.title, self.row, self.thinking, self.tools)
        return *parts, self.strips

    def _snapshot(self, message: wire.Snapshot) -> None:
        assert message.strips is not None
        assert message.working_row is not None
        self.surfaces = {surface.key: surface for surface in message.surfaces}
        self.regions = {region.key: region for region in (message.header, message.footer) if region is not None}
        self.views = {view.request_id: view for view in message.views}
        self.statuses = {status.key: status for status in message.statuses}
        self.prompts = {prompt.id for prompt in message.prompts}
        self.title, self.row, self.thinking = message.title, message.working_row, message.hidden_thinking_label
        self.tools, self.strips = bool(message.tools_expanded), message.strips

    def _notification(self, message: wire.ExtensionUINotification) -> None:
        drawn = (message.widget_lines or (), message.native_surface, message.source, message.truncated)
        match message.method:
            case "setWidget":
                key = message.widget_key or ""
                self.surfaces.pop(key, None) if message.widget_lines is None else None
                if message.widget_lines is not None:
                    self.surfaces[key] = Surface(key, message.widget_placement or "aboveEditor", *drawn)
            case "setHeader" | "setFooter":
                name = message.method.removeprefix("set").lower()
                self.regions.pop(name, None)
                if message.widget_lines is not None:
                    self.regions[name] = Surface(name, "aboveEditor" if name == "header" else "belowEditor", *drawn)
            case "setCustomView":
                self.views.pop(message.request_id or "", None)
                if message.typing is not None and message.overlay is not None and message.request_id is not None:
                    self.views[message.request_id] = CustomView(message.request_id, message.overlay, message.typing, *drawn)
            case "setStatus":
                self.statuses.pop(message.status_key or "", None)
                if message.status_text is not None:
                    key = message.status_key or ""
                    self.statuses[key] = wire.StatusEntry(key, message.status_text, message.source)
            case "setTitle":
                self.title = message.title
            case "setWorkingMessage":
                self.row = msgspec.structs.replace(self.row, message=message.message)
            case "setWorkingVisible":
                self.row = msgspec.structs.replace(self.row, visible=message.working_visible is not False)
            case "setWorkingIndicator":
                self.row = msgspec.structs.replace(self.row, indicator=message.working_indicator)
            case "setHiddenThinkingLabel":
                self.thinking = message.hidden_thinking_label
            case "setToolsExpanded":
                self.tools = bool(message.tools_expanded)
            case _:
                pass
