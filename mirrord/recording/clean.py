"""What a recording says, as the daemon would have let it through: clients show what they are told, and a file may be anybody's.

Text is clean, a link leads where it may and where its text says, a number is one that every client can hold. What a daemon said is
unchanged by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from bridge.limits import CHAT_TEXT_BYTES
from mirrord.intake.native import row_link
from mirrord.wire import chat, extension_ui, messages, surfaces
from mirrord.wire.attention import Attention
from mirrord.wire.units import head
from sanitize import text
from sanitize.assemble import grounded
from sanitize.counters import Counters
from sanitize.limits import CLUSTER_CODE_POINTS
from sanitize.spans import Line, Span
from sanitize.written import on_one_line, written

LARGEST: Final = 8_640_000_000_000_000
"""The last millisecond that a client written in JavaScript can name; nothing else that is counted comes near it."""

CONTEXT_CHARACTERS: Final = 2 * CLUSTER_CODE_POINTS
"""Before a piece of text, where it is looked at what the piece's start joins: the last of them, whole."""

LEVELS: Final = 100
"""Objects and lists in each other; a daemon's have some twenty. Whatever looks at a message takes stack for each of them."""

_SEVERAL_LINES: Final[dict[type[msgspec.Struct], tuple[str, ...]]] = {
    Attention: ("title", "body"),
    chat.ChatAppend: ("text",),
    chat.ChatMessage: ("args", "command", "error"),
    chat.ChatNotice: ("text",),
    chat.ChatPart: ("args", "text"),
    chat.QueuedFollowUp: ("text",),
    extension_ui.ExtensionUINotification: ("message", "text"),
    extension_ui.ExtensionUIRequest: ("message", "prefill", "title"),
    extension_ui.Question: ("question",),
    extension_ui.QuestionOption: ("description", "value"),
    messages.CommandResult: ("data",),
    surfaces.Block: ("markdown", "spans", "text"),
    surfaces.Fallback: ("text",),
}
"""Where a text may have line ends and tabs; everywhere else it is on one line."""

_path: Final = re.compile(r"/messages/([0-9]{1,9})")
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


@dataclass(slots=True)
class Cleaner:
    """Cleans the messages of one recording, in their order: a piece of a conversation's text is looked at with what it continues."""

    _texts: list[list[str]] = field(default_factory=list)
    """Of each part of each message of the conversation, as a client has it."""

    def message(self, message: messages.ServerMessage) -> messages.ServerMessage:
        """The message; an equal one where nothing had to be cleaned. Raises RecursionError for one that is nested too deeply."""
        return self._event(message) if isinstance(message, chat.ChatEvent) else _struct(message)

    def _event(self, event: chat.ChatEvent) -> chat.ChatEvent:
        made = _struct(replace(event, appends=()))
        if made.snapshot is not None and made.snapshot.messages is not UNSET:
            self._texts = [_texts(message) for message in made.snapshot.messages]
        for patch in made.patches:
            self._patch(patch)
        return replace(made, appends=tuple(map(self._append, event.appends)))

    def _patch(self, patch: chat.ChatPatch) -> None:
        """What fits nowhere is left to clients, which say so."""
        found = _path.fullmatch(patch.path)
        at = int(found[1]) if found else len(self._texts)
        match patch.op, patch.value:
            case "replace", tuple() as whole:
                self._texts = [_texts(message) for message in whole]
            case "add", chat.ChatMessage() as message:
                self._texts.insert(at, _texts(message))
            case "replace", chat.ChatMessage() as message:
                self._texts[at : at + 1] = [_texts(message)]
            case "remove", _:
                del self._texts[at : at + 1]

    def _append(self, append: chat.ChatAppend) -> chat.ChatAppend:
        """In one piece with what it continues: what is clean by itself may be half of something, and the other way round."""
        texts = self._texts[append.message] if 0 <= append.message < len(self._texts) else []
        start = _struct(append.start) if append.start is not None else None
        if start is not None:
            texts.append(_part_text(start))
        before = head(texts[append.part], append.offset) if 0 <= append.part < len(texts) else None
        if before is None:
            return _struct(append)
        texts[append.part] = whole = _continued(before, append.text)
        if whole == before + append.text:
            return append if start == append.start else replace(append, start=start)
        return replace(append, start=start, offset=0, text=whole)


def _continued(before: str, piece: str) -> str:
    """The clean text of both; `before` was cut off a clean text, so that all there is to look at is where they meet."""
    end = before[-CONTEXT_CHARACTERS:]
    blank = max(end.rfind("\n"), end.rfind(" "))
    met = (end[blank:] if blank >= 0 else grounded(end)) + piece
    return before + piece if len(before) + len(piece) <= CHAT_TEXT_BYTES and _text(met) == met else _text(before + piece)


def _texts(message: chat.ChatMessage) -> list[str]:
    return [_part_text(part) for part in message.parts]


def _part_text(part: chat.ChatPart) -> str:
    return (part.args if part.type == "tool_call" else part.text) or ""


# ---- any message -----------------------------------------------------------------------------------------------------


def _struct(value: _Struct, level: int = 0) -> _Struct:
    several = _SEVERAL_LINES.get(type(value), ())
    changed: dict[str, Any] = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        if old is None:
            continue
        new = _value(old, name in several, level + 1)
        if new is not old:
            changed[name] = new
    if isinstance(value, surfaces.ActivityRow):
        link = row_link(value.link, *(changed.get(name, getattr(value, name)) for name in ("title", "subtitle", "detail")))
        changed |= {} if link == value.link else {"link": link}
    if isinstance(value, Line) and value.caret is not None and "spans" in changed:
        changed["caret"] = min(value.caret, sum(len(span.text) for span in changed["spans"]))
    return replace(value, **changed) if changed else value


def _value(value: Any, several_lines: bool, level: int) -> Any:  # noqa: ANN401 - whatever a message holds
    if level > LEVELS:
        raise RecursionError
    match value:
        case None | bool() | UnsetType():
            return value
        case str():
            return _words(value, several_lines)
        case int() | float():
            return value if -LARGEST <= value <= LARGEST else LARGEST if value > 0 else -LARGEST
        case (surfaces.TextSpan() | Span(), *_):
            return _spans(value, several_lines)
        case tuple() | list():
            items = [_value(item, several_lines, level + 1) for item in value]
            return value if all(map(is_, items, value)) else type(value)(items)
        case dict():
            made = {_value(key, False, level): _value(item, several_lines, level + 1) for key, item in value.items()}
            return value if made == value else made
        case _:
            return _struct(value, level)


def _words(raw: str, several_lines: bool) -> str:
    if raw.isascii() and raw.isprintable() and len(raw) <= CHAT_TEXT_BYTES:
        return raw
    return _text(raw) if several_lines else on_one_line(_text(raw), " ")


def _text(raw: str) -> str:
    clean = text(raw, CHAT_TEXT_BYTES).text
    return raw if clean == raw else clean


def _spans(spans: Sequence[surfaces.TextSpan | Span], several_lines: bool) -> Sequence[surfaces.TextSpan | Span]:
    given = [Span(span.text, span.role or "primary", span.traits, span.link) for span in spans]
    kept = written([replace(span, text=_words(span.text, several_lines)) for span in given], Counters())
    if kept == given:
        return spans
    if isinstance(spans[0], Span):
        return tuple(kept)
    return tuple(surfaces.TextSpan(span.text, None if span.role == "primary" else span.role, span.traits, span.link) for span in kept)
