"""A conversation with the core: say what happens, read what each client and the terminal get."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from mirrord.core import commands, events
from mirrord.core.core import Core
from mirrord.core.model import ClientId, LinkId, Moment, Prompt, PromptId, ResponseId, Settlement, Terminal, TerminalId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.messages import Outcome, Winner
from mirrord.wire.roles import Role

T = TypeVar("T")

EPOCH = "run1"
PI = TerminalId("4711-99")


def terminal(id_: TerminalId = PI) -> Terminal:
    """A Pi in a terminal."""
    return Terminal(
        id=id_,
        pid=4711,
        conversation_id="conversation-1",
        cwd="/home/ada/garden",
        name=None,
        pi_version="1.6.0",
        capabilities=("prompt:select",),
    )


def select(id_: str, options: tuple[str, ...] = ("apple", "banana", "cherry"), title: str = "Pick a fruit") -> Prompt:
    """An open select."""
    return Prompt(id=PromptId(id_), method="select", title=title, opened_at=1, options=options, option_count=len(options))


def confirm(id_: str) -> Prompt:
    """An open confirm."""
    return Prompt(id=PromptId(id_), method="confirm", title="Delete file?", opened_at=1, message="notes.txt")


def input_(id_: str) -> Prompt:
    """An open input."""
    return Prompt(id=PromptId(id_), method="input", title="Your name", opened_at=1)


@dataclass
class Playbook:
    """The core with one clock; every call is one event. `inbox[client]` and `forwarded` hold what came out."""

    core: Core = field(default_factory=lambda: Core(wire.ServerInfo("mirrord", "0", EPOCH), EPOCH))
    now: int = 1_000
    inbox: dict[int, list[wire.ServerMessage]] = field(default_factory=dict)
    sends: list[commands.Send] = field(default_factory=list)
    sent_at: list[int] = field(default_factory=list)
    """Of each of `sends`: when, in ms."""
    forwarded: list[commands.Forward] = field(default_factory=list)
    other: list[commands.Command] = field(default_factory=list)
    link: LinkId = field(default_factory=lambda: LinkId(0))

    @property
    def at(self) -> Moment:
        """Now."""
        return Moment(wall=self.now, boot=self.now / 1000)

    def feed(self, event: events.Event) -> list[commands.Command]:
        """One event; sorts what comes out."""
        self.now += 1
        event = replace(event, at=self.at)
        out = self.core.handle(event)
        for command in out:
            match command:
                case commands.Send(client=client, message=message):
                    self.inbox.setdefault(client, []).append(message)
                    self.sends.append(command)
                    self.sent_at.append(self.now)
                case commands.Forward():
                    self.forwarded.append(command)
                case _:
                    self.other.append(command)
        return out

    def passes(self, ms: int) -> None:
        """So much time passes; the core is woken whenever it wants to be."""
        until = self.now + ms
        while (wake_at := self.core.wake_at) is not None and math.ceil(wake_at * 1000) <= until:
            self.now = max(self.now, math.ceil(wake_at * 1000) - 1)
            self.feed(events.TimeIs(at=self.at))
        self.now = max(self.now, until)

    def waits(self) -> None:
        """Time passes until the core waits for nothing."""
        while self.core.wake_at is not None:
            self.passes(1_000)

    # ---- the terminal ------------------------------------------------------------------------------------------------

    def attach(self, *told: events.FromLink | Prompt, id_: TerminalId = PI) -> LinkId:
        """An extension says hello and tells its state."""
        self.link = LinkId(self.link + 1)
        link = self.link
        self.feed(events.TerminalLinked(at=self.at, link=link, terminal=terminal(id_)))
        self.feed(events.ResyncBegan(at=self.at, link=link))
        for item in told:
            self.feed(events.PromptOpened(at=self.at, link=link, prompt=item) if isinstance(item, Prompt) else item)
        self.feed(events.ResyncEnded(at=self.at, link=link))
        return link

    def opens(self, prompt: Prompt) -> None:
        """A dialog opens."""
        self.feed(events.PromptOpened(at=self.at, link=self.link, prompt=prompt))

    def settles(
        self,
        id_: str,
        outcome: Outcome = "answered",
        winner: Winner = "terminal",
        response: str | None = None,
        answer: str | None = None,
        link: LinkId | None = None,
        again: bool = False,
    ) -> None:
        """The terminal rules."""
        settlement = Settlement(
            id=PromptId(id_),
            outcome=outcome,
            winner=winner,
            at=self.now,
            answer=answer,
            response_id=ResponseId(response) if response else None,
            again=again,
        )
        self.feed(events.PromptSettled(at=self.at, link=link or self.link, settlement=settlement))

    def accepts(self, answer: str | None = None) -> None:
        """The terminal takes the answer that was forwarded last."""
        forward = self.forwarded[-1]
        self.settles(
            forward.prompt, "cancelled" if forward.reply.cancelled else "answered", "remote", response=forward.response, answer=answer
        )

    def loses_link(self, alive: bool = True) -> None:
        """The link is cut."""
        self.feed(events.LinkLost(at=self.at, link=self.link, alive=alive))

    # ---- clients -----------------------------------------------------------------------------------------------------

    def connect(
        self,
        client: int,
        *,
        role: Role = Role.CONTROLLER,
        credential: str | None = None,
        capabilities: tuple[str, ...] = (TEXT_FALLBACK, PROMPT_NATIVE),
        follow: TerminalId | None = PI,
        since: str | None = None,
        protocol: tuple[int, int] = (1, 1),
        device: str = "",
    ) -> None:
        """A client connects, says hello and follows the session."""
        name = credential or f"phone-{client}"
        self.feed(events.ClientConnected(at=self.at, client=ClientId(client), role=role, credential=name, device=device))
        hello = wire.Hello(client=wire.ClientInfo(name, "test"), protocol=wire.ProtocolRange(*protocol), capabilities=capabilities)
        self.says(client, hello)
        if follow is not None:
            self.says(client, wire.Subscribe(session_id=follow, since=since))

    def says(self, client: int, message: wire.ClientMessage) -> None:
        """A client's frame arrives."""
        self.feed(events.ClientSaid(at=self.at, client=ClientId(client), message=message))

    def answers(self, client: int, prompt: str, response_id: str | None = "r1", **answer: str | int | bool) -> None:
        """A client answers."""
        fields: dict[str, Any] = answer
        self.says(client, wire.ExtensionUIResponse(id=prompt, response_id=response_id, **fields))

    def leaves(self, client: int) -> None:
        """A client's connection ends."""
        self.feed(events.ClientGone(at=self.at, client=ClientId(client)))

    # ---- reading -----------------------------------------------------------------------------------------------------

    def got(self, client: int, kind: type[T]) -> list[T]:
        """Every message of this kind that the client got."""
        return [message for message in self.inbox.get(client, []) if isinstance(message, kind)]

    def result(self, client: int) -> wire.ResponseResult:
        """What the client's last answer came to."""
        return self.got(client, wire.ResponseResult)[-1]
