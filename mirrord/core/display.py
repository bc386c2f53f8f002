"""Everything that a session shows besides prompts, and the pills that stand for it."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from mirrord.core import shown
from mirrord.core.ambient import Ambient
from mirrord.core.effects import Publish
from mirrord.core.handoffs import Handoffs
from mirrord.core.model import PromptId, TerminalId
from mirrord.core.strips import strips
from mirrord.core.surfaces import Surfaces
from mirrord.wire.messages import ExtensionUINotification, ExtensionUIStrips
from mirrord.wire.surfaces import Strips


@dataclass(slots=True)
class Display:
    """State of one terminal; methods return what is to be published."""

    session: TerminalId
    surfaces: Surfaces = field(init=False)
    ambient: Ambient = field(init=False)
    handoffs: Handoffs = field(init=False)
    strips: Strips = Strips()  # noqa: RUF009 - frozen
    _told: set[str] | None = None
    """While a resync runs: names of what was told again, as `Ambient.keep` and `Surfaces.keep` have them."""

    def __post_init__(self) -> None:
        """All of it belongs to this terminal."""
        self.surfaces, self.ambient, self.handoffs = Surfaces(self.session), Ambient(self.session), Handoffs(self.session)

    @property
    def given_way(self) -> int:
        """Widgets and statuses that gave way to newer ones."""
        return self.surfaces.given_way + self.ambient.given_way

    def show(self, event: shown.Shown, open_prompts: Set[PromptId]) -> list[Publish]:
        """What the terminal shows now. A view belongs to one of the open prompts."""
        match event:
            case shown.Notified(message=message, level=level, source=source):
                told = ExtensionUINotification(session_id=self.session, method="notify", message=message, notify_type=level, source=source)
                return [Publish(told, "may")]
            case shown.EditorTextHanded(handoff=handoff):
                return self.handoffs.tell(handoff, event.at.boot)
            case shown.StatusSet(key=key, text=text, source=source):
                return self._with_strips(f"status:{key}", self.ambient.set_status(key, text, source))
            case shown.WidgetSet(key=key, placement=placement, drawing=drawing, why=why):
                return self._with_strips(f"widget:{key}", self.surfaces.set_widget(key, placement, drawing, why))
            case shown.TitleSet(title=title, source=source):
                return self._note("title", self.ambient.set_title(title, source))
            case shown.RegionSet(name=name, drawing=drawing):
                return self._note(name, self.surfaces.set_region(name, drawing))
            case shown.ViewDrawn(prompt=prompt):
                if prompt not in open_prompts:
                    return []
                effects = self.surfaces.draw_view(prompt, event.drawing, overlay=event.overlay, typing=event.typing)
                return self._note(f"view:{prompt}", effects)
            case shown.WorkingRowSet(row=row):
                return self._note("working", self.ambient.set_working_row(row))
            case shown.ThinkingLabelSet(label=label):
                return self._note("thinking", self.ambient.set_thinking_label(label))
            case shown.ToolsExpandedSet(expanded=expanded):
                return self._note("tools", self.ambient.set_tools_expanded(expanded))
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")

    def resync_began(self) -> None:
        """The terminal starts to tell everything again."""
        self._told = set()

    def resync_ended(self) -> list[Publish]:
        """What was not told again is gone; what was told as it was before is not published."""
        told, self._told = self._told or set(), None
        return self._keep(told)

    def detach(self) -> None:
        """A resync that ran is over without its end: everything stays."""
        self._told = None

    def clear(self) -> list[Publish]:
        """The session is over, and with it whatever it showed."""
        self._told = None
        self.handoffs.clear()
        return self._keep(frozenset())

    def abridge(self) -> list[Publish]:
        """All sessions together hold too much: of what this one draws only the headings are kept."""
        return [*self.surfaces.abridge(), *self._changed_strips()]

    def _keep(self, told: Set[str]) -> list[Publish]:
        return [*self.surfaces.keep(told), *self.ambient.keep(told), *self._changed_strips()]

    def _note(self, name: str, effects: list[Publish]) -> list[Publish]:
        if self._told is not None:
            self._told.add(name)
        return effects

    def _with_strips(self, name: str, effects: list[Publish]) -> list[Publish]:
        return self._note(name, [*effects, *self._changed_strips()] if effects else effects)

    def _changed_strips(self) -> list[Publish]:
        new = strips(self.surfaces.pills(), self.ambient.statuses())
        if new == self.strips:
            return []
        self.strips = new
        return [Publish(ExtensionUIStrips(session_id=self.session, above=new.above, below=new.below), "latest", f"{self.session}/strips")]
