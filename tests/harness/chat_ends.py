"""Both ends of a conversation in a test: Pi's extension, which plays a recording, and a phone, which shows it and sends.

The extension tells its state again on every link, as docs/bridge.md says; the phone subscribes and sends again on every connection, as
docs/protocol.md says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from websockets.protocol import Side

from bridge.chat import ChatQueue, ChatReady, ChatReset, ChatResync, ChatRowTold, ChatState, FromExtensionChat, Turn, TurnResult
from bridge.framing import LineReader, Unknown, decode_from_daemon, decode_from_extension, decode_hello, encode
from bridge.messages import (
    Ack,
    Activity,
    ConversationChanged,
    FromDaemon,
    FromExtension,
    Hello,
    ResyncBegin,
    ResyncEnd,
    ScreenView,
    Title,
    Welcome,
)
from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, PROMPT_NATIVE, TEXT_FALLBACK
from tests.harness.chat_fold import Fold
from tests.harness.chat_recording import Line, Submitted
from tests.harness.chat_wires import Hop, text_frames, websocket

TRY_AGAIN: Final = ("detached", "busy", "store")
"""Rejections of which nothing was kept."""


class Terminal:
    """Plays a recording, whether or not anybody listens, and does what a remote submits, once."""

    def __init__(self, lines: Sequence[Line]) -> None:
        told = [line for line in lines if line.told is not None]
        assert told[0].told is not None
        self.hello: Hello = decode_hello(msgspec.json.encode(told[0].told))
        self.script: list[FromExtension | Submitted] = [said for line in lines[1:] if (said := _said(line)) is not None]
        self.played = 0
        self.fold = Fold()
        self.turns: dict[str, TurnResult] = {}
        self.acted: list[str] = []
        """What Pi was given, in order."""
        self.hop: Hop | None = None
        self._now: dict[type[FromExtension], FromExtension] = {}
        """State of which only the last is told."""
        self._leaf: str | None = None
        self._lines = LineReader()
        self._said = 0
        self._heard = 0
        self._welcome = False

    # ---- Pi ----------------------------------------------------------------------------------------------------------

    @property
    def next(self) -> FromExtension | Submitted | None:
        """What happens next, if it can: nothing becomes of a submission before it came."""
        if self.played == len(self.script):
            return None
        item = self.script[self.played]
        return None if isinstance(item, TurnResult) and item.client_turn_id not in self.turns else item

    def plays(self) -> None:
        """It happens; a page is told as a whole, so that no link begins within one."""
        item = self.next
        assert item is not None
        self.played += 1
        if isinstance(item, Submitted):
            return
        self._happens(item)
        if self._welcome:
            self._say(item)
        if not self.fold.is_whole:
            self.plays()

    def _happens(self, message: FromExtension) -> None:
        self.fold.take(message)
        match message:
            case TurnResult():
                self.turns[message.client_turn_id] = message
            case ChatReset():
                self._leaf = message.leaf
            case ChatQueue() | ChatState() | Title() | Activity():
                self._now[type(message)] = message
            case ConversationChanged(conversation=conversation):
                self.hello = msgspec.structs.replace(self.hello, conversation=conversation)

    # ---- the link ----------------------------------------------------------------------------------------------------

    def connects(self, hop: Hop) -> None:
        """A link, on which hello is said."""
        self.hop, self._lines, self._said, self._heard, self._welcome = hop, LineReader(), 0, 0, False
        self._say(self.hello)

    def cut(self) -> None:
        """The link is gone."""
        self.hop, self._welcome = None, False

    def receive(self, data: bytes) -> None:
        """Bytes of the daemon arrive."""
        self._lines.receive(data)
        while (line := self._lines.next_line()) is not None:
            message = decode_from_daemon(line)
            assert not isinstance(message, Unknown)
            self._heard += 1
            assert message.seq == self._heard
            self._hear(message)

    def _hear(self, message: FromDaemon) -> None:
        match message:
            case Welcome():
                for told in self._resync():
                    self._say(told)
                self._welcome = True
            case Turn():
                self._takes(message)
            case ChatResync():
                for told in self._page("resync"):
                    self._say(told)
            case Ack() | ScreenView():
                pass
            case _:
                raise AssertionError(f"nothing of this was expected: {message}")

    def _takes(self, turn: Turn) -> None:
        """The same turn never acts twice and gets its stage again. A command has run at once; the rest is in the recording."""
        known = self.turns.get(turn.client_turn_id)
        if known is None:
            self.acted.append(turn.client_turn_id)
            recorded = any(isinstance(item, TurnResult) and item.client_turn_id == turn.client_turn_id for item in self.script)
            known = TurnResult(seq=0, client_turn_id=turn.client_turn_id, stage="accepted" if recorded else "consumed")
            self.turns[turn.client_turn_id] = known
        self._say(known)

    def _resync(self) -> Iterator[FromExtension]:
        yield ResyncBegin(seq=0)
        yield from self.turns.values()
        yield from (told for kind, told in self._now.items() if kind in (Title, Activity))
        yield from self._page("start")
        yield from (told for kind, told in self._now.items() if kind in (ChatQueue, ChatState))
        yield ResyncEnd(seq=0)

    def _page(self, reason: str) -> Iterator[FromExtension]:
        more = bool(self.fold.resets and self.fold.resets[-1].more)
        yield ChatReset(seq=0, conversation_id=self.hello.conversation.id, leaf=self.leaf, reason=reason, more=more)
        after = None
        for row in self.fold.rows:
            yield ChatRowTold(seq=0, row=row, after=after)
            after = row.id
        yield ChatReady(seq=0)

    @property
    def leaf(self) -> str | None:
        """The newest entry."""
        return next((row.entry_id for row in reversed(self.fold.rows) if row.entry_id is not None), self._leaf)

    def _say(self, message: FromExtension) -> None:
        if self.hop is not None:
            self._said += 1
            self.hop.up.waiting += encode(msgspec.structs.replace(message, seq=self._said))


def _said(line: Line) -> FromExtension | Submitted | None:
    """What a line says; None for what a link begins with, which is made from the state."""
    if line.submitted is not None:
        return line.submitted
    message = decode_from_extension(msgspec.json.encode(line.told))
    assert not isinstance(message, Unknown)
    kept = isinstance(message, FromExtensionChat | Title | Activity | ConversationChanged)
    return message if kept else None


class Phone:
    """Shows the conversation and sends, over as many connections as it takes."""

    def __init__(self, session: str, appends: bool) -> None:
        self.session: Final = session
        self.capabilities: Final = (TEXT_FALLBACK, PROMPT_NATIVE, CHAT, *((CHAT_APPENDS,) if appends else ()))
        self.view = ChatView()
        self.submitted: dict[str, Submitted] = {}
        self.receipts: dict[str, list[wire.Receipt]] = {}
        self.hop: Hop | None = None
        self.is_welcome = False
        """It was connected once."""
        self._socket = websocket(Side.CLIENT)

    def connects(self, hop: Hop) -> None:
        """A connection: hello, the conversation from where it is shown, and what has no verdict."""
        self.hop, self._socket = hop, websocket(Side.CLIENT)
        self._say(
            messages.Hello(
                client=messages.ClientInfo("phone", "test"), protocol=messages.ProtocolRange(1, 1), capabilities=self.capabilities
            )
        )
        entry = next((message["entryId"] for message in reversed(self.view.messages) if message.get("entryId")), None)
        self._say(wire.ChatSubscribe(session_id=self.session, since=self.view.cursor, entry_id=entry))
        self.view = chat_reducer.connect(self.view)
        self.sends_again()

    def cut(self) -> None:
        """The connection is gone, and with it what had not come whole."""
        self.hop = None
        self.view = chat_reducer.connect(self.view)

    def submits(self, submitted: Submitted) -> None:
        """The person sends something."""
        self.submitted[submitted.client_turn_id] = submitted
        self._submit(submitted)

    def sends_again(self) -> None:
        """Everything of which the phone does not know what became."""
        for turn in self.undecided:
            self._submit(self.submitted[turn])

    @property
    def undecided(self) -> list[str]:
        """Turns whose end is not told: sent again, each gets its stage and whatever follows."""
        last = {turn: receipts[-1] for turn, receipts in self.receipts.items()}
        ended = {turn for turn, receipt in last.items() if receipt.stage in ("consumed", "rejected") and receipt.code not in TRY_AGAIN}
        return [turn for turn in self.submitted if turn not in ended]

    def receive(self, data: bytes) -> None:
        """Bytes of the daemon arrive."""
        for text in text_frames(self._socket, data):
            frame: dict[str, Any] = msgspec.json.decode(text)
            match frame["type"]:
                case "chat_event" | "chat_frame":
                    self.view = chat_reducer.reduce(self.view, frame).view
                    assert self.view.error is None, (self.view.error, frame)
                case "receipt":
                    receipt = msgspec.json.decode(text, type=wire.Receipt)
                    self.receipts.setdefault(receipt.client_turn_id, []).append(receipt)
                case "welcome":
                    self.is_welcome = True
                case "error":
                    raise AssertionError(frame)

    def _submit(self, submitted: Submitted) -> None:
        turn, kind, text = submitted.client_turn_id, submitted.kind, submitted.text
        self._say(wire.ChatAction(session_id=self.session, client_turn_id=turn, action="submit", kind=kind, text=text))

    def _say(self, message: messages.ClientMessage) -> None:
        if self.hop is not None:
            self._socket.send_text(msgspec.json.encode(message))
            for data in self._socket.data_to_send():
                self.hop.up.waiting += data
