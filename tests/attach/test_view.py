"""Promise: every message is readable plain text, and nothing that came from outside can move a cursor or set a colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import pytest

from mirrord.attach import view as view
from mirrord.attach.card import card_lines
from mirrord.wire import messages as wire
from tests.cli.prompts import BASE, ask, confirm, editor, line_input, select, session

EVIL = "a\x1b[31mb\x1b]0;title\x07\rc\x9b2J\u202ed\x00e\u200b\x7f"


def text_of(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def test_a_select_shows_numbered_options_and_how_to_answer() -> None:
    assert list(card_lines(select(), may_answer=True)) == [
        "",
        "? Which fruit?",
        "  1  apple",
        "  2  banana",
        "  3  cherry",
        "  Type a number or an option's text; /cancel cancels.",
    ]


def test_numbers_are_aligned() -> None:
    lines = list(card_lines(select(options=tuple("abcdefghij")), may_answer=False))
    assert lines[2] == "   1  a"
    assert lines[-1] == "  10  j"


def test_a_confirm_shows_its_message() -> None:
    lines = list(card_lines(confirm(), may_answer=True))
    assert lines == ["", "? Delete?", "  For ever.", "  Type y or n; /cancel cancels."]


def test_a_masked_input_says_that_typing_is_hidden() -> None:
    assert "not shown while you type" in text_of(card_lines(line_input(masked=True), may_answer=True))
    assert "not shown while you type" not in text_of(card_lines(line_input(), may_answer=True))


def test_who_only_watches_is_not_told_how_to_answer() -> None:
    assert "Type" not in text_of(card_lines(select(), may_answer=False))


def test_cuts_and_deadlines_are_shown() -> None:
    prompt = wire.ExtensionUIRequest(
        session_id="1-1",
        id="p",
        method="select",
        title="t",
        opened_at=1,
        options=("a",),
        option_count=300,
        timeout_at=1_700_000_000_000,
        truncated=(wire.Truncation("options", 1, 300), wire.Truncation("message", 10, 99)),
    )
    shown = text_of(card_lines(prompt, may_answer=True))
    assert "(1 of 300 options; /more shows the next" in shown
    assert "(message is shortened: 10 of 99)" in shown
    assert "(until " in shown


def settled(outcome: wire.Outcome, winner: wire.Winner, **more: str) -> wire.ExtensionUISettled:
    return wire.ExtensionUISettled(session_id="1-1", id="s", outcome=outcome, winner=winner, at=1, **more)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (settled("answered", "terminal", answer="banana"), "= Which fruit?: banana (in the terminal)"),
        (settled("answered", "remote", answer="banana", winner_name="phone"), "= Which fruit?: banana (by phone)"),
        (settled("answered", "remote", winner_name="local"), "= Which fruit?: answered (from this machine)"),
        (settled("answered", "remote"), "= Which fruit?: answered (from another device)"),
        (settled("cancelled", "terminal"), "= Which fruit?: cancelled (in the terminal)"),
        (settled("cancelled", "none"), "= Which fruit?: cancelled (by the extension)"),
        (settled("timed_out", "none"), "= Which fruit?: nobody answered in time"),
        (settled("withdrawn", "none", reason="reload"), "= Which fruit?: no longer answerable (reload)"),
        (settled("withdrawn", "none"), "= Which fruit?: no longer answerable"),
    ],
)
def test_every_end_of_a_prompt_says_how_and_by_whom(message: wire.ExtensionUISettled, line: str) -> None:
    assert list(view.settled_lines(message, select())) == [line]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (wire.ResponseResult(response_id="r", id="s", accepted=True), "was taken"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="settled"), "had ended already"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="invalid", detail="too big"), "does not fit: too big"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="invalid"), "does not fit"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="forbidden"), "may watch but not answer"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="detached"), "link to this Pi is gone"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="busy"), "not taken (busy)"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="terminal_only", detail="Go there."), "Go there. Nothing"),
        (wire.ResponseResult(response_id="r", id="s", accepted=False, reason="terminal_only"), "only be answered at the terminal"),
    ],
)
def test_every_verdict_is_said(result: wire.ResponseResult, words: str) -> None:
    assert words in text_of(view.result_lines(result))


@pytest.mark.parametrize(
    ("state", "age", "words"),
    [
        ("suspended", 125_000, "suspended, its Pi is stopped or does not react, for 2 min"),
        ("detached", 3_000, "out of touch, its Pi lives and its link is gone, for 3 s"),
        ("detached", 900, "out of touch, its Pi lives and its link is gone"),
        ("working", 125_000, "working"),
    ],
)
def test_how_long_nothing_can_come_of_an_answer_is_said(state: wire.State, age: int, words: str) -> None:
    assert view.state_words(session(state=state), now=1 + age) == words


def test_an_answer_without_a_verdict_is_never_called_sent() -> None:
    assert view.unconfirmed_line(select(), session(), 1) == "Your answer to 'Which fruit?' is not confirmed yet; trying again."
    assert view.unconfirmed_line(None, None, 1) == "Your answer is not confirmed yet; trying again."
    stopped = session(state="suspended")
    assert view.unconfirmed_line(None, stopped, 8_001) == (
        "Your answer is not confirmed yet (suspended, its Pi is stopped or does not react, for 8 s); trying again."
    )


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ({"method": "notify", "message": "done\nreally", "notify_type": "warning"}, ["- warning: done", "  really"]),
        ({"method": "notify", "message": "hi"}, ["- notice: hi"]),
        ({"method": "setHiddenThinkingLabel", "hidden_thinking_label": "Pondering"}, ["- hidden thinking: Pondering"]),
        ({"method": "setHiddenThinkingLabel"}, ["- hidden thinking: (cleared)"]),
        ({"method": "setToolsExpanded", "tools_expanded": True}, ["- tools are expanded"]),
        ({"method": "setToolsExpanded", "tools_expanded": False}, ["- tools are collapsed"]),
        (
            {"method": "set_editor_text", "text": "one\ntwo", "paste": False, "source": "plan"},
            ["- plan put this into Pi's editor:", "  │ one", "  │ two"],
        ),
        (
            {"method": "set_editor_text", "text_parts": 3, "paste": True},
            ["- an extension put this at the cursor of Pi's editor: (a long text, which is not shown here)"],
        ),
    ],
)
def test_notifications_are_lines(fields: dict[str, object], lines: list[str]) -> None:
    message = wire.ExtensionUINotification(session_id="1-1", **fields)  # type: ignore[arg-type]
    assert list(view.notification_lines(message)) == lines


def every_kind_of_line(dirty: str) -> Iterable[str]:
    """Every function of the view, with `dirty` in every text that a daemon could send."""
    prompt = wire.ExtensionUIRequest(
        session_id=dirty,
        id=dirty,
        method="select",
        title=dirty,
        opened_at=1,
        message=dirty,
        options=(dirty, dirty),
        placeholder=dirty,
        truncated=(wire.Truncation(dirty, 1, 2),),
        source=dirty,
        terminal_only=dirty,
    )
    yield from card_lines(prompt, may_answer=True)
    yield view.unconfirmed_line(prompt, session(), 1)
    yield from card_lines(editor(prefill=dirty), may_answer=True)
    yield from card_lines(ask(wire.Question("q", dirty, (wire.QuestionOption(dirty, dirty, dirty),)), BASE), may_answer=True)
    yield from card_lines(line_input(), may_answer=True)
    info = session(dirty, name=dirty, cwd=dirty)
    snapshot = wire.Snapshot(
        session_id=dirty,
        cursor="c",
        session=wire.Session(**{**{f: getattr(info, f) for f in info.__struct_fields__}, "notices": (dirty,), "pi_version": dirty}),
        prompts=(),
        statuses=(wire.StatusEntry(dirty, dirty),),
        title=dirty,
        working=wire.Working(False, 1),
    )
    yield from view.snapshot_lines(snapshot, now=1)
    end = wire.ExtensionUISettled(
        session_id=dirty, id="s", outcome="answered", winner="remote", at=1, winner_name=dirty, answer=dirty, reason=dirty
    )
    yield from view.settled_lines(end, prompt)
    yield from view.settled_lines(
        wire.ExtensionUISettled(session_id="s", id="s", outcome="withdrawn", winner="none", at=1, reason=dirty), prompt
    )
    yield from view.result_lines(wire.ResponseResult(response_id="r", id="s", accepted=False, reason="invalid", detail=dirty))
    yield from view.error_lines(wire.Error("malformed", dirty))
    for method in ("notify", "setHiddenThinkingLabel", "set_editor_text"):
        told = wire.ExtensionUINotification(
            session_id="s", method=method, message=dirty, hidden_thinking_label=dirty, text=dirty, source=dirty
        )
        yield from view.notification_lines(told)


def test_no_line_holds_a_control_or_an_invisible_character() -> None:
    for line in every_kind_of_line(EVIL):
        assert not [character for character in line if unicodedata.category(character) in ("Cc", "Cf", "Cs")], repr(line)
