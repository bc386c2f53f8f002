"""The conversation of one session: its rows, Pi's queue and state, and what has to be told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from mirrord.core.chat import events
from mirrord.core.chat.changes import Change, as_patches
from mirrord.core.chat.timeline import Timeline
from mirrord.wire.chat import (
    ChatAgent,
    ChatEvent,
    ChatFork,
    ChatHistory,
    ChatNotice,
    ChatSnapshot,
    ChatStopping,
    ChatWorkspace,
    QueuedFollowUp,
)

CHAT: Final = "chat"
"""What an extension that tells its conversation claims in its hello."""

QUEUE_REASON: Final = "What waits in Pi can be changed at the terminal only, so far."
FORK_REASON: Final = "A fork is another conversation in the terminal: make it there, with /fork."
TOO_OLD: Final = "The mirrord extension in this Pi does not tell its conversation: type /reload there."
DETACHED: Final = "The terminal cannot be reached right now."
ENDED: Final = "This Pi has quit."


@dataclass(frozen=True, slots=True)
class Told:
    """One change, as everybody is to be told it. `boundary`: all messages are new, for this reason."""

    changes: Sequence[Change] = ()
    fields: ChatSnapshot | None = None
    notice: ChatNotice | None = None
    boundary: str | None = None


@dataclass(slots=True)
class Conversation:
    """State of one conversation. `revision` counts what was told of it while the session is listed (`epoch`)."""

    session_id: str
    epoch: str
    revision: int = 0
    boundary_at: int = 0
    """The revision with which all messages were last replaced."""
    timeline: Timeline = field(default_factory=Timeline)
    conversation_id: str = ""
    leaf: str | None = None
    queue: tuple[QueuedFollowUp, ...] = ()
    state: events.AgentTold | None = None
    """None until an extension has told it."""
    stopping: ChatStopping | None = None
    workspace: ChatWorkspace | None = None
    read_only_reason: str | None = TOO_OLD
    ended: bool = False
    broken: bool = False
    """Something did not follow; the terminal is to tell it again."""
    ask_at: float = 0.0
    """Not before this moment is it asked to again."""
    _boundary: tuple[str, str | None, str] | None = None
    """Conversation, leaf and reason of the page that is coming in."""
    _known: dict[str, Any] = field(default_factory=dict)
    """The fields as they were told last."""

    @property
    def agent(self) -> ChatAgent | None:
        """What Pi is set to and does."""
        return self.state.agent if self.state is not None else None

    @property
    def streaming(self) -> bool:
        """Pi works, as its extension told last."""
        return self.state is not None and not self.state.idle and not self.ended

    @property
    def is_awaited(self) -> bool:
        """The terminal is about to tell its first page: that nothing is known yet does not mean that nothing was said."""
        return self.read_only_reason is None and self.conversation_id == ""

    @property
    def cursor(self) -> str:
        """The place in the stream."""
        return f"{self.epoch}:{self.revision}"

    # ---- what the terminal tells -------------------------------------------------------------------------------------

    def take(self, event: events.ChatFromLink) -> Told | None:
        """Something that the extension told; returns what everybody is to be told, None when something does not follow."""
        match event:
            case events.ChatReset():
                self.broken = False
                self.timeline.begin(event.more)
                self._boundary = event.conversation_id, event.leaf, event.reason
                return Told()
            case events.ChatReady():
                return self._ready()
            case events.RowTold(message=message, after=after):
                put = self.timeline.put(message, after)
                if put and message.entry_id is not None and self.timeline.rows[-1].message.id == message.id:
                    self.leaf = message.entry_id
                return self._changed(put)
            case events.TextAppended():
                changes = self.timeline.append(event.id, event.part, event.offset, event.text, event.start)
                return None if changes is None else self._changed(changes)
            case events.RowConfirmed(id=id_, entry_id=entry):
                self.leaf = entry
                return self._changed(self.timeline.confirm(id_, entry))
            case events.RowRemoved(id=id_):
                return self._changed(self.timeline.remove(id_))
            case events.QueueTold(items=items):
                self.queue = items
            case events.AgentTold():
                self.state = event
            case events.ChatBroken():
                return None
        return Told(fields=self.changed_fields())

    def _ready(self) -> Told:
        if self._boundary is None or not self.timeline.ready():
            return Told()
        self.conversation_id, self.leaf, reason = self._boundary
        self._boundary = None
        return Told(fields=self.changed_fields(), boundary=reason)

    def _changed(self, changes: list[Change]) -> Told:
        # Text alone changes no other field, and it comes two hundred times a second.
        text_only = all(hasattr(change, "offset") for change in changes)
        return Told(changes, None if text_only else self.changed_fields())

    def shorten(self, size: int) -> Told:
        """Keep the newest messages alone, in so many bytes; the older ones are the terminal's to tell."""
        return self._changed(self.timeline.shorten(size))

    def detach(self) -> None:
        """The link is gone; a page that was coming in is not whole."""
        self.timeline.abandon()
        self._boundary, self.broken = None, False

    # ---- what is told ------------------------------------------------------------------------------------------------

    def _fields(self) -> dict[str, Any]:
        """Every field of the snapshot but the messages."""
        agent = self.agent
        return {
            "history": ChatHistory(self.timeline.more, self.timeline.first),
            "conversation_id": self.conversation_id,
            "leaf": self.leaf,
            "queued_follow_ups": self.queue,
            "queue_read_only": True,
            "queue_read_only_reason": QUEUE_REASON,
            "queue_steering_unavailable_reason": agent.refuses.get("steer") if agent is not None else None,
            "streaming": self.streaming,
            "stopping": self.stopping,
            "read_only": self.read_only_reason is not None,
            "read_only_reason": self.read_only_reason,
            "agent": agent,
            "fork": ChatFork(FORK_REASON),
            "workspace": self.workspace,
        }

    def changed_fields(self) -> ChatSnapshot | None:
        """The fields that are not as they were told last, which they count as from now on; None when there are none."""
        now = self._fields()
        changed = {name: value for name, value in now.items() if name not in self._known or self._known[name] != value}
        self._known = now
        return ChatSnapshot(**changed) if changed else None

    @property
    def fields(self) -> Mapping[str, Any]:
        """Every field of the snapshot but the messages, as they were told last."""
        if not self._known:
            self._known = self._fields()
        return self._known

    def number(self, told: Told) -> ChatEvent | None:
        """The next event of the stream for this change; None when it changes nothing."""
        patches, appends = as_patches(told.changes)
        if not (patches or appends or told.fields or told.notice or told.boundary):
            return None
        self.revision += 1
        snapshot = told.fields
        if told.boundary is not None:
            self.boundary_at = self.revision
            snapshot = msgspec.structs.replace(snapshot or ChatSnapshot(), messages=self.timeline.messages())
            patches, appends = (), ()
        return ChatEvent(
            session_id=self.session_id,
            cursor=self.cursor,
            revision=self.revision,
            snapshot=snapshot,
            patches=patches,
            appends=appends,
            notice=told.notice,
            boundary=told.boundary,
        )
