"""Promise: terminal, clients, retries, cuts, deaths and restarts in any order: one settlement a prompt, the same for all; no acceptance
after it; no id used twice; server order kept; what is typed freely reaches nobody but the terminal.

The model's terminal is the arbiter, as Pi is: it settles once, keeps settlements until a daemon has them, and judges answers itself.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bridge.limits import OPEN_PROMPTS
from mirrord.core import commands, events
from mirrord.core.model import LinkId, Prompt, PromptId
from mirrord.wire import messages as wire
from mirrord.wire.messages import Winner
from tests.core.playbook import Playbook, confirm, input_, select, terminal

pytestmark = pytest.mark.timeout(900)  # a thousand runs take a minute of CPU

SECRET = "correct horse battery staple"
DEVICES = ("ada", "bob", "cyd")
RUNS = int(os.environ.get("MIRRORD_MODEL_RUNS", "1000"))
STEPS = int(os.environ.get("MIRRORD_MODEL_STEPS", "50"))


class Race(RuleBasedStateMachine):
    """Reality beside the core: what the terminal decided, and what everybody was told."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Playbook()
        self.linked = False
        self.number = 0
        self.open: list[str] = []
        self.verdict: dict[str, tuple[str, str | None]] = {}
        """The terminal's own rulings: prompt id → winner, response key."""
        self.untold: dict[str, tuple[str, str | None]] = {}
        self.told: dict[tuple[str, str], wire.ExtensionUISettled] = {}
        """What each device was told, over all runs of the daemon."""
        self.told_here: set[tuple[str, str, int]] = set()
        self.connected: dict[str, int] = {}
        self.clients = 0
        self.read: dict[int, int] = {}
        self.delivered: dict[str, bool] = {}
        """Keys the terminal has judged."""
        self.last_told: str | None = None
        """The ruling whose acknowledgement a cut would lose."""
        self.heard: set[str] = set()
        """Prompts whose ruling this run of the daemon has."""
        self.forgotten: set[str] = set()
        """Prompts that Pi lost while no link stood: the daemon cannot know before the next one."""
        self.link_up()
        self.opens()
        for device in DEVICES[:2]:
            self.connects(device)

    # ---- the terminal ------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.linked)
    @rule()
    def link_up(self) -> None:
        """The extension finds a daemon: everything that is true, then settlements that were not acknowledged."""
        self.linked = True
        self.play.link = LinkId(self.play.link + 1)
        self.play.feed(events.TerminalLinked(at=self.play.at, link=self.play.link, terminal=terminal()))
        self.play.feed(events.ResyncBegan(at=self.play.at, link=self.play.link))
        self.forgotten.clear()
        for id_ in list(self.untold):
            self.tell(id_)
        for id_ in self.open:
            self.play.opens(self.prompt(id_))
        self.play.feed(events.ResyncEnded(at=self.play.at, link=self.play.link))

    @precondition(lambda self: self.linked)
    @rule(dice=st.integers(1, 4))
    def cut(self, dice: int) -> None:
        """The link breaks, now and then; Pi lives."""
        if dice > 1:
            return
        self.play.loses_link(alive=True)
        self.linked = False
        if self.last_told is not None:
            self.untold[self.last_told] = self.verdict[self.last_told]

    @precondition(lambda self: not self.linked and bool(self.open))
    @rule()
    def forgets(self) -> None:
        """Pi loses a prompt without a word (an extension that was reloaded badly): the resync shows it by silence."""
        id_ = self.open.pop(0)
        self.verdict[id_] = ("none", None)
        self.forgotten.add(id_)

    @precondition(lambda self: self.linked and bool(self.verdict))
    @rule(data=st.data())
    def echoes(self, data: st.DataObject) -> None:
        """A prompt that was settled is told as open again."""
        id_ = data.draw(st.sampled_from(sorted(self.verdict)))
        if id_ in self.heard:
            self.play.opens(self.prompt(id_))

    @rule(dice=st.integers(1, 6))
    def restart(self, dice: int) -> None:
        """The daemon is killed and started, now and then: all its memory and every client's connection is gone."""
        if dice > 1:
            return
        self.play = Playbook(now=self.play.now, link=self.play.link)
        self.linked = False
        self.connected.clear()
        self.read.clear()
        self.heard.clear()

    def prompt(self, id_: str) -> Prompt:
        """The same prompt for the same id, of each kind in turn."""
        return (select, confirm, input_)[int(id_[1:]) % 3](id_)

    @precondition(lambda self: len(self.open) < OPEN_PROMPTS)
    @rule()
    def opens(self) -> None:
        """Pi asks. Past OPEN_PROMPTS the extension offers nothing more."""
        self.number += 1
        id_ = f"p{self.number}"
        self.open.append(id_)
        if self.linked:
            self.play.opens(self.prompt(id_))

    @precondition(lambda self: bool(self.open))
    @rule(data=st.data(), winner=st.sampled_from(["terminal", "none"]))
    def settles_itself(self, data: st.DataObject, winner: Winner) -> None:
        """The person at the terminal answers, or the prompt times out or is withdrawn."""
        self.decide(data.draw(st.sampled_from(self.open)), winner, None)

    def decide(self, id_: str, winner: Winner, key: str | None) -> None:
        """The terminal rules, once."""
        assert id_ not in self.verdict
        self.open.remove(id_)
        self.verdict[id_] = (winner, key)
        self.untold[id_] = (winner, key)
        if self.linked:
            self.tell(id_)

    def tell(self, id_: str) -> None:
        """Say a ruling to the daemon, which acknowledges it."""
        winner, key = self.untold.pop(id_)
        self.last_told = id_
        self.heard.add(id_)
        self.play.settles(id_, "answered" if winner != "none" else "timed_out", winner, response=key)  # type: ignore[arg-type]

    @precondition(lambda self: self.linked and bool(self.play.forwarded))
    @rule(data=st.data())
    def judges(self, data: st.DataObject) -> None:
        """An answer that was forwarded arrives, in any order, perhaps twice."""
        forward = data.draw(st.sampled_from(self.play.forwarded))
        if forward.prompt in self.open:
            assert forward.response not in self.delivered or not self.delivered[forward.response]
            self.delivered[forward.response] = True
            self.decide(forward.prompt, "remote", forward.response)
        elif not self.delivered.get(forward.response):
            self.delivered[forward.response] = False
            self.play.feed(
                events.ResponseRejected(
                    at=self.play.at, link=self.play.link, prompt=forward.prompt, response=forward.response, reason="settled"
                )
            )

    # ---- clients -----------------------------------------------------------------------------------------------------

    @rule(device=st.sampled_from(DEVICES))
    def connects(self, device: str) -> None:
        """A device connects and follows."""
        if device not in self.connected and self.play.core.sessions():
            self.clients += 1
            self.connected[device] = self.clients
            self.play.connect(self.clients, credential=device)

    @precondition(lambda self: bool(self.connected))
    @rule(data=st.data())
    def leaves(self, data: st.DataObject) -> None:
        """A device's connection ends."""
        device = data.draw(st.sampled_from(sorted(self.connected)))
        self.play.leaves(self.connected.pop(device))

    @precondition(lambda self: bool(self.connected))
    @rule(data=st.data(), attempt=st.integers(1, 2), good=st.sampled_from([True, True, True, False]), late=st.booleans())
    def answers(self, data: st.DataObject, attempt: int, good: bool, late: bool) -> None:
        """A device answers an open prompt, or any that ever was; perhaps again under the same id, perhaps nonsense."""
        device = data.draw(st.sampled_from(sorted(self.connected)))
        choices = list(range(1, self.number + 1)) if late or not self.open else [int(id_[1:]) for id_ in self.open]
        number = data.draw(st.sampled_from(choices))
        answers: tuple[dict[str, str | int | bool], ...] = ({"index": 1}, {"confirmed": True}, {"value": SECRET})
        answer = answers[number % 3] if good else {"index": 999}
        self.play.answers(self.connected[device], f"p{number}", f"{device}-p{number}-{attempt}-{good}", **answer)

    @precondition(lambda self: bool(self.connected) and bool(self.open))
    @rule(data=st.data(), device=st.sampled_from(DEVICES))
    def answers_at_once(self, data: st.DataObject, device: str) -> None:
        """The usual race: a connected device gives a good answer to the oldest open prompt."""
        if device in self.connected:
            number = int(self.open[0][1:])
            answers: tuple[dict[str, str | int | bool], ...] = ({"index": 0}, {"confirmed": False}, {"value": SECRET})
            self.play.answers(self.connected[device], self.open[0], f"{device}-p{number}-0", **answers[number % 3])

    # ---- what must hold ----------------------------------------------------------------------------------------------

    @invariant()
    def everybody_is_told_the_truth(self) -> None:
        """Read what each client got since last time."""
        for device, client in self.connected.items():
            inbox = self.play.inbox.get(client, [])
            for message in inbox[self.read.get(client, 0) :]:
                self.check(device, message)
            self.read[client] = len(inbox)

    def check(self, device: str, message: wire.ServerMessage) -> None:
        """One message to one device."""
        assert SECRET not in repr(message)
        if isinstance(message, wire.ExtensionUISettled):
            winner, _ = self.verdict[message.id]
            assert message.winner == winner
            assert (device, message.id, self.connected[device]) not in self.told_here, "told twice on one connection"
            self.told_here.add((device, message.id, self.connected[device]))
            before = self.told.setdefault((device, message.id), message)
            assert (before.winner, before.winner_name) == (message.winner, message.winner_name)
        if isinstance(message, wire.ResponseResult) and message.accepted:
            winner, key = self.verdict[message.id]
            assert winner == "remote"
            assert key == f"{device}/{message.response_id}"
        if isinstance(message, wire.Snapshot):
            ids = [prompt.id for prompt in message.prompts]
            assert len(ids) == len(set(ids))
            assert not [id_ for id_ in ids if id_ in self.verdict and id_ not in {*self.untold, *self.forgotten}]

    @invariant()
    def the_daemon_lists_what_is_open_in_the_terminals_order(self) -> None:
        """While linked, the core's open prompts are the terminal's, in its order."""
        if not self.linked:
            return
        session = next(iter(self.play.core._sessions.values()))
        assert list(session.prompts.open_ids) == [PromptId(id_) for id_ in self.open]

    @invariant()
    def at_most_one_answer_of_a_prompt_is_with_the_terminal(self) -> None:
        """Distinct answers to a prompt are forwarded one after another, each only after the one before was rejected."""
        waiting: dict[str, set[str]] = {}
        for forward in self.play.forwarded:
            if forward.prompt in self.open and self.delivered.get(forward.response) is not False:
                waiting.setdefault(forward.prompt, set()).add(forward.response)
        assert all(len(keys) == 1 for keys in waiting.values())

    @invariant()
    def an_answer_waits_once(self) -> None:
        """A retry joins the answer it repeats."""
        for session in self.play.core._sessions.values():
            for race in session.prompts._races.values():
                keys = [contender.key for contender in race._waiting]
                assert len(keys) == len(set(keys))

    @invariant()
    def nothing_but_forward_carries_what_was_typed(self) -> None:
        """The secret is in the Forward to the terminal and nowhere else (design FIXED 7)."""
        for command in (*self.play.sends[-20:], *self.play.other[-20:]):
            assert SECRET not in repr(command)
        for forward in self.play.forwarded[-20:]:
            assert SECRET not in repr(forward)
            assert isinstance(forward, commands.Forward)


TestRace = Race.TestCase
TestRace.settings = settings(
    max_examples=RUNS, stateful_step_count=STEPS, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
