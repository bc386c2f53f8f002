"""All conversations behind one door: the core tells what happened, and gets back what is to be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from mirrord.core.chat import actions, events
from mirrord.core.chat.commands import AskChatAgain
from mirrord.core.chat.conversation import CHAT, DETACHED, ENDED, TOO_OLD, Conversation, Told
from mirrord.core.chat.stopping import Stops
from mirrord.core.chat.streams import Streams
from mirrord.core.chat.turns import Target, Turns
from mirrord.core.commands import Command, Send
from mirrord.core.model import Client, ClientId, LinkId, Moment, TerminalId
from mirrord.core.pieces import Pieces
from mirrord.core.receipts import EarlierSeen, ReceiptKept
from mirrord.core.rooms import Rooms
from mirrord.core.session import Session
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace, WorkspaceSeen
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT_APPENDS

COMMANDS: Final = frozenset(actions.ARGS)
"""Names of the commands that are carried out here."""

AGAIN_SECONDS: Final = 1.0
"""Between two wishes to be told a conversation again: an extension that is at odds with itself must not keep both sides busy."""

ROWS: Final = (events.RowTold, events.TextAppended, events.RowConfirmed, events.RowRemoved, events.ChatBroken)
"""What counts only while everything before it was told."""


@dataclass(slots=True)
class ChatDesk:
    """Streams, turns, actions and stops of all sessions. `sessions` and `rooms` are the core's own."""

    sessions: Mapping[TerminalId, Session]
    rooms: Rooms
    turns: Turns = field(init=False)
    _streams: Streams = field(init=False)
    _actions: actions.Actions = field(default_factory=actions.Actions)
    _stops: Stops = field(default_factory=Stops)
    _again: dict[TerminalId, float] = field(default_factory=dict)
    """Sessions that are to tell their conversation again, and when they may be asked."""

    def __post_init__(self) -> None:
        """Turns go to where their session is now, and streams to who has room."""
        self._streams = Streams(self.rooms)
        self.turns = Turns(self._link_of)

    # ---- from the terminal -------------------------------------------------------------------------------------------

    def from_link(self, session: Session, event: events.ChatFromLink) -> list[Command]:
        """Something about a session's conversation."""
        conversation = session.conversation
        match event:
            case events.TurnRuled():
                return list(self.turns.ruled(session.terminal.id, event))
            case events.ActionDone():
                return _answer(self._actions.done(event))
            case events.PageTold():
                return _answer(self._actions.page(event))
        if conversation.broken and isinstance(event, ROWS):
            return []
        if isinstance(event, events.QueueTold):
            event = replace(event, items=self.turns.signed(session.terminal.id, event.items))
        told = conversation.take(event)
        if told is None:
            return self._ask_again(session, event.at)
        commands = self._tell(conversation, told, event.at)
        if isinstance(event, events.AgentTold) and event.idle:
            commands += self._rests(conversation, event.at)
        if _touches_files(event) and self._streams.followed(session.terminal.id):
            commands.append(LookAtWorkspace(session.terminal.id))
        return commands

    def resynced(self, session: Session) -> list[Command]:
        """A link stands and has told everything: turns without a ruling go out again."""
        return list(self.turns.told_all(session.terminal.id))

    def link_lost(self, session: Session, link: LinkId, at: Moment) -> list[Command]:
        """A session's link is gone."""
        session.conversation.detach()
        self._again.pop(session.terminal.id, None)
        return [
            *(Send(client, result) for client, result in self._actions.link_lost(link)),
            *self.turns.link_lost(session.terminal.id, at),
            *self._rests(session.conversation, at),
        ]

    def ended(self, session: Session, at: Moment) -> list[Command]:
        """The Pi is gone: what streamed will not go on."""
        told = Told(session.conversation.timeline.cut_off())
        return [*self._tell(session.conversation, told, at), *self.turns.ended(session.terminal.id, at)]

    def forget(self, session: Session) -> list[Command]:
        """The session is listed no more."""
        self._streams.forget(session.terminal.id)
        return [LeaveWorkspace(session.terminal.id)]

    def refresh(self, session: Session, at: Moment) -> list[Command]:
        """Whether anything can be sent to the session may have changed."""
        conversation = session.conversation
        reason = ENDED if session.ended else DETACHED if session.link is None else None
        if reason is None and CHAT not in session.terminal.capabilities:
            reason = TOO_OLD
        if conversation.read_only_reason == reason and conversation.ended == session.ended:
            return []
        conversation.read_only_reason, conversation.ended = reason, session.ended
        return self._tell(conversation, Told(fields=conversation.changed_fields()), at)

    def shorten(self, session: Session, size: int, at: Moment) -> list[Command]:
        """All sessions together hold too much: of this conversation only the newest messages are kept, in so many bytes."""
        return self._tell(session.conversation, session.conversation.shorten(size), at)

    def workspace(self, session: Session, event: WorkspaceSeen) -> list[Command]:
        """What the folder looks like that a session works in."""
        seen = event.workspace
        session.conversation.workspace = (
            None if seen is None else wire.ChatWorkspace(seen.folder, seen.branch, seen.additions, seen.deletions)
        )
        return self._tell(session.conversation, Told(fields=session.conversation.changed_fields()), event.at)

    def stop_asked(self, session: Session, by: str, at: Moment) -> list[Command]:
        """Somebody stops the turn."""
        conversation = session.conversation
        return self._tell(conversation, self._stops.asked(conversation, by, at), at) if conversation.streaming else []

    def stop_refused(self, session: Session, at: Moment) -> list[Command]:
        """There was nothing to stop."""
        return self._rests(session.conversation, at)

    # ---- from clients ------------------------------------------------------------------------------------------------

    def subscribe(self, client: Client, said: wire.ChatSubscribe, at: Moment) -> list[Command]:
        """A client follows a conversation."""
        session = self.sessions.get(TerminalId(said.session_id))
        if session is None:
            return [Send(client.id, messages.Error(code="unknown_session", message="There is no such session."))]
        appends = CHAT_APPENDS in client.capabilities
        sends = self._streams.follow(session.conversation, client.id, appends, said.since, said.entry_id, at.boot)
        return [*sends, LookAtWorkspace(session.terminal.id)]

    def unsubscribe(self, client: Client, said: wire.ChatUnsubscribe) -> list[Command]:
        """A client follows it no more; nothing that runs is stopped."""
        self._streams.leave(said.session_id, client.id)
        return self._unwatched([said.session_id])

    def act(self, client: Client, action: wire.ChatAction, content: Pieces, at: Moment) -> list[Command]:
        """A client submits something, or gives it up."""
        if action.action == "discard":
            return list(self.turns.discard(client, action, TerminalId(action.session_id) in self.sessions, at))
        text = action.text if action.parts is None else content.take(action.client_turn_id, action.parts)
        return list(self.turns.submit(client, action, text, self._target(action), at))

    def command(self, client: Client, command: messages.Command) -> list[Command]:
        """A client's command about a conversation."""
        try:
            args = actions.read(command)
            if isinstance(args, actions.ReceiptsArgs):
                found = self.turns.lookup(client.id, args.session_id, args.client_turn_ids)
                return [Send(client.id, messages.CommandResult(request_id=command.request_id, ok=True, data=_receipts(found)))]
            return [self._actions.run(client, command, args, self.sessions.get(TerminalId(args.session_id)))]
        except actions.RefusedError as error:
            return [Send(client.id, actions.failed(command.request_id, error.code, str(error)))]

    def behind(self, event: events.ClientBehind) -> None:
        """Too much waits for a client."""
        self._streams.behind(event.client)

    def caught_up(self, event: events.ClientCaughtUp) -> list[Command]:
        """It has taken most of it."""
        return list(self._streams.caught_up(event.client, event.at.boot))

    def gone(self, client: ClientId) -> list[Command]:
        """A client is gone; what it sent goes on."""
        self.turns.gone(client)
        return self._unwatched(self._streams.gone(client))

    # ---- store and time ----------------------------------------------------------------------------------------------

    def kept(self, event: ReceiptKept) -> list[Command]:
        """A receipt is on disk, or cannot be."""
        return list(self.turns.kept(event))

    def earlier_seen(self, event: EarlierSeen) -> None:
        """Which Pis still run that an earlier daemon gave turns."""
        self.turns.earlier_seen(event, self.sessions)

    def woke(self, at: Moment) -> list[Command]:
        """Time has passed."""
        commands: list[Command] = [command for late, told in self._stops.due(at.boot) for command in self._tell(late, told, at)]
        for terminal, when in tuple(self._again.items()):
            session = self.sessions.get(terminal)
            if at.boot < when:
                continue
            del self._again[terminal]
            if session is not None and session.link is not None and session.conversation.broken:
                commands.append(AskChatAgain(session.link))
        return commands + list(self._streams.due(at.boot)) + list(self.turns.woke(at, self.sessions))

    @property
    def wake_at(self) -> float | None:
        """When time matters next; None: it does not."""
        moments = (self._streams.next_at, self._stops.next_at, self.turns.wake_at, min(self._again.values(), default=None))
        return min((moment for moment in moments if moment is not None), default=None)

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _unwatched(self, sessions: list[str]) -> list[Command]:
        return [LeaveWorkspace(TerminalId(session)) for session in sessions if not self._streams.followed(session)]

    def _tell(self, conversation: Conversation, told: Told, at: Moment) -> list[Command]:
        return list(self._streams.tell(conversation, told, at.boot))

    def _rests(self, conversation: Conversation, at: Moment) -> list[Command]:
        told = self._stops.rests(conversation)
        return [] if told is None else self._tell(conversation, told, at)

    def _ask_again(self, session: Session, at: Moment) -> list[Command]:
        conversation = session.conversation
        if session.link is None:
            return []
        conversation.broken = True
        if at.boot < conversation.ask_at:
            self._again[session.terminal.id] = conversation.ask_at
            return []
        conversation.ask_at = at.boot + AGAIN_SECONDS
        return [AskChatAgain(session.link)]

    def _link_of(self, terminal: TerminalId) -> LinkId | None:
        session = self.sessions.get(terminal)
        return session.link if session is not None else None

    def _target(self, action: wire.ChatAction) -> Target | None:
        session = self.sessions.get(TerminalId(action.session_id))
        if session is None:
            return None
        agent = session.conversation.agent
        refuses = agent.refuses.get(action.kind) if agent is not None else None
        return Target(session.terminal.id, session.link, session.ended, CHAT in session.terminal.capabilities, refuses)


def _touches_files(event: events.ChatFromLink) -> bool:
    """A tool or a command has ended, or Pi rests; or what Pi tells about trust may be new."""
    if isinstance(event, events.RowTold):
        return event.message.kind in ("tool", "bash") and event.message.state != "streaming"
    return isinstance(event, events.AgentTold | events.ChatReady)


def _answer(result: tuple[ClientId, messages.CommandResult] | None) -> list[Command]:
    return [] if result is None else [Send(*result)]


def _receipts(found: list[wire.Receipt]) -> dict[str, object]:
    rows = [msgspec.to_builtins(each) for each in found]
    return {"receipts": [{name: value for name, value in row.items() if name not in ("type", "sessionId")} for row in rows]}
