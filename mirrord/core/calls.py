"""What a session wants of a person who looks elsewhere: that Pi waits, that it is their turn, or that it failed. Pure.

A call begins and ends with what the session does. While nobody can tell what it does, because its link is lost or its process is
stopped, the call stands. That a turn came to its end is a call only where its work was seen to begin: what was so before the daemon
started is no news.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from mirrord.core.listing import title
from mirrord.core.model import Moment, PromptId
from mirrord.core.session import Session
from mirrord.wire.attention import Attention
from mirrord.wire.messages import ExtensionUISettled
from sanitize import label

WORK_SECONDS: Final = 30.0
"""Work that took so long is worth a call when it ends, also to somebody who looks at another session."""

TITLE_CLUSTERS: Final = 64
"""One line of a phone's notification, and some."""

BODY_CLUSTERS: Final = 120
"""Two lines of it: all that is shown before it is opened."""

_BUSY: Final = ("working", "retrying")
_UNKNOWN: Final = ("detached", "suspended")

CallKind = Literal["waiting", "yourTurn", "failed"]


@dataclass(frozen=True, slots=True)
class Call:
    """What a person is called for. `prompt` is the oldest of `count` open ones; none: a menu of Pi's own. `at` in ms since the epoch."""

    kind: CallKind
    at: int
    prompt: PromptId | None = None
    count: int = 0

    def is_as(self, other: Call | None) -> bool:
        """Whether both call for the same, whenever they began."""
        return other is not None and (self.kind, self.prompt, self.count) == (other.kind, other.prompt, other.count)


@dataclass(frozen=True, slots=True)
class _Over:
    """How the last call ended: when, why in a few words, and with which prompt."""

    at: int
    why: str
    prompt: PromptId | None = None


@dataclass(slots=True)
class Caller:
    """Follows one session."""

    session: Session
    call: Call | None = None
    _over: _Over = field(default_factory=lambda: _Over(0, ""))
    _settled: ExtensionUISettled | None = field(default=None, repr=False)
    _busy_since: float | None = None
    """Since when the turn runs, by the clock that never jumps."""
    _worked: float = 0.0
    """How long the last turn ran."""
    _rest: CallKind | None = None
    """How a turn that was seen to run ended, until the next one begins."""

    def follow(self, settled: ExtensionUISettled | None, nobody_looks: Callable[[], bool], at: Moment) -> bool:
        """The session changed; `settled` is the prompt that ended with it. Returns whether the call changed."""
        state = self.session.doing().state
        if settled is not None:
            self._settled = settled
        if state in _UNKNOWN:
            return False
        call = self._called(state, nobody_looks, at)
        before = self.call
        if call.is_as(before) if call is not None else before is None:
            return False
        if call is None and before is not None:
            prompt = PromptId(self._settled.id) if self._settled is not None else before.prompt
            self._over = _Over(at.wall, self._why(before, state), prompt)
        self.call, self._settled = call, None
        return True

    def message(self, call: Call | None, titles: bool) -> Attention:
        """The call as a device is told it; None: the last one is over. `titles`: it may hold what the session and the prompt are called."""
        view = self.session.view()
        folder = view.cwd.rstrip("/").rpartition("/")[2] or view.cwd
        shown = label(title(view) if titles else folder, limit=TITLE_CLUSTERS).text or "Pi"
        if call is None:
            over = self._over
            return Attention(session_id=view.session_id, kind="over", title=shown, body=over.why, at=over.at, prompt_id=over.prompt)
        body = self._body(call, titles)
        return Attention(session_id=view.session_id, kind=call.kind, title=shown, body=body, at=call.at, prompt_id=call.prompt)

    # ---- what is called ----------------------------------------------------------------------------------------------

    def _called(self, state: str, nobody_looks: Callable[[], bool], at: Moment) -> Call | None:
        if state in _BUSY or state == "waiting":
            self._rest = None
            if self._busy_since is None:
                self._busy_since = at.boot
            return self._waiting(at) if state == "waiting" else None
        if self._busy_since is not None:
            self._worked, self._busy_since = at.boot - self._busy_since, None
        elif self._rest is None:
            return None
        before, self._rest = self._rest, _REST.get(state)
        if self._rest is None or self._rest == before:
            return None if self._rest is None else self.call
        return Call(self._rest, at.wall) if self._worth_telling(nobody_looks) else None

    def _waiting(self, at: Moment) -> Call:
        prompts = self.session.prompts.open_ids
        return Call("waiting", at.wall, prompts[0] if prompts else None, len(prompts))

    def _worth_telling(self, nobody_looks: Callable[[], bool]) -> bool:
        if self._rest == "failed":
            return True
        told = self.session.conversation.state
        last = told.agent.last_turn if told is not None else None
        if last is not None and last.outcome == "aborted":
            return False  # somebody stopped it, and knows
        return self._worked >= WORK_SECONDS or nobody_looks()

    # ---- in words ----------------------------------------------------------------------------------------------------

    def _body(self, call: Call, titles: bool) -> str:
        if call.kind == "yourTurn":
            return "Your turn"
        if call.kind == "failed":
            return "The turn failed"
        if call.prompt is None:
            return "Waits at the terminal"
        if call.count > 1:
            return f"{call.count} questions wait"
        prompt = self.session.prompts.get(call.prompt) if titles else None
        return (label(prompt.title, limit=BODY_CLUSTERS).text if prompt is not None else "") or "A question waits"

    def _why(self, call: Call, state: str) -> str:
        """What became of a call that is over."""
        if state == "ended":
            return "The session ended"
        if call.kind == "waiting":
            return "Closed at the terminal" if call.prompt is None else _verdict(self._settled)
        return "Pi works again" if state in _BUSY else "Another conversation began"


_REST: Final[dict[str, CallKind]] = {"your_turn": "yourTurn", "failed": "failed"}


def _verdict(settled: ExtensionUISettled | None) -> str:
    if settled is None or settled.winner == "none":
        return "The time for it ran out" if settled is not None and settled.outcome == "timed_out" else "No longer asked"
    what = "Cancelled" if settled.outcome == "cancelled" else "Answered"
    if settled.winner == "terminal":
        return f"{what} at the terminal"
    # The control socket's clients have no name of their own: they are on this computer.
    who = settled.winner_name if settled.winner_name != "local" else None
    return label(f"{what} by {who}" if who else f"{what} at the computer", limit=BODY_CLUSTERS).text
