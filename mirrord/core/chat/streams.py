"""Who follows which conversation, and what each is sent when.

A client that takes appends and keeps up gets each change as it comes, one message for all of them. Any other one is told the difference
between what it knows and what is: ten times a second at most, and not at all while too much waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mirrord.core.chat.changes import Seen, patches_between, seen
from mirrord.core.chat.conversation import Conversation, Told
from mirrord.core.chat.fragments import frames, weight
from mirrord.core.commands import Send
from mirrord.core.model import ClientId
from mirrord.core.rooms import Rooms
from mirrord.wire.chat import ChatEvent, ChatGap, ChatNotice, ChatSnapshot
from mirrord.wire.limits import CHAT_PACE_SECONDS


@dataclass(slots=True)
class Follower:
    """One client that follows one conversation, and what it was told of it last."""

    conversation: Conversation
    appends: bool
    seen: Seen | None = None
    """None: nothing was told yet, or all messages were replaced since."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    revision: int = -1
    next_at: float = 0.0
    """Not before this moment, when it is told differences."""
    gap: ChatGap | None = None
    boundary: str | None = None
    notice: ChatNotice | None = None
    """The last one that it was not told; it is shown once, so the ones before are past."""
    live: bool = False
    """It is told each change as it comes."""

    @property
    def waits(self) -> bool:
        """Something was not told that can be."""
        behind = self.revision != self.conversation.revision
        return not self.live and (behind or (self.seen is None and not self.conversation.is_awaited))

    def knows_all(self) -> None:
        """It was told everything so far."""
        conversation = self.conversation
        self.seen = None if conversation.is_awaited else seen(conversation.timeline.rows)
        self.fields, self.revision = conversation.fields, conversation.revision
        self.gap, self.boundary, self.notice = None, None, None

    def difference(self) -> ChatEvent | None:
        """What it does not know, in one event; None when that is nothing."""
        conversation = self.conversation
        changed = {name: value for name, value in conversation.fields.items() if self.fields.get(name, self) != value}
        # A client keeps the messages that it shows until it is told others.
        if self.seen is None and not conversation.is_awaited:
            changed["messages"] = conversation.timeline.messages()
        patches = () if self.seen is None else patches_between(self.seen, conversation.timeline.rows)
        event = ChatEvent(
            session_id=conversation.session_id,
            cursor=conversation.cursor,
            revision=conversation.revision,
            snapshot=ChatSnapshot(**changed) if changed else None,
            patches=patches,
            notice=self.notice,
            gap=self.gap,
            boundary=self.boundary,
        )
        told = bool(changed or patches or self.notice)
        self.knows_all()
        return event if told else None


@dataclass(slots=True)
class Streams:
    """All followers of all conversations. `rooms` says who can be told something."""

    rooms: Rooms
    _followers: dict[str, dict[ClientId, Follower]] = field(default_factory=dict)
    """By session."""

    def follow(
        self, conversation: Conversation, client: ClientId, appends: bool, since: str | None, entry_id: str | None, now: float
    ) -> list[Send]:
        """A client follows a conversation, perhaps again; it shows what these cursors name."""
        follower = Follower(conversation, appends, gap=gap(conversation, since, entry_id))
        self._followers.setdefault(conversation.session_id, {})[client] = follower
        return self._catch_up(client, follower, now) if self.rooms.has(client) else []

    def leave(self, session_id: str, client: ClientId) -> None:
        """A client follows it no more."""
        self._followers.get(session_id, {}).pop(client, None)

    def gone(self, client: ClientId) -> list[str]:
        """The client is gone; returns the sessions that it followed."""
        return [session for session, followers in self._followers.items() if followers.pop(client, None) is not None]

    def forget(self, session_id: str) -> None:
        """The session is listed no more."""
        self._followers.pop(session_id, None)

    def followed(self, session_id: str) -> bool:
        """Whether anybody follows it."""
        return bool(self._followers.get(session_id))

    def tell(self, conversation: Conversation, told: Told, now: float) -> list[Send]:
        """Tell everybody who follows the conversation that it changed."""
        event = conversation.number(told)
        if event is None:
            return []
        live: list[ClientId] = []
        sends: list[Send] = []
        for client, follower in self._followers.get(conversation.session_id, {}).items():
            if follower.live:
                live.append(client)
                continue
            if told.boundary is not None:
                follower.seen, follower.boundary = None, told.boundary
            if told.notice is not None:
                follower.notice = told.notice
            if now >= follower.next_at and self.rooms.has(client):
                sends += self._catch_up(client, follower, now)
        if live:
            # One frame after the other and not one client after the other: each is encoded once for all.
            sends += [Send(client, frame) for frame in frames(event) for client in live]
        return sends

    def behind(self, client: ClientId) -> None:
        """So much waits for this client that it gets nothing more for now."""
        for each, follower in self._all():
            if each == client and follower.live:
                follower.knows_all()
                follower.live = False

    def caught_up(self, client: ClientId, now: float) -> list[Send]:
        """It has taken most of it."""
        return self._tell_in_turn([pair for pair in self._all() if pair[0] == client], now)

    def due(self, now: float) -> list[Send]:
        """What is to be told by now."""
        return self._tell_in_turn([pair for pair in self._waiting() if now >= pair[1].next_at], now)

    @property
    def next_at(self) -> float | None:
        """When something is due next."""
        return min((follower.next_at for _, follower in self._waiting()), default=None)

    def _all(self) -> list[tuple[ClientId, Follower]]:
        return [pair for followers in self._followers.values() for pair in followers.items()]

    def _waiting(self) -> list[tuple[ClientId, Follower]]:
        return [(client, follower) for client, follower in self._all() if follower.waits and not self.rooms.is_behind(client)]

    def _tell_in_turn(self, followers: list[tuple[ClientId, Follower]], now: float) -> list[Send]:
        """As much as each client has room for; what is left is due with the next event, or when the client has taken this.

        The ones that were told something longest ago come first, so that one long conversation keeps nobody from the others.
        """
        sends: list[Send] = []
        for client, follower in sorted(followers, key=lambda pair: pair[1].next_at):
            if self.rooms.has(client):
                sends += self._catch_up(client, follower, now)
        return sends

    def _catch_up(self, client: ClientId, follower: Follower, now: float) -> list[Send]:
        follower.next_at = now + CHAT_PACE_SECONDS
        event = follower.difference()
        follower.live = follower.appends and follower.seen is not None
        if event is None:
            return []
        pieces = frames(event)
        self.rooms.give(client, weight(pieces))
        return [Send(client, piece) for piece in pieces]


def gap(conversation: Conversation, since: str | None, entry_id: str | None) -> ChatGap | None:
    """Which of a client's cursors cannot be served: what it shows is not continued by what is kept."""
    lost_since = since is not None and not _serves(conversation, since)
    lost_entry = entry_id is not None and all(entry_id not in (row.message.id, row.message.entry_id) for row in conversation.timeline.rows)
    if not (lost_since or lost_entry):
        return None
    return ChatGap(since if lost_since else None, entry_id if lost_entry else None)


def _serves(conversation: Conversation, since: str) -> bool:
    epoch, _, number = since.rpartition(":")
    if epoch != conversation.epoch or not (number.isascii() and number.isdecimal()) or len(number) > len(str(conversation.revision)):
        return False
    return conversation.boundary_at <= int(number) <= conversation.revision
