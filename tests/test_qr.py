"""Promise: the QR code on a terminal is the code's own modules, black on white in any theme, with the quiet zone that phones need."""

from __future__ import annotations

import re

import segno

from mirrord.qr import QUIET_ZONE, half_blocks, modules, qr_lines, qr_size

URL = "http://127.0.0.1:17673/#pair=K7QF2M9XTB"
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def read_back(lines: list[str]) -> list[list[bool]]:
    """The modules that the characters draw."""
    rows: list[list[bool]] = []
    for line in lines:
        rows.append([character in "▀█" for character in line])
        rows.append([character in "▄█" for character in line])
    return rows


def test_every_module_is_drawn_and_the_quiet_zone_is_white() -> None:
    code = [[bool(module) for module in row] for row in segno.make(URL, error="m", micro=False, boost_error=False).matrix]
    drawn = read_back(half_blocks(modules(URL)))
    size = len(code)
    inner = [row[QUIET_ZONE : QUIET_ZONE + size] for row in drawn[QUIET_ZONE : QUIET_ZONE + size]]
    assert inner == code
    black = sum(map(sum, drawn))
    assert black == sum(map(sum, code)), "nothing black outside of the code"
    assert {len(row) for row in drawn} == {size + 2 * QUIET_ZONE}
    assert len(drawn) >= size + 2 * QUIET_ZONE


def test_each_line_sets_black_on_white_that_no_theme_changes_and_puts_it_back() -> None:
    for line in qr_lines(URL):
        assert SGR.findall(line) == ["38;5;16;48;5;231", "0"]
        assert line.startswith("\x1b[38;5;16;48;5;231m")
        assert line.endswith("\x1b[0m")
        assert set(SGR.sub("", line)) <= set(" ▀▄█")


def test_it_fits_a_window_of_80_by_24() -> None:
    columns, lines = qr_size(URL)
    assert (columns, lines) == (len(SGR.sub("", qr_lines(URL)[0])), len(qr_lines(URL)))
    assert columns <= 80
    assert lines <= 24 - 5
