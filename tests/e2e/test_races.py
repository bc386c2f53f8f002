"""Promise: whoever answers first wins, the extension gets that answer, everybody is told who it was, and nothing is left on the screen.

On both generations of Pi, with our extension loaded at the start and attached to a Pi that ran already.
"""

from __future__ import annotations

import signal
from typing import Any

import pytest

from mirrord.wire.messages import Method, ResponseResult, Verdict
from tests.e2e.play import Asked, Play

FRUIT = ("apple", "banana", "cherry")
SECRET = "Ada-7f3c"

# A method, the keys that answer it, the answer that a remote gives, the value of the promise, and how it is told to others.
Keys = tuple[str, ...]
Case = tuple[Method, Keys, dict[str, Any], object, str | None]
CASES: tuple[Case, ...] = (
    ("select", ("down", "enter"), {"index": 1}, "banana", "banana"),
    ("confirm", ("enter",), {"confirmed": True}, True, "Yes"),
    ("confirm", ("down", "enter"), {"confirmed": False}, False, "No"),
    ("input", (*SECRET, "enter"), {"value": SECRET}, SECRET, None),
)
NAMES = ("select", "confirm-yes", "confirm-no", "input")
METHODS: tuple[Method, ...] = ("select", "confirm", "input")
CANCELLED: dict[Method, object] = {"select": "undefined", "confirm": False, "input": "undefined"}
GOOD: dict[Method, dict[str, Any]] = {"select": {"index": 2}, "confirm": {"confirmed": True}, "input": {"value": SECRET}}


def press(play: Play, keys: Keys) -> None:
    for key in keys:
        if len(key) == 1:
            play.stage.pi.send(key)
        else:
            play.stage.pi.keys(key)


def late(play: Play, asked: Asked, verdict: Verdict) -> None:
    """An answer that comes now is told how the prompt ended, and changes nothing."""
    result = play.tablet.answer(asked.id, **GOOD[asked.prompt.method])
    assert result == ResponseResult(
        response_id=result.response_id, id=asked.id, accepted=False, reason="settled", winner=verdict.winner, settled=verdict
    )


@pytest.mark.parametrize(("method", "keys", "_answer", "value", "shown"), CASES, ids=NAMES)
def test_the_terminal_answers_first(play: Play, method: Method, keys: Keys, _answer: Any, value: object, shown: str | None) -> None:
    asked = play.ask(method)
    press(play, keys)
    assert play.value(asked) == value
    verdict = play.everybody_is_told(asked, "answered", "terminal", answer=shown)
    play.screen_is_back(asked)
    late(play, asked, verdict)
    play.screen_is_back(asked)


@pytest.mark.parametrize(("method", "_keys", "answer", "value", "shown"), CASES, ids=NAMES)
def test_a_remote_answers_first(play: Play, method: Method, _keys: Keys, answer: dict[str, Any], value: object, shown: str | None) -> None:
    asked = play.ask(method)
    result = play.phone.answer(asked.id, **answer)
    assert play.value(asked) == value
    verdict = play.everybody_is_told(asked, "answered", "remote", by="phone", answer=shown)
    assert result == ResponseResult(response_id=result.response_id, id=asked.id, accepted=True, winner="remote", settled=verdict)
    play.screen_is_back(asked)
    late(play, asked, verdict)
    play.screen_is_back(asked)


def test_what_is_typed_freely_is_told_to_nobody(play: Play) -> None:
    for answer in ("terminal", "remote"):
        asked = play.ask("input", title=f"Who, asks {answer}?")
        if answer == "terminal":
            press(play, (*SECRET, "enter"))
        else:
            play.phone.answer(asked.id, value=SECRET)
        assert play.value(asked) == SECRET
        play.everybody_is_told(
            asked, "answered", "terminal" if answer == "terminal" else "remote", by="phone" if answer == "remote" else None
        )
    assert all(SECRET not in text for remote in play.everybody for text in remote.texts)
    written = [file for folder in ("run", "state", "data", "config", "cache") for file in (play.stage.home.root / folder).rglob("*")]
    files = [file for file in (*written, play.stage.home.root / "daemon.out") if file.is_file()]
    assert files
    assert [file for file in files if SECRET.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("method", METHODS)
def test_cancelled_at_the_terminal(play: Play, method: Method) -> None:
    assert "confirm:no-or-escape" in play.session.capabilities
    asked = play.ask(method)
    play.stage.pi.keys("escape")
    assert play.value(asked) == CANCELLED[method]
    verdict = play.everybody_is_told(asked, "cancelled", "terminal")
    play.screen_is_back(asked)
    late(play, asked, verdict)


@pytest.mark.parametrize("method", METHODS)
def test_cancelled_by_a_remote(play: Play, method: Method) -> None:
    asked = play.ask(method)
    assert play.phone.answer(asked.id, cancelled=True).accepted
    assert play.value(asked) == CANCELLED[method]
    verdict = play.everybody_is_told(asked, "cancelled", "remote", by="phone")
    play.screen_is_back(asked)
    late(play, asked, verdict)


@pytest.mark.parametrize("method", METHODS)
def test_of_two_remotes_at_once_one_is_accepted_and_the_other_told_who(play: Play, method: Method) -> None:
    answers: dict[Method, tuple[dict[str, Any], dict[str, Any]]] = {
        "select": ({"index": 1}, {"index": 2}),
        "confirm": ({"confirmed": True}, {"confirmed": False}),
        "input": ({"value": "from the phone"}, {"value": "from the tablet"}),
    }
    values: dict[Method, tuple[object, object]] = {
        "select": ("banana", "cherry"),
        "confirm": (True, False),
        "input": ("from the phone", "from the tablet"),
    }
    asked = play.ask(method)
    # Pi stands still until both answers are there.
    play.stage.pi_signal(signal.SIGSTOP)
    phones = play.phone.put_answer(asked.id, **answers[method][0])
    tablets = play.tablet.put_answer(asked.id, **answers[method][1])
    play.stage.pi_signal(signal.SIGCONT)
    results = play.phone.result(phones), play.tablet.result(tablets)
    winner = 0 if results[0].accepted else 1
    assert [result.accepted for result in results] == [winner == 0, winner == 1]
    assert play.value(asked) == values[method][winner]
    shown = {True: "Yes", False: "No"}.get(values[method][winner] is True, "") if method == "confirm" else values[method][winner]
    verdict = play.everybody_is_told(
        asked, "answered", "remote", by=("phone", "tablet")[winner], answer=None if method == "input" else str(shown)
    )
    assert results[1 - winner].reason == "settled"
    assert [result.settled for result in results] == [verdict, verdict]
    play.screen_is_back(asked)


def test_terminal_and_remote_at_once_have_one_winner_who_is_the_one_told(play: Play) -> None:
    asked = play.ask("select")
    play.stage.pi_signal(signal.SIGSTOP)
    press(play, ("down", "enter"))
    answer = play.phone.put_answer(asked.id, index=2)
    play.stage.pi_signal(signal.SIGCONT)
    result = play.phone.result(answer)
    value = play.value(asked)
    if result.accepted:
        assert value == "cherry"
        play.everybody_is_told(asked, "answered", "remote", by="phone", answer="cherry")
    else:
        assert value == "banana"
        assert result.settled == play.everybody_is_told(asked, "answered", "terminal", answer="banana")
    # Keys that came after the remote's answer are in the editor, where the person typed them.
    play.stage.pi.wait_gone(asked.prompt.title)


def test_the_same_answer_twice_gets_the_same_verdict_twice(play: Play) -> None:
    asked = play.ask("select")
    first = play.phone.answer(asked.id, index=1)
    play.phone.put_answer(asked.id, index=1, response_id=first.response_id)
    play.phone.subscribe(play.stage.session_id)
    results = play.phone.all(ResponseResult, lambda result: result.response_id == first.response_id)
    assert results == [first, first]
    assert first.accepted
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")


def test_who_may_only_watch_cannot_answer(play: Play) -> None:
    asked = play.ask("select")
    result = play.wall.answer(asked.id, index=1)
    assert (result.accepted, result.reason) == (False, "forbidden")
    play.still_open(asked)
    assert play.owner.answer(asked.id, index=0).accepted
    play.everybody_is_told(asked, "answered", "remote", by="local", answer="apple")
