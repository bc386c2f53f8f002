"""One session: a Pi in a terminal, with its link, prompts, statuses, title and activity."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final

from bridge.limits import STATUSES
from mirrord.core.catchup import Journal
from mirrord.core.effects import Effect, Publish
from mirrord.core.model import LinkId, Moment, PromptId, Settlement, Terminal
from mirrord.core.prompts import Prompts
from mirrord.wire import messages as wire

NOTICES = 8
"""What an extension reported about itself, newest last; more than this says nothing new."""


OBSERVED: Final = ("detached", "suspended")
"""States that the daemon sees for itself; the others are Pi's own word."""


@dataclass(slots=True)
class Session:
    """State of one terminal; changes are made by its methods, which return what is to be done."""

    terminal: Terminal
    journal: Journal
    since: int
    """When the state last changed, ms since the epoch."""
    link: LinkId | None = None
    ended: bool = False
    paused: bool = False
    """The process is stopped or does not react."""
    working: bool = False
    working_since: int = 0
    had_a_turn: bool = False
    title: str | None = None
    statuses: OrderedDict[str, str] = field(default_factory=OrderedDict)
    notices: tuple[str, ...] = ()
    prompts: Prompts = field(init=False)
    _told: set[str] | None = None
    """While a resync runs: keys of what was told again (`prompt:ID`, `status:KEY`, `title`)."""
    _state: wire.State = "idle"

    def __post_init__(self) -> None:
        """Prompts belong to this terminal."""
        self.prompts = Prompts(self.terminal.id)
        self.working_since = self.since

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def state(self) -> wire.State:
        """What the session does now; waiting beats working, and no link beats both."""
        if self.ended:
            return "ended"
        if self.paused:
            return "suspended"
        if self.link is None:
            return "detached"
        if len(self.prompts):
            return "waiting"
        if self.working:
            return "working"
        return "your_turn" if self.had_a_turn else "idle"

    def refresh(self, at: Moment) -> bool:
        """Note the state's change, if it changed; returns whether it did."""
        if self._state == self.state():
            return False
        self._state = self.state()
        self.since = at.wall
        return True

    def view(self) -> wire.Session:
        """The session as clients list it."""
        return wire.Session(
            session_id=self.terminal.id,
            conversation_id=self.terminal.conversation_id,
            cwd=self.terminal.cwd,
            status=wire.Status(state=self._state, source="daemon" if self._state in OBSERVED else "pi", since=self.since),
            open_prompts=len(self.prompts),
            name=self.terminal.name,
            pid=self.terminal.pid,
            pi_version=self.terminal.pi_version,
            capabilities=self.terminal.capabilities,
            notices=self.notices,
            first_message=self.terminal.first_message,
        )

    def snapshot(self) -> wire.Snapshot:
        """Everything a client needs to show the session."""
        return wire.Snapshot(
            session_id=self.terminal.id,
            cursor=self.journal.cursor,
            session=self.view(),
            prompts=tuple(self.prompts),
            statuses=tuple(wire.StatusEntry(key, text) for key, text in self.statuses.items()),
            title=self.title,
            working=wire.Working(active=self.working, since=self.working_since),
        )

    # ---- link and life -----------------------------------------------------------------------------------------------

    def linked(self, terminal: Terminal, link: LinkId) -> None:
        """A link stands; a resync follows."""
        self.terminal = terminal
        self.link = link
        self.ended = False
        self.paused = False

    def detach(self) -> None:
        """The link is gone, the process is not proven dead: prompts stay (design FIXED 2)."""
        self.link = None
        self._told = None

    def end(self, reason: str, at: Moment) -> list[Effect]:
        """The process is gone or said so: what was open is no longer answerable."""
        self.detach()
        self.ended = True
        self.paused = False
        self.working = False
        return self._withdraw(self.prompts.open_ids, reason, at)

    def resync_began(self) -> None:
        """The terminal starts to tell everything."""
        self._told = set()

    def resync_ended(self, at: Moment) -> list[Effect]:
        """What was not told again is gone; what was with the terminal goes out again."""
        if self._told is None or self.link is None:
            return []
        told, self._told = self._told, None
        gone = tuple(prompt for prompt in self.prompts.open_ids if f"prompt:{prompt}" not in told)
        effects = self._withdraw(gone, "lost", at)
        for key in [key for key in self.statuses if f"status:{key}" not in told]:
            effects += self.set_status(key, None)
        if "title" not in told:
            effects += self.set_title(None)
        return effects + self.prompts.forward_again(self.link)

    def _withdraw(self, prompts: tuple[PromptId, ...], reason: str, at: Moment) -> list[Effect]:
        effects: list[Effect] = []
        for prompt in prompts:
            settlement = Settlement(id=prompt, outcome="withdrawn", winner="none", at=at.wall, reason=reason)
            effects += self.prompts.settle(settlement)
        return effects

    # ---- what the terminal tells -------------------------------------------------------------------------------------

    def tell(self, key: str) -> None:
        """Note, while a resync runs, that this was told again."""
        if self._told is not None:
            self._told.add(key)

    def set_status(self, key: str, text: str | None) -> list[Effect]:
        """Set or clear a keyed status; past STATUSES keys the one untouched for longest gives way."""
        self.tell(f"status:{key}")
        if text is None:
            return [self._status(key, None)] if self.statuses.pop(key, None) is not None else []
        unchanged = self.statuses.get(key) == text
        self.statuses[key] = text
        self.statuses.move_to_end(key)
        effects: list[Effect] = [] if unchanged else [self._status(key, text)]
        if len(self.statuses) > STATUSES:
            oldest, _ = self.statuses.popitem(last=False)
            effects.append(self._status(oldest, None))
        return effects

    def _status(self, key: str, text: str | None) -> Publish:
        message = wire.ExtensionUINotification(session_id=self.terminal.id, method="setStatus", status_key=key, status_text=text)
        return Publish(message, "latest", f"{self.terminal.id}/status/{key}")

    def set_title(self, title: str | None) -> list[Effect]:
        """Set or clear the title."""
        self.tell("title")
        if title == self.title:
            return []
        self.title = title
        message = wire.ExtensionUINotification(session_id=self.terminal.id, method="setTitle", title=title)
        return [Publish(message, "latest", f"{self.terminal.id}/title")]

    def notify(self, text: str, level: wire.NotifyType | None) -> list[Effect]:
        """Show once; never kept."""
        message = wire.ExtensionUINotification(session_id=self.terminal.id, method="notify", message=text, notify_type=level)
        return [Publish(message, "may")]

    def set_activity(self, working: bool, since: int) -> None:
        """The agent works or does not."""
        if self.working and not working:
            self.had_a_turn = True
        if self.working != working:
            self.working_since = since
        self.working = working

    def note(self, text: str) -> None:
        """Keep what the extension reports about itself."""
        if text not in self.notices:
            self.notices = (*self.notices, text)[-NOTICES:]

    def rename(self, conversation_id: str, cwd: str, name: str | None, first_message: str | None) -> None:
        """Another conversation, or another name for it."""
        self.terminal = replace(self.terminal, conversation_id=conversation_id, cwd=cwd, name=name, first_message=first_message)
