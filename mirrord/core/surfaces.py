"""Widgets, header and footer, and the views of custom dialogs of one session: kept until they are replaced, cleared, or not told again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Set
from dataclasses import dataclass, field

from msgspec.structs import replace

from bridge.limits import WIDGETS
from mirrord.core.effects import Publish
from mirrord.core.model import Drawing, PromptId, TerminalId
from mirrord.core.shown import Region
from mirrord.core.strips import Widget
from mirrord.wire.messages import ExtensionUINotification, NotificationMethod
from mirrord.wire.surface_limits import SURFACES_BYTES
from mirrord.wire.surfaces import CustomView, Placement, Surface

_METHODS: dict[Region, NotificationMethod] = {"header": "setHeader", "footer": "setFooter"}
_PLACES: dict[Region, Placement] = {"header": "aboveEditor", "footer": "belowEditor"}


@dataclass(slots=True)
class _Widget:
    placement: Placement
    drawing: Drawing
    pill: Widget
    touched: int
    why: str | None
    """Why it is not native, where its author wanted it so."""


@dataclass(frozen=True, slots=True)
class _View:
    drawing: Drawing
    overlay: bool
    typing: bool


@dataclass(slots=True)
class Surfaces:
    """State of one terminal; methods return what is to be published, which is nothing for what stays the same."""

    session: TerminalId
    given_way: int = 0
    """Widgets that gave way to newer ones, since the session came."""
    _widgets: OrderedDict[str, _Widget] = field(default_factory=OrderedDict)
    """In the order they were first set, as Pi shows them."""
    _regions: dict[Region, Drawing] = field(default_factory=dict)
    _views: OrderedDict[PromptId, _View] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _touches: int = 0

    @property
    def bytes(self) -> int:
        """What everything takes as JSON."""
        return self._bytes

    @property
    def can_be_abridged(self) -> bool:
        """Whether a widget, the header or the footer is more than its heading."""
        drawings = (*(widget.drawing for widget in self._widgets.values()), *self._regions.values())
        return not all(drawing.is_abridged for drawing in drawings)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def widgets(self) -> tuple[Surface, ...]:
        """The widgets as a snapshot has them."""
        return tuple(_surface(key, widget.placement, widget.drawing) for key, widget in self._widgets.items())

    def region(self, name: Region) -> Surface | None:
        """What stands in the place of Pi's header or footer."""
        drawing = self._regions.get(name)
        return _surface(name, _PLACES[name], drawing) if drawing is not None else None

    def views(self) -> tuple[CustomView, ...]:
        """What open dialogs draw, the oldest first."""
        return tuple(_custom_view(prompt, view) for prompt, view in self._views.items())

    def pills(self) -> tuple[Widget, ...]:
        """The widgets as far as a pill shows them."""
        return tuple(widget.pill for widget in self._widgets.values())

    def reasons(self) -> tuple[str, ...]:
        """Why widgets are not native whose authors wanted them so."""
        return tuple(widget.why for widget in self._widgets.values() if widget.why is not None)

    def typed_views(self) -> list[Publish]:
        """The views that are in no journal, for a client that comes back with a cursor."""
        return [publish for prompt, view in self._views.items() if view.typing for publish in self._view(prompt, view, None)]

    # ---- what changes ------------------------------------------------------------------------------------------------

    def set_widget(self, key: str, placement: Placement, drawing: Drawing | None, why: str | None = None) -> list[Publish]:
        """Set or clear a widget. `why` it is not native. Past WIDGETS keys the one that was not touched for longest gives way."""
        old = self._widgets.get(key)
        if drawing is None:
            return [self._clear_widget(key)] if old is not None else []
        self._touches += 1
        drawing = self._fitting(drawing, old.drawing if old is not None else None)
        self._widgets[key] = _Widget(placement, drawing, _pill(key, placement, drawing), self._touches, why)
        effects = [] if old is not None and (old.placement, old.drawing) == (placement, drawing) else [self._widget(key)]
        if len(self._widgets) > WIDGETS:
            self.given_way += 1
            effects.append(self._clear_widget(min(self._widgets, key=lambda each: self._widgets[each].touched)))
        return effects

    def set_region(self, name: Region, drawing: Drawing | None) -> list[Publish]:
        """Set or clear the header or the footer."""
        old = self._regions.pop(name, None)
        new = self._fitting(drawing, old) if drawing is not None else None
        if new is not None:
            self._regions[name] = new
        elif old is not None:
            self._bytes -= old.size
        if new == old:
            return []
        message = ExtensionUINotification(session_id=self.session, method=_METHODS[name])
        return [Publish(_drawn(message, new) if new is not None else message, "latest", f"{self.session}/{name}")]

    def draw_view(self, prompt: PromptId, drawing: Drawing, *, overlay: bool, typing: bool) -> list[Publish]:
        """What the open dialog draws now."""
        old = self._views.get(prompt)
        view = _View(self._fitting(drawing, old.drawing if old is not None else None), overlay, typing)
        self._views[prompt] = view
        return self._view(prompt, view, old) if view != old else []

    def end_view(self, prompt: PromptId) -> list[Publish]:
        """The dialog is over. Who is shown its view as a widget needs to be told; for others the settlement says it."""
        view = self._views.pop(prompt, None)
        if view is None:
            return []
        self._bytes -= view.drawing.size
        message = ExtensionUINotification(session_id=self.session, method="setCustomView", request_id=prompt)
        return [Publish(message, "latest", view_key(self.session, prompt))]

    def keep(self, told: Set[str]) -> list[Publish]:
        """A resync is over: `told` names what was told again (`widget:KEY`, `header`, `footer`, `view:PROMPT`), everything else is gone."""
        effects = [self._clear_widget(key) for key in list(self._widgets) if f"widget:{key}" not in told]
        for name in [name for name in self._regions if name not in told]:
            effects += self.set_region(name, None)
        for prompt in [prompt for prompt in self._views if f"view:{prompt}" not in told]:
            effects += self.end_view(prompt)
        return effects

    def abridge(self) -> list[Publish]:
        """Widgets, header and footer are their headings alone, each until it is drawn again. What an open dialog draws stays."""
        effects: list[Publish] = []
        for key, widget in self._widgets.items():
            if not widget.drawing.is_abridged:
                widget.drawing = self._fitting(widget.drawing.abridged(), widget.drawing)
                widget.pill = _pill(key, widget.placement, widget.drawing)
                effects.append(self._widget(key))
        for name, drawing in list(self._regions.items()):
            if not drawing.is_abridged:
                effects += self.set_region(name, drawing.abridged())
        return effects

    def _fitting(self, new: Drawing, old: Drawing | None) -> Drawing:
        """Count the bytes of `new` in the place of `old`; its heading alone when it does not fit beside the others."""
        self._bytes -= old.size if old is not None else 0
        if self._bytes + new.size > SURFACES_BYTES:
            new = new.abridged()
        self._bytes += new.size
        return new

    # ---- making messages ---------------------------------------------------------------------------------------------

    def _widget(self, key: str) -> Publish:
        widget = self._widgets[key]
        message = self._widget_message(key, widget.placement)
        return Publish(_drawn(message, widget.drawing), "latest", f"{self.session}/widget/{key}")

    def _clear_widget(self, key: str) -> Publish:
        widget = self._widgets.pop(key)
        self._bytes -= widget.drawing.size
        return Publish(self._widget_message(key, widget.placement), "latest", f"{self.session}/widget/{key}")

    def _widget_message(self, key: str, placement: Placement) -> ExtensionUINotification:
        return ExtensionUINotification(session_id=self.session, method="setWidget", widget_key=key, widget_placement=placement)

    def _view(self, prompt: PromptId, view: _View, old: _View | None) -> list[Publish]:
        """What may show what somebody types goes into no journal. Observers are told once that it is there: not even how often it changes,
        for that is the length of what is typed."""
        key = view_key(self.session, prompt)
        bare = ExtensionUINotification(
            session_id=self.session,
            method="setCustomView",
            request_id=prompt,
            overlay=view.overlay,
            typing=view.typing,
            source=view.drawing.source,
        )
        whole = _drawn(bare, view.drawing)
        if not view.typing:
            return [Publish(whole, "latest", key)]
        known = old is not None and (old.overlay, old.typing, old.drawing.source) == (view.overlay, True, view.drawing.source)
        hint = [] if known else [Publish(bare, "latest", key, durable=False, audience="observers")]
        return [Publish(whole, "latest", key, durable=False, audience="controllers"), *hint]


def view_key(session: TerminalId, prompt: PromptId) -> str:
    """What names the view of a dialog among all changes."""
    return f"{session}/view/{prompt}"


def _drawn(message: ExtensionUINotification, drawing: Drawing) -> ExtensionUINotification:
    return replace(message, widget_lines=drawing.lines, native_surface=drawing.native, source=drawing.source, truncated=drawing.truncated)


def _surface(key: str, placement: Placement, drawing: Drawing) -> Surface:
    return Surface(key, placement, drawing.lines, drawing.native, drawing.source, drawing.truncated)


def _custom_view(prompt: PromptId, view: _View) -> CustomView:
    drawing = view.drawing
    return CustomView(prompt, view.overlay, view.typing, drawing.lines, drawing.native, drawing.source, drawing.truncated)


def _pill(key: str, placement: Placement, drawing: Drawing) -> Widget:
    return Widget(key, placement, drawing.heading, _first(drawing.lines), drawing.source)


def _first(lines: tuple[str, ...]) -> str:
    return next((stripped for line in lines if (stripped := line.strip())), "")
