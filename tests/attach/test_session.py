"""Promise: a typed line answers the prompt that was on screen when its first key was typed, or nothing at all."""

from __future__ import annotations

import pytest

from mirrord.attach.answers import Decision
from mirrord.attach.ask import Explain
from mirrord.attach.session import AttachSession, More, Show, Stop
from mirrord.client import Answer
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse, ResponseResult
from tests.cli.prompts import confirm, line_input, select


def session_with(*prompts: ExtensionUIRequest) -> AttachSession:
    session = AttachSession()
    session.replace(prompts)
    return session


def said(decision: Decision | Stop | Show | More) -> str:
    """`ID` of the prompt that is answered, or the explanation."""
    if isinstance(decision, ExtensionUIResponse):
        return decision.id
    assert isinstance(decision, Explain)
    return decision.text


def answer(session: AttachSession, line: str, response_id: str) -> str:
    """What becomes of a line that is typed now; an answer is given."""
    decision = session.finish_line(session.start_line(), line, response_id)
    if isinstance(decision, ExtensionUIResponse):
        session.pending.give(Answer(response_id, decision), now=0.0)
    return said(decision)


def test_the_newest_open_prompt_is_on_screen() -> None:
    session = session_with(select("a"), confirm("b"))
    assert session.current is not None
    assert session.current.id == "b"
    session.opened(line_input("c"))
    assert session.current.id == "c"
    session.settled("c")
    assert session.current.id == "b"


# Each row: what happens between the first key and Enter, and what becomes of the line "1".
@pytest.mark.parametrize(
    ("before", "between", "outcome"),
    [
        (["a"], [], "a"),
        (["a"], ["+b"], "a"),
        (["a"], ["-a"], "settled meanwhile"),
        (["a"], ["-a", "+b"], "settled meanwhile"),
        (["a"], ["+b", "-b"], "a"),
        (["a"], ["+b", "-a"], "settled meanwhile"),
        (["a", "b"], ["-a"], "b"),
        (["a", "b"], ["-b"], "settled meanwhile"),
        ([], [], "Nothing was asked"),
        ([], ["+a"], "Nothing was asked"),
        (["a"], ["=b"], "settled meanwhile"),
        (["a"], ["=a"], "a"),
    ],
)
def test_a_line_belongs_to_its_first_key(before: list[str], between: list[str], outcome: str) -> None:
    session = session_with(*(select(name) for name in before))
    start = session.start_line()
    for change in between:
        kind, name = change[0], change[1]
        if kind == "+":
            session.opened(select(name))
        elif kind == "-":
            session.settled(name)
        else:
            session.replace((select(name),))
    assert outcome in said(session.finish_line(start, "1", "r"))


def test_a_prompt_takes_one_answer_at_a_time() -> None:
    session = session_with(select("a"))
    assert answer(session, "1", "r1") == "a"
    assert "have answered this prompt" in answer(session, "2", "r2")


def test_a_refused_answer_may_be_given_again() -> None:
    session = session_with(select("a"))
    answer(session, "1", "r1")
    session.pending.result(ResponseResult(response_id="r1", id="a", accepted=False, reason="detached"), now=1.0)
    assert answer(session, "1", "r2") == "a"


def test_a_verdict_on_somebody_elses_answer_changes_nothing() -> None:
    session = session_with(select("a"))
    answer(session, "1", "r1")
    session.pending.result(ResponseResult(response_id="other", id="a", accepted=True), now=1.0)
    assert "have answered this prompt" in answer(session, "2", "r2")


@pytest.mark.parametrize("prompts", [(), (select("a"),), (line_input("a"),)])
def test_stop_needs_no_prompt_and_is_no_answer(prompts: tuple[ExtensionUIRequest, ...]) -> None:
    session = session_with(*prompts)
    assert session.finish_line(session.start_line(), " /stop ", "r") == Stop()
    assert session.finish_line(session.start_line(), " /show ", "r") == Show()


def test_more_asks_for_the_options_after_those_on_screen_until_all_are_known() -> None:
    session = session_with(select("a", options=("x", "y"), count=4))
    start = session.start_line()
    assert session.finish_line(start, "/more", "r") == More("a", 2)
    session.paged("a", 2, ("u", "v"))
    assert said(session.finish_line(start, "/more", "r")) == "All options are shown."
    chosen = session.finish_line(start, "v", "r")
    assert isinstance(chosen, ExtensionUIResponse)
    assert chosen.index == 3, "an option of a later page can be typed, also in a line that began before it was shown"


@pytest.mark.parametrize(("prompt_id", "offset"), [("a", 0), ("a", 3), ("gone", 2)])
def test_a_page_that_does_not_follow_changes_nothing(prompt_id: str, offset: int) -> None:
    session = session_with(select("a", options=("x", "y"), count=4))
    session.paged(prompt_id, offset, ("u", "v"))
    assert session.open["a"].options == ("x", "y")


def test_more_is_a_text_for_a_prompt_that_has_no_options() -> None:
    session = session_with(line_input("a"))
    assert answer(session, "/more", "r") == "a"


def test_an_explained_line_leaves_the_prompt_to_be_answered() -> None:
    session = session_with(confirm("a"))
    assert "Type y or n" in answer(session, "what?", "r1")
    assert answer(session, "y", "r2") == "a"


@pytest.mark.parametrize(
    ("open_ids", "ended", "following"),
    [(["a", "b"], "b", "a"), (["a", "b"], "a", None), (["a"], "a", None), ([], "a", None), (["a", "b", "c"], "c", "b")],
)
def test_what_is_shown_again_when_the_prompt_on_screen_ends(open_ids: list[str], ended: str, following: str | None) -> None:
    session = session_with(*(select(name) for name in open_ids))
    shown = session.following(ended)
    assert (shown and shown.id) == following


def test_typing_is_hidden_while_the_line_or_the_screen_belongs_to_a_secret() -> None:
    session = session_with(select("a"))
    plain = session.start_line()
    assert not session.hides(plain)
    assert not session.hides(None)
    session.opened(line_input("b", masked=True))
    secret = session.start_line()
    assert session.hides(plain)
    assert session.hides(None)
    session.settled("b")
    assert session.hides(secret)
    assert not session.hides(plain)
