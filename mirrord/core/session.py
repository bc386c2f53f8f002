"""One session: a Pi in a terminal, with its link, prompts, activity, and what it shows."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final

from bridge.limits import OPEN_PROMPTS
from mirrord.core.catchup import Journal
from mirrord.core.chat.conversation import CHAT, Conversation
from mirrord.core.chat.status import Doing, doing
from mirrord.core.display import Display
from mirrord.core.effects import Effect, Publish
from mirrord.core.model import LinkId, Moment, Prompt, PromptId, Settlement, Terminal
from mirrord.core.prompts import Prompts
from mirrord.core.screen import SessionScreen
from mirrord.core.shown import Shown
from mirrord.core.surfaces import view_key
from mirrord.wire import messages as wire

NOTICES = 8
"""What an extension reported about itself, newest last; more than this says nothing new."""


RESTING: Final = ("idle", "your_turn", "failed")
"""States in which Pi does nothing."""

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
    ended_at: float = 0.0
    """When, by the boot clock; it was not, or is again, while `ended` is not set."""
    paused: bool = False
    """The process is stopped or does not react."""
    working: bool = False
    working_since: int = 0
    had_a_turn: bool = False
    notices: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """What each is about → its newest sentence, newest last."""
    prompts: Prompts = field(init=False)
    screen: SessionScreen = field(init=False)
    display: Display = field(init=False)
    conversation: Conversation = field(init=False)
    _told: set[PromptId] | None = None
    """While a resync runs: prompts that were told again."""
    _doing: Doing = field(default_factory=lambda: Doing("idle"))
    _menu: str | None = None
    """The menu of Pi's own that is the reason for the state."""

    def __post_init__(self) -> None:
        """Prompts, conversation and what is shown belong to this terminal."""
        self.prompts = Prompts(self.terminal.id)
        self.screen = SessionScreen(self.terminal.id)
        self.display = Display(self.terminal.id)
        self.conversation = Conversation(self.terminal.id, self.journal.epoch)
        self.working_since = self.since

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def doing(self) -> Doing:
        """What the session does now; waiting beats working, and no link beats both."""
        if self.ended:
            return Doing("ended")
        if self.paused:
            return Doing("suspended")
        if self.link is None:
            return Doing("detached")
        if len(self.prompts) or self.screen.waits_in is not None:
            return Doing("waiting")
        said = doing(self.conversation)
        # That work begins is told at once; what the conversation is about, a moment later.
        if said is not None and not (self.working and said.state in RESTING):
            return said
        if self.working:
            return Doing("working")
        return Doing("your_turn" if self.had_a_turn else "idle")

    def refresh(self, at: Moment) -> None:
        """Note what the session does; since when is Pi's to say, where it says it."""
        now = self.doing()
        menu = self.screen.waits_in if now.state == "waiting" and not len(self.prompts) else None
        if now.since is not None:
            self.since = now.since
        elif (now.state, menu) != (self._doing.state, self._menu):
            # A menu may wait for longer than the daemon knows the session; no clock of another process reaches into the future.
            self.since = at.wall if menu is None else min(self.screen.since, at.wall)
        self._doing, self._menu = now, menu

    def view(self) -> wire.Session:
        """The session as clients list it."""
        return wire.Session(
            session_id=self.terminal.id,
            conversation_id=self.terminal.conversation_id,
            cwd=self.terminal.cwd,
            status=wire.Status(self._doing.state, self._source(), self.since, menu=self._menu, detail=self._doing.detail),
            open_prompts=len(self.prompts),
            name=self.terminal.name,
            pid=self.terminal.pid,
            pi_version=self.terminal.pi_version,
            extension_version=self.terminal.extension_version,
            capabilities=self.terminal.capabilities,
            notices=(*self.notices.values(), *self.display.surfaces.reasons()[:NOTICES]),
            first_message=self.terminal.first_message,
            screen_shared=self.screen.shared,
        )

    def _source(self) -> wire.Source:
        if self._doing.state in OBSERVED:
            return "daemon"
        return "pi" if self._menu is None else "screen"

    def snapshot(self) -> wire.Snapshot:
        """Everything a client needs to show the session."""
        surfaces, ambient = self.display.surfaces, self.display.ambient
        return wire.Snapshot(
            session_id=self.terminal.id,
            cursor=self.journal.cursor,
            session=self.view(),
            prompts=tuple(self.prompts),
            statuses=ambient.statuses(),
            title=ambient.title,
            working=wire.Working(active=self.working, since=self.working_since),
            surfaces=surfaces.widgets(),
            header=surfaces.region("header"),
            footer=surfaces.region("footer"),
            views=surfaces.views(),
            strips=self.display.strips,
            working_row=ambient.working_row,
            hidden_thinking_label=ambient.thinking_label,
            tools_expanded=ambient.tools_expanded,
        )

    # ---- link and life -----------------------------------------------------------------------------------------------

    def linked(self, terminal: Terminal, link: LinkId) -> None:
        """A link stands; a resync follows."""
        self.terminal = terminal
        if CHAT not in terminal.capabilities:
            self.conversation.state = None  # told by a later extension than this one
        self.link = link
        self.ended = False
        self.paused = False

    def may_hide_typing(self) -> bool:
        """Whether a dialog may be open in which only its extension knows where text is typed; so too where nothing is known."""
        if self.link is None or self._told is not None or len(self.prompts) >= OPEN_PROMPTS:
            return True
        return any(prompt.method in ("custom", "other") for prompt in self.prompts)

    def detach(self) -> None:
        """The link is gone, the process is not proven dead: prompts stay (design FIXED 2)."""
        self.link = None
        self._told = None
        self.display.detach()

    def end(self, reason: str, at: Moment) -> list[Effect]:
        """The process is gone or said so: what was open is no longer answerable, what was shown is no more."""
        self.detach()
        self.ended, self.ended_at = True, at.boot
        self.paused = False
        self.working = False
        return [*self._withdraw(self.prompts.open_ids, reason, at), *self.display.clear(), *self.screen.lost()]

    def resync_began(self) -> None:
        """The terminal starts to tell everything."""
        self._told = set()
        self.display.resync_began()
        self.screen.resync_began()

    def resync_ended(self, at: Moment) -> list[Effect]:
        """What was not told again is gone; what was with the terminal goes out again."""
        if self._told is None or self.link is None:
            return []
        told, self._told = self._told, None
        gone = tuple(prompt for prompt in self.prompts.open_ids if prompt not in told)
        effects = [*self._withdraw(gone, "lost", at), *self.display.resync_ended(), *self.screen.resync_ended()]
        return effects + self.prompts.forward_again(self.link)

    def _withdraw(self, prompts: tuple[PromptId, ...], reason: str, at: Moment) -> list[Effect]:
        effects: list[Effect] = []
        for prompt in prompts:
            settlement = Settlement(id=prompt, outcome="withdrawn", winner="none", at=at.wall, reason=reason)
            effects += self.settle(settlement)
        return effects

    # ---- what the terminal tells -------------------------------------------------------------------------------------

    def open(self, prompt: Prompt) -> list[Effect]:
        """A dialog is open in the terminal."""
        if self._told is not None:
            self._told.add(prompt.id)
        return self.prompts.open(prompt)

    def settle(self, settlement: Settlement) -> list[Effect]:
        """The terminal has ruled, and what the dialog drew is over. What it drew last goes out before."""
        last = view_key(self.terminal.id, settlement.id)
        effects = [replace(effect, after=last) if isinstance(effect, Publish) else effect for effect in self.prompts.settle(settlement)]
        return [*effects, *self.display.surfaces.end_view(settlement.id)]

    def revoke(self, device: str) -> None:
        """A device's answers go out no more; until a resync has ended, none of those in flight is known to be with the terminal."""
        self.prompts.revoke(device, at_terminal=self.link is not None and self._told is None)

    def show(self, event: Shown) -> list[Effect]:
        """What the terminal shows now, besides prompts."""
        return [*self.display.show(event, frozenset(self.prompts.open_ids))]

    def set_activity(self, working: bool, since: int) -> None:
        """The agent works or does not."""
        if self.working and not working:
            self.had_a_turn = True
        if self.working != working:
            self.working_since = since
        self.working = working

    def note(self, text: str, about: str | None = None) -> None:
        """Keep what the extension reports about itself; what is counted is kept once, with its newest count."""
        if text in self.notices.values():
            return
        self.notices.pop(about or text, None)
        self.notices[about or text] = text
        if len(self.notices) > NOTICES:
            self.notices.popitem(last=False)

    def rename(self, conversation_id: str, cwd: str, name: str | None, first_message: str | None) -> None:
        """Another conversation, or another name for it."""
        self.terminal = replace(self.terminal, conversation_id=conversation_id, cwd=cwd, name=name, first_message=first_message)
