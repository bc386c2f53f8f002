"""What a client shows of a conversation, made from `chat_event`s and `chat_frame`s by pure functions.

`mirrord/web/src/core/chat/reducer.ts` is the same in TypeScript; both play `fixtures/chat/`. The rules are in docs/protocol.md, section
"The conversation". Messages are JSON objects as they came, so that fields of a later daemon are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from mirrord.wire.units import head

Json = Mapping[str, Any]
StreamError = Literal["malformed", "interleaved", "incomplete", "patch_before_messages"]

EVENT_CHARACTERS: Final = 16 * 1024 * 1024
"""Of one fragmented event: a daemon's window is a MiB, and JSON makes at most six characters of one."""

_path: Final = re.compile(r"/messages/(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Fragments:
    """Pieces of an event that is coming in."""

    event: int
    count: int
    pieces: tuple[str, ...]
    characters: int


@dataclass(frozen=True, slots=True)
class ChatView:
    """What is shown. `keys` names each message while it is there, also when its id changes; `fields` is the rest of the snapshot."""

    messages: tuple[Json, ...] = ()
    keys: tuple[str, ...] = ()
    fields: Json = field(default_factory=dict)
    cursor: str | None = None
    revision: int | None = None
    """Of the last event of this connection; None before the first."""
    complete: bool = False
    """All messages came on this connection, so patches may follow."""
    error: StreamError | None = None
    """Why the stream is of no more use: subscribe again."""
    fragments: Fragments | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A view after a frame, and what the frame said that is shown once."""

    view: ChatView
    notice: Json | None = None
    boundary: str | None = None
    gap: Json | None = None


class _WrongError(Exception):
    def __init__(self, why: StreamError = "malformed") -> None:
        super().__init__(why)
        self.why: StreamError = why


def connect(view: ChatView) -> ChatView:
    """A subscription begins, on this connection or a new one: what is shown stays, unfinished fragments are forgotten."""
    return replace(view, revision=None, complete=False, error=None, fragments=None)


def end(view: ChatView) -> ChatView:
    """The stream ended by itself: an event that has not come whole is a stream error."""
    return view if view.fragments is None or view.error else replace(view, error="incomplete", fragments=None)


def reduce(view: ChatView, frame: Json) -> Step:
    """Take a `chat_event` or `chat_frame`. What is wrong sets `error` and changes nothing that is shown; after that all is ignored."""
    if view.error is not None:
        return Step(view)
    try:
        if frame.get("type") == "chat_frame":
            return _piece(view, frame)
        if frame.get("type") != "chat_event":
            return Step(view)
        if view.fragments is not None:
            raise _WrongError("interleaved")
        return _event(view, frame)
    except _WrongError as wrong:
        return Step(replace(view, error=wrong.why, fragments=None))


# ---- fragments -------------------------------------------------------------------------------------------------------


def _piece(view: ChatView, frame: Json) -> Step:
    event, index, count = (_integer(frame.get(name)) for name in ("event", "index", "count"))
    data = frame.get("data")
    if not isinstance(data, str) or index >= count:
        raise _WrongError
    open_ = view.fragments
    if open_ is None:
        if view.revision is not None and event <= view.revision:
            return Step(view)
        if index != 0:
            raise _WrongError
        open_ = Fragments(event, count, (), 0)
    elif (event, count, index) != (open_.event, open_.count, len(open_.pieces)):
        raise _WrongError("interleaved")
    characters = open_.characters + len(data)
    if characters > EVENT_CHARACTERS:
        raise _WrongError
    pieces = (*open_.pieces, data)
    if len(pieces) < count:
        return Step(replace(view, fragments=Fragments(event, count, pieces, characters)))
    try:
        whole = json.loads("".join(pieces))
    except (ValueError, RecursionError):
        raise _WrongError from None
    if not isinstance(whole, dict) or whole.get("type") != "chat_event" or whole.get("revision") != event:
        raise _WrongError
    return _event(replace(view, fragments=None), whole)


# ---- events ----------------------------------------------------------------------------------------------------------


def _event(view: ChatView, event: Json) -> Step:
    revision, cursor = _integer(event.get("revision")), event.get("cursor")
    if not isinstance(cursor, str):
        raise _WrongError
    if view.revision is not None and revision <= view.revision:
        return Step(view)
    snapshot, patches, appends = _object(event.get("snapshot")), _list(event.get("patches")), _list(event.get("appends"))
    messages, complete = list(view.messages), view.complete
    if "messages" in snapshot:
        messages, complete = _messages(snapshot["messages"]), True
    if (patches or appends) and not complete:
        raise _WrongError("patch_before_messages")
    for patch in patches:
        messages = _patched(messages, _object(patch))
    for append in appends:
        _append(messages, _object(append))
    fields = {**view.fields, **{name: value for name, value in snapshot.items() if name != "messages"}}
    anew = "messages" in snapshot or patches
    after = replace(
        view,
        messages=tuple(messages),
        keys=_keys(view, messages) if anew else view.keys,
        fields=fields if snapshot else view.fields,
        cursor=cursor,
        revision=revision,
        complete=complete,
    )
    notice, gap, boundary = (event.get(name) for name in ("notice", "gap", "boundary"))
    return Step(
        after,
        None if notice is None else _object(notice),
        boundary if isinstance(boundary, str) else None,
        None if gap is None else _object(gap),
    )


def _patched(messages: list[Json], patch: Json) -> list[Json]:
    op, path, value = patch.get("op"), patch.get("path"), patch.get("value")
    if not isinstance(path, str):
        raise _WrongError
    if path == "/messages" and op == "replace":
        return _messages(value)
    found = _path.fullmatch(path)
    index = int(found[1]) if found else -1
    if not 0 <= index < len(messages) + (op == "add"):
        raise _WrongError
    match op:
        case "add":
            messages.insert(index, _message(value))
        case "replace":
            messages[index] = _message(value)
        case "remove":
            del messages[index]
        case _:
            raise _WrongError
    return messages


def _append(messages: list[Json], append: Json) -> None:
    at, number, offset = (_integer(append.get(name)) for name in ("message", "part", "offset"))
    text, start = append.get("text"), append.get("start")
    if not isinstance(text, str) or at >= len(messages):
        raise _WrongError
    parts = list(messages[at].get("parts") or ())
    if start is not None:
        if number != len(parts):
            raise _WrongError
        parts.append(_object(start))
    if number >= len(parts):
        raise _WrongError
    part = parts[number]
    name = "args" if part.get("type") == "tool_call" else "text"
    before = head(part.get(name) or "", offset)
    if before is None:
        raise _WrongError
    parts[number] = {**part, name: before + text}
    messages[at] = {**messages[at], "parts": parts}


# ---- presentation identity -------------------------------------------------------------------------------------------


def _keys(view: ChatView, messages: Sequence[Json]) -> tuple[str, ...]:
    """A key for each message: the one it had, under its id, its temporary id or its submission, else its id made unique."""
    known: dict[tuple[str, str], str] = {}
    for message, key in zip(view.messages, view.keys, strict=True):
        for name in _names(message):
            known.setdefault(name, key)
    free = set(view.keys)
    keys: list[str | None] = [None] * len(messages)
    # First by id alone, so that no message takes the key of one that is still there under its own id.
    for round_ in (1, 3):
        for place, message in enumerate(messages):
            if keys[place] is None:
                had = next((known[name] for name in _names(message)[:round_] if known.get(name) in free), None)
                if had is not None:
                    keys[place] = had
                    free.remove(had)
    taken = {key for key in keys if key is not None}
    for place, message in enumerate(messages):
        if keys[place] is None:
            own, number = message["id"], 1
            while own in taken:
                number += 1
                own = f"{message['id']}#{number}"
            keys[place] = own
            taken.add(own)
    return tuple(key for key in keys if key is not None)


def _names(message: Json) -> list[tuple[str, str]]:
    """What a message may be known by, the surest first."""
    names = [("id", message["id"])]
    names += [("id", message["liveId"])] if isinstance(message.get("liveId"), str) else []
    names += [("turn", message["clientTurnId"])] if isinstance(message.get("clientTurnId"), str) else []
    return names


# ---- reading ---------------------------------------------------------------------------------------------------------


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _WrongError
    return value


def _object(value: object) -> Json:
    """Null and absence are an object without fields."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _WrongError
    return value


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _WrongError
    return value


def _messages(value: object) -> list[Json]:
    if not isinstance(value, list):
        raise _WrongError
    return [_message(one) for one in value]


def _message(value: object) -> Json:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise _WrongError
    if any(not isinstance(part, dict) for part in _list(value.get("parts"))):
        raise _WrongError
    return value
