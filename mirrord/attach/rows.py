"""A conversation as lines of plain text, told as it grows: what was written is never written again. Pure.

An answer is written line by line; a tool when it begins and when it ends, with the last lines of what it said. Every text passes
`sanitize` again here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from mirrord.attach.flowing import lines_from
from mirrord.client.chat import read_message
from mirrord.client.chat_reducer import ChatView, Json
from mirrord.client.clean import one_line, several_lines
from mirrord.wire.chat import ChatMessage, ChatPart

FIRST_ROWS: Final = 10
"""Messages that are shown when many are new: about a screen, the rest on demand."""

OUTPUT_LINES: Final = 5
"""Last lines of what a tool said."""

SHORT: Final = 120
"""Characters of arguments, of a thought, of a line of output."""

TAIL: Final = 64
"""Characters by which it is known that a text goes on where it was, and was not replaced by another one."""

INDENT: Final = "    "

_DIM: Final = "\x1b[2m"
_PLAIN: Final = "\x1b[22m"

_ENDS: Final = {"done": "done", "error": "failed", "aborted": "stopped", "streaming": "running"}


@dataclass(slots=True)
class _Told:
    """What was written of one message."""

    begun: bool = False
    places: dict[int, int] = field(default_factory=dict)
    """How far the text of each part was written."""
    tails: dict[int, str] = field(default_factory=dict)
    """The last TAIL characters before there."""
    ended: bool = False


@dataclass(slots=True)
class Rows:
    """The messages that were written. `columns`: of the screen now, None where nothing wraps."""

    columns: Callable[[], int | None]
    dims: bool = False
    """Thoughts are written dim; nothing else of what is written has a control character."""
    _told: dict[str, _Told] = field(default_factory=dict)
    _seen: dict[str, Json] = field(default_factory=dict)
    """By key, the message as it was when it was looked at last."""
    oldest: str | None = None
    """Id of the oldest message that was written."""
    _oldest_key: str | None = None

    def boundary(self) -> None:
        """Another conversation, or another branch of it."""
        self.oldest = self._oldest_key = None

    def changed(self, view: ChatView, mine: Collection[str]) -> Iterator[str]:
        """What is to be written now; `mine` are the `clientTurnId`s of what was sent here."""
        fresh = [key for key in view.keys if key not in self._told]
        left_out = set(fresh[:-FIRST_ROWS])
        if left_out:
            yield f"({len(left_out)} earlier {'message' if len(left_out) == 1 else 'messages'}; /older shows them)"
        for key, message in zip(view.keys, view.messages, strict=True):
            if message is self._seen.get(key):
                continue
            told = self._told.setdefault(key, _Told())
            if key in left_out:
                told.ended = True
            elif not told.ended:
                if self._oldest_key is None:
                    self._oldest_key = key
                yield from self._row(told, read_message(message), mine)
            if key == self._oldest_key:
                self.oldest = message["id"]
        self._told = {key: self._told[key] for key in view.keys}
        self._seen = dict(zip(view.keys, view.messages, strict=True))

    def older(self, view: ChatView) -> Sequence[Json]:
        """Messages of the view in front of the oldest that was written, FIRST_ROWS at most; they count as written."""
        if self._oldest_key not in view.keys:
            return ()
        place = view.keys.index(self._oldest_key)
        found = view.messages[max(0, place - FIRST_ROWS) : place]
        if found:
            self._oldest_key, self.oldest = view.keys[place - len(found)], found[0]["id"]
        return found

    def older_came(self, messages: Sequence[ChatMessage]) -> None:
        """Messages that are not in the view were written in front of all others."""
        if messages:
            self._oldest_key, self.oldest = None, messages[0].id

    def whole(self, message: ChatMessage, mine: Collection[str] = ()) -> Iterator[str]:
        """One message, as far as it goes."""
        return self._row(_Told(), message, mine)

    # ---- one message -------------------------------------------------------------------------------------------------

    def _row(self, told: _Told, message: ChatMessage, mine: Collection[str]) -> Iterator[str]:
        told.ended = message.state != "streaming"
        if not message.display:
            return
        match message.kind:
            case "user":
                yield from self._texts(told, message, "You: " if message.client_turn_id in mine else "User: ")
            case "assistant":
                yield from self._texts(told, message, "Pi: ")
            case "tool":
                yield from self._run(told, message, f"[{one_line(message.tool_name or 'tool')}]", short_args(message.args))
            case "bash":
                aside = " (kept from Pi)" if message.excluded else ""
                yield from self._run(told, message, f"[!]{aside}", shortened(message.command or ""))
            case "compaction":
                before = f" (there were {message.tokens_before:,} tokens)" if message.tokens_before else ""
                yield from self._texts(told, message, f"Compacted{before}: ")
            case "branch_summary":
                yield from self._texts(told, message, "From another branch: ")
            case _:
                yield from self._custom(told, message)
        yield from _ending(message)

    def _texts(self, told: _Told, message: ChatMessage, name: str) -> Iterator[str]:
        for number, part in enumerate(message.parts):
            ended = told.ended or number + 1 < len(message.parts)
            match part.type:
                case "text":
                    yield from self._grown(told, number, part.text or "", ended, name)
                case "thinking":
                    yield from self._thought(told, number, part.text or "", ended)
                case "image" if number not in told.places:
                    told.places[number] = 0
                    yield f"{INDENT}(image{', ' + one_line(part.mime_type) if part.mime_type else ''})"
                case _:
                    pass

    def _grown(self, told: _Told, number: int, text: str, ended: bool, name: str) -> Iterator[str]:
        columns = self.columns()
        room = None if columns is None else max(columns - len(INDENT) - 1, 20)
        place, tail = told.places.get(number, 0), told.tails.get(number, "")
        if not text.startswith(tail, place - len(tail)):
            yield f"{INDENT}(it was written anew)"
            place = 0
        lines, place = lines_from(text, place, ended, room)
        told.places[number], told.tails[number] = place, text[max(0, place - TAIL) : place]
        for line in lines:
            yield from self._headed(told, name, line)

    def _headed(self, told: _Told, name: str, line: str) -> Iterator[str]:
        """A line of a message: the first one of all has its name in front."""
        front = INDENT if told.begun else name
        told.begun = True
        for clean in several_lines(line):
            yield f"{front}{clean}".rstrip()

    def _thought(self, told: _Told, number: int, text: str, ended: bool) -> Iterator[str]:
        """The beginning of a thought, once."""
        thought = text.strip()
        if number in told.places or not thought or not (ended or "\n" in thought or len(thought) > SHORT):
            return
        told.places[number] = len(text)
        line = f"(thinks: {shortened(thought)})"
        yield f"{_DIM}{line}{_PLAIN}" if self.dims else line

    def _run(self, told: _Told, message: ChatMessage, name: str, what: str) -> Iterator[str]:
        """Something that runs: a line when it begins, and what came of it when it ends."""
        shown = f"{name} {what}".rstrip()
        if not told.ended:
            if not told.begun:
                told.begun = True
                yield f"{shown} …"
            return
        end = _ENDS[message.state]
        if message.exit_code:
            end += f" with exit status {message.exit_code}"
        if message.duration_ms is not None:
            end += f" after {milliseconds(message.duration_ms)}"
        yield f"{name} {end}" if told.begun else f"{shown}: {end}"
        lines = [line for line in _said(message) if line.strip()]
        if len(lines) > OUTPUT_LINES:
            yield f"{INDENT}│ … ({len(lines) - OUTPUT_LINES:,} more)"
        yield from (f"{INDENT}│ {shortened(line)}".rstrip() for line in lines[-OUTPUT_LINES:])

    def _custom(self, told: _Told, message: ChatMessage) -> Iterator[str]:
        name = f"[{one_line(message.custom_type or message.kind)}] "
        if message.drawn is None:
            yield from self._texts(told, message, name)
        elif told.ended:
            for line in message.drawn.lines:
                yield from self._headed(told, name, line.text)


def _ending(message: ChatMessage) -> Iterator[str]:
    """What a reader must know of the end of a message."""
    if message.kind == "assistant" and message.state in ("error", "aborted"):
        first, *rest = several_lines(message.error or ("It failed." if message.state == "error" else "It was stopped."))
        yield f"{INDENT}! {first}"
        yield from (f"{INDENT}  {line}" for line in rest)
    for cut in message.truncated if message.state != "streaming" else ():
        yield f"{INDENT}({one_line(cut.field)}: {cut.shown:,} of {cut.total:,} bytes)"


def _said(message: ChatMessage) -> list[str]:
    """The lines of what a tool said; what the terminal draws where it said nothing."""
    said = "\n".join(part.text or "" for part in message.parts if part.type == "text")
    if said.strip() or message.drawn is None:
        return said.split("\n")
    return [line.text for line in message.drawn.lines]


def short_args(args: str | None) -> str:
    """Arguments of a tool in one line: the command or the path where it is about one, else the JSON."""
    try:
        read = json.loads(args or "{}")
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict):
        for name in ("command", "path", "file_path", "pattern", "url"):
            if isinstance(read.get(name), str):
                return shortened(read[name])
        if not read:
            return ""
    return shortened(args or "")


def shortened(text: str) -> str:
    """The first line that holds something, SHORT characters at most."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    kept = line[:SHORT]
    return one_line(kept) + (" …" if kept != text.strip("\n") else "")


def milliseconds(duration: int) -> str:
    """As a person says it."""
    return f"{duration} ms" if duration < 1_000 else f"{duration / 1_000:.1f} s"


def parts_text(parts: Sequence[ChatPart]) -> str:
    """What a message says, without thoughts and calls."""
    return "\n".join(part.text for part in parts if part.type == "text" and part.text)
