"""Promise: however much a client asks for at once, it gets all of it, as it reads, and is never cut for that."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from mirrord.core import commands, events
from mirrord.core.chat import events as chat
from mirrord.core.model import ClientId, LinkId, Prompt, PromptId, TerminalId
from mirrord.wire import chat as wire_chat
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, PROMPT_NATIVE, SURFACE_NATIVE, TEXT_FALLBACK
from mirrord.wire.limits import CHAT_BEHIND_BYTES, CHAT_BYTES, OUTBOX_BYTES
from mirrord.wire.roles import Role
from tests.core.outboxes import Outboxes
from tests.core.playbook import select, terminal

KIB = 1024
MANY = 6
IDS = [TerminalId(f"t{number}") for number in range(MANY)]
CLAIMS = (TEXT_FALLBACK, PROMPT_NATIVE, SURFACE_NATIVE, CHAT, CHAT_APPENDS)


def editor(id_: str, size: int = 120 * KIB) -> Prompt:
    """An open editor with a text of that size."""
    return Prompt(id=PromptId(id_), method="editor", title="Review the plan", opened_at=1, prefill="x" * size)


def talks(play: Outboxes, id_: TerminalId) -> None:
    """The session on the newest link tells the longest conversation that is kept; every fifth character is a quote, which doubles twice."""
    play.feed(events.TerminalLinked(at=play.at, link=play.link, terminal=replace(terminal(id_), capabilities=("chat",))))
    play.feed(chat.ChatReset(at=play.at, link=play.link, conversation_id=id_, leaf=None, reason="start", more=False))
    before = None
    for number in range(16):
        part = wire_chat.ChatPart("text", 'say "x"\n' * (CHAT_BYTES // 16 // 12))
        row = wire_chat.ChatMessage(id=f"r{number}", kind="assistant", at=1, state="done", parts=(part,))
        play.feed(chat.RowTold(at=play.at, link=play.link, message=row, after=before))
        before = row.id
    play.feed(chat.ChatReady(at=play.at, link=play.link))


def comes(play: Outboxes, client: int, resume: dict[str, str], capabilities: tuple[str, ...] = CLAIMS) -> None:
    """A client says hello and resumes."""
    play.feed(events.ClientConnected(at=play.at, client=ClientId(client), role=Role.CONTROLLER, credential="phone"))
    info = wire.ClientInfo("phone", "web")
    play.says(client, wire.Hello(client=info, protocol=wire.ProtocolRange(1, 1), capabilities=capabilities, resume=resume))


@pytest.fixture
def play() -> Outboxes:
    """Sessions that each hold a conversation of 1 MiB and prompts of 1.2 MiB."""
    made = Outboxes()
    for id_ in IDS:
        made.attach(id_=id_)
        talks(made, id_)
        for number in range(10):
            made.opens(editor(f"{id_}.{number}"))
    return made


def snapshots(play: Outboxes, client: int) -> list[str]:
    return [message.session_id for message in play.got(client, wire.Snapshot)]


def conversations(play: Outboxes, client: int) -> set[str]:
    """Sessions whose conversation a client was told whole."""
    events_ = [message for message in play.inbox[client] if isinstance(message, wire_chat.ChatEvent | wire_chat.ChatFrame)]
    last = [each.session_id for each in events_ if isinstance(each, wire_chat.ChatEvent) or each.index == each.count - 1]
    return set(last)


def test_a_client_that_resumes_many_sessions_gets_one_snapshot_after_the_other(play: Outboxes) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    assert snapshots(play, 1) == IDS[:1], "the others wait until it has read"
    play.reads_everything(1)
    assert snapshots(play, 1) == IDS
    assert [gap.session_id for gap in play.got(1, wire.Gap)] == IDS


def test_a_client_that_asks_for_many_sessions_gets_one_snapshot_after_the_other(play: Outboxes) -> None:
    comes(play, 1, {})
    for id_ in IDS:
        play.says(1, wire.Subscribe(session_id=id_))
    assert snapshots(play, 1) == IDS[:1]
    play.reads_everything(1)
    assert snapshots(play, 1) == IDS


def test_a_client_that_asks_for_many_conversations_gets_one_after_the_other(play: Outboxes) -> None:
    comes(play, 1, {})
    for id_ in IDS:
        play.says(1, wire_chat.ChatSubscribe(session_id=id_))
    assert conversations(play, 1) == set(IDS[:1])
    play.reads_everything(1)
    assert conversations(play, 1) == set(IDS)


def test_sessions_and_conversations_together_fit_and_prompts_are_first(play: Outboxes) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    for id_ in IDS:
        play.says(1, wire_chat.ChatSubscribe(session_id=id_))
    play.reads_everything(1)
    assert (snapshots(play, 1), conversations(play, 1)) == (IDS, set(IDS))
    kinds = [type(message).__name__ for message in play.inbox[1]]
    assert max(place for place, kind in enumerate(kinds) if kind == "Snapshot") < kinds.index("ChatFrame")
    assert play.most < OUTBOX_BYTES


def test_whoever_reads_everything_at_once_waits_for_no_time_to_pass(play: Outboxes) -> None:
    """The kernel may take all of it: nobody falls behind, and nobody catches up."""
    play.behind.add(1)  # so nothing is said of it
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    for id_ in IDS:
        play.boxes.clear()
        play.says(1, wire_chat.ChatSubscribe(session_id=id_))
    turns = 0
    while (wake_at := play.core.wake_at) is not None and wake_at <= play.at.boot:
        play.boxes.clear()
        play.feed(events.TimeIs(at=play.at))
        turns += 1
    assert (snapshots(play, 1), conversations(play, 1)) == (IDS, set(IDS))
    assert turns <= 2 * MANY


def test_what_is_small_comes_at_once() -> None:
    play = Outboxes()
    for number in range(100):
        play.attach(select(f"p{number}"), id_=TerminalId(f"t{number}"))
    comes(play, 1, {f"t{number}": "oldrun:7" for number in range(100)})
    assert len(snapshots(play, 1)) == 100
    assert play.core.wake_at is None
    assert play.most < CHAT_BEHIND_BYTES


def test_nothing_of_a_session_is_told_before_its_snapshot(play: Outboxes) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    play.opens(select("late"))
    assert not play.got(1, wire.ExtensionUIRequest)
    play.reads_everything(1)
    assert "late" in [prompt.id for prompt in play.got(1, wire.Snapshot)[-1].prompts]
    play.opens(select("later"))
    assert [request.id for request in play.got(1, wire.ExtensionUIRequest)] == ["later"]


def test_a_session_that_is_asked_for_again_is_told_nothing_until_its_turn_and_misses_nothing(play: Outboxes) -> None:
    comes(play, 1, {})
    play.says(1, wire.Subscribe(session_id=IDS[-1]))
    cursor = play.got(1, wire.Snapshot)[-1].cursor
    play.says(1, wire.Subscribe(session_id=IDS[-1], since=cursor))
    play.opens(select("meanwhile"))
    assert not play.got(1, wire.ExtensionUIRequest)
    play.reads_everything(1)
    assert [request.id for request in play.got(1, wire.ExtensionUIRequest)] == ["meanwhile"]
    assert not play.got(1, wire.Gap)


def test_who_wants_it_no_more_does_not_get_it(play: Outboxes) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    play.says(1, wire.Unsubscribe(session_id=IDS[2]))
    play.reads_everything(1)
    assert snapshots(play, 1) == [id_ for id_ in IDS if id_ != IDS[2]]


def test_who_is_gone_leaves_nothing_that_waits(play: Outboxes) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    play.leaves(1)
    assert play.core.wake_at is None
    comes(play, 1, {})
    play.reads_everything(1)
    assert snapshots(play, 1) == IDS[:1]


@pytest.mark.parametrize("comes_back", [False, True])
def test_a_session_that_is_switched_off_while_a_client_waits_for_it(play: Outboxes, comes_back: bool) -> None:
    comes(play, 1, {id_: "oldrun:7" for id_ in IDS})
    last = play.link
    play.feed(events.TerminalBye(at=play.at, link=last, reason="off"))
    if comes_back:
        play.attach(select("new"), id_=IDS[-1])
    play.reads_everything(1)
    assert snapshots(play, 1) == (IDS if comes_back else IDS[:-1])
    if not comes_back:
        play.attach(select("new"), id_=IDS[-1])
        assert [request.id for request in play.got(1, wire.ExtensionUIRequest)] == ["new"], "it follows it, as who had its snapshot"
    else:
        assert [prompt.id for prompt in play.got(1, wire.Snapshot)[-1].prompts] == ["new"]


def test_one_conversation_that_never_rests_keeps_nobody_from_the_others(play: Outboxes) -> None:
    """Each time that the client has caught up, the one that was told longest ago is first."""
    play.link = LinkId(1)
    comes(play, 1, {})
    for id_ in IDS[:3]:
        play.says(1, wire_chat.ChatSubscribe(session_id=id_))
    for _ in IDS[1:3]:
        talks(play, IDS[0])
        play.now += 1_000
        assert play.behind == {1}
        play.reads(1, once=True)
    assert conversations(play, 1) == set(IDS[:3])


def test_what_is_given_is_counted_as_it_is_on_the_wire(play: Outboxes) -> None:
    """An estimate that is too small would let an outbox overflow; one that is much too large would make turns of what fits."""
    comes(play, 1, {})
    asks: tuple[wire.ClientMessage, ...] = (wire.Subscribe(session_id=IDS[0], since="x"), wire_chat.ChatSubscribe(session_id=IDS[0]))
    for ask in asks:
        out = play.core.handle(events.ClientSaid(at=play.at, client=ClientId(1), message=ask))
        sent = sum(len(msgspec.json.encode(each.message)) for each in out if isinstance(each, commands.Send))
        assert CHAT_BYTES < sent <= play.core._rooms._given[ClientId(1)] <= 1.5 * sent
