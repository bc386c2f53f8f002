"""Promise: a code is read however a person types it, and as nothing else."""

from __future__ import annotations

import pytest

from mirrord.pairing.code import ALPHABET, CODE_CHARS, new_code, read_code, shown


def test_codes_differ_and_are_read_as_they_are_shown() -> None:
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    for code in codes:
        assert len(code) == CODE_CHARS
        assert set(code) <= set(ALPHABET)
        assert read_code(shown(code)) == read_code(shown(code).lower()) == read_code(code) == code


def test_the_alphabet_has_no_letters_that_look_like_others() -> None:
    assert len(set(ALPHABET)) == 32
    assert not set("ILOU") & set(ALPHABET)


@pytest.mark.parametrize("typed", ["K7QF2M9XTB", "k7qf2-m9xtb", " K7QF2 M9XTB ", "K7QF2\u2013M9XTB", "k-7-q-f-2-m-9-x-t-b"])
def test_case_blanks_and_dashes_do_not_matter(typed: str) -> None:
    assert read_code(typed) == "K7QF2M9XTB"


def test_what_looks_alike_is_the_same() -> None:
    assert read_code("oOiIl-LK7QF") == "001111K7QF"


@pytest.mark.parametrize(
    "typed", ["", "K7QF2-M9XT", "K7QF2-M9XTBB", "K7QF2-M9XTU", "K7QF2_M9XTB", "K7QF2-M9XT\u0663", "K7QF2-M9XTÉ", "\ud800" * 10]
)
def test_anything_else_is_no_code(typed: str) -> None:
    assert read_code(typed) is None


def test_a_code_is_shown_in_two_groups() -> None:
    assert shown("K7QF2M9XTB") == "K7QF2-M9XTB"
