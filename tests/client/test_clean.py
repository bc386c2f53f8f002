"""Promise: what the daemon says is cleaned once more before a terminal shows it, and no tab moves its cursor."""

from __future__ import annotations

from mirrord.client.clean import one_line, several_lines


def test_a_tab_is_spaces_on_several_lines_and_one_blank_on_one() -> None:
    assert several_lines("a\tb\n\tc\x1b[2J\r\n\x07") == ["a   b", "   c", ""]
    assert one_line("a\tb\n\tc\x1b[2J") == "a b c"
