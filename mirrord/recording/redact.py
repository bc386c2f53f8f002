"""A message as a recording may hold it (design FIXED 7): `rules.RULES` field by field, and what no field can tell by itself. Pure.

What is replaced becomes PLACEHOLDER, whatever it was and however long: of what is typed not even the length is told.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET
from msgspec.structs import FieldInfo, replace

from mirrord.recording.rules import RULES, Rule
from mirrord.wire import chat, extension_ui
from mirrord.wire.messages import ServerMessage

PLACEHOLDER: Final = "(left out)"
"""In the place of a text."""

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def redact(message: ServerMessage, conversation: bool = False) -> ServerMessage:
    """What of a message is recorded; `conversation`: with its texts. Applied to its own result it changes nothing."""
    return _struct(message, conversation)


def _struct(value: _Struct, conversation: bool) -> _Struct:
    rules = RULES[type(value)]
    fields: dict[str, Any] = {}
    for info in _fields(type(value)):
        fields[info.name] = _field(getattr(value, info.name), info, rules[info.name], conversation)
    made = replace(value, **fields)
    special = _SPECIAL.get(type(value))
    return made if special is None else special(made, conversation)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _field(value: object, info: FieldInfo, rule: Rule, conversation: bool) -> object:
    if rule in ("kept", "shown") or (rule == "conversation" and conversation):
        return _walk(value, conversation)
    if value is None or value is UNSET:
        return value
    if isinstance(value, str) and rule != "left_out":
        return PLACEHOLDER
    return None if info.default is NODEFAULT else info.default


def _walk(value: object, conversation: bool) -> object:
    if isinstance(value, msgspec.Struct):
        return _struct(value, conversation)
    if isinstance(value, tuple):
        return tuple(_walk(item, conversation) for item in value)
    return value


# ---- what depends on more than one field -----------------------------------------------------------------------------


def _request(request: extension_ui.ExtensionUIRequest, _: bool) -> extension_ui.ExtensionUIRequest:
    """Whether an editor's text came with its prompt or in pieces would tell how long it is."""
    cuts = tuple(cut for cut in request.truncated if cut.field != "prefill")
    return replace(request, truncated=cuts, prefill=PLACEHOLDER if request.method == "editor" else None)


def _notification(told: extension_ui.ExtensionUINotification, _: bool) -> extension_ui.ExtensionUINotification:
    match told.method:
        case "set_editor_text":
            return replace(told, text=PLACEHOLDER)
        case "setCustomView":
            # It may show what somebody typed into it a moment ago. Without lines and marks it would say that the view is gone.
            return replace(told, widget_lines=None, native_surface=None, truncated=())
        case _:
            return told


def _append(append: chat.ChatAppend, conversation: bool) -> chat.ChatAppend:
    """The placeholder in the place of all of the text, which otherwise it would not continue."""
    return append if conversation else replace(append, offset=0)


_SPECIAL: Final[dict[type, Callable[[Any, bool], Any]]] = {
    extension_ui.ExtensionUIRequest: _request,
    extension_ui.ExtensionUINotification: _notification,
    chat.ChatAppend: _append,
}
