"""What an extension tells of its conversation, as core events: every text clean, and in them offsets of what is shown.

Texts are displayed as they are, over several lines; what a terminal drew goes through the line renderer. Nothing in here goes back.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from bridge import chat as said
from bridge.limits import CHAT_TEXT_BYTES, TEXT_BYTES
from mirrord.core.chat import events
from mirrord.core.model import LinkId, Moment
from mirrord.intake.pencil import Pencil
from mirrord.intake.streaming import GrowingText
from mirrord.wire import chat as wire
from mirrord.wire.parts import Truncation
from mirrord.wire.units import units
from sanitize import label, text

TOKEN_CLUSTERS: Final = 200
"""An id, a tool's name, a model: one line."""

SENTENCE_CLUSTERS: Final = 300
"""A reason, an error of the model in one line."""

STREAMING_ROWS: Final = 64
"""Rows whose text grows at the same time: an answer and its tools. Of more the oldest is told anew."""

PARTS: Final = 512
"""Parts of one row; an answer with as many calls would not end."""

QUEUE_ITEMS: Final = 200
"""What waits in Pi: more than anybody types."""

MODELS: Final = 1_000
"""Models of one Pi; the longest list of a provider has some hundreds."""

COMMANDS: Final = 1_000
"""Slash commands of one Pi: what extensions, prompts and skills of many packages have."""

VALUE_DEPTH: Final = 32
"""Levels of what an action gives back: each takes stack, and a frame has room for a thousand."""

REFUSALS: Final = 64
"""Reasons why something cannot be done from afar; there are some twenty things."""


@dataclass(slots=True)
class ChatIntake:
    """Takes in the conversation of one link; texts that grow wait here in their raw form."""

    link: LinkId
    pencil: Pencil = field(default_factory=Pencil)
    """With the colours of the terminal's theme, where those are known."""
    _growing: OrderedDict[str, list[GrowingText]] = field(default_factory=OrderedDict)

    def event(self, message: said.FromExtensionChat, at: Moment) -> events.ChatFromLink | None:
        """The event that a message means, or None for one that changes nothing that is shown."""
        link = self.link
        match message:
            case said.ChatReset():
                self._growing.clear()
                return events.ChatReset(
                    at=at,
                    link=link,
                    conversation_id=_token(message.conversation_id),
                    leaf=_maybe_token(message.leaf),
                    reason=_token(message.reason),
                    more=message.more,
                )
            case said.ChatReady():
                return events.ChatReady(at=at, link=link)
            case said.ChatRowTold(row=row, after=after):
                return events.RowTold(at=at, link=link, message=self._told(row), after=_maybe_token(after))
            case said.ChatDelta():
                return self._appended(message, at)
            case said.ChatConfirm(id=id_, entry_id=entry):
                growing = self._growing.pop(id_, None)
                if growing is not None:
                    self._growing[entry] = growing
                return events.RowConfirmed(at=at, link=link, id=_token(id_), entry_id=_token(entry))
            case said.ChatRemove(id=id_):
                self._growing.pop(id_, None)
                return events.RowRemoved(at=at, link=link, id=_token(id_))
            case said.ChatPage():
                return events.PageTold(
                    at=at,
                    link=link,
                    request=message.request_id,
                    messages=tuple(self.row(row) for row in message.rows),
                    more=message.more,
                    error=_maybe_sentence(message.error),
                )
            case said.ChatQueue(items=items):
                return events.QueueTold(at=at, link=link, items=tuple(_queued(items)))
            case said.ChatState():
                return agent(message, at, link)
            case said.TurnResult():
                return events.TurnRuled(
                    at=at,
                    link=link,
                    turn=message.client_turn_id,
                    stage=message.stage,
                    reason=_maybe_sentence(message.reason),
                    row_id=_maybe_token(message.row_id),
                )
            case said.ActionResult():
                return events.ActionDone(
                    at=at,
                    link=link,
                    request=message.request_id,
                    ok=message.ok,
                    message=_maybe_sentence(message.message),
                    data=_value(message.data),
                    commands=tuple(_commands(message.commands)) if message.commands is not None else None,
                )

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _told(self, row: said.ChatRow) -> wire.ChatMessage:
        """A row; the texts of one that streams are kept, for deltas follow."""
        self._growing.pop(row.id, None)
        if row.state != "streaming":
            return self.row(row)
        growing = [GrowingText(_raw(part)) for part in row.parts[:PARTS]]
        self._grow(row.id, growing)
        return self.row(row, growing)

    def _grow(self, id_: str, growing: list[GrowingText]) -> None:
        self._growing[id_] = growing
        if len(self._growing) > STREAMING_ROWS:
            self._growing.popitem(last=False)

    def _appended(self, delta: said.ChatDelta, at: Moment) -> events.ChatFromLink | None:
        growing = self._growing.get(delta.id)
        broken = events.ChatBroken(at=at, link=self.link)
        if growing is None:
            return broken
        start = None
        if delta.start is not None:
            if delta.part != len(growing) or delta.part >= PARTS:
                return broken
            growing.append(GrowingText())
            start = _part(delta.start, "")
        if not 0 <= delta.part < len(growing):
            return broken
        grown = growing[delta.part].take(delta.offset, delta.text)
        if grown is None:
            return broken
        if start is None and not grown.text and grown.offset == units(growing[delta.part].shown):
            return None
        return events.TextAppended(
            at=at, link=self.link, id=_token(delta.id), part=delta.part, offset=grown.offset, text=grown.text, start=start
        )

    def row(self, row: said.ChatRow, growing: list[GrowingText] | None = None) -> wire.ChatMessage:
        """A row as it may be shown; a cut that the extension made keeps its numbers."""
        cuts = {cut.field: Truncation(_token(cut.field), cut.shown, cut.total) for cut in row.truncated}
        if len(row.parts) > PARTS:
            cuts["parts"] = Truncation("parts", PARTS, len(row.parts))

        def whole(name: str, raw: str, limit: int = CHAT_TEXT_BYTES) -> str:
            clean = text(raw, limit_bytes=limit)
            if clean.truncated:
                cuts.setdefault(name, Truncation(name, len(clean.text.encode()), clean.total))
            return clean.text

        parts = tuple(
            _part(part, growing[place].shown if growing is not None else whole(f"parts.{place}", _raw(part)))
            for place, part in enumerate(row.parts[:PARTS])
        )
        return wire.ChatMessage(
            id=_token(row.id),
            kind=_token(row.kind),
            at=row.at,
            state=row.state,
            parts=parts,
            entry_id=_maybe_token(row.entry_id),
            live_id=_maybe_token(row.live_id),
            error=whole("error", row.error, TEXT_BYTES) if row.error is not None else None,
            provider=_maybe_token(row.provider),
            model=_maybe_token(row.model),
            stop_reason=_maybe_token(row.stop_reason),
            started_at=row.started_at,
            duration_ms=row.duration_ms,
            is_error=row.is_error,
            tool_call_id=_maybe_token(row.tool_call_id),
            tool_name=_maybe_token(row.tool_name),
            args=whole("args", row.args) if row.args is not None else None,
            command=whole("command", row.command, TEXT_BYTES) if row.command is not None else None,
            excluded=row.excluded,
            exit_code=row.exit_code,
            cancelled=row.cancelled,
            custom_type=_maybe_token(row.custom_type),
            display=row.display,
            tokens_before=row.tokens_before,
            drawn=self._drawn(row.drawn) if row.drawn is not None else None,
            truncated=tuple(cuts.values()),
            client_turn_id=_maybe_token(row.client_turn_id),
        )

    def _drawn(self, drawn: said.ChatDrawn) -> wire.ChatDrawn:
        return wire.ChatDrawn(tuple(self.pencil.lines(drawn.lines, drawn.width)), drawn.width)


def _raw(part: said.ChatPart) -> str:
    return (part.args if part.type == "tool_call" else part.text) or ""


def _part(part: said.ChatPart, shown: str) -> wire.ChatPart:
    is_call = part.type == "tool_call"
    return wire.ChatPart(
        type=_token(part.type),
        text=None if is_call or part.type == "image" else shown,
        tool_call_id=_maybe_token(part.tool_call_id),
        name=_maybe_token(part.name),
        args=shown if is_call else None,
        mime_type=_maybe_token(part.mime_type),
        bytes=part.bytes,
    )


def _queued(items: tuple[said.ChatQueueItem, ...]) -> list[wire.QueuedFollowUp]:
    return [
        wire.QueuedFollowUp(item.kind, place, text(item.text, limit_bytes=TEXT_BYTES).text, _maybe_token(item.client_turn_id))
        for place, item in enumerate(items[:QUEUE_ITEMS])
    ]


def agent(state: said.ChatState, at: Moment, link: LinkId) -> events.AgentTold:
    """What Pi is set to and does."""
    retry, last, context = state.retrying, state.last_turn, state.context
    return events.AgentTold(
        at=at,
        link=link,
        idle=state.idle,
        since=state.since,
        trusted=state.trusted,
        agent=wire.ChatAgent(
            compacting=state.compacting,
            bash=state.bash,
            retrying=wire.ChatRetrying(retry.attempt, retry.max_attempts, retry.delay_ms, _sentence(retry.error)) if retry else None,
            last_turn=wire.ChatTurnEnd(last.at, last.outcome, _maybe_sentence(last.error)) if last else None,
            cannot_run=_maybe_sentence(state.cannot_run),
            model=_model(state.model) if state.model else None,
            models=tuple(_model(model) for model in state.models[:MODELS]),
            thinking_level=_maybe_token(state.thinking_level),
            levels=tuple(_token(level) for level in state.levels[:PARTS]),
            session_name=_maybe_token(state.session_name),
            steering_mode=state.steering_mode,
            follow_up_mode=state.follow_up_mode,
            auto_compaction=state.auto_compaction,
            auto_retry=state.auto_retry,
            context=wire.ChatContext(context.tokens, context.window, context.percent) if context else None,
            refuses={_token(name): _sentence(reason) for name, reason in list(state.refuses.items())[:REFUSALS]},
        ),
    )


def _model(model: said.ChatModel) -> wire.ChatModel:
    return wire.ChatModel(_token(model.provider), _token(model.id), _token(model.name))


def _commands(commands: tuple[said.ChatCommand, ...]) -> list[wire.ChatSlashCommand]:
    """As they may be shown; one whose name is not what may be shown could not be sent, and is left out."""
    return [
        wire.ChatSlashCommand(one.name, _maybe_sentence(one.description) or None, _maybe_token(one.source) or None)
        for one in commands[:COMMANDS]
        if one.name and one.name == _token(one.name)
    ]


def _value(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON
    """JSON with every text in it clean; what is nested deeper than VALUE_DEPTH is None."""
    if isinstance(value, str):
        return text(value, limit_bytes=TEXT_BYTES).text
    if depth >= VALUE_DEPTH:
        return None
    if isinstance(value, dict):
        return {_token(name): _value(each, depth + 1) for name, each in value.items()}
    return [_value(each, depth + 1) for each in value] if isinstance(value, list) else value


def _token(raw: str) -> str:
    return label(raw, limit=TOKEN_CLUSTERS).text


def _maybe_token(raw: str | None) -> str | None:
    return _token(raw) if raw is not None else None


def _sentence(raw: str) -> str:
    return label(raw, limit=SENTENCE_CLUSTERS).text


def _maybe_sentence(raw: str | None) -> str | None:
    return _sentence(raw) if raw is not None else None
