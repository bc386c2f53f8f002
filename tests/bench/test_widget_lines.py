"""Promise: the lines that are measured are always the same, are what widgets of Pi look like, and fill their columns."""

from __future__ import annotations

import re

from bench.widget_lines import COLUMNS, COUNT, plain, themed
from sanitize.width import text_width

ESCAPE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x07]*\x07")


def test_they_are_the_same_each_time() -> None:
    assert (themed(), plain()) == (themed(), plain())


def test_each_fills_its_columns() -> None:
    for lines in ([ESCAPE.sub("", line) for line in themed()], plain()):
        assert len(lines) == COUNT
        assert {text_width(line) for line in lines} == {COLUMNS}


def test_themed_ones_have_about_sixteen_escapes_a_line_and_no_other_control() -> None:
    lines = themed()
    assert 15 <= sum(len(ESCAPE.findall(line)) for line in lines) / COUNT <= 17
    assert ESCAPE.sub("", "".join(lines)).isprintable()


def test_they_have_links_emoji_and_chinese_and_few_are_alike() -> None:
    lines = themed()
    assert all(any(part in line for line in lines) for part in ("\x1b]8;;https://", "\U0001f642", "\u4e2d", "\x1b[1m"))
    assert len(set(lines)) == COUNT


def test_plain_ones_are_printable_ascii() -> None:
    assert all(line.isascii() and line.isprintable() for line in plain())
