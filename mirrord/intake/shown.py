"""What Pi shows besides prompts, clean: each bridge message of it as the core event that it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final, assert_never

from bridge import messages as said
from bridge.limits import PALETTE_TOKENS, TEXT_BYTES
from mirrord.core import shown
from mirrord.core.model import Handoff, LinkId, Moment, PromptId
from mirrord.core.pieces import Pieces
from mirrord.intake.ambient import THINKING_CLUSTERS, working_row
from mirrord.intake.drawing import Drawn, blank, drawing, key_of, source_of
from mirrord.intake.native import heading
from mirrord.intake.pencil import Pencil
from mirrord.wire.surface_limits import ID_CLUSTERS, STATUS_CLUSTERS
from sanitize import label, text

TITLE_CLUSTERS: Final = 200
"""The terminal's title."""

NAME_CLUSTERS: Final = 60
"""A widget's key within a sentence."""

WHY_CLUSTERS: Final = 200
"""Why a widget is not native: an error's first words, for its author."""

Message = (
    said.Notification
    | said.Status
    | said.Title
    | said.Palette
    | said.Widget
    | said.Region
    | said.View
    | said.WorkingRow
    | said.ThinkingLabel
    | said.ToolsExpanded
    | said.EditorTextPart
    | said.EditorText
)
"""What is read here."""


@dataclass(slots=True)
class Display:
    """Takes in what one link says of what Pi shows. The palette, and pieces of a long text, wait here for what they belong to."""

    link: LinkId
    _pencil: Pencil = field(default_factory=Pencil)
    _handoff: Pieces = field(default_factory=Pieces)

    def event(self, message: Message, at: Moment) -> shown.Shown | None:
        """The event that a message means, None for one that only prepares another."""
        link = self.link
        match message:
            case said.Notification(message=body, notify_type=level, source=source):
                clean = text(body, limit_bytes=TEXT_BYTES).text
                return shown.Notified(at=at, link=link, message=clean, level=level, source=source_of(source))
            case said.Status(key=key, text=status, source=source):
                return shown.StatusSet(at=at, link=link, key=key_of(key), text=heading(status, STATUS_CLUSTERS), source=source_of(source))
            case said.Title(title=title, source=source):
                return shown.TitleSet(at=at, link=link, title=heading(title, TITLE_CLUSTERS), source=source_of(source))
            case said.Palette(tokens=tokens):
                self._pencil.use(dict(islice(tokens.items(), PALETTE_TOKENS)))
                return None
            case said.Widget():
                return self._widget(message, at)
            case said.Region(name=name, lines=lines, width=width, source=source, truncated=cuts):
                drawn = Drawn(f"region:{name}", name, lines or (), width, source=source, truncated=cuts)
                return shown.RegionSet(at=at, link=link, name=name, drawing=drawing(drawn, self._pencil))
            case said.View():
                return self._view(message, at)
            case said.WorkingRow():
                return shown.WorkingRowSet(at=at, link=link, row=working_row(message))
            case said.ThinkingLabel(label=thinking):
                return shown.ThinkingLabelSet(at=at, link=link, label=heading(thinking, THINKING_CLUSTERS))
            case said.ToolsExpanded(expanded=expanded):
                return shown.ToolsExpandedSet(at=at, link=link, expanded=expanded)
            case said.EditorTextPart(id=id_, part=part, parts=parts, text=piece):
                self._handoff.add(id_, part, parts, piece)
                return None
            case said.EditorText():
                return self._editor_text(message, at)
            case _:
                assert_never(message)

    def _widget(self, widget: said.Widget, at: Moment) -> shown.WidgetSet:
        key = key_of(widget.key)
        drawn = Drawn(f"widget:{key}", key, widget.lines or (), widget.width, widget.native, widget.source, widget.truncated)
        shows = widget.lines is not None
        return shown.WidgetSet(
            at=at,
            link=self.link,
            key=key,
            placement=widget.placement,
            drawing=drawing(drawn, self._pencil) if shows else None,
            why=_not_native(key, widget.native_error) if shows and widget.native_error is not None else None,
        )

    def _view(self, view: said.View, at: Moment) -> shown.ViewDrawn:
        drawn = Drawn(f"view:{view.id}", "view", view.lines, view.width, source=view.source, truncated=view.truncated)
        return shown.ViewDrawn(
            at=at,
            link=self.link,
            prompt=PromptId(view.id),
            drawing=drawing(drawn, self._pencil) or blank(drawn),
            overlay=view.overlay,
            typing=view.typing,
        )

    def _editor_text(self, handed: said.EditorText, at: Moment) -> shown.EditorTextHanded | None:
        """None for a text whose pieces did not all come."""
        whole = self._handoff.take(handed.id, handed.parts) if handed.parts is not None else handed.text
        self._handoff.clear()
        if whole is None:
            return None
        handoff = Handoff(label(handed.id, limit=ID_CLUSTERS).text, whole, handed.paste, source_of(handed.source))
        return shown.EditorTextHanded(at=at, link=self.link, handoff=handoff)


def _not_native(key: str, why: str) -> str:
    name = label(key, limit=NAME_CLUSTERS).text
    return f"The widget {name} is shown as the terminal draws it: {label(why, limit=WHY_CLUSTERS).text}"
