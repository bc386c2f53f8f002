"""When it is worth looking at a folder again. Pure: times are seconds on a clock that never jumps, and arguments."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

QUIET_SECONDS: Final = 1.0
"""From something that may have changed a file to the look: what a tool writes in one go is one change."""

BETWEEN_SECONDS: Final = 5.0
"""Between two looks at least: an agent that writes all the time costs Git a few per cent of a core."""

PERIOD_SECONDS: Final = 30.0
"""Between two looks at most: a person changes files as well, and nobody tells."""

SLOW_SECONDS: Final = 300.0
"""Between two looks at what took too long."""

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(slots=True)
class _Plan:
    due: float | None
    """None while it is being looked at."""
    free: float
    """Not before."""
    touched: bool = False
    """While it was being looked at."""


@dataclass(slots=True)
class Schedule(Generic[_Key]):
    """What is to be looked at, and when."""

    _plans: dict[_Key, _Plan] = field(default_factory=dict)
    _rest: dict[_Key, float] = field(default_factory=dict)
    """Until when what was dropped is left alone, should somebody want to know again."""

    def touch(self, key: _Key, now: float) -> None:
        """Something may have changed, or somebody new wants to know: the first time at once, else soon."""
        plan = self._plans.get(key)
        if plan is None:
            free = max(now, self._rest.pop(key, now))
            self._plans[key] = _Plan(due=free, free=free)
        elif plan.due is None:
            plan.touched = True
        else:
            plan.due = min(plan.due, max(now + QUIET_SECONDS, plan.free))

    def drop(self, key: _Key, now: float) -> None:
        """Nobody wants to know any more."""
        self._rest = {each: free for each, free in self._rest.items() if free > now}
        plan = self._plans.pop(key, None)
        if plan is not None:
            self._rest[key] = max(plan.free, now + BETWEEN_SECONDS) if plan.due is None else plan.free

    def take(self, now: float) -> _Key | None:
        """What is to be looked at now, the one that is due for longest; `done` has to follow."""
        due = {key: plan.due for key, plan in self._plans.items() if plan.due is not None and plan.due <= now}
        if not due:
            return None
        key = min(due, key=lambda each: due[each])
        self._plans[key].due = None
        return key

    def done(self, key: _Key, now: float, *, slow: bool = False) -> bool:
        """It was looked at. False when nobody wants to know any more."""
        plan = self._plans.get(key)
        if plan is None:
            return False
        plan.free = now + (SLOW_SECONDS if slow else BETWEEN_SECONDS)
        plan.due = plan.free if plan.touched or slow else now + PERIOD_SECONDS
        plan.touched = False
        return True

    def next_due(self) -> float | None:
        """When `take` will give something; None when nothing is planned."""
        return min((plan.due for plan in self._plans.values() if plan.due is not None), default=None)
