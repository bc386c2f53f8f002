"""Promise: all who are measured show the same for the same, a recording is played whole, and what is read out is what was made."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from bench import contest, sanitize, widget_lines
from bench.sanitize import PALETTE, RECORDED, RECORDINGS, kilobytes, recording
from bench.stock_pyte import StockPyte
from bench.widget_lines import COLUMNS, COUNT, plain, themed
from bench.world import NotMeasured
from sanitize.counters import Counters
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.spans import Line, Span
from sanitize.terminal import Terminal
from tests.sanitize.xterm import xterm


def looks(line: Line) -> list[tuple[str, str, tuple[str, ...]]]:
    """What stock pyte knows of a line: no links, and no dim, which is a role of its own with us."""
    return [(point, "primary" if span.role == "muted" else span.role, span.traits) for span in line.spans for point in span.text]


@pytest.mark.parametrize("lines", [themed(), plain()], ids=["themed", "plain"])
def test_lines_look_the_same_for_all_who_are_measured(lines: list[str]) -> None:
    ours = LineRenderer(Pens(PALETTE), Counters(), COLUMNS).render(lines)
    stock = StockPyte(COLUMNS, 1, PALETTE)
    with xterm() as peer:
        others = peer.screen("\r\n".join(lines), COLUMNS, COUNT)
    for line, raw, other in zip(ours, lines, others, strict=True):
        assert looks(line) == looks(stock.line(raw))[: len(line.text)]
        assert line.text.rstrip(" ") == "".join(run.text for run in other).rstrip(" ")


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_is_played_whole_by_all_who_are_measured(name: str) -> None:
    recorded = recording(name)
    terminal, stock = Terminal(*RECORDED, Pens(PALETTE), Counters()), StockPyte(*RECORDED, PALETTE)
    terminal.feed(recorded.encode())
    stock.feed(recorded)
    with xterm() as peer:
        rows = peer.screen(recorded, *RECORDED)
    shown = [line.text for line in terminal.lines()]
    assert [text for text in shown if text]
    for text, row, other in zip(shown, rows, stock.lines(), strict=False):
        assert text == "".join(run.text for run in row).rstrip(" ")
        assert text == other.text.rstrip(" ")


def test_stock_pyte_tells_colours_traits_and_blanks() -> None:
    line = StockPyte(8, 1, PALETTE).line("\x1b[1;3;38;2;204;102;102mab\x1b[0m \x1b[4;9;31mc\x1b[0m中")
    assert line.spans == (
        Span("ab", "danger", ("bold", "italic")),
        Span(" ", "primary"),
        Span("c", "danger", ("strikethrough", "underline")),
        Span("中  ", "primary"),
    )


def test_memory_is_that_of_what_is_kept() -> None:
    assert 100 <= kilobytes(lambda: bytearray(100_000)) < 101
    assert kilobytes(lambda: len(bytearray(100_000))) < 1


def test_each_row_of_ours_that_has_a_goal_has_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "WARM_UP", 0)
    monkeypatch.setattr(sanitize, "QUICK_ROUNDS", 1)
    for module in (sanitize, widget_lines):
        monkeypatch.setattr(module, "COUNT", 100)
    rows = anyio.run(sanitize.measure, True)
    peers = [(row.name, row.peer[0], row.goal.bound) for row in rows if row.goal is not None and row.peer is not None]
    assert peers == [
        ("sanitize, themed lines", "pyte", 15),
        ("sanitize, themed lines", "xterm.js", 1),
        ("sanitize, plain lines", "pyte", 150),
        ("sanitize, plain lines", "xterm.js", 1),
        ("sanitize, Pi 0.73.1", "pyte", 2.4),
        ("sanitize, Pi 0.73.1, each frame", "pyte", 2.4),
        ("sanitize, Pi 1.6.0", "pyte", 2.4),
        ("sanitize, Pi 1.6.0, each frame", "pyte", 2.4),
    ]


def test_without_xterm_it_is_said_that_nothing_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.sanitize.xterm.PROGRAM", Path("/nowhere/screens.mjs"))
    with pytest.raises(NotMeasured, match="there is no xterm"):
        anyio.run(sanitize.measure, True)


def test_the_profiles_of_both_paths_go_to_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.sanitize.xterm.PROGRAM", Path("/nowhere/screens.mjs"))
    with pytest.raises(NotMeasured):
        anyio.run(sanitize.measure, True, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"sanitize-lines.pstats", "sanitize-screen.pstats"}
