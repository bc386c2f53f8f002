"""What Pi shows besides prompts, as events. All texts are clean, all surfaces within their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mirrord.core.events import FromLink
from mirrord.core.model import Drawing, Handoff, PromptId
from mirrord.wire.surfaces import Placement, WorkingRow

Region = Literal["header", "footer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(FromLink):
    """Base of these events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notified(Shown):
    """`ctx.ui.notify`."""

    message: str
    level: Literal["info", "warning", "error"] | None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSet(Shown):
    """`ctx.ui.setStatus`; None clears."""

    key: str
    text: str | None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleSet(Shown):
    """`ctx.ui.setTitle`."""

    title: str | None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WidgetSet(Shown):
    """`ctx.ui.setWidget`; None clears."""

    key: str
    placement: Placement
    drawing: Drawing | None
    why: str | None = None
    """Why it is not native, where its author wanted it so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionSet(Shown):
    """What an extension shows in the place of Pi's header or footer; None: it is Pi's own."""

    name: Region
    drawing: Drawing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDrawn(Shown):
    """What an open `custom` dialog draws. `typing`: it may show what somebody types."""

    prompt: PromptId
    drawing: Drawing
    overlay: bool
    typing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingRowSet(Shown):
    """The row that says that Pi works."""

    row: WorkingRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingLabelSet(Shown):
    """What stands for hidden thinking; None: Pi's own words."""

    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsExpandedSet(Shown):
    """Whether the terminal shows the whole output of tools."""

    expanded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorTextHanded(Shown):
    """An extension put a text into Pi's editor."""

    handoff: Handoff
