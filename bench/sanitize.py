"""How fast terminal text becomes spans, and what they keep in RAM, beside stock pyte and xterm.js, which get the same in turn."""

from __future__ import annotations

import cProfile
import gc
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from bench import widget_lines
from bench.contest import Timed, contest, microseconds
from bench.report import Goal, Row
from bench.stock_pyte import StockPyte
from bench.widget_lines import COLUMNS, COUNT, THEME
from bench.world import NotMeasured
from sanitize.counters import Counters
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import Line
from sanitize.terminal import Terminal
from tests.harness.pi import ROOT
from tests.sanitize.xterm import Xterm, xterm

ROUNDS: Final = 15
STARTS: Final = 10
QUICK_ROUNDS: Final = 2

RECORDINGS: Final = ("stream-markdown-osc8-pi0.73.1-regular-100x30", "stream-markdown-osc8-pi1.6.0-fullscreen-100x30")
RECORDED: Final = (100, 30)
"""Their columns and rows."""

SCREEN: Final = (100, 40)
"""Columns and rows of the screen whose memory is measured."""

THEMED_GOAL: Final = Goal("speed", 15)
PLAIN_GOAL: Final = Goal("speed", 150)
RECORDING_GOAL: Final = Goal("speed", 2.4)
XTERM_GOAL: Final = Goal("speed", 1)

PALETTE: Final = Palette.of(THEME)

Fed = TypeVar("Fed", str, bytes)

_frame: Final = re.compile(r".*?\x1b\[\?2026l|.+\Z", re.DOTALL)


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of the line path, the screen path, memory and start. Raises NotMeasured."""
    if profile is not None:
        _profile(profile)
    rounds = QUICK_ROUNDS if quick else ROUNDS
    rows: list[Row] = []
    try:
        with xterm() as peer:
            rows += _lines(peer, rounds, "themed lines", widget_lines.themed(), THEMED_GOAL)
            rows += _lines(peer, rounds, "plain lines", widget_lines.plain(), PLAIN_GOAL)
            for name in RECORDINGS:
                rows += _recording(peer, rounds, name)
    except FileNotFoundError as missing:
        raise NotMeasured(str(missing)) from missing
    return [*rows, *_memory(), *_starts(QUICK_ROUNDS if quick else STARTS)]


def _lines(peer: Xterm, rounds: int, kind: str, lines: Sequence[str], goal: Goal) -> list[Row]:
    stock = StockPyte(COLUMNS, 1, PALETTE)
    ours = LineRenderer(Pens(PALETTE), Counters(), COLUMNS)
    joined = "\r\n".join(lines)
    times = contest(
        {
            "pyte": lambda: microseconds(lambda: [stock.line(line) for line in lines]),
            "xterm.js": lambda: peer.screens([joined], COLUMNS, COUNT).nanoseconds / 1000,
            "sanitize": lambda: microseconds(lambda: ours.render(lines)),
        },
        rounds,
    )
    measured = (
        f"{COUNT:,} lines of {COLUMNS} columns from text to spans, all for one sample; pyte with one screen of one row for all of them; "
        "xterm.js on one screen for all, with the reading of its buffer, inside Node; ours in Python, as the daemon gets them"
    )
    pyte, other, *_ = rows = [Row(f"{name}, {kind}", measured, taken, "µs") for name, taken in times.items()]
    return [pyte, _beside(pyte, other), _beside(pyte, rows[2], goal), _beside(other, rows[2], XTERM_GOAL)]


def _recording(peer: Xterm, rounds: int, name: str) -> list[Row]:
    recorded = recording(name)
    texts = _frame.findall(recorded)
    frames = [text.encode() for text in texts]
    generation = name.split("-")[3].replace("pi", "Pi ")
    pens = Pens(PALETTE)

    def stock(each: bool) -> float:
        screen = StockPyte(*RECORDED, PALETTE)
        return microseconds(lambda: _play(screen.feed, screen.lines, texts, each))

    def ours(each: bool) -> float:
        terminal = Terminal(*RECORDED, pens, Counters())
        return microseconds(lambda: _play(terminal.feed, terminal.lines, frames, each))

    who: Mapping[str, Timed] = {
        "pyte": lambda: stock(False),
        "xterm.js": lambda: peer.screens([recorded], *RECORDED).nanoseconds / 1000,
        "sanitize": lambda: ours(False),
        "pyte each": lambda: stock(True),
        "sanitize each": lambda: ours(True),
    }
    times = contest(who, rounds)
    once = f"{len(recorded.encode()):,} bytes that Pi drew while an answer streamed, fed frame by frame, spans read at the end"
    each = f"the same, spans of the whole screen read after each of {len(frames)} frames"
    pyte = Row(f"pyte, {generation}", once, times["pyte"], "µs")
    pyte_each = Row(f"pyte, {generation}, each frame", each, times["pyte each"], "µs")
    return [
        pyte,
        _beside(pyte, Row(f"xterm.js, {generation}", once, times["xterm.js"], "µs")),
        _beside(pyte, Row(f"sanitize, {generation}", once, times["sanitize"], "µs"), RECORDING_GOAL),
        pyte_each,
        _beside(pyte_each, Row(f"sanitize, {generation}, each frame", each, times["sanitize each"], "µs"), RECORDING_GOAL),
    ]


def _play(feed: Callable[[Fed], None], lines: Callable[[], Sequence[Line]], frames: Sequence[Fed], each: bool) -> None:
    for frame in frames:
        feed(frame)
        if each:
            lines()
    lines()


def recording(name: str) -> str:
    """What Pi wrote to its terminal."""
    return (ROOT / "fixtures" / "sanitize" / "recordings" / f"{name}.bin").read_bytes().decode()


def _memory() -> Iterator[Row]:
    lines = widget_lines.themed()
    full = "\r\n".join(lines[: SCREEN[1]])

    def stock(text: str, history: int = 0) -> StockPyte:
        made = StockPyte(*SCREEN, PALETTE, history)
        made.feed(text)
        return made

    def ours() -> Terminal:
        made = Terminal(*SCREEN, Pens(PALETTE), Counters())
        made.feed(full.encode())
        return made

    pens = Pens(PALETTE)
    screen = f"a screen of {SCREEN[0]} columns and {SCREEN[1]} rows that themed lines fill"
    pyte = Row("pyte, full screen", screen, (kilobytes(lambda: stock(full)),), "kB")
    yield pyte
    yield _beside(pyte, Row("sanitize, full screen", f"{screen}, with all pens that they need", (kilobytes(ours),), "kB"))
    whole = kilobytes(lambda: stock("\r\n".join(lines + lines[: SCREEN[1]]), COUNT))
    history = Row(f"pyte, {COUNT:,} history rows", f"{COUNT:,} themed lines that left the screen", (whole - pyte.p50,), "kB")
    yield history
    kept = kilobytes(lambda: LineRenderer(pens, Counters(), COLUMNS).render(lines))
    measured = "the spans of the same lines; a terminal of ours keeps no history, so this is what it would cost whoever kept it"
    yield _beside(history, Row(f"sanitize, {COUNT:,} lines kept", measured, (kept,), "kB"))


def kilobytes(make: Callable[[], object]) -> float:
    """Units of 1000 bytes that Python has allocated for what is made. What all share, like tables and caches, is there before."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / 1000
    finally:
        tracemalloc.stop()
        del made


def _starts(rounds: int) -> Iterator[Row]:
    commands = {"python": ["-c", "pass"], "pyte": ["-c", "import pyte"], "sanitize": ["-m", "sanitize", "--lines"]}
    times = contest({name: partial(microseconds, partial(_run, words)) for name, words in commands.items()}, rounds)
    python = Row("python, start", "an interpreter that does nothing, from start to end", times["python"], "µs")
    yield python
    yield _beside(python, Row("pyte, start", "the same with `import pyte`", times["pyte"], "µs"))
    yield _beside(python, Row("sanitize, start", "`python -m sanitize --lines`, one line in, its spans out", times["sanitize"], "µs"))


def _run(arguments: Sequence[str]) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, input=b"a line\n", stdout=subprocess.DEVNULL, check=True)


def _beside(peer: Row, row: Row, goal: Goal | None = None) -> Row:
    """The row with its peer."""
    return replace(row, peer=(peer.name.partition(",")[0], peer.p50), goal=goal)


def _profile(folder: Path) -> None:
    """Both paths once, warm, for `pstats`."""
    lines = widget_lines.themed()
    renderer = LineRenderer(Pens(PALETTE), Counters(), COLUMNS)
    renderer.render(lines)
    terminal = Terminal(*RECORDED, Pens(PALETTE), Counters())
    frames = [text.encode() for text in _frame.findall(recording(RECORDINGS[0]))]
    for name, work in (
        ("lines", lambda: renderer.render(lines)),
        ("screen", lambda: _play(terminal.feed, terminal.lines, frames, True)),
    ):
        profiler = cProfile.Profile()
        profiler.runcall(work)
        profiler.dump_stats(folder / f"sanitize-{name}.pstats")
