"""Which prompt a typed line answers: the one that was on screen when its first key was typed, and no other.

Pure, so that every order of events can be tried in a table. The screen shows one prompt as the one to answer: the
newest that is open, as in the terminal, where a dialog covers the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mirrord.cli.attach_answers import Explain, read_answer
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse, ResponseResult


@dataclass(frozen=True, slots=True)
class LineStart:
    """What was on screen when a line's first key was typed. `prompt` is None when nothing was asked."""

    prompt: ExtensionUIRequest | None


@dataclass(slots=True)
class AttachSession:
    """The prompts of one session as this client's screen shows them."""

    open: dict[str, ExtensionUIRequest] = field(default_factory=dict)
    """Prompts that wait, oldest first."""
    sent: dict[str, str] = field(default_factory=dict)
    """Our answers that have no verdict yet: response id → prompt id."""

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

    def finish_line(self, start: LineStart, line: str, response_id: str) -> ExtensionUIResponse | Explain:
        """Enter was typed. What to send, or why nothing is sent."""
        prompt = start.prompt
        if prompt is None:
            return Explain("Nothing was asked when you began to type; the line was not sent.")
        if prompt.id not in self.open:
            return Explain("The prompt you were answering was settled meanwhile; the line was not sent.")
        if prompt.id in self.sent.values():
            return Explain("You have answered this prompt; the terminal has not confirmed it yet. The line was not sent.")
        answer = read_answer(prompt, line, response_id)
        if isinstance(answer, ExtensionUIResponse):
            self.sent[response_id] = prompt.id
        return answer

    def verdict(self, result: ResponseResult) -> None:
        """One of our answers has its verdict; a prompt that is still open may be answered again."""
        self.sent.pop(result.response_id, None)
