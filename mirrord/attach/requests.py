"""Commands that `mirrord attach` sends for a person, and what comes of them: a page of options, an editor's text, a stop."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from mirrord.attach.card import how_to_answer, more_line, option_lines, prefill_lines
from mirrord.attach.session import AttachSession, More
from mirrord.client.clean import one_line
from mirrord.client.replies import OptionsPage, PrefillPiece, read_data
from mirrord.wire.messages import Command, CommandResult, ExtensionUIRequest


@dataclass(slots=True)
class _Prefill:
    """A text that is being fetched; pieces may come in any order."""

    prompt: ExtensionUIRequest
    parts: int
    pieces: dict[int, str] = field(default_factory=dict, repr=False)

    def add(self, piece: PrefillPiece) -> None:
        self.pieces[piece.part] = piece.text

    def whole_with(self, piece: PrefillPiece) -> str | None:
        """The text, once this piece is added; None while others are missing."""
        pieces = self.pieces | {piece.part: piece.text}
        return "".join(pieces[part] for part in range(self.parts)) if len(pieces) == self.parts else None


@dataclass(slots=True)
class Requests:
    """What was asked of the daemon and has no result yet. Methods that ask return False when the daemon is away."""

    send: Callable[[Command], Awaitable[bool]]
    session: AttachSession
    _waiting: dict[str, More | _Prefill | None] = field(default_factory=dict)
    """By request id; None is a stop."""

    async def stop(self, session_id: str) -> bool:
        """Stop the agent's turn."""
        return await self._ask("stop_turn", {"sessionId": session_id}, None)

    async def options(self, more: More) -> bool:
        """Show the next options."""
        return await self._ask("options", {"id": more.prompt_id, "offset": more.offset}, more)

    async def prefill(self, prompt: ExtensionUIRequest) -> bool:
        """Show the text that an editor holds."""
        self._forget(prompt.id)
        fetched = _Prefill(prompt, prompt.prefill_parts or 0)
        return all([await self._ask("prefill", {"id": prompt.id, "part": part}, fetched) for part in range(fetched.parts)])

    async def again(self) -> list[str]:
        """A new connection stands: texts are fetched again; returns what is to be said about the rest."""
        waiting, self._waiting = self._waiting, {}
        for prompt in {kind.prompt.id: kind.prompt for kind in waiting.values() if isinstance(kind, _Prefill)}.values():
            await self.prefill(prompt)
        return ["It is not known whether the agent was stopped; type /stop again."] if None in waiting.values() else []

    def lines(self, result: CommandResult, may_answer: bool) -> Iterator[str]:
        """What a result shows, with the state as it was before it; nothing for one that was not asked for here."""
        if result.request_id not in self._waiting:
            return
        kind = self._waiting[result.request_id]
        if not result.ok:
            if not isinstance(kind, _Prefill):
                yield one_line(result.error.message) if result.error else "The daemon refused without a reason."
        elif kind is None:
            yield "The agent's turn was stopped."
        elif isinstance(kind, More):
            yield from self._page_lines(kind, read_data("options", result.data, OptionsPage))
        else:
            content = kind.whole_with(read_data("prefill", result.data, PrefillPiece))
            if content is not None and kind.prompt.id in self.session.open:
                yield f"  The text of {one_line(kind.prompt.title)!r}:"
                yield from prefill_lines(content)
                if may_answer and kind.prompt.terminal_only is None:
                    yield f"  {how_to_answer(kind.prompt)}"

    def finished(self, result: CommandResult) -> None:
        """A result is on screen."""
        kind = self._waiting.pop(result.request_id, None)
        if not result.ok or kind is None:
            return
        if isinstance(kind, More):
            page = read_data("options", result.data, OptionsPage)
            self.session.paged(kind.prompt_id, page.offset, page.options)
        else:
            kind.add(read_data("prefill", result.data, PrefillPiece))

    def _page_lines(self, more: More, page: OptionsPage) -> Iterator[str]:
        prompt = self.session.open.get(more.prompt_id)
        if prompt is None:
            return
        if not page.options:
            yield f"The texts of the other options are not known here; a number up to {prompt.option_count} can be typed."
            return
        yield from option_lines(page.options, page.offset)
        shown = page.offset + len(page.options)
        if shown < page.option_count:
            yield more_line(prompt, shown)

    def _forget(self, prompt_id: str) -> None:
        self._waiting = {
            key: kind for key, kind in self._waiting.items() if not (isinstance(kind, _Prefill) and kind.prompt.id == prompt_id)
        }

    async def _ask(self, name: str, args: dict[str, object], kind: More | _Prefill | None) -> bool:
        request_id = str(uuid.uuid4())
        self._waiting[request_id] = kind
        if await self.send(Command(request_id=request_id, name=name, args=args)):
            return True
        self._waiting.pop(request_id, None)
        return False
