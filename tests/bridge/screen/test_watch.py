"""Promise: after missing bytes, in a foreign program and on a screen too large nothing leaves and no state is made up; no bytes raise."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.screen.limits import LOOK_SECONDS
from bridge.screen.messages import ScreenProgram
from bridge.screen.records import Gap, Output, Record, Resized
from bridge.screen.watch import View, Watch

COLUMNS, ROWS = 40, 10
RULE = "─" * COLUMNS
FRAME, END = "\x1b[?2026h", "\x1b[?2026l"


def frame(*rows: str, cursor: tuple[int, int], clear: bool = True) -> bytes:
    """A frame as Pi draws one: all rows from the top, then the cursor, from 0."""
    drawn = "\r\n".join(f"\x1b[2K{row}" for row in rows)
    head = "\x1b[2J\x1b[H" if clear else "\x1b[H"
    return f"{FRAME}{head}{drawn}\x1b[{cursor[0] + 1};{cursor[1] + 1}H{END}".encode()


IDLE = frame(" hello", "", RULE, "secret", RULE, "~/work", cursor=(3, 6))
SETTINGS = frame(RULE, ">", "", "\u2192 Colours  on", "", "  Type to search · X to change · Y to cancel"[:COLUMNS], RULE, cursor=(1, 2))
LOGIN = frame(RULE, " Login to Groq", "", " Enter Groq API key", "> secret", " (x to cancel, y to submit)", RULE, cursor=(4, 8))


class Seen:
    """A watch and a clock of its own."""

    def __init__(self, *records: Record | bytes, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self.watch = Watch(columns, rows)
        self.now = 0.0
        self.take(*records)

    def take(self, *records: Record | bytes) -> None:
        for record in records:
            self.watch.take(Output(record) if isinstance(record, bytes) else record, self.now)

    def look(self) -> View:
        self.now = max(self.now, self.watch.due() or self.now)
        return self.watch.look(self.now)

    def texts(self) -> str | list[str]:
        shown = self.look().shown
        return shown if isinstance(shown, str) else [line.text for line in shown]


def test_a_frame_is_looked_at_when_it_ends_and_then_ten_times_a_second() -> None:
    seen = Seen(IDLE)
    assert seen.watch.due() == 0
    seen.look()
    assert seen.watch.due() is None
    seen.now = 0.01
    seen.take(IDLE)
    assert seen.watch.due() == pytest.approx(LOOK_SECONDS)


def test_what_is_shown_is_blanked_and_a_login_is_not_shown() -> None:
    assert Seen(IDLE).texts() == [" hello", "", RULE, "", RULE, "~/work"]
    assert Seen(LOGIN).look() == View("login", COLUMNS, ROWS, "login")


def test_half_a_frame_is_not_shown() -> None:
    seen = Seen(IDLE, IDLE[: -len(END)])
    seen.now = 1.0
    assert seen.watch.look(1.0).shown == "incomplete"
    seen.take(END.encode())
    assert seen.texts() != "incomplete"


def test_after_a_gap_nothing_is_known_until_every_row_was_drawn_again() -> None:
    seen = Seen(LOGIN, Gap(), b"\x1b[5;1H\x1b[2Kx")
    assert seen.look() == View(None, COLUMNS, ROWS, "incomplete")
    seen.take(b"\x1b[3;1H\x1b[2Kx")
    assert seen.texts() == "incomplete"
    seen.take(LOGIN)
    assert seen.look().menu == "login"


def test_after_a_gap_rows_that_scrolled_through_are_known() -> None:
    seen = Seen(LOGIN, Gap())
    seen.take("".join(f"\r\n {number}" for number in range(ROWS - 4)).encode())
    assert seen.texts() == "incomplete"
    seen.take("\r\n".join([FRAME, RULE, "secret", RULE, f"~/work\x1b[2A\r{END}"]).encode())
    assert seen.texts() == [*(f" {number}" for number in range(ROWS - 4)), RULE, "", RULE, "~/work"]


def test_a_gap_ends_what_was_begun_before_it() -> None:
    seen = Seen(b"\x1b]0;a title that never", Gap(), IDLE)
    assert seen.texts() == [" hello", "", RULE, "", RULE, "~/work"]
    assert Seen(b"\x1b]7501;state=id", Gap(), b"le\x07").watch.program is None


def test_a_gap_brings_the_size_that_was_missed() -> None:
    seen = Seen(IDLE, Gap(30, 8))
    assert seen.watch.size == (30, 8)


def test_the_newest_thing_pi_says_of_itself_is_kept() -> None:
    seen = Seen(b"\x1b]7501;state=idle\x07\x1b]7501;state=working\x07")
    assert seen.watch.program == ScreenProgram("working")


def test_a_program_that_pi_gave_the_terminal_to_is_not_shown() -> None:
    start, stop = b"\x1b[?2004h", b"\x1b[?2004l"
    seen = Seen(start, IDLE)
    assert seen.texts() != "unknown"
    seen.take(stop, IDLE)
    assert seen.texts() == "unknown"
    seen.take(b"\x1b[?1049h", start[:5], start[5:], IDLE)
    assert seen.texts() == "unknown", "an editor that draws frames, on the alternate screen and with wrapping"
    seen.take(stop, b"\x1b[?1049l", start)
    assert seen.texts() == "unknown", "nothing is drawn yet"
    seen.take(IDLE)
    assert seen.texts() != "unknown"


def test_a_fullscreen_pi_takes_the_terminal_back() -> None:
    seen = Seen(b"\x1b[?1049h\x1b[?7l\x1b[?2004h", IDLE, b"\x1b[?2004l\x1b[?7h\x1b[?1049l\x1b[?1049h\x1b[?2004h", IDLE)
    assert seen.texts() == "unknown"
    seen.take(b"\x1b[?2004l\x1b[?1049l\x1b[?1049h\x1b[?7l\x1b[?2004h", IDLE)
    assert seen.texts() != "unknown"


def test_a_screen_that_is_larger_than_what_is_followed_is_not_shown() -> None:
    assert Seen(IDLE, columns=500, rows=250).look() == View(None, 500, 250, "large")
    wide = ["\x1b[?1049h\x1b[?7l\x1b[2J\x1b[H", "─" * 500, "\r\n Login to Groq\r\n\r\n", "─" * 500, END]
    assert Seen("".join(wide).encode(), columns=500, rows=30).look() == View("login", 500, 30, "large")


def test_sizes_that_are_none_are_small_ones() -> None:
    seen = Seen(IDLE, Resized(0, 0), IDLE, Gap(1, 1), IDLE, columns=0, rows=0)
    assert seen.look().menu is None


_pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [IDLE, LOGIN, SETTINGS, b"\x1b[?1049h", b"\x1b[?2004l", b"\x1b[?2004h", b"\x1b[?2026h", b"\x1b7", b"\x1b[3;5r", b"\x1bc"]
    ),
    st.builds(Resized, st.integers(0, 600), st.integers(0, 300)),
    st.builds(Gap, st.integers(0, 80), st.integers(0, 40)),
)


@given(st.lists(_pieces, max_size=12))
def test_no_input_raises(pieces: list[Record | bytes]) -> None:
    seen = Seen()
    for piece in pieces:
        seen.take(piece)
        if seen.watch.due() is not None:
            seen.look()


def test_a_flood_of_anything_takes_bounded_memory() -> None:
    random.seed(7)
    alphabet = [b"\x1b[", b"\x1b]", b"\x1bP", b"2026h", b"\n", "─é日".encode(), b"0;1m", b"x", b"\x07", b"1;1H", b"\xf0\x9f"]
    flood = [b"".join(random.choices(alphabet, k=4000)) for _ in range(12)]
    seen = Seen(flood[0])
    seen.look()
    tracemalloc.start()
    for number in range(36):
        seen.take(flood[number % 12])
        seen.look()
        if number == 11:
            before = tracemalloc.get_traced_memory()[0]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after < before + 1_000_000
