"""Promise: a line that only draws is told in a few words of ours, and a line with words of its own is left to speak."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.describe import describe
from sanitize.spans import EMPTY, Line, Span


def line(text: str) -> Line:
    return Line((Span(text, "primary"),)) if text else EMPTY


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("", "blank"), ("   ", "blank"), ("\u00a0\u3000", "blank"), ("\u2800", "graph")),
        *(
            (text, "horizontal rule")
            for text in ("─" * 40, "━━━", "═══", "╌╌╌", "  ───  ", "─┬──┬─", "─", "── ──", "---", "=====", "***", "+---+--+")
        ),
        *(("│", "vertical line"), ("  ┃", "vertical line"), ("│   │", "box, empty line"), ("║ │  ║", "box, empty line")),
        *((text, "box top") for text in ("┌──┐", "╭────╮", "╔══╗", "┏━┳━┓", "┌─┐ ┌─┐", "╭──")),
        *((text, "box bottom") for text in ("└──┘", "╰────╯", "╚══╝", "┗━┻━┛")),
        *((text, "box divider") for text in ("├──┼──┤", "╠══╣", "┣━━┫", "╟──╢")),
        *(("\u2571\u2572", "box drawing"), ("─┐", "box drawing"), ("│ ┌─┐ │", "box drawing"), ("▛▀▀▜", "block graphics")),
        ("██████", "bar chart"),
        *((text, "spinner") for text in ("⠋", "⣾", " ⠸ ", "◐", "◴", "▖")),
        *(("▁▂▃▅▇", "bar chart"), ("▂ ▃ █", "bar chart"), ("⣀⣤⣶⣿⡇", "graph"), ("▛▀ ┌─┐", "drawing"), ("●○○○", "drawing")),
        *(("\ue0b0", "icon"), ("\ue0b0 \U000f0001", "icons")),
    ],
)
def test_what_is_drawn_is_told(text: str, words: str) -> None:
    assert describe(line(text)) == words


@pytest.mark.parametrize(
    ("bar", "percent"),
    [
        *(("████░░░░░░", 40), ("▓▓▓▒", 75), ("■■□□", 50), ("▰▱▱", 33), ("▮▮▯", 67), ("⣿⣿⣀⣀", 50), ("███▌░░░░", 44), ("▏░░░", 3)),
        ("█░", 50),
        *(("[████]", 100), ("[██  ]", 50), ("│██░░│", 50), ("▕█▌ ▏", 50), ("(■□)", 50), ("|█ |", 50)),
        *(("[###-----]", 38), ("[=====>    ]", 50), ("[====]", 100), ("[........]", 0), ("[#__]", 33)),
        *(("████░░ 12%", 12), ("████░░ 12 %", 12), ("12% ████░░", 12), ("[##  ] 49.9%", 49), ("█████ 100%", 100), ("░░░░ 0%", 0)),
        *(("━━━━━━━━ 40%", 40), ("━━━╸─── 7%", 7), ("██░ 999%", 100)),
    ],
)
def test_a_progress_bar_is_told_with_its_share(bar: str, percent: int) -> None:
    assert describe(line(bar)) == f"progress bar, {percent} %"
    assert describe(line(f"  {bar} ")) == f"progress bar, {percent} %"


@pytest.mark.parametrize(
    "text",
    [
        *("Hello", "a", "7", "40%", "40 %", "100", "Building ███░ 40%", "─── Title ───", "│ text │", "├── src", "⠋ Working", "███ done"),
        *("-", "--", "...", "}", "});", "```", "#", "###", "//", "[]", "[ ]", "()", "||", "[x]", "[-]", "[   ]", "?", "!", "→", "✓"),
        *("●", "★", "…"),
        *("1/3", "$"),
        *("👍", "🎉🎉", "⚠️", "中", "«»", "§", "±", "=>", "[=>x]", "██ 5% of ██", "| --- |"),
    ],
)
def test_what_can_be_read_or_said_is_left_alone(text: str) -> None:
    assert describe(line(text)) is None


def test_spans_count_as_one_text_and_looks_do_not_count() -> None:
    spans = (Span("██", "success"), Span("░░", "muted", ("bold",)))
    assert describe(Line(spans, caret=1)) == "progress bar, 50 %"


@given(st.text(st.sampled_from("─│┌┐█░▌⠋▁#=>-[]|() 5%.a\ue0b0\u3000"), max_size=40))
def test_every_line_has_a_short_description_in_plain_ascii_or_none(text: str) -> None:
    words = describe(line(text))
    assert words is None or (words.isascii() and words.isprintable() and 0 < len(words) < 30)
    assert words is None or "a" not in text


@pytest.mark.parametrize(
    "unit", ["─", "█", "░", " ", "█ ", "1", "%", "1% ", "#", "-", "+-", "─ ", "│ ", "▁", "⠋", "\ue0b0 ", "▌", "[", "="]
)
@pytest.mark.parametrize("end", ["", "x", "]", " 5%"])
def test_64_ki_of_anything_take_no_time_to_speak_of(unit: str, end: str) -> None:
    drawn = line("[" + unit * (64 * 1024 // len(unit)) + end)
    began = time.process_time()
    describe(drawn)
    assert time.process_time() - began < 1
