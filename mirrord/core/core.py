"""The daemon's mind: `handle(event)` returns what is to be done. Everything that decides is in this package; nothing in it does I/O."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, assert_never

import msgspec

from mirrord.core import events, requests
from mirrord.core.attention import Attention
from mirrord.core.awaited import Awaited
from mirrord.core.budget import Budget, Share
from mirrord.core.catchup import Journal
from mirrord.core.chat import desk
from mirrord.core.chat import events as chat
from mirrord.core.chat.turns import rejected
from mirrord.core.clients import Clients, Connection
from mirrord.core.commands import CloseLink, Command, Forward, RunCommand, Send, WatchProcess, WatchScreen
from mirrord.core.effects import Effect, Publish, Show, Tell
from mirrord.core.greeting import introduced, protocol_of, turned_away, welcome
from mirrord.core.held import held
from mirrord.core.model import Client, ClientId, LinkId, Moment, PromptId, TerminalId
from mirrord.core.outdated import outdated
from mirrord.core.prompts import response_key
from mirrord.core.receipts import EarlierSeen, ReceiptKept, ReceiptsLoaded
from mirrord.core.retention import USUAL, Prune, Retention
from mirrord.core.rooms import Rooms
from mirrord.core.session import Session
from mirrord.core.shown import Shown
from mirrord.core.wake import Doubts, LinkAnswered, Waiting, Woke
from mirrord.core.watching import watch
from mirrord.core.workspace import WorkspaceSeen
from mirrord.wire import messages as wire
from mirrord.wire import roles
from mirrord.wire.attention import Looking
from mirrord.wire.chat import ChatAction, ChatSubscribe, ChatUnsubscribe
from mirrord.wire.limits import CHAT_LEAST_BYTES, RESPONSE_ID_CHARS, SUBSCRIPTIONS

SCREEN_SHARE: Final = "screen-share"
"""Capability of an extension that says whether the screen is shared, and shows how that stands."""

LOOKER: Final = "status"
"""Kind of a client that asks how the daemon is and goes: looking at it keeps no daemon alive."""


@dataclass(slots=True)
class Core:
    """All sessions and all clients. `epoch` names this run of the daemon and begins the epoch of every session."""

    server: wire.ServerInfo
    epoch: str
    _sessions: OrderedDict[TerminalId, Session] = field(default_factory=OrderedDict)
    _made: int = 0
    """Sessions that ever were: one that was removed and comes again under its id counts its events anew."""
    _links: dict[LinkId, TerminalId] = field(default_factory=dict)
    _clients: Clients = field(default_factory=Clients)
    _rooms: Rooms = field(default_factory=Rooms)
    _awaited: Awaited = field(init=False)
    _requests: requests.Requests = field(default_factory=requests.Requests)
    _attention: Attention = field(default_factory=Attention)
    _chat: desk.ChatDesk = field(init=False)
    _doubts: Doubts = field(default_factory=Doubts)
    _budget: Budget = field(default_factory=Budget)
    _retention: Retention = USUAL

    def __post_init__(self) -> None:
        """Conversations are those of the sessions, and share what room clients have with them."""
        self._chat = desk.ChatDesk(self._sessions, self._rooms)
        self._awaited = Awaited(self._rooms)

    def begin(self, loaded: ReceiptsLoaded) -> None:
        """Before anything happens: what earlier daemons kept."""
        self._chat.turns.receipts.load(loaded)

    def sessions(self) -> tuple[wire.Session, ...]:
        """Every session as clients list it, in the order they came."""
        return tuple(session.view() for session in self._sessions.values())

    def clients(self) -> tuple[Client, ...]:
        """Every client that said hello."""
        return self._clients.known()

    @property
    def wake_at(self) -> float | None:
        """When the core wants to know that it is so late (`TimeIs`), by the clock of the events; None: it waits for nothing."""
        wanted = (self._clients.wake_at, self._awaited.wake_at, self._chat.wake_at, self._attention.wake_at, self._doubts.wake_at)
        return min((moment for moment in wanted if moment is not None), default=None)

    @property
    def notifications_dropped(self) -> int:
        """Notifications that came faster than a client is sent them, all clients together."""
        return self._clients.dropped

    @property
    def given_way(self) -> int:
        """Widgets and statuses that gave way to newer ones, all sessions together."""
        return sum(session.display.given_way for session in self._sessions.values())

    @property
    def retention(self) -> Retention:
        """For how long, and how much, is kept of what is over."""
        return self._retention

    @property
    def memory_given_way(self) -> int:
        """How often something of a session gave way, because all together held too much."""
        return self._budget.given_way

    def held(self) -> dict[str, int]:
        """Bytes that sessions hold, by kind."""
        return held(self._sessions.values())

    def is_deserted(self) -> bool:
        """Whether no session lives and no client is here, but for such as only look at the daemon's status."""
        return all(session.ended for session in self._sessions.values()) and all(client.kind == LOOKER for client in self._clients.known())

    def handle(self, event: events.Event) -> list[Command]:
        """Take one event; returns the commands it leads to, in order."""
        self._clients.now = event.at.boot
        self._rooms.begin()
        commands = self._happened(event)
        return commands + self._give_way(event.at) if self._budget.is_over else commands

    def _happened(self, event: events.Event) -> list[Command]:
        match event:
            case events.TimeIs(at=at):
                return self._time_is(at)
            case Woke(at=at):
                return [*(self._doubts.begin(link, at) for link in self._links), *self._time_is(at)]
            case LinkAnswered(link=link):
                return self._let_go(link, link) if self._doubts.is_answer(event) else []
            case Prune():
                return self._prune(event)
            case events.ClientConnected(client=client, role=role, credential=credential, notice=notice, device=device):
                self._clients.connect(client, Connection(role, credential, notice, device))
                return []
            case events.ClientGone(client=client, at=at):
                self._clients.leave(client)
                self._awaited.gone(client)
                self._rooms.caught_up(client)
                return self._stops_watching(client) + self._chat.gone(client) + self._attention.gone(client, at)
            case events.DeviceNoted():
                return self._attention.noted(event)
            case events.DeviceForgotten(device=device):
                self._attention.forgotten(event)
                self._doubts.revoke(device)
                for each in self._sessions.values():
                    each.revoke(device)
                return []
            case events.ClientSaid(client=client, message=message):
                connection = self._clients.get(client)
                return self._said(client, connection, message, event.at) if connection else []
            case events.TerminalLinked():
                return self._linked(event)
            case events.ProcessPaused(terminal=terminal, paused=paused):
                session = self._sessions.get(terminal)
                if session is None or session.ended:
                    return []
                before = session.view()
                session.paused = paused
                return self._apply(session, [], event.at, before)
            case events.ProcessGone(terminal=terminal):
                session = self._sessions.get(terminal)
                if session is None:
                    return list(self._chat.turns.ended(terminal, event.at))  # it was an earlier daemon's
                if session.ended or session.link is not None:
                    return []
                return self._ended(session, "gone", event.at)
            case events.TerminalGone(terminal=terminal):
                return self._without_terminal(terminal, event.at)
            case events.FromScreen(terminal=terminal):
                session = self._sessions.get(terminal)
                if session is None or session.ended:
                    return []
                before = session.view()
                return self._apply(session, session.screen.take(event), event.at, before)
            case events.FromLink(link=link):
                session = self._sessions.get(self._links.get(link, TerminalId("")))
                if session is None or session.link != link:
                    return []
                commands = self._from_link(session, event)
                if session.terminal.id in self._sessions:
                    self._budget.told(session)
                return commands
            case WorkspaceSeen(terminal=terminal):
                session = self._sessions.get(terminal)
                return self._chat.workspace(session, event) if session is not None else []
            case chat.ClientBehind(client=client):
                self._rooms.behind(client)
                self._chat.behind(event)
                return []
            case chat.ClientCaughtUp(client=client):
                self._rooms.caught_up(client)
                # Prompts come with the sessions, so these are first.
                return self._tell_awaited(client) + self._chat.caught_up(event)
            case ReceiptKept():
                return self._chat.kept(event)
            case EarlierSeen():
                self._chat.earlier_seen(event)
                return []
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")

    def _time_is(self, at: Moment) -> list[Command]:
        """What waited for this moment."""
        commands = [command for link in self._doubts.overdue(at) for command in self._let_go(link, link)]
        awaited = [command for client in self._awaited.ready() for command in self._tell_awaited(client)]
        return commands + self._clients.release() + awaited + self._chat.woke(at) + self._attention.woke(at)

    def _give_way(self, at: Moment) -> list[Command]:
        """All sessions together hold too much."""
        commands: list[Command] = []
        for session, share in self._budget.gives_way(self._sessions):
            match share:
                case Share.MESSAGES:
                    commands += self._chat.shorten(session, CHAT_LEAST_BYTES, at)
                case Share.EVENTS:
                    session.journal.forget()
                case Share.TEXTS:
                    session.display.handoffs.clear()
                case Share.DRAWINGS:
                    commands += self._carry_out(session, [*session.display.abridge()])
                case _:
                    assert_never(share)
        return commands

    def _prune(self, prune: Prune) -> list[Command]:
        """Forget what is over for too long, and what is too much of it."""
        self._retention = prune.retention
        self._chat.turns.receipts.prune(prune)
        if prune.before is not None:
            for session in self._sessions.values():
                session.prompts.forget(prune.before)
        return self._forget_oldest(prune.at)

    # ---- the terminal's side -----------------------------------------------------------------------------------------

    def _linked(self, event: events.TerminalLinked) -> list[Command]:
        terminal = event.terminal
        session = self._sessions.get(terminal.id)
        commands: list[Command] = []
        known = session is not None
        if session is None:
            self._made += 1
            session = Session(terminal, Journal(f"{self.epoch}.{self._made}"), since=event.at.wall)
            self._sessions[terminal.id] = session
        elif session.link is not None:
            commands += self._unlink(session, session.link, event.at)
            commands.append(CloseLink(session.link))
        self._links[event.link] = terminal.id
        session.linked(terminal, event.link)
        session.refresh(event.at)
        commands += self._chat.refresh(session, event.at)
        commands += self._clients.announce("changed" if known else "added", session)
        return commands + self._attention.follow(session, None, event.at)

    def _from_link(self, session: Session, event: events.FromLink) -> list[Command]:
        if isinstance(event, chat.TextAppended):
            return self._chat.from_link(session, event)  # two hundred times a second, and it changes nothing that is listed
        before = session.view()
        effects: list[Effect] = []
        talk: list[Command] = []
        match event:
            case chat.ChatFromLink():
                talk = self._chat.from_link(session, event)
            case events.ResyncBegan():
                session.resync_began()
            case events.ResyncEnded():
                effects = session.resync_ended(event.at)
                talk = self._chat.resynced(session)
            case events.PromptOpened(prompt=prompt):
                session.screen.explained()
                effects = session.open(prompt)
            case events.ScreenShareSet(on=on):
                effects = session.screen.consent(on)
            case events.PromptSettled(settlement=settlement):
                session.screen.explained()
                effects = session.settle(settlement)
            case events.ResponseRejected(prompt=prompt_id, response=response, reason=reason):
                effects = session.prompts.reject(prompt_id, response, reason, event.link)
            case Shown():
                effects = session.show(event)
            case events.ActivityChanged(working=working, since=since):
                session.set_activity(working, since)
            case events.ConversationChanged(conversation_id=conversation, cwd=cwd, name=name, first_message=first_message):
                session.rename(conversation, cwd, name, first_message)
            case events.NoticeGiven(text=text, about=about):
                session.note(text, about)
            case events.StopFinished(request=request, ok=ok, message=sentence):
                finished = self._requests.finished(request, ok, sentence)
                talk = [] if ok else self._chat.stop_refused(session, event.at)
                return [*talk, *(self._clients.send(*finished) if finished else [])]
            case events.TerminalBye(reason=reason):
                return self._bye(session, event.link, reason, event.at)
            case events.LinkLost(alive=alive):
                return self._lost(session, event.link, alive, event.at)
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")
        return talk + self._apply(session, effects, event.at, before)

    def _bye(self, session: Session, link: LinkId, reason: str, at: Moment) -> list[Command]:
        """Only quit and off end it; the other reasons announce the next generation, and the link's end then detaches it."""
        if reason not in ("quit", "off"):
            return []
        commands = self._unlink(session, link, at) + self._ended(session, reason, at)
        if reason == "off":
            commands += self._remove(session, at)
        return commands + self._forget_oldest(at)

    def _without_terminal(self, terminal: TerminalId, at: Moment) -> list[Command]:
        """It is over, though its process and its link may last for seconds: nobody can use it, and nobody may take it for alive."""
        session = self._sessions.get(terminal)
        if session is None or session.ended:
            return []
        link = session.link
        commands = [*self._unlink(session, link, at), CloseLink(link)] if link is not None else []
        return commands + self._ended(session, "gone", at) + self._forget_oldest(at)

    def _lost(self, session: Session, link: LinkId, alive: bool, at: Moment) -> list[Command]:
        before = session.view()
        commands = self._unlink(session, link, at)
        if alive:
            session.detach()
            return [*commands, *self._apply(session, [], at, before), WatchProcess(session.terminal.id)]
        return commands + self._ended(session, "gone", at) + self._forget_oldest(at)

    def _unlink(self, session: Session, link: LinkId, at: Moment) -> list[Command]:
        """Nothing more comes over this link: who waits for an answer over it is told."""
        self._links.pop(link, None)
        late = self._let_go(link, None, session)
        lost = [command for client, result in self._requests.link_lost(link) for command in self._clients.send(client, result)]
        return late + lost + self._chat.link_lost(session, link, at)

    def _ended(self, session: Session, reason: str, at: Moment) -> list[Command]:
        """The Pi is gone."""
        effects = session.end(reason, at)
        commands = self._chat.ended(session, at) + self._apply(session, effects, at)
        self._budget.weigh(session)
        return commands

    def _remove(self, session: Session, at: Moment) -> list[Command]:
        """The session is listed no more."""
        del self._sessions[session.terminal.id]
        self._budget.forget(session)
        removed = [*self._chat.forget(session), *self._clients.announce("removed", session)]
        return removed + self._attention.forget(session, at)

    def _forget_oldest(self, at: Moment) -> list[Command]:
        gone = outdated(self._sessions.values(), self._retention, at)
        return [command for session in gone for command in self._remove(session, at)]

    def _apply(self, session: Session, effects: list[Effect], at: Moment, before: wire.Session | None = None) -> list[Command]:
        """Carry out a session's effects, then tell everybody if the session looks different."""
        commands = self._carry_out(session, [*effects, *session.screen.cover(session.may_hide_typing())])
        session.refresh(at)
        commands += self._chat.refresh(session, at)
        if before is None or session.view() != before:
            commands += self._clients.announce("changed", session)
        return commands + self._attention.follow(session, _settled(effects), at)

    def _carry_out(self, session: Session, effects: list[Effect]) -> list[Command]:
        """The commands of a session's effects."""
        commands: list[Command] = []
        for effect in effects:
            match effect:
                case Publish():
                    commands += self._clients.publish(session, effect)
                case Tell(client=client, message=message):
                    commands += self._clients.send(client, message)
                case Show(client=client, screen=screen):
                    commands.append(Send(client, screen, "latest", f"{session.terminal.id}/screen"))
                case Forward() | CloseLink() | WatchProcess() | WatchScreen():
                    commands.append(effect)
                case _:
                    assert_never(effect)
        if session.link is not None and SCREEN_SHARE in session.terminal.capabilities:
            commands += session.screen.report(session.link)
        return commands

    # ---- clients -----------------------------------------------------------------------------------------------------

    def _said(self, client: ClientId, connection: Connection, message: wire.ClientMessage, at: Moment) -> list[Command]:
        kind = type(message).__struct_config__.tag
        if not roles.may_send(connection.role, str(kind)):
            if isinstance(message, wire.ExtensionUIResponse):
                return self._forbidden(client, message)
            if isinstance(message, ChatAction):
                return [Send(client, rejected(message, at, "forbidden"))]
            return [Send(client, wire.Error(code="forbidden", message=f"This device may not send {kind}."))]
        if isinstance(message, wire.Hello):
            return self._hello(client, connection, message, at)
        if connection.client is None:
            return [Send(client, wire.Error(code="protocol", message="Say hello first."))]
        match message:
            case wire.Subscribe(session_id=session_id, since=since):
                return self._follow(connection, connection.client, TerminalId(session_id), since)
            case wire.Unsubscribe(session_id=session_id):
                self._leave(connection, client, TerminalId(session_id))
                return []
            case wire.ContentPart(response_id=response_id, part=part, parts=parts, text=text):
                # Pieces that do not follow one another are forgotten; the response that names them is then refused with the reason.
                connection.content.add(response_id, part, parts, text)
                return []
            case wire.ExtensionUIResponse():
                return self._respond(connection, connection.client, message)
            case wire.Command():
                return self._command(connection, connection.client, message, at)
            case Looking() if connection.role is roles.Role.OBSERVER and not connection.device:
                # What an agent started is nobody who looks: the person's devices would not be told that it is their turn.
                return []
            case Looking():
                return self._attention.looks(client, connection.device, message, at)
            case ChatSubscribe():
                return self._chat.subscribe(connection.client, message, at)
            case ChatUnsubscribe():
                return self._chat.unsubscribe(connection.client, message)
            case ChatAction():
                return self._chat.act(connection.client, message, connection.content, at)
            case _:
                assert_never(message)

    def _hello(self, client_id: ClientId, connection: Connection, hello: wire.Hello, at: Moment) -> list[Command]:
        if connection.client is not None:
            return [Send(client_id, wire.Error(code="protocol", message="Hello was said already."))]
        protocol = protocol_of(hello)
        if protocol is None:
            return turned_away(client_id, hello)
        client = connection.client = introduced(client_id, connection, hello)
        commands: list[Command] = [Send(client_id, welcome(connection, protocol, self.server, self.sessions(), at.wall))]
        for session_id, cursor in list(hello.resume.items())[:SUBSCRIPTIONS]:
            commands += self._follow(connection, client, TerminalId(session_id), cursor)
        return commands

    def _follow(self, connection: Connection, client: Client, session_id: TerminalId, since: str | None) -> list[Command]:
        session = self._sessions.get(session_id)
        if session is None:
            return [Send(client.id, wire.Error(code="unknown_session", message="There is no such session."))]
        # Until it is told how the session stands, it hears of nothing that happens there.
        self._leave(connection, client.id, session_id)
        if self._follows_enough(connection, client.id):
            return [Send(client.id, wire.Error(code="too_many", message=f"A client may follow {SUBSCRIPTIONS} sessions."))]
        self._awaited.ask(client.id, session_id, since)
        return self._tell_awaited(client.id)

    def _leave(self, connection: Connection, client: ClientId, session_id: TerminalId) -> None:
        connection.follows.discard(session_id)
        connection.pace.forget(session_id)
        self._awaited.withdraw(client, session_id)

    def _follows_enough(self, connection: Connection, client: ClientId) -> bool:
        """Whether nothing more finds room. Who follows a session that is listed no more hears of it when `/mirrord on` lists it again; but
        most never come again, and so they give way here."""
        if len(connection.follows) + len(self._awaited.of(client)) < SUBSCRIPTIONS:
            return False
        connection.follows.intersection_update(self._sessions)
        for session_id in set(self._awaited.of(client)).difference(self._sessions):
            self._awaited.withdraw(client, session_id)
        return len(connection.follows) + len(self._awaited.of(client)) >= SUBSCRIPTIONS

    def _tell_awaited(self, client: ClientId) -> list[Command]:
        """How the sessions stand that a client asked for, as many as it has room for: it follows them from here on."""
        connection = self._clients.get(client)
        if connection is None or connection.client is None:
            return []
        commands: list[Command] = []
        while (awaited := self._awaited.take(client)) is not None:
            session_id, since = awaited
            connection.follows.add(session_id)
            # One that was removed meanwhile is told as removed; should it come again, everything of it is new.
            if (session := self._sessions.get(session_id)) is None:
                continue
            self._budget.told(session)
            told = self._clients.catch_up(connection.client, session, since)
            self._rooms.give(client, sum(len(msgspec.json.encode(send.message)) for send in told))
            commands += told
        return commands

    def _forbidden(self, client: ClientId, message: wire.ExtensionUIResponse) -> list[Command]:
        result = wire.ResponseResult(
            response_id=message.response_id or "",
            id=message.id,
            accepted=False,
            reason="forbidden",
            detail="This device may look but not answer.",
        )
        return [Send(client, result)]

    def _respond(self, connection: Connection, client: Client, message: wire.ExtensionUIResponse) -> list[Command]:
        if len(message.response_id or "") > RESPONSE_ID_CHARS:
            return [
                Send(
                    client.id,
                    wire.Error(code="malformed", message=f"responseId is longer than {RESPONSE_ID_CHARS} characters."),
                )
            ]
        connection.answers += 1
        key = response_key(client, message, f"{self.epoch}.{client.id}.{connection.answers}")
        holder = next((session for session in self._sessions.values() if PromptId(message.id) in session.prompts), None)
        if holder is None:
            result = wire.ResponseResult(
                response_id=message.response_id or key,
                id=message.id,
                accepted=False,
                reason="unknown",
                detail="There is no such prompt.",
            )
            return [Send(client.id, result)]
        content = connection.content.take(message.response_id or "", message.parts) if message.parts is not None else None
        waiting = Waiting(client, message, key, content)
        if holder.link is not None and self._doubts.wait(holder.link, waiting):
            return []
        return self._take(holder, waiting, holder.link)

    def _take(self, session: Session, answer: Waiting, link: LinkId | None) -> list[Command]:
        # An answer changes nothing that is listed: only the terminal's ruling on it does.
        return self._carry_out(session, session.prompts.respond(answer.client, answer.response, answer.key, link, answer.content))

    def _let_go(self, link: LinkId, to: LinkId | None, session: Session | None = None) -> list[Command]:
        """Answers that waited for a word of the terminal wait no longer; `to` is its link, None when that is gone."""
        waited = self._doubts.end(link)
        if not waited:
            return []
        session = session or self._sessions[self._links[link]]
        return [command for answer in waited for command in self._take(session, answer, to)]

    def _watch(self, client: Client, command: wire.Command) -> list[Command]:
        result, effects = watch(client, command, self._sessions)
        session_id = TerminalId(str(command.args.get("sessionId")))
        carried = self._carry_out(self._sessions[session_id], effects) if effects else []
        return self._clients.send(client.id, result) + carried

    def _stops_watching(self, client: ClientId) -> list[Command]:
        return [command for session in self._sessions.values() for command in self._carry_out(session, session.screen.leave(client))]

    def _command(self, connection: Connection, client: Client, command: wire.Command, at: Moment) -> list[Command]:
        if roles.may_run(connection.role, command.name):
            if command.name == "screen_watch":
                return self._watch(client, command)
            if command.name in desk.COMMANDS:
                return self._chat.command(client, command)
            if command.name not in requests.ANSWERED_HERE:
                return [RunCommand(client.id, command.request_id, command.name, command.args)]
            result, forward = self._requests.run(client, command, self._sessions)
            if forward:
                return [forward, *self._chat.stop_asked(self._sessions[self._links[forward.link]], forward.name, at)]
            return self._clients.send(client.id, result) if result else []
        known = command.name in roles.MINIMUM_COMMAND_ROLE
        error = wire.CommandError(
            code="forbidden" if known else "unknown_command",
            message="This device may not do that." if known else f"There is no command {command.name!r}.",
        )
        return [Send(client.id, wire.CommandResult(request_id=command.request_id, ok=False, error=error))]


def _settled(effects: list[Effect]) -> wire.ExtensionUISettled | None:
    """The prompt that ended last with these effects."""
    ended = [each.message for each in effects if isinstance(each, Publish) and isinstance(each.message, wire.ExtensionUISettled)]
    return ended[-1] if ended else None
