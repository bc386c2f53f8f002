"""An extension's side of a conversation, said at a pace that no model keeps to: rows, words, calls of tools, statuses and components."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import anyio
import msgspec

from bench.surfaces import LINES, PALETTE, coloured
from bench.world import World
from bridge import chat
from bridge import messages as bridge
from bridge.limits import UPDATE_MS
from mirrord.core.chat.conversation import CHAT
from mirrord.testing import FakeExtension, fake_extension, hello

WORDS_EACH: Final = UPDATE_MS // 5
"""Words that an extension tells at once of a model that says one each 5 ms."""

ARGUMENTS: Final = '{"command": "make beds"}'
WIDGET: Final = "moves"

STARTED_MS: Final = 1_700_000_000_000

PARAGRAPH: Final = (
    "The **north bed** gets its water from `beds/north.ts:12`, and the frost of spring is _not_ what keeps the tulips back: they were set "
    "too deep last year, as [the notes](https://example.org/notes) say."
)
ANSWER: Final = f"""## What was found

{PARAGRAPH} {PARAGRAPH}

- tulips: eight rows, of which **three** are late
- roses: cut back to the second eye, `spade` and all
- seeds that were sown in the frame, and are to be set out in May

```ts
export function water(bed: Bed, litres: number): Bed {{
  // What is dry takes more than it is given.
  const taken = Math.min(litres, bed.room - bed.moisture);
  return {{ ...bed, moisture: bed.moisture + taken }};
}}
```

| bed | rows | water |
|---|---:|---|
| north | 8 | each morning |
| south | 12 | when it is dry |

{PARAGRAPH}

"""
"""What a model writes, kinds of blocks in turn; said again and again."""

OUTPUT: Final = "\n".join(f"\x1b[32mok\x1b[39m beds/{number}.ts  {number * 7} ms" for number in range(40))


def words(count: int) -> Iterator[str]:
    """So many words of an answer, each with the space before it, in the order in which they are written."""
    pieces = [piece for piece in ANSWER.replace("\n", "\n\0").replace(" ", " \0").split("\0") if piece]
    return itertools.islice(itertools.cycle(pieces), count)


@dataclass(slots=True)
class Talker:
    """One session whose conversation, statuses and components are told. Ids are counted."""

    extension: FakeExtension
    session_id: str
    rows: list[str] = field(default_factory=list)
    """Ids of all, in order; the number in one is that of the temporary id it had."""
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def last(self) -> str | None:
        """The newest row."""
        return self.rows[-1] if self.rows else None

    async def begin(self, turns: int) -> None:
        """The conversation so far: so many turns."""
        await self.extension.say(
            bridge.Palette(seq=0, tokens=PALETTE),
            chat.ChatReset(seq=0, conversation_id="bench", leaf=None, reason="start"),
            chat.ChatReady(seq=0),
            chat.ChatState(seq=0, idle=True, since=STARTED_MS),
        )
        for number in range(turns):
            await self.turn(f"turn {number}", 1)

    async def turn(self, name: str, deltas: int) -> None:
        """A question, an answer that comes in so many pieces and calls a tool, its result, and an answer that has `name` in it."""
        await self.row("user", "What keeps the tulips back, and what is to be done about it?")
        call = f"call-{next(self._numbers)}"
        await self.answer(list(words(deltas * WORDS_EACH)), 0, chat.ChatPart("tool_call", tool_call_id=call, name="bash", args=ARGUMENTS))
        await self.row("tool", OUTPUT, call)
        await self.answer(["All of it is done: ", name, "."], 0)

    async def row(self, kind: str, text: str, call: str | None = None) -> None:
        """A row of one text that is whole at once; of a tool, with the call that it answers."""
        id_ = f"e{next(self._numbers)}"
        parts = (chat.ChatPart("text", text),)
        row = chat.ChatRow(id=id_, entry_id=id_, kind=kind, at=STARTED_MS, state="done", parts=parts, tool_call_id=call)
        await self._tell(row if call is None else msgspec.structs.replace(row, tool_name="bash", args=ARGUMENTS))

    async def answer(self, said: Sequence[str], seconds: float, *more: chat.ChatPart) -> None:
        """An answer that grows by WORDS_EACH words each so many seconds, then is whole with these parts behind its text."""
        number, before = next(self._numbers), self.last
        live, entry = f"live:{number}", f"e{number}"
        await self._tell(chat.ChatRow(id=live, kind="assistant", at=STARTED_MS, state="streaming", parts=(chat.ChatPart("text", ""),)))
        offset, begun = 0, anyio.current_time()
        for step, place in enumerate(range(0, len(said), WORDS_EACH), start=1):
            text = "".join(said[place : place + WORDS_EACH])
            await self.extension.say(chat.ChatDelta(seq=0, id=live, part=0, offset=offset, text=text))
            offset += len(text)
            # From the begin: what one step took too long the next one has less.
            await anyio.sleep(max(0.0, begun + step * seconds - anyio.current_time()))
        parts = (chat.ChatPart("text", "".join(said)), *more)
        whole = chat.ChatRow(id=entry, entry_id=entry, live_id=live, kind="assistant", at=STARTED_MS, state="done", parts=parts)
        await self.extension.say(chat.ChatConfirm(seq=0, id=live, entry_id=entry), chat.ChatRowTold(seq=0, row=whole, after=before))
        self.rows[-1] = entry

    async def grow(self, number: int, seconds: float) -> None:
        """The answer of that number gets a paragraph more each so many seconds. Runs until it is cancelled."""
        entry = f"e{number}"
        place = self.rows.index(entry)
        after = self.rows[place - 1] if place else None
        for paragraphs in itertools.count(1):
            text = "\n\n".join([PARAGRAPH] * paragraphs)
            row = chat.ChatRow(
                id=entry, entry_id=entry, kind="assistant", at=STARTED_MS, state="done", parts=(chat.ChatPart("text", text),)
            )
            await self.extension.say(chat.ChatRowTold(seq=0, row=row, after=after))
            await anyio.sleep(seconds)

    async def draw(self, tick: int) -> None:
        """A component of coloured lines, of which the last changes with each tick."""
        lines = (*map(coloured, LINES), f"tick {tick}")
        await self.extension.say(bridge.Widget(seq=0, key=WIDGET, placement="aboveEditor", lines=lines, width=100))

    async def move(self, ms: float) -> None:
        """The component changes each so many ms. Runs until it is cancelled."""
        begun = anyio.current_time()
        for tick in itertools.count(1):
            await self.draw(tick)
            await anyio.sleep(max(0.0, begun + tick * ms / 1000 - anyio.current_time()))

    async def pass_by(self, number: int) -> None:
        """What else an hour brings: a status, a notification, a component."""
        await self.extension.say(
            bridge.Status(seq=0, key="beds", text=f"{number} done"),
            bridge.Notification(seq=0, message=f"Bed {number} is watered."),
        )
        await self.draw(number)

    async def _tell(self, row: chat.ChatRow) -> None:
        await self.extension.say(chat.ChatRowTold(seq=0, row=row, after=self.last))
        self.rows.append(row.id)

    async def listen(self) -> None:
        """Hears the daemon, and has nothing older to give. Runs until it is cancelled."""
        while True:
            match await self.extension.hear():
                case chat.ChatHistory(request_id=request):
                    await self.extension.say(chat.ChatPage(seq=0, request_id=request, error="There is nothing older."))
                case bridge.Ping(n=n):
                    await self.extension.say(bridge.Pong(seq=0, n=n))
                case _:
                    pass


@asynccontextmanager
async def talker(here: World, name: str) -> AsyncIterator[Talker]:
    """A session of this process that is named so, for the length of the block."""
    greeting = msgspec.structs.replace(hello(name=name), capabilities=(CHAT,))
    async with fake_extension(here.paths.bridge_socket, greeting) as extension, anyio.create_task_group() as tasks:
        one = Talker(extension, greeting.terminal.id)
        tasks.start_soon(one.listen)
        yield one
        tasks.cancel_scope.cancel()
