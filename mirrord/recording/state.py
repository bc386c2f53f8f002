"""Where a recorded session stands after so many messages: what a client that comes then is told. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView
from mirrord.client.frames import Frame
from mirrord.wire import chat, messages
from mirrord.wire.surfaces import CustomView, Strips, Surface, WorkingRow

_Item = TypeVar("_Item")

PLAIN_ROW: Final = WorkingRow(visible=True)
"""Pi's own working row."""


@dataclass(slots=True)
class State:
    """`session` is None before the first message that lists it, `snapshot` before the first snapshot."""

    session: messages.Session | None = None
    snapshot: messages.Snapshot | None = None
    view: ChatView = field(default_factory=ChatView)

    def take(self, frame: Frame) -> None:
        """A message of the recording."""
        match frame.message:
            case messages.Welcome(sessions=sessions):
                self.session = next(iter(sessions), self.session)
                # The rest of the recording came over this connection.
                self.view = chat_reducer.connect(self.view)
            case messages.Snapshot() as snapshot:
                self.session, self.snapshot = snapshot.session, snapshot
            case messages.SessionChanged(session=session):
                self.session = session
                if self.snapshot is not None:
                    working = messages.Working(session.status.state == "working", session.status.since)
                    self.snapshot = replace(self.snapshot, session=session, working=working)
            case chat.ChatEvent():
                self.view = chat_reducer.reduce(self.view, json.loads(frame.text)).view
            case None:
                pass
            case message if self.snapshot is not None:
                self.snapshot = _after(self.snapshot, message)
            case _:
                pass

    def conversation(self) -> chat.ChatEvent | None:
        """All of the conversation as one event; None before there is any."""
        if self.view.revision is None or self.view.cursor is None or self.session is None:
            return None
        fields = {**self.view.fields, "messages": list(self.view.messages)}
        return chat.ChatEvent(
            session_id=self.session.session_id,
            cursor=self.view.cursor,
            revision=self.view.revision,
            snapshot=msgspec.convert(fields, chat.ChatSnapshot),
        )


def _after(snapshot: messages.Snapshot, message: messages.ServerMessage) -> messages.Snapshot:
    cursor: str | None = getattr(message, "cursor", None)
    if cursor is not None:
        snapshot = replace(snapshot, cursor=cursor)
    match message:
        case messages.ExtensionUIRequest():
            return replace(snapshot, prompts=_put(snapshot.prompts, message, lambda each: each.id))
        case messages.ExtensionUISettled(id=ended):
            prompts = tuple(each for each in snapshot.prompts if each.id != ended)
            return replace(snapshot, prompts=prompts, views=tuple(each for each in snapshot.views if each.request_id != ended))
        case messages.ExtensionUIStrips(above=above, below=below):
            return replace(snapshot, strips=Strips(above, below))
        case messages.ExtensionUINotification():
            return _shown(snapshot, message)
        case _:
            return snapshot


def _shown(snapshot: messages.Snapshot, told: messages.ExtensionUINotification) -> messages.Snapshot:
    row = snapshot.working_row or PLAIN_ROW
    match told.method:
        case "setStatus":
            key = told.status_key or ""
            entry = messages.StatusEntry(key, told.status_text, told.source) if told.status_text else None
            return replace(snapshot, statuses=_set(snapshot.statuses, key, entry, lambda each: each.key))
        case "setTitle":
            return replace(snapshot, title=told.title)
        case "setWidget":
            key = told.widget_key or ""
            return replace(snapshot, surfaces=_set(snapshot.surfaces, key, _surface(key, told), lambda each: each.key))
        case "setHeader":
            return replace(snapshot, header=_surface("header", told))
        case "setFooter":
            return replace(snapshot, footer=_surface("footer", told))
        case "setCustomView":
            id_ = told.request_id or ""
            return replace(snapshot, views=_set(snapshot.views, id_, _view(id_, told), lambda each: each.request_id))
        case "setWorkingMessage":
            return replace(snapshot, working_row=replace(row, message=told.message))
        case "setWorkingVisible":
            return replace(snapshot, working_row=replace(row, visible=told.working_visible is not False))
        case "setWorkingIndicator":
            return replace(snapshot, working_row=replace(row, indicator=told.working_indicator))
        case "setHiddenThinkingLabel":
            return replace(snapshot, hidden_thinking_label=told.hidden_thinking_label)
        case "setToolsExpanded":
            return replace(snapshot, tools_expanded=told.tools_expanded)
        case "notify" | "set_editor_text":
            return snapshot


def _surface(key: str, told: messages.ExtensionUINotification) -> Surface | None:
    if told.widget_lines is None and told.native_surface is None:
        return None
    below = told.method == "setFooter"
    placement = told.widget_placement or ("belowEditor" if below else "aboveEditor")
    return Surface(key, placement, told.widget_lines or (), told.native_surface, told.source, told.truncated)


def _view(id_: str, told: messages.ExtensionUINotification) -> CustomView | None:
    if told.overlay is None and told.typing is None:
        return None
    drawn = told.widget_lines or ()
    return CustomView(id_, told.overlay is True, told.typing is True, drawn, told.native_surface, told.source, told.truncated)


def _put(items: tuple[_Item, ...], new: _Item, key: Callable[[_Item], str]) -> tuple[_Item, ...]:
    return _set(items, key(new), new, key)


def _set(items: Iterable[_Item], name: str, new: _Item | None, key: Callable[[_Item], str]) -> tuple[_Item, ...]:
    """In the place of the one with the same name, else at the end; None removes it."""
    found = {key(item): item for item in items}
    if new is None:
        found.pop(name, None)
    else:
        found[name] = new
    return tuple(found.values())
