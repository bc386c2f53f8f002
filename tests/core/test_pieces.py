"""Promise: a text in pieces is whole and in order, or it is not there; one at a time, within the bound."""

from __future__ import annotations

import pytest

from mirrord.core.pieces import Pieces


def fed(*pieces: tuple[str, int, int, str], limit: int = 100) -> Pieces:
    pieces_ = Pieces(limit)
    for piece in pieces:
        pieces_.add(*piece)
    return pieces_


def test_pieces_in_order_make_the_text_once() -> None:
    pieces = fed(("a", 0, 3, "one "), ("a", 1, 3, "two "), ("a", 2, 3, "three"))
    assert pieces.take("a", 3) == "one two three"
    assert pieces.take("a", 3) is None


@pytest.mark.parametrize(
    "told",
    [
        [("a", 0, 2, "x")],
        [("a", 1, 2, "x")],
        [("a", 0, 2, "x"), ("a", 0, 2, "x")],
        [("a", 0, 2, "x"), ("b", 1, 2, "x")],
        [("a", 0, 2, "x"), ("a", 1, 3, "x")],
        [("a", 0, 2, "x"), ("a", 2, 2, "x")],
        [("a", 0, 2, "x"), ("a", 1, 2, "x"), ("a", 2, 2, "x")],
        [("a", 0, 0, "x")],
        [("a", -1, 2, "x"), ("a", 0, 2, "x")],
    ],
)
def test_anything_else_makes_no_text(told: list[tuple[str, int, int, str]]) -> None:
    assert fed(*told).take("a", 2) is None


def test_a_new_first_piece_forgets_what_came_before() -> None:
    assert fed(("a", 0, 2, "old"), ("b", 0, 1, "new")).take("b", 1) == "new"


def test_another_name_or_number_of_pieces_is_not_this_text_and_leaves_it() -> None:
    pieces = fed(("a", 0, 1, "x"))
    assert pieces.take("b", 1) is None
    assert pieces.take("a", 2) is None
    assert pieces.take("a", 1) == "x"


@pytest.mark.parametrize(("last", "whole"), [("bb", True), ("bbb", False), ("b\ud800", False)])
def test_it_is_bounded_in_bytes_at_the_limit_and_one_past_it(last: str, whole: bool) -> None:
    pieces = fed(("a", 0, 2, "aa"), ("a", 1, 2, last), limit=4)
    assert (pieces.take("a", 2) is not None) is whole
