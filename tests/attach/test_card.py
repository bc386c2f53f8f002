"""Promise: a prompt of every method is readable plain text that says who asks, what can be typed, and why where nothing can."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from mirrord.attach.card import PREFILL_CHARACTERS, PREFILL_LINES, card_lines, option_lines, prefill_lines
from mirrord.wire.messages import ExtensionUIRequest, QuestionOption
from tests.cli.prompts import BASE, CHECKS, NOTE, ask, at_the_terminal, editor, line_input, select


def card(prompt: ExtensionUIRequest, may_answer: bool = True) -> list[str]:
    return list(card_lines(prompt, may_answer))


def text_of(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def test_who_asks_is_said_where_it_is_known() -> None:
    assert card(msgspec.structs.replace(select(), source="permission-gate"))[1] == "? permission-gate asks: Which fruit?"


def test_an_editor_shows_its_text_behind_bars() -> None:
    assert card(editor(prefill="one\n\ttwo\r\n\n")) == [
        "",
        "? Edit the plan",
        "  │ one",
        "  │ ⇥two␍",
        "  │ ",
        "  │ ",
        "  /keep keeps the text as it is, /file PATH sends what a file holds, /cancel cancels.",
    ]


def test_an_empty_text_is_said_to_be_empty() -> None:
    assert "  (the text is empty)" in card(editor(prefill=""))


def test_a_text_that_comes_later_is_announced() -> None:
    assert "  (its text is on the way)" in card(editor(prefill=None, prefill_parts=3))


def test_what_is_not_shown_of_a_long_text_is_counted() -> None:
    rows = list(prefill_lines("\n".join("abc" for _ in range(PREFILL_LINES + 3))))
    assert len(rows) == PREFILL_LINES + 1
    assert rows[-1] == "  (3 more lines with 12 characters, not shown here)"
    assert next(iter(prefill_lines("x" * (PREFILL_CHARACTERS + 2001)))).endswith("xx … (2,001 more characters)")
    assert next(iter(prefill_lines("x" * (PREFILL_CHARACTERS + 1)))).endswith("(1 more character)")


def test_an_ask_shows_its_questions_and_their_options_with_numbers() -> None:
    described = msgspec.structs.replace(BASE, options=(QuestionOption("v", "main", "as it is\nnow"), *BASE.options[1:]))
    assert card(ask(described, CHECKS, NOTE)) == [
        "",
        "? 3 questions",
        "  1. base?",
        "     1  main",
        "        as it is",
        "        now",
        "     2  develop",
        "  2. checks? (several may be chosen)",
        "     1  lint",
        "     2  types",
        "     3  tests",
        "  3. note?",
        "  Type a number (several: 1,3), or a text of your own for each question, ` ; ` between them, - to skip one; "
        "/ignore answers none, /cancel cancels.",
    ]


def test_a_single_question_is_shown_once() -> None:
    assert card(ask(BASE)) == [
        "",
        "? base?",
        "  1  main",
        "  2  develop",
        "  Type a number, or a text of your own; /ignore answers none, /cancel cancels.",
    ]


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (ask(CHECKS), "Type a number (several: 1,3), or a text of your own;"),
        (ask(BASE, allow_custom=False), "Type a number;"),
        (ask(NOTE, allow_custom=False), "Type a text;"),
    ],
)
def test_what_can_be_typed_depends_on_the_question(prompt: ExtensionUIRequest, words: str) -> None:
    assert words in card(prompt)[-1]


@pytest.mark.parametrize("may_answer", [True, False])
def test_a_prompt_that_only_the_terminal_answers_says_why(may_answer: bool) -> None:
    assert card(at_the_terminal(), may_answer)[-1] == "  This dialog is drawn by its extension; use it at the terminal."
    too_large = editor(prefill=None, terminal_only="Its text is too large.")
    assert card(too_large, may_answer)[-1] == "  Its text is too large." + (" /cancel cancels it." if may_answer else "")


@pytest.mark.parametrize("prompt", [select(), editor(), ask(BASE), line_input()])
def test_who_only_watches_is_told_no_way_to_answer(prompt: ExtensionUIRequest) -> None:
    assert "cancel" not in text_of(card(prompt, may_answer=False))


def test_a_page_of_options_goes_on_with_the_numbers() -> None:
    assert list(option_lines(("x", "y"), 198)) == ["  199  x", "  200  y"]


def test_more_options_than_are_shown_are_counted() -> None:
    assert "  (3 of 3000 options; /more shows the next, and the number of each can be typed)" in card(select(count=3000))
