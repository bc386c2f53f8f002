"""After a sleep: what the terminals decided meanwhile, or decide at once, comes before any answer that is given now. Pure.

The terminal decides, and it wakes like everybody else: its words wait in the socket, its timers ring. Node reads before it looks at
its timers, so an answer that comes first would win over a time that is out. So a link is asked whether it is there, and answers for its
prompts wait until it has said so, which takes milliseconds: what is read after that is read after the timers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mirrord.core.events import Event, FromLink
from mirrord.core.model import Client, LinkId, Moment, ResponseId
from mirrord.wire.messages import ExtensionUIResponse

DOUBT_SECONDS: Final = 1.0
"""How long an answer waits at most; a terminal that says nothing for longer judges it whenever it goes on, as always."""

WAITING_ANSWERS: Final = 64
"""Of one link. Nobody answers so often in a second; more of them go to the terminal without waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Woke(Event):
    """The machine slept, or this process stood still: what was believed of anybody else is to be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAnswered(FromLink):
    """What AskLink asked for: everything that the terminal had said before has come."""

    question: int


@dataclass(frozen=True, slots=True)
class AskLink:
    """Have a link say that it is there. LinkAnswered follows, or the end of the link, or a later question."""

    link: LinkId
    question: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that waits. `content` is its text where that came in pieces."""

    client: Client
    response: ExtensionUIResponse
    key: ResponseId
    content: str | None


@dataclass(slots=True)
class _Doubt:
    until: float
    question: int
    answers: list[Waiting] = field(default_factory=list)


@dataclass(slots=True)
class Doubts:
    """Links that have not spoken since the machine woke."""

    _of: dict[LinkId, _Doubt] = field(default_factory=dict)
    _questions: int = 0

    @property
    def wake_at(self) -> float | None:
        """When the first of them is waited for no longer, by the boot clock."""
        return min((doubt.until for doubt in self._of.values()), default=None)

    def begin(self, link: LinkId, at: Moment) -> AskLink:
        """From now on answers for this link wait; those that do already go on waiting."""
        self._questions += 1
        doubt = self._of.setdefault(link, _Doubt(0.0, 0))
        doubt.until, doubt.question = at.boot + DOUBT_SECONDS, self._questions
        return AskLink(link, self._questions)

    def wait(self, link: LinkId, answer: Waiting) -> bool:
        """Let an answer wait; False when it need not, or too many do."""
        doubt = self._of.get(link)
        if doubt is None or len(doubt.answers) >= WAITING_ANSWERS:
            return False
        doubt.answers.append(answer)
        return True

    def revoke(self, device: str) -> None:
        """Answers of this device wait no longer, and go nowhere."""
        for doubt in self._of.values():
            doubt.answers = [answer for answer in doubt.answers if answer.client.device != device]

    def is_answer(self, answered: LinkAnswered) -> bool:
        """Whether it is the answer to the newest question: an earlier one tells nothing of a sleep since."""
        doubt = self._of.get(answered.link)
        return doubt is not None and doubt.question == answered.question

    def end(self, link: LinkId) -> list[Waiting]:
        """Nothing waits for this link any more; returns what did, in order."""
        doubt = self._of.pop(link, None)
        return doubt.answers if doubt is not None else []

    def overdue(self, at: Moment) -> list[LinkId]:
        """Links that were waited for long enough."""
        return [link for link, doubt in self._of.items() if doubt.until <= at.boot]
