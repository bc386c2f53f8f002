"""The daemon's mind: `handle(event)` returns what is to be done. Everything that decides is in this package; nothing in it does I/O."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from mirrord.core import events, requests
from mirrord.core.catchup import Journal
from mirrord.core.clients import Clients, Connection
from mirrord.core.commands import CloseClient, CloseLink, Command, Forward, RunCommand, Send, WatchProcess
from mirrord.core.effects import Effect, Publish, Tell
from mirrord.core.model import Client, ClientId, LinkId, Moment, PromptId, TerminalId
from mirrord.core.prompts import response_key
from mirrord.core.session import Session
from mirrord.wire import messages as wire
from mirrord.wire import roles
from mirrord.wire.capabilities import SERVER_CAPABILITIES, TEXT_FALLBACK
from mirrord.wire.limits import CAPABILITIES, ENDED_SESSIONS, RESPONSE_ID_CHARS, SUBSCRIPTIONS

PROTOCOL_CLOSE = 1002
"""Close code for a client that speaks no protocol of ours."""


@dataclass(slots=True)
class Core:
    """All sessions and all clients. `epoch` names this run of the daemon and begins every cursor."""

    server: wire.ServerInfo
    epoch: str
    _sessions: OrderedDict[TerminalId, Session] = field(default_factory=OrderedDict)
    _links: dict[LinkId, TerminalId] = field(default_factory=dict)
    _clients: Clients = field(default_factory=Clients)
    _requests: requests.Requests = field(default_factory=requests.Requests)

    def sessions(self) -> tuple[wire.Session, ...]:
        """Every session as clients list it, in the order they came."""
        return tuple(session.view() for session in self._sessions.values())

    def clients(self) -> tuple[Client, ...]:
        """Every client that said hello."""
        return self._clients.known()

    def handle(self, event: events.Event) -> list[Command]:
        """Take one event; returns the commands it leads to, in order."""
        match event:
            case events.ClientConnected(client=client, role=role, credential=credential, notice=notice):
                self._clients.connect(client, Connection(role, credential, notice))
                return []
            case events.ClientGone(client=client):
                self._clients.leave(client)
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
                if session is None or session.ended or session.link is not None:
                    return []
                return self._apply(session, session.end("gone", event.at), event.at)
            case events.FromLink(link=link):
                session = self._sessions.get(self._links.get(link, TerminalId("")))
                if session is None or session.link != link:
                    return []
                return self._from_link(session, event)
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")

    # ---- the terminal's side -----------------------------------------------------------------------------------------

    def _linked(self, event: events.TerminalLinked) -> list[Command]:
        terminal = event.terminal
        session = self._sessions.get(terminal.id)
        commands: list[Command] = []
        known = session is not None
        if session is None:
            session = Session(terminal, Journal(self.epoch), since=event.at.wall)
            self._sessions[terminal.id] = session
        elif session.link is not None:
            self._links.pop(session.link, None)
            commands.append(CloseLink(session.link))
        self._links[event.link] = terminal.id
        session.linked(terminal, event.link)
        session.refresh(event.at)
        return commands + self._clients.announce("changed" if known else "added", session)

    def _from_link(self, session: Session, event: events.FromLink) -> list[Command]:
        before = session.view()
        effects: list[Effect] = []
        match event:
            case events.ResyncBegan():
                session.resync_began()
            case events.ResyncEnded():
                effects = session.resync_ended(event.at)
            case events.PromptOpened(prompt=prompt):
                session.tell(f"prompt:{prompt.id}")
                effects = session.prompts.open(prompt)
            case events.PromptSettled(settlement=settlement):
                effects = session.prompts.settle(settlement)
            case events.ResponseRejected(prompt=prompt_id, response=response, reason=reason):
                effects = session.prompts.reject(prompt_id, response, reason, event.link)
            case events.Notified(message=message, level=level):
                effects = session.notify(message, level)
            case events.StatusSet(key=key, text=text):
                effects = session.set_status(key, text)
            case events.TitleSet(title=title):
                effects = session.set_title(title)
            case events.ActivityChanged(working=working, since=since):
                session.set_activity(working, since)
            case events.ConversationChanged(conversation_id=conversation, cwd=cwd, name=name, first_message=first_message):
                session.rename(conversation, cwd, name, first_message)
            case events.NoticeGiven(text=text):
                session.note(text)
            case events.StopFinished(request=request, ok=ok, message=sentence):
                finished = self._requests.finished(request, ok, sentence)
                return self._clients.send(*finished) if finished else []
            case events.TerminalBye(reason=reason):
                return self._bye(session, event.link, reason, event.at)
            case events.LinkLost(alive=alive):
                return self._lost(session, event.link, alive, event.at)
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")
        return self._apply(session, effects, event.at, before)

    def _bye(self, session: Session, link: LinkId, reason: str, at: Moment) -> list[Command]:
        """Only quit and off end it; the other reasons announce the next generation, and the link's end then detaches it."""
        if reason not in ("quit", "off"):
            return []
        del self._links[link]
        commands = self._apply(session, session.end(reason, at), at)
        if reason == "off":
            del self._sessions[session.terminal.id]
            commands += self._clients.announce("removed", session)
        return commands + self._forget_oldest()

    def _lost(self, session: Session, link: LinkId, alive: bool, at: Moment) -> list[Command]:
        before = session.view()
        del self._links[link]
        commands = [command for client, result in self._requests.link_lost(link) for command in self._clients.send(client, result)]
        if alive:
            session.detach()
            return [*commands, *self._apply(session, [], at, before), WatchProcess(session.terminal.id)]
        return commands + self._apply(session, session.end("gone", at), at) + self._forget_oldest()

    def _forget_oldest(self) -> list[Command]:
        ended = [session for session in self._sessions.values() if session.ended]
        commands: list[Command] = []
        for session in ended[: max(0, len(ended) - ENDED_SESSIONS)]:
            del self._sessions[session.terminal.id]
            commands += self._clients.announce("removed", session)
        return commands

    def _apply(self, session: Session, effects: list[Effect], at: Moment, before: wire.Session | None = None) -> list[Command]:
        """Carry out a session's effects, then tell everybody if the session looks different."""
        commands = self._carry_out(session, effects)
        session.refresh(at)
        if before is None or session.view() != before:
            commands += self._clients.announce("changed", session)
        return commands

    def _carry_out(self, session: Session, effects: list[Effect]) -> list[Command]:
        """The commands of a session's effects."""
        commands: list[Command] = []
        for effect in effects:
            match effect:
                case Publish():
                    commands += self._clients.publish(session, effect)
                case Tell(client=client, message=message):
                    commands += self._clients.send(client, message)
                case Forward() | CloseLink() | WatchProcess():
                    commands.append(effect)
                case _:
                    assert_never(effect)
        return commands

    # ---- clients -----------------------------------------------------------------------------------------------------

    def _said(self, client: ClientId, connection: Connection, message: wire.ClientMessage, at: Moment) -> list[Command]:
        kind = type(message).__struct_config__.tag
        if not roles.may_send(connection.role, str(kind)):
            if isinstance(message, wire.ExtensionUIResponse):
                return self._forbidden(client, message)
            return [Send(client, wire.Error(code="forbidden", message=f"This device may not send {kind}."))]
        if isinstance(message, wire.Hello):
            return self._hello(client, connection, message, at)
        if connection.client is None:
            return [Send(client, wire.Error(code="protocol", message="Say hello first."))]
        match message:
            case wire.Subscribe(session_id=session_id, since=since):
                return self._follow(connection, connection.client, TerminalId(session_id), since)
            case wire.Unsubscribe(session_id=session_id):
                connection.follows.discard(TerminalId(session_id))
                return []
            case wire.ContentPart(response_id=response_id, part=part, parts=parts, text=text):
                # Pieces that do not follow one another are forgotten; the response that names them is then refused with the reason.
                connection.content.add(response_id, part, parts, text)
                return []
            case wire.ExtensionUIResponse():
                return self._respond(connection, connection.client, message)
            case wire.Command():
                return self._command(connection, connection.client, message)
            case _:
                assert_never(message)

    def _hello(self, client_id: ClientId, connection: Connection, hello: wire.Hello, at: Moment) -> list[Command]:
        if connection.client is not None:
            return [Send(client_id, wire.Error(code="protocol", message="Hello was said already."))]
        protocol = min(hello.protocol.max, wire.PROTOCOL_MAX)
        if protocol < max(hello.protocol.min, wire.PROTOCOL_MIN):
            older = hello.protocol.max < wire.PROTOCOL_MIN
            what = (
                "This client is too old for the daemon: update it."
                if older
                else "The daemon is too old for this client: update mirrord and restart it."
            )
            return [
                Send(client_id, wire.Error(code="protocol", message=what)),
                CloseClient(client_id, PROTOCOL_CLOSE, "protocol"),
            ]
        capabilities = frozenset(hello.capabilities[:CAPABILITIES]) or frozenset((TEXT_FALLBACK,))
        client = Client(client_id, hello.client.name, hello.client.kind, connection.role, connection.credential, capabilities)
        connection.client = client
        role = connection.role.name.lower()
        welcome = wire.Welcome(
            server=self.server,
            server_now=at.wall,
            protocol=protocol,
            role=msgspec.convert(role, wire.RoleName),
            capabilities=SERVER_CAPABILITIES,
            sessions=self.sessions(),
            notice=connection.notice,
        )
        commands: list[Command] = [Send(client_id, welcome)]
        for session_id, cursor in list(hello.resume.items())[:SUBSCRIPTIONS]:
            commands += self._follow(connection, client, TerminalId(session_id), cursor)
        return commands

    def _follow(self, connection: Connection, client: Client, session_id: TerminalId, since: str | None) -> list[Command]:
        session = self._sessions.get(session_id)
        if session is None:
            return [Send(client.id, wire.Error(code="unknown_session", message="There is no such session."))]
        if len(connection.follows) >= SUBSCRIPTIONS and session_id not in connection.follows:
            return [Send(client.id, wire.Error(code="too_many", message=f"A client may follow {SUBSCRIPTIONS} sessions."))]
        connection.follows.add(session_id)
        missed = session.journal.after(since) if since is not None else None
        if missed is not None:
            return [command for message in missed for command in self._clients.send(client.id, message)]
        gap = self._clients.send(client.id, wire.Gap(session_id=session_id, since=since)) if since is not None else []
        return gap + self._clients.send(client.id, session.snapshot())

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
        # An answer changes nothing that is listed: only the terminal's ruling on it does.
        return self._carry_out(holder, holder.prompts.respond(client, message, key, holder.link, content))

    def _command(self, connection: Connection, client: Client, command: wire.Command) -> list[Command]:
        if roles.may_run(connection.role, command.name):
            if command.name not in requests.ANSWERED_HERE:
                return [RunCommand(client.id, command.request_id, command.name, command.args)]
            result, forward = self._requests.run(client, command, self._sessions)
            return [forward] if forward else self._clients.send(client.id, result) if result else []
        known = command.name in roles.MINIMUM_COMMAND_ROLE
        error = wire.CommandError(
            code="forbidden" if known else "unknown_command",
            message="This device may not do that." if known else f"There is no command {command.name!r}.",
        )
        return [Send(client.id, wire.CommandResult(request_id=command.request_id, ok=False, error=error))]
