"""Promise: an answer is tried again under its id until it has a true verdict, and never more often or for longer than said."""

from __future__ import annotations

import pytest

from mirrord.client.content import Answer
from mirrord.client.pending import (
    RETRY_SECONDS,
    SOON_SECONDS,
    UNKNOWN_SECONDS,
    Action,
    Decided,
    Ignored,
    NotConfirmed,
    Pending,
    Send,
)
from mirrord.wire.messages import ExtensionUIResponse, RefusalReason, ResponseResult

ANSWER = Answer("r", ExtensionUIResponse(id="p", response_id="r", index=1))


def result(reason: RefusalReason | None = None, response_id: str = "r") -> ResponseResult:
    return ResponseResult(response_id=response_id, id="p", accepted=reason is None, reason=reason)


def play(*steps: str | tuple[float, str]) -> tuple[list[str], Pending]:
    """What a client is told to do when this happens at these seconds: a word for each action."""
    pending = Pending()
    told: list[str] = []
    for step in steps:
        at, what = step if isinstance(step, tuple) else (0.0, step)
        told += [f"{at:g} {word}" for word in happen(pending, what, at)]
    return told, pending


def happen(pending: Pending, what: str, at: float) -> list[str]:
    match what.split():
        case ["give"]:
            return words(pending.give(ANSWER, at))
        case ["tick"]:
            return words(pending.tick(at))
        case ["lost"]:
            pending.lost()
            return []
        case ["back"]:
            return words(pending.back(at))
        case ["accepted"]:
            return verdict(pending.result(result(), at))
        case ["refused", reason]:
            return verdict(pending.result(ResponseResult(response_id="r", id="p", accepted=False, reason=reason), at))  # type: ignore[arg-type]
        case _:
            raise ValueError(what)


def words(actions: list[Action]) -> list[str]:
    return ["not confirmed" if isinstance(action, NotConfirmed) else "send" for action in actions]


def verdict(decided: Decided | Ignored | None) -> list[str]:
    match decided:
        case Decided(result=said, certain=certain):
            return [("accepted" if said.accepted else str(said.reason)) if certain else "never known"]
        case Ignored():
            return []
        case None:
            return ["not ours"]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (["give", (1, "accepted")], ["0 send", "1 accepted"]),
        (["give", (4.9, "tick")], ["0 send"]),
        (["give", (5, "tick")], ["0 send", "5 not confirmed", "5 send"]),
        (["give", (5, "tick"), (9.9, "tick"), (10, "tick")], ["0 send", "5 not confirmed", "5 send", "10 send"]),
        (["give", (5, "tick"), (6, "accepted"), (10, "tick")], ["0 send", "5 not confirmed", "5 send", "6 accepted"]),
        (["give", (1, "lost"), (2, "back"), (2.5, "accepted")], ["0 send", "2 send", "2.5 accepted"]),
        (["give", (1, "lost"), (5, "tick"), (20, "tick"), (21, "back")], ["0 send", "5 not confirmed", "21 send"]),
        (["lost", (1, "give"), (2, "back"), (3, "accepted")], ["2 send", "3 accepted"]),
        (["lost", (1, "give"), (6, "tick"), (7, "back")], ["6 not confirmed", "7 send"]),
        (["give", "give"], ["0 send", "0 send"]),
        (["give", (1, "accepted"), (1, "accepted")], ["0 send", "1 accepted", "1 not ours"]),
    ],
)
def test_when_an_answer_goes_out(steps: list[str | tuple[float, str]], told: list[str]) -> None:
    assert play(*steps)[0] == told


@pytest.mark.parametrize("reason", ["settled", "invalid", "forbidden", "terminal_only", "unknown", "detached", "busy"])
def test_every_refusal_of_the_only_attempt_is_the_verdict(reason: RefusalReason) -> None:
    told, pending = play("give", (1, f"refused {reason}"))
    assert told == ["0 send", f"1 {reason}"]
    assert len(pending) == 0


@pytest.mark.parametrize("reason", ["settled", "invalid", "forbidden", "terminal_only"])
def test_the_terminals_ruling_is_the_verdict_of_every_attempt(reason: RefusalReason) -> None:
    told, _ = play("give", (1, "lost"), (2, "back"), (3, f"refused {reason}"))
    assert told[-1] == f"3 {reason}"


@pytest.mark.parametrize("reason", ["unknown", "detached", "busy"])
def test_a_later_attempt_that_cannot_be_passed_on_says_nothing_about_the_first(reason: RefusalReason) -> None:
    told, pending = play("give", (1, "lost"), (2, "back"), (3, f"refused {reason}"))
    assert told == ["0 send", "2 send"]
    assert pending.waits_for("p")
    assert pending.next_at == 3 + SOON_SECONDS
    assert words(pending.tick(3 + SOON_SECONDS)) == ["send"]
    assert verdict(pending.result(result(), 5.0)) == ["accepted"]


@pytest.mark.parametrize("before", [("lost", "give", "back"), ("lost", "back", "give")], ids=["given-while-away", "given-just-after"])
def test_a_daemon_that_was_just_met_knows_no_prompt_yet(before: tuple[str, ...]) -> None:
    told, pending = play(*before, "refused unknown", (SOON_SECONDS, "tick"), (SOON_SECONDS, "refused settled"))
    assert told == ["0 send", f"{SOON_SECONDS:g} send", f"{SOON_SECONDS:g} settled"]
    assert len(pending) == 0
    told, _ = play(*before, "refused detached")
    assert told == ["0 send", "0 detached"]


def test_a_daemon_that_never_hears_of_the_prompt_ends_the_wait() -> None:
    _, pending = play("give", (1, "lost"), (2, "back"), (3, "refused unknown"))
    assert happen(pending, "refused unknown", 3 + UNKNOWN_SECONDS - 0.1) == []
    assert happen(pending, "refused unknown", 3 + UNKNOWN_SECONDS) == ["never known"]
    assert len(pending) == 0


@pytest.mark.parametrize("between", ["refused detached", "back"])
def test_a_sign_of_the_prompt_or_another_daemon_begins_that_wait_anew(between: str) -> None:
    _, pending = play("give", (1, "lost"), (2, "back"), (3, "refused unknown"), (10, between), (11, "refused unknown"))
    assert happen(pending, "refused unknown", 3 + UNKNOWN_SECONDS) == []
    assert happen(pending, "refused unknown", 11 + UNKNOWN_SECONDS) == ["never known"]


def due(pending: Pending) -> float | None:
    return pending.next_at


def test_the_clock_is_asked_for_exactly_when_something_is_due() -> None:
    pending = Pending()
    assert due(pending) is None
    pending.give(ANSWER, 1.0)
    assert due(pending) == 1 + RETRY_SECONDS
    pending.lost()
    assert due(pending) == 1 + RETRY_SECONDS
    pending.tick(1 + RETRY_SECONDS)
    assert due(pending) is None, "told, and nothing can be sent"
    pending.back(20.0)
    assert due(pending) == 20 + RETRY_SECONDS


def test_answers_do_not_touch_each_other() -> None:
    pending = Pending()
    other = Answer("r2", ExtensionUIResponse(id="p2", response_id="r2", confirmed=True))
    pending.give(ANSWER, 0.0)
    assert pending.give(other, 2.0) == [Send(other)]
    assert pending.tick(5.0) == [NotConfirmed("r", "p"), Send(ANSWER)]
    assert verdict(pending.result(result(), 6.0)) == ["accepted"]
    assert not pending.waits_for("p")
    assert pending.waits_for("p2")
    assert pending.tick(7.0) == [NotConfirmed("r2", "p2"), Send(other)]
