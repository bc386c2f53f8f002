"""A conversation with the core about a conversation: say what the extension tells, read what each client shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView
from mirrord.core import commands
from mirrord.core import events as core_events
from mirrord.core.chat import events
from mirrord.core.chat.commands import AskChatAgain, AskHistory, ForwardAction, ForwardTurn
from mirrord.core.chat.conversation import CHAT, Conversation
from mirrord.core.model import LinkId, Terminal, TerminalId
from mirrord.core.receipts import KeepReceipt
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT as CHAT_CLAIM
from mirrord.wire.capabilities import CHAT_APPENDS, PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.limits import CHAT_FRAME_BYTES
from tests.core.playbook import PI, Playbook, terminal

PLAIN = (TEXT_FALLBACK, PROMPT_NATIVE, CHAT_CLAIM)
WITH_APPENDS = (*PLAIN, CHAT_APPENDS)


def chatting(id_: TerminalId = PI, capabilities: tuple[str, ...] = (CHAT,)) -> Terminal:
    """A Pi whose extension tells its conversation."""
    plain = terminal(id_)
    return Terminal(
        id=id_,
        pid=plain.pid,
        conversation_id=plain.conversation_id,
        cwd=plain.cwd,
        name=plain.name,
        pi_version=plain.pi_version,
        capabilities=capabilities,
    )


def row(id_: str, text: str = "", kind: str = "assistant", state: wire.MessageState = "done", **more: Any) -> wire.ChatMessage:
    """A message of one text."""
    parts = (wire.ChatPart("text", text),) if text else ()
    return wire.ChatMessage(id=id_, kind=kind, at=1, state=state, parts=parts, **more)


@dataclass
class Talk(Playbook):
    """The core with one session whose conversation is told. `views[client]` is what a client shows; JSON in between, as on the wire."""

    views: dict[int, ChatView] = field(default_factory=dict)
    steps: dict[int, list[chat_reducer.Step]] = field(default_factory=dict)
    turns: list[ForwardTurn] = field(default_factory=list)
    kept: list[KeepReceipt] = field(default_factory=list)
    asked: list[AskChatAgain | AskHistory | ForwardAction] = field(default_factory=list)
    unread: dict[int, list[messages.ServerMessage]] = field(default_factory=dict)
    """What clients that do not read were sent."""
    asleep: set[int] = field(default_factory=set)

    def feed(self, event: core_events.Event) -> list[commands.Command]:
        """One event; clients read what they get at once."""
        out = super().feed(event)
        for command in out:
            match command:
                case commands.Send(client=client, message=message):
                    if client in self.asleep:
                        self.unread.setdefault(client, []).append(message)
                    else:
                        self._read(client, message)
                case ForwardTurn():
                    self.turns.append(command)
                case KeepReceipt():
                    self.kept.append(command)
                case AskChatAgain() | AskHistory() | ForwardAction():
                    self.asked.append(command)
        return out

    def _read(self, client: int, message: messages.ServerMessage) -> None:
        if isinstance(message, wire.ChatEvent | wire.ChatFrame):
            encoded = msgspec.json.encode(message)
            assert len(encoded) <= CHAT_FRAME_BYTES
            step = chat_reducer.reduce(self.views.get(client, ChatView()), msgspec.json.decode(encoded))
            self.views[client] = step.view
            self.steps.setdefault(client, []).append(step)

    def passes(self, seconds: float) -> None:
        """Time passes; the core is woken when it wants to be."""
        end = self.now + round(seconds * 1000)
        while (wake_at := self.core.wake_at) is not None and wake_at * 1000 <= end:
            self.now = max(self.now, -int(-wake_at * 1000 // 1))
            self.feed(core_events.TimeIs(at=self.at))
        self.now = max(self.now, end)

    @property
    def conversation(self) -> Conversation:
        """Of the one session."""
        return self.core._sessions[PI].conversation

    # ---- the terminal ------------------------------------------------------------------------------------------------

    def links(self, *, capabilities: tuple[str, ...] = (CHAT,)) -> None:
        """An extension says hello and tells nothing yet."""
        self.link = LinkId(self.link + 1)
        self.feed(core_events.TerminalLinked(at=self.at, link=self.link, terminal=chatting(capabilities=capabilities)))
        self.feed(core_events.ResyncBegan(at=self.at, link=self.link))

    def linked(self, *rows: wire.ChatMessage, more: bool = False, reason: str = "start") -> None:
        """An extension says hello and tells this page."""
        self.links()
        self.page(*rows, more=more, reason=reason)
        self.feed(core_events.ResyncEnded(at=self.at, link=self.link))

    def page(self, *rows: wire.ChatMessage, more: bool = False, reason: str = "resync", conversation: str = "conversation-1") -> None:
        """A boundary and the rows after it."""
        leaf = next((each.entry_id for each in reversed(rows) if each.entry_id), None)
        self.tells(events.ChatReset, conversation_id=conversation, leaf=leaf, reason=reason, more=more)
        before = "older" if more else None
        for each in rows:
            self.row(each, before)
            before = each.id
        self.tells(events.ChatReady)

    def tells(self, kind: type[events.ChatFromLink], **fields: Any) -> None:
        """The extension tells something."""
        self.feed(kind(at=self.at, link=self.link, **fields))

    def row(self, message: wire.ChatMessage, after: str | None) -> None:
        """A row is new or replaced."""
        self.tells(events.RowTold, message=message, after=after)

    def grows(self, id_: str, offset: int, text: str, part: int = 0, start: wire.ChatPart | None = None) -> None:
        """New text."""
        self.tells(events.TextAppended, id=id_, part=part, offset=offset, text=text, start=start)

    def agent(self, *, idle: bool = True, since: int = 5, **fields: Any) -> None:
        """What Pi does."""
        self.tells(events.AgentTold, agent=wire.ChatAgent(**fields), idle=idle, since=since)

    # ---- clients -----------------------------------------------------------------------------------------------------

    def follows(self, client: int, *, appends: bool = True, resumes: bool = False, credential: str | None = None) -> None:
        """A client connects and follows the conversation; one that `resumes` says what it shows."""
        self.connect(client, capabilities=WITH_APPENDS if appends else PLAIN, credential=credential, follow=None)
        self.subscribes(client, resumes=resumes)

    def subscribes(self, client: int, *, resumes: bool = False) -> None:
        """A client follows the conversation, perhaps again."""
        view = chat_reducer.connect(self.views.get(client, ChatView()))
        self.views[client] = view
        since = view.cursor if resumes else None
        entry = next((message["entryId"] for message in reversed(view.messages) if message.get("entryId")), None) if resumes else None
        self.says(client, wire.ChatSubscribe(session_id=PI, since=since, entry_id=entry))

    def submits(self, client: int, turn: str, text: str | None = "Plant tulips", **fields: Any) -> None:
        """A client sends something."""
        self.says(client, wire.ChatAction(session_id=PI, client_turn_id=turn, action="submit", text=text, **fields))

    def receipts(self, client: int, turn: str) -> list[wire.Receipt]:
        """What a client was told of a turn."""
        return [receipt for receipt in self.got(client, wire.Receipt) if receipt.client_turn_id == turn]

    def shows(self, client: int) -> list[str]:
        """The texts of the messages that a client shows."""
        return ["|".join(str(part.get("text", part.get("args"))) for part in each.get("parts", ())) for each in self.views[client].messages]


def as_json(value: Any) -> Any:
    """A struct as it arrives at a client."""
    return msgspec.json.decode(msgspec.json.encode(value))
