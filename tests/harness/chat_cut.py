"""A recorded conversation that is played while one wire is cut after a certain byte, and then goes on over new connections.

    python -m tests.harness.chat_cut HOP WAY BYTE SEED

plays one case again; a case that fails prints that line. HOP is `client` or `bridge`, WAY `up` (to the daemon) or `down`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal, get_args

import msgspec

from tests.harness.chat_ends import Phone, Terminal
from tests.harness.chat_recording import RUN, Line, Submitted, read
from tests.harness.chat_wires import FakeDaemon, Hop, Linked, Pipe, Served

HopName = Literal["client", "bridge"]
Way = Literal["up", "down"]

ROUNDS: Final = 5_000
"""Ten times what any case takes: one that takes more hangs."""

ROUND_SECONDS: Final = 0.02

NEAR: Final = 200
"""Bytes before the cut at which something is submitted, so that it is on its way when the wire breaks."""

SECOND_CUT: Final = 20_000
"""A second connection is cut, in half of the cases, after at most so many bytes: in the middle of what is told again."""

AWAY: Final = 6
"""Rounds at most until who was cut off is back."""

PIECES: Final = (1, 7, 700, 1 << 20, 1 << 20)
"""Bytes that arrive at once, at most."""

LAST: Final = (0, 1, 100, 1 << 20)
"""Bytes that still arrive the other way when a wire breaks, at most."""


class Cut(msgspec.Struct, frozen=True):
    """Where the wire breaks: after byte `at` of what goes this way on this hop. The seed decides everything else."""

    hop: HopName
    way: Way
    at: int
    seed: int

    def __str__(self) -> str:
        return f"python -m tests.harness.chat_cut {self.hop} {self.way} {self.at} {self.seed}"


@dataclass(frozen=True, slots=True)
class End:
    """What the phone shows in the end."""

    messages: tuple[Mapping[str, Any], ...]
    fields: Mapping[str, Any]


@dataclass(slots=True)
class Wire:
    """One hop over several connections: `to_come` are the ones that are going to be cut."""

    far: Terminal | Phone
    to_come: list[Hop] = field(default_factory=list)
    first: Hop | None = None
    hop: Hop | None = None
    end: Linked | Served | None = None
    """The daemon's end of the connection that stands."""
    unnoticed: Linked | Served | None = None
    """The daemon's end of one that is cut, which the daemon does not know yet."""
    away: int = 0
    """Rounds until there is another one."""

    def noticed(self) -> None:
        """The daemon sees that the last connection is cut."""
        if self.unnoticed is not None:
            self.unnoticed.ended()
            self.unnoticed = None


class Play:
    """One case, round by round. `appends`: the phone takes text as it grows."""

    def __init__(self, cut: Cut | None, *, appends: bool = True) -> None:
        self.random = random.Random(cut.seed if cut else 0)
        self.daemon = FakeDaemon()
        self.terminal = Terminal(recording())
        self.phone = Phone(self.terminal.hello.terminal.id, appends)
        self.wires: dict[HopName, Wire] = {"bridge": Wire(self.terminal), "client": Wire(self.phone)}
        self.extra = 0
        if cut is not None:
            cuts = self.wires[cut.hop].to_come
            cuts.append(_cut_after(cut.way, cut.at))
            if self.random.random() < 0.5:
                cuts.append(_cut_after(self.random.choice(get_args(Way)), self.random.randint(1, SECOND_CUT)))

    def run(self) -> End:
        """Play to the end. AssertionError when that does not come, or something acted never or twice."""
        for _ in range(ROUNDS):
            if self._round():
                break
        else:
            raise AssertionError(f"it hangs at {self.terminal.next}; undecided: {self.phone.undecided}")
        assert Counter(self.terminal.acted) == Counter(list(self.phone.submitted)), "every message acts exactly once"
        stages = {turn: receipts[-1].stage for turn, receipts in self.phone.receipts.items()}
        assert stages == dict.fromkeys(self.phone.submitted, "consumed"), "every receipt comes"
        shown = [message["id"] for message in self.phone.view.messages]
        assert shown == [row.id for row in self.terminal.fold.rows], "what is shown is what Pi holds"
        return End(self.phone.view.messages, self.phone.view.fields)

    # ---- the course of things ------------------------------------------------------------------------------------------

    def _round(self) -> bool:
        """Something happens everywhere; True when nothing is left to happen."""
        if self.phone.is_welcome:
            self._pi_goes_on(self.random.randint(0, 3))
        self._carry()
        for name, wire in self.wires.items():
            if wire.hop is None:
                wire.away -= 1
                if wire.away <= 0 and (name == "bridge" or self.daemon.core.sessions()):
                    self._connect(name)
            elif wire.hop.is_cut:
                self._break(wire)
            elif self.random.random() < 0.3:
                wire.noticed()
        self.daemon.passes(ROUND_SECONDS)
        return not self._busy() and self._is_over()

    def _pi_goes_on(self, steps: int) -> None:
        for _ in range(steps):
            item = self.terminal.next
            if item is None:
                return
            self.terminal.plays()
            if isinstance(item, Submitted):
                self.phone.submits(item)

    def _is_over(self) -> bool:
        """Nothing is under way: whether anything comes of time alone, of sending again, or of a cut that is still to come."""
        self.daemon.passes(1.0)
        if self._busy():
            return False
        if self.phone.undecided:
            self.phone.sends_again()
            return False
        # A cut behind the last byte is one all the same.
        left = [wire for wire in self.wires.values() if wire.to_come or (wire.hop is not None and wire.hop.is_to_be_cut)]
        for wire in left:
            self._break(wire)
        return not left

    def _busy(self) -> bool:
        """Something is under way."""
        wires = self.wires.values()
        carried = any(wire.hop is None or wire.hop.up.ready or wire.hop.down.ready or wire.unnoticed for wire in wires)
        served = self.wires["client"].end
        waits = isinstance(served, Served) and len(served.client.outbox) > 0
        return carried or waits or self.daemon.writes > 0 or self.terminal.next is not None

    # ---- bytes -------------------------------------------------------------------------------------------------------

    def _carry(self) -> None:
        """Some bytes go each way of each hop; the writer and the disk do some of their work."""
        served = self.wires["client"].end
        if isinstance(served, Served):
            served.write(self.random.choice((0, 1, 8, 64)))
        if self.random.random() < 0.7:
            self.daemon.write()
        for wire in self.wires.values():
            if wire.hop is None or wire.end is None or wire.hop.is_cut:
                continue
            if wire.hop.is_cut_within(NEAR) and self.extra == 0:
                self._submit()
            if up := wire.hop.up.take(self.random.choice(PIECES)):
                wire.end.receive(up)
            if not wire.hop.is_cut and (down := wire.hop.down.take(self.random.choice(PIECES))):
                wire.far.receive(down)

    def _submit(self) -> None:
        """The phone sends something of which the conversation shows nothing: a command."""
        self.extra += 1
        self.phone.submits(Submitted(f"extra-{self.extra}", "command", "/mirrord status"))

    # ---- connections -------------------------------------------------------------------------------------------------

    def _connect(self, name: HopName) -> None:
        wire = self.wires[name]
        if self.random.random() < 0.5:
            wire.noticed()
        wire.hop = wire.to_come.pop(0) if wire.to_come else Hop()
        wire.first = wire.first or wire.hop
        wire.end = self.daemon.link(wire.hop) if name == "bridge" else self.daemon.serve(wire.hop)
        wire.far.connects(wire.hop)

    def _break(self, wire: Wire) -> None:
        """The wire is cut. What goes the other way may still arrive, and the daemon may hear of it late."""
        assert wire.hop is not None
        assert wire.end is not None
        last = self.random.choice(LAST)
        if self.random.random() < 0.5 and not wire.hop.up.is_cut:
            wire.end.receive(wire.hop.up.take(last))
        elif not wire.hop.down.is_cut:
            wire.far.receive(wire.hop.down.take(last))
        wire.noticed()
        wire.unnoticed, wire.end, wire.hop = wire.end, None, None
        wire.away = self.random.randint(0, AWAY)
        if self.random.random() < 0.5:
            wire.noticed()
        wire.far.cut()
        self._submit()


def _cut_after(way: Way, at: int) -> Hop:
    return Hop(up=Pipe(at)) if way == "up" else Hop(down=Pipe(at))


@cache
def recording() -> Sequence[Line]:
    """The run that is played."""
    return read(RUN)


@cache
def reference() -> End:
    """The end when nothing is cut."""
    return Play(None).run()


@cache
def lengths() -> Mapping[tuple[HopName, Way], int]:
    """How many bytes go each way of each hop when nothing is cut."""
    play = Play(None)
    play.run()
    hops = {name: wire.first or Hop() for name, wire in play.wires.items()}
    return {(name, way): (hop.up if way == "up" else hop.down).through for name, hop in hops.items() for way in get_args(Way)}


def check(cut: Cut) -> None:
    """The case ends like the run that nothing disturbed. AssertionError with the line that plays it again."""
    try:
        end = Play(cut, appends=cut.seed % 4 != 0).run()
        assert end.messages == reference().messages
        assert end.fields == reference().fields
    except AssertionError as error:
        raise AssertionError(f"{error}\nseed {cut.seed}; play it again: {cut}") from error


if __name__ == "__main__":
    named = dict(zip(Cut.__struct_fields__, sys.argv[1:], strict=True))
    check(msgspec.convert(named, Cut, strict=False))
    print("as the run that nothing disturbed")
