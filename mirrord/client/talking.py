"""A conversation followed, and written into, over the connections of a `Following`.

The policy is `mirrord.client.chat` and `mirrord.client.turns`, which are pure; this file does what they say. A watcher of the following
passes on what it is told: `welcomed`, `lost`, and every frame to `received`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from mirrord.client.chat import Conversation, Taken
from mirrord.client.following import Following
from mirrord.client.frames import Frame
from mirrord.client.turns import Turn, Turns
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT

Unconfirmed = Callable[[list[Turn]], Awaitable[None]]


@dataclass(slots=True)
class Talking:
    """One conversation. `unconfirmed` is told of turns that have had no receipt for RETRY_SECONDS and go out again."""

    session_id: str
    unconfirmed: Unconfirmed
    conversation: Conversation = field(init=False)
    turns: Turns = field(default_factory=Turns)
    supported: bool = False
    """The daemon of this connection tells conversations."""
    wanted: bool = True
    """The conversation is to be followed."""
    _following: Following | None = None
    _changed: anyio.Event = field(default_factory=anyio.Event)
    _begun: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        """Nothing is shown yet."""
        self.conversation = Conversation(self.session_id)

    # ---- what a watcher is told --------------------------------------------------------------------------------------

    async def welcomed(self, following: Following, welcome: messages.Welcome, again: bool) -> None:
        """A connection stands. The conversation is followed once its session is known there."""
        self._following = following
        self.supported = CHAT in welcome.capabilities
        if not self.supported:
            self._begun.set()
        if again and any(session.session_id == self.session_id for session in welcome.sessions):
            await self._meet()

    def lost(self) -> None:
        """The connection ended."""
        self.conversation.lost()
        self.turns.lost()

    async def received(self, frame: Frame) -> Taken | Turn | None:
        """A frame: what it changed in the conversation, or the turn of which something is new; None for any other."""
        match frame.message:
            case messages.Snapshot(session_id=self.session_id):
                await self._meet()
            case messages.SessionChanged(session=session) if session.session_id == self.session_id:
                await self._meet()
            case wire.Receipt(session_id=self.session_id) as receipt:
                turn = self.turns.receipt(receipt)
                self._wake()
                return turn
            case wire.ChatEvent() | wire.ChatFrame():
                taken = self.conversation.take(frame)
                if taken is not None and taken.send is not None:
                    await self.send(taken.send)
                return taken
            case _:
                pass
        return None

    # ---- what is sent ------------------------------------------------------------------------------------------------

    async def give(self, turn: Turn) -> bool:
        """Submit; it goes out again until its receipt comes. False while the daemon is away: it is kept, and was not sent."""
        given = self.turns.give(turn, anyio.current_time())
        self._wake()
        if given:
            await self._submit(turn)
        return given

    async def send(self, message: messages.ClientMessage) -> bool:
        """A message, once; False while the daemon is away."""
        return self._following is not None and await self._following.send(message)

    async def say(self, message: wire.ChatSubscribe | wire.ChatUnsubscribe) -> bool:
        """Follow the conversation anew, or no more; False while the daemon is away."""
        if isinstance(message, wire.ChatSubscribe):
            self.wanted = True
            self.conversation.subscribe()
        else:
            self.wanted = False
            self.conversation.lost()
        return await self.send(message)

    async def begun(self) -> None:
        """Return once it is known whether the daemon tells conversations, and turns could be given if it does."""
        await self._begun.wait()

    async def ready(self) -> None:
        """Return when turns can be given."""
        while not self.turns.connected:
            await self._changed.wait()

    async def settled(self) -> None:
        """Return when every turn has a word of Pi's."""
        while self.turns.waiting:
            await self._changed.wait()

    async def keep_time(self) -> None:
        """Send again what has no receipt; run until cancelled."""
        while True:
            next_at, changed = self.turns.next_at, self._changed
            with anyio.move_on_after(None if next_at is None else max(0.0, next_at - anyio.current_time())):
                await changed.wait()
            again, news = self.turns.tick(anyio.current_time())
            if news:
                await self.unconfirmed(news)
            for turn in again:
                await self._submit(turn)

    async def _meet(self) -> None:
        """The session is known over this connection: follow its conversation, and send again what waits."""
        if not self.supported or self.turns.connected:
            return
        if self.wanted:
            await self.send(self.conversation.subscribe())
        for turn in self.turns.back(anyio.current_time()):
            await self._submit(turn)
        self._begun.set()
        self._wake()

    async def _submit(self, turn: Turn) -> None:
        for frame in turn.frames:
            if not await self.send(frame):
                # It goes out again over the next connection.
                return

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
