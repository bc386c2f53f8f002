"""Promise: whatever happens to a prompt of whatever method, terminal, extension and clients see what docs/prompts.md says.

Every cell of tests/e2e/prompt_table.py is played here, on both generations of Pi and in both ways of starting.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

import pytest

from mirrord.wire import messages as wire
from tests.e2e.play import Asked, Play
from tests.e2e.prompt_table import EVENTS, METHODS, PAGE, SECRET, TABLE, Absent, Ends, Never, Row, Stays, page
from tests.e2e.scenes import (
    ANSWER,
    INVALID,
    KEYS,
    OTHER,
    all_finished,
    all_offered,
    all_opened,
    all_shown,
    asked_by_tool,
    begin,
    ended,
    finished,
    go,
    is_open,
    opened,
    press,
    refused,
)
from tests.e2e.stage import stage, until
from tests.harness.exerciser import Record
from tests.harness.pi import ALL, EXERCISER, GENERATIONS, PiKind
from tests.harness.relay import relay

# The extension looks for a daemon at least every 5 s.
BACK = 6.0
# So long that the extension would have said something, had it anything to say.
WHILE = 2.0
# A silent link is given up after 25 s.
LONG = 60.0


@pytest.fixture
def play(shared_play: Play) -> Play:
    begin(shared_play)
    return shared_play


@pytest.fixture
def talk(play: Play) -> Iterator[Play]:
    """For tests in which something is said: an older Pi scrolls with the next tall dialog, which is no matter of the tests that follow."""
    yield play
    asked = opened(play, "select", options=[f"option {number}" for number in range(15)])
    play.stage.pi.keys("escape")
    assert play.value(asked) == "undefined"
    play.stage.pi.wait_gone(asked.prompt.title)


# ---- one dialog at a time ----------------------------------------------------------------------------------------------


def terminal_answers(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method)
    press(play, KEYS[method])
    ended(play, asked, cell)
    play.screen_is_back(asked)


def remote_answers(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method)
    assert play.phone.answer(asked.id, **ANSWER[method]).accepted
    ended(play, asked, cell)
    play.screen_is_back(asked)


def terminal_cancels(play: Play, method: wire.Method, cell: Ends, key: str = "ctrl+c") -> None:
    asked = opened(play, method)
    play.stage.pi.keys(key)
    ended(play, asked, cell)
    play.screen_is_back(asked)


def escape(play: Play, method: wire.Method, cell: Ends) -> None:
    terminal_cancels(play, method, cell, "escape")


def remote_cancels(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method)
    assert play.phone.answer(asked.id, cancelled=True).accepted
    ended(play, asked, cell)
    play.screen_is_back(asked)


def timeout(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method, timeout=700)
    assert asked.prompt.timeout_at == asked.prompt.opened_at + 1000
    ended(play, asked, cell)
    play.screen_is_back(asked)


def aborted_by_its_signal(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method, abortAfter=300)
    ended(play, asked, cell)
    play.screen_is_back(asked)


def late(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method)
    press(play, KEYS[method])
    verdict = ended(play, asked, cell)
    for remote, answer in ((play.phone, ANSWER[method]), (play.tablet, {"cancelled": True})):
        result = remote.answer(asked.id, **answer)
        refused(result, "settled")
        assert result.settled == verdict
    assert ended(play, asked, cell) == verdict
    play.screen_is_back(asked)


def two_remotes(play: Play, method: wire.Method, cell: Ends) -> None:
    asked = opened(play, method)
    other, value, shown = OTHER[method]
    # Pi stands still until both answers are there.
    play.stage.pi_signal(signal.SIGSTOP)
    try:
        answers = play.phone.put_answer(asked.id, **ANSWER[method]), play.tablet.put_answer(asked.id, **other)
    finally:
        play.stage.pi_signal(signal.SIGCONT)
    first, second = play.phone.result(answers[0]), play.tablet.result(answers[1])
    won, lost = (first, second) if first.accepted else (second, first)
    assert won.accepted
    refused(lost, "settled")
    assert lost.settled == won.settled
    if won is first:
        assert ended(play, asked, cell) == won.settled
    else:
        assert play.value(asked) == value
        assert play.everybody_is_told(asked, "answered", "remote", by="tablet", answer=shown) == won.settled
    play.screen_is_back(asked)


ALONE: Final[Mapping[str, Callable[[Play, wire.Method, Ends], None]]] = {
    "terminal_answers": terminal_answers,
    "remote_answers": remote_answers,
    "terminal_cancels": terminal_cancels,
    "escape": escape,
    "remote_cancels": remote_cancels,
    "timeout": timeout,
    "signal": aborted_by_its_signal,
    "late": late,
    "two_remotes": two_remotes,
}
TRIED: Final[Mapping[str, Callable[[wire.Method], Mapping[str, object]]]] = {
    "remote_answers": ANSWER.__getitem__,
    "remote_cancels": lambda _: {"cancelled": True},
    "invalid": INVALID.__getitem__,
    "two_remotes": ANSWER.__getitem__,
}
"""Answers that some methods refuse."""


def is_refused(play: Play, method: wire.Method, answer: Mapping[str, object], reason: wire.RefusalReason) -> None:
    asked = opened(play, method)
    for remote in (play.phone, play.tablet):
        refused(remote.answer(asked.id, **answer), reason)  # type: ignore[arg-type] # a table of keywords
    play.still_open(asked)
    finished(play, asked)
    play.screen_is_back(asked)


def is_not_offered(play: Play, method: wire.Method, event: str) -> None:
    """Whatever the extension passes: there is no countdown, and no signal that would end it."""
    asked = opened(play, method, **({"timeout": 700} if event == "timeout" else {"abortAfter": 100}))
    assert (asked.prompt.timeout, asked.prompt.timeout_at) == (None, None)
    finished(play, asked)
    play.screen_is_back(asked)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("event", [*ALONE, "invalid"])
def test_one_prompt(play: Play, event: str, method: wire.Method) -> None:
    match TABLE[event].row[method]:
        case Ends() as cell:
            ALONE[event](play, method, cell)
        case Stays(refused=reason):
            assert reason is not None
            is_refused(play, method, TRIED[event](method), reason)
        case Absent():
            is_not_offered(play, method, event)


# ---- the session changes under all of them -------------------------------------------------------------------------------


def conversation(play: Play) -> str:
    """The file of the conversation, which Pi has written because somebody said something in it."""
    play.rest()
    count = play.results("t-file") + 1
    play.stage.pi.line("hello")
    until(lambda: play.session.status.state == "your_turn", 10, "the turn does not end")
    play.stage.run("t-file")
    file = play.stage.log.result("t-file", count=count).value
    assert isinstance(file, str)
    return file


@pytest.mark.parametrize("event", ["reload", "new", "resume", "fork"])
def test_the_session_changes(talk: Play, event: str) -> None:
    play = talk
    file = conversation(play)
    before = play.session.conversation_id
    if event == "resume":
        play.rest()
        play.stage.pi.line("/new")
        until(lambda: play.session.conversation_id != before, BACK, "no new conversation")
        before = play.session.conversation_id
    asked = all_opened(play, then=event, file=file)
    starts = len(started(play, event))
    go(play)
    row_holds(play, asked, TABLE[event].row)
    until(lambda: len(started(play, event)) > starts, BACK, "the session does not start anew")
    until(lambda: play.session.status.state not in ("detached", "waiting"), BACK, "the next generation does not come")
    until(lambda: (play.session.conversation_id == before) == (event == "reload"), BACK, "it is the wrong conversation")
    play.rest()
    assert all(one.prompt.title not in play.stage.pi.screen_text() for one in asked.values())
    # After /fork Pi has put back into the editor what the person had said there.
    play.stage.pi.keys("ctrl+u")
    # The first dialogs scroll the screen of an older Pi, so it is not what it was.
    first = opened(play, "select")
    press(play, KEYS["select"])
    ended(play, first, ends("terminal_answers", "select"))
    second = opened(play, "editor")
    assert play.phone.answer(second.id, **ANSWER["editor"]).accepted
    ended(play, second, ends("remote_answers", "editor"))
    play.stage.pi.wait_gone(second.prompt.title)
    # Nothing came of the old promises meanwhile.
    assert [record for record in play.stage.log.records() if record.event == "result" and record.id == asked["select"].run] == []


def started(play: Play, reason: str) -> list[Record]:
    """Each time that the session started for that reason."""
    return [record for record in play.stage.log.records() if (record.event, record.reason) == ("session_start", reason)]


def ends(event: str, method: wire.Method) -> Ends:
    cell = TABLE[event].row[method]
    assert isinstance(cell, Ends)
    return cell


def row_holds(play: Play, asked: Mapping[wire.Method, Asked], row: Row) -> None:
    """Each prompt ended as its cell says, or is open; who answers one that ended is told how."""
    for method, one in asked.items():
        cell = row[method]
        if isinstance(cell, Ends):
            verdict = ended(play, one, cell)
            assert play.tablet.answer(one.id, cancelled=True).settled == verdict
        else:
            assert is_open(play, one)


# ---- the turn ends under all of them -------------------------------------------------------------------------------------


def test_a_remote_stops_the_turn(talk: Play) -> None:
    play = talk
    asked = asked_by_tool(play, *METHODS)
    play.phone.send(wire.Command(request_id="stop", name="stop_turn", args={"sessionId": play.stage.session_id}))
    assert play.phone.wait(wire.CommandResult).ok
    row_holds(play, asked, TABLE["stop"].row)
    play.stage.pi.wait_for(asked["custom"].prompt.title)
    finished(play, asked["custom"])
    until(lambda: play.session.status.state == "your_turn", 10, "the turn does not end")


@pytest.mark.parametrize("methods", [("select",), ("confirm", "input", "ask"), ("editor",), ("custom",)], ids="-".join)
def test_the_turn_is_aborted_in_pi(talk: Play, methods: tuple[wire.Method, ...]) -> None:
    play = talk
    asked = asked_by_tool(play, *methods)
    go(play, "abort")
    if isinstance(TABLE["abort"].row[methods[0]], Stays):
        play.rest()
    row_holds(play, asked, TABLE["abort"].row)
    for one in asked.values():
        if is_open(play, one):
            finished(play, one)
    until(lambda: play.session.status.state == "your_turn", 10, "the turn does not end")
    play.stage.pi.wait_gone(asked[methods[-1]].prompt.title)


# ---- what stands between them breaks ---------------------------------------------------------------------------------------


def pi_stopped(play: Play) -> None:
    asked = all_opened(play)
    play.stage.pi_signal(signal.SIGSTOP)
    try:
        until(lambda: play.session.status.state == "suspended", BACK, "nobody noticed that Pi stands still")
        answer = play.phone.put_answer(asked["ask"].id, **ANSWER["ask"])
        assert all(is_open(play, one) for one in asked.values())
        assert play.phone.all(wire.ResponseResult) == []
    finally:
        play.stage.pi_signal(signal.SIGCONT)
    assert play.phone.result(answer).accepted
    ended(play, asked.pop("ask"), ends("remote_answers", "ask"))
    until(lambda: play.session.status.state == "waiting", BACK, "nobody noticed that Pi goes on")
    all_finished(play, asked)


def daemon_killed(play: Play) -> None:
    asked = all_opened(play)
    play.stage.daemon.end(signal.SIGKILL)
    play.phone.wait_lost()
    press(play, KEYS["custom"])
    play.restart()
    assert [play.offered(one.prompt.title) for one in asked.values() if one.name != "custom"] == [
        one.prompt for one in asked.values() if one.name != "custom"
    ]
    meanwhile = asked.pop("custom")
    assert play.value(meanwhile) == ends("terminal_answers", "custom").value
    refused(play.phone.answer(meanwhile.id, cancelled=True), "settled")
    all_finished(play, asked)


def daemon_stopped(play: Play) -> None:
    asked = all_opened(play)
    with standing_still(play, asked, WHILE):
        answer = play.phone.put_answer(asked["ask"].id, **ANSWER["ask"])
    assert play.phone.result(answer).accepted
    ended(play, asked.pop("custom"), ends("terminal_answers", "custom"))
    ended(play, asked.pop("ask"), ends("remote_answers", "ask"))
    all_finished(play, asked)


@contextmanager
def standing_still(play: Play, asked: Mapping[wire.Method, Asked], seconds: float) -> Iterator[None]:
    """The daemon stands still; the terminal is used all the same, and answers what is seen."""
    play.stage.daemon.signal(signal.SIGSTOP)
    try:
        press(play, KEYS["custom"])
        assert play.value(asked["custom"]) == ends("terminal_answers", "custom").value
        play.stage.pi.settle(seconds, 2 * seconds)
        yield
    finally:
        play.stage.daemon.signal(signal.SIGCONT)


def link_cut(play: Play) -> None:
    # Pi is to find the relay, and not the daemon before the relay stands.
    play.stage.pi_signal(signal.SIGSTOP)
    with ExitStack() as stack:
        try:
            play.stage.daemon.end(signal.SIGKILL)
            play.stage.daemon.start()
            link = stack.enter_context(relay(play.stage.daemon.paths.bridge_socket))
        finally:
            play.stage.pi_signal(signal.SIGCONT)
        play.connect()
        asked = all_opened(play)
        link.cut()
        until(lambda: play.session.status.state == "detached", BACK, "the cut was not noticed")
        for method, one in asked.items():
            assert is_open(play, one)
            cell = TABLE["link_cut"].row[method]
            assert isinstance(cell, Stays)
            assert cell.refused is not None
            refused(play.phone.answer(one.id, **ANSWER[method]), cell.refused)
        link.mend()
        until(lambda: play.session.status.state == "waiting", BACK, "the extension does not come back")
        all_finished(play, asked)


def no_daemon(play: Play) -> None:
    play.stage.daemon.end()
    name, like = all_shown(play)
    play.stage.daemon.start()
    until(lambda: [session.open_prompts for session in play.stage.sessions()] == [len(METHODS)], BACK, "the prompts were not offered")
    play.connect()
    all_finished(play, all_offered(play, name, like))


BREAKS: Final[Mapping[str, Callable[[Play], None]]] = {
    "pi_stopped": pi_stopped,
    "daemon_killed": daemon_killed,
    "daemon_stopped": daemon_stopped,
    "link_cut": link_cut,
    "no_daemon": no_daemon,
}


@pytest.mark.parametrize("event", list(BREAKS))
def test_a_break_keeps_every_prompt(play: Play, event: str) -> None:
    assert all(isinstance(cell, Stays) for cell in TABLE[event].row.values())
    BREAKS[event](play)


@pytest.mark.soak
@pytest.mark.timeout(180)
def test_a_daemon_that_stands_still_for_a_minute_keeps_every_prompt(play: Play) -> None:
    asked = all_opened(play)
    with standing_still(play, asked, LONG):
        pass
    # By now every connection was given up.
    play.connect()
    until(lambda: play.session.status.state == "waiting", BACK, "the extension does not come back")
    ended_meanwhile = asked.pop("custom")
    until(lambda: not is_open(play, ended_meanwhile), BACK, "what ended meanwhile is still open")
    refused(play.phone.answer(ended_meanwhile.id, cancelled=True), "settled")
    all_finished(play, asked)


# ---- Pi ends under all of them -------------------------------------------------------------------------------------------


@contextmanager
def own_play(kind: PiKind) -> Iterator[Play]:
    """A Pi that may be killed."""
    with stage(kind, "-e", extensions=(EXERCISER, ALL)) as here:
        yield Play(here)


@pytest.mark.parametrize("event", ["pi_killed", "terminal_closed"])
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_pi_ends(kind: PiKind, event: str) -> None:
    with own_play(kind) as play:
        asked = all_opened(play)
        if event == "pi_killed":
            play.stage.pi_signal(signal.SIGKILL)
        else:
            play.stage.pi.hang_up()
        row_holds(play, asked, TABLE[event].row)
        until(lambda: play.session.status.state == "ended", BACK, "the session has not ended")
        assert not [record for record in play.stage.log.records() if record.event == "result"]


# ---- the table itself ----------------------------------------------------------------------------------------------------

PLAYED: Final = {*ALONE, "invalid", "reload", "new", "resume", "fork", "stop", "abort", *BREAKS, "pi_killed", "terminal_closed"}


def test_every_row_is_whole_and_is_played() -> None:
    assert {event.name for event in EVENTS} == PLAYED
    assert all(tuple(event.row) == METHODS for event in EVENTS)
    assert all(cell.value is not None for event in EVENTS for cell in event.row.values() if isinstance(cell, Ends))
    assert {Never.PENDING, Never.GONE} == {
        cell.value for event in EVENTS for cell in event.row.values() if isinstance(cell, Ends) and isinstance(cell.value, Never)
    }


def test_the_page_is_current_and_holds_no_secret() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.e2e.prompt_table"
    assert SECRET not in page()
