"""Promise: devices that send again, links that break, disks that refuse, daemons that are killed, in any order: no message acts twice,
what is called accepted has been given to Pi, what is called rejected never acts, and what nobody can know is called unknown.

Each invariant is named after the sentence that it proves, of the issue and of the native chat contract:

* "the same clientTurnId never acts twice, also across reconnects and a daemon restart"
* "receipts accepted → queued → consumed, or rejected with a reason, or unknown with retry and discard"
* "Acceptance releases the request lock while accepted pending rows remain until their separate echoes."
* "Consecutive sends keep separate identities even for identical text and files."
* "Rejection restores the submitted draft or retains it" — so nothing that was rejected may act later.
* design FIXED 7: what is typed is in the message to the terminal and nowhere else.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mirrord.core import events as core_events
from mirrord.core.chat import events
from mirrord.core.chat.commands import ForwardTurn
from mirrord.core.chat.turns import LINK_SECONDS
from mirrord.core.core import Core
from mirrord.core.receipts import EarlierSeen, Receipt, ReceiptKept, ReceiptsLoaded
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.chat import ChatAction, Stage
from tests.core.chat.talk import Talk
from tests.core.playbook import PI

RUNS = int(os.environ.get("MIRRORD_CHAT_RUNS", "250"))
STEPS = int(os.environ.get("MIRRORD_CHAT_STEPS", "40"))

SECRET = "correct horse battery staple"
DEVICES = ("ada", "bob")
ORDER: dict[Stage, int] = {"unknown": 0, "accepted": 1, "queued": 2, "consumed": 3, "rejected": 3}
TRANSIENT = ("detached", "busy", "store", "ended", "invalid", "other_session")
"""Rejections of which nothing is kept: they are about this attempt."""


class Turns(RuleBasedStateMachine):
    """A terminal that remembers what it took, a disk, and what every device was told."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.runs = 1
        self.linked = False
        self.acted: list[str] = []
        """What Pi was given, in order; the only truth."""
        self.remembered: dict[str, Stage] = {}
        """The extension's record, which outlives links and daemons."""
        self.disk: dict[str, Receipt] = {}
        self.writing: list[Receipt] = []
        self.on_the_way: list[ForwardTurn] = []
        self.clients: dict[str, int] = {}
        self.connections = 0
        self.submitted: set[str] = set()
        self.given_up: set[str] = set()
        self.told: dict[tuple[int, str], list[tuple[Stage, str | None]]] = {}
        self.read: dict[int, int] = {}
        self.link_up()
        for device in DEVICES:
            self.connects(device)

    # ---- the terminal ------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.linked)
    @rule()
    def link_up(self) -> None:
        """The extension finds a daemon and tells every turn that it remembers."""
        self.linked = True
        self.talk.links()
        for turn, stage in self.remembered.items():
            self.says(turn, stage)
        self.talk.page()
        self.talk.feed(core_events.ResyncEnded(at=self.talk.at, link=self.talk.link))
        self.collect()

    @precondition(lambda self: self.linked)
    @rule(arrived=st.integers(0, 3), heard=st.booleans())
    def cut(self, arrived: int, heard: bool) -> None:
        """The link breaks: some of what was on the way arrived, and what Pi said to that may be lost."""
        for forward in self.on_the_way[:arrived]:
            self.takes(forward, heard)
        self.on_the_way.clear()
        self.linked = False
        self.talk.loses_link(alive=True)
        self.collect()

    @precondition(lambda self: bool(self.on_the_way))
    @rule(stage=st.sampled_from(["accepted", "queued", "rejected"]))
    def arrives(self, stage: Stage) -> None:
        """A turn reaches the extension."""
        self.takes(self.on_the_way.pop(0), True, stage)

    def takes(self, forward: ForwardTurn, heard: bool, stage: Stage = "accepted") -> None:
        """The extension gives it to Pi, unless it has had it."""
        assert forward.text.startswith(SECRET)
        if forward.turn not in self.remembered:
            self.remembered[forward.turn] = stage
            if stage != "rejected":
                self.acted.append(forward.turn)
        if heard:
            self.says(forward.turn, self.remembered[forward.turn])

    def says(self, turn: str, stage: Stage) -> None:
        """The extension rules."""
        row = f"e-{turn}" if stage == "consumed" else None
        reason = "Not here." if stage == "rejected" else None
        self.talk.feed(events.TurnRuled(at=self.talk.at, link=self.talk.link, turn=turn, stage=stage, reason=reason, row_id=row))
        self.collect()

    @precondition(lambda self: any(stage in ("accepted", "queued") for stage in self.remembered.values()))
    @rule(data=st.data())
    def consumes(self, data: st.DataObject) -> None:
        """Pi makes it a row."""
        turn = data.draw(st.sampled_from([turn for turn, stage in self.remembered.items() if stage in ("accepted", "queued")]))
        self.remembered[turn] = "consumed"
        if self.linked:
            self.says(turn, "consumed")

    # ---- the disk and the daemon ---------------------------------------------------------------------------------------

    def collect(self) -> None:
        """What the core wants written and sent."""
        self.writing += [command.receipt for command in self.talk.kept]
        self.talk.kept.clear()
        self.on_the_way += self.talk.turns
        self.talk.turns.clear()

    @precondition(lambda self: bool(self.writing))
    @rule(full=st.integers(1, 8))
    def writes(self, full: int) -> None:
        """The disk takes what waits, or is full."""
        receipt = self.writing.pop(0)
        error = "The disk is full." if full == 1 else None
        if error is None:
            self.disk[receipt.client_turn_id] = receipt
        elif receipt.stage != "sent":
            self.writing.insert(0, receipt)  # it is tried again; only the first one is waited for
        self.talk.feed(ReceiptKept(at=self.talk.at, receipt=receipt, error=error))
        self.collect()

    @rule(dice=st.integers(1, 8), arrived=st.integers(0, 3), seen=st.booleans(), patience=st.sampled_from((1.0, LINK_SECONDS + 1)))
    def restart(self, dice: int, arrived: int, seen: bool, patience: float) -> None:
        """The daemon is killed, now and then: what was not on disk is forgotten, what was on the way may have arrived.

        The next one may not see that Pi runs, or not wait for it for long enough.
        """
        if dice > 1:
            return
        for forward in self.on_the_way[:arrived]:
            self.takes(forward, False)
        self.on_the_way.clear()
        self.writing.clear()
        self.runs += 1
        epoch = f"run{self.runs}"
        self.talk = Talk(core=Core(messages.ServerInfo("mirrord", "0", epoch), epoch), now=self.talk.now, link=self.talk.link)
        self.talk.core.begin(ReceiptsLoaded(key=b"k", receipts=tuple(self.disk.values())))
        self.talk.feed(EarlierSeen(at=self.talk.at, running=frozenset((PI,) if seen else ())))
        self.talk.passes(patience)
        self.collect()
        self.linked = False
        self.clients.clear()
        self.read.clear()
        self.told.clear()

    # ---- devices -----------------------------------------------------------------------------------------------------

    @rule(device=st.sampled_from(DEVICES))
    def connects(self, device: str) -> None:
        """A device connects, perhaps over a new connection while the old one stands."""
        if self.talk.core.sessions():
            self.connections += 1
            self.clients[device] = self.connections
            self.talk.connect(self.connections, credential=device, follow=None)

    @rule(device=st.sampled_from(DEVICES))
    def leaves(self, device: str) -> None:
        """Its connection ends."""
        if device in self.clients:
            self.look()
            self.talk.leaves(self.clients.pop(device))

    @rule(device=st.sampled_from(DEVICES), number=st.integers(1, 4), changed=st.integers(1, 12))
    def submits(self, device: str, number: int, changed: int) -> None:
        """A device sends, or sends again; all texts are the same, and once in a while another one comes under a used id."""
        if device in self.clients:
            turn = f"{device}-{number}"
            self.submitted.add(turn)
            self.talk.submits(self.clients[device], turn, SECRET + ("!" if changed == 1 else ""))
            self.collect()

    @precondition(lambda self: bool(self.submitted))
    @rule(device=st.sampled_from(DEVICES), data=st.data(), dice=st.integers(1, 3))
    def discards(self, device: str, data: st.DataObject, dice: int) -> None:
        """A device gives one up."""
        mine = sorted(turn for turn in self.submitted if turn.startswith(device))
        if dice > 1 or device not in self.clients or not mine:
            return
        turn = data.draw(st.sampled_from(mine))
        self.talk.says(self.clients[device], ChatAction(session_id=PI, client_turn_id=turn, action="discard"))
        last = self.talk.receipts(self.clients[device], turn)[-1]
        if last.code == "discarded" and last.stage == "rejected":
            self.given_up.add(turn)
        self.collect()

    # ---- what must hold ----------------------------------------------------------------------------------------------

    @invariant()
    def the_same_client_turn_id_never_acts_twice(self) -> None:
        """Whatever was sent again, over whichever link, to whichever daemon."""
        assert len(self.acted) == len(set(self.acted))

    @invariant()
    def what_was_given_up_before_it_went_out_never_acts(self) -> None:
        """It is rejected, and nothing of it is on its way."""
        assert not self.given_up & {*self.acted, *(forward.turn for forward in self.on_the_way)}

    @invariant()
    def a_turn_is_on_disk_before_it_goes_to_the_terminal(self) -> None:
        """Or a restart would not know that it may have acted."""
        assert all(forward.turn in self.disk for forward in self.on_the_way)

    @invariant()
    def receipts_say_the_truth_and_only_go_forward(self) -> None:
        """To each connection: accepted, queued, consumed, or rejected, or unknown; and what is said is so."""
        self.look()

    def look(self) -> None:
        """Read the receipts that came since."""
        for client in self.clients.values():
            inbox = self.talk.inbox.get(client, [])
            for message in inbox[self.read.get(client, 0) :]:
                assert SECRET not in repr(message)
                if isinstance(message, wire.Receipt):
                    self.check(client, message)
            self.read[client] = len(inbox)

    def check(self, client: int, receipt: wire.Receipt) -> None:
        """One receipt."""
        turn = receipt.client_turn_id
        stages = self.told.setdefault((client, turn), [])
        assert receipt.reason is not None or receipt.stage in ("accepted", "queued", "consumed")
        if receipt.stage == "rejected" and receipt.code in TRANSIENT:
            return
        if receipt.stage in ("accepted", "queued", "consumed"):
            assert turn in self.acted
            assert self.remembered[turn] != "rejected"
        if receipt.stage == "consumed":
            assert self.remembered[turn] == "consumed"
        if receipt.stage == "rejected":
            assert turn not in self.acted
        last = max((ORDER[stage] for stage, _ in stages), default=0)
        assert ORDER[receipt.stage] >= last or receipt.code == "discarded", (stages, receipt)
        stages.append((receipt.stage, receipt.code))

    @invariant()
    def what_is_typed_is_in_no_record(self) -> None:
        """Only the message to the terminal holds it."""
        assert SECRET not in repr(self.talk.sends[-10:]) + repr(self.talk.other[-10:]) + repr(self.disk) + repr(self.on_the_way)

    def teardown(self) -> None:
        """In the end everything that was sent and not given up is known to who asks: it acted once, or was rejected."""
        while self.writing:
            self.writes(2)
        if not self.linked:
            self.link_up()
        for device in DEVICES:
            self.connects(device)
        for turn in sorted(self.submitted):
            self.talk.submits(self.clients[turn.partition("-")[0]], turn, SECRET)
            self.collect()
        while self.writing or self.on_the_way:
            while self.writing:
                self.writes(2)
            while self.on_the_way:
                self.arrives("accepted")
        for turn in sorted(self.submitted):
            last = self.talk.receipts(self.clients[turn.partition("-")[0]], turn)[-1]
            assert (last.stage in ("accepted", "queued", "consumed")) == (self.remembered.get(turn, "rejected") != "rejected") or (
                last.code in ("discarded", "other_session")
            )
        self.the_same_client_turn_id_never_acts_twice()


TestTurns = Turns.TestCase
TestTurns.settings = settings(
    max_examples=RUNS, stateful_step_count=STEPS, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
