"""Which prompt a typed line answers: the one that was on screen when its first key was typed, and no other.

Pure, so that every order of events can be tried in a table. The screen shows one prompt as the one to answer: the
newest that is open, as in the terminal, where a dialog covers the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from mirrord.attach.answers import Decision, read_answer
from mirrord.attach.ask import Explain
from mirrord.attach.card import MORE
from mirrord.attach.surfaces import SHOW
from mirrord.client.pending import Pending
from mirrord.wire.messages import ExtensionUIRequest

STOP: Final = "/stop"


@dataclass(frozen=True, slots=True)
class LineStart:
    """What was on screen when a line's first key was typed. `prompt` is None when nothing was asked."""

    prompt: ExtensionUIRequest | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the agent's turn."""


@dataclass(frozen=True, slots=True)
class Show:
    """Show everything that extensions show, whole."""


@dataclass(frozen=True, slots=True)
class More:
    """Show the options of this select from this place on."""

    prompt_id: str
    offset: int


@dataclass(slots=True)
class AttachSession:
    """The prompts of one session as this client's screen shows them."""

    pending: Pending = field(default_factory=Pending)
    """Our answers that have no verdict yet."""
    open: dict[str, ExtensionUIRequest] = field(default_factory=dict)
    """Prompts that wait, oldest first."""

    @property
    def current(self) -> ExtensionUIRequest | None:
        """The prompt on screen."""
        return next(reversed(self.open.values()), None)

    def replace(self, prompts: tuple[ExtensionUIRequest, ...]) -> None:
        """A snapshot came: these and no others are open."""
        self.open = {prompt.id: prompt for prompt in prompts}

    def opened(self, prompt: ExtensionUIRequest) -> None:
        """A prompt is on screen now."""
        self.open[prompt.id] = prompt

    def paged(self, prompt_id: str, offset: int, options: tuple[str, ...]) -> None:
        """More options of a prompt are on screen now; those that follow the ones known can be answered by their text too."""
        prompt = self.open.get(prompt_id)
        if prompt is not None and offset == len(prompt.options or ()):
            self.open[prompt_id] = msgspec.structs.replace(prompt, options=(*(prompt.options or ()), *options))

    def following(self, prompt_id: str) -> ExtensionUIRequest | None:
        """The prompt that takes the place of this one on screen when it ends; None when this one is not on screen or was the last."""
        if self.current is None or self.current.id != prompt_id:
            return None
        others = [prompt for prompt in self.open.values() if prompt.id != prompt_id]
        return others[-1] if others else None

    def settled(self, prompt_id: str) -> None:
        """A prompt ended."""
        self.open.pop(prompt_id, None)

    def start_line(self) -> LineStart:
        """The first key of a line was typed."""
        return LineStart(self.current)

    def hides(self, start: LineStart | None) -> bool:
        """Whether what is being typed must not be shown: the line answers a masked prompt, or one is on screen by now."""
        pinned = start.prompt if start is not None else None
        return any(prompt.masked for prompt in (pinned, self.current) if prompt is not None)

    def finish_line(self, start: LineStart, line: str, response_id: str) -> Decision | Stop | Show | More:
        """Enter was typed. What to send, or why nothing is sent. `/stop` and `/show` need no prompt."""
        if line.strip() == STOP:
            return Stop()
        if line.strip() == SHOW:
            return Show()
        if start.prompt is None:
            return Explain("Nothing was asked when you began to type; the line was not sent.")
        prompt = self.open.get(start.prompt.id)
        if prompt is None:
            return Explain("The prompt you were answering was settled meanwhile; the line was not sent.")
        if prompt.method == "select" and line.strip() == MORE:
            return _more(prompt)
        if self.pending.waits_for(prompt.id):
            return Explain("You have answered this prompt; the terminal has not confirmed it yet. The line was not sent.")
        return read_answer(prompt, line, response_id)


def _more(prompt: ExtensionUIRequest) -> More | Explain:
    shown = len(prompt.options or ())
    if shown >= (prompt.option_count or shown):
        return Explain("All options are shown.")
    return More(prompt.id, shown)
