"""Promise: a row holds what was written, columns and pens go together, and no half of a wide cell is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanitize.cells import HALF, spread
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.rows import Row
from sanitize.spans import EMPTY

PENS = Pens(Palette())
BOLD = PENS.sgr(PENS.plain, "1")
WIDTH = 8


def row(text: str) -> Row:
    made = Row(PENS.plain)
    made.write(0, spread(text), BOLD)
    return made


def text(of: Row) -> str:
    return "".join(run for run, _ in of.runs())


def test_runs_are_cut_where_the_pen_changes() -> None:
    made = row("ab")
    made.write(2, "cd", PENS.plain)
    made.write(4, "ef", PENS.plain)
    assert made.runs() == [("ab", BOLD), ("cdef", PENS.plain)]


def test_between_what_was_written_there_are_plain_blanks() -> None:
    made = row("a")
    made.write(3, "b", BOLD)
    assert made.runs() == [("a", BOLD), ("  ", PENS.plain), ("b", BOLD)]


@pytest.mark.parametrize(
    ("at", "written", "expected"),
    [
        (0, "x", "x 中b日"),
        (1, "x", " x中b日"),
        (2, "x", "日x b日"),
        (1, "xy", " xy b日"),
        (1, "xyz", " xyzb日"),
        (4, "xy", "日中xy "),
        (4, "日", "日中日 "),
    ],
    ids=str,
)
def test_what_loses_a_half_becomes_blank(at: int, written: str, expected: str) -> None:
    made = row("日中b日")
    made.write(at, spread(written), BOLD)
    assert text(made) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 1, "  中b"), (1, 2, "  中b"), (1, 3, "    b"), (2, 4, "日  b"), (3, 9, "日 "), (4, 9, "日中"), (0, 9, ""), (9, 12, "日中b")],
)
def test_erased_columns_are_blank_or_gone(start: int, end: int, expected: str) -> None:
    made = row("日中b")
    made.erase(start, end)
    assert text(made) == expected


@pytest.mark.parametrize(
    ("at", "count", "expected"),
    [(0, 1, " 日中bc"), (1, 1, "   中bc"), (2, 2, "日  中b"), (2, 3, "日   中"), (2, 4, "日    "), (0, 9, ""), (7, 1, "日中bc")],
)
def test_inserted_columns_move_the_others_out(at: int, count: int, expected: str) -> None:
    made = row("日中bc")
    made.insert(at, count, 7)
    assert text(made).rstrip() == expected.rstrip()
    assert len(made.columns) <= 7


@pytest.mark.parametrize(
    ("at", "count", "expected"),
    [(0, 1, " 中bc"), (0, 2, "中bc"), (1, 1, " 中bc"), (1, 2, "  bc"), (3, 1, "日 bc"), (4, 9, "日中"), (9, 1, "日中bc")],
)
def test_deleted_columns_let_the_others_in(at: int, count: int, expected: str) -> None:
    made = row("日中bc")
    made.delete(at, count)
    assert text(made) == expected


def test_code_points_that_joined_move_and_go_with_their_cell() -> None:
    made = row("abc")
    made.join(1, "b\u0301")
    made.insert(0, 2, WIDTH)
    assert text(made) == "  ab\u0301c"
    made.delete(1, 1)
    assert text(made) == " ab\u0301c"
    made.write(2, "x", BOLD)
    assert text(made) == " axc"
    made.join(3, "c\u0302")
    made.cut(3)
    made.write(3, "d", BOLD)
    assert text(made) == " axd"


def test_code_points_that_joined_stay_with_their_cell_when_columns_are_inserted_or_deleted_there() -> None:
    made = row("ab")
    made.join(1, "b\u0301")
    made.insert(1, 1, WIDTH)
    assert text(made) == "a b\u0301"
    made.delete(1, 1)
    assert text(made) == "ab\u0301"
    made.delete(1, 1)
    made.write(1, "x", BOLD)
    assert text(made) == "ax"


@pytest.mark.parametrize("lost", [0, 1])
def test_of_a_wide_cell_that_lost_a_half_no_code_point_is_left(lost: int) -> None:
    made = row("👩b")
    made.join(0, "👩‍👧")
    made.write(lost, "x", BOLD)
    assert text(made) == ("x b", " xb")[lost]
    made = row("👩b")
    made.join(0, "👩‍👧")
    made.delete(lost, 1)
    assert text(made) == " b"


@pytest.mark.parametrize(("at", "cell"), [(0, (-1, "")), (1, (0, "a\u0301")), (3, (1, "日")), (2, (1, "日")), (4, (3, "b")), (5, (-1, ""))])
def test_the_cell_before_a_column(at: int, cell: tuple[int, str]) -> None:
    made = row("a日b")
    made.join(0, "a\u0301")
    assert made.cell_before(at) == cell


def test_a_copy_changes_alone() -> None:
    made = row("ab")
    made.shared = True
    copy = made.copy()
    copy.write(0, "x", BOLD)
    copy.join(1, "b\u0301")
    assert (text(made), text(copy), copy.shared) == ("ab", "xb\u0301", False)


def test_every_change_is_noticed() -> None:
    made = row("abcdef")
    changes: list[Callable[[], None]] = [
        lambda: made.write(0, "x", BOLD),
        lambda: made.erase(0, 1),
        lambda: made.insert(0, 1, WIDTH),
        lambda: made.delete(0, 1),
        lambda: made.join(2, "c\u0301"),
        lambda: made.cut(3),
    ]
    for change in changes:
        made.line = EMPTY
        change()
        assert made.line is None


COLUMN = st.integers(0, WIDTH)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("write"), COLUMN, st.sampled_from(["", "a", "日", "ab", "a日", "日a日"])),
        st.tuples(st.sampled_from(["erase", "insert", "delete", "cut", "join"]), COLUMN, COLUMN),
    ),
    max_size=12,
)


@given(CHANGES)
@settings(max_examples=300)
def test_columns_pens_and_halves_always_agree(changes: list[tuple[str, int, str | int]]) -> None:
    made = Row(PENS.plain)
    for name, at, what in changes:
        if isinstance(what, str):
            made.write(at, spread(what), BOLD)
        elif name == "insert":
            made.insert(at, what, WIDTH)
        elif name == "cut":
            made.cut(at)
        elif name == "join" and made.cell_before(at)[1]:
            column, cell = made.cell_before(at)
            made.join(column, cell[0] + "\u0301")
        elif name in ("erase", "delete"):
            getattr(made, name)(at, at + what if name == "erase" else what)
        assert len(made.columns) == len(made.pens)
        for column, character in enumerate(made.columns):
            if character == HALF:
                assert made.columns[column - 1] in "日"
        assert all(made.columns[column] not in (HALF, "") for column in made.joined)
        assert HALF not in text(made)
