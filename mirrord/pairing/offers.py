"""The one code that is good now, and what became of the ones before it. Pure: times are boot seconds and come as arguments.

Who tries a code shows a proof, so the question is always whether some key made it. What became of an earlier code is told
to nobody but who holds it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from mirrord.wire.pairing import DeviceRole

OFFER_SECONDS: Final = 120.0
"""Long enough to find the phone and scan; the person is waiting all the while."""

TRIES: Final = 5
"""A code is typed wrong once or twice. Counted on disk, so that no restart gives more."""

REMEMBERED_SECONDS: Final = 600.0
"""How long it can be told that a code was used or is old: as long as one may still be on a screen."""

REMEMBERED: Final = 64
"""Codes remembered at once; a person makes a few in ten minutes."""

Fate = Literal["used", "failed", "old", "replaced", "too_many_tries"]
"""`failed`: it was right, and the device could not be stored."""

Matches = Callable[[bytes], bool]
"""Whether a code's key made the proof that was shown."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A code that is good until `expires`, as the key that was made of it. `id` is no secret."""

    id: str
    role: DeviceRole
    expires: float
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ended:
    """A code that is good no more. `device` is the name of the one that used it, once that is known."""

    offer: Offer
    fate: Fate
    at: float
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """The proof was right: the code is used up, and this was it."""

    offer: Offer


@dataclass(frozen=True, slots=True)
class Wrong:
    """The proof was not made with the code that is good now."""

    tries_left: int


@dataclass(frozen=True, slots=True)
class NoOffer:
    """No code is good now. `fate` is what became of the one that the proof was made with, if it was one."""

    fate: Fate | None


@dataclass(slots=True)
class Offers:
    """At most one code is good at a time."""

    _live: Offer | None = None
    _ended: OrderedDict[str, Ended] = field(default_factory=OrderedDict)

    def begin(self, offer: Offer, now: float) -> None:
        """This code is good from now on, and the one before it no longer."""
        if self.live(now) is not None:
            self._end("replaced", now)
        self._live = offer

    def live(self, now: float) -> Offer | None:
        """The code that is good now."""
        if self._live is not None and now >= self._live.expires:
            self._end("old", now)
        while self._ended and now - next(iter(self._ended.values())).at >= REMEMBERED_SECONDS:
            self._ended.popitem(last=False)
        return self._live

    def judge(self, offer: str | None, tries: int, matches: Matches, now: float) -> Taken | Wrong | NoOffer:
        """What a proof is worth that was tried against the code `offer`, the `tries`th try of it."""
        live = self.live(now)
        if live is None or live.id != offer:
            return NoOffer(self._fate(matches))
        if tries <= TRIES and matches(live.key):
            self._end("used", now)
            return Taken(live)
        if tries < TRIES:
            fate = self._fate(matches)
            return Wrong(TRIES - tries) if fate is None else NoOffer(fate)
        self._end("too_many_tries", now)
        return Wrong(0) if tries == TRIES else NoOffer(self._fate(matches))

    def used_by(self, offer: str, device: str) -> None:
        """The device that a code was used by has this name."""
        ended = self._ended.get(offer)
        if ended is not None:
            self._ended[offer] = replace(ended, device=device)

    def failed(self, offer: str) -> None:
        """The device that a code was used by could not be stored."""
        ended = self._ended.get(offer)
        if ended is not None:
            self._ended[offer] = replace(ended, fate="failed")

    def ended(self, offer: str, now: float) -> Ended | None:
        """What became of a code; None while it is good, and once it is forgotten."""
        self.live(now)
        return self._ended.get(offer)

    def _fate(self, matches: Matches) -> Fate | None:
        return next((ended.fate for ended in self._ended.values() if matches(ended.offer.key)), None)

    def _end(self, fate: Fate, now: float) -> None:
        assert self._live is not None
        self._ended[self._live.id] = Ended(self._live, fate, now)
        self._live = None
        if len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)
