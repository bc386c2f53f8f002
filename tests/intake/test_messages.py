"""Promise: no dirty text passes intake; what is typed freely does not pass at all; ids, places and counts do not change on the way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import messages as said
from bridge.limits import OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES
from mirrord.core import events
from mirrord.core.model import LinkId, Moment, Prompt, Settlement
from mirrord.intake import Intake, prompts
from mirrord.wire.messages import Truncation

LINK = LinkId(1)
NOW = Moment(wall=5, boot=5.0)
DIRTY = "\x1b[31mred\x1b[0m \x1b]8;;https://evil\x07link\x1b]8;;\x07 \u202egnp.exe\x07\u200b"
CLEAN = "red link gnp.exe"
FORBIDDEN = set(map(chr, [*range(0x20), 0x7F, *range(0x80, 0xA0), 0x202E, 0x2066, 0x200B])) - {"\n"}


def take(message: said.FromExtension) -> Any:
    return Intake(LINK).event(message, NOW)


def opened(**fields: Any) -> Prompt:
    return prompts.prompt(said.Prompt(**{"id": "p", "method": "select", "title": "t", "opened_at": 1, **fields}))


def settled(**fields: Any) -> Settlement:
    base: dict[str, Any] = {"seq": 1, "id": "p", "outcome": "answered", "winner": "terminal", "at": 9}
    event = take(said.PromptSettled(**{**base, **fields}))
    assert isinstance(event, events.PromptSettled)
    return event.settlement


HELLO = said.Hello(
    seq=1,
    protocol=said.ProtocolRange(1, 1),
    bridge=said.BridgeInfo("0.1.0", "/x", 2),
    terminal=said.TerminalInfo("4711-9", 4711, "9", "tui", "1.6.0", "v22"),
    conversation=said.Conversation("c", "/home/" + DIRTY, name=DIRTY),
    reason="startup",
    capabilities=("prompt:select",),
)


def test_a_hello_becomes_a_terminal_with_clean_texts() -> None:
    event = take(HELLO)
    assert isinstance(event, events.TerminalLinked)
    terminal = event.terminal
    assert (terminal.id, terminal.pid, terminal.generation, terminal.pi_version) == ("4711-9", 4711, 2, "1.6.0")
    assert (terminal.cwd, terminal.name) == (f"/home/{CLEAN}", CLEAN)


@pytest.mark.parametrize(
    ("message", "kind", "fields"),
    [
        (said.ResyncBegin(seq=1), events.ResyncBegan, {}),
        (said.ResyncEnd(seq=1), events.ResyncEnded, {}),
        (said.Notification(seq=1, message=DIRTY, notify_type="error"), events.Notified, {"message": CLEAN, "level": "error"}),
        (said.Status(seq=1, key=DIRTY, text=DIRTY), events.StatusSet, {"key": CLEAN, "text": CLEAN}),
        (said.Status(seq=1, key="k", text=None), events.StatusSet, {"key": "k", "text": None}),
        (said.Status(seq=1, key="k", text="\x1b[0m"), events.StatusSet, {"key": "k", "text": None}),
        (said.Title(seq=1, title=DIRTY), events.TitleSet, {"title": CLEAN}),
        (said.Title(seq=1, title=None), events.TitleSet, {"title": None}),
        (
            said.Activity(seq=1, working=True, cause="agent_start", at=3),
            events.ActivityChanged,
            {"working": True, "cause": "agent_start", "since": 3},
        ),
        (
            said.ConversationChanged(seq=1, conversation=said.Conversation("c2", "/x", DIRTY)),
            events.ConversationChanged,
            {"conversation_id": "c2", "cwd": "/x", "name": CLEAN},
        ),
        (
            said.ResponseRejected(seq=1, response_id="a/b", id="p", reason="invalid"),
            events.ResponseRejected,
            {"prompt": "p", "response": "a/b", "reason": "invalid"},
        ),
        (said.Bye(seq=1, reason="quit"), events.TerminalBye, {"reason": "quit"}),
    ],
)
def test_each_message_becomes_its_event(message: said.FromExtension, kind: type[events.FromLink], fields: dict[str, object]) -> None:
    event = take(message)
    assert isinstance(event, kind)
    assert event.link == LINK
    assert {name: getattr(event, name) for name in fields} == fields


def test_what_concerns_only_the_link_is_no_event() -> None:
    assert take(said.Ping(seq=1, n=1)) is None
    assert take(said.Pong(seq=1, n=1)) is None


def test_a_prompt_keeps_the_lines_of_its_title_and_loses_everything_dirty() -> None:
    prompt = opened(title=f"Dangerous command:\n\n  {DIRTY}\n\nAllow?", options=(DIRTY, "b"), message=DIRTY, placeholder=DIRTY)
    assert prompt.title == f"Dangerous command:\n\n  {CLEAN}\n\nAllow?"
    assert (prompt.options, prompt.message, prompt.placeholder) == ((CLEAN, "b"), CLEAN, CLEAN)
    assert prompt.truncated == ()


def test_options_keep_their_places_even_when_they_are_empty_or_equal() -> None:
    assert opened(options=("\x1b[0m", "same", "same", "last")).options == ("", "same", "same", "last")


def test_options_past_the_limit_are_counted_and_cut_at_the_end_only() -> None:
    at_limit = opened(options=tuple(map(str, range(OPTIONS_SENT))), option_count=OPTIONS_SENT)
    assert (len(at_limit.options), at_limit.truncated) == (OPTIONS_SENT, ())
    past = opened(options=tuple(map(str, range(OPTIONS_SENT))), option_count=OPTIONS_SENT + 1)
    assert past.option_count == OPTIONS_SENT + 1
    assert past.truncated == (Truncation("options", OPTIONS_SENT, OPTIONS_SENT + 1),)


def test_all_texts_of_a_prompt_fit_its_bound_and_each_cut_is_listed() -> None:
    huge = "ä" * TEXT_BYTES
    prompt = opened(title=huge, message=huge, options=tuple(f"{n}{huge}" for n in range(OPTIONS_SENT)))
    texts = (prompt.title, prompt.message or "", *prompt.options)
    assert sum(len(text.encode()) for text in texts) <= PROMPT_BYTES
    assert [cut.field for cut in prompt.truncated] == ["title", "message", "options"]
    assert prompt.truncated[2].total == OPTIONS_SENT


def test_a_cut_that_the_extension_made_is_listed_with_its_own_numbers() -> None:
    prompt = opened(title="x" * (TEXT_BYTES + 5), truncated=(said.Truncation("title", TEXT_BYTES + 5, 999_999),))
    assert prompt.truncated == (Truncation("title", TEXT_BYTES + 5, 999_999),)


@pytest.mark.parametrize(
    ("method", "title", "masked"), [("input", "API key", True), ("input", "Your name", False), ("select", "API key", False)]
)
def test_an_input_that_asks_for_a_secret_is_masked(method: str, title: str, masked: bool) -> None:
    assert opened(method=method, title=title).masked is masked


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (said.Answer(index=1, label=DIRTY), CLEAN),
        (said.Answer(confirmed=True, certain=True), "Yes"),
        (said.Answer(confirmed=False, certain=True), "No"),
        (said.Answer(confirmed=False, certain=False), "No (or Esc)"),
        (said.Answer(), None),
        (None, None),
    ],
)
def test_a_settlement_shows_choices_and_nothing_else(answer: said.Answer | None, shown: str | None) -> None:
    assert settled(answer=answer).answer == shown


def test_a_settlement_that_is_no_answer_shows_none() -> None:
    settlement = settled(outcome="cancelled", answer=said.Answer(index=0, label="apple"), reason=DIRTY)
    assert (settlement.answer, settlement.reason) == (None, CLEAN)


def test_a_notice_is_a_sentence_for_known_codes_and_clean_for_unknown_ones() -> None:
    known = take(said.Notice(seq=1, code="dropped", count=3))
    assert known.text == "Some notifications were lost while the daemon did not read. (3)"
    assert take(said.Notice(seq=1, code=DIRTY, detail=DIRTY)).text == f"{CLEAN} [{CLEAN}]"


hostile = st.text(alphabet=st.characters(blacklist_categories=()), max_size=60).filter(
    lambda raw: not any(0xD800 <= ord(character) <= 0xDFFF for character in raw)
)


@given(hostile, hostile, st.lists(hostile, max_size=5))
def test_no_control_or_direction_change_ever_passes(title: str, message: str, options: list[str]) -> None:
    prompt = opened(title=title, message=message, options=tuple(options), placeholder=title)
    shown = "".join((prompt.title, prompt.message or "", prompt.placeholder or "", *prompt.options))
    assert not FORBIDDEN & set(shown)
    assert len(prompt.options) == len(options)
