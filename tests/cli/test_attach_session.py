"""Promise: a typed line answers the prompt that was on screen when its first key was typed, or nothing at all."""

from __future__ import annotations

import pytest

from mirrord.cli.attach_answers import Explain
from mirrord.cli.attach_session import AttachSession
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse, ResponseResult
from tests.cli.prompts import confirm, line_input, select


def session_with(*prompts: ExtensionUIRequest) -> AttachSession:
    session = AttachSession()
    session.replace(prompts)
    return session


def said(decision: ExtensionUIResponse | Explain) -> str:
    """`ID` of the prompt that is answered, or the explanation."""
    return decision.id if isinstance(decision, ExtensionUIResponse) else decision.text


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
    assert said(session.finish_line(session.start_line(), "1", "r1")) == "a"
    assert "have answered this prompt" in said(session.finish_line(session.start_line(), "2", "r2"))


def test_a_refused_answer_may_be_given_again() -> None:
    session = session_with(select("a"))
    session.finish_line(session.start_line(), "1", "r1")
    session.verdict(ResponseResult(response_id="r1", id="a", accepted=False, reason="detached"))
    assert said(session.finish_line(session.start_line(), "1", "r2")) == "a"


def test_a_verdict_on_somebody_elses_answer_changes_nothing() -> None:
    session = session_with(select("a"))
    session.finish_line(session.start_line(), "1", "r1")
    session.verdict(ResponseResult(response_id="other", id="a", accepted=True))
    assert session.sent == {"r1": "a"}


def test_an_explained_line_leaves_the_prompt_to_be_answered() -> None:
    session = session_with(confirm("a"))
    assert "Type y or n" in said(session.finish_line(session.start_line(), "what?", "r1"))
    assert said(session.finish_line(session.start_line(), "y", "r2")) == "a"


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
