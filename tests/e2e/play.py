"""A play on a stage: Pi asks, somebody answers, and everybody who watches is told the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from mirrord.demo.screen import Snapshot
from mirrord.wire import messages as wire
from tests.e2e.remote import Remote
from tests.e2e.stage import Stage, until
from tests.harness.exerciser import Record, slash

SCREEN_IS_BACK = 5.0
KEYS_COUNT_AGAIN = 0.6
"""Seconds; twice the pause after which the extension lets keys through again when a remote closed a dialog under a person's hands."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A dialog that is open in the terminal and with every device."""

    prompt: wire.ExtensionUIRequest
    name: str
    run: str | None
    """Under this name and id the exerciser logs what came of it."""
    before: Snapshot
    """The screen before it opened."""

    @property
    def id(self) -> str:
        return self.prompt.id


@dataclass(slots=True)
class Play:
    """A stage with two devices that may answer, one that may only watch, and the owner."""

    stage: Stage
    phone: Remote = field(init=False)
    tablet: Remote = field(init=False)
    wall: Remote = field(init=False)
    owner: Remote = field(init=False)
    numbers: itertools.count[int] = field(default_factory=itertools.count, repr=False)
    """To tell one question from another."""

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        """Everybody connects; again when the daemon is another one."""
        self.phone = self.stage.remote("phone")
        self.tablet = self.stage.remote("tablet")
        self.wall = self.stage.remote("wall", "observer")
        self.owner = self.stage.owner()

    def restart(self) -> None:
        """A new daemon runs, and everybody has come back to it."""
        self.stage.daemon.start()
        self.connect()

    @property
    def everybody(self) -> Sequence[Remote]:
        return (self.phone, self.tablet, self.wall, self.owner)

    @property
    def session(self) -> wire.Session:
        """Ours, as the daemon lists it now."""
        (session,) = [session for session in self.stage.sessions() if session.session_id == self.stage.session_id]
        return session

    def begin(self) -> None:
        """Nothing of an earlier test is open or remembered."""
        assert self.stage.pi.alive, "Pi ended in an earlier test"
        if not self.stage.daemon.runs:
            self.restart()
        for prompt in self.owner.subscribe(self.stage.session_id).prompts:
            self.owner.answer(prompt.id, cancelled=True)
        for remote in self.everybody:
            remote.subscribe(self.stage.session_id)
            remote.forget()

    def ask(self, method: wire.Method, *, seen: str = "", **arguments: object) -> Asked:
        """Has an extension open that dialog; it is on the screen, and everybody was offered it, when this returns.

        `seen` is what shows that it is, where that is not its title.
        """
        number = next(self.numbers)
        command = f"t-{method}"
        title = str(arguments.setdefault("title", f"Question {number}?"))
        before = self.rest()
        self.stage.pi.line(slash(command, id=title, **arguments))
        prompt = self.offered(title)
        assert prompt.method == method
        self.stage.pi.wait_for(lambda text: (seen or title) in text and f"/{command}" not in text)
        return Asked(prompt, command, title, before)

    def offered(self, title: str) -> wire.ExtensionUIRequest:
        """The prompt as everybody was offered it."""
        # By a snapshot or as it opened; only the latter has a place in the order of events.
        first, *others = [msgspec.structs.replace(remote.prompt(title), cursor=None) for remote in self.everybody]
        assert all(other == first for other in others)
        return first

    def results(self, name: str) -> int:
        """How many results of that name the exerciser has logged."""
        return sum(record.is_result(name) for record in self.stage.log.records())

    def rest(self) -> Snapshot:
        """The screen, once Pi has drawn everything."""
        self.stage.pi.settle(0.05)
        return self.stage.pi.snapshot()

    def value(self, asked: Asked) -> object:
        """What the extension's promise gave: a value, or the word "undefined"."""
        return value_of(self.stage.log.result(asked.name, asked.run))

    def everybody_is_told(
        self,
        asked: Asked,
        outcome: wire.Outcome,
        winner: wire.Winner,
        *,
        by: str | None = None,
        answer: str | None = None,
        reason: str | None = None,
    ) -> wire.Verdict:
        """Each device was told this about the prompt, once, and nothing else; the prompt is open nowhere."""
        told = [remote.settled(asked.id) for remote in self.everybody]
        verdict = wire.Verdict(outcome=outcome, winner=winner, at=told[0].at, winner_name=by, answer=answer, reason=reason)
        for remote in self.everybody:
            now = remote.subscribe(self.stage.session_id)
            assert asked.id not in {prompt.id for prompt in now.prompts}
            (settled,) = remote.all(wire.ExtensionUISettled, lambda settled: settled.id == asked.id)
            assert verdict_of(settled) == verdict, f"{remote.name}: {verdict_of(settled)}, not {verdict}"
        return verdict

    def screen_is_back(self, asked: Asked) -> None:
        """Nothing is left of the dialog: each cell, the cursor and the title are what they were before."""
        try:
            until(lambda: is_back(asked.before, self.stage.pi.snapshot()), SCREEN_IS_BACK, "the screen is not what it was")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{difference(asked.before, self.stage.pi.snapshot())}") from None

    def still_open(self, asked: Asked) -> None:
        """The dialog is on the screen, and stays, and the prompt is offered."""
        self.rest()
        assert asked.prompt.title in self.stage.pi.screen_text()
        assert asked.id in {prompt.id for prompt in self.owner.subscribe(self.stage.session_id).prompts}


def is_back(before: Snapshot, now: Snapshot) -> bool:
    """Whether the screen shows what it showed, to the cell."""
    # A Pi that draws inline scrolls when a dialog needs more rows than are left: the same rows then stand higher.
    scrolled = 0 if now.alternate else empty_at_the_end(now) - empty_at_the_end(before)
    if scrolled <= 0:
        return now == before
    cursor = (before.cursor[0], before.cursor[1] - scrolled) if before.cursor else None
    return now == replace(before, lines=(*before.lines[scrolled:], *[()] * scrolled), cursor=cursor)


def empty_at_the_end(screen: Snapshot) -> int:
    return next((place for place, row in enumerate(reversed(screen.lines)) if row), len(screen.lines))


def difference(before: Snapshot, now: Snapshot) -> str:
    """The rows that differ, and the rest of what does."""
    rows = [f"- {was}\n+ {row}" for was, row in zip(before.lines, now.lines, strict=True) if was != row]
    others = [f"{name}: {getattr(before, name)!r}, now {getattr(now, name)!r}" for name in ("cursor", "title", "alternate")]
    return "\n".join([*rows, *others])


def verdict_of(settled: wire.ExtensionUISettled) -> wire.Verdict:
    """What it says, in the form in which a late answer is told."""
    return wire.Verdict(
        outcome=settled.outcome,
        winner=settled.winner,
        at=settled.at,
        winner_name=settled.winner_name,
        answer=settled.answer,
        reason=settled.reason,
    )


def value_of(result: Record) -> object:
    """What a promise of the exerciser gave."""
    assert result.outcome in ("value", "undefined"), result
    return "undefined" if result.outcome == "undefined" else result.value
