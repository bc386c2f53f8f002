"""The conversation in `mirrord attach`: its lines as they come, and what a typed line sends."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from msgspec import UNSET

from mirrord.attach.ask import Explain
from mirrord.attach.fields import boundary_lines, field_lines
from mirrord.attach.rows import FIRST_ROWS, Rows, shortened
from mirrord.attach.say import DISCARD, HELP_LINES, RETRY, Do, Say, plain_kind, read_line
from mirrord.attach.screen import Screen, Typed
from mirrord.client import Following, Frame
from mirrord.client.chat import Taken, page, read_message
from mirrord.client.clean import one_line
from mirrord.client.talking import Talking
from mirrord.client.turns import Turn, turn
from mirrord.wire import chat as wire
from mirrord.wire import messages

KEPT: Final = f"Your text is kept: {RETRY} sends it again, {DISCARD} gives it up."
AWAY: Final = f"The daemon is away, so nothing was sent. {KEPT}"
NOTHING_FAILED: Final = "Nothing failed that could be sent again."

_SENT: Final[dict[wire.SubmitKind, str]] = {
    "prompt": "sent as a prompt",
    "steer": "sent, steers the turn",
    "follow_up": "sent, for when the turn is done",
    "command": "sent as a command",
    "bash": "sent as a shell command",
}


@dataclass(slots=True)
class ChatPane:
    """One conversation on a screen. `columns`: of the screen now, None where nothing wraps; `at_desk`: a person types."""

    session_id: str
    screen: Screen
    columns: Callable[[], int | None]
    at_desk: bool
    dims: bool = False
    talking: Talking = field(init=False)
    _rows: Rows = field(init=False)
    _fields: wire.ChatSnapshot = field(default_factory=wire.ChatSnapshot)
    _mine: set[str] = field(default_factory=set)
    _plain: set[str] = field(default_factory=set)
    """Of ours, those whose kind followed from whether Pi worked."""
    _asked: str | None = None
    """Request id of the older messages that are on their way."""
    _is_beginning: bool = False
    """The first message of the conversation was written."""

    def __post_init__(self) -> None:
        """Nothing is shown yet."""
        self.talking = Talking(self.session_id, self._unconfirmed)
        self._rows = Rows(self.columns, self.dims)

    # ---- what comes --------------------------------------------------------------------------------------------------

    async def welcomed(self, following: Following, welcome: messages.Welcome, again: bool) -> None:
        """A connection stands."""
        await self.talking.welcomed(following, welcome, again)

    def lost(self) -> None:
        """The connection ended."""
        self.talking.lost()
        self._asked = None

    async def received(self, frame: Frame) -> None:
        """Show what a frame says of the conversation, and nothing for any other."""
        message = frame.message
        if isinstance(message, messages.CommandResult) and message.request_id == self._asked:
            return await self._show(self._page_lines(message))
        match await self.talking.received(frame):
            case Taken(step=step) if step.view.error is None:
                await self._show(self._step_lines(step.boundary, step.gap is not None, step.notice))
            case Turn() as ours if isinstance(message, wire.Receipt):
                await self._show(_receipt_lines(ours, message))
            case _:
                pass

    def _step_lines(self, boundary: str | None, is_gap: bool, notice: object) -> Iterator[str]:
        before, now = self._fields, self.talking.conversation.fields
        self._fields = now
        first = before.streaming is UNSET
        if boundary is not None:
            self._rows.boundary()
            self._is_beginning = False
            yield from boundary_lines(boundary)
        if is_gap:
            yield "- some of the conversation may have been missed; this is how it is now"
        if first:
            yield from field_lines(before, now)
        yield from self._rows.changed(self.talking.conversation.view, self._mine)
        if not first:
            yield from field_lines(before, now)
        if isinstance(notice, dict):
            yield f"- {one_line(str(notice.get('level')))}: {one_line(str(notice.get('text')))}"

    # ---- what is typed -----------------------------------------------------------------------------------------------

    async def typed(self, typed: Typed) -> bool:
        """Do what a line says; False when it is for the prompts."""
        await self.talking.begun()
        if not self.talking.supported or typed.text is None:
            return False
        for_prompt = typed.start.prompt is not None
        match read_line(typed.text, for_prompt=for_prompt, at_desk=self.at_desk, working=self._is_working):
            case None:
                return False
            case Explain(text=text):
                await self._show(iter([text]))
            case Say() as say:
                await self._submit(turn(self.session_id, say.kind, say.text, excluded=say.excluded), say.plain)
            case Do(what="older"):
                await self._older()
            case Do(what="retry"):
                await self._retry()
            case Do(what="discard"):
                await self._discard()
            case Do():
                await self._show(iter(HELP_LINES))
        return True

    async def failed(self) -> bool:
        """Wait until everything that was sent has a word of Pi's; whether any of it failed."""
        await self.talking.settled()
        return bool(self.talking.turns.kept)

    @property
    def _is_working(self) -> bool:
        return self._fields.streaming is True

    async def _submit(self, new: Turn, plain: bool) -> None:
        self._mine.add(new.id)
        if plain:
            self._plain.add(new.id)
        sent = await self.talking.give(new)
        await self._show(iter([f"  ({_SENT[new.action.kind]})" if sent else AWAY]))

    async def _retry(self) -> None:
        newest = next(reversed(self.talking.turns.kept), None)
        plain = newest in self._plain
        again = self.talking.turns.retry(plain_kind(self._is_working) if plain else None)
        if again is None:
            await self._show(iter([NOTHING_FAILED]))
        else:
            await self._submit(again, plain)

    async def _discard(self) -> None:
        given_up = self.talking.turns.discard()
        if given_up is None:
            await self._show(iter([NOTHING_FAILED]))
        elif given_up is True:
            await self._show(iter(["  (given up; it was never sent)"]))
        elif not await self.talking.send(given_up):
            await self._show(iter(["The daemon is away; try again when it is back."]))

    async def _unconfirmed(self, turns: list[Turn]) -> None:
        await self._show(f"{shortened(each.text)!r} is not confirmed yet; trying again." for each in turns)

    # ---- older messages ----------------------------------------------------------------------------------------------

    async def _older(self) -> None:
        conversation = self.talking.conversation
        known = self._rows.older(conversation.view)
        if known:
            await self._show(self._earlier(tuple(map(read_message, known))))
        elif self._rows.oldest is None or self._is_at_beginning:
            await self._show(iter(["This is the beginning of the conversation."]))
        elif self._asked is None:
            self._asked = str(uuid.uuid4())
            if not await self.talking.send(conversation.history(self._rows.oldest, FIRST_ROWS, self._asked)):
                self._asked = None
                await self._show(iter(["The daemon is away; try again when it is back."]))

    @property
    def _is_at_beginning(self) -> bool:
        """The oldest message that was written is the first of all."""
        messages_shown, history = self.talking.conversation.view.messages, self._fields.history
        is_first = bool(messages_shown) and messages_shown[0]["id"] == self._rows.oldest
        return self._is_beginning or (is_first and isinstance(history, wire.ChatHistory) and not history.more)

    def _page_lines(self, result: messages.CommandResult) -> Iterator[str]:
        self._asked = None
        if not result.ok:
            yield one_line(result.error.message) if result.error else "The daemon refused without a reason."
            return
        came = page(result.data)
        self._is_beginning = not came.more
        self._rows.older_came(came.messages)
        yield from self._earlier(came.messages)

    def _earlier(self, found: tuple[wire.ChatMessage, ...]) -> Iterator[str]:
        yield "--- earlier"
        for each in found:
            yield from self._rows.whole(each, self._mine)
        yield "--- end of what is earlier"

    async def _show(self, lines: Iterator[str]) -> None:
        shown = list(lines)
        if shown:
            await self.screen.show(shown)


def _receipt_lines(ours: Turn, receipt: wire.Receipt) -> Iterator[str]:
    reason = f"{one_line(receipt.reason).rstrip('.')}." if receipt.reason else ""
    match receipt.stage:
        case "accepted":
            # Pi has not looked at a message yet, and may refuse it still.
            yield "  (it is at Pi's terminal)"
        case "queued":
            yield "  (it waits in Pi's queue)"
        case "consumed":
            if reason or ours.action.kind == "command":
                yield f"  ({reason or 'done'})"
        case _ if receipt.code == "discarded":
            yield "  (given up)"
        case "rejected":
            what = "was refused" if receipt.code == "refused" else "was not sent"
            yield f"{shortened(ours.text)!r} {what}: {reason or 'no reason was given.'} {KEPT}"
        case "unknown":
            yield f"It is not known whether Pi took {shortened(ours.text)!r}: {reason or 'no reason was given.'} {KEPT} It acts once."
