"""Promise: sleep, clocks that are set, leap seconds and answers in any order: no settlement early, late or twice.

The model's terminal is Pi's: a countdown on a clock of its own, which stands still in a sleep on Linux and does not on macOS; it reads
what has come before it looks at its timers. The daemon's part is real: the core, and what notices a sleep.
"""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mirrord.core import commands, events
from mirrord.core.core import Core
from mirrord.core.model import ClientId, LinkId, Moment, Prompt, PromptId, ResponseId, Settlement
from mirrord.core.wake import AskLink, LinkAnswered, Woke
from mirrord.daemon.wake import Sleeper, read
from mirrord.testing import FakeClock
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role
from tests.core.playbook import EPOCH, PI, terminal

LINK = LinkId(1)
CLIENTS = (ClientId(1), ClientId(2))
HOUR = 3_600.0


class Clocks(RuleBasedStateMachine):
    """A machine with a Pi, a daemon and two clients. While it is awake, everybody does within the moment what there is to do."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.core = Core(wire.ServerInfo("mirrord", "0", EPOCH), EPOCH)
        self.sleeper = Sleeper(read(self.clock))
        self.sleeps_too = False
        self.number = 0
        self.deadlines: dict[str, float] = {}
        """Of prompts that are open in the terminal, by its own clock."""
        self.verdicts: dict[str, tuple[str, str | None]] = {}
        self.given: dict[str, float] = {}
        """Answer → when, by the terminal's clock."""
        self.ended: dict[str, float] = {}
        """Prompt → its deadline, of those that are over."""
        self.to_terminal: deque[commands.Command] = deque()
        self.to_daemon: deque[events.Event] = deque()
        self.told: dict[tuple[int, str], list[wire.ExtensionUISettled]] = {}

    @initialize(on_boot_clock=st.booleans())
    def begins(self, on_boot_clock: bool) -> None:
        self.sleeps_too = on_boot_clock
        self.happens(events.TerminalLinked(at=self.at, link=LINK, terminal=terminal()))
        self.happens(events.ResyncBegan(at=self.at, link=LINK))
        self.happens(events.ResyncEnded(at=self.at, link=LINK))
        for client in CLIENTS:
            self.happens(events.ClientConnected(at=self.at, client=client, role=Role.CONTROLLER, credential=f"phone {client}"))
            hello = wire.Hello(
                client=wire.ClientInfo("phone", "test"),
                protocol=wire.ProtocolRange(1, 1),
                capabilities=("extension-native-ui:v1:prompt-native",),
            )
            self.happens(events.ClientSaid(at=self.at, client=client, message=hello))
            self.happens(events.ClientSaid(at=self.at, client=client, message=wire.Subscribe(session_id=PI)))

    @property
    def at(self) -> Moment:
        return Moment(self.clock.wall(), self.clock.boot())

    def countdown(self) -> float:
        """The terminal's clock."""
        return self.clock.boot() if self.sleeps_too else self.clock.monotonic()

    # ---- the daemon --------------------------------------------------------------------------------------------------

    def happens(self, event: events.Event) -> None:
        """As `Daemon.happen`."""
        lost = self.sleeper.look(read(self.clock))
        if lost is not None:
            self.carry_out(self.core.handle(Woke(at=self.at)))
        self.carry_out(self.core.handle(event))

    def carry_out(self, out: list[commands.Command]) -> None:
        for command in out:
            match command:
                case commands.Forward() | AskLink():
                    self.to_terminal.append(command)
                case commands.Send(client=client, message=wire.ExtensionUISettled() as settled):
                    self.told.setdefault((client, settled.id), []).append(settled)

    def daemon_reads(self) -> None:
        while self.to_daemon:
            self.happens(self.to_daemon.popleft())

    # ---- the terminal ------------------------------------------------------------------------------------------------

    def terminal_turns(self) -> None:
        """One turn of Node's loop: what has come, then the timers."""
        for _ in range(len(self.to_terminal)):
            match self.to_terminal.popleft():
                case AskLink(question=question):
                    self.to_daemon.append(LinkAnswered(at=self.at, link=LINK, question=question))
                case commands.Forward(prompt=prompt, response=response):
                    if prompt in self.deadlines:
                        self.ends(prompt, "remote", response)
                    else:
                        rejected = events.ResponseRejected(at=self.at, link=LINK, prompt=prompt, response=response, reason="settled")
                        self.to_daemon.append(rejected)
        for late in [prompt for prompt, deadline in self.deadlines.items() if deadline <= self.countdown()]:
            self.ends(late, "none", None)

    def ends(self, prompt: str, winner: wire.Winner, response: str | None) -> None:
        self.ended[prompt] = self.deadlines.pop(prompt)
        self.verdicts[prompt] = winner, response
        settlement = Settlement(
            id=PromptId(prompt),
            outcome="answered" if winner == "remote" else "timed_out",
            winner=winner,
            at=self.clock.wall(),
            response_id=ResponseId(response) if response is not None else None,
        )
        self.to_daemon.append(events.PromptSettled(at=self.at, link=LINK, settlement=settlement))

    def settles_down(self) -> None:
        """Nobody has anything to do any more in this moment."""
        while True:
            self.terminal_turns()
            self.daemon_reads()
            if not self.to_terminal and not self.to_daemon:
                return

    # ---- what happens ------------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.deadlines) < 4)
    @rule(seconds=st.sampled_from([1, 5, 60, 3_600]))
    def opens(self, seconds: int) -> None:
        self.number += 1
        id_ = f"p{self.number}"
        self.deadlines[id_] = self.countdown() + seconds
        prompt = Prompt(
            id=PromptId(id_),
            method="confirm",
            title="Go on?",
            opened_at=self.clock.wall(),
            timeout=seconds * 1000,
            timeout_at=self.clock.wall() + seconds * 1000,
        )
        self.to_daemon.append(events.PromptOpened(at=self.at, link=LINK, prompt=prompt))

    @rule(client=st.sampled_from(CLIENTS), data=st.data())
    def answers(self, client: ClientId, data: st.DataObject) -> None:
        if self.number == 0:
            return
        prompt, key = f"p{data.draw(st.integers(1, self.number))}", f"r{len(self.given)}"
        self.given[f"phone {client}/{key}"] = self.countdown()
        answer = wire.ExtensionUIResponse(id=prompt, response_id=key, confirmed=True)
        self.happens(events.ClientSaid(at=self.at, client=client, message=answer))

    @rule()
    def terminal_runs(self) -> None:
        self.terminal_turns()

    @rule()
    def daemon_runs(self) -> None:
        self.daemon_reads()

    @rule(seconds=st.sampled_from([0.1, 1.0, 3.0, 61.0]))
    def time_passes(self, seconds: float) -> None:
        """The machine runs: timers ring when they are due, and everybody looks at the clocks every second."""
        self.settles_down()
        until = self.clock.boot() + seconds
        while (left := until - self.clock.boot()) > 0:
            due = min((deadline - self.countdown() for deadline in self.deadlines.values()), default=left)
            wanted = self.core.wake_at
            step = min(left, max(due, 0.001), 1.0 if wanted is None else max(wanted - self.clock.boot(), 0.001))
            self.clock.advance(step)
            self.happens(events.TimeIs(at=self.at))
            self.settles_down()

    @rule(seconds=st.sampled_from([1.0, 40.0, 8 * HOUR]))
    def machine_sleeps(self, seconds: float) -> None:
        """Whoever has something to do when it wakes does it in any order."""
        self.clock.sleep(seconds)

    @rule(seconds=st.sampled_from([-HOUR, HOUR, -1.0, 1.0, -20.0]))
    def somebody_sets_the_clock(self, seconds: float) -> None:
        self.clock.set_wall(self.clock.wall() + round(seconds * 1000))

    # ---- what is always true -----------------------------------------------------------------------------------------

    @invariant()
    def nobody_is_told_anything_but_the_terminals_ruling_and_that_once(self) -> None:
        for (_, prompt), told in self.told.items():
            assert len(told) == 1
            assert told[0].winner == self.verdicts[prompt][0]

    @invariant()
    def no_answer_counts_that_was_given_after_the_time_was_out(self) -> None:
        for prompt, (_, response) in self.verdicts.items():
            if response is not None:
                assert self.given[response] < self.ended[prompt]

    def teardown(self) -> None:
        """One second after waking at the latest everything that was due is settled, and everybody knows."""
        before = set(self.deadlines)
        self.clock.sleep(HOUR)
        self.time_passes(1.0)
        assert all(self.deadlines[prompt] > self.countdown() for prompt in before & set(self.deadlines))
        assert all((client, prompt) in self.told for client in CLIENTS for prompt in self.verdicts)
        self.nobody_is_told_anything_but_the_terminals_ruling_and_that_once()
        self.no_answer_counts_that_was_given_after_the_time_was_out()


Clocks.TestCase.settings = settings(max_examples=150, stateful_step_count=30, suppress_health_check=list(HealthCheck))
TestClocks = pytest.mark.timeout(300)(Clocks.TestCase)
