"""Small state of one session, kept until cleared: statuses, title, working row, hidden thinking, expanded tools."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

from bridge.limits import STATUSES
from mirrord.core.effects import Publish
from mirrord.core.model import TerminalId
from mirrord.wire.messages import ExtensionUINotification, NotificationMethod, StatusEntry
from mirrord.wire.surfaces import WorkingRow

PLAIN_ROW = WorkingRow(visible=True)
"""Pi's own working row."""


@dataclass(frozen=True, slots=True)
class _Status:
    text: str
    source: str | None
    touched: int


@dataclass(slots=True)
class Ambient:
    """State of one terminal; methods return what is to be published, which is nothing for what stays the same."""

    session: TerminalId
    title: str | None = None
    working_row: WorkingRow = PLAIN_ROW
    thinking_label: str | None = None
    tools_expanded: bool = False
    given_way: int = 0
    """Statuses that gave way to newer ones, since the session came."""
    _statuses: OrderedDict[str, _Status] = field(default_factory=OrderedDict)
    """In the order they were first set, so that pills stay where they are."""
    _touches: int = 0

    def statuses(self) -> tuple[StatusEntry, ...]:
        """The statuses as clients get them."""
        return tuple(StatusEntry(key, status.text, status.source) for key, status in self._statuses.items())

    def set_status(self, key: str, text: str | None, source: str | None = None) -> list[Publish]:
        """Set or clear a keyed status; past STATUSES keys the one that was not touched for longest gives way."""
        old = self._statuses.get(key)
        if text is None:
            return [self._clear_status(key)] if old is not None else []
        self._touches += 1
        self._statuses[key] = _Status(text, source, self._touches)
        unchanged = old is not None and (old.text, old.source) == (text, source)
        effects = [] if unchanged else [self._status(key, status_text=text, source=source)]
        if len(self._statuses) > STATUSES:
            self.given_way += 1
            effects.append(self._clear_status(min(self._statuses, key=lambda each: self._statuses[each].touched)))
        return effects

    def set_title(self, title: str | None, source: str | None = None) -> list[Publish]:
        """Set or clear the title."""
        changed, self.title = title != self.title, title
        return [self._publish("title", "setTitle", title=title, source=source)] if changed else []

    def set_working_row(self, row: WorkingRow) -> list[Publish]:
        """Set the working row; each of its parts is told when it changes."""
        old, self.working_row = self.working_row, row
        effects: list[Publish] = []
        if row.message != old.message:
            effects.append(self._publish("working/message", "setWorkingMessage", message=row.message))
        if row.visible != old.visible:
            effects.append(self._publish("working/visible", "setWorkingVisible", working_visible=row.visible))
        if row.indicator != old.indicator:
            effects.append(self._publish("working/indicator", "setWorkingIndicator", working_indicator=row.indicator))
        return effects

    def set_thinking_label(self, label: str | None) -> list[Publish]:
        """Set or clear what stands for hidden thinking."""
        changed, self.thinking_label = label != self.thinking_label, label
        return [self._publish("thinking", "setHiddenThinkingLabel", hidden_thinking_label=label)] if changed else []

    def set_tools_expanded(self, expanded: bool) -> list[Publish]:
        """Whether tools are shown whole."""
        changed, self.tools_expanded = expanded != self.tools_expanded, expanded
        return [self._publish("tools", "setToolsExpanded", tools_expanded=expanded)] if changed else []

    def keep(self, told: Set[str]) -> list[Publish]:
        """A resync is over: `told` names what was told again (`status:KEY`, `title`, `working`, `thinking`, `tools`), the rest is gone."""
        effects = [self._clear_status(key) for key in list(self._statuses) if f"status:{key}" not in told]
        if "title" not in told:
            effects += self.set_title(None)
        if "working" not in told:
            effects += self.set_working_row(PLAIN_ROW)
        if "thinking" not in told:
            effects += self.set_thinking_label(None)
        if "tools" not in told:
            effects += self.set_tools_expanded(False)
        return effects

    # ---- making messages ---------------------------------------------------------------------------------------------

    def _clear_status(self, key: str) -> Publish:
        del self._statuses[key]
        return self._status(key)

    def _status(self, key: str, **fields: str | None) -> Publish:
        return self._publish(f"status/{key}", "setStatus", status_key=key, **fields)

    def _publish(self, key: str, method: NotificationMethod, **fields: Any) -> Publish:  # noqa: ANN401 - the struct checks them
        message = ExtensionUINotification(session_id=self.session, method=method, **fields)
        return Publish(message, "latest", f"{self.session}/{key}")
