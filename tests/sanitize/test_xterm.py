"""Promise: what our terminal and xterm.js both implement looks the same on both; where not, it is said why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import HealthCheck, given, settings

from sanitize.counters import Counters
from sanitize.pens import Pens
from sanitize.roles import DEFAULT, Palette
from sanitize.spans import Role, Trait
from sanitize.terminal import Terminal
from tests.sanitize.rendering import FIXTURES
from tests.sanitize.xterm import Run, Xterm, XtermError, xterm
from tests.sanitize.xterm_differences import DIFFERENCES, Difference
from tests.sanitize.xterm_inputs import INPUTS, LINKS, REFUSED, SIZES

Cell = tuple[str, Role, tuple[Trait, ...], str | None]
"""A code point, and what leaves with it."""

Shown = list[list[Cell]]
"""Rows, top to bottom."""

SEEN: Final[tuple[Role, ...]] = ("success", "warning", "danger")


class Distinct(Palette):
    """Gives neighbouring colours different roles, so that a wrong colour is seen."""

    def role(self, colour: int) -> Role | None:
        return None if colour == DEFAULT else SEEN[colour % len(SEEN)]


PENS: Final = Pens(Distinct())

RECORDINGS: Final = sorted((FIXTURES / "recordings").glob("*.bin"))
FRAME: Final = re.compile(r".*?\x1b\[\?2026l|.+\Z", re.DOTALL)


@pytest.fixture(scope="module")
def peer() -> Iterator[Xterm]:
    with xterm() as made:
        yield made


def ours(pieces: Sequence[str], columns: int, rows: int) -> Iterator[Shown]:
    """What is shown after each of the pieces."""
    terminal = Terminal(columns, rows, PENS, Counters())
    for piece in pieces:
        terminal.feed(piece.encode())
        lines = [[(point, span.role, span.traits, span.link) for span in line.spans for point in span.text] for line in terminal.lines()]
        yield without_blanks(lines)


def theirs(peer: Xterm, pieces: Sequence[str], columns: int, rows: int) -> Iterator[Shown]:
    """The same for xterm.js."""
    for screen in peer.screens(pieces, columns, rows).screens:
        yield without_blanks([[cell for run in row for cell in cells(run)] for row in screen])


def cells(run: Run) -> Iterator[Cell]:
    """What our rules make of the look of a run."""
    if "conceal" in run.attributes:
        return
    role = PENS.palette.role(run.colour) or ("muted" if "dim" in run.attributes else "accent" if "reverse" in run.attributes else "primary")
    traits = tuple(trait for trait in ("bold", "italic", "strikethrough", "underline") if trait in run.attributes)
    for point in run.text:
        yield point, role, traits, None if run.link in REFUSED else run.link


def without_blanks(lines: Shown) -> Shown:
    """The lines without what nobody sees at their ends, and without empty ones at the end."""
    for line in lines:
        while line and line[-1][0] == " " and not {"underline", "strikethrough"} & set(line[-1][2]) and line[-1][3] is None:
            del line[-1]
    while lines and not lines[-1]:
        del lines[-1]
    return lines


def compare(peer: Xterm, pieces: Sequence[str], columns: int, rows: int) -> None:
    for number, both in enumerate(zip(ours(pieces, columns, rows), theirs(peer, pieces, columns, rows), strict=True)):
        assert both[0] == both[1], f"after piece {number}"


@settings(max_examples=300, derandomize=True)
@given(INPUTS, SIZES)
def test_a_sample_of_what_both_implement_looks_the_same(peer: Xterm, pieces: list[str], size: tuple[int, int]) -> None:
    compare(peer, pieces, *size)


@pytest.mark.soak
@settings(max_examples=50_000, suppress_health_check=[HealthCheck.too_slow])
@given(INPUTS, SIZES)
def test_much_of_what_both_implement_looks_the_same(peer: Xterm, pieces: list[str], size: tuple[int, int]) -> None:
    compare(peer, pieces, *size)


@pytest.mark.parametrize("recording", RECORDINGS, ids=[path.stem for path in RECORDINGS])
def test_what_pi_wrote_looks_the_same_frame_by_frame(peer: Xterm, recording: Path) -> None:
    sidecar = json.loads(recording.with_suffix(".json").read_text("utf-8"))
    compare(peer, FRAME.findall(recording.read_bytes().decode()), sidecar["cols"], sidecar["rows"])


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: ascii(difference.text))
def test_where_they_differ_both_still_do_as_the_table_says(peer: Xterm, difference: Difference) -> None:
    (mine,) = ours([difference.text], *difference.size)
    (other,) = theirs(peer, [difference.text], *difference.size)
    assert (tuple(map(told, mine)), tuple(map(told, other))) == (difference.ours, difference.theirs), difference.why


def told(row: list[Cell]) -> str:
    """The row as the table of differences has it."""
    text = ""
    for (role, traits, link), run in groupby(row, lambda cell: cell[1:]):
        text += "".join(cell[0] for cell in run)
        look = [*([role] if role != "primary" else []), *traits, *(["link"] if link else [])]
        text += f"({' '.join(look)})" if look else ""
    return text


def test_what_xterm_shows_is_read_with_its_looks(peer: Xterm) -> None:
    text = f"a\x1b[1;2;3;4;7;8;9;38;5;9mb\x1b[0;38;2;1;2;3mc\x1b[m\x1b]8;;{LINKS[0]}\x07d\x1b]8;;\x07\x1b[2C\u4e2d \r\n\n\U0001f642"
    every = ("bold", "dim", "italic", "underline", "reverse", "conceal", "strikethrough")
    first = (Run("a", (), -1, None), Run("b", every, 9, None), Run("c", (), 256 + 0x010203, None), Run("d", (), -1, LINKS[0]))
    rows = peer.screen(text, 10, 4)
    assert rows == ((*first, Run("  ", (), -1, None), Run("\u4e2d ", (), -1, None)), (), (Run("\U0001f642", (), -1, None),), ())


def test_a_link_is_read_though_the_row_where_it_began_is_gone(peer: Xterm) -> None:
    assert peer.screen(f"\x1b]8;;{LINKS[0]}\x07\r\n\nx", 4, 2)[1] == (Run("x", (), -1, LINKS[0]),)


def test_there_is_a_screen_after_each_input(peer: Xterm) -> None:
    texts = [[run.text for row in screen for run in row] for screen in peer.screens(["a", "b\x1b[", "1Dc"], 4, 1).screens]
    assert texts == [["a"], ["ab"], ["ac"]]


def test_what_xterm_throws_is_told_and_the_next_input_is_answered(peer: Xterm) -> None:
    with pytest.raises(XtermError, match="null"):
        peer.screens(cast("list[str]", [None]), 4, 1)
    assert peer.screen("a", 4, 1) == ((Run("a", (), -1, None),),)
