"""Promise: no dirty text passes intake; what is typed freely does not pass at all; ids, places and counts do not change on the way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import chat
from bridge import messages as said
from bridge.limits import CONTENT_BYTES, OPTIONS_KEPT, OPTIONS_SENT, PROMPT_BYTES, QUESTIONS, TEXT_BYTES
from mirrord.core import events, shown
from mirrord.core.chat.events import RowTold
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
    assert (terminal.id, terminal.pid) == ("4711-9", 4711)
    assert (terminal.pi_version, terminal.extension_version) == ("1.6.0", "0.1.0")
    assert (terminal.cwd, terminal.name) == (f"/home/{CLEAN}", CLEAN)


@pytest.mark.parametrize(
    ("message", "kind", "fields"),
    [
        (said.ResyncBegin(seq=1), events.ResyncBegan, {}),
        (said.ResyncEnd(seq=1), events.ResyncEnded, {}),
        (said.Notification(seq=1, message=DIRTY, notify_type="error"), shown.Notified, {"message": CLEAN, "level": "error"}),
        (said.Status(seq=1, key=DIRTY, text=DIRTY), shown.StatusSet, {"key": CLEAN, "text": CLEAN}),
        (said.Status(seq=1, key="k", text=None), shown.StatusSet, {"key": "k", "text": None}),
        (said.Status(seq=1, key="k", text="\x1b[0m"), shown.StatusSet, {"key": "k", "text": None}),
        (said.Title(seq=1, title=DIRTY), shown.TitleSet, {"title": CLEAN}),
        (said.Title(seq=1, title=None), shown.TitleSet, {"title": None}),
        (
            said.Activity(seq=1, working=True, cause="agent_start", at=3),
            events.ActivityChanged,
            {"working": True, "since": 3},
        ),
        (
            said.ConversationChanged(seq=1, conversation=said.Conversation("c2", "/x", DIRTY, first_message=DIRTY)),
            events.ConversationChanged,
            {"conversation_id": "c2", "cwd": "/x", "name": CLEAN, "first_message": CLEAN},
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


def test_what_gives_way_is_counted_from_the_start_so_that_a_count_replaces_the_one_before() -> None:
    first, second = (take(said.Notice(seq=1, code="gave_way", detail="status", count=count)) for count in (1, 2))
    assert first.about == second.about is not None
    assert second.text == "Older statuses or widgets gave way to newer ones. (2) [status]"
    assert take(said.Notice(seq=1, code="dropped", count=1)).about is None


hostile = st.text(alphabet=st.characters(blacklist_categories=()), max_size=60).filter(
    lambda raw: not any(0xD800 <= ord(character) <= 0xDFFF for character in raw)
)


@given(hostile, hostile, st.lists(hostile, max_size=5))
def test_no_control_or_direction_change_ever_passes(title: str, message: str, options: list[str]) -> None:
    prompt = opened(title=title, message=message, options=tuple(options), placeholder=title)
    assert not FORBIDDEN & set("".join((prompt.placeholder or "", *prompt.options)))
    assert FORBIDDEN & set(prompt.title + (prompt.message or "")) <= {"\t"}
    assert len(prompt.options) == len(options)


def long_prompt(*parts: said.FromExtension, **fields: Any) -> Prompt:
    """A prompt whose pieces come before it on one link."""
    intake = Intake(LINK)
    for part in parts:
        assert intake.event(part, NOW) is None
    base: dict[str, Any] = {"id": "p", "method": "select", "title": "t", "opened_at": 1}
    event = intake.event(said.PromptOpened(seq=9, prompt=said.Prompt(**{**base, **fields})), NOW)
    assert isinstance(event, events.PromptOpened)
    return event.prompt


def more(offset: int, *options: str, id_: str = "p") -> said.OptionsPart:
    return said.OptionsPart(seq=1, id=id_, offset=offset, options=options)


def piece(part: int, parts: int, text: str, id_: str = "p") -> said.PrefillPart:
    return said.PrefillPart(seq=1, id=id_, part=part, parts=parts, text=text)


def test_options_that_came_before_follow_the_ones_in_the_prompt() -> None:
    prompt = long_prompt(more(2, "c", DIRTY), more(4, "e"), options=("a", "b"), option_count=6)
    assert prompt.options == ("a", "b", "c", CLEAN, "e")
    assert prompt.option_count == 6
    assert prompt.truncated == (Truncation("options", 5, 6),)


@pytest.mark.parametrize(
    "parts",
    [
        (more(3, "x"),),
        (more(1, "x"),),
        (more(2, "x", id_="other"),),
        (more(2, "x"), more(3, "y", id_="other")),
    ],
)
def test_options_that_do_not_follow_are_forgotten(parts: tuple[said.OptionsPart, ...]) -> None:
    assert long_prompt(*parts, options=("a", "b")).options == ("a", "b")


def test_a_gap_between_pages_ends_what_is_kept() -> None:
    assert long_prompt(more(2, "c"), more(9, "x"), options=("a", "b"), option_count=10).options == ("a", "b", "c")


def test_options_for_paging_are_bounded_and_one_past_the_limit_is_not_kept() -> None:
    first = tuple(map(str, range(OPTIONS_SENT)))
    rest = tuple(map(str, range(OPTIONS_SENT, OPTIONS_KEPT)))
    assert len(long_prompt(more(OPTIONS_SENT, *rest), options=first).options) == OPTIONS_KEPT
    assert len(long_prompt(more(OPTIONS_SENT, *rest, "one more"), options=first).options) == OPTIONS_KEPT
    assert len(long_prompt(more(OPTIONS_SENT, *("x" for _ in range(OPTIONS_KEPT + 1))), options=first).options) == OPTIONS_SENT
    assert len(long_prompt(more(OPTIONS_SENT, *rest), more(OPTIONS_KEPT, "one more"), options=first).options) == OPTIONS_KEPT


HOSTILE = "one\r\ntwo\ttab \x1b[31mred\x1b[0m \u202eevil\u202c \u200b\U0001f468\u200d\U0001f469"


def test_a_prefill_is_content_and_passes_byte_for_byte_inline_and_in_pieces() -> None:
    inline = long_prompt(method="editor", prefill=HOSTILE)
    assert (inline.method, inline.prefill, inline.terminal_only) == ("editor", HOSTILE, None)
    parted = long_prompt(piece(0, 2, HOSTILE), piece(1, 2, HOSTILE), method="editor", prefill_parts=2)
    assert parted.prefill == HOSTILE * 2
    assert long_prompt(method="editor").prefill == ""


def test_a_prefill_that_did_not_come_whole_or_is_too_long_can_only_be_looked_at() -> None:
    for parts in ((), (piece(0, 2, "x"),), (piece(1, 2, "x"),), (piece(0, 2, "x"), piece(1, 2, "y", id_="other"))):
        prompt = long_prompt(*parts, method="editor", prefill_parts=2)
        assert (prompt.prefill, prompt.terminal_only) == (None, prompts.TERMINAL_ONLY["too_large"])
    at_limit = long_prompt(method="editor", prefill="x" * CONTENT_BYTES)
    assert at_limit.terminal_only is None
    past = long_prompt(method="editor", prefill="x" * (CONTENT_BYTES + 1))
    assert (past.prefill, past.terminal_only) == (None, prompts.TERMINAL_ONLY["too_large"])


def test_pieces_wait_for_one_prompt_and_are_gone_after_it() -> None:
    intake = Intake(LINK)
    intake.event(piece(0, 1, "secret"), NOW)
    intake.event(said.PromptOpened(seq=1, prompt=said.Prompt("other", "editor", "t", 1, prefill="own")), NOW)
    event = intake.event(said.PromptOpened(seq=2, prompt=said.Prompt("p", "editor", "t", 1, prefill_parts=1)), NOW)
    assert isinstance(event, events.PromptOpened)
    assert event.prompt.prefill is None


@pytest.mark.parametrize(
    ("fields", "method", "sentence", "cancellable"),
    [
        ({"method": "custom"}, "custom", prompts.TERMINAL_ONLY["custom"], False),
        ({"method": "hologram"}, "other", prompts.UNKNOWN, False),
        ({"method": "editor", "terminal_only": "half_characters"}, "editor", prompts.TERMINAL_ONLY["half_characters"], True),
        ({"method": "editor", "terminal_only": "some later word"}, "editor", prompts.UNKNOWN, True),
        ({"method": "select", "cancellable": False}, "select", None, False),
    ],
)
def test_what_only_the_terminal_can_answer_says_why(fields: dict[str, Any], method: str, sentence: str | None, cancellable: bool) -> None:
    prompt = opened(**fields)
    assert (prompt.method, prompt.terminal_only, prompt.cancellable, prompt.prefill) == (method, sentence, cancellable, None)


def question(id_: str = "q", *options: str, **fields: Any) -> said.Question:
    return said.Question(id=id_, question=DIRTY, options=tuple(said.QuestionOption(o, DIRTY, DIRTY) for o in options), **fields)


def test_the_values_of_an_ask_pass_whole_and_its_texts_clean() -> None:
    prompt = opened(method="ask", questions=(question("q", DIRTY, multi_select=True),), allow_custom=False, source=DIRTY)
    (asked,) = prompt.questions
    assert (asked.question, asked.multi_select) == (CLEAN, True)
    assert [(option.value, option.label, option.description) for option in asked.options] == [(DIRTY, CLEAN, CLEAN)]
    assert (prompt.allow_custom, prompt.terminal_only, prompt.source) == (False, None, CLEAN)


@pytest.mark.parametrize(
    ("questions", "answerable"),
    [
        (tuple(question(str(n)) for n in range(QUESTIONS)), True),
        (tuple(question(str(n)) for n in range(QUESTIONS + 1)), False),
        ((question("q", "v" * prompts.VALUE_BYTES),), True),
        ((question("q", "v" * (prompts.VALUE_BYTES + 1)),), False),
        ((question("q" * (prompts.VALUE_BYTES + 1)),), False),
        ((question("same"), question("same")), False),
        ((question("q", *map(str, range(OPTIONS_SENT + 1))),), False),
        ((said.Question("q", "x" * TEXT_BYTES),) * 1, True),
        (tuple(said.Question(str(n), "x" * TEXT_BYTES) for n in range(9)), False),
    ],
)
def test_an_ask_past_its_bounds_stays_at_the_terminal(questions: tuple[said.Question, ...], answerable: bool) -> None:
    prompt = opened(method="ask", questions=questions)
    assert (prompt.terminal_only is None) is answerable
    assert bool(prompt.questions) is answerable


def test_a_settlement_of_ask_lists_the_labels_that_were_chosen() -> None:
    assert settled(answer=said.Answer(labels=(DIRTY, "b"))).answer == f"{CLEAN}, b"
    assert settled(answer=said.Answer(labels=())).answer is None
    many = settled(answer=said.Answer(labels=tuple(map(str, range(prompts.LABELS_SHOWN + 2))))).answer
    assert many is not None
    assert many.endswith("19 and 2 more")


def test_what_became_of_a_stop_is_an_event_with_a_clean_sentence() -> None:
    event = take(said.StopResult(seq=1, request_id="stop.1", ok=False, message=DIRTY))
    assert isinstance(event, events.StopFinished)
    assert (event.request, event.ok, event.message) == ("stop.1", False, CLEAN)


def test_what_is_drawn_of_a_message_has_the_colours_of_the_theme() -> None:
    intake, colour = Intake(LINK), "\x1b[38;2;1;2;3m"
    drawn = chat.ChatDrawn((f"{colour}ok",), 80)
    row = chat.ChatRowTold(seq=1, row=chat.ChatRow("e1", "tool", 1, "done", drawn=drawn), after=None)
    for token, role in (("error", "danger"), ("success", "success")):
        intake.event(said.Palette(seq=1, tokens={token: colour}), NOW)
        told = intake.event(row, NOW)
        assert isinstance(told, RowTold)
        assert told.message.drawn is not None
        assert [[(span.text, span.role) for span in line.spans] for line in told.message.drawn.lines] == [[("ok", role)]]
